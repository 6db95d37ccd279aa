package checks

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// packageRow is one row of the table in CONTRIBUTING.md: the folder of a package, and its allowed imports.
type packageRow struct {
	folder  string
	imports []string // folders
	all     bool     // whether it may import everything
}

// importRule is one rule of the linter.
type importRule struct {
	Files []string `yaml:"files"`
	Allow []string `yaml:"allow"`
}

const modulePath = "github.com/zulip-iac/terraform-provider-zulip/"

// The table of packages in CONTRIBUTING.md has every package, from the bottom to the top, and agrees with the linter.
func TestDocsPackages_Linter_Same(t *testing.T) {
	guide := read(t, "../../CONTRIBUTING.md")
	config := read(t, "../../.golangci.yml")
	rules, err := importRules([]byte(config))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range packageProblems(packageRows(guide), rules, packageFolders(t, "../..")) {
		t.Error(problem)
	}
}

func TestPackageProblems(t *testing.T) {
	const table = "| Folder | Holds | May import (of ours) |\n|---|---|---|\n| `internal/a` | x | – |\n"
	const b = "| `internal/b` | y | `a` |\n"
	rules := map[string]importRule{
		"a": {Files: []string{"**/internal/a/**", "!$test"}, Allow: []string{modulePath + "internal/a"}},
		"b": {Files: []string{"**/internal/b/*.go", "!$test"}, Allow: []string{modulePath + "internal/b", modulePath + "internal/a"}},
	}
	with := func(name string, rule importRule) map[string]importRule {
		changed := maps.Clone(rules)
		changed[name] = rule
		return changed
	}
	folders := []string{"internal/a", "internal/b"}
	for name, test := range map[string]struct {
		table   string
		rules   map[string]importRule
		folders []string
		want    []string
	}{
		"as it is":                               {table + b, rules, folders, nil},
		"a folder below":                         {table + b, rules, append(folders, "internal/a/z"), nil},
		"a rule for what comes":                  {table + b, with("c", importRule{Files: []string{"**/internal/c/**"}}), folders, nil},
		"a package that is missing in the table": {table, rules, folders, []string{"internal/b is not in the table of CONTRIBUTING.md"}},
		"a package that is not there": {table + b, rules, folders[:1], []string{
			"internal/b stands in the table of CONTRIBUTING.md and is not there",
		}},
		"below a package that has no row": {table + b, rules, append(folders, "internal/z/a"), []string{"internal/z/a is not in the table of CONTRIBUTING.md"}},
		"another import": {table + "| `internal/b` | y | – |\n", rules, folders, []string{
			"internal/b may import [] by CONTRIBUTING.md, [internal/a] by .golangci.yml",
		}},
		"everything": {table + "| `internal/b` | y | all |\n", rules, folders, []string{"internal/b may import all by CONTRIBUTING.md, and has a rule in .golangci.yml"}},
		"no rule":    {table + b + "| `internal/c` | y | `a` |\n", rules, append(folders, "internal/c"), []string{"internal/c has no rule in .golangci.yml"}},
		"upwards": {
			table + "| `internal/b` | y | `c` |\n| `internal/c` | y | `a` |\n",
			map[string]importRule{
				"a": rules["a"], "b": {Files: []string{"**/internal/b/**"}, Allow: []string{modulePath + "internal/c"}},
				"c": {Files: []string{"**/internal/c/**"}, Allow: []string{modulePath + "internal/a"}},
			},
			append(folders, "internal/c"), []string{"internal/b may import internal/c, which does not stand above it"},
		},
		"tests that may more": {
			table + b, with("b-tests", importRule{Files: []string{"**/internal/b/**_test.go"}, Allow: []string{modulePath + "internal/b", modulePath + "internal/z"}}),
			folders, []string{"the tests of internal/b may import internal/z"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := packageProblems(packageRows(test.table), test.rules, test.folders); !slices.Equal(got, test.want) {
				t.Errorf("the problems are %q, want %q", got, test.want)
			}
		})
	}
}

// packageProblems compares the table with the rules of the linter and with the existing folders.
func packageProblems(rows []packageRow, rules map[string]importRule, folders []string) (problems []string) {
	add := func(format string, values ...any) { problems = append(problems, fmt.Sprintf(format, values...)) }
	byFolder := rulesOfCode(rules)
	var above []string
	for _, row := range rows {
		if row.folder != "main.go" && !slices.ContainsFunc(folders, func(folder string) bool { return isIn(folder, row.folder) }) {
			add("%s stands in the table of CONTRIBUTING.md and is not there", row.folder)
			continue
		}
		rule, ok := byFolder[row.folder]
		switch allowed := rule.imports(row.folder); {
		case row.all && ok:
			add("%s may import all by CONTRIBUTING.md, and has a rule in .golangci.yml", row.folder)
		case !row.all && !ok:
			add("%s has no rule in .golangci.yml", row.folder)
		case !row.all && !slices.Equal(row.imports, allowed):
			add("%s may import %v by CONTRIBUTING.md, %v by .golangci.yml", row.folder, row.imports, allowed)
		}
		for _, imported := range row.imports {
			if !slices.ContainsFunc(above, func(folder string) bool { return isIn(imported, folder) }) {
				add("%s may import %s, which does not stand above it", row.folder, imported)
			}
		}
		above = append(above, row.folder)
	}
	for _, folder := range folders {
		if !slices.ContainsFunc(rows, func(row packageRow) bool { return isIn(folder, row.folder) }) {
			add("%s is not in the table of CONTRIBUTING.md", folder)
		}
	}
	return append(problems, testProblems(rules, rows)...)
}

