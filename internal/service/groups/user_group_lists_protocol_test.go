package groups_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

const (
	groupType      = "zulip_user_group"
	membershipType = "zulip_user_group_membership"
)

// listed returns a list as configured.
func listed(all ...any) []any { return all }

// Another order and repetitions are no change, and the state keeps them.
func TestProtocolUserGroupListsInAnyOrder(t *testing.T) {
	for kind, config := range map[string]values{
		groupType:      {"name": "ops", "members": listed(lena, ines, kenji), "subgroups": listed("sre", "role:moderators")},
		membershipType: {"group": "leads", "members": listed(lena, ines, kenji), "subgroups": listed("sre", "role:moderators")},
	} {
		o := acctest.StartSandbox(t, sandbox.Config{})
		run := o.NewRun(t, kind)
		run.MustApply(config)
		for _, list := range []string{"members", "subgroups"} {
			if got := run.State.Values[list]; !reflect.DeepEqual(got, config[list]) {
				t.Errorf("%s: %s in the state is %v", kind, list, got)
			}
		}
		empty(t, run, but(config, values{"members": listed(kenji, lena, ines), "subgroups": listed("role:moderators", "sre")}))
		empty(t, run, but(config, values{"members": listed(kenji, "LENA.fischer@example.com", ines, lena, fmt.Sprint(id(t, o, ines)))}))
		sent := o.Sent()
		run.MustApply(but(config, values{"members": listed(tomas, kenji, tomas, lena, ines)}))
		expectParams(t, sent, map[string]string{"add": text(t, ids(t, o, tomas))})
		if got := run.State.Values["members"]; !reflect.DeepEqual(got, listed(tomas, kenji, tomas, lena, ines)) {
			t.Errorf("%s: members in the state are %v", kind, got)
		}
		_, diags := run.Plan(but(config, values{"members": listed(lena, nil)}))
		if len(diags.Errors()) == 0 {
			t.Errorf("%s: null is someone", kind)
		}
	}
}

// A plan that cannot list members does not remove them: an existing resource waits for the next apply, with all its
// changes. Terraform plans again during apply, when the list is known, and that plan must be the same.
func TestProtocolUserGroup_UnknownList_Deferred(t *testing.T) {
	for kind, config := range map[string]values{
		groupType:      {"name": "ops", "description": "x", "can_mention_group": set("role:members"), "members": listed(lena, kenji), "subgroups": listed("sre")},
		membershipType: {"group": "leads", "members": listed(lena, kenji), "subgroups": listed("sre")},
	} {
		for _, list := range []string{"members", "subgroups"} {
			o := acctest.StartSandbox(t, sandbox.Config{})
			run := o.NewRun(t, kind)
			run.MustApply(config)
			next := but(config, values{list: acctest.Unknown})
			if kind == groupType {
				next = but(next, values{"name": "operations", "description": "y", "can_mention_group": set("role:nobody")})
			} else {
				other := map[string]string{"members": "subgroups", "subgroups": "members"}[list]
				next[other] = listed("role:moderators")
				if other == "members" {
					next[other] = listed(lena, ines)
				}
			}
			plan, diags := run.Plan(next)
			diags.ExpectNoError(t)
			diags.ExpectWarning(t, list, "wait for the next apply")
			if !plan.Empty() {
				t.Errorf("%s, %s not known: the plan changes %v", kind, list, plan.Changes())
			}
		}
	}
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, groupType)
	run.MustApply(values{"name": "ops", "members": listed(lena)})
	// The state has no value for the newly managed attribute, and Terraform refuses a plan without the configured
	// one.
	_, diags := run.Plan(values{"name": "ops", "members": acctest.Unknown, "can_mention_group": set("role:nobody")})
	diags.ExpectError(t, "can_mention_group", "Cannot set can_mention_group in this apply", "(-target)")
	// A resource that names the group by its new name must wait for the rename.
	_, reported := planTogether(t, o,
		member{groupType, run.State, values{"name": "operations", "members": acctest.Unknown}},
		member{"zulip_channel", nil, values{"name": "c", "can_send_message_group": set("group:operations")}})
	reported[1].ExpectError(t, "can_send_message_group", `User group "operations" is not in the organization`)
}

