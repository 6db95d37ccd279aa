package groups

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// step adds a member to the group, or removes one.
func (l membershipList) step(id int64, in bool, view *snapshot.Snapshot) step {
	words := map[bool]string{true: "in the group", false: "not in the group"}
	change := step{
		Attribute: l.Name + l.describe([]int64{id}, view),
		Current:   func(g *zulip.UserGroup) string { return words[slices.Contains(*l.current(g), id)] },
		Prior:     words[!in], Planned: words[in],
		Put: func(u *userGroupUpdate, _ *zulip.UserGroup, _ bool) {
			if in {
				l.change(&u.MembershipChange, []int64{id}, nil)
			} else {
				l.change(&u.MembershipChange, nil, []int64{id})
			}
		},
	}
	change.After = func(known *effects.Log, _ *zulip.UserGroup) step {
		after := change
		if len(known.After(l.place, []int64{id}, nil)) == 0 {
			after.Planned = words[false]
		}
		return after
	}
	if l.place == effects.Members {
		change.People = func(*zulip.UserGroup) []int64 { return []int64{id} }
	}
	return change
}

// plan finds the group, refuses changes that the server would refuse, and warns about people who gain or lose a
// permission.
func (r memberships) plan(ctx context.Context, c *membershipCall) error {
	c.CheckLevels()
	plan, state := c.Plan, c.State
	view, err := c.ReadNaming("the user groups", lookup.Names(plan.Members.Elements()), store.Organization)
	if err != nil {
		return err
	}
	found := readFoundThere(ctx, c.PriorPrivate, c.Diags)
	plan.MemberIDs, plan.SubgroupIDs = types.ListUnknown(types.Int64Type), types.ListUnknown(types.Int64Type)
	if plan.Group.IsUnknown() {
		plan.GroupID = types.Int64Unknown()
		if state != nil { // another group, as far as is known
			c.Replace("group")
			r.checkLeaving(ctx, c, found, view)
		}
		c.Save(plan)
		return nil
	}
	lookup.GroupList.NameInPlan(types.ListValueMust(types.StringType, []attr.Value{plan.Group}), view, path.Root("group"), c.Diags)
	group, err := groupToChange(view, plan.Group.ValueString())
	if err != nil {
		return base.Refused(path.Root("group"), lookup.SummaryOr(err, "This user group cannot have members"), base.Sentence(err)+base.ReferenceAdvice("group", "zulip_user_group.NAME.id"))
	}
	plan.isIn(group.Key, state)
	switch isReplaced := state != nil && !plan.GroupID.Equal(state.GroupID); {
	case isReplaced:
		c.Replace("group")
		r.checkLeaving(ctx, c, found, view) // a second plan, without a state, is about the other group
	case state != nil && r.waits(c, group.Group, view):
		*plan = *state
	default:
		r.check(ctx, c, group, found, view)
	}
	c.Save(plan)
	return nil
}

// planDestroy checks the end of a membership.
func (r memberships) planDestroy(ctx context.Context, c *membershipCall) error {
	view, err := c.Read("the user groups", store.Organization)
	if err == nil {
		r.checkLeaving(ctx, c, readFoundThere(ctx, c.PriorPrivate, c.Diags), view)
	}
	return err
}

// waits reports whether a membership must stay unchanged until both of its lists are known.
func (memberships) waits(c *membershipCall, group *zulip.UserGroup, view *snapshot.Snapshot) (waits bool) {
	for _, list := range membershipLists {
		what := fmt.Sprintf("The %s of user group %q wait", list.Name, group.Name)
		waits = list.Waits(c.Plan.list(list), c.State.list(list), what, view, c.Diags) || waits
	}
	return waits
}

