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

// maxActions is the number of actions that a risk about a key names for user groups or the organization.
const maxActions = 4

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
	say := func(actions, over string) {
		b.risk(condition, where, "%s can use its API key to %s %s, and has no other way to do that.", owner.Address(), actions, over)
	}
	sayEach := func(names map[string][]string, over string) { // by the actions
		for _, actions := range slices.Sorted(maps.Keys(names)) {
			say(actions, over+report.List(names[actions]))
		}
	}
	channels, groups := map[string][]string{}, map[string][]string{}
	var unknown []string
	for _, channel := range b.is.ActiveChannels() {
		actions, isKnown := actionsByKey(b.channelPermissions(channel), bot, owner)
		if len(actions) > 0 {
			text := permission.JoinActions(actions, len(actions))
			channels[text] = append(channels[text], fmt.Sprintf("%q", channel.Name))
		}
		if !isKnown {
			unknown = append(unknown, fmt.Sprintf("%q", channel.Name))
		}
	}
	for _, group := range b.is.Groups {
		actions, isKnown := actionsByKey(group.Effective, bot, owner)
		if len(actions) > 0 && group.Action != report.Deactivate {
			text := permission.JoinActions(actions, maxActions)
			groups[text] = append(groups[text], fmt.Sprintf("%q", group.Name))
		}
		if !isKnown {
			unknown = append(unknown, fmt.Sprintf("user group %q", group.Name))
		}
	}
	sayEach(channels, "in ")
	sayEach(groups, "for the user groups ")
	actions, isKnown := actionsByKey(b.is.Effective, bot, owner)
	if len(actions) > 0 {
		say(permission.JoinActions(actions, maxActions), "in the organization")
	}
	if !isKnown {
		unknown = append(unknown, "the organization")
	}
	if len(unknown) > 0 {
		b.unknown(access.OneThing, "It isn't known whether %s gains access with the API key of %s in %s: the permissions there aren't known.", owner.Address(), bot.Address(), report.List(unknown))
	}
}

// channelPermissions are the permissions of a channel after the plan. Unlike those of the report, they are of every channel.
func (b *builder) channelPermissions(channel *access.Channel) (all []*access.EffectivePermission) {
	held := b.is.In(channel).Held()
	for _, name := range permission.ChannelPermissions {
		if one, has := held[name]; has {
			all = append(all, &access.EffectivePermission{Text: name.InWords(), Held: one})
		}
	}
	return all
}

// actionsByKey returns in words what a bot can do by some permissions and its owner cannot. isKnown is false if there may be more.
func actionsByKey(all []*access.EffectivePermission, bot, owner *zulip.User) (actions []string, isKnown bool) {
	isKnown = true
	for _, permission := range all {
		who, isCertain := permission.Held.Certain()
		switch {
		case who.Has(owner.ID):
		case !isCertain:
			isKnown = false
		case who.Has(bot.ID):
			actions = append(actions, permission.Text)
		}
	}
	return actions, isKnown
}
