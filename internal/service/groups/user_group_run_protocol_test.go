package groups_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// A member is one resource of a run that plans several, in one process and in this order.
type member struct {
	resource string
	prior    *acctest.Instance
	config   values
}

// planTogether plans resources in one process, as a run does, and returns the diagnostics of each.
func planTogether(t *testing.T, o *acctest.Organization, members ...member) ([]*acctest.PlannedChange, []acctest.Diagnostics) {
	t.Helper()
	p := o.NewRun(t, "zulip_user_group").Process()
	plans, reported := make([]*acctest.PlannedChange, len(members)), make([]acctest.Diagnostics, len(members))
	for i, one := range members {
		prior := one.prior
		if prior != nil {
			prior, _ = p.Read(one.resource, prior)
		}
		plans[i], reported[i] = p.Plan(one.resource, prior, one.config)
	}
	return plans, reported
}

// made applies one resource and returns its state.
func made(t *testing.T, o *acctest.Organization, resource string, config values) *acctest.Instance {
	t.Helper()
	run := o.NewRun(t, resource)
	run.MustApply(config)
	return run.State
}

func TestProtocolUserGroup_CreatedInRun_Resolved(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	_, reported := planTogether(t, o,
		member{"zulip_user_group", nil, values{"name": "fresh"}},
		member{"zulip_channel", nil, values{"name": "c", "can_send_message_group": set("group:fresh")}},
		member{"zulip_user_group", nil, values{"name": "above", "subgroups": set("fresh"), "can_mention_group": set("group:fresh")}},
		member{"zulip_user_group_membership", nil, values{"group": "fresh", "members": set(lena)}},
		member{"zulip_channel", nil, values{"name": "d", "can_send_message_group": set("group:other")}},
	)
	for _, diags := range reported[:4] {
		diags.ExpectNoError(t)
	}
	reported[4].ExpectError(t, "can_send_message_group", `User group "other" is not in the organization`)
}

func TestProtocolUserGroup_RenamedInRun_Resolved(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	group := made(t, o, "zulip_user_group", values{"name": "before"})
	channel := made(t, o, "zulip_channel", values{"name": "c", "can_send_message_group": set("group:before"), "can_subscribe_group": set("group:before", "group:sre")})
	above := made(t, o, "zulip_user_group", values{"name": "above", "subgroups": set("before"), "can_mention_group": set("group:before")})
	membership := made(t, o, "zulip_user_group_membership", values{"group": "before", "members": set(lena)})

	plans, reported := planTogether(t, o,
		member{"zulip_user_group", group, values{"name": "after"}},
		member{"zulip_channel", channel, values{"name": "c", "can_send_message_group": set("group:after"), "can_subscribe_group": set("group:after", "group:sre")}},
		member{"zulip_user_group", above, values{"name": "above", "subgroups": set("after"), "can_mention_group": set("group:after")}},
		member{"zulip_user_group_membership", membership, values{"group": "after", "members": set(lena)}},
	)
	for _, diags := range reported {
		diags.ExpectNoError(t)
	}
	if changes := plans[0].Changes(); !reflect.DeepEqual(changes, []string{"name"}) {
		t.Errorf("the group changes %v", changes)
	}
	for i, plan := range plans[1:4] {
		if !plan.Empty() {
			t.Errorf("what names the group (%d) changes %v: from %v to %v", i, plan.Changes(), plan.Prior.Values, plan.Values)
		}
	}
}

