package usergroup

import (
	"regexp"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// update is what is sent of a change: the group itself, and who is in it. The server takes each in a request of its own,
// and carries out all of a request or nothing (server-behavior §G4).
type update struct {
	zulip.UserGroupUpdate
	zulip.MembershipChange
}

type (
	step    = framework.Step[*zulip.UserGroup, update]
	pending = framework.Pending[*zulip.UserGroup, update]
	reading = framework.Reading[*zulip.UserGroup]
	prior   = attribute.Prior[facts, *zulip.UserGroup]

	table             = attribute.Table[facts, *zulip.UserGroup, update]
	rows              = []attribute.Row[facts, *zulip.UserGroup, update]
	row[V attr.Value] = attribute.Field[facts, *zulip.UserGroup, update, V]
)

// maxName is the server's limit, counted in characters (server-behavior §G5).
const maxName = 100

var visibleName = regexp.MustCompile(`[^\s\pZ]`)

// attributes are what the server knows of a user group, each in one row. How a group is created is not among them: see
// creationAttributes.
var attributes = table{
	Resource: kind,
	Rows: rows{
		row[types.Int64]{
			Name: "id", ReadOnly: true, Description: "The group's ID.",
			At:   func(f *facts) *types.Int64 { return &f.ID },
			Read: func(g *zulip.UserGroup) types.Int64 { return types.Int64Value(g.ID) },
		},
		row[types.String]{
			Name: "name", Description: "The group's name.",
			Setting:  "At most 100 characters. No other group of the organization has it, deactivated ones included; case matters. Permissions that name the group keep to it when it is renamed.",
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
			Name: "description", Description: "What the group is for.",
			Setting: "Empty for a new group by default.",
			At:      func(f *facts) *types.String { return &f.Description },
			Read:    func(g *zulip.UserGroup) types.String { return types.StringValue(g.Description) },
			Send:    func(u *update, _ *zulip.UserGroup, v types.String) { u.Description = v.ValueStringPointer() },
		},
		listRow{membersList, row[types.Set]{
			Name: "members", Description: "Who is in the group directly, by e-mail address. Without deactivated people.",
			Setting:    "An ID is accepted too. The list is complete: whoever is added by hand is taken out by the next apply. Deactivated people do not count, whether they are listed or not. Unset: not managed, as beside `zulip_user_group_membership`. " + toldText,
			Validators: []validator.Describer{setvalidator.ValueStringsAre(validators.Length(1, 0))},
			At:         membersList.attribute,
		}},
		listRow{subgroupsList, row[types.Set]{
			Name: "subgroups", Description: "The groups that are in the group directly, by name (`role:members` and its like are groups too). Without deactivated groups.",
			Setting:    "An ID is accepted too; `name:2024` is the group called 2024. The list is complete. Not managed if it is not set.",
			Validators: []validator.Describer{setvalidator.ValueStringsAre(validators.Length(1, 0))},
			At:         subgroupsList.attribute,
		}},
		row[types.Int64]{
			Name: "creator_id", ReadOnly: true, Description: "The ID of the user who created it; null for roles and very old groups.",
			At:   func(f *facts) *types.Int64 { return &f.CreatorID },
			Read: func(g *zulip.UserGroup) types.Int64 { return types.Int64PointerValue(g.CreatorID) },
		},
		row[types.String]{
			Name: "date_created", ReadOnly: true, Description: "When it was created (RFC 3339); null for roles and very old groups.",
			At: func(f *facts) *types.String { return &f.DateCreated },
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
	Wire: framework.Permissions[*zulip.UserGroup, update]{
		Table:   permission.UserGroups,
		Held:    func(g *zulip.UserGroup) map[string]zulip.GroupSettingValue { return g.Permissions },
		Changes: func(u *update) *map[string]zulip.GroupSettingChange { return &u.Permissions },
	},
}

// listRow is the row of one of the two lists of what is in a group. A list is written in words for people or groups, and is
// compared and sent as IDs.
type listRow struct {
	list membershipList
	row[types.Set]
}

// ReadInto keeps the words for whoever is still in the list.
func (l listRow) ReadInto(f *facts, group *zulip.UserGroup, on attribute.Server, _ *diag.Diagnostics) {
	at := l.At(f)
	*at = l.list.words.Keep(*at, *l.list.held(group), on.View)
}

// Step is the change of who or what is in the list. Who cannot be found is a problem.
func (l listRow) Step(prior *prior, planned *facts, on attribute.Server) (change step, problems []permission.Problem, found bool) {
	wanted, known := l.list.words.Resolve(*l.At(planned), on.View)
	if !known || l.At(planned).IsNull() {
		return change, nil, false
	}
	describe := func(ids []int64) string {
		return l.list.words.Describe(l.list.words.Active(ids, on.View), on.View)
	}
	before := l.before(prior, on)
	change = step{
		Attribute: l.Name, Prior: describe(before), Planned: describe(wanted.IDs),
		Current: func(g *zulip.UserGroup) string { return describe(*l.list.held(g)) },
		Put: func(u *update, current *zulip.UserGroup, _ bool) {
			ids := l.list.words.Active(*l.list.held(current), on.View)
			l.list.put(&u.MembershipChange, without(wanted.IDs, ids), without(ids, wanted.IDs))
		},
	}
	return change, l.list.problems(wanted), change.Prior != change.Planned
}

// before are the IDs that the plan is computed from.
func (l listRow) before(prior *prior, on attribute.Server) []int64 {
	if !prior.IsState {
		return *l.list.held(prior.Object)
	}
	meant, _ := l.list.words.Resolve(*l.At(prior.Values), on.View)
	return meant.IDs
}

// KeepPrior keeps the state's words where the plan's mean the same.
func (l listRow) KeepPrior(_, planned, state *facts, on attribute.Server) {
	plan, before := l.At(planned), *l.At(state)
	meant, known := l.list.words.Resolve(*plan, on.View)
	if !known || plan.IsNull() || before.IsNull() || len(meant.Problems)+len(meant.Planned) > 0 {
		return
	}
	if was, _ := l.list.words.Resolve(before, on.View); l.list.words.Describe(meant.IDs, on.View) == l.list.words.Describe(was.IDs, on.View) {
		*plan = before
	}
}
