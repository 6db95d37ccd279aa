package channel_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Somebody whom the server's list of people lacks gets a permission and is subscribed from the start, and stays in the state by
// address (server-behavior §U18).
func TestProtocolChannelForSomebodyWhomTheListLacks(t *testing.T) {
	const nadia = "nadia@example.com"
	for name, config := range map[string]values{
		"permission":         {"name": "ops", "can_send_message_group": who("role:moderators", "user:"+nadia)},
		"initial subscriber": {"name": "ops", "initial_subscribers": []any{nadia}},
	} {
		t.Run(name, func(t *testing.T) {
			o, run := managed(t)
			o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/users", Action: sandbox.FaultStale})
			if _, err := o.Client.CreateUser(t.Context(), zulip.NewUser{Email: nadia, FullName: "Nadia Haddad", Password: "a long enough password"}); err != nil {
				t.Fatal(err)
			}
			run.MustApply(config)
			if name == "permission" {
				run.MustApply(but(config, values{"can_send_message_group": who("user:" + nadia)}))
			} else if in := o.Subscribers(t, "ops"); len(in) != 1 {
				t.Errorf("subscribed are %v", in)
			}
		})
	}
}