// rulesOfCode returns the rules for code, not tests, by folder.
func rulesOfCode(rules map[string]importRule) map[string]importRule {
	byFolder := map[string]importRule{}
	for name, rule := range rules {
		if !strings.HasSuffix(name, "-tests") {
			byFolder[rule.folder()] = rule
		}
	}
	return byFolder
}

// testProblems finds rules for tests that allow too much. Allowed are the package's imports, the packages above it in the
// table, the package itself, and the imports allowed to all tests.
func testProblems(rules map[string]importRule, rows []packageRow) (problems []string) {
	code := rulesOfCode(rules)
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		if !strings.HasSuffix(name, "-tests") {
			continue
		}
		folder := rules[name].folder()
		allowed := append(code[folder].imports(folder), folder, "internal/dev", "internal/sandbox")
		for _, row := range rows {
			if row.folder == folder {
				break
			}
			allowed = append(allowed, row.folder)
		}
		for _, imported := range rules[name].imports(folder) {
			if !slices.Contains(allowed, imported) {
				problems = append(problems, fmt.Sprintf("the tests of %s may import %s", folder, imported))
			}
		}
	}
	return problems
}

// isIn reports whether a folder is other or in it.
func isIn(folder, other string) bool { return folder == other || strings.HasPrefix(folder, other+"/") }

// folder returns the folder that a rule applies to.
func (r importRule) folder() string {
	if len(r.Files) == 0 {
		return ""
	}
	folder := strings.TrimPrefix(strings.TrimPrefix(r.Files[0], "**/"), "${base-path}/")
	folder, _, _ = strings.Cut(folder, "/*")
	return folder
}

// imports returns the sorted folders that a rule allows in addition to the folder's own.
func (r importRule) imports(own string) []string {
	imports := []string{}
	for _, allowed := range r.Allow {
		if folder := strings.TrimPrefix(allowed, modulePath); folder != own {
			imports = append(imports, folder)
		}
	}
	slices.Sort(imports)
	return imports
}

// importRules reads the rules of the linter's configuration.
func importRules(config []byte) (map[string]importRule, error) {
	var parsed struct {
		Linters struct {
			Settings struct {
				Depguard struct {
					Rules map[string]importRule `yaml:"rules"`
				} `yaml:"depguard"`
			} `yaml:"settings"`
		} `yaml:"linters"`
	}
	err := yaml.Unmarshal(config, &parsed)
	return parsed.Linters.Settings.Depguard.Rules, err
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

// packageRows reads the table of packages.
func packageRows(guide string) (rows []packageRow) {
	_, table, _ := strings.Cut(guide, "| Folder | Holds | May import (of ours) |\n")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			break
		}
		name := codeSpan.FindStringSubmatch(cells[1])
		if name == nil {
			continue // the line below the heads
		}
		row := packageRow{folder: strings.TrimSuffix(name[1], "/<subject>"), imports: []string{}, all: strings.TrimSpace(cells[3]) == "all"}
		for _, imported := range codeSpan.FindAllStringSubmatch(cells[3], -1) {
			row.imports = append(row.imports, "internal/"+imported[1])
		}
		slices.Sort(row.imports)
		rows = append(rows, row)
	}
	return rows
}

