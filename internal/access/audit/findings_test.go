package audit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// found returns the findings of a kind about an object.
func found(a *audit.Audit, kind audit.Kind, where string) (all []*audit.Finding) {
	for _, finding := range a.Findings {
		if finding.Kind == kind && slices.Contains(finding.Where, where) {
			all = append(all, finding)
		}
	}
	return all
}

func named(ids ...int64) string {
	return fmt.Sprintf(`{"direct_members":[%s],"direct_subgroups":[]}`, strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ","), "[]"))
}

// Each kind of finding is found where it is, and not in the organization before the change.
func TestFindings(t *testing.T) {
	for _, test := range []struct {
		name     string
		kind     audit.Kind
		severity audit.Severity
		where    string
		// change causes the finding.
		change func(*testing.T, *acctest.Organization)
		people []string // the people concerned
		says   string
		fix    string
	}{
		{
			"a private channel that all members can join", audit.OpenPrivate, audit.High, `channel "c"`,
			func(t *testing.T, o *acctest.Organization) {
				newChannel(t, o, "c", map[string]string{"invite_only": "true", "can_subscribe_group": fmt.Sprint(o.SystemGroup(t, "role:members"))})
			},
			nil, "Every member can join it", "Limit can_subscribe_group",
		},
		{
			"guests in a private channel", audit.OpenPrivate, audit.Low, `channel "c"`,
			func(t *testing.T, o *acctest.Organization) {
				newChannel(t, o, "c", map[string]string{"invite_only": "true", "subscribers": fmt.Sprintf("[%d,%d]", o.Self.ID, id(t, o, "gus"))})
			},
			[]string{"gus"}, "1 guest is subscribed", "Unsubscribe the guests",
		},
		{
			"a channel for the internet", audit.Internet, audit.Medium, `channel "c"`,
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, "PATCH", "/realm", map[string]string{"enable_spectator_access": "true"})
				newChannel(t, o, "c", map[string]string{"is_web_public": "true"})
			},
			nil, "Anyone on the internet", `set privacy to "public"`,
		},
		{
			"a channel that nobody administers", audit.NoAdministrator, audit.Low, `channel "c"`,
			func(t *testing.T, o *acctest.Organization) {
				newChannel(t, o, "c", map[string]string{"can_administer_channel_group": named(id(t, o, "max"))})
				o.Call(t, "DELETE", fmt.Sprintf("/users/%d", id(t, o, "max")), nil)
			},
			[]string{"owner", "admin"}, "Its can_administer_channel_group includes no active user", "to can_administer_channel_group.",
		},
		{
			"a group that nobody manages", audit.NoAdministrator, audit.Low, `user group "g"`,
			func(t *testing.T, o *acctest.Organization) {
				group := newGroup(t, o, "g")
				o.Call(t, "PATCH", fmt.Sprintf("/user_groups/%d", group), map[string]string{"can_manage_group": `{"new":` + named(id(t, o, "max")) + `}`})
				o.Call(t, "DELETE", fmt.Sprintf("/users/%d", id(t, o, "max")), nil)
			},
			[]string{"owner"}, "Its can_manage_group includes no active user", "to can_manage_group.",
		},
		{
			"a guest who is named to add others", audit.GuestsAdd, audit.Low, `channel "c"`,
			func(t *testing.T, o *acctest.Organization) {
				newChannel(t, o, "c", map[string]string{"can_add_subscribers_group": named(id(t, o, "gus"), id(t, o, "mel"))})
			},
			[]string{"gus"}, "1 guest is included in the permission to add subscribers", "without guests in can_add_subscribers_group.",
		},
		{
			"a guest who is named to add others by a group in a group", audit.GuestsAdd, audit.Low, `channel "c"`,
			func(t *testing.T, o *acctest.Organization) {
				outer, inner := newGroup(t, o, "outer", "mel"), newGroup(t, o, "inner", "gus", "mel")
				o.Call(t, "POST", fmt.Sprintf("/user_groups/%d/subgroups", outer), map[string]string{"add": fmt.Sprintf("[%d]", inner)})
				newChannel(t, o, "c", map[string]string{"can_add_subscribers_group": fmt.Sprint(outer)})
			},
			[]string{"gus"}, "1 guest is included in the permission to add subscribers", "without guests in can_add_subscribers_group.",
		},
		{
			"a guest whose bot adds others", audit.GuestsAdd, audit.High, `channel "general"`,
			func(t *testing.T, o *acctest.Organization) {
				newChannel(t, o, "general", nil)
				o.Call(t, "PATCH", fmt.Sprintf("/users/%d", id(t, o, "mel")), map[string]string{"role": "600"})
			},
			[]string{"mel", "bot"}, "belongs to the guest mel@example.com", "an owner who is not a guest",
		},
		{
			"a bot that is an administrator", audit.BotAdministrator, audit.High, "bot news-bot@example.com",
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, "PATCH", fmt.Sprintf("/bots/%d", id(t, o, "bot")), map[string]string{"role": "200"})
			},
			[]string{"bot"}, "The bot is an administrator", `If Terraform uses the bot, accept the finding`,
		},
		{
			"a link that never expires", audit.Invitation, audit.Medium, "invitation link 2001",
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, "POST", "/invites/multiuse", map[string]string{"invite_expires_in_minutes": "null"})
			},
			[]string{"owner"}, "The link never expires.", "a link for members that expires",
		},
		{
			"a link for administrators", audit.Invitation, audit.High, "invitation link 2001",
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, "POST", "/invites/multiuse", map[string]string{"invite_expires_in_minutes": "60", "invite_as": "200"})
			},
			[]string{"owner"}, "makes anyone who uses it an administrator", "a link for members",
		},
		{
			"an invitation by email for an administrator", audit.Invitation, audit.High, "invitation of new@example.com",
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, "POST", "/invites", map[string]string{"invitee_emails": "new@example.com", "stream_ids": "[]", "invite_as": "200"})
			},
			[]string{"owner"}, "The invitation makes anyone who uses it an administrator.", "Revoke the invitation",
		},
		{
			"a member who owns a bot that is an administrator", audit.BotKey, audit.High, "bot news-bot@example.com",
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, "PATCH", fmt.Sprintf("/bots/%d", id(t, o, "bot")), map[string]string{"role": "200"})
			},
			[]string{"mel", "bot"}, "mel@example.com owns the bot and can use its API key to do what an administrator can. The owner's role is member.", "the role administrator or higher",
		},
		{
			"an administrator who owns a bot that is an owner", audit.BotKey, audit.Medium, "bot news-bot@example.com",
			func(t *testing.T, o *acctest.Organization) {
				bot := fmt.Sprintf("/bots/%d", id(t, o, "bot"))
				o.Call(t, "PATCH", bot, map[string]string{"bot_owner_id": fmt.Sprint(id(t, o, "admin"))})
				o.Call(t, "PATCH", bot, map[string]string{"role": "100"})
			},
			[]string{"admin", "bot"}, "to do what an owner can", "the role owner or higher",
		},
		{
			"an organization that anybody joins", audit.OpenSignUp, audit.High, "the organization",
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, "PATCH", "/realm", map[string]string{"invite_required": "false"})
			},
			nil, "with an email of any domain", "set invite_required to true",
		},
		{
			"an organization that addresses of a domain join", audit.OpenSignUp, audit.Medium, "the organization",
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, "POST", "/realm/domains", map[string]string{"domain": "example.org", "allow_subdomains": "false"})
				o.Call(t, "PATCH", "/realm", map[string]string{"emails_restricted_to_domains": "true"})
				o.Call(t, "PATCH", "/realm", map[string]string{"invite_required": "false"})
			},
			nil, "if their email is at example.org.", "set invite_required to true",
		},
		{
			"a channel that deletes messages, and the organization none", audit.ShortRetention, audit.Low, `channel "c"`,
			func(t *testing.T, o *acctest.Organization) {
				newChannel(t, o, "c", map[string]string{"message_retention_days": "1"})
			},
			nil, "Its messages are deleted after 1 day; the organization keeps messages forever.", `set message_retention_days to "realm_default"`,
		},
		{
			"a channel that deletes messages earlier than the organization", audit.ShortRetention, audit.Low, `channel "c"`,
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, "PATCH", "/realm", map[string]string{"message_retention_days": "30"})
				newChannel(t, o, "c", map[string]string{"message_retention_days": "29"})
			},
			nil, "after 29 days; the organization keeps messages for 30 days.", `set message_retention_days to "realm_default"`,
		},
		{
			"a channel in which one person posts", audit.SinglePerson, audit.Low, `channel "c"`,
			func(t *testing.T, o *acctest.Organization) {
				newChannel(t, o, "c", map[string]string{"can_send_message_group": named(id(t, o, "max"))})
			},
			[]string{"max"}, "Only one person can post.", "to can_send_message_group.",
		},
		{
			"a permission that one person has", audit.SinglePerson, audit.Low, "the organization",
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, "PATCH", "/realm", map[string]string{"can_add_custom_emoji_group": `{"new":` + named(id(t, o, "max")) + `}`})
			},
			[]string{"max"}, "Only one person can add custom emoji.", "can_add_custom_emoji_group",
		},
		{
			"what the organization makes wider", audit.WiderThanChannel, audit.Low, `channel "c"`,
			func(t *testing.T, o *acctest.Organization) {
				newChannel(t, o, "of defaults", nil)
				newChannel(t, o, "c", map[string]string{"can_resolve_topics_group": named(id(t, o, "mel"))})
			},
			[]string{"max", "bot", "moderator"}, "because of the organization's can_resolve_topics_group", "can_resolve_topics_group",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := office(t)
			matching := func() []*audit.Finding {
				a := auditOf(t, o, audit.Selection{})
				return slices.DeleteFunc(found(a, test.kind, test.where), func(finding *audit.Finding) bool {
					return finding.Severity != test.severity || !strings.Contains(finding.Text, test.says) || !isAbout(t, o, a, finding, test.people)
				})
			}
			if before := matching(); len(before) > 0 {
				t.Fatalf("it is found before: %s", before[0].Text)
			}
			test.change(t, o)
			all := matching()
			if len(all) != 1 {
				a := auditOf(t, o, audit.Selection{})
				for _, finding := range a.Findings {
					t.Logf("%s %s %s: %s %v", finding.Severity, finding.Kind, finding.Where, finding.Text, a.Sets[finding.People].IDs())
				}
				t.Fatalf("it is found %d times", len(all))
			}
			if !strings.Contains(all[0].Fix, test.fix) {
				t.Errorf("the fix does not say %s: %s", test.fix, all[0].Fix)
			}
		})
	}
}

