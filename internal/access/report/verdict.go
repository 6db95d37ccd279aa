package report

import (
	"fmt"
	"slices"
	"strings"
)

// Category is what a report can be searched for, and what a gate is made of.
type Category string

// The categories, the gravest first. What each means exactly is in [Categories].
const (
	Stops      Category = "stops"
	Lockout    Category = "lockout"
	Rules      Category = "rules"
	External   Category = "external"
	RoleChange Category = "role-change"
	Joining    Category = "joining"
	SignIn     Category = "sign-in"
	Outgoing   Category = "outgoing"
	DataLoss   Category = "data-loss"
	Unknown    Category = "unknown"
	Widening   Category = "widening"
	Narrowing  Category = "narrowing"
)

// Verdict sums a report up.
type Verdict struct {
	// Text is one sentence or two, plain.
	Text string `json:"text"`
	// Categories are all that apply, the gravest first; none if nobody gains or loses anything.
	Categories []Category `json:"words"`
}

// CategoryMeaning is a category and what it means.
type CategoryMeaning struct {
	Category Category
	Meaning  string
}

// Categories says what each category means exactly.
var Categories = []CategoryMeaning{
	{Stops, "the apply will certainly be refused: a name is taken, the account lacks a role, nobody would be left as owner, a group would contain itself, an owner of a bot is deactivated"},
	{Lockout, "the account the provider uses can no longer administer a channel or manage a user group, or nobody is left who can do something that somebody could; that nobody can join a private channel by himself, and that nobody can do anything to messages in a channel that is archived, does not count"},
	{Rules, "a rule of --rules fails after the plan, and passed before or had fewer violations; or it is unknown, because not everything is known that it depends on"},
	{External, "a guest gains a right, in a new channel too, or becomes active, somebody is invited as a guest, or anyone on the internet comes to read a channel"},
	{RoleChange, "the plan changes the role of an account, deactivates or reactivates one, creates one with another role than member or guest, or ends the resource that gave one of these roles and leaves the role"},
	{Joining, "more people can join the organization, or come into more by joining it: an invitation, a link, no invitation needed, any address, another domain, a new default channel"},
	{SignIn, "how people sign in changes, or the address or password of an account"},
	{Outgoing, "content goes elsewhere: to another address of a bot, into notifications by e-mail, into another channel, through another service, or links lead elsewhere"},
	{DataLoss, "messages or other things are deleted, now or earlier than before, or can be deleted or changed for longer; a channel is archived or a user group deactivated"},
	{Unknown, "it is not known who gains or who loses some right, or what a change means: the plan does not know a value yet, the organization was not asked or does not have what is named, or this version does not know the resource or attribute"},
	{Widening, "anybody gains any right in a channel, over a user group or in the organization that is there now"},
	{Narrowing, "anybody loses any right"},
}

func (c Category) rank() int {
	return slices.IndexFunc(Categories, func(meaning CategoryMeaning) bool { return meaning.Category == c })
}

// Fails returns those of some categories that apply, in the order of [Categories].
func (r *Report) Fails(on []Category) []Category {
	var fails []Category
	for _, category := range r.Verdict.Categories {
		if slices.Contains(on, category) {
			fails = append(fails, category)
		}
	}
	return fails
}

// verdictText sums up.
func (a *assessment) verdictText() string {
	r := a.report
	changes := len(r.Channels) + len(r.Groups) + len(r.People) + len(r.Rights) + len(r.Risks) + len(r.Also)
	if r.Offline && changes > 0 {
		return "The organization was not asked: who gains and who loses is not known."
	}
	var parts []string
	for _, part := range []string{
		r.affectedText("gains", "gain", func(right *Right) *People { return right.Gain }),
		r.affectedText("loses", "lose", func(right *Right) *People { return right.Lose }),
	} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	parts = append(parts, r.accountsText()...)
	parts = append(parts, a.otherTexts()...)
	if r.hasInternet(InternetLoses) {
		parts = append([]string{"nobody reads any more without an account what was public on the web"}, parts...)
	}
	if r.hasInternet(InternetGains) {
		parts = append([]string{"anyone on the internet comes to read"}, parts...)
	}
	text := strings.Join(parts, ", ")
	switch {
	case text == "" && a.categories[Unknown]:
		text = "nobody gains or loses a right for certain"
	case text == "":
		text = "nobody gains or loses a right"
	}
	if alone := len(parts) == 0; alone && len(r.Also) > 0 {
		text += ", and " + inWords(len(r.Also), "other thing changes", "other things change")
	}
	if failing := RulesText(r.Rules); failing != "" {
		text += "; " + failing
	}
	if findings := len(r.Findings()); findings > 0 {
		text += "; " + inWords(findings, "risk", "risks")
	}
	if isNew := func(found Found) bool { return found.IsNew }; slices.ContainsFunc(r.Found, isNew) {
		old := slices.IndexFunc(r.Found, func(found Found) bool { return !found.IsNew })
		if old < 0 {
			old = len(r.Found)
		}
		text += "; " + inWords(old, "new finding", "new findings")
	}
	if a.categories[Unknown] {
		text += "; not everything is known yet"
	}
	text = strings.ToUpper(text[:1]) + text[1:] + "."
	for _, risk := range r.Risks {
		if risk.Category == Stops {
			return fmt.Sprintf("This apply will stop: %s: %s %s", risk.Where, risk.Text, text)
		}
	}
	return text
}

