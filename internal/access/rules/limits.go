package rules

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/hclfile"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Removals counts the people whom an apply removes from channels, user groups or the organization.
type Removals struct {
	// People counts them, without bots, and Active the active people before the apply.
	People, Active int
	// AtMost also counts people who might be removed; 0 if there are none.
	AtMost int
	// Unknown are sentences about unknown values.
	Unknown []string
}

// Exceeds says as a sentence that a limit is exceeded; empty if it is not.
func (l *Limit) Exceeds(r Removals) string {
	switch {
	case l.People != noLimit && r.People > l.People:
		return fmt.Sprintf("%s removed from channels, user groups or the organization; the limit is %d", report.InWords(r.People, "person is", "people are"), l.People)
	case l.Percent != noLimit && r.People*100 > l.Percent*r.Active:
		return fmt.Sprintf("%s removed from channels, user groups or the organization, of %d; the limit is %d percent", report.InWords(r.People, "person is", "people are"), r.Active, l.Percent)
	}
	return ""
}

// CheckLimits returns the result of each limit.
func (f *File) CheckLimits(r Removals) []*report.Rule {
	all := make([]*report.Rule, len(f.Limits))
	for i, limit := range f.Limits {
		rule := &report.Rule{
			Name: limit.Name, IsLimit: true, At: fmt.Sprintf("%s:%d", filepath.Base(f.path), limit.Line), Status: report.RulePasses, Before: report.RulePasses,
			Violations: []*report.Violation{}, Unknowns: []string{}, Notes: []string{},
		}
		if text := limit.Exceeds(r); text != "" {
			rule.Status = report.RuleFails
			rule.Violations = []*report.Violation{{Where: "this plan", Text: text, People: []*report.RulePerson{}}}
		} else if len(r.Unknown) > 0 {
			rule.Status, rule.Unknowns = report.RuleUnknown, append(rule.Unknowns, r.Unknown...)
		} else if most := (Removals{People: r.AtMost, Active: r.Active}); limit.Exceeds(most) != "" {
			rule.Status = report.RuleUnknown
			rule.Unknowns = append(rule.Unknowns, fmt.Sprintf("Up to %s might be removed: the plan doesn't know yet who stays.", report.InWords(r.AtMost, "person", "people")))
		}
		all[i] = rule
	}
	return all
}

// SelectsName reports whether a rule names a channel, or may.
func (f *File) SelectsName(name string) bool {
	return slices.ContainsFunc(f.Rules, func(rule *Rule) bool {
		return slices.ContainsFunc(rule.Channels, func(selector string) bool {
			return strings.HasPrefix(selector, "folder:") || strings.HasPrefix(selector, "privacy:") || hclfile.Selects(zulip.FoldName(selector), zulip.FoldName(name))
		})
	})
}

// AsksForInvitations reports whether a rule is about invitations.
func (f *File) AsksForInvitations() bool {
	return slices.ContainsFunc(f.Rules, func(rule *Rule) bool { return rule.OnlyInvited })
}
