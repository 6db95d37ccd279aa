package browser_test

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/page"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// shown returns the names that a list on the audit's page shows.
func (tab *tab) shown(list string) string {
	tab.t.Helper()
	selector := map[string]string{
		"channels": `.matrix tbody th > bdi`, "groups": `[data-list="groups"] .item summary > bdi`,
		"people": `[data-list="people"] tbody th bdi`, "organization": `[data-list="organization"] .rows > li > .permission`,
		"findings": `[data-finding] .where`,
	}[list]
	return eval[string](tab, fmt.Sprintf(`[...document.querySelectorAll(%q)].filter((one) => one.checkVisibility()).map((one) => one.textContent.trim()).join(" | ")`, selector))
}

// wantShown checks what lists show.
func (tab *tab) wantShown(want map[string]string) {
	tab.t.Helper()
	for list, want := range want {
		if got := tab.shown(list); got != want {
			tab.t.Errorf("of the %s it shows %q, want %q", list, got, want)
		}
	}
}

// search types into the search field, and waits until the page shows the result.
func (tab *tab) search(text, found string) {
	tab.t.Helper()
	tab.choose(map[string]string{"search": text})
	tab.wantText("#found", found)
}

func TestBrowserAudit_Opened_Complete(t *testing.T) {
	tab := openAudit(t, sampleAudit(), "", 1280, 900)
	if first := strings.TrimSpace(eval[string](tab, `document.querySelector("header").innerText`)); !strings.HasPrefix(first, audit.IncompleteText) {
		t.Errorf("the page begins with %.80q", first)
	}
	tab.wantText("h1", "5 findings: 1 high, 2 medium, 2 low. 4 channels, 2 user groups, 7 accounts (1 guest, 1 bot).")
	tab.wantText(".note", "The account can't see the subscribers of 1 channel.")
	tab.wantShown(map[string]string{
		"findings": `bot terraform-bot@example.com | channel "incidents" | user group "on-call" | channel "board", channel ` + scriptName,
		"channels": "board | " + scriptName + " | incidents | قناة الطوارئ (عاجل)",
		"groups":   "on-call | " + endName,
		"people":   "Terraform | Grace Guest | Ada Lovelace | " + quoteName + " | " + endName + " | " + arabicName + " | Alan Turing",
	})
	for selector, want := range map[string]string{
		".matrix tbody:nth-of-type(1)": "private, with protected history · Leadership · 1\u00a0subscriber",
		".matrix tbody:nth-of-type(3)": "internet", `.matrix tbody:nth-of-type(3) td[data-permission="can_read"]`: "1 guest",
		`.matrix tbody:nth-of-type(3) td[data-permission="can_send_message_group"]`: "?",
		`[data-list="groups"]`: "3 accounts, 2 directly", `[data-list="organization"]`: "create public channels",
		`[data-finding="0"]`: "Concerns Terraform (the provider's account, bot)",
	} {
		tab.wantText(selector, want)
	}
	tab.click(".matrix tbody:nth-of-type(2) summary")
	tab.wantText(".matrix details[open]", "group:"+endName)
	tab.wantText(".matrix details[open]", "Ada Lovelace")
	tab.click(".matrix details[open] .effects details summary")
	tab.wantText(".matrix details[open]", quoteName)
	tab.click(`[data-list="groups"] summary`)
	tab.wantText(`[data-list="groups"] details[open]`, "group:night")
	tab.click(`[data-finding="3"] summary`)
	tab.wantText(`[data-finding="3"] .places`, "Managed by zulip_channel.board")
	tab.wantText(`[data-finding="3"] .places`, "zulip_channel.all["+scriptName+"]")
	tab.click(`[data-finding="2"] summary`)
	tab.wantText(`[data-finding="2"] .places`, "Deactivated: Gone Gary (deactivated)")
	if got := eval[int](tab, `document.querySelectorAll("img, script:not([type]) ~ script:not([type])").length`); got != 0 {
		t.Errorf("%d elements came out of names", got)
	}
	tab.keepWhole("audit-light")
}

