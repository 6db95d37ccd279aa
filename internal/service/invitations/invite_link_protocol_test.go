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

const inviteLinkKind = "zulip_invite_link"

// links returns the usable links, by ID.
func links(t *testing.T, o *acctest.Organization) []*zulip.Invitation {
	t.Helper()
	all, err := o.Client.Invitations(context.Background())
	acctest.NoError(t, err)
	all = slices.DeleteFunc(all, func(one *zulip.Invitation) bool { return !one.IsMultiuse })
	slices.SortFunc(all, func(a, b *zulip.Invitation) int { return int(a.ID - b.ID) })
	return all
}

// inviteLinkOnly returns the only link.
func inviteLinkOnly(t *testing.T, o *acctest.Organization) *zulip.Invitation {
	t.Helper()
	all := links(t, o)
	if len(all) != 1 {
		t.Fatalf("there are %d links, want one", len(all))
	}
	return all[0]
}

// inviteLinkEverything is a configuration with every attribute.
func inviteLinkEverything(t *testing.T, o *acctest.Organization) values {
	t.Helper()
	return values{
		"expires_in_minutes": int64(60), "invite_as": "guest", "channel_ids": []any{o.MustChannel(t, "general").ID},
		"group_ids": []any{o.Group(t, "newcomers")}, "include_realm_default_subscriptions": true, "welcome_message_custom_text": "Hello!",
	}
}

// Unset attributes are left to the server, except the expiry, where null means never. Setting one later creates
// another link.
func TestProtocolInviteLinkBare(t *testing.T) {
	o, run := acctest.StartRun(t, inviteLinkKind)
	sent := o.Sent()
	run.MustApply(values{})
	sent.Expect(t, "POST invite_expires_in_minutes")
	if made := inviteLinkOnly(t, o); made.ExpiryDate != nil || made.InvitedAs != zulip.RoleMember {
		t.Errorf("the server holds %+v", made)
	}
	want := values{
		"invite_as": "member", "channel_ids": []any{}, "group_ids": []any{}, "include_realm_default_subscriptions": false,
		"welcome_message_custom_text": nil, "expires_in_minutes": nil, "expiry_date": nil, "invited_by_user_id": o.Self.ID,
	}
	for name, value := range want {
		if got := run.State.Values[name]; fmt.Sprint(got) != fmt.Sprint(value) {
			t.Errorf("%s is %v, want %v", name, got, value)
		}
	}
	for name, value := range inviteLinkEverything(t, o) {
		if plan := run.MustPlan(values{name: value}); fmt.Sprint(plan.Replace) != "["+name+"]" {
			t.Errorf("%s: to be replaced because of %v", name, plan.Replace)
		}
	}
	if plan := run.MustPlan(values{"invite_as": "member", "channel_ids": []any{}}); !plan.Empty() {
		t.Errorf("the same in words: plans %v", plan.Changes())
	}
}

// A link that was revoked outside Terraform, or has expired, is removed from the state and created again.
func TestProtocolInviteLinkGone(t *testing.T) {
	var ahead atomic.Int64
	o := acctest.StartSandbox(t, sandbox.Config{Clock: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }})
	run := o.NewRun(t, inviteLinkKind)
	config := values{"expires_in_minutes": 5}
	run.MustApply(config)
	first := inviteLinkOnly(t, o)
	acctest.NoError(t, o.Client.RevokeInviteLink(context.Background(), first.ID))
	run.MustApply(config)
	second := inviteLinkOnly(t, o)
	ahead.Store(int64(6 * time.Minute))
	run.MustApply(config)
	if third := inviteLinkOnly(t, o); first.ID == second.ID || second.ID == third.ID {
		t.Error("a link that was gone was not made again")
	}
	gone := run.MustPlan(nil)
	acctest.NoError(t, o.Client.RevokeInviteLink(context.Background(), inviteLinkOnly(t, o).ID))
	run.Apply(gone).ExpectNoError(t)
}