// packageFolders are the folders below internal that hold Go code.
func packageFolders(t *testing.T, root string) (folders []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(root, "internal"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if folder = filepath.ToSlash(folder); err == nil && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return folders
}

const serverBehavior = "internal/zulip/server-behavior.md"

// Every citation of server-behavior.md refers to a fact in it, and every fact is cited.
func TestDocsServerBehaviorCitations(t *testing.T) {
	files := repositoryFiles(t, "../..")
	facts, ok := files[serverBehavior]
	if !ok {
		t.Fatalf("there is no %s", serverBehavior)
	}
	delete(files, serverBehavior)
	if len(definedFacts(facts)) == 0 {
		t.Fatalf("%s defines nothing", serverBehavior)
	}
	for _, problem := range citationProblems(facts, files) {
		t.Error(problem)
	}
}

func TestCitationProblems(t *testing.T) {
	// The test texts differ from real citations, so that the test above does not find them in this file.
	written := strings.NewReplacer("DOC", "server-behavior", "$", "§", "OUTSIDE", "wire-").Replace
	const facts = "# Facts\n\n- **$C1** One thing.\n- **$C2** Another,\n  see $C1.\n"
	const both = "// Told (DOC $C1, $C2).\n"
	for name, test := range map[string]struct {
		facts, code string
		want        []string
	}{
		"everything is cited":             {facts, both, nil},
		"cited across line breaks":        {facts, "\t// As DOC\n\t// $C1 and\n\t// $C2 say.\n", nil},
		"a section of a standard":         {facts, both + "// RFC 6749 $5.2\n", nil},
		"leads nowhere":                   {facts, both + "// Told (DOC $C3).\n", []string{"a.go cites $C3, which is not defined"}},
		"the second of a list":            {facts, both + "// (DOC $C1, $X9)\n", []string{"a.go cites $X9, which is not defined"}},
		"a longer number is another fact": {facts, both + "// DOC $C12\n", []string{"a.go cites $C12, which is not defined"}},
		"no letter before the number":     {facts, both + "// (DOC $5.7)\n", []string{"a.go cites $5, which is not defined"}},
		"a document outside":              {facts, both + "// Told (OUTSIDE1 $5.1).\n", []string{"a.go cites OUTSIDE1, which is not in the repository"}},
		"defined twice":                   {facts + "- **$C1** Again.\n", both, []string{"$C1 is defined twice"}},
		"a fact that refers to nothing":   {facts + "See $C7.\n", both, []string{serverBehavior + " cites $C7, which is not defined"}},
		"cited by nothing":                {facts, "// DOC $C1\n", []string{"$C2 is cited nowhere"}},
		"cited by another fact only":      {facts, "// DOC $C2\n", []string{"$C1 is cited nowhere"}},
	} {
		t.Run(name, func(t *testing.T) {
			for i, problem := range test.want {
				test.want[i] = written(problem)
			}
			got := citationProblems(written(test.facts), map[string]string{"a.go": written(test.code)})
			if !slices.Equal(got, test.want) {
				t.Errorf("found %q, want %q", got, test.want)
			}
		})
	}
}

var (
	factDefinition = regexp.MustCompile(`(?m)^- \*\*(§[A-Z]\d+)\*\* `)
	// The text after the name of the document, and numbers that continue a list.
	factCitation    = regexp.MustCompile(`server-behavior (§\w*)|(§[A-Z]\d+)\b`)
	outsideCitation = regexp.MustCompile(`\bwire-\d\b`)
	// A comment continues after the comment sign of the next line.
	lineBreak = regexp.MustCompile(`\s*\n\s*(?://|#)?\s*`)
)

// definedFacts returns the numbers that the document defines, as they come.
func definedFacts(facts string) []string {
	var defined []string
	for _, match := range factDefinition.FindAllStringSubmatch(facts, -1) {
		defined = append(defined, match[1])
	}
	return defined
}

// citedFacts returns the numbers that a text cites, each once, as they come.
func citedFacts(text string) []string {
	var cited []string
	for _, match := range factCitation.FindAllStringSubmatch(lineBreak.ReplaceAllString(text, " "), -1) {
		if number := match[1] + match[2]; !slices.Contains(cited, number) {
			cited = append(cited, number)
		}
	}
	return cited
}

// citationProblems returns citations without a fact, by path, and facts that are defined twice or not
// cited. A reference between facts must also be valid, but is no citation.
func citationProblems(facts string, files map[string]string) []string {
	var problems []string
	defined, cited := map[string]bool{}, map[string]bool{}
	numbers := definedFacts(facts)
	for _, number := range numbers {
		if defined[number] {
			problems = append(problems, number+" is defined twice")
		}
		defined[number] = true
	}
	check := func(path string, numbers []string) {
		for _, number := range numbers {
			if !defined[number] {
				problems = append(problems, fmt.Sprintf("%s cites %s, which is not defined", path, number))
			}
		}
	}
	check(serverBehavior, citedFacts(facts))
	for path, text := range files {
		if outside := outsideCitation.FindString(text); outside != "" {
			problems = append(problems, fmt.Sprintf("%s cites %s, which is not in the repository", path, outside))
		}
		numbers := citedFacts(text)
		check(path, numbers)
		for _, number := range numbers {
			cited[number] = true
		}
	}
	for number := range defined {
		if !cited[number] {
			problems = append(problems, number+" is cited nowhere")
		}
	}
	slices.Sort(problems)
	return problems
}

// repositoryFiles returns the texts in a repository by their path: tracked and not ignored files.
func repositoryFiles(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	listed := run(t, "git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	for path := range strings.SplitSeq(strings.TrimSuffix(listed, "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(root, path))
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed, and not committed yet
		case err != nil:
			t.Fatal(err)
		case utf8.Valid(content):
			files[path] = string(content)
		}
	}
	return files
}
