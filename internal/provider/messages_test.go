package provider_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxSummary is the maximum length of a summary, without the names in it.
const maxSummary = 60

// summaryAt is the position of the summary among the arguments of the functions that report something.
var summaryAt = map[string]int{
	"AddError": 0, "AddWarning": 0, "Failed": 0, "LockoutSummary": 0, "NewErrorDiagnostic": 0, "NewWarningDiagnostic": 0,
	"AddAttributeError": 1, "AddAttributeWarning": 1, "NewAttributeErrorDiagnostic": 1, "Refused": 1, "Report": 1, "SummaryOr": 1,
	"AddErrorAt": 2, "LockOrReport": 2,
}

// noMessage are the calls and fields whose texts are not part of a message: logs, patterns, and documentation.
var noMessage = map[string]bool{
	"panic": true, "Debug": true, "Trace": true, "Info": true, "Warn": true, "MustCompile": true, "IsMessage": true,
	"Description": true, "MarkdownDescription": true, "Deprecated": true, "Stays": true, "Schema": true,
}

var (
	verb = regexp.MustCompile(`%[-+#0-9.\[\]]*[a-zA-Z]`)
	// otherElse are phrases in which "else" is right.
	otherElse     = regexp.MustCompile(`(?i)\b(some|any|no|every)(one|thing|where)? else\b`)
	avoided       = regexp.MustCompile(`(?i)\b(else|beside|meanwhile|taken out|is to be|anew|mend|somebody|whoever|by hand|at once|without a word)\b|\bis there\b`)
	headlessStart = regexp.MustCompile(`(?:^|[.:!?]\s+|\n)(What|Who|Whoever|Of) `)
)

// constantText returns the constant text of an expression, without inserted values.
func constantText(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(expr.Value); err == nil && expr.Kind == token.STRING {
			return text
		}
	case *ast.BinaryExpr:
		return constantText(expr.X) + constantText(expr.Y)
	case *ast.ParenExpr:
		return constantText(expr.X)
	case *ast.CallExpr:
		if nameOf(expr.Fun) == "Sprintf" {
			return verb.ReplaceAllString(constantText(expr.Args[0]), "")
		}
	}
	return ""
}

func nameOf(fun ast.Expr) string {
	switch fun := fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}

func TestMessages_PlainWords(t *testing.T) {
	summaries := 0
	isDocumentation := regexp.MustCompile("(?i)schema|description|markdown|attributes").MatchString
	for _, dir := range []string{"resource", "service", "realm/runstate", "realm/store", "realm/suggest", "provider", "zulip", "trading"} {
		err := filepath.WalkDir(filepath.Join("..", dir), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "featurelevel") {
				return err
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(node ast.Node) bool {
				switch node := node.(type) {
				case *ast.CallExpr:
					if noMessage[nameOf(node.Fun)] {
						return false
					}
					if at, ok := summaryAt[nameOf(node.Fun)]; ok && len(node.Args) > at {
						summaries++
						if text := constantText(node.Args[at]); utf8.RuneCountInString(text) > maxSummary {
							t.Errorf("%s: the summary has %d characters, %d are allowed: %s", files.Position(node.Pos()), utf8.RuneCountInString(text), maxSummary, text)
						}
					}
				case *ast.FuncDecl:
					return !isDocumentation(node.Name.Name)
				case *ast.KeyValueExpr:
					return !noMessage[fmt.Sprint(node.Key)]
				case *ast.BasicLit:
					text := constantText(node)
					if strings.Contains(node.Value, "`") { // Markdown
						return false
					}
					if found := avoided.FindString(otherElse.ReplaceAllString(text, "")); found != "" && strings.Contains(text, " ") {
						t.Errorf("%s: write another word than %q: %s", files.Position(node.Pos()), found, text)
					}
					if found := headlessStart.FindStringSubmatch(text); found != nil {
						t.Errorf("%s: a sentence begins with %q: %s", files.Position(node.Pos()), found[1], text)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if summaries < 400 {
		t.Errorf("only %d summaries were found", summaries)
	}
}
