package subscription_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// planIn plans a resource in a process that others share, after it was read there as the CLI does.
func planIn(t *testing.T, p *acctest.Process, resource string, run *acctest.Run, config values) (*acctest.Plan, acctest.Diagnostics) {
	t.Helper()
	prior := run.State
	if prior != nil {
		var diags acctest.Diagnostics
		prior, diags = p.Read(resource, prior)
		diags.ExpectNoError(t)
	}
	return p.Plan(resource, prior, config)
}

// A group that changes in the same run changes the subscribers in the same run.
func TestProtocolGroupsOfTheSameRun(t *testing.T) {
	const groupType = "zulip_user_group"
	for _, kind := range []string{exclusiveType, additiveType} {
		t.Run(kind, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			hall(t, o, "hall")
			group, people := o.NewRun(t, groupType), o.NewRun(t, kind)
			members := func(all ...string) values { return values{"name": "team", "members": texts(all...)} }
			config := func(team any) values {
				return values{"channel": "hall", "users": []any{owner}, "groups": []any{team}}
			}
			both := func(groupConfig, peopleConfig values) (*acctest.Plan, acctest.Diagnostics) {
				t.Helper()
				p := people.Process()
				planned, diags := planIn(t, p, groupType, group, groupConfig)
				diags.ExpectNoError(t)
				plan, reported := planIn(t, p, kind, people, peopleConfig)
				reported.ExpectNoError(t)
				p = people.Process()
				group.ApplyIn(p, planned).ExpectNoError(t)
				people.ApplyIn(p, plan).ExpectNoError(t)
				return plan, reported
			}

			// The group is created: its ID is not known, and by name it is known that it will be there.
			plan := people.MustPlan(config(acctest.Unknown))
			if plan.Values["group_user_ids"] != acctest.Unknown {
				t.Errorf("planned with a group that is not known: %v", plan.Values)
			}
			plan, _ = both(members(member, admin), config("team"))
			if plan.Values["group_user_ids"] != acctest.Unknown {
				t.Errorf("planned with a group to be created: %v", plan.Values)
			}
			expectIn(t, o, "hall", owner, member, admin)
			id := fmt.Sprint(group.State.Values["id"])
			people.MustApply(config(id))

			// By ID the change of the group comes before: it is known what comes of it.
			plan, diags := both(members(member, guest), config(id))
			diags.ExpectWarning(t, "", "Will be subscribed: Paul Dubois", "Will be unsubscribed: Tomas Berg")
			expectPeople(t, o, plan.Values, "group_user_ids", member, guest)
			expectIn(t, o, "hall", owner, member, guest)
			if plan := people.MustPlan(config(id)); !plan.Empty() {
				t.Errorf("after the apply the plan changes %v", plan.Changes())
			}

			// Somebody does by hand what is planned: that is fine.
			p := people.Process()
			planned, diags := planIn(t, p, groupType, group, members(member, guest, moderator))
			diags.ExpectNoError(t)
			plan, diags = planIn(t, p, kind, people, config(id))
			diags.ExpectNoError(t)
			join(t, o, id, moderator)
			p = people.Process()
			group.ApplyIn(p, planned).ExpectNoError(t)
			people.ApplyIn(p, plan).ExpectNoError(t)
			expectIn(t, o, "hall", owner, member, guest, moderator)
			both(members(member, guest), config(id))

			// By name it may come after: it is said who comes, and what an apply finds is right.
			plan, diags = both(members(member, guest, member2), config("team"))
			diags.ExpectWarning(t, "", "Will be subscribed: Kenji Sato")
			if plan.Values["group_user_ids"] != acctest.Unknown {
				t.Errorf("planned with a group named by name: %v", plan.Values)
			}
			expectIn(t, o, "hall", owner, member, guest, member2)

			// The group comes after: nothing is wrong, and the next plan shows the rest.
			p = people.Process()
			planned, diags = planIn(t, p, groupType, group, members(member))
			diags.ExpectNoError(t)
			plan, diags = planIn(t, p, kind, people, config("team"))
			diags.ExpectNoError(t)
			p = people.Process()
			people.ApplyIn(p, plan).ExpectNoError(t)
			group.ApplyIn(p, planned).ExpectNoError(t)
			expectIn(t, o, "hall", owner, member, guest, member2)
			people.MustApply(config("team"))
			expectIn(t, o, "hall", owner, member)
		})
	}
}