// An import has the values that the server lists. The others are recorded from the configuration, without a request.
func TestProtocolInviteLinkImport(t *testing.T) {
	o, run := acctest.StartRun(t, inviteLinkKind)
	config := inviteLinkEverything(t, o)
	run.MustApply(config)
	made, before := inviteLinkOnly(t, o), run.State.Values
	sent := o.Sent()
	for _, by := range []struct {
		id       string
		identity values
	}{{id: fmt.Sprint(made.ID)}, {identity: values{"id": made.ID}}} {
		fresh := o.NewRun(t, inviteLinkKind)
		fresh.Import(by.id, by.identity).ExpectNoError(t)
		for _, name := range []string{"channel_ids", "group_ids", "include_realm_default_subscriptions", "welcome_message_custom_text"} {
			if fresh.State.Values[name] != nil {
				t.Errorf("%s is %v, and cannot be known", name, fresh.State.Values[name])
			}
		}
		if plan := fresh.MustPlan(values{"expires_in_minutes": 60}); !plan.Empty() {
			t.Errorf("with what is known the plan changes %v", plan.Changes())
		}
		plan := fresh.MustPlan(config)
		if len(plan.Replace) > 0 {
			t.Fatalf("an imported link is to be replaced because of %v", plan.Replace)
		}
		fresh.MustApply(config)
		if fmt.Sprint(fresh.State.Values) != fmt.Sprint(before) {
			t.Errorf("imported by %v:\n%v\nwant:\n%v", by, fresh.State.Values, before)
		}
		config["welcome_message_custom_text"] = "Welcome!"
		if plan := fresh.MustPlan(config); fmt.Sprint(plan.Replace) != "[welcome_message_custom_text]" {
			t.Errorf("after it was recorded, another text replaces because of %v", plan.Replace)
		}
		config["welcome_message_custom_text"] = "Hello!"
	}
	sent.Expect(t)
	if inviteLinkOnly(t, o).ID != made.ID {
		t.Error("the link was replaced")
	}
	imported := o.NewRun(t, inviteLinkKind)
	imported.Import(fmt.Sprint(made.ID), nil).ExpectNoError(t)
	imported.ExpectRefused(values{}, "channel_ids", "The channels of the imported link are unknown", "the new link would have none")
	if plan := imported.MustPlan(values{"channel_ids": []any{}}); fmt.Sprint(plan.Replace) != "[expires_in_minutes]" {
		t.Errorf("what can be read and differs replaces: %v", plan.Replace)
	}
}

func TestProtocolInviteLinkImportRefused(t *testing.T) {
	o, run := acctest.StartRun(t, inviteLinkKind)
	run.MustApply(values{})
	link := inviteLinkOnly(t, o).LinkURL
	diags := o.NewRun(t, inviteLinkKind).Import(link, nil)
	diags.ExpectError(t, "", "Cannot import this invitation link", "zulip_invite_links")
	if strings.Contains(diags.String(), link) {
		t.Error("the message shows the link")
	}
	o.NewRun(t, inviteLinkKind).Import("999999", nil).ExpectError(t, "", "Cannot import this invitation link", "999999")
	o.Call(t, http.MethodPost, "/invites", map[string]string{"invitee_emails": "new1@example.com,new2@example.com", "stream_ids": "[]"})
	all, err := o.Client.Invitations(context.Background())
	acctest.NoError(t, err)
	for _, mail := range all {
		if !mail.IsMultiuse && mail.ID != inviteLinkOnly(t, o).ID {
			o.NewRun(t, inviteLinkKind).Import(fmt.Sprint(mail.ID), nil).ExpectError(t, "", "invitations by e-mail have IDs of their own")
			return
		}
	}
	t.Error("no invitation by e-mail has an ID that no link has")
}

