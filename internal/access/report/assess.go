package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
)

// Assess finds the risks in a report and writes the summary.
func (r *Report) Assess() {
	a := assessment{report: r, conditions: map[Condition]bool{}}
	for _, risk := range r.Risks { // risks that do not come from permissions
		a.conditions[risk.Condition] = true
	}
	for _, channel := range r.Channels {
		a.channel(channel)
	}
	a.commonRisks("the organization", r.Permissions)
	for _, group := range r.Groups {
		where := where("user group", group.Name, group.OldName)
		a.commonRisks(where, group.Permissions)
		for _, permission := range group.Permissions {
			a.permission(where, permission, group.Action == Create)
			if permission.LocksOut {
				a.risk(Lockout, where, "The provider's account can no longer manage the group.")
			}
		}
		a.apply(Unknown, group.Unknown)
		if group.Action == Deactivate {
			a.risk(DataLoss, where, "It is deactivated.")
		}
	}
	for _, permission := range r.Permissions {
		a.permission("the organization", permission, false)
	}
	for _, person := range r.People {
		a.person(person)
	}
	a.apply(Unknown, len(r.Unknown) > 0)
	a.apply(Rules, slices.ContainsFunc(r.Rules, (*Rule).Fails))
	slices.SortStableFunc(r.Risks, func(x, y Risk) int { return cmp.Compare(x.Condition.rank(), y.Condition.rank()) })
	r.Summary.Conditions = []Condition{}
	for _, meaning := range Conditions {
		if a.conditions[meaning.Condition] {
			r.Summary.Conditions = append(r.Summary.Conditions, meaning.Condition)
		}
	}
	r.Summary.Text = a.summaryText()
}

// assessment gathers what applies.
type assessment struct {
	report     *Report
	conditions map[Condition]bool
}

// apply notes a condition if it applies.
func (a *assessment) apply(condition Condition, applies bool) {
	a.conditions[condition] = a.conditions[condition] || applies
}

func (a *assessment) risk(condition Condition, where, text string) {
	a.riskOf(condition, where, text, "", nil)
}

// riskOf adds a risk whose sentence counts or names people.
func (a *assessment) riskOf(condition Condition, where, text string, kind riskKind, people *People) {
	a.apply(condition, true)
	a.report.Risks = append(a.report.Risks, Risk{Condition: condition, Where: where, Text: text, kind: kind, people: people})
}

// channel assesses a channel. A new channel gives no one access to anything that exists.
func (a *assessment) channel(channel *Channel) {
	where := where("channel", channel.Name, channel.OldName)
	isNew := channel.ID == 0
	if channel.Action != Archive {
		a.commonRisks(where, channel.Permissions)
	}
	switch {
	case channel.Action == Archive:
		a.risk(DataLoss, where, "It is archived: no one can post there any more.")
	case channel.Action == Replace && isNew:
		a.apply(Narrowing, true)
		a.risk(DataLoss, where, "A new channel replaces it, without its messages.")
	default:
		a.private(where, channel)
	}
	for _, permission := range channel.Permissions {
		if channel.Action == Archive {
			a.apply(Narrowing, permission.Lose.Len() > 0)
			a.apply(Unknown, permission.Unknown)
			continue
		}
		a.permission(where, permission, isNew)
		if permission.LocksOut {
			a.risk(Lockout, where, "The provider's account can no longer administer the channel.")
		}
	}
}

// private assesses access to a private channel.
func (a *assessment) private(where string, channel *Channel) {
	if !isPrivate(channel.Privacy.Before) {
		return
	}
	reads, readsHistory := channel.gainOf(permission.CanRead), channel.gainOf(permission.CanReadHistory)
	switch {
	case channel.isOpened():
		a.risk(Private, where, "It is no longer private: everyone in the organization, also people who join later, can read it and its older messages.")
	case reads.Len() > 0:
		a.riskOf(Private, where, namesText(reads, readsPrivate), readsPrivate, reads)
	case readsHistory.Len() > 0:
		a.riskOf(Private, where, Counted(readsHistory.Len(), "account")+" can now read its older messages.", readsPrivateHistory, readsHistory)
	}
	if joiners := channel.Joiners; joiners.Len() > 0 && !channel.isOpened() {
		a.riskOf(Private, where, namesText(joiners, joinsPrivate), joinsPrivate, joiners)
	}
}

// namesText says who can do something with a private channel.
func namesText(people *People, can riskKind) string {
	names := lists.Map(people.First(MaxListed), nameOf)
	return fmt.Sprintf("%s can %s: %s.", Counted(people.Len(), "account"), can, ListOf(names, people.Len()))
}

func nameOf(account *Account) string { return account.Name }

// permission assesses the change of a permission.
func (a *assessment) permission(where string, permission *PermissionChange, isNew bool) {
	if permission.Internet == InternetGains {
		a.risk(External, where, "Anyone on the internet can read it without an account.")
	}
	a.apply(Unknown, permission.Unknown)
	a.apply(Widening, !isNew && (permission.Gain.Len() > 0 || permission.Internet == InternetGains))
	a.apply(Narrowing, permission.Lose.Len() > 0 || permission.Internet == InternetLoses)
}

