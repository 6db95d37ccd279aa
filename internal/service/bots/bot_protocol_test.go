package bots_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// These are attributes, as tests write them.
type values = acctest.Values

const lena = "lena.fischer@example.com" // a member

func alerts(more values) values {
	config := values{"short_name": "alerts", "full_name": "Alerts"}
	for name, value := range more {
		config[name] = value
	}
	return config
}

func TestProtocolBotOutgoingWebhook(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	hook := func(more values) values {
		config := alerts(values{"bot_type": "outgoing_webhook", "payload_url": "https://example.com/hook"})
		for name, value := range more {
			config[name] = value
		}
		return config
	}
	run.MustApply(hook(values{"interface": "slack"}))
	// The interface, which is no longer managed, is not reset with the URL.
	sent := o.Sent()
	run.MustApply(hook(values{"payload_url": "https://example.com/other"}))
	sent.Expect(t, "PATCH service_interface service_payload_url")
	if got := run.State.Values; got["interface"] != "slack" || got["payload_url"] != "https://example.com/other" {
		t.Errorf("the state holds %v", got)
	}
	run.MustApply(hook(values{"payload_url": "https://example.com/other", "interface": "generic"}))
	o.Call(t, http.MethodPatch, fmt.Sprint("/bots/", run.State.Values["id"]), map[string]string{"service_payload_url": `"https://example.com/drift"`})
	if plan := run.MustPlan(hook(values{"payload_url": "https://example.com/other"})); fmt.Sprint(plan.Changes()) != "[payload_url]" {
		t.Errorf("planned: %v", plan.Changes())
	}
}

func TestProtocolBotIncomingWebhook(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	sent := o.Sent()
	run.MustApply(alerts(values{"bot_type": "incoming_webhook", "service_name": "github", "config_data": values{"a": "1"}, "default_sending_stream": "general"}))
	sent.Expect(t, "POST bot_type config_data full_name service_name short_name", "PATCH default_sending_stream")
	if user := o.UserOf(t, run); *user.BotType != 2 {
		t.Errorf("the server holds %+v", user)
	}
}

// The key of a bot is in no state.
func TestProtocolBotNoKey(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	run.MustApply(alerts(nil))
	id, _ := run.State.Values["id"].(int64)
	key, err := o.Client.BotAPIKey(context.Background(), id)
	if err != nil || key == "" {
		t.Fatal(key, err)
	}
	if strings.Contains(fmt.Sprint(run.State.Values, string(run.State.Private)), key) {
		t.Errorf("the key of %v is in the state", run.State.Values["email"])
	}
}

