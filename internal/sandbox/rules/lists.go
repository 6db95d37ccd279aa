package rules

import (
	"maps"
	"slices"
)

// Lists is what a server keeps in caches as one list of each kind, as it was at one moment.
type Lists struct{ show []func() (restore func()) }

// Lists notes the lists as they are now: custom emoji, linkifiers, code playgrounds, domains, custom profile fields and
// default channel groups.
func (o *Organization) Lists() Lists {
	return Lists{[]func() func(){
		o.RealmEmoji.remember(), o.Linkifiers.remember(), o.Playgrounds.remember(), o.Domains.remember(),
		o.ProfileFields.remember(), o.DefaultChannelGroups.remember(),
	}}
}

// Show puts the lists in the place of the current ones until restore is called. Nothing may be changed meanwhile.
func (l Lists) Show() (restore func()) {
	var all []func()
	for _, show := range l.show {
		all = append(all, show())
	}
	return func() {
		for _, one := range all {
			one()
		}
	}
}

// remember copies the rows. The function it returns shows them until the one that this returns is called.
func (t *Table[T]) remember() func() (restore func()) {
	rows, ids := maps.Clone(t.rows), slices.Clone(t.ids)
	return func() func() {
		currentRows, currentIDs := t.rows, t.ids
		t.rows, t.ids = rows, ids
		return func() { t.rows, t.ids = currentRows, currentIDs }
	}
}
