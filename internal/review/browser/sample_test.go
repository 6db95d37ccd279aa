package browser_test

import (
	"fmt"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/review"
)

// Names that a page which does not take care turns into something else.
const (
	scriptName = `<script>alert("x")</script>`
	endName    = `</script><img src=x onerror=alert(1)>`
	quoteName  = `O'Hara "Qu\ote" & {{.}}`
	arabicName = "مريم العلي"
)

var (
	ada    = &review.Account{ID: 1, Name: "Ada Lovelace", Address: "ada@example.com", Role: "owner"}
	self   = &review.Account{ID: 2, Name: "Terraform", Address: "terraform-bot@example.com", Role: "administrator", IsBot: true, IsSelf: true}
	guest  = &review.Account{ID: 3, Name: "Grace Guest", Address: "grace@partner.example", Role: "guest"}
	end    = &review.Account{ID: 4, Name: endName, Address: "end@example.com", Role: "member"}
	quote  = &review.Account{ID: 5, Name: quoteName, Address: "ohara@example.com", Role: "moderator"}
	maryam = &review.Account{ID: 6, Name: arabicName, Address: "maryam@example.com", Role: "member"}
	alan   = &review.Account{ID: 7, Name: "Alan Turing", Address: "alan@example.com", Role: "member"}
)

// sample has one of everything that a review can say.
func sample() *review.Review {
	guests, nobody := people(guest), people()
	everybody := people(self, guest, ada, quote, end, maryam, alan)
	three, one, other := people(end, maryam, alan), people(ada), people(quote)
	return &review.Review{
		FormatVersion: review.FormatVersion,
		Site:          "https://chat.example.com", Organization: "Example & Söhne", Provider: "zulip",
		Verdict: review.Verdict{
			Text:  "Gives a guest access to a private channel, and locks the account the provider uses out of another.",
			Words: []review.Word{review.Lockout, review.External, review.RoleChange, review.Unknown, review.Widening, review.Narrowing},
		},
		Risks: []review.Risk{
			{Word: review.Lockout, Where: `channel "board"`, Text: "The account the provider uses can no longer administer the channel, so that no later plan can change it."},
			{Word: review.External, Where: `channel "incidents"`, Text: "Grace Guest, a guest, can now read, and with her anyone on the internet."},
			{Word: review.RoleChange, Where: "account " + arabicName, Text: "Becomes a moderator; is a member now."},
		},
		Channels: []*review.Channel{
			channel(1, "incidents", review.Update, change("private, protected history", "public on the web"),
				right(permission.CanRead, change("private, protected history", "public on the web"), guests, nobody, internet),
				right(permission.CanSendMessage, change("group:on-call", "role:everyone"), everybody, nobody),
				right(permission.CanDeleteAnyMessage, change("role:administrators", "group:on-call"), three, one)),
			channel(2, "board", review.Update, change("private", "private"),
				right(permission.CanAdministerChannel, change("user:terraform-bot@example.com", "user:ada@example.com"), one, people(self)),
				right(permission.CanResolveTopics, change("role:moderators", "role:nobody"), nobody, people(ada, quote), nobodyLeft)),
			channel(3, scriptName, review.Create, review.Change{After: review.Value{Words: []string{"public"}}},
				right(permission.CanRead, review.Change{After: review.Value{Words: []string{"public"}}}, everybody, nobody),
				right(permission.CanSendMessage, review.Change{After: review.Value{Words: []string{"role:members"}, Unknown: true}}, nobody, nobody, unknown)),
			channel(4, "قناة الطوارئ (عاجل)", review.Affects, change("public", "public"),
				right(permission.CanSendMessage, change("group:on-call", "group:on-call"), three, nobody)),
			channel(5, "general", review.Update, change("public", "public"),
				right(permission.CanSendMessage, change("role:members", "group:all-members"), nobody, nobody)),
		},
		Groups: []*review.Group{{
			ID: 9, Name: "on-call", OldName: "pager", Action: review.Update, Addresses: []string{"zulip_user_group.on_call"},
			Members: change("ada@example.com", "alan@example.com", "maryam@example.com"), Joins: three, Leaves: one,
			Rights: []*review.Right{right("can_manage_group", change("role:owners", "role:moderators"), other, nobody)},
		}},
		People: []*review.Person{
			{Account: maryam, AccountID: 6, Action: review.Update, Role: change("member", "moderator"), Addresses: []string{"zulip_user.maryam"}},
			{Account: end, AccountID: 4, Action: review.Deactivate, Role: change("member", "member")},
		},
		Rights:   []*review.Right{right("can_create_public_channel_group", change("role:members", "role:moderators"), nobody, three)},
		Unknown:  []string{`Who may post in the new channel ` + scriptName + `: zulip_user_group.new is not created yet.`},
		Others:   4,
		Accounts: []*review.Account{ada, self, guest, end, quote, maryam, alan},
	}
}

