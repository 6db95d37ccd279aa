package directory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// UserGroup returns the group with an ID, roles included, as it is when this run is over: by the name that it then has.
func (v *View) UserGroup(id int64) (*zulip.UserGroup, bool) {
	group, ok := v.facts.groups.withID(id)
	if !ok {
		return nil, false
	}
	if name, planned := v.directory.groups.named.Load(id); planned && (name != group.Name || group.Deactivated) {
		later := *group
		later.Name, _ = name.(string)
		later.Deactivated = false
		return &later, true
	}
	return group, true
}

// UserGroupByName returns the group that has a name when this run is over; the server tells cases apart
// (server-behavior §G5).
func (v *View) UserGroupByName(name string) (*zulip.UserGroup, bool) {
	if group, ok := v.facts.groups.called(name); ok {
		if later, _ := v.UserGroup(group.ID); later.Name == name {
			return later, true
		}
	}
	var found *zulip.UserGroup
	v.directory.groups.named.Range(func(id, later any) bool {
		if number, _ := id.(int64); later == name {
			found, _ = v.UserGroup(number)
		}
		return found == nil
	})
	return found, found != nil
}

// HeldUserGroup returns the group with an ID by the name that it has now.
func (v *View) HeldUserGroup(id int64) (*zulip.UserGroup, bool) {
	return v.facts.groups.withID(id)
}

// HeldUserGroupByName returns the group that has a name now, deactivated ones included: they keep theirs.
func (v *View) HeldUserGroupByName(name string) (*zulip.UserGroup, bool) {
	return v.facts.groups.called(name)
}

// UserGroups returns every group, ordered by ID, roles and deactivated ones included, by the names that they have now.
func (v *View) UserGroups() []*zulip.UserGroup { return slices.Clone(v.facts.groups.all) }

// AllSubgroups returns the IDs of the groups that are in a group, however deep, ascending and without itself.
func (v *View) AllSubgroups(group *zulip.UserGroup) []int64 {
	seen := map[int64]bool{group.ID: true}
	var all []int64
	for queue := slices.Clone(group.DirectSubgroupIDs); len(queue) > 0; queue = queue[1:] {
		below, ok := v.facts.groups.withID(queue[0])
		if !ok || seen[below.ID] {
			continue
		}
		seen[below.ID] = true
		all = append(all, below.ID)
		queue = append(queue, below.DirectSubgroupIDs...)
	}
	slices.Sort(all)
	return all
}

// AllMembers returns the IDs of the people who are in a group, or in a group that is in it however deep, ascending.
func (v *View) AllMembers(group *zulip.UserGroup) []int64 {
	all := slices.Clone(group.Members)
	for _, id := range v.AllSubgroups(group) {
		below, _ := v.facts.groups.withID(id)
		all = append(all, below.Members...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// FreshUserGroups returns a snapshot whose groups were read after the call began, with people and settings. It is one
// request for all who ask at the same time.
func (d *Directory) FreshUserGroups(ctx context.Context) (*View, error) {
	if _, err := d.need(ctx, []string{zulip.FetchRealm, zulip.FetchUsers}); err != nil {
		return nil, err
	}
	return d.fresh(ctx, zulip.FetchUserGroups, func(ctx context.Context) (put, error) {
		groups, err := d.readUserGroups(ctx)
		if err != nil {
			return nil, whileReading("user groups", err)
		}
		return func(facts *facts) { facts.groups = newGroups(groups) }, nil
	})
}

// readUserGroups asks the way that the account may.
func (d *Directory) readUserGroups(ctx context.Context) ([]*zulip.UserGroup, error) {
	if !d.self.IsBot {
		return d.client.UserGroups(ctx, d.level)
	}
	snapshot, err := d.client.Register(ctx, []string{zulip.FetchUserGroups})
	if err != nil {
		return nil, err
	}
	return snapshot.UserGroups, d.client.DeleteQueue(ctx, snapshot.QueueID)
}

// groupPlans is what this run plans for user groups, as far as it has been planned.
type groupPlans struct {
	named sync.Map // int64 → string: the groups that are there when this run is over, by the names that they then have

	mu      sync.Mutex
	managed map[GroupKey]map[string]bool // whether a list of a group is managed exclusively
	below   map[GroupKey]map[GroupKey]bool
	decided map[GroupKey]bool // of whose groups nothing else counts than what is planned
}

// GroupKey tells a group from others in a plan: by its ID, or for one that is yet to be created by its name.
type GroupKey struct {
	ID   int64
	Name string
}

// PlanGroupName registers the name that this run leaves a group with: from now on it is found by that one alone. A
// deactivated group counts as taken back.
func (d *Directory) PlanGroupName(id int64, name string) { d.groups.named.Store(id, name) }

// ManageMembership registers that a resource manages a list of a group, `members` or `subgroups`: alone, or beside
// others. It reports false if another resource of the run manages it otherwise.
func (d *Directory) ManageMembership(group GroupKey, list string, exclusive bool) bool {
	g := &d.groups
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.managed == nil {
		g.managed = map[GroupKey]map[string]bool{}
	}
	if g.managed[group] == nil {
		g.managed[group] = map[string]bool{}
	}
	before, known := g.managed[group][list]
	if known && before != exclusive {
		return false
	}
	g.managed[group][list] = exclusive
	return true
}

// Nest registers groups that this run puts into a group; exclusive tells whether no other stays in it.
func (d *Directory) Nest(group GroupKey, below []GroupKey, exclusive bool) {
	g := &d.groups
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.below == nil {
		g.below, g.decided = map[GroupKey]map[GroupKey]bool{}, map[GroupKey]bool{}
	}
	if g.below[group] == nil {
		g.below[group] = map[GroupKey]bool{}
	}
	for _, one := range below {
		g.below[group][one] = true
	}
	if exclusive {
		g.decided[group] = true
	}
}

// Cycle returns a way from a group back to itself through the groups that are in it when this run is over, as far as it
// has been planned; nil if there is none.
func (v *View) Cycle(group GroupKey) []GroupKey {
	g := &v.directory.groups
	g.mu.Lock()
	defer g.mu.Unlock()
	from := map[GroupKey]GroupKey{}
	for queue := []GroupKey{group}; len(queue) > 0; queue = queue[1:] {
		for _, below := range v.planned(g, queue[0]) {
			if below == group {
				way := []GroupKey{group}
				for at := queue[0]; at != group; at = from[at] {
					way = append(way, at)
				}
				way = append(way, group)
				slices.Reverse(way)
				return way
			}
			if _, seen := from[below]; !seen {
				from[below] = queue[0]
				queue = append(queue, below)
			}
		}
	}
	return nil
}

// planned returns the groups that are in a group when this run is over.
func (v *View) planned(g *groupPlans, group GroupKey) []GroupKey {
	all := slices.Collect(maps.Keys(g.below[group]))
	if held, ok := v.facts.groups.withID(group.ID); ok && !g.decided[group] {
		for _, id := range held.DirectSubgroupIDs {
			all = append(all, GroupKey{ID: id})
		}
	}
	slices.SortFunc(all, func(a, b GroupKey) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Name, b.Name)) })
	return all
}
