package subscription_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// private makes a private channel with these in it, by hand of the owner.
func private(t *testing.T, o *acctest.Organization, name string, permissions map[string]zulip.GroupSettingValue, addresses ...string) {
	t.Helper()
	on := true
	in := []int64{}
	for _, address := range addresses {
		in = append(in, idOf(t, o, address))
	}
	if _, _, err := o.Client.CreateChannel(context.Background(), zulip.ChannelCreate{Name: name, InviteOnly: &on, Subscribers: in, Permissions: permissions}); err != nil {
		t.Fatal(err)
	}
}

func TestProtocolSubscribersLockout(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	private(t, o, "vault", nil, owner, admin)
	run := o.NewRun(t, exclusiveType)
	run.MustApply(values{"channel": "vault", "users": []any{owner, admin}})
	without := values{"channel": "vault", "users": []any{admin}}
	_, diags := run.Plan(without)
	diags.ExpectError(t, "users", "lock the provider out", "lockout_protection = false")
	_, diags = o.NewRun(t, exclusiveType).Plan(without) // a new one, too
	diags.ExpectError(t, "users", "lock the provider out")

	run.Block = o.Block(values{"lockout_protection": false})
	run.MustApply(without)
	expectIn(t, o, "vault", admin)
	_, diags = run.Plan(values{"channel": "vault", "users": []any{admin, owner}})
	diags.ExpectError(t, "channel", "no access to the private channel", "can_add_subscribers_group")

	// Whom the channel lets in again is not locked out.
	private(t, o, "attic", map[string]zulip.GroupSettingValue{"can_subscribe_group": {DirectMembers: []int64{o.Self.ID}}}, owner, admin)
	attic := o.NewRun(t, exclusiveType)
	attic.MustApply(values{"channel": "attic", "users": []any{admin}})
	attic.MustApply(values{"channel": "attic", "users": []any{admin, owner}})
	expectIn(t, o, "attic", admin, owner)

	// The additive kind ends what it began.
	private(t, o, "cellar", map[string]zulip.GroupSettingValue{"can_add_subscribers_group": {DirectMembers: []int64{o.Self.ID}}}, admin)
	added := o.NewRun(t, additiveType)
	added.MustApply(values{"channel": "cellar", "users": []any{owner}})
	o.Change(t, "cellar", zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{"can_add_subscribers_group": {New: zulip.GroupSettingValue{}}}})
	_, diags = added.Plan(nil)
	diags.ExpectError(t, "users", "lock the provider out")
}

// Who may not is told at plan, and which right it takes.
func TestProtocolSubscribersRights(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	private(t, o, "vault", nil, owner)
	// Lena does not see the addresses of others.
	ids := func(addresses ...string) (users []any) {
		for _, address := range addresses {
			users = append(users, fmt.Sprint(idOf(t, o, address)))
		}
		return users
	}
	config := values{"channel": "announcements", "users": ids(owner, admin, moderator, member, member2)}
	more := ids(owner, admin, moderator, member, member2, guest)
	lena := o.As(t, "member")
	run := lena.NewRun(t, exclusiveType)
	run.MustApply(config) // to look is no offence
	run.MustApply(values{"channel": "announcements", "users": more})
	_, diags := run.Plan(config)
	diags.ExpectError(t, "users", "may not take people out", "can_remove_subscribers_group", "role:administrators")

	o.Call(t, "PATCH", "/realm", map[string]string{"can_add_subscribers_group": fmt.Sprintf(`{"new":%d}`, o.SystemGroup(t, "role:administrators"))})
	bot := botAddress(t, o)
	_, diags = run.Plan(values{"channel": "announcements", "users": append(more, ids(bot)...)})
	diags.ExpectError(t, "users", "may not add people", "can_add_subscribers_group", "can_administer_channel_group")

	// Where the channel grants both, it goes through.
	nobodyElse := zulip.GroupSettingValue{DirectMembers: []int64{lena.Self.ID}}
	o.Change(t, "announcements", zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{
		"can_add_subscribers_group": {New: nobodyElse}, "can_remove_subscribers_group": {New: nobodyElse},
	}})
	run.MustApply(values{"channel": "announcements", "users": ids(member, bot)})
	expectIn(t, o, "announcements", member, bot)

	// Oneself may always go.
	own := lena.NewRun(t, additiveType)
	own.MustApply(values{"channel": "announcements", "users": ids(member)})
	own.Apply(own.MustPlan(nil)).ExpectNoError(t)

	paul := o.As(t, "guest")
	_, diags = paul.NewRun(t, additiveType).Plan(values{"channel": "general", "users": ids(bot)})
	diags.ExpectError(t, "", "guest")
}

func botAddress(t *testing.T, o *acctest.Organization) string {
	t.Helper()
	bot, ok := o.Sandbox.Credentials("bot")
	if !ok {
		t.Fatal("the sandbox has no bot")
	}
	return bot.Email
}