// A name that changes in a plan means no one else in the same plan: Terraform orders texts in any way, and a swap would
// give access to the wrong group. The plan says so whichever of the two is planned first.
func TestProtocolUserGroup_NameChangesInPlan_TextRefused(t *testing.T) {
	for name, taker := range map[string]*string{"to no one": nil, "to a new group": new(""), "to an existing group": new("beta")} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			renamed := []member{{"zulip_user_group", made(t, o, "zulip_user_group", values{"name": "alpha"}), values{"name": "old"}}}
			if taker != nil {
				next := member{"zulip_user_group", nil, values{"name": "alpha"}}
				if *taker != "" {
					next.prior = made(t, o, "zulip_user_group", values{"name": *taker})
				}
				renamed = append(renamed, next)
			}
			alpha := fmt.Sprint(renamed[0].prior.Values["id"])
			for attribute, naming := range map[string]member{
				"can_send_message_group": {"zulip_channel", nil, values{"name": "c", "can_send_message_group": set("group:alpha")}},
				"can_mention_group":      {"zulip_user_group", nil, values{"name": "above", "can_mention_group": set("group:alpha")}},
				"subgroups":              {"zulip_user_group", nil, values{"name": "above", "subgroups": set("alpha")}},
				"group":                  {"zulip_user_group_membership", nil, values{"group": "alpha", "members": set(lena)}},
			} {
				_, reported := planTogether(t, o, append(slices.Clone(renamed), naming)...)
				reported[len(renamed)].ExpectError(t, attribute, `"alpha" changes in this plan`, "with the ID "+alpha, "zulip_user_group.NAME.id")
				_, reported = planTogether(t, o, append([]member{naming}, renamed...)...)
				reported[0].ExpectNoError(t)
				reported[1].ExpectError(t, "name", `The name "alpha" is written as text elsewhere`, "still names the user group", "zulip_user_group.NAME.id", `write the ID of the user group that you mean, as in "`+alpha+`"`)
			}
			_, reported := planTogether(t, o, append(slices.Clone(renamed), member{"zulip_channel", nil, values{"name": "c", "can_send_message_group": set("group_id:" + alpha)}})...)
			for _, diags := range reported {
				diags.ExpectNoError(t)
			}
		})
	}
}

func TestProtocolUserGroup_AdoptedInRun_Resolved(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, "zulip_user_group")
	run.MustApply(values{"name": "back"})
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	config := values{"name": "c", "can_send_message_group": set("group:back")}
	_, reported := planTogether(t, o, member{"zulip_channel", nil, config})
	reported[0].ExpectNoError(t)
	reported[0].ExpectWarning(t, "can_send_message_group", `names "group:back": deactivated`, "adopt_deactivated = true", "group:${zulip_user_group.NAME.name}")
	_, reported = planTogether(t, o,
		member{"zulip_user_group", nil, values{"name": "back", "adopt_deactivated": true}},
		member{"zulip_channel", nil, config})
	reported[1].ExpectNoError(t)
}

func TestProtocolUserGroup_ListAndMembership_Refused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	exclusive := made(t, o, "zulip_user_group", values{"name": "both", "members": set(lena)})
	additive := made(t, o, "zulip_user_group_membership", values{"group": "sre", "members": set(kenji)})
	for name, test := range map[string]struct {
		first, second member
		at            string
	}{
		"a new group": {
			member{"zulip_user_group", nil, values{"name": "n", "members": set(lena)}},
			member{"zulip_user_group_membership", nil, values{"group": "n", "members": set(kenji)}}, "members",
		},
		"a group that is there": {
			member{"zulip_user_group", exclusive, values{"name": "both", "members": set(lena)}},
			member{"zulip_user_group_membership", nil, values{"group": "both", "members": set(kenji)}}, "members",
		},
		"the other way round": {
			member{"zulip_user_group_membership", additive, values{"group": "sre", "members": set(kenji)}},
			member{"zulip_user_group", imported(t, o, "sre"), values{"name": "sre", "members": set(lena)}}, "members",
		},
		"groups": {
			member{"zulip_user_group", nil, values{"name": "n", "subgroups": set("sre")}},
			member{"zulip_user_group_membership", nil, values{"group": "n", "subgroups": set("leads")}}, "subgroups",
		},
		"one list each": {
			member{"zulip_user_group", nil, values{"name": "n", "members": set(lena)}},
			member{"zulip_user_group_membership", nil, values{"group": "n", "subgroups": set("leads")}}, "",
		},
		"two that add": {
			member{"zulip_user_group_membership", nil, values{"group": "leads", "members": set(lena)}},
			member{"zulip_user_group_membership", nil, values{"group": "leads", "members": set(kenji)}}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, reported := planTogether(t, o, test.first, test.second)
			reported[0].ExpectNoError(t)
			if test.at == "" {
				reported[1].ExpectNoError(t)
				return
			}
			reported[1].ExpectError(t, test.at, "Two resources manage the "+test.at+" of this user group")
		})
	}
}

func imported(t *testing.T, o *acctest.Organization, name string) *acctest.Instance {
	t.Helper()
	run := o.NewRun(t, "zulip_user_group")
	run.Import(name, nil).ExpectNoError(t)
	return run.State
}

