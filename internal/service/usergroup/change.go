package usergroup

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/diagnostics"
	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// membershipList is the list of members or that of subgroups.
type membershipList struct {
	name       string
	principals lookup.PrincipalSet
	// attribute is where facts have it, current where a group has it, planned where a planned membership has it.
	attribute func(*facts) *types.Set
	current   func(*zulip.UserGroup) *[]int64
	planned   func(*permission.Membership) *[]int64
	change    func(change *zulip.MembershipChange, add, remove []int64)
}

var (
	membersList = membershipList{
		"members", lookup.Users,
		func(f *facts) *types.Set { return &f.Members },
		func(g *zulip.UserGroup) *[]int64 { return &g.Members },
		func(m *permission.Membership) *[]int64 { return &m.Members },
		func(m *zulip.MembershipChange, add, remove []int64) {
			m.Add, m.Delete = append(m.Add, add...), append(m.Delete, remove...)
		},
	}
	subgroupsList = membershipList{
		"subgroups", lookup.Groups,
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

// problems are the elements of a list that an apply cannot use.
func (l membershipList) problems(resolved lookup.Resolved) []permission.Problem {
	var problems []permission.Problem
	for _, err := range resolved.Problems {
		problems = append(problems, permission.Problem{Summary: "Cannot find one of the " + l.name, Detail: diagnostics.Sentence(err)})
	}
	for _, text := range resolved.Planned {
		problems = append(problems, permission.Problem{
			Summary: fmt.Sprintf("%q is still not in the organization", text),
			Detail:  "The plan was to create or to reactivate it before this group. Refer to the resource that does, so that Terraform knows the order.",
		})
	}
	return problems
}

func without(ids, gone []int64) []int64 {
	isGone := make(map[int64]bool, len(gone))
	for _, id := range gone {
		isGone[id] = true
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return isGone[id] })
}

// sendUpdate sends the group and its members in a request each. The group goes first, so that nothing else has changed when a
// permission is refused. The members go first where the right to change them may be given away, and where the group is
// reactivated: then nobody is a member for a moment who is not planned to be.
func sendUpdate(ctx context.Context, b *base.Base, id int64, p pending) (ignored []string, err error) {
	all := p.Update()
	group := func() error {
		if all.UserGroupUpdate.Empty() {
			return nil
		}
		answer, err := b.Meta.Client.UpdateUserGroup(ctx, id, all.UserGroupUpdate)
		if err == nil {
			ignored = answer.IgnoredParameters
		}
		return err
	}
	membership := func() error {
		if all.MembershipChange.Empty() {
			return nil
		}
		return b.Meta.Client.ChangeUserGroupMembership(ctx, id, all.MembershipChange)
	}
	ordered := []func() error{group, membership}
	_, givesAway := all.Permissions["can_manage_group"]
	if all.Deactivated == nil && givesAway || all.Deactivated != nil && b.HasLevel(featurelevel.DeactivatedGroupMembers) {
		slices.Reverse(ordered)
	}
	for _, request := range ordered {
		if err := request(); err != nil {
			return nil, err
		}
	}
	return ignored, nil
}
