package usergroup_test

import (
	"context"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Somebody whom the server's list of people lacks is added to a group, and stays in the state by address (server-behavior §U18).
func TestProtocolMembershipOfSomebodyWhomTheListLacks(t *testing.T) {
	o, run := added(t)
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/users", Action: sandbox.FaultStale})
	if _, err := o.Client.CreateUser(context.Background(), zulip.NewUser{Email: "nadia@example.com", FullName: "Nadia Haddad", Password: "a long enough password"}); err != nil {
		t.Fatal(err)
	}
	run.MustApply(values{"group": "sre", "members": set("nadia@example.com", kenji)})
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	holds(t, o, "sre", []string{amara, lena}, nil)
}

// The same holds of the members of a group, and of whom its permissions name.
func TestProtocolGroupOfSomebodyWhomTheListLacks(t *testing.T) {
	o, _ := added(t)
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/users", Action: sandbox.FaultStale})
	if _, err := o.Client.CreateUser(context.Background(), zulip.NewUser{Email: "nadia@example.com", FullName: "Nadia Haddad", Password: "a long enough password"}); err != nil {
		t.Fatal(err)
	}
	run := o.NewRun(t, groupType)
	run.MustApply(values{"name": "ops", "members": listed("nadia@example.com", kenji)})
	run.MustApply(values{"name": "ops", "can_mention_group": set("user:nadia@example.com")})
}
