package channels_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// brief is a provider block that does not wait long for anything.
const brief = "provider \"zulip\" {\n  request_timeout = \"2s\"\n  max_retries = 1\n}\n"

const (
	createChannelPath = "/channels/create"
	updatePath        = "/streams/*"
)

// TestFaultChannelAnswers: an answer is lost, late, or not what the server said. What was asked is then looked up, and one
// apply does it all the same.
func TestFaultChannelAnswers(t *testing.T) {
	for _, fault := range []struct {
		class, what string
		on          sandbox.Fault
	}{
		{"connection lost", "after the channel was created", sandbox.Fault{Method: "POST", Path: createChannelPath, After: true, Action: sandbox.FaultDrop}},
		{"connection lost", "before the channel was created", sandbox.Fault{Method: "POST", Path: createChannelPath, Action: sandbox.FaultDrop}},
		{"connection lost", "after the change was made", sandbox.Fault{Method: "PATCH", Path: updatePath, After: true, Action: sandbox.FaultDrop}},
		{"connection lost", "after the channel was archived", sandbox.Fault{Method: "DELETE", Path: updatePath, After: true, Action: sandbox.FaultDrop}},
		{"500 once", "before the channel was created", sandbox.Fault{Method: "POST", Path: createChannelPath, Action: sandbox.FaultStatus}},
		{"500 once", "after the change was made", sandbox.Fault{Method: "PATCH", Path: updatePath, After: true, Action: sandbox.FaultStatus}},
		{"500 once", "on the snapshot", sandbox.Fault{Method: "POST", Path: "/register", Action: sandbox.FaultStatus}},
		{"truncated JSON", "of the creation", sandbox.Fault{Method: "POST", Path: createChannelPath, After: true, Action: sandbox.FaultTruncate}},
		{"truncated JSON", "of the snapshot", sandbox.Fault{Method: "POST", Path: "/register", After: true, Action: sandbox.FaultTruncate}},
		{"HTML from a proxy", "502 instead of the change", sandbox.Fault{Method: "PATCH", Path: updatePath, Action: sandbox.FaultHTML}},
		{"empty 200", "after the channel was created", sandbox.Fault{Method: "POST", Path: createChannelPath, After: true, Action: sandbox.FaultEmpty}},
		{"stall", "the creation is done later than the request may take", sandbox.Fault{Method: "POST", Path: createChannelPath, Action: sandbox.FaultStall, Delay: time.Minute}},
		{"stall", "the answer to the change comes later than the request may take", sandbox.Fault{Method: "PATCH", Path: updatePath, After: true, Action: sandbox.FaultStall, Delay: time.Minute}},
	} {
		t.Run(fault.class+", "+fault.what, func(t *testing.T) {
			trial := acctest.NewTrial(t, fault.class, fault.what, sandbox.Config{})
			kept, gone, made := trial.Prefix+"kept", trial.Prefix+"gone", trial.Prefix+"made"
			config := func(text string) string {
				return brief + block("kept", kept, fmt.Sprintf("description = %q", text), `can_send_message_group = ["role:members"]`)
			}
			trial.Given(config("One")+block("gone", gone), kept, gone)
			fault.on.Count = 1
			trial.Fail(fault.on)
			trial.Want(config("Two")+block("made", made, `can_create_topic_group = ["role:members"]`), kept, made)
			trial.Succeeds()
			hits := 0
			for _, request := range trial.Sandbox.Journal().Requests(sandbox.Filter{}) {
				if request.Fault != "" {
					hits++
				}
			}
			if hits != 1 {
				t.Errorf("the fault hit %d times", hits)
			}
			trial.Converges()
		})
	}
}