func TestProtocolUserGroupCircles(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	for name, test := range map[string]struct {
		members []member
		way     string // which would exist with the current groups
		refused bool   // also during plan
	}{
		"itself":           {[]member{{"zulip_user_group", imported(t, o, "sre"), values{"name": "sre", "subgroups": set("sre")}}}, "sre contains sre", true},
		"what is there":    {[]member{{"zulip_user_group", imported(t, o, "sre"), values{"name": "sre", "subgroups": set("leads")}}}, "sre contains leads contains sre", false},
		"by an addition":   {[]member{{"zulip_user_group_membership", nil, values{"group": "sre", "subgroups": set("leads")}}}, "sre contains leads contains sre", false},
		"the other way":    {[]member{{"zulip_user_group", imported(t, o, "leads"), values{"name": "leads", "subgroups": set()}}, {"zulip_user_group", imported(t, o, "sre"), values{"name": "sre", "subgroups": set("leads")}}}, "sre contains leads contains sre", false},
		"through a rename": {[]member{{"zulip_user_group", imported(t, o, "leads"), values{"name": "bosses"}}, {"zulip_user_group", imported(t, o, "sre"), values{"name": "sre", "subgroups": set("bosses")}}}, "sre contains bosses contains sre", false},
		"roles are fine":   {[]member{{"zulip_user_group", imported(t, o, "sre"), values{"name": "sre", "subgroups": set("role:members")}}}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			_, reported := planTogether(t, o, test.members...)
			switch last := reported[len(reported)-1]; {
			case test.refused:
				last.ExpectError(t, "subgroups", "A user group cannot contain itself", test.way+".")
			case test.way != "":
				last.ExpectNoError(t)
				last.ExpectWarning(t, "subgroups", "A user group would contain itself", test.way+".")
			default:
				last.ExpectNoError(t)
			}
		})
	}

	// The apply decides on a new reading.
	leads, sre := o.NewRun(t, "zulip_user_group"), o.NewRun(t, "zulip_user_group")
	leads.State, sre.State = imported(t, o, "leads"), imported(t, o, "sre")
	nest := sre.MustPlan(values{"name": "sre", "subgroups": set("leads")})
	sent := o.Sent()
	sre.Fork().Apply(nest).ExpectError(t, "subgroups", "A user group cannot contain itself")
	sent.Expect(t)
	leads.MustApply(values{"name": "leads", "subgroups": set()})
	sre.Apply(nest).ExpectNoError(t)
}

// The apply notices a change by another resource of the run before the request, and the account can still manage the
// group.
func TestProtocolUserGroupLockout_AtRequest_Refused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_manage_all_groups": fmt.Sprintf(`{"new":%d}`, id(t, o, "role:owners"))})
	o = o.As(t, "admin")
	managers := o.NewRun(t, "zulip_user_group")
	managers.MustApply(values{"name": "managers", "members": set("tomas.berg@example.com")})
	deputies := o.NewRun(t, "zulip_user_group")
	deputies.MustApply(values{"name": "deputies", "members": set("tomas.berg@example.com")})
	group := o.NewRun(t, "zulip_user_group")
	group.MustApply(values{"name": "press", "can_manage_group": set("group:managers")})
	plan := group.MustPlan(values{"name": "press", "can_manage_group": set("group:deputies")})

	p := group.Process()
	again, diags := p.Plan("zulip_user_group", plan.Prior, plan.Config)
	diags.ExpectNoError(t)
	deputies.ApplyIn(p, deputies.MustPlan(values{"name": "deputies", "members": set(lena)})).ExpectNoError(t)
	sent := o.Sent()
	_, diags = p.Apply(again)
	diags.ExpectError(t, "can_manage_group", "remove the provider's own access")
	sent.Expect(t)

	// The same is true of a membership that would remove the account.
	membership := o.NewRun(t, "zulip_user_group_membership")
	managers.MustApply(values{"name": "managers", "can_manage_group": set("group:managers")})
	membership.Import("managers/tomas.berg@example.com", nil).ExpectNoError(t)
	_, diags = membership.Plan(nil)
	diags.ExpectError(t, "members", "remove the provider's own access")
}

