package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

const configurationInSandbox = `
provider "zulip" {
  sandbox = { %s }
}
variable "description" {
  default = "Until we are there"
}
variable "earlier" {
  default = 0
}
resource "zulip_channel" "launch" {
  name        = "launch"
  description = var.description
}
data "zulip_channel_access" "launch" {
  channel = zulip_channel.launch.id
}
output "id" {
  value = zulip_channel.launch.id
}
output "unchanged" {
  value = zulip_channel.launch.id == var.earlier
}
`

// The last run block refers to no other: OpenTofu destroys nothing at the end of a file if it does.
const testFile = `
run "create" {
  assert {
    condition     = data.zulip_channel_access.launch.can_send_message_group.guest_count == 0
    error_message = "Guests can post."
  }
}
run "plan" {
  command = plan
  variables {
    description = "Planned"
  }
}
run "change" {
  variables {
    description = "Here we are"
    earlier     = run.create.id
  }
  assert {
    condition     = output.unchanged
    error_message = "This is another channel."
  }
}
run "change_back" {
  assert {
    condition     = !output.unchanged
    error_message = "The variable is set still."
  }
}
`

// Two test files that create the same channel, which an organization can have once: each has an organization of its own, in
// which its run blocks find what the earlier ones did. So does each run of the CLI.
func TestAccTestFiles(t *testing.T) {
	w := acctest.NewWorkspace(t)
	requests := elsewhere(t)
	w.Configure(t, fmt.Sprintf(configurationInSandbox, ""))
	w.Write(t, "one.tftest.hcl", testFile)
	w.Write(t, "two.tftest.hcl", testFile)
	for range 2 {
		if printed := w.Must(t, "test"); !strings.Contains(printed, "Success! 8 passed, 0 failed.") {
			t.Errorf("the tests did not pass:\n%s", printed)
		}
	}
	if n := requests.Load(); n > 0 {
		t.Errorf("%d requests were sent elsewhere", n)
	}
	w.Write(t, "two.tftest.hcl", strings.ReplaceAll(testFile, "guest_count == 0", "guest_count == 1"))
	if printed, ok := w.Run(t, "test"); ok || !strings.Contains(printed, "Guests can post.") {
		t.Errorf("the assertion does not fail:\n%s", printed)
	}
}

// After an apply that fails, the CLI leaves the provider's process running until it ends itself. The test file's end and the
// next one find their organizations all the same.
func TestAccTestFilesAfterAFailedApply(t *testing.T) {
	w := acctest.NewWorkspace(t)
	elsewhere(t)
	w.Configure(t, fmt.Sprintf(configurationInSandbox, "")+`
resource "terraform_data" "fails" {
  depends_on = [zulip_channel.launch]
  provisioner "local-exec" {
    command = "exit 7"
  }
}
resource "zulip_channel" "second" {
  depends_on = [terraform_data.fails]
  name       = "second"
}
`)
	w.Write(t, "one.tftest.hcl", `run "create" {}`)
	w.Write(t, "two.tftest.hcl", `run "create" {}`)
	printed, ok := w.Run(t, "test")
	if ok || strings.Count(printed, "exit status 7") < 2 {
		t.Errorf("the apply does not fail in each file:\n%s", printed)
	}
	for _, problem := range []string{"sandbox cannot be started", "left the following resources", "left-over", `the name "launch"`} {
		if strings.Contains(printed, problem) {
			t.Errorf("%q is printed:\n%s", problem, printed)
		}
	}
}

// A plan that is saved is applied by another run of the CLI.
func TestAccSandboxPlanThenApply(t *testing.T) {
	w := acctest.NewWorkspace(t)
	w.Setenv("TF_LOG", "")
	elsewhere(t)
	w.Configure(t, fmt.Sprintf(configurationInSandbox, `state = "organization.db"`))
	if printed := w.Must(t, "plan", "-out=plan"); strings.Count(printed, "This is not a real organization") != 1 {
		t.Errorf("the plan does not warn once:\n%s", printed)
	}
	w.Must(t, "apply", "plan")
	w.Must(t, "plan", "-detailed-exitcode") // 2 if there are changes
	w.Must(t, "plan", "-out=plan", "-var=description=Changed")
	w.Must(t, "apply", "plan")
	w.Must(t, "destroy", "-auto-approve")
	if printed, ok := w.Apply(t); ok || !strings.Contains(printed, "launch") {
		t.Errorf("the organization does not know the archived channel:\n%s", printed)
	}
}

// Without a file to keep it in, each run of the CLI has an organization of its own: what an earlier one created is gone.
func TestAccSandboxEndsWithTheRun(t *testing.T) {
	w := acctest.NewWorkspace(t)
	w.Setenv("TF_LOG", "")
	elsewhere(t)
	w.Configure(t, fmt.Sprintf(configurationInSandbox, ""))
	w.Must(t, "plan", "-out=plan")
	w.Must(t, "apply", "plan")
	if printed := w.Must(t, "plan"); !strings.Contains(printed, "1 to add, 0 to change, 0 to destroy") || !strings.Contains(printed, "set state in sandbox") {
		t.Errorf("the next plan does not create the channel again, or does not say why:\n%s", printed)
	}
	w.Must(t, "apply", "-auto-approve")
}

// Two provider blocks are two processes at a time, of which one serves the organization.
func TestAccSandboxOfTwoProviderBlocks(t *testing.T) {
	w := acctest.NewWorkspace(t)
	elsewhere(t)
	w.Configure(t, fmt.Sprintf(configurationInSandbox, `state = "organization.db"`)+`
provider "zulip" {
  alias   = "other"
  sandbox = { state = "organization.db" }
}
resource "zulip_channel" "landing" {
  provider    = zulip.other
  name        = "landing"
  description = zulip_channel.launch.url
}
resource "zulip_user_group" "crew" {
  name        = "crew"
  description = zulip_channel.landing.url
}
`)
	w.Must(t, "apply", "-auto-approve")
	w.Must(t, "plan", "-detailed-exitcode")
	w.Must(t, "destroy", "-auto-approve")
}
