package usergroup_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/acctest"
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
	_, diags := inner.Plan(without)
	diags.ExpectError(t, "members", locked, `manage user group "press"`, tomas)
	_, diags = managers.Plan(values{"name": "managers", "subgroups": set(), "can_manage_group": set("user:" + tomas)})
	diags.ExpectError(t, "subgroups", locked, `manage user group "press"`)
	_, diags = membership.Plan(nil)
	diags.ExpectError(t, "members", locked, `manage user group "press"`)
	_, diags = membership.Plan(values{"group": "inner", "members": set(lena)})
	diags.ExpectError(t, "members", locked, `manage user group "press"`)

	// Another way to the right is enough.
	press.MustApply(values{"name": "press", "can_manage_group": set("group:managers", "user:"+tomas)})
	allowed, leaving := inner.MustPlan(without), membership.MustPlan(nil)
	added := membership.MustPlan(values{"group": "inner", "members": set(lena, kenji, tomas)})

	// It is gone when the requests are made: nothing is sent but what takes nobody's right.
	press.MustApply(values{"name": "press", "can_manage_group": set("group:managers")})
	sent := o.Sent()
	carryOut(inner, allowed).ExpectError(t, "members", locked)
	carryOut(membership, leaving).ExpectError(t, "members", locked)
	sent.Expect(t)
	carryOut(membership, added).ExpectNoError(t)
	holds(t, o, "inner", []string{lena, kenji, tomas}, nil)
	swap := membership.MustPlan(values{"group": "inner", "members": set(lena, tomas)})
	carryOut(membership, swap).ExpectNoError(t)
}

// Rights in the organization that rest on a group are lost with it.
func TestProtocolLockoutOfTheOrganization(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	admin := o.As(t, "admin")
	staff := admin.NewRun(t, "zulip_user_group")
	staff.MustApply(values{"name": "staff", "members": set(tomas)})
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_create_groups": fmt.Sprintf(`{"new":%d}`, id(t, o, "staff"))})
	_, diags := staff.Plan(values{"name": "staff", "members": set()})
	diags.ExpectError(t, "members", "This would lock the provider out", "create user groups")
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_manage_all_groups": fmt.Sprintf(`{"new":{"direct_members":[%d],"direct_subgroups":[%d]}}`, id(t, o, ines), id(t, o, "staff"))})
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_create_groups": fmt.Sprintf(`{"new":%d}`, id(t, o, "role:members"))})
	_, diags = staff.Plan(values{"name": "staff", "members": set(lena)})
	diags.ExpectError(t, "members", "This would lock the provider out", "manage every user group", `manage user group "leads"`)
	// Who has the right to mention many is no matter of the provider's.
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_manage_all_groups": fmt.Sprintf(`{"new":%d}`, id(t, o, "role:administrators"))})
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_mention_many_users_group": fmt.Sprintf(`{"new":%d}`, id(t, o, "staff"))})
	staff.MustApply(values{"name": "staff", "members": set(lena)})
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
func carryOut(run *acctest.Run, plan *acctest.Plan) acctest.Diagnostics {
	state, diags := run.Process().Apply(plan)
	run.State = state
	return diags
}
