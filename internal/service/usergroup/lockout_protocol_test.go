package usergroup_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

const tomas = "tomas.berg@example.com"

// byOwners is an organization in which only owners manage all groups; the provider's account is an administrator.
func byOwners(t *testing.T) *acctest.Organization {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_manage_all_groups": fmt.Sprintf(`{"new":%d}`, id(t, o, "role:owners"))})
	return o.As(t, "admin")
}

// What the account can do through a group it loses with that group, whatever names it.
func TestProtocolLockoutThroughAnotherGroup(t *testing.T) {
	const locked = "This would lock the provider out"
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
		diags.ExpectNoError(t) // another resource of the run may give the account the right otherwise, before
		diags.ExpectWarning(t, test.at, locked, `manage user group "press"`, tomas)
		sent := o.Sent()
		carryOut(test.run.Fork(), plan).ExpectError(t, test.at, locked, `manage user group "press"`, tomas)
		sent.Expect(t)
	}

	// Another way to the right is enough.
	press.MustApply(values{"name": "press", "can_manage_group": set("group:managers", "user:"+tomas)})
	plan, diags := inner.Plan(without)
	diags.ExpectNoError(t)
	diags.ExpectOnlyWarning(t, locked, "")
	carryOut(inner, plan).ExpectNoError(t)
	added := membership.MustPlan(values{"group": "inner", "members": set(lena, kenji, tomas)})
	carryOut(membership, added).ExpectNoError(t)

	// It is gone when the request is made.
	leaving := membership.MustPlan(values{"group": "inner", "members": set(lena)})
	press.MustApply(values{"name": "press", "can_manage_group": set("group:managers")})
	sent := o.Sent()
	carryOut(membership.Fork(), leaving).ExpectError(t, "members", locked)
	sent.Expect(t)
	carryOut(membership, membership.MustPlan(values{"group": "inner", "members": set(lena, tomas)})).ExpectNoError(t)
	holds(t, o, "inner", []string{lena, tomas}, nil)
}

// Rights in the organization that rest on a group are lost with it.
func TestProtocolLockoutOfTheOrganization(t *testing.T) {
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
	refused(values{"name": "staff", "members": set()}, "This would lock the provider out", "create user groups")
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_manage_all_groups": fmt.Sprintf(`{"new":{"direct_members":[%d],"direct_subgroups":[%d]}}`, id(t, o, ines), id(t, o, "staff"))})
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_create_groups": fmt.Sprintf(`{"new":%d}`, id(t, o, "role:members"))})
	refused(values{"name": "staff", "members": set(lena)}, "This would lock the provider out", "manage every user group", `manage user group "leads"`)
	// Who has the right to mention many is no matter of the provider's.
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_manage_all_groups": fmt.Sprintf(`{"new":%d}`, id(t, o, "role:administrators"))})
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_mention_many_users_group": fmt.Sprintf(`{"new":%d}`, id(t, o, "staff"))})
	staff.MustApply(values{"name": "staff", "members": set(lena)})
}

// Whom the organization lets create groups is changed right before the request: the check before it knows.
func TestProtocolLockoutOfAnOrganizationThatChanges(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	admin := o.As(t, "admin")
	staff := admin.NewRun(t, "zulip_user_group")
	staff.MustApply(values{"name": "staff", "members": set(tomas)})
	plan := staff.MustPlan(values{"name": "staff", "members": set()})
	right := map[string]string{"can_create_groups": fmt.Sprintf(`{"new":%d}`, id(t, o, "staff"))}
	gate := o.Sandbox.Gate(http.MethodPost, "/register")
	defer gate.Open()
	applied := make(chan acctest.Diagnostics)
	go func() { applied <- staff.Apply(plan) }()
	(<-gate.Arrived).Release()
	held := <-gate.Arrived // the reading right before the request
	o.Call(t, http.MethodPatch, "/realm", right)
	sent := o.Sent()
	held.Release()
	gate.Open()
	(<-applied).ExpectError(t, "members", "This would lock the provider out", "create user groups")
	sent.Expect(t)
}

// A group that gives the account a right cannot be deactivated: the server refuses while anything names the group, or a group
// that it is in.
func TestProtocolDeactivationLocksNobodyOut(t *testing.T) {
	o := byOwners(t)
	outer, managers := o.NewRun(t, "zulip_user_group"), o.NewRun(t, "zulip_user_group")
	managers.MustApply(values{"name": "managers", "members": set(tomas), "can_manage_group": set("user:" + tomas)})
	outer.MustApply(values{"name": "outer", "subgroups": set("managers"), "can_manage_group": set("user:" + tomas)})
	press := o.NewRun(t, "zulip_user_group")
	press.MustApply(values{"name": "press", "can_manage_group": set("group:outer")})
	managers.Fork().Apply(managers.MustPlan(nil)).ExpectError(t, "", "Cannot deactivate", "outer")
	outer.Fork().Apply(outer.MustPlan(nil)).ExpectError(t, "", "Cannot deactivate", "press")
	// Where it rests on the group alone, the account names itself before the group goes.
	own := o.NewRun(t, "zulip_user_group")
	own.MustApply(values{"name": "own", "members": set(tomas)})
	own.MustApply(values{"name": "own", "members": set(tomas), "can_manage_group": set("group:own")})
	own.Apply(own.MustPlan(nil)).ExpectNoError(t)
	own.MustApply(values{"name": "own", "adopt_deactivated": true})
}

// carryOut carries a plan out without planning again, and keeps the state.
func carryOut(run *acctest.Run, plan *acctest.PlannedChange) acctest.Diagnostics {
	state, diags := run.Process().Apply(plan)
	run.State = state
	return diags
}
