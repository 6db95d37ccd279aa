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

// A bot that is missing in the server's lists is still created and updated, and stays in the state.
func TestProtocolBot_MissingFromLists_Managed(t *testing.T) {
	for name, more := range map[string]values{
		"nothing more": nil, "a channel": {"default_sending_stream": "general"},
		"all": {"default_sending_stream": "general", "default_all_public_streams": true, "role": "moderator", "owner": lena},
	} {
		t.Run(name, func(t *testing.T) {
			o, run := acctest.StartRun(t, "zulip_bot")
			o.Fail(t, "POST /bots stale")
			run.MustApply(alerts(more))
			bot := o.UserOf(t, run)
			o.Fail(t, "PATCH /bots/* stale 1")
			run.MustApply(alerts(values{"full_name": "Alarms", "owner": o.Self.Address(), "default_sending_stream": "incidents"}))
			if found := o.UserOf(t, run); found.ID != bot.ID || found.FullName != "Alarms" {
				t.Errorf("the server holds %+v", found)
			}
			run.Apply(run.MustPlan(nil)).ExpectNoError(t)
			if found, err := o.Client.User(context.Background(), bot.ID); err != nil || found.IsActive {
				t.Errorf("the server holds %+v, %v", found, err)
			}
		})
	}
}

// A default channel that the list of bots does not show is read in another way: after the change, and later if the
// account owns the bot. It is sent once.
func TestProtocolBotChannel_StaleList_ReadDirectly(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	run.MustApply(alerts(values{"default_sending_stream": "general"}))
	sent := o.Sent()
	o.Fail(t, "PATCH /bots/* stale")
	run.MustApply(alerts(values{"default_sending_stream": "incidents"}))
	run.MustApply(alerts(values{"default_sending_stream": ""}))
	sent.Expect(t, "PATCH default_sending_stream", "PATCH default_sending_stream")

	// A change outside Terraform is noticed too.
	o.Call(t, http.MethodPatch, fmt.Sprint("/bots/", run.State.Values["id"]), map[string]string{"default_sending_stream": "general"})
	if plan := run.MustPlan(alerts(values{"default_sending_stream": ""})); fmt.Sprint(plan.Changes()) != "[default_sending_stream]" {
		t.Errorf("planned: %v", plan.Changes())
	}
}

// For another account's bot, the answer to the change is the only source.
func TestProtocolBotChannel_OtherOwner_AnswerUsed(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	run.MustApply(alerts(values{"owner": lena}))
	o.Fail(t, "PATCH /bots/* stale")
	sent := o.Sent()
	run.Apply(run.MustPlan(alerts(values{"owner": lena, "default_sending_stream": "general"}))).ExpectNoError(t)
	sent.Expect(t, "PATCH default_sending_stream")
	if run.State.Values["default_sending_stream"] != "general" {
		t.Errorf("the state has %v", run.State.Values)
	}
}

// An outdated name, role or owner in the list is no drift, and is not sent again.
func TestProtocolBotRole_StaleList_NoDrift(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	run.MustApply(alerts(nil))
	o.Fail(t, "PATCH /bots/* stale")
	sent := o.Sent()
	run.MustApply(alerts(values{"role": "moderator", "full_name": "Alarms", "owner": lena}))
	sent.Expect(t, "PATCH bot_owner_id full_name role")
	if found := o.UserOf(t, run); found.Role != zulip.RoleModerator || found.FullName != "Alarms" {
		t.Errorf("the server holds %+v", found)
	}
}

// A deactivated bot that the list still shows as active is reactivated.
func TestProtocolBot_ListedAsActive_Reactivated(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	run.MustApply(alerts(nil))
	o.Fail(t, "DELETE /bots/* stale")
	p := run.Process()
	destroy := p.MustPlan("zulip_bot", run.State, nil)
	p.MustApply(destroy)
	create, diags := p.Plan("zulip_bot", nil, alerts(nil)) // as a replacement does
	diags.ExpectNoError(t)
	state := p.MustApply(create)
	if state == nil || state.Values["id"] != run.State.Values["id"] || !o.UserOf(t, run).IsActive {
		t.Errorf("the state is %+v", state)
	}

	acctest.NoError(t, o.Client.DeactivateBot(context.Background(), o.UserOf(t, run).ID))
	run.State = nil
	run.MustApply(alerts(values{"adopt_deactivated": true}))
}

