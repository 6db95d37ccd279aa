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

// added starts a sandbox, and a run with one zulip_user_group_membership that does not exist yet. Lena and Amara are in
// the group sre.
func added(t *testing.T) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, "zulip_user_group_membership")
	return o, run
}

func TestProtocolUserGroupMembership_Destroyed_OwnRemoved(t *testing.T) {
	o, run := added(t)
	config := values{"group": "sre", "members": set(ines, lena), "subgroups": set("role:moderators")}
	sent := o.Sent()
	run.MustApply(config)
	// Lena is already in the group.
	expectParams(t, sent, map[string]string{"add": text(t, ids(t, o, ines)), "add_subgroups": text(t, ids(t, o, "role:moderators"))})
	holds(t, o, "sre", []string{amara, ines, lena}, []string{"role:moderators"})
	if got := run.State; got.Values["group_id"] != id(t, o, "sre") || !reflect.DeepEqual(got.Identity, values{"group_id": id(t, o, "sre")}) {
		t.Errorf("the state holds %v, %v", got.Values, got.Identity)
	}
	// Other members are added and removed.
	members(t, o, "sre", zulip.MembershipChange{Delete: ids(t, o, amara)})
	empty(t, run, config)

	sent = o.Sent()
	run.MustApply(values{"group": "sre", "members": set(lena, kenji), "subgroups": set("role:moderators")})
	expectParams(t, sent, map[string]string{"add": text(t, ids(t, o, kenji)), "delete": text(t, ids(t, o, ines))})

	sent = o.Sent()
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	expectParams(t, sent, map[string]string{"delete": text(t, ids(t, o, kenji)), "delete_subgroups": text(t, ids(t, o, "role:moderators"))})
	holds(t, o, "sre", []string{lena}, nil) // earlier members stay
}

func TestProtocolUserGroupMembership_Drift_Repaired(t *testing.T) {
	o, run := added(t)
	config := values{"group": "sre", "members": set(kenji, lena)}
	run.MustApply(config)
	members(t, o, "sre", zulip.MembershipChange{Delete: ids(t, o, kenji, lena)})
	sent := o.Sent()
	run.MustApply(config)
	expectParams(t, sent, map[string]string{"add": text(t, ids(t, o, kenji, lena))})
	// A member who was removed, and whom the resource has added again, is removed with it.
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	holds(t, o, "sre", []string{amara}, nil)
}

// An email or a name of a saved plan that has another meaning during apply is refused, for new and existing resources.
func TestProtocolUserGroup_NameReassigned_Refused(t *testing.T) {
	for name, test := range map[string]struct {
		resource string
		config   values
		isNew    bool
	}{
		"new membership":      {"zulip_user_group_membership", values{"group": "sre"}, true},
		"existing membership": {"zulip_user_group_membership", values{"group": "sre"}, false},
		"new group":           {"zulip_user_group", values{"name": "ops"}, true},
		"existing group":      {"zulip_user_group", values{"name": "ops"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 512})
			run := o.NewRun(t, test.resource)
			if !test.isNew {
				run.MustApply(but(test.config, values{"members": set(ines)}))
			}
			for _, group := range []string{"first", "second"} {
				o.Call(t, http.MethodPost, "/user_groups/create", map[string]string{"name": group, "description": "", "members": "[]"})
			}
			first, second := id(t, o, "first"), id(t, o, "second")
			members := run.MustPlan(but(test.config, values{"members": set(ines, kenji)}))
			subgroups := run.MustPlan(but(test.config, values{"members": set(ines), "subgroups": set("first")}))
			if want := []any{id(t, o, ines), id(t, o, kenji)}; !reflect.DeepEqual(members.Values["member_ids"], want) {
				t.Errorf("planned are %v, want %v", members.Values["member_ids"], want)
			}
			o.MoveEmail(t, "member2", "member", kenji)
			for _, renamed := range []struct {
				group int64
				name  string
			}{{first, "third"}, {second, "first"}} {
				o.Call(t, http.MethodPatch, fmt.Sprint("/user_groups/", renamed.group), map[string]string{"name": renamed.name})
			}
			run.ExpectOutdated(members, "member_ids")
			run.ExpectOutdated(subgroups, "subgroup_ids")
			membersAt, subgroupsAt := "members", "subgroups"
			if test.resource == "zulip_user_group" { // which sends both in one change
				membersAt, subgroupsAt = "", ""
			}
			sent := o.Sent()
			_, diags := run.Process().Apply(members)
			diags.ExpectError(t, membersAt, kenji+" now belongs to another user", fmt.Sprint("belonged to user ", members.Values["member_ids"].([]any)[1]))
			_, diags = run.Process().Apply(subgroups)
			diags.ExpectError(t, subgroupsAt, `"first" is now another user group`, fmt.Sprint("was user group ", first), fmt.Sprint("is user group ", second))
			sent.Expect(t)
		})
	}
}

