package channels_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

const (
	exclusiveType = "zulip_channel_subscribers"
	additiveType  = "zulip_channel_subscription"

	owner, admin, moderator = "ines.moreau@example.com", "tomas.berg@example.com", "amara.okafor@example.com"
	member, member2, guest  = "lena.fischer@example.com", "kenji.sato@example.com", "paul.dubois@example.com"

	putIn, takeOut = "POST invite_only is_default_stream principals send_new_subscription_messages subscriptions", "DELETE principals subscriptions"
)

// subscriptionIdOf returns the ID of the user with an email in the sandbox's organization.
func subscriptionIdOf(t *testing.T, o *acctest.Organization, address string) int64 {
	t.Helper()
	for _, account := range o.Sandbox.AllCredentials() {
		if account.Email == address {
			return int64(account.ID)
		}
	}
	t.Fatalf("nobody has the address %s", address)
	return 0
}

// expectIn fails the test unless exactly these users are in a channel.
func expectIn(t *testing.T, o *acctest.Organization, channel string, addresses ...string) {
	t.Helper()
	want := []int64{}
	for _, address := range addresses {
		want = append(want, subscriptionIdOf(t, o, address))
	}
	slices.Sort(want)
	if got := o.Subscribers(t, channel); !slices.Equal(got, want) {
		t.Errorf("in %s are %v, want %v (%v)", channel, got, want, addresses)
	}
}

// subscribe and unsubscribe change the subscribers outside Terraform.
func subscribe(t *testing.T, o *acctest.Organization, channel, address string) {
	t.Helper()
	if _, _, err := o.Client.Subscribe(context.Background(), channel, []int64{subscriptionIdOf(t, o, address)}, false, 0); err != nil {
		t.Fatal(err)
	}
}

func unsubscribe(t *testing.T, o *acctest.Organization, channel, address string) {
	t.Helper()
	if _, err := o.Client.Unsubscribe(context.Background(), channel, []int64{subscriptionIdOf(t, o, address)}); err != nil {
		t.Fatal(err)
	}
}

func subscriptionDeactivate(t *testing.T, o *acctest.Organization, address string) {
	t.Helper()
	o.Call(t, http.MethodDelete, fmt.Sprintf("/users/%d", subscriptionIdOf(t, o, address)), nil)
}

func TestProtocolSubscribersDrift(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, exclusiveType)
	config := values{"channel": "announcements", "users": []any{owner, admin, moderator, member, member2}}
	sent := o.Sent()
	run.MustApply(config) // as it is
	sent.Expect(t)
	subscribe(t, o, "announcements", guest)
	unsubscribe(t, o, "announcements", member)
	sent = o.Sent()
	plan := run.MustPlan(config)
	if got := fmt.Sprint(plan.Prior.Values["users"]); !strings.Contains(got, guest) || strings.Contains(got, member) {
		t.Errorf("the plan saw %s", got)
	}
	run.MustApply(config)
	sent.Expect(t, putIn, takeOut)

	o.Archive(t, "announcements")
	// From feature level 480 on, servers still list its subscribers.
	for _, level := range []int{featurelevel.ArchivedChannels - 1, featurelevel.ArchivedChannels} {
		o.Sandbox.SetFeatureLevel(level)
		fork := run.Fork()
		fork.Refresh().ExpectNoError(t)
		if fork.State != nil {
			t.Errorf("level %d: the state holds %v", level, fork.State.Values)
		}
	}
	run.State = nil
	_, diags := run.Plan(config)
	diags.ExpectError(t, "channel", "archived", "adopt_archived")
}

// A subscription or unsubscription between plan and apply is not undone silently.
func TestProtocolSubscribers_ChangedSincePlan_Refused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, exclusiveType)
	run.MustApply(values{"channel": "announcements", "users": []any{owner, admin, moderator, member, member2}})
	plan := run.MustPlan(values{"channel": "announcements", "users": []any{owner, admin, moderator, member}})
	subscribe(t, o, "announcements", guest)
	unsubscribe(t, o, "announcements", admin)
	sent := o.Sent()
	run.Apply(plan).ExpectError(t, "users", "changed after the plan was made", "Subscribed since: "+guest, "Unsubscribed since: "+admin, "Nothing was changed")
	sent.Expect(t)

	// The planned change is already made, which is no conflict.
	plan = run.MustPlan(values{"channel": "announcements", "users": []any{owner, moderator, member, guest}})
	unsubscribe(t, o, "announcements", member2)
	sent = o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t)
	expectIn(t, o, "announcements", owner, moderator, member, guest)
}

