package channels_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// readOnly are the attributes that only the server sets but that a state has, because other resources refer to them.
var readOnly = []string{"id", "url"}

// channelSetByHand changes a run's channel outside Terraform.
func channelSetByHand(t *testing.T, o *acctest.Organization, config values) {
	t.Helper()
	other := o.NewRun(t, "zulip_channel")
	other.Import("name:"+config["name"].(string), nil).ExpectNoError(t)
	other.MustApply(config)
}

// expectOmitted fails the test if a state has an attribute that a configuration does not set.
func expectOmitted(t *testing.T, when string, has, config values) {
	t.Helper()
	for name, value := range has {
		if config[name] == nil && value != nil && !slices.Contains(readOnly, name) {
			t.Errorf("%s: %s is not managed, and is %v", when, name, value)
		}
		if config[name] != nil && !reflect.DeepEqual(value, config[name]) {
			t.Errorf("%s: %s is %v, and configured as %v", when, name, value, config[name])
		}
	}
}

// everyAttribute has a value for each attribute that differs from a new channel's.
var everyAttribute = values{
	"privacy": "private_shared_history", "topics_policy": "allow_empty_topic", "message_retention_days": "30", "description": "by hand",
	"can_send_message_group": []any{"role:moderators"}, "can_subscribe_group": []any{"group:sre"},
	"can_administer_channel_group": []any{"group:leads", "user:lena.fischer@example.com"},
	"can_add_subscribers_group":    []any{"role:members"},
}

func TestProtocolChannel_Unmanaged_LeftOut(t *testing.T) {
	o, run := channelManaged(t)
	config := values{"name": "narrow", "description": "managed", "can_send_message_group": who("role:members")}
	plan := run.MustPlan(config)
	for name, value := range plan.Values {
		if config[name] == nil && value != nil && !slices.Contains(readOnly, name) {
			t.Errorf("%s is planned as %v", name, value)
		}
	}
	sent := o.Sent()
	run.Apply(plan).ExpectNoError(t)
	expectWrites(t, sent, params{"name": "narrow", "description": "managed", "subscribers": "[]", "can_send_message_group": fmt.Sprint(o.SystemGroup(t, "role:members"))})
	expectOmitted(t, "created", run.State.Values, config)
	id := run.State.Values["id"]

	// Managed and unmanaged attributes are changed outside Terraform: only the former are noticed.
	channelSetByHand(t, o, but(but(everyAttribute, config), values{"description": "drifted"}))
	sent = o.Sent()
	if plan := run.MustPlan(config); !reflect.DeepEqual(plan.Changes(), []string{"description"}) {
		t.Errorf("the plan changes %v", plan.Changes())
	}
	expectOmitted(t, "refreshed", run.State.Values, but(config, values{"description": "drifted"}))
	run.MustApply(config)
	expectWrites(t, sent, params{"description": "managed"})
	expectOmitted(t, "updated", run.State.Values, config)
	if run.State.Values["id"] != id {
		t.Errorf("the channel is %v, and was %v", run.State.Values["id"], id)
	}

	// An attribute that becomes managed is in the state from then on, even if it is no longer configured.
	more := but(config, values{"topics_policy": "allow_empty_topic", "can_subscribe_group": who("role:nobody")})
	sent = o.Sent()
	run.MustApply(more)
	old := zulip.NamedGroup(channelGroup(t, o, "sre"))
	expectWrites(t, sent, params{"can_subscribe_group": channelChange(t, role(t, o, "nobody"), &old)})
	expectOmitted(t, "managed", run.State.Values, more)
	sent = o.Sent()
	run.MustApply(config)
	expectWrites(t, sent)
	expectOmitted(t, "not configured any more", run.State.Values, more)
	policy := "disable_empty_topic"
	o.Change(t, "narrow", zulip.ChannelUpdate{TopicsPolicy: &policy})
	run.MustApply(config)
	expectOmitted(t, "drifted", run.State.Values, but(more, values{"topics_policy": policy}))
}

// unmanagedOf returns the values in the private state that differ from those of a new channel.
func unmanagedOf(t *testing.T, run *acctest.Run) map[string]any {
	t.Helper()
	var private map[string][]byte
	acctest.NoError(t, json.Unmarshal(run.State.Private, &private))
	var unmanaged struct {
		F, C int64
		V    map[string]any
	}
	if err := json.Unmarshal(private["unmanaged"], &unmanaged); err != nil || unmanaged.F == 0 || unmanaged.C == 0 {
		t.Errorf("the private state is %s: %v", private["unmanaged"], err)
	}
	return unmanaged.V
}

func TestProtocolChannelPrivateState_Defaults_NotStored(t *testing.T) {
	for _, level := range featurelevel.Tested {
		t.Run(fmt.Sprint(level), func(t *testing.T) {
			o, run := managedAt(t, level)
			run.MustApply(values{"name": "narrow"})
			if got := unmanagedOf(t, run); len(got) > 0 {
				t.Errorf("the private state of a new channel has %v", got)
			}
			channelSetByHand(t, o, values{"name": "narrow", "description": "by hand", "can_send_message_group": who("role:moderators")})
			run.Refresh().ExpectNoError(t)
			want := map[string]any{"description": "by hand", "can_send_message_group": float64(o.SystemGroup(t, "role:moderators"))}
			if got := unmanagedOf(t, run); !reflect.DeepEqual(got, want) {
				t.Errorf("the private state has %v, not %v", got, want)
			}
		})
	}
}

