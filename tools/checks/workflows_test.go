package checks

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// workflow is the part of a GitHub workflow that the checks read.
type workflow struct {
	Runs        any               `yaml:"runs"` // of an action, which has the permissions of the job that uses it
	Permissions map[string]string `yaml:"permissions"`
	Jobs        map[string]struct {
		Uses    string `yaml:"uses"` // another workflow, which has the timeouts
		Timeout int    `yaml:"timeout-minutes"`
		Steps   []struct {
			Uses string         `yaml:"uses"`
			With map[string]any `yaml:"with"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

// The project's workflows and action, and the workflows that users copy, run only code that others cannot replace. They get
// only the permissions that they need.
func TestDocsWorkflows_Pinned(t *testing.T) {
	files := map[string]string{}
	for _, folder := range []string{".github/workflows", ".github/actions/review", "examples/ci"} {
		paths, err := filepath.Glob("../../" + folder + "/*.yml")
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s has no workflows: %v", folder, err)
		}
		for _, file := range paths {
			if !strings.HasSuffix(file, ".gitlab-ci.yml") {
				files[path.Join(folder, filepath.Base(file))] = read(t, file)
			}
		}
	}
	for _, problem := range workflowProblems(files) {
		t.Error(problem)
	}
}

func TestWorkflowProblems(t *testing.T) {
	const sha = "0123456789abcdef0123456789abcdef01234567"
	const good = "permissions:\n  contents: read\njobs:\n  a:\n    timeout-minutes: 5\n    steps:\n" +
		"      - uses: actions/checkout@" + sha + " # v7.0.1\n        with:\n          persist-credentials: false\n"
	edit := func(old, replacement string) map[string]string {
		if !strings.Contains(good, old) {
			t.Fatalf("%q is not there", old)
		}
		return map[string]string{"w.yml": strings.Replace(good, old, replacement, 1)}
	}
	for name, test := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"as it is":    {edit("", ""), nil},
		"a tag":       {edit(sha+" # v7.0.1", "v7"), []string{"w.yml: actions/checkout@v7 is not pinned by commit, with its version as a comment"}},
		"no version":  {edit(" # v7.0.1", ""), []string{"w.yml: actions/checkout@" + sha + " is not pinned by commit, with its version as a comment"}},
		"our own":     {edit("      - uses", "      - uses: ./here\n      - uses"), nil},
		"no timeout":  {edit("    timeout-minutes: 5\n", ""), []string{"w.yml: the job a has no timeout-minutes"}},
		"credentials": {edit("false", "true"), []string{"w.yml: the job a checks out without persist-credentials: false"}},
		"no checkout's settings": {
			edit("        with:\n          persist-credentials: false\n", ""),
			[]string{"w.yml: the job a checks out without persist-credentials: false"},
		},
		"an action":      {map[string]string{"action.yml": "runs:\n  steps:\n    - uses: actions/checkout@v7\n"}, []string{"action.yml: actions/checkout@v7 is not pinned by commit, with its version as a comment"}},
		"no permissions": {edit("permissions:\n  contents: read\n", ""), []string{"w.yml: permissions are not set for all jobs"}},
		"may write":      {edit("contents: read", "contents: write"), []string{`w.yml: all jobs have contents: "write"; give it to the job that needs it`}},
		"no workflow":    {map[string]string{"w.yml": "- x\n"}, []string{"w.yml: yaml: unmarshal errors:\n  line 1: cannot unmarshal !!seq into checks.workflow"}},
		"two commits": {
			map[string]string{"w.yml": good, "x.yml": strings.Replace(good, "0123", "3210", 1)},
			[]string{"x.yml: actions/checkout is pinned to another commit than in w.yml"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := workflowProblems(test.files); !slices.Equal(got, test.want) {
				t.Errorf("the problems are %q, want %q", got, test.want)
			}
		})
	}
}

var (
	usedAction   = regexp.MustCompile(`(?m)^\s*(?:- )?uses: (\S+)(.*)$`)
	pinnedAction = regexp.MustCompile(`^([\w.-]+/[\w.-]+)[\w./-]*@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
)

// workflowProblems returns the problems of workflows, by their path: actions that are not pinned by commit, or not to the
// same one everywhere, jobs without a timeout, permissions of all jobs, and credentials in the checked-out folder.
func workflowProblems(files map[string]string) (problems []string) {
	add := func(format string, values ...any) { problems = append(problems, fmt.Sprintf(format, values...)) }
	type pin struct{ commit, file string }
	pins := map[string]pin{}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		for _, used := range usedAction.FindAllStringSubmatch(files[file], -1) {
			if strings.HasPrefix(used[1], "./") {
				continue
			}
			action := pinnedAction.FindStringSubmatch(used[1] + used[2])
			if action == nil {
				add("%s: %s is not pinned by commit, with its version as a comment", file, used[1])
				continue
			}
			_, commit, _ := strings.Cut(used[1], "@")
			if first, ok := pins[action[1]]; !ok {
				pins[action[1]] = pin{commit, file}
			} else if first.commit != commit {
				add("%s: %s is pinned to another commit than in %s", file, action[1], first.file)
			}
		}
		var parsed workflow
		if err := yaml.Unmarshal([]byte(files[file]), &parsed); err != nil {
			add("%s: %v", file, err)
			continue
		}
		for _, problem := range parsed.problems() {
			add("%s: %s", file, problem)
		}
	}
	return problems
}

func (w workflow) problems() (problems []string) {
	if w.Permissions == nil && w.Runs == nil {
		problems = append(problems, "permissions are not set for all jobs")
	}
	for _, name := range slices.Sorted(maps.Keys(w.Permissions)) {
		if access := w.Permissions[name]; access != "read" && access != "none" {
			problems = append(problems, fmt.Sprintf("all jobs have %s: %q; give it to the job that needs it", name, access))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.Jobs)) {
		if w.Jobs[name].Timeout == 0 && w.Jobs[name].Uses == "" {
			problems = append(problems, "the job "+name+" has no timeout-minutes")
		}
		for _, step := range w.Jobs[name].Steps {
			if strings.HasPrefix(step.Uses, "actions/checkout@") && step.With["persist-credentials"] != false {
				problems = append(problems, "the job "+name+" checks out without persist-credentials: false")
			}
		}
	}
	return problems
}

// Every Go module of the repository gets its dependencies updated.
func TestDocsDependabot_EveryModule_Updated(t *testing.T) {
	var config struct {
		Updates []struct {
			Ecosystem   string   `yaml:"package-ecosystem"`
			Directories []string `yaml:"directories"`
			Cooldown    struct {
				Days int `yaml:"default-days"`
			} `yaml:"cooldown"`
		} `yaml:"updates"`
	}
	if err := yaml.Unmarshal([]byte(read(t, "../../.github/dependabot.yml")), &config); err != nil {
		t.Fatal(err)
	}
	var patterns []string
	for _, update := range config.Updates {
		if update.Cooldown.Days == 0 {
			t.Errorf("updates of %s do not wait", update.Ecosystem)
		}
		if update.Ecosystem == "gomod" {
			patterns = append(patterns, update.Directories...)
		}
	}
	modules := strings.Fields(run(t, "git", "-C", "../..", "ls-files", "--cached", "--others", "--exclude-standard", "go.mod", "*/go.mod"))
	if len(modules) < 3 {
		t.Fatalf("git knows only %q", modules)
	}
	for _, module := range modules {
		folder := path.Join("/", path.Dir(module))
		if !slices.ContainsFunc(patterns, func(pattern string) bool { ok, _ := path.Match(pattern, folder); return ok }) {
			t.Errorf("the dependencies of %s are not updated: .github/dependabot.yml has %q", module, patterns)
		}
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