// Deactivated people are no difference and no error, wherever they are named and whenever they were deactivated.
func TestProtocolSubscribersDeactivated(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	config := values{"channel": "announcements", "users": []any{owner, admin, moderator, member, member2}}
	for _, kind := range []string{exclusiveType, additiveType} {
		t.Run(kind, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			run := o.NewRun(t, kind)
			run.MustApply(config)
			subscriptionDeactivate(t, o, member)
			if plan := run.MustPlan(config); !plan.Empty() {
				t.Errorf("planned: %v", plan.Values)
			}
			sent := o.Sent()
			run.MustApply(values{"channel": "announcements", "users": []any{owner, admin, moderator, member2}})
			run.MustApply(config)
			sent.Expect(t)
			o.Call(t, http.MethodPost, fmt.Sprintf("/users/%d/reactivate", subscriptionIdOf(t, o, member)), nil)
			if plan := run.MustPlan(config); !plan.Empty() {
				t.Errorf("planned: %v", plan.Values)
			}
		})
	}
	run := o.NewRun(t, exclusiveType)
	run.MustApply(config)
	plan := run.MustPlan(values{"channel": "announcements", "users": []any{owner, admin, moderator, guest}})
	gate := o.Sandbox.Gate("DELETE", "/users/me/subscriptions")
	go func() {
		defer gate.Open()
		<-gate.Arrived
		if _, err := http.DefaultClient.Do(subscriptionByHand(o, http.MethodDelete, fmt.Sprintf("/users/%d", subscriptionIdOf(t, o, member)))); err != nil {
			t.Error(err)
		}
	}()
	run.Apply(plan).ExpectNoError(t)
	expectIn(t, o, "announcements", owner, admin, moderator, guest)
}

// subscriptionByHand is a request of the account itself.
func subscriptionByHand(o *acctest.Organization, method, path string) *http.Request {
	account, _ := o.Sandbox.Credentials("owner")
	req, err := http.NewRequestWithContext(context.Background(), method, o.Sandbox.URL()+"/api/v1"+path, nil)
	if err != nil {
		panic(err)
	}
	req.SetBasicAuth(account.Email, account.APIKey)
	return req
}

// A channel that was renamed after the plan keeps its subscribers, and no channel is created with its old name.
func TestProtocolSubscribers_ChannelRenamed_Kept(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := taken(t, o, "announcements")
	id := fmt.Sprint(o.MustChannel(t, "announcements").ID)
	plan := run.MustPlan(values{"channel": id, "users": []any{owner, guest}})
	gate := o.Sandbox.Gate("GET", "/streams/*/members")
	go func() {
		defer gate.Open()
		<-gate.Arrived
		req := subscriptionByHand(o, http.MethodPatch, "/streams/"+id+"?new_name=news")
		if _, err := http.DefaultClient.Do(req); err != nil {
			t.Error(err)
		}
	}()
	run.Apply(plan).ExpectNoError(t)
	expectIn(t, o, "news", owner, guest)
	if o.Channel(t, "announcements") != nil {
		t.Error("a channel was made of the old name")
	}
}

func TestProtocolSubscribersBadInput(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, exclusiveType)
	for _, c := range []struct {
		config    values
		attribute string
		words     []string
	}{
		{values{"channel": "genral", "users": []any{owner}}, "channel", []string{`did you mean "general"?`}},
		{values{"channel": "general", "users": []any{"lena.fisher@example.com"}}, "users", []string{"is not in the organization", member}},
		{values{"channel": "general", "users": []any{""}}, "users", []string{"at least 1"}},
	} {
		_, diags := run.Plan(c.config)
		diags.ExpectError(t, c.attribute, c.words...)
	}
	for _, kind := range []string{exclusiveType, additiveType} {
		run := o.NewRun(t, kind)
		if plan := run.MustPlan(values{"channel": acctest.Unknown, "users": []any{owner}}); plan.Values["channel_id"] != acctest.Unknown {
			t.Errorf("planned: %v", plan.Values)
		}
		run.MustPlan(values{"channel": "general", "users": []any{owner, acctest.Unknown}})
		run.MustPlan(values{"channel": "general", "users": acctest.Unknown})
		run.MustApply(values{"channel": "general", "users": []any{owner, admin, moderator, member, member2, guest}})
		if plan := run.MustPlan(values{"channel": "announcements", "users": []any{owner, admin, moderator, member, member2}}); fmt.Sprint(plan.Replace) != "[channel]" {
			t.Errorf("to be replaced because of %v", plan.Replace)
		}
		if plan := run.MustPlan(values{"channel": acctest.Unknown, "users": []any{owner}}); fmt.Sprint(plan.Replace) != "[channel]" {
			t.Errorf("to be replaced because of %v", plan.Replace)
		}
	}
}

func TestProtocolSubscribersOldServer(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 396})
	run := taken(t, o, "announcements")
	_, diags := run.Plan(values{"channel": "announcements", "users": []any{owner}, "send_new_subscription_messages": false})
	diags.ExpectError(t, "send_new_subscription_messages", "feature level 397", "396")
	sent := o.Sent()
	run.MustApply(values{"channel": "announcements", "users": []any{owner, guest}})
	sent.Expect(t, "POST invite_only is_default_stream principals subscriptions", takeOut)
}

