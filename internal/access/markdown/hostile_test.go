package markdown_test

import (
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

// elementsOf are the elements of a text in Markdown as GitHub reads it, in their order, and how many cells each row of a table
// has. Code is left out in either way of writing it: a name may need the other one.
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

// auditOf is an audit in which a name stands wherever there is one.
func auditOf(name string) *audit.Audit {
	account := &report.Account{ID: 1, Name: name, Address: name, Role: "guest"}
	rights := []*audit.Right{{Name: "can_send_message_group", Text: "post", Value: []string{"group:" + name, "user:" + name}, People: 0}}
	return &audit.Audit{
		Site: name, AccountID: 1, When: time.Unix(0, 0), Missing: []string{"The account does not see " + name + "."},
		Findings: []*audit.Finding{{Severity: "high", Kind: "external", Where: []string{"channel \"" + name + "\""}, Text: "Look at " + name + ".", Addresses: []string{name}, Fix: "Fix " + name + "."}},
		Channels: []*audit.Channel{{Name: name, Privacy: "public", Rights: rights}},
		Groups:   []*audit.Group{{Name: name, Subgroups: []string{name}, Rights: rights}},
		Rights:   rights, Accounts: []*audit.Account{{Account: account, IsActive: true}},
		Sets:      []*report.People{report.PeopleOf(account)},
		Selection: &audit.Selection{Channels: []string{name}, Person: name}, Rules: rulesOf(name),
	}
}

// Whatever things are called, a comment has the elements that it has with plain names, every table its columns, and no HTML but
// the code that a name is written as.
func TestHostileNamesAreText(t *testing.T) {
	forms := map[string]func(t *testing.T, name string) string{
		"review": func(t *testing.T, name string) string { return markdownOf(t, of(name)) },
		"audit": func(t *testing.T, name string) string {
			var b strings.Builder
			if err := markdown.WriteAudit(&b, auditOf(name)); err != nil {
				t.Fatal(err)
			}
			return b.String()
		},
	}
	for what, write := range forms {
		short := strings.Join(elementsOf(t, write(t, "plain")), "\n")
		if !strings.Contains(short, "cell cell") || !strings.Contains(short, "ListItem") {
			t.Fatalf("%s: the plain one has no table or no list:\n%s", what, short)
		}
		for _, name := range acctest.HostileNames {
			comment := write(t, name)
			if got := strings.Join(elementsOf(t, comment), "\n"); got != short {
				t.Errorf("%s: %.60q makes other elements:\n%.3000s\nof:\n%.3000s", what, name, got, comment)
			}
			if len(comment) >= markdown.MaxLength {
				t.Errorf("%s: with %.60q it has %d bytes", what, name, len(comment))
			}
		}
	}
}
