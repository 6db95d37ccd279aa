package review

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
)

// judge finds the risks and the verdict in what is told.
func (r *Review) judge() {
	j := judging{review: r, words: map[Word]bool{}}
	for _, channel := range r.Channels {
		j.channel(channel)
	}
	j.alike("the organization", r.Rights)
	for _, group := range r.Groups {
		j.alike(fmt.Sprintf("user group %q", group.Name), group.Rights)
		for _, right := range group.Rights {
			j.right(fmt.Sprintf("user group %q", group.Name), right, group.Action == Create)
			if right.locksOut {
				j.risk(Lockout, fmt.Sprintf("user group %q", group.Name), "The account the provider uses can no longer manage the group.")
			}
		}
		if group.Unknown {
			j.words[Unknown] = true
		}
	}
	for _, right := range r.Rights {
		j.right("the organization", right, false)
	}
	for _, person := range r.People {
		j.person(person)
	}
	if len(r.Unknown) > 0 {
		j.words[Unknown] = true
	}
	slices.SortStableFunc(r.Risks, func(a, b Risk) int { return cmp.Compare(rank(a.Word), rank(b.Word)) })
	r.Verdict.Words = []Word{}
	for _, meaning := range Words {
		if j.words[meaning.Word] {
			r.Verdict.Words = append(r.Verdict.Words, meaning.Word)
		}
	}
	r.Verdict.Text = j.sentence()
}

func rank(word Word) int {
	return slices.IndexFunc(Words, func(meaning WordMeaning) bool { return meaning.Word == word })
}

// judging gathers what applies.
type judging struct {
	review *Review
	words  map[Word]bool
}

func (j *judging) risk(word Word, where, text string) { j.riskTo(word, where, text, "", nil) }

// riskTo adds a risk whose sentence counts or names people.
func (j *judging) riskTo(word Word, where, text string, kind riskKind, people *People) {
	j.words[word] = true
	j.review.Risks = append(j.review.Risks, Risk{Word: word, Where: where, Text: text, kind: kind, people: people})
}

// channel judges what happens in a channel. A new one gives nobody anything that is there now.
func (j *judging) channel(channel *Channel) {
	where := fmt.Sprintf("channel %q", channel.Name)
	isNew := channel.Action == Create || channel.Action == Replace
	if channel.Action != Archive {
		j.alike(where, channel.Rights)
	}
	if channel.Action == Replace {
		j.risk(Narrowing, where, "The channel is archived with its messages. A new one of the name takes its place, without them.")
	}
	for _, right := range channel.Rights {
		if channel.Action == Archive {
			j.words[Narrowing] = j.words[Narrowing] || right.Lose.Len() > 0
			j.words[Unknown] = j.words[Unknown] || right.Unknown
			continue
		}
		j.right(where, right, isNew)
		if right.locksOut {
			j.risk(Lockout, where, "The account the provider uses can no longer administer the channel.")
		}
	}
}

// right judges what happens to a right.
func (j *judging) right(where string, right *Right, isNew bool) {
	if right.Internet == InternetGains {
		j.risk(External, where, "Anyone on the internet can read it, without an account.")
	}
	j.words[Unknown] = j.words[Unknown] || right.Unknown
	j.words[Widening] = j.words[Widening] || !isNew && (right.Gain.Len() > 0 || right.Internet == InternetGains)
	j.words[Narrowing] = j.words[Narrowing] || right.Lose.Len() > 0 || right.Internet == InternetLoses
}

// alike says what is to be said of several rights over the same thing at once.
func (j *judging) alike(where string, rights []*Right) {
	guests, unknown := map[int][]string{}, map[string][]string{}
	var nobody []string
	for _, right := range rights {
		if right.Gain.Len() > 0 && right.Gain.Guests > 0 {
			guests[right.Gain.Guests] = append(guests[right.Gain.Guests], right.Text)
		}
		if right.NobodyLeft && right.Name != string(permission.CanSubscribe) { // that is what private channels are for
			nobody = append(nobody, right.Text)
		}
		if right.Unknown && right.Why != notAsked {
			unknown[right.Why] = append(unknown[right.Why], right.Text)
		}
		if right.Name == string(permission.CanSendMessage) && right.Lose.Len() > 0 && right.Lose.Bots > 0 {
			j.riskTo(Narrowing, where, botsLose(right.Lose), botsCannotPost, right.Lose)
		}
	}
	if len(nobody) > 0 {
		j.risk(Lockout, where, fmt.Sprintf("Nobody is left who can %s.", together(nobody)))
	}
	for _, n := range slices.Sorted(maps.Keys(guests)) {
		rights := together(guests[n])
		j.riskTo(External, where, fmt.Sprintf("%s can %s.", counted(n, "guest"), rights), guestsCan+riskKind(rights), &People{Guests: n})
	}
	for _, why := range slices.Sorted(maps.Keys(unknown)) {
		j.risk(Unknown, where, fmt.Sprintf("It cannot be told who gains and who loses that they can %s: %s.", together(unknown[why]), why))
	}
}

// together says rights in a sentence.
func together(rights []string) string { return permission.JoinRights(rights, len(rights)) }

// botsLose says which bots can no longer post: what they report stops, and nobody at the bot sees why.
func botsLose(people *People) string {
	var names []string
	for _, account := range people.Accounts {
		if account.IsBot {
			names = append(names, account.Name)
		}
	}
	if len(names) == 1 {
		return fmt.Sprintf("The bot %s can no longer post.", names[0])
	}
	return fmt.Sprintf("%s can no longer post: %s.", counted(len(names), "bot"), some(names))
}

// person judges what happens to an account.
func (j *judging) person(person *Person) {
	where := person.Account.Address
	after := person.Role.After.String()
	switch person.Action {
	case Create, Reactivate, Replace:
		j.words[Widening] = true
		if after == "guest" {
			j.risk(External, where, "A guest gets an account.")
		}
		if person.Action != Create || after != "member" && after != "guest" && after != "" {
			j.risk(RoleChange, where, fmt.Sprintf("The account is %sd, as %s.", person.Action, after))
		}
	case Deactivate:
		j.words[Narrowing] = true
		j.risk(RoleChange, where, "The account is deactivated, and loses every right that it has.")
	default:
		if person.Role.Differs() {
			j.risk(RoleChange, where, fmt.Sprintf("The role was %s, and becomes %s.", person.Role.Before, person.Role.After))
		}
	}
}
