package channels_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func TestProtocolSubscriptionImport_Invalid_Explained(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	for text, words := range map[string]string{
		"incidents": "CHANNEL/USER,USER", "incidents/" + guest: guest + " is not subscribed to channel", "incidents/nobody@example.com": "nobody@example.com",
	} {
		diags := o.NewRun(t, additiveType).Import(text, nil)
		attribute := ""
		if words != "CHANNEL/USER,USER" {
			attribute = "users"
		}
		diags.ExpectError(t, attribute, words)
	}
}

// Both kinds on one channel are found during plan, whichever is planned first.
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
		diags.ExpectError(t, "channel", "Two resources manage the subscribers")
	}
}

// In one apply the exclusive kind replaces the additive one: no one is unsubscribed, in either order.
func TestProtocolSubscription_ReplacedByList_UsersKept(t *testing.T) {
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

// The message names a few users, and says how many more there are.
func TestProtocolSubscription_ManyUsers_NotNotified(t *testing.T) {
	o, users := crowd(t, 101)
	run := o.NewRun(t, additiveType)
	diags := run.Apply(run.MustPlan(values{"channel": "hall", "users": users, "send_new_subscription_messages": true}))
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "", "New subscribers were not notified\n", "101")
}

// swapped is an organization in which channels are renamed during a request that names one of them: "ops" becomes
// "news", and usually the private "vault" becomes "ops".
type swapped struct {
	*acctest.Organization
	run *acctest.Run
	ops int64
}

// swapAt starts with lena, ines and kenji in both channels, of which the provider manages "ops" by its ID.
func swapAt(t *testing.T, kind string) *swapped {
	t.Helper()
	o := acctest.NewSandbox(t, sandbox.Config{})
	for _, name := range []string{"ops", "vault"} {
		private(t, o, name, nil, owner, member, member2)
	}
	s := &swapped{Organization: o, run: o.NewRun(t, kind), ops: o.MustChannel(t, "ops").ID}
	s.run.MustApply(values{"channel": fmt.Sprint(s.ops), "users": texts(owner, member, member2)})
	return s
}

// apply applies a configuration, and renames channels while its first request of a method is held.
func (s *swapped) apply(t *testing.T, method string, users []any, takesName bool) acctest.Diagnostics {
	t.Helper()
	plan := s.run.MustPlan(values{"channel": fmt.Sprint(s.ops), "users": users})
	vault := s.MustChannel(t, "vault").ID
	gate := s.Sandbox.Gate(method, "/users/me/subscriptions")
	done := make(chan error)
	go func() {
		defer gate.Open()
		<-gate.Arrived
		renames := []string{fmt.Sprintf("/streams/%d?new_name=news", s.ops)}
		if takesName {
			renames = append(renames, fmt.Sprintf("/streams/%d?new_name=ops", vault))
		}
		for _, rename := range renames {
			answer, err := http.DefaultClient.Do(subscriptionByHand(s.Organization, http.MethodPatch, rename))
			if err != nil {
				done <- err
				return
			}
			_ = answer.Body.Close()
		}
		done <- nil
	}()
	result := make(chan acctest.Diagnostics)
	go func() { result <- s.run.Apply(plan) }()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return <-result
}

// stateHas fails the test unless the state has exactly these users.
func stateHas(t *testing.T, run *acctest.Run, users ...string) {
	t.Helper()
	if run.State == nil {
		t.Error("nothing is in the state")
		return
	}
	got := []string{}
	for _, user := range run.State.Values["users"].([]any) {
		got = append(got, fmt.Sprint(user))
	}
	slices.Sort(got)
	slices.Sort(users)
	if !slices.Equal(got, users) {
		t.Errorf("the state has %v, want %v", got, users)
	}
}

