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
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

const (
	userTomas = "tomas.berg@example.com" // an administrator, who owns a bot
	tomasBot  = "terraform-bot@zulip.example.com"
)

// leaving returns the configuration of tomas with the deletions of his deactivation.
func leaving(actions values) values {
	return values{"email": userTomas, "full_name": "Tomas Berg", "deactivation_actions": actions}
}

// written starts a server of a feature level, on which tomas and his bot have written a message of each kind. The run
// manages the account of tomas with the given actions.
func written(t *testing.T, level int, actions values) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: max(level, featurelevel.DeactivationActions)})
	for _, account := range []string{"admin", "bot"} {
		by := o.As(t, account).Client
		for _, to := range []zulip.Addressee{
			{ChannelID: o.MustChannel(t, "general").ID, Topic: "x"}, {ChannelID: o.MustChannel(t, "leads").ID, Topic: "x"}, {UserIDs: []int64{o.Self.ID}},
		} {
			if _, err := by.SendMessage(context.Background(), to, "by "+account); err != nil {
				t.Fatal(err)
			}
		}
	}
	run := o.NewRun(t, "zulip_user")
	run.Import(userTomas, nil).ExpectNoError(t)
	run.MustApply(leaving(actions))
	o.Sandbox.SetFeatureLevel(level)
	return o, run
}

// left lists what remains of tomas and his bot in the sandbox: their names, and the kinds of their messages.
func left(o *acctest.Organization) string {
	var found []string
	o.Sandbox.Organization().Read(func(org *rules.Organization) {
		for _, m := range org.Messages.All() {
			if !strings.HasPrefix(m.Content, "by ") {
				continue
			}
			ch, _ := org.Channels.Get(m.ChannelID)
			kind := "public"
			if m.Direct() {
				kind = "direct"
			} else if ch.Private {
				kind = "private"
			}
			found = append(found, kind+" "+m.Content)
		}
		for _, email := range []string{userTomas, tomasBot} {
			u, _ := org.UserByEmail(email)
			found = append(found, fmt.Sprintf("%s %v", u.FullName, u.Active))
		}
	})
	slices.Sort(found)
	return strings.Join(found, ", ")
}

func TestProtocolUserDeactivationActions(t *testing.T) {
	for name, test := range map[string]struct {
		actions values
		sent    string
		left    string
		warning []string
	}{
		"nothing said": {nil, "", "Terraform Bot false, Tomas Berg false, direct by admin, direct by bot, private by admin, private by bot, public by admin, public by bot", nil},
		"nothing":      {values{"delete_profile": false, "delete_direct_messages": nil}, "", "Terraform Bot false, Tomas Berg false, direct by admin, direct by bot, private by admin, private by bot, public by admin, public by bot", nil},
		"the profile": {
			values{"delete_profile": true}, `{"delete_profile":true}`,
			"Deleted user false, Deleted user false, direct by admin, direct by bot, private by admin, private by bot, public by admin, public by bot",
			[]string{"Deleted user", "the bots it owns are deleted: " + tomasBot},
		},
		"public and direct": {
			values{"delete_public_channel_messages": true, "delete_direct_messages": true, "delete_profile": false},
			`{"delete_public_channel_messages":true,"delete_direct_messages":true}`, "Terraform Bot false, Tomas Berg false, private by admin, private by bot",
			[]string{"all messages sent to public channels", "all direct messages", "cannot be undone"},
		},
		"private": {
			values{"delete_private_channel_messages": true}, `{"delete_private_channel_messages":true}`,
			"Terraform Bot false, Tomas Berg false, direct by admin, direct by bot, public by admin, public by bot", []string{"private channels"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, run := written(t, featurelevel.DeactivationActions, test.actions)
			plan, diags := run.Plan(nil)
			diags.ExpectNoError(t)
			if test.warning != nil {
				diags.ExpectWarning(t, "deactivation_actions", append(test.warning, "Deactivating "+userTomas+" permanently deletes data")...)
			} else if len(diags.Warnings()) != 1 { // the warning about access
				t.Errorf("warns of %v", diags.Warnings())
			}
			sent := o.Sent()
			run.Apply(plan).ExpectNoError(t)
			writes := sent.Writes()
			if len(writes) != 1 || writes[0].Method != http.MethodDelete || writes[0].Params["actions"] != test.sent {
				t.Errorf("sent %+v", writes)
			}
			if got := left(o); got != test.left {
				t.Errorf("left is %s\nwant %s", got, test.left)
			}
		})
	}
}

