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
// wherever they matter; "" if nobody does and all is known.
func (r Report) Organization(access *Access, changes []OrganizationChange) string {
	var lines []*line
	for _, change := range changes {
		if change.Unknown || access.IsVague(change.Before) || access.IsVague(change.After) {
			lines = withLine(lines, notKnown, change.Setting.Right, People{})
			continue
		}
		was, is := access.Admitted(Organizations, change.Setting, change.Before), access.Admitted(Organizations, change.Setting, change.After)
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
// lets them have it at all (wire-1 §2.3, wire-2 §12.3).
func (a *Access) Admitted(table Table, setting Setting, value zulip.GroupSettingValue) People {
	people := a.In(value)
	if !table.Supported(setting, a.facts.Realm).AllowEveryoneGroup {
		return people.Minus(a.Guests())
	}
	return people
}
