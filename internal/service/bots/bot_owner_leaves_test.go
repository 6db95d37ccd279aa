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
)

// leaving is a run in which the owner of a bot leaves, and the bot changes.
type leaving struct {
	o         *acctest.Organization
	p         *acctest.Process
	bot       *acctest.Run
	end, then *acctest.PlannedChange
}

// planLeaving plans the deactivation of a bot's owner, and the change of the bot to a configuration.
func planLeaving(t *testing.T, config values) *leaving {
	t.Helper()
	return planLeavingAs(t, nil, config)
}

// planLeavingAs is planLeaving with another configuration of the owner's resource; nil destroys it.
func planLeavingAs(t *testing.T, left, config values) *leaving {
	t.Helper()
	o, bot := acctest.StartRun(t, "zulip_bot")
	owner := o.NewRun(t, "zulip_user")
	owner.MustApply(values{"email": ada, "full_name": "Ada"})
	bot.MustApply(alerts(values{"owner": ada}))
	l := &leaving{o: o, bot: bot, p: bot.Process()}
	var diags acctest.Diagnostics
	l.end, diags = l.p.Plan("zulip_user", owner.State, left)
	diags.ExpectNoError(t)
	l.then, diags = l.p.Plan("zulip_bot", bot.State, config)
	diags.ExpectNoError(t)
	return l
}

// apply deactivates the owner, and then changes the bot.
func (l *leaving) apply(t *testing.T) acctest.Diagnostics {
	t.Helper()
	_, diags := l.p.Apply(l.end)
	diags.ExpectNoError(t)
	var applied acctest.Diagnostics
	l.bot.State, applied = l.p.Apply(l.then)
	return applied
}

// fail makes some requests fail.
func (l *leaving) fail(t *testing.T, rule string) {
	t.Helper()
	l.o.Fail(t, rule)
}

// expect compares the bot in the state and on the server with the expected one.
func (l *leaving) expect(t *testing.T, owner string, isActive bool) {
	t.Helper()
	bot := l.o.UserOf(t, l.bot)
	if l.bot.State.Values["owner"] != owner || bot.IsActive != isActive || *bot.BotOwnerID != accountOf(t, l.o, owner).ID {
		t.Errorf("the state has %v, the server %+v", l.bot.State.Values, bot)
	}
}

// A bot is reactivated once for its new owner, though answers are lost and lists lag behind.
func TestProtocolBot_OwnerLeaves_Reactivated(t *testing.T) {
	for name, rules := range map[string][]string{
		"nothing fails":                       nil,
		"no answer to the deactivation":       {"DELETE /users/* after drop 1"},
		"no answer to the reactivation":       {"POST /users/*/reactivate after drop 1"},
		"no answer to the change":             {"PATCH /bots/* after drop 1"},
		"a list from before the deactivation": {"DELETE /users/* stale"},
		"a list from before the reactivation": {"POST /users/*/reactivate stale"},
		"a list from before all of it":        {"* /users/** stale", "* /bots/** stale"},
		"a limit of requests":                 {"PATCH /bots/* status=429 1"},
	} {
		t.Run(name, func(t *testing.T) {
			l := planLeaving(t, alerts(values{"owner": lena, "role": "moderator", "full_name": "Alarms"}))
			for _, rule := range rules {
				l.fail(t, rule)
			}
			l.apply(t).ExpectNoError(t)
			l.expect(t, lena, true)
			if bot := l.o.UserOf(t, l.bot); bot.Role != zulip.RoleModerator || bot.FullName != "Alarms" {
				t.Errorf("the server holds %+v", bot)
			}
		})
	}
}

// A bot's state knows its owner by the ID, also if the owner hides their email. Without a configured owner, no plan takes
// the email for a name in the configuration.
func TestProtocolBot_HiddenOwnerLeaves_Warned(t *testing.T) {
	o, bot := acctest.StartRun(t, "zulip_bot")
	owner := o.NewRun(t, "zulip_user")
	owner.Import(lena, nil).ExpectNoError(t)
	bot.MustApply(alerts(values{"owner": lena}))
	o.WithAccount(t, "member").Call(t, http.MethodPatch, "/settings", map[string]string{"email_address_visibility": "4"})
	owner.Refresh().ExpectNoError(t)
	bot.Refresh().ExpectNoError(t)
	p := bot.Process()
	leaves, diags := p.Plan("zulip_user", owner.State, values{"email": lena, "full_name": "Lena Fischer", "active": false})
	diags.ExpectNoError(t)
	_, diags = p.Plan("zulip_bot", bot.State, alerts(nil))
	diags.ExpectWarning(t, "owner", "Bots will be deactivated with their owner")
	if strings.Contains(diags.String(), "A name is new") {
		t.Errorf("it is not named: %v", diags)
	}
	owner.Apply(leaves).ExpectNoError(t)
	p = bot.Process()
	left, diags := p.Read("zulip_bot", bot.State)
	diags.ExpectNoError(t)
	_, diags = p.Plan("zulip_bot", left, alerts(values{"owner": lena}))
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "short_name", "A deactivated bot has this short name, so the apply will fail", "adopt_deactivated = true")
}