// Settings like the organization's, or stricter ones, are no findings.
func TestFindings_Harmless_None(t *testing.T) {
	o := office(t)
	o.Call(t, "PATCH", "/realm", map[string]string{"message_retention_days": "30"})
	newChannel(t, o, "same", map[string]string{"message_retention_days": "30"})
	newChannel(t, o, "longer", map[string]string{"message_retention_days": "31"})
	newChannel(t, o, "forever", map[string]string{"message_retention_days": `"unlimited"`})
	newChannel(t, o, "default", nil)
	o.Call(t, "PATCH", fmt.Sprintf("/bots/%d", id(t, o, "bot")), map[string]string{"bot_owner_id": fmt.Sprint(id(t, o, "admin"))})
	o.Call(t, "PATCH", fmt.Sprintf("/bots/%d", id(t, o, "bot")), map[string]string{"role": "200"})
	for _, finding := range auditOf(t, o, audit.Selection{}).Findings {
		if slices.Contains([]audit.Kind{audit.ShortRetention, audit.BotKey, audit.OpenSignUp}, finding.Kind) {
			t.Errorf("%s %s: %s", finding.Kind, finding.Where, finding.Text)
		}
	}
}

// The bot that audits needs its role. The finding about it says what it cannot do with the role, and that it can accept
// the finding.
func TestFindings_AuditingBot_Explained(t *testing.T) {
	for _, test := range []struct {
		role     string
		severity audit.Severity
		says     []string
		fix      string
	}{
		{"200", audit.Medium, []string{"Terraform needs this role", "zulip_domain", "zulip_invite_link"}, "accept the finding in the --accepted file"},
		{"100", audit.High, []string{"An administrator's key is enough", "zulip_domain"}, `Give the bot the role "administrator".`},
	} {
		o := office(t)
		o.Call(t, "PATCH", fmt.Sprintf("/bots/%d", id(t, o, "bot")), map[string]string{"role": test.role})
		a := auditOf(t, o.As(t, "bot"), audit.Selection{})
		all := found(a, audit.BotAdministrator, "bot news-bot@example.com")
		if len(all) != 1 || all[0].Severity != test.severity || !strings.Contains(all[0].Fix, test.fix) {
			t.Fatalf("role %s: %+v", test.role, all)
		}
		expectText(t, all[0].Text, append(test.says, "This bot makes the audit", "Choose an account")...)
		expectText(t, strings.Join(a.Missing, " "), "the server shows the invitations only to people: use a person's API key.")
	}
}