func TestProtocolInviteLinksDataSource(t *testing.T) {
	o, run := acctest.StartRun(t, inviteLinkKind)
	run.MustApply(values{"invite_as": "guest", "expires_in_minutes": 60})
	o.Call(t, http.MethodPost, "/invites", map[string]string{"invitee_emails": "new@example.com", "stream_ids": "[]", "notify_referrer_on_join": "false"})
	found := run.Process().MustReadData("zulip_invite_links", values{})
	state := run.State.Values
	want := values{
		"id": state["id"], "link_url": state["link_url"], "invite_as": "guest", "invited_by_user_id": o.Self.ID,
		"invited": state["invited"], "expiry_date": state["expiry_date"],
	}
	if got := found["invite_links"]; fmt.Sprint(got) != fmt.Sprint([]any{want}) {
		t.Errorf("links:\n%v\nwant:\n%v", got, want)
	}
	mails, _ := found["email_invitations"].([]any)
	if len(mails) != 1 {
		t.Fatalf("%d invitations by e-mail, want one", len(mails))
	}
	mail, _ := mails[0].(values)
	if mail["email"] != "new@example.com" || mail["notify_referrer_on_join"] != false || mail["invite_as"] != "member" {
		t.Errorf("by e-mail: %v", mail)
	}
	member := o.As(t, "member").NewRun(t, inviteLinkKind).Process().MustReadData("zulip_invite_links", values{})
	if fmt.Sprint(member["invite_links"]) != "[]" {
		t.Errorf("a member sees %v", member["invite_links"])
	}
	_, diags := o.As(t, "bot").NewRun(t, inviteLinkKind).Process().ReadData("zulip_invite_links", values{})
	diags.ExpectError(t, "", "Cannot read the invitations", "The server lets only people do this, not bots.")
}

func TestProtocolInviteLinkBadInput(t *testing.T) {
	o, run := acctest.StartRun(t, inviteLinkKind)
	o.Call(t, http.MethodPost, "/channels/create", map[string]string{"name": "old", "subscribers": "[]"})
	o.Archive(t, "old")
	group := o.Call(t, http.MethodPost, "/user_groups/create", map[string]string{"name": "old", "description": "", "members": "[]"})["group_id"]
	o.Call(t, http.MethodPost, fmt.Sprintf("/user_groups/%v/deactivate", group), nil)
	run.ExpectRefusals(acctest.Refusals{
		{values{"expires_in_minutes": 0}, "expires_in_minutes", []string{"between 1 and 1000000000"}},
		{values{"invite_as": "boss"}, "invite_as", []string{"boss"}},
		{values{"channel_ids": []any{999999}}, "channel_ids", []string{"no channel with the ID 999999", "zulip_channels lists those it sees"}},
		{values{"channel_ids": []any{o.MustChannel(t, "old").ID}}, "channel_ids", []string{`"old"`, "archived"}},
		{values{"group_ids": []any{999999}}, "group_ids", []string{"no user group with the ID 999999", "zulip_user_groups lists all"}},
		{values{"group_ids": []any{int(group.(float64))}}, "group_ids", []string{`"old"`, "deactivated"}}, //nolint:forcetypeassert // a number
		{values{"group_ids": []any{o.SystemGroup(t, "role:members")}}, "group_ids", []string{"role:members", "set invite_as"}},
		{values{"welcome_message_custom_text": strings.Repeat("w", 8001)}, "welcome_message_custom_text", []string{"8000"}},
	})
	run.MustPlan(values{
		"expires_in_minutes": acctest.Unknown, "invite_as": acctest.Unknown, "channel_ids": []any{acctest.Unknown}, "group_ids": acctest.Unknown,
		"include_realm_default_subscriptions": acctest.Unknown, "welcome_message_custom_text": acctest.Unknown,
	})
}

// A new link for another that it replaces has only the configured channels, so an archived channel does not matter.
func TestProtocolInviteLink_ReplacedAfterArchive_Planned(t *testing.T) {
	o, run := acctest.StartRun(t, inviteLinkKind)
	o.Call(t, http.MethodPost, "/channels/create", map[string]string{"name": "old", "subscribers": "[]"})
	run.MustApply(values{"channel_ids": []any{o.MustChannel(t, "old").ID}, "expires_in_minutes": 60})
	o.Archive(t, "old")
	if plan := run.MustPlan(values{}); len(plan.Replace) == 0 {
		t.Errorf("not replaced: %v", plan.Changes())
	}
}

// The account has no access to a private channel, so the server creates no link for it.
func TestProtocolInviteLink_UnreadableChannel_Announced(t *testing.T) {
	o, run := acctest.StartRun(t, inviteLinkKind)
	o.WithAccount(t, "admin").Call(t, http.MethodPost, "/channels/create", map[string]string{"name": "vault", "invite_only": "true", "subscribers": fmt.Sprintf("[%d]", o.As(t, "admin").Self.ID)})
	plan, diags := run.Plan(values{"channel_ids": []any{o.MustChannel(t, "vault").ID}})
	diags.ExpectWarning(t, "channel_ids", "cannot create invitation links with a subscription to channel \"vault\"", "The apply will fail")
	run.Apply(plan).ExpectError(t, "", "private")
}