// An owner who gets another email and leaves in one plan is no new owner.
func TestProtocolBot_RenamedOwnerLeaves_Warned(t *testing.T) {
	o, bot := acctest.StartRun(t, "zulip_bot")
	owner := o.NewRun(t, "zulip_user")
	owner.Import(lena, nil).ExpectNoError(t)
	bot.MustApply(alerts(values{"owner": lena}))
	p := bot.Process()
	p.MustPlan("zulip_user", owner.State, values{"email": "lena.berg@example.com", "full_name": "Lena Fischer", "active": false})
	_, diags := p.Plan("zulip_bot", bot.State, alerts(values{"owner": "lena.berg@example.com"}))
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "owner", "Bots will be deactivated with their owner")
}

// A bot that was deactivated outside Terraform stays deactivated, whether its owner is deactivated or not.
func TestProtocolBot_DeactivatedBeforeOwner_NotReactivated(t *testing.T) {
	l := planLeaving(t, alerts(values{"owner": lena}))
	acctest.NoError(t, l.o.Client.DeactivateBot(context.Background(), l.o.UserOf(t, l.bot).ID))
	sent := l.o.Sent()
	l.apply(t).ExpectError(t, "", "Cannot read bot", "omeone else has archived or deactivated")
	sent.Expect(t, "DELETE")
	l.expect(t, ada, false)
}

// A bot whose owner was deactivated outside Terraform is not reactivated either.
func TestProtocolBot_OwnerDeactivatedOutside_NotReactivated(t *testing.T) {
	l := planLeaving(t, alerts(values{"owner": lena}))
	if _, err := l.o.Client.DeactivateUser(context.Background(), accountOf(t, l.o, ada).ID, zulip.Deactivation{}); err != nil {
		t.Fatal(err)
	}
	sent := l.o.Sent()
	l.apply(t).ExpectError(t, "", "omeone else has archived or deactivated")
	if writes := sent.Writes(); len(writes) > 1 {
		t.Errorf("sent: %v", writes)
	}
	l.expect(t, ada, false)
}

// A change of the bot outside Terraform is not overwritten: the bot is reactivated, and its state has its current
// owner.
func TestProtocolBot_OwnerLeavesAndChanged_Conflict(t *testing.T) {
	l := planLeaving(t, alerts(values{"owner": lena, "role": "moderator"}))
	l.o.Call(t, http.MethodPatch, fmt.Sprint("/bots/", l.o.UserOf(t, l.bot).ID), map[string]string{"role": fmt.Sprint(int(zulip.RoleGuest))})
	sent := l.o.Sent()
	l.apply(t).ExpectError(t, "", "changed after the plan was made", "role")
	sent.Expect(t, "DELETE", "POST")
	l.expect(t, l.o.Self.Address(), true)
	l.bot.MustApply(alerts(values{"owner": lena, "role": "moderator"}))
	l.expect(t, lena, true)
}

// The next plan continues if the server refuses the change of a reactivated bot.
func TestProtocolBot_OwnerLeavesUpdateRefused_Continued(t *testing.T) {
	l := planLeaving(t, alerts(values{"owner": lena}))
	l.fail(t, "PATCH /bots/* status=400 1")
	l.apply(t).ExpectError(t, "", "Cannot change bot")
	l.expect(t, l.o.Self.Address(), true)
	l.bot.MustApply(alerts(values{"owner": lena}))
	l.expect(t, lena, true)
}

// A bot whose next owner does not exist yet is still reactivated, so that the next apply can continue.
func TestProtocolBot_NewOwnerMissing_Reactivated(t *testing.T) {
	l := planLeaving(t, alerts(values{"owner": lena}))
	next := l.o.NewRun(t, "zulip_user")
	create := l.p.MustPlan("zulip_user", nil, values{"email": bo, "full_name": "Bo"})
	l.then = l.p.MustPlan("zulip_bot", l.bot.State, alerts(values{"owner": bo}))
	l.apply(t).ExpectError(t, "owner", "has not created", bo)
	l.expect(t, l.o.Self.Address(), true)
	next.Apply(create).ExpectNoError(t)
	l.bot.MustApply(alerts(values{"owner": bo}))
	l.expect(t, bo, true)
}