// isAbout reports whether a finding concerns exactly these active accounts; nil is any accounts.
func isAbout(t *testing.T, o *acctest.Organization, a *audit.Audit, finding *audit.Finding, accounts []string) bool {
	t.Helper()
	if accounts == nil {
		return true
	}
	var want []int64
	for _, account := range accounts {
		want = append(want, id(t, o, account))
	}
	slices.Sort(want)
	return slices.Equal(slices.Sorted(slices.Values(a.Sets[finding.People].IDs())), want)
}

// Findings include states that only an older server allowed.
func TestFindingsOfOlderServers(t *testing.T) {
	gone, owner := int64(2), int64(1)
	facts := zulip.RegisterAnswer{
		Realm: &zulip.Realm{},
		Users: []*zulip.User{
			{ID: 1, Email: "olga@example.com", Role: zulip.RoleOwner, IsActive: true},
			{ID: 2, Email: "gone@example.com", Role: zulip.RoleMember},
			{ID: 3, Email: "a-bot@example.com", Role: zulip.RoleMember, IsActive: true, IsBot: true, BotOwnerID: &gone},
			{ID: 4, Email: "b-bot@example.com", Role: zulip.RoleMember, IsActive: true, IsBot: true},
			{ID: 5, Email: "c-bot@example.com", Role: zulip.RoleMember, IsActive: true, IsBot: true, BotOwnerID: &owner},
		},
		UserGroups: []*zulip.UserGroup{
			{ID: 9, Name: "g", Members: []int64{1, 2}}, {ID: 10, Name: "h", Members: []int64{1}},
			{ID: 11, Name: "old", Deactivated: true}, {ID: 12, Name: "i", DirectSubgroupIDs: []int64{10, 11}},
		},
	}
	var parts snapshot.Facts
	for _, part := range []string{zulip.FetchRealm, zulip.FetchUserGroups, zulip.FetchUsers, zulip.FetchChannels} {
		parts.Take(&facts, part)
	}
	expires := int64(3600)
	a, err := audit.Of(access.Read{
		View: snapshot.New(parts, new(runstate.State)), Self: facts.Users[0],
		Invitations: []*zulip.Invitation{{ID: 1, Email: "new@example.com", InvitedAs: zulip.RoleOwner, ExpiryDate: &expires}},
	}, audit.Options{})
	acctest.NoError(t, err)
	for _, want := range []struct {
		kind  audit.Kind
		where string
		is    bool
	}{
		{audit.BotOwner, "bot a-bot@example.com", true},
		{audit.BotOwner, "bot b-bot@example.com", true},
		{audit.BotOwner, "bot c-bot@example.com", false},
		{audit.DeactivatedMember, `user group "g"`, true},
		{audit.DeactivatedMember, `user group "h"`, false},
		{audit.DeactivatedMember, `user group "i"`, true},
		{audit.Invitation, "invitation of new@example.com", true},
	} {
		if is := len(found(a, want.kind, want.where)) > 0; is != want.is {
			t.Errorf("%s: %s is %t", want.where, want.kind, is)
		}
	}
	if !slices.ContainsFunc(a.Accounts, func(account *audit.Account) bool { return account.ID == gone && !account.IsActive }) {
		t.Error("the deactivated account that findings are about is not in the audit")
	}
}

