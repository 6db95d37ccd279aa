package user_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// An account that the server's lists lack, or have as it was before a write, is created, updated and deactivated all the same,
// and stays in the state (server-behavior §U18).
func TestProtocolUserThatTheListsLack(t *testing.T) {
	o, run := managed(t)
	for _, rule := range []string{"POST /users stale", "* /users/** stale"} {
		fault, err := sandbox.ParseFault(rule)
		if err != nil {
			t.Fatal(err)
		}
		o.Sandbox.Fail(fault)
	}
	run.MustApply(nadia(values{"role": "moderator"}))
	run.MustApply(nadia(values{"role": "member", "full_name": "Nadia H"}))
	found := held(t, o, run)
	if found.Role != zulip.RoleMember || found.FullName != "Nadia H" {
		t.Errorf("the server holds %+v", found)
	}
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	if left := account(t, o, found.ID); left.IsActive {
		t.Error("the account is active")
	}
	run.State = nil
	run.MustApply(nadia(values{"adopt_deactivated": true}))
	if left := account(t, o, found.ID); !left.IsActive {
		t.Error("the account is deactivated")
	}
}

func account(t *testing.T, o *acctest.Organization, id int64) *zulip.User {
	t.Helper()
	user, err := o.Client.User(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return user
}

// An account that was deactivated, and that the list still has as active, is reactivated.
func TestProtocolUserThatTheListHasAsActive(t *testing.T) {
	o, run := managed(t)
	fault, err := sandbox.ParseFault("DELETE /users/* stale")
	if err != nil {
		t.Fatal(err)
	}
	o.Sandbox.Fail(fault)
	if _, err := o.Client.DeactivateUser(context.Background(), id(t, o, "member"), zulip.Deactivation{}); err != nil {
		t.Fatal(err)
	}
	run.MustApply(values{"email": lena, "full_name": "Lena Fischer", "adopt_deactivated": true})
	if !account(t, o, id(t, o, "member")).IsActive {
		t.Error("the account is deactivated")
	}
}

// A role above member is seen to have changed, whatever the server's list says.
func TestProtocolDriftOfAUsersRoleThatTheListHides(t *testing.T) {
	o, run := managed(t)
	run.MustApply(nadia(values{"role": "moderator"}))
	fault, err := sandbox.ParseFault("PATCH /users/* stale")
	if err != nil {
		t.Fatal(err)
	}
	o.Sandbox.Fail(fault)
	guest := zulip.RoleGuest
	if err := o.Client.UpdateUser(context.Background(), held(t, o, run).ID, zulip.UserUpdate{Role: &guest}); err != nil {
		t.Fatal(err)
	}
	run.Refresh().ExpectNoError(t)
	if run.State.Values["role"] != "guest" {
		t.Errorf("the state says %v", run.State.Values["role"])
	}
}

// A profile field names somebody whom the list lacks.
func TestProtocolUserWithAProfileOfSomebodyWhomTheListLacks(t *testing.T) {
	o, run := managed(t)
	o.Call(t, "POST", "/realm/profile_fields", map[string]string{"name": "Mentor", "field_type": "6"})
	run.MustApply(nadia(nil))
	fault, err := sandbox.ParseFault("POST /users stale")
	if err != nil {
		t.Fatal(err)
	}
	o.Sandbox.Fail(fault)
	mentor, err := o.Client.CreateUser(context.Background(), zulip.NewUser{Email: "mentor@example.com", FullName: "Mentor", Password: "a long enough password"})
	if err != nil {
		t.Fatal(err)
	}
	run.MustApply(nadia(values{"profile_data": values{"Mentor": `["mentor@example.com"]`}}))
	if got, want := held(t, o, run).ProfileData, fmt.Sprint(mentor); !strings.Contains(fmt.Sprint(got), want) {
		t.Errorf("the profile is %v, without %s", got, want)
	}
}