// otherTexts says what changes beside rights and accounts.
func (a *assessment) otherTexts() (parts []string) {
	for _, part := range []struct {
		category Category
		text     string
	}{
		{Joining, "it gets easier to join the organization"}, {SignIn, "how people sign in changes"},
		{Outgoing, "content goes elsewhere"}, {DataLoss, "something is archived, deleted or easier to delete"},
	} {
		if a.categories[part.category] {
			parts = append(parts, part.text)
		}
	}
	return parts
}

// accountsText says what happens to accounts as such.
func (r *Report) accountsText() (parts []string) {
	created, reactivated, deactivated, roles := 0, 0, 0, 0
	for _, person := range r.People {
		switch {
		case person.Action == Create:
			created++
		case person.Action == Reactivate:
			reactivated++
		case person.Action == Deactivate:
			deactivated++
		case person.Role.Differs():
			roles++
		}
	}
	for _, part := range []struct {
		count     int
		one, many string
	}{
		{created, "account is created", "accounts are created"}, {reactivated, "account is reactivated", "accounts are reactivated"},
		{deactivated, "account is deactivated", "accounts are deactivated"}, {roles, "role changes", "roles change"},
	} {
		if part.count > 0 {
			parts = append(parts, inWords(part.count, part.one, part.many))
		}
	}
	return parts
}

func (r *Report) hasInternet(effect string) bool {
	return slices.ContainsFunc(r.Channels, func(channel *Channel) bool {
		return slices.ContainsFunc(channel.Rights, func(right *Right) bool { return right.Internet == effect })
	})
}

// affectedText says how many accounts gain or lose a right; empty if none does. Of a single account it says how many rights
// that are: each kind of right once, in however many channels or groups it is.
func (r *Report) affectedText(verb, verbs string, of func(*Right) *People) string {
	type kind struct{ scope, right string }
	sets, kinds, accounts := map[*People]bool{}, map[kind]bool{}, map[int64]bool{}
	r.eachRight(func(scope string, right *Right) {
		if people := of(right); people.Len() > 0 {
			sets[people], kinds[kind{scope, right.Name}] = true, true
		}
	})
	for set := range sets {
		for account := range set.All() {
			accounts[account.ID] = true
		}
	}
	switch {
	case len(accounts) == 0:
		return ""
	case len(accounts) == 1 && len(kinds) > 1:
		return "one account " + verb + " " + inWords(len(kinds), "right", "rights")
	}
	return inWords(len(accounts), "account "+verb+" a right", "accounts "+verbs+" a right")
}

// eachRight calls a function with every right, and with what it is a right over.
func (r *Report) eachRight(do func(scope string, right *Right)) {
	for _, channel := range r.Channels {
		for _, right := range channel.Rights {
			do("channel", right)
		}
	}
	for _, group := range r.Groups {
		for _, right := range group.Rights {
			do("user group", right)
		}
	}
	for _, right := range r.Rights {
		do("organization", right)
	}
}

// smallNumbers are written as words in a sentence.
var smallNumbers = []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// inWords counts things in a sentence: one risk, two risks, 1,000 risks.
func inWords(n int, one, many string) string {
	text := Count(n)
	if n < len(smallNumbers) {
		text = smallNumbers[n]
	}
	if n == 1 {
		return text + " " + one
	}
	return text + " " + many
}
