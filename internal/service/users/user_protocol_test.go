package users_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
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

// nadia is the account that tests create.
func nadia(more values) values {
	config := values{"email": newcomer, "full_name": "Nadia Haddad"}
	for name, value := range more {
		config[name] = value
	}
	return config
}

// field creates a custom profile field and returns its ID.
func field(t *testing.T, o *acctest.Organization, name, kind string) int64 {
	t.Helper()
	number, _ := o.Call(t, http.MethodPost, "/realm/profile_fields", map[string]string{"name": name, "field_type": kind})["id"].(float64)
	return int64(number)
}

// hideAddresses makes new users hide their email from everyone.
func hideAddresses(t *testing.T, o *acctest.Organization) {
	t.Helper()
	o.Call(t, http.MethodPatch, "/realm/user_settings_defaults", map[string]string{"email_address_visibility": "4"})
}

func TestProtocolUser_AllAttributes_Managed(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user")
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
	user := o.UserOf(t, run)
	if user.Role != zulip.RoleAdministrator || len(user.ProfileData) != 2 {
		t.Errorf("the server holds %+v", user)
	}
	// Another form and order of people is no change.
	sent = o.Sent()
	run.MustApply(nadia(values{"profile_data": values{"Team": "Platform", "Mentors": fmt.Sprintf("[%d,%d]", o.Self.ID, id(t, o, "member"))}}))
	sent.Expect(t)
	// Only named fields are managed. One field is no longer managed, and the other is cleared.
	run.MustApply(nadia(values{"profile_data": values{"Team": ""}}))
	sent.Expect(t, "PATCH profile_data")
	if user := o.UserOf(t, run); len(user.ProfileData) != 1 {
		t.Errorf("the server holds %+v", user.ProfileData)
	}
}

// The plan creates a deactivated account again, and the apply reactivates it if that is configured.
func TestProtocolUserAdopted(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user")
	run.MustApply(nadia(values{"role": "moderator"}))
	before := run.State.Values["id"]
	o.Call(t, http.MethodDelete, fmt.Sprint("/users/", before), nil)
	_, diags := run.Plan(nadia(values{"full_name": "Nadia Again"}))
	diags.ExpectWarning(t, "email", "already exists and is deactivated", "the apply will fail", "adopt_deactivated = true")
	plan, diags := run.Plan(nadia(values{"full_name": "Nadia Again", "role": "member", "adopt_deactivated": true}))
	diags.ExpectWarning(t, "adopt_deactivated", "will be reactivated", "Nadia Haddad")
	sent := o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t, "PATCH role", "POST", "PATCH full_name")
	if run.State.Values["id"] != before {
		t.Errorf("the ID is %v, want %v", run.State.Values["id"], before)
	}
}

func TestProtocolUserImport(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user")
	field(t, o, "Team", "1")
	run.MustApply(values{"email": strings.ToLower(newcomer), "full_name": "Nadia Haddad", "role": "guest", "profile_data": values{"Team": "Platform"}})
	run.ExpectImports(newcomer, run.State.Values["id"], run.State.Identity)
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	for imported, words := range map[string]string{
		newcomer: "adopt_deactivated = true", fmt.Sprint(id(t, o, "bot")): "is a bot", "lina.fischer@example.com": "did you mean " + userLena, "99999": "with the ID 99999",
	} {
		o.NewRun(t, "zulip_user").Import(imported, nil).ExpectError(t, "", words)
	}
}

// An email that is hidden from the provider's account is no recurring difference.
func TestProtocolUserHiddenAddress(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user")
	hideAddresses(t, o)
	run.MustApply(nadia(nil))
	if run.State.Values["email"] != newcomer {
		t.Errorf("the state holds %v", run.State.Values)
	}
	imported := o.NewRun(t, "zulip_user")
	imported.Import(fmt.Sprint(run.State.Values["id"]), nil).ExpectNoError(t)
	plan, diags := imported.Plan(nadia(nil))
	diags.ExpectWarning(t, "email", "Cannot compare the email", "assumes that it is")
	sent := o.Sent()
	imported.Apply(plan).ExpectNoError(t)
	sent.Expect(t)
	imported.ExpectUnchanged(nadia(nil))
	imported.MustApply(nadia(values{"email": "nadia@example.org"}))
	sent.Expect(t, "PATCH new_email")
}

// A lost answer to the creation creates no second account, even if the email is hidden.
func TestFaultUserLostAnswer(t *testing.T) {
	for _, hidden := range []bool{false, true} {
		o, run := acctest.StartRun(t, "zulip_user")
		if hidden {
			hideAddresses(t, o)
		}
		o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/users", After: true, Action: sandbox.FaultDrop, Count: 1})
		run.MustApply(nadia(values{"role": "moderator"}))
		if count := o.CountUsers(t, "Nadia Haddad"); count != 1 {
			t.Errorf("hidden %v: %d accounts", hidden, count)
		}
	}
}

