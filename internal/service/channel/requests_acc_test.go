package channel_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// fewRequests is what a plan may cost, however many channels it looks at: the server's settings, the account, the
// snapshot, and the end of its event queue.
const fewRequests = 4

// anotherProcess is what the CLI costs by starting the plugin again to apply: the server's settings and the account.
const anotherProcess = 2

// TestAccSandboxChannelRequests counts what fifty channels cost.
func TestAccSandboxChannelRequests(t *testing.T) {
	org := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	config := func(role string) string {
		return fmt.Sprintf(`resource "zulip_channel" "many" {
  count                  = 50
  name                   = "%s${count.index}"
  can_send_message_group = ["role:${count.index == 7 ? %q : "members"}"]
}
`, org.Prefix, role)
	}
	count := func(what string, args ...string) []sandbox.Request {
		sent := org.Sent()
		w.Must(t, args...)
		t.Logf("%s: %d requests", what, len(sent.Requests()))
		return sent.Requests()
	}
	w.Configure(t, config("members"))
	created := count("creating fifty channels", "apply", "-auto-approve")
	if len(created) >= 2*50 { // each is created, and those that are created at the same time are read together
		t.Errorf("%d requests to create fifty channels", len(created))
	}
	for what, args := range map[string][]string{
		"a plan without changes": {"plan", "-detailed-exitcode"}, "an apply without changes": {"apply", "-auto-approve"}, "a refresh": {"apply", "-refresh-only", "-auto-approve"},
	} {
		few := fewRequests
		if args[0] == "apply" {
			few += anotherProcess
		}
		if requests := count(what, args...); len(requests) > few {
			t.Errorf("%s: %d requests: %v", what, len(requests), words(requests))
		}
	}

	// One that changes costs its write and the reads around it, beside what the plan and the apply cost each.
	w.Configure(t, config("moderators"))
	changed := count("a change of one", "apply", "-auto-approve")
	reads, writes := 0, 0
	for _, request := range changed {
		switch {
		case request.Method == http.MethodPatch:
			writes++
		case request.Path == "/streams":
			reads++
		}
	}
	if writes != 1 || reads != 2 || len(changed) > 2*fewRequests+3 {
		t.Errorf("a change of one: %v", words(changed))
	}
	w.Must(t, "destroy", "-auto-approve")
	if left := org.Active(t); len(left) > 0 {
		t.Errorf("still active: %v", left)
	}
}

func words(requests []sandbox.Request) string {
	var lines []string
	for _, request := range requests {
		lines = append(lines, request.Method+" "+request.Path)
	}
	return strings.Join(lines, ", ")
}
