package browser_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Names that a careless page would interpret.
const (
	scriptName = `<script>alert("x")</script>`
	endName    = `</script><img src=x onerror=alert(1)>`
	quoteName  = `O'Hara "Qu\ote" & {{.}}`
	arabicName = "مريم العلي"
)

var (
	ada    = &report.Account{ID: 1, Name: "Ada Lovelace", Email: "ada@example.com", Role: "owner"}
	self   = &report.Account{ID: 2, Name: "Terraform", Email: "terraform-bot@example.com", Role: "administrator", IsBot: true, IsSelf: true}
	guest  = &report.Account{ID: 3, Name: "Grace Guest", Email: "grace@partner.example", Role: "guest"}
	end    = &report.Account{ID: 4, Name: endName, Email: "end@example.com", Role: "member"}
	quote  = &report.Account{ID: 5, Name: quoteName, Email: "ohara@example.com", Role: "moderator"}
	maryam = &report.Account{ID: 6, Name: arabicName, Email: "maryam@example.com", Role: "member"}
	alan   = &report.Account{ID: 7, Name: "Alan Turing", Email: "alan@example.com", Role: "member"}
)

// sample has one of everything that a review can report.
func sample() *report.Report {
	guests, nobody := report.PeopleOf(guest), report.PeopleOf()
	everybody := report.PeopleOf(self, guest, ada, quote, end, maryam, alan)
	three, one, other := report.PeopleOf(end, maryam, alan), report.PeopleOf(ada), report.PeopleOf(quote)
	return &report.Report{
		FormatVersion: report.FormatVersion,
		Site:          "https://chat.example.com", Organization: "Example & Söhne", Provider: "zulip",
		Summary: report.Summary{
			Text:       "Gives a guest access to a private channel, and locks the provider's account out of another.",
			Conditions: []report.Condition{report.Lockout, report.External, report.RoleChange, report.Unknown, report.Widening, report.Narrowing},
		},
		Risks: []report.Risk{
			{Condition: report.Lockout, Where: `channel "board"`, Text: "The provider's account can no longer administer the channel, so that no later plan can change it."},
			{Condition: report.External, Where: `channel "incidents"`, Text: "Grace Guest, a guest, can now read it, and so can anyone on the internet."},
			{Condition: report.RoleChange, Where: "account " + arabicName, Text: "Becomes a moderator; is a member now."},
		},
		Channels: []*report.Channel{
			channel(1, "incidents", report.Update, change("private, protected history", "public on the web"),
				permissionChange(permission.CanRead, change("private, protected history", "public on the web"), guests, nobody, internet),
				permissionChange(permission.CanSendMessage, change("group:on-call", "role:everyone"), everybody, nobody),
				permissionChange(permission.CanDeleteAnyMessage, change("role:administrators", "group:on-call"), three, one)),
			channel(2, "board", report.Update, change("private", "private"),
				permissionChange(permission.CanAdministerChannel, change("user:terraform-bot@example.com", "user:ada@example.com"), one, report.PeopleOf(self)),
				permissionChange(permission.CanResolveTopics, change("role:moderators", "role:nobody"), nobody, report.PeopleOf(ada, quote), noOneLeft)),
			channel(3, scriptName, report.Create, report.Change{After: report.Value{Values: []string{"public"}}},
				permissionChange(permission.CanRead, report.Change{After: report.Value{Values: []string{"public"}}}, everybody, nobody),
				permissionChange(permission.CanSendMessage, report.Change{After: report.Value{Values: []string{"role:members"}, Unknown: true}}, nobody, nobody, unknown)),
			channel(4, "قناة الطوارئ (عاجل)", report.Affects, change("public", "public"),
				permissionChange(permission.CanSendMessage, change("group:on-call", "group:on-call"), three, nobody)),
			channel(5, "general", report.Update, change("public", "public"),
				permissionChange(permission.CanSendMessage, change("role:members", "group:all-members"), nobody, nobody)),
		},
		Groups: []*report.Group{{
			ID: 9, Name: "on-call", OldName: "pager", Action: report.Update, Resources: []string{"zulip_user_group.on_call"},
			Members: change("ada@example.com", "alan@example.com", "maryam@example.com"), Joins: three, Leaves: one,
			Permissions: []*report.PermissionChange{permissionChange("can_manage_group", change("role:owners", "role:moderators"), other, nobody)},
		}},
		People: []*report.Person{
			{Account: maryam, AccountID: 6, Action: report.Update, Role: change("member", "moderator"), Resources: []string{"zulip_user.maryam"}},
			{Account: end, AccountID: 4, Action: report.Deactivate, Role: change("member", "member")},
		},
		Permissions: []*report.PermissionChange{permissionChange("can_create_public_channel_group", change("role:members", "role:moderators"), nobody, three)},
		Unknown:     []string{`The members of zulip_user_group.new, who can post in ` + scriptName + `, aren't known yet.`},
		Others:      4,
		Accounts:    []*report.Account{ada, self, guest, end, quote, maryam, alan},
	}
}