// A membership is no part of the group that is named: whether it comes before is not known.
func TestProtocolGroupsWithAMembershipOfTheSameRun(t *testing.T) {
	const membershipType = "zulip_user_group_membership"
	o := acctest.StartSandbox(t, sandbox.Config{})
	hall(t, o, "hall")
	id := newGroup(t, o, "team", []string{member})
	people, membership := o.NewRun(t, exclusiveType), o.NewRun(t, membershipType)
	config := values{"channel": "hall", "groups": []any{id}}
	people.MustApply(config)
	for _, added := range []values{{"group": "team", "members": []any{member2}}, {"group": "team", "subgroups": []any{"role:owners"}}, nil} {
		p := people.Process()
		planned, diags := planIn(t, p, membershipType, membership, added)
		diags.ExpectNoError(t)
		plan, diags := planIn(t, p, exclusiveType, people, config)
		diags.ExpectNoError(t)
		if plan.Values["group_user_ids"] != acctest.Unknown {
			t.Errorf("with %v: planned %v", added, plan.Values["group_user_ids"])
		}
		p = people.Process()
		membership.ApplyIn(p, planned).ExpectNoError(t)
		people.ApplyIn(p, plan).ExpectNoError(t)
		if plan := people.MustPlan(config); !plan.Empty() {
			t.Errorf("with %v: after the apply the plan changes %v", added, plan.Changes())
		}
	}
	expectIn(t, o, "hall", member)
}

// A role that the same run gives changes who is in the groups of roles.
func TestProtocolGroupsOfRolesThatChange(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	hall(t, o, "hall")
	people, role := o.NewRun(t, exclusiveType), o.NewRun(t, "zulip_user_role")
	config := values{"channel": "hall", "groups": []any{"role:moderators"}}
	people.MustApply(config)
	p := people.Process()
	planned, diags := planIn(t, p, "zulip_user_role", role, values{"user": member, "role": "moderator"})
	diags.ExpectNoError(t)
	plan, diags := planIn(t, p, exclusiveType, people, config)
	diags.ExpectNoError(t)
	p = people.Process()
	role.ApplyIn(p, planned).ExpectNoError(t)
	people.ApplyIn(p, plan).ExpectNoError(t)
	expectIn(t, o, "hall", owner, admin, moderator, member, botAddress(t, o)) // an administrator
}

// An account that the same run creates is in the groups of its role.
func TestProtocolGroupsOfAnAccountThatIsCreated(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	hall(t, o, "hall")
	people, account := o.NewRun(t, exclusiveType), o.NewRun(t, "zulip_user")
	config := values{"channel": "hall", "groups": []any{"role:everyone"}}
	people.MustApply(config)
	before := len(o.Subscribers(t, "hall"))
	p := people.Process()
	planned, diags := planIn(t, p, "zulip_user", account, values{"email": "noor@example.com", "full_name": "Noor Haddad"})
	diags.ExpectNoError(t)
	plan, diags := planIn(t, p, exclusiveType, people, config)
	diags.ExpectNoError(t)
	p = people.Process()
	account.ApplyIn(p, planned).ExpectNoError(t)
	people.ApplyIn(p, plan).ExpectNoError(t)
	if in := o.Subscribers(t, "hall"); len(in) != before+1 {
		t.Errorf("%d are in the channel, and %d were before", len(in), before)
	}

	// Who is deactivated is in none of them.
	p = people.Process()
	planned, diags = planIn(t, p, "zulip_user", account, nil)
	diags.ExpectNoError(t)
	plan, diags = planIn(t, p, exclusiveType, people, config)
	diags.ExpectNoError(t)
	if plan.Values["group_user_ids"] != acctest.Unknown {
		t.Errorf("planned with somebody who is deactivated: %v", plan.Values["group_user_ids"])
	}
	p = people.Process()
	account.ApplyIn(p, planned).ExpectNoError(t)
	people.ApplyIn(p, plan).ExpectNoError(t)
	people.MustApply(config)
}

// Whom somebody else puts into a group after the plan is not subscribed, and is named.
func TestProtocolGroupsMeanwhile(t *testing.T) {
	for _, kind := range []string{exclusiveType, additiveType} {
		t.Run(kind, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			hall(t, o, "hall")
			id := newGroup(t, o, "team", []string{member})
			run := o.NewRun(t, kind)
			config := values{"channel": "hall", "groups": []any{"team"}}
			run.MustApply(config)
			join(t, o, id, member2)
			plan := run.MustPlan(config)
			join(t, o, id, guest)
			leave(t, o, id, member)
			sent := o.Sent()
			run.Apply(plan).ExpectError(t, "groups", `subscribed to channel "hall"`, "Joined since: "+guest, "Left since: "+member, "Plan again")
			sent.Expect(t)
			run.MustApply(config)
			expectIn(t, o, "hall", member2, guest)

			// A group of the same run changes too: what that explains is no conflict, and nothing else.
			group := o.NewRun(t, "zulip_user_group")
			group.Import(id, nil).ExpectNoError(t)
			p := run.Process()
			above := o.NewRun(t, "zulip_user_group")
			plannedGroup, diags := planIn(t, p, "zulip_user_group", above, values{"name": "above", "members": texts(owner)})
			diags.ExpectNoError(t)
			plan, diags = planIn(t, p, kind, run, values{"channel": "hall", "users": []any{admin}, "groups": []any{"team"}})
			diags.ExpectNoError(t)
			join(t, o, id, moderator)
			p = run.Process()
			above.ApplyIn(p, plannedGroup).ExpectNoError(t)
			run.ApplyIn(p, plan).ExpectError(t, "groups", "Joined since: "+moderator)
			expectIn(t, o, "hall", member2, guest)
		})
	}
}

