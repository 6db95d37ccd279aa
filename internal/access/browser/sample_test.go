package browser_test

import (
	"fmt"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
)

// Names that a page which does not take care turns into something else.
const (
	scriptName = `<script>alert("x")</script>`
	endName    = `</script><img src=x onerror=alert(1)>`
	quoteName  = `O'Hara "Qu\ote" & {{.}}`
	arabicName = "مريم العلي"
)

var (
	ada    = &report.Account{ID: 1, Name: "Ada Lovelace", Address: "ada@example.com", Role: "owner"}
	self   = &report.Account{ID: 2, Name: "Terraform", Address: "terraform-bot@example.com", Role: "administrator", IsBot: true, IsSelf: true}
	guest  = &report.Account{ID: 3, Name: "Grace Guest", Address: "grace@partner.example", Role: "guest"}
	end    = &report.Account{ID: 4, Name: endName, Address: "end@example.com", Role: "member"}
	quote  = &report.Account{ID: 5, Name: quoteName, Address: "ohara@example.com", Role: "moderator"}
	maryam = &report.Account{ID: 6, Name: arabicName, Address: "maryam@example.com", Role: "member"}
	alan   = &report.Account{ID: 7, Name: "Alan Turing", Address: "alan@example.com", Role: "member"}
)

// sample has one of everything that a review can say.
func sample() *report.Report {
	guests, nobody := report.PeopleOf(guest), report.PeopleOf()
	everybody := report.PeopleOf(self, guest, ada, quote, end, maryam, alan)
	three, one, other := report.PeopleOf(end, maryam, alan), report.PeopleOf(ada), report.PeopleOf(quote)
	return &report.Report{
		FormatVersion: report.FormatVersion,
		Site:          "https://chat.example.com", Organization: "Example & Söhne", Provider: "zulip",
		Verdict: report.Verdict{
			Text:       "Gives a guest access to a private channel, and locks the account the provider uses out of another.",
			Categories: []report.Category{report.Lockout, report.External, report.RoleChange, report.Unknown, report.Widening, report.Narrowing},
		},
		Risks: []report.Risk{
			{Category: report.Lockout, Where: `channel "board"`, Text: "The account the provider uses can no longer administer the channel, so that no later plan can change it."},
			{Category: report.External, Where: `channel "incidents"`, Text: "Grace Guest, a guest, can now read, and with her anyone on the internet."},
			{Category: report.RoleChange, Where: "account " + arabicName, Text: "Becomes a moderator; is a member now."},
		},
		Channels: []*report.Channel{
			channel(1, "incidents", report.Update, change("private, protected history", "public on the web"),
				right(permission.CanRead, change("private, protected history", "public on the web"), guests, nobody, internet),
				right(permission.CanSendMessage, change("group:on-call", "role:everyone"), everybody, nobody),
				right(permission.CanDeleteAnyMessage, change("role:administrators", "group:on-call"), three, one)),
			channel(2, "board", report.Update, change("private", "private"),
				right(permission.CanAdministerChannel, change("user:terraform-bot@example.com", "user:ada@example.com"), one, report.PeopleOf(self)),
				right(permission.CanResolveTopics, change("role:moderators", "role:nobody"), nobody, report.PeopleOf(ada, quote), nobodyLeft)),
			channel(3, scriptName, report.Create, report.Change{After: report.Value{Texts: []string{"public"}}},
				right(permission.CanRead, report.Change{After: report.Value{Texts: []string{"public"}}}, everybody, nobody),
				right(permission.CanSendMessage, report.Change{After: report.Value{Texts: []string{"role:members"}, Unknown: true}}, nobody, nobody, unknown)),
			channel(4, "قناة الطوارئ (عاجل)", report.Affects, change("public", "public"),
				right(permission.CanSendMessage, change("group:on-call", "group:on-call"), three, nobody)),
			channel(5, "general", report.Update, change("public", "public"),
				right(permission.CanSendMessage, change("role:members", "group:all-members"), nobody, nobody)),
		},
		Groups: []*report.Group{{
			ID: 9, Name: "on-call", OldName: "pager", Action: report.Update, Addresses: []string{"zulip_user_group.on_call"},
			Members: change("ada@example.com", "alan@example.com", "maryam@example.com"), Joins: three, Leaves: one,
			Rights: []*report.Right{right("can_manage_group", change("role:owners", "role:moderators"), other, nobody)},
		}},
		People: []*report.Person{
			{Account: maryam, AccountID: 6, Action: report.Update, Role: change("member", "moderator"), Addresses: []string{"zulip_user.maryam"}},
			{Account: end, AccountID: 4, Action: report.Deactivate, Role: change("member", "member")},
		},
		Rights:   []*report.Right{right("can_create_public_channel_group", change("role:members", "role:moderators"), nobody, three)},
		Unknown:  []string{`Who may post in the new channel ` + scriptName + `: zulip_user_group.new is not created yet.`},
		Others:   4,
		Accounts: []*report.Account{ada, self, guest, end, quote, maryam, alan},
	}
}