// large is a plan that changes every permission in each of many channels, in an organization of many people.
func large(channels, accounts int) *report.Report {
	r := sample()
	r.Risks, r.Groups, r.People, r.Unknown, r.Permissions, r.Channels = nil, nil, nil, nil, nil, nil
	r.Summary = report.Summary{Text: "Opens the channels of the old workspace to everybody.", Conditions: []report.Condition{report.Widening, report.Narrowing}}
	for id := len(r.Accounts) + 1; id <= accounts; id++ {
		r.Accounts = append(r.Accounts, &report.Account{
			ID: int64(id), Name: fmt.Sprintf("Person %04d", id), Email: fmt.Sprintf("person%04d@example.com", id), Role: "member",
		})
	}
	var sets []*report.People
	for part := range 8 {
		sets = append(sets, report.PeopleOf(r.Accounts[part*accounts/8:(part+1)*accounts/8]...))
	}
	for i := range channels {
		var permissions []*report.PermissionChange
		for at, name := range permission.ChannelPermissions {
			permissions = append(permissions, permissionChange(name, change("role:moderators", "role:members"), sets[(i/50+at)%8], sets[(i/50+at+3)%8]))
		}
		r.Channels = append(r.Channels, channel(int64(i+1), fmt.Sprintf("team-%04d", i+1), report.Update, change("public", "public"), permissions...))
	}
	return r
}

// ownInEach lets everyone except one account lose every permission. The account differs between channels.
func ownInEach(r *report.Report) *report.Report {
	for i, channel := range r.Channels {
		others := report.PeopleOf(slices.Delete(slices.Clone(r.Accounts), i, i+1)...)
		for _, permission := range channel.Permissions {
			permission.Lose, permission.Change = others, change("role:everyone", "role:members", "user:"+r.Accounts[i].Email)
		}
	}
	return r
}

func change(before string, after ...string) report.Change {
	return report.Change{Before: report.Value{Values: []string{before}}, After: report.Value{Values: after}}
}

func channel(id int64, name string, action report.Action, privacy report.Change, permissions ...*report.PermissionChange) *report.Channel {
	return &report.Channel{
		ID: id, Name: name, Action: action, Privacy: privacy, Permissions: permissions,
		Resources: []string{fmt.Sprintf("zulip_channel.all[%q]", name)},
	}
}

func permissionChange(name permission.ChannelPermission, change report.Change, gain, lose *report.People, more ...func(*report.PermissionChange)) *report.PermissionChange {
	text := name.InWords()
	if text == "" {
		text = map[permission.ChannelPermission]string{"can_manage_group": "manage the group", "can_create_public_channel_group": "create public channels"}[name]
	}
	r := &report.PermissionChange{Name: string(name), Text: text, Change: change, Gain: gain, Lose: lose}
	for _, alter := range more {
		alter(r)
	}
	return r
}

func internet(r *report.PermissionChange)  { r.Internet = report.InternetGains }
func noOneLeft(r *report.PermissionChange) { r.NoOneLeft = true }
func unknown(r *report.PermissionChange) {
	r.Unknown, r.Why = true, "The members of zulip_user_group.new aren't known yet."
}

