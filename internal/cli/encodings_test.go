package cli

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/text/encoding/unicode"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// fileInputs has, for each flag and argument that names a text file, the content of a file and the rest of a command.
var fileInputs = map[string]struct{ content, rest string }{
	"review [PLAN.json]":     {plannedChannel, ""},
	"review --rules":         {ruleText, "PLAN"},
	"rules check [FILE...]":  {ruleText, ""},
	"audit --rules":          {ruleText, ""},
	"audit --accepted":       {acceptedText, ""},
	"audit --state":          {plannedChannel, ""},
	"audit --against":        {"", ""}, // an audit
	"export --for":           {plannedChannel, "FOLDER"},
	"export --new":           {`{"format_version": "1.0"}`, "FOLDER/new"},
	"sandbox --accounts":     {accountText, ""},
	"sandbox --organization": {accountText, ""},
}

const (
	plannedChannel = `{"format_version": "1.2", "planned_values": {"root_module": {}}, "resource_changes": [{
  "address": "zulip_channel.x", "mode": "managed", "type": "zulip_channel", "name": "x", "provider_name": "registry.terraform.io/zulip-iac/zulip",
  "change": {"actions": ["create"], "before": null, "after": {"name": "Köln ↔ Łódź"}, "after_unknown": {}}
}]}`
	ruleText     = "# Köln\nrule \"Łódź\" {\n  role = \"owner\"\n  at_least = 1\n}\n"
	acceptedText = "# Köln\naccept \"bot-administrator\" {\n  object = \"bot terraform-bot@zulip.example.com\"\n  until = \"2999-12-31\"\n  reason = \"Łódź\"\n}\n"
	accountText  = `{"Łucja": {"full_name": "Łucja", "email": "l@example.com", "role": 100}}`
)

// runWith runs the command of a flag or argument with a file, and returns what it prints and its error, without names of
// temporary files and times.
func runWith(t *testing.T, name, content, rest string) string {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	write(t, file, content)
	if strings.HasPrefix(name, "sandbox ") { // it would serve until it is interrupted
		config, err := sandboxFlags{accounts: file, featureLevel: sandbox.DefaultFeatureLevel}.config()
		return fmt.Sprint(config.Accounts, err)
	}
	plan := filepath.Join(folder, "plan")
	write(t, plan, `{"format_version": "1.2", "planned_values": {}, "resource_changes": []}`)
	words, _, _ := strings.Cut(name, " [")
	rest = strings.NewReplacer("PLAN", plan, "FOLDER", folder).Replace(rest)
	stdout, stderr, err := runCommand(t, newRoot("test", nil), strings.Fields(words+" "+file+" "+rest)...)
	return regexp.MustCompile(`\d\d:\d\d\S*`).ReplaceAllString(strings.ReplaceAll(stdout+stderr+fmt.Sprint(err), folder, "FOLDER"), "TIME")
}

// Commands read text files in the encodings of Windows. A flag reads a file if it completes to files with an extension
// and its description doesn't begin with "write".
func TestFileFlags_Encodings_Read(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	for _, name := range readFlags(newRoot("test", nil)) {
		input, ok := fileInputs[name]
		if !ok {
			t.Errorf("fileInputs has no %s", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			content := input.content
			if name == "audit --against" {
				var err error
				if content, _, err = runCommand(t, newAudit("test"), "--json", "-"); err != nil {
					t.Fatal(err)
				}
			}
			want := runWith(t, name, content, input.rest)
			if !strings.HasSuffix(want, "<nil>") {
				t.Fatal(want)
			}
			for encoding, encoded := range encodings(t, content) {
				if got := runWith(t, name, encoded, input.rest); got != want {
					t.Errorf("%s:\n%s\nwant\n%s", encoding, got, want)
				}
			}
		})
	}
}

// readFlags returns the flags and arguments that name a text file to read, of a command and of those below it.
func readFlags(command *cobra.Command) []string {
	var names []string
	for _, below := range command.Commands() {
		if below.Name() == "help" || below.Name() == "completion" {
			continue
		}
		names = append(names, readFlags(below)...)
		path := strings.TrimPrefix(below.CommandPath(), "terraform-provider-zulip ")
		if _, argument, found := strings.Cut(below.Use, " ["); found {
			names = append(names, path+" ["+argument)
		}
		below.Flags().VisitAll(func(flag *pflag.Flag) {
			completion, _ := below.GetFlagCompletionFunc(flag.Name)
			if completion == nil || strings.HasPrefix(flag.Usage, "write ") {
				return
			}
			if _, directive := completion(below, nil, ""); directive&cobra.ShellCompDirectiveFilterFileExt != 0 {
				names = append(names, path+" --"+flag.Name)
			}
		})
	}
	return names
}

func encodings(t *testing.T, text string) map[string]string {
	t.Helper()
	lines := strings.ReplaceAll(text, "\n", "\r\n")
	all := map[string]string{"UTF-8 with BOM": "\ufeff" + text, "CRLF": lines}
	for name, order := range map[string]unicode.Endianness{"UTF-16LE": unicode.LittleEndian, "UTF-16BE": unicode.BigEndian} {
		for suffix, policy := range map[string]unicode.BOMPolicy{"": unicode.IgnoreBOM, "+BOM": unicode.UseBOM} {
			encoded, err := unicode.UTF16(order, policy).NewEncoder().String(lines)
			acctest.NoError(t, err)
			all[name+suffix] = encoded
		}
	}
	return all
}
