package accounts

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// BotLock returns the lock for changes of a bot and for the deactivation of its owner: the server deactivates a
// person's bots with the person (server-behavior §U9).
func BotLock(bot int64) string { return fmt.Sprintf("bot %d and its owner", bot) }

// isActiveBotOf reports whether a person owns an active bot.
func isActiveBotOf(user *zulip.User, owner int64) bool {
	return user != nil && user.IsBot && user.IsActive && user.BotOwnerID != nil && *user.BotOwnerID == owner
}

// LockBotsOf returns, before a person is deactivated, the bots that the server deactivates too. It locks them against
// other resources of this run until unlock is called. address is the person's email.
func LockBotsOf(ctx context.Context, meta *base.Meta, owner int64, address string) (owned []int64, unlock func(), err error) {
	s, err := meta.Store.Read(ctx, store.Users)
	if err != nil {
		return nil, nil, cannotReadBots(address, "the user's bots", err)
	}
	bots := slices.DeleteFunc(slices.Clone(s.Users()), func(user *zulip.User) bool { return !isActiveBotOf(user, owner) })
	slices.SortFunc(bots, func(a, b *zulip.User) int { return cmp.Compare(a.ID, b.ID) }) // in this order, so that no two wait for each other
	var locks []func()
	unlock = func() {
		for _, one := range locks {
			one()
		}
	}
	for _, listed := range bots {
		one, err := meta.Run.Lock(ctx, BotLock(listed.ID))
		if err == nil {
			locks = append(locks, one)
			var bot *zulip.User // the list may be older than its deactivation
			if bot, err = meta.Store.FreshUser(ctx, listed.ID); isActiveBotOf(bot, owner) {
				owned = append(owned, bot.ID)
			}
		}
		if err != nil {
			unlock()
			return nil, nil, cannotReadBots(address, "its bot "+listed.Address(), err)
		}
	}
	return owned, unlock, nil
}

func cannotReadBots(address, which string, err error) error {
	var diags diag.Diagnostics
	diags.AddError("Cannot deactivate "+address, fmt.Sprintf("The provider could not read %s. Nothing was changed. %s", which, base.Explain(err)))
	return &base.Error{Diagnostics: diags}
}

// Need refuses, in a plan that makes something for an active account, that the same plan deactivates the account. If the
// deactivation is planned later, [Leave] refuses it. what is the new thing, as in "the status".
func Need(meta *base.Meta, what string, user *zulip.User, at path.Path, diags *diag.Diagnostics) {
	meta.Run.Note(runstate.Needed, runstate.Object{Kind: runstate.Account, ID: user.ID, Name: what})
	if meta.Run.Knows(runstate.Inactive, runstate.ID(runstate.Account, user.ID)) {
		refuseLeaving(user, what, at, diags)
	}
}

// Leave registers, in a plan, that it deactivates an account. It refuses this if the plan makes something for the account.
func Leave(meta *base.Meta, user *zulip.User, at path.Path, diags *diag.Diagnostics) {
	meta.Run.Note(runstate.Inactive, runstate.ID(runstate.Account, user.ID))
	for _, pair := range meta.Run.All(runstate.Needed, runstate.Account) {
		if pair.ID == user.ID {
			refuseLeaving(user, pair.Name, at, diags)
		}
	}
}

func refuseLeaving(user *zulip.User, what string, at path.Path, diags *diag.Diagnostics) {
	diags.AddAttributeError(at, "This plan deactivates "+user.Address(),
		fmt.Sprintf("It also makes %s, for which the account must be active. Remove one of the two changes.", what))
}

// Close registers, in the plan of an exclusive list of a channel's subscribers, the list and the emails in it that no account
// has yet. joins is true if [JoinDefault] would warn.
func Close(meta *base.Meta, channel *zulip.Channel, emails []string) (joins bool) {
	for _, email := range emails {
		meta.Run.Note(runstate.Managed, runstate.Object{Kind: runstate.SubscribersOf(channel.ID), Name: runstate.Fold(runstate.Account, email)})
	}
	meta.Run.Note(runstate.Closed, runstate.ID(runstate.Channel, channel.ID))
	if channel.IsDefault {
		return JoinDefault(meta, channel.ID, channel.Name)
	}
	return joinsUnlisted(meta, channel.ID)
}