// A change of a role above member is noticed, even if the server's list is older.
func TestProtocolBotRole_StaleList_DriftShown(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	run.MustApply(alerts(values{"role": "moderator"}))
	o.Fail(t, "PATCH /users/* stale")
	guest := zulip.RoleGuest
	acctest.NoError(t, o.Client.UpdateUser(context.Background(), o.UserOf(t, run).ID, zulip.UserUpdate{Role: &guest}))
	run.Refresh().ExpectNoError(t)
	if run.State.Values["role"] != "guest" {
		t.Errorf("the state says %v", run.State.Values["role"])
	}
}

// at is managed, on a server of a feature level.
func at(t *testing.T, level int) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
	run := o.NewRun(t, "zulip_bot")
	return o, run
}

// Only what differs is sent, on both sides of the level at which the list of bots lost most of its fields.
func TestProtocolBotChangesOnBothSides(t *testing.T) {
	for _, level := range []int{featurelevel.SlimBots - 1, featurelevel.SlimBots, featurelevel.Newest} {
		o, run := at(t, level)
		hook := alerts(values{"bot_type": "outgoing_webhook", "payload_url": "https://example.com/hook", "owner": lena})
		run.MustApply(hook)
		sent := o.Sent()
		hook["full_name"] = "Alarms"
		run.MustApply(hook)
		hook["payload_url"] = "https://example.com/other"
		run.MustApply(hook)
		sent.Expect(t, "PATCH full_name", "PATCH service_interface service_payload_url")
		sent = o.Sent()
		o.Call(t, http.MethodDelete, fmt.Sprint("/bots/", run.State.Values["id"]), nil)
		run.Refresh().ExpectNoError(t)
		if run.State != nil {
			t.Errorf("level %d: a deactivated bot keeps the role in the state", level)
		}
		hook["adopt_deactivated"] = true
		run.MustApply(hook)
		if !o.UserOf(t, run).IsActive {
			t.Errorf("level %d: the bot was not reactivated", level)
		}
		sent.Expect(t, "DELETE", "POST")
	}
}

// Below the level, the server ignores another short name and reports success, so another name forces a new bot.
func TestProtocolBotShortName_OldServer_Replaced(t *testing.T) {
	for _, level := range []int{442, featurelevel.BotShortName - 1} {
		o, run := at(t, level)
		run.MustApply(alerts(nil))
		sent := o.Sent()
		plan := run.MustPlan(alerts(values{"short_name": "alarms"}))
		if fmt.Sprint(plan.Replace) != "[short_name]" {
			t.Errorf("level %d: replaces for %v", level, plan.Replace)
		}
		// Terraform refuses an update that turns into a replacement during apply.
		if plan := run.MustPlan(alerts(values{"short_name": acctest.Unknown})); fmt.Sprint(plan.Replace) != "[short_name]" {
			t.Errorf("level %d: replaces for %v", level, plan.Replace)
		}
		sent.Expect(t)
	}
}

func TestProtocolBotShortNameInPlace(t *testing.T) {
	for _, level := range []int{featurelevel.BotShortName, featurelevel.SlimBots, 500} {
		o, run := at(t, level)
		run.MustApply(alerts(nil))
		id := run.State.Values["id"]
		sent := o.Sent()
		plan := run.MustPlan(alerts(values{"short_name": "alarms", "full_name": "Alarms"}))
		if len(plan.Replace) > 0 || fmt.Sprint(plan.Changes()) != "[email full_name short_name]" || plan.Values["email"] != acctest.Unknown {
			t.Errorf("level %d: plans %v, replaces for %v", level, plan.Values, plan.Replace)
		}
		run.Apply(plan).ExpectNoError(t)
		run.MustApply(alerts(values{"short_name": "alarms", "full_name": "Alarms"}))
		sent.Expect(t, "PATCH full_name short_name")
		if got := run.State.Values; got["id"] != id || got["email"] != "alarms-bot@zulip.example.com" || got["short_name"] != "alarms" {
			t.Errorf("level %d: the state holds %v", level, got)
		}
		if bot, ok := o.Sandbox.Organization().Person("alarms-bot@zulip.example.com"); !ok || bot.FullName != "Alarms" || !bot.Active {
			t.Errorf("level %d: the sandbox holds %+v", level, bot)
		}
		// Another case is no change.
		if plan := run.MustPlan(alerts(values{"short_name": "ALARMS", "full_name": "Alarms"})); !plan.Empty() {
			t.Errorf("level %d: plans %v", level, plan.Changes())
		}
		// The change outside Terraform is reverted.
		o.Call(t, http.MethodPatch, fmt.Sprint("/bots/", id), map[string]string{"short_name": "drifted"})
		sent = o.Sent()
		run.MustApply(alerts(values{"short_name": "alarms", "full_name": "Alarms"}))
		sent.Expect(t, "PATCH short_name")
		// An import has the bot's current name.
		imported := o.NewRun(t, "zulip_bot")
		imported.Import(fmt.Sprint(id), nil).ExpectNoError(t)
		if imported.State.Values["short_name"] != "alarms" {
			t.Errorf("level %d: imported %v", level, imported.State.Values)
		}
		// An unknown short name counts as another one.
		unknown := run.MustPlan(values{"short_name": acctest.Unknown, "full_name": "Alarms"})
		if len(unknown.Replace) > 0 || unknown.Values["email"] != acctest.Unknown {
			t.Errorf("level %d: plans %v, replaces for %v", level, unknown.Values, unknown.Replace)
		}
		unknown.Config = alerts(values{"short_name": "last", "full_name": "Alarms"})
		run.Apply(unknown).ExpectNoError(t)
		if run.State.Values["email"] != "last-bot@zulip.example.com" {
			t.Errorf("level %d: the state holds %v", level, run.State.Values)
		}
	}
}

