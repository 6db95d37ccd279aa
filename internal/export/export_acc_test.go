package export_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// randomOrganizations is how many random organizations are exported with a CLI; with -short one.
const randomOrganizations = 10

// With a real CLI: the plan of an export only imports, the apply of it sends nothing, and then nothing is left to plan.
func TestAccExportOfRandomOrganizations(t *testing.T) {
	for seed := range randomOrganizations {
		if testing.Short() && seed > 0 {
			break
		}
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rapid.Custom(func(r *rapid.T) bool {
				w := newWorld(r)
				w.fill()
				useAccount(t, w.server, w.owner)
				exportAndApply(t, w.server)
				return true
			}).Example(seed)
		})
	}
}

// exportAndApply exports what a sandbox has with the command, and applies it with the CLI.
func exportAndApply(t *testing.T, server *sandbox.Server) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "organization")
	printed := runExport(t, folder, "--subscribers", "--check", "--cli", os.Getenv("TF_ACC_TERRAFORM_PATH"))
	resources := len(readConfiguration(t, folder).resources)
	if want := fmt.Sprintf("Checked: %d to import, 0 to add, 0 to change, 0 to destroy.", resources); !strings.Contains(printed, want) {
		t.Errorf("%q is not in:\n%s", want, printed)
	}
	w := acctest.NewWorkspace(t)
	w.Copy(t, folder)
	w.Must(t, "fmt", "-check", "-recursive")
	before := len(writes(server))
	applied, ok := w.Apply(t)
	if want := fmt.Sprintf("Resources: %d imported, 0 added, 0 changed, 0 destroyed.", resources); !ok || !strings.Contains(applied, want) {
		t.Errorf("%q is not in:\n%s", want, applied)
	}
	if sent := writes(server)[before:]; len(sent) > 0 {
		t.Errorf("the apply sent %v", sent)
	}
	w.Must(t, "plan", "-detailed-exitcode") // 2 if there are changes

	state := filepath.Join(t.TempDir(), "state.json")
	if err := os.WriteFile(state, []byte(w.Show(t, "terraform.tfstate")), 0o600); err != nil {
		t.Fatal(err)
	}
	printed = runExport(t, filepath.Join(t.TempDir(), "new"), "--subscribers", "--new", state)
	if want := "Nothing is new: what was given as state has everything"; !strings.Contains(printed, want) {
		t.Errorf("%q is not in:\n%s", want, printed)
	}
}

// An import block that is left over stops the plan after its resource is removed or moved. Without imports.tf, as EXPORT.md and the
// file itself ask for, both are planned.
func TestAccExportSaysWhenImportsGo(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	folder := filepath.Join(t.TempDir(), "organization")
	runExport(t, folder, "--only", "channel", "--only", "linkifier")
	for _, name := range []string{"EXPORT.md", "imports.tf"} {
		if text := filesOf(t, folder)[name]; !strings.Contains(text, "after the") || !strings.Contains(text, "removed, renamed or moved since") {
			t.Errorf("%s does not say that the imports go:\n%s", name, text)
		}
	}
	w := acctest.NewWorkspace(t)
	w.Copy(t, folder)
	if printed, ok := w.Apply(t); !ok {
		t.Fatal(printed)
	}
	before := w.Read(t, "channels.tf")
	removed := regexp.MustCompile(`(?s)resource "zulip_channel" "leads" \{.*?\n\}\n`).ReplaceAllString(before, "")
	moved := strings.Replace(before, `"zulip_channel" "leads"`, `"zulip_channel" "leaders"`, 1) + "\nmoved {\n  from = zulip_channel.leads\n  to   = zulip_channel.leaders\n}\n"
	plans := map[string]string{removed: "0 to add, 0 to change, 1 to destroy.", moved: "0 to add, 0 to change, 0 to destroy."}
	for channels := range plans {
		w.Write(t, "channels.tf", channels)
		if printed, ok := w.Run(t, "plan"); ok {
			t.Errorf("a leftover import does no harm any more, and the texts can say so: %s", printed)
		}
	}
	w.Remove(t, "imports.tf")
	for channels, want := range plans {
		w.Write(t, "channels.tf", channels)
		if printed := w.Must(t, "plan"); !strings.Contains(printed, want) {
			t.Errorf("%q is not in:\n%s", want, printed)
		}
	}
}

// runExport runs the command with the account of the environment, and returns what it printed.
func runExport(t *testing.T, folder string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), acctest.Plugin(t), append([]string{"export", folder}, args...)...)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	return string(out)
}

// writes are the requests that may have changed a sandbox.
func writes(server *sandbox.Server) (sent []string) {
	for _, r := range server.Journal().Requests(sandbox.Filter{}) {
		if r.Method != "GET" && r.Path != "/register" && r.Path != "/events" {
			sent = append(sent, r.Method+" "+r.Path)
		}
	}
	return sent
}
