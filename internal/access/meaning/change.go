package meaning

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Attributes are the attributes of an object at one time.
type Attributes interface {
	// Names lists the attributes that exist or aren't known yet.
	Names() []string
	// Value returns an attribute; a missing attribute has no value.
	Value(name string) Value
}

// Names returns the name of the object with an ID, or the email of a user. It returns false if the object does not exist or is
// not visible.
type Names func(kind string, id int64) (string, bool)

// The kinds of objects with [Names].
const (
	ChannelKind = "channel"
	GroupKind   = "user group"
	UserKind    = "user"
)

// Change is a change of one object: of a resource in a plan, or between two audits.
type Change struct {
	Of *Type
	// Address is the name of the object in messages.
	Address       string
	Before, After Attributes
	// IsMade is true if the object is created, IsEnded if it is destroyed; both if another object replaces it.
	IsMade, IsEnded bool
	// IsInactive is true if the object is an account that is deactivated after the change, so that no one can sign in to it.
	IsInactive bool
	// IsSet reports whether the configuration sets an attribute that isn't known yet. Otherwise the server decides.
	IsSet func(name string) bool
	// IsComputed reports whether the report computes the effects of an attribute.
	IsComputed func(name string, row *Row) bool
	// ListsAll is true if the attributes of new objects are differences too.
	ListsAll bool
	// Names may be nil.
	Names Names
	// Retention returns how long the organization keeps messages, before and after, for the value realm_default. It may be
	// nil.
	Retention func() (before, after Value)
}

// Statement is one meaning of a change.
type Statement struct {
	Class Class
	// Where names the object in words. Text is a sentence.
	Where, Text string
	// IsUncertain is true if the meaning depends on something that is not known yet.
	IsUncertain bool
}

// Difference is an attribute that differs, and about which there is no statement. Before and After are in words.
type Difference struct {
	Name          string
	Before, After Words
}

// Words is a value in words.
type Words struct {
	// Texts are the elements of a list, or the one value.
	Texts     []string
	IsUnknown bool
}

// Result is the meaning of a change.
type Result struct {
	Statements  []Statement
	Differences []Difference
	// Unknown are sentences about unknown values, and about values that this version does not know.
	Unknown []string
	// IsSaid is true if the report has everything that changes elsewhere, or in a statement.
	IsSaid bool
}

// Says returns the meaning of a change.
func (c *Change) Says() *Result {
	var r Result
	if c.IsEnded && c.Of.Destroyed != nil {
		r.say(c.Of.Destroyed, c.Where(c.Before), c.Of.Destroyed.Fill(c.subject("", c.Before, &r)), false)
	}
	if c.IsMade && c.Of.Created != nil {
		r.say(c.Of.Created, c.Where(c.After), c.Of.Created.Fill(c.subject("", c.After, &r)), false)
	}
	if c.IsEnded && !c.IsMade {
		return &r
	}
	for _, name := range c.After.Names() {
		c.attribute(name, &r)
	}
	c.guests(&r)
	return &r
}

// Stays returns what an object goes on giving after its resource is removed from the state. That is what creating it would mean,
// or otherwise what destroying it would mean. Most statements about computed classes have no text.
func (c *Change) Stays() []Statement {
	made := Change{
		Of: c.Of, Address: c.Address, Before: c.After, After: c.Before, IsMade: true, Names: c.Names,
		IsSet: func(string) bool { return true }, IsComputed: func(string, *Row) bool { return false },
	}
	all := made.Says().Statements
	role, _ := c.Before.Value("role").Data.(string)
	_, isAccount := c.Of.Attribute("full_name")
	isHarmless := !isAccount && (role == zulip.RoleMember.String() || role == zulip.RoleGuest.String())
	for _, name := range c.Before.Names() {
		row, known := c.Of.Attribute(name)
		if !known || !row.Class.IsComputed() || c.Before.Value(name).IsNone() || row.Class == Role && isHarmless {
			continue
		}
		if !slices.ContainsFunc(all, func(s Statement) bool { return s.Class == row.Class }) {
			text := ""
			if row.Class == Role && role != "" {
				text = fmt.Sprintf("The role is %s.", role)
			}
			all = append(all, Statement{Class: row.Class, Where: c.Where(c.Before), Text: text})
		}
	}
	if len(all) == 0 && c.Of.Destroyed != nil {
		all = append(all, Statement{Class: c.Of.Destroyed.Class, Where: c.Where(c.Before)})
	}
	return all
}

