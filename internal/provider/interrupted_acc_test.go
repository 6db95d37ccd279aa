//go:build unix

package provider_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// interrupted is an object that is being created when the CLI is interrupted.
type interrupted struct {
	address, lines string
	path           string // of the request that creates it
	held           func(*testing.T, *acctest.Organization) int
}

// interruptedObjects are at most as many as Terraform creates at the same time.
var interruptedObjects = []interrupted{
	{"zulip_channel.x", "name = \"launch\"\n  description = \"Until we are there\"", "/channels/create", active("launch")},
	{"zulip_channel.y", "name = \"landing\"\n  privacy = \"private_shared_history\"\n  can_send_message_group = [\"role:moderators\"]", "/channels/create", active("landing")},
	{"zulip_user.x", "email = \"nadia.haddad@example.com\"\n  full_name = \"Nadia Haddad\"\n  role = \"moderator\"", "/users", listed("realm_user", "realm_users", "full_name", "Nadia Haddad")},
	{"zulip_bot.x", "short_name = \"alerts\"\n  full_name = \"Alerts\"", "/bots", listed("realm_user", "realm_users", "full_name", "Alerts")},
	{"zulip_user_group.x", "name = \"platform\"\n  members = [\"kenji.sato@example.com\"]", "/user_groups/create", listed("realm_user_groups", "realm_user_groups", "name", "platform")},
	{"zulip_channel_folder.x", "name = \"Incidents\"\n  description = \"What is broken\"", "/channel_folders/create", listed("channel_folders", "channel_folders", "name", "Incidents")},
	{"zulip_linkifier.x", "pattern = \"#(?P<id>[0-9]+)\"\n  url_template = \"https://example.com/{id}\"", "/realm/filters", listed("realm_linkifiers", "realm_linkifiers", "url_template", "https://example.com/{id}")},
	{"zulip_draft.x", "channel = \"general\"\n  topic = \"launch\"\n  content = \"Ready\"", "/drafts", drafted("Ready")},
	{"zulip_draft.y", "channel = \"general\"\n  topic = \"landing\"\n  content = \"Steady\"", "/drafts", drafted("Steady")},
}

// Nothing is created after Terraform was interrupted, and the wait for the rate limit ends.
func TestFaultInterruptedWhileWaiting(t *testing.T) {
	trial, run := startInterrupted(t, "SIGINT while waiting for the rate limit")
	heal := trial.Fail(sandbox.Fault{Method: "POST", Action: sandbox.FaultStatus, Status: 429, RetryAfter: 10 * time.Minute})
	run.release()
	run.await(t, "Requests wait for the server's rate limit")
	run.interrupt(t, syscall.SIGINT, false)
	<-run.ended
	if run.ok || !strings.Contains(run.printed, "POST /channels/create: not carried out: the run was interrupted") {
		t.Errorf("the apply was to fail and to say that nothing was carried out:\n%s", run.printed)
	}
	heal()
	for _, n := range interruptedObjects {
		if count := n.held(t, trial.Organization); count != 0 {
			t.Errorf("%s was created", n.address)
		}
	}
	if addresses := trial.Addresses(t); len(addresses) != 0 {
		t.Errorf("the state has %q", addresses)
	}
}

type interruptedTrial struct{ *acctest.Trial }

// interruptedRun is an apply whose requests are held.
type interruptedRun struct {
	*acctest.Running
	log   string
	gates []*sandbox.Gate
	// printed is the output of Terraform, available when it has ended.
	printed string
	ok      bool
	ended   chan struct{}
}

// startInterrupted starts an apply, and returns when a request of each kind is held by the server.
func startInterrupted(t *testing.T, what string) (interruptedTrial, *interruptedRun) {
	t.Helper()
	trial := interruptedTrial{acctest.NewTrial(t, "CLI interrupted", what, sandbox.Config{})}
	var config strings.Builder
	for _, n := range interruptedObjects {
		kind, name, _ := strings.Cut(n.address, ".")
		fmt.Fprintf(&config, "resource %q %q {\n  %s\n}\n", kind, name, n.lines)
	}
	trial.SetConfig(config.String())
	run := &interruptedRun{log: filepath.Join(t.TempDir(), "log"), ended: make(chan struct{})}
	held := map[string]bool{}
	for _, n := range interruptedObjects {
		if !held[n.path] {
			held[n.path] = true
			run.gates = append(run.gates, trial.Sandbox.Gate("POST", n.path))
		}
	}
	trial.Setenv("TF_LOG_PROVIDER", "TRACE")
	trial.Setenv("TF_LOG_PATH", run.log)
	run.Running = trial.StartInGroup(t, "apply", "-auto-approve")
	go func() {
		defer close(run.ended)
		run.printed, run.ok = run.Wait(t)
	}()
	for _, gate := range run.gates {
		select {
		case <-gate.Arrived:
		case <-run.ended:
			t.Fatalf("the apply ended before all was under way:\n%s", run.printed)
		}
	}
	return trial, run
}

// interrupt sends a signal, and returns when the plugin has noticed.
func (r *interruptedRun) interrupt(t *testing.T, signal syscall.Signal, group bool) {
	t.Helper()
	r.Signal(t, signal, group)
	r.await(t, "Closed all our contexts")
}

// await waits for a text in the log.
func (r *interruptedRun) await(t *testing.T, text string) {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for range 600 {
		if log, err := os.ReadFile(r.log); err == nil && strings.Contains(string(log), text) {
			return
		}
		<-tick.C
	}
	t.Fatalf("the log never had %q", text)
}

// release lets the requests continue.
func (r *interruptedRun) release() {
	for _, gate := range r.gates {
		gate.Open()
	}
}

// wholeInstances counts the instances in the state by the address of their resource, and fails the test if one of them is tainted.
func wholeInstances(t *testing.T, w *acctest.Workspace) map[string]int {
	t.Helper()
	var state struct {
		Resources []struct {
			Type, Name string
			Instances  []struct{ Status string }
		}
	}
	requireNoError(t, json.Unmarshal([]byte(w.Read(t, "terraform.tfstate")), &state))
	whole := map[string]int{}
	for _, resource := range state.Resources {
		for _, instance := range resource.Instances {
			if instance.Status != "" {
				t.Errorf("%s.%s is %s", resource.Type, resource.Name, instance.Status)
			}
			whole[resource.Type+"."+resource.Name]++
		}
	}
	return whole
}

// active returns one if an active channel has the name.
func active(name string) func(*testing.T, *acctest.Organization) int {
	return func(t *testing.T, org *acctest.Organization) int {
		if channel := org.Channel(t, name); channel == nil || channel.IsArchived {
			return 0
		}
		return 1
	}
}

// drafted counts the drafts with a content.
func drafted(content string) func(*testing.T, *acctest.Organization) int {
	return func(t *testing.T, org *acctest.Organization) (count int) {
		list, _ := org.Call(t, "GET", "/drafts", nil)["drafts"].([]any)
		for _, draft := range list {
			if draft.(map[string]any)["content"] == content {
				count++
			}
		}
		return count
	}
}
