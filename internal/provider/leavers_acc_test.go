package provider_test

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// leavers are a person and a bot who will leave.
const leavers = `
resource "zulip_user" "nadia" {
  email     = "nadia.haddad@example.com"
  full_name = "Nadia Haddad"
}
resource "zulip_bot" "wire" {
  short_name = "wire"
  full_name  = "Wire"
  bot_type   = "generic"
}
`

// team is a configuration that names them everywhere: at LISTED in lists of people, and at PERMITTED in permissions.
const team = `
resource "zulip_user_group" "press" {
  name             = "press"
  members          = ["kenji.sato@example.com", LISTED "ines.moreau@example.com"]
  can_manage_group = ["user:ines.moreau@example.com", PERMITTED]
}
resource "zulip_user_group" "alone" {
  name              = "alone"
  members           = [LISTED]
  can_mention_group = [PERMITTED]
}
resource "zulip_user_group" "more" {
  name = "more"
}
resource "zulip_user_group_membership" "more" {
  group   = zulip_user_group.more.name
  members = ["ines.moreau@example.com", LISTED]
}
resource "zulip_channel" "newsroom" {
  name                         = "newsroom"
  initial_subscribers          = ["ines.moreau@example.com", LISTED]
  can_send_message_group       = ["role:moderators", PERMITTED]
  can_administer_channel_group = [PERMITTED]
}
resource "zulip_channel_subscribers" "newsroom" {
  channel = zulip_channel.newsroom.name
  users   = zulip_user_group.press.members
}
resource "zulip_channel" "notes" {
  name = "notes"
}
resource "zulip_channel_subscription" "notes" {
  channel = zulip_channel.notes.name
  users   = ["ines.moreau@example.com", LISTED]
}
resource "zulip_organization" "this" {
  can_create_public_channel_group = ["role:members", PERMITTED]
}
`

// TestAccSandboxLeavers removes a person and a bot from the configuration, and from all lists and permissions that
// named them, in one apply. Terraform deactivates them before or during the other changes, and plans the rest again
// afterwards. A person may stay in the configuration with active = false.
func TestAccSandboxLeavers(t *testing.T) {
	named := func(listed, permitted string) string {
		return strings.NewReplacer("LISTED", listed, "PERMITTED", permitted).Replace(team)
	}
	const stay = `
resource "zulip_user" "nadia" {
  email     = "nadia.haddad@example.com"
  full_name = "Nadia Haddad"
  active    = false
}
`
	for name, config := range map[string]string{
		"references":       named("zulip_user.nadia.email, zulip_bot.wire.email,", `"user:${zulip_user.nadia.email}", "user:${zulip_bot.wire.email}"`),
		"IDs":              named("zulip_user.nadia.id, zulip_bot.wire.id,", `"user_id:${zulip_user.nadia.id}", "user_id:${zulip_bot.wire.id}"`),
		"literals":         named(`"nadia.haddad@example.com", "wire-bot@zulip.example.com",`, `"user:nadia.haddad@example.com", "user:wire-bot@zulip.example.com"`),
		"kept, by address": named("zulip_user.nadia.email, zulip_bot.wire.email,", `"user:${zulip_user.nadia.email}", "user:${zulip_bot.wire.email}"`),
	} {
		left := ""
		if name == "kept, by address" {
			left = stay
		}
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			w := acctest.NewWorkspace(t)
			w.Configure(t, leavers)
			w.Must(t, "apply", "-auto-approve")
			w.Configure(t, leavers+config)
			w.Must(t, "apply", "-auto-approve")
			w.Configure(t, left+named("", ""))
			w.Must(t, "apply", "-auto-approve")
			w.Must(t, "plan", "-detailed-exitcode")
			for _, address := range []string{"nadia.haddad@example.com", "wire-bot@zulip.example.com"} {
				if user, err := o.Client.UserByEmail(t.Context(), address); err != nil || user.IsActive {
					t.Errorf("%s is still active, or cannot be read: %v", address, err)
				}
			}
		})
	}
}

// Every configuration of the guide can be applied, and a second plan changes nothing.
func TestExampleJoinersAndLeavers(t *testing.T) {
	guide, err := os.ReadFile("../../templates/guides/joiners-and-leavers.md.tmpl")
	requireNoError(t, err)
	blocks := regexp.MustCompile("(?s)\n```terraform\n(.*?)\n```\n").FindAllStringSubmatch(string(guide), -1)
	if len(blocks) < 3 {
		t.Fatalf("the guide has %d configurations", len(blocks))
	}
	acctest.StartSandbox(t, sandbox.Config{})
	for _, block := range blocks {
		w := acctest.NewWorkspace(t)
		if here := strings.Replace(block[1], "active    = false", "active    = true", 1); here != block[1] { // before a user leaves
			w.Configure(t, here)
			w.Must(t, "apply", "-auto-approve")
		}
		w.Configure(t, block[1])
		printed := w.Must(t, "apply", "-auto-approve")
		if isWarned := strings.Contains(printed, `Warning: "zoe.quill@example.net" is not in the organization`); isWarned != strings.Contains(block[1], "zoe.quill") {
			t.Errorf("a newcomer is warned of: %t\n%s", isWarned, printed)
		}
		w.Must(t, "plan", "-detailed-exitcode")
	}
}

