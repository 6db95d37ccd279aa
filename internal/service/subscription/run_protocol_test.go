package subscription_test

import (
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// planWith plans a channel, and then in the same process who is in the channel of that name.
func planWith(t *testing.T, kind string, channel, people *acctest.Run, config values, name string) *acctest.PlannedChange {
	t.Helper()
	p := people.Process()
	held := func(resource string, run *acctest.Run) *acctest.Instance {
		if run.State == nil {
			return nil
		}
		read, diags := p.Read(resource, run.State)
		diags.ExpectNoError(t)
		return read
	}
	_, diags := p.Plan("zulip_channel", held("zulip_channel", channel), config)
	diags.ExpectNoError(t)
	plan, diags := p.Plan(kind, held(kind, people), values{"channel": name, "users": []any{owner, member}})
	diags.ExpectNoError(t)
	return plan
}

// The name of a channel that the same plan creates, renames or takes back can be written, as with zulip_channel.x.name.
func TestProtocolSubscribersOfAChannelOfTheSameRun(t *testing.T) {
	for _, kind := range []string{exclusiveType, additiveType} {
		t.Run(kind, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			channel, people := o.NewRun(t, "zulip_channel"), o.NewRun(t, kind)

			// It is yet to be created.
			config := values{"name": "Ops", "privacy": "private_shared_history"}
			plan := planWith(t, kind, channel, people, config, "ops")
			if plan.Values["channel_id"] != acctest.Unknown {
				t.Errorf("planned for a channel to be created: %v", plan.Values)
			}
			channel.MustApply(config)
			people.Apply(plan).ExpectNoError(t)
			expectIn(t, o, "Ops", owner, member)

			// It is renamed: they are in the same channel.
			config = values{"name": "Platform", "privacy": "private_shared_history"}
			if plan := planWith(t, kind, channel, people, config, "platform"); !plan.Empty() || len(plan.Replace) > 0 {
				t.Errorf("for a channel to be renamed the plan changes %v", plan.Changes())
			}
			channel.MustApply(config)
			people.MustApply(values{"channel": "Platform", "users": []any{owner, member}})

			// It is taken back: who is in it is not told before.
			id := channel.State.Values["id"]
			o.Archive(t, "Platform")
			channel.Refresh().ExpectNoError(t)
			people.Refresh().ExpectNoError(t)
			config = values{"name": "Platform", "adopt_archived": true}
			plan = planWith(t, kind, channel, people, config, "Platform")
			if plan.Values["channel_id"] != acctest.Unknown {
				t.Errorf("planned for a channel to be taken back: %v", plan.Values)
			}
			channel.MustApply(config)
			people.Apply(plan).ExpectNoError(t)
			expectIn(t, o, "Platform", owner, member)
			if people.State.Values["channel_id"] != id {
				t.Errorf("they are in channel %v, not in %v", people.State.Values["channel_id"], id)
			}
			if _, diags := people.Plan(values{"channel": "Platform", "users": []any{owner, member}}); len(diags.Errors()) > 0 {
				t.Error(fmt.Sprint(diags))
			}
		})
	}
}
