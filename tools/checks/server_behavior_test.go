package checks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

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
	// Written otherwise than they are, so that the test above does not take them for citations in this file.
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
	// Whatever follows the name of the document, and anything that looks like one of its numbers: the rest of a list.
	factCitation    = regexp.MustCompile(`server-behavior (§\w*)|(§[A-Z]\d+)\b`)
	outsideCitation = regexp.MustCompile(`\bwire-\d\b`)
	// A comment goes on behind the next line's sign.
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

// citationProblems says which citations in the files, by path, lead nowhere, and which facts are defined twice or cited
// nowhere. A reference from one fact to another has to lead somewhere too, but is no citation.
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

// repositoryFiles returns the texts in a repository by their path: what git has, or would take.
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
