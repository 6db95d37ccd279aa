package review_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// What a bot's key gives in a channel of which it is not known who will be in it is not known either.
func TestReviewOfKeysWhereSubscribersAreNotKnown(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	bot, _ := o.Sandbox.Credentials("bot")
	owner, _ := o.Sandbox.Credentials("owner")
	yes, member := true, zulip.RoleMember
	board, _, err := o.Client.CreateChannel(t.Context(), zulip.ChannelCreate{Name: "board", InviteOnly: &yes, Subscribers: []int64{int64(owner.ID), int64(bot.ID)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Client.UpdateUser(t.Context(), int64(bot.ID), zulip.UserUpdate{Role: &member}); err != nil {
		t.Fatal(err)
	}
	given := resourceChange("zulip_bot", attributes{"id": bot.ID, "owner": "tomas.berg@example.com"}, attributes{"id": bot.ID, "owner": "kenji.sato@example.com"})
	subscribers := resourceChange("zulip_channel_subscribers", attributes{"channel_id": board, "users": []string{"ines.costa@example.com"}}, attributes{"channel_id": board}, "users")
	says := func(found *report.Report, what string) bool {
		for _, text := range found.Unknown {
			if strings.Contains(text, what) {
				return true
			}
		}
		return false
	}
	const unknown = `Whether kenji.sato@example.com can do more with the key of terraform-bot@`
	if found := reviewOf(t, o, planOf(t, given)); says(found, unknown) || !strings.Contains(markdownOf(t, found), "With its key `kenji.sato@example.com`") {
		t.Errorf("with known subscribers: %q, %+v", found.Unknown, found.Risks)
	}
	found := reviewOf(t, o, planOf(t, given, subscribers))
	if !says(found, unknown) || !says(found, `in "board" is not known`) {
		t.Errorf("with unknown subscribers: %q", found.Unknown)
	}
	for _, risk := range found.Risks {
		if strings.HasPrefix(risk.Text, "With its key") && strings.Contains(risk.Text, "board") {
			t.Errorf("it is said for certain: %s", risk.Text)
		}
	}
}

// A bot goes with its owner, but not if the same plan gives it to somebody else.
func TestReviewOfABotThatGetsAnotherOwner(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	tomas, _ := o.Sandbox.Credentials("admin")
	bot, _ := o.Sandbox.Credentials("bot")
	left := resourceChange("zulip_user", attributes{"id": tomas.ID, "email": tomas.Email, "full_name": "Tomas Berg"}, nil)
	given := resourceChange("zulip_bot", attributes{"id": bot.ID, "owner": tomas.Email}, attributes{"id": bot.ID, "owner": "kenji.sato@example.com"})
	for _, one := range []struct {
		plan string
		ends bool
	}{
		{planOf(t, left), true}, {planOf(t, left, given), false}, {planOf(t, given, left), false},
	} {
		ends := false
		found := reviewOf(t, o, one.plan)
		for _, person := range found.People {
			ends = ends || person.AccountID == int64(bot.ID) && person.LosesEverything
		}
		if ends != one.ends || effectOn(found, "incidents", "can_read", int64(bot.ID)) < 0 != one.ends {
			t.Errorf("the bot is deactivated: %v, want %v; %+v", ends, one.ends, found.People)
		}
	}
}
