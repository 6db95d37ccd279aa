package invitations_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// These are attributes, as tests write them.
type values = acctest.Values

const (
	invitationKind = "zulip_invitation"
	nadia          = "nadia.haddad@example.com"
)

// mails returns the pending email invitations, by ID.
func mails(t *testing.T, o *acctest.Organization) []*zulip.Invitation {
	t.Helper()
	all, err := o.Client.Invitations(context.Background())
	acctest.NoError(t, err)
	all = slices.DeleteFunc(all, func(one *zulip.Invitation) bool { return one.IsMultiuse })
	slices.SortFunc(all, func(a, b *zulip.Invitation) int { return int(a.ID - b.ID) })
	return all
}

// invitationOnly returns the only invitation.
func invitationOnly(t *testing.T, o *acctest.Organization) *zulip.Invitation {
	t.Helper()
	all := mails(t, o)
	if len(all) != 1 {
		t.Fatalf("there are %d invitations, want one", len(all))
	}
	return all[0]
}

// join creates the account of an email.
func join(t *testing.T, o *acctest.Organization, email string) int64 {
	t.Helper()
	id, _ := o.Call(t, http.MethodPost, "/users", map[string]string{"email": email, "full_name": "Nadia Haddad", "password": "tZ9#kw-long-enough"})["user_id"].(float64)
	return int64(id)
}

// inviteByHand invites an email with an account, outside Terraform.
func inviteByHand(t *testing.T, o *acctest.Organization, account, email string) {
	t.Helper()
	o.WithAccount(t, account).Call(t, http.MethodPost, "/invites", map[string]string{"invitee_emails": email, "stream_ids": "[]"})
}

// invitationEverything is a configuration with every attribute.
func invitationEverything(t *testing.T, o *acctest.Organization) values {
	t.Helper()
	return values{
		"email": nadia, "expires_in_minutes": int64(60), "invite_as": "guest", "channel_ids": []any{o.MustChannel(t, "general").ID},
		"group_ids": []any{o.Group(t, "newcomers")}, "include_realm_default_subscriptions": true, "welcome_message_custom_text": "Hello!",
		"notify_referrer_on_join": false,
	}
}

// Unset attributes are left to the server, except the expiry, where null means never.
func TestProtocolInvitationBare(t *testing.T) {
	o, run := acctest.StartRun(t, invitationKind)
	sent := o.Sent()
	run.MustApply(values{"email": nadia})
	sent.Expect(t, "POST invite_expires_in_minutes invitee_emails stream_ids")
	if made := invitationOnly(t, o); made.ExpiryDate != nil || made.InvitedAs != zulip.RoleMember {
		t.Errorf("the server holds %+v", made)
	}
	for name, value := range (values{
		"invite_as": "member", "channel_ids": []any{}, "group_ids": []any{}, "include_realm_default_subscriptions": false,
		"welcome_message_custom_text": nil, "expires_in_minutes": nil, "expiry_date": nil, "notify_referrer_on_join": true,
	}) {
		if got := run.State.Values[name]; fmt.Sprint(got) != fmt.Sprint(value) {
			t.Errorf("%s is %v, want %v", name, got, value)
		}
	}
	if plan := run.MustPlan(values{"email": nadia, "invite_as": "member", "channel_ids": []any{}}); !plan.Empty() {
		t.Errorf("the same in words: plans %v", plan.Changes())
	}
}

// After a person has joined, nothing is sent, whatever is configured, and the account is unchanged.
func TestProtocolInvitationAccepted(t *testing.T) {
	o, run := acctest.StartRun(t, invitationKind)
	run.MustApply(values{"email": nadia, "invite_as": "guest", "expires_in_minutes": 60})
	id := join(t, o, nadia)
	sent := o.Sent()
	run.ExpectUnchanged(values{"email": nadia, "invite_as": "guest", "expires_in_minutes": 60})
	for name, want := range (values{"status": "accepted", "user_id": id, "invited": nil, "expiry_date": nil, "invited_by_user_id": nil, "invite_as": "guest"}) {
		if got := run.State.Values[name]; got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	plan, diags := run.Plan(values{"email": nadia, "invite_as": "owner"})
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "expires_in_minutes", "An invited user has already joined\n"+nadia, "the changes (expires_in_minutes, invite_as) are not sent", "zulip_user_role")
	run.Apply(plan).ExpectNoError(t)
	if plan := run.MustPlan(values{"email": nadia, "invite_as": "owner"}); !plan.Empty() {
		t.Errorf("recorded, plans %v", plan.Changes())
	}
	sent.Expect(t)
	o.Call(t, http.MethodDelete, fmt.Sprintf("/users/%d", id), nil)
	if plan := run.MustPlan(values{"email": nadia, "invite_as": "owner"}); !plan.Empty() || run.State.Values["status"] != "accepted" {
		t.Errorf("after the account was deactivated plans %v", plan.Changes())
	}
	sent = o.Sent()
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	sent.Expect(t)
}

