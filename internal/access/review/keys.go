package review

import (
	"fmt"
	"maps"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// sayKeys says what the new owners of bots can do with their keys, and not by themselves: whoever owns a bot holds its key.
func (b *builder) sayKeys() {
	for _, id := range slices.Sorted(maps.Keys(b.change.Owners)) {
		bot, seesBot := b.org.User(id)
		owner, seesOwner := b.org.User(b.change.Owners[id])
		if !seesBot || !seesOwner {
			continue
		}
		channels := map[string][]string{} // by what can be done in them
		var unknown []string
		for _, channel := range b.org.Channels().List() {
			rights, isKnown := b.rightsByKey(channel, bot, owner)
			if len(rights) > 0 {
				text := permission.JoinRights(rights, len(rights))
				channels[text] = append(channels[text], fmt.Sprintf("%q", channel.Name))
			}
			if !isKnown {
				unknown = append(unknown, fmt.Sprintf("%q", channel.Name))
			}
		}
		for _, rights := range slices.Sorted(maps.Keys(channels)) {
			b.report.Risks = append(b.report.Risks, report.Risk{
				Category: report.Widening, Where: "bot " + bot.Address(),
				Text: fmt.Sprintf("With its key %s can %s in %s, and not without it.", owner.Address(), rights, report.List(channels[rights])),
			})
		}
		if len(unknown) > 0 {
			b.addDoubt(fmt.Sprintf("Whether %s can do more with the key of %s in %s is not known: who may what there is not known.", owner.Address(), bot.Address(), report.List(unknown)))
		}
	}
}

// rightsByKey returns what a bot can do in a channel, and its owner cannot, in words. isKnown is false where that may not be all.
func (b *builder) rightsByKey(channel *zulip.Channel, bot, owner *zulip.User) (rights []string, isKnown bool) {
	reviewed := b.reviewChannel(channel)
	_ = b.readSubscribers(reviewed) // without an error, or the comparison of the channels would have returned it
	facts := reviewed.Facts
	if facts.IsArchived {
		return nil, true
	}
	isKnown = true
	for _, right := range permission.Rights {
		_, has := facts.Permissions[string(right)]
		who, isCertain := b.after.Can(right, facts)
		switch {
		case who.Has(owner.ID):
		case !isCertain:
			isKnown = isKnown && !has && !facts.Unknown[string(right)] && right != permission.CanRead // else the server has no such permission
		case who.Has(bot.ID):
			rights = append(rights, right.InWords())
		}
	}
	return rights, isKnown
}
