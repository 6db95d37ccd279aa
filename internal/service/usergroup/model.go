package usergroup

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// facts are what a user group is, for the resource and the data sources alike.
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

// model is the resource: the facts, and how it is made.
type model struct {
	facts
	AdoptDeactivated types.Bool `tfsdk:"adopt_deactivated"`
}

// permission returns the attribute of a setting.
func (f *facts) permission(setting string) *types.Set {
	switch setting {
	case "can_add_members_group":
		return &f.CanAddMembersGroup
	case "can_join_group":
		return &f.CanJoinGroup
	case "can_leave_group":
		return &f.CanLeaveGroup
	case "can_manage_group":
		return &f.CanManageGroup
	case "can_mention_group":
		return &f.CanMentionGroup
	case "can_remove_members_group":
		return &f.CanRemoveMembersGroup
	}
	panic("no attribute for the setting " + setting)
}

// permissionSets are the attributes of the settings, for what is done with them in the same way everywhere.
func (f *facts) permissionSets() framework.PermissionSets { return f.permission }

// read takes what the server holds. Where an attribute already says the same in other words, its words are kept, so that
// a plan shows no difference that is none.
func (f *facts) read(group *zulip.UserGroup, view *snapshot.Snapshot) {
	f.ID = types.Int64Value(group.ID)
	f.Name = types.StringValue(group.Name)
	f.Description = types.StringValue(group.Description)
	f.Members = framework.Users.Keep(f.Members, group.Members, view)
	f.Subgroups = framework.Groups.Keep(f.Subgroups, group.DirectSubgroupIDs, view)
	f.permissionSets().Read(permission.UserGroups, group.Permissions, view)
	f.CreatorID = types.Int64PointerValue(group.CreatorID)
	f.DateCreated = types.StringNull()
	if group.DateCreated != nil { // roles and very old groups have none
		f.DateCreated = types.StringValue(time.Unix(*group.DateCreated, 0).UTC().Format(time.RFC3339))
	}
}

// keep gives back what a plan knew to the facts that were read after it was applied, and returns the permissions for
// which that makes a difference: what somebody else changed meanwhile is for the next plan to show.
func (f *facts) keep(plan *facts) (differing []string) {
	framework.KeepKnown(&f.Name, plan.Name)
	framework.KeepKnown(&f.Description, plan.Description)
	framework.KeepKnown(&f.Members, plan.Members)
	framework.KeepKnown(&f.Subgroups, plan.Subgroups)
	framework.KeepKnown(&f.CreatorID, plan.CreatorID)
	framework.KeepKnown(&f.DateCreated, plan.DateCreated)
	return f.permissionSets().Keep(permission.UserGroups, plan.permission)
}

// forgetUnknown makes what is not known null: a state holds nothing that is unknown.
func (f *facts) forgetUnknown() {
	f.permissionSets().ForgetUnknown(permission.UserGroups)
	for _, set := range []*types.Set{&f.Members, &f.Subgroups} {
		if set.IsUnknown() {
			*set = types.SetNull(types.StringType)
		}
	}
	for _, text := range []*types.String{&f.Description, &f.DateCreated} {
		if text.IsUnknown() {
			*text = types.StringNull()
		}
	}
	if f.CreatorID.IsUnknown() {
		f.CreatorID = types.Int64Null()
	}
}

// priorPermissions are the permissions of a state; nil without one.
func (m *model) priorPermissions() framework.PermissionSets {
	if m == nil {
		return nil
	}
	return m.permission
}

// seen rebuilds the group that a state shows, with the raw permissions kept beside it: what the plan was made from.
func (f *facts) seen(raw map[string]zulip.GroupSettingValue, view *snapshot.Snapshot) *zulip.UserGroup {
	members, _ := framework.Users.Resolve(f.Members, view)
	subgroups, _ := framework.Groups.Resolve(f.Subgroups, view)
	return &zulip.UserGroup{
		ID: f.ID.ValueInt64(), Name: f.Name.ValueString(), Description: f.Description.ValueString(),
		Members: members.IDs, DirectSubgroupIDs: subgroups.IDs,
		Permissions: f.permissionSets().Saw(permission.UserGroups, raw, view),
	}
}
