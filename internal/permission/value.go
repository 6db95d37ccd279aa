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

// Diff returns what has to be added to a value and what removed from it to get another one.
func Diff(before, after zulip.GroupSettingValue, nobody int64) (added, removed zulip.GroupSettingValue) {
	b, a := asLists(before, nobody), asLists(after, nobody)
	return zulip.GroupSettingValue{
			DirectMembers:   without(a.DirectMembers, b.DirectMembers),
			DirectSubgroups: without(a.DirectSubgroups, b.DirectSubgroups),
		}, zulip.GroupSettingValue{
			DirectMembers:   without(b.DirectMembers, a.DirectMembers),
			DirectSubgroups: without(b.DirectSubgroups, a.DirectSubgroups),
		}
}

// asLists returns a value that is a single group as a list of one group; role:nobody is empty.
func asLists(value zulip.GroupSettingValue, nobody int64) zulip.GroupSettingValue {
	value = Canonical(value, nobody)
	if !value.IsNamed() {
		return value
	}
	if value.Group == nobody {
		return zulip.GroupSettingValue{}
	}
	return zulip.GroupSettingValue{DirectSubgroups: []int64{value.Group}}
}

func sortedUnique(ids []int64) []int64 {
	sorted := slices.Clone(ids)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// without returns the ids that are not in sorted.
func without(ids, sorted []int64) []int64 {
	var rest []int64
	for _, id := range ids {
		if _, found := slices.BinarySearch(sorted, id); !found {
			rest = append(rest, id)
		}
	}
	return rest
}
