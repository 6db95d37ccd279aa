package meaning

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Attributes are those of a thing at one time.
type Attributes interface {
	// Names lists those that are there or not known yet.
	Names() []string
	// Value returns one; that of an attribute that is not there is none.
	Value(name string) Value
}

// Names are what IDs stand for. Each function returns false for what is not there, or not to be seen.
type Names interface {
	ChannelName(id int64) (string, bool)
	GroupName(id int64) (string, bool)
}

// Change is a change of one thing: of a resource in a plan, or of what two audits have.
type Change struct {
	Of *Type
	// Address is what messages call it.
	Address       string
	Before, After Attributes
	// IsMade and IsEnded say that it is made or ends; both, that another takes its place.
	IsMade, IsEnded bool
	// IsSet reports whether an attribute that is not known yet is set by a configuration; else the server decides.
	IsSet func(name string) bool
	// IsComputed reports whether what follows from an attribute is said elsewhere.
	IsComputed func(name string, row *Row) bool
	// ListsAll says that the attributes of what is made are differences too.
	ListsAll bool
	// Names may be nil.
	Names Names
}

// Statement is what a change means.
type Statement struct {
	Class Class
	// Where is what it is about, in words, Text a sentence.
	Where, Text string
	// IsUncertain says that it depends on what is not known yet.
	IsUncertain bool
}

// Difference is an attribute that differs, and of which nothing is said. Before and After are in words.
type Difference struct {
	Name          string
	Before, After Words
}

// Words is a value in words.
type Words struct {
	Text              string
	IsNone, IsUnknown bool
}

// Result is what there is to say of a change.
type Result struct {
	Statements  []Statement
	Differences []Difference
	// Unknown says in sentences what is not known, or what this version does not know.
	Unknown []string
	// IsSaid says that everything that changes stands elsewhere, or in a statement.
	IsSaid bool
}

// Says returns what a change means.
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

// guests says that an invitation makes guests, where anything is said of who joins by it.
func (c *Change) guests(r *Result) {
	if _, invites := c.Of.Attribute("invite_as"); !invites || !slices.ContainsFunc(r.Statements, func(s Statement) bool { return s.Class == Joining }) {
		return
	}
	switch as := c.After.Value("invite_as"); {
	case as.IsUnknown:
		r.Statements = append(r.Statements, Statement{External, c.Where(c.After), "Whoever joins by it may be a guest.", true})
	case as.Held == zulip.RoleGuest.String():
		r.Statements = append(r.Statements, Statement{External, c.Where(c.After), "Whoever joins by it is a guest.", false})
	}
}

func (r *Result) say(row *Row, where, text string, isUncertain bool) {
	r.IsSaid = true
	r.Statements = append(r.Statements, Statement{row.Class, where, text, isUncertain})
}

func (c *Change) attribute(name string, r *Result) {
	row, known := c.Of.Attribute(name)
	s := c.subject(name, c.After, r)
	switch {
	case s.After.IsUnknown && !c.IsSet(name), !c.IsMade && Same(s.Before, s.After), c.IsMade && s.After.IsNone():
		return
	case !known:
		r.Unknown = append(r.Unknown, fmt.Sprintf("This version does not know what %s of %s means.", name, c.Address))
	case !row.Fits(s.Before) || !row.Fits(s.After):
		r.Unknown = append(r.Unknown, fmt.Sprintf("%s of %s is not what this version knows: it should be a %s.", name, c.Address, row.Kind))
	case c.IsComputed(name, row):
		r.IsSaid = true
		return
	default:
		text := row.Says(s)
		if text == "" {
			break
		}
		where := c.Where(c.After)
		if !c.IsMade {
			where = c.Where(c.Before)
		}
		r.say(row, where, text, s.After.IsUnknown)
		return
	}
	if !c.IsMade || c.ListsAll && row != nil && row.Class != None {
		r.Differences = append(r.Differences, Difference{name, words(s.Before, s.InWords), words(s.After, s.InWords)})
	}
}

func words(v Value, inWords func(Value) string) Words {
	if v.Held == nil {
		return Words{IsNone: !v.IsUnknown, IsUnknown: v.IsUnknown}
	}
	return Words{Text: inWords(v), IsUnknown: v.IsUnknown}
}

// Same reports whether nothing differs for certain. The order of lists does not matter to access.
func Same(a, b Value) bool {
	return !a.IsUnknown && !b.IsUnknown && reflect.DeepEqual(sorted(a.Held), sorted(b.Held))
}

func sorted(held any) any {
	list, ok := held.([]any)
	if !ok {
		return held
	}
	return slices.SortedFunc(slices.Values(list), func(a, b any) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
}

// subject is the change of an attribute; of are the attributes that sentences take others from.
func (c *Change) subject(name string, of Attributes, r *Result) Subject {
	return Subject{
		Before: c.Before.Value(name), After: c.After.Value(name), IsNew: c.IsMade,
		InWords: func(v Value) string { return c.inWords(name, v, r) },
		Other:   func(other string) string { return c.inWords(other, of.Value(other), r) },
	}
}

// Where is what the change is about, in words.
func (c *Change) Where(of Attributes) string {
	if c.Of.NamedBy == "" {
		return "the " + c.Of.Called
	}
	value := of.Value(c.Of.NamedBy)
	if value.Held == nil || value.IsSecret {
		return c.Of.Called + " " + c.Address
	}
	if number, ok := value.Held.(float64); ok {
		return fmt.Sprintf("%s %.0f", c.Of.Called, number)
	}
	text := shortened(strings.TrimPrefix(fmt.Sprint(value.Held), "name:"))
	if c.Of.NamedBy == "email" || c.Of.NamedBy == "user" || c.Of.NamedBy == "domain" {
		return c.Of.Called + " " + text
	}
	return fmt.Sprintf("%s %q", c.Of.Called, text)
}
