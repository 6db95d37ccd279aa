package channels_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// brief is a provider block that does not wait long for anything.
const brief = "provider \"zulip\" {\n  request_timeout = \"2s\"\n  max_retries = 1\n}\n"

const (
	createChannelPath = "/channels/create"
	updatePath        = "/streams/*"
)

// The server fails for good, and the apply fails with a message. When the server is back, the next apply does the rest.
func TestFaultChannelOutage(t *testing.T) {
	for _, outage := range []struct {
		class, what string
		on          sandbox.Fault
		says        []string
	}{
		{"500 forever", "on every creation", sandbox.Fault{Method: "POST", Path: createChannelPath, Action: sandbox.FaultStatus}, []string{
			`Cannot create channel "`, `answered POST /channels/create with 500: "Internal server error"`, "The server failed.", "did not find it, so you can apply again"}},
		{"500 forever", "on every change", sandbox.Fault{Method: "PATCH", Path: updatePath, Action: sandbox.FaultStatus}, []string{
			`did not accept the change`, `description is still "One" after the provider set it to "Two"`, "500"}},
		{"500 forever", "after every change", sandbox.Fault{Method: "PATCH", Path: updatePath, After: true, Action: sandbox.FaultStatus}, nil},
		{"HTML from a proxy", "a login page before everything", sandbox.Fault{Action: sandbox.FaultHTML, Status: 200}, []string{
			"This is not the answer of a Zulip server", "that no proxy is in between"}},
		{"HTML from a proxy", "502 on every creation", sandbox.Fault{Method: "POST", Path: createChannelPath, Action: sandbox.FaultHTML}, []string{
			`Cannot create channel "`, "The server, or a proxy before it, is failing or overloaded"}},
		{"empty 200", "on every read of the organization", sandbox.Fault{Method: "POST", Path: "/register", Action: sandbox.FaultEmpty}, []string{"the answer is empty"}},
		{"stall", "no answer to any creation", sandbox.Fault{Method: "POST", Path: createChannelPath, After: true, Action: sandbox.FaultStall, Delay: time.Minute}, nil},
		{"stall", "no answer to anything", sandbox.Fault{Action: sandbox.FaultStall, Delay: time.Minute}, []string{"Cannot reach the server", "no answer from", "raise request_timeout"}},
	} {
		t.Run(outage.class+", "+outage.what, func(t *testing.T) {
			trial := acctest.NewTrial(t, outage.class, outage.what, sandbox.Config{})
			kept, made := trial.Prefix+"kept", trial.Prefix+"made"
			trial.Given(brief+block("kept", kept, `description = "One"`), kept)
			heal := trial.Fail(outage.on)
			trial.SetConfig(brief+block("kept", kept, `description = "Two"`)+block("made", made), kept, made)
			if outage.says == nil {
				trial.Succeeds() // each attempt was executed, and looked up
			} else {
				trial.Fails(outage.says)
			}
			heal()
			trial.Converges()
		})
	}
}

// The server refuses requests in the middle of an apply because of the rate limit. The apply waits as long as the
// server asks.
func TestFaultChannelRateLimit(t *testing.T) {
	trial := acctest.NewTrial(t, "429", "ten requests a second, twenty channels", sandbox.Config{RateLimits: []sandbox.RateLimit{{Window: time.Second, Requests: 10}, {Window: time.Hour, Requests: 2000}}})
	var config strings.Builder
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("%s%02d", trial.Prefix, i))
		config.WriteString(block(fmt.Sprint("c", i), names[i], `can_create_topic_group = ["role:members"]`))
	}
	trial.SetConfig(config.String(), names...)
	trial.Succeeds()
	if trial.Sandbox.Journal().Count(sandbox.Filter{Status: 429}) == 0 {
		t.Error("no request was refused")
	}
	trial.Converges()
}

// The plugin is killed during a request. The server has executed the request, and the next plan shows it.
func TestFaultChannelKilled(t *testing.T) {
	t.Run("between creation and state", func(t *testing.T) {
		trial := acctest.NewTrial(t, "plugin killed", "after the channel was created, before the state knew", sandbox.Config{})
		name := trial.Prefix + "orphan"
		trial.SetConfig(block("c", name), name)
		// The channel is read after it was created, and only then the plugin answers the CLI.
		gate := trial.Sandbox.Gate(http.MethodGet, "/streams")
		running := trial.Start(t, "apply", "-auto-approve")
		<-gate.Arrived
		running.KillPlugin(t)
		gate.Open()
		trial.Refused(running) // in the words of the CLI, which has lost its plugin
		trial.Fails([]string{fmt.Sprintf("A channel with the name %q already exists", name), "ZULIP_RECOVER_INTERRUPTED=true"})
		trial.Setenv("ZULIP_RECOVER_INTERRUPTED", "true")
		trial.Succeeds() // the channel is as planned, and this account has just created it
		trial.Converges()
	})
	t.Run("and somebody changed it before the next apply", func(t *testing.T) {
		trial := acctest.NewTrial(t, "plugin killed", "the channel that was created is not as planned any more", sandbox.Config{})
		name := trial.Prefix + "orphan"
		trial.SetConfig(block("c", name, `description = "One"`), name)
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
		trial.SetConfig(block("c", name, `description = "Two"`, `can_send_message_group = ["role:moderators"]`), name)
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