// A server that is too old would deactivate the account and delete nothing.
func TestProtocolUserDeactivationActions_OldServer_Refused(t *testing.T) {
	for _, level := range []int{442, featurelevel.DeactivationActions - 1} {
		o, run := written(t, level, values{"delete_direct_messages": true})
		run.ExpectRefused(leaving(values{"delete_direct_messages": true}), "deactivation_actions", "too old for deactivation_actions", "It requires feature level 459", "upgrade the server")

		run.ExpectRefused(nil, "", "The server cannot delete data of "+userTomas, "requires Zulip 12.0 (feature level 459)", "Remove deactivation_actions and apply", "Nothing was changed")

		// The plan was made before the server became older.
		o.Sandbox.SetFeatureLevel(featurelevel.DeactivationActions)
		plan := run.MustPlan(nil)
		o.Sandbox.SetFeatureLevel(level)
		sent := o.Sent()
		_, diags := run.Process().Apply(plan)
		diags.ExpectError(t, "", "The server cannot delete data of "+userTomas)
		sent.Expect(t)

		// The configuration follows the advice of the error.
		run.MustApply(values{"email": userTomas, "full_name": "Tomas Berg"})
		run.Apply(run.MustPlan(nil)).ExpectNoError(t)
		sent.Expect(t, "DELETE")
	}
}

// The deletion happens once, whatever happens to the answer, and a deactivation outside Terraform is reported.
func TestProtocolUserDeactivationActionsAfterAnotherDeactivation(t *testing.T) {
	o, run := written(t, featurelevel.DeactivationActions, values{"delete_direct_messages": true})
	plan := run.MustPlan(nil)
	lost := run.Fork()
	o.Call(t, http.MethodDelete, fmt.Sprint("/users/", run.State.Values["id"]), nil)
	_, diags := run.Process().Apply(plan)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "", "A user was already deactivated\n"+userTomas, "nothing was deleted")

	o.Call(t, http.MethodPost, fmt.Sprint("/users/", run.State.Values["id"], "/reactivate"), nil)
	o.Sandbox.Fail(sandbox.Fault{Method: "DELETE", Path: "/users/*", After: true, Action: sandbox.FaultDrop, Count: 1})
	lost.Apply(lost.MustPlan(nil)).ExpectNoError(t)
	if got := left(o); strings.Contains(got, "direct by admin") {
		t.Errorf("left is %s", got)
	}
}

// A replacement deactivates the account, and so deletes too.
func TestProtocolUserDeactivationActions_Replaced_Warning(t *testing.T) {
	_, run := written(t, featurelevel.DeactivationActions, values{"delete_direct_messages": true})
	p := run.Process()
	_, diags := p.Read("zulip_user", run.State)
	diags.ExpectNoError(t)
	_, diags = p.Plan("zulip_user", nil, leaving(values{"delete_direct_messages": true}))
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "deactivation_actions", "permanently deletes data")
}

// A refresh has found that someone who hides their email was deactivated. The email stays theirs.
func TestProtocolUser_HiddenAndDeactivatedOutside_Announced(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	hideAddresses(t, o)
	run := o.NewRun(t, "zulip_user")
	run.MustApply(nadia(nil))
	o.Call(t, http.MethodDelete, fmt.Sprint("/users/", run.State.Values["id"]), nil)
	plan, diags := run.Plan(nadia(nil))
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "email", "is deactivated, so the apply will fail", "This happened outside Terraform", "First reactivate a deactivated user there")
	run.Apply(plan).ExpectError(t, "", "Email is already in use")
}

// A state of an older server plans nothing on a newer one.
func TestProtocolUser_ServerUpgraded_NoChanges(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 442})
	run := o.NewRun(t, "zulip_user")
	config := nadia(values{"role": "moderator", "deactivation_notification_comment": "So long"})
	run.MustApply(config)
	for _, level := range []int{featurelevel.NewestRelease, featurelevel.Newest} {
		o.Sandbox.SetFeatureLevel(level)
		if plan := run.MustPlan(config); !plan.Empty() {
			t.Errorf("level %d: the plan changes %v", level, plan.Changes())
		}
	}
	sent := o.Sent()
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	sent.Expect(t, "DELETE deactivation_notification_comment")
}

