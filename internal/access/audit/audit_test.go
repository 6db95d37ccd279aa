package audit_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/markdown"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// auditOf audits an organization.
func auditOf(t testing.TB, o *acctest.Organization, selection audit.Selection) *audit.Audit {
	t.Helper()
	return auditWith(t, o, audit.Options{Selection: selection})
}

// makeAudit audits an organization with options, and sets the time unless they do.
func makeAudit(t testing.TB, o *acctest.Organization, options audit.Options) (*audit.Audit, error) {
	t.Helper()
	options.Site = "https://chat.example.com"
	if options.Now.IsZero() {
		options.Now = time.Now()
	}
	return audit.Make(t.Context(), store.New(o.Client, o.Self, 0, new(runstate.State)).OneAtATime(), options)
}

// auditWith audits an organization with options.
func auditWith(t testing.TB, o *acctest.Organization, options audit.Options) *audit.Audit {
	t.Helper()
	a, err := makeAudit(t, o, options)
	acctest.NoError(t, err)
	return a
}

func markdownOf(t testing.TB, a *audit.Audit) string {
	t.Helper()
	var text bytes.Buffer
	acctest.NoError(t, markdown.WriteAudit(&text, a))
	return text.String()
}

func expectText(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("the text does not hold %q:\n%.4000s", part, text)
		}
	}
}

// office is an organization of one account of each kind.
func office(t *testing.T) *acctest.Organization {
	t.Helper()
	return acctest.NewSandbox(t, sandbox.Config{Accounts: map[string]sandbox.Account{
		"owner":     {Email: "owner@example.com", FullName: "Olga", Role: 100, CanCreateUsers: true, CanChangeUserEmails: true},
		"admin":     {Email: "ada@example.com", FullName: "Ada", Role: 200},
		"moderator": {Email: "mo@example.com", FullName: "Mo", Role: 300},
		"mel":       {Email: "mel@example.com", FullName: "Mel", Role: 400},
		"max":       {Email: "max@example.com", FullName: "Max", Role: 400},
		"gus":       {Email: "gus@example.com", FullName: "Gus", Role: 600},
		"bot":       {Email: "news-bot@example.com", FullName: "News", Role: 400, IsBot: true, Owner: "mel"},
	}})
}

func id(t *testing.T, o *acctest.Organization, account string) int64 {
	t.Helper()
	credentials, ok := o.Sandbox.Credentials(account)
	if !ok {
		t.Fatalf("there is no account %q", account)
	}
	return int64(credentials.ID)
}

// newGroup creates a user group of accounts.
func newGroup(t *testing.T, o *acctest.Organization, name string, accounts ...string) int64 {
	t.Helper()
	ids := make([]string, len(accounts))
	for i, account := range accounts {
		ids[i] = fmt.Sprint(id(t, o, account))
	}
	made, _ := o.Call(t, "POST", "/user_groups/create", map[string]string{
		"name": name, "description": "", "members": "[" + strings.Join(ids, ",") + "]",
	})["group_id"].(float64)
	return int64(made)
}

// newChannel creates a channel. The account that creates it is a subscriber.
func newChannel(t *testing.T, o *acctest.Organization, name string, params map[string]string) int64 {
	t.Helper()
	all := map[string]string{"name": name, "subscribers": fmt.Sprintf("[%d]", o.Self.ID)}
	for key, value := range params {
		all[key] = value
	}
	made, _ := o.Call(t, "POST", "/channels/create", all)["id"].(float64)
	return int64(made)
}

