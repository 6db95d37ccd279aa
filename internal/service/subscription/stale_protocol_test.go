package subscription_test

import (
	"context"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Somebody whom the server's list of people lacks is subscribed, and stays in the state by address (server-behavior §U18).
func TestProtocolSubscribersWhomTheListLacks(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/users", Action: sandbox.FaultStale})
	if _, err := o.Client.CreateUser(context.Background(), zulip.NewUser{Email: "nadia@example.com", FullName: "Nadia Haddad", Password: "a long enough password"}); err != nil {
		t.Fatal(err)
	}
	run := o.NewRun(t, "zulip_channel_subscription")
	run.MustApply(values{"channel": "general", "users": texts("nadia@example.com")})
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
}