// The server refuses a request because there were too many, and before it may be repeated another channel gets the name.
func TestProtocolSubscription_RenamedDuringWait_SameChannel(t *testing.T) {
	for _, kind := range []string{exclusiveType, additiveType} {
		for _, method := range []string{http.MethodPost, http.MethodDelete} {
			for status, action := range map[string]sandbox.Fault{
				"429":     {Action: sandbox.FaultStatus, Status: http.StatusTooManyRequests, RetryAfter: 20 * time.Millisecond},
				"503":     {Action: sandbox.FaultStatus, Status: http.StatusServiceUnavailable},
				"dropped": {Action: sandbox.FaultDrop},
			} {
				t.Run(kind+" "+method+" "+status, func(t *testing.T) {
					t.Parallel()
					s := swapAt(t, kind)
					users, want := texts(owner, member, member2, guest), []string{owner, member, member2, guest}
					if method == http.MethodDelete {
						if kind == additiveType { // it unsubscribes the users that it has added
							s.run.MustApply(values{"channel": fmt.Sprint(s.ops), "users": users})
						}
						s.run.MustApply(values{"channel": fmt.Sprint(s.ops), "users": users})
						subscribe(t, s.Organization, "vault", guest)
						users, want = texts(owner, member, member2), []string{owner, member, member2}
					}
					action.Method, action.Path, action.Count = method, "/users/me/subscriptions", 1
					s.Sandbox.Fail(action)
					s.apply(t, method, users, true).ExpectNoError(t)
					expectIn(t, s.Organization, "news", want...)
					if method == http.MethodDelete {
						want = append(want, guest)
					} else {
						want = []string{owner, member, member2}
					}
					expectIn(t, s.Organization, "ops", want...)
					for _, user := range users {
						if !slices.Contains(s.run.State.Values["users"].([]any), user) {
							t.Errorf("the state has %v", s.run.State.Values["users"])
						}
					}
				})
			}
		}
	}
}

// The name is released and no channel takes it: no channel is created with it, and the request goes to the channel by
// its new name.
func TestProtocolSubscription_RenamedDuringRequest_NotRecreated(t *testing.T) {
	for _, kind := range []string{exclusiveType, additiveType} {
		for _, status := range []int{0, http.StatusTooManyRequests} {
			t.Run(fmt.Sprint(kind, " ", status), func(t *testing.T) {
				t.Parallel()
				s := swapAt(t, kind)
				if status != 0 {
					s.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/users/me/subscriptions", Action: sandbox.FaultStatus, Status: status, RetryAfter: 20 * time.Millisecond, Count: 1})
				}
				s.apply(t, http.MethodPost, texts(owner, member, member2, guest), false).ExpectNoError(t)
				expectIn(t, s.Organization, "news", owner, member, member2, guest)
				if s.Channel(t, "ops") != nil {
					t.Error("a channel was made of the old name")
				}
			})
		}
	}
}

// Another channel gets the name during the request: the effect there is undone and reported.
func TestProtocolSubscription_OtherChannelHit_Undone(t *testing.T) {
	for _, kind := range []string{exclusiveType, additiveType} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := swapAt(t, kind)
			diags := s.apply(t, http.MethodPost, texts(owner, member, member2, guest), true)
			diags.ExpectError(t, "channel", `were subscribed to another channel, "ops"`, guest, "unsubscribed them again")
			expectIn(t, s.Organization, "ops", owner, member, member2)
			expectIn(t, s.Organization, "news", owner, member, member2)
			stateHas(t, s.run, owner, member, member2)

			s = swapAt(t, kind)
			config := values{"channel": fmt.Sprint(s.ops), "users": texts(owner, member, member2, guest)}
			s.run.MustApply(config)
			subscribe(t, s.Organization, "vault", guest)
			diags = s.apply(t, http.MethodDelete, texts(owner, member, member2), true)
			diags.ExpectError(t, "channel", `were unsubscribed from another channel, "ops"`, guest, "subscribed them again")
			expectIn(t, s.Organization, "ops", owner, member, member2, guest)
			expectIn(t, s.Organization, "news", owner, member, member2, guest)
			stateHas(t, s.run, owner, member, member2, guest)
		})
	}
}

