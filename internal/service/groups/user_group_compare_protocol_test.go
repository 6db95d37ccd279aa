package groups_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Two people plan against the same group. The second is refused, with the change of the first, even if no state has had
// the attribute.
func TestProtocolUserGroup_ChangedSincePlan_Refused(t *testing.T) {
	for attribute, test := range map[string]struct {
		first, second   any
		saw, now, asked string
	}{
		"can_manage_group":  {set("user:" + ines), set("group:sre", "user:"+ines), `["group:leads", "user:ines.moreau@example.com"]`, `"user:ines.moreau@example.com"`, `["group:sre", "user:ines.moreau@example.com"]`},
		"can_mention_group": {set("role:members"), set("group:sre"), `"role:nobody"`, `"role:members"`, `"group:sre"`},
		"description":       {"the first", "the second", `"Operations"`, `"the first"`, `"the second"`},
		"name":              {"first", "second", `"ops"`, `"first"`, `"second"`},
		"members":           {set(amara, lena), set(kenji), `["kenji.sato@example.com", "lena.fischer@example.com"]`, `["amara.okafor@example.com", "lena.fischer@example.com"]`, `["kenji.sato@example.com"]`},
		"subgroups":         {set("leads"), set("role:moderators"), `["leads", "role:moderators"]`, `["leads"]`, `["role:moderators"]`},
	} {
		for _, hasManaged := range []bool{true, false} {
			if isAlways := map[string]bool{"name": true, "members": true, "subgroups": true}; isAlways[attribute] && !hasManaged {
				continue // the state always has the members
			}
			t.Run(fmt.Sprintf("%s, managed before: %t", attribute, hasManaged), func(t *testing.T) {
				o, run := managed(t)
				before, after := everything(), but(everything(), values{attribute: test.second})
				if !hasManaged {
					delete(before, attribute)
				}
				run.MustApply(before)
				other := o.NewRun(t, groupType)
				other.Import("ops", nil).ExpectNoError(t)
				other.MustApply(everything())
				second := run.MustPlan(after)
				twin := run.Fork()
				other.MustApply(but(everything(), values{attribute: test.first}))

				sent := o.Sent()
				run.Apply(second).ExpectError(t, "", "was changed after the plan was made", attribute+"\n",
					"when the plan was made:     "+test.saw+"\n", "now:                        "+test.now+"\n", "the configuration asks for: "+test.asked+"\n", "Nothing was overwritten.")
				sent.Expect(t)
				// The state has the current value, so that the next plan starts from it and passes.
				run.MustApply(after)

				// A planned change that is already made counts as done.
				sent = o.Sent()
				twin.Apply(second).ExpectNoError(t)
				sent.Expect(t)
				empty(t, twin, after)
			})
		}
	}
}

// The members change between the last read and the write: the server refuses the whole request, and the group is read
// again.
func TestProtocolUserGroupMembership_ChangedDuringWrite(t *testing.T) {
	for name, test := range map[string]struct {
		byHand func(*testing.T, *acctest.Organization) zulip.MembershipChange
		says   []string // empty: it succeeds
	}{
		"to the same": {func(t *testing.T, o *acctest.Organization) zulip.MembershipChange {
			return zulip.MembershipChange{Add: ids(t, o, amara), Delete: ids(t, o, kenji)}
		}, nil},
		"to something else": {func(t *testing.T, o *acctest.Organization) zulip.MembershipChange {
			return zulip.MembershipChange{Add: ids(t, o, amara)}
		}, []string{"was changed after the plan was made", "when the plan was made:     [\"kenji", "now:                        [\"amara", "the configuration asks for: [\"amara"}},
	} {
		t.Run(name, func(t *testing.T) {
			o, run := managed(t)
			run.MustApply(everything())
			plan := run.MustPlan(but(everything(), values{"members": set(amara, lena)}))
			path := fmt.Sprintf("/user_groups/%d/members", id(t, o, "ops"))
			byHand := test.byHand(t, o)
			gate := o.Sandbox.Gate(http.MethodPost, path)
			applied := make(chan acctest.Diagnostics)
			go func() { applied <- run.Apply(plan) }()
			first := <-gate.Arrived
			hand := make(chan struct{})
			go func() { members(t, o, "ops", byHand); close(hand) }()
			(<-gate.Arrived).Release()
			<-hand
			gate.Open()
			first.Release()
			diags := <-applied
			if test.says == nil {
				diags.ExpectNoError(t)
				holds(t, o, "ops", []string{amara, lena}, []string{"leads", "role:moderators"})
				return
			}
			diags.ExpectError(t, "", test.says...)
			holds(t, o, "ops", []string{amara, kenji, lena}, []string{"leads", "role:moderators"})
			if got := sorted(run.State.Values["members"]); !reflect.DeepEqual(got, set(amara, kenji, lena)) {
				t.Errorf("the state says %v", got)
			}
		})
	}
}

