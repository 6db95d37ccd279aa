package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

const twoOwners = "rule \"two owners\" {\n  role     = \"owner\"\n  at_least = 2 # people\n}\n"

// rulesRun runs a command of "rules" in a folder.
func rulesRun(t *testing.T, stdin string, args ...string) (stdout string, status int) {
	t.Helper()
	root := newRoot("test", nil)
	var out bytes.Buffer
	root.SetIn(strings.NewReader(stdin))
	root.SetOut(&out)
	root.SetErr(&out)
	root.SetArgs(append([]string{"rules"}, args...))
	if err := root.ExecuteContext(t.Context()); err != nil {
		return out.String() + "Error: " + err.Error(), exitStatus(err)
	}
	return out.String(), 0
}

func TestRulesCheck(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		rulesFile: twoOwners, "wrong.hcl": "rule \"a\" {\n  role = \"ower\"\n}\n", "limit.hcl": "limit \"a\" {\n  people = -1\n}\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, trial := range []struct {
		line, stdin, want string
		status            int
	}{
		{"check", "", "rules.zulip.hcl: 1 rule, 0 limits.\n", 0},
		{"check -", twoOwners, "<standard input>: 1 rule, 0 limits.\n", 0},
		{"check wrong.hcl rules.zulip.hcl limit.hcl", "", "wrong.hcl:1: the rule says nothing: write only, never, at_least or at_most\nwrong.hcl:2: there is no role \"ower\"; did you mean \"owner\"?\n" +
			"rules.zulip.hcl: 1 rule, 0 limits.\nlimit.hcl:2: people has to be a whole number of at least 0, without quotes\nError: 3 mistakes in 2 files", 1},
		{"check nowhere.hcl", "", "Error: open nowhere.hcl: no such file or directory", 1},
	} {
		if got, status := rulesRun(t, trial.stdin, strings.Fields(trial.line)...); got != trial.want || status != trial.status {
			t.Errorf("%s printed %q and exited with %d, want %q and %d", trial.line, got, status, trial.want, trial.status)
		}
	}
}
