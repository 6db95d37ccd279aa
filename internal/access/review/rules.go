package review

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// proveRules proves the rules of the organization before and after the plan. It comes after everything is said that is not known:
// what the review cannot tell, no rule is proven of.
func (b *builder) proveRules() {
	limits := b.checkLimits()
	before, after := *b.was, *b.is
	before.People, after.People = b.org.Access(), b.peopleOfRules()
	for _, person := range b.report.People {
		if person.Action == report.Reactivate {
			after.Unknown = append(after.Unknown, access.Unknown{
				Scope: access.Told, Text: fmt.Sprintf("%s is reactivated: in which channels the account is then is not known.", person.Account.Address),
			})
		}
	}
	found := b.options.Rules.Judge(&after)
	b.report.Rules = append(b.options.Rules.Report(&after, found, b.options.Rules.Judge(&before), b.changesBehind(&after)), limits...)
}

// peopleOfRules are the people after the plan. Who may stay in a group that the plan takes them out of may be in it.
func (b *builder) peopleOfRules() *permission.Access {
	change := b.change
	change.Groups = maps.Clone(change.Groups)
	for _, group := range b.is.Groups {
		if group.MayStay {
			change.Groups[group.ID] = permission.Membership{Members: group.Members, Subgroups: group.DirectSubgroupIDs, Unknown: true}
		}
	}
	return b.was.People.With(change)
}

// changesBehind returns a function that names the resources of the plan that a violation comes from, as far as that can be told: those
// of the channel or group, of the groups by which people come to it, of the people, and of the organization.
func (b *builder) changesBehind(after *access.Organization) func(*rules.Violation) []string {
	return func(violation *rules.Violation) []string {
		var found []string
		add := func(addresses []string) { found = append(found, addresses...) }
		groupAddresses := func(name string) {
			for _, group := range after.Groups {
				if group.Name == name {
					add(group.Addresses)
				}
			}
		}
		if violation.Channel != nil {
			add(violation.Channel.Addresses)
		}
		if violation.Group != nil {
			add(violation.Group.Addresses)
		}
		for _, user := range rules.Sorted(violation.People) {
			for _, person := range b.report.People {
				if person.AccountID == user.ID {
					add(person.Addresses)
				}
			}
			for _, through := range violation.Through(after, user) {
				for part := range strings.SplitSeq(through, " > ") {
					if at := strings.LastIndex(part, "group:"); at >= 0 {
						groupAddresses(part[at+len("group:"):])
					}
				}
			}
		}
		if violation.Channel == nil && violation.Group == nil || len(found) == 0 {
			for _, change := range b.of("zulip_organization") {
				found = append(found, change.Address)
			}
		}
		slices.Sort(found)
		return slices.Compact(found)
	}
}

// checkLimits says of each limit how many people the plan takes out of something.
func (b *builder) checkLimits() []*report.Rule {
	active := 0
	for _, user := range b.org.Users() {
		if user.IsActive && !user.IsBot {
			active++
		}
	}
	out := map[int64]bool{}
	note := func(people *report.People) {
		for account := range people.All() {
			if !account.IsBot {
				out[account.ID] = true
			}
		}
	}
	for _, channel := range b.report.Channels {
		note(channel.Leaves)
	}
	for _, group := range b.report.Groups {
		note(group.Leaves)
	}
	for _, person := range b.report.People {
		if person.Action == report.Deactivate && !person.Account.IsBot {
			out[person.AccountID] = true
		}
	}
	atMost, unknown := maps.Clone(out), b.is.Unknowns(access.Anywhere, access.Told)
	for i, was := range b.was.Channels {
		switch is := b.is.Channels[i]; {
		case is.Why == "":
		case !was.Facts.SubscribersKnown:
			unknown = append(unknown, fmt.Sprintf("Who is taken out of #%s is not known.", is.Name))
		default:
			b.notePeople(atMost, b.was.People.People(without64(was.Facts.Subscribers, is.Facts.Subscribers)))
		}
	}
	for _, group := range b.was.ActiveGroups() {
		if value := zulip.NamedGroup(group.ID); b.is.People.IsUncertain(value) {
			b.notePeople(atMost, b.was.People.In(value).Minus(b.is.People.In(value)))
		}
	}
	return b.options.Rules.CheckLimits(rules.Removals{People: len(out), AtMost: len(atMost), Active: active, Unknown: unknown})
}

// notePeople adds people who are not bots to a set.
func (b *builder) notePeople(set map[int64]bool, people permission.People) {
	for user := range people.All() {
		if !user.IsBot {
			set[user.ID] = true
		}
	}
}

func without64(ids, others []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return slices.Contains(others, id) })
}
