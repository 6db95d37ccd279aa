package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	unformatted = "rule \"two owners\" {\n  role=\"owner\"\n    at_least = 2 # people\n}\n"
	formatted   = "rule \"two owners\" {\n  role     = \"owner\"\n  at_least = 2 # people\n}\n"
)

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

func TestRulesFmt(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, 0o640); err != nil {
			t.Fatal(err)
		}
	}
	write(rulesFile, unformatted)
	write("good.hcl", formatted)
	write("broken.hcl", "rule {\n")
	write("x.json", "{}")
	if err := os.Symlink(rulesFile, "link.hcl"); err != nil {
		t.Fatal(err)
	}
	for _, trial := range []struct {
		line, stdin, want string
		status            int
	}{
		{"fmt --check", "", "rules.zulip.hcl\nError: 1 file is not formatted: terraform-provider-zulip rules fmt formats it", 3},
		{"fmt --check good.hcl", "", "", 0},
		{"fmt --check good.hcl link.hcl rules.zulip.hcl", "", "link.hcl\nrules.zulip.hcl\nError: 2 files are not formatted: terraform-provider-zulip rules fmt formats them", 3},
		{"fmt -", unformatted, formatted, 0},
		{"fmt -", formatted, formatted, 0},
		{"fmt --check -", unformatted, "<standard input>\nError: 1 file is not formatted: terraform-provider-zulip rules fmt formats it", 3},
		{"fmt --check -", formatted, "", 0},
		{"fmt rules.zulip.hcl broken.hcl", "", "Error: broken.hcl:1: Unclosed configuration block: There is no closing brace for this block before the end of the file. This may be caused by incorrect brace nesting elsewhere in this file.", 1},
		{"fmt x.json", "", "Error: x.json: fmt formats HCL's own syntax; format JSON with your editor", 1},
		{"fmt nowhere.hcl", "", "Error: open nowhere.hcl: no such file or directory", 1},
	} {
		if got, status := rulesRun(t, trial.stdin, strings.Fields(trial.line)...); got != trial.want || status != trial.status {
			t.Errorf("%s printed %q and exited with %d, want %q and %d", trial.line, got, status, trial.want, trial.status)
		}
		if content, _ := os.ReadFile(rulesFile); string(content) != unformatted {
			t.Fatalf("%s changed the file", trial.line)
		}
	}
	if got, status := rulesRun(t, "", "fmt", "link.hcl", "good.hcl"); got != "link.hcl\n" || status != 0 {
		t.Errorf("printed %q and exited with %d", got, status)
	}
	content, _ := os.ReadFile(rulesFile)
	info, _ := os.Stat(rulesFile)
	link, _ := os.Lstat("link.hcl")
	if string(content) != formatted || info.Mode().Perm() != 0o640 || link.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the file is %q with %v, the link has %v", content, info.Mode(), link.Mode())
	}
}

func TestRulesCheck(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		rulesFile: unformatted, "wrong.hcl": "rule \"a\" {\n  role = \"ower\"\n}\n", "x.json": `{"limit": {"a": {"people": -1}}}`,
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
		{"check -", formatted, "<standard input>: 1 rule, 0 limits.\n", 0},
		{"check wrong.hcl rules.zulip.hcl x.json", "", "wrong.hcl:1: the rule says nothing: write only, never, at_least or at_most\nwrong.hcl:2: there is no role \"ower\"; did you mean \"owner\"?\n" +
			"rules.zulip.hcl: 1 rule, 0 limits.\nx.json:1: people has to be a whole number of at least 0, without quotes\nError: 3 mistakes in 2 files", 1},
		{"check nowhere.hcl", "", "Error: open nowhere.hcl: no such file or directory", 1},
	} {
		if got, status := rulesRun(t, trial.stdin, strings.Fields(trial.line)...); got != trial.want || status != trial.status {
			t.Errorf("%s printed %q and exited with %d, want %q and %d", trial.line, got, status, trial.want, trial.status)
		}
	}
}

// A file in the JSON syntax is taken wherever one in HCL is.
func TestRulesSchema(t *testing.T) {
	got, status := rulesRun(t, "", "schema")
	var schema map[string]any
	if err := json.Unmarshal([]byte(got), &schema); err != nil || status != 0 || schema["$schema"] != "http://json-schema.org/draft-07/schema#" {
		t.Errorf("%v, exited with %d: %.200s", err, status, got)
	}
	path := filepath.Join(t.TempDir(), "rules.zulip.hcl.json")
	if err := os.WriteFile(path, []byte(`{"$schema": "./rules.schema.json", "rule": {"two owners": {"role": "owner", "at_least": 2}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := readRules(path)
	if err != nil || len(file.Rules) != 1 || file.Rules[0].AtLeast != 2 {
		t.Errorf("%v, %v", file, err)
	}
}
