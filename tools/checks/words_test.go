package checks

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// avoided are words with a plainer one. Messages have the same list in internal/provider/messages_test.go.
var avoided = regexp.MustCompile(`(?i)\b(else|beside|meanwhile|taken out|is to be|are to be|anew|mend(s|ed)?|somebody|whoever|by hand|at once|without a word|is there|are there)\b`)

// elseInPlace are phrases in which "else" is right.
var elseInPlace = regexp.MustCompile(`(?i)\b(some|any|no|every)( one|one|thing|where)? else('s)?\b`)

// headless begins a sentence with a relative clause or with its object. Questions and headings may.
var headless = regexp.MustCompile(`(?:^|[.:!] )(What|Who|Whoever|Of) [a-z][^?]*$`)

// quotedText is code, a quotation, a link's address, or a name of the web app in bold.
var quotedText = regexp.MustCompile("`[^`]*`|\"[^\"]*\"|\\]\\([^)]*\\)|\\*\\*.*?\\*\\*")

// checkWords fails the test for a line that has a word to avoid, or a sentence without a subject.
func checkWords(t *testing.T, at, line string) {
	t.Helper()
	text := elseInPlace.ReplaceAllString(quotedText.ReplaceAllString(line, ""), "")
	if found := avoided.FindString(text); found != "" {
		t.Errorf("%s: write another word than %q: %s", at, found, line)
	}
	if headless.MatchString(strings.TrimLeft(text, " -|>0123456789.*")) {
		t.Errorf("%s: name the thing in place of a clause with What, Who or Of: %s", at, line)
	}
}

func TestDocsWords_Pages_Plain(t *testing.T) {
	pages := strings.Fields(run(t, "git", "-C", "../..", "ls-files", "docs/*.md", ".github/*.md", "*.md", ":!internal/*", ":!*/testdata/*"))
	if len(pages) < 80 {
		t.Errorf("only %d pages were found", len(pages))
	}
	for _, page := range pages {
		content, err := os.ReadFile(filepath.Join("../..", page))
		if err != nil {
			t.Fatal(err)
		}
		isCode, isFrontMatter := false, false
		for i, line := range strings.Split(string(content), "\n") {
			switch {
			case i == 0 && line == "---":
				isFrontMatter = true
			case line == "---":
				isFrontMatter = false
			case strings.HasPrefix(strings.TrimSpace(line), "```"):
				isCode = !isCode
			case !isCode && !isFrontMatter && !strings.HasPrefix(line, "#"):
				checkWords(t, page, line)
			}
		}
	}
}

func TestDocsWords_Comments_Plain(t *testing.T) {
	for _, file := range strings.Fields(run(t, "git", "-C", "../..", "ls-files", "*.go", ":!*/testdata/*")) {
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, filepath.Join("../..", file), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		names := documentedNames(parsed)
		for _, group := range parsed.Comments {
			for _, comment := range group.List {
				if !isDirective(comment) {
					line := strings.TrimSpace(strings.TrimPrefix(comment.Text, "//"))
					checkWords(t, files.Position(comment.Pos()).String(), strings.TrimPrefix(line, names[comment]+" "))
				}
			}
		}
	}
}

// documentedNames returns the name of a function or field by the first line of its comment, which begins with the name.
func documentedNames(file *ast.File) map[*ast.Comment]string {
	names := map[*ast.Comment]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			if node.Doc != nil {
				names[node.Doc.List[0]] = node.Name.Name
			}
		case *ast.Field:
			if node.Doc != nil && len(node.Names) > 0 {
				names[node.Doc.List[0]] = node.Names[0].Name
			}
		}
		return true
	})
	return names
}

func isDirective(comment *ast.Comment) bool {
	return strings.HasPrefix(comment.Text, "//nolint") || strings.HasPrefix(comment.Text, "//go:")
}
