package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
)

// IncompleteText is the first line of an audit whose account does not see everything.
const IncompleteText = "This audit is incomplete: the account doesn't see everything."

// Summary counts the findings, the accepted ones separately. Unless the audit is of one person, it also counts the
// audited objects.
func (a *Audit) Summary() string {
	text := "No findings"
	if open := a.Open(); len(open) > 0 {
		var counts []string
		for _, severity := range Severities {
			if n := len(lists.Where(open, func(finding *Finding) bool { return finding.Severity == severity })); n > 0 {
				counts = append(counts, fmt.Sprintf("%s %s", report.Count(n), severity))
			}
		}
		text = report.Counted(len(open), "finding") + ": " + strings.Join(counts, ", ")
	}
	text += a.acceptedCount()
	if failing := report.RulesText(a.Rules); failing != "" {
		text += "; " + failing
	}
	if a.Person != nil {
		return text + "."
	}
	active := lists.Where(a.Accounts, func(account *Account) bool { return account.IsActive })
	guests := lists.Where(active, func(account *Account) bool { return account.Role == "guest" })
	bots := lists.Where(active, func(account *Account) bool { return account.IsBot })
	return fmt.Sprintf("%s. %s, %s, %s (%s, %s).", text, report.Counted(len(a.Channels), "channel"), report.Counted(len(a.Groups), "user group"),
		report.Counted(len(active), "account"), report.Counted(len(guests), "guest"), report.Counted(len(bots), "bot"))
}

// Self returns the account that audits; nil if it is not in the audit.
func (a *Audit) Self() *Account { return a.account(a.AccountID) }

// PersonAccount returns the account of an audit of one person; nil for other audits.
func (a *Audit) PersonAccount() *Account {
	if a.Person == nil {
		return nil
	}
	return a.account(a.Person.AccountID)
}

func (a *Audit) account(id int64) *Account {
	for _, account := range a.Accounts {
		if account.ID == id {
			return account
		}
	}
	return nil
}

// FindingGroup is a group of findings with the same text, in any number of places. One decision applies to all of them.
type FindingGroup struct {
	Kind     Kind
	Severity Severity
	Text     string
	Fix      string
	Findings []*Finding
	// People are the people concerned; nil if there are none, or if they differ between places.
	People *report.People
}

// Where lists the places of all findings of the group.
func (g *FindingGroup) Where() []string {
	return slices.Concat(lists.Map(g.Findings, func(finding *Finding) []string { return finding.Where })...)
}

// IsAccepted reports whether the findings are accepted.
func (g *FindingGroup) IsAccepted() bool { return g.Findings[0].Accepted != nil }

// AcceptedText says whether the findings are accepted, or were; "" if they never were.
func (g *FindingGroup) AcceptedText() string { return g.Findings[0].AcceptedText() }

// Resources lists the addresses of the resources that manage the objects of the findings, each once.
func (g *FindingGroup) Resources() []string {
	return lists.Unique(slices.Concat(lists.Map(g.Findings, func(finding *Finding) []string { return finding.Resources })...))
}

// FindingGroups groups the findings with the same text, in their order.
func (a *Audit) FindingGroups() []*FindingGroup {
	key := func(finding *Finding) [5]string {
		return [5]string{string(finding.Kind), string(finding.Severity), finding.Text, finding.Fix, finding.AcceptedText()}
	}
	var groups []*FindingGroup
	for _, findings := range lists.Grouped(a.Findings, key) {
		first := findings[0]
		group := &FindingGroup{Kind: first.Kind, Severity: first.Severity, Text: first.Text, Fix: first.Fix, Findings: findings, People: a.Sets[first.People]}
		differs := func(finding *Finding) bool { return finding.People != first.People }
		if group.People.Len() == 0 || slices.ContainsFunc(findings, differs) {
			group.People = nil
		}
		groups = append(groups, group)
	}
	return groups
}
