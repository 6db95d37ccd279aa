package groups_test

import (
	"fmt"
	"net/http"
	"reflect"
	"testing"
)

func everything() values {
	return values{
		"name": "ops", "description": "Operations", "members": set(kenji, lena), "subgroups": set("leads", "role:moderators"),
		"can_add_members_group": set("role:administrators"), "can_join_group": set("role:members"), "can_leave_group": set("role:nobody"),
		"can_manage_group": set("group:leads", "user:"+ines), "can_mention_group": set("role:nobody"), "can_remove_members_group": set("role:moderators"),
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
