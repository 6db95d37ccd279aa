package rules

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
)

// namedPeople is how many people of a violation are named.
const namedPeople = 20

// Report returns the results of the rules for a report. was are the results before a plan; nil in an audit. changes returns
// the resources of the plan that cause a violation; nil in an audit.
func (f *File) Report(org *access.Organization, found, was []*Result, changes func(*Violation) []string) []*report.Rule {
	rules := make([]*report.Rule, len(found))
	for i, result := range found {
		rule := &report.Rule{
			Name: result.Rule.Name, At: fmt.Sprintf("%s:%d", filepath.Base(f.path), result.Rule.Line), Status: result.Status,
			Violations: []*report.Violation{}, Unknowns: append([]string{}, result.Unknowns...), Notes: append([]string{}, result.Notes...),
		}
		if was != nil {
			rule.Before = was[i].Status
			rule.IsWorse = slices.ContainsFunc(result.Violations, func(violation *Violation) bool { return violation.isWorseThan(was[i]) })
			isNew := func(sentence string) bool { return !slices.Contains(was[i].Unknowns, sentence) }
			mayBeWorse := slices.ContainsFunc(result.Unknowns, isNew)
			if rule.Before == report.RuleFails && !rule.IsWorse && mayBeWorse {
				rule.Status = report.RuleUnknown
			}
			// Only here is each violation one for itself. Elsewhere, what is unknown and the plan together can break a rule.
			rule.StaysUnknown = result.Rule.OnlyInvited && rule.Status == report.RuleUnknown && rule.Before == report.RuleUnknown && !mayBeWorse
		}
		var actions [][]string // of the violations: several by the same people are one
		for _, violation := range result.Violations {
			said := violation.report(org)
			if changes != nil && (was == nil || violation.isWorseThan(was[i])) {
				said.Changes = changes(violation)
			}
			at := slices.IndexFunc(rule.Violations, func(one *report.Violation) bool {
				rest := *one
				rest.Text = said.Text
				return violation.isOfAccess() && reflect.DeepEqual(&rest, said)
			})
			if at < 0 {
				rule.Violations, actions = append(rule.Violations, said), append(actions, []string{violation.Text})
				continue
			}
			if !slices.Contains(actions[at], violation.Text) { // only and never can forbid the same
				actions[at] = append(actions[at], violation.Text)
			}
			several := *violation
			several.Text = permission.JoinActions(actions[at], len(actions[at]))
			rule.Violations[at].Text = several.Sentence()
		}
		rules[i] = rule
	}
	return rules
}

// isWorseThan reports whether a violation differs from those before: another object or people, or fewer people if they are too
// few.
func (b *Violation) isWorseThan(was *Result) bool {
	i := slices.IndexFunc(was.Violations, func(one *Violation) bool {
		return one.Where == b.Where && one.Permission == b.Permission && one.IsTooFew == b.IsTooFew && one.isTooMany == b.isTooMany && one.Text == b.Text
	})
	if i < 0 {
		return true
	}
	one := was.Violations[i]
	if b.IsTooFew {
		return b.People.Humans().Len() < one.People.Humans().Len()
	}
	return b.Internet && !one.Internet || slices.ContainsFunc(b.People.IDs(), func(id int64) bool { return !one.People.Has(id) })
}

func (b *Violation) report(org *access.Organization) *report.Violation {
	said := &report.Violation{Where: b.Where, Text: b.Sentence(), People: []*report.RulePerson{}}
	people := Sorted(b.People)
	for i, user := range people {
		if i == namedPeople {
			said.More = len(people) - i
			break
		}
		said.People = append(said.People, &report.RulePerson{
			ID: user.ID, Name: user.FullName, Email: user.Address(), IsBot: user.IsBot, Role: user.Role.String(),
			Through: append([]string{}, b.Through(org, user)...),
		})
	}
	return said
}

// Sentence describes the violation without names.
func (b *Violation) Sentence() string {
	switch {
	case b.Permission == joiningSubject:
		return b.Text
	case b.IsTooFew:
		n := b.People.Humans().Len()
		return fmt.Sprintf("%s %s, and at least %d must%s", report.InWords(n, "person", "people"), b.does(n), b.Need, b.being())
	case b.isTooMany:
		return fmt.Sprintf("%s %s, and at most %d may%s", accounts(b.People), b.does(b.People.Len()), b.Need, b.being())
	case b.Internet && b.People.IsEmpty():
		return "anyone on the internet " + b.does(1)
	case b.Internet:
		return "anyone on the internet " + b.does(1) + ", and " + accounts(b.People)
	}
	return accounts(b.People) + " " + b.does(b.People.Len())
}

// does describes what a number of people can do, or are.
func (b *Violation) does(n int) string {
	switch {
	case !b.isOfBeing():
		return "can " + b.Text
	case n == 1:
		return "is " + b.Text
	}
	return "are " + b.Text
}

// being ends a sentence about what people must be.
func (b *Violation) being() string {
	if b.isOfBeing() {
		return " be"
	}
	return ""
}

// isOfAccess reports whether people can do something that they must not.
func (b *Violation) isOfAccess() bool {
	return !b.isOfBeing() && !b.IsTooFew && !b.isTooMany && b.Permission != joiningSubject
}

// isOfBeing reports whether the violation is about what people are, rather than what they can do.
func (b *Violation) isOfBeing() bool {
	return b.Permission == roleSubject || b.Permission == Subscribed || b.Permission == Member
}

// accounts counts people, and bots with them.
func accounts(people permission.People) string {
	return report.Counted(people.Len(), "account")
}