func TestBrowserAuditSearch(t *testing.T) {
	tab := openAudit(t, sampleAudit(), "", 1280, 900)
	tab.search("INCID", "Found: 1 finding, 1 channel.")
	tab.wantShown(map[string]string{"channels": "incidents", "findings": `channel "incidents"`, "groups": "", "people": ""})
	tab.search("leadership", "Found: 1 channel.") // the folder
	tab.wantShown(map[string]string{"channels": "board", "findings": ""})
	tab.search("on-call", "Found: 1 finding, 1 user group.")
	tab.wantShown(map[string]string{"groups": "on-call", "channels": ""})
	tab.search("ada@", "Found: 2 findings, 1 account.")
	tab.wantShown(map[string]string{"people": "Ada Lovelace", "findings": `channel "board", channel ` + scriptName})
	tab.wantText("#hits", "Ada Lovelace")
	tab.search("gary", "Found: 1 finding.")
	tab.search("zoe", "No results for “zoe”.")
	tab.wantText(`[data-list="channels"]`, "Nothing matches the filter.")
	tab.search("board", "Found: 1 finding, 1 channel.") // the one of two places that is searched for
	tab.wantShown(map[string]string{"findings": `channel "board"`})
	if hash := eval[string](tab, `location.hash`); hash != "#find=board" {
		t.Errorf("the address says %s", hash)
	}
	tab.click("#filter button")
	tab.wantText("#people ~ table", "Grace Guest")
	tab.wantShown(map[string]string{"findings": tab.shown("findings"), "groups": "on-call | " + endName})
}

// Accepted findings are a separate list. Its title is hidden with it if the list shows none.
func TestBrowserAudit_AcceptedFindings_ListedSeparately(t *testing.T) {
	a := sampleAudit()
	last := a.Findings[len(a.Findings)-1]
	last.Accepted = &audit.Acceptance{Reason: "<i>wanted</i>", Until: "2027-06-30"}
	a.Findings[0].Expired = &audit.Acceptance{Reason: "over", Until: "2026-01-01"}
	a.Warnings = []string{"accepted.hcl:3 accepts nothing: <b>gone</b>"}
	tab := openAudit(t, a, "", 1280, 900)
	tab.wantText("h1", "4 findings: 1 high, 2 medium, 1 low; 1 accepted until 2027-06-30.")
	tab.wantText("#warnings + ul", "accepted.hcl:3 accepts nothing: <b>gone</b>")
	tab.wantText("#findings ~ .risks", "Not accepted since 2026-01-01. The reason was: over.")
	tab.wantText("#accepted + .risks", "Accepted until 2027-06-30: <i>wanted</i>.")
	tab.click(`#accepted + .risks summary`)
	tab.wantText("#accepted + .risks .places", "zulip_channel.all["+scriptName+"]")
	isTitled := func() bool { return eval[bool](tab, `document.getElementById("accepted").checkVisibility()`) }
	if !isTitled() {
		t.Error("the accepted findings have no title")
	}
	tab.choose(map[string]string{"severity": "medium"})
	tab.wantText("#found", "Found: 2 findings.")
	if isTitled() {
		t.Error("the title of the accepted findings is shown without any")
	}
	tab.keepWhole("audit-accepted")
}

func TestBrowserAudit_Filters_FindingsReduced(t *testing.T) {
	tab := openAudit(t, sampleAudit(), "", 1280, 900)
	tab.choose(map[string]string{"severity": "medium"})
	tab.wantText("#found", "Found: 2 findings.")
	tab.wantShown(map[string]string{"findings": `channel "incidents" | user group "on-call"`})
	tab.choose(map[string]string{"kind": "internet"})
	tab.wantText("#found", "Found: 1 finding.")
	tab.wantShown(map[string]string{"findings": `channel "incidents"`})
	tab.choose(map[string]string{"severity": "high"})
	tab.wantText("#findings ~ [data-none]", "No findings match the filter.")
	tab.wantText("#found", "No results for high, internet.")

	tab = openAudit(t, sampleAudit(), "#find=board&severity=low", 1280, 900)
	tab.wantText("#found", "Found: 1 finding, 1 channel.")
	if got := eval[string](tab, `document.getElementById("search").value + document.getElementById("severity").value`); got != "boardlow" {
		t.Errorf("an address that was passed on fills the fields with %q", got)
	}
}

