package users_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// lenaWith returns the configuration of lena.
func lenaWith(more values) values {
	config := values{"email": userLena, "full_name": "Lena Fischer"}
	for name, value := range more {
		config[name] = value
	}
	return config
}

// activity starts a run with the account of lena in the state, with a value of active.
func activity(t *testing.T, active any) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o, _ := acctest.StartRun(t, "zulip_user")
	run, _ := imported(t, o, userLena, nil)
	run.MustApply(lenaWith(values{"active": active}))
	return o, run
}

// expectActive fails the test unless lena is active, or not, in the state and on the server.
func expectActive(t *testing.T, o *acctest.Organization, run *acctest.Run, state any, active bool) {
	t.Helper()
	if run.State == nil || run.State.Values["active"] != state {
		t.Errorf("the state is %+v, want active %v", run.State, state)
	}
	if user := account(t, o, id(t, o, "member")); user.IsActive != active {
		t.Errorf("the server says that active is %v", user.IsActive)
	}
}

// A deactivated user stays in the state if the configuration says so.
func TestProtocolUser_Inactive_StateKept(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_user")
	run, _ := imported(t, o, userLena, nil)
	if run.State.Values["active"] != nil {
		t.Errorf("the state holds %v", run.State.Values)
	}
	left := values{"active": false, "role": "guest", "deactivation_notification_comment": "So long"}
	plan, diags := run.Plan(lenaWith(left))
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "", acctest.GeneralAccess)
	sent := o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t, "PATCH role", "DELETE deactivation_notification_comment")
	expectActive(t, o, run, false, false)

	run.Refresh().ExpectNoError(t)
	plan, diags = run.Plan(lenaWith(left))
	if diags.ExpectNoError(t); !plan.Empty() || len(diags) > 0 {
		t.Errorf("planned: %v, %v", plan.Changes(), diags)
	}
	// The server changes deactivated accounts too.
	left["full_name"] = "Lena F."
	sent = o.Sent()
	run.MustApply(lenaWith(left))
	sent.Expect(t, "PATCH full_name")
	expectActive(t, o, run, false, false)

	sent = o.Sent()
	plan, diags = run.Plan(nil)
	if diags.ExpectNoError(t); len(diags) > 0 {
		t.Errorf("warned: %v", diags)
	}
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t)
}

// The account is deactivated or reactivated outside Terraform.
func TestProtocolUserActiveDrift(t *testing.T) {
	o, run := activity(t, true)
	path := fmt.Sprint("/users/", run.State.Values["id"])
	o.Call(t, http.MethodDelete, path, nil)
	run.Refresh().ExpectNoError(t)
	expectActive(t, o, run, false, false)
	plan, diags := run.Plan(lenaWith(values{"active": true}))
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "active", "A deactivated user will be reactivated\n", "User "+userLena+" has the ID ", "with its earlier channels, private ones too")
	if fmt.Sprint(plan.Changes()) != "[active]" {
		t.Errorf("planned: %v", plan.Changes())
	}
	sent := o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t, "POST")
	expectActive(t, o, run, true, true)

	run.MustApply(lenaWith(values{"active": false}))
	o.Call(t, http.MethodPost, path+"/reactivate", nil)
	plan, diags = run.Plan(lenaWith(values{"active": false}))
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "", acctest.GeneralAccess)
	sent = o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t, "DELETE")
	expectActive(t, o, run, false, false)

	// The planned change was made outside Terraform before the apply, so nothing is sent.
	plan = run.MustPlan(lenaWith(values{"active": true}))
	o.Call(t, http.MethodPost, path+"/reactivate", nil)
	sent = o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t)
	expectActive(t, o, run, true, true)
}

// If active is not set, an account that is deactivated outside Terraform is removed from the state.
func TestProtocolUserActiveUnset(t *testing.T) {
	o, run := activity(t, nil)
	o.Call(t, http.MethodDelete, fmt.Sprint("/users/", run.State.Values["id"]), nil)
	if run.Refresh().ExpectNoError(t); run.State != nil {
		t.Errorf("the state holds %v", run.State.Values)
	}
}

// Removing active from the configuration reactivates no one, and removes no account from the state.
func TestProtocolUserActive_Removed_Refused(t *testing.T) {
	o, run := activity(t, false)
	words := []string{userLena + " is deactivated, but active is not set", "active = false to leave", "active = true to reactivate", "remove the resource"}
	plan, diags := run.Plan(lenaWith(nil))
	diags.ExpectNoError(t) // otherwise it would also stop terraform destroy
	diags.ExpectWarning(t, "active", append(words, "the apply stops here")...)
	sent := o.Sent()
	run.Apply(plan).ExpectError(t, "active", words...)
	sent.Expect(t)
	expectActive(t, o, run, false, false)

	run.MustApply(lenaWith(values{"active": true}))
	run.MustApply(lenaWith(nil))
	expectActive(t, o, run, nil, true)
	sent.Expect(t, "POST")
}

