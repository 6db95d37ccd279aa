package channels_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

func subscriptionSettingsManaged(t *testing.T) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, "zulip_channel_subscription_settings")
	return o, run
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

// A new resource shows the values that it changes, and no others.
func TestProtocolSubscriptionSettings_New_CurrentValuesShown(t *testing.T) {
	o, run := subscriptionSettingsManaged(t)
	config := values{"channel": "general", "is_muted": true, "pin_to_top": false, "email_notifications": true}
	plan, diags := run.Plan(config)
	diags.ExpectWarning(t, "", change.ManagedSummary, "is_muted\n  now:                        false\n  the configuration asks for: true",
		"email_notifications\n  now:                        as in the account's general settings")
	if strings.Contains(diags.String(), "pin_to_top") {
		t.Errorf("it names what stays: %v", diags)
	}
	run.Apply(plan).ExpectNoError(t)
	_, diags = o.NewRun(t, "zulip_channel_subscription_settings").Plan(config)
	if len(diags) > 0 {
		t.Errorf("the same values: %v", diags)
	}

	channel := o.NewRun(t, "zulip_channel")
	p := channel.Process()
	channel.ApplyIn(p, channel.MustPlan(values{"name": "attic", "initial_subscribers": texts(owner)})).ExpectNoError(t)
	if _, diags = p.Plan("zulip_channel_subscription_settings", nil, values{"channel": "attic", "is_muted": true}); len(diags) > 0 {
		t.Errorf("of a channel that the run has created: %v", diags)
	}
}