// Without an active administrator, no one has access by a permission without active people. A permission with an active
// person still gives access.
func TestFindings_NoActiveHolder_High(t *testing.T) {
	const nobody, crew = 7, 8
	facts := zulip.RegisterAnswer{
		Realm: &zulip.Realm{Permissions: map[string]zulip.GroupSettingValue{"can_manage_all_groups": zulip.NamedGroup(nobody)}},
		Users: []*zulip.User{
			{ID: 1, Email: "mo@example.com", Role: zulip.RoleModerator, IsActive: true},
			{ID: 2, Email: "gone@example.com", Role: zulip.RoleOwner},
		},
		UserGroups: []*zulip.UserGroup{
			{ID: nobody, Name: "role:nobody", IsSystemGroup: true},
			{ID: crew, Name: "crew", Members: []int64{1}, Permissions: map[string]zulip.GroupSettingValue{"can_manage_group": zulip.NamedGroup(crew)}},
			{ID: 9, Name: "lost", Members: []int64{1}, Permissions: map[string]zulip.GroupSettingValue{"can_manage_group": {DirectMembers: []int64{2}}}},
		},
		Channels: []*zulip.Channel{
			{ID: 1, Name: "kept", Permissions: map[string]zulip.GroupSettingValue{"can_administer_channel_group": zulip.NamedGroup(crew)}},
			{ID: 2, Name: "lost", Permissions: map[string]zulip.GroupSettingValue{"can_administer_channel_group": {DirectMembers: []int64{2}}}},
		},
	}
	var parts snapshot.Facts
	for _, part := range []string{zulip.FetchRealm, zulip.FetchUserGroups, zulip.FetchUsers, zulip.FetchChannels} {
		parts.Take(&facts, part)
	}
	a, err := audit.Of(access.Read{View: snapshot.New(parts, new(runstate.State)), Self: facts.Users[0]}, audit.Options{})
	acctest.NoError(t, err)
	for where, says := range map[string]string{`channel "lost"`: "No one can administer the channel.", `user group "lost"`: "No one can manage the group."} {
		all := found(a, audit.NoAdministrator, where)
		if len(all) != 1 || all[0].Severity != audit.High || all[0].Text != says || a.Sets[all[0].People].Len() != 0 {
			t.Errorf("%s: found %+v, want one of severity high that says %q and concerns nobody", where, all, says)
		} else if !strings.HasPrefix(all[0].Fix, "Add an active person") {
			t.Errorf("%s: the fix is %s", where, all[0].Fix)
		}
	}
	for _, where := range []string{`channel "kept"`, `user group "crew"`} {
		if all := found(a, audit.NoAdministrator, where); len(all) > 0 {
			t.Errorf("%s: found %+v, and somebody is left", where, all[0])
		}
	}
}

func TestGate(t *testing.T) {
	o := office(t)
	o.Call(t, "PATCH", fmt.Sprintf("/bots/%d", id(t, o, "bot")), map[string]string{"role": "200"})
	a := auditOf(t, o, audit.Selection{})
	for words, want := range map[string]string{
		"high": "bot-administrator bot-key", "medium": "bot-administrator bot-key", "bot-administrator": "bot-administrator", "internet,invitation": "",
	} {
		conditions, err := audit.ParseConditions(strings.Split(words, ","), true)
		if got := strings.Join(a.Fails(conditions), " "); err != nil || got != want {
			t.Errorf("%s: %q, %v", words, got, err)
		}
	}
	if _, err := audit.ParseConditions([]string{"hihg"}, true); err == nil || !strings.Contains(err.Error(), "unknown condition") {
		t.Errorf("a word that is none: %v", err)
	}
}
