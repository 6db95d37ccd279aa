package subscription_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

func TestProtocolSubscriptionLives(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, additiveType)
	sent := o.Sent()
	run.MustApply(values{"channel": "incidents", "users": []any{admin, member2, guest}}) // the first is in already
	sent.Expect(t, putIn)
	if want := fmt.Sprintf("[%d %d]", idOf(t, o, member2), idOf(t, o, guest)); fmt.Sprint(run.State.Values["added_user_ids"]) != want {
		t.Errorf("added: %v, want %s", run.State.Values["added_user_ids"], want)
	}
	bot := botAddress(t, o)
	expectIn(t, o, "incidents", admin, moderator, member, bot, member2, guest)

	sent = o.Sent()
	run.MustApply(values{"channel": "incidents", "users": []any{member2, owner}})
	sent.Expect(t, putIn, takeOut)
	expectIn(t, o, "incidents", admin, moderator, member, bot, member2, owner) // who was there stays

	unsubscribe(t, o, "incidents", member2)
	sent = o.Sent()
	run.MustApply(values{"channel": "incidents", "users": []any{member2, owner}})
	sent.Expect(t, putIn)

	sent = o.Sent()
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	sent.Expect(t, takeOut)
	expectIn(t, o, "incidents", admin, moderator, member, bot)
}

// What came between does no harm, and whoever was not added by it stays.
func TestProtocolSubscriptionMeanwhile(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, additiveType)
	plan := run.MustPlan(values{"channel": "incidents", "users": []any{member2, guest}})
	subscribe(t, o, "incidents", guest)
	subscribe(t, o, "incidents", owner)
	run.Apply(plan).ExpectNoError(t)
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	expectIn(t, o, "incidents", admin, moderator, member, botAddress(t, o), guest, owner)
}

func TestProtocolSubscriptionLostAnswers(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, additiveType)
	const path = "/users/me/subscriptions"
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: path, After: true, Action: sandbox.FaultDrop, Count: 1})
	run.MustApply(values{"channel": "incidents", "users": []any{member2}})
	if got := fmt.Sprint(run.State.Values["added_user_ids"]); got != fmt.Sprintf("[%d]", idOf(t, o, member2)) {
		t.Errorf("added: %s", got)
	}
	// Every answer is lost: what was done is in the state, and ends with it.
	heal := o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: path, After: true, Action: sandbox.FaultDrop})
	run.Block = o.Block(values{"max_retries": 0})
	run.Apply(run.MustPlan(values{"channel": "incidents", "users": []any{member2, guest}})).ExpectError(t, "", "Cannot add "+guest, "Applying again is safe")
	heal()
	if got := len(run.State.Values["added_user_ids"].([]any)); got != 2 {
		t.Errorf("%d were added", got)
	}
	o.Sandbox.Fail(sandbox.Fault{Method: "DELETE", Path: path, After: true, Action: sandbox.FaultDrop, Count: 1})
	run.Block = o.Block(nil)
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	expectIn(t, o, "incidents", admin, moderator, member, botAddress(t, o))
}

func TestProtocolSubscriptionImport(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	id := o.MustChannel(t, "incidents").ID
	for _, by := range []struct {
		id       string
		identity values
	}{
		{id: fmt.Sprintf("incidents/%s,%d", admin, idOf(t, o, member))},
		{id: fmt.Sprintf("%d/%s, %s", id, admin, member)},
		{identity: values{"channel_id": id}},
	} {
		run := o.NewRun(t, additiveType)
		run.Import(by.id, by.identity).ExpectNoError(t)
		if got := len(run.State.Values["users"].([]any)); by.identity != nil && got != len(o.Subscribers(t, "incidents")) || by.identity == nil && got != 2 {
			t.Errorf("imported by %v: %v", by, run.State.Values["users"])
		}
		if !reflect.DeepEqual(run.State.Identity, values{"channel_id": id}) {
			t.Errorf("the identity is %v", run.State.Identity)
		}
		sent := o.Sent()
		run.MustApply(values{"channel": fmt.Sprint(id), "users": []any{admin, member}})
		run.Apply(run.MustPlan(nil)).ExpectNoError(t) // it added nobody
		sent.Expect(t)
	}
	for text, words := range map[string]string{
		"incidents": "CHANNEL/USER,USER", "incidents/" + guest: guest + " is not in channel", "incidents/nobody@example.com": "nobody@example.com",
	} {
		diags := o.NewRun(t, additiveType).Import(text, nil)
		attribute := ""
		if words != "CHANNEL/USER,USER" {
			attribute = "users"
		}
		diags.ExpectError(t, attribute, words)
	}
}

// Both kinds on one channel, or two lists, are found at plan, whichever is planned first.
func TestProtocolSubscriptionConflicts(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	additive := values{"channel": "announcements", "users": []any{member}}
	exclusive := values{"channel": fmt.Sprint(o.MustChannel(t, "announcements").ID), "users": []any{owner, admin, moderator, member, member2}}
	for _, order := range [][]string{{additiveType, exclusiveType}, {exclusiveType, additiveType}} {
		p := o.NewRun(t, additiveType).Process()
		configs := map[string]values{additiveType: additive, exclusiveType: exclusive}
		_, diags := p.Plan(order[0], nil, configs[order[0]])
		diags.ExpectNoError(t)
		_, diags = p.Plan(order[0], nil, configs[order[0]]) // as the CLI may, twice
		diags.ExpectNoError(t)
		_, diags = p.Plan(order[1], nil, configs[order[1]])
		diags.ExpectError(t, "channel", "Two kinds of subscribers")
	}
	p := o.NewRun(t, exclusiveType).Process()
	_, diags := p.Plan(exclusiveType, nil, exclusive)
	diags.ExpectNoError(t)
	_, diags = p.Plan(exclusiveType, nil, values{"channel": "announcements", "users": []any{owner, admin, moderator, member, member2, guest}})
	diags.ExpectError(t, "channel", "Two lists of the subscribers")
}

// In one apply the additive kind is given up for the exclusive one: nobody is lost, whichever comes first.
func TestProtocolSubscriptionGivesWay(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, additiveType)
	run.MustApply(values{"channel": "incidents", "users": []any{member2}})
	gone := run.MustPlan(nil)
	list := taken(t, o, "incidents")
	plan := list.MustPlan(values{"channel": "incidents", "users": []any{member2, admin}})
	p := list.Process()
	again, diags := p.Plan(exclusiveType, plan.Prior, plan.Config)
	diags.ExpectNoError(t)
	_, diags = p.Apply(again)
	diags.ExpectNoError(t)
	_, diags = p.Apply(gone)
	diags.ExpectNoError(t)
	expectIn(t, o, "incidents", member2, admin)
}

// Some are told, many are not, and that is said.
func TestProtocolSubscriptionTooManyToTell(t *testing.T) {
	o, users := crowd(t, 101)
	run := o.NewRun(t, additiveType)
	diags := run.Apply(run.MustPlan(values{"channel": "hall", "users": users, "send_new_subscription_messages": true}))
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "", "Nobody was told", "101")
}
