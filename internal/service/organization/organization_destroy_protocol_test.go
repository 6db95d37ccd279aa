package organization_test

import (
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// groupID returns the ID of a group of the example organization.
func groupID(t *testing.T, o *acctest.Organization, name string) int64 {
	t.Helper()
	for _, group := range o.Snapshot(t, zulip.FetchUserGroups).UserGroups {
		if group.Name == name {
			return group.ID
		}
	}
	t.Fatalf("there is no group %q", name)
	return 0
}

// resetting is a configuration in which two permissions name a group. One of them also has the default.
var resetting = values{
	"on_destroy": "reset", "description": "Ours",
	"can_create_groups":                        []any{"group:sre"},
	"can_mention_many_users_group":             []any{"group:sre", "user:lena.fischer@example.com"},
	"can_delete_any_message_group":             []any{"role:moderators"},
	"can_move_messages_between_channels_group": []any{"user:lena.fischer@example.com"},
}

// Destroying resets only the managed permissions that name a user group to their defaults, with old values.
func TestProtocolOrganization_DestroyedWithReset_GroupsRemoved(t *testing.T) {
	o, run := acctest.StartRun(t, organizationTypeName)
	run.MustApply(resetting)
	sre := zulip.NamedGroup(groupID(t, o, "sre"))
	byHand := text(t, zulip.GroupSettingChange{New: sre})
	organizationByHand(t, o, map[string]string{"can_create_private_channel_group": byHand}) // not managed
	plan, diags := run.Plan(nil)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "", "Destroying resets permissions of the organization", "can_create_groups", `"group:sre"`, `"role:members"`, "can_mention_many_users_group", `"role:administrators"`)
	held := organizationHeld(t, o).Permissions
	before := map[string]zulip.GroupSettingValue{}
	for name, value := range held {
		before[name] = value
	}
	sent := o.Sent()
	run.Apply(plan).ExpectNoError(t)
	oldMany := held["can_mention_many_users_group"]
	expectParams(t, sent, map[string]string{
		"can_create_groups":            text(t, zulip.GroupSettingChange{New: role(t, o, "role:members"), Old: &sre}),
		"can_mention_many_users_group": text(t, zulip.GroupSettingChange{New: role(t, o, "role:administrators"), Old: &oldMany}),
	})
	now := organizationHeld(t, o)
	for name, value := range now.Permissions {
		switch name {
		case "can_create_groups", "can_mention_many_users_group":
		default:
			if fmt.Sprint(value) != fmt.Sprint(before[name]) {
				t.Errorf("%s was %v, and is %v", name, before[name], value)
			}
		}
	}
	if now.Settings["description"] == nil || string(now.Settings["description"]) != `"Ours"` {
		t.Errorf("the description is %s", now.Settings["description"])
	}
}

// Without reset, destroying sends nothing.
func TestProtocolOrganization_DestroyedWithKeep_NoRequest(t *testing.T) {
	for _, onDestroy := range []any{nil, "keep"} {
		o, run := acctest.StartRun(t, organizationTypeName)
		run.MustApply(values{"on_destroy": onDestroy, "can_create_groups": []any{"group:sre"}})
		plan, diags := run.Plan(nil)
		diags.ExpectNoError(t)
		diags.ExpectWarning(t, "", "The organization is left unchanged", `on_destroy = "reset"`)
		sent := o.Sent()
		run.Apply(plan).ExpectNoError(t)
		sent.Expect(t)
	}
}

// A permission that was changed after the plan is not reset.
func TestProtocolOrganization_ResetAfterChange_Refused(t *testing.T) {
	o, run := acctest.StartRun(t, organizationTypeName)
	run.MustApply(resetting)
	plan := run.MustPlan(nil)
	organizationByHand(t, o, map[string]string{"can_create_groups": text(t, zulip.GroupSettingChange{New: role(t, o, "role:moderators")})})
	sent := o.Sent()
	run.Apply(plan).ExpectError(t, "", "The organization was changed after the plan was made", "can_create_groups\n",
		`now:                        "role:moderators"`, "Nothing was overwritten.", `on_destroy = "keep"`, "terraform state rm")
	sent.Expect(t)
	if run.State == nil {
		t.Fatal("the state lost the organization")
	}
	run.Apply(run.MustPlan(nil)).ExpectNoError(t) // it no longer names a group
	if held := organizationHeld(t, o).Permissions["can_create_groups"]; fmt.Sprint(held) != fmt.Sprint(role(t, o, "role:moderators")) {
		t.Errorf("the server holds %v", held)
	}
}

// The reset follows the configuration, so an attribute that was removed from it is not reset.
func TestProtocolOrganization_AttributeRemoved_NotReset(t *testing.T) {
	o, run := acctest.StartRun(t, organizationTypeName)
	run.MustApply(resetting)
	run.MustApply(values{"on_destroy": "reset", "can_create_groups": []any{"group:sre"}})
	sent := o.Sent()
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	sent.Expect(t, "PATCH can_create_groups")
	// An import has neither attribute, and the first apply of the configuration adds them without a request.
	imported := o.NewRun(t, organizationTypeName)
	organizationByHand(t, o, map[string]string{"can_create_groups": text(t, zulip.GroupSettingChange{New: zulip.NamedGroup(groupID(t, o, "sre"))})})
	imported.Import("x", nil).ExpectNoError(t)
	sent = o.Sent()
	imported.MustApply(values{"on_destroy": "reset", "can_create_groups": []any{"group:sre"}})
	sent.Expect(t)
	imported.Apply(imported.MustPlan(nil)).ExpectNoError(t)
	sent.Expect(t, "PATCH can_create_groups")
}

// Only owners can set some permissions, so an administrator's plan to reset them is refused.
func TestProtocolOrganization_ResetForOwners_Refused(t *testing.T) {
	o, run := acctest.StartRun(t, organizationTypeName)
	run.MustApply(resetting)
	administrator := o.As(t, "admin").NewRun(t, organizationTypeName)
	administrator.State = run.State
	administrator.ExpectRefused(nil, "can_create_groups", "cannot set can_create_groups")
	run.ExpectRefused(values{"on_destroy": "archive"}, "on_destroy", "keep")
}
