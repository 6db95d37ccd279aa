package usergroup

import (
	"context"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// DataSource is the data source zulip_user_group.
type DataSource struct{ framework.DataSource }

// NewDataSource returns the data source zulip_user_group.
func NewDataSource() datasource.DataSource { return &DataSource{} }

// shown are the facts that both data sources show.
type shown struct {
	facts
	IsSystemGroup types.Bool `tfsdk:"is_system_group"`
	IsDeactivated types.Bool `tfsdk:"is_deactivated"`
}

func (s *shown) read(group *zulip.UserGroup, on attribute.Server, diags *diag.Diagnostics) {
	attributes.Read(&s.facts, group, on, diags)
	s.IsSystemGroup = types.BoolValue(group.IsSystemGroup)
	s.IsDeactivated = types.BoolValue(group.Deactivated)
}

// dataModel is the data source: what is shown, and who is in the group at all.
type dataModel struct {
	shown
	AllMembers   types.Set `tfsdk:"all_members"`
	AllSubgroups types.Set `tfsdk:"all_subgroups"`
}

// Metadata names the data source.
func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_user_group"
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	all := shownAttributes()
	all["id"] = schema.Int64Attribute{
		Optional: true, Computed: true, MarkdownDescription: "The group's ID. Set this or `name`.",
		Validators: []validator.Int64{validators.ExactlyOneOf("id", "name")},
	}
	all["name"] = schema.StringAttribute{
		Optional: true, Computed: true, MarkdownDescription: "The group's name; case matters, and `role:members` and its like are names too. Set this or `id`.",
	}
	all["all_members"] = words("Who is in the group, directly or in a group that is in it, however deep, by e-mail address. Without deactivated people.")
	all["all_subgroups"] = words("The groups that are in the group, however deep, by name.")
	resp.Schema = schema.Schema{
		MarkdownDescription: "One user group, by ID or name, and who is in it. Roles and deactivated groups are found too.",
		Attributes:          all,
	}
}

// Read takes the group from the snapshot.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config dataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !d.Ready(&resp.Diagnostics) {
		return
	}
	view, err := d.Meta.Store.Read(ctx, store.Organization)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the user groups", framework.Explain(err))
		return
	}
	wanted, at := "name:"+config.Name.ValueString(), path.Root("name")
	group, ok := view.UserGroups().ByName(config.Name.ValueString())
	if config.Name.IsNull() {
		wanted, at = strconv.FormatInt(config.ID.ValueInt64(), 10), path.Root("id")
		group, ok = view.UserGroups().ByID(config.ID.ValueInt64())
	}
	if !ok {
		detail := "This run has yet to create or rename it. Refer to the resource instead of reading it, or let the data source come after (depends_on = [zulip_user_group.NAME])."
		if _, err := framework.FindGroup(view, wanted); err != nil {
			detail = framework.Sentence(err)
		}
		resp.Diagnostics.AddAttributeError(at, "No such user group", detail)
		return
	}
	var found dataModel
	found.read(group, attribute.On(&d.Base, view), &resp.Diagnostics)
	found.AllMembers = framework.Users.Of(view.AllMembers(group), view)
	found.AllSubgroups = framework.Groups.Of(view.AllSubgroups(group), view)
	resp.Diagnostics.Append(resp.State.Set(ctx, &found)...)
}

// shownAttributes describe what both data sources show.
func shownAttributes() map[string]schema.Attribute {
	all := attributes.DataSourceAttributes()
	all["is_system_group"] = schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether it is one of the roles, which follow from the roles of people."}
	all["is_deactivated"] = schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether it was deactivated."}
	return all
}

// words is a set of words for people or groups.
func words(description string) schema.SetAttribute {
	return schema.SetAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: description}
}
