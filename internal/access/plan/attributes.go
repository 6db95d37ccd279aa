package plan

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
)

// Attributes are those of a resource before or after its change.
type Attributes struct {
	resource string // its type
	values   map[string]json.RawMessage
	unknown  map[string]json.RawMessage
	secret   map[string]json.RawMessage
}

// Before is the resource as it is.
func (c *Change) Before() Attributes {
	return Attributes{resource: c.Type, values: c.Values.Before, secret: c.beforeSecret}
}

// HasAfter reports whether the resource is there after the change.
func (c *Change) HasAfter() bool { return c.Values.After != nil }

// After is the resource as it is planned.
func (c *Change) After() Attributes {
	return Attributes{resource: c.Type, values: c.Values.After, unknown: c.unknown, secret: c.afterSecret}
}

// Names lists the attributes that are there or not known yet.
func (a Attributes) Names() []string {
	names := slices.Collect(maps.Keys(a.values))
	for name := range a.unknown {
		if _, known := a.values[name]; !known {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Value returns an attribute as JSON has it.
func (a Attributes) Value(attribute string) (value meaning.Value) {
	_ = json.Unmarshal(a.values[attribute], &value.Held) // part of a document that was read
	value.IsUnknown, value.IsSecret = a.IsUnknown(attribute), holdsTrue(a.secret[attribute])
	return value
}

// IsUnknown reports whether an attribute, or a part of it, is not known yet.
func (a Attributes) IsUnknown(attribute string) bool { return holdsTrue(a.unknown[attribute]) }

func holdsTrue(raw json.RawMessage) bool {
	var value any
	return len(raw) > 0 && json.Unmarshal(raw, &value) == nil && anyTrue(value)
}

func anyTrue(value any) bool {
	switch value := value.(type) {
	case bool:
		return value
	case []any:
		return slices.ContainsFunc(value, anyTrue)
	case map[string]any:
		for _, element := range value {
			if anyTrue(element) {
				return true
			}
		}
	}
	return false
}

// Text returns an attribute that is a string, cut where it is longer than any server takes; ok is false where it is null, absent
// or not known.
func (a Attributes) Text(attribute string) (text string, ok bool) {
	var value *string
	if a.IsUnknown(attribute) || json.Unmarshal(a.values[attribute], &value) != nil || value == nil {
		return "", false
	}
	return cut(*value, limitOf(a.resource, attribute)), true
}

// Number returns an attribute that is a whole number; ok is false where it is null, absent or not known.
func (a Attributes) Number(attribute string) (number int64, ok bool) {
	var value *int64
	if a.IsUnknown(attribute) || json.Unmarshal(a.values[attribute], &value) != nil || value == nil {
		return 0, false
	}
	return *value, true
}

// Flag returns an attribute that is true or false; ok is false where it is null, absent or not known.
func (a Attributes) Flag(attribute string) (flag, ok bool) {
	var value *bool
	if a.IsUnknown(attribute) || json.Unmarshal(a.values[attribute], &value) != nil || value == nil {
		return false, false
	}
	return *value, true
}

// IsTrue reports whether an attribute is known to be true.
func (a Attributes) IsTrue(attribute string) bool {
	var value bool
	return json.Unmarshal(a.values[attribute], &value) == nil && value
}

// List returns the known elements of a set or list of strings or numbers, cut like those of [Attributes.Text], whether there are others that are not known
// yet, and whether the attribute is there at all.
func (a Attributes) List(attribute string) (elements []string, unknown, ok bool) {
	unknown = a.IsUnknown(attribute)
	var values []json.RawMessage
	if json.Unmarshal(a.values[attribute], &values) != nil || values == nil {
		return nil, unknown, unknown
	}
	elements = make([]string, 0, len(values))
	limit := limitOf(a.resource, attribute)
	for _, raw := range values {
		var text *string
		if json.Unmarshal(raw, &text) == nil {
			if text != nil {
				elements = append(elements, cut(*text, limit))
			}
			continue
		}
		elements = append(elements, cut(string(raw), limit))
	}
	slices.Sort(elements)
	return elements, unknown, true
}
