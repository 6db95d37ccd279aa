package markdown_test

import (
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/markdown"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// written is a report or an audit as one of the functions writes it.
func written[T any](t *testing.T, write func(io.Writer, T) error, of T) string {
	t.Helper()
	var text strings.Builder
	if err := write(&text, of); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func markdownOf(t *testing.T, r *report.Report) string { return written(t, markdown.Write, r) }

func auditText(t *testing.T, a *audit.Audit) string { return written(t, markdown.WriteAudit, a) }

// evil are names with a meaning in Markdown or HTML.
var evil = []string{
	"a | b", "`x`", "``` \n", "@everyone", "<script>alert(1)</script>", "[a](https://evil.example)", "![](https://evil.example/x.png)",
	"https://evil.example", "www.evil.example", "#1", "GH-1", "a\\|b", "**bold**", "- x\n- y", "a\r\nb", "|---|", "\u202egnihton", "&#124;",
	"<!-- ", "$x$", "owner/repo#1", "deadbeef1234567", "", " ", "~~x~~", "_x_", ":tada:", strings.Repeat("n", 5000),
}

// of is a review with the name in every place for a name.
func of(name string) *report.Report {
	account := &report.Account{ID: 1, Name: name, Email: name, Role: "member"}
	people := report.PeopleOf(account)
	change := report.Change{Before: report.Value{Values: []string{name}}, After: report.Value{Values: []string{name + "x"}}}
	permission := &report.PermissionChange{Name: "can_send_message_group", Text: "post", Change: change, Gain: people, Lose: people, Unknown: false, Why: name}
	return &report.Report{
		Site: name, Summary: report.Summary{Text: "1 account gains access.", Conditions: []report.Condition{report.Widening}},
		Risks:       []report.Risk{{Condition: report.External, Where: "channel \"" + name + "\"", Text: name}},
		Channels:    []*report.Channel{{Name: name, OldName: name + "y", Action: report.Update, Permissions: []*report.PermissionChange{permission}, Joins: people}},
		Groups:      []*report.Group{{Name: name, Action: report.Update, Permissions: []*report.PermissionChange{permission}, Joins: people, Members: change}},
		People:      []*report.Person{{Account: account, Role: change, Action: report.Update}},
		Permissions: []*report.PermissionChange{permission}, Unknown: []string{name + " is not known yet."}, Rules: rulesOf(name),
	}
}

// rulesOf are rules that fail and that are unknown, with the name in every place for a name.
func rulesOf(name string) []*report.Rule {
	person := &report.RulePerson{ID: 1, Name: name, Email: name, Role: "member", Through: []string{"group:" + name}}
	violation := &report.Violation{Where: "#" + name, Text: "1 account can read", People: []*report.RulePerson{person}, Changes: []string{name}}
	return []*report.Rule{
		{Name: name, At: "rules.zulip.hcl:1", Status: report.RuleFails, Violations: []*report.Violation{violation}, Notes: []string{name}},
		{Name: name, At: "rules.zulip.hcl:9", Status: report.RuleUnknown, Unknowns: []string{name}},
	}
}

func TestMarkdownNames_HostileReview_Escaped(t *testing.T) {
	for _, name := range evil {
		checkNames(t, markdownOf(t, of(name)))
	}
}

func FuzzMarkdownNames(f *testing.F) {
	for _, name := range evil {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) { checkNames(t, markdownOf(t, of(name))) })
}

// checkNames reads a comment as GitHub does. Outside code, only the text of the review itself may have a meaning in
// Markdown, and every row must have its columns.
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

// withoutCode removes code, in Markdown or HTML.
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

// A resource address is one code span, with its keys.
func TestMarkdown_Address_OneCodeSpan(t *testing.T) {
	r := &report.Report{}
	for _, address := range []string{`module.x["platform2"].zulip_channel.a`, `zulip_channel.a["a b"]`, `module.x["a"].module.y[0].zulip_channel.a["b.c"]`} {
		r.Unknown = []string{"The channel of " + address + ` isn't known yet: "general".`}
		if got := markdownOf(t, r); !strings.Contains(got, "- The channel of `"+address+"` isn't known yet: \"general\".") {
			t.Errorf("%s is written as\n%s", address, got)
		}
	}
}

// The difference of long lists is visible, and an empty set of people isn't listed.
func TestMarkdown_LongValues_Difference(t *testing.T) {
	members := func(names string) report.Value { return report.Value{Values: strings.Fields(names)} }
	r := &report.Report{Permissions: []*report.PermissionChange{{
		Name: "can_create_groups", Text: "create groups", Change: report.Change{Before: members("a b c d e f cleo"), After: members("a b c d e f dora")},
		Gain: report.PeopleOf(), Lose: report.PeopleOf(), NoOneLeft: true,
	}}}
	const want = "| the organization | create groups: − `cleo`, + `dora` (7 before, 7 after) | – | **everyone** |"
	if got := markdownOf(t, r); !strings.Contains(got, want) {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
}

// A renamed object has a row.
func TestMarkdown_Renamed_BothNames(t *testing.T) {
	text := markdownOf(t, &report.Report{
		Channels: []*report.Channel{{Name: "new", OldName: "old", Action: report.Update}},
		Groups:   []*report.Group{{Name: "writers", OldName: "authors", Action: report.Update}},
	})
	if want := "| `#new` (was `#old`), group `writers` (was `authors`) | – | – | – |"; !strings.Contains(text, want) {
		t.Errorf("%q is not in\n%s", want, text)
	}
}

// Changes of the same people are one row, also if others have the same name. The row doesn't repeat their emails.
func TestMarkdown_SamePeople_OneRow(t *testing.T) {
	account := func(id int64, email string) *report.Account {
		return &report.Account{ID: id, Name: "Ada", Email: email + "@example.com", Role: "member"}
	}
	left := account(3, "left")
	one, other, nobody := report.PeopleOf(account(1, "ada")), report.PeopleOf(account(2, "other")), report.PeopleOf()
	group := func(name string, joins *report.People, before, after string) *report.Group {
		values := func(emails string) report.Value { return report.Value{Values: strings.Fields(emails)} }
		return &report.Group{Name: name, Action: report.Update, Members: report.Change{Before: values(before), After: values(after)}, Joins: joins, Leaves: nobody}
	}
	text := markdownOf(t, &report.Report{
		Channels: []*report.Channel{{Name: "a", Action: report.Update, Joins: one, Leaves: nobody, Permissions: []*report.PermissionChange{
			{Name: "can_read", Text: "read", Gain: one, Lose: nobody, FollowsFrom: report.OwnChange},
		}}},
		Groups: []*report.Group{
			group("b", one, "left@example.com", "ada@example.com"), group("c", other, "", "other@example.com"),
			group("d", nobody, "left@example.com", ""), group("e", nobody, "ada@example.com left@example.com", ""),
		},
		People: []*report.Person{{Account: left, Action: report.Deactivate, LosesEverything: true, IsRisk: true}},
	})
	const want = `
| --- | --- | --- | --- |
| ` + "`#a`; group `b` | be subscribed and read; be a member | `Ada` | – |" + `
| ` + "group `c` | be a member | `Ada` | – |" + `
| ` + "group `d` | be a member: without deactivated accounts | – | – |" + `
| ` + "group `e` | be a member: `ada@example.com`, `left@example.com` → – | – | – |\n"
	if !strings.HasSuffix(text, want) {
		t.Errorf("it is\n%s\nwant\n%s", text, want)
	}
}

// An account with a risk has a row only if not all risks are listed.
func TestMarkdown_AccountWithRisk_InOnePlace(t *testing.T) {
	ada := &report.Person{Account: &report.Account{Name: "Ada"}, Action: report.Deactivate, IsRisk: true}
	r := &report.Report{People: []*report.Person{ada}}
	for n := range 21 {
		text := markdownOf(t, r)
		if strings.Contains(text, "| `Ada` | deactivated | – | – |") {
			t.Errorf("with %d risks it has a row:\n%s", n, text)
		}
		r.Risks = append(r.Risks, report.Risk{Condition: report.RoleChange, Text: strings.Repeat("very ", n) + "risky."})
	}
	if text := markdownOf(t, r); !strings.Contains(text, "- and 1 more risk\n") || !strings.Contains(text, "| `Ada` | deactivated | – | – |") {
		t.Errorf("with 21 risks it is\n%s", text)
	}
}

// A list that differs little from an earlier one is written as the difference.
func TestMarkdown_NearlyEqualLists_Difference(t *testing.T) {
	accounts := make([]*report.Account, 12)
	for i := range accounts {
		accounts[i] = &report.Account{ID: int64(i), Name: string(rune('a' + i))}
	}
	permission := func(name string, gain ...*report.Account) *report.PermissionChange {
		return &report.PermissionChange{Name: name, Text: name, Gain: report.PeopleOf(gain...)}
	}
	text := markdownOf(t, &report.Report{Permissions: []*report.PermissionChange{
		permission("post", accounts[:11]...), permission("read", accounts[:10]...), permission("join", accounts...), permission("leave", accounts[1:]...),
	}})
	for _, want := range []string{"and 6 more (list 1) |", "| read | `a`, ", "| join | `l`, and list 1 |", "| leave | `b`, ", "rows · All names: 2 lists</summary>", "\n2. `b`, "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func TestMarkdown_NoChanges_Short(t *testing.T) {
	text := markdownOf(t, &report.Report{Summary: report.Summary{Text: "No one gains or loses access."}})
	if text != "### Access review\n**No one gains or loses access.**\n" {
		t.Errorf("nothing is said in these words:\n%s", text)
	}
}

// auditWith is an audit with the name in every place for a name.
func auditWith(name string) *audit.Audit {
	account := &audit.Account{Account: &report.Account{ID: 1, Name: name, Email: name, Role: "member"}, IsActive: true}
	people := report.PeopleOf(account.Account)
	permission := &audit.EffectivePermission{Name: "can_send_message_group", Text: "post", Value: []string{"group:" + name}, Unknown: true}
	subscribers := 0
	return &audit.Audit{
		Site: name, Organization: name, When: time.Unix(0, 0), AccountID: 1, Missing: []string{name + " is not seen."},
		Selection: &audit.Selection{Person: name, Channels: []string{name}},
		Findings: []*audit.Finding{
			{Kind: audit.Internet, Severity: audit.High, Where: []string{"channel \"" + name + "\""}, Text: name, Resources: []string{name}, Fix: name, Expired: &audit.Acceptance{Reason: name, Until: name}},
			{Kind: audit.Internet, Severity: audit.High, Where: []string{name}, Text: name, Accepted: &audit.Acceptance{Reason: name, Until: name}},
		},
		Warnings:    []string{name + ":1 accepts nothing."},
		Channels:    []*audit.Channel{{Name: name, Folder: name, Subscribers: &subscribers, Permissions: []*audit.EffectivePermission{permission}}},
		Groups:      []*audit.Group{{Name: name, Subgroups: []string{name}, Permissions: []*audit.EffectivePermission{permission}}},
		Permissions: []*audit.EffectivePermission{permission}, Sets: []*report.People{people}, Accounts: []*audit.Account{account}, Rules: rulesOf(name),
	}
}

func TestMarkdownNames_HostileAudit_Escaped(t *testing.T) {
	for _, name := range evil {
		a := auditWith(name)
		checkNames(t, auditText(t, a))
		a.Person = &audit.Person{
			AccountID: 1, Groups: []audit.Membership{{Name: name, Path: "group:" + name}},
			Scopes: []*audit.Scope{{Kind: "channel", Name: name, Permissions: []audit.PersonPermission{{Text: "post", Through: []string{"can_send_message_group: group:" + name}}}}},
		}
		checkNames(t, auditText(t, a))
	}
}

// The value of the members of a group is its direct members and subgroups.
func TestMarkdown_GroupMembers_Value(t *testing.T) {
	accounts := make([]*audit.Account, 0, 7)
	for id, name := range []string{"zoe", "ada", "bea", "cid", "dora", "emil", "fritz"} {
		accounts = append(accounts, &audit.Account{Account: &report.Account{ID: int64(id) + 1, Name: name, Email: name + "@example.com", Role: "member"}, IsActive: true})
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
		"| `board` | be a member | `user:zoe@example.com` | `zoe` |",
		"| `outer` | be a member | `group:board`, `user:zoe@example.com` | `zoe` |",
		"| `empty` | be a member | – | – |",
		"| `left` | be a member | – | – |",
		"| `large` | be a member | `user:zoe@example.com`, `user:ada@example.com`, `user:bea@example.com`, `user:cid@example.com`, `user:dora@example.com` and 2 more | `zoe`, `ada`, `bea`, `cid`, `dora` and 2 more |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nis not in\n%s", want, text)
		}
	}
}

// A name in a place is one code span, with no part of it outside.
func TestMarkdown_PlaceName_OneCodeSpan(t *testing.T) {
	for _, name := range []string{`team-05 neu "x"`, `back\slash`, "tick`s`", "Überblick & Größe", "${x} %{y}", `\n`, `"`, `a" b "c`, "日本語-1", "a|b", "x.y, z"} {
		a := auditWith("x")
		a.Findings = a.Findings[:1]
		a.Findings[0].Where, a.Findings[0].Text = []string{fmt.Sprintf("channel %q", name)}, "It is open."
		text := auditText(t, a)
		checkNames(t, text)
		line := regexp.MustCompile("(?m)^- high, `internet`: channel (?:`([^`]*)`|<code>([^<]*)</code>)\\. It is open\\.").FindStringSubmatch(text)
		if line == nil {
			t.Errorf("%s is not one code span:\n%s", name, text)
		} else if got := line[1] + html.UnescapeString(line[2]); got != name {
			t.Errorf("%s is written as %s", name, got)
		}
	}
	a := auditWith("x")
	a.Findings[0].Where = []string{`channel "general"`, `channel "in the middle"`}
	if text := auditText(t, a); !strings.Contains(text, `: channel "general", channel "in the middle". `) {
		t.Errorf("a name of letters is no plain text:\n%s", text)
	}
	a.Findings[0] = &audit.Finding{Kind: audit.Internet, Severity: audit.High, Where: []string{"the organization"}, Text: `A "quote and 5" more of a-b@c.`}
	if text := auditText(t, a); !strings.Contains(text, "A \"quote and 5\" more of `a-b@c`.") {
		t.Errorf("a quote that is none:\n%s", text)
	}
}

// elementsOf returns the elements of a Markdown text in their order, as GitHub reads it, and how many cells each table row
// has. It leaves out code in Markdown and in HTML, because names can be written in either.
func elementsOf(t *testing.T, markdown string) (elements []string) {
	t.Helper()
	source := []byte(markdown)
	document := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	err := ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Text, *ast.String:
		case *ast.CodeSpan:
			return ast.WalkSkipChildren, nil
		case *ast.RawHTML:
			if tag := string(node.Segments.Value(source)); tag != "<code>" && tag != "</code>" {
				t.Errorf("there is the raw HTML %q", tag)
			}
		case *extensionast.TableRow, *extensionast.TableHeader:
			elements = append(elements, strings.Repeat("cell ", node.ChildCount()))
		default:
			elements = append(elements, node.Kind().String())
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return elements
}

// A comment with any names has the same elements as with plain names, and every table has its columns. Its only HTML is the
// code around names.
func TestHostileNames_Rendered_Text(t *testing.T) {
	forms := map[string]func(name string) string{
		"review": func(name string) string { return markdownOf(t, of(name)) },
		"audit": func(name string) string {
			a := auditWith(name) // with less that isn't cut
			a.Warnings, a.Findings = nil, a.Findings[:1]
			a.Findings[0].Expired = nil
			return auditText(t, a)
		},
	}
	for what, write := range forms {
		short := strings.Join(elementsOf(t, write("plain")), "\n")
		if !strings.Contains(short, "cell cell") || !strings.Contains(short, "ListItem") {
			t.Fatalf("%s: the plain one has no table or no list:\n%s", what, short)
		}
		for _, name := range acctest.HostileNames {
			comment := write(name)
			if got := strings.Join(elementsOf(t, comment), "\n"); got != short {
				t.Errorf("%s: %.60q makes other elements:\n%.3000s\nof:\n%.3000s", what, name, got, comment)
			}
			if len(comment) >= markdown.MaxLength {
				t.Errorf("%s: with %.60q it has %d bytes", what, name, len(comment))
			}
		}
	}
}
