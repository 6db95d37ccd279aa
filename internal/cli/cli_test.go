package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// runCommand runs a command with arguments.
func runCommand(t *testing.T, command *cobra.Command, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, problems bytes.Buffer
	command.SetOut(&out)
	command.SetErr(&problems)
	command.SilenceErrors, command.SilenceUsage = true, true
	command.SetArgs(args)
	err = command.ExecuteContext(t.Context())
	return out.String(), problems.String(), err
}

func TestRun_PluginStart_Served(t *testing.T) {
	for name, test := range map[string]struct {
		args    []string
		byHand  bool
		debug   bool
		unasked bool
	}{
		"as Terraform starts it":       {args: []string{}},
		"for a debugger":               {args: []string{"--debug"}, byHand: true, debug: true},
		"as Terraform's docs write it": {args: []string{"-debug"}, byHand: true, debug: true},
		"by a person":                  {args: []string{}, byHand: true, unasked: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(pluginCookie, "as the protocol has it")
			if test.byHand {
				if err := os.Unsetenv(pluginCookie); err != nil {
					t.Fatal(err)
				}
			}
			served := 0
			serve := func(debug bool) error {
				served++
				if debug != test.debug {
					t.Errorf("debug = %v", debug)
				}
				return nil
			}
			if status := Run("test", serve, test.args); status != 0 || served == 1 == test.unasked {
				t.Errorf("status %d, served %d times", status, served)
			}
		})
	}
}

func TestRun_Failure_ExitStatus(t *testing.T) {
	t.Setenv(pluginCookie, "as the protocol has it")
	serve := func(bool) error { return errors.New("no") }
	if status := Run("test", serve, []string{}); status != 1 {
		t.Errorf("a plugin that cannot serve: status %d", status)
	}
	if status := Run("test", serve, []string{"conquer"}); status != 1 {
		t.Errorf("an unknown command: status %d", status)
	}
}

func TestVersionOf(t *testing.T) {
	module := func(version string) *debug.BuildInfo { return &debug.BuildInfo{Main: debug.Module{Version: version}} }
	for name, test := range map[string]struct {
		linked string
		info   *debug.BuildInfo
		want   string
	}{
		"a release":              {"1.2.3", module("v0.0.0-20261122201003-64724510a0b1"), "1.2.3"},
		"go install":             {"", module("v1.2.3"), "1.2.3"},
		"go install of a commit": {"", module("v0.0.0-20261122201003-64724510a0b1"), "0.0.0-20261122201003-64724510a0b1"},
		"without a repository":   {"", module("(devel)"), "dev"},
		"without a module":       {"", nil, "dev"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := versionOf(test.linked, test.info); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestVersion_BuildInfo_CommitShown(t *testing.T) {
	for name, test := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"committed": {
			&debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "6472451"}, {Key: "vcs.modified", Value: "false"}}},
			"commit: 6472451\n",
		},
		"changed": {
			&debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "6472451"}, {Key: "vcs.modified", Value: "true"}}},
			"commit: 6472451, with uncommitted changes\n",
		},
		"without a repository": {&debug.BuildInfo{}, "commit: unknown\n"},
		"without a module":     {nil, "commit: unknown\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := printVersion(&out, "1.2.3", test.info); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); !strings.HasPrefix(got, "terraform-provider-zulip 1.2.3\n") || !strings.Contains(got, test.want) {
				t.Errorf("it prints\n%s", got)
			}
		})
	}
}

// completed returns the completions for a command line with an incomplete last word.
func completed(t *testing.T, line ...string) (words []string, directive cobra.ShellCompDirective) {
	t.Helper()
	out, _, err := runCommand(t, newRoot("test", func(bool) error { return nil }), append([]string{cobra.ShellCompNoDescRequestCmd}, line...)...)
	if err != nil {
		t.Fatal(err)
	}
	words = strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if _, err := fmt.Sscanf(words[len(words)-1], ":%d", &directive); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	return words[:len(words)-1], directive
}