// The creator's permission is not taken for that of the account that applies.
func TestProtocolChannel_NowManagedByOtherAccount_Compared(t *testing.T) {
	const setting = "can_administer_channel_group"
	o, run := channelManaged(t)
	run.MustApply(values{"name": "narrow"})
	config := values{"name": "narrow", setting: who("role:moderators"), "description": "managed"}
	plan := run.MustPlan(config)
	old := zulip.GroupSettingValue{DirectMembers: []int64{o.Self.ID}}
	sent := o.Sent()
	other := o.As(t, "admin").NewRun(t, "zulip_channel")
	other.State = run.State
	other.Apply(plan).ExpectNoError(t)
	expectWrites(t, sent, params{setting: channelChange(t, role(t, o, "moderators"), &old)}, params{"description": "managed"})
}

func TestProtocolChannel_NowManagedSame_NoRequest(t *testing.T) {
	o, run := channelManaged(t)
	run.MustApply(values{"name": "narrow"})
	all := but(everyAttribute, values{"name": "narrow"})
	channelSetByHand(t, o, all)
	sent := o.Sent()
	run.MustApply(all)
	expectWrites(t, sent)
	expectOmitted(t, "managed", run.State.Values, all)
}

// Deactivated people are in the value that was read, but hidden in the current one. That is no change.
func TestProtocolChannel_NowManagedDeactivated_NoConflict(t *testing.T) {
	const setting = "can_administer_channel_group"
	o, run := channelManaged(t)
	run.MustApply(values{"name": "narrow"})
	channelSetByHand(t, o, values{"name": "narrow", setting: who("user:lena.fischer@example.com", "user:kenji.sato@example.com", "group:sre")})
	plan := run.MustPlan(values{"name": "narrow", setting: who("role:moderators")})
	channelDeactivate(t, o, "member")
	run.Apply(plan).ExpectNoError(t)
}

// A principal that is known after apply is resolved during apply, and compared with the value that the plan has read.
func TestProtocolChannel_NowManagedUnknown_Compared(t *testing.T) {
	const setting = "can_send_message_group"
	o, run := channelManaged(t)
	run.MustApply(values{"name": "narrow"})
	plan := run.MustPlan(values{"name": "narrow", setting: acctest.Unknown})
	if !reflect.DeepEqual(plan.Changes(), []string{setting}) {
		t.Errorf("the plan changes %v", plan.Changes())
	}
	o.Change(t, "narrow", permit(setting, role(t, o, "owners")))
	plan.Config[setting] = who("role:moderators")
	sent := o.Sent()
	run.Apply(plan).ExpectError(t, "", "was changed after the plan was made", `when the plan was made:     "role:everyone"`)
	sent.Expect(t)
}

// After a failed request, attributes that were to become managed are not in the state yet, and the next plan reads
// them.
func TestProtocolChannel_NowManagedFailure_Replanned(t *testing.T) {
	o, run := channelManaged(t)
	config := values{"name": "narrow"}
	run.MustApply(config)
	more := but(config, values{"description": "managed", "can_send_message_group": who("role:moderators")})
	plan := run.MustPlan(more)
	// The permission goes first, and the description fails.
	o.Sandbox.Fail(sandbox.Fault{Method: http.MethodPatch, Path: "/streams/*", Skip: 1, Action: sandbox.FaultStatus, Status: http.StatusBadRequest, Count: 1})
	run.Apply(plan).ExpectError(t, "", "Cannot change channel")
	expectOmitted(t, "failed", run.State.Values, config)
	sent := o.Sent()
	run.MustApply(more)
	expectWrites(t, sent, params{"description": "managed"})
	expectOmitted(t, "managed", run.State.Values, more)
}

// A state of an earlier version has all attributes. They stay in the state, and nothing is sent.
func TestProtocolChannelState_AllAttributes_Kept(t *testing.T) {
	o, run := channelManaged(t)
	config := values{"name": "wide", "description": "managed"}
	run.MustApply(config)
	run.Import("wide", nil).ExpectNoError(t)
	var private map[string][]byte
	if err := json.Unmarshal(run.State.Private, &private); err != nil || private["unmanaged"] != nil {
		t.Errorf("beside a state that has everything is %s (%v)", run.State.Private, err)
	}
	before := run.State
	sent := o.Sent()
	run.MustApply(config)
	expectWrites(t, sent)
	if !reflect.DeepEqual(run.State, before) {
		t.Errorf("the state was\n%v\nand is\n%v", before, run.State)
	}
	o.Change(t, "wide", permit("can_subscribe_group", role(t, o, "members")))
	run.MustApply(config)
	if got := run.State.Values["can_subscribe_group"]; !reflect.DeepEqual(got, who("role:members")) {
		t.Errorf("drift is not shown: %v", got)
	}
}

