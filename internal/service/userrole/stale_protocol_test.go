package userrole_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// stale lets some writes leave the server's lists of people and bots as they were before.
func stale(t *testing.T, o *acctest.Organization, rule string) (heal func()) {
	t.Helper()
	fault, err := sandbox.ParseFault(rule)
	if err != nil {
		t.Fatal(err)
	}
	return o.Sandbox.Fail(fault)
}

// Somebody whom the server's list lacks is asked for by address or ID (server-behavior §U18).
func TestProtocolUserRoleOfSomebodyWhomTheListLacks(t *testing.T) {
	for name, user := range map[string]func(id int64) string{
		"address": func(int64) string { return "nadia@example.com" }, "ID": func(id int64) string { return fmt.Sprint(id) },
	} {
		t.Run(name, func(t *testing.T) {
			o, run := managed(t)
			stale(t, o, "POST /users stale")
			id, err := o.Client.CreateUser(context.Background(), zulip.NewUser{Email: "nadia@example.com", FullName: "Nadia Haddad", Password: "a long enough password"})
			if err != nil {
				t.Fatal(err)
			}
			stale(t, o, "PATCH /users/* stale")
			run.MustApply(values{"user": user(id), "role": "moderator"})
			if found, err := o.Client.User(context.Background(), id); err != nil || found.Role != zulip.RoleModerator {
				t.Errorf("the server holds %+v, %v", found, err)
			}
			// It is imported too, and stays in the state.
			other := o.NewRun(t, "zulip_user_role")
			other.Import(user(id), nil).ExpectNoError(t)
			if other.State == nil || other.State.Values["role"] != "moderator" {
				t.Errorf("imported is %+v", other.State)
			}
		})
	}
}

// A role that the list has from before a write is no drift.
func TestProtocolUserRoleThatTheListDoesNotShow(t *testing.T) {
	o, run := managed(t)
	stale(t, o, "PATCH /users/* stale")
	run.MustApply(values{"user": lena, "role": "moderator"})
	expect(t, o, "member", "moderator")
	run.MustApply(values{"user": lena, "role": "guest"})
	expect(t, o, "member", "guest")
}

// Who is not there is asked for once, however many resources name it.
func TestProtocolUserRoleOfNobody(t *testing.T) {
	o, run := managed(t)
	p := run.Process()
	sent := o.Sent()
	for _, says := range []string{"did you mean " + lena, "Another error of this run says more", "Another error of this run says more"} {
		_, diags := p.Plan("zulip_user_role", nil, values{"user": "lina.fischer@example.com", "role": "guest"})
		diags.ExpectError(t, "user", `"lina.fischer@example.com" is not in the organization`, says)
	}
	asked := 0
	for _, request := range sent.Requests() {
		if request.Path == "/users/lina.fischer@example.com" {
			asked++
		}
	}
	if asked != 1 {
		t.Errorf("asked for %d times", asked)
	}
}

// A role above member is seen to have changed, whatever the server's list says: it is asked for by itself.
func TestProtocolDriftOfARoleThatTheListHides(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"user": lena, "role": "moderator"})
	stale(t, o, "PATCH /users/* stale")
	guest := zulip.RoleGuest
	if err := o.Client.UpdateUser(context.Background(), id(t, o, "member"), zulip.UserUpdate{Role: &guest}); err != nil {
		t.Fatal(err)
	}
	run.Refresh().ExpectNoError(t)
	if run.State.Values["role"] != "guest" {
		t.Errorf("the state says %v", run.State.Values["role"])
	}
}

// An imported role is the one that the account has, whatever the server's list says.
func TestProtocolImportOfARoleThatTheListHides(t *testing.T) {
	o, run := managed(t)
	stale(t, o, "PATCH /users/* stale")
	moderator := zulip.RoleModerator
	if err := o.Client.UpdateUser(context.Background(), id(t, o, "member"), zulip.UserUpdate{Role: &moderator}); err != nil {
		t.Fatal(err)
	}
	run.Import(lena, nil).ExpectNoError(t)
	if run.State.Values["role"] != "moderator" {
		t.Errorf("the state says %v", run.State.Values["role"])
	}
}
