package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// checkRules checks the rules against the organization before and after the plan. It runs after all unknown values are recorded,
// because a rule that depends on one is unknown.
func (b *builder) checkRules() {
	before := *b.was
	before.People = b.org.Access()
	worlds := b.worlds()
	after := worlds[0].org
	found, removals := b.options.Rules.Check(after), b.removals(after)
	for _, other := range worlds[1:] {
		rules.Unite(found, b.options.Rules.Check(other.org), other.why)
		one := b.removals(other.org)
		removals.People, removals.AtMost = min(removals.People, one.People), max(removals.AtMost, one.AtMost)
	}
	limits := b.options.Rules.CheckLimits(removals)
	changes := func(violation *rules.Violation) []string { return b.changesBehind(after, violation) }
	b.report.Rules = append(b.options.Rules.Report(after, found, b.options.Rules.Check(&before), changes), limits...)
}

// changesBehind names the resources of the plan that change what a violation is about. These are the resources of the channel or
// group, of groups that give access to it, of the people, and otherwise of the organization.
func (b *builder) changesBehind(after *access.Organization, violation *rules.Violation) []string {
	var found []string
	add := func(addresses []string) { found = append(found, addresses...) }
	if violation.Channel != nil {
		add(violation.Channel.Addresses)
	}
	if violation.Group != nil {
		add(violation.Group.Addresses)
	}
	for _, user := range rules.Sorted(violation.People) {
		if account := b.org.accounts[user.ID]; account != nil {
			add(account.Addresses)
		}
		for _, through := range violation.Through(after, user) {
			for part := range strings.SplitSeq(through, " > ") {
				at := strings.LastIndex(part, "group:")
				for _, group := range after.Groups {
					if at >= 0 && group.Name == part[at+len("group:"):] {
						add(group.Addresses)
					}
				}
			}
		}
	}
	if violation.IsTooFew {
		for _, account := range b.is.Accounts { // who could before
			user, had := b.org.Snapshot.User(account.ID)
			if had && !violation.People.Has(account.ID) && (user.Role != account.Role || user.IsActive != account.IsActive) {
				add(account.Addresses)
			}
		}
	}
	if _, isPlanned := b.is.Planned[violation.Permission]; isPlanned || violation.Where == "the organization" && len(found) == 0 || violation.Internet && len(found) == 0 {
		for _, change := range b.of("zulip_organization") {
			add([]string{change.Address})
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// removals counts the people that the plan removes in one outcome.
func (b *builder) removals(after *access.Organization) rules.Removals {
	var out, maybe permission.People
	take := func(was, is permission.People, isKnown bool) {
		gone := was.Minus(is).Humans()
		if maybe = maybe.Or(gone); isKnown {
			out = out.Or(gone)
		}
	}
	people, unknown := b.was.People, after.Unknowns(access.Anywhere, access.Told)
	for i, was := range b.was.Channels {
		is := after.Channels[i]
		isEnded := is.Facts.IsArchived && !was.Facts.IsArchived
		if !was.Facts.SubscribersKnown && (is.Facts.SubscribersKnown || isEnded) {
			unknown = append(unknown, fmt.Sprintf("The people unsubscribed from #%s aren't known.", is.Name))
		}
		switch {
		case isEnded:
			take(people.People(was.Facts.Subscribers), permission.People{}, true)
		case !slices.Equal(was.Facts.Subscribers, is.Facts.Subscribers):
			take(people.People(was.Facts.Subscribers), people.People(is.Facts.Subscribers), false)
			take(people.People(was.Facts.Subscribers), people.People(slices.Concat(is.Facts.Subscribers, is.Facts.MaySubscribe)), true)
		}
	}
	for _, group := range b.was.ActiveGroups() {
		in := zulip.NamedGroup(group.ID)
		if later := b.org.groups[group.ID]; later.Deactivated {
			take(people.In(in), permission.People{}, true)
		} else {
			least, most, _ := after.People.Bounds(in)
			take(people.In(in), least, false)
			take(people.In(in), most, true)
		}
	}
	take(people.Everybody(), after.People.Everybody(), true)
	return rules.Removals{People: out.Len(), AtMost: maybe.Len(), Active: b.org.Access().Everybody().Humans().Len(), Unknown: unknown}
}
