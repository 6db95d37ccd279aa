package subscriptionsettings_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

const propertiesPath = "/users/me/subscriptions/properties"

// setByHand changes a setting of the account in the channel "general".
func setByHand(t *testing.T, o *acctest.Organization, property, value string) {
	t.Helper()
	o.Call(t, http.MethodPost, propertiesPath, map[string]string{
		"subscription_data": fmt.Sprintf(`[{"stream_id":%d,"property":%q,"value":%s}]`, o.MustChannel(t, "general").ID, property, value),
	})
}

// What somebody has changed since the plan is not overwritten, and what is not configured is not sent.
func TestProtocolSubscriptionSettingsChangedMeanwhile(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"channel": "general", "color": "#00ff00", "is_muted": true})
	config := values{"channel": "general", "color": "#111111", "is_muted": true}
	plan := run.MustPlan(config)
	setByHand(t, o, "color", `"#222222"`)
	sent := o.Sent()
	run.Apply(plan).ExpectError(t, "color", "changed by somebody else", "#222222", "#111111")
	sent.Expect(t)
	if got := held(t, o); got.Color != "#222222" {
		t.Errorf("the server holds %+v", got)
	}

	// Something else: it stays, and the plan is applied.
	plan = run.MustPlan(config)
	setByHand(t, o, "pin_to_top", "true")
	setByHand(t, o, "is_muted", "false")
	sent = o.Sent()
	run.Apply(plan).ExpectNoError(t)
	if got := held(t, o); got.Color != "#111111" || !got.PinToTop || got.IsMuted {
		t.Errorf("the server holds %+v", got)
	}
	writes := sent.Writes()
	if want := fmt.Sprintf(`[{"stream_id":%d,"property":"color","value":"#111111"}]`, o.MustChannel(t, "general").ID); len(writes) != 1 || writes[0].Params["subscription_data"] != want {
		t.Errorf("sent: %v", writes)
	}

	// Somebody did already what was planned.
	plan = run.MustPlan(values{"channel": "general", "color": "#333333"})
	setByHand(t, o, "color", `"#333333"`)
	sent = o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t)
}

// After a failure the state is what is: whether the request was applied or not.
func TestProtocolSubscriptionSettingsFailures(t *testing.T) {
	for _, after := range []bool{false, true} {
		o, run := managed(t)
		run.Block = o.Block(values{"max_retries": 0})
		run.MustApply(values{"channel": "general", "color": "#00ff00"})
		config := values{"channel": "general", "color": "#111111"}
		plan := run.MustPlan(config)
		heal := o.Sandbox.Fail(sandbox.Fault{Method: http.MethodPost, Path: propertiesPath, After: after, Action: sandbox.FaultStatus, Status: http.StatusServiceUnavailable})
		run.Apply(plan).ExpectError(t, "", "Cannot change the account's settings")
		heal()
		if got := held(t, o); got.Color != run.State.Values["color"] {
			t.Errorf("the server has %s, and the state %v", got.Color, run.State.Values["color"])
		}
		if plan := run.MustPlan(config); plan.Empty() != after {
			t.Errorf("the plan changes %v", plan.Changes())
		}
		run.MustApply(config)
	}
}
