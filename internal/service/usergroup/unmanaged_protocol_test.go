package usergroup_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// permit is a change of a permission by hand.
func permit(setting string, who zulip.GroupSettingValue) zulip.UserGroupUpdate {
	return zulip.UserGroupUpdate{Permissions: map[string]zulip.GroupSettingChange{setting: {New: who}}}
}

// expectOmitted fails the test if a state has something that is not configured, but for who is in the group: other resources
// refer to that.
func expectOmitted(t *testing.T, when string, has, config values) {
	t.Helper()
	for name, value := range has {
		if config[name] != nil && !reflect.DeepEqual(value, config[name]) {
			t.Errorf("%s: %s is %v, and configured as %v", when, name, value, config[name])
		}
		if isThere := map[string]bool{"id": true, "members": true, "subgroups": true}; config[name] == nil && value != nil && !isThere[name] {
			t.Errorf("%s: %s is not managed, and is %v", when, name, value)
		}
	}
}

func TestProtocolLeavesOutWhatIsNotManaged(t *testing.T) {
	const join, mention = "can_join_group", "can_mention_group"
	o, run := managed(t)
	config := values{"name": "ops", join: set("role:members")}
	plan := run.MustPlan(config)
	expectOmitted(t, "planned", plan.Values, config)
	run.Apply(plan).ExpectNoError(t)
	expectOmitted(t, "created", run.State.Values, config)

	// Somebody else changes what is not managed, and what is: only the latter is seen.
	alter(t, o, "ops", permit(mention, role(t, o, "moderators")))
	alter(t, o, "ops", permit(join, role(t, o, "owners")))
	if changes := run.MustPlan(config).Changes(); !reflect.DeepEqual(changes, []string{join}) {
		t.Errorf("the plan changes %v", changes)
	}
	run.MustApply(config)
	expectOmitted(t, "updated", run.State.Values, config)

	// What becomes managed is sent with the value that the server had, and stays in the state.
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

func TestProtocolRefusesWhatChangedBeforeItBecameManaged(t *testing.T) {
	for attribute, test := range map[string]struct {
		asks          any
		byHand        func(*testing.T, *acctest.Organization) zulip.UserGroupUpdate
		was, now, new string
	}{
		"description": {"ours", func(*testing.T, *acctest.Organization) zulip.UserGroupUpdate {
			theirs := "theirs"
			return zulip.UserGroupUpdate{Description: &theirs}
		}, "", "theirs", "ours"},
		"can_mention_group": {set("role:nobody"), func(t *testing.T, o *acctest.Organization) zulip.UserGroupUpdate {
			return permit("can_mention_group", role(t, o, "owners"))
		}, `"role:everyone"`, `"role:owners"`, `"role:nobody"`},
	} {
		t.Run(attribute, func(t *testing.T) {
			o, run := managed(t)
			run.MustApply(values{"name": "ops"})
			plan := run.MustPlan(values{"name": "ops", attribute: test.asks})
			alter(t, o, "ops", test.byHand(t, o))
			sent := o.Sent()
			run.Apply(plan).ExpectError(t, "", "was changed by somebody else after it was planned", attribute,
				"when the plan was made:     "+test.was+"\n", "now:                        "+test.now+"\n", "the configuration asks for: "+test.new+"\n", "Nothing was overwritten.")
			sent.Expect(t)
			run.MustApply(values{"name": "ops", attribute: test.asks})
		})
	}
}

// An import has everything, as has a state that an earlier version wrote: nothing of it is changed or forgotten.
func TestProtocolStatesThatHaveEverythingKeepIt(t *testing.T) {
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

// Permissions of a new group that name the group are sent once it exists, beside others that are not managed.
func TestProtocolManagesAPermissionThatNamesTheGroup(t *testing.T) {
	o, run := managed(t)
	config := values{"name": "ops", "can_manage_group": set("group:ops", "user:"+ines)}
	run.MustApply(config)
	expectOmitted(t, "created", run.State.Values, config)
	more := but(config, values{"can_join_group": set("group:ops")})
	run.MustApply(more)
	expectOmitted(t, "managed", run.State.Values, more)
	if got := group(t, o, "ops").Permissions["can_join_group"]; got.Group != id(t, o, "ops") {
		t.Errorf("the server holds %v", got)
	}
}
