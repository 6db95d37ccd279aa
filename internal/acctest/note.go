package acctest

import (
	"os"
	"strings"
	"testing"
)

// noteLines appends lines to the file that an environment variable names, for the script that runs the tests to look at
// when all of them are done. Not set: nothing is noted.
func noteLines(t *testing.T, variable string, lines []string) {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" || len(lines) == 0 {
		return
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
