//go:build unix

package provider_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// brokenOffSubscription is the tenth resource: it follows two others.
const brokenOffSubscription = `resource "zulip_channel_subscription" "x" {
  channel = zulip_channel.x.name
  users   = [zulip_user.x.email, "kenji.sato@example.com"]
}
`

// brokenOffChanges are the changes of a second apply.
var brokenOffChanges = strings.NewReplacer(
	"Until we are there", "We are there", "role:moderators", "role:members", "full_name = \"Nadia Haddad\"", "full_name = \"Nadia Haddad\"\n  active = true",
	"kenji.sato@example.com", "lena.fischer@example.com", "What is broken", "What was broken", "https://example.com/{id}", "https://example.com/{id}/",
	"Ready", "Ready now", "Steady", "Steady now",
)

// brokenOff is the interruption of an apply: by a signal, to the plugin too if isGroup is true, or by a killed plugin.
type brokenOff struct {
	signal   syscall.Signal
	isGroup  bool
	isKilled bool
}

// TestFaultApply_BrokenOff_NextOneConverges interrupts and kills applies that create or change ten resources, after each number of
// requests. The next apply succeeds, and then the plan is empty and the server has each object once.
func TestFaultApply_BrokenOff_NextOneConverges(t *testing.T) {
	ways := []brokenOff{{signal: syscall.SIGINT}, {signal: syscall.SIGINT, isGroup: true}, {signal: syscall.SIGTERM}, {isKilled: true}}
	acctest.Schedules(t, "applies broken off", 64, map[string][]brokenOff{"ten resources": ways}, func(t *testing.T, ways []brokenOff, s *acctest.Schedule) {
		t.Helper()
		tryBrokenOff(t, s.Choose(2) == 1, ways[s.Choose(len(ways))], 1+s.Choose(8))
	})
}

func tryBrokenOff(t *testing.T, isChange bool, way brokenOff, requests int) {
	t.Helper()
	org := acctest.NewSandbox(t, sandbox.Config{Latency: 20 * time.Millisecond})
	w := acctest.NewWorkspace(t)
	owner := acctest.Owner(t, org.Sandbox)
	for name, value := range map[string]string{"ZULIP_SITE": org.Sandbox.URL(), "ZULIP_EMAIL": owner.Email, "ZULIP_API_KEY": owner.APIKey} {
		w.Setenv(name, value)
	}
	var config strings.Builder
	for _, one := range interruptedObjects {
		kind, name, _ := strings.Cut(one.address, ".")
		fmt.Fprintf(&config, "resource %q %q {\n  %s\n}\n", kind, name, one.lines)
	}
	config.WriteString(brokenOffSubscription)
	w.Configure(t, config.String())
	if isChange {
		w.Must(t, "apply", "-auto-approve")
		w.Configure(t, brokenOffChanges.Replace(config.String()))
	}
	org.Sandbox.Journal().Reset()
	running := w.StartInGroup(t, "apply", "-auto-approve")
	awaitWrites(t, org, requests)
	if way.isKilled {
		running.KillPlugin(t)
		w.Setenv("ZULIP_RECOVER_INTERRUPTED", "true")
	} else {
		running.Signal(t, way.signal, way.isGroup)
	}
	printed, _ := running.Wait(t)
	if !way.isKilled {
		if wholeInstances(t, w); t.Failed() {
			t.Fatalf("the apply printed:\n%s", printed)
		}
	}
	if way.isKilled && !isChange { // accounts are never adopted
		_, _ = w.Run(t, "import", "zulip_user.x", "nadia.haddad@example.com") // unless it is not created yet, or in the state
	}
	w.Must(t, "apply", "-auto-approve")
	w.Must(t, "plan", "-detailed-exitcode")
	if isChange {
		return
	}
	for _, one := range interruptedObjects {
		// A killed plugin leaves drafts behind, because they have no name.
		if count := one.held(t, org); count != 1 && (!way.isKilled || !strings.HasPrefix(one.address, "zulip_draft")) {
			t.Errorf("%s: the server has %d", one.address, count)
		}
	}
}

// awaitWrites returns when the server has answered a number of requests that write.
func awaitWrites(t *testing.T, org *acctest.Organization, requests int) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for range 1000 {
		writes := 0
		for _, request := range org.Sandbox.Journal().Requests(sandbox.Filter{}) {
			if request.Method != "GET" && !strings.Contains(request.Path, "/register") && !strings.Contains(request.Path, "/events") {
				writes++
			}
		}
		if writes >= requests {
			return
		}
		<-tick.C
	}
	t.Fatalf("the apply never sent %d requests", requests)
}