// commonRisks finds risks that combine several permissions over the same object.
func (a *assessment) commonRisks(where string, permissions []*PermissionChange) {
	unknown := map[string][]string{}
	var guests []gainingGuests
	var nobody []string
	for _, one := range permissions {
		if one.Gain.Len() > 0 && one.Gain.Guests > 0 {
			guests = append(guests, guestsOf(one))
		}
		if one.NoOneLeft && one.Name != string(permission.CanSubscribe) { // that is what private channels are for
			nobody = append(nobody, one.Text)
		}
		if one.Unknown {
			unknown[one.Why] = append(unknown[one.Why], one.Text)
		}
		if one.Name == string(permission.CanSendMessage) && one.Lose.Len() > 0 && one.Lose.Bots > 0 {
			a.riskOf(Narrowing, where, botsCannotPostText(one.Lose.bots()), botsCannotPost, one.Lose)
		}
	}
	if len(nobody) > 0 {
		a.risk(Lockout, where, fmt.Sprintf("No one can %s any more.", together(nobody)))
	}
	alike := lists.Grouped(guests, func(who gainingGuests) string { return who.key })
	slices.SortStableFunc(alike, func(x, y []gainingGuests) int { return cmp.Compare(x[0].count, y[0].count) })
	for _, same := range alike {
		who, actions := same[0], together(lists.Map(same, func(who gainingGuests) string { return who.action }))
		a.riskOf(External, where, fmt.Sprintf("%s can %s: %s.", Counted(who.count, "guest"), actions, List(who.names)), guestsCan+riskKind(actions), &People{Guests: who.count})
	}
	for _, why := range slices.Sorted(maps.Keys(unknown)) {
		a.risk(Unknown, where, fmt.Sprintf("It isn't known who can now %s: %s.", together(unknown[why]), why))
	}
}

// gainingGuests are guests who gain access.
type gainingGuests struct {
	// key is equal for the same guests.
	key   string
	count int
	names []string
	// action is what they can now do.
	action string
}

// guestsOf returns the guests who gain access by a permission. It returns no names if some are guests only after the plan, because accounts have
// the role before. Only an equal set then has the same key.
func guestsOf(permission *PermissionChange) gainingGuests {
	people := permission.Gain
	who := gainingGuests{count: people.Guests, action: permission.Text}
	var ids []int64
	for account := range people.All() {
		if account.Role == "guest" {
			who.names, ids = append(who.names, account.Name), append(ids, account.ID)
		}
	}
	if len(ids) != people.Guests {
		who.names, ids = []string{"including users whom the plan makes guests"}, people.IDs()
	}
	who.key = fmt.Sprint(ids)
	return who
}

// together joins actions in a sentence.
func together(actions []string) string { return permission.JoinActions(actions, len(actions)) }

// botsCannotPostText says which bots can no longer post. Their reports stop without anyone noticing.
func botsCannotPostText(bots []*Account) string {
	names := lists.Map(bots, nameOf)
	if len(names) == 1 {
		return fmt.Sprintf("The bot %s can no longer post.", names[0])
	}
	return fmt.Sprintf("%s can no longer post: %s.", Counted(len(names), "bot"), List(names))
}

// owner assesses the new owner of a bot, who gets its key.
func (a *assessment) owner(where string, person *Person) {
	a.apply(Widening, true)
	if person.Owner.After.Unknown {
		a.risk(Unknown, where, "The bot's new owner isn't known yet.")
	}
	if person.IsOwnedByGuest {
		a.risk(External, where, fmt.Sprintf("A guest gets its API key: %s.", person.Owner.After))
	}
	switch role := person.Role.After.String(); role {
	case "owner", "administrator", "moderator":
		a.risk(RoleChange, where, fmt.Sprintf("It is %s, and %s gets its API key, which gives the same access.", WithArticle(role), person.Owner.After))
	}
}

// WithArticle writes the word for a role with its article: an owner, a member.
func WithArticle(role string) string {
	if strings.ContainsRune("aeiou", rune(role[0])) {
		return "an " + role
	}
	return "a " + role
}

// person assesses a change of an account.
func (a *assessment) person(person *Person) {
	where := person.Account.Email
	if person.Account.IsBot {
		where = "bot " + where
	}
	risk := func(text string) {
		person.IsRisk = true
		a.risk(RoleChange, where, text)
	}
	after := person.Role.After.String()
	switch person.Action {
	case Replace:
		risk(fmt.Sprintf("The account is deactivated, then reactivated as %s. Its own bots stay deactivated.", after))
	case Create, Reactivate:
		a.apply(Widening, true)
		if person.Owner != nil {
			a.owner(where, person)
		}
		if after == "guest" {
			a.risk(External, where, "A guest becomes active.")
		}
		if person.Action != Create || after != "member" && after != "guest" && after != "" {
			risk(fmt.Sprintf("The account is %sd as %s.", person.Action, after))
		}
	case Deactivate:
		a.apply(Narrowing, true)
		risk("The account is deactivated and loses all access.")
	default:
		if person.Owner != nil {
			a.owner(where, person)
		}
		if person.Role.Differs() {
			risk(fmt.Sprintf("The role changes from %s to %s.", person.Role.Before, person.Role.After))
		}
	}
}
