package checks

import (
	"archive/zip"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// The CLIs that the guide calls tested are those of the workflow.
func TestDocsSupportedCLIs_Tested(t *testing.T) {
	var ci struct {
		Jobs struct {
			CLI struct {
				Strategy struct {
					Matrix struct {
						Include []struct{ CLI, Version string } `yaml:"include"`
					} `yaml:"matrix"`
				} `yaml:"strategy"`
			} `yaml:"cli"`
		} `yaml:"jobs"`
	}
	if err := yaml.Unmarshal([]byte(read(t, "../../.github/workflows/ci.yml")), &ci); err != nil {
		t.Fatal(err)
	}
	tested := map[string][]string{}
	for _, run := range ci.Jobs.CLI.Strategy.Matrix.Include {
		if run.Version != "latest" {
			tested[run.CLI] = append(tested[run.CLI], run.Version)
		}
	}
	guide := read(t, "../../templates/guides/versioning.md.tmpl")
	_, table, _ := strings.Cut(guide, "| Terraform | OpenTofu | Has |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	named := map[string][]string{}
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		for column, cli := range []string{"terraform", "tofu"} {
			if version, ok := strings.CutPrefix(strings.TrimSpace(cells[column+1]), "**"); ok {
				named[cli] = append(named[cli], strings.TrimSuffix(version, "**"))
			}
		}
	}
	for _, cli := range []string{"terraform", "tofu"} {
		if len(named[cli]) == 0 || !slices.Equal(named[cli], tested[cli]) {
			t.Errorf("the guide names %s %q, the workflow tests %q", cli, named[cli], tested[cli])
		}
	}
}

// The image is built from existing sources, with the Go version of the module.
func TestDocsContainerfile_GoVersion_Match(t *testing.T) {
	text := read(t, "../../.github/Containerfile")
	goVersion := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "../../go.mod"))
	if goVersion == nil || !strings.Contains(text, "\nFROM golang:"+goVersion[1]+" AS build\n") {
		t.Errorf("the image is not built with the Go of go.mod, %q", goVersion)
	}
	copied := 0
	for _, line := range regexp.MustCompile(`(?m)^COPY ([^-].*)$`).FindAllStringSubmatch(text, -1) {
		sources := strings.Fields(line[1])
		for _, source := range sources[:len(sources)-1] {
			copied++
			if _, err := os.Stat(filepath.Join("../..", source)); err != nil {
				t.Errorf("COPY: %v", err)
			}
		}
	}
	if copied < 4 {
		t.Errorf("only %d sources are copied", copied)
	}
	for _, want := range []string{"\nUSER 65532:65532\n", "ca-certificates.crt", "CGO_ENABLED=0"} {
		if !strings.Contains(text, want) {
			t.Errorf("the image has no %q", strings.TrimSpace(want))
		}
	}
}

// The command is at the paths in the guide and the workflows: in the plugin folder after an init, and in the archive of a
// release.
func TestDocsCommandsGuide(t *testing.T) {
	t.Parallel()
	const putOnPath = "Put the provider's command on the PATH"
	guide := read(t, "../../templates/guides/commands.md.tmpl")
	for name, test := range map[string]struct {
		commands string
		prepare  func(t *testing.T, work string, environment []string)
	}{
		"plugin folder": {blockWith(t, guide, ".terraform/providers"), initialize},
		"release":       {blockWith(t, guide, "SHA256SUMS"), release},
		"CI review":     {reviewStep(t, "Get the provider's command").Run, initialize},
		"CI audit":      {stepOf(t, "zulip-nightly-audit.yml", putOnPath).Run, initialize},
	} {
		t.Run(name, func(t *testing.T) {
			work := t.TempDir()
			environment := append(guideEnvironment(t), "RUNNER_TEMP="+t.TempDir(), "GITHUB_PATH="+work+"/path", "COMMAND=", "VERSION=")
			test.prepare(t, work, environment)
			// Like on a CI server, a later step has the folders of GITHUB_PATH on its PATH.
			script := "set -euo pipefail\n" + test.commands +
				"PATH=~/.local/bin:$(cat \"$GITHUB_PATH\" 2>/dev/null || true):$PATH\nterraform-provider-zulip version\n"
			if said := inShell(t, work, environment, script); !strings.Contains(said, "terraform-provider-zulip 1.0.0\n") {
				t.Errorf("it prints\n%s", said)
			}
		})
	}
}

