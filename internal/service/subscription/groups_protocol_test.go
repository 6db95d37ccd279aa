package subscription_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// newGroup gives a test a user group of these members and subgroups, and returns its ID as a configuration writes it.
func newGroup(t *testing.T, o *acctest.Organization, name string, members []string, subgroups ...string) string {
	t.Helper()
	config := values{"name": name, "members": texts(members...), "subgroups": texts(subgroups...)}
	run := o.NewRun(t, "zulip_user_group")
	run.MustApply(config)
	return fmt.Sprint(run.State.Values["id"])
}

func texts(all ...string) []any {
	list := []any{}
	for _, text := range all {
		list = append(list, text)
	}
	return list
}

// join and leave change by hand who is in a group.
func join(t *testing.T, o *acctest.Organization, group, address string) {
	t.Helper()
	o.Call(t, http.MethodPost, "/user_groups/"+group+"/members", map[string]string{"add": fmt.Sprintf("[%d]", idOf(t, o, address))})
}

func leave(t *testing.T, o *acctest.Organization, group, address string) {
	t.Helper()
	o.Call(t, http.MethodPost, "/user_groups/"+group+"/members", map[string]string{"delete": fmt.Sprintf("[%d]", idOf(t, o, address))})
}

// idsOf are IDs as a state has them, ascending.
func idsOf(t *testing.T, o *acctest.Organization, addresses ...string) string {
	t.Helper()
	ids := []int64{}
	for _, address := range addresses {
		ids = append(ids, idOf(t, o, address))
	}
	slices.Sort(ids)
	return fmt.Sprint(ids)
}

