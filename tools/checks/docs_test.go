// Package checks tests what is not Go code: the generated documentation, the examples and guides in it, and the citations
// in comments.
package checks

import (
	"os/exec"
	"testing"
)

func TestDocsAreWhatTheCodeGenerates(t *testing.T) {
	t.Parallel()
	run(t, "../scripts/docs", "--check")
}

func TestDocsExamplesAreFormatted(t *testing.T) {
	cli := run(t, "../scripts/cli")
	run(t, cli[:len(cli)-1], "fmt", "-check", "-diff", "-recursive", "../../examples")
}

// run fails the test with all the command said unless it succeeds, and returns what it wrote to standard output.
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
