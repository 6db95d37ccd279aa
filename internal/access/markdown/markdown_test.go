package markdown_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/markdown"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
)

func markdownOf(t *testing.T, r *report.Report) string {
	t.Helper()
	var text strings.Builder
	if err := markdown.Write(&text, r); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// evil are names that would be more than a name.
var evil = []string{
	"a | b", "`x`", "``` \n", "@everyone", "<script>alert(1)</script>", "[a](https://evil.example)", "![](https://evil.example/x.png)",
	"https://evil.example", "www.evil.example", "#1", "GH-1", "a\\|b", "**bold**", "- x\n- y", "a\r\nb", "|---|", "\u202egnihton", "&#124;",
	"<!-- ", "$x$", "owner/repo#1", "deadbeef1234567", "", " ", "~~x~~", "_x_", ":tada:", strings.Repeat("n", 5000),
}

// of is a review in which a name stands wherever there is one.
func of(name string) *report.Report {
	account := &report.Account{ID: 1, Name: name, Address: name, Role: "member"}
	people := report.PeopleOf(account)
	change := report.Change{Before: report.Value{Texts: []string{name}}, After: report.Value{Texts: []string{name + "x"}}}
	right := &report.Right{Name: "can_send_message_group", Text: "post", Change: change, Gain: people, Lose: people, Unknown: false, Why: name}
	return &report.Report{
		Site: name, Verdict: report.Verdict{Text: "One account gains a right.", Categories: []report.Category{report.Widening}},
		Risks:    []report.Risk{{Category: report.External, Where: "channel \"" + name + "\"", Text: name}},
		Channels: []*report.Channel{{Name: name, OldName: name + "y", Action: report.Update, Rights: []*report.Right{right}, Joins: people}},
		Groups:   []*report.Group{{Name: name, Action: report.Update, Rights: []*report.Right{right}, Joins: people, Members: change}},
		People:   []*report.Person{{Account: account, Role: change, Action: report.Update}},
		Rights:   []*report.Right{right}, Unknown: []string{name + " is not known yet."}, Rules: rulesOf(name),
	}
}

// rulesOf are rules that are broken and not proven, with a name wherever there is one.
func rulesOf(name string) []*report.Rule {
	person := &report.RulePerson{ID: 1, Name: name, Address: name, Role: "member", Through: []string{"group:" + name}}
	breach := &report.Breach{Where: "#" + name, Text: "1 account can read", People: []*report.RulePerson{person}, Changes: []string{name}}
	return []*report.Rule{
		{Name: name, At: "rules.zulip.hcl:1", Standing: report.RuleBroken, Breaches: []*report.Breach{breach}, Notes: []string{name}},
		{Name: name, At: "rules.zulip.hcl:9", Standing: report.RuleNotProven, Doubts: []string{name}},
	}
}

func TestNoNameIsMoreThanAName(t *testing.T) {
	for _, name := range evil {
		checkNames(t, markdownOf(t, of(name)))
	}
}

func FuzzNoNameIsMoreThanAName(f *testing.F) {
	for _, name := range evil {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) { checkNames(t, markdownOf(t, of(name))) })
}

// checkNames looks at a comment as GitHub does: outside code there is nothing that means anything but what the review
// itself writes, and every row has its columns.
func checkNames(t *testing.T, text string) {
	t.Helper()
	columns := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		row := strings.HasPrefix(line, "|")
		if !row {
			columns = 0
		} else if bars := strings.Count(line, "|"); columns == 0 {
			columns = bars
		} else if bars != columns {
			t.Fatalf("a row has %d bars, its table %d: %s", bars, columns, line)
		}
		rest, ok := withoutCode(line)
		if !ok {
			t.Fatalf("a code span does not end: %s", line)
		}
		rest = strings.ReplaceAll(rest, "**", "")
		if strings.ContainsAny(rest, "@<>[]`\\&#_*~$/^") && !strings.HasPrefix(line, "#") {
			t.Fatalf("outside code there is %q", rest)
		}
		if strings.Contains(rest, "www.") || strings.Contains(rest, "evil") {
			t.Fatalf("a name is not code: %q", rest)
		}
	}
}

// withoutCode takes out what is code, in Markdown's way of writing it or HTML's.
func withoutCode(line string) (rest string, ok bool) {
	var text strings.Builder
	for {
		at := strings.IndexAny(line, "`<")
		if at < 0 {
			text.WriteString(line)
			return text.String(), true
		}
		text.WriteString(line[:at])
		begin, end := "`", "`"
		if line[at] == '<' {
			begin, end = "<code>", "</code>"
		}
		if !strings.HasPrefix(line[at:], begin) {
			return "", false
		}
		inside, after, found := strings.Cut(line[at+len(begin):], end)
		if !found || begin != "`" && strings.ContainsAny(inside, "<>`|") || begin == "`" && (inside == "" || strings.ContainsAny(inside, "|\\")) {
			return "", false
		}
		line = after
	}
}

// A channel that is renamed, and nothing else, has a row.
func TestMarkdownNamesWhatIsRenamed(t *testing.T) {
	text := markdownOf(t, &report.Report{
		Channels: []*report.Channel{{Name: "new", OldName: "old", Action: report.Update}},
		Groups:   []*report.Group{{Name: "writers", OldName: "authors", Action: report.Update}},
	})
	for _, want := range []string{"| `new` (was `old`) | – | – | – |", "| `writers` (was `authors`) | – | – | – |"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func TestMarkdownIsShortWhenNothingChanges(t *testing.T) {
	text := markdownOf(t, &report.Report{Verdict: report.Verdict{Text: "Nobody gains or loses a right."}})
	if text != "### Access review\n\n**Nobody gains or loses a right.**\n" {
		t.Errorf("nothing is said in these words:\n%s", text)
	}
}
