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
	// SignIn is how people prove who they are.
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
