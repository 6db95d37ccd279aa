package review

import (
	"fmt"
	"maps"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/review/report"
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
		for _, channel := range b.org.Channels().List() {
			facts := b.reviewChannel(channel).after
			if facts.IsArchived {
				continue
			}
			var rights []string
			for _, right := range permission.Rights {
				if who, _ := b.after.Can(right, facts); who.Has(bot.ID) && !who.Has(owner.ID) {
					rights = append(rights, right.InWords())
				}
			}
			if len(rights) > 0 {
				text := permission.JoinRights(rights, len(rights))
				channels[text] = append(channels[text], fmt.Sprintf("%q", channel.Name))
			}
		}
		for _, rights := range slices.Sorted(maps.Keys(channels)) {
			b.report.Risks = append(b.report.Risks, report.Risk{
				Category: report.Widening, Where: "bot " + bot.Address(),
				Text: fmt.Sprintf("With its key %s can %s in %s, and not without it.", owner.Address(), rights, report.List(channels[rights])),
			})
		}
	}
}
