package provider_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// TestFaultLookUpDoesNotWaitForItsOwnWrite loses the answer to a creation near the rate limit, where reads wait up to two
// seconds for writes under way: the write whose answer was lost is not one of those.
func TestFaultLookUpDoesNotWaitForItsOwnWrite(t *testing.T) {
	const limit = 400
	for _, c := range []struct {
		resource, path string
		config         acctest.Values
	}{
		{"zulip_user", "/users", acctest.Values{"email": "nadia.haddad@example.com", "full_name": "Nadia Haddad"}},
		{"zulip_bot", "/bots", acctest.Values{"full_name": "Alerts", "short_name": "alerts", "bot_type": "generic"}},
		{"zulip_channel", "/channels/create", acctest.Values{"name": "alerts"}},
		{"zulip_user_group", "/user_groups/create", acctest.Values{"name": "alerts", "description": ""}},
	} {
		t.Run(c.resource, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{RateLimits: []sandbox.RateLimit{{Window: time.Minute, Requests: limit}}})
			run := o.NewRun(t, c.resource)
			plan := run.MustPlan(c.config)
			for range limit / 2 {
				if _, err := o.Client.Me(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			o.Sandbox.Fail(sandbox.Fault{Method: http.MethodPost, Path: c.path, After: true, Action: sandbox.FaultDrop, Count: 1})
			sent := o.Sent()
			run.Apply(plan).ExpectNoError(t)
			requests := sent.Requests()
			write := slices.IndexFunc(requests, func(r sandbox.Request) bool { return r.Method == http.MethodPost && r.Path == c.path })
			if write < 0 || write == len(requests)-1 {
				t.Fatalf("no look-up followed the creation: %+v", requests)
			}
			lost, look := requests[write], requests[write+1]
			if wait := look.Time.Sub(lost.Time.Add(lost.Duration)); wait > 1500*time.Millisecond {
				t.Errorf("%s %s came %s after the lost answer", look.Method, look.Path, wait)
			}
		})
	}
}
