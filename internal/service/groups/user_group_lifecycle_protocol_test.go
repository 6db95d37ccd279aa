package groups_test

import (
	"fmt"
	"net/http"
	"reflect"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func everything() values {
	return values{
		"name": "ops", "description": "Operations", "members": set(kenji, lena), "subgroups": set("leads", "role:moderators"),
		"can_add_members_group": set("role:administrators"), "can_join_group": set("role:members"), "can_leave_group": set("role:nobody"),
		"can_manage_group": set("group:leads", "user:"+ines), "can_mention_group": set("role:nobody"), "can_remove_members_group": set("role:moderators"),
	}
}

// Each attribute is changed and sent separately. A change outside Terraform is repaired with the same request.
func TestProtocolUserGroupEachAttribute(t *testing.T) {
	moderators := func(t *testing.T, o *acctest.Organization) string {
		return change(t, role(t, o, "moderators"), zulip.NamedGroup(id(t, o, "role:administrators")))
	}
	for _, test := range []struct {
		attribute string
		to        any
		sends     func(*testing.T, *acctest.Organization) map[string]string
	}{
		{"name", "operations", func(*testing.T, *acctest.Organization) map[string]string {
			return map[string]string{"name": "operations"}
		}},
		{"description", "", func(*testing.T, *acctest.Organization) map[string]string { return map[string]string{"description": ""} }},
		{"members", set(amara, lena), func(t *testing.T, o *acctest.Organization) map[string]string {
			return map[string]string{"add": text(t, ids(t, o, amara)), "delete": text(t, ids(t, o, kenji))}
		}},
		{"members", set(), func(t *testing.T, o *acctest.Organization) map[string]string {
			return map[string]string{"delete": text(t, ids(t, o, kenji, lena))}
		}},
		{"subgroups", set("leads"), func(t *testing.T, o *acctest.Organization) map[string]string {
			return map[string]string{"delete_subgroups": text(t, ids(t, o, "role:moderators"))}
		}},
		{"subgroups", set("leads", "role:moderators", "sre"), func(t *testing.T, o *acctest.Organization) map[string]string {
			return map[string]string{"add_subgroups": text(t, ids(t, o, "sre"))}
		}},
		{"can_add_members_group", set("role:moderators"), func(t *testing.T, o *acctest.Organization) map[string]string {
			return map[string]string{"can_add_members_group": moderators(t, o)}
		}},
		{"can_join_group", set(), func(t *testing.T, o *acctest.Organization) map[string]string {
			return map[string]string{"can_join_group": change(t, role(t, o, "nobody"), role(t, o, "members"))}
		}},
		{"can_leave_group", set("role:everyone"), func(t *testing.T, o *acctest.Organization) map[string]string {
			return map[string]string{"can_leave_group": change(t, role(t, o, "everyone"), role(t, o, "nobody"))}
		}},
		{"can_manage_group", set("user:" + ines), func(t *testing.T, o *acctest.Organization) map[string]string {
			return map[string]string{"can_manage_group": change(t, zulip.GroupSettingValue{DirectMembers: ids(t, o, ines)},
				zulip.GroupSettingValue{DirectMembers: ids(t, o, ines), DirectSubgroups: ids(t, o, "leads")})}
		}},
		{"can_mention_group", set("group:sre"), func(t *testing.T, o *acctest.Organization) map[string]string {
			return map[string]string{"can_mention_group": change(t, zulip.NamedGroup(id(t, o, "sre")), role(t, o, "nobody"))}
		}},
		{"can_remove_members_group", set(), func(t *testing.T, o *acctest.Organization) map[string]string {
			return map[string]string{"can_remove_members_group": change(t, role(t, o, "nobody"), role(t, o, "moderators"))}
		}},
	} {
		t.Run(fmt.Sprint(test.attribute, test.to), func(t *testing.T) {
			o, run := managed(t)
			run.MustApply(everything())
			hand := run.Fork()
			sent := o.Sent()
			run.MustApply(but(everything(), values{test.attribute: test.to}))
			expectParams(t, sent, test.sends(t, o))
			// For the old configuration, this is drift. After a change back, it is drift for the new one.
			hand.MustApply(everything())
			sent = o.Sent()
			run.MustApply(but(everything(), values{test.attribute: test.to}))
			expectParams(t, sent, test.sends(t, o))
		})
	}
}

func TestProtocolUserGroupAdopt(t *testing.T) {
	o, run := managed(t)
	run.MustApply(but(everything(), values{"members": set(amara, kenji)}))
	number := id(t, o, "ops")
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)

	config := but(everything(), values{"adopt_deactivated": true, "can_mention_group": set("role:members")})
	plan, diags := run.Plan(config)
	diags.ExpectWarning(t, "adopt_deactivated", "A deactivated user group will be reactivated", `User group "ops" has the ID`, "members: 2")
	sent := o.Sent()
	run.Apply(plan).ExpectNoError(t)
	// Members that are not planned are removed before the group is active again.
	expectParams(t, sent,
		map[string]string{"add": text(t, ids(t, o, lena)), "delete": text(t, ids(t, o, amara))},
		map[string]string{"deactivated": "false", "can_mention_group": change(t, role(t, o, "members"), role(t, o, "nobody"))})
	holds(t, o, "ops", []string{kenji, lena}, []string{"leads", "role:moderators"})
	if id(t, o, "ops") != number || run.State.Values["id"] != number {
		t.Error("it is another group")
	}
	empty(t, run, config)
}

func TestProtocolUserGroupName_Taken_Refused(t *testing.T) {
	o, run := managed(t)
	_, diags := run.Plan(values{"name": "sre"})
	diags.ExpectError(t, "name", `A user group with the name "sre" already exists`, "moved block", fmt.Sprintf(`id = "%d"`, id(t, o, "sre")))
	run.MustApply(values{"name": "SRE"})             // the server tells cases apart
	plan, diags := run.Plan(values{"name": "leads"}) // another resource of the same run may release it
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "name", `A user group with the name "leads" already exists`, "depends_on")
	run.Apply(plan).ExpectError(t, "name", `Cannot change user group "SRE"`, `User group "leads"`, "has the name now")

	// Another resource of the same plan has the name.
	p := o.NewRun(t, "zulip_user_group").Process()
	_, diags = p.Plan("zulip_user_group", nil, values{"name": "twice"})
	diags.ExpectNoError(t)
	_, diags = p.Plan("zulip_user_group", nil, values{"name": "Twice"})
	diags.ExpectNoError(t)
	_, diags = p.Plan("zulip_user_group", nil, values{"name": "twice"})
	diags.ExpectError(t, "name", `Duplicate user group name "twice"`)

	// Another group gets the name after the plan.
	second := o.NewRun(t, "zulip_user_group")
	plan = second.MustPlan(values{"name": "late", "description": "planned"})
	o.Call(t, http.MethodPost, "/user_groups/create", map[string]string{"name": "late", "description": "x", "members": "[]"})
	second.Apply(plan).ExpectError(t, "name", `A user group with the name "late" already exists`)
}

func TestProtocolUserGroupName_Invalid_Refused(t *testing.T) {
	_, run := managed(t)
	for name, words := range map[string]string{
		"": "at least 1", " ": "white space", "@ops": "must not begin with", "role:ops": "must not begin with", "channel:ops": "must not begin with",
	} {
		_, diags := run.Plan(values{"name": name})
		if len(diags.Errors()) == 0 || !reflect.DeepEqual(diags.Errors()[0].Attribute, "name") {
			t.Errorf("%q: %v (want %s)", name, diags, words)
		}
	}
}
