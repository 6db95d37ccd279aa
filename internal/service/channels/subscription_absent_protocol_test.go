package channels_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Users who were removed while they were deactivated have left. An email without an account does not stop the plan.
func TestProtocolSubscription_UnknownEmailAfterLeaver_Planned(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, "zulip_channel_subscription")
	run.MustApply(acctest.Values{"channel": "leads", "users": []any{"lena.fischer@example.com", "kenji.sato@example.com"}})
	credentials, _ := o.Sandbox.Credentials("member2")
	o.Call(t, http.MethodDelete, fmt.Sprint("/users/", credentials.ID), nil)
	config := acctest.Values{"channel": "leads", "users": []any{"lena.fischer@example.com", "new@example.com"}}
	plan, diags := run.Plan(config)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "users", `"new@example.com" is not in the organization`)
	run.Apply(plan).ExpectNoError(t)
	run.MustPlan(config)
}

// A subscriber who is back because the same run reactivates the account is no conflict. The next plan lists them.
func TestProtocolSubscribers_ReactivatedInRun_UnsubscribedNext(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	user := o.NewRun(t, "zulip_user")
	user.Import("kenji.sato@example.com", nil).ExpectNoError(t)
	channel := o.NewRun(t, "zulip_channel_subscribers")
	people := []any{"ines.moreau@example.com", "tomas.berg@example.com", "amara.okafor@example.com"}
	channel.MustApply(acctest.Values{"channel": "leads", "users": append(people, "kenji.sato@example.com")})
	user.MustApply(acctest.Values{"email": "kenji.sato@example.com", "full_name": "Kenji Sato", "active": false})
	channel.MustApply(acctest.Values{"channel": "leads", "users": people})
	p := user.Process()
	back, diags := p.Plan("zulip_user", user.State, acctest.Values{"email": "kenji.sato@example.com", "full_name": "Kenji Sato", "active": true})
	diags.ExpectNoError(t)
	change, diags := p.Plan("zulip_channel_subscribers", channel.State, acctest.Values{"channel": "leads", "users": append(people, "lena.fischer@example.com")})
	diags.ExpectNoError(t)
	_, diags = p.Apply(back)
	diags.ExpectNoError(t)
	channel.ApplyIn(p, change).ExpectNoError(t)
	channel.MustApply(acctest.Values{"channel": "leads", "users": append(people, "lena.fischer@example.com")})
	credentials, _ := o.Sandbox.Credentials("member2")
	for _, id := range o.Subscribers(t, "leads") {
		if id == int64(credentials.ID) {
			t.Error("the account is subscribed again")
		}
	}
}

// An email of a saved plan that belongs to another user by the apply is refused, whether the resource is new or not.
func TestProtocolSubscription_EmailMovedSincePlan_Refused(t *testing.T) {
	for _, kind := range []string{additiveType, exclusiveType} {
		for name, isNew := range map[string]bool{"new": true, "existing": false} {
			t.Run(kind+" "+name, func(t *testing.T) {
				o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 512})
				run := o.NewRun(t, kind)
				people := []any{owner, admin, moderator}
				if !isNew {
					run.MustApply(acctest.Values{"channel": "leads", "users": people})
				}
				plan := run.MustPlan(acctest.Values{"channel": "leads", "users": append(people, member)})
				was := subscriptionIdOf(t, o, member)
				if got := plan.Values["user_ids"].([]any); got[len(got)-1] != was {
					t.Errorf("planned is user %v, want %d", got, was)
				}
				before := o.Subscribers(t, "leads")
				o.MoveEmail(t, "member", "member2", member)
				run.ExpectOutdated(plan, "user_ids")
				sent := o.Sent()
				_, diags := run.Process().Apply(plan)
				diags.ExpectError(t, "users", member+" now belongs to another user", fmt.Sprint("belonged to user ", was))
				sent.Expect(t)
				if now := o.Subscribers(t, "leads"); !slices.Equal(now, before) {
					t.Errorf("in the channel are %v, and before %v", now, before)
				}
			})
		}
	}
}

// A refresh finds subscribers by their IDs, even if others have their emails now.
func TestProtocolSubscription_EmailMoved_Kept(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 512})
	run := o.NewRun(t, additiveType)
	run.MustApply(acctest.Values{"channel": "leads", "users": []any{member}})
	was := subscriptionIdOf(t, o, member)
	o.MoveEmail(t, "member", "member2", member)
	run.Refresh().ExpectNoError(t)
	if got, want := run.State.Values["user_ids"], []any{was}; !slices.Equal(got.([]any), want) {
		t.Errorf("the state has %v, want %v", got, want)
	}
}
