package usergroup

import (
	"regexp"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// update is what is sent of a change: the group and its members. The server takes each in a request of its own,
// and carries out all of a request or nothing (server-behavior §G4).
type update struct {
	zulip.UserGroupUpdate
	zulip.MembershipChange
}

type (
	step    = attribute.Step[*zulip.UserGroup, update]
	pending = attribute.Pending[*zulip.UserGroup, update]
	reading = attribute.Reading[*zulip.UserGroup]
	prior   = attribute.Prior[facts, *zulip.UserGroup]

	table             = attribute.Table[facts, *zulip.UserGroup, update]
	rows              = []attribute.Row[facts, *zulip.UserGroup, update]
	row[V attr.Value] = attribute.Field[facts, *zulip.UserGroup, update, V]
)

// maxName is the server's limit, counted in characters (server-behavior §G5).
const maxName = 100

var visibleName = regexp.MustCompile(`[^\s\pZ]`)

// notInNewStates is on the page of the resource, for what only the server sets and a state leaves out all the same.
const notInNewStates = "Null for a group that Terraform created or adopted; the data source `zulip_user_group` has it."

// attributes are the attributes that the server has of a user group, one row each. How a group is created is not among them:
// see creationAttributes.
var attributes = table{
	Resource: kind, OmitUnmanaged: true,
	Rows: rows{
		row[types.Int64]{
			Name: "id", ReadOnly: true, Description: "ID of the group.",
			At:   func(f *facts) *types.Int64 { return &f.ID },
			Read: func(g *zulip.UserGroup) types.Int64 { return types.Int64Value(g.ID) },
		},
		row[types.String]{
			Name: "name", Description: "Name of the group.",
			Setting:  "At most 100 characters. Must be unique in the organization; case matters, and deactivated groups keep their names. Permissions that name the group follow a change of the name.",
			Required: true,
			Validators: []validator.Describer{
				validators.Length(1, maxName),
				validators.Matches(visibleName, "must not be white space alone"),
				bannedPrefixes{},
				validators.VisibleName{},
			},
			At:   func(f *facts) *types.String { return &f.Name },
			Read: func(g *zulip.UserGroup) types.String { return types.StringValue(g.Name) },
			Send: func(u *update, _ *zulip.UserGroup, v types.String) { u.Name = v.ValueStringPointer() },
		},
		row[types.String]{
			Name: "description", Description: "Description of the group.",
			Setting: "If unset, the description is not managed; a new group has none.",
			At:      func(f *facts) *types.String { return &f.Description },
			Read:    func(g *zulip.UserGroup) types.String { return types.StringValue(g.Description) },
			Send:    func(u *update, _ *zulip.UserGroup, v types.String) { u.Description = v.ValueStringPointer() },
		},
		membershipRow{
			membershipList: membersList, description: "Email addresses of the direct members of the group, without deactivated users.",
			setting: "User IDs are accepted too, and `user:EMAIL` and `user_id:N` as in permissions; the order does not matter. The list is complete: the next apply removes other members. Deactivated users are ignored, listed or not. If unset, the members are not managed, as is needed beside `zulip_user_group_membership`. While the whole list is known only after the apply, or it is open whether it names the same in another order, an existing group waits for the next apply. " + toldText,
		},
		membershipRow{
			membershipList: subgroupsList, description: "Names of the direct subgroups of the group, without deactivated groups. Roles such as `role:members` are groups too.",
			setting: "IDs are accepted too, and `group:NAME` and `group_id:N` as in permissions; `name:2024` is the group with the name 2024; the order does not matter. The list is complete: the next apply removes other subgroups. If unset, the subgroups are not managed. While the whole list is known only after the apply, or it is open whether it names the same in another order, an existing group waits for the next apply.",
		},
		row[types.Int64]{
			Name: "creator_id", ReadOnly: true, IsIncidental: true, Description: "User ID of the creator. Null for roles and very old groups.",
			Setting: notInNewStates,
			At:      func(f *facts) *types.Int64 { return &f.CreatorID },
			Read:    func(g *zulip.UserGroup) types.Int64 { return types.Int64PointerValue(g.CreatorID) },
		},
		row[types.String]{
			Name: "date_created", ReadOnly: true, IsIncidental: true, Description: "Time at which the group was created (RFC 3339). Null for roles and very old groups.",
			Setting: notInNewStates,
			At:      func(f *facts) *types.String { return &f.DateCreated },
			Read: func(g *zulip.UserGroup) types.String {
				if g.DateCreated == nil {
					return types.StringNull()
				}
				return types.StringValue(time.Unix(*g.DateCreated, 0).UTC().Format(time.RFC3339))
			},
		},
	},
	Permissions: map[string]attribute.Permission[facts]{
		"can_add_members_group":    {At: func(f *facts) *types.Set { return &f.CanAddMembersGroup }},
		"can_join_group":           {At: func(f *facts) *types.Set { return &f.CanJoinGroup }},
		"can_leave_group":          {At: func(f *facts) *types.Set { return &f.CanLeaveGroup }},
		"can_manage_group":         {At: func(f *facts) *types.Set { return &f.CanManageGroup }},
		"can_mention_group":        {At: func(f *facts) *types.Set { return &f.CanMentionGroup }},
		"can_remove_members_group": {At: func(f *facts) *types.Set { return &f.CanRemoveMembersGroup }},
	},
	Wire: attribute.Permissions[*zulip.UserGroup, update]{
		Table:   permission.UserGroups,
		Held:    func(g *zulip.UserGroup) map[string]zulip.GroupSettingValue { return g.Permissions },
		Changes: func(u *update) *map[string]zulip.GroupSettingChange { return &u.Permissions },
	},
}