// The plan warns before the account loses the permission to change the members.
func TestProtocolUserGroup_OwnPermissions_SentLast(t *testing.T) {
	o, _ := managed(t)
	admin := o.As(t, "admin") // tomas.berg, who does not manage all groups
	run := admin.NewRun(t, "zulip_user_group")
	run.Block = admin.Block(values{"lockout_protection": false})
	run.MustApply(values{"name": "mine", "members": set(lena)})
	config := values{"name": "mine", "members": set(kenji), "can_manage_group": set("role:owners"), "can_add_members_group": set("role:owners")}
	sent := admin.Sent()
	run.Apply(run.MustPlan(config)).ExpectNoError(t)
	sent.Expect(t, "POST add delete", "PATCH can_add_members_group can_manage_group")
	if writes := sent.Writes(); writes[0].Method != http.MethodPost {
		t.Errorf("sent in the wrong order: %v", writes)
	}
}

func TestProtocolUserGroupWordsForMembers(t *testing.T) {
	o, run := managed(t)
	config := values{"name": "ops", "members": set(fmt.Sprint(id(t, o, lena)), "KENJI.sato@example.com"), "subgroups": set(fmt.Sprint(id(t, o, "sre")), "name:leads")}
	run.MustApply(config)
	if got := run.State.Values; !reflect.DeepEqual(got["members"], config["members"]) || !reflect.DeepEqual(got["subgroups"], config["subgroups"]) {
		t.Errorf("the state says %v, %v", got["members"], got["subgroups"])
	}
	// The same value in another form is no difference.
	empty(t, run, values{"name": "ops", "members": set(lena, kenji), "subgroups": set("sre", "leads")})

	for attribute, words := range map[string]string{"members": `did you mean lena.fischer@example.com?`, "subgroups": `did you mean "leads"?`} {
		wrong := map[string]any{"members": set("lena.fisher@example.com"), "subgroups": set("lead")}[attribute]
		_, diags := run.Plan(but(config, values{attribute: wrong}))
		diags.ExpectError(t, attribute, words)
	}
	run.MustPlan(values{"name": "ops", "members": acctest.Unknown, "subgroups": []any{acctest.Unknown}})
	run.MustPlan(but(config, values{"subgroups": []any{acctest.Unknown}, "can_manage_group": acctest.Unknown}))
	run.MustPlan(values{"name": acctest.Unknown, "members": set(lena)})
}

