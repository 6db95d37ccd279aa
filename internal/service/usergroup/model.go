package usergroup

import "github.com/hashicorp/terraform-plugin-framework/types"

// facts are the attributes that the server has of a user group, for the resource and the data sources. The table [attributes]
// describes them.
type facts struct {
	ID          types.Int64  `tfsdk:"id"`
	Name        types.String `tfsdk:"name"`
	Description types.String `tfsdk:"description"`
	Members     types.List   `tfsdk:"members"`
	Subgroups   types.List   `tfsdk:"subgroups"`

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