// Another type still forces another bot.
func TestProtocolBotType_Changed_Replaced(t *testing.T) {
	_, run := acctest.StartRun(t, "zulip_bot")
	run.MustApply(alerts(nil))
	plan := run.MustPlan(alerts(values{"short_name": "hook", "full_name": "Hook", "bot_type": "incoming_webhook"}))
	if fmt.Sprint(plan.Replace) != "[bot_type]" {
		t.Errorf("replaces for %v", plan.Replace)
	}
	// For another bot the short name is not free.
	run.ExpectRefused(alerts(values{"bot_type": "incoming_webhook"}), "short_name", "Choose another short_name")
}

// While the provider's settings are not known, the server's level is not known either, and the plan must be valid
// later.
func TestProtocolBotShortNameWithoutLevel(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	run.MustApply(alerts(nil))
	p := acctest.StartProcess(t.Context(), t)
	block := o.Block(values{"site": acctest.Unknown})
	p.Configure(block).ExpectNoError(t)
	plan := p.MustPlan("zulip_bot", run.State, alerts(values{"short_name": "alarms"}))
	if fmt.Sprint(plan.Replace) != "[short_name]" {
		t.Errorf("replaces for %v", plan.Replace)
	}
	plan = p.MustPlan("zulip_bot", run.State, alerts(values{"short_name": "Alerts"}))
	if !plan.Empty() || len(plan.Replace) > 0 {
		t.Errorf("plans %v, replaces for %v", plan.Changes(), plan.Replace)
	}
}

func TestProtocolBotShortNameTaken(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	run.MustApply(alerts(nil))
	o.Call(t, http.MethodPost, "/bots", map[string]string{"short_name": "taken", "full_name": "Taken"})
	run.ExpectRefused(alerts(values{"short_name": "taken"}), "short_name", "Cannot change the short name of alerts-bot@zulip.example.com", `belongs to "Taken"`, "Choose another short_name")
	taken, _ := o.Sandbox.Organization().Person("taken-bot@zulip.example.com")
	o.Call(t, http.MethodDelete, fmt.Sprint("/bots/", taken.ID), nil)
	run.ExpectRefused(alerts(values{"short_name": "taken"}), "short_name", "deactivated and keeps the email")

	// The server refuses a name that was taken between plan and apply.
	plan := run.MustPlan(alerts(values{"short_name": "late"}))
	o.Call(t, http.MethodPost, "/bots", map[string]string{"short_name": "late", "full_name": "Late"})
	saved := run.Fork()
	saved.Apply(plan).ExpectError(t, "short_name", `belongs to "Late"`)
	gate := o.Sandbox.Gate(http.MethodPatch, "/bots/*")
	plan = run.MustPlan(alerts(values{"short_name": "later"}))
	applied := make(chan acctest.Diagnostics)
	go func() { applied <- run.Apply(plan) }()
	request := <-gate.Arrived
	o.Call(t, http.MethodPost, "/bots", map[string]string{"short_name": "later", "full_name": "Later"})
	request.Release()
	gate.Open() // the change is repeated
	diags := <-applied
	diags.ExpectError(t, "short_name", `Cannot change bot "alerts"`, "already has the email of this short name", "Choose another short_name")
	if run.State.Values["short_name"] != "alerts" {
		t.Errorf("the state holds %v", run.State.Values)
	}
}

