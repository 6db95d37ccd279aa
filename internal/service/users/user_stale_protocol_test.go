package users_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// The server's lists may lack an account or be older than a write. The account is still created, updated and
// deactivated, and stays in the state (server-behavior §U18).
func TestProtocolUser_MissingFromLists_Managed(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user")
	for _, rule := range []string{"POST /users stale", "* /users/** stale"} {
		o.Fail(t, rule)
	}
	run.MustApply(nadia(values{"role": "moderator"}))
	run.MustApply(nadia(values{"role": "member", "full_name": "Nadia H"}))
	found := o.UserOf(t, run)
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
	acctest.NoError(t, err)
	return user
}

// A deactivated account that the list still shows as active is reactivated.
func TestProtocolUser_ListedAsActive_Reactivated(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user")
	o.Fail(t, "DELETE /users/* stale")
	if _, err := o.Client.DeactivateUser(context.Background(), id(t, o, "member"), zulip.Deactivation{}); err != nil {
		t.Fatal(err)
	}
	run.MustApply(values{"email": userLena, "full_name": "Lena Fischer", "adopt_deactivated": true})
	if !account(t, o, id(t, o, "member")).IsActive {
		t.Error("the account is deactivated")
	}
}

// A change of a role above member is noticed, even if the server's list is older: the user is read separately.
func TestProtocolUser_StaleList_RoleDrift(t *testing.T) {
	for kind, config := range map[string]values{"zulip_user": lenaWith(values{"role": "moderator"}), "zulip_user_role": {"user": userLena, "role": "moderator"}} {
		t.Run(kind, func(t *testing.T) {
			o, run := acctest.StartRun(t, kind)
			run.Import(userLena, nil).ExpectNoError(t)
			run.MustApply(config)
			o.Fail(t, "PATCH /users/* stale")
			guest := zulip.RoleGuest
			acctest.NoError(t, o.Client.UpdateUser(t.Context(), id(t, o, "member"), zulip.UserUpdate{Role: &guest}))
			run.Refresh().ExpectNoError(t)
			if run.State.Values["role"] != "guest" {
				t.Errorf("the state says %v", run.State.Values["role"])
			}
		})
	}
}

// A profile field names someone whom the list lacks.
func TestProtocolUserProfile_MissingFromList_Found(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user")
	o.Call(t, "POST", "/realm/profile_fields", map[string]string{"name": "Mentor", "field_type": "6"})
	run.MustApply(nadia(nil))
	o.Fail(t, "POST /users stale")
	mentor, err := o.Client.CreateUser(context.Background(), zulip.NewUser{Email: "mentor@example.com", FullName: "Mentor", Password: "a long enough password"})
	acctest.NoError(t, err)
	run.MustApply(nadia(values{"profile_data": values{"Mentor": `["mentor@example.com"]`}}))
	if got, want := o.UserOf(t, run).ProfileData, fmt.Sprint(mentor); !strings.Contains(fmt.Sprint(got), want) {
		t.Errorf("the profile is %v, without %s", got, want)
	}
}

// A user who is missing in the server's list is read by email or ID (server-behavior §U18).
func TestProtocolUserRole_MissingFromList_Found(t *testing.T) {
	for name, user := range map[string]func(id int64) string{
		"address": func(int64) string { return "nadia@example.com" }, "ID": func(id int64) string { return fmt.Sprint(id) },
	} {
		t.Run(name, func(t *testing.T) {
			o, run := acctest.StartRun(t, "zulip_user_role")
			o.Fail(t, "POST /users stale")
			id, err := o.Client.CreateUser(context.Background(), zulip.NewUser{Email: "nadia@example.com", FullName: "Nadia Haddad", Password: "a long enough password"})
			acctest.NoError(t, err)
			o.Fail(t, "PATCH /users/* stale")
			run.MustApply(values{"user": user(id), "role": "moderator"})
			if found, err := o.Client.User(context.Background(), id); err != nil || found.Role != zulip.RoleModerator {
				t.Errorf("the server holds %+v, %v", found, err)
			}
			// The user is also imported, and stays in the state.
			other := o.NewRun(t, "zulip_user_role")
			other.Import(user(id), nil).ExpectNoError(t)
			if other.State == nil || other.State.Values["role"] != "moderator" {
				t.Errorf("imported is %+v", other.State)
			}
		})
	}
}

// A user who does not exist is requested once, however many resources name them.
func TestProtocolUserRole_UnknownUser_OneRequest(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_role")
	p := run.Process()
	sent := o.Sent()
	for _, says := range []string{"did you mean " + userRoleLena, "Another error of this run has the details", "Another error of this run has the details"} {
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

// An imported role is the account's current one, even if the server's list is older.
func TestProtocolUserRole_StaleList_Imported(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user_role")
	o.Fail(t, "PATCH /users/* stale")
	moderator := zulip.RoleModerator
	acctest.NoError(t, o.Client.UpdateUser(context.Background(), id(t, o, "member"), zulip.UserUpdate{Role: &moderator}))
	run.Import(userRoleLena, nil).ExpectNoError(t)
	if run.State.Values["role"] != "moderator" {
		t.Errorf("the state says %v", run.State.Values["role"])
	}
}
