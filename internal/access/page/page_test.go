package page_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/page"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
)

func TestWriteHTML_ContentPolicy_Strict(t *testing.T) {
	page := pageOf(t, &report.Report{FormatVersion: report.FormatVersion})
	policy := html.UnescapeString(between(t, page, `http-equiv="Content-Security-Policy" content="`, `"`))
	if !strings.HasPrefix(policy, "default-src 'none';") {
		t.Errorf("the policy allows by default: %s", policy)
	}
	// A browser runs and applies only contents with these hashes. With a wrong hash, the page has no filters or colours.
	for directive, text := range map[string]string{
		"style-src":  between(t, page, "<style>", "</style>"),
		"script-src": between(t, page, "<script>", "</script>"),
	} {
		sum := sha256.Sum256([]byte(text))
		if want := fmt.Sprintf("%s 'sha256-%s'", directive, base64.StdEncoding.EncodeToString(sum[:])); !strings.Contains(policy, want) {
			t.Errorf("the policy is %s, want %s", policy, want)
		}
	}
	for _, reference := range regexp.MustCompile(`(?:src|href|action)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(reference[1], "#") && reference[1] != "data:," {
			t.Errorf("the page refers to %q", reference[1])
		}
	}
}

func TestWriteHTML_RepeatedUsers_NamedOnce(t *testing.T) {
	var accounts []*report.Account
	for i := range 500 {
		accounts = append(accounts, &report.Account{ID: int64(i + 1), Name: fmt.Sprintf("Person-%03d", i), Role: "member"})
	}
	everybody := report.PeopleOf(accounts...)
	r := &report.Report{FormatVersion: report.FormatVersion, Accounts: accounts}
	for i := range 100 {
		r.Channels = append(r.Channels, &report.Channel{Name: fmt.Sprint("channel-", i), Permissions: []*report.PermissionChange{
			{Name: "can_send_message_group", Text: "post", Gain: everybody},
			{Name: "can_read", Text: "read", Lose: everybody},
		}})
	}
	page := pageOf(t, r)
	// In the set, in the list of all accounts, and in the data.
	if got := strings.Count(page, "Person-499"); got != 3 {
		t.Errorf("somebody who gains and loses in 100 channels is named %d times, want 3", got)
	}
	// A hundred channels with the same effects are one row for each change. It names the first five channels, and the others
	// are closed.
	if rows, places := strings.Count(page, "<tr data-permissions"), strings.Count(page, " data-place="); rows != 2 || places != 100 || !strings.Contains(page, "<summary>and 95 more</summary>") {
		t.Errorf("%d channels have %d rows", places, rows)
	}
}

// The page doesn't repeat 5,000 people in each of many channels from which one of them is missing.
func TestWriteHTML_LargeSets_DifferenceWritten(t *testing.T) {
	page := pageOf(t, everyPermission(50, 500, true))
	if got := strings.Count(page, "Person-499\u2069"); got > 3 {
		t.Errorf("somebody who loses everywhere is named in %d sets", got)
	}
	want := `<h3>499 accounts</h3><p><a href="#who-1">Those 499 accounts</a> <strong>without</strong> ` + "\u2068Person-1\u2069" +
		` <strong>and</strong> ` + "\u2068Person-0\u2069</p>"
	if !strings.Contains(page, want) {
		t.Errorf("the page does not hold %s", want)
	}
	var data struct {
		Sets [][]int `json:"sets"`
	}
	if err := json.Unmarshal([]byte(between(t, page, `id="data">`, "</script>")), &data); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(data.Sets[2]); got != "[1 1 0]" {
		t.Errorf("the script knows the second set of 499 as %s", got)
	}
	if size := len(page); size > 1_000_000 {
		t.Errorf("the page has %d bytes", size)
	}
}

func TestWriteHTML_SameNames_Distinguished(t *testing.T) {
	one := &report.Account{ID: 1, Name: "Kim", Email: "kim@example.com", Role: "member"}
	two := &report.Account{ID: 2, Name: "Kim", Email: "kim@partner.example", Role: "guest"}
	page := pageOf(t, &report.Report{
		FormatVersion: report.FormatVersion, Accounts: []*report.Account{one, two},
		Channels: []*report.Channel{{Name: "general", Permissions: []*report.PermissionChange{
			{Name: "can_read", Text: "read", Gain: report.PeopleOf(two)},
		}}},
	})
	if want := "(\u2068kim@partner.example\u2069, guest)"; !strings.Contains(page, want) {
		t.Errorf("who gains is not told apart from the namesake by %q", want)
	}
}

// The page shows the first 50 accounts, closes the others, and writes a long list of members as its difference.
func TestWriteHTML_LongLists_Shortened(t *testing.T) {
	r := &report.Report{FormatVersion: report.FormatVersion}
	var emails []string
	for id := range 60 {
		account := &report.Account{ID: int64(id), Name: fmt.Sprint("Person-", id), Email: fmt.Sprintf("p%d@example.com", id)}
		emails = append(emails, account.Email)
		r.People = append(r.People, &report.Person{Account: account, Action: report.Create, Role: report.Change{After: report.ValueOf("member")}})
	}
	r.Groups = []*report.Group{{Name: "g", Action: report.Update, Members: report.Change{Before: report.Value{Values: emails[1:]}, After: report.Value{Values: emails}}}}
	open, closed, _ := strings.Cut(pageOf(t, r), "<summary>10 more accounts</summary>")
	if rows, more := strings.Count(open, "<tr data-item"), strings.Count(closed, "<tr data-item"); rows != 50 || more != 10 {
		t.Errorf("%d accounts are shown, and %d closed", rows, more)
	}
	if want := `+ <span class="value"><bdi>p0@example.com</bdi></span> <small>(59 before, 60 after)</small>`; !strings.Contains(closed, want) {
		t.Errorf("the difference of the members is not %s", want)
	}
}

func TestWriteHTML_Unknown_Shown(t *testing.T) {
	page := pageOf(t, &report.Report{
		FormatVersion: report.FormatVersion, Offline: true,
		Channels: []*report.Channel{{Name: "general", Permissions: []*report.PermissionChange{{
			Name: "can_read", Text: "read", Unknown: true,
			Change: report.Change{Before: report.Value{Values: []string{"role:members"}}, After: report.Value{Unknown: true}},
		}}}},
	})
	for _, want := range []string{"The organization wasn't read.", "not known yet</b>", `<td class="unknown">not known yet</td>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(page, "<td>–") {
		t.Error("the page says that nobody gains or loses what is not known")
	}
}

// written is a report or an audit as one of the functions writes it.
func written[T any](t *testing.T, write func(io.Writer, T) error, of T) string {
	t.Helper()
	var text strings.Builder
	if err := write(&text, of); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func pageOf(t *testing.T, r *report.Report) string { return written(t, page.Write, r) }

func auditPageOf(t *testing.T, a *audit.Audit) string { return written(t, page.WriteAudit, a) }

func between(t *testing.T, text, begin, end string) string {
	t.Helper()
	_, text, found := strings.Cut(text, begin)
	text, _, ends := strings.Cut(text, end)
	if !found || !ends {
		t.Fatalf("nothing is between %q and %q", begin, end)
	}
	return text
}

// everyPermission is a review in which every permission of many channels changes. The changes are for the same few sets of
// many people, or for nearly everyone in each channel.
func everyPermission(channels, accounts int, own bool) *report.Report {
	r := &report.Report{FormatVersion: report.FormatVersion}
	for id := range accounts {
		r.Accounts = append(r.Accounts, &report.Account{ID: int64(id), Name: fmt.Sprint("Person-", id), Email: fmt.Sprintf("p%d@example.com", id), Role: "member"})
	}
	half := report.PeopleOf(r.Accounts[:accounts/2]...)
	for i := range channels {
		lose := report.PeopleOf(r.Accounts[accounts/2:]...)
		if own {
			lose = report.PeopleOf(append(append([]*report.Account{}, r.Accounts[:i]...), r.Accounts[i+1:]...)...)
		}
		channel := &report.Channel{Name: fmt.Sprint("channel-", i), Action: report.Update, Resources: []string{fmt.Sprintf("zulip_channel.all[%d]", i)}}
		for _, name := range permission.ChannelPermissions {
			channel.Permissions = append(channel.Permissions, &report.PermissionChange{
				Name: string(name), Text: name.InWords(), Gain: half, Lose: lose,
				Change: report.Change{Before: report.Value{Values: []string{"role:members"}}, After: report.Value{Values: []string{fmt.Sprint("group:g", i)}}},
			})
		}
		r.Channels = append(r.Channels, channel)
	}
	return r
}

func BenchmarkWriteHTML(b *testing.B) {
	for name, own := range map[string]bool{"alike": false, "each its own": true} {
		b.Run(name, func(b *testing.B) {
			r := everyPermission(1000, 5000, own)
			b.ReportAllocs()
			for b.Loop() {
				size := new(counter)
				if err := page.Write(size, r); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(*size)/1e6, "MB")
			}
		})
	}
}

// counter counts the written bytes.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return io.Discard.Write(p)
}

// pageData is the part of the script's data on the page of an audit that tests check.
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

// The page has people in many channels once, and equal permissions of many channels once.
func TestWriteAudit_RepeatedFacts_WrittenOnce(t *testing.T) {
	a := &audit.Audit{Complete: true}
	var everybody []*report.Account
	for i := range 500 {
		account := &report.Account{ID: int64(i + 1), Name: fmt.Sprintf("Person-%03d", i), Role: "member"}
		everybody = append(everybody, account)
		a.Accounts = append(a.Accounts, &audit.Account{Account: account, IsActive: true})
	}
	a.Sets = []*report.People{report.PeopleOf(everybody...), report.PeopleOf(slices.Delete(slices.Clone(everybody), 100, 101)...), {}}
	for i := range 100 {
		a.Channels = append(a.Channels, &audit.Channel{Name: fmt.Sprint("channel-", i), Permissions: []*audit.EffectivePermission{
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

// An audit of guests lists only guests, and an audit of one person only the people whom it names.
func TestWriteAudit_Selection_UsersListed(t *testing.T) {
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
