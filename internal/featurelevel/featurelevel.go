// Package featurelevel is the one table of what depends on the API feature level of a server: a number that grows with
// every change of Zulip's API (https://zulip.com/api/changelog). Schema descriptions, plan-time checks, the page "Supported
// servers" and the switches of the sandbox all come from it.
//
// A [Row] says from which level on servers have an attribute, a value of one, or everything a resource, data source or
// action needs. A [Change] says what the provider does differently on both sides of a level, so that a configuration
// works on both. [Since] and [Lookup] look a row up, [Needs] writes it as a sentence for a description.
package featurelevel

import (
	"fmt"
	"slices"
)

// The levels that the provider is made for and tested at.
const (
	// Oldest is that of Zulip 10.0. On older servers the provider warns once: what it knows of them is checked, but not
	// tested.
	Oldest = 371
	// Newest is the newest one whose changes are known.
	Newest = 512
	// Current is that of the newest release, Zulip 12.2.
	Current = 500
)

// Row says from which level on servers have something.
type Row struct {
	// Of is the resource, data source or action, such as zulip_channel.
	Of string
	// Attribute is one of its attributes; empty for all of it.
	Attribute string
	// Value is a value of the attribute, as text; empty for any.
	Value string
	// Level is the first level that has it.
	Level int
	// Below is what happens on a server of a lower level.
	Below Below
}

// Below is what happens on a server that is too old, in a sentence.
type Below string

const (
	// Refused means that a plan that sets it is an error. It reads as null.
	Refused Below = "Setting it is an error at plan."
	// Null means that it is read only.
	Null Below = "Reads as null."
)

// Lookup returns the level of an attribute, or of everything if the attribute is empty; zero if every server has it.
func Lookup(of, attribute string) int { return LookupValue(of, attribute, "") }

// LookupValue returns the level of one value of an attribute; zero if it came with the attribute.
func LookupValue(of, attribute, value string) int {
	return byName[name{of, attribute, value}]
}

// Since returns the level of an attribute, or of everything if the attribute is empty. It panics if the table does not
// have it: a level that is used and not listed is a mistake in the code.
func Since(of, attribute string) int { return SinceValue(of, attribute, "") }

// SinceValue returns the level of one value of an attribute. It panics if the table does not have it.
func SinceValue(of, attribute, value string) int {
	level, ok := byName[name{of, attribute, value}]
	if !ok {
		panic(fmt.Sprintf("the table of feature levels has no row for %s %s %s", of, attribute, value))
	}
	return level
}

// Needs is the sentence for the description of an attribute, or of everything if the attribute is empty. It panics if the
// table does not have it.
func Needs(of, attribute string) string { return Sentence(Since(of, attribute)) }

// Sentence says that a level is needed.
func Sentence(level int) string { return "Needs " + Describe(level) + "." }

// Describe names a level, and the first release that has it.
func Describe(level int) string {
	return fmt.Sprintf("feature level %d (Zulip %s)", level, FirstRelease(level))
}

// Of returns the rows of a resource, data source or action.
func Of(of string) []Row { return byConstruct[of] }

// releases are the major releases and their levels, oldest first. Zulip 13 is not released: what it will have is above
// the levels that are kept for Zulip 12.
var releases = []struct {
	level int
	name  string
}{{237, "8.0"}, {277, "9.0"}, {371, "10.0"}, {421, "11.0"}, {501, "12.0"}}

// FirstRelease is the first major release whose servers have a level. For levels below that of Zulip 8.0 it is that one.
func FirstRelease(level int) string {
	for _, release := range releases {
		if level <= release.level {
			return release.name
		}
	}
	return "13.0"
}

type name struct{ of, attribute, value string }

var byName, byConstruct = func() (map[name]int, map[string][]Row) {
	names, constructs := map[name]int{}, map[string][]Row{}
	for _, row := range Table {
		key := name{row.Of, row.Attribute, row.Value}
		if _, twice := names[key]; twice {
			panic(fmt.Sprintf("the table of feature levels has two rows for %v", key))
		}
		names[key] = row.Level
		constructs[row.Of] = append(constructs[row.Of], row)
	}
	return names, constructs
}()

// rows makes the rows of one resource, data source or action.
func rows(of string, all ...[]Row) []Row {
	joined := slices.Concat(all...)
	for i := range joined {
		joined[i].Of = of
	}
	return joined
}

// from lists attributes that came with a level.
func from(level int, attributes ...string) []Row {
	found := make([]Row, len(attributes))
	for i, attribute := range attributes {
		found[i] = Row{Attribute: attribute, Level: level, Below: Refused}
	}
	return found
}

// whole says that all of it came with a level.
func whole(level int) []Row { return []Row{{Level: level, Below: Refused}} }

// value says that a value of an attribute came with a level.
func value(level int, attribute, text string) []Row {
	return []Row{{Attribute: attribute, Value: text, Level: level, Below: Refused}}
}

// shown lists attributes that are only read.
func shown(level int, attributes ...string) []Row {
	found := from(level, attributes...)
	for i := range found {
		found[i].Below = Null
	}
	return found
}

// other lists an attribute below whose level something else happens than a plain refusal.
func other(level int, attribute, text string, below Below) []Row {
	return []Row{{Attribute: attribute, Value: text, Level: level, Below: below}}
}
