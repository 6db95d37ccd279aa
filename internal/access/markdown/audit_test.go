package markdown_test

import (
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/markdown"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
)

// auditWith is an audit in which a name stands wherever there is one.
func auditWith(name string) *audit.Audit {
	account := &audit.Account{Account: &report.Account{ID: 1, Name: name, Address: name, Role: "member"}, IsActive: true}
	people := report.PeopleOf(account.Account)
	right := &audit.Right{Name: "can_send_message_group", Text: "post", Value: []string{"group:" + name}, Unknown: true}
	subscribers := 0
	return &audit.Audit{
		Site: name, Organization: name, When: time.Unix(0, 0), AccountID: 1, Missing: []string{name + " is not seen."},
		Selection: &audit.Selection{Person: name, Channels: []string{name}},
		Findings: []*audit.Finding{
			{Kind: audit.Internet, Severity: audit.High, Where: []string{"channel \"" + name + "\""}, Text: name, Expired: &audit.Acceptance{Reason: name, Until: name}},
			{Kind: audit.Internet, Severity: audit.High, Where: []string{name}, Text: name, Accepted: &audit.Acceptance{Reason: name, Until: name}},
		},
		Warnings: []string{name + ":1 accepts nothing."},
		Channels: []*audit.Channel{{Name: name, Folder: name, Subscribers: &subscribers, Rights: []*audit.Right{right}}},
		Groups:   []*audit.Group{{Name: name, Subgroups: []string{name}, Rights: []*audit.Right{right}}},
		Rights:   []*audit.Right{right}, Sets: []*report.People{people}, Accounts: []*audit.Account{account},
	}
}

func auditText(t *testing.T, a *audit.Audit) string {
	t.Helper()
	var text strings.Builder
	if err := markdown.WriteAudit(&text, a); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestNoNameInAnAuditIsMoreThanAName(t *testing.T) {
	for _, name := range evil {
		a := auditWith(name)
		checkNames(t, auditText(t, a))
		a.Person = &audit.Person{
			AccountID: 1, Groups: []audit.Membership{{Name: name, Path: "group:" + name}},
			Scopes: []*audit.Scope{{Kind: "channel", Name: name, Rights: []audit.PersonRight{{Text: "post", Through: []string{"can_send_message_group: group:" + name}}}}},
		}
		checkNames(t, auditText(t, a))
	}
}

// The value of who is in a group is what is directly in it.
func TestAGroupHasItsMembersAsItsValue(t *testing.T) {
	accounts := make([]*audit.Account, 0, 7)
	for id, name := range []string{"zoe", "ada", "bea", "cid", "dora", "emil", "fritz"} {
		accounts = append(accounts, &audit.Account{Account: &report.Account{ID: int64(id) + 1, Name: name, Address: name + "@example.com", Role: "member"}, IsActive: true})
	}
	everybody := make([]*report.Account, 0, len(accounts))
	for _, account := range accounts {
		everybody = append(everybody, account.Account)
	}
	text := auditText(t, &audit.Audit{
		AccountID: 1, Accounts: accounts, Sets: []*report.People{report.PeopleOf(accounts[0].Account), report.PeopleOf(), report.PeopleOf(everybody...)},
		Groups: []*audit.Group{
			{Name: "board", Members: []int64{1}, People: 0},
			{Name: "outer", Members: []int64{1}, Subgroups: []string{"board"}, People: 0},
			{Name: "empty", People: 1},
			{Name: "left", Members: []int64{99}, People: 1},
			{Name: "large", Members: []int64{1, 2, 3, 4, 5, 6, 7}, People: 2},
		},
	})
	for _, want := range []string{
		"| `board` | be in the group | `user:zoe@example.com` | `zoe` |",
		"| `outer` | be in the group | `group:board`, `user:zoe@example.com` | `zoe` |",
		"| `empty` | be in the group | – | – |",
		"| `left` | be in the group | – | – |",
		"| `large` | be in the group | `user:zoe@example.com`, `user:ada@example.com`, `user:bea@example.com`, `user:cid@example.com`, `user:dora@example.com` and 2 more | `zoe`, `ada`, `bea`, `cid`, `dora` and 2 more |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nis not in\n%s", want, text)
		}
	}
}