// large is a plan that changes every right in each of many channels, in an organization of many people.
func large(channels, accounts int) *review.Review {
	r := sample()
	r.Risks, r.Groups, r.People, r.Unknown, r.Rights, r.Channels = nil, nil, nil, nil, nil, nil
	r.Verdict = review.Verdict{Text: "Opens the channels of the old workspace to everybody.", Words: []review.Word{review.Widening, review.Narrowing}}
	for id := len(r.Accounts) + 1; id <= accounts; id++ {
		r.Accounts = append(r.Accounts, &review.Account{
			ID: int64(id), Name: fmt.Sprintf("Person %04d", id), Address: fmt.Sprintf("person%04d@example.com", id), Role: "member",
		})
	}
	var sets []*review.People
	for part := range 8 {
		sets = append(sets, people(r.Accounts[part*accounts/8:(part+1)*accounts/8]...))
	}
	for i := range channels {
		var rights []*review.Right
		for at, name := range permission.Rights {
			rights = append(rights, right(name, change("role:moderators", "role:members"), sets[(i/50+at)%8], sets[(i/50+at+3)%8]))
		}
		r.Channels = append(r.Channels, channel(int64(i+1), fmt.Sprintf("team-%04d", i+1), review.Update, change("public", "public"), rights...))
	}
	return r
}

// ownInEach lets everybody but one lose every right, in each channel another one.
func ownInEach(r *review.Review) *review.Review {
	for i, channel := range r.Channels {
		others := people(slices.Delete(slices.Clone(r.Accounts), i, i+1)...)
		for _, right := range channel.Rights {
			right.Lose, right.Change = others, change("role:everyone", "role:members", "user:"+r.Accounts[i].Address)
		}
	}
	return r
}

func people(accounts ...*review.Account) *review.People {
	all := &review.People{Accounts: accounts, IDs: []int64{}}
	for _, account := range accounts {
		all.IDs = append(all.IDs, account.ID)
		if account.Role == "guest" {
			all.Guests++
		}
		if account.IsBot {
			all.Bots++
		}
	}
	return all
}

func change(before string, after ...string) review.Change {
	return review.Change{Before: review.Value{Words: []string{before}}, After: review.Value{Words: after}}
}

func channel(id int64, name string, action review.Action, privacy review.Change, rights ...*review.Right) *review.Channel {
	return &review.Channel{
		ID: id, Name: name, Action: action, Privacy: privacy, Rights: rights,
		Addresses: []string{fmt.Sprintf("zulip_channel.all[%q]", name)},
	}
}

func right(name permission.Right, change review.Change, gain, lose *review.People, more ...func(*review.Right)) *review.Right {
	text := name.InWords()
	if text == "" {
		text = map[permission.Right]string{"can_manage_group": "manage the group", "can_create_public_channel_group": "create public channels"}[name]
	}
	r := &review.Right{Name: string(name), Text: text, Change: change, Gain: gain, Lose: lose}
	for _, alter := range more {
		alter(r)
	}
	return r
}

func internet(r *review.Right)   { r.Internet = review.InternetGains }
func nobodyLeft(r *review.Right) { r.NobodyLeft = true }
func unknown(r *review.Right) {
	r.Unknown, r.Why = true, "The members of zulip_user_group.new are not known yet."
}
