package provider

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// guard keeps rules in an apply: how many there must be at least (at_least), and how many people one apply takes out (limit). Each
// change is judged on a fresh reading together with all that this run was permitted before, whether it has been carried out yet or
// not: so a rule holds in whatever order the CLI makes the changes. What is not seen to be carried out counts only as far as it
// takes away: who is about to get another role counts for nothing meanwhile, and who is about to come into a group is not in it.
type guard struct {
	rules, limits *rules.File
	store         *store.Store

	mu          sync.Mutex
	roles       map[int64]zulip.Role
	deactivated map[int64]bool
	groups      map[int64]*zulip.UserGroup // with the permissions that they will have; nil: deactivated
	members     map[int64]map[int64]bool   // who is taken out, by group
	subgroups   map[int64]map[int64]bool   // which groups are taken out, by group
	channels    map[int64]*permission.Channel
	leave       map[int64]map[int64]bool // by channel
	permissions map[string]zulip.GroupSettingValue
	out         map[int64]bool
}

// newGuard reads a file of rules; nil if there is none.
func newGuard(file string, from *store.Store, diags *diag.Diagnostics) base.Guard {
	if file == "" || from == nil {
		return nil
	}
	content, err := os.ReadFile(file)
	var all *rules.File
	if err == nil {
		all, err = rules.Parse(file, content)
	}
	if err != nil {
		diags.AddAttributeError(path.Root("rules"), "Cannot read the rules", base.Sentence(err))
		return nil
	}
	return &guard{
		rules: all.OfMinimums(), limits: all, store: from, roles: map[int64]zulip.Role{}, deactivated: map[int64]bool{}, groups: map[int64]*zulip.UserGroup{},
		members: map[int64]map[int64]bool{}, subgroups: map[int64]map[int64]bool{},
		channels: map[int64]*permission.Channel{}, leave: map[int64]map[int64]bool{}, permissions: map[string]zulip.GroupSettingValue{}, out: map[int64]bool{},
	}
}

// Permits is [base.Guard].
func (g *guard) Permits(ctx context.Context, change base.GuardedChange, diags *diag.Diagnostics) bool {
	takesOut := len(change.Deactivated)+len(change.Leave) > 0 || change.Group != nil || change.EndedGroup != 0
	if len(g.rules.Rules) == 0 && (len(g.limits.Limits) == 0 || !takesOut) {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	now, err := g.read(ctx)
	if err != nil {
		diags.AddError("Cannot prove the rules before "+change.What+" changes", "Nothing was sent. "+base.Explain(err))
		return false
	}
	before := g.after(now, base.GuardedChange{})
	earlier := g.clone()
	g.add(change)
	after := g.after(now, change)
	broken := g.broken(before, after)
	g.takeOut(change, before.People, after.People)
	active := 0
	for user := range now.People.Everybody().All() {
		if !user.IsBot {
			active++
		}
	}
	for _, limit := range g.limits.CheckLimits(rules.Removals{People: len(g.out), Active: active}) {
		if limit.Standing == report.RuleBroken {
			broken = append(broken, limit)
		}
	}
	for _, rule := range broken {
		diags.AddError(fmt.Sprintf("The apply would break the rule %q", rule.Name),
			fmt.Sprintf("Nothing was sent that changes %s. After it, and after what this apply has changed before, the rule of %s is %s: %s\n\nChange the configuration, or the rule if it is not meant any more.",
				change.What, rule.At, rule.Standing, strings.Join(rule.Lines()[1:], " ")))
	}
	if len(broken) > 0 {
		earlier.restore(g)
		return false
	}
	return true
}

// read returns the organization as it is.
func (g *guard) read(ctx context.Context) (*rules.Organization, error) {
	view, err := g.store.Fresh(ctx, store.Users, store.UserGroups, store.Channels, store.Subscribers, store.Organization)
	if err != nil {
		return nil, err
	}
	return rules.Of(rules.Read{View: view, Self: g.store.Self(), Subscribers: view.Subscribers(), Now: time.Now()}), nil
}

// clone copies what was permitted.
func (g *guard) clone() *guard {
	each := func(of map[int64]map[int64]bool) map[int64]map[int64]bool {
		copied := make(map[int64]map[int64]bool, len(of))
		for id, out := range of {
			copied[id] = maps.Clone(out)
		}
		return copied
	}
	return &guard{
		roles: maps.Clone(g.roles), deactivated: maps.Clone(g.deactivated), groups: maps.Clone(g.groups), channels: maps.Clone(g.channels),
		members: each(g.members), subgroups: each(g.subgroups), leave: each(g.leave), permissions: maps.Clone(g.permissions), out: maps.Clone(g.out),
	}
}

// restore takes back what was added since the copy was made.
func (g *guard) restore(of *guard) {
	of.roles, of.deactivated, of.groups, of.channels, of.leave, of.permissions, of.out = g.roles, g.deactivated, g.groups, g.channels, g.leave, g.permissions, g.out
	of.members, of.subgroups = g.members, g.subgroups
}

// add adds a change to what was permitted.
func (g *guard) add(change base.GuardedChange) {
	maps.Copy(g.roles, change.Roles)
	for _, id := range change.Deactivated {
		g.deactivated[id] = true
	}
	if change.Group != nil {
		id := change.Group.ID
		g.groups[id] = change.Group
		takeOut(g.members, id, change.Membership.Delete, change.Membership.Add)
		takeOut(g.subgroups, id, change.Membership.DeleteSubgroups, change.Membership.AddSubgroups)
	}
	if change.EndedGroup != 0 {
		g.groups[change.EndedGroup] = nil
	}
	if change.Facts != nil {
		g.channels[change.Channel] = change.Facts
	}
	takeOut(g.leave, change.Channel, change.Leave, nil)
	maps.Copy(g.permissions, change.Organization)
}

// takeOut notes who is taken out of a list, and forgets it of who comes into it.
func takeOut(out map[int64]map[int64]bool, of int64, leave, come []int64) {
	if out[of] == nil {
		out[of] = map[int64]bool{}
	}
	for _, id := range come {
		delete(out[of], id)
	}
	for _, id := range leave {
		out[of][id] = true
	}
}

// left are those of a list who are not taken out.
func left(ids []int64, out map[int64]bool) []int64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return out[id] })
}