// large is a plan that changes every right in each of many channels, in an organization of many people.
func large(channels, accounts int) *report.Report {
	r := sample()
	r.Risks, r.Groups, r.People, r.Unknown, r.Rights, r.Channels = nil, nil, nil, nil, nil, nil
	r.Verdict = report.Verdict{Text: "Opens the channels of the old workspace to everybody.", Categories: []report.Category{report.Widening, report.Narrowing}}
	for id := len(r.Accounts) + 1; id <= accounts; id++ {
		r.Accounts = append(r.Accounts, &report.Account{
			ID: int64(id), Name: fmt.Sprintf("Person %04d", id), Address: fmt.Sprintf("person%04d@example.com", id), Role: "member",
		})
	}
	var sets []*report.People
	for part := range 8 {
		sets = append(sets, report.PeopleOf(r.Accounts[part*accounts/8:(part+1)*accounts/8]...))
	}
	for i := range channels {
		var rights []*report.Right
		for at, name := range permission.Rights {
			rights = append(rights, right(name, change("role:moderators", "role:members"), sets[(i/50+at)%8], sets[(i/50+at+3)%8]))
		}
		r.Channels = append(r.Channels, channel(int64(i+1), fmt.Sprintf("team-%04d", i+1), report.Update, change("public", "public"), rights...))
	}
	return r
}

// ownInEach lets everybody but one lose every right, in each channel another one.
func ownInEach(r *report.Report) *report.Report {
	for i, channel := range r.Channels {
		others := report.PeopleOf(slices.Delete(slices.Clone(r.Accounts), i, i+1)...)
		for _, right := range channel.Rights {
			right.Lose, right.Change = others, change("role:everyone", "role:members", "user:"+r.Accounts[i].Address)
		}
	}
	return r
}

func change(before string, after ...string) report.Change {
	return report.Change{Before: report.Value{Texts: []string{before}}, After: report.Value{Texts: after}}
}

func channel(id int64, name string, action report.Action, privacy report.Change, rights ...*report.Right) *report.Channel {
	return &report.Channel{
		ID: id, Name: name, Action: action, Privacy: privacy, Rights: rights,
		Addresses: []string{fmt.Sprintf("zulip_channel.all[%q]", name)},
	}
}

func right(name permission.Right, change report.Change, gain, lose *report.People, more ...func(*report.Right)) *report.Right {
	text := name.InWords()
	if text == "" {
		text = map[permission.Right]string{"can_manage_group": "manage the group", "can_create_public_channel_group": "create public channels"}[name]
	}
	r := &report.Right{Name: string(name), Text: text, Change: change, Gain: gain, Lose: lose}
	for _, alter := range more {
		alter(r)
	}
	return r
}

func internet(r *report.Right)   { r.Internet = report.InternetGains }
func nobodyLeft(r *report.Right) { r.NobodyLeft = true }
func unknown(r *report.Right) {
	r.Unknown, r.Why = true, "The members of zulip_user_group.new are not known yet."
}
