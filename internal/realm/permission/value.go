package permission

import (
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Canonical returns the form in which the server stores a value: a single group becomes its
// ID, an empty value role:nobody, lists are ascending without duplicates (server-behavior
// §P2). Values that are read need not be canonical; see [IsCanonical].
func Canonical(value zulip.GroupSettingValue, nobody int64) zulip.GroupSettingValue {
	if value.IsNamed() {
		return value
	}
	members, subgroups := sortedUnique(value.DirectMembers), sortedUnique(value.DirectSubgroups)
	switch {
	case len(members) == 0 && len(subgroups) == 0:
		return zulip.NamedGroup(nobody)
	case len(members) == 0 && len(subgroups) == 1:
		return zulip.NamedGroup(subgroups[0])
	}
	return zulip.GroupSettingValue{DirectMembers: members, DirectSubgroups: subgroups}
}

// IsCanonical reports whether a value that was read can be sent back as an old value. A
// value that is not canonical contains somebody deactivated: the server leaves them out when
// it is read, but does not collapse the rest as it does with an old value (server-behavior
// §P3).
func IsCanonical(value zulip.GroupSettingValue, nobody int64) bool {
	canonical := Canonical(value, nobody)
	return value.IsNamed() == canonical.IsNamed()
}

// Equal reports whether two values are the same; order, duplicates and the form do not matter.
func Equal(a, b zulip.GroupSettingValue, nobody int64) bool {
	a, b = Canonical(a, nobody), Canonical(b, nobody)
	return a.Group == b.Group &&
		slices.Equal(a.DirectMembers, b.DirectMembers) &&
		slices.Equal(a.DirectSubgroups, b.DirectSubgroups)
}

func sortedUnique(ids []int64) []int64 {
	sorted := slices.Clone(ids)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}
