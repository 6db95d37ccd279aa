package permission

import (
	"cmp"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// OrganizationChange is one permission of the organization before and after.
type OrganizationChange struct {
	Setting       Setting
	Before, After zulip.GroupSettingValue
	// Unknown says that it is not known yet who will be in After.
	Unknown bool
}

// Organization describes who gains and who loses which of the organization's own permissions; "" if nobody does and
// everything is known. after is before, or the result of [Access.With].
func (r Report) Organization(before, after *Access, changes []OrganizationChange) string {
	var lines []*line
	for _, change := range changes {
		effect := before.HeldBy(Organizations, change.Setting, change.Before).To(after.HeldBy(Organizations, change.Setting, change.After))
		if change.Unknown {
			effect = Effect{Unknown: true}
		}
		lines = addEffect(lines, change.Setting.Right, effect)
	}
	if len(lines) == 0 {
		return ""
	}
	slices.SortStableFunc(lines, func(a, b *line) int { return cmp.Compare(a.kind, b.kind) })
	return r.render([]section{{lines: lines}})
}

// HeldBy is [Access.Admitted] as far as that is known: nothing is where others will be in a group that the value names.
func (a *Access) HeldBy(table Table, setting Setting, value zulip.GroupSettingValue) Held {
	if a.IsUncertain(value) {
		return HeldByUnknown()
	}
	return a.Admitted(table, setting, value).Held()
}

// Admitted returns those who can exercise a permission of a user group or of the organization: the people in its value,
// but guests only if the server allows it for the setting and takes their requests, and bots only if the server takes the requests with which it is
// exercised: all but sending messages it refuses to incoming webhook bots, and some to every bot.
func (a *Access) Admitted(table Table, setting Setting, value zulip.GroupSettingValue) People {
	people := a.In(value)
	if !setting.BySending {
		people = People{people.roster, people.set.minus(a.webhooks)}
	}
	if realm := a.facts.Realm; realm != nil && realm.FeatureLevel != 0 && realm.FeatureLevel < setting.BotsSince {
		people = People{people.roster, people.set.minus(a.bots)}
	}
	if setting.NotByGuests || !table.Supported(setting, a.facts.Realm).AllowEveryoneGroup {
		return people.Minus(a.Guests())
	}
	return people
}
