package meaning

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Value is a value of an attribute.
type Value struct {
	// Held is the value as JSON has it; nil is none.
	Held any
	// IsUnknown says that it, or a part of it, is not known yet.
	IsUnknown bool
	// IsSecret says that it must not be shown.
	IsSecret bool
}

// IsNone reports whether there is certainly no value.
func (v Value) IsNone() bool { return v.Held == nil && !v.IsUnknown }

// Fits reports whether the value is of the kind that the schema says, as far as it is known.
func (r *Row) Fits(v Value) bool {
	if v.Held == nil {
		return true
	}
	kind := ""
	switch v.Held.(type) {
	case string:
		kind = "string"
	case float64:
		kind = "number"
	case bool:
		kind = "bool"
	case []any:
		kind = "list"
	case map[string]any:
		kind = "map"
	}
	return kind == r.Kind
}

// Subject is a change of one attribute, as sentences need it.
type Subject struct {
	Before, After Value
	// IsNew says that what has the attribute is made by the change.
	IsNew bool
	// InWords writes a value for people, and Other one of another attribute after the change.
	InWords func(Value) string
	Other   func(attribute string) string
}

// Says returns the sentence of a change, "" if it means nothing that has one. The two values differ.
func (r *Row) Says(s Subject) string {
	if r.Sentence == "" || !r.applies(s) {
		return ""
	}
	return r.Fill(s)
}

// applies reports whether the change is one of those that have a sentence. What is not known could be one.
func (r *Row) applies(s Subject) bool {
	if s.After.IsUnknown {
		return !s.IsNew || r.When == "any"
	}
	switch r.When {
	case "any":
		return !s.After.IsNone() || !s.IsNew
	case "changed":
		return !s.IsNew
	case "true", "false":
		return s.After.Held == (r.When == "true")
	case "more":
		return len(added(s.Before, s.After)) > 0
	case "shorter":
		return !s.IsNew && limit(s.After) < limit(s.Before)
	case "longer":
		return !s.IsNew && limit(s.After) > limit(s.Before)
	}
	return false
}

// limit is a limit as a number: what is no number, as "unlimited" or nothing, is without one.
func limit(v Value) float64 {
	switch held := v.Held.(type) {
	case float64:
		return held
	case string:
		if number, err := strconv.ParseFloat(held, 64); err == nil {
			return number
		}
	}
	return math.Inf(1)
}

// added are the elements of a list that are not in an earlier one.
func added(before, after Value) []any {
	was, _ := before.Held.([]any)
	is, _ := after.Held.([]any)
	return slices.DeleteFunc(slices.Clone(is), func(element any) bool {
		return slices.ContainsFunc(was, func(old any) bool { return fmt.Sprint(old) == fmt.Sprint(element) })
	})
}

var placeholders = regexp.MustCompile(`\{(\w+)\}`)

// Fill writes the sentence of a row.
func (r *Row) Fill(s Subject) string {
	sentence := r.Sentence
	if s.IsNew {
		sentence = strings.ReplaceAll(sentence, "; before: {before}", "")
	}
	return placeholders.ReplaceAllStringFunc(sentence, func(placeholder string) string {
		switch name := placeholder[1 : len(placeholder)-1]; name {
		case "before":
			return s.InWords(s.Before)
		case "after":
			return s.InWords(s.After)
		case "added":
			return s.InWords(Value{Held: added(s.Before, s.After), IsUnknown: s.After.IsUnknown, IsSecret: s.After.IsSecret})
		case "changes":
			return s.changes()
		default:
			return s.Other(name)
		}
	})
}

// changes says what was added to a list and what was removed.
func (s Subject) changes() string {
	var parts []string
	if in := added(s.Before, s.After); len(in) > 0 {
		parts = append(parts, s.InWords(Value{Held: in})+" is added")
	}
	if out := added(s.After, s.Before); len(out) > 0 && !s.After.IsUnknown {
		parts = append(parts, s.InWords(Value{Held: out})+" is removed")
	}
	if s.After.IsUnknown {
		parts = append(parts, "to what is not known yet")
	}
	return strings.Join(parts, ", ")
}