// An element that is not known during plan may be in the state, so that the list names the same members in another
// order. The plan of the apply then contradicts none. If that is impossible, the plan does not wait.
func TestProtocolUserGroup_UnknownElement_PlansConsistent(t *testing.T) {
	for kind, config := range map[string]values{groupType: {"name": "ops"}, membershipType: {"group": "leads"}} {
		o := acctest.StartSandbox(t, sandbox.Config{})
		run := o.NewRun(t, kind)
		config = but(config, values{"members": listed(lena, kenji), "subgroups": listed("sre", "role:moderators")})
		run.MustApply(config)
		for list, then := range map[string][]any{"members": listed(kenji, lena), "subgroups": listed("role:moderators", "sre")} {
			next := but(config, values{list: []any{then[0], acctest.Unknown}})
			plan, diags := run.Plan(next)
			diags.ExpectNoError(t)
			plan.Config = but(plan.Config, values{list: then})
			sent := o.Sent()
			if plan.Empty() { // Terraform does not apply the plan
				diags.ExpectWarning(t, list, "wait for the next apply")
			} else {
				run.Apply(plan).ExpectNoError(t)
			}
			sent.Expect(t)
		}
		for name, test := range map[string]struct{ planned, then []any }{
			"in its place": {[]any{lena, acctest.Unknown}, listed(lena, ines)},
			"one more":     {append(listed(ines, lena), acctest.Unknown), listed(ines, lena, tomas)},
			"another":      {[]any{ines, acctest.Unknown}, listed(ines, amara)},
		} {
			plan, diags := run.Plan(but(config, values{"members": test.planned}))
			diags.ExpectNoError(t)
			if plan.Empty() {
				t.Errorf("%s, %s: nothing is planned", kind, name)
			}
			plan.Config = but(plan.Config, values{"members": test.then})
			run.Fork().Apply(plan).ExpectNoError(t)
			run.MustApply(config)
		}
	}
}

// No one can be removed from a new group: it gets the members that are known when it is created.
func TestProtocolUserGroup_NewWithUnknownMembers(t *testing.T) {
	for kind, config := range map[string]values{groupType: {"name": "ops"}, membershipType: {"group": "ops"}} {
		s := acctest.StartSandbox(t, sandbox.Config{}).NewResources(t)
		if kind == membershipType {
			made(t, s.Organization, groupType, values{"name": "ops"})
		}
		one := part("one", kind, but(config, values{"members": acctest.Unknown}))
		plans, diags := s.Plan(one)
		diags.ExpectNoError(t)
		one.Config = acctest.Fixed(but(config, values{"members": listed(lena, ines)}))
		s.Apply(plans, one).ExpectNoError(t)
		holds(t, s.Organization, "ops", []string{lena, ines}, nil)
	}
}