// A new resource adopts a deactivated account unchanged, and creates none.
func TestProtocolUserCreatedInactive(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user")
	run.ExpectRefused(nadia(values{"active": false}), "active", "User "+newcomer+" does not exist", "creates none", "remove active = false", "remove the resource")
	late := func(address string) *acctest.PlannedChange {
		plan := run.MustPlan(values{"email": acctest.Unknown, "full_name": "Lena F.", "active": false})
		plan.Config, plan.Values["email"] = values{"email": address, "full_name": "Lena F.", "active": false}, address
		return plan
	}
	sent := o.Sent()
	_, diags := run.Process().Apply(late(newcomer))
	diags.ExpectError(t, "active", "User "+newcomer+" does not exist")
	run.ExpectRefused(lenaWith(values{"active": false}), "email", "User "+userLena+" already exists", fmt.Sprintf("id = %q", userLena))
	_, diags = run.Process().Apply(late(userLena))
	diags.ExpectError(t, "email", "User "+userLena+" already exists")
	sent.Expect(t)

	o.Call(t, http.MethodDelete, fmt.Sprint("/users/", id(t, o, "member")), nil)
	run.ExpectRefused(lenaWith(nil), "email", "adopt_deactivated = true to reactivate it, or active = false to leave it deactivated")
	run.ExpectRefused(lenaWith(values{"active": true}), "email", "adopt_deactivated = true")
	plan, diags := run.Plan(lenaWith(values{"active": false, "full_name": "Lena F."}))
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "active", "A deactivated user will be adopted\n", "User "+userLena+" has the ID ", "stays deactivated")
	sent = o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t, "PATCH full_name")
	expectActive(t, o, run, false, false)

	// The account stays deactivated if its resource is replaced.
	tainted := run.State
	p := run.Process()
	_, diags = p.Read("zulip_user", tainted)
	diags.ExpectNoError(t)
	end := p.MustPlan("zulip_user", tainted, nil)
	sent = o.Sent()
	p.MustApply(end)
	again, diags := p.Plan("zulip_user", nil, lenaWith(values{"active": false, "full_name": "Lena F."}))
	if diags.ExpectNoError(t); len(diags) > 0 {
		t.Errorf("warned: %v", diags)
	}
	run.State, diags = p.Apply(again)
	diags.ExpectNoError(t)
	sent.Expect(t)
	expectActive(t, o, run, false, false)
}

// Two resources can't have the same deactivated account, whichever is planned first.
func TestProtocolUserInactiveTwice(t *testing.T) {
	_, run := activity(t, false)
	config := lenaWith(values{"active": false})
	for _, isNewFirst := range []bool{false, true} {
		p := run.Process()
		state, diags := p.Read("zulip_user", run.State)
		diags.ExpectNoError(t)
		var found acctest.Diagnostics
		for _, prior := range map[bool][]*acctest.Instance{false: {state, nil}, true: {nil, state}}[isNewFirst] {
			_, diags := p.Plan("zulip_user", prior, config)
			found = append(found, diags...)
		}
		found.ExpectError(t, "email", "Duplicate user email", userLena)
	}
}

// A joiner can't get the email of someone whom the same plan deactivates, whichever resource is planned first.
func TestProtocolUser_EmailOfLeaver_Refused(t *testing.T) {
	o, run := activity(t, true)
	joiner := lenaWith(values{"full_name": "Lena Fiala"})
	for _, isNewFirst := range []bool{false, true} {
		p := run.Process()
		state, diags := p.Read("zulip_user", run.State)
		diags.ExpectNoError(t)
		leaves := func() {
			_, more := p.Plan("zulip_user", state, lenaWith(values{"active": false}))
			diags = append(diags, more...)
		}
		joins := func() { _, more := p.Plan("zulip_user", nil, joiner); diags = append(diags, more...) }
		for _, plan := range map[bool][]func(){false: {leaves, joins}, true: {joins, leaves}}[isNewFirst] {
			plan()
		}
		diags.ExpectError(t, "email", "Duplicate user email", userLena, "A deactivated account keeps its email")
	}

	// The email of a deactivated account can change hands. The plan says that the order matters.
	o.Call(t, http.MethodDelete, fmt.Sprint("/users/", id(t, o, "member")), nil)
	run.Refresh().ExpectNoError(t)
	const old = "lena.former@example.com"
	for _, isNewFirst := range []bool{true, false} {
		p := run.Process()
		state, diags := p.Read("zulip_user", run.State)
		diags.ExpectNoError(t)
		var gives, gets *acctest.PlannedChange
		leaves := func() {
			gives, diags = p.Plan("zulip_user", state, lenaWith(values{"active": false, "email": old}))
			diags.ExpectNoError(t)
		}
		joins := func() { gets, diags = p.Plan("zulip_user", nil, joiner); diags.ExpectNoError(t) }
		for _, plan := range map[bool][]func(){false: {leaves, joins}, true: {joins, leaves}}[isNewFirst] {
			plan()
		}
		diags.ExpectWarning(t, "email", "The email "+userLena+" changes hands", "depends_on")
		if isNewFirst {
			continue
		}
		p.MustApply(gives)
		made, diags := p.Apply(gets)
		diags.ExpectNoError(t)
		if number := made.Values["id"]; number == id(t, o, "member") || !account(t, o, number.(int64)).IsActive || account(t, o, id(t, o, "member")).IsActive {
			t.Errorf("the joiner has the account %v", made.Values)
		}
	}
}