// If the bot cannot be reactivated, its state is unchanged.
func TestProtocolBot_ReactivationFails_StateKept(t *testing.T) {
	for name, test := range map[string]struct {
		config values
		rule   string
		at     string
		words  []string
	}{
		"a refusal":              {alerts(values{"owner": lena}), "POST /users/*/reactivate status=400", "", []string{"deactivated the bot with its owner", "adopt_deactivated"}},
		"the same owner":         {alerts(values{"owner": ada, "full_name": "Alarms"}), "", "owner", []string{"the planned owner " + ada + " is deactivated", "Set owner to someone else, or remove the zulip_bot too"}},
		"an owner that is unset": {alerts(values{"full_name": "Alarms"}), "", "owner", []string{"the planned owner " + ada + " is deactivated"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := planLeaving(t, test.config)
			if test.rule != "" {
				l.fail(t, test.rule)
			}
			l.apply(t).ExpectError(t, test.at, append(test.words, "Cannot reactivate bot "+alertsBot)...)
			l.expect(t, ada, false)
			if l.bot.State.Values["full_name"] != "Alerts" {
				t.Errorf("the state has %v", l.bot.State.Values)
			}
		})
	}
}

// No one is deactivated if the bots that the server would also deactivate are not known.
func TestProtocolBotOwner_BotsUnreadable_NotDeactivated(t *testing.T) {
	l := planLeaving(t, alerts(values{"owner": lena}))
	l.fail(t, fmt.Sprintf("GET /users/%d status=400", l.o.UserOf(t, l.bot).ID))
	sent := l.o.Sent()
	_, diags := l.p.Apply(l.end)
	diags.ExpectError(t, "", "Cannot deactivate", "Nothing was changed", alertsBot)
	sent.Expect(t)
}

// If the owner's account is kept deactivated, a bot with a new owner stays active. The plan warns about a bot without
// one.
func TestProtocolBot_OwnerInactive_ReassignedOrWarned(t *testing.T) {
	inactive := values{"email": ada, "full_name": "Ada", "active": false}
	l := planLeavingAs(t, inactive, alerts(values{"owner": lena}))
	l.apply(t).ExpectNoError(t)
	l.expect(t, lena, true)

	testBotLeftWithWhoLeaves(t, inactive)
}

// The resource that is planned last warns that a bot is deactivated with its owner.
func TestProtocolBot_OwnerLeaves_Warning(t *testing.T) { testBotLeftWithWhoLeaves(t, nil) }

func testBotLeftWithWhoLeaves(t *testing.T, left values) {
	t.Helper()
	o, bot := acctest.StartRun(t, "zulip_bot")
	owner := o.NewRun(t, "zulip_user")
	owner.MustApply(values{"email": ada, "full_name": "Ada"})
	bot.MustApply(alerts(values{"owner": ada}))
	words := []string{"Bots will be deactivated with their owner\n", ada, alertsBot, "Set owner of each zulip_bot to someone else"}

	p := bot.Process()
	_, diags := p.Plan("zulip_bot", bot.State, alerts(values{"owner": ada}))
	diags.ExpectOnlyWarning(t, "", "")
	_, diags = p.Plan("zulip_user", owner.State, left)
	diags.ExpectWarning(t, "", words...)

	p = bot.Process()
	p.MustPlan("zulip_user", owner.State, left)
	_, diags = p.Plan("zulip_bot", bot.State, alerts(nil))
	diags.ExpectWarning(t, "owner", words...)
	_, diags = p.Plan("zulip_bot", bot.State, alerts(values{"owner": lena}))
	for _, warning := range diags.Warnings() {
		if warning.Attribute == "owner" {
			t.Errorf("warned of %v", warning)
		}
	}
}

// The old and the new owner of bots.
const (
	ada  = "ada@example.com"
	bo   = "bo@example.com"
	cleo = "cleo@example.com"

	alertsBot = "alerts-bot@zulip.example.com"
)

// ownedBy returns a configuration of people and of one bot.
func ownedBy(owner string, people ...string) string {
	var config strings.Builder
	for _, person := range people {
		name, _, _ := strings.Cut(person, "@")
		fmt.Fprintf(&config, "resource \"zulip_user\" %q {\n  email = %q\n  full_name = %q\n}\n", name, person, name)
	}
	fmt.Fprintf(&config, "resource \"zulip_bot\" \"x\" {\n  short_name = \"alerts\"\n  full_name = \"Alerts\"\n%s\n}\n", owner)
	return config.String()
}

