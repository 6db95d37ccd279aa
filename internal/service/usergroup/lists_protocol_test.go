package usergroup_test

import (
	"fmt"
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

// listed is a list as it is written.
func listed(all ...any) []any { return all }

// The order that is written, and repetitions, are no change, and the state keeps them.
func TestProtocolListsInAnyOrder(t *testing.T) {
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
			t.Errorf("%s: null is somebody", kind)
		}
	}
}

// Whom a plan cannot list it does not take out: an existing resource waits for the next apply, with all that it would change. The
// CLI plans once more in the apply, when the list is known, and that has to be the same.
func TestProtocolListsThatAreNotKnownWait(t *testing.T) {
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
	// The state has no value that what was not managed could keep meanwhile, and the CLI refuses a plan without the configured one.
	_, diags := run.Plan(values{"name": "ops", "members": acctest.Unknown, "can_mention_group": set("role:nobody")})
	diags.ExpectError(t, "can_mention_group", "Cannot manage can_mention_group yet", "with -target")
	// Who names the group by its new name has to wait for it.
	_, reported := planTogether(t, o,
		member{groupType, run.State, values{"name": "operations", "members": acctest.Unknown}},
		member{"zulip_channel", nil, values{"name": "c", "can_send_message_group": set("group:operations")}})
	reported[1].ExpectError(t, "can_send_message_group", `User group "operations" is not in the organization`)
}

// An element that is not known at plan may turn out to be one that the state has, so that the list names the same in another
// order: the plan of the apply then contradicts none. Where that cannot be, what is not known does not wait.
func TestProtocolAnElementThatIsNotKnownContradictsNoPlan(t *testing.T) {
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
			if plan.Empty() { // the CLI does not apply it
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

// Nobody can be taken out of a new group: it gets those who are known when it is created.
func TestProtocolANewGroupWithMembersThatAreNotKnown(t *testing.T) {
	for kind, config := range map[string]values{groupType: {"name": "ops"}, membershipType: {"group": "ops"}} {
		s := newSeveral(t, acctest.StartSandbox(t, sandbox.Config{}))
		if kind == membershipType {
			made(t, s.o, groupType, values{"name": "ops"})
		}
		one := part{"one", kind, says(but(config, values{"members": acctest.Unknown})), nil}
		plans, diags := s.plan(one)
		diags.ExpectNoError(t)
		one.config = says(but(config, values{"members": listed(lena, ines)}))
		s.apply(plans, one).ExpectNoError(t)
		holds(t, s.o, "ops", []string{lena, ines}, nil)
	}
}

// A membership that leaves the code, and a group that lists the same people from then on: the CLI ends the first whatever the
// second says. It is refused, in whatever order they are planned, unless the membership is forgotten.
func TestProtocolMembersTakeOverFromAMembership(t *testing.T) {
	for _, first := range []string{"the membership", "the group"} {
		t.Run(first, func(t *testing.T) {
			s := newSeveral(t, acctest.StartSandbox(t, sandbox.Config{}))
			group := part{"group", groupType, says(values{"name": "ops"}), nil}
			membership := part{"membership", membershipType, says(values{"group": "ops", "members": listed(lena, kenji)}), nil}
			plans, diags := s.plan(group, membership)
			diags.ExpectNoError(t)
			s.apply(plans, group, membership).ExpectNoError(t)

			group.config, membership.config = says(values{"name": "ops", "members": listed(lena, amara)}), nil
			parts := []part{group, membership}
			if first == "the membership" {
				parts = []part{membership, group}
			}
			_, diags = s.plan(parts...)
			diags.ExpectError(t, "members", `Who stays in user group "ops" is not certain`, lena, "removed {", "destroy = false")

			// Whom nobody lists any more may go, in any order.
			group.config = says(values{"name": "ops", "members": listed(amara)})
			parts[slices.IndexFunc(parts, func(p part) bool { return p.name == "group" })] = group
			plans, diags = s.plan(parts...)
			diags.ExpectNoError(t)
			s.apply(plans, parts...).ExpectNoError(t)
			holds(t, s.o, "ops", []string{amara}, nil)
		})
	}
	// Forgotten, it takes nobody out.
	s := newSeveral(t, acctest.StartSandbox(t, sandbox.Config{}))
	made(t, s.o, membershipType, values{"group": "leads", "members": listed(lena, kenji)})
	s.take("group", groupType, "leads")
	group := part{"group", groupType, says(values{"name": "leads", "members": listed(kenji, lena), "subgroups": listed("sre")}), nil}
	sent := s.o.Sent()
	plans, diags := s.plan(group)
	diags.ExpectNoError(t)
	s.apply(plans, group).ExpectNoError(t)
	expectParams(t, sent, map[string]string{"delete": text(t, ids(t, s.o, ines, amara))})
	holds(t, s.o, "leads", []string{kenji, lena}, []string{"sre"})
}

// The other way, and from one membership to another, nobody who stays listed is out in the end, in any order.
func TestProtocolAMembershipTakesOver(t *testing.T) {
	for name, test := range map[string]struct {
		before, after []part
		sends         bool // whoever comes first
	}{
		"from a group": {
			[]part{{"a", groupType, says(values{"name": "ops", "members": listed(lena, kenji)}), nil}},
			[]part{{"a", groupType, says(values{"name": "ops"}), nil}, {"b", membershipType, says(values{"group": "ops", "members": listed(lena, kenji)}), nil}}, false,
		},
		"from another membership": {
			[]part{{"g", groupType, says(values{"name": "ops"}), nil}, {"a", membershipType, says(values{"group": "ops", "members": listed(lena, kenji)}), nil}},
			[]part{{"a", membershipType, nil, nil}, {"b", membershipType, says(values{"group": "ops", "members": listed(lena, kenji)}), nil}}, true,
		},
		"a part of another membership": {
			[]part{{"g", groupType, says(values{"name": "ops"}), nil}, {"a", membershipType, says(values{"group": "ops", "members": listed(lena, kenji)}), nil}},
			[]part{{"a", membershipType, says(values{"group": "ops", "members": listed(kenji)}), nil}, {"b", membershipType, says(values{"group": "ops", "members": listed(lena)}), nil}}, true,
		},
	} {
		for _, backwards := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", backwards), func(t *testing.T) {
				s := newSeveral(t, acctest.StartSandbox(t, sandbox.Config{}))
				plans, diags := s.plan(test.before...)
				diags.ExpectNoError(t)
				s.apply(plans, test.before...).ExpectNoError(t)
				plans, diags = s.plan(test.after...)
				diags.ExpectNoError(t)
				order := slices.Clone(test.after)
				if backwards {
					slices.Reverse(order)
				}
				sent := s.o.Sent()
				s.apply(plans, order...).ExpectNoError(t)
				if backwards || !test.sends {
					sent.Expect(t) // whoever takes over came first
				}
				holds(t, s.o, "ops", []string{lena, kenji}, nil)
			})
		}
	}
}

