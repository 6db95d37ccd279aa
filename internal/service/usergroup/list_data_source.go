package usergroup

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
)

// ListDataSource is the data source zulip_user_groups.
type ListDataSource struct{ framework.DataSource }

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
		MarkdownDescription: "The user groups of the organization, by ID.",
		Attributes: map[string]schema.Attribute{
			"include_roles":       schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether the roles are listed too, such as `role:members`. By default they are not."},
			"include_deactivated": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether deactivated groups are listed too. By default they are not."},
			"user":                schema.StringAttribute{Optional: true, MarkdownDescription: "Only groups that this person or bot is in, directly or in a group that is in it, by e-mail address or ID."},
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
	view, err := d.Meta.Store.Read(ctx, store.Organization)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the user groups", framework.Explain(err))
		return
	}
	var user int64
	if !list.User.IsNull() {
		found, err := framework.FindUser(view, list.User.ValueString())
		if err != nil {
			resp.Diagnostics.AddAttributeError(path.Root("user"), "Not in the organization", framework.Sentence(err))
			return
		}
		user = found.ID
	}
	list.Groups = []shown{}
	on := attribute.On(&d.Base, view)
	for _, group := range view.UserGroups().List() {
		if group.IsSystemGroup && !list.IncludeRoles.ValueBool() || group.Deactivated && !list.IncludeDeactivated.ValueBool() ||
			user != 0 && !slices.Contains(view.AllMembers(group), user) {
			continue
		}
		var found shown
		found.read(group, on, &resp.Diagnostics)
		list.Groups = append(list.Groups, found)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &list)...)
}
