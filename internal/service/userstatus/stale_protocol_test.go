package userstatus_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Somebody whom the server's list of people lacks gets a status, which is imported too (server-behavior §U18).
func TestProtocolUserStatusOfSomebodyWhomTheListLacks(t *testing.T) {
	const nadia = "nadia@example.com"
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/users", Action: sandbox.FaultStale})
	if _, err := o.Client.CreateUser(t.Context(), zulip.NewUser{Email: nadia, FullName: "Nadia Haddad", Password: "a long enough password"}); err != nil {
		t.Fatal(err)
	}
	run := o.NewRun(t, "zulip_user_status")
	config := acctest.Values{"user": nadia, "status_text": "away"}
	run.MustApply(config)
	run.MustApply(acctest.Values{"user": nadia, "status_text": "back"})
	run.Import(nadia, nil).ExpectNoError(t)
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
}
