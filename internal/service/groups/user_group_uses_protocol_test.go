package groups_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// The warning about a group in use makes no promise, because the provider does not see the order of the apply. It marks
// the uses that this plan removes.
func TestProtocolUserGroup_InUse_EndingMarked(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"name": "old"})
	channel, other := o.NewRun(t, "zulip_channel"), o.NewRun(t, "zulip_channel")
	named := set("group:old")
	channel.MustApply(values{"name": "news", "can_send_message_group": named, "can_resolve_topics_group": named})
	other.MustApply(values{"name": "other", "can_send_message_group": named})
	p := run.Process()
	p.MustPlan("zulip_channel", channel.State, values{"name": "news", "can_send_message_group": set("role:members"), "can_resolve_topics_group": named})
	_, diags := p.Plan("zulip_user_group", run.State, nil)
	diags.ExpectNoError(t)
	diags.ExpectOnlyWarning(t, "A user group that this plan deactivates is in use", `The server refuses to deactivate user group "old" while it is named by:
  channel "news": can_resolve_topics_group, can_send_message_group (this plan removes it)
  channel "other": can_send_message_group

The apply changes resources that reference the group first only if the group already has lifecycle { create_before_destroy = true }. Otherwise it stops at the group and says what to do.`)
	for i := range 10 {
		o.Call(t, "POST", "/channels/create", map[string]string{"name": fmt.Sprint("more", i), "subscribers": "[]", "can_send_message_group": fmt.Sprint(run.State.Values["id"])})
	}
	_, diags = run.Process().Plan("zulip_user_group", run.State, nil)
	diags.ExpectWarning(t, "", "is in use", `channel "more7": can_send_message_group`, "\n  and 2 more\n\n")
}

// A rename by the run is no change outside Terraform. Resources that reference the group have its new name in the
// state.
func TestProtocolUserGroup_Renamed_NoDrift(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"name": "old"})
	channel := o.NewRun(t, "zulip_channel")
	channel.MustApply(values{"name": "news", "can_send_message_group": set("group:old"), "can_subscribe_group": set("group:old", "role:owners")})
	above := o.NewRun(t, "zulip_user_group")
	above.MustApply(values{"name": "above", "subgroups": []any{"old"}, "can_mention_group": set("group:old")})
	member := o.NewRun(t, "zulip_user_group_membership")
	member.MustApply(values{"group": "sre", "subgroups": []any{"old"}})

	p := run.Process()
	renamed := p.MustPlan("zulip_user_group", run.State, values{"name": "new"})
	later := map[*acctest.Run]*acctest.PlannedChange{
		channel: p.MustPlan("zulip_channel", channel.State, values{"name": "news", "can_send_message_group": set("group:new"), "can_subscribe_group": set("group:new", "role:owners")}),
		above:   p.MustPlan("zulip_user_group", above.State, values{"name": "above", "subgroups": []any{"new"}, "can_mention_group": set("group:new")}),
		member:  p.MustPlan("zulip_user_group_membership", member.State, values{"group": "sre", "subgroups": []any{"new"}}),
	}
	p.MustApply(renamed)
	for run, plan := range later {
		if !plan.Empty() {
			run.State = p.MustApply(plan)
		}
		before := fmt.Sprint(run.State.Values)
		run.Refresh().ExpectNoError(t)
		if after := fmt.Sprint(run.State.Values); before != after || !reflect.DeepEqual(run.State.Values["name"], plan.Config["name"]) {
			t.Errorf("the refresh changes\n%s\nto\n%s", before, after)
		}
	}
}

// Attributes that the configuration does not set follow a rename with the next refresh, which sends and plans nothing.
func TestProtocolUserGroup_UnsetReference_NewName(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"name": "old"})
	channel := o.NewRun(t, "zulip_channel")
	channel.MustApply(values{"name": "news", "can_send_message_group": set("group:old")})
	channel.MustImport(channel.State.Values["id"])
	run.MustApply(values{"name": "new"})
	sent := o.Sent()
	channel.Refresh().ExpectNoError(t)
	if got := channel.State.Values["can_send_message_group"]; !reflect.DeepEqual(got, set("group:new")) {
		t.Errorf("the state holds %v", got)
	}
	channel.ExpectUnchanged(values{"name": "news"})
	sent.Expect(t)
}