// A refresh finds members by their IDs: a member with another email still counts as added by the resource.
func TestProtocolUserGroupMembership_EmailMoved_Kept(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 512})
	run := o.NewRun(t, "zulip_user_group_membership")
	run.MustApply(values{"group": "sre", "members": set(kenji)})
	was := id(t, o, kenji)
	o.MoveEmail(t, "member2", "member", kenji)
	run.Refresh().ExpectNoError(t)
	if got, want := run.State.Values["member_ids"], []any{was}; !reflect.DeepEqual(got, want) {
		t.Errorf("the state has %v, want %v", got, want)
	}
	sent := o.Sent()
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	expectParams(t, sent, map[string]string{"delete": text(t, []int64{was})})
}

func TestProtocolUserGroupMembershipImport(t *testing.T) {
	o, run := added(t)
	config := values{"group": "sre", "members": set(kenji, lena), "subgroups": set("role:moderators")}
	run.MustApply(config)
	want := run.State
	t.Run("by identity", func(t *testing.T) {
		other := o.NewRun(t, "zulip_user_group_membership")
		other.Import("", want.Identity).ExpectNoError(t)
		everybody := values{"group": "sre", "members": set(amara, kenji, lena), "subgroups": set("role:moderators")}
		if !reflect.DeepEqual(other.State.Identity, want.Identity) {
			t.Errorf("the identity is %v", other.State.Identity)
		}
		empty(t, other, everybody)
		sent := o.Sent()
		other.MustApply(config) // Amara is not removed, because someone else has added her
		other.Apply(other.MustPlan(nil)).ExpectNoError(t)
		sent.Expect(t)
	})
	for _, text := range []string{"sre", "sre/" + ines, "sre/nobody@example.com", "srre/" + lena} {
		if diags := run.Import(text, nil); len(diags.Errors()) != 1 {
			t.Errorf("%s: %v", text, diags)
		}
	}
	o.NewRun(t, "zulip_user_group").MustApply(values{"name": "a/b"})
	run.Import("sre/group:a/b", nil).ExpectError(t, "", `Not in "sre": a/b.`)
	// Imported members count as added by the resource.
	run.Import("sre/"+kenji+","+lena, nil).ExpectNoError(t)
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	holds(t, o, "sre", []string{amara}, []string{"role:moderators"})
}

func TestProtocolUserGroupMembership_AddedDuringRequest(t *testing.T) {
	o, run := added(t)
	plan := run.MustPlan(values{"group": "sre", "members": set(kenji, ines)})
	gate := o.Sandbox.Gate(http.MethodPost, fmt.Sprintf("/user_groups/%d/members", id(t, o, "sre")))
	byHand := zulip.MembershipChange{Add: ids(t, o, kenji)}
	applied := make(chan acctest.Diagnostics)
	go func() { applied <- run.Apply(plan) }()
	first := <-gate.Arrived
	hand := make(chan struct{})
	go func() { members(t, o, "sre", byHand); close(hand) }()
	(<-gate.Arrived).Release()
	<-hand
	gate.Open()
	first.Release()
	(<-applied).ExpectNoError(t)
	holds(t, o, "sre", []string{amara, ines, kenji, lena}, nil)
}

func TestProtocolUserGroupMembership_GroupDeactivated(t *testing.T) {
	o, run := added(t)
	group := made(t, o, "zulip_user_group", values{"name": "ops"})
	config := values{"group": "ops", "members": set(lena)}
	run.MustApply(config)
	plan := run.MustPlan(nil)
	o.Call(t, http.MethodPost, fmt.Sprintf("/user_groups/%v/deactivate", group.Values["id"]), nil)
	run.Fork().Apply(plan).ExpectNoError(t) // there is no group to remove her from
	run.Refresh().ExpectNoError(t)
	if run.State != nil {
		t.Error("it is still in the state")
	}
	_, diags := run.Plan(config)
	diags.ExpectError(t, "group", `"ops" is deactivated`, "adopt_deactivated")

	// If the configuration has the group, its plan says this, so that the rest of the plan can be seen.
	p := run.Process()
	ended, _ := p.Read("zulip_user_group", group)
	if ended != nil {
		t.Error("the group is still in the state")
	}
	_, diags = p.Plan("zulip_user_group", nil, values{"name": "ops"})
	diags.ExpectWarning(t, "name", "so the apply will fail", "This happened outside Terraform")
	_, diags = p.Plan("zulip_user_group_membership", nil, config)
	diags.ExpectNoError(t)
}

