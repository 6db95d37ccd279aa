package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
)

// Rule is the result of a rule.
type Rule struct {
	Name string `json:"name"`
	// At is its position: rules.zulip.hcl:12.
	At string `json:"at"`
	// IsLimit is true for a limit on how many people a plan removes. An audit has none.
	IsLimit bool `json:"is_limit,omitempty"`
	// Status is passes, fails or unknown: after the plan, or now in an audit.
	Status string `json:"status"`
	// Before is the status before the plan; empty in an audit.
	Before string `json:"before,omitempty"`
	// IsWorse is true if it failed before, and the plan adds violations.
	IsWorse bool `json:"is_worse,omitempty"`
	// StaysUnknown is true if it was unknown before, and the plan certainly adds no violation.
	StaysUnknown bool         `json:"stays_unknown,omitempty"`
	Violations   []*Violation `json:"violations"`
	// Unknowns are sentences about unknown values that it depends on. Notes are other sentences about it.
	Unknowns []string `json:"unknowns"`
	Notes    []string `json:"notes"`
}

// The values of [Rule.Status].
const (
	RulePasses  = "passes"
	RuleFails   = "fails"
	RuleUnknown = "unknown"
)

// Fails reports whether the rule fails the check. In a plan, it does not if it failed or was unknown before and the plan
// certainly adds no violation.
func (r *Rule) Fails() bool {
	return r.Status == RuleUnknown && !r.StaysUnknown || r.Status == RuleFails && (r.Before != RuleFails || r.IsWorse)
}

// Lines are sentences about the rule, then about each violation. They name people.
func (r *Rule) Lines() []string {
	unknowns := lists.Map(r.Unknowns, func(unknown string) string { return "Unknown: " + unknown })
	return slices.Concat([]string{r.status()}, lists.Map(r.Violations, (*Violation).line), unknowns, r.Notes)
}

// status says whether it passes, and since when.
func (r *Rule) status() string {
	switch {
	case r.Status == RulePasses && r.Before == RuleFails:
		return "passes after this plan (failed before)"
	case r.StaysUnknown:
		return "unknown before, and this plan adds no violations"
	case r.Status == RuleUnknown && r.Before == RuleFails:
		return "unknown: it failed before, and this plan might add violations"
	case r.Status != RuleFails || r.Before == "":
		return r.Status
	case r.Before != RuleFails:
		return "fails after this plan"
	case r.IsWorse:
		return "failed before, and this plan adds violations"
	}
	return "failed before, and this plan adds no violations"
}

// line writes the violation in one line, with its people and the changes that cause it.
func (b *Violation) line() string {
	text := b.Where + ": " + b.Text
	names := make([]string, len(b.People))
	for i, one := range b.People {
		names[i] = one.Name + " (" + one.Email
		if len(one.Through) > 0 {
			names[i] += ", through " + strings.Join(one.Through, " and ")
		}
		names[i] += ")"
	}
	if b.More > 0 {
		names = append(names, fmt.Sprintf("and %s more", Count(b.More)))
	}
	if len(names) > 0 {
		text += ": " + strings.Join(names, ", ")
	}
	if len(b.Changes) > 0 {
		text += ". The plan changes " + strings.Join(b.Changes, ", ")
	}
	return text + "."
}

// IsQuiet reports whether the rule passes as before, without notes.
func (r *Rule) IsQuiet() bool {
	return r.Status == RulePasses && r.Before != RuleFails && len(r.Notes) == 0
}

// QuietText counts the quiet rules and limits; empty if none is quiet.
func QuietText(all []*Rule) string {
	quiet := lists.Where(all, (*Rule).IsQuiet)
	limits := len(lists.Where(quiet, func(rule *Rule) bool { return rule.IsLimit }))
	text := strings.Join(inWords(number{len(quiet) - limits, "rule", "rules"}, number{limits, "limit", "limits"}), " and ")
	switch len(quiet) {
	case 0:
		return ""
	case 1:
		return text + " passes."
	}
	return text + " pass."
}

// RulesText counts the rules that fail and that are unknown; empty if there are none.
func RulesText(rules []*Rule) string {
	all := lists.Where(rules, (*Rule).Fails)
	failing := len(lists.Where(all, func(rule *Rule) bool { return rule.Status == RuleFails }))
	return strings.Join(inWords(number{failing, "rule fails", "rules fail"}, number{len(all) - failing, "rule is unknown", "rules are unknown"}), ", ")
}

// Violation is one violation of a rule.
type Violation struct {
	// Where names the object in words: #board, user group "sre", the organization.
	Where string `json:"where"`
	// Text is the violation without names, to follow Where: one person can read.
	Text string `json:"text"`
	// People are the first people concerned, and More counts the others.
	People []*RulePerson `json:"people"`
	More   int           `json:"more,omitempty"`
	// Changes are the addresses of the resources in the plan that change what a new or worse violation is about; none in an
	// audit.
	Changes []string `json:"changes,omitempty"`
}

// RulePerson is a person concerned by a violation.
type RulePerson struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
	IsBot bool   `json:"is_bot"`
	// Role is the role in words, after the plan.
	Role string `json:"role"`
	// Through is the source of the access: a principal of the permission ("group:leads > group:sre"), "subscriber".
	Through []string `json:"through"`
}