// A bot gets another owner in the apply that deactivates the old one, with whom the server deactivates the bot. It is
// reactivated, and is the same bot with the new owner. Without references, the order is not defined.
func TestAccSandboxBot_OwnerLeaves_Reactivated(t *testing.T) {
	for name, test := range map[string]struct{ old, new, more string }{
		"by reference":              {"zulip_user.ada.email", "zulip_user.bo.email", ""},
		"named as text":             {`"ada@example.com"`, `"bo@example.com"`, ""},
		"to a new person":           {"zulip_user.ada.email", "zulip_user.cleo.email", ""},
		"with other changes":        {"zulip_user.ada.id", "zulip_user.bo.id", "role = \"moderator\"\n  default_sending_stream = \"general\""},
		"to the provider's account": {"zulip_user.ada.email", `"SELF"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			w := acctest.NewWorkspace(t)
			w.Configure(t, ownedBy("", ada, bo))
			w.Must(t, "apply", "-auto-approve")
			w.Configure(t, ownedBy("owner = "+test.old, ada, bo))
			w.Must(t, "apply", "-auto-approve")
			before := accountOf(t, o, alertsBot)
			w.Configure(t, ownedBy("owner = "+strings.ReplaceAll(test.new, "SELF", o.Self.Address())+"\n"+test.more, bo, cleo))
			w.Must(t, "apply", "-auto-approve")
			w.Must(t, "plan", "-detailed-exitcode")
			owner := o.Self
			if !strings.Contains(test.new, "SELF") {
				owner = accountOf(t, o, map[bool]string{true: cleo, false: bo}[strings.Contains(test.new, "cleo")])
			}
			if bot := accountOf(t, o, alertsBot); bot.ID != before.ID || !bot.IsActive || *bot.BotOwnerID != owner.ID || (test.more != "") != (bot.Role == zulip.RoleModerator) {
				t.Errorf("the server holds %+v", bot)
			}
			if accountOf(t, o, ada).IsActive {
				t.Error("the old owner is active")
			}
		})
	}
}

// The plan warns about a bot that stays with a deactivated owner, with a fix. There is no warning if the bot is
// removed too.
func TestAccSandboxBot_OwnerLeaves_Warning(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Setenv("TF_LOG", "") // only the printed output counts, not the log
	w.Configure(t, ownedBy("", ada))
	w.Must(t, "apply", "-auto-approve")
	w.Configure(t, ownedBy("owner = \"ada@example.com\"", ada))
	w.Must(t, "apply", "-auto-approve")
	const warning = "Bots will be deactivated with their owner"
	for _, owner := range []string{"owner = \"ada@example.com\"", ""} {
		w.Configure(t, ownedBy(owner))
		printed := w.Must(t, "plan")
		for _, words := range []string{warning, alertsBot, "Set owner of each zulip_bot to someone else, or remove the bot"} {
			if !strings.Contains(printed, words) {
				t.Errorf("not printed: %s\n%s", words, printed)
			}
		}
	}
	if printed := w.Must(t, "destroy", "-auto-approve"); strings.Contains(printed, warning) {
		t.Errorf("printed:\n%s", printed)
	}
	if accountOf(t, o, alertsBot).IsActive || accountOf(t, o, ada).IsActive {
		t.Error("someone is active")
	}
}

// accountOf reads the account with an email.
func accountOf(t *testing.T, o *acctest.Organization, address string) *zulip.User {
	t.Helper()
	user, err := o.Client.UserByEmail(context.Background(), address)
	acctest.NoError(t, err)
	return user
}

func TestProtocolBot_NewOwnerLeavesAfterPlan_RefusedInWords(t *testing.T) {
	o, bot := acctest.StartRun(t, "zulip_bot")
	owner := o.NewRun(t, "zulip_user")
	owner.MustApply(values{"email": ada, "full_name": "Ada"})
	bot.MustApply(alerts(values{}))
	plan := bot.MustPlan(alerts(values{"owner": ada}))
	owner.Apply(owner.MustPlan(nil)).ExpectNoError(t)
	sent := o.Sent()
	bot.Apply(plan).ExpectError(t, "owner", "The owner is deactivated", "Set another owner")
	sent.Expect(t)
}

// Someone deactivates the owner of a bot, which ends the bot too. The plan warns once, so that the rest of it can be seen.
func TestProtocolBot_EndedWithOwner_PlanWarns(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_bot")
	config := values{"short_name": "news", "full_name": "News", "owner": "tomas.berg@example.com"}
	run.MustApply(config)
	owner, err := o.Client.UserByEmail(t.Context(), "tomas.berg@example.com")
	acctest.NoError(t, err)
	o.Call(t, http.MethodDelete, fmt.Sprint("/users/", owner.ID), nil)
	plan, diags := run.Plan(config)
	diags.ExpectNoError(t)
	diags.ExpectOnlyWarning(t, "A deactivated bot has this short name, so the apply will fail", "news-bot@zulip.example.com has the ID 50 and the name \"News\". Set adopt_deactivated = true to reactivate it.\n\n"+
		"This happened outside Terraform. To accept it, remove this resource from the configuration, with what references it.")
	sent := o.Sent()
	if errors := run.Apply(plan).Errors(); len(errors) == 0 {
		t.Error("it is applied")
	}
	sent.Expect(t)
}