// audited is a constructed audit with its sets.
type audited struct{ *audit.Audit }

func (a audited) set(accounts ...*report.Account) int {
	a.Sets = append(a.Sets, report.PeopleOf(accounts...))
	return len(a.Sets) - 1
}

// auditOf returns an audit of only these accounts, in their order. The first one audits.
func auditOf(accounts ...*report.Account) audited {
	a := audited{&audit.Audit{
		FormatVersion: audit.FormatVersion, Site: "https://chat.example.com", Organization: "Example & Söhne",
		When: time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC), AccountID: accounts[0].ID, Complete: true,
	}}
	for _, account := range accounts {
		a.Accounts = append(a.Accounts, &audit.Account{Account: account, IsActive: true})
	}
	return a
}

func can(name permission.ChannelPermission, people int, value ...string) *audit.EffectivePermission {
	return &audit.EffectivePermission{Name: string(name), Text: name.InWords(), Value: value, People: people}
}

// sampleAudit has one of everything that an audit can report.
func sampleAudit() *audit.Audit {
	a := auditOf(self, guest, ada, quote, end, maryam, alan)
	a.Complete, a.Missing = false, []string{"The account can't see the subscribers of 1 channel."}
	a.Archived = 2
	a.Accounts[0].OwnerID = ada.ID
	gone := &report.Account{ID: 8, Name: "Gone Gary", Email: "gary@example.com", Role: "member"}
	a.Accounts = append(a.Accounts, &audit.Account{Account: gone})
	nobody, owner, guests := a.set(), a.set(ada), a.set(guest)
	three, all, bot := a.set(end, maryam, alan), a.set(self, guest, ada, quote, end, maryam, alan), a.set(self)
	a.Channels = []*audit.Channel{
		{ID: 1, Name: "board", Folder: "Leadership", Privacy: zulip.PrivacyPrivateProtectedHistory, Subscribers: &guests, Permissions: []*audit.EffectivePermission{
			can(permission.CanAdministerChannel, owner, "user:ada@example.com"), can(permission.CanRead, guests), can(permission.CanSubscribe, nobody, "role:nobody"),
		}},
		{ID: 2, Name: scriptName, Privacy: zulip.PrivacyPublic, Subscribers: &three, Permissions: []*audit.EffectivePermission{
			can(permission.CanAdministerChannel, owner, "group:"+endName), can(permission.CanSendMessage, all, "role:everyone"),
		}},
		{ID: 3, Name: "incidents", Privacy: zulip.PrivacyWebPublic, Internet: true, Permissions: []*audit.EffectivePermission{
			can(permission.CanRead, all), {Name: string(permission.CanSendMessage), Text: "post", Value: []string{"group:on-call"}, People: three, Unknown: true},
		}},
		{ID: 4, Name: "قناة الطوارئ (عاجل)", Privacy: zulip.PrivacyPublic, Subscribers: &three, Permissions: []*audit.EffectivePermission{can(permission.CanRead, all)}},
	}
	a.Groups = []*audit.Group{
		{ID: 1, Name: "on-call", People: three, Members: []int64{end.ID, alan.ID}, Subgroups: []string{"night"}, Permissions: []*audit.EffectivePermission{
			{Name: "can_manage_group", Text: "manage the group", Value: []string{"role:owners"}, People: owner},
		}},
		{ID: 2, Name: endName, People: guests, Members: []int64{guest.ID}, Subgroups: []string{}},
	}
	a.Permissions = []*audit.EffectivePermission{
		{Name: "can_create_public_channel_group", Text: "create public channels", Value: []string{"role:members"}, People: three},
		{Name: "can_invite_users_group", Text: "invite people", Value: []string{"role:everyone"}, People: all},
	}
	a.Findings = []*audit.Finding{
		{Kind: audit.BotAdministrator, Severity: audit.High, Where: []string{"bot terraform-bot@example.com"}, Text: "The bot is an administrator.", People: bot, Fix: "Give the bot the role \"member\"."},
		{Kind: audit.Internet, Severity: audit.Medium, Where: []string{`channel "incidents"`}, Text: "Anyone on the internet can read it without an account.", People: nobody, Fix: "Set privacy to \"public\"."},
		{Kind: audit.DeactivatedMember, Severity: audit.Medium, Where: []string{`user group "on-call"`}, Text: "It contains deactivated users or groups: gary@example.com.", People: three, Deactivated: []int64{gone.ID}, Fix: "Remove them."},
		{Kind: audit.SinglePerson, Severity: audit.Low, Where: []string{`channel "board"`}, Text: "Only one person can administer the channel.", People: owner, Resources: []string{"zulip_channel.board"}, Fix: "Add another person."},
		{Kind: audit.SinglePerson, Severity: audit.Low, Where: []string{"channel " + scriptName}, Text: "Only one person can administer the channel.", People: owner, Resources: []string{"zulip_channel.all[" + scriptName + "]"}, Fix: "Add another person."},
	}
	return a.Audit
}