func TestBrowserAuditOfOnePerson(t *testing.T) {
	tab := openAudit(t, sampleAudit(), "#find=board", 1280, 900)
	tab.wantText("#found", "1 channel")
	eval[bool](tab, `location.hash = "#person=1", true`)
	tab.wantText("#person h2", "Ada Lovelace")
	for _, want := range []string{"Owns Terraform", "2 findings concern this account", "administer the channel user:ada@example.com", "manage the group role:owners", "invite people role:everyone", "audit --person ada@example.com"} {
		tab.wantText("#person", want)
	}
	tab.click("#person > p > button")
	if !eval[bool](tab, `new Promise((resolve) => {
		const begun = performance.now(), isGone = () => !document.getElementById("person").checkVisibility();
		const look = () => isGone() || performance.now() - begun > 20_000 ? resolve(isGone()) : requestAnimationFrame(look);
		look();
	})`) {
		t.Error("the person is still shown")
	}
	if hash := eval[string](tab, `location.hash`); hash != "#find=board" {
		t.Errorf("after the person the address says %s, want what was searched for before", hash)
	}

	tab = openAudit(t, personAudit(), "", 1280, 900)
	tab.wantText("#person h2", "Grace Guest")
	for _, want := range []string{"on-call through group:on-call > group:night", "read subscriber", "In channels (2)"} {
		tab.wantText("#person", want)
	}
	tab.search("lob", "“lob”")
	tab.wantText("#person", "In channels (1)")
	if text := eval[string](tab, `document.getElementById("person").innerText`); strings.Contains(text, "board") || !strings.Contains(text, "lobby") {
		t.Errorf("a search for a channel leaves %q", text)
	}
	tab.keepWhole("audit-person")
}

func TestBrowserAuditByKeyboard(t *testing.T) {
	tab := openAudit(t, sampleAudit(), "", 1280, 900)
	tabTo := func(want string) {
		t.Helper()
		for range 40 {
			tab.do(chromedp.KeyEvent(kb.Tab))
			if eval[bool](tab, fmt.Sprintf(`document.activeElement.matches(%q)`, want)) {
				return
			}
		}
		t.Fatalf("Tab does not come to %q", want)
	}
	tabTo(".skip")
	tab.do(chromedp.KeyEvent(kb.Enter))
	tabTo("#search, #severity")
	eval[bool](tab, `document.getElementById("search").focus(), true`)
	tab.do(chromedp.KeyEvent("alan"))
	tab.wantText("#hits", "Alan Turing")
	tab.do(chromedp.KeyEvent(kb.Enter))
	tab.wantText("#person", "alan@example.com")
	if got := eval[string](tab, `document.activeElement.id`); got != "person-name" {
		t.Errorf("the focus is on %q, not on the person who was found", got)
	}
	tab.wantText("#person", "Member of on-call")

	tab = openAudit(t, sampleAudit(), "#find=board", 1280, 900)
	tab.wantText("#found", "1 channel")
	tabTo(`.matrix summary`)
	tab.do(chromedp.KeyEvent(kb.Enter))
	tab.wantText(".matrix details[open]", "user:ada@example.com")
}

func TestBrowserAuditNarrowAndDark(t *testing.T) {
	tab := openAudit(t, sampleAudit(), "", 390, 844, prefersDark)
	if wide := eval[int](tab, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("on a screen of 390 the page is %d wide", wide)
	}
	tab.wantText(".matrix tbody", "board")
	dark := eval[string](tab, `getComputedStyle(document.body).backgroundColor`)
	tab.keepWhole("audit-narrow")
	tab.click(`#theme input[value="light"] + span`)
	if light := eval[string](tab, `getComputedStyle(document.body).backgroundColor`); light == dark {
		t.Errorf("light and dark have the same paper: %s", light)
	}
	tab.do(chromedp.Navigate(tab.url + "#person=1"))
	tab.wantText("#person", "Ada Lovelace")
	if wide := eval[int](tab, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("with a person, on a screen of 390 the page is %d wide", wide)
	}
}

func TestBrowserAuditWithoutScript(t *testing.T) {
	tab := openAudit(t, sampleAudit(), "", 1280, 900, hasNoScript)
	text := eval[string](tab, `document.body.innerText`)
	for _, want := range []string{audit.IncompleteText, "Without JavaScript", "5 findings"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not show %q", want)
		}
	}
	// The page draws a finding when it comes into view. The test therefore checks its content and that it is not hidden.
	finding := eval[string](tab, `{
		const first = document.querySelector('[data-finding="0"]');
		first.checkVisibility() ? first.textContent : "it is hidden";
	}`)
	for _, want := range []string{"The bot is an administrator.", "Give the bot the role \"member\"."} {
		if !strings.Contains(finding, want) {
			t.Errorf("the first finding is %q, without %q", finding, want)
		}
	}
	tab.wantHolding(`[data-finding="3"] details`, "Managed by zulip_channel.board")
	if eval[bool](tab, `document.getElementById("filter").checkVisibility()`) {
		t.Error("it offers filters that do nothing")
	}
}

