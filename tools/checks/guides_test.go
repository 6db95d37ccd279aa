package checks

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The headings of the guide quote error texts, so that users find them: each must occur in the code.
func TestDocsTroubleshootingQuotesTheCode(t *testing.T) {
	guide, err := os.ReadFile("../../templates/guides/troubleshooting.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	headings := regexp.MustCompile("(?m)^## `(.*)`$").FindAllStringSubmatch(string(guide), -1)
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

// source returns the Go code below dir, without tests and without the sandbox, whose errors are the server's.
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