func TestProtocolUserRefusedAtPlan(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user")
	field(t, o, "Mentors", "6")
	run.ExpectRefusals(acctest.Refusals{
		{nadia(values{"full_name": " "}), "full_name", []string{"not be blank"}},
		{nadia(values{"full_name": strings.Repeat("ü", 101)}), "full_name", []string{"101 characters"}},
		{nadia(values{"full_name": "Nadia @ home"}), "full_name", []string{"must not contain any of"}},
		{nadia(values{"role": "boss"}), "role", []string{"must be one of"}},
		{nadia(values{"email": strings.ToUpper(userLena)}), "email", []string{"already exists", fmt.Sprintf("id = %q", userLena)}},
		{nadia(values{"profile_data": values{"Mentor": "x"}}), "profile_data", []string{`did you mean "Mentors"?`}},
		{nadia(values{"profile_data": values{"Mentors": userLena}}), "profile_data", []string{"jsonencode([...])"}},
		{nadia(values{"profile_data": values{"Mentors": `["lina.fischer@example.com"]`}}), "profile_data", []string{"did you mean " + userLena}},
	})
	found, err := o.Client.User(context.Background(), id(t, o, "bot"))
	acctest.NoError(t, err)
	run.ExpectRefused(nadia(values{"email": found.Address()}), "email", "zulip_bot")
	run.Import(userInes, nil).ExpectNoError(t)
	run.ExpectRefused(nil, "", "remove the provider's own access")
	_, diags := run.Plan(values{"email": userInes, "full_name": "Ines Moreau", "role": "member"})
	diags.ExpectWarning(t, "role", "would have no owner", "only active owner")
	diags.ExpectError(t, "role", "remove the provider's own access")
	run.ExpectRefused(values{"email": userLena, "full_name": "Ines Moreau"}, "email", "belongs to \"Lena Fischer\"")
	o.Call(t, http.MethodPatch, fmt.Sprint("/users/", id(t, o, "admin")), map[string]string{"role": "100"})
	run.ExpectRefused(nil, "", "remove the provider's own access")
}

// The plan refuses accounts that may not manage accounts. The permissions of the server's shell are only visible during
// apply.
func TestProtocolUserCallers(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_user")
	o.As(t, "moderator").NewRun(t, "zulip_user").ExpectRefused(nadia(nil), "", "cannot create users", "can_create_users")
	run := o.As(t, "admin").NewRun(t, "zulip_user")
	run.Apply(run.MustPlan(nadia(nil))).ExpectError(t, "", "not authorized to create users", "manage.py change_user_role", "invite people")
	run.Import(userLena, nil).ExpectNoError(t)
	run.Apply(run.MustPlan(values{"email": "lena@example.org", "full_name": "Lena Fischer"})).ExpectError(t, "", "can_change_user_emails")
	run.ExpectRefused(values{"email": userLena, "full_name": "Lena Fischer", "role": "owner"}, "role", "Only owners can change who is an owner")
}

// A profile field that is removed from the configuration keeps its value.
func TestProtocolUserProfile_FieldUnset_Kept(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user")
	field(t, o, "Team", "1")
	field(t, o, "Desk", "1")
	run.MustApply(nadia(values{"profile_data": values{"Team": "SRE", "Desk": "4"}}))
	sent := o.Sent()
	run.MustApply(nadia(values{"profile_data": values{"Team": "Ops"}}))
	sent.Expect(t, "PATCH profile_data")
	if profile := fmt.Sprint(o.UserOf(t, run).ProfileData); !strings.Contains(profile, "{4 ") {
		t.Errorf("the profile is %s", profile)
	}
}

// An unknown profile field is an error that names the existing ones.
func TestProtocolUsersDataSource_UnknownField_Error(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user")
	o.Call(t, http.MethodPost, "/realm/profile_fields", map[string]string{"name": "Mentors", "field_type": "1"})
	for name, want := range map[string]string{"Mentor": `did you mean "Mentors"?`, "Shoe size": "the custom profile fields are: "} {
		_, diags := run.Process().ReadData("zulip_users", values{"profile_field": values{"name": name, "value": "x"}})
		diags.ExpectError(t, "profile_field", "No such profile field", want)
	}
}

