package usergroup

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// membershipList is one of the two lists of what is in a group.
type membershipList struct {
	name      string
	words     framework.PrincipalSet
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
func (l membershipList) problems(meant framework.Resolved) []permission.Problem {
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
		Attribute: "deactivated", Prior: "true", Planned: "false",
		Current: func(g *zulip.UserGroup) string { return fmt.Sprint(g.Deactivated) },
		Put:     func(u *update, _ *zulip.UserGroup, _ bool) { u.Deactivated = &active },
	}
}

// target is a group that is changed.
type target struct {
	*framework.Base
	id int64
	// reactivates says that it is deactivated, and is taken back.
	reactivates bool
}

// subject is the group as what is changed.
func (t target) subject() framework.Subject[*zulip.UserGroup, update] {
	return framework.Subject[*zulip.UserGroup, update]{
		Unread: fmt.Sprintf("user group %d", t.id),
		Name:   func(g *zulip.UserGroup) string { return fmt.Sprintf("user group %q", g.Name) },
		Read:   func(ctx context.Context) (*reading, error) { return fresh(ctx, t.Base, t.id, t.reactivates) },
		Send:   t.send,
	}
}

// send makes the requests that a change takes. The group itself goes first, so that nothing else has changed when a
// permission is refused. Who is in it goes first where the right to say so may be given away, and where it is taken back:
// then nobody is in it for a moment who is not to be.
func (t target) send(ctx context.Context, pending pending) (ignored []string, err error) {
	all := pending.Update()
	group := func() error {
		if all.UserGroupUpdate.Empty() {
			return nil
		}
		answer, err := t.Meta.Client.UpdateUserGroup(ctx, t.id, all.UserGroupUpdate)
		if err == nil {
			ignored = answer.IgnoredParameters
		}
		return err
	}
	membership := func() error {
		if all.MembershipChange.Empty() {
			return nil
		}
		return t.Meta.Client.ChangeUserGroupMembership(ctx, t.id, all.MembershipChange)
	}
	ordered := []func() error{group, membership}
	_, givesAway := all.Permissions["can_manage_group"]
	if all.Deactivated == nil && givesAway || all.Deactivated != nil && t.HasLevel(featurelevel.DeactivatedGroupMembers) {
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
