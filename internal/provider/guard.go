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
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// guard keeps rules in an apply: how many there must be at least (at_least), and how many people one apply takes out (limit). Changes
// that are judged are sent one at a time, each judged on what is read right before it: so a rule holds in whatever order the CLI
// makes the changes, and whatever else is changed meanwhile.
type guard struct {
	rules, limits *rules.File
	store         *store.Store

	lock runstate.Locks // guards what follows, from the judgement to the server's answer
	// out are the people whom this run has taken out of anything, or was about to.
	out map[int64]bool
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
	return &guard{rules: all.OfMinimums(), limits: all, store: from, out: map[int64]bool{}}
}

// Begin is [base.Guard].
func (g *guard) Begin(ctx context.Context, change base.GuardedChange, diags *diag.Diagnostics) (end func(), ok bool) {
	takesOut := len(change.Deactivated)+len(change.Leave) > 0 || change.Group != 0
	if len(g.rules.Rules) == 0 && (len(g.limits.Limits) == 0 || !takesOut) {
		return func() {}, true
	}
	unlock, err := g.lock.Lock(ctx, "rules")
	if err != nil {
		diags.AddError("Cannot prove the rules before "+change.What+" changes", base.Explain(err))
		return func() {}, false
	}
	end = sync.OnceFunc(unlock)
	if ok = g.permits(ctx, change, diags); !ok {
		end()
	}
	return end, ok
}

// permits judges a change on a fresh reading, and says which rules it would break.
func (g *guard) permits(ctx context.Context, change base.GuardedChange, diags *diag.Diagnostics) bool {
	view, before, err := g.read(ctx)
	if err != nil {
		diags.AddError("Cannot prove the rules before "+change.What+" changes", "Nothing was sent. "+base.Explain(err))
		return false
	}
	after := with(before, view, change)
	broken := g.broken(before, after)
	out := maps.Clone(g.out)
	takeOut(out, change, before.People, after.People)
	active := 0
	for user := range before.People.Everybody().All() {
		if !user.IsBot {
			active++
		}
	}
	for _, limit := range g.limits.CheckLimits(rules.Removals{People: len(out), Active: active}) {
		if limit.Standing == report.RuleBroken {
			broken = append(broken, limit)
		}
	}
	for _, rule := range broken {
		diags.AddError(fmt.Sprintf("The apply would break the rule %q", rule.Name),
			fmt.Sprintf("Nothing was sent that changes %s. After it the rule of %s is %s: %s\n\nChange the configuration, or the rule if it is not meant any more.",
				change.What, rule.At, rule.Standing, strings.Join(rule.Lines()[1:], " ")))
	}
	if len(broken) > 0 {
		return false
	}
	g.out = out
	return true
}

// read returns the organization as it is.
func (g *guard) read(ctx context.Context) (*snapshot.Snapshot, *rules.Organization, error) {
	view, err := g.store.Fresh(ctx, store.Users, store.UserGroups, store.Channels, store.Subscribers, store.Organization)
	if err != nil {
		return nil, nil, err
	}
	return view, rules.Of(rules.Read{View: view, Self: g.store.Self(), Subscribers: view.Subscribers(), Now: time.Now()}), nil
}

// with is the organization of a snapshot with a change.
func with(now *rules.Organization, view *snapshot.Snapshot, change base.GuardedChange) *rules.Organization {
	later := *now
	groups := map[int64]permission.Membership{}
	later.Groups = slices.Clone(now.Groups)
	if group, ok := view.UserGroups().ByID(change.Group); ok && !group.Deactivated {
		later.Groups = slices.DeleteFunc(later.Groups, func(one *rules.Group) bool { return one.ID == group.ID })
		groups[group.ID] = permission.Membership{}
		if change.GroupAfter != nil {
			group = change.GroupAfter(group)
			groups[group.ID] = permission.Membership{Members: group.Members, Subgroups: group.DirectSubgroupIDs}
			later.Groups = append(later.Groups, rules.GroupOf(group))
		}
	}
	later.People = now.People.With(permission.Change{
		Roles: change.Roles, Groups: groups, Organization: change.Organization, Deactivated: change.Deactivated, Now: now.Now,
	})
	later.Channels = slices.Clone(now.Channels)
	if channel, ok := view.Channels().ByID(change.Channel); ok {
		if at := slices.IndexFunc(later.Channels, func(one *rules.Channel) bool { return one.ID == channel.ID }); at >= 0 {
			later.Channels[at] = withChange(later.Channels[at], channel, change)
		}
	}
	later.Channels = slices.DeleteFunc(later.Channels, func(channel *rules.Channel) bool { return channel.Facts.IsArchived })
	later.Permissions = maps.Clone(now.Permissions)
	maps.Copy(later.Permissions, change.Organization)
	return &later
}

// withChange is a channel with a change.
func withChange(now *rules.Channel, channel *zulip.Channel, change base.GuardedChange) *rules.Channel {
	later := *now
	if change.ChannelAfter != nil {
		later.Facts = permission.ChannelOf(change.ChannelAfter(channel))
	}
	later.Facts.SubscribersKnown = now.Facts.SubscribersKnown
	later.Facts.Subscribers = slices.DeleteFunc(slices.Clone(now.Facts.Subscribers), func(id int64) bool { return slices.Contains(change.Leave, id) })
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

// takeOut adds to out whom a change takes out of a channel, a user group or the organization.
func takeOut(out map[int64]bool, change base.GuardedChange, before, after *permission.Access) {
	note := func(user *zulip.User) {
		if !user.IsBot {
			out[user.ID] = true
		}
	}
	for user := range before.People(slices.Concat(change.Deactivated, change.Leave)).All() {
		note(user)
	}
	was, is := before.In(zulip.NamedGroup(change.Group)), after.In(zulip.NamedGroup(change.Group))
	for user := range was.Minus(is).All() {
		note(user)
	}
}