// A membership adds and removes its own alone, whatever somebody else does between plan and apply.
func TestProtocolMembershipLeavesTheChangesOfOthers(t *testing.T) {
	o, run := added(t)
	run.MustApply(values{"group": "sre", "members": listed(kenji, ines)})
	plan := run.MustPlan(values{"group": "sre", "members": listed(ines, tomas)})
	members(t, o, "sre", zulip.MembershipChange{Add: ids(t, o, "paul.dubois@example.com"), Delete: ids(t, o, ines, amara)})
	sent := o.Sent()
	carryOut(run, plan).ExpectNoError(t)
	expectParams(t, sent, map[string]string{"add": text(t, ids(t, o, tomas)), "delete": text(t, ids(t, o, kenji))})
	holds(t, o, "sre", []string{lena, tomas, "paul.dubois@example.com"}, nil)
	run.MustApply(values{"group": "sre", "members": listed(ines, tomas)}) // the next plan lists that Ines is put in again
	holds(t, o, "sre", []string{lena, tomas, ines, "paul.dubois@example.com"}, nil)
}

// A deactivated group keeps its members: who leaves when it is reactivated is listed, and what cannot be listed is refused.
func TestProtocolAdoptionListsWhoLeaves(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"name": "ops", "members": listed(kenji, lena, amara), "subgroups": listed("sre")})
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	config := values{"name": "ops", "members": listed(lena, ines), "adopt_deactivated": true}
	for _, unknown := range []any{acctest.Unknown, []any{lena, acctest.Unknown}} {
		_, diags := run.Plan(but(config, values{"members": unknown}))
		diags.ExpectError(t, "members", "Who would leave", "not known")
	}
	plan, diags := run.Plan(config)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "members", `leave user group "ops" when it is reactivated`, kenji, amara)
	run.Apply(plan).ExpectNoError(t)
	holds(t, o, "ops", []string{lena, ines}, []string{"sre"})
}