// The data source finds a user by email in any case, by ID, and the provider's account without arguments.
func TestProtocolUserDataSource_Arguments_Found(t *testing.T) {
	o := acctest.Start(t)
	p := acctest.StartProcess(t.Context(), t)
	p.Configure(o.Block(nil)).ExpectNoError(t)
	for _, config := range []values{{"email": strings.ToUpper(o.Self.Address())}, {"id": o.Self.ID}, {}} {
		found := p.MustReadData("zulip_user", config)
		for name, want := range (values{
			"id": o.Self.ID, "email": o.Self.Address(), "delivery_email": o.Self.Address(), "api_email": o.Self.Email, "full_name": o.Self.FullName, "role": o.Self.Role.String(),
			"is_active": true, "is_bot": o.Self.IsBot, "bot_type": nil, "timezone": o.Self.Timezone, "date_joined": o.Self.DateJoined,
		}) {
			if found[name] != want {
				t.Errorf("by %v: %s is %v, want %v", config, name, found[name], want)
			}
		}
	}
	_, diags := p.ReadData("zulip_user", values{"id": o.Self.ID, "email": o.Self.Email})
	diags.ExpectError(t, "id", "Set at most one of id, email", "id and email are set")
	_, diags = p.ReadData("zulip_user", values{"id": 999999999})
	diags.ExpectError(t, "id", "with the ID 999999999")
	_, diags = p.ReadData("zulip_user", values{"email": "x" + o.Self.Address()})
	diags.ExpectError(t, "email", "did you mean "+o.Self.Address())
}

// The data source lists the people of the sandbox through each filter.
func TestProtocolUsersDataSource_Filtered_Listed(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user")
	lena := id(t, o, "member")
	o.Call(t, http.MethodPatch, fmt.Sprint("/users/", lena), map[string]string{"profile_data": fmt.Sprintf(`[{"id":%d,"value":"Platform"}]`, field(t, o, "Team", "1"))})
	o.Call(t, http.MethodDelete, fmt.Sprint("/users/", id(t, o, "member2")), nil)
	p := run.Process()
	for name, list := range map[string]struct {
		filter values
		want   []string // accounts
	}{
		"everybody":  {values{}, []string{"owner", "admin", "moderator", "member", "member2", "guest", "bot"}},
		"members":    {values{"role": "member"}, []string{"member", "member2"}},
		"working":    {values{"role": "member", "is_active": true}, []string{"member"}},
		"gone":       {values{"is_active": false}, []string{"member2"}},
		"bots":       {values{"is_bot": true}, []string{"bot"}},
		"named":      {values{"emails": []any{strings.ToUpper(userLena), o.Self.Email}}, []string{"owner", "member"}},
		"in a team":  {values{"profile_field": values{"name": "Team", "value": "Platform"}}, []string{"member"}},
		"in no team": {values{"profile_field": values{"name": "Team", "value": "platform"}}, nil},
	} {
		found := p.MustReadData("zulip_users", list.filter)
		got, want := []any{}, []any{}
		users, _ := found["users"].([]any)
		for _, user := range users {
			one, _ := user.(values)
			got = append(got, one["id"])
			if one["id"] == lena && fmt.Sprint(one["profile_data"]) != "map[Team:Platform]" {
				t.Errorf("%s: the profile of Lena is %v", name, one["profile_data"])
			}
		}
		for _, account := range list.want {
			want = append(want, id(t, o, account))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	_, diags := p.ReadData("zulip_users", values{"role": "boss"})
	diags.ExpectError(t, "role", "role must be one of")
	_, diags = p.ReadData("zulip_users", values{"emails": []any{"no@example.com"}})
	diags.ExpectError(t, "emails", `with the email "no@example.com"`)
	_, diags = p.ReadData("zulip_users", values{"profile_field": values{"name": "Shoe size", "value": "43"}})
	diags.ExpectError(t, "profile_field", `no custom profile field called "Shoe size"`)
}

// A user can have a profile field that the same plan creates or renames.
func TestProtocolUser_ProfileFieldInPlan_Applied(t *testing.T) {
	for name, before := range map[string]acctest.Values{"new": nil, "renamed": {"name": "Unit", "field_type": "short_text"}} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			field, user := o.NewRun(t, "zulip_custom_profile_field"), o.NewRun(t, "zulip_user")
			config := acctest.Values{"email": "ada@example.com", "full_name": "Ada", "profile_data": acctest.Values{"Team": "Sales"}}
			_, diags := user.Process().Plan("zulip_user", nil, config)
			diags.ExpectError(t, "profile_data", "No such profile field", `"Team"`, "reference it as (zulip_custom_profile_field.NAME.name)")
			if before != nil {
				field.MustApply(before)
			}
			p := user.Process()
			fieldPlan, diags := p.Plan("zulip_custom_profile_field", field.State, acctest.Values{"name": "Team", "field_type": "short_text"})
			diags.ExpectNoError(t)
			userPlan, diags := p.Plan("zulip_user", nil, config)
			diags.ExpectNoError(t)
			if before != nil {
				_, diags = p.Plan("zulip_user", nil, acctest.Values{"email": "bo@example.com", "full_name": "Bo", "profile_data": acctest.Values{"Unit": "Sales"}})
				diags.ExpectError(t, "profile_data", `"Unit" changes in this plan`)
			}
			p = user.Process()
			field.ApplyIn(p, fieldPlan).ExpectNoError(t)
			user.ApplyIn(p, userPlan).ExpectNoError(t)
			if !user.MustPlan(config).Empty() {
				t.Error("after the apply the plan has changes")
			}
		})
	}
}