func TestCompletion(t *testing.T) {
	const nothing, files = cobra.ShellCompDirectiveNoFileComp, cobra.ShellCompDirectiveDefault
	const list, extension = nothing | cobra.ShellCompDirectiveNoSpace, cobra.ShellCompDirectiveFilterFileExt
	for line, test := range map[string]struct {
		want      string
		directive cobra.ShellCompDirective
	}{
		"review --json ":                   {"json", extension},
		"review --html ":                   {"html", extension},
		"review --markdown ":               {"md", extension},
		"review ":                          {"json", extension},
		"review plan.json ":                {"", nothing},
		"review --as ":                     {"", nothing},
		"review --fail-on lock":            {"lockout", list},
		"review --fail-on lockout,w":       {"lockout,widening", list},
		"review --fail-on widening,w":      {"", list},
		"audit --fail-on bot-a":            {"bot-administrator", list},
		"audit --fail-on hi":               {"high", list},
		"audit --json ":                    {"json", extension},
		"audit --against ":                 {"json", extension},
		"audit --accepted ":                {"hcl", extension},
		"audit --state ":                   {"json", extension},
		"audit --person ":                  {"", nothing},
		"audit ":                           {"", nothing},
		"export ":                          {"", cobra.ShellCompDirectiveFilterDirs},
		"export organization ":             {"", nothing},
		"export --people ":                 {"all none special", nothing},
		"export --only channel_folder_":    {"channel_folder_order", nothing},
		"export --exclude custom_e":        {"custom_emoji", nothing},
		"export --cli ":                    {"terraform tofu", nothing},
		"audit --rules ":                   {"hcl", extension},
		"review --rules ":                  {"hcl", extension},
		"rules ":                           {"check", nothing},
		"rules check a.hcl ":               {"hcl", extension},
		"sandbox --state ":                 {"", files},
		"sandbox --accounts ":              {"json", extension},
		"sandbox --latency ":               {"", nothing},
		"au":                               {"audit", nothing},
		"completion ":                      {"bash fish powershell zsh", nothing},
		"version ":                         {"", nothing},
		"review --fail-on=lockout,narrow":  {"lockout,narrowing", list},
		"export --only=default_channel_gr": {"default_channel_group", nothing},
	} {
		t.Run(line, func(t *testing.T) {
			words, directive := completed(t, strings.Split(line, " ")...)
			// The shell keeps completions with the typed prefix.
			typed := line[strings.LastIndexAny(line, " =")+1:]
			words = slices.DeleteFunc(words, func(word string) bool { return !strings.HasPrefix(word, typed) && directive&extension == 0 })
			slices.Sort(words)
			if got := strings.Join(words, " "); got != test.want || directive != test.directive {
				t.Errorf("completes to %q (%d), want %q (%d)", got, directive, test.want, test.directive)
			}
		})
	}
}

// Every flag with a value called file completes to files.
func TestCompletionOfFiles(t *testing.T) {
	tried := 0
	for _, command := range newRoot("test", func(bool) error { return nil }).Commands() {
		for _, usage := range strings.Split(command.Flags().FlagUsages(), "\n") {
			var flag, value string
			if _, err := fmt.Sscanf(usage, " --%s %s", &flag, &value); err != nil || value != "file" {
				continue
			}
			tried++
			if _, directive := completed(t, command.Name(), "--"+flag, ""); directive&cobra.ShellCompDirectiveNoFileComp != 0 {
				t.Errorf("%s --%s does not complete to files", command.Name(), flag)
			}
		}
	}
	if tried < 8 {
		t.Errorf("only %d flags take a file", tried)
	}
}

// Every shell has a script.
func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		script, _, err := runCommand(t, newRoot("test", func(bool) error { return nil }), "completion", shell)
		if err != nil || !strings.Contains(script, "terraform-provider-zulip") {
			t.Errorf("%s: %v\n%.200s", shell, err, script)
		}
	}
}

// Every command line in a code block of README, guides, workflows and the pages of .github is accepted by the binary.
func TestDocsCommandLines_AllPages_Accepted(t *testing.T) {
	var files []string
	for _, pattern := range []string{"README.md", ".github/*.md", "templates/guides/*.md.tmpl", "examples/ci/*.yml", "examples/*/README.md"} {
		found, err := filepath.Glob("../../" + pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	tried := map[string]int{}
	for _, file := range files {
		content := read(t, file)
		for _, line := range commandLines(content) {
			root := newRoot("test", func(bool) error { return nil })
			root.InitDefaultCompletionCmd()
			root.InitDefaultVersionFlag()
			command, arguments, err := root.Find(line)
			if err == nil {
				command.InitDefaultHelpFlag()
				err = command.ParseFlags(arguments)
			}
			if err != nil {
				t.Errorf("%s: %s: %v", file, strings.Join(line, " "), err)
			} else if err := command.ValidateArgs(command.Flags().Args()); err != nil && len(line) > 1 {
				t.Errorf("%s: %s: %v", file, strings.Join(line, " "), err)
			}
			tried[command.Name()]++
		}
	}
	for _, command := range []string{"audit", "bash", "check", "export", "review", "sandbox", "version"} {
		if tried[command] == 0 {
			t.Errorf("no page runs %s", command)
		}
	}
}

// commandLines returns the arguments of the binary in the code blocks of a page, or in a workflow.
func commandLines(text string) (lines [][]string) {
	blocks := []string{text}
	if strings.Contains(text, "```") {
		blocks = nil
		for _, block := range regexp.MustCompile("(?ms)^ *```sh\n(.*?)\n *```$").FindAllStringSubmatch(text, -1) {
			blocks = append(blocks, block[1])
		}
	}
	for _, block := range blocks {
		block = strings.ReplaceAll(block, "\\\n", " ")
		for _, call := range regexp.MustCompile(`(?m)(?:^|[\s(/"])terraform-provider-zulip"? ([a-z-][^\n)]*)`).FindAllStringSubmatch(block, -1) {
			line := regexp.MustCompile(` (>|\|).*`).ReplaceAllString(call[1], "")
			lines = append(lines, strings.Fields(strings.NewReplacer("'", "", `"${against[@]}"`, "").Replace(line)))
		}
	}
	return lines
}
