package accounts

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// BotLock is the lock of who changes a bot, or deactivates its owner: the server deactivates the bots of a person with the person
// (server-behavior §U9).
func BotLock(bot int64) string { return fmt.Sprintf("bot %d and its owner", bot) }

// isActiveBotOf reports whether a person owns an active bot.
func isActiveBotOf(user *zulip.User, owner int64) bool {
	return user != nil && user.IsBot && user.IsActive && user.BotOwnerID != nil && *user.BotOwnerID == owner
}

// LockBotsOf returns, before a person is deactivated, which bots the server deactivates too, and keeps other resources of this run
// from changing them until unlock is called. address is that of the person.
func LockBotsOf(ctx context.Context, meta *base.Meta, owner int64, address string) (owned []int64, unlock func(), err error) {
	s, err := meta.Store.Read(ctx, store.Users)
	if err != nil {
		return nil, nil, cannotReadBots(address, "the bots of the account", err)
	}
	bots := slices.DeleteFunc(slices.Clone(s.Users()), func(user *zulip.User) bool { return !isActiveBotOf(user, owner) })
	slices.SortFunc(bots, func(a, b *zulip.User) int { return cmp.Compare(a.ID, b.ID) }) // so that no two wait for each other
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
			var bot *zulip.User // the list may have it as it was before somebody deactivated it
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
	diags.AddError("Cannot deactivate "+address, fmt.Sprintf("Nothing was sent, because %s could not be read. %s", which, base.Explain(err)))
	return &base.Error{Diagnostics: diags}
}

// WarnOfOwner warns, in the plan of a bot, that its owner is deactivated in the same plan; where that is planned later,
// [WarnOfBots] does.
func WarnOfOwner(meta *base.Meta, bot string, owner *zulip.User, diags *diag.Diagnostics) {
	meta.Run.PlanOwner(bot, owner.ID)
	if meta.Run.WillBeDeactivated(snapshot.AccountKind, owner.ID) {
		summary, detail := withOwner(owner, bot)
		diags.AddAttributeWarning(path.Root("owner"), summary, detail)
	}
}

// WarnOfBots warns, in the plan that deactivates a person, of the bots that this configuration leaves with that person.
func WarnOfBots(meta *base.Meta, owner *zulip.User, diags *diag.Diagnostics) {
	if bots := meta.Run.PlannedBotsOf(owner.ID); len(bots) > 0 {
		diags.AddWarning(withOwner(owner, bots...))
	}
}

func withOwner(owner *zulip.User, bots ...string) (summary, detail string) {
	names := strings.Join(bots, ", ")
	return fmt.Sprintf("Bots will be deactivated with their owner %s", owner.Address()),
		fmt.Sprintf("This plan deactivates %s and leaves these bots with that owner: %s. The server deactivates the bots of a person with the person. "+
			"Set owner of each zulip_bot to somebody else, or remove it from the configuration too. Otherwise the next plan asks for adopt_deactivated = true, to reactivate it.", owner.Address(), names)
}
