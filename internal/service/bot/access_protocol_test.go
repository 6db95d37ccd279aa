package bot_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

func TestProtocolBotSaysWhatARoleOrAnOwnerMeans(t *testing.T) {
	o, run := managed(t)
	run.MustApply(alerts(nil))
	const summary = "What alerts-bot@zulip.example.com can do changes"
	for _, test := range []struct {
		change values
		want   string
	}{
		// A bot may post where its owner may: as long as that is an owner of the organization, everywhere.
		{values{"owner": lena}, "In announcements:\nCan no longer post and start topics: Alerts (alerts-bot@zulip.example.com, a bot)."},
		{values{"role": "administrator"}, "In announcements, general and incidents:\n" +
			"Can now administer the channel, remove subscribers and delete anyone's messages: Alerts (alerts-bot@zulip.example.com, a bot).\n\n" +
			"In leads:\nCan now administer the channel and remove subscribers: Alerts (alerts-bot@zulip.example.com, a bot)."},
		{values{"full_name": "Alarms"}, ""},
	} {
		_, diags := run.Plan(alerts(test.change))
		diags.ExpectOnlyAccessWarning(t, summary, test.want)
	}
	run.Block = o.Block(values{"access_warnings": false})
	_, diags := run.Plan(alerts(values{"owner": lena}))
	diags.ExpectOnlyAccessWarning(t, summary, "")
}

func TestProtocolBotSaysWhatItsEndMeans(t *testing.T) {
	o, run := managed(t)
	run.MustApply(alerts(nil))
	bot := held(t, o, run)
	o.Change(t, "incidents", zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{
		"can_remove_subscribers_group": {New: zulip.GroupSettingValue{DirectMembers: []int64{bot.ID}}},
	}})
	const summary = "Deactivating alerts-bot@zulip.example.com changes who can do what"
	const want = "alerts-bot@zulip.example.com loses every right, until the account is reactivated."
	_, diags := run.Plan(nil)
	diags.ExpectOnlyAccessWarning(t, summary, want)
	_, diags = run.Plan(values{"short_name": "alarms", "full_name": "Alarms"}) // it keeps every right
	diags.ExpectOnlyAccessWarning(t, summary, "")
	o.Sandbox.SetFeatureLevel(featurelevel.BotShortName - 1)
	_, diags = run.Plan(values{"short_name": "alarms", "full_name": "Alarms"}) // another one takes its place
	diags.ExpectOnlyAccessWarning(t, summary, want)
}