// Deactivated people are neither a difference nor an error, whether they are listed or not.
func TestProtocolUserGroup_DeactivatedMembers_Ignored(t *testing.T) {
	o, run := managed(t)
	config := values{"name": "ops", "members": set(lena, kenji)}
	run.MustApply(config)
	deactivateUser(t, o, kenji)
	empty(t, run, config)
	// The second plan, within the apply, is the same after a deactivation, so it shows that the list differs. Nothing
	// is sent.
	sent := o.Sent()
	run.Fork().MustApply(values{"name": "ops", "members": set(lena)})
	sent.Expect(t)
	sent = o.Sent()
	run.MustApply(values{"name": "ops", "members": set(amara, kenji)})
	sent.Expect(t, "POST add delete")
	holds(t, o, "ops", []string{amara}, nil)

	plan, diags := o.NewRun(t, "zulip_user_group").Plan(values{"name": "fresh", "members": set(kenji, lena)})
	diags.ExpectWarning(t, "members", "Deactivated users and groups are ignored", kenji)
	diags.ExpectNoError(t)
	if plan == nil {
		t.Fatal("there is no plan")
	}
	second := o.NewRun(t, "zulip_user_group")
	second.MustApply(values{"name": "fresh", "members": set(kenji, lena)})
	holds(t, o, "fresh", []string{lena}, nil)

	// A reactivated user is a member again if the server remembers it, and otherwise is added.
	o.Call(t, http.MethodPost, fmt.Sprintf("/users/%d/reactivate", id(t, o, kenji)), nil)
	second.MustApply(values{"name": "fresh", "members": set(kenji, lena)})
	holds(t, o, "fresh", []string{kenji, lena}, nil)
}

// A group that only its own permissions name can be deactivated, even if the account manages it as a member.
func TestProtocolUserGroup_OnlySelfReference_Deactivated(t *testing.T) {
	o, _ := managed(t)
	admin := o.As(t, "admin")
	run := admin.NewRun(t, "zulip_user_group")
	run.MustApply(values{"name": "mine", "members": set("tomas.berg@example.com")})
	config := values{"name": "mine", "members": set("tomas.berg@example.com"), "can_manage_group": set("group:mine"), "can_join_group": set("group:mine", "group:sre")}
	run.MustApply(config)
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	if !group(t, o, "mine").Deactivated {
		t.Error("the group is still active")
	}
}

func TestProtocolUserGroup_Permissions_Checked(t *testing.T) {
	o, owner := managed(t)
	owner.MustApply(but(everything(), values{"can_manage_group": set("user:" + ines), "can_add_members_group": set("user:" + kenji), "subgroups": set("leads")}))
	as := func(account string) *acctest.Run {
		run := o.As(t, account).NewRun(t, "zulip_user_group")
		run.Import("ops", nil).ExpectNoError(t) // the owner's state has emails that others do not see
		return run
	}
	held := but(everything(), values{"can_manage_group": set("user:" + ines), "can_add_members_group": set("user:" + kenji), "subgroups": set("leads")})
	people := func(addresses ...string) []any { // an account that sees no emails writes IDs
		numbers := make([]string, len(addresses))
		for i, address := range addresses {
			numbers[i] = fmt.Sprint(id(t, o, address))
		}
		return set(numbers...)
	}
	for name, test := range map[string]struct {
		account   string
		attribute string
		to        any
		at        string
		says      []string // empty: it is allowed
	}{
		"an administrator by role alone": {"admin", "description", "x", "", []string{"tomas.berg@example.com cannot change user group \"ops\"", `can_manage_all_groups ("role:owners")`, `can_manage_group ("user:`}},
		"who may add adds":               {"member2", "members", people(amara, kenji, lena), "", nil},
		"who may add does not remove":    {"member2", "members", people(amara), "members", []string{"cannot remove people from", "can_remove_members_group (\"role:moderators\")"}},
		"who may add nests":              {"member2", "subgroups", set("leads", "sre"), "", nil},
		"who may add does not un-nest":   {"member2", "subgroups", set(), "subgroups", []string{"cannot remove groups from"}},
		"a moderator removes":            {"moderator", "members", people(kenji), "", nil},
		"a moderator does not add":       {"moderator", "members", people(kenji, lena, "tomas.berg@example.com"), "members", []string{"cannot add people to"}},
		"a moderator joins":              {"moderator", "members", people(amara, kenji, lena), "", nil},
		"a bot by its role alone":        {"bot", "description", "x", "", []string{"terraform-bot@zulip.example.com cannot change user group \"ops\""}},
	} {
		t.Run(name, func(t *testing.T) {
			run := as(test.account)
			config := values{"name": "ops", test.attribute: test.to}
			if test.says != nil {
				run.ExpectLack(config, test.at, test.says...)
				return
			}
			plan := run.MustPlan(config)
			before := owner.Fork()
			run.Apply(plan).ExpectNoError(t)
			before.MustApply(held) // back to where it was
		})
	}
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_create_groups": text(t, zulip.GroupSettingChange{New: role(t, o, "moderators")})})
	_, diags := o.As(t, "guest").NewRun(t, "zulip_user_group").Plan(values{"name": "new"})
	diags.ExpectError(t, "", "A guest cannot manage user groups")
	o.As(t, "member").NewRun(t, "zulip_user_group").ExpectLack(values{"name": "new"}, "", "cannot create user groups", `can_create_groups lets only "role:moderators"`)
}

