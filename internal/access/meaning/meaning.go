// Package meaning has the meaning for access of each attribute of the provider's resources and actions: who can do what, who
// can join, where content goes, what can be lost.
//
// The table is table.txt. Anything that it does not have has no known meaning.
package meaning

import (
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Class is the meaning of an attribute for access.
type Class string

// The classes.
const (
	// None has no meaning for access: a value that the server decides, or that is only shown.
	None Class = "none"
	// Identity is a name, a description or an order.
	Identity Class = "identity"
	// Permission is who may do what, Membership the members of a group or subscribers of a channel, Role the role of an
	// account. Their effects are computed.
	Permission Class = "permission"
	Membership Class = "membership"
	Role       Class = "role"
	// Joining is who can join the organization, and what they can access then.
	Joining Class = "joining"
	// SignIn is how people sign in.
	SignIn Class = "sign-in"
	// History is who can read earlier messages.
	History Class = "history"
	// Credential is who has a key: the key of a bot gives everything that the bot can do.
	Credential Class = "credential"
	// Outgoing is where content goes.
	Outgoing Class = "outgoing"
	// DataLoss is a deletion of messages or other content, now or later.
	DataLoss Class = "data-loss"
	// External is a guest from outside. No attribute has this class: it follows from the role of an invitation.
	External Class = "external"
)

// IsComputed reports whether the effects of attributes of a class are computed, so that they have no sentences.
func (c Class) IsComputed() bool { return c == Permission || c == Membership || c == Role }

// Type is the meaning of a resource or an action.
type Type struct {
	// Name is the type, Called the word for one object, and NamedBy the attribute with its name; "" if there is only one
	// object.
	Name, Called, NamedBy string
	// Needs is the lowest role that can change the object, as a word; "" if members can, or a permission decides.
	Needs string
	// Created and Destroyed are the meanings of creating and destroying the object; nil if there is none.
	Created, Destroyed *Row

	rows map[string]*Row
}

// Attribute returns the meaning of an attribute.
func (t *Type) Attribute(name string) (*Row, bool) {
	row, ok := t.rows[name]
	return row, ok
}

// Attributes lists the names of the attributes.
func (t *Type) Attributes() []string { return slices.Sorted(maps.Keys(t.rows)) }

// Row is the meaning of one attribute.
type Row struct {
	Kind  string
	Class Class
	// Needs is [Type.Needs] for the attribute alone.
	Needs    string
	When     string
	Sentence string
}

// Of returns the meaning of a type. ok is false if the table does not have it.
func Of(name string) (*Type, bool) {
	t, ok := table[name]
	return t, ok
}

// Types lists the types of the table.
func Types() []string { return slices.Sorted(maps.Keys(table)) }

//go:embed table.txt
var text string

var table = parse(text)

var (
	typeLine = regexp.MustCompile(`^(\w+) = (.+?)(?: by (\w+))?(?: for (\w+))?$`)
	endLine  = regexp.MustCompile(`^  ([+-]) (\S+) \| (.+)$`)
	rowLine  = regexp.MustCompile(`^  (\w+) +(\w+) +([\w-]+)(?: for (\w+))?(?: +(\w+) \| (.+))?$`)
)

// parse reads the table. A line that it cannot read is a bug.
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

// Word returns the word of an attribute for a number of the server. ok is false if this version does not know the number.
func Word(attribute string, number float64) (word string, ok bool) {
	word, ok = codes[attribute][number]
	return word, ok
}

// The maximum lengths of names, in characters.
//
// Anyone can write the file of a plan, and a server can return any name. A report repeats names, so that very long names
// could make gigabytes of a few megabytes. Longer names are cut and end in an ellipsis. They are one character longer than
// any real name, and so can't be mistaken for one.
const (
	MaxChannelName = 60
	MaxName        = 100 // of a user group and of a person
	MaxText        = 300 // of all other names: the longest are emails
)

// Cut cuts a name to a number of characters.
func Cut(name string, limit int) string {
	for at := range name {
		if limit == 0 {
			return name[:at] + "…"
		}
		limit--
	}
	return name
}
