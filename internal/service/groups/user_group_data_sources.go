package groups

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewUserGroupDataSource returns the data source zulip_user_group.
func NewUserGroupDataSource() datasource.DataSource {
	return adapter.DataSource[userGroupDataModel]{Name: "user_group", Schema: userGroupDataSchema, Read: readUserGroupData}.New()
}

func userGroupDataSchema() schema.Schema {
	all := shownGroupAttributes()
	all["id"] = schema.Int64Attribute{
		Optional: true, Computed: true, MarkdownDescription: "ID of the group. Set this or `name`.",
		Validators: []validator.Int64{validators.ExactlyOneOf("id", "name")},
	}
	all["name"] = schema.StringAttribute{
		Optional: true, Computed: true, MarkdownDescription: "Name of the group, or a role such as `role:members`. Case-sensitive. Set this or `id`.",
	}
	all["all_members"] = textList("Email addresses of all members of the group, direct or through subgroups at any depth, without deactivated users.")
	all["all_subgroups"] = textList("Names of all subgroups of the group, at any depth.")
	return schema.Schema{
		MarkdownDescription: "Reads a user group and its members by ID or name, including roles and deactivated groups.",
		Attributes:          all,
	}
}

func readUserGroupData(_ context.Context, c *adapter.Call[userGroupDataModel], config *userGroupDataModel) error {
	s, err := c.Read("the user groups", store.Organization)
	if err != nil {
		return err
	}
	wanted, at := "name:"+config.Name.ValueString(), path.Root("name")
	group, ok := s.UserGroups().ByName(config.Name.ValueString())
	if config.Name.IsNull() {
		wanted, at = strconv.FormatInt(config.ID.ValueInt64(), 10), path.Root("id")
		group, ok = s.UserGroups().ByID(config.ID.ValueInt64())
	}
	if !ok {
		detail := "This run has not created or renamed the group yet. Reference the resource instead of the data source, or add depends_on = [zulip_user_group.NAME] to the data source."
		if _, err := lookup.Group(s, wanted); err != nil {
			detail = base.Sentence(err)
		}
		return base.Refused(at, "No such user group", detail)
	}
	*config = userGroupDataModel{AllMembers: lookup.UserList.Of(s.AllMembers(group), s), AllSubgroups: lookup.GroupList.Of(s.AllSubgroups(group), s)}
	config.read(group, attribute.NewEnv(c.Base, s), c.Diags)
	return nil
}

// userGroupDataModel is the data source zulip_user_group.
type userGroupDataModel struct {
	shownGroup
	AllMembers   types.List `tfsdk:"all_members"`
	AllSubgroups types.List `tfsdk:"all_subgroups"`
}

// shownGroup has the attributes of both data sources.
type shownGroup struct {
	userGroupFields
	CreatorID     types.Int64  `tfsdk:"creator_id"`
	DateCreated   types.String `tfsdk:"date_created"`
	IsSystemGroup types.Bool   `tfsdk:"is_system_group"`
	IsDeactivated types.Bool   `tfsdk:"is_deactivated"`
}

func (s *shownGroup) read(group *zulip.UserGroup, env attribute.Env, diags *diag.Diagnostics) {
	userGroupTable.Read(&s.userGroupFields, group, env, diags)
	s.CreatorID = types.Int64PointerValue(group.CreatorID)
	if group.DateCreated != nil {
		s.DateCreated = types.StringValue(time.Unix(*group.DateCreated, 0).UTC().Format(time.RFC3339))
	}
	s.IsSystemGroup = types.BoolValue(group.IsSystemGroup)
	s.IsDeactivated = types.BoolValue(group.Deactivated)
}

// shownGroupAttributes returns the schema of the attributes of both data sources.
func shownGroupAttributes() map[string]schema.Attribute {
	all := userGroupTable.DataSourceAttributes()
	all["creator_id"] = schema.Int64Attribute{Computed: true, MarkdownDescription: "User ID of the creator. Null for roles and very old groups."}
	all["date_created"] = schema.StringAttribute{Computed: true, MarkdownDescription: "Time at which the group was created (RFC 3339). Null for roles and very old groups."}
	all["is_system_group"] = schema.BoolAttribute{Computed: true, MarkdownDescription: "True if the group is a role, whose members follow from the roles of users."}
	all["is_deactivated"] = schema.BoolAttribute{Computed: true, MarkdownDescription: "True if the group is deactivated."}
	return all
}

// textList describes a list of texts.
func textList(description string) schema.ListAttribute {
	return schema.ListAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: description}
}

// NewUserGroupsDataSource returns the data source zulip_user_groups.
func NewUserGroupsDataSource() datasource.DataSource {
	return adapter.DataSource[userGroupsModel]{Name: "user_groups", Schema: userGroupsDataSchema, Read: readUserGroupsData}.New()
}

func userGroupsDataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Lists the user groups of the organization, sorted by ID.",
		Attributes: map[string]schema.Attribute{
			"include_roles":       schema.BoolAttribute{Optional: true, MarkdownDescription: "If true, roles such as `role:members` are included. Defaults to `false`."},
			"include_deactivated": schema.BoolAttribute{Optional: true, MarkdownDescription: "If true, deactivated groups are included. Defaults to `false`."},
			"user":                schema.StringAttribute{Optional: true, MarkdownDescription: "Email address or ID of a user or bot. Only groups with this member are listed, direct or through subgroups."},
			"groups": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "User groups.",
				NestedObject: schema.NestedAttributeObject{Attributes: shownGroupAttributes()},
			},
		},
	}
}

func readUserGroupsData(_ context.Context, c *adapter.Call[userGroupsModel], list *userGroupsModel) error {
	s, err := c.Read("the user groups", store.Organization)
	if err != nil {
		return err
	}
	var user int64
	if !list.User.IsNull() {
		found, err := lookup.User(s, list.User.ValueString())
		if err != nil {
			return lookup.Error(path.Root("user"), err, "")
		}
		user = found.ID
	}
	list.Groups = []shownGroup{}
	env := attribute.NewEnv(c.Base, s)
	for _, group := range s.UserGroups().List() {
		if group.IsSystemGroup && !list.IncludeRoles.ValueBool() || group.Deactivated && !list.IncludeDeactivated.ValueBool() ||
			user != 0 && !slices.Contains(s.AllMembers(group), user) {
			continue
		}
		var found shownGroup
		found.read(group, env, c.Diags)
		list.Groups = append(list.Groups, found)
	}
	return nil
}

type userGroupsModel struct {
	IncludeRoles       types.Bool   `tfsdk:"include_roles"`
	IncludeDeactivated types.Bool   `tfsdk:"include_deactivated"`
	User               types.String `tfsdk:"user"`
	Groups             []shownGroup `tfsdk:"groups"`
}
