package usergroup

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// facts are the attributes that the server has of a user group, for the resource and the data sources. The table [attributes]
// describes them.
type facts struct {
	ID          types.Int64  `tfsdk:"id"`
	Name        types.String `tfsdk:"name"`
	Description types.String `tfsdk:"description"`
	Members     types.Set    `tfsdk:"members"`
	Subgroups   types.Set    `tfsdk:"subgroups"`

	CanAddMembersGroup    types.Set `tfsdk:"can_add_members_group"`
	CanJoinGroup          types.Set `tfsdk:"can_join_group"`
	CanLeaveGroup         types.Set `tfsdk:"can_leave_group"`
	CanManageGroup        types.Set `tfsdk:"can_manage_group"`
	CanMentionGroup       types.Set `tfsdk:"can_mention_group"`
	CanRemoveMembersGroup types.Set `tfsdk:"can_remove_members_group"`

	CreatorID   types.Int64  `tfsdk:"creator_id"`
	DateCreated types.String `tfsdk:"date_created"`
}

// model is the resource: the facts, and how the group is created.
type model struct {
	facts
	AdoptDeactivated types.Bool `tfsdk:"adopt_deactivated"`
}

// before returns the group of a state, with what decides who may change it and who is in it.
func (f *facts) before(permissions map[string]zulip.GroupSettingValue, s *snapshot.Snapshot) *zulip.UserGroup {
	members, _ := lookup.Users.Resolve(f.Members, s)
	subgroups, _ := lookup.Groups.Resolve(f.Subgroups, s)
	return &zulip.UserGroup{
		ID: f.ID.ValueInt64(), Name: f.Name.ValueString(), Members: members.IDs, DirectSubgroupIDs: subgroups.IDs, Permissions: permissions,
	}
}
