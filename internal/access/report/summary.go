package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
)

// Condition is a condition that --fail-on takes.
type Condition string

// The conditions, the most severe first. [Conditions] has their meanings.
const (
	Stops      Condition = "stops"
	Lockout    Condition = "lockout"
	Rules      Condition = "rules"
	External   Condition = "external"
	Private    Condition = "private"
	RoleChange Condition = "role-change"
	Joining    Condition = "joining"
	SignIn     Condition = "sign-in"
	Outgoing   Condition = "outgoing"
	DataLoss   Condition = "data-loss"
	Unknown    Condition = "unknown"
	Widening   Condition = "widening"
	Narrowing  Condition = "narrowing"
)

// Summary is the summary of a report.
type Summary struct {
	// Text is one or two sentences.
	Text string `json:"text"`
	// Conditions are all conditions that apply, the most severe first.
	Conditions []Condition `json:"conditions"`
}

// ConditionMeaning is a condition and what it means.
type ConditionMeaning struct {
	Condition Condition
	Meaning   string
}

// Conditions are all conditions and their meanings.
var Conditions = []ConditionMeaning{
	{Stops, "the apply will certainly fail: a name is taken, the account lacks a role, no owner would be left, a group would contain itself, or the owner of a bot is deactivated"},
	{Lockout, "the provider's account can no longer administer a channel or manage a user group, or no one is left who can do something that someone could. Doesn't include private channels that no one can join on their own, or message permissions in archived channels"},
	{Rules, "a rule of --rules fails after the plan and passed before, has more violations than before, or is unknown"},
	{External, "a guest gains access, also in a new channel, or becomes active; someone is invited as a guest; a guest gets the key of a bot; or anyone on the internet can now read a channel"},
	{Private, "someone can now read a private channel or its older messages, or join it on their own, or a private channel is no longer private. New channels don't count"},
	{RoleChange, "the plan changes the role of a user or bot, deactivates or reactivates one, creates one with a role other than member or guest, or removes the resource that gave such a role and leaves the role"},
	{Joining, "more people can join the organization, or joining it gives access to more: an invitation, a link, no invitation required, any email, another domain, a new default channel"},
	{SignIn, "how people sign in changes, or the email or password of a user"},
	{Outgoing, "content goes elsewhere: to a different URL of a bot, into notification emails, into a different channel, through a different service, or links lead elsewhere"},
	{DataLoss, "messages or other things are deleted, now or earlier than before, or can be deleted or changed for longer; a channel is archived or a user group deactivated"},
	{Unknown, "it isn't known who gains or loses some access, or what a change means: the plan doesn't know a value yet, the organization wasn't read or doesn't have a named object, this version doesn't know the resource or attribute, or the plan reactivates an account, whose earlier channels and user groups the server doesn't show"},
	{Widening, "anyone gains any access in a channel, over a user group or in the organization that exists now, or the plan removes a resource from the state whose access stays"},
	{Narrowing, "anyone loses any access, or the server revokes invitations of a deactivated account"},
}

func (c Condition) rank() int {
	return slices.IndexFunc(Conditions, func(meaning ConditionMeaning) bool { return meaning.Condition == c })
}

// Fails returns the conditions that apply, in the order of [Conditions].
func (r *Report) Fails(on []Condition) []Condition {
	return sets.Common(r.Summary.Conditions, on)
}

// summaryText writes the summary: newly readable channels, the numbers of accounts that gain and lose access, then the rest.
func (a *assessment) summaryText() string {
	r := a.report
	changes := len(r.Channels) + len(r.Groups) + len(r.People) + len(r.Permissions) + len(r.Risks) + len(r.Also)
	others := ""
	if r.Others > 0 {
		others = " " + InWords(r.Others, "change of another provider is", "changes of other providers are") + " not reviewed."
	}
	if r.Offline && changes > 0 {
		return "The organization wasn't read, so it isn't known who gains or loses access." + others
	}
	sentences := r.readingTexts()
	parts := slices.Concat(r.affectedTexts(), r.accountsText(), a.otherTexts())
	text := strings.Join(parts, ", ")
	switch isQuiet := len(parts)+len(sentences) == 0; {
	case isQuiet && a.conditions[Unknown]:
		text = "it isn't known whether anyone gains or loses access"
	case isQuiet:
		text = "no one gains or loses access"
	}
	if len(parts)+len(sentences) == 0 && len(r.Also) > 0 {
		text += ", and " + Counted(len(r.Also), "other change")
	}
	more := []string{text}
	add := func(text string) {
		if text != "" {
			more = append(more, text)
		}
	}
	add(RulesText(r.Rules))
	if findings := len(r.Findings()); findings > 0 {
		add(Counted(findings, "risk"))
	}
	if n := len(lists.Where(r.Found, func(found Found) bool { return found.IsNew })); n > 0 {
		add(Counted(n, "new finding"))
	}
	if a.conditions[Unknown] {
		add("some values aren't known yet")
	}
	if more[0] == "" {
		more = more[1:]
	}
	if len(more) > 0 {
		sentences = append(sentences, strings.Join(more, "; "))
	}
	for i, sentence := range sentences {
		sentences[i] = strings.ToUpper(sentence[:1]) + sentence[1:] + "."
	}
	text = strings.Join(sentences, " ") + others
	for _, risk := range r.Risks {
		if risk.Condition == Stops {
			return fmt.Sprintf("This apply will fail: %s: %s %s", risk.Where, risk.Text, text)
		}
	}
	return text
}