func TestProtocolUserGroupLockout(t *testing.T) {
	o, _ := managed(t)
	admin := o.As(t, "admin")
	run := admin.NewRun(t, "zulip_user_group")
	tomas := "tomas.berg@example.com"
	_, diags := run.Plan(values{"name": "mine", "can_manage_group": set("group:leads")})
	diags.ExpectError(t, "can_manage_group", "This would remove the provider's own access", "lockout_protection = false")
	run.MustApply(values{"name": "mine", "members": set(tomas), "can_manage_group": set("user:" + tomas)})
	run.MustApply(values{"name": "mine", "members": set(tomas), "can_manage_group": set("group:mine")})
	_, diags = run.Plan(values{"name": "mine", "members": set(lena), "can_manage_group": set("group:mine")})
	diags.ExpectError(t, "members", "This would remove the provider's own access")
	run.Block = admin.Block(values{"lockout_protection": false})
	run.Apply(run.MustPlan(values{"name": "mine", "members": set(lena), "can_manage_group": set("group:mine")})).ExpectNoError(t)
}

// Below the level at which bots can manage groups, they are refused during plan. From this level on, they manage groups
// like people.
func TestProtocolUserGroupByBots(t *testing.T) {
	const first = featurelevel.UserGroupsByBots
	for _, level := range []int{442, 443, first - 1} {
		o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
		bot := o.As(t, "bot")
		run, sent := bot.NewRun(t, "zulip_user_group"), bot.Sent()
		_, diags := run.Plan(values{"name": "ops"})
		diags.ExpectError(t, "", "A bot cannot manage user groups", "feature level 496", fmt.Sprintf("has feature level %d", level), "Use a person's API key")
		_, diags = bot.NewRun(t, "zulip_user_group_membership").Plan(values{"group": "sre", "members": set(kenji, lena, amara)})
		diags.ExpectError(t, "", "A bot cannot manage user groups")
		sent.Expect(t)
		// A bot can still read the groups that it already manages.
		run.Import("sre", nil).ExpectNoError(t)
	}

	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: first})
	bot := o.As(t, "bot")
	run, sent := bot.NewRun(t, "zulip_user_group"), bot.Sent()
	run.MustApply(values{"name": "ops", "members": set(lena), "can_manage_group": set("user:" + bot.Self.Address())})
	run.MustApply(values{"name": "operations", "members": set(kenji), "can_manage_group": set("user:" + bot.Self.Address())})
	if writes := sent.Writes(); len(writes) != 3 {
		t.Errorf("sent: %+v", writes)
	}
	if group, ok := o.Sandbox.Organization().Group("operations"); !ok || len(group.Members) != 1 {
		t.Errorf("the sandbox has %+v", group)
	}
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	if group, _ := o.Sandbox.Organization().Group("operations"); !group.Deactivated {
		t.Errorf("the sandbox has %+v", group)
	}
	// Guests are still refused.
	_, diags := o.As(t, "guest").NewRun(t, "zulip_user_group").Plan(values{"name": "guests"})
	diags.ExpectError(t, "", "A guest cannot manage user groups")
}

