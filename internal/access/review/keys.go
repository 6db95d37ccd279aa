package review

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// manyRights is how many rights over user groups or the organization a risk about a key names.
const manyRights = 4

// sayKeys reports the access that new owners of bots, and owners of new bots, gain by the bots' keys.
func (b *builder) sayKeys() {
	for _, account := range slices.SortedFunc(slices.Values(b.is.Accounts), func(x, y *access.Account) int { return cmp.Compare(x.ID, y.ID) }) {
		user, had := b.org.Snapshot.User(account.ID)
		if isJoined := !had || !user.IsActive && account.IsActive; account.BotOwnerID == nil || !isJoined && hasSameOwner(user, &account.User) {
			continue
		}
		if owner, seesOwner := b.org.User(*account.BotOwnerID); seesOwner {
			b.sayKey(&account.User, owner)
		}
	}
}

func hasSameOwner(bot, other *zulip.User) bool {
	return bot.BotOwnerID == other.BotOwnerID || bot.BotOwnerID != nil && other.BotOwnerID != nil && *bot.BotOwnerID == *other.BotOwnerID
}

func (b *builder) sayKey(bot, owner *zulip.User) {
	where, condition := "bot "+bot.Address(), report.Widening
	if owner.Role == zulip.RoleGuest {
		condition = report.External
	}
	say := func(rights, over string) {
		b.report.Risks = append(b.report.Risks, report.Risk{
			Condition: condition, Where: where, Text: fmt.Sprintf("%s can use its API key to %s %s, and has no other way to do that.", owner.Address(), rights, over),
		})
	}
	channels := map[string][]string{} // by what can be done in them
	var unknown []string
	for _, channel := range b.is.ActiveChannels() {
		rights, isKnown := b.rightsByKey(channel.Facts, bot, owner)
		if len(rights) > 0 {
			text := permission.JoinRights(rights, len(rights))
			channels[text] = append(channels[text], fmt.Sprintf("%q", channel.Name))
		}
		if !isKnown {
			unknown = append(unknown, fmt.Sprintf("%q", channel.Name))
		}
	}
	for _, rights := range slices.Sorted(maps.Keys(channels)) {
		say(rights, "in "+report.List(channels[rights]))
	}
	groups := map[string][]string{}
	for _, group := range b.is.Groups {
		rights, isKnown := heldByKey(group.Rights, bot, owner)
		if len(rights) > 0 && group.Action != report.Deactivate {
			text := permission.JoinRights(rights, manyRights)
			groups[text] = append(groups[text], fmt.Sprintf("%q", group.Name))
		}
		if !isKnown {
			unknown = append(unknown, fmt.Sprintf("user group %q", group.Name))
		}
	}
	for _, rights := range slices.Sorted(maps.Keys(groups)) {
		say(rights, "for the user groups "+report.List(groups[rights]))
	}
	rights, isKnown := heldByKey(b.is.Rights, bot, owner)
	if len(rights) > 0 {
		say(permission.JoinRights(rights, manyRights), "in the organization")
	}
	if !isKnown {
		unknown = append(unknown, "the organization")
	}
	if len(unknown) > 0 {
		b.unknown(access.OneThing, "It isn't known whether %s gains access with the API key of %s in %s: the permissions there aren't known.", owner.Address(), bot.Address(), report.List(unknown))
	}
}

// rightsByKey returns what a bot can do in a channel, and its owner cannot, in words. isKnown is false where that may not be all.
func (b *builder) rightsByKey(facts permission.Channel, bot, owner *zulip.User) (rights []string, isKnown bool) {
	isKnown = true
	for _, right := range permission.Rights {
		_, has := facts.Permissions[string(right)]
		who, isCertain := b.is.People.Can(right, facts)
		switch {
		case who.Has(owner.ID):
		case !isCertain:
			isKnown = isKnown && !has && !facts.Unknown[string(right)] && right != permission.CanRead // otherwise the server has no such permission
		case who.Has(bot.ID):
			rights = append(rights, right.InWords())
		}
	}
	return rights, isKnown
}

// heldByKey is rightsByKey of rights over a user group or the organization.
func heldByKey(all []*access.Right, bot, owner *zulip.User) (rights []string, isKnown bool) {
	isKnown = true
	for _, right := range all {
		who, isCertain := right.Held.Certain()
		switch {
		case who.Has(owner.ID):
		case !isCertain:
			isKnown = false
		case who.Has(bot.ID):
			rights = append(rights, right.Text)
		}
	}
	return rights, isKnown
}
