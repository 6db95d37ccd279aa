// Package meaning says what each attribute of each resource and action of the provider means for access: who can do what, who
// can get in, where content goes, what can be lost. The table is table.txt; what is not in it has no known meaning.
package meaning

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Class is what an attribute means for access.
type Class string

// The classes.
const (
	// None means nothing for access: what the server decides, and what is only shown.
	None Class = "none"
	// Identity is what something is called, described or sorted by.
	Identity Class = "identity"
	// Permission is who may do what, Membership who is in a group or a channel, Role what an account may by its role. What
	// follows from them is computed.
	Permission Class = "permission"
	Membership Class = "membership"
	Role       Class = "role"
	// Joining is who can get into the organization, and what they come into by that.
	Joining Class = "joining"
	// SignIn is how people sign in.
	SignIn Class = "sign-in"
	// History is who sees what was written before.
	History Class = "history"
	// Credential is who holds a key: with the key of a bot, everything that the bot may do.
	Credential Class = "credential"
	// Outgoing is where content goes.
	Outgoing Class = "outgoing"
	// DataLoss is what makes messages or other things disappear, now or later.
	DataLoss Class = "data-loss"
	// External is who comes in from outside, as a guest. No attribute has it: it follows from the role of an invitation.
	External Class = "external"
)

// Classes lists the classes that attributes have.
var Classes = []Class{None, Identity, Permission, Membership, Role, Joining, SignIn, History, Credential, Outgoing, DataLoss}

// IsComputed reports whether what follows from attributes of a class is computed, so that no sentence is written of them.
func (c Class) IsComputed() bool { return c == Permission || c == Membership || c == Role }

// Type is what a resource or an action means.
type Type struct {
	// Name is the type, Called what one is called, NamedBy the attribute that has its name; "" if there is only one.
	Name, Called, NamedBy string
	// Needs is the lowest role that may change one, as a word; "" where a member may, or a permission decides.
	Needs string
	// Created and Destroyed are what creating and destroying one means; nil: nothing for access.
	Created, Destroyed *Row

	rows map[string]*Row
}

// Attribute returns what an attribute means.
func (t *Type) Attribute(name string) (*Row, bool) {
	row, ok := t.rows[name]
	return row, ok
}

// Attributes lists the names of the attributes.
func (t *Type) Attributes() []string {
	names := make([]string, 0, len(t.rows))
	for name := range t.rows {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Row is what one attribute means.
type Row struct {
	Kind  string
	Class Class
	// Needs is [Type.Needs] for the attribute alone.
	Needs    string
	When     string
	Sentence string
}

// Of returns what a type means; ok is false for one that the table does not have.
func Of(name string) (*Type, bool) {
	t, ok := table[name]
	return t, ok
}

// Types lists the types of the table.
func Types() []string {
	names := make([]string, 0, len(table))
	for name := range table {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

//go:embed table.txt
var text string

var table = parse(text)

var (
	typeLine = regexp.MustCompile(`^(\w+) = (.+?)(?: by (\w+))?(?: for (\w+))?$`)
	endLine  = regexp.MustCompile(`^  ([+-]) (\S+) \| (.+)$`)
	rowLine  = regexp.MustCompile(`^  (\w+) +(\w+) +([\w-]+)(?: for (\w+))?(?: +(\w+) \| (.+))?$`)
)

// parse reads the table. A line that it cannot read is a mistake of the program.
func parse(text string) map[string]*Type {
	all := map[string]*Type{}
	var t *Type
	for number, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if parts := typeLine.FindStringSubmatch(line); parts != nil {
			t = &Type{Name: parts[1], Called: parts[2], NamedBy: parts[3], Needs: parts[4], rows: map[string]*Row{}}
			all[t.Name] = t
		} else if parts := endLine.FindStringSubmatch(line); parts != nil {
			row := &Row{Class: Class(parts[2]), Sentence: parts[3]}
			if parts[1] == "+" {
				t.Created = row
			} else {
				t.Destroyed = row
			}
		} else if parts := rowLine.FindStringSubmatch(line); parts != nil {
			t.rows[parts[1]] = &Row{Kind: parts[2], Class: Class(parts[3]), Needs: parts[4], When: parts[5], Sentence: parts[6]}
		} else {
			panic(fmt.Sprintf("table.txt:%d: %q", number+1, line))
		}
	}
	return all
}

// codes are the words of attributes for which the server has numbers.
var codes = map[string]map[float64]string{
	"digest_weekday":           {0: "monday", 1: "tuesday", 2: "wednesday", 3: "thursday", 4: "friday", 5: "saturday", 6: "sunday"},
	"email_address_visibility": {1: "everyone", 2: "members", 3: "administrators", 4: "nobody", 5: "moderators"},
	"giphy_rating":             {0: "disabled", 1: "g", 2: "pg", 3: "pg-13", 4: "r"},
	"org_type": {
		0: "unspecified", 10: "business", 20: "opensource", 30: "education_nonprofit", 35: "education", 40: "research", 50: "event", 60: "nonprofit",
		70: "government", 80: "political_group", 90: "community", 100: "personal", 1000: "other",
	},
	"video_chat_provider": {
		0: "disabled", 1: "jitsi_meet", 3: "zoom", 4: "big_blue_button", 5: "zoom_server_to_server", 6: "constructor_groups", 7: "nextcloud_talk", 8: "webex",
	},
}

// Word returns the word of an attribute for a number of the server; ok is false for one that this version does not know.
func Word(attribute string, number float64) (word string, ok bool) {
	word, ok = codes[attribute][number]
	return word, ok
}

// How long names can be, in characters. A plan is a file that anyone can have written, and an organization is what its server says
// it is: names that no server takes would be repeated wherever a report names something, and make of a few megabytes some gigabytes.
// Longer names are cut and end in an ellipsis. They are one character longer than any real name, and so can't be mistaken for one.
const (
	MaxChannelName = 60
	MaxName        = 100 // of a user group and of a person
	MaxText        = 300 // of all other names: the longest are emails
)

// Cut cuts a name at so many characters.
func Cut(name string, limit int) string {
	for at := range name {
		if limit == 0 {
			return name[:at] + "…"
		}
		limit--
	}
	return name
}
