package permission

import (
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Canonical returns the form in which the server stores a value that is written: a
// single group alone becomes its number, nothing at all becomes role:nobody, lists
// are ascending without repetition (server-behavior §P2). The server does not do the same
// when it reads; see [IsCanonical].
func Canonical(value zulip.GroupSettingValue, nobody int64) zulip.GroupSettingValue {
	if value.IsNamed() {
		return value
	}
	members, subgroups := ascending(value.DirectMembers), ascending(value.DirectSubgroups)
	switch {
	case len(members) == 0 && len(subgroups) == 0:
		return zulip.NamedGroup(nobody)
	case len(members) == 0 && len(subgroups) == 1:
		return zulip.NamedGroup(subgroups[0])
	}
	return zulip.GroupSettingValue{DirectMembers: members, DirectSubgroups: subgroups}
}

// IsCanonical reports whether a value that was read can be sent back as an old value.
// One that is not holds somebody deactivated: the server leaves them out of what it
// shows without collapsing the rest, as it would an old value (server-behavior §P3).
func IsCanonical(value zulip.GroupSettingValue, nobody int64) bool {
	canonical := Canonical(value, nobody)
	return value.IsNamed() == canonical.IsNamed()
}

// Equal reports whether two values mean the same: order, repetition and the form do
// not matter.
func Equal(a, b zulip.GroupSettingValue, nobody int64) bool {
	a, b = Canonical(a, nobody), Canonical(b, nobody)
	return a.Group == b.Group &&
		slices.Equal(a.DirectMembers, b.DirectMembers) &&
		slices.Equal(a.DirectSubgroups, b.DirectSubgroups)
}

// Diff tells what has to be added to the principals of a value, and what taken out,
// to make another of it. Diff of a value and itself is empty.
func Diff(before, after zulip.GroupSettingValue, nobody int64) (added, removed zulip.GroupSettingValue) {
	b, a := listed(before, nobody), listed(after, nobody)
	return zulip.GroupSettingValue{
			DirectMembers:   without(a.DirectMembers, b.DirectMembers),
			DirectSubgroups: without(a.DirectSubgroups, b.DirectSubgroups),
		}, zulip.GroupSettingValue{
			DirectMembers:   without(b.DirectMembers, a.DirectMembers),
			DirectSubgroups: without(b.DirectSubgroups, a.DirectSubgroups),
		}
}

// listed is the value with its one group, if it is a number, put into the list.
func listed(value zulip.GroupSettingValue, nobody int64) zulip.GroupSettingValue {
	value = Canonical(value, nobody)
	if !value.IsNamed() {
		return value
	}
	if value.Group == nobody {
		return zulip.GroupSettingValue{}
	}
	return zulip.GroupSettingValue{DirectSubgroups: []int64{value.Group}}
}

func ascending(ids []int64) []int64 {
	sorted := slices.Clone(ids)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

func without(ids, taken []int64) []int64 {
	var rest []int64
	for _, id := range ids {
		if _, found := slices.BinarySearch(taken, id); !found {
			rest = append(rest, id)
		}
	}
	return rest
}
