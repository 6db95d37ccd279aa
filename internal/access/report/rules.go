package report

import (
	"fmt"
	"strings"
)

// Rule is what was found of a rule.
type Rule struct {
	Name string `json:"name"`
	// At is where it stands: rules.zulip.hcl:12.
	At string `json:"at"`
	// Standing is holds, broken or not proven: after the plan, or now in an audit.
	Standing string `json:"standing"`
	// Before is what it was before the plan; empty in an audit.
	Before string `json:"before,omitempty"`
	// IsWorse says that it was broken before, and that the plan adds to that.
	IsWorse  bool      `json:"is_worse,omitempty"`
	Breaches []*Breach `json:"breaches"`
	// Doubts say in sentences why it is not proven. Notes say what else is to know of it.
	Doubts []string `json:"doubts"`
	Notes  []string `json:"notes"`
}

// What [Rule.Standing] says.
const (
	RuleHolds     = "holds"
	RuleBroken    = "broken"
	RuleNotProven = "not proven"
)

// Fails reports whether a gate stops at the rule. What was broken before a plan, and is no more so after it, is not the plan's.
func (r *Rule) Fails() bool {
	return r.Standing == RuleNotProven || r.Standing == RuleBroken && (r.Before != RuleBroken || r.IsWorse)
}

// Lines say in sentences what was found: first of the rule, then of each breach. They name people.
func (r *Rule) Lines() []string {
	lines := []string{r.standing()}
	for _, breach := range r.Breaches {
		lines = append(lines, breach.line())
	}
	for _, doubt := range r.Doubts {
		lines = append(lines, "Not known: "+doubt)
	}
	return append(lines, r.Notes...)
}

// standing says whether it holds, and since when.
func (r *Rule) standing() string {
	switch {
	case r.Standing == RuleHolds && r.Before == RuleBroken:
		return "holds after this plan; it was broken before"
	case r.Standing != RuleBroken || r.Before == "":
		return r.Standing
	case r.Before != RuleBroken:
		return "broken by this plan"
	case r.IsWorse:
		return "broken before, and more so by this plan"
	}
	return "broken before, and this plan adds nothing to it"
}

// line says in one line what is so, of whom, and by which change.
func (b *Breach) line() string {
	text := b.Where + ": " + b.Text
	names := make([]string, len(b.People))
	for i, one := range b.People {
		names[i] = one.Name + " (" + one.Address
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
		text += ". Changed by " + strings.Join(b.Changes, ", ")
	}
	return text + "."
}

// IsQuiet reports whether there is nothing to say of the rule but that it holds, as it did before.
func (r *Rule) IsQuiet() bool {
	return r.Standing == RuleHolds && r.Before != RuleBroken && len(r.Notes) == 0
}

// Holding says how many rules hold.
func Holding(n int) string { return inWords(n, "rule holds.", "rules hold.") }

// brokenText counts the rules at which a gate stops; empty if there are none.
func (r *Report) brokenText() string { return RulesText(r.Rules) }

// RulesText counts the rules that are broken and that are not proven; empty if there are none.
func RulesText(rules []*Rule) string {
	broken, doubtful := 0, 0
	for _, rule := range rules {
		switch {
		case !rule.Fails():
		case rule.Standing == RuleBroken:
			broken++
		default:
			doubtful++
		}
	}
	var parts []string
	if broken > 0 {
		parts = append(parts, inWords(broken, "rule is broken", "rules are broken"))
	}
	if doubtful > 0 {
		parts = append(parts, inWords(doubtful, "rule is not proven", "rules are not proven"))
	}
	return strings.Join(parts, ", ")
}

// Breach is one thing about which a rule is broken.
type Breach struct {
	// Where is the thing in words: #board, user group "sre", the organization.
	Where string `json:"where"`
	// Text says what is so, without names, to follow Where: one person can read.
	Text string `json:"text"`
	// People are some of those of whom it is so, and More counts the others.
	People []*RulePerson `json:"people"`
	More   int           `json:"more,omitempty"`
	// Changes are the resources of the plan that bring it about, as far as that can be told; none in an audit.
	Changes []string `json:"changes,omitempty"`
}

// RulePerson is somebody of whom a breach is, and by what.
type RulePerson struct {
	ID      int64  `json:"id"`
	Name    string `json:"name"`
	Address string `json:"address"`
	IsBot   bool   `json:"is_bot"`
	// Role is the role in words, after the plan.
	Role string `json:"role"`
	// Through says what gives the right: a principal of the permission ("group:leads > group:sre"), "subscriber".
	Through []string `json:"through"`
}