// JoinDefault registers that a channel is a default channel now or after the plan. joins is true if the channel has an
// exclusive list and this run creates someone who is not listed. The plans of the channel, the list and the person come in any
// order, and the last one warns.
func JoinDefault(meta *base.Meta, channel int64, name string) (joins bool) {
	meta.Run.Note(runstate.Default, runstate.Object{Kind: runstate.Channel, ID: channel, Name: name})
	return joinsUnlisted(meta, channel)
}

func joinsUnlisted(meta *base.Meta, channel int64) bool {
	isDefault := slices.ContainsFunc(meta.Run.All(runstate.Default, runstate.Channel), func(one runstate.Object) bool { return one.ID == channel })
	return isDefault && slices.ContainsFunc(meta.Run.All(runstate.Created, runstate.Account), func(account runstate.Object) bool {
		id, isPlanned := meta.Run.PlannedID(runstate.Account, account.Name)
		return isPlanned && id == 0 && isUnlisted(meta, channel, account.Name)
	})
}

// isUnlisted reports whether a channel has an exclusive list without an email.
func isUnlisted(meta *base.Meta, channel int64, email string) bool {
	return meta.Run.Knows(runstate.Closed, runstate.ID(runstate.Channel, channel)) &&
		!meta.Run.Knows(runstate.Managed, runstate.Object{Kind: runstate.SubscribersOf(channel), Name: runstate.Fold(runstate.Account, email)})
}

// WarnOfDefault warns, in the plan that creates a person, about the default channels with lists that do not have the person.
func WarnOfDefault(meta *base.Meta, email string, diags *diag.Diagnostics) {
	for _, channel := range meta.Run.All(runstate.Default, runstate.Channel) {
		if isUnlisted(meta, channel.ID, email) {
			diags.AddWarning(NewInDefaultChannel(channel.Name))
		}
	}
}

// NewInDefaultChannel is the warning about new people in a default channel with an exclusive list (server-behavior §S13).
func NewInDefaultChannel(channel string) (summary, detail string) {
	return "New people are subscribed to a default channel",
		fmt.Sprintf("The server subscribes each new person to the default channel %q, and the plan after that unsubscribes everyone who is not in users. "+
			"List new people in users, set is_default = false on the channel, or use zulip_channel_subscription.", channel)
}

// WarnOfOwner warns, in the plan of a bot, that its owner is deactivated in the same plan. If the deactivation is
// planned later, [WarnOfBots] warns.
func WarnOfOwner(meta *base.Meta, bot string, owner *zulip.User, diags *diag.Diagnostics) {
	meta.Run.Note(runstate.Owned, runstate.Object{Kind: runstate.Account, ID: owner.ID, Name: bot})
	if meta.Run.Knows(runstate.Deactivated, runstate.ID(runstate.Account, owner.ID)) || meta.Run.Knows(runstate.Destroyed, runstate.ID(runstate.Account, owner.ID)) {
		summary, detail := withOwner(owner, bot)
		diags.AddAttributeWarning(path.Root("owner"), summary, detail)
	}
}

// WarnOfBots warns, in the plan that deactivates a person, about the bots in this configuration that the person will
// still own.
func WarnOfBots(meta *base.Meta, owner *zulip.User, diags *diag.Diagnostics) {
	var bots []string
	for _, pair := range meta.Run.All(runstate.Owned, runstate.Account) {
		if pair.ID == owner.ID {
			bots = append(bots, pair.Name)
		}
	}
	if len(bots) > 0 {
		diags.AddWarning(withOwner(owner, bots...))
	}
}

func withOwner(owner *zulip.User, bots ...string) (summary, detail string) {
	names := strings.Join(bots, ", ")
	return "Bots will be deactivated with their owner",
		fmt.Sprintf("This plan deactivates %s and leaves these bots with that owner: %s. The server deactivates a person's bots together with the person. "+
			"Set owner of each zulip_bot to someone else, or remove the bot from the configuration too. Otherwise the next plan asks for adopt_deactivated = true to reactivate it.", owner.Address(), names)
}
