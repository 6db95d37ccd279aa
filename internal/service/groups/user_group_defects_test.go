package groups_test

import (
	"net/http"
	"reflect"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// An update that fails forgets neither who was in the group before the resource, nor whom the resource put there.
func TestProtocolUserGroupMembershipRemembersWhoWasThereAfterAFailure(t *testing.T) {
	o, run := added(t)
	run.MustApply(values{"group": "sre", "members": set(lena, kenji)}) // Lena was in before
	fail(t, o, "POST /user_groups/*/members before status=400 1")
	run.Apply(run.MustPlan(values{"group": "sre", "members": set(kenji, ines)})).ExpectError(t, "", "Cannot change")
	run.MustApply(values{"group": "sre", "members": set(kenji, ines)})
	holds(t, o, "sre", []string{amara, lena, kenji, ines}, nil)
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	holds(t, o, "sre", []string{amara, lena}, nil)
}

// The request is carried out, and nothing can be read after it: whom it added is the resource's all the same.
func TestProtocolUserGroupMembershipKeepsWhomItAddedWhenReadingFails(t *testing.T) {
	o, run := added(t)
	run.Block = o.Block(values{"max_retries": 0})
	run.MustApply(values{"group": "sre", "members": set(lena, kenji)})
	plan := run.MustPlan(values{"group": "sre", "members": set(lena, ines)})
	p := run.Process()
	again, diags := p.Plan("zulip_user_group_membership", plan.Prior, plan.Config)
	diags.ExpectNoError(t)
	gate := o.Sandbox.Gate(http.MethodPost, "/user_groups/*/members")
	done := make(chan acctest.Diagnostics)
	go func() {
		state, diags := p.Apply(again)
		run.State = state
		done <- diags
	}()
	write := <-gate.Arrived
	unavailable := sandbox.Fault{Action: sandbox.FaultStatus, Status: http.StatusServiceUnavailable}
	lists, register := unavailable, unavailable
	lists.Method, register.Method, register.Path = "GET", "POST", "/register"
	healLists, healRegister := o.Sandbox.Fail(lists), o.Sandbox.Fail(register)
	gate.Open()
	write.Release()
	if len((<-done).Errors()) == 0 {
		t.Error("an apply that could not read what it did says nothing")
	}
	healLists()
	healRegister()
	holds(t, o, "sre", []string{amara, lena, ines}, nil)
	run.MustApply(values{"group": "sre", "members": set(lena, ines)})
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	holds(t, o, "sre", []string{amara, lena}, nil)
}

// What is not configured is neither compared nor resolved.
func TestProtocolUserGroupUnmanagedMembersAreNotResolved(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"name": "ops", "members": set(lena), "subgroups": set("sre")})
	config := values{"name": "ops", "description": "On call"}
	plan := run.MustPlan(config)
	o.Call(t, http.MethodPatch, "/users/"+text(t, id(t, o, lena)), map[string]string{"new_email": "lena.new@example.com"})
	name := "sre-team"
	alter(t, o, "sre", zulip.UserGroupUpdate{Name: &name})
	members(t, o, "ops", zulip.MembershipChange{Add: ids(t, o, kenji)})
	sent := o.Sent()
	carryOut(run, plan).ExpectNoError(t)
	expectParams(t, sent, map[string]string{"description": "On call"})
	empty(t, run, config)
}

// A new group may name itself in its own permissions: they are sent once it exists. It cannot be in itself.
func TestProtocolANewGroupNamesItself(t *testing.T) {
	o, run := managed(t)
	config := values{
		"name": "self", "members": set(ines), "can_mention_group": set("group:self"), "can_add_members_group": set("group:self", "user:"+lena),
		"can_leave_group": set("role:nobody"),
	}
	sent := o.Sent()
	run.MustApply(config)
	self, nobody := id(t, o, "self"), role(t, o, "nobody")
	expectParams(t, sent,
		map[string]string{"name": "self", "description": "", "members": text(t, ids(t, o, ines)), "can_leave_group": text(t, nobody)},
		map[string]string{
			"can_mention_group":     change(t, zulip.NamedGroup(self), role(t, o, "everyone")),
			"can_add_members_group": change(t, zulip.GroupSettingValue{DirectMembers: ids(t, o, lena), DirectSubgroups: []int64{self}}, group(t, acctest.StartSandbox(t, sandbox.Config{}), "leads").Permissions["can_add_members_group"]),
		})
	_, diags := o.NewRun(t, "zulip_user_group").Plan(values{"name": "ring", "subgroups": set("ring")})
	diags.ExpectError(t, "subgroups", "A user group cannot contain itself", "ring contains ring")
	_, reported := planTogether(t, o,
		member{"zulip_user_group", nil, values{"name": "ring"}},
		member{"zulip_user_group_membership", nil, values{"group": "ring", "subgroups": set("ring")}})
	reported[1].ExpectError(t, "subgroups", "A user group cannot contain itself", "ring contains ring")
}

// Who is left out of the configuration and of a group in one apply is deactivated first or last: both are one apply.
func TestProtocolAPersonLeavesTheCodeAndAGroup(t *testing.T) {
	for name, resource := range map[string]struct {
		kind          string
		before, after values
	}{
		"a group":      {"zulip_user_group", values{"name": "ops", "members": set(kenji, lena)}, values{"name": "ops", "members": set(lena)}},
		"a membership": {"zulip_user_group_membership", values{"group": "leads", "members": set(kenji, lena)}, values{"group": "leads", "members": set(lena)}},
	} {
		for _, first := range []string{"the group", "the person"} {
			t.Run(name+" after "+first, func(t *testing.T) {
				s := acctest.StartSandbox(t, sandbox.Config{}).NewResources(t)
				in, person := part("in", resource.kind, resource.before), part("person", "zulip_user", nil)
				s.Import("person", "zulip_user", kenji)
				plans, diags := s.Plan(in)
				diags.ExpectNoError(t)
				s.Apply(plans, in).ExpectNoError(t)
				in.Config = acctest.Says(resource.after)
				parts := []acctest.Part{in, person}
				if first == "the person" {
					parts = []acctest.Part{person, in}
				}
				plans, diags = s.Plan(in, person)
				diags.ExpectNoError(t)
				s.Apply(plans, parts...).ExpectNoError(t)
				plans, diags = s.Plan(in)
				diags.ExpectNoError(t)
				if !plans["in"].Empty() {
					t.Errorf("there is still something to do: %v", plans["in"].Changes())
				}
				if got := s.States["in"].Values["members"]; !reflect.DeepEqual(got, set(lena)) {
					t.Errorf("the state says %v", got)
				}
			})
		}
	}
}