// An account that joins between plan and apply is unchanged.
func TestProtocolInvitation_AcceptedSincePlan_NoRequest(t *testing.T) {
	o, run := acctest.StartRun(t, invitationKind)
	run.MustApply(values{"email": nadia})
	change, end := run.MustPlan(values{"email": nadia, "invite_as": "guest"}), run.Fork()
	gone := end.MustPlan(nil)
	id := join(t, o, nadia)
	run.Apply(change).ExpectNoError(t)
	if run.State.Values["status"] != "accepted" || run.State.Values["user_id"] != id {
		t.Errorf("the state holds %v", run.State.Values)
	}
	sent := o.Sent()
	end.Apply(gone).ExpectNoError(t)
	sent.Expect(t)
}

// The plan refuses to invite a person with an account, even if the email differs in case.
func TestProtocolInvitation_ExistingUser_NotInvited(t *testing.T) {
	o, run := acctest.StartRun(t, invitationKind)
	sent := o.Sent()
	plan := run.MustPlan(values{"email": "Lena.Fischer@Example.com"})
	if plan.Values["status"] != "accepted" {
		t.Errorf("planned as %v", plan.Values["status"])
	}
	run.MustApply(values{"email": "Lena.Fischer@Example.com"})
	sent.Expect(t)
	if run.State.Values["status"] != "accepted" || run.State.Values["user_id"] == nil {
		t.Errorf("the state holds %v", run.State.Values)
	}
	o.NewRun(t, invitationKind).ExpectRefused(values{"email": "terraform-bot@zulip.example.com"}, "email", "belongs to a bot")

	o.Call(t, http.MethodDelete, fmt.Sprintf("/users/%v", run.State.Values["user_id"]), nil)
	o.NewRun(t, invitationKind).ExpectRefused(values{"email": "lena.fischer@example.com"}, "email", "deactivated", "adopt_deactivated")
}

// Only the server knows the account of a hidden email, and sends no invitation.
func TestProtocolInvitation_HiddenEmail_NotInvited(t *testing.T) {
	o, _ := acctest.StartRun(t, invitationKind)
	o.WithAccount(t, "member").Call(t, http.MethodPatch, "/settings", map[string]string{"email_address_visibility": "4"})
	hidden := o.WithAccount(t, "member").Self.Address()
	run := o.WithAccount(t, "admin").NewRun(t, invitationKind)
	run.MustApply(values{"email": hidden})
	if run.State.Values["status"] != "accepted" || run.State.Values["user_id"] != nil {
		t.Errorf("the state holds %v", run.State.Values)
	}
	if left := mails(t, o); len(left) != 0 {
		t.Errorf("%d invitations were sent", len(left))
	}
	o.Call(t, http.MethodDelete, fmt.Sprintf("/users/%d", o.WithAccount(t, "member").Self.ID), nil)
	again := o.WithAccount(t, "admin").NewRun(t, invitationKind)
	again.Apply(again.MustPlan(values{"email": hidden})).ExpectError(t, "email", "deactivated", "adopt_deactivated")
	if again.State != nil {
		t.Errorf("the state holds %v", again.State.Values)
	}
}

// An invitation that expired, or was revoked outside Terraform, is removed from the state and sent again.
func TestProtocolInvitationGone(t *testing.T) {
	var ahead atomic.Int64
	o := acctest.StartSandbox(t, sandbox.Config{Clock: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }})
	run := o.NewRun(t, invitationKind)
	config := values{"email": nadia, "expires_in_minutes": 5}
	run.MustApply(config)
	first := invitationOnly(t, o)
	acctest.NoError(t, o.Client.RevokeInvitation(context.Background(), first.ID))
	run.MustApply(config)
	second := invitationOnly(t, o)
	ahead.Store(int64(6 * time.Minute))
	run.Refresh().ExpectNoError(t)
	if run.State != nil {
		t.Errorf("expired, the state holds %v", run.State.Values)
	}
	run.MustApply(config)
	if third := invitationOnly(t, o); first.ID == second.ID || second.ID == third.ID {
		t.Errorf("invitations %d, %d and %d", first.ID, second.ID, third.ID)
	}
}

