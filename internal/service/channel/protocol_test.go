package channel_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// The tests called TestProtocol… drive zulip_channel through the plugin protocol, in this process and without a CLI. The
// organization is the sandbox's example: ines.moreau@example.com is its owner and the account of the provider,
// tomas.berg@example.com an administrator, lena.fischer@example.com and kenji.sato@example.com are members.

// These are attributes of a channel, as tests write them.
type values = acctest.Values

// managed gives a test a sandbox and one zulip_channel to manage in it, which does not exist yet.
func managed(t *testing.T) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, "zulip_channel")
	return o, run
}

// who is a set of principals.
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

// permit is a change by hand of one permission, without an old value.
func permit(setting string, value zulip.GroupSettingValue) zulip.ChannelUpdate {
	return zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{setting: {New: value}}}
}

// role is the value of one role alone.
func role(t *testing.T, o *acctest.Organization, name string) zulip.GroupSettingValue {
	t.Helper()
	return zulip.NamedGroup(o.SystemGroup(t, "role:"+name))
}

// person returns the ID of an account of the example.
func person(t *testing.T, o *acctest.Organization, account string) int64 {
	t.Helper()
	credentials, ok := o.Sandbox.Credentials(account)
	if !ok {
		t.Fatalf("the sandbox has no account %q", account)
	}
	return int64(credentials.ID)
}

// group returns the ID of a user group of the example.
func group(t *testing.T, o *acctest.Organization, name string) int64 {
	t.Helper()
	found, ok := o.Sandbox.Organization().Group(name)
	if !ok {
		t.Fatalf("the sandbox has no group %q", name)
	}
	return int64(found.ID)
}

// deactivate ends the account of somebody, by hand.
func deactivate(t *testing.T, o *acctest.Organization, account string) {
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

// change writes the change of a permission as the wire has it; old nil sends none.
func change(t *testing.T, value zulip.GroupSettingValue, old *zulip.GroupSettingValue) string {
	t.Helper()
	text, err := json.Marshal(zulip.GroupSettingChange{New: value, Old: old})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// byHand changes a channel while something else goes on; the error comes when the server has answered.
func byHand(o *acctest.Organization, id int64, update zulip.ChannelUpdate) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := o.Client.UpdateChannel(context.Background(), id, update)
		done <- err
	}()
	return done
}