// The page of a comparison of audits is the page of a review with different words.
func TestBrowserAuditChanges(t *testing.T) {
	r := sample()
	r.Since, r.Provider = "the audit of 2026-02-28 04:00 UTC", ""
	tab := open(t, r, 1280, 900)
	if first := strings.TrimSpace(eval[string](tab, `document.querySelector("header").innerText`)); !strings.HasPrefix(first, report.IncompleteText) {
		t.Errorf("the page begins with %.80q", first)
	}
	tab.wantText("header", "Access changes · Example & Söhne")
	tab.wantText("header", "https://chat.example.com compared with the audit of 2026-02-28 04:00 UTC")
	tab.wantText("#people ~ table", "Change")
	if text := eval[string](tab, `document.body.innerText`); strings.Contains(text, "Role before the plan") {
		t.Error("it speaks of a plan")
	}
}

// A page shows the first rows of hundreds of channels immediately, and searches them immediately. With ZULIP_TEST_ALL=1 it
// has 2,000 channels and 5,000 people.
func TestBrowserAuditOfLargeOrganization(t *testing.T) {
	channels, people := sized(2000), sized(5000)
	a := largeAudit(channels, people)
	some := a.Channels[channels*8/9/2*2] // every second one has a finding
	begun := time.Now()
	var text bytes.Buffer
	if err := page.WriteAudit(&text, a); err != nil {
		t.Fatal(err)
	}
	written, size := time.Since(begun), text.Len()
	tab := openPage(t, text.Bytes(), 1280, 900, countComputing)
	eval[bool](tab, drawn)
	ready := eval[float64](tab, `performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`)
	painted := eval[float64](tab, `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1`)
	computed := get(tab, computing)
	if rows := eval[int](tab, `document.querySelectorAll(".matrix tbody").length`); rows != 50 {
		t.Errorf("%d of %d channels are made before anybody asks for more", rows, channels)
	}
	tab.wantText(`[data-list="channels"] [data-more]`, "Show 200 more of "+strings.Fields(report.Counted(channels-50, "channel"))[0])
	tab.search(some.Name, "Found: 1 finding, 1 channel.")
	tab.wantShown(map[string]string{"channels": some.Name, "findings": fmt.Sprintf("channel %q", some.Name)})
	tab.click(".matrix summary")
	tab.wantText(".matrix details[open]", some.Permissions[0].Value[0])
	tab.click(".matrix details[open] .effects details summary")
	tab.wantText(".matrix details[open] .effects details", "Person ")
	var names []string
	for account := range a.Sets[*some.Subscribers].All() {
		names = append(names, account.Name)
	}
	if got := eval[string](tab, `[...document.querySelectorAll(".matrix .effects details[open] bdi")].map((one) => one.textContent).sort().join()`); got != strings.Join(slices.Sorted(slices.Values(names)), ",") {
		t.Errorf("the subscribers are %s, want %s", got, names)
	}
	tab.search("person0777@", "1 account")
	tab.wantText("#hits", "Person 0777")
	tab.do(chromedp.Navigate(tab.url + "#person=777"))
	tab.wantText("#person", "In channels (")
	tab.search("", "")
	tab.click(`[data-list="channels"] [data-more]`)
	if rows := eval[int](tab, `document.querySelectorAll(".matrix tbody").length`); rows != 250 {
		t.Errorf("%d channels are shown after more were asked for", rows)
	}
	tab.click(`[data-list="channels"] [data-all]`)
	if rows := eval[int](tab, `document.querySelectorAll(".matrix tbody").length`); rows != channels {
		t.Errorf("%d channels are shown after all were asked for", rows)
	}
	tab.keep("audit-large")
	acctest.Report(func(w io.Writer) {
		fmt.Fprintf(w, "The page of an audit of %d channels and %d people, each channel with its own: %.1f MB, written in %d ms; in a browser content after %.0f ms, all of it after %.0f ms, %.0f ms of computing until it was drawn.\n",
			len(a.Channels), len(a.Accounts), float64(size)/1e6, written.Milliseconds(), painted, ready, computed)
	})
	if limit := 20_000.0; ready > limit {
		t.Errorf("it is ready after %.0f ms", ready)
	}
}
