package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// completed is what a shell gets for a command line whose last word is begun.
func completed(t *testing.T, line ...string) (words []string, directive cobra.ShellCompDirective) {
	t.Helper()
	root := newRoot("test", func(bool) error { return nil })
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetErr(new(bytes.Buffer))
	root.SetArgs(append([]string{cobra.ShellCompNoDescRequestCmd}, line...))
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	words = strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if _, err := fmt.Sscanf(words[len(words)-1], ":%d", &directive); err != nil {
		t.Fatalf("%q: %v", out.String(), err)
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
			// The shell keeps what goes on with what is typed.
			typed := line[strings.LastIndexAny(line, " =")+1:]
			words = slices.DeleteFunc(words, func(word string) bool { return !strings.HasPrefix(word, typed) && directive&extension == 0 })
			slices.Sort(words)
			if got := strings.Join(words, " "); got != test.want || directive != test.directive {
				t.Errorf("completes to %q (%d), want %q (%d)", got, directive, test.want, test.directive)
			}
		})
	}
}

// Every flag whose value is called file completes to files.
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

// The scripts are there for every shell.
func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		root := newRoot("test", func(bool) error { return nil })
		var out bytes.Buffer
		root.SetOut(&out)
		root.SetArgs([]string{"completion", shell})
		if err := root.ExecuteContext(t.Context()); err != nil || !strings.Contains(out.String(), "terraform-provider-zulip") {
			t.Errorf("%s: %v\n%.200s", shell, err, out.String())
		}
	}
}