func TestProtocolUserGroupMembershipWords(t *testing.T) {
	o, run := added(t)
	config := values{"group": fmt.Sprint(id(t, o, "sre")), "members": set(fmt.Sprint(id(t, o, kenji)))}
	run.MustApply(config)
	if !reflect.DeepEqual(run.State.Values["members"], config["members"]) || run.State.Values["group"] != config["group"] {
		t.Errorf("the state says %v", run.State.Values)
	}
	empty(t, run, values{"group": "sre", "members": set(kenji)})
	plan := run.MustPlan(values{"group": "leads", "members": set(kenji)})
	if !slices.Contains(plan.Replace, "group") {
		t.Errorf("another group replaces %v", plan.Replace)
	}
	deactivateUser(t, o, kenji)
	empty(t, run, config)
	run.Apply(run.MustPlan(nil)).ExpectNoError(t) // the server would refuse to remove him
}

func TestProtocolUserGroupMembershipRefused(t *testing.T) {
	o, run := added(t)
	for name, test := range map[string]struct {
		config values
		at     string
		words  string
	}{
		"a role":             {values{"group": "role:members", "members": set(lena)}, "group", "is a role"},
		"no such group":      {values{"group": "srre", "members": set(lena)}, "group", `did you mean "sre"?`},
		"nobody":             {values{"group": "sre"}, "members", "At least one attribute"},
		"an empty list":      {values{"group": "sre", "members": set()}, "members", "at least 1"},
		"no such person":     {values{"group": "sre", "members": set("lena.fisher@example.com")}, "members", "did you mean lena.fischer@example.com?"},
		"no such role in":    {values{"group": "sre", "subgroups": set("role:member")}, "subgroups", `did you mean "role:members"`},
		"no such group in":   {values{"group": "sre", "subgroups": set("nope")}, "subgroups", `no user group called "nope"`},
		"it contains itself": {values{"group": "sre", "subgroups": set("sre")}, "subgroups", "sre contains sre"},
	} {
		_, diags := run.Plan(test.config)
		if errors := diags.Errors(); len(errors) == 0 || !slices.ContainsFunc(errors, func(d acctest.Diagnostic) bool {
			return reflect.DeepEqual(d.Attribute, test.at)
		}) {
			t.Errorf("%s: %v", name, diags)
			continue
		}
		if name != "nobody" && name != "an empty list" {
			diags.ExpectError(t, test.at, test.words)
		}
	}
	run.MustPlan(values{"group": acctest.Unknown, "members": set(lena)})
	run.MustPlan(values{"group": "sre", "members": acctest.Unknown})
	o.As(t, "member2").NewRun(t, "zulip_user_group_membership").ExpectLack(values{"group": "sre", "members": set(fmt.Sprint(id(t, o, ines)))}, "members", `cannot add people to user group "sre"`)
}

// crowd starts an organization with many members.
func crowd(t *testing.T, count int) (o *acctest.Organization, people []any) {
	t.Helper()
	accounts := map[string]sandbox.Account{"owner": {Email: "owner@example.com", FullName: "Owner", Role: int(zulip.RoleOwner)}}
	for i := range count {
		email := fmt.Sprintf("m%d@example.com", i)
		accounts[fmt.Sprint("m", i)] = sandbox.Account{Email: email, FullName: fmt.Sprint("Member ", i), Role: int(zulip.RoleMember)}
		people = append(people, email)
	}
	return acctest.StartSandbox(t, sandbox.Config{Accounts: accounts}), people
}

// A thousand members are written in one request, in any order. With ZULIP_TEST_ALL=1 there are five thousand.
func TestProtocolUserGroup_LargeList_OneRequest(t *testing.T) {
	count := acctest.Number(5000, 1000)
	for name, config := range map[string]func(people []any) values{
		"zulip_user_group": func(people []any) values { return values{"name": "all", "members": people} },
		"zulip_user_group_membership": func(people []any) values {
			return values{"group": "hall", "members": people}
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, people := crowd(t, count)
			made(t, o, "zulip_user_group", values{"name": "hall"})
			run := o.NewRun(t, name)
			sent := o.Sent()
			plan := run.MustPlan(config(people))
			run.Apply(plan).ExpectNoError(t)
			if writes := sent.Writes(); len(writes) != 1 {
				t.Errorf("%d writes", len(writes))
			}
			if !reflect.DeepEqual(run.State.Values["members"], people) {
				t.Error("the state does not keep the order that is written")
			}
			backwards := slices.Clone(people)
			slices.Reverse(backwards)
			empty(t, run, config(backwards))
			sent = o.Sent()
			plan = run.MustPlan(config(backwards[1:]))
			run.Apply(plan).ExpectNoError(t)
			expectParams(t, sent, map[string]string{"delete": text(t, ids(t, o, people[count-1].(string)))})
			empty(t, run, config(people[:count-1]))
		})
	}
}
