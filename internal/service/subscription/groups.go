package subscription

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/diagnostics"
	"github.com/zulip-iac/terraform-provider-zulip/internal/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// groupMembers are the people and bots in the groups of a configuration, directly or through subgroups. The server cannot
// subscribe a group (https://zulip.com/api/subscribe), so they are what is subscribed. Deactivated people are not among them,
// and members of deactivated subgroups are (server-behavior §G2).
type groupMembers struct {
	// current are those the server lists now; planned those it lists when this run is over, as far as it is planned.
	current, planned ids
	// groups are the IDs of the groups, in order; those of groups that cannot be found are left out.
	groups []int64
	// exist is false while a group is not known yet, or still has to be created.
	exist bool
	// known is false while exist is, or while a member is not known yet.
	known bool
	// settled is false where an apply may find other members than are planned: where they are not known, and where the
	// change of a member need not come before.
	settled bool
	// joins and leaves are whom this run puts into one of the groups, and whom it takes out of one.
	joins, leaves ids
}

// membersIn finds who is in the groups of a list. Groups that cannot be found are reported at `groups`.
func (b *relation) membersIn(list types.List, view *snapshot.Snapshot, diags *diag.Diagnostics) groupMembers {
	m := groupMembers{current: ids{}, planned: ids{}, joins: ids{}, leaves: ids{}, exist: !list.IsUnknown(), known: !list.IsUnknown(), settled: !list.IsUnknown()}
	byID := map[int64]bool{}
	for _, element := range list.Elements() {
		text, ok := element.(types.String)
		if !ok || text.IsUnknown() {
			m.exist = false
			continue
		}
		found, err := subscribableGroup(view, text.ValueString())
		switch {
		case err != nil:
			diags.AddAttributeError(path.Root("groups"), "Cannot subscribe this user group", diagnostics.Sentence(err))
		case found.Group == nil:
			m.exist = false
		default:
			m.groups = append(m.groups, found.Key.ID)
			_, err := strconv.ParseInt(text.ValueString(), 10, 64)
			byID[found.Key.ID] = err == nil
		}
	}
	m.known, m.settled = m.exist, m.exist
	slices.Sort(m.groups)
	m.groups = slices.Compact(m.groups)
	for _, id := range m.groups {
		if group, ok := view.UserGroups().ByID(id); ok {
			maps.Copy(m.current, setOf(view.AllMembers(group)))
		}
	}
	b.plan(&m, byID, view)
	return m
}

// subscribableGroup finds the group that a text names. Its error is for people.
func subscribableGroup(view *snapshot.Snapshot, text string) (lookup.GroupReference, error) {
	found, err := lookup.Group(view, text)
	name, isPrincipal := strings.CutPrefix(text, "group:")
	switch {
	case err != nil && isPrincipal:
		return found, fmt.Errorf("%w\n\nHere, as in subgroups, a group is written without group:, as in %q", err, name)
	case err != nil:
		return found, fmt.Errorf("%w\n\nIf this configuration creates the group, write zulip_user_group.NAME.id: its ID is not known before, so that the group comes first", err)
	case found.Group == nil:
		return found, nil
	case found.Group.Deactivated:
		return found, fmt.Errorf("the user group %q is deactivated: remove it from groups, or reactivate it. A zulip_user_group with its name and adopt_deactivated = true does; refer to it here, so that it comes first", found.Group.Name)
	case found.Group.IsSystemGroup && found.Group.Name == "role:internet":
		return found, fmt.Errorf("role:internet includes those without an account, whom nobody can subscribe: everybody with an account is role:everyone")
	}
	return found, nil
}

// plan finds who is in the groups when this run is over. byID tells the groups that the configuration names by ID, as in
// zulip_user_group.x.id: what that resource changes comes before. Nothing else is sure to.
func (b *relation) plan(m *groupMembers, byID map[int64]bool, view *snapshot.Snapshot) {
	seen := map[int64]bool{}
	for queue := slices.Clone(m.groups); len(queue) > 0; queue = queue[1:] {
		group, ok := view.UserGroups().ByID(queue[0])
		if !ok || seen[group.ID] {
			continue
		}
		seen[group.ID] = true
		members, subgroups := group.Members, group.DirectSubgroupIDs
		if change, planned := b.Meta.Run.PlannedMembership(group.ID); planned {
			m.add(change, view)
			if differs(change, group) {
				m.known = m.known && !change.Unknown
				m.settled = m.settled && !change.Unknown && !change.IsShared && byID[group.ID]
			}
			members = slices.Concat(minus(members, change.Remove), change.Add)
			subgroups = slices.Concat(minus(subgroups, change.RemoveSubgroups), change.AddSubgroups)
		}
		maps.Copy(m.planned, setOf(members))
		queue = append(queue, subgroups...)
		if group.IsSystemGroup && b.changesRoles(group, view) {
			m.settled = false
		}
	}
	for id := range m.planned {
		if b.Meta.Run.WillBeDestroyed("zulip_user", id) || b.Meta.Run.WillBeDestroyed("zulip_bot", id) {
			delete(m.planned, id)
			m.settled = false
		}
	}
}