// The checks that protect people when a resource is destroyed also apply when active becomes false.
func TestProtocolUserInactive_OwnersAndProvider_Protected(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_user")
	run, config := imported(t, o, userInes, values{"active": false})
	_, diags := run.Plan(config)
	diags.ExpectWarning(t, "active", "would have no owner")
	diags.ExpectError(t, "active", "remove the provider's own access")
	run.Block["lockout_protection"] = false
	plan := run.MustPlan(config)
	sent := o.Sent()
	_, diags = run.Process().Apply(plan)
	diags.ExpectError(t, "", "would have no owner")

	run = o.As(t, "moderator").NewRun(t, "zulip_user")
	run.Import(fmt.Sprint(id(t, o, "member")), nil).ExpectNoError(t)
	run.ExpectRefused(values{"email": run.State.Values["email"], "full_name": "Lena Fischer", "active": false}, "active", "cannot deactivate users")

	// The plan was made with another account's key.
	run, config = imported(t, o, userTomas, values{"active": false})
	plan = run.MustPlan(config)
	_, diags = o.As(t, "admin").NewRun(t, "zulip_user").Process().Apply(plan)
	diags.ExpectError(t, "", "remove the provider's own access")
	sent.Expect(t)
	if !account(t, o, id(t, o, "admin")).IsActive {
		t.Error("the account is deactivated")
	}
}

// Despite a lost answer, or lists that are older than the change, the account is as planned.
func TestFaultUserActive(t *testing.T) {
	for _, rules := range [][]string{
		{"DELETE /users/* after drop 1", "POST /users/*/reactivate after drop 1"}, {"DELETE /users/* drop 1", "POST /users/*/reactivate drop 1"},
		{"* /users/** stale"}, {"DELETE /users/* status=429 1", "POST /users/*/reactivate status=429 1"},
	} {
		t.Run(strings.Join(rules, ", "), func(t *testing.T) {
			o, run := activity(t, nil)
			for _, rule := range rules {
				o.Fail(t, rule)
			}
			for _, active := range []bool{false, true} {
				config := lenaWith(values{"active": active})
				run.Apply(run.MustPlan(config)).ExpectNoError(t)
				expectActive(t, o, run, active, active)
				run.Refresh().ExpectNoError(t)
				expectActive(t, o, run, active, active)
			}
		})
	}
}

// A deactivation has the same warnings and deletions as a destroy.
func TestProtocolUserInactive_DeactivationActions_Applied(t *testing.T) {
	actions := values{"delete_direct_messages": true}
	o, run := written(t, featurelevel.DeactivationActions, actions)
	config := leaving(actions)
	config["active"] = false
	plan, diags := run.Plan(config)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "deactivation_actions", "Deactivating "+userTomas+" permanently deletes data", "all direct messages", "the bots it owns are deleted: "+tomasBot)
	sent := o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t, "DELETE actions")
	if got := left(o); strings.Contains(got, "direct by") || !strings.Contains(got, "Tomas Berg false") {
		t.Errorf("left is %s", got)
	}
	// A later destroy deletes nothing again.
	plan, diags = run.Plan(nil)
	if diags.ExpectNoError(t); len(diags) > 0 {
		t.Errorf("warned: %v", diags)
	}
	sent = o.Sent()
	_, diags = run.Process().Apply(plan)
	if diags.ExpectNoError(t); len(diags) > 0 {
		t.Errorf("warned: %v", diags)
	}
	sent.Expect(t)

	_, run = written(t, 442, actions)
	run.ExpectRefused(config, "deactivation_actions", "too old for deactivation_actions")
}