// The guide's line enables completion in bash.
func TestDocsCompletionInBash(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	command(t, work)
	script := "PATH=$PWD:$PATH\n_get_comp_words_by_ref() { words=(\"${COMP_WORDS[@]}\") cword=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} prev=; }\n" +
		"__ltrim_colon_completions() { :; }\n" + blockWith(t, read(t, "../../templates/guides/commands.md.tmpl"), "completion bash") +
		"COMP_WORDS=(terraform-provider-zulip review --fail-on lock) COMP_CWORD=3 COMP_LINE=\"${COMP_WORDS[*]}\" COMP_POINT=${#COMP_LINE}\n" +
		"__start_terraform-provider-zulip\necho \"${COMPREPLY[@]}\"\n"
	if said := inShell(t, work, os.Environ(), script); !strings.Contains(said, "lockout") {
		t.Errorf("bash completes to %q", said)
	}
}

// The commands of the README print the output in it, and its first configuration has the risks of the picture.
func TestDocsReadme(t *testing.T) {
	t.Parallel()
	readme := read(t, "../../README.md")
	configuration := regexp.MustCompile("(?ms)^```hcl\n(.*?)^```$").FindStringSubmatch(readme)
	output := regexp.MustCompile("(?ms)^```text\n(.*?)^```$").FindAllStringSubmatch(readme, -1)
	if configuration == nil || len(output) < 3 {
		t.Fatalf("the README has no configuration, or only %d outputs", len(output))
	}
	shell := newGuideShell(t)
	install(t, shell.environment)
	said := shell.command(t, "set -euo pipefail\n"+strings.Join(commandBlocks(readme), ""), 0)
	for _, block := range output {
		if !strings.Contains(said, block[1]) {
			t.Errorf("this is not in what the commands print:\n%s\nThey print:\n%s", block[1], said)
		}
	}

	shell.dir = t.TempDir()
	write(t, filepath.Join(shell.dir, "main.tf"), "terraform {\n  required_providers {\n    zulip = {\n      source = \"zulip-iac/zulip\"\n    }\n  }\n}\n"+
		"import {\n  to = zulip_channel.incidents\n  id = \"incidents\"\n}\n"+configuration[1])
	said = shell.command(t, `set -euo pipefail
curl --fail --request PATCH --user "$ZULIP_EMAIL:$ZULIP_API_KEY" "$ZULIP_SITE/api/v1/realm" --data enable_spectator_access=true
terraform init
terraform plan -out=change.tfplan
terraform show -json change.tfplan | terraform-provider-zulip review`, 0)
	for _, want := range []string{"`external`", "`role-change`", "Paul Dubois", "Lena Fischer"} {
		if !strings.Contains(said, want) {
			t.Errorf("the review does not have %s:\n%s", want, said)
		}
	}
}

// blockWith returns the only block of shell commands of a guide that contains a text.
func blockWith(t *testing.T, guide, text string) string {
	t.Helper()
	var found []string
	for _, block := range commandBlocks(guide) {
		if strings.Contains(block, text) {
			found = append(found, block)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d blocks have %q", len(found), text)
	}
	return found[0]
}

// initialize installs version 1.0.0 for the CLI, and initializes a configuration that uses it.
func initialize(t *testing.T, work string, environment []string) {
	t.Helper()
	install(t, environment)
	script := "set -eu\n" +
		"printf 'terraform {\\n  required_providers {\\n    zulip = { source = \"zulip-iac/zulip\" }\\n  }\\n}\\n' >main.tf\nterraform init\n"
	inShell(t, work, environment, script)
}

// release creates the files of release 1.0.0 that the guide uses.
func release(t *testing.T, work string, _ []string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Fatal("the guide's commands are for Linux")
	}
	binary := program(t, t.TempDir(), "plugin", "-C", absolute(t, "../.."), "-ldflags", "-X main.version=1.0.0", ".")
	file, err := os.Create(filepath.Join(work, "terraform-provider-zulip_1.0.0_linux_amd64.zip"))
	if err != nil {
		t.Fatal(err)
	}
	archive := zip.NewWriter(file)
	entry, err := archive.Create("terraform-provider-zulip_v1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := entry.Write([]byte(read(t, binary))); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	sums := fmt.Sprintf("%x  %s\n%064d  terraform-provider-zulip_1.0.0_windows_amd64.zip\n", sha256.Sum256([]byte(read(t, file.Name()))), filepath.Base(file.Name()), 0)
	write(t, filepath.Join(work, "terraform-provider-zulip_1.0.0_SHA256SUMS"), sums)
}

// inShell runs commands in a folder and returns what they print.
func inShell(t *testing.T, folder string, environment []string, script string) string {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "bash", "-c", script)
	shell.Dir, shell.Env = folder, environment
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	full, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return full
}

