package page_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// reportOf is a report with the name in every place for a name.
func reportOf(name string) *report.Report {
	account := &report.Account{ID: 1, Name: name, Email: name, Role: "guest"}
	people := report.PeopleOf(account)
	change := report.Change{Before: report.Value{Values: []string{name}}, After: report.Value{Values: []string{name, name}}}
	permissions := []*report.PermissionChange{
		{Name: "can_send_message_group", Text: "post", Change: change, Gain: people, Lose: &report.People{}},
		{Name: name, Text: name, Change: change, Gain: &report.People{}, Lose: &report.People{}, Unknown: true, Why: name},
	}
	return &report.Report{
		FormatVersion: report.FormatVersion, Site: name, Organization: name, Provider: name, Since: name,
		Summary:     report.Summary{Text: name, Conditions: []report.Condition{report.Widening, report.Condition(name)}},
		Risks:       []report.Risk{{Condition: report.External, Where: "channel " + name, Text: name}, {Condition: report.Condition(name), Where: name, Text: name}},
		Channels:    []*report.Channel{{ID: 1, Name: name, OldName: name, Action: report.Update, Resources: []string{name}, Privacy: change, Permissions: permissions, Joins: people, Leaves: people}},
		Groups:      []*report.Group{{ID: 1, Name: name, OldName: name, Action: report.Update, Resources: []string{name}, Members: change, Subgroups: change, Permissions: permissions, Joins: people, Leaves: people}},
		People:      []*report.Person{{Account: account, AccountID: 1, Resources: []string{name}, Action: report.Update, Role: change, Owner: &change}},
		Permissions: permissions, Unknown: []string{name}, Accounts: []*report.Account{account}, Rules: rulesOf(name),
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

// auditOf is an audit with the name in every place for a name.
func auditOf(name string) *audit.Audit {
	account := &report.Account{ID: 1, Name: name, Email: name, Role: "guest"}
	permissions := []*audit.EffectivePermission{{Name: "can_send_message_group", Text: "post", Value: []string{"group:" + name, "user:" + name}}, {Name: name, Text: name, Value: []string{name}}}
	acceptance := &audit.Acceptance{Reason: name, Until: name}
	return &audit.Audit{
		FormatVersion: name, Site: name, Organization: name, AccountID: 1, When: time.Unix(0, 0), Missing: []string{name},
		Findings: []*audit.Finding{
			{Severity: audit.High, Kind: audit.NoAdministrator, Where: []string{"channel " + name}, Text: name, Resources: []string{name}, Fix: name},
			{Severity: audit.Severity(name), Kind: audit.Kind(name), Where: []string{name}, Text: name, Accepted: acceptance},
			{Severity: audit.Low, Kind: audit.Internet, Where: []string{name}, Text: name, Expired: acceptance},
		},
		Warnings:    []string{name},
		Channels:    []*audit.Channel{{ID: 1, Name: name, Folder: name, Privacy: "public", Subscribers: new(int), Permissions: permissions}},
		Groups:      []*audit.Group{{ID: 1, Name: name, Members: []int64{1}, Subgroups: []string{name}, Permissions: permissions}},
		Permissions: permissions, Accounts: []*audit.Account{{Account: account, IsActive: true}},
		Sets:      []*report.People{report.PeopleOf(account)},
		Selection: &audit.Selection{Channels: []string{name}, Person: name}, Rules: rulesOf(name),
	}
}

// parsedPage is a page as a browser parses it.
type parsedPage struct {
	// elements are the names of the elements and of their attributes, in their order.
	elements []string
	// texts are the visible texts and the values of attributes. scripts are the contents of scripts and style sheets by
	// their number.
	texts, scripts []string
}

func parsePage(t *testing.T, text string) *parsedPage {
	t.Helper()
	document, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	p := &parsedPage{}
	for node := range document.Descendants() {
		switch node.Type {
		case html.ElementNode:
			element := node.Data
			for _, attribute := range node.Attr {
				element += " " + attribute.Key
				if strings.HasPrefix(attribute.Key, "on") || attribute.Key == "style" || attribute.Key == "srcdoc" {
					t.Errorf("<%s> has the attribute %s=%.100q", node.Data, attribute.Key, attribute.Val)
				}
				if slices.Contains([]string{"href", "src", "action"}, attribute.Key) && !strings.HasPrefix(attribute.Val, "#") && attribute.Val != "data:," {
					t.Errorf("<%s> refers to %.100q", node.Data, attribute.Val)
				}
				p.texts = append(p.texts, attribute.Val)
			}
			p.elements = append(p.elements, element)
		case html.TextNode:
			if parent := node.Parent.Data; parent == "script" || parent == "style" {
				p.scripts = append(p.scripts, node.Data)
			} else {
				p.texts = append(p.texts, node.Data)
			}
		case html.CommentNode:
			p.elements = append(p.elements, "comment")
		}
	}
	return p
}

// holds reports whether some data contains a text.
func holds(data any, text string) bool {
	switch data := data.(type) {
	case string:
		return strings.Contains(data, text)
	case []any:
		return slices.ContainsFunc(data, func(one any) bool { return holds(one, text) })
	case map[string]any:
		for _, one := range data {
			if holds(one, text) {
				return true
			}
		}
	}
	return false
}

// A page with any names has the same elements, attributes and scripts as with plain names. The name is unchanged in the text
// or in the data.
func TestHostileNames_Rendered_Text(t *testing.T) {
	forms := map[string]func(name string) string{
		"review": func(name string) string { return pageOf(t, reportOf(name)) },
		"audit":  func(name string) string { return auditPageOf(t, auditOf(name)) },
		"person": func(name string) string {
			a := auditOf(name)
			a.Person = &audit.Person{AccountID: 1, Groups: []audit.Membership{{Name: name, Path: name}}, Scopes: []*audit.Scope{
				{Kind: "channel", Name: name, Permissions: []audit.PersonPermission{{Name: name, Text: name, Through: []string{name}}}},
			}}
			return auditPageOf(t, a)
		},
	}
	// Texts with a meaning for a parser of HTML.
	normal := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\ufffd")
	for what, write := range forms {
		plain := parsePage(t, write("plain"))
		if len(plain.scripts) < 3 || !slices.ContainsFunc(plain.texts, func(text string) bool { return strings.Contains(text, "plain") }) {
			t.Fatalf("%s: the plain page has %d scripts and style sheets, and %d texts", what, len(plain.scripts), len(plain.texts))
		}
		for _, name := range acctest.HostileNames {
			got := parsePage(t, write(name))
			if !slices.Equal(got.elements, plain.elements) {
				t.Errorf("%s: %.60q makes other elements: %d, want %d", what, name, len(got.elements), len(plain.elements))
			}
			if len(got.scripts) != len(plain.scripts) {
				t.Errorf("%s: %.60q makes %d scripts and style sheets, want %d", what, name, len(got.scripts), len(plain.scripts))
				continue
			}
			data := 0
			for i, script := range got.scripts {
				var decoded any
				if json.Unmarshal([]byte(plain.scripts[i]), &decoded) != nil {
					if script != plain.scripts[i] {
						t.Errorf("%s: %.60q changes the script or style sheet %d", what, name, i)
					}
					continue
				}
				data++
				if err := json.Unmarshal([]byte(script), &decoded); err != nil || !holds(decoded, name) {
					t.Errorf("%s: %.60q is not in the data: %v", what, name, err)
				}
			}
			if data != 1 {
				t.Errorf("%s: there are %d scripts with data", what, data)
			}
			if !slices.ContainsFunc(got.texts, func(text string) bool { return strings.Contains(normal.Replace(text), normal.Replace(name)) }) {
				t.Errorf("%s: %.60q is in no text", what, name)
			}
		}
	}
}