// check resolves both lists, and warns about changes of access. It refuses changes that would fail because of the
// server, the account or another resource of the run. It keeps the state's lists where the configuration names the
// same.
func (r memberships) check(ctx context.Context, c *membershipCall, group lookup.GroupReference, found foundThere, view *snapshot.Snapshot) {
	plan, state, isKnown, isSame := c.Plan, c.State, true, true
	wanted := map[string]lookup.ResolvedList{}
	for _, list := range membershipLists {
		at := plan.list(list)
		p := list.Plan(at, state.list(list), view, c.Diags)
		isSame = isSame && p.IsSame
		if at.Texts.IsNull() {
			continue
		}
		if !declareList(&c.Meta.Run, group.Key, list.Name, false) {
			c.Diags.AddAttributeError(path.Root(list.Name), "Two resources manage the "+list.Name+" of this user group",
				fmt.Sprintf("A zulip_user_group of this configuration sets %s and would remove the members that this resource adds. Remove %s from the zulip_user_group, or list these members there.", list.Name, list.Name))
		}
		list.checkSelf(*at.Texts, group.Key, view, c.Diags)
		isKnown = isKnown && p.IsKnown
		wanted[list.Name] = p.Wanted
		if state != nil {
			list.contest(&c.Meta.Run, group.Key.ID, sets.Common(p.Wanted.IDs, p.Before.IDs), nil, view, c.Diags)
		}
	}
	for _, list := range membershipLists { // the change finds people by these, who may hide their emails
		list.PlanIDs(plan.list(list), state.list(list), !isSame, view)
	}
	var change zulip.MembershipChange
	if group.Group != nil {
		change = membershipChange(group.Group, plan, state, found.still(group.Group, view), view)
	}
	for _, list := range membershipLists {
		list.Warn(wanted[list.Name], change.Delete, view, c.Diags) // groups are never absent
	}
	if group.Group != nil {
		r.checkChange(ctx, c, group.Group, change, isKnown, view)
	}
}

// checkLeaving checks the destroy of a membership, which removes the members that the resource has added.
func (r memberships) checkLeaving(ctx context.Context, c *membershipCall, found foundThere, view *snapshot.Snapshot) {
	if group, ok := view.UserGroups().ByID(c.State.GroupID.ValueInt64()); ok && !group.Deactivated {
		r.checkChange(ctx, c, group, membershipChange(group, nil, c.State, found.still(group, view), view), true, view)
	}
}

// checkChange checks the resource's changes of a group, and warns about their effects.
func (memberships) checkChange(ctx context.Context, c *membershipCall, group *zulip.UserGroup, change zulip.MembershipChange, isKnown bool, view *snapshot.Snapshot) {
	membersList.contest(&c.Meta.Run, group.ID, nil, change.Delete, view, c.Diags)
	subgroupsList.contest(&c.Meta.Run, group.ID, nil, change.DeleteSubgroups, view, c.Diags)
	self := newCaller(c.Meta, view)
	if !change.Empty() {
		base.CheckInPlan(c.Diags, func(found *diag.Diagnostics) {
			self.checkChange(group, userGroupUpdate{MembershipChange: change}, found)
		})
	}
	later := userGroupAfter(group, userGroupUpdate{MembershipChange: change})
	self.checkLockout(later, true, c.Diags)
	warnOfCycle(view, later, c.Diags)
	members := membership(later)
	members.Unknown = !isKnown
	warnOfGroupAccess(ctx, c.Base, group, members, view, c.Diags)
}

// isIn sets the group, with the state's text if the group is the same.
func (m *membershipModel) isIn(group runstate.Object, state *membershipModel) {
	switch {
	case group.ID == 0:
		m.GroupID = types.Int64Unknown()
	case state != nil && state.GroupID.ValueInt64() == group.ID:
		m.Group, m.GroupID = state.Group, state.GroupID
	default:
		m.GroupID = types.Int64Value(group.ID)
	}
}

// groupToChange finds a group that is no role and is active, or will be.
func groupToChange(view *snapshot.Snapshot, text string) (lookup.GroupReference, error) {
	found, err := lookup.Group(view, text)
	if err == nil && found.Group != nil {
		_, err = managedGroup(view, strconv.FormatInt(found.Group.ID, 10))
	}
	return found, err
}

// missing are the texts for members who are not in the group.
func (m *membershipModel) missing(group *zulip.UserGroup, view *snapshot.Snapshot) []string {
	var words []string
	for _, list := range membershipLists {
		meant := list.Named(m.list(list), view)
		for _, err := range slices.Concat(meant.Problems, meant.Absent) {
			words = append(words, err.Error())
		}
		for _, id := range sets.Without(meant.IDs, *list.current(group)) {
			words = append(words, list.Describe([]int64{id}, view))
		}
	}
	return words
}

