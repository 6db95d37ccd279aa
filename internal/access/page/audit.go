package page

import (
	"html/template"
	"strconv"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
)

// auditView is an audit as the template writes it: findings in reading order, and the rest as data for the script.
type auditView struct {
	*audit.Audit
	Layout  *layout
	Groups  []*findingView // of findings; the audit's own groups are in Audit.Groups
	Columns []*auditColumn

	people *peopleIndex
	tables *tables
	named  map[int64]*audit.Account
}

// findingView is a group of findings with the same text.
type findingView struct {
	*audit.FindingGroup
	Index int
	Brief template.HTML // the set of the people concerned; empty if there are none, or if they differ between places
}

// auditColumn is a permission in the table of channels.
type auditColumn struct{ Name, Text string }

func newAuditView(a *audit.Audit) *auditView {
	v := &auditView{
		Audit: a, Layout: newLayout("Access audit", a.Organization, "audit.css", "audit_model.js", "audit.js"),
		people: newPeopleIndex(nil), tables: newTables(),
		named: lists.By(a.Accounts, func(account *audit.Account) int64 { return account.ID }),
	}
	v.placeAccounts()
	for i, group := range a.FindingGroups() {
		shown := &findingView{FindingGroup: group, Index: i}
		if group.People != nil {
			shown.Brief = rendered("concerned", v.people.set(group.People))
		}
		v.Groups = append(v.Groups, shown)
	}
	has := map[string]string{}
	for _, channel := range a.Channels {
		for _, permission := range channel.Permissions {
			has[permission.Name] = permission.Text
		}
	}
	for _, name := range permission.ChannelPermissions {
		if text, ok := has[string(name)]; ok {
			v.Columns = append(v.Columns, &auditColumn{string(name), text})
		}
	}
	return v
}

// placeAccounts numbers the accounts, in the order of the audit. An audit of one person has only the accounts that it names.
func (v *auditView) placeAccounts() {
	if v.Person != nil {
		if account := v.PersonAccount(); account != nil {
			v.people.place(account.Account)
		}
		return
	}
	for _, account := range v.Accounts {
		v.people.place(account.Account)
	}
}

// OpenGroups are the findings that are not accepted.
func (v *auditView) OpenGroups() []*findingView {
	return lists.Where(v.Groups, func(group *findingView) bool { return !group.IsAccepted() })
}

// AcceptedGroups are the findings that are accepted.
func (v *auditView) AcceptedGroups() []*findingView {
	return lists.Where(v.Groups, func(group *findingView) bool { return group.IsAccepted() })
}

// IncompleteText is the first line of an audit that does not have everything.
func (v *auditView) IncompleteText() string { return audit.IncompleteText }

// IsNarrowed reports whether the audit is limited to some channels.
func (v *auditView) IsNarrowed() bool { return v.Selection != nil && len(v.Selection.Channels) > 0 }

// Width is the number of columns of the table of channels.
func (v *auditView) Width() int { return len(v.Columns) + 1 }

// About says what was audited, when and by which account.
func (v *auditView) About() []string {
	return v.Audit.About(func(name string) string { return name }, strconv.Quote)
}

// Listed is the number of people that the page lists.
func (v *auditView) Listed() int {
	return len(lists.Where(v.Accounts, v.isListed))
}

// isListed reports whether the audit is about an account.
func (v *auditView) isListed(account *audit.Account) bool {
	s := v.Selection
	switch {
	case !account.IsActive || v.Person != nil:
		return false
	case s == nil || !s.Guests && !s.Bots:
		return true
	}
	return s.Guests && account.Role == "guest" || s.Bots && account.IsBot
}