// TestFaultChannelOutage: the server fails for good. The apply ends with words; when the server is back, the next one does what
// was left.
func TestFaultChannelOutage(t *testing.T) {
	for _, outage := range []struct {
		class, what string
		on          sandbox.Fault
		says        []string
	}{
		{"500 forever", "on every creation", sandbox.Fault{Method: "POST", Path: createChannelPath, Action: sandbox.FaultStatus}, []string{
			`Cannot create channel "`, `answered POST /channels/create with 500: "Internal server error"`, "The server failed.", "is not there, so that applying again is safe"}},
		{"500 forever", "on every change", sandbox.Fault{Method: "PATCH", Path: updatePath, Action: sandbox.FaultStatus}, []string{
			`does not take the change`, `description is One, and stays so when it is set to Two`, "500"}},
		{"500 forever", "after every change", sandbox.Fault{Method: "PATCH", Path: updatePath, After: true, Action: sandbox.FaultStatus}, nil},
		{"HTML from a proxy", "a login page before everything", sandbox.Fault{Action: sandbox.FaultHTML, Status: 200}, []string{
			"This is not a Zulip server", "is no proxy in between?"}},
		{"HTML from a proxy", "502 on every creation", sandbox.Fault{Method: "POST", Path: createChannelPath, Action: sandbox.FaultHTML}, []string{
			`Cannot create channel "`, "The server, or a proxy before it, is out of order or overloaded"}},
		{"empty 200", "on every read of the organization", sandbox.Fault{Method: "POST", Path: "/register", Action: sandbox.FaultEmpty}, []string{"the answer is empty"}},
		{"stall", "no answer to any creation", sandbox.Fault{Method: "POST", Path: createChannelPath, After: true, Action: sandbox.FaultStall, Delay: time.Minute}, nil},
		{"stall", "no answer to anything", sandbox.Fault{Action: sandbox.FaultStall, Delay: time.Minute}, []string{"The server cannot be reached", "no answer from", "raise request_timeout"}},
	} {
		t.Run(outage.class+", "+outage.what, func(t *testing.T) {
			trial := acctest.NewTrial(t, outage.class, outage.what, sandbox.Config{})
			kept, made := trial.Prefix+"kept", trial.Prefix+"made"
			trial.Given(brief+block("kept", kept, `description = "One"`), kept)
			heal := trial.Fail(outage.on)
			trial.Want(brief+block("kept", kept, `description = "Two"`)+block("made", made), kept, made)
			if outage.says == nil {
				trial.Succeeds() // it was done each time, and looked up
			} else {
				trial.Fails(outage.says)
			}
			heal()
			trial.Converges()
		})
	}
}

// TestFaultChannelRateLimit: the server refuses more requests in the middle of an apply. It waits as long as it is told to.
func TestFaultChannelRateLimit(t *testing.T) {
	trial := acctest.NewTrial(t, "429", "ten requests a second, twenty channels", sandbox.Config{RateLimits: []sandbox.RateLimit{{Window: time.Second, Requests: 10}, {Window: time.Hour, Requests: 2000}}})
	var config strings.Builder
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("%s%02d", trial.Prefix, i))
		config.WriteString(block(fmt.Sprint("c", i), names[i], `can_create_topic_group = ["role:members"]`))
	}
	trial.Want(config.String(), names...)
	trial.Succeeds()
	if trial.Sandbox.Journal().Count(sandbox.Filter{Status: 429}) == 0 {
		t.Error("no request was refused")
	}
	trial.Converges()
}

// plan saves a plan, and returns the argument that applies it.
func plan(t *testing.T, trial *acctest.Trial) string {
	t.Helper()
	trial.Must(t, "plan", "-out=saved.tfplan")
	return "saved.tfplan"
}