// A membership is removed from the configuration, and a group lists the same people from then on. Terraform destroys
// the membership in any case, so the plan is refused, in any order, unless the membership is removed from the state.
func TestProtocolUserGroup_ListReplacingMembership_Refused(t *testing.T) {
	for _, first := range []string{"the membership", "the group"} {
		t.Run(first, func(t *testing.T) {
			s := acctest.StartSandbox(t, sandbox.Config{}).NewResources(t)
			group := part("group", groupType, values{"name": "ops"})
			membership := part("membership", membershipType, values{"group": "ops", "members": listed(lena, kenji)})
			plans, diags := s.Plan(group, membership)
			diags.ExpectNoError(t)
			s.Apply(plans, group, membership).ExpectNoError(t)

			group.Config, membership.Config = acctest.Fixed(values{"name": "ops", "members": listed(lena, amara)}), nil
			parts := []acctest.Entry{group, membership}
			if first == "the membership" {
				parts = []acctest.Entry{membership, group}
			}
			_, diags = s.Plan(parts...)
			diags.ExpectError(t, "members", `Members of user group "ops" may be lost`, lena, "removed {", "destroy = false")

			// Members that no resource lists can be removed, in any order.
			group.Config = acctest.Fixed(values{"name": "ops", "members": listed(amara)})
			parts[slices.IndexFunc(parts, func(p acctest.Entry) bool { return p.Name == "group" })] = group
			plans, diags = s.Plan(parts...)
			diags.ExpectNoError(t)
			s.Apply(plans, parts...).ExpectNoError(t)
			holds(t, s.Organization, "ops", []string{amara}, nil)
		})
	}
	// Removing a resource from the state removes no one from the group.
	s := acctest.StartSandbox(t, sandbox.Config{}).NewResources(t)
	made(t, s.Organization, membershipType, values{"group": "leads", "members": listed(lena, kenji)})
	s.Import("group", groupType, "leads")
	group := part("group", groupType, values{"name": "leads", "members": listed(kenji, lena), "subgroups": listed("sre")})
	sent := s.Sent()
	plans, diags := s.Plan(group)
	diags.ExpectNoError(t)
	s.Apply(plans, group).ExpectNoError(t)
	expectParams(t, sent, map[string]string{"delete": text(t, ids(t, s.Organization, ines, amara))})
	holds(t, s.Organization, "leads", []string{kenji, lena}, []string{"sre"})
}

// A membership adds and removes only its own members, whatever changes between plan and apply.
func TestProtocolUserGroupMembership_OtherChanges_Kept(t *testing.T) {
	o, run := added(t)
	run.MustApply(values{"group": "sre", "members": listed(kenji, ines)})
	plan := run.MustPlan(values{"group": "sre", "members": listed(ines, tomas)})
	members(t, o, "sre", zulip.MembershipChange{Add: ids(t, o, "paul.dubois@example.com"), Delete: ids(t, o, ines, amara)})
	sent := o.Sent()
	carryOut(run, plan).ExpectNoError(t)
	expectParams(t, sent, map[string]string{"add": text(t, ids(t, o, tomas)), "delete": text(t, ids(t, o, kenji))})
	holds(t, o, "sre", []string{lena, tomas, "paul.dubois@example.com"}, nil)
	run.MustApply(values{"group": "sre", "members": listed(ines, tomas)}) // the next plan adds Ines again
	holds(t, o, "sre", []string{lena, tomas, ines, "paul.dubois@example.com"}, nil)
}

// A deactivated group keeps its members. The plan lists the members that a reactivation removes, and refuses if it
// cannot.
func TestProtocolUserGroup_Adopted_RemovalsListed(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"name": "ops", "members": listed(kenji, lena, amara), "subgroups": listed("sre")})
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	config := values{"name": "ops", "members": listed(lena, ines), "adopt_deactivated": true}
	for _, unknown := range []any{acctest.Unknown, []any{lena, acctest.Unknown}} {
		_, diags := run.Plan(but(config, values{"members": unknown}))
		diags.ExpectError(t, "members", "Cannot plan the members", "aren't known until apply")
	}
	plan, diags := run.Plan(config)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "members", "Reactivation removes some members of a user group\n", `User group "ops"`, kenji, amara)
	run.Apply(plan).ExpectNoError(t)
	holds(t, o, "ops", []string{lena, ines}, []string{"sre"})
}

const tomas = "tomas.berg@example.com"

// byOwners is an organization in which only owners manage all groups; the provider's account is an administrator.
func byOwners(t *testing.T) *acctest.Organization {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_manage_all_groups": fmt.Sprintf(`{"new":%d}`, id(t, o, "role:owners"))})
	return o.As(t, "admin")
}

