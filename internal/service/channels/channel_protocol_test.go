package channels_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// The tests named TestProtocol… run zulip_channel through the plugin protocol, in this process and without a CLI. The
// organization is the sandbox's example: ines.moreau@example.com is its owner and the account of the provider,
// tomas.berg@example.com an administrator, lena.fischer@example.com and kenji.sato@example.com are members.

// These are attributes of a channel, as tests write them.
type values = acctest.Values

// channelManaged starts a sandbox, and a run with one zulip_channel that does not exist yet.
func channelManaged(t *testing.T) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, "zulip_channel")
	return o, run
}

// who returns a set of principals.
func who(principals ...string) []any {
	set := []any{}
	for _, principal := range principals {
		set = append(set, principal)
	}
	return set
}

// but is a configuration with some attributes changed.
func but(config, change values) values {
	changed := values{}
	for _, part := range []values{config, change} {
		for name, value := range part {
			changed[name] = value
		}
	}
	return changed
}

// permit returns a change of one permission outside Terraform, without an old value.
func permit(setting string, value zulip.GroupSettingValue) zulip.ChannelUpdate {
	return zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{setting: {New: value}}}
}

// role returns the value with only one role.
func role(t *testing.T, o *acctest.Organization, name string) zulip.GroupSettingValue {
	t.Helper()
	return zulip.NamedGroup(o.SystemGroup(t, "role:"+name))
}

// person returns the ID of an account of the example.
func person(t *testing.T, o *acctest.Organization, account string) int64 {
	t.Helper()
	credentials, ok := o.Sandbox.Credentials(account)
	if !ok {
		t.Fatalf("User the sandbox does not exist %q", account)
	}
	return int64(credentials.ID)
}

// channelGroup returns the ID of a user group of the example.
func channelGroup(t *testing.T, o *acctest.Organization, name string) int64 {
	t.Helper()
	found, ok := o.Sandbox.Organization().Group(name)
	if !ok {
		t.Fatalf("the sandbox has no group %q", name)
	}
	return int64(found.ID)
}

// channelDeactivate deactivates an account outside Terraform.
func channelDeactivate(t *testing.T, o *acctest.Organization, account string) {
	t.Helper()
	o.Call(t, http.MethodDelete, fmt.Sprintf("/users/%d", person(t, o, account)), nil)
}

// writes returns the parameters of each change that was sent to the server's channels.
func writes(sent *acctest.Sent) []map[string]string {
	all := []map[string]string{}
	for _, request := range sent.Writes() {
		all = append(all, request.Params)
	}
	return all
}

// channelChange returns the change of a permission as a parameter of a request, without an old value if old is nil.
func channelChange(t *testing.T, value zulip.GroupSettingValue, old *zulip.GroupSettingValue) string {
	t.Helper()
	text, err := json.Marshal(zulip.GroupSettingChange{New: value, Old: old})
	acctest.NoError(t, err)
	return string(text)
}

// channelByHand changes a channel during another operation. The error is sent when the server has answered.
func channelByHand(o *acctest.Organization, id int64, update zulip.ChannelUpdate) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := o.Client.UpdateChannel(context.Background(), id, update)
		done <- err
	}()
	return done
}

const pushes = "default_push_notifications"

// managedAt is channelManaged on a server of a feature level.
func managedAt(t *testing.T, level int) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
	run := o.NewRun(t, "zulip_channel")
	return o, run
}

// Without a refresh, the only state is from a server without the attribute. The attribute can still be managed.
func TestProtocolChannelDefaultPushNotifications_ServerUpgraded(t *testing.T) {
	o, run := managedAt(t, 442)
	config := values{"name": "alerts", "description": "kept"}
	run.MustApply(config)
	o.Sandbox.SetFeatureLevel(featurelevel.Newest)
	p := run.Process()
	plan, diags := p.Plan("zulip_channel", run.State, but(config, values{pushes: true}))
	diags.ExpectNoError(t)
	sent := o.Sent()
	_, diags = p.Apply(plan)
	diags.ExpectNoError(t)
	expectWrites(t, sent, params{pushes: "true"})
	found, diags := run.Process().ReadData("zulip_channel", values{"name": "alerts"})
	diags.ExpectNoError(t)
	if found[pushes] != true {
		t.Errorf("the data source says %v", found[pushes])
	}
}

