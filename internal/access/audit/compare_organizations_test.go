package audit_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/markdown"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

func compare(t *testing.T, before, after *audit.Audit) (*report.Report, string) {
	t.Helper()
	changes, err := audit.Compare(before, after)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := markdown.Write(&text, changes); err != nil {
		t.Fatal(err)
	}
	return changes, text.String()
}

// reread is an audit as a file keeps it.
func reread(t *testing.T, a *audit.Audit) *audit.Audit {
	t.Helper()
	var text bytes.Buffer
	if err := a.Write(&text); err != nil {
		t.Fatal(err)
	}
	read, err := audit.Read(&text)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// What comes and goes is said as such, and not of every right.
func TestCompareWhatComesAndGoes(t *testing.T) {
	o := office(t)
	newChannel(t, o, "kept", nil)
	newChannel(t, o, "left", map[string]string{"subscribers": fmt.Sprintf("[%d]", id(t, o, "mel"))})
	group := newGroup(t, o, "gone", "mel", "max")
	before := reread(t, auditOf(t, o, audit.Selection{}))
	if changes, text := compare(t, before, auditOf(t, o, audit.Selection{})); changes.Verdict.Text != "Nobody gains or loses a right." {
		t.Errorf("nothing has changed:\n%s", text)
	}
	o.Archive(t, "left")
	newChannel(t, o, "new", nil)
	o.Call(t, "POST", fmt.Sprintf("/user_groups/%d/deactivate", group), nil)
	o.Call(t, "DELETE", fmt.Sprintf("/users/%d", id(t, o, "max")), nil)
	o.Call(t, "POST", "/users", map[string]string{"email": "new@example.com", "full_name": "Nell", "password": "long enough"})
	changes, text := compare(t, before, auditOf(t, o, audit.Selection{}))
	expectText(t, text, "### Access changes", "compared with the audit of", "| `left` (archived) |", "| `new` (new) |", "| `gone` (deactivated) |", "| `Max` | deactivated | `member` | – |", "| `Nell` | new | – | `member` |")
	for _, channel := range changes.Channels {
		if channel.Name == "kept" {
			t.Errorf("it is said of a channel that stays: %+v", channel.Rights[0])
		}
	}
	if len(changes.Rights) > 0 {
		t.Errorf("it is said of the organization: %+v", changes.Rights[0])
	}
}

// Two organizations are matched by names and addresses.
func TestCompareTwoOrganizations(t *testing.T) {
	staging := acctest.StartSandbox(t, sandbox.Config{})
	before := auditOf(t, staging, audit.Selection{})
	production := acctest.StartSandbox(t, sandbox.Config{})
	newChannel(t, production, "moves ids", nil)
	production.Archive(t, "moves ids")
	production.Call(t, "PATCH", fmt.Sprintf("/streams/%d", production.MustChannel(t, "announcements").ID), map[string]string{
		"can_send_message_group": fmt.Sprintf(`{"new":%d}`, production.SystemGroup(t, "role:administrators")),
	})
	after := auditOf(t, production, audit.Selection{})
	before.Site = "https://staging.example.com"
	for _, account := range before.Accounts { // IDs of the other organization mean somebody else here
		account.ID += 1000
		if account.OwnerID > 0 {
			account.OwnerID += 1000
		}
	}
	before.AccountID += 1000
	for _, channel := range before.Channels {
		channel.ID += 1000
	}
	for _, group := range before.Groups {
		for i := range group.Members {
			group.Members[i] += 1000
		}
	}
	changes, text := compare(t, reread(t, before), after)
	if len(changes.Channels) != 1 || changes.Channels[0].Name != "announcements" || len(changes.Groups)+len(changes.People)+len(changes.Rights) > 0 {
		t.Errorf("the organizations differ in one channel:\n%s", text)
	}
	expectText(t, text, "staging.example.com", "`Amara Okafor`")
}

func TestCompareRefuses(t *testing.T) {
	o := office(t)
	newChannel(t, o, "one", nil)
	all := auditOf(t, o, audit.Selection{})
	for _, bad := range []struct {
		selection audit.Selection
		says      string
	}{
		{audit.Selection{Guests: true}, "another part of the organization"},
		{audit.Selection{Channels: []string{"one"}}, "another part of the organization"},
		{audit.Selection{Person: "mel@example.com"}, "leave --person out"},
	} {
		if _, err := audit.Compare(all, auditOf(t, o, bad.selection)); err == nil || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("%+v: %v", bad.selection, err)
		}
	}
	one := auditOf(t, o, audit.Selection{Guests: true})
	o.Call(t, "POST", "/users/me/subscriptions", map[string]string{"subscriptions": `[{"name":"one"}]`, "principals": fmt.Sprintf("[%d]", id(t, o, "gus"))})
	changes, _ := compare(t, one, auditOf(t, o, audit.Selection{Guests: true}))
	if len(changes.Channels) != 1 || !slices.Contains(effects(changes), "channel one: gus@example.com gains can_read") {
		t.Errorf("guests: %q", effects(changes))
	}
	changes, text := compare(t, all, auditOf(t, o.As(t, "mel"), audit.Selection{}))
	if !slices.Contains(changes.Verdict.Categories, report.Unknown) || !strings.HasPrefix(text, "**This comparison is not complete") {
		t.Errorf("of an audit that is not complete the categories are %q, and the text is\n%.300s", changes.Verdict.Categories, text)
	}
}