func containsAll(text string, words ...string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

// expectPeople fails the test unless an attribute of the state or plan has these people.
func expectPeople(t *testing.T, o *acctest.Organization, attributes values, name string, addresses ...string) {
	t.Helper()
	if got, want := fmt.Sprint(attributes[name]), idsOf(t, o, addresses...); got != want {
		t.Errorf("%s: %s, want %s (%v)", name, got, want, addresses)
	}
}

// The members of groups are subscribed, also of groups in them; who joins comes, who leaves goes.
func TestProtocolGroupsLive(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	hall(t, o, "hall")
	inner := newGroup(t, o, "inner", []string{member})
	outer := newGroup(t, o, "outer", []string{admin}, "inner")
	for _, kind := range []string{exclusiveType, additiveType} {
		t.Run(kind, func(t *testing.T) {
			run := o.NewRun(t, kind)
			config := values{"channel": "hall", "users": []any{owner}, "groups": []any{"outer"}}
			plan, diags := run.Plan(config)
			diags.ExpectNoError(t)
			diags.ExpectWarning(t, "", `The subscribers of channel "hall" change with its groups`, "Will be subscribed: Lena Fischer ("+member+") and Tomas Berg ("+admin+").")
			expectPeople(t, o, plan.Values, "group_user_ids", admin, member)
			silent := run.Fork()
			silent.Block = o.Block(values{"access_warnings": false})
			if _, diags := silent.Plan(config); len(diags.Warnings()) > 0 {
				t.Errorf("warned although such warnings are turned off: %v", diags)
			}
			sent := o.Sent()
			run.Apply(plan).ExpectNoError(t)
			sent.Expect(t, putIn)
			expectIn(t, o, "hall", owner, admin, member)
			if plan := run.MustPlan(config); !plan.Empty() {
				t.Errorf("after the apply the plan changes %v", plan.Changes())
			}

			// The same groups in other words and another order.
			sent = o.Sent()
			run.MustApply(values{"channel": "hall", "users": []any{owner}, "groups": []any{inner, outer, "outer"}})
			run.MustApply(config)
			sent.Expect(t)

			join(t, o, inner, member2)
			leave(t, o, outer, admin)
			plan, diags = run.Plan(config)
			diags.ExpectWarning(t, "", "Will be subscribed: Kenji Sato", "Will be unsubscribed: Tomas Berg")
			expectPeople(t, o, plan.Prior.Values, "group_user_ids", admin, member)
			expectPeople(t, o, plan.Values, "group_user_ids", member, member2)
			sent = o.Sent()
			run.Apply(plan).ExpectNoError(t)
			sent.Expect(t, putIn, takeOut)
			expectIn(t, o, "hall", owner, member, member2)

			// Without the groups nobody of them stays.
			run.MustApply(values{"channel": "hall", "users": []any{owner}})
			expectIn(t, o, "hall", owner)
			run.MustApply(values{"channel": "hall", "groups": []any{inner}})
			expectIn(t, o, "hall", member, member2)
			if kind == exclusiveType {
				run.MustApply(values{"channel": "hall", "users": []any{}})
			} else {
				run.Apply(run.MustPlan(nil)).ExpectNoError(t)
			}
			expectIn(t, o, "hall")
			join(t, o, outer, admin)
			leave(t, o, inner, member2)
		})
	}
}

// The additive kind takes out nobody whom it has not put in, and nobody whom something else of it names.
func TestProtocolGroupsLeaving(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	hall(t, o, "hall")
	one := newGroup(t, o, "one", []string{admin, member, member2, guest})
	two := newGroup(t, o, "two", []string{member2})
	subscribe(t, o, "hall", admin)
	run := o.NewRun(t, additiveType)
	config := values{"channel": "hall", "users": []any{member}, "groups": []any{one, two}}
	run.MustApply(config)
	expectPeople(t, o, run.State.Values, "added_user_ids", member, member2, guest)
	for _, address := range []string{admin, member, member2, guest} {
		leave(t, o, one, address)
	}
	plan, diags := run.Plan(config)
	diags.ExpectNoError(t)
	if got := fmt.Sprint(diags.Warnings()); !slices.Contains(plan.Changes(), "group_user_ids") || !containsAll(got, "Will be unsubscribed: Paul Dubois") || containsAll(got, "Tomas") {
		t.Errorf("planned %v: %s", plan.Changes(), got)
	}
	run.MustApply(config)
	expectIn(t, o, "hall", admin, member, member2)
	expectPeople(t, o, run.State.Values, "added_user_ids", member, member2)
}

// A group counts as the server counts it: bots are members, deactivated people are not.
func TestProtocolGroupsOfBotsAndDeactivated(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	hall(t, o, "hall")
	bot := botAddress(t, o)
	group := newGroup(t, o, "mixed", []string{bot, member, guest})
	run := o.NewRun(t, exclusiveType)
	config := values{"channel": "hall", "groups": []any{group}}
	deactivate(t, o, guest)
	run.MustApply(config)
	expectIn(t, o, "hall", bot, member)
	o.Call(t, http.MethodPost, fmt.Sprintf("/users/%d/reactivate", idOf(t, o, guest)), nil)
	run.MustApply(config)
	expectIn(t, o, "hall", bot, member, guest)
	config["users"] = []any{owner}
	plan := run.MustPlan(config)
	deactivate(t, o, guest) // neither a conflict nor a difference
	run.Apply(plan).ExpectNoError(t)
	expectIn(t, o, "hall", owner, bot, member)
	run.MustApply(values{"channel": "hall", "groups": []any{group, "role:moderators"}})
	expectIn(t, o, "hall", bot, member, owner, admin, moderator)
	run.MustApply(values{"channel": "hall", "groups": []any{"role:nobody"}})
	expectIn(t, o, "hall")
}

// With resubscribe = false whoever has left stays out, until they come by themselves.
func TestProtocolGroupsResubscribe(t *testing.T) {
	for _, kind := range []string{exclusiveType, additiveType} {
		t.Run(kind, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			hall(t, o, "hall")
			group := newGroup(t, o, "team", []string{member, member2})
			run := o.NewRun(t, kind)
			with := func(resubscribe any) values {
				return values{"channel": "hall", "users": []any{owner, admin}, "groups": []any{group}, "resubscribe": resubscribe}
			}
			run.MustApply(with(nil))
			unsubscribe(t, o, "hall", member)
			unsubscribe(t, o, "hall", admin)
			for _, again := range []any{nil, true} {
				if plan := run.MustPlan(with(again)); plan.Empty() {
					t.Errorf("resubscribe = %v: nobody is proposed again", again)
				}
			}
			// From now on they stay out, whatever else is changed.
			sent := o.Sent()
			run.MustApply(with(false))
			sent.Expect(t)
			expectPeople(t, o, run.State.Values, "left_user_ids", admin, member)
			leave(t, o, group, member)
			join(t, o, group, guest)
			run.MustApply(with(false))
			join(t, o, group, member)
			if plan := run.MustPlan(with(false)); !plan.Empty() {
				t.Errorf("who left comes back with the group: %v", plan.Changes())
			}
			expectIn(t, o, "hall", owner, member2, guest)

			// Who comes by themselves is one of them again, and is followed when they leave the group.
			subscribe(t, o, "hall", member)
			if plan := run.MustPlan(with(false)); !plan.Empty() {
				t.Errorf("who came back is a difference: %v", plan.Changes())
			}
			run.MustApply(with(true))
			expectIn(t, o, "hall", owner, admin, member, member2, guest)
			if left := run.State.Values["left_user_ids"]; left != nil {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// Who was deactivated, and is reactivated without a subscription, has not left.
func TestProtocolGroupsReactivatedHasNotLeft(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	hall(t, o, "hall")
	deactivate(t, o, member)
	run := o.NewRun(t, additiveType)
	config := values{"channel": "hall", "users": []any{owner, member}, "resubscribe": false}
	run.MustApply(config)
	o.Call(t, http.MethodPost, fmt.Sprintf("/users/%d/reactivate", idOf(t, o, member)), nil)
	run.MustApply(config)
	expectIn(t, o, "hall", owner, member)
}

// What cannot be subscribed is refused at plan.
func TestProtocolGroupsBadInput(t *testing.T) {
	for _, kind := range []string{exclusiveType, additiveType} {
		o := acctest.StartSandbox(t, sandbox.Config{})
		hall(t, o, "hall")
		old := newGroup(t, o, "old", []string{member})
		run := o.NewRun(t, kind)
		run.MustApply(values{"channel": "hall", "users": []any{owner}, "groups": []any{old}})
		o.Call(t, http.MethodPost, "/user_groups/"+old+"/deactivate", nil)
		for group, words := range map[string][]string{
			"sree": {`did you mean "sre"?`, "zulip_user_group.NAME.id"}, "987654": {"no user group with the ID 987654"},
			"old": {`"old" is deactivated`, "adopt_deactivated"}, old: {`"old" is deactivated`},
			"role:internet": {"role:everyone"}, "group:sre": {"without group:", `"sre"`}, "role:member": {"role:members"}, "": {"at least 1"},
		} {
			_, diags := run.Plan(values{"channel": "hall", "users": []any{owner}, "groups": []any{group}})
			diags.ExpectError(t, "groups", words...)
		}
		_, diags := o.NewRun(t, kind).Plan(values{"channel": "hall"})
		diags.ExpectError(t, "users", "Set at least one of users, groups")
		expectIn(t, o, "hall", owner, member)
	}
}

// People change from one list to the other without a request, also after an import.
func TestProtocolGroupsSwitchingFromUsers(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, exclusiveType)
	run.MustApply(values{"channel": "announcements", "users": []any{owner, admin, moderator, member, member2}})
	sent := o.Sent()
	// Those in the group are subscribed already: they change from one list to the other.
	run.MustApply(values{"channel": "announcements", "users": []any{owner, admin, member2}, "groups": []any{"sre"}})
	run.MustApply(values{"channel": "announcements", "users": []any{owner, admin, member2, member}, "groups": []any{"sre"}})
	sent.Expect(t)
	fresh := o.NewRun(t, exclusiveType)
	fresh.Import("announcements", nil).ExpectNoError(t)
	fresh.MustApply(values{"channel": "announcements", "users": []any{owner, admin, member2}, "groups": []any{"sre"}})
	sent.Expect(t)
	expectIn(t, o, "announcements", owner, admin, moderator, member, member2)
}

// A state of a version without groups is read, and plans empty.
func TestProtocolGroupsStateOfEarlierVersions(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	everybody := []any{owner, admin, moderator, member, member2}
	for kind, more := range map[string]string{exclusiveType: "", additiveType: `, "added_user_ids": []`} {
		stored := fmt.Sprintf(`{"channel": "announcements", "channel_id": %d, "send_new_subscription_messages": null, "users": [%q, %q, %q, %q, %q]%s}`,
			append([]any{o.MustChannel(t, "announcements").ID}, append(slices.Clone(everybody), more)...)...)
		run := o.NewRun(t, kind)
		p := run.Process()
		state, diags := p.UpgradeFrom(kind, p.SchemaVersion(kind), []byte(stored))
		diags.ExpectNoError(t)
		run.State = &acctest.Instance{Values: state}
		if plan := run.MustPlan(values{"channel": "announcements", "users": everybody}); !plan.Empty() {
			t.Errorf("%s: planned %v", kind, plan.Changes())
		}
		unsubscribe(t, o, "announcements", member)
		if plan := run.MustPlan(values{"channel": "announcements", "users": everybody, "resubscribe": false}); !slices.Equal(plan.Changes(), []string{"resubscribe"}) {
			t.Errorf("%s: planned %v", kind, plan.Changes())
		}
		run.MustApply(values{"channel": "announcements", "users": everybody})
		run.MustApply(values{"channel": "announcements", "users": []any{owner, admin, member2}, "groups": []any{"sre"}})
		expectIn(t, o, "announcements", owner, admin, moderator, member, member2)
	}
}