// Two bots of one configuration cannot have the same name or short name, but one can take a name that the other releases.
func TestProtocolBotShortNameOfAnother(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	run.MustApply(alerts(nil))
	other := o.NewRun(t, "zulip_bot")
	other.MustApply(values{"short_name": "other", "full_name": "Other"})
	plan := func(p *acctest.Process, state *acctest.Instance, short, full string) acctest.Diagnostics {
		_, diags := p.Read("zulip_bot", state)
		_, planned := p.Plan("zulip_bot", state, values{"short_name": short, "full_name": full})
		return append(diags, planned...)
	}
	p := run.Process()
	_, diags := p.Read("zulip_bot", other.State)
	diags.ExpectNoError(t)
	plan(p, run.State, "same", "Alerts").ExpectNoError(t)
	plan(p, other.State, "same", "Other").ExpectError(t, "short_name", `Duplicate short name "same"`, "Change or remove one of them")
	p = run.Process()
	for i, full := range []string{"", "Duplicate full name \"Same\""} {
		_, diags := p.Plan("zulip_bot", nil, values{"short_name": fmt.Sprint("new", i), "full_name": "Same "[:4+i]})
		if full == "" {
			diags.ExpectNoError(t)
		} else {
			diags.ExpectError(t, "full_name", full)
		}
	}
	p = run.Process()
	_, diags = p.Read("zulip_bot", other.State)
	diags.ExpectNoError(t)
	plan(p, run.State, "other", "Alerts").ExpectNoError(t)
	plan(p, other.State, "alerts", "Other").ExpectNoError(t)
}

// If a server reports success but keeps the short name, the error says so, and the state has the server's value.
func TestProtocolBotShortNameIgnored(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	run.MustApply(alerts(nil))
	plan := run.MustPlan(alerts(values{"short_name": "alarms", "full_name": "Alarms"}))
	gate := o.Sandbox.Gate(http.MethodPatch, "/bots/*")
	applied := make(chan acctest.Diagnostics)
	go func() { applied <- run.Apply(plan) }()
	request := <-gate.Arrived
	o.Sandbox.SetFeatureLevel(featurelevel.BotShortName - 1) // it behaves like an older server
	request.Release()
	diags := <-applied
	diags.ExpectError(t, "short_name", `Cannot change the short name of alerts-bot@zulip.example.com to "alarms"`, "reported success", "feature level 447", "-replace")
	gate.Open()
	if got := run.State.Values; got["short_name"] != "alerts" || got["email"] != "alerts-bot@zulip.example.com" || got["full_name"] != "Alarms" {
		t.Errorf("the state holds %v", got)
	}
	if bot, ok := o.Sandbox.Organization().Person("alerts-bot@zulip.example.com"); !ok || bot.FullName != "Alarms" {
		t.Errorf("the sandbox holds %+v", bot)
	}
}

// The owner of a bot can also change its short name.
func TestProtocolBotShortNameByOwner(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_bot")
	run := o.As(t, "member").NewRun(t, "zulip_bot")
	run.MustApply(alerts(nil))
	run.MustApply(alerts(values{"short_name": "alarms"}))
	if bot, ok := o.Sandbox.Organization().Person("alarms-bot@zulip.example.com"); !ok || !strings.EqualFold(bot.Owner, lena) {
		t.Errorf("the sandbox holds %+v", bot)
	}
}

// Terraform refuses a saved plan whose owner's email belongs to another person by then, whether the bot is new or not.
func TestProtocolBot_OwnerEmailReassigned_Refused(t *testing.T) {
	for name, isNew := range map[string]bool{"new": true, "existing": false} {
		t.Run(name, func(t *testing.T) {
			o, run := acctest.StartRun(t, "zulip_bot")
			if !isNew {
				run.MustApply(alerts(nil))
				if run.State.Values["owner_id"] != o.Self.ID {
					t.Errorf("the state has the owner %v", run.State.Values["owner_id"])
				}
			}
			member := o.WithAccount(t, "member")
			plan := run.MustPlan(alerts(values{"owner": lena}))
			if got := plan.Values["owner_id"]; got != member.Self.ID {
				t.Errorf("planned is the owner %v, not %d", got, member.Self.ID)
			}
			o.MoveEmail(t, "member", "member2", lena)
			run.ExpectOutdated(plan, "owner_id")
			run.MustApply(alerts(values{"owner": fmt.Sprint(member.Self.ID)}))
		})
	}
}