// While a plan does not know yet who may manage a group, it warns that this may keep the account out.
func TestProtocolUserGroupLockout_UnknownManagers_Announced(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_manage_all_groups": fmt.Sprintf(`{"new":%d}`, id(t, o, "role:owners"))})
	o = o.As(t, "admin")
	const tomas = "tomas.berg@example.com"
	press := func(managers ...string) values { return values{"name": "press", "can_manage_group": set(managers...)} }
	for name, before := range map[string]values{"new": nil, "existing": press("user:" + tomas)} {
		t.Run(name, func(t *testing.T) {
			run := o.NewRun(t, "zulip_user_group")
			if before != nil {
				run.MustApply(before)
			}
			_, diags := run.Plan(values{"name": "press", "can_manage_group": []any{acctest.Unknown, "user:" + tomas}})
			if len(diags.Warnings()) > 0 {
				t.Errorf("the account stays: %v", diags)
			}
			plan, diags := run.Plan(values{"name": "press", "can_manage_group": []any{acctest.Unknown, "user:" + kenji}})
			diags.ExpectNoError(t)
			diags.ExpectWarning(t, "can_manage_group", "remove the provider's own access", "The apply will fail, unless the names that this plan does not know yet include the account", `user group "press"`)
			sent := o.Sent()
			plan.Config = press("user:"+kenji, "user:"+lena)
			run.Apply(plan).ExpectError(t, "can_manage_group", `manage user group "press"`)
			sent.Expect(t)
		})
	}
}

// Nobody removes a group that ends from a private channel without subscribers.
func TestProtocolUserGroup_DestroyedWhileChannelIsClosed_Announced(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, "zulip_user_group")
	run.MustApply(values{"name": "press", "members": set(kenji)})
	member := o.WithAccount(t, "member")
	member.Call(t, http.MethodPost, "/users/me/subscriptions", map[string]string{"subscriptions": `[{"name":"vault"}]`, "invite_only": "true", "history_public_to_subscribers": "true"})
	vault := o.MustChannel(t, "vault").ID
	member.Call(t, http.MethodPatch, fmt.Sprint("/streams/", vault), map[string]string{"can_subscribe_group": fmt.Sprintf(`{"new":%v}`, run.State.Values["id"])})
	plan, diags := run.Fork().Plan(nil)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "", `cannot remove user group "press" from channel "vault"`, "The apply will fail, unless it grants the permission first")
	run.Apply(plan).ExpectError(t, "", `Cannot deactivate user group "press"`)
}

// Terraform applies a plan in another process, which has read nothing, and plans created resources there again.
func TestProtocolUserGroup_Replaced_Adopted(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, "zulip_user_group")
	run.MustApply(everything())
	number := id(t, o, "ops")
	planned := run.Process()
	prior, diags := planned.Read("zulip_user_group", run.State)
	diags.ExpectNoError(t)
	update, diags := planned.Plan("zulip_user_group", prior, everything())
	diags.ExpectNoError(t)
	_, diags = planned.Plan("zulip_user_group", update.Replaced(), everything())
	diags.ExpectNoError(t)
	destroy := run.MustPlan(nil)

	p := run.Process()
	_, diags = p.Apply(destroy)
	diags.ExpectNoError(t)
	create, diags := p.Plan("zulip_user_group", nil, everything())
	diags.ExpectNoError(t)
	state, diags := p.Apply(create)
	diags.ExpectNoError(t)
	if state.Values["id"] != number {
		t.Errorf("the group is now %v, not %v", state.Values["id"], number)
	}
	holds(t, o, "ops", []string{kenji, lena}, []string{"leads", "role:moderators"})
}