// private creates a private channel with these subscribers, outside Terraform and as the owner.
func private(t *testing.T, o *acctest.Organization, name string, permissions map[string]zulip.GroupSettingValue, addresses ...string) {
	t.Helper()
	on := true
	in := []int64{}
	for _, address := range addresses {
		in = append(in, subscriptionIdOf(t, o, address))
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
	diags.ExpectError(t, "users", "remove the provider's own access", "lockout_protection = false")
	_, diags = o.NewRun(t, exclusiveType).Plan(without) // a new one, too
	diags.ExpectError(t, "users", "remove the provider's own access")

	run.Block = o.Block(values{"lockout_protection": false})
	run.MustApply(without)
	expectIn(t, o, "vault", admin)
	run.ExpectLack(values{"channel": "vault", "users": []any{admin, owner}}, "channel", "cannot add people to the private channel", "can_add_subscribers_group")

	// An account that can subscribe again is not locked out.
	private(t, o, "attic", map[string]zulip.GroupSettingValue{"can_subscribe_group": {DirectMembers: []int64{o.Self.ID}}}, owner, admin)
	attic := o.NewRun(t, exclusiveType)
	attic.MustApply(values{"channel": "attic", "users": []any{admin}})
	attic.MustApply(values{"channel": "attic", "users": []any{admin, owner}})
	expectIn(t, o, "attic", admin, owner)

	// The additive kind unsubscribes the users that it has subscribed.
	private(t, o, "cellar", map[string]zulip.GroupSettingValue{"can_add_subscribers_group": {DirectMembers: []int64{o.Self.ID}}}, admin)
	added := o.NewRun(t, additiveType)
	added.MustApply(values{"channel": "cellar", "users": []any{owner}})
	o.Change(t, "cellar", zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{"can_add_subscribers_group": {New: zulip.GroupSettingValue{}}}})
	_, diags = added.Plan(nil)
	diags.ExpectError(t, "users", "remove the provider's own access")
}

// The plan refuses accounts without the permission, and names it.
func TestProtocolSubscribersPermissions(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	private(t, o, "vault", nil, owner)
	// Lena does not see the emails of others.
	ids := func(addresses ...string) (users []any) {
		for _, address := range addresses {
			users = append(users, fmt.Sprint(subscriptionIdOf(t, o, address)))
		}
		return users
	}
	config := values{"channel": "announcements", "users": ids(owner, admin, moderator, member, member2)}
	more := ids(owner, admin, moderator, member, member2, guest)
	lena := o.As(t, "member")
	run := lena.NewRun(t, exclusiveType)
	run.MustApply(config) // to look is no offence
	run.MustApply(values{"channel": "announcements", "users": more})
	run.ExpectLack(config, "users", "cannot unsubscribe people", "can_remove_subscribers_group", "role:administrators")

	o.Call(t, "PATCH", "/realm", map[string]string{"can_add_subscribers_group": fmt.Sprintf(`{"new":%d}`, o.SystemGroup(t, "role:administrators"))})
	bot := botAddress(t, o)
	run.ExpectLack(values{"channel": "announcements", "users": append(more, ids(bot)...)}, "users", "cannot add people", "can_add_subscribers_group", "can_administer_channel_group")

	// If the channel grants both permissions, the plan passes.
	nobodyElse := zulip.GroupSettingValue{DirectMembers: []int64{lena.Self.ID}}
	o.Change(t, "announcements", zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{
		"can_add_subscribers_group": {New: nobodyElse}, "can_remove_subscribers_group": {New: nobodyElse},
	}})
	run.MustApply(values{"channel": "announcements", "users": ids(member, bot)})
	expectIn(t, o, "announcements", member, bot)

	// An account can always unsubscribe itself.
	own := lena.NewRun(t, additiveType)
	own.MustApply(values{"channel": "announcements", "users": ids(member)})
	own.Apply(own.MustPlan(nil)).ExpectNoError(t)

	paul := o.As(t, "guest")
	_, diags := paul.NewRun(t, additiveType).Plan(values{"channel": "general", "users": ids(bot)})
	diags.ExpectError(t, "", "guest")
	removing := paul.NewRun(t, exclusiveType)
	removing.MustImport("general")
	removing.ExpectRefused(values{"channel": "general", "users": ids(guest)}, "", "A guest cannot unsubscribe users")
}

func botAddress(t *testing.T, o *acctest.Organization) string {
	t.Helper()
	bot, ok := o.Sandbox.Credentials("bot")
	if !ok {
		t.Fatal("the sandbox has no bot")
	}
	return bot.Email
}