// The time for subscribers grows linearly with their number: added, planned in another order, removed, and read
// again.
func TestProtocolSubscribers_ManyUsers_Linear(t *testing.T) {
	for _, kind := range bothTypes {
		acctest.ExpectLinear(t, 200, func(number int) func() {
			o, users := crowd(t, number)
			run := o.NewRun(t, kind)
			run.MustApply(values{"channel": "hall", "users": users[:1]})
			backwards := slices.Clone(users)
			slices.Reverse(backwards)
			return func() {
				run.MustApply(values{"channel": "hall", "users": users})
				if plan := run.MustPlan(values{"channel": "hall", "users": backwards}); !plan.Empty() {
					t.Error("another order is a change")
				}
				run.MustApply(values{"channel": "hall", "users": users[:number/2]})
			}
		})
	}
}

// Users can be written as principals. The state keeps that form, and the plain email is no change.
func TestProtocolSubscriptionUsersAsPrincipals(t *testing.T) {
	for _, kind := range bothTypes {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			o := acctest.NewSandbox(t, sandbox.Config{})
			private(t, o, "vault", nil, owner)
			run := o.NewRun(t, kind)
			written := []any{"user:" + owner, fmt.Sprint("user_id:", subscriptionIdOf(t, o, member)), guest}
			run.MustApply(values{"channel": "vault", "users": written})
			if !slices.Equal(run.State.Values["users"].([]any), written) {
				t.Errorf("the state has %v", run.State.Values["users"])
			}
			expectIn(t, o, "vault", owner, member, guest)
			if plan := run.MustPlan(values{"channel": "vault", "users": texts(guest, owner, member)}); !plan.Empty() {
				t.Errorf("the plan changes %v", plan.Changes())
			}
			run.MustApply(values{"channel": "vault", "users": []any{"user:" + owner}})
			expectIn(t, o, "vault", owner)
		})
	}
}

// A group is refused, and the message says how a channel follows a group.
func TestProtocolSubscription_GroupAsUser_Refused(t *testing.T) {
	o := acctest.NewSandbox(t, sandbox.Config{})
	for _, kind := range bothTypes {
		for _, text := range []string{"group:sre", "group_id:7", "role:members"} {
			_, diags := o.NewRun(t, kind).Plan(values{"channel": "general", "users": []any{text}})
			diags.ExpectError(t, "users", fmt.Sprintf("%q is a group", text), "users = zulip_user_group.NAME.members", "data.zulip_user_group.NAME.all_members")
		}
	}
}

// Both resources warn about people who gain or lose access by a subscription.
func TestProtocolSubscribers_Changed_AccessWarning(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.NewRun(t, "zulip_channel").MustApply(values{"name": "cellar", "privacy": "private_shared_history", "initial_subscribers": []any{owner, member}})
	o.NewRun(t, "zulip_channel").MustApply(values{"name": "hall", "privacy": "public", "initial_subscribers": []any{owner, member}})
	plan := func(run *acctest.Run, config values, want string) {
		t.Helper()
		_, diags := run.Plan(config)
		diags.ExpectOnlyAccessWarning(t, want)
	}
	additive, exclusive := o.NewRun(t, additiveType), o.NewRun(t, exclusiveType)
	plan(additive, values{"channel": "cellar", "users": []any{member2}}, acctest.GeneralAccess)
	plan(additive, values{"channel": "cellar", "users": []any{member}}, "") // she is in already
	plan(additive, values{"channel": "hall", "users": []any{member2}}, "")  // who could join before
	plan(additive, values{"channel": "hall", "users": []any{guest}}, `Guests can gain access in channel "hall"`)
	additive.MustApply(values{"channel": "cellar", "users": []any{member2}})
	plan(additive, nil, acctest.GeneralAccess)
	additive.Apply(additive.MustPlan(nil)).ExpectNoError(t)

	exclusive.MustApply(values{"channel": "cellar", "users": []any{owner, member}})
	other := values{"channel": "cellar", "users": []any{owner, member2}}
	plan(exclusive, other, acctest.GeneralAccess)
	exclusive.Block = o.Block(values{"access_warnings": false})
	plan(exclusive, other, "")
}

// A subscriber whose email changed has only the new one in the state.
func TestProtocolSubscribers_EmailChanged_OnlyNewText(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := taken(t, o, "announcements")
	run.MustApply(values{"channel": "announcements", "users": texts(owner, member)})
	o.Call(t, "PATCH", fmt.Sprint("/users/", o.WithAccount(t, "member").Self.ID), map[string]string{"new_email": "l.fischer@example.com"})
	run.Refresh().ExpectNoError(t)
	if got, ids := run.State.Values["users"], run.State.Values["user_ids"]; fmt.Sprint(got) != fmt.Sprint(texts(owner, "l.fischer@example.com")) || strings.Contains(fmt.Sprint(ids), "nil") {
		t.Errorf("the state has %v, %v", got, ids)
	}
}
