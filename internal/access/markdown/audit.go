package markdown

import (
	"fmt"
	"io"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
)

// WriteAudit writes an audit like a report: short enough for a comment, with names as plain text. If the account does not
// see everything, the first line says so.
func WriteAudit(w io.Writer, a *audit.Audit) error {
	d := &document{limit: MaxLength - 600} // place for the last line
	if !a.Complete {
		d.line("**" + audit.IncompleteText + "**")
		d.line("")
	}
	d.line("### Access audit")
	d.line("")
	d.line("**" + plain(a.Summary()) + "**")
	d.line("")
	d.line(strings.Join(a.About(code, code), " · "))
	for _, sentence := range a.Missing {
		d.line("")
		d.line(plain(sentence))
	}
	for _, warning := range a.Warnings {
		d.line("")
		d.line("**Warning:** " + plain(warning))
	}
	d.rules(a.Rules)
	d.findings(a)
	if a.Person != nil {
		d.person(a)
	} else {
		d.auditedChannels(a)
		d.auditedGroups(a)
		d.table("The organization", []string{"Can", "Value", "People"}, auditRows(a, a.Permissions))
	}
	if d.left > 0 {
		d.line("")
		d.line(fmt.Sprintf("**%s left out. `--json` writes the whole audit; `--channel`, `--person`, `--guests` and `--bots` narrow it.**", report.InWords(d.left, "line is", "lines are")))
	}
	_, err := io.WriteString(w, d.text.String())
	return err
}

// findings lists the findings and how to fix them, the accepted ones last. Findings with the same text are one.
func (d *document) findings(a *audit.Audit) {
	groups := a.FindingGroups()
	isOpen := func(group *audit.FindingGroup) bool { return !group.IsAccepted() }
	d.findingGroups("Findings", lists.Where(groups, isOpen), true)
	d.findingGroups("Accepted findings", lists.Where(groups, (*audit.FindingGroup).IsAccepted), false)
}

// findingGroups lists findings under a title. Findings that are not accepted have their fix.
func (d *document) findingGroups(title string, groups []*audit.FindingGroup, isOpen bool) {
	lines := bullets(groups, func(group *audit.FindingGroup) string {
		text := fmt.Sprintf("%s, %s: %s. %s", group.Severity, code(string(group.Kind)), report.List(lists.Map(group.Where(), plain)), plain(group.Text))
		if accepted := group.AcceptedText(); accepted != "" {
			text += " " + plain(accepted)
		}
		if group.People != nil {
			text += " Concerns: " + brief(group.People) + "."
		}
		if managed := group.Resources(); len(managed) > 0 {
			text += " Managed by " + report.List(lists.Map(managed, code)) + "."
		}
		if isOpen {
			text += " " + plain(group.Fix)
		}
		return text
	})
	listed := min(len(lines), maxRisks)
	d.section([]string{"", "#### " + title, ""}, lines[:listed])
	d.left += len(lines) - listed
}

func (d *document) auditedChannels(a *audit.Audit) {
	var rows []cells
	for _, alike := range lists.Grouped(a.Channels, channelKey) {
		names := lists.Map(alike, func(channel *audit.Channel) string { return code(channel.Name) })
		rows = append(rows, under(report.List(names)+", "+plain(report.PrivacyText(alike[0].Privacy)), auditRows(a, alike[0].Permissions))...)
	}
	d.table("Channels", []string{"Channel", "Can", "Value", "People"}, rows)
}

// under puts the name of an object before its rows: in the first of them.
func under(name string, rows []cells) (all []cells) {
	for _, row := range rows {
		all = append(all, append(cells{name}, row...))
		name = ""
	}
	return all
}

// channelKey is equal for channels in which the same people can do the same.
func channelKey(channel *audit.Channel) string {
	var text strings.Builder
	fmt.Fprint(&text, channel.Privacy, channel.Internet)
	for _, permission := range channel.Permissions {
		fmt.Fprintf(&text, " %s %q %d %t", permission.Name, permission.Value, permission.People, permission.Unknown)
	}
	return text.String()
}