// The account loses access that it has through a group together with the group, wherever the group is named.
func TestProtocolLockoutThroughAnotherGroup(t *testing.T) {
	const locked = "This would remove the provider's own access"
	o := byOwners(t)
	managers, inner := o.NewRun(t, "zulip_user_group"), o.NewRun(t, "zulip_user_group")
	inner.MustApply(values{"name": "inner", "members": set(tomas), "can_manage_group": set("user:" + tomas)})
	managers.MustApply(values{"name": "managers", "members": set(), "subgroups": set("inner"), "can_manage_group": set("user:" + tomas)})
	press := o.NewRun(t, "zulip_user_group")
	press.MustApply(values{"name": "press", "can_manage_group": set("group:managers")})
	membership := o.NewRun(t, "zulip_user_group_membership")
	membership.Import("inner/"+tomas, nil).ExpectNoError(t)

	without := values{"name": "inner", "members": set(lena), "can_manage_group": set("user:" + tomas)}
	for _, test := range []struct {
		run    *acctest.Run
		config values
		at     string
	}{
		{inner, without, "members"},
		{managers, values{"name": "managers", "subgroups": set(), "can_manage_group": set("user:" + tomas)}, "subgroups"},
		{membership, nil, "members"},
		{membership, values{"group": "inner", "members": set(lena)}, "members"},
	} {
		plan, diags := test.run.Plan(test.config)
		diags.ExpectNoError(t) // another resource of the run may first give the account the permission in another way
		diags.ExpectWarning(t, test.at, locked, `manage user group "press"`, tomas)
		sent := o.Sent()
		carryOut(test.run.Fork(), plan).ExpectError(t, test.at, locked, `manage user group "press"`, tomas)
		sent.Expect(t)
	}

	// Another way to the permission is enough.
	press.MustApply(values{"name": "press", "can_manage_group": set("group:managers", "user:"+tomas)})
	plan, diags := inner.Plan(without)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "members", `The provider's account leaves user group "inner"`)
	carryOut(inner, plan).ExpectNoError(t)
	added := membership.MustPlan(values{"group": "inner", "members": set(lena, kenji, tomas)})
	carryOut(membership, added).ExpectNoError(t)

	// The permission is lost by the time of the request.
	leaving := membership.MustPlan(values{"group": "inner", "members": set(lena)})
	press.MustApply(values{"name": "press", "can_manage_group": set("group:managers")})
	sent := o.Sent()
	carryOut(membership.Fork(), leaving).ExpectError(t, "members", locked)
	sent.Expect(t)
	carryOut(membership, membership.MustPlan(values{"group": "inner", "members": set(lena, tomas)})).ExpectNoError(t)
	holds(t, o, "inner", []string{lena, tomas}, nil)
}

// Permissions of the organization that the account has through a group are lost with the group.
func TestProtocolUserGroupLockout_OrganizationPermission_Refused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	admin := o.As(t, "admin")
	staff := admin.NewRun(t, "zulip_user_group")
	staff.MustApply(values{"name": "staff", "members": set(tomas)})
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_create_groups": fmt.Sprintf(`{"new":%d}`, id(t, o, "staff"))})
	refused := func(config values, says ...string) {
		t.Helper()
		plan, diags := staff.Plan(config)
		diags.ExpectWarning(t, "members", says...)
		carryOut(staff.Fork(), plan).ExpectError(t, "members", says...)
	}
	refused(values{"name": "staff", "members": set()}, "This would remove the provider's own access", "create user groups")
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_manage_all_groups": fmt.Sprintf(`{"new":{"direct_members":[%d],"direct_subgroups":[%d]}}`, id(t, o, ines), id(t, o, "staff"))})
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_create_groups": fmt.Sprintf(`{"new":%d}`, id(t, o, "role:members"))})
	refused(values{"name": "staff", "members": set(lena)}, "This would remove the provider's own access", "manage every user group", `manage user group "leads"`)
	// The provider does not check the permission to mention many people.
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_manage_all_groups": fmt.Sprintf(`{"new":%d}`, id(t, o, "role:administrators"))})
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_mention_many_users_group": fmt.Sprintf(`{"new":%d}`, id(t, o, "staff"))})
	staff.MustApply(values{"name": "staff", "members": set(lena)})
}