// managedByAnAdministrator has objects that a member does not see, and settings that it may not change. It names Kenji
// Sato by ID: a member sees no emails, and each email in a configuration is a separate error.
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

// An account that was demoted does not see private channels, the bots of others and their invitation links. The plan leaves
// them unchanged, with one warning for each kind. No command changes the state, which is right once the account has its role again.
func TestAccSandboxAccount_Demoted_StateKept(t *testing.T) {
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
	for _, args := range [][]string{{"plan", "-detailed-exitcode"}, {"destroy", "-auto-approve"}} {
		sent := owner.Sent()
		printed, ok := w.Run(t, args...)
		said := map[string]string{"plan": "Warning: The account does not see everything", "destroy": "Error: Cannot change what the account does not see"}[args[0]]
		if ok != (args[0] == "plan") || !strings.Contains(printed, said) {
			t.Errorf("%v ends with %t:\n%s", args, ok, printed[max(0, len(printed)-2000):])
		}
		sent.Expect(t)
		if w.Must(t, "state", "pull") != before {
			t.Errorf("%v has changed the state", args)
		}
	}
	role("200")
	w.Must(t, "plan", "-detailed-exitcode")
}

// An account that has always been a member still manages the objects that it sees. It can be certain that its public
// channel is archived.
func TestProtocolMember_ChannelArchived_Removed(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.As(t, "member").NewRun(t, "zulip_channel")
	run.MustApply(acctest.Values{"name": "lunch"})
	o.Archive(t, "lunch")
	run.Refresh().ExpectNoError(t)
	if run.State != nil {
		t.Errorf("the state is %v", run.State.Values)
	}
}

// A channel that was made private outside Terraform may still exist.
func TestProtocolMember_ChannelHidden_StateKept(t *testing.T) {
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
	run.Refresh().ExpectWarning(t, "", "does not see everything", `Channel "lunch" is in the state, but the server does not show it`, member.Self.Address()+", is a member")
	if run.State == nil || run.State.Values["name"] != "lunch" {
		t.Errorf("the state is %v", run.State)
	}
}

// Objects that another account has created stay in the state when the key of an account with less access is used.
func TestProtocolState_LesserAccount_Kept(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	for _, test := range []struct {
		resource, account string
		config            acctest.Values
	}{
		{"zulip_message", "member", acctest.Values{"recipients": []any{"kenji.sato@example.com"}, "content": "Welcome"}},
		{"zulip_message", "bot", acctest.Values{"channel": "leads", "topic": "plans", "content": "Not yet"}}, // it sees the channel, and no messages
		{"zulip_channel", "member", acctest.Values{"name": "board", "privacy": "private_shared_history", "initial_subscribers": []any{o.Self.Address()}}},
	} {
		run := o.NewRun(t, test.resource)
		run.MustApply(test.config)
		other := o.WithAccount(t, test.account).NewRun(t, test.resource)
		other.State = run.State
		other.Refresh().ExpectWarning(t, "", "does not see everything")
		if other.State == nil {
			t.Errorf("%s is not in the state any more", test.resource)
		}
	}
}

// Without a refresh, the destroy of an invitation that the account does not see is an error, because it may not be
// revoked.
func TestProtocolInvitation_HiddenAndDestroyed_Error(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, "zulip_invitation")
	run.MustApply(acctest.Values{"email": "nadia.haddad@example.com"})
	p := o.WithAccount(t, "member").NewRun(t, "zulip_invitation").Process()
	plan, diags := p.Plan("zulip_invitation", run.State, nil)
	diags.ExpectNoError(t)
	state, diags := p.Apply(plan)
	diags.ExpectError(t, "", "Cannot revoke the invitation of nadia.haddad@example.com", "it may still exist")
	if state == nil {
		t.Error("the invitation is not in the state any more")
	}
}

// inManyPlaces names one person wherever a configuration can.
const inManyPlaces = `
resource "zulip_user_role" "kenji" {
  user = "%[1]s"
  role = "moderator"
}

resource "zulip_user_group" "many" {
  count             = 3
  name              = "group-${count.index}"
  members           = ["%[1]s"]
  can_mention_group = ["user:%[1]s"]
}

resource "zulip_channel" "post" {
  name                   = "post"
  can_send_message_group = ["role:moderators", "user:%[1]s"]
}

resource "zulip_channel_subscribers" "post" {
  channel = zulip_channel.post.id
  users   = ["%[1]s", "lena.fischer@example.com"]
}

resource "zulip_bot" "kenji" {
  short_name = "kenji"
  full_name  = "Kenji's bot"
  owner      = "%[1]s"
}
`

