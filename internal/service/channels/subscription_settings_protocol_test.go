package channels_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func subscriptionSettingsManaged(t *testing.T) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, "zulip_channel_subscription_settings")
	return o, run
}

// subscriptionSettingsHeld returns the server's settings for the channel "general".
func subscriptionSettingsHeld(t *testing.T, o *acctest.Organization) *zulip.Subscription {
	t.Helper()
	list, err := o.Client.Subscriptions(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	id := o.MustChannel(t, "general").ID
	for _, subscription := range list {
		if subscription.ChannelID == id {
			return subscription
		}
	}
	t.Fatal("the account is not subscribed to the channel")
	return nil
}

func TestProtocolSubscriptionSettingsNotIn(t *testing.T) {
	o, run := subscriptionSettingsManaged(t)
	plan, diags := run.Plan(values{"channel": "incidents", "is_muted": true})
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "channel", "not subscribed to the channel")
	run.Apply(plan).ExpectError(t, "channel", "The account is not subscribed to the channel")

	run.MustApply(values{"channel": "general", "is_muted": true})
	o.Call(t, http.MethodDelete, "/users/me/subscriptions", map[string]string{"subscriptions": `["general"]`})
	run.Refresh().ExpectNoError(t)
	if run.State != nil {
		t.Errorf("the state holds %v", run.State.Values)
	}
}

func TestProtocolSubscriptionSettingsBadInput(t *testing.T) {
	_, run := subscriptionSettingsManaged(t)
	_, diags := run.Plan(values{"channel": "general", "color": "green"})
	diags.ExpectError(t, "color", "hexadecimal")
	_, diags = run.Plan(values{"channel": "genral"})
	diags.ExpectError(t, "channel", `did you mean "general"?`)
	if plan := run.MustPlan(values{"channel": acctest.Unknown, "is_muted": true}); plan.Values["channel_id"] != acctest.Unknown {
		t.Errorf("planned: %v", plan.Values)
	}
}

// Two resources with different values of one setting would undo each other with each apply. They can have different
// settings.
func TestProtocolSubscriptionSettingsTwoResources(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	p := o.NewRun(t, "zulip_channel_subscription_settings").Process()
	plan := func(config values) acctest.Diagnostics {
		config["channel"] = "general"
		_, diags := p.Plan("zulip_channel_subscription_settings", nil, config)
		return diags
	}
	plan(values{"is_muted": true}).ExpectNoError(t)
	plan(values{"is_muted": true, "color": "#aabbcc"}).ExpectNoError(t)
	plan(values{"color": "#000000"}).ExpectError(t, "color", `Duplicate color in channel "general"`, "Keep one of them.")
	plan(values{"is_muted": false}).ExpectError(t, "is_muted", `Duplicate is_muted in channel "general"`, "Keep one of them.")
}

const propertiesPath = "/users/me/subscriptions/properties"

// subscriptionSettingsSetByHand changes a setting of the account in the channel "general".
func subscriptionSettingsSetByHand(t *testing.T, o *acctest.Organization, property, value string) {
	t.Helper()
	o.Call(t, http.MethodPost, propertiesPath, map[string]string{
		"subscription_data": fmt.Sprintf(`[{"stream_id":%d,"property":%q,"value":%s}]`, o.MustChannel(t, "general").ID, property, value),
	})
}

// A setting that was changed after the plan is not overwritten, and a setting that is not configured is not sent.
func TestProtocolSubscriptionSettings_ChangedSincePlan(t *testing.T) {
	o, run := subscriptionSettingsManaged(t)
	run.MustApply(values{"channel": "general", "color": "#00ff00", "is_muted": true})
	config := values{"channel": "general", "color": "#111111", "is_muted": true}
	plan := run.MustPlan(config)
	subscriptionSettingsSetByHand(t, o, "color", `"#222222"`)
	sent := o.Sent()
	run.Apply(plan).ExpectError(t, "color", "changed after the plan was made", "#222222", "#111111")
	sent.Expect(t)
	if got := subscriptionSettingsHeld(t, o); got.Color != "#222222" {
		t.Errorf("the server holds %+v", got)
	}

	// Another setting keeps its value, and the plan is applied.
	plan = run.MustPlan(config)
	subscriptionSettingsSetByHand(t, o, "pin_to_top", "true")
	subscriptionSettingsSetByHand(t, o, "is_muted", "false")
	sent = o.Sent()
	run.Apply(plan).ExpectNoError(t)
	if got := subscriptionSettingsHeld(t, o); got.Color != "#111111" || !got.PinToTop || got.IsMuted {
		t.Errorf("the server holds %+v", got)
	}
	writes := sent.Writes()
	if want := fmt.Sprintf(`[{"stream_id":%d,"property":"color","value":"#111111"}]`, o.MustChannel(t, "general").ID); len(writes) != 1 || writes[0].Params["subscription_data"] != want {
		t.Errorf("sent: %v", writes)
	}

	// The planned change is already made.
	plan = run.MustPlan(values{"channel": "general", "color": "#333333"})
	subscriptionSettingsSetByHand(t, o, "color", `"#333333"`)
	sent = o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t)
}
