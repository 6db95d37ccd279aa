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
		if change.Unknown || before.IsUncertain(change.Before) || after.IsUncertain(change.After) {
			lines = addToLines(lines, notKnown, change.Setting.Right, People{})
			continue
		}
		peopleBefore, peopleAfter := before.Admitted(Organizations, change.Setting, change.Before), after.Admitted(Organizations, change.Setting, change.After)
		if peopleAfter.IsEmpty() && !peopleBefore.IsEmpty() {
			lines = addToLines(lines, nobodyLeft, change.Setting.Right, People{})
		}
		if less := peopleBefore.Minus(peopleAfter); !less.IsEmpty() {
			lines = addToLines(lines, lose, change.Setting.Right, less)
		}
		if more := peopleAfter.Minus(peopleBefore); !more.IsEmpty() {
			lines = addToLines(lines, gain, change.Setting.Right, more)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	slices.SortStableFunc(lines, func(a, b *line) int { return cmp.Compare(a.kind, b.kind) })
	return r.render([]section{{lines: lines}})
}

// Admitted returns those who can exercise a permission of a user group or of the organization: the people in its value,
// but guests only if the server allows it for the setting, and incoming webhook bots only if it is exercised by sending
// messages, because the server refuses all their other requests.
func (a *Access) Admitted(table Table, setting Setting, value zulip.GroupSettingValue) People {
	people := a.In(value)
	if !setting.BySending {
		people = People{people.roster, people.set.minus(a.webhooks)}
	}
	if !table.Supported(setting, a.facts.Realm).AllowEveryoneGroup {
		return people.Minus(a.Guests())
	}
	return people
}