func TestProtocolBotAdopted(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	run.MustApply(alerts(nil))
	id := run.State.Values["id"]
	o.Call(t, http.MethodDelete, fmt.Sprint("/bots/", id), nil)
	_, diags := run.Plan(alerts(values{"full_name": "Alarms"}))
	diags.ExpectWarning(t, "short_name", "deactivated bot", "the apply will fail", "adopt_deactivated = true")
	run.ExpectRefused(alerts(values{"bot_type": "incoming_webhook", "adopt_deactivated": true}), "short_name", "A bot of another type", "another short_name")
	plan, diags := run.Plan(alerts(values{"full_name": "Alarms", "adopt_deactivated": true}))
	diags.ExpectWarning(t, "adopt_deactivated", "will be reactivated")
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/users/*/reactivate", After: true, Action: sandbox.FaultDrop, Count: 1})
	run.Apply(plan).ExpectNoError(t)
	if run.State.Values["id"] != id || !o.UserOf(t, run).IsActive {
		t.Errorf("the state holds %v", run.State.Values)
	}
}

func TestProtocolBotImport(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	run.MustApply(alerts(values{"bot_type": "outgoing_webhook", "payload_url": "https://example.com/hook", "default_sending_stream": "general", "owner": lena}))
	before := run.State.Values
	run.ExpectImports(before["email"], before["id"], values{"id": before["id"]})
	o.NewRun(t, "zulip_bot").Import(lena, nil).ExpectError(t, "", "is a person")
	o.NewRun(t, "zulip_bot").Import("alert-bot@zulip.example.com", nil).ExpectError(t, "", "did you mean alerts-bot@zulip.example.com?")
	o.NewRun(t, "zulip_bot").Import("nothing@example.com", nil).ExpectError(t, "", "the bots it can manage are: ", "alerts-bot@zulip.example.com")
	o.As(t, "member2").NewRun(t, "zulip_bot").Import(fmt.Sprint(before["id"]), nil).ExpectError(t, "", "belongs to someone else")
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	run.Import(fmt.Sprint(before["id"]), nil).ExpectError(t, "", "adopt_deactivated = true")
}

func TestProtocolBotRefusedAtPlan(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	run.MustApply(alerts(nil))
	other := o.NewRun(t, "zulip_bot")
	other.ExpectRefusals(acctest.Refusals{
		{alerts(values{"full_name": "Other"}), "short_name", []string{"already exists", `id = "alerts-bot@zulip.example.com"`}},
		{alerts(values{"short_name": "a b"}), "short_name", []string{"beginning of an email address"}},
		{alerts(values{"short_name": "new", "full_name": "Lena Fischer"}), "full_name", []string{"Another user has this name"}},
		{alerts(values{"short_name": "new", "full_name": "New", "bot_type": "cyborg"}), "bot_type", []string{"must be one of"}},
		{alerts(values{"short_name": "new", "full_name": "New", "bot_type": "outgoing_webhook"}), "payload_url", []string{"requires payload_url"}},
		{alerts(values{"short_name": "new", "full_name": "New", "interface": "slack"}), "interface", []string{"Attribute requires an outgoing webhook"}},
		{alerts(values{"short_name": "new", "full_name": "New", "default_sending_stream": "genral"}), "default_sending_stream", []string{`did you mean "general"?`}},
		{alerts(values{"short_name": "new", "full_name": "New", "owner": "lina.fischer@example.com"}), "owner", []string{"did you mean " + lena}},
		{alerts(values{"short_name": "new", "full_name": "New", "owner": "alerts-bot@zulip.example.com"}), "owner", []string{"A bot cannot own a bot"}},
	})
}

// The error names the accounts that can create bots.
func TestProtocolBotCallers(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_bot")
	for _, account := range []string{"bot", "guest"} {
		o.As(t, account).NewRun(t, "zulip_bot").ExpectRefused(alerts(nil), "", "cannot create or update bots")
	}
	run := o.As(t, "member").NewRun(t, "zulip_bot")
	run.MustApply(alerts(nil))
	run.ExpectRefused(alerts(values{"owner": fmt.Sprint(o.Self.ID)}), "owner", "remove the provider's own access")
	run.ExpectRefused(alerts(values{"role": "moderator"}), "role", "cannot change roles")
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_create_bots_group": fmt.Sprintf(`{"new":%d}`, o.SystemGroup(t, "role:owners"))})
	fresh := o.As(t, "member").NewRun(t, "zulip_bot")
	fresh.ExpectLack(alerts(values{"short_name": "new", "full_name": "New"}), "bot_type", "cannot create bots of this type", "can_create_bots_group")
	fresh.MustApply(alerts(values{"short_name": "new", "full_name": "New", "bot_type": "incoming_webhook"}))
}

// A bot that was deleted on the server is neither reactivated nor adopted.
func TestProtocolBotDeleted(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.DeletedUsers, Accounts: map[string]sandbox.Account{
		"owner": {Email: "ines.moreau@example.com", FullName: "Ines Moreau", Role: 100},
		"gone":  {Email: "alerts-bot@zulip.example.com", FullName: "Alerts", Role: 400, IsBot: true, IsDeleted: true},
	}})
	run := o.NewRun(t, "zulip_bot")
	for _, more := range []values{nil, {"adopt_deactivated": true}} {
		run.ExpectRefused(alerts(more), "short_name", "User alerts-bot@zulip.example.com was deleted", "cannot be reactivated", "Set another short_name")
	}
	run.Import("alerts-bot@zulip.example.com", nil).ExpectError(t, "", "was deleted")
	o.Sandbox.SetFeatureLevel(featurelevel.DeletedUsers - 1)
	plan := run.MustPlan(alerts(values{"adopt_deactivated": true}))
	o.Sandbox.SetFeatureLevel(featurelevel.DeletedUsers)
	sent := o.Sent()
	_, diags := run.Process().Apply(plan)
	diags.ExpectError(t, "short_name", "was deleted")
	sent.Expect(t)
}

// An account that is no administrator and gives its bot away can no longer manage it. The bot still exists, and stays
// in the state.
func TestProtocolBotGivenAway(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_bot")
	run := o.As(t, "member").NewRun(t, "zulip_bot")
	run.Block["lockout_protection"] = false
	run.MustApply(alerts(nil))
	other := o.NewRun(t, "zulip_bot")
	other.Import(fmt.Sprint(run.State.Values["id"]), nil).ExpectNoError(t)
	run.Apply(run.MustPlan(alerts(values{"owner": fmt.Sprint(o.Self.ID), "full_name": "Alarms"}))).ExpectNoError(t)
	if got := run.State.Values; got["owner"] != fmt.Sprint(o.Self.ID) || got["full_name"] != "Alarms" || got["default_sending_stream"] != "" {
		t.Errorf("the state is %v", got)
	}
	run.Refresh().ExpectWarning(t, "", "does not see everything", "but belongs to someone else. Its owner and administrators can manage it.")
	if run.State == nil || run.State.Values["full_name"] != "Alarms" {
		t.Errorf("the state is %v", run.State)
	}
	if plan := other.MustPlan(alerts(values{"full_name": "Alarms"})); !plan.Empty() {
		t.Errorf("an administrator plans %v", plan.Changes())
	}
}

// The short name of a bot that was deactivated outside Terraform stays taken.
func TestProtocolBotShortName_BotDeactivated_Taken(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	run.MustApply(alerts(nil))
	other := o.NewRun(t, "zulip_bot")
	other.MustApply(values{"short_name": "other", "full_name": "Other"})
	o.Call(t, http.MethodDelete, fmt.Sprint("/bots/", run.State.Values["id"]), nil)
	p := o.NewRun(t, "zulip_bot").Process()
	for _, state := range []*acctest.Instance{run.State, other.State} {
		_, diags := p.Read("zulip_bot", state)
		diags.ExpectNoError(t)
	}
	_, diags := p.Plan("zulip_bot", other.State, values{"short_name": "alerts", "full_name": "Other"})
	diags.ExpectError(t, "short_name", "deactivated and keeps the email")
}

// The provider's own bot is not deactivated: neither in the plan, nor by a plan that was made with another key.
func TestProtocolBot_ProviderAccount_NotDeactivated(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_bot")
	credentials, _ := o.Sandbox.Credentials("bot")
	run := o.As(t, "bot").NewRun(t, "zulip_bot")
	run.Import(fmt.Sprint(credentials.ID), nil).ExpectNoError(t)
	run.ExpectRefused(nil, "", "remove the provider's own access")

	owner := o.NewRun(t, "zulip_bot")
	owner.Import(fmt.Sprint(credentials.ID), nil).ExpectNoError(t)
	plan := owner.MustPlan(nil)
	sent := o.Sent()
	_, diags := run.Process().Apply(plan)
	diags.ExpectError(t, "", "remove the provider's own access")
	sent.Expect(t)
	if bot, err := o.Client.User(context.Background(), int64(credentials.ID)); err != nil || !bot.IsActive {
		t.Errorf("the server holds %+v, %v", bot, err)
	}
	run.Block["lockout_protection"] = false
	run.MustPlan(nil)
}

// An account can't give away a bot that it could then not manage, even if it was an administrator during plan.
func TestProtocolBotOwner_AccessLost_Refused(t *testing.T) {
	for name, exists := range map[string]bool{"changed": true, "created": false} {
		t.Run(name, func(t *testing.T) {
			o, _ := acctest.StartRun(t, "zulip_bot")
			admin := o.As(t, "admin")
			run := admin.NewRun(t, "zulip_bot")
			if exists {
				run.MustApply(values{"short_name": "alerts", "full_name": "Alerts"})
			}
			p := run.Process()
			plan := p.MustPlan("zulip_bot", run.State, values{"short_name": "alerts", "full_name": "Alerts", "owner": fmt.Sprint(o.As(t, "member").Self.ID)})
			member := zulip.RoleMember
			acctest.NoError(t, o.Client.UpdateUser(t.Context(), admin.Self.ID, zulip.UserUpdate{Role: &member}))
			sent := admin.Sent()
			state, diags := p.Apply(plan)
			diags.ExpectError(t, "owner", "remove the provider's own access")
			if exists {
				sent.Expect(t)
			}
			bot, err := o.Client.User(t.Context(), state.Values["id"].(int64))
			if err != nil || bot.BotOwnerID == nil || *bot.BotOwnerID != admin.Self.ID {
				t.Errorf("the server holds %+v, %v", bot, err)
			}
		})
	}
}

func TestProtocolBot_RoleOwnerChange_AccessWarning(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	run.MustApply(alerts(nil))
	for _, test := range []struct {
		change values
		want   string
	}{
		{values{"owner": lena}, acctest.GeneralAccess}, // a bot can post where its owner can
		{values{"role": "administrator"}, acctest.GeneralAccess},
		{values{"full_name": "Alarms"}, ""},
	} {
		_, diags := run.Plan(alerts(test.change))
		diags.ExpectOnlyAccessWarning(t, test.want)
	}
	run.Block = o.Block(values{"access_warnings": false})
	_, diags := run.Plan(alerts(values{"owner": lena}))
	diags.ExpectOnlyAccessWarning(t, "")
}

func TestProtocolBot_Destroyed_AccessWarning(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	run.MustApply(alerts(nil))
	bot := o.UserOf(t, run)
	o.Change(t, "incidents", zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{
		"can_remove_subscribers_group": {New: zulip.GroupSettingValue{DirectMembers: []int64{bot.ID}}},
	}})
	_, diags := run.Plan(nil)
	diags.ExpectOnlyAccessWarning(t, acctest.GeneralAccess)
	_, diags = run.Plan(values{"short_name": "alarms", "full_name": "Alarms"}) // it loses no access
	diags.ExpectOnlyAccessWarning(t, "")
	o.Sandbox.SetFeatureLevel(featurelevel.BotShortName - 1)
	_, diags = run.Plan(values{"short_name": "alarms", "full_name": "Alarms"}) // another channel takes its place
	diags.ExpectOnlyAccessWarning(t, acctest.GeneralAccess)
}

// Without access to a private channel, the server accepts no bot that uses it. An account that may join has access, also if
// it could not read the history.
func TestProtocolBot_UnreadableChannel_Announced(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	admin := o.As(t, "admin")
	admin.Call(t, "POST", "/channels/create", map[string]string{"name": "vault", "invite_only": "true", "history_public_to_subscribers": "false", "subscribers": fmt.Sprintf("[%d]", admin.Self.ID)})
	plan, diags := run.Plan(alerts(values{"default_sending_stream": "vault"}))
	diags.ExpectWarning(t, "default_sending_stream", `cannot let a bot use channel "vault"`, "The apply will fail")
	run.Apply(plan).ExpectError(t, "", "Invalid channel name")

	admin.Call(t, "PATCH", fmt.Sprintf("/streams/%d", admin.MustChannel(t, "vault").ID), map[string]string{
		"can_subscribe_group": fmt.Sprintf(`{"new": {"direct_members": [%d], "direct_subgroups": []}}`, o.Self.ID),
	})
	plan, diags = run.Plan(alerts(values{"default_sending_stream": "vault"}))
	if strings.Contains(diags.String(), "The apply will fail") {
		t.Errorf("announced: %v", diags)
	}
	run.Apply(plan).ExpectNoError(t)
}