// The permission to create groups is changed right before the request, and the check before the request notices.
func TestProtocolUserGroupLockout_OrganizationChanged_Refused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	admin := o.As(t, "admin")
	staff := admin.NewRun(t, "zulip_user_group")
	staff.MustApply(values{"name": "staff", "members": set(tomas)})
	plan := staff.MustPlan(values{"name": "staff", "members": set()})
	update := map[string]string{"can_create_groups": fmt.Sprintf(`{"new":%d}`, id(t, o, "staff"))}
	gate := o.Sandbox.Gate(http.MethodPost, "/register")
	defer gate.Open()
	applied := make(chan acctest.Diagnostics)
	go func() { applied <- staff.Apply(plan) }()
	(<-gate.Arrived).Release()
	held := <-gate.Arrived // the reading right before the request
	o.Call(t, http.MethodPatch, "/realm", update)
	sent := o.Sent()
	held.Release()
	gate.Open()
	(<-applied).ExpectError(t, "members", "This would remove the provider's own access", "create user groups")
	sent.Expect(t)
}

// A group that gives the account a permission is not removed from what names it, so it stays active.
func TestProtocolUserGroupLockout_Deactivation_Refused(t *testing.T) {
	o := byOwners(t)
	outer, managers := o.NewRun(t, "zulip_user_group"), o.NewRun(t, "zulip_user_group")
	managers.MustApply(values{"name": "managers", "members": set(tomas), "can_manage_group": set("user:" + tomas)})
	outer.MustApply(values{"name": "outer", "subgroups": set("managers"), "can_manage_group": set("user:" + tomas)})
	press := o.NewRun(t, "zulip_user_group")
	press.MustApply(values{"name": "press", "can_manage_group": set("group:outer")})
	managers.Fork().Apply(managers.MustPlan(nil)).ExpectError(t, "", "Cannot deactivate", "provider's own access", `manage user group "press"`)
	outer.Fork().Apply(outer.MustPlan(nil)).ExpectError(t, "", "Cannot deactivate", "provider's own access", `manage user group "press"`)
	// If the account has the permission only through the group, it names itself before the group is deactivated.
	own := o.NewRun(t, "zulip_user_group")
	own.MustApply(values{"name": "own", "members": set(tomas)})
	own.MustApply(values{"name": "own", "members": set(tomas), "can_manage_group": set("group:own")})
	own.Apply(own.MustPlan(nil)).ExpectNoError(t)
	own.MustApply(values{"name": "own", "adopt_deactivated": true})
}

// carryOut applies a plan without planning again, and keeps the state.
func carryOut(run *acctest.Run, plan *acctest.PlannedChange) acctest.Diagnostics {
	state, diags := run.Process().Apply(plan)
	run.State = state
	return diags
}

// While an email in the list may belong to someone in a replaced group, nobody leaves the group.
func TestProtocolUserGroup_AbsentMember_ReplacedAsItIs(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"name": "ops", "members": listed(lena, kenji)})
	config := values{"name": "ops", "members": listed(lena, "nobody@example.com")}
	p := run.Process()
	again, diags := p.Plan(groupType, p.MustPlan(groupType, run.State, values{"name": "ops", "members": listed(lena, kenji)}).Replaced(), config)
	diags.ExpectNoError(t)
	_, diags = p.Apply(p.DestroyOf(again, run.State))
	diags.ExpectNoError(t)
	again.Prior = nil
	_, diags = p.Apply(again)
	diags.ExpectNoError(t)
	if members := group(t, o, "ops").Members; len(members) != 2 {
		t.Errorf("in the group are %v", members)
	}
}
