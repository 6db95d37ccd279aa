package usergroup

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// update is what is sent of a change: the group itself, and who is in it. The server takes each in a request of its own,
// and carries out all of a request or nothing (server-behavior §G4).
type update struct {
	zulip.UserGroupUpdate
	zulip.MembershipChange
}

// The words of a change of a group: its steps, and a group as it was read.
type (
	step    = framework.Step[*zulip.UserGroup, update]
	pending = framework.Pending[*zulip.UserGroup, update]
	reading = framework.Reading[*zulip.UserGroup]
)

// permissions are the part of a change that groups share with everything else that has permissions.
var permissions = framework.Permissions[*zulip.UserGroup, update]{
	Table:   permission.UserGroups,
	Held:    func(g *zulip.UserGroup) map[string]zulip.GroupSettingValue { return g.Permissions },
	Changes: func(u *update) *map[string]zulip.GroupSettingChange { return &u.Permissions },
}

// steps lists what has to change to lead a group from what the plan saw to what it asks. Attributes whose planned value
// is not known or not managed are none. prior is the state; nil for a group that is to be created.
func steps(saw *zulip.UserGroup, prior, plan *model, view *snapshot.Snapshot) ([]step, []permission.Problem) {
	all, problems := permissions.Steps(saw, prior.priorPermissions(), plan.permission, view)
	add := func(attribute, want string, value func(*zulip.UserGroup) string, put func(*update, *zulip.UserGroup)) {
		if value(saw) != want {
			all = append(all, step{
				Attribute: attribute, Value: value, Saw: value(saw), Want: want,
				Put: func(u *update, now *zulip.UserGroup, _ bool) { put(u, now) },
			})
		}
	}
	if framework.IsSet(plan.Name) {
		add("name", plan.Name.ValueString(), func(g *zulip.UserGroup) string { return g.Name },
			func(u *update, _ *zulip.UserGroup) { u.Name = plan.Name.ValueStringPointer() })
	}
	if framework.IsSet(plan.Description) {
		add("description", plan.Description.ValueString(), func(g *zulip.UserGroup) string { return g.Description },
			func(u *update, _ *zulip.UserGroup) { u.Description = plan.Description.ValueStringPointer() })
	}
	for _, list := range membershipLists {
		wanted, known := list.words.Resolve(*list.attribute(&plan.facts), view)
		if !known || list.attribute(&plan.facts).IsNull() {
			continue
		}
		problems = append(problems, list.problems(wanted)...)
		add(list.name, list.words.Describe(wanted.IDs, view),
			func(g *zulip.UserGroup) string {
				return list.words.Describe(list.words.Active(*list.held(g), view), view)
			},
			func(u *update, now *zulip.UserGroup) {
				held := list.words.Active(*list.held(now), view)
				list.put(&u.MembershipChange, without(wanted.IDs, held), without(held, wanted.IDs))
			})
	}
	return all, problems
}

// membershipList is one of the two lists of what is in a group.
type membershipList struct {
	name      string
	words     framework.Words
	attribute func(*facts) *types.Set
	held      func(*zulip.UserGroup) *[]int64
	later     func(*permission.Membership) *[]int64
	put       func(change *zulip.MembershipChange, add, remove []int64)
}

var (
	membersList = membershipList{
		"members", framework.Users,
		func(f *facts) *types.Set { return &f.Members },
		func(g *zulip.UserGroup) *[]int64 { return &g.Members },
		func(m *permission.Membership) *[]int64 { return &m.Members },
		func(m *zulip.MembershipChange, add, remove []int64) {
			m.Add, m.Delete = append(m.Add, add...), append(m.Delete, remove...)
		},
	}
	subgroupsList = membershipList{
		"subgroups", framework.Groups,
		func(f *facts) *types.Set { return &f.Subgroups },
		func(g *zulip.UserGroup) *[]int64 { return &g.DirectSubgroupIDs },
		func(m *permission.Membership) *[]int64 { return &m.Subgroups },
		func(m *zulip.MembershipChange, add, remove []int64) {
			m.AddSubgroups, m.DeleteSubgroups = append(m.AddSubgroups, add...), append(m.DeleteSubgroups, remove...)
		},
	}
)

