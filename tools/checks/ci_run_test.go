package checks

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// A ciStep is a step of a workflow or of a composite action.
type ciStep struct {
	ID               string
	Name             string
	If               string
	Uses             string
	Run              string
	WorkingDirectory string            `yaml:"working-directory"`
	Env              map[string]string `yaml:"env"`
	With             map[string]string `yaml:"with"`
}

// A ciJob is a job of a workflow.
type ciJob struct {
	If          string
	Needs       string
	Environment string
	Env         map[string]string
	Concurrency struct {
		Group  string
		Cancel string `yaml:"cancel-in-progress"`
	}
	Permissions map[string]string
	Outputs     map[string]string
	Steps       []ciStep
}

// A ciWorkflow is a workflow for users.
type ciWorkflow struct {
	On   map[string]any
	Env  map[string]string
	Jobs map[string]ciJob
}

// A ciAction is a composite action.
type ciAction struct {
	Inputs map[string]struct {
		Default  string
		Required bool
	}
	Outputs map[string]struct{ Value string }
	Runs    struct{ Steps []ciStep }
}

const (
	reviewWorkflow = "../../examples/ci/zulip-access-review.yml"
	reviewAction   = "../../.github/actions/review/action.yml"
	reviewGitLab   = "../../examples/ci/zulip-access-review.gitlab-ci.yml"
)

func parse[T any](t *testing.T, file string) (parsed T) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, file)), &parsed); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return parsed
}

// values are the values of names in expressions, for example "github.event_name".
type values map[string]string

var expression = regexp.MustCompile(`\$\{\{ (.*?) \}\}`)

// expand replaces the expressions in a text.
func (v values) expand(t *testing.T, text string) string {
	t.Helper()
	return expression.ReplaceAllStringFunc(text, func(found string) string {
		return v.evaluate(t, expression.FindStringSubmatch(found)[1])
	})
}

// evaluate returns the value of an expression of names, texts, ==, !=, && and ||. Like in GitHub's, && and || return one of
// the two.
func (v values) evaluate(t *testing.T, text string) string {
	t.Helper()
	isTrue := func(value string) bool { return value != "" && value != "false" }
	text = strings.TrimSpace(text)
	if left, right, ok := strings.Cut(text, " || "); ok {
		if value := v.evaluate(t, left); isTrue(value) {
			return value
		}
		return v.evaluate(t, right)
	}
	if left, right, ok := strings.Cut(text, " && "); ok {
		if value := v.evaluate(t, left); !isTrue(value) {
			return value
		}
		return v.evaluate(t, right)
	}
	for operator, want := range map[string]bool{" == ": true, " != ": false} {
		if left, right, ok := strings.Cut(text, operator); ok {
			if (v.evaluate(t, left) == v.evaluate(t, right)) == want {
				return "true"
			}
			return "false"
		}
	}
	if literal, ok := strings.CutPrefix(text, "'"); ok {
		return strings.TrimSuffix(literal, "'")
	}
	if !regexp.MustCompile(`^(inputs|github|steps|needs|secrets)(\.[\w-]+)+$`).MatchString(text) {
		t.Fatalf("the expression %q is not understood", text)
	}
	return v[text]
}