// withDeleted starts an organization with one account that was deleted on the server.
func withDeleted(t *testing.T, level int) *acctest.Organization {
	t.Helper()
	return acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level, Accounts: map[string]sandbox.Account{
		"owner": {Email: userInes, FullName: "Ines Moreau", Role: 100, CanCreateUsers: true},
		"gone":  {Email: newcomer, FullName: "Nadia Haddad", Role: 400, IsDeleted: true},
	}})
}

// An account that was deleted is neither reactivated nor adopted.
func TestProtocolUserDeleted(t *testing.T) {
	o := withDeleted(t, featurelevel.DeletedUsers)
	run := o.NewRun(t, "zulip_user")
	words := []string{"User " + newcomer + " was deleted", `is called "Nadia Haddad"`, "cannot be reactivated", "Set another email"}
	for _, more := range []values{nil, {"adopt_deactivated": true}} {
		run.ExpectRefused(nadia(more), "email", words...)
	}
	plan := run.MustPlan(nadia(values{"email": acctest.Unknown, "adopt_deactivated": true}))
	plan.Config = nadia(values{"adopt_deactivated": true})
	p := run.Process()
	sent := o.Sent()
	plan.Values["email"] = newcomer
	_, diags := p.Apply(plan)
	diags.ExpectError(t, "email", words...)
	sent.Expect(t)
	run.Import(newcomer, nil).ExpectError(t, "", words[:3]...)

	// Older servers do not show the deletion, and refuse the reactivation.
	o.Sandbox.SetFeatureLevel(featurelevel.DeletedUsers - 1)
	run.Apply(run.MustPlan(nadia(values{"adopt_deactivated": true}))).ExpectError(t, "", "deleted user")
}

// A managed account that is deleted frees its email.
func TestProtocolUserDeletedWhileManaged(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_user")
	run.Import(userLena, nil).ExpectNoError(t)
	config := values{"email": userLena, "full_name": "Lena Fischer"}
	run.MustApply(config)
	before := run.State.Values["id"]
	if !o.Sandbox.DeleteAccount("member") {
		t.Fatal("the sandbox deletes nobody")
	}
	run.MustApply(config)
	if run.State.Values["id"] == before {
		t.Error("it is the same account")
	}
}

func TestProtocolUserDataSources_Deleted_Shown(t *testing.T) {
	for level, want := range map[int][2]any{
		442: {nil, nil}, featurelevel.DeletedUsers - 1: {nil, nil}, featurelevel.DeletedUsers: {false, true}, featurelevel.Newest: {false, true},
	} {
		o := withDeleted(t, level)
		p := o.NewRun(t, "zulip_user").Process()
		for i, email := range []string{userInes, newcomer} {
			found := p.MustReadData("zulip_user", values{"email": email})
			if found["is_deleted"] != want[i] || found["is_active"] != (i == 0) {
				t.Errorf("level %d: %s: %v", level, email, found)
			}
			found = p.MustReadData("zulip_users", values{"emails": []any{email}})
			if list, _ := found["users"].([]any); len(list) != 1 || list[0].(values)["is_deleted"] != want[i] { //nolint:forcetypeassert // an object
				t.Errorf("level %d: %v", level, found["users"])
			}
		}
	}
}

// The checks that protect people run in the plan, and again on the server's answer just before the request.

// setRole gives a role outside of Terraform.
func setRole(t *testing.T, o *acctest.Organization, account string, role zulip.Role) {
	t.Helper()
	if err := o.Client.UpdateUser(context.Background(), id(t, o, account), zulip.UserUpdate{Role: &role}); err != nil {
		t.Fatal(err)
	}
}

// imported returns the account of a person in the state, with its configuration.
func imported(t *testing.T, o *acctest.Organization, address string, more values) (*acctest.Run, values) {
	t.Helper()
	run := o.NewRun(t, "zulip_user")
	run.Import(address, nil).ExpectNoError(t)
	config := values{"email": address, "full_name": run.State.Values["full_name"]}
	for name, value := range more {
		config[name] = value
	}
	return run, config
}

