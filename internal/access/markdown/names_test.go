package markdown_test

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
)

// A name in a place is one code span, and nothing of it is outside.
func TestANameInAPlaceIsOneCodeSpan(t *testing.T) {
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