// Both kinds go on where an answer is lost: whoever was subscribed is in the state.
func TestProtocolGroupsLostAnswers(t *testing.T) {
	for _, kind := range []string{exclusiveType, additiveType} {
		t.Run(kind, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			hall(t, o, "hall")
			id := newGroup(t, o, "team", []string{member})
			run := o.NewRun(t, kind)
			config := values{"channel": "hall", "groups": []any{id}}
			const path = "/users/me/subscriptions"
			o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: path, After: true, Action: sandbox.FaultDrop, Count: 1})
			run.MustApply(config)
			expectIn(t, o, "hall", member)

			// Every answer is lost.
			join(t, o, id, guest)
			heal := o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: path, After: true, Action: sandbox.FaultDrop})
			run.Block = o.Block(values{"max_retries": 0})
			run.Apply(run.MustPlan(config)).ExpectError(t, "", "Cannot add "+guest, "Applying again is safe")
			heal()
			expectPeople(t, o, run.State.Values, "group_user_ids", member, guest)
			run.Block = o.Block(nil)
			sent := o.Sent()
			run.MustApply(config)
			sent.Expect(t)
			expectIn(t, o, "hall", member, guest)

			// The server refuses: nobody counts as subscribed.
			join(t, o, id, member2)
			heal = o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: path, Action: sandbox.FaultStatus, Status: http.StatusBadRequest})
			run.Apply(run.MustPlan(config)).ExpectError(t, "", "Cannot add "+member2)
			heal()
			expectPeople(t, o, run.State.Values, "group_user_ids", member, guest)
			run.MustApply(config)
			expectIn(t, o, "hall", member, guest, member2)
		})
	}
}

// Whatever groups contain each other: those are subscribed whom the server lists as members at any depth.
func TestProtocolGroupsAreWhatTheServerCounts(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	hall(t, o, "hall")
	everybody := []string{owner, admin, moderator, member, member2, guest, botAddress(t, o)}
	random := rand.New(rand.NewPCG(7, 11))
	some := func(all []string) (chosen []string) {
		for _, one := range all {
			if random.IntN(3) == 0 {
				chosen = append(chosen, one)
			}
		}
		return chosen
	}
	names := []string{"role:owners", "role:moderators"}
	ids := map[string]string{}
	for i := range 8 {
		name := fmt.Sprint("group", i)
		ids[name] = newGroup(t, o, name, some(everybody), some(names)...)
		names = append(names, name)
	}
	deactivate(t, o, member2)
	run := o.NewRun(t, exclusiveType)
	for range 12 {
		groups := some(names[2:])
		union := map[int64]bool{}
		for _, group := range groups {
			listed := o.Call(t, http.MethodGet, "/user_groups/"+ids[group]+"/members", nil)["members"]
			for _, id := range listed.([]any) {
				union[int64(id.(float64))] = true
			}
		}
		run.MustApply(values{"channel": "hall", "groups": texts(groups...)})
		in := o.Subscribers(t, "hall")
		if len(in) != len(union) || slices.ContainsFunc(in, func(id int64) bool { return !union[id] }) {
			t.Errorf("of %v are subscribed %v, and members %v", groups, in, union)
		}
	}
}

// A group of five thousand is one request, however many groups it is made of.
func TestProtocolGroupsOfALargeOrganization(t *testing.T) {
	const count = 5000
	o, _ := crowd(t, count)
	var ids []string
	for _, account := range o.Sandbox.AllCredentials() {
		if account.Email != "owner@example.com" {
			ids = append(ids, fmt.Sprint(account.ID))
		}
	}
	groups := []any{}
	for members := range slices.Chunk(ids, count/50) {
		name := fmt.Sprint("team", len(groups))
		o.Call(t, http.MethodPost, "/user_groups/create", map[string]string{"name": name, "description": "", "members": "[" + strings.Join(members, ",") + "]"})
		groups = append(groups, name)
	}
	run := o.NewRun(t, exclusiveType)
	config := values{"channel": "hall", "groups": groups}
	sent := o.Sent()
	run.MustApply(config)
	sent.Expect(t, putIn)
	// As for users: see TestProtocolSubscribersOfALargeChannel.
	if requests := sent.Requests(); len(requests) > 3*4+3+2+1 {
		t.Errorf("%d requests: %v", len(requests), paths(requests))
	}
	if in := o.Subscribers(t, "hall"); len(in) != count {
		t.Errorf("%d are in the channel", len(in))
	}
	sent = o.Sent()
	run.MustApply(values{"channel": "hall", "groups": groups[:25]})
	sent.Expect(t, takeOut)
}
