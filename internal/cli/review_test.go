package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// The examples that people copy must work.
func TestDocsReview_Flags_Accepted(t *testing.T) {
	command := newReview("test")
	for _, file := range []string{
		"../../.github/actions/review/action.yml", "../../examples/ci/zulip-access-review.gitlab-ci.yml", "../../templates/guides/review.md.tmpl",
	} {
		content := read(t, file)
		calls := regexp.MustCompile(`(?m)(?:terraform-provider-zulip|"\$command") review (.+)$`).FindAllStringSubmatch(content, -1)
		if len(calls) == 0 {
			t.Fatalf("%s does not call the review", file)
		}
		for _, call := range calls {
			line, _, _ := strings.Cut(call[1], " >")
			line, _, _ = strings.Cut(line, " ||")
			fresh := newReview("test")
			if err := fresh.ParseFlags(strings.Fields(line)); err != nil {
				t.Errorf("%s: review %s: %v", file, line, err)
				continue
			}
			words, _ := fresh.Flags().GetStringSlice("fail-on")
			if len(words) == 1 && words[0] == "$FAIL_ON" {
				continue // below
			}
			if _, err := (reviewFlags{failOn: words}).conditions(); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
		for _, flag := range regexp.MustCompile("`--([a-z-]+)").FindAllStringSubmatch(content, -1) {
			if command.Flags().Lookup(flag[1]) == nil {
				t.Errorf("%s: the command has no --%s", file, flag[1])
			}
		}
	}
	for file, line := range map[string]string{
		"../../.github/actions/review/action.yml":             `(?m)fail-on:\n.*\n    default: (.*)$`,
		"../../examples/ci/zulip-access-review.yml":           `(?m)fail-on: .* && '(.*)' \|\| '' }}$`,
		"../../examples/ci/zulip-access-review.gitlab-ci.yml": `(?m)FAIL_ON: (\w.*)$`,
	} {
		content := read(t, file)
		found := regexp.MustCompile(line).FindStringSubmatch(content)
		if found == nil {
			t.Errorf("%s has no conditions", file)
		} else if _, err := (reviewFlags{failOn: strings.Split(found[1], ",")}).conditions(); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	guide := read(t, "../../templates/guides/review.md.tmpl")
	for _, meaning := range report.Conditions {
		if row := "| `" + string(meaning.Condition) + "` | " + meaning.Meaning + " |"; !strings.Contains(guide, row) {
			t.Errorf("the guide does not say: %s", row)
		}
	}
}

// reviewRun runs the command on a plan of internal/access/review's tests.
func reviewRun(t *testing.T, plan string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	return runCommand(t, newReview("test"), append(args, filepath.Join("..", "access", "review", "testdata", plan+".plan.json"))...)
}

func TestReview_OutputFlags_Written(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	dir := t.TempDir()
	stdout, _, err := reviewRun(t, "membership", "--json", filepath.Join(dir, "r.json"), "--html", filepath.Join(dir, "r.html"))
	if err != nil || !strings.HasPrefix(stdout, "### Access review") {
		t.Fatalf("%v\n%s", err, stdout)
	}
	for name, holds := range map[string]string{"r.json": `"format_version": "1.0"`, "r.html": "Paul Dubois"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(content), holds) {
			t.Errorf("%s: %v\n%.500s", name, err, content)
		}
	}
	stdout, _, err = reviewRun(t, "membership", "--json", "-")
	if err != nil || !strings.HasPrefix(stdout, "{") {
		t.Errorf("--json -: %v\n%.500s", err, stdout)
	}
}

func TestReview_FailOn_ExitStatus(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	for words, want := range map[string]string{
		"lockout,external": "", "narrowing, widening": "the review found: widening", "widning": "unknown condition",
	} {
		_, _, err := reviewRun(t, "membership", "--fail-on", words)
		if got := problem(err); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("--fail-on %s: %q", words, got)
		}
	}
}