func TestProtocolUserGroupDataSources(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	members(t, o, "leads", zulip.MembershipChange{Add: ids(t, o, kenji)})
	deactivateUser(t, o, kenji)
	p := o.NewRun(t, "zulip_user_group").Process()
	leads, diags := p.ReadData("zulip_user_group", values{"name": "leads"})
	diags.ExpectNoError(t)
	for attribute, want := range map[string]any{
		"id": id(t, o, "leads"), "members": set(amara, ines), "all_members": set(amara, ines, lena),
		"subgroups": set("sre"), "all_subgroups": set("sre"), "is_system_group": false, "is_deactivated": false,
		"description": "Team leads", "can_manage_group": set("user:" + ines), "can_leave_group": set("role:everyone"),
		"creator_id": o.Self.ID, "date_created": time.Unix(*group(t, o, "leads").DateCreated, 0).UTC().Format(time.RFC3339),
	} {
		got := leads[attribute]
		if _, isList := got.([]any); isList {
			got = sorted(got)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %v, not %v", attribute, got, want)
		}
	}
	role, diags := p.ReadData("zulip_user_group", values{"name": "role:administrators"})
	diags.ExpectNoError(t)
	if role["is_system_group"] != true || role["creator_id"] != nil || role["date_created"] != nil || !reflect.DeepEqual(role["all_subgroups"], set("role:owners")) {
		t.Errorf("the role is %v", role)
	}
	_, diags = p.ReadData("zulip_user_group", values{"name": "lead"})
	diags.ExpectError(t, "name", `did you mean "leads"?`)
	_, diags = p.ReadData("zulip_user_group", values{"id": 999999})
	diags.ExpectError(t, "id", "no user group with the ID 999999")

	names := func(config values) []string {
		listed, diags := p.ReadData("zulip_user_groups", config)
		diags.ExpectNoError(t)
		var all []string
		groups, _ := listed["groups"].([]any)
		for _, one := range groups {
			group, _ := one.(values)
			name, _ := group["name"].(string)
			all = append(all, name)
		}
		return all
	}
	if got := names(values{}); !reflect.DeepEqual(got, []string{"sre", "leads"}) {
		t.Errorf("listed: %v", got)
	}
	if got := names(values{"user": ines}); !reflect.DeepEqual(got, []string{"leads"}) {
		t.Errorf("the owner is in %v", got)
	}
	if got := names(values{"user": lena, "include_roles": true}); !reflect.DeepEqual(got, []string{"role:fullmembers", "role:members", "role:everyone", "role:internet", "sre", "leads"}) {
		t.Errorf("a member is in %v", got)
	}
}

// A failed update keeps the record of the earlier members, and of those that the resource has added.
func TestProtocolUserGroupMembership_UpdateFails_Remembered(t *testing.T) {
	o, run := added(t)
	run.MustApply(values{"group": "sre", "members": set(lena, kenji)}) // Lena was in before
	o.Fail(t, "POST /user_groups/*/members before status=400 1")
	run.Apply(run.MustPlan(values{"group": "sre", "members": set(kenji, ines)})).ExpectError(t, "", "Cannot change")
	run.MustApply(values{"group": "sre", "members": set(kenji, ines)})
	holds(t, o, "sre", []string{amara, lena, kenji, ines}, nil)
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	holds(t, o, "sre", []string{amara, lena}, nil)
}

// The request is executed, but nothing can be read afterwards. Its members still count as added by the resource.
func TestProtocolUserGroupMembership_ReadFails_Kept(t *testing.T) {
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

// Lists that are not configured are neither compared nor resolved.
func TestProtocolUserGroup_UnmanagedMembers_NotResolved(t *testing.T) {
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

// A new group can name itself in its own permissions, which are sent once it exists. It cannot contain itself.
func TestProtocolUserGroup_NewWithSelfReference(t *testing.T) {
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

// A permission that is not configured keeps its value, whatever this run calls the group that it names.
func TestProtocolUserGroup_NamedByUnmanagedPermission_Renamed(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Call(t, http.MethodPost, "/user_groups/create", map[string]string{"name": "bb", "description": "", "members": "[]"})
	bb := id(t, o, "bb")
	o.Call(t, http.MethodPatch, fmt.Sprint("/user_groups/", bb), map[string]string{"can_mention_group": fmt.Sprintf(`{"new": %d}`, bb)})
	o.Call(t, http.MethodPost, "/channels/create", map[string]string{"name": "c", "subscribers": "[]", "can_send_message_group": fmt.Sprint(bb)})
	group, channel := o.NewRun(t, "zulip_user_group"), o.NewRun(t, "zulip_channel")
	group.Import("bb", nil).ExpectNoError(t)
	channel.Import("c", nil).ExpectNoError(t)
	groupConfig, channelConfig := values{"name": "cc"}, values{"name": "c", "description": "new"}
	p := group.Process()
	renamed, diags := p.Plan("zulip_user_group", group.State, groupConfig)
	diags.ExpectNoError(t)
	changed, diags := p.Plan("zulip_channel", channel.State, channelConfig)
	diags.ExpectNoError(t)
	p = group.Process()
	group.ApplyIn(p, renamed).ExpectNoError(t)
	channel.ApplyIn(p, changed).ExpectNoError(t)
	if !group.MustPlan(groupConfig).Empty() || !channel.MustPlan(channelConfig).Empty() {
		t.Error("after the apply a plan still has changes")
	}
}
