package provider_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// managedByAnAdministrator has what a member is not shown, and what it may not change. It names Kenji Sato by ID: a member sees no
// addresses, and each that a configuration names is an error of its own.
const managedByAnAdministrator = `
provider "zulip" {
  lockout_protection = false
}

resource "zulip_channel" "private" {
  count               = 20
  name                = "private-${count.index}"
  privacy             = "private_shared_history"
  initial_subscribers = ["47"]
}

resource "zulip_channel" "public" {
  count = 5
  name  = "public-${count.index}"
}

resource "zulip_channel_subscribers" "private" {
  count   = 5
  channel = zulip_channel.private[count.index].id
  users   = ["47"]
}

resource "zulip_bot" "many" {
  count      = 20
  full_name  = "Bot ${count.index}"
  short_name = "many-${count.index}"
  owner      = "47"
}

resource "zulip_user_group" "many" {
  count   = 5
  name    = "group-${count.index}"
  members = ["47"]
}

resource "zulip_linkifier" "many" {
  count        = 3
  pattern      = "T${count.index}-(?P<id>[0-9]+)"
  url_template = "https://example.com/${count.index}/{id}"
}

resource "zulip_user_role" "kenji" {
  user = "47"
  role = "moderator"
}

resource "zulip_invite_link" "members" {}
`

// An account that was demoted is not shown private channels, the bots of others and their invitation links. That is one error,
// whatever the command; the state stays as it is, and is right when the account has its role again.
func TestAccSandboxDemotedAccountLosesNothing(t *testing.T) {
	owner := acctest.StartSandbox(t, sandbox.Config{})
	admin := owner.As(t, "admin")
	w := acctest.NewWorkspace(t)
	w.Setenv("TF_LOG", "") // what is printed counts here, and not what is logged
	w.Configure(t, managedByAnAdministrator)
	w.Must(t, "apply", "-auto-approve")
	before := w.Must(t, "state", "pull")
	role := func(role string) {
		owner.Call(t, http.MethodPatch, fmt.Sprintf("/users/%d", admin.Self.ID), map[string]string{"role": role})
	}
	role("400")
	for _, args := range [][]string{{"plan"}, {"plan", "-refresh-only"}, {"apply", "-refresh-only", "-auto-approve"}, {"destroy", "-auto-approve"}} {
		sent := owner.Sent()
		printed, ok := w.Run(t, args...)
		if ok || strings.Count(printed, "Error: ") != 1 || !strings.Contains(printed, "Error: tomas.berg@example.com does not see everything that is in the state") {
			t.Errorf("%v ends with %t and %d errors:\n%s", args, ok, strings.Count(printed, "Error: "), printed[max(0, len(printed)-2000):])
		}
		sent.Expect(t)
		if w.Must(t, "state", "pull") != before {
			t.Errorf("%v has changed the state", args)
		}
	}
	role("200")
	w.Must(t, "plan", "-detailed-exitcode")
}

// An account that has always been a member keeps managing what it sees: that its public channel is archived is certain.
func TestProtocolMemberSeesThatItsChannelIsArchived(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.As(t, "member").NewRun(t, "zulip_channel")
	run.MustApply(acctest.Values{"name": "lunch"})
	o.Archive(t, "lunch")
	run.Refresh().ExpectNoError(t)
	if run.State != nil {
		t.Errorf("the state is %v", run.State.Values)
	}
}

// Made private by somebody else, it may be there all the same.
func TestProtocolMemberDoesNotSeeItsChannelAnyMore(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	member := o.As(t, "member")
	run := member.NewRun(t, "zulip_channel")
	run.MustApply(acctest.Values{"name": "lunch"})
	o.Call(t, http.MethodPatch, fmt.Sprintf("/streams/%d", o.MustChannel(t, "lunch").ID), map[string]string{
		"is_private": "true", "can_administer_channel_group": fmt.Sprintf(`{"new": %d}`, o.SystemGroup(t, "role:administrators")),
	})
	if _, err := o.Client.Unsubscribe(t.Context(), "lunch", []int64{member.Self.ID}); err != nil {
		t.Fatal(err)
	}
	run.Refresh().ExpectError(t, "", member.Self.Address()+" does not see everything", `Channel "lunch" is in the state, and the server does not show it`)
	if run.State == nil || run.State.Values["name"] != "lunch" {
		t.Errorf("the state is %v", run.State)
	}
}

// With the key of somebody who is shown less, what another account has made stays in the state.
func TestProtocolStateOfAnAccountThatIsShownMore(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	for resource, config := range map[string]acctest.Values{
		"zulip_invite_link": {},
		"zulip_invitation":  {"email": "nadia.haddad@example.com"},
		"zulip_message":     {"recipients": []any{"kenji.sato@example.com"}, "content": "Welcome"},
		"zulip_channel":     {"name": "board", "privacy": "private_shared_history", "initial_subscribers": []any{o.Self.Address()}},
	} {
		run := o.NewRun(t, resource)
		run.MustApply(config)
		other := o.WithAccount(t, "member").NewRun(t, resource)
		other.State = run.State
		other.Refresh().ExpectError(t, "", "does not see everything that is in the state")
		if other.State == nil {
			t.Errorf("%s is not in the state any more", resource)
		}
	}
}

// Without a refresh, destroying an invitation that the account is not shown does not end as if it were revoked.
func TestProtocolDestroyOfAnInvitationNotShown(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, "zulip_invitation")
	run.MustApply(acctest.Values{"email": "nadia.haddad@example.com"})
	p := o.WithAccount(t, "member").NewRun(t, "zulip_invitation").Process()
	plan, diags := p.Plan("zulip_invitation", run.State, nil)
	diags.ExpectNoError(t)
	state, diags := p.Apply(plan)
	diags.ExpectError(t, "", "Cannot revoke the invitation of nadia.haddad@example.com", "it may still be pending")
	if state == nil {
		t.Error("the invitation is not in the state any more")
	}
}