func TestAudit_WrittenAndRead_Unchanged(t *testing.T) {
	a := auditOf(t, acctest.StartSandbox(t, sandbox.Config{}), audit.Selection{})
	if !a.Complete || a.Organization == "" || len(a.Channels) == 0 || len(a.Groups) == 0 || len(a.Permissions) == 0 {
		t.Errorf("%+v", a)
	}
	written := written(t, a)
	read, err := audit.Read([]byte(written))
	acctest.NoError(t, err)
	var again bytes.Buffer
	if err := read.Write(&again); err != nil || again.String() != written {
		t.Errorf("%v: read back it is\n%.2000s\nand it was\n%.2000s", err, again.String(), written)
	}
	for _, one := range []struct{ old, replaced, says string }{
		{`"format_version":"1.0"`, `"format_version":"3.0"`, `format version "3.0", and this version of the provider reads "1.0": make the earlier audit again`},
		{`"format_version":"1.0"`, `"format":"1.0"`, `format version ""`},
		{`"sets":[{"accounts":[`, `"sets":[{"accounts":[[0,9000000000000],`, "missing accounts"},
		{`"sets":[{"accounts":[`, `"sets":[{"accounts":[[1,0],`, "missing accounts"},
		{`"sets":[{"accounts":[`, `"sets":[{"accounts":[-1,`, "missing accounts"},
		{`"sets":[{"accounts":[`, `"sets":[{"accounts":["0",`, "it isn't an audit"},
		{`"sets":[`, `"sets":[null,`, "contains null"},
		{`"accounts":[{"id"`, `"accounts":[{},{"id"`, "contains null"},
		{`"subscribers":0`, `"subscribers":99999`, "have no target"},
		{`{`, `[`, "it isn't an audit"},
	} {
		if _, err := audit.Read([]byte(strings.Replace(written, one.old, one.replaced, 1))); err == nil || !strings.Contains(err.Error(), one.says) {
			t.Errorf("%s: %v", one.replaced, err)
		}
	}
}

// An audit takes four requests for an organization of any size: the snapshot, the end of its queue, the account's own
// bots, and the invitations.
func TestAudit_AnyOrganization_FourRequests(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	sent := o.Sent()
	auditOf(t, o, audit.Selection{})
	if n := len(sent.Requests()); n != 4 {
		t.Errorf("the audit sent %d requests", n)
	}
}

// If the account does not see everything, the text begins with that.
func TestAudit_ByMember_Incomplete(t *testing.T) {
	o := office(t)
	newChannel(t, o, "secret", map[string]string{"invite_only": "true"})
	for _, account := range []string{"mel", "gus"} {
		a := auditOf(t, o.As(t, account), audit.Selection{})
		if a.Complete || len(a.Missing) == 0 {
			t.Errorf("%s sees everything: %q", account, a.Missing)
		}
		text := markdownOf(t, a)
		if first, _, _ := strings.Cut(text, "\n"); !strings.Contains(first, "incomplete") {
			t.Errorf("the first line is %q", first)
		}
		if strings.Contains(text, "secret") {
			t.Errorf("the account does not see the channel:\n%s", text)
		}
	}
	if a := auditOf(t, o.As(t, "admin"), audit.Selection{}); !a.Complete {
		t.Errorf("an administrator does not see everything: %q", a.Missing)
	}
}

func TestAuditOfOnePerson(t *testing.T) {
	o := office(t)
	inner := newGroup(t, o, "inner", "mel")
	outer := newGroup(t, o, "outer", "max")
	o.Call(t, "POST", fmt.Sprintf("/user_groups/%d/subgroups", outer), map[string]string{"add": fmt.Sprintf("[%d]", inner)})
	newChannel(t, o, "plans", map[string]string{
		"invite_only": "true", "history_public_to_subscribers": "true", "can_administer_channel_group": fmt.Sprint(outer), "can_subscribe_group": fmt.Sprintf(`{"direct_members":[%d],"direct_subgroups":[]}`, id(t, o, "mel")),
	})
	text := markdownOf(t, auditOf(t, o, audit.Selection{Person: "MEL@example.com", Channels: []string{"plans"}}))
	expectText(t, text, "| `outer` | `group:outer > group:inner` |", "| `plans` | administer the channel | `group:outer > group:inner` |",
		"remove subscribers | `can_administer_channel_group: group:outer > group:inner` |", "| read and join | `can_subscribe_group: user:mel@example.com` |")
	newChannel(t, o, "news", map[string]string{"can_send_message_group": fmt.Sprintf(`{"direct_members":[%d],"direct_subgroups":[]}`, id(t, o, "mel"))})
	bot := auditOf(t, o, audit.Selection{Person: "news-bot@example.com"})
	found := false
	for _, scope := range bot.Person.Scopes {
		for _, permission := range scope.Permissions {
			if len(permission.Through) == 0 {
				t.Errorf("%s %s: can %s through nothing", scope.Kind, scope.Name, permission.Text)
			}
			found = found || strings.Contains(strings.Join(permission.Through, " "), "owner of the bot: user:mel@example.com")
		}
	}
	if !found {
		t.Errorf("the owner of the bot is not named: %+v", bot.Person)
	}
	owner := markdownOf(t, auditOf(t, o, audit.Selection{Person: "owner@example.com"}))
	expectText(t, owner, "`administrator of the organization`", "`subscriber`")
	o.Call(t, "DELETE", fmt.Sprintf("/users/%d", id(t, o, "mel")), nil)
	gone := auditOf(t, o, audit.Selection{Person: "mel@example.com"})
	if len(gone.Person.Scopes)+len(gone.Person.Groups) > 0 {
		t.Errorf("a deactivated person can %+v", gone.Person)
	}
	expectText(t, markdownOf(t, gone), "deactivated: the account has no access")
}