// guests adds that an invitation is for guests, if there is a statement about who joins by it.
func (c *Change) guests(r *Result) {
	if _, invites := c.Of.Attribute("invite_as"); !invites || !slices.ContainsFunc(r.Statements, func(s Statement) bool { return s.Class == Joining }) {
		return
	}
	switch as := c.After.Value("invite_as"); {
	case as.IsUnknown:
		r.Statements = append(r.Statements, Statement{External, c.Where(c.After), "Anyone who uses it might join as a guest.", true})
	case as.Data == zulip.RoleGuest.String():
		r.Statements = append(r.Statements, Statement{External, c.Where(c.After), "Anyone who uses it joins as a guest.", false})
	}
}

func (r *Result) say(row *Row, where, text string, isUncertain bool) {
	r.IsSaid = true
	r.Statements = append(r.Statements, Statement{row.Class, where, text, isUncertain})
}

func (c *Change) attribute(name string, r *Result) {
	row, known := c.Of.Attribute(name)
	s := c.subject(name, c.After, r)
	if !Same(s.Before, s.After) {
		c.resolveDefault(&s)
	}
	switch {
	case (s.After.IsUnknown || known && row.Class == None) && !c.IsSet(name), !c.IsMade && Same(s.Before, s.After), c.IsMade && s.After.IsNone():
		return
	case !known:
		r.Unknown = append(r.Unknown, fmt.Sprintf("This version doesn't know the attribute %s of %s.", name, c.Address))
	case !row.Fits(s.Before) || !row.Fits(s.After):
		r.Unknown = append(r.Unknown, fmt.Sprintf("%s of %s has an unknown type: this version expects a %s.", name, c.Address, row.Kind))
	case c.IsComputed(name, row):
		r.IsSaid = r.IsSaid || c.Of.NamedBy == "" // other reports name the resource if there is an effect
		return
	default:
		text := row.Says(s)
		if text == "" || c.IsInactive && row.Class == SignIn {
			break
		}
		r.say(row, c.where(), text, s.After.IsUnknown)
		return
	}
	if !c.IsMade || c.ListsAll && row != nil && row.Class != None {
		r.Differences = append(r.Differences, Difference{name, c.words(name, s.Before, r), c.words(name, s.After, r)})
	}
}

// realmDefault is the value of the retention of a channel that has the organization's retention.
const realmDefault = "realm_default"

// resolveDefault replaces realm_default by the organization's retention in days.
func (c *Change) resolveDefault(s *Subject) {
	if c.Retention == nil || s.Before.Data != realmDefault && s.After.Data != realmDefault {
		return
	}
	before, after := c.Retention()
	if s.Before.Data == realmDefault {
		s.Before = before
	}
	if s.After.Data == realmDefault {
		s.After = after
	}
}

func (c *Change) words(name string, v Value, r *Result) Words {
	w := Words{IsUnknown: v.IsUnknown}
	if texts := c.elements(name, v, r); len(texts) > 0 {
		w.Texts = texts
	} else if _, isList := v.Data.([]any); v.Data != nil && (!isList || !v.IsUnknown) {
		w.Texts = []string{c.inWords(name, Value{Data: v.Data, IsSecret: v.IsSecret}, r)}
	}
	return w
}

// Same reports whether two values are certainly equal. The order of lists does not affect access.
func Same(a, b Value) bool {
	return !a.IsUnknown && !b.IsUnknown && reflect.DeepEqual(sorted(a.Data), sorted(b.Data))
}