// notIn returns the message about members who are not in a group.
func notIn(missing []string, group string) string {
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("\n\nNot in %q: %s.", group, strings.Join(missing, "; "))
}

// read keeps the listed members who are in the group, and the texts of deactivated ones.
func (m *membershipModel) read(group *zulip.UserGroup, view *snapshot.Snapshot) {
	m.GroupID = types.Int64Value(group.ID)
	if found, err := lookup.Group(view, m.Group.ValueString()); err != nil || found.Key.ID != group.ID {
		m.Group = types.StringValue(lookup.GroupText(view, group.ID))
	}
	for _, list := range membershipLists {
		if at := m.list(list); !at.Texts.IsNull() {
			list.Hold(at, sets.Common(list.Named(at, view).IDs, *list.current(group)), view)
		}
	}
}

// with returns the members of two memberships as one.
func (m membershipModel) with(other *membershipModel) *membershipModel {
	for _, list := range membershipLists {
		switch at, more := m.list(list).Texts, other.list(list).Texts; {
		case at.IsNull():
			*at = *more
		case !more.IsNull():
			*at = types.ListValueMust(types.StringType, append(at.Elements(), more.Elements()...))
		}
	}
	return &m
}

// membershipChange returns a resource's change of a group. prior is nil for a new resource, and plan is nil for a
// destroyed one. It adds members that only the plan has, and removes members that only the prior state has, unless they
// must stay. The next plan handles members of both that were removed in the meantime. It doesn't change unknown
// members.
func membershipChange(group *zulip.UserGroup, plan, prior *membershipModel, stay foundThere, view *snapshot.Snapshot) zulip.MembershipChange {
	var change zulip.MembershipChange
	for _, list := range membershipLists {
		var wanted, managed lookup.ResolvedList
		known := true
		if plan != nil {
			wanted = list.Named(plan.list(list), view)
			known = wanted.IsKnown
		}
		if prior != nil {
			managed = list.Named(prior.list(list), view) // members who cannot be found are in no group
		}
		current := *list.current(group)
		add := sets.Without(sets.Without(wanted.IDs, managed.IDs), current)
		remove := sets.Common(sets.Without(sets.Without(managed.IDs, wanted.IDs), stay[list.Name]), current)
		if !known {
			remove = nil
		}
		list.change(&change, add, remove)
	}
	return change
}

// foundThere are the members of each list who were in the group before the resource. They stay when it is destroyed.
type foundThere map[string][]int64

// privateFoundThere is their key in the private state.
const privateFoundThere = "found_there"

func readFoundThere(ctx context.Context, private base.PrivateGetter, diags *diag.Diagnostics) foundThere {
	found := foundThere{}
	base.ReadPrivate(ctx, private, privateFoundThere, &found, diags)
	return found
}

func (f foundThere) write(ctx context.Context, private base.PrivateSetter, diags *diag.Diagnostics) {
	base.WritePrivate(ctx, private, privateFoundThere, f, diags)
}

// withKept adds the members that other resources of this run list.
func (f foundThere) withKept(run *runstate.State, group *zulip.UserGroup) foundThere {
	stay := foundThere{}
	for _, list := range membershipLists {
		stay[list.Name] = slices.Clone(f[list.Name])
		for _, id := range *list.current(group) {
			if list.isKept(run, group.ID, id) {
				stay[list.Name] = append(stay[list.Name], id)
			}
		}
	}
	return stay
}

// still returns the members who are in the group or deactivated. If a member was removed and the resource adds them
// again, they count as added by it.
func (f foundThere) still(group *zulip.UserGroup, view *snapshot.Snapshot) foundThere {
	left := foundThere{}
	for _, list := range membershipLists {
		gone := list.Active(sets.Without(f[list.Name], *list.current(group)), view)
		left[list.Name] = sets.Without(f[list.Name], gone)
	}
	return left
}

// managedGroup returns the ID of a group whose members can be managed. Its error is a message for users.
func managedGroup(s *snapshot.Snapshot, text string) (int64, error) {
	group, err := findImportedGroup(s, text)
	if err != nil {
		return 0, err
	}
	if group.Deactivated {
		return 0, errors.New(howToAdoptGroup(group))
	}
	return group.ID, nil
}