// An email that a user no longer has is the same error in every place. One has the full explanation.
func TestAccSandboxEmail_Changed_OneFullError(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Setenv("TF_LOG", "") // what is printed counts here, and not what is logged
	w.Configure(t, fmt.Sprintf(inManyPlaces, "kenji.sato@example.com"))
	w.Must(t, "apply", "-auto-approve")
	kenji := o.WithAccount(t, "member2").Self
	o.Call(t, http.MethodPatch, fmt.Sprintf("/users/%d", kenji.ID), map[string]string{"new_email": "ken@example.org"})

	const title = `Error: "kenji.sato@example.com" is not in the organization`
	printed, ok := w.Run(t, "plan")
	errors := strings.Split(printed, "Error: ")[1:]
	if ok || strings.Count(printed, title) != len(errors) {
		t.Errorf("%d errors, %d of them about the address:\n%s", len(errors), strings.Count(printed, title), strings.Join(errors, "\n"))
	}
	const short = "Another error of this run has the details."
	if n := strings.Count(strings.Join(strings.Fields(printed), " "), short); n != len(errors)-1 {
		t.Errorf("%d of %d errors are short:\n%s", n, len(errors), strings.Join(errors, "\n"))
	}
	for _, one := range errors {
		one = strings.Join(strings.Fields(one), " ") // Terraform wraps the text
		if !strings.Contains(one, `sees no user or bot with the email "kenji.sato@example.com"`) {
			t.Errorf("an error says %s", one)
		}
	}

	w.Configure(t, fmt.Sprintf(inManyPlaces, "ken@example.org"))
	sent := o.Sent()
	w.Must(t, "apply", "-auto-approve") // the old email is removed from the lists of the state, but no one from those of the server
	sent.Expect(t)
	w.Must(t, "plan", "-detailed-exitcode")
}

// An unknown name is one full error, and a short one for every other place.
func TestProtocolMissingNames(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	p := o.NewRun(t, "zulip_user_group").Process()
	for i, resource := range []struct {
		name   string
		config acctest.Values
	}{
		{"zulip_user_group", acctest.Values{"name": "a", "members": []any{"lena.fisher@example.com"}}},
		{"zulip_channel", acctest.Values{"name": "a", "can_send_message_group": []any{"user:Lena.Fisher@example.com"}}},
		{"zulip_user_role", acctest.Values{"user": "lena.fisher@example.com", "role": "moderator"}},
		{"zulip_bot", acctest.Values{"full_name": "A", "short_name": "a", "owner": "lena.fisher@example.com"}},
	} {
		_, diags := p.Plan(resource.name, nil, resource.config)
		more := "id you mean"
		if i > 0 {
			more = `". Another error of this run has the details.`
		}
		if found := diags.Errors(); len(found) != 1 || found[0].Summary != `"lena.fisher@example.com" is not in the organization` || !strings.Contains(found[0].Detail, more) {
			t.Errorf("%s: %v", resource.name, found)
		}
	}
	for i, resource := range []struct {
		name   string
		config acctest.Values
	}{
		{"zulip_user_group", acctest.Values{"name": "b", "subgroups": []any{"srr"}}},
		{"zulip_channel", acctest.Values{"name": "b", "can_send_message_group": []any{"group:srr"}}},
		{"zulip_user_group_membership", acctest.Values{"group": "srr", "members": []any{}}},
	} {
		_, diags := p.Plan(resource.name, nil, resource.config)
		more := `id you mean`
		if i > 0 {
			more = `called "srr". Another error of this run has the details.`
		}
		if found := diags.Errors(); len(found) != 1 || found[0].Summary != `User group "srr" is not in the organization` || !strings.Contains(found[0].Detail, more) {
			t.Errorf("%s: %v", resource.name, found)
		}
	}
}

// The part that a second error about the same name leaves out begins after the sentence with the name, whatever
// characters the name has.
func TestProtocolMissingName_Punctuation_SecondErrorShort(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	p := o.NewRun(t, "zulip_channel").Process()
	const sentence = `The organization has no user group called "St. Ives; east".`
	for i, says := range []string{sentence + " If this configuration creates or renames it", sentence + " Another error of this run has the details."} {
		_, diags := p.Plan("zulip_channel", nil, values{"name": string(rune('a' + i)), "can_send_message_group": []any{"group:St. Ives; east"}})
		diags.ExpectError(t, "can_send_message_group", `User group "St. Ives; east" is not in the organization`, says)
	}
}