func sorted(held any) any {
	list, ok := held.([]any)
	if !ok {
		return held
	}
	return slices.SortedFunc(slices.Values(list), func(a, b any) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
}

// subject is the change of an attribute. of are the attributes from which sentences take other values.
func (c *Change) subject(name string, of Attributes, r *Result) Subject {
	return Subject{
		Before: c.Before.Value(name), After: c.After.Value(name), IsNew: c.IsMade,
		InWords: func(v Value) string { return c.inWords(name, v, r) },
		Other:   func(other string) string { return c.inWords(other, of.Value(other), r) },
	}
}

// where names the object of the change of an attribute, with the earlier name if the change renames it.
func (c *Change) where() string {
	if c.IsMade {
		return c.Where(c.After)
	}
	before, after := c.Before.Value(c.Of.NamedBy), c.After.Value(c.Of.NamedBy)
	was, wasText := before.Data.(string)
	_, isText := after.Data.(string)
	if !wasText || !isText || before.IsSecret || after.IsSecret || Same(before, after) {
		return c.Where(c.Before)
	}
	return fmt.Sprintf("%s (was %q)", c.Where(c.After), shortened(was))
}

// action is the word of the table for an action.
const action = "action"

// Where names the object of the change in words.
func (c *Change) Where(of Attributes) string {
	if c.Of.Called == action {
		return c.Address
	}
	if c.Of.NamedBy == "" {
		return "the " + c.Of.Called
	}
	value := of.Value(c.Of.NamedBy)
	if value.Data == nil || value.IsSecret {
		return c.Of.Called + " " + c.Address
	}
	if number, ok := value.Data.(float64); ok {
		return fmt.Sprintf("%s %.0f", c.Of.Called, number)
	}
	text := shortened(strings.TrimPrefix(fmt.Sprint(value.Data), "name:"))
	if c.Of.NamedBy == "email" || c.Of.NamedBy == "user" || c.Of.NamedBy == "domain" {
		return c.Of.Called + " " + text
	}
	return fmt.Sprintf("%s %q", c.Of.Called, text)
}

// Value is a value of an attribute.
type Value struct {
	// Data is the value as JSON has it; nil is no value.
	Data any
	// IsUnknown is true if the value, or a part of it, is not known yet.
	IsUnknown bool
	// IsSecret is true if the value must not be shown.
	IsSecret bool
}

// IsNone reports whether there is certainly no value.
func (v Value) IsNone() bool { return v.Data == nil && !v.IsUnknown }

// Fits reports whether the known part of the value has the type of the schema.
func (r *Row) Fits(v Value) bool {
	if v.Data == nil {
		return true
	}
	kind := ""
	switch v.Data.(type) {
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
	// IsNew is true if the change creates the object of the attribute.
	IsNew bool
	// InWords writes a value for people. Other writes the value of another attribute after the change.
	InWords func(Value) string
	Other   func(attribute string) string
}

// Says returns the sentence about a change; "" if it has none. The two values differ.
func (r *Row) Says(s Subject) string {
	if r.Sentence == "" || !r.applies(s) {
		return ""
	}
	return r.Fill(s)
}

// applies reports whether the change is of a kind that has a sentence. An unknown value may be of any kind.
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
		return s.After.Data == (r.When == "true")
	case "more":
		return len(added(s.Before, s.After)) > 0
	case "fewer":
		return !s.IsNew && len(added(s.After, s.Before)) > 0
	case "shorter":
		return !s.IsNew && limit(s.After) < limit(s.Before)
	case "longer":
		return !s.IsNew && limit(s.After) > limit(s.Before)
	}
	return false
}

// limit returns a limit as a number. Anything else, such as "unlimited" or no value, is no limit.
func limit(v Value) float64 {
	switch held := v.Data.(type) {
	case float64:
		return held
	case string:
		if number, err := strconv.ParseFloat(held, 64); err == nil {
			return number
		}
	}
	return math.Inf(1)
}

// added returns the elements that are only in the later list.
func added(before, after Value) []any {
	was, _ := before.Data.([]any)
	is, _ := after.Data.([]any)
	return slices.DeleteFunc(slices.Clone(is), func(element any) bool {
		return slices.ContainsFunc(was, func(old any) bool { return identity(old) == identity(element) })
	})
}

// identity returns the key of an option, whose text can change, or the whole element of another list.
func identity(element any) string {
	if option, ok := element.(map[string]any); ok && option["key"] != nil {
		element = option["key"]
	}
	return fmt.Sprint(element)
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
			return s.InWords(Value{Data: added(s.Before, s.After), IsUnknown: s.After.IsUnknown, IsSecret: s.After.IsSecret})
		case "removed":
			if s.After.IsUnknown {
				return s.InWords(s.After)
			}
			return s.InWords(Value{Data: added(s.After, s.Before), IsSecret: s.Before.IsSecret})
		case "changes":
			return s.changes()
		default:
			return s.Other(name)
		}
	})
}

// changes says which elements of a list are added and removed.
func (s Subject) changes() string {
	var parts []string
	if in := added(s.Before, s.After); len(in) > 0 {
		parts = append(parts, s.InWords(Value{Data: in, IsSecret: s.After.IsSecret})+" is added")
	}
	if out := added(s.After, s.Before); len(out) > 0 && !s.After.IsUnknown {
		parts = append(parts, s.InWords(Value{Data: out, IsSecret: s.Before.IsSecret})+" is removed")
	}
	if s.After.IsUnknown {
		parts = append(parts, "some elements aren't known yet")
	}
	return strings.Join(parts, ", ")
}
