package channel_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

const pushes = "default_push_notifications"

// managedAt is managed on a server of a feature level.
func managedAt(t *testing.T, level int) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
	run := o.NewRun(t, "zulip_channel")
	return o, run
}

// pushesNow is what the sandbox holds.
func pushesNow(t *testing.T, o *acctest.Organization, name string) bool {
	t.Helper()
	channel, ok := o.Sandbox.Organization().Channel(name)
	if !ok {
		t.Fatalf("the sandbox has no channel %q", name)
	}
	return channel.DefaultPush
}

func TestProtocolDefaultPushNotifications(t *testing.T) {
	o, run := managedAt(t, featurelevel.ChannelPushNotifications)
	config := values{"name": "alerts", "initial_subscribers": []any{"ines.moreau@example.com"}}

	sent := o.Sent()
	run.MustApply(but(config, values{pushes: true}))
	expectWrites(t, sent, params{"name": "alerts", "subscribers": "[43]", pushes: "true"})
	if !pushesNow(t, o, "alerts") || run.State.Values[pushes] != true {
		t.Errorf("it is not set; the state says %v", run.State.Values[pushes])
	}

	sent = o.Sent()
	run.MustApply(but(config, values{pushes: true, "description": "other"}))
	expectWrites(t, sent, params{"description": "other"})

	sent = o.Sent()
	run.MustApply(but(config, values{pushes: false, "description": "other"}))
	expectWrites(t, sent, params{pushes: "false"})
	if pushesNow(t, o, "alerts") {
		t.Error("it is still set")
	}

	sent = o.Sent()
	run.MustApply(config) // not managed any more
	expectWrites(t, sent)

	// A new channel has it off: there is nothing to send.
	sent = o.Sent()
	o.NewRun(t, "zulip_channel").MustApply(values{"name": "quiet", pushes: false})
	expectWrites(t, sent, params{"name": "quiet", "subscribers": "[]"})
}

func TestProtocolDefaultPushNotificationsAreSharedWithOthers(t *testing.T) {
	o, run := managedAt(t, featurelevel.ChannelPushNotifications)
	run.MustApply(values{"name": "alerts"})
	on := true

	// Somebody turns it on after it was planned: that is what was asked for.
	plan := run.MustPlan(values{"name": "alerts", pushes: true})
	o.Change(t, "alerts", zulip.ChannelUpdate{DefaultPushNotifications: &on})
	sent := o.Sent()
	run.Apply(plan).ExpectNoError(t)
	expectWrites(t, sent)

	// Managed, it is turned back; not managed, it stays.
	o.Change(t, "alerts", zulip.ChannelUpdate{DefaultPushNotifications: &on})
	if plan := run.MustPlan(values{"name": "alerts"}); !plan.Empty() {
		t.Errorf("what is not managed is changed: %v", plan.Changes())
	}
	sent = o.Sent()
	run.MustApply(values{"name": "alerts", pushes: false})
	expectWrites(t, sent, params{pushes: "false"})

	// An archived channel comes back with what it had.
	o.Change(t, "alerts", zulip.ChannelUpdate{DefaultPushNotifications: &on})
	o.Archive(t, "alerts")
	adopted := o.NewRun(t, "zulip_channel")
	sent = o.Sent()
	adopted.MustApply(values{"name": "alerts", "adopt_archived": true, pushes: false})
	expectWrites(t, sent, params{"is_archived": "false"}, params{pushes: "false"})
}

func TestProtocolDefaultPushNotificationsNeedALevel(t *testing.T) {
	o, run := managedAt(t, featurelevel.ChannelPushNotifications-1)
	expectRefusals(t, o, run, map[string]refusal{
		"too old": {values{pushes: false}, pushes, []string{"The server is too old for " + pushes, "It needs feature level 507", "the server has 506"}},
	})
	run.MustApply(values{"name": "alerts"})
	if run.State.Values[pushes] != nil {
		t.Errorf("the state says %v", run.State.Values[pushes])
	}
	found, diags := run.Process().ReadData("zulip_channel", values{"name": "alerts"})
	diags.ExpectNoError(t)
	if found[pushes] != nil {
		t.Errorf("the data source says %v", found[pushes])
	}
}

// A state of an older server takes the attribute up when the server is upgraded, and nothing is sent.
func TestProtocolDefaultPushNotificationsAfterAnUpgrade(t *testing.T) {
	o, run := managedAt(t, 442)
	config := values{"name": "alerts", "description": "kept"}
	run.MustApply(config)
	before := run.State
	for _, level := range []int{featurelevel.NewestRelease, featurelevel.Newest} {
		o.Sandbox.SetFeatureLevel(level)
		sent := o.Sent()
		if plan := run.MustPlan(config); !plan.Empty() {
			t.Errorf("level %d: the plan changes %v", level, plan.Changes())
		}
		expectWrites(t, sent)
	}
	if run.State.Values[pushes] != nil {
		t.Errorf("it is not managed, and the state says %v", run.State.Values[pushes])
	}

	// Without a refresh its value is still that of a server which does not have it.
	p := run.Process()
	plan, diags := p.Plan("zulip_channel", before, but(config, values{pushes: true}))
	diags.ExpectNoError(t)
	sent := o.Sent()
	_, diags = p.Apply(plan)
	diags.ExpectNoError(t)
	expectWrites(t, sent, params{pushes: "true"})

	for source, config := range map[string]values{"zulip_channel": {"name": "alerts"}, "zulip_channels": {}} {
		found, diags := run.Process().ReadData(source, config)
		diags.ExpectNoError(t)
		if list, ok := found["channels"].([]any); ok {
			for _, channel := range list {
				if channel := channel.(values); channel["name"] == "alerts" {
					found = channel
				}
			}
		}
		if found[pushes] != true {
			t.Errorf("%s says %v", source, found[pushes])
		}
	}
}

func TestProtocolDefaultPushNotificationsAreForAdministrators(t *testing.T) {
	o, run := managedAt(t, featurelevel.ChannelPushNotifications)
	config := values{"name": "alerts", "can_administer_channel_group": who("user:lena.fischer@example.com")}
	run.MustApply(config)
	member := o.As(t, "member").NewRun(t, "zulip_channel")
	expectRefusals(t, o, member, map[string]refusal{
		"a new channel": {values{pushes: true}, pushes, []string{"lena.fischer@example.com may not set " + pushes, "Only administrators"}},
	})
	member.MustApply(values{"name": "quiet", pushes: false})

	member.State = run.State
	_, diags := member.Plan(but(config, values{pushes: true}))
	diags.ExpectError(t, pushes, "lena.fischer@example.com may not set "+pushes, "Only administrators")
	sent := o.Sent()
	member.MustApply(but(config, values{pushes: false, "description": "by a member"}))
	expectWrites(t, sent, params{"description": "by a member"})
}