// membershipLists are both.
var membershipLists = []membershipList{membersList, subgroupsList}

// problems are the words of a list that an apply cannot use.
func (l membershipList) problems(meant framework.Meant) []permission.Problem {
	var problems []permission.Problem
	for _, err := range meant.Problems {
		problems = append(problems, permission.Problem{Summary: "Not in the organization: " + l.name, Detail: framework.Sentence(err)})
	}
	for _, word := range meant.Planned {
		problems = append(problems, permission.Problem{
			Summary: fmt.Sprintf("%q is still not in the organization", word),
			Detail:  "The plan was to create or to reactivate it before this group. Refer to the resource that does, so that Terraform knows the order.",
		})
	}
	return problems
}

func without(ids, gone []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return slices.Contains(gone, id) })
}

// reactivation is the step that takes a group back (server-behavior §G4).
func reactivation() step {
	active := false
	return step{
		Attribute: "deactivated", Saw: "true", Want: "false",
		Value: func(g *zulip.UserGroup) string { return fmt.Sprint(g.Deactivated) },
		Put:   func(u *update, _ *zulip.UserGroup, _ bool) { u.Deactivated = &active },
	}
}

// change carries out the steps on a group and returns it as the server then holds it; nil if it could not be read. now
// is what was just read, or nil.
func change(ctx context.Context, base *framework.Base, id int64, all []step, now *reading, diags *diag.Diagnostics) *reading {
	takesBack := slices.ContainsFunc(all, func(s step) bool { return s.Attribute == "deactivated" })
	subject := framework.Subject[*zulip.UserGroup, update]{
		Unread: fmt.Sprintf("user group %d", id),
		Name:   func(g *zulip.UserGroup) string { return fmt.Sprintf("user group %q", g.Name) },
		Read:   func(ctx context.Context) (*reading, error) { return fresh(ctx, base, id, takesBack) },
		Send: func(ctx context.Context, pending pending) ([]string, error) {
			return send(ctx, base, id, pending.Update())
		},
	}
	return subject.Change(ctx, base, all, now, diags)
}

// send makes the requests that an update takes. The group itself goes first, so that nothing else has changed when a
// permission is refused. Who is in it goes first where the right to say so may be given away, and where it is taken back:
// then nobody is in it for a moment who is not to be.
func send(ctx context.Context, base *framework.Base, id int64, all update) (ignored []string, err error) {
	group := func() error {
		if all.UserGroupUpdate.Empty() {
			return nil
		}
		answer, err := base.Meta.Client.UpdateUserGroup(ctx, id, all.UserGroupUpdate)
		if err == nil {
			ignored = answer.IgnoredParameters
		}
		return err
	}
	membership := func() error {
		if all.MembershipChange.Empty() {
			return nil
		}
		return base.Meta.Client.ChangeUserGroupMembership(ctx, id, all.MembershipChange)
	}
	ordered := []func() error{group, membership}
	_, givesAway := all.Permissions["can_manage_group"]
	if all.Deactivated == nil && givesAway || all.Deactivated != nil && base.HasLevel(featurelevel.DeactivatedGroupMembers) {
		slices.Reverse(ordered)
	}
	for _, request := range ordered {
		if err := request(); err != nil {
			return nil, err
		}
	}
	return ignored, nil
}

// fresh reads a group as it is now, together with everybody else who wants to.
func fresh(ctx context.Context, base *framework.Base, id int64, deactivatedToo bool) (*reading, error) {
	view, err := base.Meta.Store.Fresh(ctx, store.UserGroups)
	if err != nil {
		return nil, err
	}
	group, ok := view.UserGroups().ByID(id)
	switch {
	case !ok:
		return nil, fmt.Errorf("the organization has no user group with the ID %d any more", id)
	case group.Deactivated && !deactivatedToo:
		return nil, fmt.Errorf("user group %q was deactivated meanwhile", group.Name)
	}
	return &reading{Thing: group, View: view}, nil
}