// personAudit is an audit of one person.
func personAudit() *audit.Audit {
	a := auditOf(self, ada, guest)
	all := a.set(self, ada, guest)
	a.Selection = &audit.Selection{Person: guest.Email}
	a.Findings = []*audit.Finding{{Kind: audit.WiderThanChannel, Severity: audit.Low, Where: []string{"the organization"}, Text: "People can resolve topics.", People: all}}
	a.Person = &audit.Person{
		AccountID: guest.ID, Groups: []audit.Membership{{Name: "on-call", Path: "group:on-call > group:night"}},
		Scopes: []*audit.Scope{
			{Kind: "channel", ID: 1, Name: "board", Permissions: []audit.PersonPermission{{Name: "can_read", Text: "read", Through: []string{"subscriber"}}}},
			{Kind: "channel", ID: 2, Name: "lobby", Permissions: []audit.PersonPermission{{Name: "can_read", Text: "read", Through: []string{"subscriber"}}}},
		},
	}
	return a.Audit
}

// largeAudit is an audit of an organization in which every channel has its own subscribers, spread over all people.
// Subscribers have most permissions. Every second channel has a finding.
func largeAudit(channels, accounts int) *audit.Audit {
	everybody := []*report.Account{self, guest}
	for id := 10; len(everybody) < accounts; id++ {
		account := &report.Account{ID: int64(id), Name: fmt.Sprintf("Person %04d", id), Email: fmt.Sprintf("person%04d@example.com", id), Role: "member"}
		if id%10 == 0 {
			account.Role = "guest"
		}
		everybody = append(everybody, account)
	}
	a := auditOf(everybody...)
	all, few := a.set(everybody...), a.set(everybody[:3]...)
	for i := range channels {
		var in []*report.Account
		for at, step := i%7, i; at < accounts; at += 1 + step%70 {
			in, step = append(in, everybody[at]), (step*31+11)%10_007
		}
		own := a.set(in...)
		channel := &audit.Channel{ID: int64(i + 1), Name: fmt.Sprintf("team-%04d", i+1), Privacy: zulip.PrivacyPrivateSharedHistory, Subscribers: &own}
		for at, name := range permission.ChannelPermissions {
			set := []int{own, own, few, all}[at%4]
			channel.Permissions = append(channel.Permissions, can(name, set, fmt.Sprintf("group:team-%d", i%200)))
		}
		a.Channels = append(a.Channels, channel)
		if i%2 == 0 {
			a.Findings = append(a.Findings, &audit.Finding{
				Kind: audit.NoAdministrator, Severity: audit.Low, Where: []string{fmt.Sprintf("channel %q", channel.Name)}, Text: "Its can_administer_channel_group includes no active user.",
				People: few, Resources: []string{fmt.Sprintf("zulip_channel.all[%q]", channel.Name)}, Fix: "Add an active person.",
			})
		}
	}
	for i := range 200 {
		a.Groups = append(a.Groups, &audit.Group{ID: int64(i + 1), Name: fmt.Sprintf("group-%03d", i+1), People: few, Members: []int64{self.ID}})
	}
	return a.Audit
}
