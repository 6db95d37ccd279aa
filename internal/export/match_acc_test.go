package export_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// moduleOfChannels is a module that makes channels and who is in them.
const moduleOfChannels = `
terraform {
  required_providers {
    zulip = { source = "zulip-iac/zulip" }
  }
}

variable "channels" { type = map(string) }

resource "zulip_channel" "this" {
  for_each    = var.channels
  name        = each.key
  description = each.value
  privacy     = "private_shared_history"
}

resource "zulip_channel_subscribers" "this" {
  for_each = var.channels
  channel  = zulip_channel.this[each.key].id
  users    = ["ines.moreau@example.com", "lena.fischer@example.com"]
}

resource "zulip_channel" "extra" {
  name = "extra of ${join(" and ", keys(var.channels))}"
}
`

// configured is a configuration with modules, for_each and count.
const configured = `
module "team" {
  source   = "./channels"
  for_each = toset(["web", "press \"日本\""])
  channels = { "${each.key} talk" = "Talk", "${each.key}: plans" = "" }
}

resource "zulip_user_group" "press" {
  count   = 2
  name    = "press ${count.index}"
  members = ["lena.fischer@example.com"]
}

resource "zulip_channel_folder" "teams" { name = "Teams" }

resource "zulip_channel" "board" {
  name      = "board"
  folder_id = zulip_channel_folder.teams.id
  privacy   = "private_shared_history"
}

resource "zulip_channel_subscribers" "board" {
  channel = zulip_channel.board.id
  users   = ["ines.moreau@example.com"]
}

resource "zulip_bot" "alerts" {
  short_name = "alerts"
  full_name  = "Alerts"
}

resource "zulip_user_role" "lena" {
  user       = "lena.fischer@example.com"
  role       = "moderator"
  on_destroy = "member"
}

resource "zulip_linkifier" "issue" {
  pattern      = "#(?P<id>[0-9]+)"
  url_template = "https://example.com/{id}"
}

resource "zulip_organization" "this" { description = "Ours" }
`

// planFor plans a configuration of what exists already, and runs export --for with the plan. It returns what that printed.
func planFor(t *testing.T, w *acctest.Workspace) string {
	t.Helper()
	w.Setenv("ZULIP_WARN_OF_EXISTING", "true")
	w.Must(t, "plan", "-out=zulip.tfplan")
	w.Setenv("ZULIP_WARN_OF_EXISTING", "")
	file := filepath.Join(t.TempDir(), "plan.json")
	requireNoError(t, os.WriteFile(file, []byte(w.Show(t, "zulip.tfplan")), 0o600))
	return runExport(t, w.Dir(), "--for", file)
}

// With a real CLI, modules, for_each and count: the state is lost, and what the configuration has is imported again. What the
// plan cannot know at first is imported by a second one. Nothing is sent, and the plan is empty then.
func TestAccExportForAPlanOfALostState(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := configuredWorkspace(t, configured)
	if printed, ok := w.Apply(t); !ok {
		t.Fatal(printed)
	}
	w.Forget(t)
	before := len(writes(o.Sandbox))
	for _, want := range []string{"Wrote 15 imports and 0 moves", "Wrote 4 imports and 0 moves"} {
		if printed := planFor(t, w); !strings.Contains(printed, want) {
			t.Fatalf("%q is not in:\n%s", want, printed)
		}
	}
	if printed, ok := w.Apply(t); !ok || !strings.Contains(printed, "Resources: 19 imported, 0 added, 0 changed, 0 destroyed.") {
		t.Error(printed)
	}
	if sent := writes(o.Sandbox)[before:]; len(sent) > 0 {
		t.Errorf("sent %v", sent)
	}
	w.Remove(t, "imports.tf")
	w.Must(t, "plan", "-detailed-exitcode")
}

// A configuration that was taken apart into modules: what is destroyed at one address and created at another is moved.
func TestAccExportForAPlanOfARefactoring(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := configuredWorkspace(t, configured)
	if printed, ok := w.Apply(t); !ok {
		t.Fatal(printed)
	}
	before := len(writes(o.Sandbox))
	w.Configure(t, strings.NewReplacer(`module "team"`, `module "groups"`, `"zulip_user_group" "press"`, `"zulip_user_group" "media"`, `zulip_channel.board`, `zulip_channel.leaders`, `"zulip_channel" "board"`, `"zulip_channel" "leaders"`).Replace(configured))
	w.Must(t, "get")
	for range 2 {
		planFor(t, w)
	}
	if printed, ok := w.Apply(t); !ok || !strings.Contains(printed, "Resources: 0 added, 0 changed, 0 destroyed.") {
		t.Error(printed)
	}
	if sent := writes(o.Sandbox)[before:]; len(sent) > 0 {
		t.Errorf("sent %v", sent)
	}
	w.Remove(t, "imports.tf")
	w.Must(t, "plan", "-detailed-exitcode")
}

func configuredWorkspace(t *testing.T, configuration string) *acctest.Workspace {
	t.Helper()
	w := acctest.NewWorkspace(t)
	folder := filepath.Join(w.Dir(), "channels")
	requireNoError(t, os.Mkdir(folder, 0o700))
	requireNoError(t, os.WriteFile(filepath.Join(folder, "main.tf"), []byte(moduleOfChannels), 0o600))
	w.Configure(t, configuration)
	w.Must(t, "get")
	return w
}
