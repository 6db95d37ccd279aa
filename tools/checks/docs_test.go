// Package checks tests documentation and configuration: the generated pages, the examples and guides in them, and the
// citations in comments.
package checks

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

func TestDocsPages_Generated_UpToDate(t *testing.T) {
	t.Parallel()
	run(t, "../scripts/docs", "--check")
}

func TestDocsExamples_Formatted(t *testing.T) {
	cli := run(t, "../scripts/cli")
	run(t, cli[:len(cli)-1], "fmt", "-check", "-diff", "-recursive", "../../examples")
}

// run returns the standard output of a command. If it fails, the test fails with all output.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		var stderr []byte
		if exit, ok := err.(*exec.ExitError); ok {
			stderr = exit.Stderr
		}
		t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, stderr)
	}
	return string(out)
}

// The headings of the guide quote error texts, so that users find them: each must occur in the code.
func TestDocsTroubleshooting_Quotes_InCode(t *testing.T) {
	guide := read(t, "../../templates/guides/troubleshooting.md.tmpl")
	headings := regexp.MustCompile("(?m)^## `(.*)`$").FindAllStringSubmatch(guide, -1)
	if len(headings) == 0 {
		t.Fatal("the guide quotes nothing")
	}
	code := source(t, "../../internal")
	for _, heading := range headings {
		if !strings.Contains(code, heading[1]) {
			t.Errorf("nothing in the code says %q", heading[1])
		}
	}
}

// source returns the Go code below dir, without tests and without the sandbox, which has the server's errors.
func source(t *testing.T, dir string) string {
	t.Helper()
	var code strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == "sandbox" {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		content, err := os.ReadFile(path)
		code.Write(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return code.String()
}

// constructPages returns the generated pages of resources, data sources and so on, by name.
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

func TestDocsChangelog_AllTypes_Named(t *testing.T) {
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
func TestDocsSecurity_Secrets_AllNamed(t *testing.T) {
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

// The forms for issues are valid for GitHub, and ask for the data that a report needs.
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

// Links between pages lead to files that exist, and to headings in them.
func TestDocsLinks_Targets_Exist(t *testing.T) {
	pages := []string{"README.md", "CONTRIBUTING.md", "RELEASING.md", "CHANGELOG.md", ".github/SECURITY.md", ".github/SUPPORT.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob("../../" + pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, page := range found {
			pages = append(pages, strings.TrimPrefix(filepath.ToSlash(page), "../../"))
		}
	}
	for _, page := range pages {
		text := regexp.MustCompile("(?s)```.*?```|`[^`\n]*`").ReplaceAllString(read(t, "../../"+page), "")
		links := regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)\s]*))?\)`).FindAllStringSubmatch(text, -1)
		for _, link := range links {
			file := filepath.Join("../..", page)
			if link[1] != "" {
				file = filepath.Join(filepath.Dir(file), link[1])
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s: %v", page, link[1], err)
			} else if link[2] != "" && !slices.Contains(anchors(read(t, file)), link[2]) {
				t.Errorf("%s links to %s, which has no heading for #%s", page, link[1], link[2])
			}
		}
	}
}

// anchors returns the fragments that lead to places of a page: its headings in the form of GitHub and of registries, and its IDs.
func anchors(page string) (names []string) {
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		text := regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		names = append(names, strings.ReplaceAll(text, " ", "-"))
	}
	for _, id := range regexp.MustCompile(`<a id="([^"]+)">`).FindAllStringSubmatch(page, -1) {
		names = append(names, id[1])
	}
	return names
}

// glossaryDebts are types with a word of the glossary as a name in another meaning, and the reasons.
var glossaryDebts = map[string]string{
	"access/plan.Plan":     "a whole plan of the CLI, read from JSON: the package says so",
	"realm/runstate.State": "the run state: the package says so",
}

// maxWords keeps the glossary short enough to be read.
const maxWords = 25

// A word of the glossary names only the type in the glossary, ignoring case. Aliases and the sandbox are exempt,
// because the sandbox shares no type with the other packages.
func TestDocsGlossary_Types_Match(t *testing.T) {
	guide := read(t, "../../CONTRIBUTING.md")
	words := glossary(guide)
	if len(words) == 0 || len(words) > maxWords {
		t.Errorf("the glossary has %d words, not 1 to %d", len(words), maxWords)
	}
	for _, problem := range glossaryProblems(words, typesOf(t, "../../internal"), glossaryDebts) {
		t.Error(problem)
	}
}

func TestGlossaryProblems(t *testing.T) {
	words := map[string]string{"plan": "core.Plan", "level": ""}
	for _, test := range []struct {
		types []string
		debts map[string]string
		want  string
	}{
		{[]string{"resource/core.Plan", "zulip.Channel"}, nil, "[]"},
		{[]string{"resource/core.Plan", "dev/x.plan"}, map[string]string{"dev/x.plan": "why"}, "[]"},
		{[]string{"resource/core.Plan", "dev/x.plan"}, nil, "[dev/x.plan: the glossary means something else by plan: rename it]"},
		{[]string{"resource/core.Plan", "x.Level"}, nil, "[x.Level: the glossary means something else by level: rename it]"},
		{nil, nil, "[core.Plan of the glossary is no type]"},
		{[]string{"resource/core.Plan"}, map[string]string{"a.Plan": "why"}, "[a.Plan is no debt any more]"},
	} {
		if got := fmt.Sprint(glossaryProblems(words, test.types, test.debts)); got != test.want {
			t.Errorf("%v, %v: %s, not %s", test.types, test.debts, got, test.want)
		}
	}
}

func glossaryProblems(words map[string]string, types []string, debts map[string]string) (problems []string) {
	found, owed := map[string]bool{}, map[string]bool{}
	for _, name := range types {
		short := path.Base(name)
		_, word, _ := strings.Cut(short, ".")
		meant, isWord := words[strings.ToLower(word)]
		switch {
		case !isWord:
		case short == meant:
			found[meant] = true
		case debts[name] != "":
			owed[name] = true
		default:
			problems = append(problems, fmt.Sprintf("%s: the glossary means something else by %s: rename it", name, strings.ToLower(word)))
		}
	}
	for _, word := range slices.Sorted(maps.Keys(words)) {
		if meant := words[word]; meant != "" && !found[meant] {
			problems = append(problems, meant+" of the glossary is no type")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(debts)) {
		if !owed[name] {
			problems = append(problems, name+" is no debt any more")
		}
	}
	return problems
}

// glossary returns the words of the glossary in lower case, each with its type, such as store.Store; empty if none has it.
func glossary(guide string) map[string]string {
	words := map[string]string{}
	_, table, _ := strings.Cut(guide, "\n| Word | Type | Means | Not |\n")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 {
			break
		}
		if word := strings.TrimSpace(cells[1]); strings.Trim(word, "-") != "" {
			words[strings.ToLower(word)] = strings.Trim(cells[2], " `–")
		}
	}
	return words
}

// typesOf lists the types that the code below a folder declares outside of functions and tests: realm/store.Store.
func typesOf(t *testing.T, root string) (types []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "sandbox":
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		for _, declared := range parsed.Decls {
			group, ok := declared.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range group.Specs {
				if one, ok := spec.(*ast.TypeSpec); ok && !one.Assign.IsValid() {
					types = append(types, filepath.ToSlash(folder)+"."+one.Name.Name)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return types
}