// permit returns a change of a permission outside Terraform.
func permit(setting string, who zulip.GroupSettingValue) zulip.UserGroupUpdate {
	return zulip.UserGroupUpdate{Permissions: map[string]zulip.GroupSettingChange{setting: {New: who}}}
}

// expectOmitted fails the test if a state has an attribute that is not configured, other than the members, to which
// other resources refer.
func expectOmitted(t *testing.T, when string, has, config values) {
	t.Helper()
	for name, value := range has {
		if config[name] != nil && !reflect.DeepEqual(value, config[name]) {
			t.Errorf("%s: %s is %v, and configured as %v", when, name, value, config[name])
		}
		if isThere := map[string]bool{"id": true, "members": true, "member_ids": true, "subgroups": true, "subgroup_ids": true}; config[name] == nil && value != nil && !isThere[name] {
			t.Errorf("%s: %s is not managed, and is %v", when, name, value)
		}
	}
}

func TestProtocolUserGroup_Unmanaged_LeftOut(t *testing.T) {
	const join, mention = "can_join_group", "can_mention_group"
	o, run := managed(t)
	config := values{"name": "ops", join: set("role:members")}
	plan := run.MustPlan(config)
	expectOmitted(t, "planned", plan.Values, config)
	run.Apply(plan).ExpectNoError(t)
	expectOmitted(t, "created", run.State.Values, config)

	// Managed and unmanaged attributes are changed outside Terraform: only the former are noticed.
	alter(t, o, "ops", permit(mention, role(t, o, "moderators")))
	alter(t, o, "ops", permit(join, role(t, o, "owners")))
	if changes := run.MustPlan(config).Changes(); !reflect.DeepEqual(changes, []string{join}) {
		t.Errorf("the plan changes %v", changes)
	}
	run.MustApply(config)
	expectOmitted(t, "updated", run.State.Values, config)

	// A value that becomes managed is sent with the server's old value, and stays in the state.
	more := but(config, values{mention: set("role:nobody")})
	plan, diags := run.Plan(more)
	diags.ExpectWarning(t, "", mention, `now:                        "role:moderators"`, `the configuration asks for: "role:nobody"`)
	sent := o.Sent()
	run.Apply(plan).ExpectNoError(t)
	expectParams(t, sent, map[string]string{mention: change(t, role(t, o, "nobody"), role(t, o, "moderators"))})
	expectOmitted(t, "managed", run.State.Values, more)
	empty(t, run, config)
	expectOmitted(t, "not configured any more", run.State.Values, more)
}

// An import has all attributes, like a state of an earlier version. They are not changed and stay in the state.
func TestProtocolUserGroupState_AllAttributes_Kept(t *testing.T) {
	o, run := managed(t)
	config := values{"name": "ops", "members": set(kenji, lena)}
	run.MustApply(config)
	run.Import("ops", nil).ExpectNoError(t)
	generated := run.Process().GenerateConfig(groupType, run.State.Values)
	for _, setting := range []string{"can_add_members_group", "can_join_group", "can_leave_group", "can_manage_group", "can_mention_group", "can_remove_members_group"} {
		if generated[setting] == nil || run.State.Values[setting] == nil {
			t.Errorf("an import has no %s", setting)
		}
	}
	var private map[string][]byte
	if err := json.Unmarshal(run.State.Private, &private); err != nil || private["unmanaged"] != nil {
		t.Errorf("beside a state that has everything is %s (%v)", run.State.Private, err)
	}
	empty(t, run, generated)
	empty(t, run, config)
	alter(t, o, "ops", permit("can_join_group", role(t, o, "members")))
	sent := o.Sent()
	run.MustApply(config)
	sent.Expect(t)
	if got := run.State.Values["can_join_group"]; !reflect.DeepEqual(got, set("role:members")) {
		t.Errorf("drift is not shown: %v", got)
	}
}