func TestAudit_Selection_Narrowed(t *testing.T) {
	o := office(t)
	newChannel(t, o, "one", map[string]string{"subscribers": fmt.Sprintf("[%d]", id(t, o, "gus"))})
	newChannel(t, o, "two", nil)
	one := auditOf(t, o, audit.Selection{Channels: []string{"ONE"}})
	if len(one.Channels) != 1 || one.Channels[0].Name != "one" || len(one.Groups)+len(one.Permissions) > 0 {
		t.Errorf("%+v", one)
	}
	guests := auditOf(t, o, audit.Selection{Guests: true})
	for _, set := range guests.Sets {
		if set.Len() != set.Guests {
			t.Errorf("there are others than guests: %+v", set)
		}
	}
	if len(guests.Channels) != 1 || guests.Channels[0].Name != "one" {
		t.Errorf("guests can do something in %d channels", len(guests.Channels))
	}
	for _, set := range auditOf(t, o, audit.Selection{Bots: true}).Sets {
		if set.Len() != set.Bots {
			t.Errorf("there are others than bots: %+v", set)
		}
	}
	for _, bad := range []struct {
		selection audit.Selection
		says      string
	}{
		{audit.Selection{Person: "mell@example.com"}, "no one with the email mell@example.com; did you mean mel@example.com"},
		{audit.Selection{Channels: []string{"tow"}}, `no channel "tow"; did you mean "two"`},
	} {
		if _, err := makeAudit(t, o, audit.Options{Selection: bad.selection}); err == nil || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("%+v: %v", bad.selection, err)
		}
	}
}

// A set is written once, as positions in the list of accounts. Adjacent positions are a range.
func TestAudit_Sets_WrittenAsRanges(t *testing.T) {
	a := &audit.Audit{FormatVersion: audit.FormatVersion}
	var all []*report.Account
	for i, role := range []string{"owner", "guest", "member", "member", "member", "member", "member"} {
		all = append(all, &report.Account{ID: int64(900 - 7*i), Role: role, IsBot: i == 6})
		a.Accounts = append(a.Accounts, &audit.Account{Account: all[i], IsActive: true})
	}
	a.Sets = []*report.People{
		report.PeopleOf(), report.PeopleOf(all...), report.PeopleOf(all[0], all[2], all[3], all[6]), report.PeopleOf(all[5], all[4], all[1]),
	}
	text := written(t, a)
	const want = `"sets":[{"accounts":[],"guests":0,"bots":0},{"accounts":[[0,6]],"guests":1,"bots":1},` +
		`{"accounts":[0,[2,3],6],"guests":0,"bots":1},{"accounts":[1,[4,5]],"guests":1,"bots":0}]`
	if !strings.Contains(text, want) {
		t.Errorf("the sets are not %s in\n%s", want, text)
	}
	read, err := audit.Read([]byte(text))
	acctest.NoError(t, err)
	for i, set := range read.Sets {
		if got, want := slices.Sorted(slices.Values(set.IDs())), slices.Sorted(slices.Values(a.Sets[i].IDs())); !slices.Equal(got, want) {
			t.Errorf("in set %d are %v, and were %v", i, got, want)
		}
	}
}
