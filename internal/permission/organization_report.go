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
	// Unknown says that it is not known yet whom the value after will hold.
	Unknown bool
}

// Organization says who gains and who loses which of the organization's own rights,
// wherever they matter; "" if nobody does and all is known. after is before, or what [Access.With] made of it.
func (r Report) Organization(before, after *Access, changes []OrganizationChange) string {
	var lines []*line
	for _, change := range changes {
		if change.Unknown || before.IsVague(change.Before) || after.IsVague(change.After) {
			lines = withLine(lines, notKnown, change.Setting.Right, People{})
			continue
		}
		was, is := before.Admitted(Organizations, change.Setting, change.Before), after.Admitted(Organizations, change.Setting, change.After)
		if is.IsEmpty() && !was.IsEmpty() {
			lines = withLine(lines, nobodyLeft, change.Setting.Right, People{})
		}
		if less := was.Minus(is); !less.IsEmpty() {
			lines = withLine(lines, lose, change.Setting.Right, less)
		}
		if more := is.Minus(was); !more.IsEmpty() {
			lines = withLine(lines, gain, change.Setting.Right, more)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	slices.SortStableFunc(lines, func(a, b *line) int { return cmp.Compare(a.kind, b.kind) })
	return r.write([]section{{lines: lines}})
}

// Admitted returns those whom a permission of a user group or of the organization admits: guests only where the server
// lets them have it at all, and incoming webhook bots only where sending messages is all that it takes,
// since the server answers no other request of theirs.
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