// after is the organization with everything that was permitted: with current, and of what was permitted before it with what takes
// away.
func (g *guard) after(now *rules.Organization, current base.GuardedChange) *rules.Organization {
	later := *now
	change := permission.Change{Roles: current.Roles, Groups: map[int64]permission.Membership{}, Organization: g.permissions, Deactivated: slices.Collect(maps.Keys(g.deactivated)), Now: now.Now}
	for user := range now.People.Everybody().All() {
		role, changes := g.roles[user.ID]
		if _, isCurrent := current.Roles[user.ID]; changes && !isCurrent && user.Role != role {
			change.Deactivated = append(change.Deactivated, user.ID) // under way, or failed
		}
	}
	later.Groups = nil
	for _, group := range now.Groups {
		planned, changes := g.groups[group.ID]
		switch {
		case changes && planned == nil:
			change.Groups[group.ID] = permission.Membership{}
			continue
		case changes:
			members, subgroups := group.Members, group.Subgroups
			if current.Group != nil && current.Group.ID == group.ID {
				members, subgroups = slices.Concat(members, current.Membership.Add), slices.Concat(subgroups, current.Membership.AddSubgroups)
			}
			change.Groups[group.ID] = permission.Membership{Members: left(members, g.members[group.ID]), Subgroups: left(subgroups, g.subgroups[group.ID])}
			group = &rules.Group{ID: group.ID, Name: planned.Name, Permissions: planned.Permissions}
		}
		later.Groups = append(later.Groups, group)
	}
	later.People = now.People.With(change)
	later.Channels = nil
	for _, channel := range now.Channels {
		facts, changes := g.channels[channel.ID]
		leave := g.leave[channel.ID]
		if changes || len(leave) > 0 {
			one := *channel
			if changes {
				in, known := one.Facts.Subscribers, one.Facts.SubscribersKnown
				one.Facts = *facts
				one.Facts.Subscribers, one.Facts.SubscribersKnown = in, known
			}
			one.Facts.Subscribers = left(one.Facts.Subscribers, leave)
			channel = &one
		}
		if !channel.Facts.IsArchived {
			later.Channels = append(later.Channels, channel)
		}
	}
	later.Permissions = maps.Clone(now.Permissions)
	maps.Copy(later.Permissions, g.permissions)
	return &later
}

// broken returns the rules that hold before and not after, or are broken more after.
func (g *guard) broken(before, after *rules.Organization) (broken []*report.Rule) {
	for _, rule := range g.rules.Report(after, g.rules.Judge(after), g.rules.Judge(before), nil) {
		if rule.Before == report.RuleHolds && rule.Standing != report.RuleHolds || rule.Standing == report.RuleBroken && rule.IsWorse {
			broken = append(broken, rule)
		}
	}
	return broken
}

// takeOut notes whom a change takes out of a channel, a user group or the organization.
func (g *guard) takeOut(change base.GuardedChange, before, after *permission.Access) {
	note := func(user *zulip.User) {
		if !user.IsBot {
			g.out[user.ID] = true
		}
	}
	for user := range before.People(slices.Concat(change.Deactivated, change.Leave)).All() {
		note(user)
	}
	ids := []int64{change.EndedGroup}
	if change.Group != nil {
		ids = append(ids, change.Group.ID)
	}
	for _, id := range ids {
		was, is := before.In(zulip.NamedGroup(id)), after.In(zulip.NamedGroup(id))
		for user := range was.Minus(is).All() {
			note(user)
		}
	}
}