// A request never uses an ID of the state, because links and invitations of other emails can have it. Invitations that
// others sent to the email are also revoked.
func TestProtocolInvitation_Revoked_OwnEmailOnly(t *testing.T) {
	o, run := acctest.StartRun(t, invitationKind)
	inviteByHand(t, o, "admin", "else@example.com")
	run.MustApply(values{"email": nadia})
	inviteByHand(t, o, "admin", strings.ToUpper(nadia))
	if _, err := o.Client.CreateInviteLink(t.Context(), zulip.InviteTerms{}); err != nil {
		t.Fatal(err)
	}
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	all, err := o.Client.Invitations(t.Context())
	acctest.NoError(t, err)
	var left []string
	for _, one := range all {
		left = append(left, fmt.Sprint(one.IsMultiuse, " ", one.Email))
	}
	if slices.Sort(left); fmt.Sprint(left) != "[false else@example.com true ]" {
		t.Errorf("left are %q", left)
	}
}

// The plan refuses accounts that can't invite.
func TestProtocolInvitationCaller(t *testing.T) {
	o, _ := acctest.StartRun(t, invitationKind)
	refused := func(account string, config values, attribute string, words ...string) {
		t.Helper()
		config["email"] = nadia
		o.As(t, account).NewRun(t, invitationKind).ExpectRefused(config, attribute, words...)
	}
	refused("bot", values{}, "", "A bot cannot invite people", "a person's API key")
	refused("guest", values{}, "", "A guest cannot invite people")
	refused("admin", values{"invite_as": "owner"}, "invite_as", "cannot invite owners", "administrator")
	refused("member", values{"invite_as": "moderator"}, "invite_as", "cannot invite moderators")
	refused("moderator", values{"invite_as": "administrator"}, "invite_as", "cannot invite administrators")
	refused("member", values{"welcome_message_custom_text": ""}, "welcome_message_custom_text", "cannot choose the welcome message")
	run := o.As(t, "member").NewRun(t, invitationKind)
	run.MustApply(values{"email": nadia, "invite_as": "guest"})
	if made := invitationOnly(t, o); made.InvitedByUserID != o.As(t, "member").Self.ID {
		t.Errorf("sent by %d", made.InvitedByUserID)
	}
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_invite_users_group": fmt.Sprintf(`{"new":%d}`, o.SystemGroup(t, "role:administrators"))})
	o.As(t, "member").NewRun(t, invitationKind).ExpectLack(values{"email": "someone.new@example.com"}, "", "cannot invite people", "can_invite_users_group", "role:administrators")
	// The state still has the earlier invitation.
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	if left := mails(t, o); len(left) != 0 {
		t.Errorf("%d invitations are left", len(left))
	}
}

func TestProtocolInvitationBadInput(t *testing.T) {
	o, run := acctest.StartRun(t, invitationKind)
	o.Call(t, http.MethodPost, "/channels/create", map[string]string{"name": "old", "subscribers": "[]"})
	o.Archive(t, "old")
	for _, c := range []struct {
		config    values
		attribute string
		words     []string
	}{
		{values{"email": "nobody"}, "email", []string{"one email"}},
		{values{"email": "Ann <ann@example.com>"}, "email", []string{"without a name"}},
		{values{"email": "a@example.com,b@example.com"}, "email", []string{"for_each"}},
		{values{"email": " a@example.com"}, "email", []string{"one email"}},
		{values{"expires_in_minutes": 0}, "expires_in_minutes", []string{"between 1 and 1000000000"}},
		{values{"invite_as": "boss"}, "invite_as", []string{"boss"}},
		{values{"channel_ids": []any{999999}}, "channel_ids", []string{"no channel with the ID 999999"}},
		{values{"channel_ids": []any{o.MustChannel(t, "old").ID}}, "channel_ids", []string{`"old"`, "archived"}},
		{values{"group_ids": []any{999999}}, "group_ids", []string{"no user group with the ID 999999"}},
		{values{"group_ids": []any{o.SystemGroup(t, "role:members")}}, "group_ids", []string{"role:members", "set invite_as"}},
		{values{"welcome_message_custom_text": strings.Repeat("w", 8001)}, "welcome_message_custom_text", []string{"8000"}},
	} {
		if c.config["email"] == nil {
			c.config["email"] = nadia
		}
		run.ExpectRefused(c.config, c.attribute, c.words...)
	}
	run.MustPlan(values{
		"email": acctest.Unknown, "expires_in_minutes": acctest.Unknown, "invite_as": acctest.Unknown, "channel_ids": []any{acctest.Unknown}, "group_ids": acctest.Unknown,
		"include_realm_default_subscriptions": acctest.Unknown, "welcome_message_custom_text": acctest.Unknown, "notify_referrer_on_join": acctest.Unknown,
	})
}