func TestExpressionsOfWorkflows(t *testing.T) {
	v := values{"github.event_name": "push", "inputs.x": "1"}
	for text, want := range map[string]string{
		"github.event_name": "push", "inputs.none": "", "github.event_name == 'push'": "true", "github.event_name != 'push'": "false",
		"github.event_name == 'pull_request' && 'a' || 'b'": "b", "github.event_name == 'push' && 'a' || 'b'": "a",
		"github.event_name == 'push' && inputs.x == '2'": "false", "inputs.none || inputs.x": "1",
	} {
		if got := v.evaluate(t, text); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

// A ciRun runs the shell commands of jobs like a CI server, against a sandbox.
type ciRun struct {
	environment []string
	// server is a folder in place of GitHub or GitLab. It has the calls, the comment, and the artifacts.
	server      string
	credentials string
	config      string
	state       string
}

// newCIRun starts a sandbox and installs the provider as version 1.0.0. Scripts replace gh and curl. The provider's command
// is not on the PATH.
func newCIRun(t *testing.T) *ciRun {
	t.Helper()
	shell := newGuideShell(t)
	r := &ciRun{server: t.TempDir(), credentials: shell.credentials, state: filepath.Join(t.TempDir(), "terraform.tfstate")}
	bin := t.TempDir()
	// An existing comment or note has the same beginning.
	script := "#!/bin/bash\nset -eu\necho \"${0##*/} $*\" >>'" + r.server + "/calls'\n" +
		"for word; do case $word in body=@*) cp \"${word#body=@}\" '" + r.server + "/comment' ;; body@*) cp \"${word#body@}\" '" + r.server + "/comment' ;; esac; done\n"
	// The base branch has the rules of the server.
	rules := "'" + r.server + "/rules.zulip.hcl'"
	writeProgram(t, bin, "git", "#!/bin/sh\ncase $1 in\nfetch) ;;\ncat-file) [ -f "+rules+" ] ;;\nshow) cat "+rules+" ;;\nesac\n")
	writeProgram(t, bin, "gh", script+"if [[ $* = */contents/rules.zulip.hcl* ]]; then\n"+
		"  [ -f "+rules+" ] || { echo 'gh: Not Found (HTTP 404)' >&2; exit 1; }\n  cat "+rules+"\nfi\nif [[ $* = *--jq* && -f '"+r.server+"/comment' ]]; then echo 71; fi\n")
	writeProgram(t, bin, "curl", script+"if [[ $* = *per_page* ]]; then\n"+
		"  [ ! -f '"+r.server+"/comment' ] || own=', {\"id\": 71, \"body\": \"<!-- zulip-access-review -->\\n### Access review\"}'\n"+
		"  echo \"[{\\\"id\\\": 70, \\\"body\\\": \\\"Who reviews this?\\\"}${own:-}]\"\nfi\n")
	writeProgram(t, bin, "apk", "#!/bin/sh\n")
	if _, err := exec.LookPath("jq"); err != nil {
		program(t, bin, "jq", "./testdata/jq")
	}
	for _, variable := range shell.environment {
		if path, ok := strings.CutPrefix(variable, "PATH="); ok {
			_, path, _ = strings.Cut(path, string(os.PathListSeparator)) // without the command
			variable = "PATH=" + bin + string(os.PathListSeparator) + path
		}
		r.environment = append(r.environment, variable)
	}
	install(t, r.environment)
	return r
}

// as returns the environment of another account.
func (r *ciRun) as(t *testing.T, email string) []string {
	t.Helper()
	accounts := parse[map[string]struct {
		Email string
		Key   string `yaml:"api_key"`
	}](t, r.credentials) // JSON is YAML
	for _, account := range accounts {
		if account.Email == email {
			return append(slices.Clone(r.environment), "ZULIP_EMAIL="+account.Email, "ZULIP_API_KEY="+account.Key)
		}
	}
	t.Fatalf("nobody is %s", email)
	return nil
}

func writeProgram(t *testing.T, folder, name, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o700); err != nil { //nolint:gosec // it must be executable
		t.Fatal(err)
	}
}

// checkout is a folder with the configuration.
func (r *ciRun) checkout(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	backend := "terraform {\n  required_providers {\n    zulip = { source = \"zulip-iac/zulip\" }\n  }\n  backend \"local\" {\n    path = \"" + r.state + "\"\n  }\n}\n"
	write(t, filepath.Join(folder, "main.tf"), backend+r.config)
	return folder
}

// serverFile returns the content of a file of the server; "" if it does not exist.
func (r *ciRun) serverFile(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(r.server, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(content)
}

// A ciResult is the result of a job.
type ciResult struct {
	status           int
	printed, summary string
	values           values
}

// job runs a job of the workflow in a folder. The values contain the event and the outputs of needed jobs.
func (r *ciRun) job(t *testing.T, workflow ciWorkflow, name, folder string, known values) *ciResult {
	t.Helper()
	job := workflow.Jobs[name]
	result := &ciResult{values: maps.Clone(known)}
	runner := t.TempDir()
	environment := append(r.environment, "RUNNER_TEMP="+runner, "GITHUB_REPOSITORY=example/zulip", "GITHUB_STEP_SUMMARY="+runner+"/summary")
	for key, value := range workflow.Env {
		environment = append(environment, key+"="+value)
	}
	for key, value := range job.Env {
		if value != "${{ secrets."+key+" }}" { // the environment has those of the sandbox
			t.Errorf("%s is %q", key, value)
		}
	}
	r.steps(t, job.Steps, folder, environment, runner, result)
	result.summary = ""
	if content, err := os.ReadFile(runner + "/summary"); err == nil {
		result.summary = string(content)
	}
	for key, value := range job.Outputs {
		result.values["needs."+name+".outputs."+key] = result.values.expand(t, value)
	}
	return result
}

// steps runs steps until one fails.
func (r *ciRun) steps(t *testing.T, steps []ciStep, folder string, environment []string, runner string, result *ciResult) {
	t.Helper()
	for _, step := range steps {
		if step.If != "" && result.values.evaluate(t, step.If) != "true" {
			continue
		}
		with := func(name string) string { return result.values.expand(t, step.With[name]) }
		action, _, _ := strings.Cut(step.Uses, "@")
		switch action {
		case "":
			r.step(t, step, folder, environment, runner, result)
		case "actions/checkout", "hashicorp/setup-terraform":
		case "actions/upload-artifact":
			artifact := filepath.Join(r.server, with("name"))
			for _, file := range strings.Fields(with("path")) {
				if !filepath.IsAbs(file) {
					file = filepath.Join(folder, file)
				}
				run(t, "mkdir", "-p", artifact)
				run(t, "cp", file, artifact)
			}
		case "actions/download-artifact":
			run(t, "cp", "-R", filepath.Join(r.server, with("name"))+"/.", folder)
		case "zulip-iac/terraform-provider-zulip/.github/actions/review":
			r.action(t, step, folder, environment, runner, result)
		default:
			t.Fatalf("%q is not understood", step.Uses)
		}
		if result.status != 0 {
			return
		}
	}
}

// action runs the action of this project.
func (r *ciRun) action(t *testing.T, step ciStep, folder string, environment []string, runner string, result *ciResult) {
	t.Helper()
	action := parse[ciAction](t, reviewAction)
	inner := &ciResult{values: values{}}
	for name, value := range result.values {
		if strings.HasPrefix(name, "github.") {
			inner.values[name] = value
		}
	}
	for name, input := range action.Inputs {
		value, given := step.With[name]
		if input.Required && !given {
			t.Errorf("the action needs %s", name)
		}
		if inner.values["inputs."+name] = input.Default; given {
			inner.values["inputs."+name] = result.values.expand(t, value)
		}
	}
	for name := range step.With {
		if _, ok := action.Inputs[name]; !ok {
			t.Errorf("the action has no input %s", name)
		}
	}
	r.steps(t, action.Runs.Steps, folder, environment, runner, inner)
	result.status = inner.status
	result.printed += inner.printed
}

// step runs the commands of a step like GitHub does.
func (r *ciRun) step(t *testing.T, step ciStep, folder string, environment []string, runner string, result *ciResult) {
	t.Helper()
	script, output, path := filepath.Join(runner, "script"), filepath.Join(runner, "output"), filepath.Join(runner, "path")
	write(t, script, result.values.expand(t, step.Run))
	_ = os.Remove(output)
	command := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", script)
	command.Dir = filepath.Join(folder, result.values.expand(t, step.WorkingDirectory))
	command.Env = append([]string{}, environment...)
	if added, err := os.ReadFile(path); err == nil {
		folders := strings.Fields(string(added))
		for _, variable := range environment {
			if old, ok := strings.CutPrefix(variable, "PATH="); ok {
				command.Env = append(command.Env, "PATH="+folders[len(folders)-1]+string(os.PathListSeparator)+old)
			}
		}
	}
	command.Env = append(command.Env, "GITHUB_OUTPUT="+output, "GITHUB_PATH="+path)
	for key, value := range step.Env {
		command.Env = append(command.Env, key+"="+result.values.expand(t, value))
	}
	printed, err := command.CombinedOutput()
	if result.status = command.ProcessState.ExitCode(); err != nil && result.status <= 0 {
		t.Fatal(err)
	}
	result.printed += string(printed)
	if outputs, err := os.ReadFile(output); err == nil {
		for line := range strings.Lines(string(outputs)) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
			result.values["steps."+step.ID+".outputs."+name] = value
		}
	}
}
