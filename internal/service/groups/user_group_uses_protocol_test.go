package groups_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// The plan of a destroy lists what remains in each place that names the group, and the apply removes the group from these.
func TestProtocolUserGroup_InUse_Removed(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"name": "old", "can_join_group": set("group:old")})
	channel, above := o.NewRun(t, "zulip_channel"), o.NewRun(t, "zulip_user_group")
	channel.MustApply(values{"name": "news", "can_send_message_group": set("group:old"), "can_resolve_topics_group": set("group:old", "role:moderators")})
	above.MustApply(values{"name": "above", "subgroups": []any{"old"}, "can_mention_group": set("group:old", "role:owners")})
	for _, setting := range []string{"can_add_custom_emoji_group", "can_manage_all_groups"} {
		o.Call(t, http.MethodPatch, "/realm", map[string]string{setting: fmt.Sprintf(`{"new": %v}`, run.State.Values["id"])})
	}
	plan, diags := run.Plan(nil)
	diags.ExpectOnlyWarning(t, "A user group that this plan deactivates is in use", `The apply first removes user group "old" from the places that name it:
  user group "above", of which it is a subgroup
  user group "above": can_mention_group keeps "role:owners"
  channel "news": can_resolve_topics_group keeps "role:moderators"
  channel "news": can_send_message_group becomes "role:nobody"
  the organization: can_add_custom_emoji_group becomes "role:nobody"
  the organization: can_manage_all_groups becomes "role:owners"

Other changes of this plan may change these values too.`)
	sent := o.Sent()
	carryOut(run, plan).ExpectNoError(t)
	if !group(t, o, "old").Deactivated {
		t.Error("the group is still active")
	}
	for _, one := range sent.Writes() {
		for name, value := range one.Params {
			if strings.HasPrefix(name, "can_") && !strings.Contains(value, `"old"`) {
				t.Errorf("%s %s has no old value: %s", one.Path, name, value)
			}
		}
	}
	holds(t, o, "above", nil, nil)
}

// A place that the plan did not list stops the apply before anything changes. So does a value that changed after the plan.
func TestProtocolUserGroup_InUse_Unlisted_Refused(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"name": "old"})
	number := id(t, o, "old")
	name := func(channel, setting string, value zulip.GroupSettingValue) {
		o.Change(t, channel, zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{setting: {New: value}}})
	}
	name("incidents", "can_send_message_group", zulip.GroupSettingValue{DirectMembers: []int64{id(t, o, ines)}, DirectSubgroups: []int64{number}})
	plan := run.MustPlan(nil)
	refused := func(words ...string) {
		t.Helper()
		before := o.Channel(t, "incidents").Permissions["can_send_message_group"]
		fork := run.Fork()
		carryOut(fork, plan).ExpectError(t, "", append([]string{`Cannot deactivate user group "old"`}, words...)...)
		if now := o.Channel(t, "incidents").Permissions["can_send_message_group"]; group(t, o, "old").Deactivated || !reflect.DeepEqual(now, before) {
			t.Errorf("changed: %v", now)
		}
	}
	name("incidents", "can_subscribe_group", zulip.NamedGroup(number))
	refused("Nothing was changed", "\n  channel \"incidents\": can_subscribe_group\n\n", "Plan again")
	name("incidents", "can_subscribe_group", zulip.NamedGroup(id(t, o, "sre")))
	name("incidents", "can_send_message_group", zulip.GroupSettingValue{DirectSubgroups: []int64{number, id(t, o, "sre")}})
	refused("changed after the plan was made", "can_send_message_group")
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

// A place that was changed before another one failed is an effect of the run, and no conflict for its own resource.
func TestProtocolUserGroup_InUse_PartlyRemoved(t *testing.T) {
	for _, latency := range []time.Duration{0, 5 * time.Millisecond, 30 * time.Millisecond} {
		t.Run(latency.String(), func(t *testing.T) {
			t.Parallel()
			o := acctest.NewSandbox(t, sandbox.Config{Latency: latency})
			run, first, second := o.NewRun(t, "zulip_user_group"), o.NewRun(t, "zulip_channel"), o.NewRun(t, "zulip_channel")
			run.MustApply(values{"name": "old"})
			first.MustApply(values{"name": "first", "can_send_message_group": set("group:old", "role:owners")})
			second.MustApply(values{"name": "second", "can_send_message_group": set("group:old", "role:owners")})
			destroy, own := run.MustPlan(nil), first.MustPlan(values{"name": "first", "can_send_message_group": set("role:moderators")})
			stop := o.Sandbox.Fail(sandbox.Fault{Method: http.MethodPatch, Path: fmt.Sprintf("/streams/%v", second.State.Values["id"]), Action: sandbox.FaultStatus, Status: http.StatusForbidden})
			p := run.Process()
			_, diags := p.Apply(destroy)
			diags.ExpectError(t, "", `Cannot deactivate user group "old"`, "second")
			stop()
			first.ApplyIn(p, own).ExpectNoError(t)
			run.Apply(run.MustPlan(nil)).ExpectNoError(t)
		})
	}
}
