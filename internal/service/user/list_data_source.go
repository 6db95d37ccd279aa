package user

import (
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// ListDataSource is the data source zulip_users.
type ListDataSource struct{ base.DataSource }

// NewListDataSource returns the data source zulip_users.
func NewListDataSource() datasource.DataSource { return &ListDataSource{} }

type listModel struct {
	Role         types.String       `tfsdk:"role"`
	IsBot        types.Bool         `tfsdk:"is_bot"`
	IsActive     types.Bool         `tfsdk:"is_active"`
	Emails       []string           `tfsdk:"emails"`
	ProfileField *profileFieldModel `tfsdk:"profile_field"`
	Users        []facts            `tfsdk:"users"`
}

type profileFieldModel struct {
	Name  string `tfsdk:"name"`
	Value string `tfsdk:"value"`
}

// Metadata names the data source.
func (d *ListDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_users"
}

// Schema describes the data source.
func (d *ListDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists people and bots, ordered by ID. Filters are combined. Without a filter everybody is listed, deactivated accounts included.",
		Attributes: map[string]schema.Attribute{
			"role": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Only users with this role: `owner`, `administrator`, `moderator`, `member` or `guest`.",
				Validators: []validator.String{validators.OneOf("owner", "administrator", "moderator", "member", "guest")},
			},
			"is_bot":    schema.BoolAttribute{Optional: true, MarkdownDescription: "Only bots (`true`), or only people (`false`)."},
			"is_active": schema.BoolAttribute{Optional: true, MarkdownDescription: "Only active accounts (`true`), or only deactivated ones (`false`)."},
			"emails": schema.SetAttribute{
				ElementType: types.StringType, Optional: true,
				Validators:          []validator.Set{validators.NoNulls()},
				MarkdownDescription: "Only users with one of these email addresses. An address that nobody has is an error.",
			},
			"profile_field": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "Only users with this value in a custom profile field.",
				Attributes: map[string]schema.Attribute{
					"name":  schema.StringAttribute{Required: true, MarkdownDescription: "Name of the field."},
					"value": schema.StringAttribute{Required: true, MarkdownDescription: "Value of the field, as the server stores it."},
				},
			},
			"users": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The people and bots that pass every filter, ordered by ID.",
				NestedObject: schema.NestedAttributeObject{Attributes: attributes()},
			},
		},
	}
}

// Read lists the users of the snapshot.
func (d *ListDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var list listModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &list)...)
	if resp.Diagnostics.HasError() || !d.Ready(&resp.Diagnostics) {
		return
	}
	s, err := d.Meta.Store.Read(ctx, store.Users)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the users", base.Explain(err))
		return
	}
	for _, address := range list.Emails {
		if _, err := lookup.User(s, address); err != nil {
			lookup.AddError(&resp.Diagnostics, path.Root("emails"), err, "")
		}
	}
	if field := list.ProfileField; field != nil && !slices.ContainsFunc(s.ProfileFields().List(), func(f *zulip.ProfileField) bool { return f.Name == field.Name }) {
		resp.Diagnostics.AddAttributeError(path.Root("profile_field"), "No such profile field", base.Sentence(lookup.NoProfileField(field.Name, s)))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	list.Users = []facts{}
	for _, user := range s.Users() {
		if list.admits(user, s) {
			var found facts
			resp.Diagnostics.Append(found.read(ctx, user, s, d.HasLevel(featurelevel.DeletedUsers))...)
			list.Users = append(list.Users, found)
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &list)...)
}

// admits reports whether a user passes every filter.
func (l *listModel) admits(user *zulip.User, s *snapshot.Snapshot) bool {
	if !l.Role.IsNull() && l.Role.ValueString() != user.Role.String() ||
		!l.IsBot.IsNull() && l.IsBot.ValueBool() != user.IsBot ||
		!l.IsActive.IsNull() && l.IsActive.ValueBool() != user.IsActive {
		return false
	}
	if l.Emails != nil && !slices.ContainsFunc(l.Emails, func(address string) bool {
		return strings.EqualFold(address, user.Email) || strings.EqualFold(address, user.Address())
	}) {
		return false
	}
	return l.ProfileField == nil || profileOf(user, s)[l.ProfileField.Name] == l.ProfileField.Value
}
