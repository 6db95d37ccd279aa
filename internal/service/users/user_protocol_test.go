package users_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

const (
	userLena = "lena.fischer@example.com" // a member
	userInes = "ines.moreau@example.com"  // the only owner
	newcomer = "Nadia.Haddad@example.com" // has no account
)

// userManaged gives a test a sandbox, whose owner has the rights of the server's shell, and one zulip_user to manage in it.
func userManaged(t *testing.T) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, "zulip_user")
	return o, run
}

// nadia is the account that tests make.
func nadia(more values) values {
	config := values{"email": newcomer, "full_name": "Nadia Haddad"}
	for name, value := range more {
		config[name] = value
	}
	return config
}

// held reads the account in the state.
func held(t *testing.T, o *acctest.Organization, run *acctest.Run) *zulip.User {
	t.Helper()
	number, _ := run.State.Values["id"].(int64)
	user, err := o.Client.User(context.Background(), number)
	if err != nil {
		t.Fatal(err)
	}
	return user
}

// named returns how many accounts have a name, deactivated ones included.
func named(t *testing.T, o *acctest.Organization, name string) (count int) {
	t.Helper()
	users, err := o.Client.Users(context.Background(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range users {
		if user.FullName == name {
			count++
		}
	}
	return count
}

// field makes a custom profile field and returns its ID.
func field(t *testing.T, o *acctest.Organization, name, kind string) int64 {
	t.Helper()
	number, _ := o.Call(t, http.MethodPost, "/realm/profile_fields", map[string]string{"name": name, "field_type": kind})["id"].(float64)
	return int64(number)
}

// hideAddresses makes people who join from now on hide their address from everybody.
func hideAddresses(t *testing.T, o *acctest.Organization) {
	t.Helper()
	o.Call(t, http.MethodPatch, "/realm/user_settings_defaults", map[string]string{"email_address_visibility": "4"})
}

func TestProtocolUserLives(t *testing.T) {
	o, run := userManaged(t)
	sent := o.Sent()
	run.MustApply(nadia(nil))
	sent.Expect(t, "POST email full_name password")
	id := run.State.Values["id"]
	if got := run.State.Values; got["role"] != "member" || got["email"] != newcomer || got["password"] != nil {
		t.Errorf("the state holds %v", got)
	}
	sent = o.Sent()
	run.MustApply(nadia(values{"email": strings.ToLower(newcomer), "full_name": " Nadia Haddad "}))
	run.MustApply(nadia(values{"adopt_deactivated": true}))
	sent.Expect(t) // the same in other words, and what counts another time
	run.MustApply(nadia(values{"full_name": "Nadia H", "role": "moderator"}))
	run.MustApply(nadia(values{"full_name": "Nadia H", "email": "nadia@example.org"}))
	sent.Expect(t, "PATCH full_name role", "PATCH new_email")
	if user := held(t, o, run); user.Address() != "nadia@example.org" || user.Role != zulip.RoleModerator || user.FullName != "Nadia H" {
		t.Errorf("the server holds %+v", user)
	}
	if run.State.Values["id"] != id {
		t.Error("it is to be changed in place")
	}
	run.MustApply(nadia(values{"full_name": "Nadia H", "email": "nadia@example.org", "deactivation_notification_comment": "So long"}))
	sent = o.Sent()
	user := held(t, o, run)
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	sent.Expect(t, "DELETE deactivation_notification_comment")
	if user, err := o.Client.User(context.Background(), user.ID); err != nil || user.IsActive {
		t.Errorf("the account is %+v, %v", user, err)
	}
}

func TestProtocolUserWithEverything(t *testing.T) {
	o, run := userManaged(t)
	field(t, o, "Team", "1")
	field(t, o, "Mentors", "6")
	sent := o.Sent()
	run.MustApply(nadia(values{
		"role": "administrator", "password": "correct horse battery staple",
		"profile_data": values{"Team": "Platform", "Mentors": fmt.Sprintf("[%q, %d]", userLena, o.Self.ID)},
	}))
	sent.Expect(t, "POST email full_name password", "PATCH profile_data role")
	for _, request := range sent.Writes() {
		if strings.Contains(fmt.Sprint(request), "battery") {
			t.Errorf("a password in the journal: %+v", request)
		}
	}
	if strings.Contains(fmt.Sprint(run.State.Values), "battery") {
		t.Errorf("a password in the state: %v", run.State.Values)
	}
	user := held(t, o, run)
	if user.Role != zulip.RoleAdministrator || len(user.ProfileData) != 2 {
		t.Errorf("the server holds %+v", user)
	}
	// People in other words and another order are the same people.
	sent = o.Sent()
	run.MustApply(nadia(values{"profile_data": values{"Team": "Platform", "Mentors": fmt.Sprintf("[%d,%d]", o.Self.ID, id(t, o, "member"))}}))
	sent.Expect(t)
	// Only fields that are named are managed: the other is let go, and this one taken away.
	run.MustApply(nadia(values{"profile_data": values{"Team": ""}}))
	sent.Expect(t, "PATCH profile_data")
	if user := held(t, o, run); len(user.ProfileData) != 1 {
		t.Errorf("the server holds %+v", user.ProfileData)
	}
}

func TestProtocolUserDrift(t *testing.T) {
	o, run := userManaged(t)
	team := field(t, o, "Team", "1")
	config := nadia(values{"role": "member", "profile_data": values{"Team": "Platform"}})
	run.MustApply(config)
	path := fmt.Sprint("/users/", run.State.Values["id"])
	o.Call(t, http.MethodPatch, path, map[string]string{
		"full_name": "Other", "role": "600", "profile_data": fmt.Sprintf(`[{"id":%d,"value":"Other"}]`, team),
	})
	if plan := run.MustPlan(config); fmt.Sprint(plan.Changes()) != "[full_name profile_data role]" {
		t.Errorf("planned: %v", plan.Changes())
	}
	sent := o.Sent()
	run.MustApply(config)
	sent.Expect(t, "PATCH full_name profile_data role")
	o.Call(t, http.MethodPatch, path, map[string]string{"new_email": "elsewhere@example.com"})
	sent = o.Sent()
	run.MustApply(config)
	sent.Expect(t, "PATCH new_email")
	// A role that was changed since the plan is somebody's decision.
	plan := run.MustPlan(nadia(values{"role": "moderator"}))
	o.Call(t, http.MethodPatch, path, map[string]string{"role": "600"})
	run.Apply(plan).ExpectError(t, "", "was changed by somebody else", "role\n", "plan was made:     member", "now:                        guest", "asks for: moderator")
	// A role that is not managed is not written.
	run.MustApply(nadia(nil))
	if user := held(t, o, run); user.Role != zulip.RoleGuest {
		t.Errorf("the role is %s", user.Role)
	}
}

// An account that was deactivated is planned to be made again, and taken back on request.
func TestProtocolUserAdopted(t *testing.T) {
	o, run := userManaged(t)
	run.MustApply(nadia(values{"role": "moderator"}))
	before := run.State.Values["id"]
	o.Call(t, http.MethodDelete, fmt.Sprint("/users/", before), nil)
	_, diags := run.Plan(nadia(values{"full_name": "Nadia Again"}))
	diags.ExpectError(t, "email", "deactivated account", "adopt_deactivated = true")
	plan, diags := run.Plan(nadia(values{"full_name": "Nadia Again", "role": "member", "adopt_deactivated": true}))
	diags.ExpectWarning(t, "adopt_deactivated", "will be reactivated", "Nadia Haddad")
	sent := o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t, "PATCH role", "POST", "PATCH full_name")
	if run.State.Values["id"] != before {
		t.Errorf("the ID is %v, want %v", run.State.Values["id"], before)
	}
}

// A tainted account is deactivated and taken back in one run.
func TestProtocolUserReplaced(t *testing.T) {
	o, run := userManaged(t)
	run.MustApply(nadia(nil))
	before := run.State
	end := run.MustPlan(nil)
	p := run.Process()
	_, diags := p.Read("zulip_user", before)
	diags.ExpectNoError(t)
	_, diags = p.Plan("zulip_user", nil, nadia(nil))
	diags.ExpectNoError(t)
	_, diags = p.Apply(end)
	diags.ExpectNoError(t)
	again, diags := p.Plan("zulip_user", nil, nadia(nil))
	diags.ExpectNoError(t)
	made, diags := p.Apply(again)
	diags.ExpectNoError(t)
	if made.Values["id"] != before.Values["id"] || named(t, o, "Nadia Haddad") != 1 {
		t.Errorf("made: %v", made.Values)
	}
}

func TestProtocolUserImport(t *testing.T) {
	o, run := userManaged(t)
	field(t, o, "Team", "1")
	run.MustApply(values{"email": strings.ToLower(newcomer), "full_name": "Nadia Haddad", "role": "guest", "profile_data": values{"Team": "Platform"}})
	before := run.State.Values
	for _, by := range []struct {
		id       string
		identity values
		path     string
	}{{id: newcomer, path: "/users/" + newcomer}, {id: fmt.Sprint(before["id"]), path: fmt.Sprint("/users/", before["id"])}, {identity: values{"id": before["id"]}, path: fmt.Sprint("/users/", before["id"])}} {
		fresh, sent := o.NewRun(t, "zulip_user"), o.Sent()
		fresh.Import(by.id, by.identity).ExpectNoError(t)
		if fmt.Sprint(fresh.State.Values) != fmt.Sprint(before) {
			t.Errorf("imported by %v:\n%v\nwant:\n%v", by, fresh.State.Values, before)
		}
		asked := false
		for _, request := range sent.Requests() {
			asked = asked || request.Method == http.MethodGet && request.Path == by.path
		}
		if !asked {
			t.Errorf("%s was not the configuration asks for: %+v", by.path, sent.Requests())
		}
	}
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	for imported, words := range map[string]string{
		newcomer: "adopt_deactivated = true", fmt.Sprint(id(t, o, "bot")): "is a bot", "lina.fischer@example.com": "did you mean " + userLena, "99999": "with the ID 99999",
	} {
		o.NewRun(t, "zulip_user").Import(imported, nil).ExpectError(t, "", words)
	}
}

// An address that is hidden from the account the provider uses is no difference that comes back.
func TestProtocolUserHiddenAddress(t *testing.T) {
	o, run := userManaged(t)
	hideAddresses(t, o)
	run.MustApply(nadia(nil))
	if run.State.Values["email"] != newcomer {
		t.Errorf("the state holds %v", run.State.Values)
	}
	imported := o.NewRun(t, "zulip_user")
	imported.Import(fmt.Sprint(run.State.Values["id"]), nil).ExpectNoError(t)
	plan, diags := imported.Plan(nadia(nil))
	diags.ExpectWarning(t, "email", "cannot be compared", "on trust")
	sent := o.Sent()
	imported.Apply(plan).ExpectNoError(t)
	sent.Expect(t)
	if plan := imported.MustPlan(nadia(nil)); !plan.Empty() {
		t.Errorf("planned: %v", plan.Changes())
	}
	imported.MustApply(nadia(values{"email": "nadia@example.org"}))
	sent.Expect(t, "PATCH new_email")
}

// An answer that is lost after the account is made makes no second one, even where the address is hidden.
func TestFaultUserLostAnswer(t *testing.T) {
	for _, hidden := range []bool{false, true} {
		o, run := userManaged(t)
		if hidden {
			hideAddresses(t, o)
		}
		o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/users", After: true, Action: sandbox.FaultDrop, Count: 1})
		run.MustApply(nadia(values{"role": "moderator"}))
		if count := named(t, o, "Nadia Haddad"); count != 1 {
			t.Errorf("hidden %v: %d accounts", hidden, count)
		}
	}
}

// What fails after the account is made leaves it in the state.
func TestFaultUserHalfMade(t *testing.T) {
	o, run := userManaged(t)
	run.Block["max_retries"] = 0
	plan := run.MustPlan(nadia(values{"role": "moderator"}))
	heal := o.Sandbox.Fail(sandbox.Fault{Method: "PATCH", Path: "/users/*", Action: sandbox.FaultDrop})
	run.Apply(plan).ExpectError(t, "", `User "Nadia.Haddad@example.com" does not take the change`, "Terraform marks it as tainted", "terraform untaint ADDRESS")
	heal()
	if run.State == nil {
		t.Fatal("the account is not in the state")
	}
	if role := run.State.Values["role"]; role != "member" {
		t.Errorf("the state says that the role is %v", role)
	}
	run.MustApply(nadia(values{"role": "moderator"}))
	if count := named(t, o, "Nadia Haddad"); count != 1 {
		t.Errorf("%d accounts", count)
	}
	o.Sandbox.Fail(sandbox.Fault{Method: "DELETE", Path: "/users/*", After: true, Action: sandbox.FaultDrop, Count: 1})
	run.Block["max_retries"] = 3
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
}

func TestProtocolUserRefusedAtPlan(t *testing.T) {
	o, run := userManaged(t)
	field(t, o, "Mentors", "6")
	for _, c := range []struct {
		config    values
		attribute string
		words     []string
	}{
		{nadia(values{"full_name": " "}), "full_name", []string{"not be blank"}},
		{nadia(values{"full_name": strings.Repeat("ü", 101)}), "full_name", []string{"101 characters"}},
		{nadia(values{"full_name": "Nadia @ home"}), "full_name", []string{"must not contain any of"}},
		{nadia(values{"role": "boss"}), "role", []string{"must be one of"}},
		{nadia(values{"email": strings.ToUpper(userLena)}), "email", []string{"already has an account", fmt.Sprintf("id = %q", userLena)}},
		{nadia(values{"profile_data": values{"Mentor": "x"}}), "profile_data", []string{`did you mean "Mentors"?`}},
		{nadia(values{"profile_data": values{"Mentors": userLena}}), "profile_data", []string{"jsonencode([...])"}},
		{nadia(values{"profile_data": values{"Mentors": `["lina.fischer@example.com"]`}}), "profile_data", []string{"did you mean " + userLena}},
	} {
		_, diags := run.Plan(c.config)
		diags.ExpectError(t, c.attribute, c.words...)
	}
	found, err := o.Client.User(context.Background(), id(t, o, "bot"))
	if err != nil {
		t.Fatal(err)
	}
	_, diags := run.Plan(nadia(values{"email": found.Address()}))
	diags.ExpectError(t, "email", "zulip_bot")
	run.Import(userInes, nil).ExpectNoError(t)
	_, diags = run.Plan(nil)
	diags.ExpectError(t, "", "lock the provider out")
	_, diags = run.Plan(values{"email": userInes, "full_name": "Ines Moreau", "role": "member"})
	diags.ExpectWarning(t, "role", "would have no owner", "only active owner")
	diags.ExpectError(t, "role", "lock the provider out")
	_, diags = run.Plan(values{"email": userLena, "full_name": "Ines Moreau"})
	diags.ExpectError(t, "email", "belongs to \"Lena Fischer\"")
	o.Call(t, http.MethodPatch, fmt.Sprint("/users/", id(t, o, "admin")), map[string]string{"role": "100"})
	_, diags = run.Plan(nil)
	diags.ExpectError(t, "", "lock the provider out")
}

// Who may not manage accounts is told at plan; the rights of the server's shell are seen on apply only.
func TestProtocolUserCallers(t *testing.T) {
	o, _ := userManaged(t)
	_, diags := o.As(t, "moderator").NewRun(t, "zulip_user").Plan(nadia(nil))
	diags.ExpectError(t, "", "may not create accounts", "can_create_users")
	run := o.As(t, "admin").NewRun(t, "zulip_user")
	run.Apply(run.MustPlan(nadia(nil))).ExpectError(t, "", "not authorized to create users", "manage.py change_user_role", "invite people")
	run.Import(userLena, nil).ExpectNoError(t)
	run.Apply(run.MustPlan(values{"email": "lena@example.org", "full_name": "Lena Fischer"})).ExpectError(t, "", "can_change_user_emails")
	_, diags = run.Plan(values{"email": userLena, "full_name": "Lena Fischer", "role": "owner"})
	diags.ExpectError(t, "role", "Only owners make")
	o.Sandbox.SetFeatureLevel(134)
	_, diags = run.Plan(values{"email": userLena, "full_name": "Lena Fischer", "deactivation_notification_comment": ""})
	diags.ExpectError(t, "deactivation_notification_comment", "feature level 135")
	_, diags = run.Plan(values{"email": "lena@example.org", "full_name": "Lena Fischer"})
	diags.ExpectError(t, "email", "feature level 313")
}

func TestProtocolUserUnknown(t *testing.T) {
	_, run := userManaged(t)
	plan := run.MustPlan(values{"email": acctest.Unknown, "full_name": acctest.Unknown, "role": acctest.Unknown, "profile_data": acctest.Unknown})
	plan.Config = nadia(values{"role": "moderator"})
	run.Apply(plan).ExpectNoError(t)
}

// A profile field whose value is null is not managed, and the others are.
func TestProtocolUserProfileWithNull(t *testing.T) {
	o, run := userManaged(t)
	field(t, o, "Team", "1")
	field(t, o, "Desk", "1")
	run.MustApply(nadia(values{"profile_data": values{"Team": "SRE", "Desk": "4"}}))
	sent := o.Sent()
	run.MustApply(nadia(values{"profile_data": values{"Team": "Ops", "Desk": nil}}))
	sent.Expect(t, "PATCH profile_data")
	if profile := fmt.Sprint(held(t, o, run).ProfileData); !strings.Contains(profile, "{4 ") {
		t.Errorf("the profile is %s", profile)
	}
}

// After the server has refused an account for want of the right, no other is asked for in the run.
func TestProtocolUserRefusedOnce(t *testing.T) {
	o, _ := userManaged(t)
	p := o.As(t, "admin").NewRun(t, "zulip_user").Process()
	sent := o.Sent()
	for i := range 3 {
		plan, diags := p.Plan("zulip_user", nil, values{"email": fmt.Sprintf("new%d@example.com", i), "full_name": "New"})
		diags.ExpectNoError(t)
		_, diags = p.Apply(plan)
		if i == 0 {
			diags.ExpectError(t, "", "not authorized to create users", "manage.py change_user_role")
		} else {
			diags.ExpectError(t, "", "Nothing was sent", "another error of this run")
		}
	}
	sent.Expect(t, "POST email full_name password")
}

// It is so for whatever is created by the same rule.
func TestProtocolUserFolderRefusedOnce(t *testing.T) {
	o, _ := userManaged(t)
	p := o.As(t, "admin").NewRun(t, "zulip_channel_folder").Process()
	var plans []*acctest.PlannedChange
	for i := range 3 {
		plan, diags := p.Plan("zulip_channel_folder", nil, values{"name": fmt.Sprint("new ", i)})
		diags.ExpectNoError(t)
		plans = append(plans, plan)
	}
	o.Call(t, http.MethodPatch, fmt.Sprint("/users/", id(t, o, "admin")), map[string]string{"role": "400"})
	sent := o.Sent()
	for i, plan := range plans {
		_, diags := p.Apply(plan)
		if i == 0 {
			diags.ExpectError(t, "", "administrator")
		} else {
			diags.ExpectError(t, "", "Nothing was sent", "another error of this run")
		}
	}
	sent.Expect(t, "POST description name")
}

// A profile field that nobody has heard of is an error that names those there are.
func TestProtocolUsersByAnUnknownProfileField(t *testing.T) {
	o, run := userManaged(t)
	o.Call(t, http.MethodPost, "/realm/profile_fields", map[string]string{"name": "Mentors", "field_type": "1"})
	for name, want := range map[string]string{"Mentor": `did you mean "Mentors"?`, "Shoe size": "the custom profile fields are: "} {
		_, diags := run.Process().ReadData("zulip_users", values{"profile_field": values{"name": name, "value": "x"}})
		diags.ExpectError(t, "profile_field", "No such profile field", want)
	}
}