func (d *document) auditedGroups(a *audit.Audit) {
	var rows []cells
	accounts := lists.By(a.Accounts, func(account *audit.Account) int64 { return account.ID })
	for _, group := range a.Groups {
		members := cells{"be a member", contentsText(group, accounts), brief(a.Sets[group.People])}
		rows = append(rows, under(code(group.Name), append([]cells{members}, auditRows(a, group.Permissions)...))...)
	}
	d.table("User groups", []string{"Group", "Can", "Value", "People"}, rows)
}

// contentsText writes the direct members and subgroups of a group as principals. A member without an address is deactivated.
func contentsText(group *audit.Group, accounts map[int64]*audit.Account) string {
	var value report.Value
	for _, name := range group.Subgroups {
		principal := permission.Principal{Kind: permission.KindGroup, Name: name}
		if role, isRole := strings.CutPrefix(name, "role:"); isRole {
			principal = permission.Principal{Kind: permission.KindRole, Name: role}
		}
		value.Values = append(value.Values, principal.String())
	}
	for _, id := range group.Members {
		if account := accounts[id]; account != nil {
			value.Values = append(value.Values, permission.Principal{Kind: permission.KindUser, Name: account.Email}.String())
		}
	}
	return valueText(value)
}

// can is a row of what someone can do.
type can struct {
	action string
	// by are the other cells: who can, or through what.
	by cells
}

// canRows are the rows of permissions. Permissions with the same other cells are one row.
func canRows(all []can) (rows []cells) {
	for _, same := range lists.Grouped(all, func(one can) string { return line(one.by) }) {
		actions := lists.Map(same, func(one can) string { return one.action })
		rows = append(rows, append(cells{plain(permission.JoinActions(actions, len(actions)))}, same[0].by...))
	}
	return rows
}

// auditRows are the rows of permissions with their values and people.
func auditRows(a *audit.Audit, permissions []*audit.EffectivePermission) []cells {
	var all []can
	for _, permission := range permissions {
		value := "–"
		if len(permission.Value) > 0 {
			value = valueText(report.Value{Values: permission.Value})
		}
		people := a.Sets[permission.People]
		text := brief(people)
		switch {
		case people.Len() == 0:
			text = "nobody"
		case people.Len() > report.MaxListed:
			text = fmt.Sprintf("%s: %s", plain(countsText(people)), text)
		}
		if permission.Unknown {
			text += ", and others not known"
		}
		all = append(all, can{permission.Text, cells{value, text}})
	}
	return canRows(all)
}

// countsText counts people, and the guests and bots among them.
func countsText(people *report.People) string {
	text, with := report.Counted(people.Len(), "account"), " with "
	if people.Guests > 0 {
		text, with = text+with+report.Counted(people.Guests, "guest"), " and "
	}
	if people.Bots > 0 {
		text += with + report.Counted(people.Bots, "bot")
	}
	return text
}

// person writes what one person can do, and by which principals.
func (d *document) person(a *audit.Audit) {
	if account := a.PersonAccount(); account != nil {
		d.line("")
		text := fmt.Sprintf("%s (%s), %s", code(account.Name), code(account.Email), account.Role)
		if account.IsBot {
			text += ", a bot"
		}
		if !account.IsActive {
			text += ", deactivated: the account has no access"
		}
		d.line(text + ".")
	}
	var rows []cells
	for _, membership := range a.Person.Groups {
		rows = append(rows, cells{code(membership.Name), code(membership.Path)})
	}
	d.table("This person's user groups", []string{"Group", "Through"}, rows)
	for _, kind := range []struct{ kind, title, column string }{
		{"channel", "Channels", "Channel"}, {"user group", "User groups", "Group"}, {"organization", "The organization", ""},
	} {
		rows = nil
		for _, scope := range a.Person.Scopes {
			if scope.Kind == kind.kind {
				rows = append(rows, personRows(scope)...)
			}
		}
		d.table(kind.title, []string{kind.column, "Can", "Through"}, rows)
	}
}

// personRows are the rows of a scope, with the sources of each permission.
func personRows(scope *audit.Scope) []cells {
	var all []can
	for _, permission := range scope.Permissions {
		all = append(all, can{permission.Text, cells{strings.Join(lists.Map(permission.Through, code), ", ")}})
	}
	if scope.Name == "" {
		return under("–", canRows(all))
	}
	return under(code(scope.Name), canRows(all))
}