// The plan refuses accounts that can't create the link.
func TestProtocolInviteLinkCaller(t *testing.T) {
	o, _ := acctest.StartRun(t, inviteLinkKind)
	refused := func(account string, config values, attribute string, words ...string) {
		t.Helper()
		o.As(t, account).NewRun(t, inviteLinkKind).ExpectRefused(config, attribute, words...)
	}
	refused("bot", values{}, "", "A bot cannot create invitation links", "a person's API key")
	refused("guest", values{}, "", "A guest cannot create invitation links")
	o.As(t, "member").NewRun(t, inviteLinkKind).ExpectLack(values{}, "", "cannot create invitation links", "create_multiuse_invite_group", "role:administrators")
	refused("admin", values{"invite_as": "owner"}, "invite_as", "cannot invite owners", "administrator")
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"create_multiuse_invite_group": fmt.Sprintf(`{"new":%d}`, o.SystemGroup(t, "role:members"))})
	refused("member", values{"invite_as": "moderator"}, "invite_as", "cannot invite moderators")
	refused("moderator", values{"invite_as": "moderator"}, "invite_as", "cannot invite moderators")
	refused("moderator", values{"invite_as": "administrator"}, "invite_as", "cannot invite administrators")
	refused("member", values{"welcome_message_custom_text": ""}, "welcome_message_custom_text", "cannot choose the welcome message")

	member := o.As(t, "member")
	run := member.NewRun(t, inviteLinkKind)
	run.MustApply(values{"invite_as": "guest"})
	if made := inviteLinkOnly(t, o); made.InvitedByUserID != member.Self.ID {
		t.Errorf("made by %d, want %d", made.InvitedByUserID, member.Self.ID)
	}
}

// A refusal that the plan cannot predict is explained.
func TestProtocolInviteLinkRefused(t *testing.T) {
	o, _ := acctest.StartRun(t, inviteLinkKind)
	o.Call(t, http.MethodPatch, "/realm", map[string]string{
		"create_multiuse_invite_group": fmt.Sprintf(`{"new":%d}`, o.SystemGroup(t, "role:members")),
		"can_add_subscribers_group":    fmt.Sprintf(`{"new":%d}`, o.SystemGroup(t, "role:nobody")),
	})
	incidents, group := o.MustChannel(t, "announcements").ID, o.Group(t, "closed")
	o.Call(t, http.MethodPatch, fmt.Sprintf("/user_groups/%d", group), map[string]string{"can_add_members_group": fmt.Sprintf(`{"new":%d}`, o.SystemGroup(t, "role:nobody"))})
	run := o.As(t, "member").NewRun(t, inviteLinkKind)
	run.Apply(run.MustPlan(values{"channel_ids": []any{incidents}})).ExpectError(t, "", "not a default channel")
	run.Apply(run.MustPlan(values{"group_ids": []any{group}})).ExpectError(t, "", "Insufficient permission", "group_ids")
	hidden := o.As(t, "admin").Call(t, http.MethodPost, "/channels/create", map[string]string{"name": "hidden", "subscribers": "[]", "invite_only": "true"})["id"]
	run = o.NewRun(t, inviteLinkKind)
	run.Apply(run.MustPlan(values{"channel_ids": []any{int(hidden.(float64))}})).ExpectError(t, "", "Invalid channel ID", "The channel is private") //nolint:forcetypeassert // a number
}

// A link that was created outside Terraform at the same moment is not adopted.
func TestProtocolInviteLinkOfAnother(t *testing.T) {
	o, run := acctest.StartRun(t, inviteLinkKind)
	p := run.Process()
	plan := p.MustPlan(inviteLinkKind, nil, values{})
	_, diags := p.ReadData("zulip_invite_links", values{}) // from here on the earlier links are known
	diags.ExpectNoError(t)
	url, err := o.As(t, "admin").Client.CreateInviteLink(context.Background(), zulip.InviteTerms{})
	acctest.NoError(t, err)
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/invites/multiuse", Action: sandbox.FaultStatus, Count: 1})
	made := p.MustApply(plan)
	if made.Values["link_url"] == url || len(links(t, o)) != 2 {
		t.Errorf("there are %d links, and the state has link %v", len(links(t, o)), made.Values["id"])
	}
}