func TestProtocolChannelDefaultPushNotifications_ByMember(t *testing.T) {
	o, run := managedAt(t, featurelevel.ChannelPushNotifications)
	config := values{"name": "alerts", "can_administer_channel_group": who("user:lena.fischer@example.com")}
	run.MustApply(config)
	member := o.As(t, "member").NewRun(t, "zulip_channel")
	expectRefusals(t, o, member, map[string]refusal{
		"a new channel": {values{pushes: true}, pushes, []string{"lena.fischer@example.com cannot set " + pushes, "Only administrators"}},
	})
	member.MustApply(values{"name": "quiet", pushes: false})

	member.State = run.State
	_, diags := member.Plan(but(config, values{pushes: true}))
	diags.ExpectError(t, pushes, "lena.fischer@example.com cannot set "+pushes, "Only administrators")
	sent := o.Sent()
	member.MustApply(but(config, values{pushes: false, "description": "by a member"}))
	expectWrites(t, sent, params{"description": "by a member"})
}

// two manages two channels, a and b, and plans both in one run, in either order.
func two(t *testing.T, first, second string, test func(t *testing.T, o *acctest.Organization, a, b *acctest.Run, plan func(*acctest.Run, values) (*acctest.PlannedChange, acctest.Diagnostics), inOrder func(...func()))) {
	t.Helper()
	for _, isReversed := range []bool{false, true} {
		o, a := channelManaged(t)
		b := o.NewRun(t, "zulip_channel")
		if a.MustApply(values{"name": first}); second != "" {
			b.MustApply(values{"name": second})
		}
		p := a.Process()
		plan := func(run *acctest.Run, config values) (*acctest.PlannedChange, acctest.Diagnostics) {
			if run.State != nil { // the CLI reads each resource just before it plans it
				state, diags := p.Read("zulip_channel", run.State)
				diags.ExpectNoError(t)
				run.State = state
			}
			return p.Plan("zulip_channel", run.State, config)
		}
		test(t, o, a, b, plan, func(steps ...func()) {
			if isReversed {
				steps[0], steps[1] = steps[1], steps[0]
			}
			for _, step := range steps {
				step()
			}
		})
	}
}

// A removed block and an import of the same channel in one plan would archive the channel of the other resource.
func TestProtocolChannel_DestroyedButImported_Refused(t *testing.T) {
	two(t, "a", "", func(t *testing.T, _ *acctest.Organization, a, b *acctest.Run, plan func(*acctest.Run, values) (*acctest.PlannedChange, acctest.Diagnostics), inOrder func(...func())) {
		b.Import("a", nil).ExpectNoError(t)
		var all acctest.Diagnostics
		inOrder(func() {
			_, diags := plan(a, nil)
			all = append(all, diags...)
		}, func() {
			_, diags := plan(b, values{"name": "a"})
			all = append(all, diags...)
		})
		all.ExpectError(t, "", `Another resource still manages channel "a"`, "destroy = false", "moved block")
	})
}

// If a channel is kept on destroy, a replaced resource has the same channel again.
func TestProtocolChannel_KeptAndReplaced_Same(t *testing.T) {
	o, run := channelManaged(t)
	config := values{"name": "kept", "on_destroy": "keep", "description": "first"}
	run.MustApply(config)
	id := run.State.Values["id"]
	destroy := run.MustPlan(nil)
	p := run.Process()
	_, diags := p.Apply(destroy)
	diags.ExpectNoError(t)
	config["description"] = "second"
	create, diags := p.Plan("zulip_channel", &acctest.Instance{}, config)
	diags.ExpectNoError(t)
	state, diags := p.Apply(create)
	diags.ExpectNoError(t)
	if state == nil || state.Values["id"] != id || o.MustChannel(t, "kept").Description != "second" || called(o, "kept") != 1 {
		t.Errorf("the state holds %v", state)
	}
}

// Someone whom the server's list of people lacks is subscribed from the start (server-behavior §U18).
func TestProtocolChannel_UserMissingFromList(t *testing.T) {
	o, run := channelManaged(t)
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/users", Action: sandbox.FaultStale})
	_, err := o.Client.CreateUser(t.Context(), zulip.NewUser{Email: "nadia@example.com", FullName: "Nadia Haddad", Password: "a long enough password"})
	acctest.NoError(t, err)
	run.MustApply(values{"name": "ops", "initial_subscribers": []any{"nadia@example.com"}})
	if in := o.Subscribers(t, "ops"); len(in) != 1 {
		t.Errorf("subscribed are %v", in)
	}
}