// Two nights of the workflow that stores audits: the first one stores the audit, the second comments the changes.
func TestDocsNightlyAudit(t *testing.T) {
	t.Parallel()
	shell := newGuideShell(t)
	server := t.TempDir() // in place of GitHub
	shell.command(t, "git init --quiet --bare '"+server+"/example/zulip'", 0)
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "gh"), []byte("#!/bin/sh\necho \"$@\" >>'"+server+"/gh'\n"), 0o700); err != nil { //nolint:gosec // it must be executable
		t.Fatal(err)
	}
	night := func(wantStatus, wantChange string) {
		t.Helper()
		shell.dir = t.TempDir()
		script := "set -euo pipefail\nexport PATH='" + bin + "':$PATH GITHUB_SERVER_URL='file://" + server + "' GITHUB_REPOSITORY=example/zulip\n" +
			"export GITHUB_OUTPUT=$PWD/output GITHUB_STEP_SUMMARY=$PWD/summary\n"
		for _, name := range []string{"Fetch the last audit", "Audit", "Keep the audit", "Comment what has changed"} {
			step := stepOf(t, "zulip-nightly-audit.yml", name)
			if step.If != "" && step.If != "steps.audit.outputs.status == '2'" {
				t.Fatalf("the condition %q is not understood", step.If)
			}
			if step.If == "" || wantStatus == "2" {
				script += "(\nset -e\n" + step.Run + ")\n"
			}
		}
		shell.command(t, script, 0)
		if status := read(t, shell.dir+"/output"); status != "status="+wantStatus+"\n" {
			t.Errorf("the audit gives %q, want %s", status, wantStatus)
		}
		if summary := read(t, shell.dir+"/summary"); !strings.Contains(summary, wantChange) {
			t.Errorf("%q is not in the summary:\n%s", wantChange, summary)
		}
	}
	night("0", "### Access audit")
	night("0", "No one gains or loses access.")
	program(t, bin, "by-hand", "-C", "..", "./demo")
	shell.command(t, "'"+bin+"/by-hand' announcements can_send_message_group role:administrators", 0)
	night("2", "Loses")
	for _, want := range []string{"issue create --title Zulip audit --body-file audits/audit.md"} {
		if said := read(t, server+"/gh"); strings.Count(said, want) != 1 {
			t.Errorf("gh is asked for\n%s", said)
		}
	}
	if kept := shell.command(t, "git --git-dir='"+server+"/example/zulip' log --oneline zulip-audit", 0); strings.Count(kept, "\n") != 3 {
		t.Errorf("after three nights there is\n%s", kept)
	}
}

// reviewStep returns the step of the action with a name.
func reviewStep(t *testing.T, name string) ciStep {
	t.Helper()
	for _, step := range parse[ciAction](t, reviewAction).Runs.Steps {
		if step.Name == name {
			return step
		}
	}
	t.Fatalf("the action has no step %q", name)
	return ciStep{}
}

// stepOf returns the step of a workflow with a name. If several jobs have it, the steps must be equal.
func stepOf(t *testing.T, workflow, name string) ciStep {
	t.Helper()
	var found []ciStep
	for _, job := range parse[ciWorkflow](t, "../../examples/ci/"+workflow).Jobs {
		for _, step := range job.Steps {
			if step.Name == name && !slices.ContainsFunc(found, func(other ciStep) bool { return reflect.DeepEqual(other, step) }) {
				found = append(found, step)
			}
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s has %d different steps %q", workflow, len(found), name)
	}
	return found[0]
}