// Without a refresh, the value to overwrite was never read.
func TestProtocolChannel_NowManagedUnread_Refused(t *testing.T) {
	o, run := channelManaged(t)
	run.MustApply(values{"name": "narrow"})
	for _, private := range [][]byte{nil, []byte(`{}`), []byte(`{"unmanaged":"WzEsMl0="}`)} {
		state := *run.State
		state.Private = private
		for name, value := range everyAttribute {
			_, diags := run.Process().Plan("zulip_channel", &state, values{"name": "narrow", name: value})
			diags.ExpectError(t, name, "The current value of "+name+" is not known", "Plan without -refresh=false")
		}
		_, diags := run.Process().Plan("zulip_channel", &state, values{"name": "renamed"})
		diags.ExpectNoError(t)
	}
	// An unread value is no longer a problem after a refresh.
	run.State.Private = nil
	sent := o.Sent()
	run.MustApply(values{"name": "narrow", "topics_policy": "allow_empty_topic"})
	expectWrites(t, sent, params{"topics_policy": "allow_empty_topic"})
}

// The plan shows no value before, so a warning shows it.
func TestProtocolChannel_NowManaged_Warning(t *testing.T) {
	o, run := channelManaged(t)
	run.MustApply(values{"name": "ops"})
	channelSetByHand(t, o, values{"name": "ops", "topics_policy": "allow_empty_topic", "message_retention_days": "30", "can_subscribe_group": who("group:sre")})
	_, diags := run.Plan(values{"name": "ops", "topics_policy": "inherit", "message_retention_days": "30", "can_subscribe_group": who("role:nobody"), "description": "new"})
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "", change.ManagedSummary, `channel "ops"`, `topics_policy
  now:                        "allow_empty_topic"
  the configuration asks for: "inherit"
`, `can_subscribe_group
  now:                        "group:sre"
  the configuration asks for: "role:nobody"
`)
	for _, not := range []string{"message_retention_days", "description"} { // the value is the same; there was none
		if strings.Contains(diags.String(), not) {
			t.Errorf("%s is warned of:\n%v", not, diags)
		}
	}
}

// The warnings and the lockout check compare with the server's values.
func TestProtocolChannel_NowManaged_AccessWarning(t *testing.T) {
	o, run := channelManaged(t)
	config := values{"name": "ops", "initial_subscribers": inside}
	run.MustApply(config)
	o.Change(t, "ops", permit("can_send_message_group", role(t, o, "administrators")))
	expectAccessWarning(t, run, but(config, values{"can_send_message_group": who("role:administrators")}), "")
	expectAccessWarning(t, run, but(config, values{"can_send_message_group": who("role:administrators", "user:lena.fischer@example.com")}), acctest.GeneralAccess)
	// The check also uses the unmanaged privacy.
	expectAccessWarning(t, run, but(config, values{"can_subscribe_group": who("role:members")}), "")
	channelSetByHand(t, o, values{"name": "ops", "privacy": "private_shared_history"})
	expectAccessWarning(t, run, but(config, values{"can_subscribe_group": who("user:kenji.sato@example.com")}), `More people can gain access to private channel "ops"`)
}

func TestProtocolChannelPrivacy_Unmanaged_Considered(t *testing.T) {
	o, run := channelManaged(t)
	config := values{"name": "ops", "initial_subscribers": inside}
	run.MustApply(config)
	channelSetByHand(t, o, values{"name": "ops", "privacy": "private_protected_history"})
	_, diags := run.Plan(but(config, values{"can_create_topic_group": who("role:moderators")}))
	diags.ExpectError(t, "can_create_topic_group", "can_create_topic_group requires shared history")

	channelSetByHand(t, o, values{"name": "ops", "privacy": "public", "can_create_topic_group": who("role:moderators")})
	_, diags = run.Plan(but(config, values{"privacy": "private_protected_history"}))
	diags.ExpectError(t, "can_create_topic_group", "can_create_topic_group requires shared history")
}

// A moderator can manage the channel only because of an unmanaged permission. The change passes, and is no lockout.
func TestProtocolChannelAdministration_Unmanaged_Considered(t *testing.T) {
	o, run := channelManaged(t)
	config := values{"name": "ops", "initial_subscribers": inside}
	run.MustApply(config)
	member := o.As(t, "member").NewRun(t, "zulip_channel")
	member.State = run.State
	member.ExpectLack(but(config, values{"description": "by a member"}), "", `cannot change channel "ops"`)

	o.Change(t, "ops", permit("can_administer_channel_group", zulip.NamedGroup(channelGroup(t, o, "sre"))))
	member.MustApply(but(config, values{"description": "by a member"}))
	_, diags := member.Plan(but(config, values{"description": "by a member", "can_administer_channel_group": who("role:administrators")}))
	diags.ExpectError(t, "can_administer_channel_group", "This would remove the provider's own access")
}
