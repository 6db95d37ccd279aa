package checks

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestDocsStagingGuideRuns(t *testing.T) {
	said := runGuide(t, "staging", "127.0.0.1:9971", "127.0.0.1:9972")
	if !strings.Contains(said, "No changes.") {
		t.Errorf("the last plan is not empty:\n%s", said)
	}
}

func TestDocsLargeOrganizationsGuideRuns(t *testing.T) {
	said := runGuide(t, "large-organizations", "127.0.0.1:9970")
	for _, want := range []string{" imported, 0 added, 0 changed, 0 destroyed.", "No changes."} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in what the commands print:\n%s", want, said)
		}
	}
}

// runGuide runs the commands of a guide as they stand, one after the other, as somebody who says yes to everything, and
// returns what they print. Only the folder of the sources and the addresses are this machine's.
func runGuide(t *testing.T, name string, addresses ...string) string {
	t.Helper()
	guide, err := os.ReadFile("../../templates/guides/" + name + ".md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(string(guide), -1)
	if len(blocks) == 0 {
		t.Fatal("the guide has no commands")
	}
	// What was started in the background ends with the shell.
	commands := "set -euo pipefail\ntrap 'kill $(jobs -p)' EXIT\n"
	for _, block := range blocks {
		commands += block[1]
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	commands = replaceOnce(t, commands, "sources=~/terraform-provider-zulip", "sources='"+root+"'")
	for _, address := range addresses {
		commands = replaceOnce(t, commands, address, freeAddress(t))
	}
	shell := exec.CommandContext(t.Context(), "bash", "-c", commands)
	shell.Dir = t.TempDir()
	shell.Env = guideEnvironment(t)
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// guideEnvironment is that of somebody with a home of their own, so that "make install" touches nobody's, and with the
// CLI under the name that guides call it by.
func guideEnvironment(t *testing.T) []string {
	t.Helper()
	home, bin := t.TempDir(), t.TempDir()
	cli := strings.TrimSpace(run(t, "../scripts/cli"))
	if err := os.Symlink(cli, filepath.Join(bin, "terraform")); err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(),
		"HOME="+home, "XDG_DATA_HOME=", "TF="+cli, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		// What Go keeps in the home is not built again.
		"GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"), "GOPATH="+goEnv(t, "GOPATH"),
		"TF_CLI_CONFIG_FILE="+os.DevNull, "TF_CLI_ARGS=-no-color", "TF_CLI_ARGS_apply=-auto-approve", "CHECKPOINT_DISABLE=1",
	)
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(run(t, "go", "env", name))
}

// freeAddress returns an address that nobody serves on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

func replaceOnce(t *testing.T, text, old, replacement string) string {
	t.Helper()
	if strings.Count(text, old) != 1 {
		t.Fatalf("the commands have %q %d times", old, strings.Count(text, old))
	}
	return strings.Replace(text, old, replacement, 1)
}