// A refusal that the plan cannot predict is explained.
func TestProtocolInvitationRefused(t *testing.T) {
	o, _ := acctest.StartRun(t, invitationKind)
	refused := func(email string, words ...string) {
		t.Helper()
		run := o.NewRun(t, invitationKind)
		run.Apply(run.MustPlan(values{"email": email})).ExpectError(t, "", words...)
		if run.State != nil {
			t.Errorf("the state holds %v", run.State.Values)
		}
	}
	refused("x@mailinator.com", "Cannot invite x@mailinator.com", "disallow_disposable_email_addresses")
	refused("notification-bot@zulip.com", "Reserved for system bots.")
	o.Call(t, http.MethodPost, "/realm/domains", map[string]string{"domain": "company.example", "allow_subdomains": "false"})
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"emails_restricted_to_domains": "true"})
	refused("x@elsewhere.example", "zulip_domain")
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"can_add_subscribers_group": fmt.Sprintf(`{"new":%d}`, o.SystemGroup(t, "role:nobody")), "emails_restricted_to_domains": "false"})
	run := o.As(t, "member").NewRun(t, invitationKind)
	run.Apply(run.MustPlan(values{"email": nadia, "channel_ids": []any{o.MustChannel(t, "announcements").ID}})).ExpectError(t, "", "not a default channel")
}

// Two resources for one email are a mistake in the configuration.
func TestProtocolInvitationDuplicate(t *testing.T) {
	_, run := acctest.StartRun(t, invitationKind)
	p := run.Process()
	p.MustPlan(invitationKind, nil, values{"email": nadia})
	_, diags := p.Plan(invitationKind, nil, values{"email": strings.ToUpper(nadia)})
	diags.ExpectError(t, "email", "Duplicate invitation email", "is equal to", nadia)
	p.MustPlan(invitationKind, nil, values{"email": "else@example.com"})
}

// A replacement without a change is planned twice in one run: unchanged, and as a new resource.
func TestProtocolInvitation_ReplacedUnchanged_PlannedTwice(t *testing.T) {
	o, run := acctest.StartRun(t, invitationKind)
	run.MustApply(values{"email": nadia})
	first := invitationOnly(t, o)
	p := run.Process()
	plan := p.MustPlan(invitationKind, run.State, values{"email": nadia})
	anew := p.MustPlan(invitationKind, plan.Replaced(), values{"email": nadia})
	end := run.Process().MustPlan(invitationKind, run.State, nil)
	p.MustApply(end)
	made := p.MustApply(anew)
	if now := invitationOnly(t, o); made == nil || now.ID == first.ID {
		t.Errorf("the server holds %+v", now)
	}
}

// A new mail invites to the earlier channels and groups that are left, as far as the configuration sets none.
func TestProtocolInvitation_ChannelArchivedSince_LeftOut(t *testing.T) {
	o, run := acctest.StartRun(t, invitationKind)
	general := o.MustChannel(t, "general").ID
	run.MustApply(values{"email": nadia, "channel_ids": []any{general, o.MustChannel(t, "incidents").ID}})
	o.Archive(t, "incidents")
	run.MustApply(values{"email": nadia, "invite_as": "guest"})
	if got := fmt.Sprint(run.State.Values["channel_ids"]); got != fmt.Sprint([]any{general}) {
		t.Errorf("the state has the channels %s", got)
	}
}
