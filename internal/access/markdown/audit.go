package markdown

import (
	"fmt"
	"io"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
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
	d.line(aboutAudit(a))
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
		d.line(fmt.Sprintf("**%s left out. `--json` writes the whole audit; `--channel`, `--person`, `--guests` and `--bots` narrow it.**", areLeft(d.left, "line")))
	}
	_, err := io.WriteString(w, d.text.String())
	return err
}

// aboutAudit says what was audited, when and by whom.
func aboutAudit(a *audit.Audit) string {
	parts := []string{code(a.Site), plain(a.When.UTC().Format("2006-01-02 15:04 MST"))}
	if self := a.Self(); self != nil {
		parts = append(parts, "as "+code(self.Email))
	}
	if s := a.Selection; s != nil {
		var only []string
		for _, channel := range s.Channels {
			only = append(only, "channel "+code(channel))
		}
		if s.Guests {
			only = append(only, "guests")
		}
		if s.Bots {
			only = append(only, "bots")
		}
		if s.Person != "" {
			only = append(only, code(s.Person))
		}
		parts = append(parts, "only "+strings.Join(only, ", "))
	}
	return strings.Join(parts, " · ")
}

// findings lists the findings and how to fix them, the accepted ones last. Findings with the same text are one.
func (d *document) findings(a *audit.Audit) {
	var open, accepted []*audit.FindingGroup
	for _, group := range a.FindingGroups() {
		if group.IsAccepted() {
			accepted = append(accepted, group)
		} else {
			open = append(open, group)
		}
	}
	d.findingGroups("Findings", open, true)
	d.findingGroups("Accepted findings", accepted, false)
}

// findingGroups lists findings under a title. Findings that are not accepted have their fix.
func (d *document) findingGroups(title string, groups []*audit.FindingGroup, isOpen bool) {
	lines := bullets(groups, func(group *audit.FindingGroup) string {
		text := fmt.Sprintf("%s, %s: %s. %s", group.Severity, code(string(group.Kind)), report.List(plainAll(group.Where())), plain(group.Text))
		if accepted := group.AcceptedText(); accepted != "" {
			text += " " + plain(accepted)
		}
		if group.People != nil {
			text += " Concerns: " + brief(group.People) + "."
		}
		if managed := group.Resources(); len(managed) > 0 {
			for at, address := range managed {
				managed[at] = code(address)
			}
			text += " Managed by " + report.List(managed) + "."
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
	known := map[string]bool{}
	alike := map[string][]*audit.Channel{}
	for _, channel := range a.Channels {
		alike[channelKey(channel)] = append(alike[channelKey(channel)], channel)
	}
	for _, channel := range a.Channels {
		key := channelKey(channel)
		if known[key] {
			continue
		}
		known[key] = true
		var names []string
		for _, one := range alike[key] {
			names = append(names, code(one.Name))
		}
		what := report.List(names) + ", " + plain(report.PrivacyText(channel.Privacy))
		for i, row := range auditRows(a, channel.Permissions) {
			if i > 0 {
				what = ""
			}
			rows = append(rows, append(cells{what}, row...))
		}
	}
	d.table("Channels", []string{"Channel", "Can", "Value", "People"}, rows)
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
	addresses := map[int64]string{}
	for _, account := range a.Accounts {
		addresses[account.ID] = account.Email
	}
	for _, group := range a.Groups {
		rows = append(rows, cells{code(group.Name), "be a member", contentsText(group, addresses), brief(a.Sets[group.People])})
		for _, row := range auditRows(a, group.Permissions) {
			rows = append(rows, append(cells{""}, row...))
		}
	}
	d.table("User groups", []string{"Group", "Can", "Value", "People"}, rows)
}

// contentsText writes the direct members and subgroups of a group as principals. A member without an address is deactivated.
func contentsText(group *audit.Group, addresses map[int64]string) string {
	var value report.Value
	for _, name := range group.Subgroups {
		principal := permission.Principal{Kind: permission.KindGroup, Name: name}
		if role, isRole := strings.CutPrefix(name, "role:"); isRole {
			principal = permission.Principal{Kind: permission.KindRole, Name: role}
		}
		value.Values = append(value.Values, principal.String())
	}
	for _, id := range group.Members {
		if address, ok := addresses[id]; ok {
			value.Values = append(value.Values, permission.Principal{Kind: permission.KindUser, Name: address}.String())
		}
	}
	return valueText(value)
}

// auditRows are the rows of permissions. Permissions with the same value and people are one row.
func auditRows(a *audit.Audit, permissions []*audit.EffectivePermission) []cells {
	type key struct {
		value   string
		people  int
		unknown bool
	}
	var order []key
	can := map[key][]string{}
	for _, permission := range permissions {
		value := "–"
		if len(permission.Value) > 0 {
			value = valueText(report.Value{Values: permission.Value})
		}
		k := key{value, permission.People, permission.Unknown}
		if can[k] == nil {
			order = append(order, k)
		}
		can[k] = append(can[k], permission.Text)
	}
	var rows []cells
	for _, k := range order {
		people := a.Sets[k.people]
		text := brief(people)
		switch {
		case people.Len() == 0:
			text = "nobody"
		case people.Len() > report.MaxListed:
			text = fmt.Sprintf("%s: %s", plain(countsText(people)), text)
		}
		if k.unknown {
			text += ", and others not known"
		}
		rows = append(rows, cells{plain(permission.JoinActions(can[k], len(can[k]))), k.value, text})
	}
	return rows
}

// countsText counts people, and the guests and bots among them.
func countsText(people *report.People) string {
	text := report.Counted(people.Len(), "account")
	var among []string
	if people.Guests > 0 {
		among = append(among, report.Counted(people.Guests, "guest"))
	}
	if people.Bots > 0 {
		among = append(among, report.Counted(people.Bots, "bot"))
	}
	if len(among) > 0 {
		text += " with " + strings.Join(among, " and ")
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

// personRows are the rows of a scope. Permissions with the same sources are one row.
func personRows(scope *audit.Scope) []cells {
	var order []string
	can := map[string][]string{}
	for _, permission := range scope.Permissions {
		texts := make([]string, len(permission.Through))
		for i, text := range permission.Through {
			texts[i] = code(text)
		}
		through := strings.Join(texts, ", ")
		if can[through] == nil {
			order = append(order, through)
		}
		can[through] = append(can[through], permission.Text)
	}
	var rows []cells
	what := "–"
	if scope.Name != "" {
		what = code(scope.Name)
	}
	for _, through := range order {
		rows = append(rows, cells{what, plain(permission.JoinActions(can[through], len(can[through]))), through})
		what = ""
	}
	return rows
}
