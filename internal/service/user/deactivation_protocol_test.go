package user_test

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
	tomas    = "tomas.berg@example.com" // an administrator, who owns a bot
	tomasBot = "terraform-bot@zulip.example.com"
)

// leaving is tomas with what is deleted when he leaves.
func leaving(actions values) values {
	return values{"email": tomas, "full_name": "Tomas Berg", "deactivation_actions": actions}
}

// written gives a test a server of a feature level, on which tomas and his bot have written a message of each kind, and a
// run that manages the account of tomas with the given actions.
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
	run.Import(tomas, nil).ExpectNoError(t)
	run.MustApply(leaving(actions))
	o.Sandbox.SetFeatureLevel(level)
	return o, run
}

// left lists what the sandbox still holds of tomas and his bot: their names, and the kinds of their messages.
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
		for _, email := range []string{tomas, tomasBot} {
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
			[]string{"Deleted user", "the bots it owns: " + tomasBot},
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
				diags.ExpectWarning(t, "deactivation_actions", append(test.warning, "Deactivating "+tomas+" deletes data for good")...)
			} else if len(diags.Warnings()) != 1 { // that of the access
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
func TestProtocolUserDeactivationActionsNeedALevel(t *testing.T) {
	for _, level := range []int{442, featurelevel.DeactivationActions - 1} {
		o, run := written(t, level, values{"delete_direct_messages": true})
		_, diags := run.Plan(leaving(values{"delete_direct_messages": true}))
		diags.ExpectError(t, "deactivation_actions", "too old for deactivation_actions", "It needs feature level 459", "upgrade the server")

		_, diags = run.Plan(nil)
		diags.ExpectError(t, "", "The server cannot delete anything of "+tomas, "need feature level 459", "Remove deactivation_actions and apply", "Nothing was sent")

		// Planned before the server became older.
		o.Sandbox.SetFeatureLevel(featurelevel.DeactivationActions)
		plan := run.MustPlan(nil)
		o.Sandbox.SetFeatureLevel(level)
		sent := o.Sent()
		_, diags = run.Process().Apply(plan)
		diags.ExpectError(t, "", "The server cannot delete anything of "+tomas)
		sent.Expect(t)

		// The way out that it names.
		run.MustApply(values{"email": tomas, "full_name": "Tomas Berg"})
		run.Apply(run.MustPlan(nil)).ExpectNoError(t)
		sent.Expect(t, "DELETE")
	}
}

// It is deleted once, whatever becomes of the answer; and what somebody else did is told.
func TestProtocolUserDeactivationActionsAfterAnotherDeactivation(t *testing.T) {
	o, run := written(t, featurelevel.DeactivationActions, values{"delete_direct_messages": true})
	plan := run.MustPlan(nil)
	lost := run.Fork()
	o.Call(t, http.MethodDelete, fmt.Sprint("/users/", run.State.Values["id"]), nil)
	_, diags := run.Process().Apply(plan)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "", tomas+" is deactivated already", "nothing was deleted")

	o.Call(t, http.MethodPost, fmt.Sprint("/users/", run.State.Values["id"], "/reactivate"), nil)
	o.Sandbox.Fail(sandbox.Fault{Method: "DELETE", Path: "/users/*", After: true, Action: sandbox.FaultDrop, Count: 1})
	lost.Apply(lost.MustPlan(nil)).ExpectNoError(t)
	if got := left(o); strings.Contains(got, "direct by admin") {
		t.Errorf("left is %s", got)
	}
}

// A replacement deactivates the account, and so deletes too.
func TestProtocolUserDeactivationActionsOfAReplacement(t *testing.T) {
	_, run := written(t, featurelevel.DeactivationActions, values{"delete_direct_messages": true})
	p := run.Process()
	_, diags := p.Read("zulip_user", run.State)
	diags.ExpectNoError(t)
	_, diags = p.Plan("zulip_user", nil, leaving(values{"delete_direct_messages": true}))
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "deactivation_actions", "deletes data for good")
}

// A state of an older server plans nothing on a newer one.
func TestProtocolUserAfterAnUpgrade(t *testing.T) {
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

// withDeleted is an organization with one account that was deleted on the server.
func withDeleted(t *testing.T, level int) *acctest.Organization {
	t.Helper()
	return acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level, Accounts: map[string]sandbox.Account{
		"owner": {Email: ines, FullName: "Ines Moreau", Role: 100, CanCreateUsers: true},
		"gone":  {Email: newcomer, FullName: "Nadia Haddad", Role: 400, IsDeleted: true},
	}})
}

// An account that was deleted is neither reactivated nor adopted.
func TestProtocolUserDeleted(t *testing.T) {
	o := withDeleted(t, featurelevel.DeletedUsers)
	run := o.NewRun(t, "zulip_user")
	words := []string{"The account " + newcomer + " was deleted", `is called "Nadia Haddad"`, "cannot be reactivated", "Set another email"}
	for _, more := range []values{nil, {"adopt_deactivated": true}} {
		_, diags := run.Plan(nadia(more))
		diags.ExpectError(t, "email", words...)
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

	// Older servers do not say so: the server refuses.
	o.Sandbox.SetFeatureLevel(featurelevel.DeletedUsers - 1)
	run.Apply(run.MustPlan(nadia(values{"adopt_deactivated": true}))).ExpectError(t, "", "deleted user")
}

// An account that is deleted while it is managed frees its address.
func TestProtocolUserDeletedWhileManaged(t *testing.T) {
	o, run := managed(t)
	run.Import(lena, nil).ExpectNoError(t)
	config := values{"email": lena, "full_name": "Lena Fischer"}
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

func TestProtocolUserDataSourcesSayWhoWasDeleted(t *testing.T) {
	for level, want := range map[int][2]any{
		442: {nil, nil}, featurelevel.DeletedUsers - 1: {nil, nil}, featurelevel.DeletedUsers: {false, true}, featurelevel.Newest: {false, true},
	} {
		o := withDeleted(t, level)
		p := o.NewRun(t, "zulip_user").Process()
		for i, email := range []string{ines, newcomer} {
			found, diags := p.ReadData("zulip_user", values{"email": email})
			diags.ExpectNoError(t)
			if found["is_deleted"] != want[i] || found["is_active"] != (i == 0) {
				t.Errorf("level %d: %s: %v", level, email, found)
			}
			found, diags = p.ReadData("zulip_users", values{"emails": []any{email}})
			diags.ExpectNoError(t)
			if list, _ := found["users"].([]any); len(list) != 1 || list[0].(values)["is_deleted"] != want[i] { //nolint:forcetypeassert // an object
				t.Errorf("level %d: %v", level, found["users"])
			}
		}
	}
}