// TestFaultChannelStalePlanOfWhatWasNotManaged: a saved plan manages what the state has never had, and it is changed by hand before the
// apply. The CLI hands the apply nothing of the plan but the state that was refreshed for it.
func TestFaultChannelStalePlanOfWhatWasNotManaged(t *testing.T) {
	trial := acctest.NewTrial(t, "stale saved plan", "what was not managed was changed by hand", sandbox.Config{})
	name, theirs := trial.Prefix+"stale", "Theirs"
	trial.Given(block("c", name), name)
	members := zulip.NamedGroup(trial.SystemGroup(t, "role:members"))
	trial.Change(t, name, permit("can_send_message_group", members))
	trial.Want(block("c", name, `description = "Two"`, `can_send_message_group = ["role:moderators"]`), name)
	saved := plan(t, trial)
	trial.Change(t, name, zulip.ChannelUpdate{Description: &theirs})
	trial.Change(t, name, permit("can_send_message_group", zulip.NamedGroup(trial.SystemGroup(t, "role:owners"))))
	trial.Fails([]string{
		"was changed by somebody else", "now: Theirs the configuration asks for: Two",
		`when the plan was made: "role:members" now: "role:owners" the configuration asks for: "role:moderators"`, "Nothing was overwritten.",
	}, saved)
	if view, _ := trial.Sandbox.Organization().Channel(name); view.Description != theirs || fmt.Sprint(view.Permissions["can_send_message_group"]) != "[role:owners]" {
		t.Errorf("something was written: %q, %v", view.Description, view.Permissions["can_send_message_group"])
	}
	trial.Converges()
}

// TestFaultChannelKilled: the plugin is killed while a request is under way. What it had sent is done; the next plan sees it.
func TestFaultChannelKilled(t *testing.T) {
	t.Run("between creation and state", func(t *testing.T) {
		trial := acctest.NewTrial(t, "plugin killed", "after the channel was created, before the state knew", sandbox.Config{})
		name := trial.Prefix + "orphan"
		trial.Want(block("c", name), name)
		// The channel is read after it was created, and only then the plugin answers the CLI.
		gate := trial.Sandbox.Gate(http.MethodGet, "/streams")
		running := trial.Start(t, "apply", "-auto-approve")
		<-gate.Arrived
		running.KillPlugin(t)
		gate.Open()
		trial.Refused(running) // in the words of the CLI, which has lost its plugin
		trial.Fails([]string{fmt.Sprintf("A channel with the name %q already exists", name), "ZULIP_RECOVER_INTERRUPTED=true"})
		trial.Setenv("ZULIP_RECOVER_INTERRUPTED", "true")
		trial.Succeeds() // the channel is as planned, and just made by this account
		trial.Converges()
	})
	t.Run("and somebody changed it before the next apply", func(t *testing.T) {
		trial := acctest.NewTrial(t, "plugin killed", "the channel that was created is not as planned any more", sandbox.Config{})
		name := trial.Prefix + "orphan"
		trial.Want(block("c", name, `description = "One"`), name)
		gate := trial.Sandbox.Gate(http.MethodGet, "/streams")
		running := trial.Start(t, "apply", "-auto-approve")
		<-gate.Arrived
		running.KillPlugin(t)
		gate.Open()
		trial.Refused(running)
		id := trial.MustChannel(t, name).ID
		trial.Call(t, http.MethodPatch, fmt.Sprint("/streams/", id), map[string]string{"description": "Two"})
		trial.Fails([]string{fmt.Sprintf("A channel with the name %q already exists", name), "import it:", fmt.Sprintf(`id = "%d"`, id)})
		trial.Must(t, "import", address("c"), fmt.Sprint(id))
		trial.Converges()
	})
	t.Run("during a change", func(t *testing.T) {
		trial := acctest.NewTrial(t, "plugin killed", "while a change was under way", sandbox.Config{})
		name := trial.Prefix + "change"
		trial.Given(block("c", name, `description = "One"`, `can_send_message_group = ["role:members"]`), name)
		trial.Want(block("c", name, `description = "Two"`, `can_send_message_group = ["role:moderators"]`), name)
		gate := trial.Sandbox.Gate(http.MethodPatch, updatePath)
		running := trial.Start(t, "apply", "-auto-approve")
		permissions := <-gate.Arrived
		permissions.Release()
		<-gate.Arrived // the description, after the permission was changed
		running.KillPlugin(t)
		gate.Open()
		trial.Refused(running) // in the words of the CLI, which has lost its plugin
		trial.Converges()
	})
}