// Both commands check rules and fail on those that fail. Without a file of rules, the condition is an error.
func TestRules_FailOn_ExitStatus(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	file := filepath.Join(t.TempDir(), "rules.zulip.hcl")
	write := func(text string) {
		t.Helper()
		write(t, file, text)
	}
	expect := func(err error, says string) {
		t.Helper()
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	write("rule \"owners\" {\n  role     = \"owner\"\n  at_least = 1\n}\n")
	stdout, _, err := reviewRun(t, "membership", "--rules", file, "--fail-on", "rules")
	expect(err, "")
	if !strings.Contains(stdout, "1 rule passes.") {
		t.Error(stdout)
	}
	stdout, err = auditRun(t, "--rules", file, "--fail-on", "rules")
	expect(err, "")
	if !strings.Contains(stdout, "1 rule passes.") {
		t.Error(stdout)
	}
	write("rule \"owners\" {\n  role     = \"owner\"\n  at_least = 9\n}\nlimit \"nobody out\" {\n  people = 0\n}\n")
	stdout, _, err = reviewRun(t, "membership", "--rules", file, "--fail-on", "rules")
	expect(err, "") // it failed before, and the plan removes no one
	if !strings.Contains(stdout, "failed before, and this plan adds no violations") {
		t.Error(stdout)
	}
	_, err = auditRun(t, "--rules", file, "--fail-on", "rules")
	expect(err, "the audit found: rules")
	_, _, err = reviewRun(t, "membership", "--rules", file, "--offline")
	expect(err, "leave out --offline")
	_, err = auditRun(t, "--rules", file, "--guests")
	expect(err, "--rules needs the whole organization")
	_, _, err = reviewRun(t, "membership", "--fail-on", "rules")
	expect(err, "name the file of rules with --rules")
	_, err = auditRun(t, "--fail-on", "rules")
	expect(err, "name the file of rules with --rules")
	write("rule \"owners\" {\n  rol = \"owner\"\n}\n")
	_, _, err = reviewRun(t, "membership", "--rules", file)
	expect(err, "rules.zulip.hcl:2: rule has no attribute \"rol\"")
	_, err = auditRun(t, "--rules", file+".x")
	expect(err, "no such file")
}

func TestReview_Offline_NoRequests(t *testing.T) {
	t.Setenv("ZULIP_SITE", "http://127.0.0.1:9")
	stdout, _, err := reviewRun(t, "permission", "--offline", "--fail-on", "unknown")
	if problem(err) != "the review found: unknown" || !strings.Contains(stdout, "The organization wasn't read") ||
		!strings.Contains(stdout, "`role:moderators`") {
		t.Errorf("%v\n%s", err, stdout)
	}
}

func TestReview_CredentialsMissing_Error(t *testing.T) {
	for _, name := range []string{"ZULIP_SITE", "ZULIP_EMAIL", "ZULIP_API_KEY", "ZULIP_CONFIG"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", t.TempDir())
	_, _, err := reviewRun(t, "permission")
	if !strings.Contains(problem(err), "Not set: site") || !strings.Contains(problem(err), "--offline") {
		t.Errorf("without credentials: %v", err)
	}
}

func problem(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

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
		write(t, name, text)
	}
	for _, trial := range []struct {
		line, stdin, want string
		status            int
	}{
		{"check", "", "rules.zulip.hcl: 1 rule, 0 limits.\n", 0},
		{"check -", twoOwners, "<standard input>: 1 rule, 0 limits.\n", 0},
		{"check wrong.hcl rules.zulip.hcl limit.hcl", "", "wrong.hcl:1: the rule requires nothing: write only, never, at_least or at_most\nwrong.hcl:2: there is no role \"ower\"; did you mean \"owner\"?\n" +
			"rules.zulip.hcl: 1 rule, 0 limits.\nlimit.hcl:2: people must be a whole number of at least 0, without quotes\nError: 3 mistakes in 2 files", 1},
		{"check nowhere.hcl", "", "Error: open nowhere.hcl: no such file or directory", 1},
	} {
		if got, status := rulesRun(t, trial.stdin, strings.Fields(trial.line)...); got != trial.want || status != trial.status {
			t.Errorf("%s printed %q and exited with %d, want %q and %d", trial.line, got, status, trial.want, trial.status)
		}
	}
}