// readingTexts says who can now read which channels, and which can no longer be read without an account.
func (r *Report) readingTexts() (sentences []string) {
	var internet, everyone, private, closed []string
	var readers []*People
	for _, channel := range r.Channels {
		effect := ""
		for _, permission := range channel.Permissions {
			if permission.Internet != "" {
				effect = permission.Internet
			}
		}
		gain := channel.gainOf(permission.CanRead)
		switch {
		case channel.Action == Archive:
		case effect == InternetGains:
			internet = append(internet, channel.hash())
		case channel.isOpened():
			everyone = append(everyone, channel.hash())
		case isPrivate(channel.Privacy.Before) && gain.Len() > 0:
			private = append(private, channel.hash())
			readers = append(readers, gain)
		case effect == InternetLoses:
			closed = append(closed, channel.hash())
		}
	}
	add := func(channels []string, one, several, rest string) {
		switch len(channels) {
		case 0:
		case 1:
			sentences = append(sentences, channels[0]+" "+one+" "+rest)
		case 2: //nolint:mnd // two are named
			sentences = append(sentences, channels[0]+" and "+channels[1]+" "+several+" "+rest)
		default:
			sentences = append(sentences, Counted(len(channels), "channel")+" "+several+" "+rest)
		}
	}
	add(internet, "becomes", "become", "readable by anyone on the internet")
	add(everyone, "becomes", "become", "readable by everyone in the organization")
	switch who := Counted(countAll(readers), "account") + " can now read "; len(private) {
	case 0:
	case 1:
		sentences = append(sentences, who+"the private channel "+private[0])
	case 2: //nolint:mnd // two are named
		sentences = append(sentences, who+"the private channels "+private[0]+" and "+private[1])
	default:
		sentences = append(sentences, who+Counted(len(private), "private channel"))
	}
	add(closed, "is", "are", "no longer readable without an account")
	return sentences
}

// otherTexts says what changes apart from permissions and accounts.
func (a *assessment) otherTexts() (parts []string) {
	for _, part := range []struct {
		condition Condition
		text      string
	}{
		{Joining, "joining the organization gets easier"}, {SignIn, "how people sign in changes"},
		{Outgoing, "content goes elsewhere"}, {DataLoss, "something is archived, deleted or easier to delete"},
	} {
		if a.conditions[part.condition] {
			parts = append(parts, part.text)
		}
	}
	return parts
}

// accountsText counts the accounts that are created, reactivated, deactivated or get another role.
func (r *Report) accountsText() []string {
	count := func(is func(*Person) bool) int { return len(lists.Where(r.People, is)) }
	does := func(action Action) int {
		return count(func(person *Person) bool { return person.Action == action })
	}
	roles := count(func(person *Person) bool {
		return person.Role.Differs() && !slices.Contains([]Action{Create, Reactivate, Deactivate}, person.Action)
	})
	return inWords(
		number{does(Create), "account is created", "accounts are created"}, number{does(Reactivate), "account is reactivated", "accounts are reactivated"},
		number{does(Deactivate), "account is deactivated", "accounts are deactivated"}, number{roles, "role changes", "roles change"},
	)
}

// affectedTexts counts the accounts that gain and lose access.
func (r *Report) affectedTexts() []string {
	permissions := r.allPermissions()
	gain := countAll(lists.Map(permissions, func(permission *PermissionChange) *People { return permission.Gain }))
	lose := countAll(lists.Map(permissions, func(permission *PermissionChange) *People { return permission.Lose }))
	if gain > 0 { // it says what is counted
		return inWords(number{gain, "account gains access", "accounts gain access"}, number{lose, "loses access", "lose access"})
	}
	return inWords(number{lose, "account loses access", "accounts lose access"})
}

// countAll counts the accounts in any of some sets.
func countAll(all []*People) int {
	accounts := map[int64]bool{}
	for _, people := range lists.Unique(all) {
		for account := range people.All() {
			accounts[account.ID] = true
		}
	}
	return len(accounts)
}

// allPermissions are the permissions in channels, over user groups and in the organization.
func (r *Report) allPermissions() []*PermissionChange {
	channels := lists.Map(r.Channels, func(channel *Channel) []*PermissionChange { return channel.Permissions })
	groups := lists.Map(r.Groups, func(group *Group) []*PermissionChange { return group.Permissions })
	return slices.Concat(slices.Concat(channels...), slices.Concat(groups...), r.Permissions)
}
