package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

const root = "../../../"

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(root + path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The documents and the code agree on the newest level.
func TestDocsNewestLevel_Documents_UpToDate(t *testing.T) {
	unreleased, _, _ := strings.Cut(strings.SplitN(read(t, "CHANGELOG.md"), "\n## [", 2)[1], "\n## [")
	for document, found := range map[string]*regexp.Regexp{
		unreleased: regexp.MustCompile(`feature levels \d+ \(Zulip [\d.]+\) to (\d+)`),
		read(t, "docs/guides/supported-servers.md"): regexp.MustCompile(`has it, and at [\d, ]+ and (\d+)\.`),
	} {
		all := found.FindAllStringSubmatch(document, -1)
		if len(all) == 0 && document != unreleased {
			t.Errorf("nothing names the newest level as %s", found)
		}
		for _, quoted := range all {
			if quoted[1] != fmt.Sprint(featurelevel.Newest) {
				t.Errorf("the newest level is %d: %q", featurelevel.Newest, quoted[0])
			}
		}
	}
	for _, path := range []string{"CONTRIBUTING.md", "README.md", "templates/guides/supported-servers.md.tmpl"} {
		if number := regexp.MustCompile(fmt.Sprintf(`[^\d.]%d[^\d.]`, featurelevel.Newest)).FindString(read(t, path)); number != "" {
			t.Errorf("%s repeats the newest level, which another replaces: name featurelevel.Newest, or generate it", path)
		}
	}
}

func TestNewestLevel_AllRows_NotHigher(t *testing.T) {
	for _, row := range featurelevel.Table {
		if row.Level > featurelevel.Newest {
			t.Errorf("%s %s %s needs level %d: raise featurelevel.Newest", row.Of, row.Attribute, row.Value, row.Level)
		}
	}
	for _, change := range featurelevel.Changes {
		if change.Level > featurelevel.Newest {
			t.Errorf("%s changes at level %d: raise featurelevel.Newest", change.Of, change.Level)
		}
	}
}

func TestFill(t *testing.T) {
	var page strings.Builder
	if err := fill(&page, "at "+testedMark+".\n"+rangesMark+"\n"+tablesMark+"\nend\n"); err != nil {
		t.Fatal(err)
	}
	tested := fmt.Sprintf("at %d, %d and %d.\n", featurelevel.Recorded, featurelevel.NewestRelease, featurelevel.Newest)
	ranges := "| Levels | Tested on | Known from |\n|---|---|---|\n| "
	if !strings.HasPrefix(page.String(), tested+ranges) || !strings.Contains(page.String(), "|\n## What requires a newer server") || !strings.Contains(page.String(), "\n### Zulip 11.0\n") || !strings.HasSuffix(page.String(), "|\nend\n") {
		t.Errorf("the page is:\n%s", page.String())
	}
	if err := fill(&page, "no marks"); err == nil {
		t.Error("a template without marks is taken")
	}
}