// A deactivated owner keeps the role while the organization has one active owner (server-behavior §U7).
func TestProtocolUserInactiveOwner(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_user")
	setRole(t, o, "member", zulip.RoleOwner)
	run, _ := imported(t, o, userLena, nil)
	run.MustApply(lenaWith(values{"active": false}))
	config := lenaWith(values{"active": false, "role": "guest"})
	plan, diags := run.Plan(config)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "role", "does not demote this deactivated owner", "only one active owner")
	sent := o.Sent()
	_, diags = run.Process().Apply(plan)
	diags.ExpectError(t, "role", "does not demote this deactivated owner")
	sent.Expect(t)
	setRole(t, o, "admin", zulip.RoleOwner)
	sent = o.Sent()
	run.MustApply(config)
	sent.Expect(t, "PATCH role")
	if user := account(t, o, id(t, o, "member")); user.Role != zulip.RoleGuest || user.IsActive {
		t.Errorf("the server holds %+v", user)
	}
}

// An account that is deleted on the server is removed from the state.
func TestProtocolUserInactiveDeleted(t *testing.T) {
	o, run := activity(t, false)
	o.Sandbox.SetFeatureLevel(featurelevel.DeletedUsers)
	if !o.Sandbox.DeleteAccount("member") {
		t.Fatal("the sandbox deletes nobody")
	}
	if run.Refresh().ExpectNoError(t); run.State != nil {
		t.Errorf("the state holds %v", run.State.Values)
	}
	run.ExpectRefused(lenaWith(values{"active": false}), "active", "User "+userLena+" does not exist", "remove the resource")
}

func TestProtocolUser_RoleChange_AccessWarning(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user")
	run.MustApply(nadia(nil))
	_, diags := run.Plan(nadia(values{"role": "moderator"}))
	diags.ExpectOnlyAccessWarning(t, acctest.GeneralAccess)

	_, diags = run.Plan(nadia(values{"full_name": "Nadia H."}))
	diags.ExpectOnlyAccessWarning(t, "")

	run.Block = o.Block(values{"access_warnings": false})
	_, diags = run.Plan(nadia(values{"role": "moderator"}))
	diags.ExpectOnlyAccessWarning(t, "")
}

// A deactivation can leave a channel in which no one may post.
func TestProtocolUser_Deactivation_AccessWarning(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user")
	run.MustApply(nadia(nil))
	nadia := o.UserOf(t, run)
	o.Change(t, "general", zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{
		"can_send_message_group": {New: zulip.GroupSettingValue{DirectMembers: []int64{nadia.ID}}},
	}})
	_, diags := run.Plan(nil)
	diags.ExpectOnlyAccessWarning(t, `A permission can be left with no one in channel "general"`)

	run.Block = o.Block(values{"access_warnings": false})
	_, diags = run.Plan(nil)
	diags.ExpectOnlyAccessWarning(t, "")
}

// The server revokes the invitations that a user sent when the user is deactivated.
func TestProtocolUser_Deactivation_InvitationsRevoked(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_user")
	o.Call(t, http.MethodPatch, fmt.Sprint("/users/", id(t, o, "member")), map[string]string{"role": fmt.Sprint(int(zulip.RoleAdministrator))})
	run, _ := imported(t, o, userLena, nil)
	lena := o.As(t, "member")
	lena.Call(t, http.MethodPost, "/invites", map[string]string{"invitee_emails": "new@example.com", "stream_ids": "[]"})
	lena.Call(t, http.MethodPost, "/invites/multiuse", map[string]string{"stream_ids": "[]", "invite_as": fmt.Sprint(int(zulip.RoleGuest))})
	o.Call(t, http.MethodPost, "/invites", map[string]string{"invitee_emails": "other@example.com", "stream_ids": "[]"})
	all, err := o.Client.Invitations(t.Context())
	if err != nil || len(all) != 3 {
		t.Fatalf("the server lists %d invitations, %v", len(all), err)
	}
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	if left, err := o.Client.Invitations(t.Context()); err != nil || len(left) != 1 || left[0].Email != "other@example.com" {
		t.Errorf("the server lists %v, %v", left, err)
	}
}

// A deactivated account gets another email, and a list names it by a reference. It stays deactivated, so the list ignores it.
func TestProtocolUser_EmailOfInactive_ListIgnores(t *testing.T) {
	o, user := activity(t, false)
	group, config := o.NewRun(t, "zulip_user_group"), values{"name": "ops", "members": []any{userLena}}
	group.MustApply(config)
	config["members"] = []any{"lena@example.com"}
	p := user.Process()
	p.MustPlan("zulip_user", user.State, lenaWith(values{"active": false, "email": "lena@example.com"}))
	_, diags := p.Plan("zulip_user_group", group.State, config)
	diags.ExpectNoError(t)

	p = user.Process()
	p.MustApply(p.MustPlan("zulip_user", user.State, lenaWith(values{"active": false, "email": "lena@example.com"})))
	p.MustApply(p.MustPlan("zulip_user_group", group.State, config))
}
