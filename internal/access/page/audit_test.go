package page_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/page"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
)

func auditPageOf(t *testing.T, a *audit.Audit) string {
	t.Helper()
	var text strings.Builder
	if err := page.WriteAudit(&text, a); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestWriteAuditEscapesEveryName(t *testing.T) {
	const evil = `</script><b id="evil">"'&`
	account := &report.Account{ID: 1, Name: evil, Address: evil, Role: "member"}
	rights := []*audit.Right{{Name: evil, Text: evil, Value: []string{evil}}}
	subscribers := 0
	a := &audit.Audit{
		FormatVersion: evil, Site: evil, Organization: evil, AccountID: 1, Missing: []string{evil},
		Selection: &audit.Selection{Channels: []string{evil}},
		Findings:  []*audit.Finding{{Kind: evil, Severity: evil, Where: []string{evil}, Text: evil, Addresses: []string{evil}, Fix: evil, Accepted: &audit.Acceptance{Reason: evil, Until: evil}}, {Kind: evil, Severity: evil, Where: []string{evil}, Text: evil, Expired: &audit.Acceptance{Reason: evil}}},
		Warnings:  []string{evil},
		Channels:  []*audit.Channel{{Name: evil, Folder: evil, Privacy: evil, Subscribers: &subscribers, Rights: rights}},
		Groups:    []*audit.Group{{Name: evil, Subgroups: []string{evil}, Rights: rights}}, Rights: rights,
		Sets:     []*report.People{report.PeopleOf(account)},
		Accounts: []*audit.Account{{Account: account, IsActive: true}},
	}
	whole := auditPageOf(t, a)
	a.Person = &audit.Person{AccountID: 1, Groups: []audit.Membership{{Name: evil, Path: evil}}, Scopes: []*audit.Scope{
		{Kind: "channel", Name: evil, Rights: []audit.PersonRight{{Name: evil, Text: evil, Through: []string{evil}}}},
	}}
	for _, page := range []string{whole, auditPageOf(t, a)} {
		if strings.Contains(page, "<b id=") || strings.Contains(page, `class="word </`) {
			t.Error("a name became an element")
		}
		if got := strings.Count(page, "</script>"); got != 2 {
			t.Errorf("%d scripts end in the page, want its own and its data", got)
		}
	}
}

// pageData is what the script of the page of an audit knows, as far as tests ask.
type pageData struct {
	Accounts [][]any
	Sets     [][]int
	Counts   [][]int
	Grants   [][][]int
	Channels [][]any
}

func pageDataOf(t *testing.T, a *audit.Audit) pageData {
	t.Helper()
	var data pageData
	if err := json.Unmarshal([]byte(between(t, auditPageOf(t, a), `id="data">`, "</script>")), &data); err != nil {
		t.Fatal(err)
	}
	return data
}

// Whoever is in many channels is in the page once, and so is what is the same in many channels.
func TestWriteAuditSaysEverythingOnce(t *testing.T) {
	a := &audit.Audit{Complete: true}
	var everybody []*report.Account
	for i := range 500 {
		account := &report.Account{ID: int64(i + 1), Name: fmt.Sprintf("Person-%03d", i), Role: "member"}
		everybody = append(everybody, account)
		a.Accounts = append(a.Accounts, &audit.Account{Account: account, IsActive: true})
	}
	a.Sets = []*report.People{report.PeopleOf(everybody...), report.PeopleOf(slices.Delete(slices.Clone(everybody), 100, 101)...), {}}
	for i := range 100 {
		a.Channels = append(a.Channels, &audit.Channel{Name: fmt.Sprint("channel-", i), Rights: []*audit.Right{
			{Name: "can_read", Text: "read", People: 0}, {Name: "can_send_message_group", Text: "post", Value: []string{"group:g"}, People: 1},
			{Name: "can_subscribe_group", Text: "join", Value: []string{"role:nobody"}, People: 2, Unknown: true},
		}})
	}
	page := auditPageOf(t, a)
	for _, once := range []string{"Person-499", "group:g"} {
		if got := strings.Count(page, once); got != 1 {
			t.Errorf("%s is in the page %d times", once, got)
		}
	}
	data := pageDataOf(t, a)
	if got, want := fmt.Sprint(data.Sets), "[[-1 0 -499] [0 100]]"; got != want {
		t.Errorf("the sets are %s, want everybody as a run, and the others as everybody without one: %s", got, want)
	}
	if got, want := fmt.Sprint(data.Grants), "[[[0 -1 0] [1 0 1] [2 1 -1 1]] []]"; got != want {
		t.Errorf("the grants are %s, want one list for all channels, and none of the organization: %s", got, want)
	}
}

// An audit of guests alone lists guests, and one of a person the people whom it names.
func TestWriteAuditListsWhomItIsAbout(t *testing.T) {
	guest := &report.Account{ID: 1, Name: "Gus", Role: "guest"}
	member := &report.Account{ID: 2, Name: "Mel", Role: "member"}
	bot := &report.Account{ID: 3, Name: "Robot", Role: "member", IsBot: true}
	a := &audit.Audit{Accounts: []*audit.Account{
		{Account: guest, IsActive: true}, {Account: bot, IsActive: true, OwnerID: 2}, {Account: member, IsActive: true}, {Account: &report.Account{ID: 4, Name: "Gone", Role: "guest"}},
	}}
	const listed = 8
	names := func() (all, shown []string) {
		for _, account := range pageDataOf(t, a).Accounts {
			name := account[1].(string)
			if all = append(all, name); int(account[4].(float64))&listed != 0 {
				shown = append(shown, name)
			}
		}
		return all, shown
	}
	for _, test := range []struct {
		selection  *audit.Selection
		person     *audit.Person
		all, shown string
	}{
		{nil, nil, "[Gus Robot Mel Gone]", "[Gus Robot Mel]"},
		{&audit.Selection{Guests: true}, nil, "[Gus Robot Mel Gone]", "[Gus]"},
		{&audit.Selection{Guests: true, Bots: true}, nil, "[Gus Robot Mel Gone]", "[Gus Robot]"},
		{&audit.Selection{Person: "robot"}, &audit.Person{AccountID: 3}, "[Robot Mel]", "[]"},
	} {
		a.Selection, a.Person = test.selection, test.person
		if all, shown := names(); fmt.Sprint(all) != test.all || fmt.Sprint(shown) != test.shown {
			t.Errorf("%+v: the page has %v and lists %v, want %s and %s", test.selection, all, shown, test.all, test.shown)
		}
	}
}
