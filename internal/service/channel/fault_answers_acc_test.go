package channel_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// brief is a provider block that does not wait long for anything.
const brief = "provider \"zulip\" {\n  request_timeout = \"2s\"\n  max_retries = 1\n}\n"

const (
	createPath = "/channels/create"
	updatePath = "/streams/*"
)

// TestFaultAnswers: an answer is lost, late, or not what the server said. What was asked is then looked up, and one
// apply does it all the same.
func TestFaultAnswers(t *testing.T) {
	for _, fault := range []struct {
		class, what string
		on          sandbox.Fault
	}{
		{"connection lost", "after the channel was created", sandbox.Fault{Method: "POST", Path: createPath, After: true, Action: sandbox.FaultDrop}},
		{"connection lost", "before the channel was created", sandbox.Fault{Method: "POST", Path: createPath, Action: sandbox.FaultDrop}},
		{"connection lost", "after the change was made", sandbox.Fault{Method: "PATCH", Path: updatePath, After: true, Action: sandbox.FaultDrop}},
		{"connection lost", "after the channel was archived", sandbox.Fault{Method: "DELETE", Path: updatePath, After: true, Action: sandbox.FaultDrop}},
		{"500 once", "before the channel was created", sandbox.Fault{Method: "POST", Path: createPath, Action: sandbox.FaultStatus}},
		{"500 once", "after the change was made", sandbox.Fault{Method: "PATCH", Path: updatePath, After: true, Action: sandbox.FaultStatus}},
		{"500 once", "on the snapshot", sandbox.Fault{Method: "POST", Path: "/register", Action: sandbox.FaultStatus}},
		{"truncated JSON", "of the creation", sandbox.Fault{Method: "POST", Path: createPath, After: true, Action: sandbox.FaultTruncate}},
		{"truncated JSON", "of the snapshot", sandbox.Fault{Method: "POST", Path: "/register", After: true, Action: sandbox.FaultTruncate}},
		{"HTML from a proxy", "502 instead of the change", sandbox.Fault{Method: "PATCH", Path: updatePath, Action: sandbox.FaultHTML}},
		{"empty 200", "after the channel was created", sandbox.Fault{Method: "POST", Path: createPath, After: true, Action: sandbox.FaultEmpty}},
		{"stall", "the creation is done later than the request may take", sandbox.Fault{Method: "POST", Path: createPath, Action: sandbox.FaultStall, Delay: time.Minute}},
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

// TestFaultOutage: the server fails for good. The apply ends with words; when the server is back, the next one does what
// was left.
func TestFaultOutage(t *testing.T) {
	for _, outage := range []struct {
		class, what string
		on          sandbox.Fault
		says        []string
	}{
		{"500 forever", "on every creation", sandbox.Fault{Method: "POST", Path: createPath, Action: sandbox.FaultStatus}, []string{
			`Cannot create channel "`, `answered POST /channels/create with 500: "Internal server error"`, "The server failed.", "is not there, so that applying again is safe"}},
		{"500 forever", "on every change", sandbox.Fault{Method: "PATCH", Path: updatePath, Action: sandbox.FaultStatus}, []string{
			`does not take the change`, `description is One, and stays so when it is set to Two`, "500"}},
		{"500 forever", "after every change", sandbox.Fault{Method: "PATCH", Path: updatePath, After: true, Action: sandbox.FaultStatus}, nil},
		{"HTML from a proxy", "a login page before everything", sandbox.Fault{Action: sandbox.FaultHTML, Status: 200}, []string{
			"This is not a Zulip server", "is no proxy in between?"}},
		{"HTML from a proxy", "502 on every creation", sandbox.Fault{Method: "POST", Path: createPath, Action: sandbox.FaultHTML}, []string{
			`Cannot create channel "`, "The server, or a proxy before it, is out of order or overloaded"}},
		{"empty 200", "on every read of the organization", sandbox.Fault{Method: "POST", Path: "/register", Action: sandbox.FaultEmpty}, []string{"the answer is empty"}},
		{"stall", "no answer to any creation", sandbox.Fault{Method: "POST", Path: createPath, After: true, Action: sandbox.FaultStall, Delay: time.Minute}, nil},
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

// TestFaultRateLimit: the server refuses more requests in the middle of an apply. It waits as long as it is told to.
func TestFaultRateLimit(t *testing.T) {
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
