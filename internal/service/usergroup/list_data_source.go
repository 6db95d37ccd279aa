package usergroup

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
)

// ListDataSource is the data source zulip_user_groups.
type ListDataSource struct{ base.DataSource }

// NewListDataSource returns the data source zulip_user_groups.
func NewListDataSource() datasource.DataSource { return &ListDataSource{} }

type listModel struct {
	IncludeRoles       types.Bool   `tfsdk:"include_roles"`
	IncludeDeactivated types.Bool   `tfsdk:"include_deactivated"`
	User               types.String `tfsdk:"user"`
	Groups             []shown      `tfsdk:"groups"`
}

// Metadata names the data source.
func (d *ListDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_user_groups"
}

// Schema describes the data source.
func (d *ListDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The user groups of the organization, sorted by ID.",
		Attributes: map[string]schema.Attribute{
			"include_roles":       schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether to include roles such as `role:members`. Defaults to `false`."},
			"include_deactivated": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether to include deactivated groups. Defaults to `false`."},
			"user":                schema.StringAttribute{Optional: true, MarkdownDescription: "Email address or ID of a user or bot: only groups that it is in, directly or through subgroups."},
			"groups": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The groups.",
				NestedObject: schema.NestedAttributeObject{Attributes: shownAttributes()},
			},
		},
	}
}

// Read takes the groups from the snapshot.
func (d *ListDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var list listModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &list)...)
	if resp.Diagnostics.HasError() || !d.Ready(&resp.Diagnostics) {
		return
	}
	s, err := d.Meta.Store.Read(ctx, store.Organization)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the user groups", base.Explain(err))
		return
	}
	var user int64
	if !list.User.IsNull() {
		found, err := lookup.User(s, list.User.ValueString())
		if err != nil {
			lookup.AddError(&resp.Diagnostics, path.Root("user"), err, "")
			return
		}
		user = found.ID
	}
	list.Groups = []shown{}
	on := attribute.On(&d.Base, s)
	for _, group := range s.UserGroups().List() {
		if group.IsSystemGroup && !list.IncludeRoles.ValueBool() || group.Deactivated && !list.IncludeDeactivated.ValueBool() ||
			user != 0 && !slices.Contains(s.AllMembers(group), user) {
			continue
		}
		var found shown
		found.read(group, on, &resp.Diagnostics)
		list.Groups = append(list.Groups, found)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &list)...)
}