// add takes in what this run changes about a group.
func (m *groupMembers) add(change runstate.MembershipChange, view *snapshot.Snapshot) {
	below := func(people ids, groups []int64) {
		for _, id := range groups {
			if group, ok := view.UserGroups().ByID(id); ok {
				maps.Copy(people, setOf(view.AllMembers(group)))
			}
		}
	}
	maps.Copy(m.joins, setOf(change.Add))
	below(m.joins, change.AddSubgroups)
	maps.Copy(m.leaves, setOf(change.Remove))
	below(m.leaves, change.RemoveSubgroups)
}

// differs reports whether a change is still to be made.
func differs(change runstate.MembershipChange, group *zulip.UserGroup) bool {
	members, subgroups := setOf(group.Members), setOf(group.DirectSubgroupIDs)
	return change.Unknown || len(setOf(change.Add).minus(members))+len(setOf(change.Remove).and(members)) > 0 ||
		len(setOf(change.AddSubgroups).minus(subgroups))+len(setOf(change.RemoveSubgroups).and(subgroups)) > 0
}

// changesRoles reports whether this run is going to change who is in the group of a role: it gives a role to somebody, or
// creates an account.
func (b *relation) changesRoles(group *zulip.UserGroup, view *snapshot.Snapshot) bool {
	for _, address := range b.Meta.Run.PlannedAccounts() {
		if _, there := view.UserByAddress(address); !there {
			return true
		}
	}
	return group.Name != "role:everyone" && slices.ContainsFunc(view.Users(), func(user *zulip.User) bool {
		role, planned := b.Meta.Run.PlannedRole(user.ID)
		return planned && zulip.Role(role) != user.Role
	})
}

// changesAccount reports whether this run creates or reactivates an account, or gives it a role: it joins and leaves the groups
// of roles by that.
func (b *relation) changesAccount(id int64, view *snapshot.Snapshot) bool {
	if _, planned := b.Meta.Run.PlannedRole(id); planned || b.Meta.Run.IsReactivationPlanned(id) {
		return true
	}
	user, ok := view.User(id)
	if !ok {
		return false
	}
	_, planned := b.Meta.Run.PlannedUser(user.Address())
	return planned
}

// changedByOthers returns who has joined and left the groups since the state was read, unless this run has put them there or
// taken them out. Who was deactivated since stays a member: the server unsubscribes nobody for that. before are the members
// when the state was read.
func (b *relation) changedByOthers(m *groupMembers, before ids, view *snapshot.Snapshot) (joined, left []int64) {
	for _, id := range before.minus(m.current) {
		if isDeactivated(id, view) {
			m.current[id], m.planned[id] = true, true
		}
	}
	joined = slices.DeleteFunc(m.current.minus(before), func(id int64) bool { return m.joins[id] || b.changesAccount(id, view) })
	left = slices.DeleteFunc(before.minus(m.current), func(id int64) bool { return m.leaves[id] || b.changesAccount(id, view) })
	return joined, left
}

// asRead plans with the members that the state was read with. In the run of an apply, which plans again, those are the ones
// that the plan has shown; with -refresh=false it is what is asked for. An apply that finds others stops: see checkGroups.
func (b *relation) asRead(m *groupMembers, before ids, view *snapshot.Snapshot) {
	joined, left := b.changedByOthers(m, before, view)
	for _, id := range joined {
		delete(m.planned, id)
	}
	maps.Copy(m.planned, setOf(left))
}

// checkGroups refuses, on apply, members whom the plan did not show.
func (b *relation) checkGroups(m *groupMembers, before ids, channel *zulip.Channel, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	joined, left := b.changedByOthers(m, before, view)
	if len(joined)+len(left) == 0 {
		return
	}
	var text []string
	if len(joined) > 0 {
		text = append(text, "Joined since: "+namesOf(joined, view)+".")
	}
	if len(left) > 0 {
		text = append(text, "Left since: "+namesOf(left, view)+".")
	}
	diags.AddAttributeError(path.Root("groups"), fmt.Sprintf("Somebody else has changed the members of user groups subscribed to channel %q", channel.Name),
		strings.Join(text, "\n")+"\n\nThey have changed since the plan was made, or since the state was refreshed. Nobody was subscribed or unsubscribed. Plan again, without -refresh=false, and review what the difference is now.")
}

// keepGroups returns the words for groups: those of the state where they name the same groups.
func keepGroups(planned, state types.List, m groupMembers, before groupMembers) types.List {
	if planned.IsNull() || state.IsNull() || !m.exist || !slices.Equal(m.groups, before.groups) {
		return planned
	}
	return state
}

// minus returns those of a list who are not gone.
func minus(all, gone []int64) []int64 {
	if len(gone) == 0 {
		return all
	}
	out := setOf(gone)
	return slices.DeleteFunc(slices.Clone(all), func(id int64) bool { return out[id] })
}
