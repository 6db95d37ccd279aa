package subscriptionsettings_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// These are attributes, as tests write them.
type values = acctest.Values

func managed(t *testing.T) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, "zulip_channel_subscription_settings")
	return o, run
}

// held is what the server holds for the channel "general".
func held(t *testing.T, o *acctest.Organization) *zulip.Subscription {
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
	t.Fatal("the account is not in the channel")
	return nil
}

// everything sets every attribute.
func everything(on bool, color string) values {
	config := values{"channel": "general", "color": color}
	for _, name := range []string{"is_muted", "pin_to_top", "desktop_notifications", "audible_notifications", "push_notifications", "email_notifications", "wildcard_mentions_notify"} {
		config[name] = on
	}
	return config
}

func TestProtocolSubscriptionSettingsLive(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"channel": "general", "is_muted": true})
	if got := held(t, o); !got.IsMuted || got.PinToTop {
		t.Errorf("the server holds %+v", got)
	}
	if run.State.Values["desktop_notifications"] != nil {
		t.Errorf("the state holds %v: what is not set is as the account has it", run.State.Values)
	}
	run.MustApply(everything(true, "#00ff00"))
	got := held(t, o)
	if !got.IsMuted || !got.PinToTop || got.Color != "#00ff00" || !*got.DesktopNotifications || !*got.AudibleNotifications ||
		!*got.PushNotifications || !*got.EmailNotifications || !*got.WildcardMentionsNotify {
		t.Errorf("the server holds %+v", got)
	}
	run.MustApply(everything(false, "#123456"))
	if got = held(t, o); got.IsMuted || got.PinToTop || got.Color != "#123456" || *got.DesktopNotifications || *got.WildcardMentionsNotify {
		t.Errorf("the server holds %+v", got)
	}

	sent := o.Sent()
	run.MustApply(values{"channel": fmt.Sprint(o.MustChannel(t, "general").ID), "pin_to_top": false}) // the rest is let go
	sent.Expect(t)
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	if got = held(t, o); got.Color != "#123456" {
		t.Errorf("the server holds %+v: the settings are to stay", got)
	}
}

// Only what changed is sent.
func TestProtocolSubscriptionSettingsDrift(t *testing.T) {
	o, run := managed(t)
	config := everything(true, "#00ff00")
	run.MustApply(config)
	channel := o.MustChannel(t, "general").ID
	o.Call(t, http.MethodPost, "/users/me/subscriptions/properties", map[string]string{
		"subscription_data": fmt.Sprintf(`[{"stream_id":%d,"property":"pin_to_top","value":false}]`, channel),
	})
	sent := o.Sent()
	run.MustApply(config)
	writes := sent.Writes()
	if len(writes) != 1 || writes[0].Params["subscription_data"] != fmt.Sprintf(`[{"stream_id":%d,"property":"pin_to_top","value":true}]`, channel) {
		t.Errorf("sent: %v", writes)
	}
}

func TestProtocolSubscriptionSettingsNotIn(t *testing.T) {
	o, run := managed(t)
	plan, diags := run.Plan(values{"channel": "incidents", "is_muted": true})
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "channel", "not in the channel")
	run.Apply(plan).ExpectError(t, "channel", "The account is not in the channel")

	run.MustApply(values{"channel": "general", "is_muted": true})
	o.Call(t, http.MethodDelete, "/users/me/subscriptions", map[string]string{"subscriptions": `["general"]`})
	run.Refresh().ExpectNoError(t)
	if run.State != nil {
		t.Errorf("the state holds %v", run.State.Values)
	}
}

func TestProtocolSubscriptionSettingsImport(t *testing.T) {
	o, run := managed(t)
	run.MustApply(everything(true, "#00ff00"))
	before := run.State
	for _, by := range []struct {
		id       string
		identity values
	}{{id: "general"}, {id: fmt.Sprint(before.Values["channel_id"])}, {identity: before.Identity}} {
		fresh := o.NewRun(t, "zulip_channel_subscription_settings")
		fresh.Import(by.id, by.identity).ExpectNoError(t)
		if fmt.Sprint(fresh.State.Values) != fmt.Sprint(before.Values) {
			t.Errorf("imported by %v:\n%v\nwant:\n%v", by, fresh.State.Values, before.Values)
		}
	}
	o.NewRun(t, "zulip_channel_subscription_settings").Import("incidents", nil).ExpectError(t, "channel", "not in the channel")
}

func TestProtocolSubscriptionSettingsBadInput(t *testing.T) {
	_, run := managed(t)
	_, diags := run.Plan(values{"channel": "general", "color": "green"})
	diags.ExpectError(t, "color", "hexadecimal")
	_, diags = run.Plan(values{"channel": "genral"})
	diags.ExpectError(t, "channel", `did you mean "general"?`)
	if plan := run.MustPlan(values{"channel": acctest.Unknown, "is_muted": true}); plan.Values["channel_id"] != acctest.Unknown {
		t.Errorf("planned: %v", plan.Values)
	}
}

// Two resources that set one thing differently would undo each other with each apply. Different things they may set.
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
	plan(values{"color": "#000000"}).ExpectError(t, "color", `Two values for color in channel "general"`, "Keep one.")
	plan(values{"is_muted": false}).ExpectError(t, "is_muted", `Two values for is_muted in channel "general"`, "Keep one.")
}
