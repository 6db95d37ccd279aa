package page_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/page"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
)

func TestWriteHTMLLetsNothingElseIn(t *testing.T) {
	page := pageOf(t, &report.Report{FormatVersion: report.FormatVersion})
	policy := html.UnescapeString(between(t, page, `http-equiv="Content-Security-Policy" content="`, `"`))
	if !strings.HasPrefix(policy, "default-src 'none';") {
		t.Errorf("the policy allows by default: %s", policy)
	}
	// A browser runs and applies only what has these hashes: one that is wrong is a page without filters or colours.
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

func TestWriteHTMLEscapesEveryName(t *testing.T) {
	const evil = `</script><b id="evil">"'&`
	account := &report.Account{ID: 1, Name: evil, Address: evil, Role: "member"}
	people := report.PeopleOf(account)
	value := report.Value{Texts: []string{evil}}
	change := report.Change{Before: value, After: report.Value{Texts: []string{evil, evil}}}
	rights := []*report.Right{{Name: evil, Text: evil, Change: change, Gain: people, Lose: people, Unknown: true, Why: evil}}
	page := pageOf(t, &report.Report{
		FormatVersion: evil, Site: evil, Organization: evil, Provider: evil,
		Verdict:  report.Verdict{Text: evil, Categories: []report.Category{evil}},
		Risks:    []report.Risk{{Category: evil, Where: evil, Text: evil}},
		Channels: []*report.Channel{{Name: evil, OldName: evil, Addresses: []string{evil}, Privacy: change, Rights: rights, Joins: people}},
		Groups:   []*report.Group{{Name: evil, OldName: evil, Addresses: []string{evil}, Members: change, Subgroups: change, Rights: rights}},
		People:   []*report.Person{{Account: account, Addresses: []string{evil}, Role: change}},
		Rights:   rights, Unknown: []string{evil}, Accounts: []*report.Account{account},
	})
	if strings.Contains(page, "<b id=") || strings.Contains(page, `class="word </`) {
		t.Error("a name became an element")
	}
	if got := strings.Count(page, "</script>"); got != 2 {
		t.Errorf("%d scripts end in the page, want its own and its data", got)
	}
}

func TestWriteHTMLSaysWhoOnce(t *testing.T) {
	var accounts []*report.Account
	for i := range 500 {
		accounts = append(accounts, &report.Account{ID: int64(i + 1), Name: fmt.Sprintf("Person-%03d", i), Role: "member"})
	}
	everybody := report.PeopleOf(accounts...)
	r := &report.Report{FormatVersion: report.FormatVersion, Accounts: accounts}
	for i := range 100 {
		r.Channels = append(r.Channels, &report.Channel{Name: fmt.Sprint("channel-", i), Rights: []*report.Right{
			{Name: "can_send_message_group", Text: "post", Gain: everybody},
			{Name: "can_read", Text: "read", Lose: everybody},
		}})
	}
	page := pageOf(t, r)
	// In the set, in the list of all accounts, and in the data.
	if got := strings.Count(page, "Person-499"); got != 3 {
		t.Errorf("somebody who gains and loses in 100 channels is named %d times, want 3", got)
	}
	// A hundred channels in which the same happens are one row for each change, the first five by name and the others closed.
	if rows, places := strings.Count(page, "<tr data-rights"), strings.Count(page, " data-place="); rows != 2 || places != 100 || !strings.Contains(page, "<summary>and 95 more</summary>") {
		t.Errorf("%d channels have %d rows", places, rows)
	}
}

// Five thousand people less one, another one in each of many channels, are not named in each.
func TestWriteHTMLTellsLargeSetsByTheirDifference(t *testing.T) {
	page := pageOf(t, everyRight(50, 500, true))
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

func TestWriteHTMLTellsNamesakesApart(t *testing.T) {
	one := &report.Account{ID: 1, Name: "Kim", Address: "kim@example.com", Role: "member"}
	two := &report.Account{ID: 2, Name: "Kim", Address: "kim@partner.example", Role: "guest"}
	page := pageOf(t, &report.Report{
		FormatVersion: report.FormatVersion, Accounts: []*report.Account{one, two},
		Channels: []*report.Channel{{Name: "general", Rights: []*report.Right{
			{Name: "can_read", Text: "read", Gain: report.PeopleOf(two)},
		}}},
	})
	if want := "(\u2068kim@partner.example\u2069, guest)"; !strings.Contains(page, want) {
		t.Errorf("who gains is not told apart from the namesake by %q", want)
	}
}

func TestWriteHTMLSaysWhatIsNotKnown(t *testing.T) {
	page := pageOf(t, &report.Report{
		FormatVersion: report.FormatVersion, Offline: true,
		Channels: []*report.Channel{{Name: "general", Rights: []*report.Right{{
			Name: "can_read", Text: "read", Unknown: true,
			Change: report.Change{Before: report.Value{Texts: []string{"role:members"}}, After: report.Value{Unknown: true}},
		}}}},
	})
	for _, want := range []string{"The organization was not asked.", "not known yet</b>", `<td class="unknown">not known yet</td>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(page, "<td>–") {
		t.Error("the page says that nobody gains or loses what is not known")
	}
}

func pageOf(t *testing.T, r *report.Report) string {
	t.Helper()
	var text strings.Builder
	if err := page.Write(&text, r); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func between(t *testing.T, text, begin, end string) string {
	t.Helper()
	_, text, found := strings.Cut(text, begin)
	text, _, ends := strings.Cut(text, end)
	if !found || !ends {
		t.Fatalf("nothing is between %q and %q", begin, end)
	}
	return text
}
