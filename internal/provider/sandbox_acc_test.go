package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
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

// The last run block references no other, because OpenTofu would then destroy nothing at the end of the file.
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

// Two test files create the same channel, which an organization can have only once. The organization in the file lasts
// between run blocks, and ends with the test file. A second run of the CLI also starts with a new organization.
func TestAccSandbox_TestFiles_SeparateOrganizations(t *testing.T) {
	w := acctest.NewWorkspace(t)
	requests := elsewhere(t)
	w.Configure(t, fmt.Sprintf(configurationInSandbox, `state = ".terraform/test.db"`))
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

// After an apply that fails, the CLI leaves the provider's process running until it ends itself. The end of the test
// file and the next test file still find their organizations.
func TestAccSandbox_FailedApply_TestFilesContinue(t *testing.T) {
	w := acctest.NewWorkspace(t)
	elsewhere(t)
	w.Configure(t, fmt.Sprintf(configurationInSandbox, `state = ".terraform/test.db"`)+`
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
	for _, problem := range []string{"Cannot start the sandbox", "left the following resources", "left-over", `the name "launch"`} {
		if strings.Contains(printed, problem) {
			t.Errorf("%q is printed:\n%s", problem, printed)
		}
	}
}

// Commands that follow one another share the organization in a file, until everything is destroyed.
func TestAccSandbox_InFile_KeptUntilDestroyed(t *testing.T) {
	w := acctest.NewWorkspace(t)
	w.Setenv("TF_LOG", "")
	elsewhere(t)
	w.Configure(t, fmt.Sprintf(configurationInSandbox, `state = "organization.db"`))
	if printed := w.Must(t, "plan", "-out=plan"); strings.Count(printed, "The provider uses a sandbox, not a real organization") != 1 {
		t.Errorf("the plan does not warn once:\n%s", printed)
	}
	w.Must(t, "apply", "plan")
	w.Must(t, "plan", "-detailed-exitcode") // 2 if there are changes
	w.Must(t, "plan", "-out=plan", "-var=description=Changed")
	w.Must(t, "apply", "plan")
	w.Must(t, "destroy", "-auto-approve")
	w.Must(t, "apply", "-auto-approve") // the name is not taken
}

// Without a file, each plan and each apply has an organization of its own. Data sources of the same apply find what it created.
func TestAccSandbox_InMemory_NewEachCommand(t *testing.T) {
	w := acctest.NewWorkspace(t)
	w.Setenv("TF_LOG", "")
	elsewhere(t)
	w.Configure(t, fmt.Sprintf(configurationInSandbox, ""))
	w.Must(t, "plan", "-out=plan")
	w.Must(t, "apply", "plan")
	if printed := w.Must(t, "plan"); !strings.Contains(printed, "1 to add, 0 to change, 0 to destroy") || !strings.Contains(printed, "set state in sandbox to a file") {
		t.Errorf("the next plan does not create the channel again, or does not say why:\n%s", printed)
	}
	w.Must(t, "apply", "-auto-approve")
}

// Two provider blocks are two processes at a time.
func TestAccSandbox_TwoProviderBlocks_FileShared(t *testing.T) {
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

// elsewhere sets the environment of another organization and trading cloud, and returns the number of requests to them
// or a proxy.
func elsewhere(t *testing.T) *atomic.Int64 {
	t.Helper()
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(server.Close)
	for name, value := range map[string]string{
		"ZULIP_SITE": server.URL, "ZULIP_EMAIL": "somebody@example.com", "ZULIP_API_KEY": strings.Repeat("x", 32),
		"ZULIP_CONFIG":          filepath.Join(t.TempDir(), "missing"),
		"TRADING_CLOUD_API_URL": server.URL, "TRADING_CLOUD_AUTH_URL": server.URL,
		"TRADING_CLOUD_CLIENT_ID": "terraform", "TRADING_CLOUD_CLIENT_SECRET": "secret", "TRADING_CLOUD_ORGANIZATIONS_PATH": "/elsewhere",
		"HTTP_PROXY": server.URL, "HTTPS_PROXY": server.URL, "NO_PROXY": "",
	} {
		t.Setenv(name, value)
	}
	return &requests
}

func TestProtocolSandbox_WithSite_Conflict(t *testing.T) {
	alone(t)
	state := filepath.Join(t.TempDir(), "organization.db")
	for attribute, value := range map[string]any{
		"site": "https://chat.example.com", "email": "ada@example.com", "api_key": "secret", "zuliprc": "zuliprc", "trading_cloud": values{},
	} {
		for name, sandbox := range map[string]values{"the example": {}, "a file": {"organization": "organization.json"}, "a state": {"state": state}} {
			diags := configure(t, values{"sandbox": sandbox, attribute: value})
			diags.ExpectError(t, attribute, "sandbox and "+attribute+" conflict", "Remove one of the two.")
			if len(diags) != 1 {
				t.Errorf("%s and %s: %v", name, attribute, diags)
			}
		}
	}
	diags := configure(t, values{"sandbox": values{}, "site": "https://chat.example.com", "email": "ada@example.com"})
	if len(diags.Errors()) != 2 {
		t.Errorf("two conflicts: %v", diags)
	}
	// An unknown value may turn out to be unset.
	if diags := configure(t, values{"sandbox": values{}, "site": acctest.Unknown}); len(diags) > 0 {
		t.Errorf("a site that is not known: %v", diags)
	}
	if diags := configure(t, values{"sandbox": values{"organization": acctest.Unknown, "state": state}}); len(diags) > 0 {
		t.Errorf("a file that is not known: %v", diags)
	}
	if _, err := os.Stat(state); !os.IsNotExist(err) {
		t.Errorf("a sandbox was started: %v", err)
	}
}

func TestProtocolSandbox_Configured_OneWarning(t *testing.T) {
	alone(t)
	const summary = "The provider uses a sandbox, not a real organization"
	diags := configure(t, values{"sandbox": values{}})
	diags.ExpectWarning(t, "", summary, "acts as its owner ines.moreau@example.com", "is only in memory", "set state in sandbox to a file")
	if len(diags) != 1 || strings.Contains(diags.String(), "Ignored") {
		t.Errorf("not one warning: %v", diags)
	}
	state := filepath.Join(t.TempDir(), "organization.db")
	elsewhere(t)
	diags = configure(t, values{"sandbox": values{"state": state}})
	diags.ExpectWarning(t, "", summary, "is kept in "+state,
		"These settings are ignored: ZULIP_SITE, ZULIP_EMAIL, ZULIP_API_KEY, ZULIP_CONFIG, TRADING_CLOUD_API_URL, ")
	if len(diags) != 1 {
		t.Errorf("not one warning: %v", diags)
	}
}

func TestProtocolSandbox_Used_NoOtherServer(t *testing.T) {
	alone(t)
	requests := elsewhere(t)
	run := acctest.NewRun(context.Background(), t, "zulip_channel", values{"sandbox": values{"state": filepath.Join(t.TempDir(), "organization.db")}})
	run.MustApply(values{"name": "launch"})
	settings, diags := run.Process().ReadData("zulip_server_settings", values{})
	diags.ExpectNoError(t)
	if settings["realm_name"] != "Example Works" || settings["realm_url"] != "http://sandbox.localhost" {
		t.Errorf("the server says %v", settings)
	}
	// The links in a state have the same beginning in every process.
	found, diags := run.Process().ReadData("zulip_channel", values{"name": "launch"})
	diags.ExpectNoError(t)
	if address, _ := found["url"].(string); !strings.HasPrefix(address, "http://sandbox.localhost/#narrow/channel/") {
		t.Errorf("the channel is at %q", address)
	}
	_, diags = run.Process().ReadData("zulip_trading_organizations", values{})
	diags.ExpectNoError(t)
	if n := requests.Load(); n > 0 {
		t.Errorf("%d requests were sent elsewhere", n)
	}
}

func TestProtocolSandbox_FileAndLevel_Used(t *testing.T) {
	alone(t)
	file := filepath.Join(t.TempDir(), "organization.json")
	const content = `{"accounts": {
		"second": {"email": "grace@example.com", "full_name": "Grace", "role": 400},
		"first": {"email": "ada@example.com", "full_name": "Ada", "role": 100}
	}}`
	requireNoError(t, os.WriteFile(file, []byte(content), 0o600))
	run := acctest.NewRun(context.Background(), t, "zulip_channel", values{"sandbox": values{"organization": file, "feature_level": 442, "state": file + ".db"}})
	settings, diags := run.Process().ReadData("zulip_server_settings", values{})
	diags.ExpectNoError(t)
	if settings["zulip_feature_level"] != int64(442) {
		t.Errorf("the server says %v", settings)
	}
	found, diags := run.Process().ReadData("zulip_users", values{})
	diags.ExpectNoError(t)
	if users, _ := found["users"].([]any); len(users) != 2 {
		t.Errorf("the people are %v", found["users"])
	}
	run.MustApply(values{"name": "launch"})
	if after, err := os.ReadFile(file); err != nil || string(after) != content {
		t.Errorf("the file was written: %s, %v", after, err)
	}
}

func TestProtocolSandbox_InvalidFile_NotStarted(t *testing.T) {
	alone(t)
	missing := filepath.Join(t.TempDir(), "missing.json")
	configure(t, values{"sandbox": values{"organization": missing}}).ExpectError(t, "sandbox", "Cannot start the sandbox", missing)
	requireNoError(t, os.WriteFile(missing, []byte(`{"a": {"email": "a@example.com", "full_name": "A", "role": 200}}`), 0o600))
	configure(t, values{"sandbox": values{"organization": missing}}).ExpectError(t, "sandbox", "Cannot start the sandbox", "no owner")
	if diags := configure(t, values{"sandbox": values{"feature_level": 7}}); len(diags.Errors()) != 1 || !strings.Contains(diags.String(), "must be between 371") {
		t.Errorf("a level that is too low: %v", diags)
	}
}