// A lost answer that cannot be looked up is an error with a next step.
func TestProtocolInviteLinkUnknownOutcome(t *testing.T) {
	o, run := acctest.StartRun(t, inviteLinkKind)
	run.Block["max_retries"] = 0
	plan := run.MustPlan(values{})
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/invites/multiuse", After: true, Action: sandbox.FaultDrop})
	o.Sandbox.Fail(sandbox.Fault{Method: "GET", Path: "/invites", Action: sandbox.FaultDrop, Skip: 1})
	run.Apply(plan).ExpectError(t, "", "Cannot create the invitation link", "Check before you apply again")
}

// A link whose ID cannot be found is still in the state. It is read later, or revoked without the ID.
func TestProtocolInviteLinkWithoutID(t *testing.T) {
	o, run := acctest.StartRun(t, inviteLinkKind)
	run.Block["max_retries"] = 0
	plan := run.MustPlan(values{})
	heal := o.Sandbox.Fail(sandbox.Fault{Method: "GET", Path: "/invites", Action: sandbox.FaultStatus, Skip: 1})
	diags := run.Apply(plan)
	heal()
	link := inviteLinkOnly(t, o).LinkURL
	diags.ExpectError(t, "", "its ID is unknown", "terraform untaint")
	if strings.Contains(diags.String(), link) {
		t.Error("the message shows the link")
	}
	if run.State == nil || run.State.Values["link_url"] != link || run.State.Values["id"] != nil {
		t.Fatalf("the state holds %v", run.State)
	}
	unread := run.Process().MustPlan(inviteLinkKind, run.State, nil)
	kept := run.Fork()
	if plan := kept.MustPlan(values{}); !plan.Empty() || kept.State.Values["id"] == nil {
		t.Errorf("read again, the state holds %v", kept.State.Values)
	}
	run.Apply(unread).ExpectNoError(t)
	if left := links(t, o); len(left) != 0 {
		t.Errorf("%d links are left", len(left))
	}
	run.State = kept.State
	run.State.Values["id"], run.State.Identity = nil, nil
	unknown := run.Fork()
	if unknown.Refresh().ExpectNoError(t); unknown.State != nil {
		t.Errorf("what is gone is in the state: %v", unknown.State.Values)
	}
	gone := run.Process().MustPlan(inviteLinkKind, run.State, nil)
	run.Apply(gone).ExpectNoError(t) // already revoked
}

// Links of the same kind that are created concurrently are different, even if answers are lost.
func TestProtocolInviteLinks_CreatedTogether_Different(t *testing.T) {
	o, run := acctest.StartRun(t, inviteLinkKind)
	p, plans := run.Process(), []*acctest.PlannedChange{}
	for range 4 {
		plan := p.MustPlan(inviteLinkKind, nil, values{})
		plans = append(plans, plan)
	}
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/invites/multiuse", After: true, Action: sandbox.FaultDrop, Count: 3})
	made := make(chan *acctest.Instance)
	for _, plan := range plans {
		go func() {
			one, diags := p.Apply(plan)
			if len(diags.Errors()) > 0 {
				t.Error(diags)
			}
			made <- one
		}()
	}
	seen := map[any]bool{}
	for range plans {
		if one := <-made; one != nil {
			seen[one.Values["link_url"]] = true
		}
	}
	if all := links(t, o); len(seen) != len(plans) || len(all) != len(plans) {
		t.Errorf("%d resources have %d links, and the server holds %d", len(plans), len(seen), len(all))
	}
}

// Reading any number of links is one request.
func TestProtocolInviteLinks_ReadTogether_OneRequest(t *testing.T) {
	o, run := acctest.StartRun(t, inviteLinkKind)
	run.MustApply(values{})
	run.ExpectReadTogether(t, o, 1)
}