// Two owners are not demoted or deactivated one after the other until none is left.
func TestProtocolUserLastOwner(t *testing.T) {
	for name, test := range map[string]struct {
		role any // the second owner's new role; nil to deactivate
		at   string
	}{"demoted": {"guest", "role"}, "deactivated": {nil, ""}} {
		t.Run(name, func(t *testing.T) {
			o, _ := acctest.StartRun(t, "zulip_user")
			setRole(t, o, "member", zulip.RoleOwner)
			first, firstConfig := imported(t, o, userLena, values{"role": "guest"})
			second, config := imported(t, o, userInes, values{"role": test.role})
			if test.role == nil {
				config = nil
			}
			second.Block["lockout_protection"] = false
			p := second.Process()
			demote, diags := p.Plan("zulip_user", first.State, firstConfig)
			diags.ExpectNoError(t) // each sees another owner
			end := p.MustPlan("zulip_user", second.State, config)
			p.MustApply(demote)
			sent := o.Sent()
			_, diags = p.Apply(end)
			diags.ExpectError(t, test.at, "would have no owner")
			sent.Expect(t)
			if owner, err := o.Client.Me(context.Background()); err != nil || owner.Role != zulip.RoleOwner || !owner.IsActive {
				t.Errorf("the server holds %+v, %v", owner, err)
			}
			// The plan only warns, because another resource of the run may create an owner.
			_, diags = p.Plan("zulip_user", second.State, config)
			diags.ExpectWarning(t, test.at, "would have no owner")
		})
	}
}

// The deactivation of an owner is refused if the other owners cannot be read.
func TestProtocolUser_OwnersUnreadable_NotDeactivated(t *testing.T) {
	for _, path := range []string{"/users", "/users/*"} {
		t.Run(path, func(t *testing.T) {
			o, _ := acctest.StartRun(t, "zulip_user")
			setRole(t, o, "member", zulip.RoleOwner)
			run, _ := imported(t, o, userLena, nil)
			p := run.Process()
			plan := p.MustPlan("zulip_user", run.State, nil)
			for _, path := range []string{path, "/register"} {
				o.Sandbox.Fail(sandbox.Fault{Method: "*", Path: path, Action: sandbox.FaultStatus, Status: 400, Body: `{"result":"error","msg":"No","code":"BAD_REQUEST"}`})
			}
			sent := o.Sent()
			_, diags := p.Apply(plan)
			diags.ExpectError(t, "", "Cannot deactivate", "Nothing was changed")
			sent.Expect(t)
		})
	}
}

// A person's bots are deactivated with the person, and one of them may be the provider's account (server-behavior §U9).
func TestProtocolUser_ProviderBotOwner_Protected(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_user")
	bot := o.As(t, "bot")
	run, _ := imported(t, bot, userTomas, nil)
	run.ExpectRefused(nil, "", "remove the provider's own access", tomasBot, "owned by "+userTomas)

	// The bot gets that owner after the plan.
	run, _ = imported(t, bot, userLena, nil)
	p := run.Process()
	plan := p.MustPlan("zulip_user", run.State, nil)
	o.Call(t, http.MethodPatch, fmt.Sprint("/bots/", id(t, o, "bot")), map[string]string{"bot_owner_id": fmt.Sprint(id(t, o, "member"))})
	sent := o.Sent()
	_, diags := p.Apply(plan)
	diags.ExpectError(t, "", "remove the provider's own access", tomasBot, "owned by "+userLena)
	sent.Expect(t)
	if user := account(t, o, id(t, o, "member")); !user.IsActive {
		t.Error("the account is deactivated")
	}
	run.Block["lockout_protection"] = false
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	if user := account(t, o, id(t, o, "bot")); user.IsActive {
		t.Error("the bot is active")
	}
}

// The provider's own account is neither demoted nor deactivated by a plan that was made with another account's key.
func TestProtocolUserOwnAccount(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_user")
	setRole(t, o, "member", zulip.RoleOwner)
	for _, role := range []any{"member", nil} {
		run, config := imported(t, o, userLena, values{"role": role})
		if role == nil {
			config = nil
		}
		plan := run.MustPlan(config)
		other := o.As(t, "member").NewRun(t, "zulip_user") // applied with her own key
		sent := o.Sent()
		_, diags := other.Process().Apply(plan)
		at := "role"
		if role == nil {
			at = ""
		}
		diags.ExpectError(t, at, "remove the provider's own access")
		sent.Expect(t)
	}
}
