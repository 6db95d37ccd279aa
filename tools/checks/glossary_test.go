package checks

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// glossaryDebts are the types whose name is a word of the glossary with another meaning, and why they still have it.
var glossaryDebts = map[string]string{
	"access/plan.Plan":         "a whole plan of the CLI, read from JSON: the package says so",
	"realm/runstate.State":     "the run state: the package says so",
	"realm/permission.Setting": "a permission of a table, which the server calls a permission setting",
}

// maxWords keeps the glossary short enough to be read.
const maxWords = 25

// A word of the glossary names the type that the glossary gives, and no other one: case does not matter. An alias is no type
// of its own, and the sandbox, which shares no type with the rest, has words of its own.
func TestDocsGlossaryNamesTheTypes(t *testing.T) {
	guide, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	words := glossary(string(guide))
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
