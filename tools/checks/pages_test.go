package checks

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// constructPages are the generated pages of everything that a configuration can name, by that name.
func constructPages(t *testing.T) map[string][]string {
	t.Helper()
	pages := map[string][]string{}
	for _, folder := range []string{"resources", "data-sources", "actions", "ephemeral-resources"} {
		files, err := filepath.Glob("../../docs/" + folder + "/*.md")
		if err != nil || len(files) == 0 {
			t.Fatalf("docs/%s has no pages: %v", folder, err)
		}
		for _, file := range files {
			name := "zulip_" + strings.TrimSuffix(filepath.Base(file), ".md")
			pages[name] = append(pages[name], file)
		}
	}
	return pages
}

func TestDocsChangelogNamesEverything(t *testing.T) {
	changelog := read(t, "../../CHANGELOG.md")
	for name := range constructPages(t) {
		if !strings.Contains(changelog, "`"+name+"`") {
			t.Errorf("CHANGELOG.md does not name %s", name)
		}
	}
	for _, heading := range regexp.MustCompile(`(?m)^###? .*$`).FindAllString(changelog, -1) {
		version := regexp.MustCompile(`^## \[(Unreleased|\d+\.\d+\.\d+)\]( - \d{4}-\d{2}-\d{2})?$`)
		if !version.MatchString(heading) && !slices.Contains([]string{"### Added", "### Changed", "### Deprecated", "### Removed", "### Fixed", "### Security"}, heading) {
			t.Errorf("%q is no heading of a changelog", heading)
		}
	}
}

// The table of secrets names every attribute that a schema calls sensitive or write-only.
func TestDocsSecurityNamesEverySecret(t *testing.T) {
	_, table, _ := strings.Cut(read(t, "../../.github/SECURITY.md"), "| Secret |")
	table, _, _ = strings.Cut(table, "\n\n")
	found := 0
	for name, files := range constructPages(t) {
		for _, file := range files {
			for _, attribute := range regexp.MustCompile("(?m)^- `(\\w+)` \\([^)]*Sensitive").FindAllStringSubmatch(read(t, file), -1) {
				found++
				isNamed := strings.Contains(table, "`"+name+"`") && (strings.Contains(file, "ephemeral") || strings.Contains(table, "`"+attribute[1]+"`"))
				if !isNamed {
					t.Errorf("SECURITY.md does not say where %s of %s is kept", attribute[1], name)
				}
			}
		}
	}
	if found < 6 {
		t.Errorf("only %d secrets are found", found)
	}
}

// The forms for issues are what GitHub takes, and ask for what a report needs.
func TestDocsIssueForms(t *testing.T) {
	for name, wanted := range map[string][]string{
		"bug":     {"version", "cli", "server", "output", "secrets"},
		"feature": {"need", "server"},
	} {
		var form struct {
			Name, Description string
			Body              []struct {
				Type, ID   string
				Attributes struct{ Label, Value string }
			}
		}
		if err := yaml.Unmarshal([]byte(read(t, "../../.github/ISSUE_TEMPLATE/"+name+".yml")), &form); err != nil {
			t.Fatal(err)
		}
		asked := map[string]bool{}
		for i, element := range form.Body {
			switch where := fmt.Sprintf("%s.yml, element %d", name, i+1); {
			case !slices.Contains([]string{"markdown", "textarea", "input", "dropdown", "checkboxes"}, element.Type):
				t.Errorf("%s has the type %q", where, element.Type)
			case element.Type == "markdown" && element.Attributes.Value == "", element.Type != "markdown" && element.Attributes.Label == "":
				t.Errorf("%s says nothing", where)
			case element.Type != "markdown" && (element.ID == "" || asked[element.ID]):
				t.Errorf("%s has no ID of its own: %q", where, element.ID)
			}
			asked[element.ID] = true
		}
		for _, id := range wanted {
			if !asked[id] {
				t.Errorf("%s.yml does not ask for %s", name, id)
			}
		}
		if form.Name == "" || form.Description == "" {
			t.Errorf("%s.yml has no name or no description", name)
		}
	}
}

// Links between the pages outside docs/ lead to files that are there.
func TestDocsLinksLeadSomewhere(t *testing.T) {
	for _, page := range []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", ".github/SECURITY.md", ".github/SUPPORT.md"} {
		links := regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)]*)?\)`).FindAllStringSubmatch(read(t, "../../"+page), -1)
		for _, link := range links {
			if _, err := os.Stat(filepath.Join("../..", filepath.Dir(page), link[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, link[1], err)
			}
		}
	}
}
