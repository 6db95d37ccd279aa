package acctest

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// noteLines appends lines to the file that an environment variable names, which the script that runs the tests evaluates
// afterwards. If the variable is not set it does nothing.
func noteLines(t *testing.T, variable string, lines []string) {
	t.Helper()
	if err := appendLines(variable, lines); err != nil {
		t.Fatal(err)
	}
}

func appendLines(variable string, lines []string) error {
	path := os.Getenv(variable)
	if path == "" || len(lines) == 0 {
		return nil
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(strings.Join(lines, "\n") + "\n")
	return errors.Join(err, file.Close())
}
