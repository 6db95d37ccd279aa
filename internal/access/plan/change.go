package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
)

// Change is the change of one resource.
type Change struct {
	// Address is cut if it is very long.
	Address       string `json:"address"`
	ModuleAddress string `json:"module_address"`
	Mode          string `json:"mode"`
	Type          string `json:"type"`
	ProviderName  string `json:"provider_name"`
	Values        struct {
		Actions      []string                   `json:"actions"`
		Before       map[string]json.RawMessage `json:"before"`
		After        map[string]json.RawMessage `json:"after"`
		AfterUnknown json.RawMessage            `json:"after_unknown"`
		// BeforeSensitive and AfterSensitive are objects with true where a value must not be shown.
		BeforeSensitive json.RawMessage `json:"before_sensitive"`
		AfterSensitive  json.RawMessage `json:"after_sensitive"`
	} `json:"change"`
	// Provider is the provider configuration; empty if the plan does not tell it.
	Provider string `json:"-"`
	// IsOfUnknownInstance is true if the provider configuration is of several organizations, and the plan does not tell the
	// resource's organization.
	IsOfUnknownInstance bool `json:"-"`
	// A replaced resource is two changes. Replaces is the change that destroys the old object, ReplacedBy the change that
	// creates the new one. IsMadeFirst is true in both if the new object is created first.
	Replaces, ReplacedBy *Change `json:"-"`
	IsMadeFirst          bool    `json:"-"`

	// By attribute: the unknown values, and the sensitive values before and after.
	unknown, beforeSecret, afterSecret map[string]json.RawMessage
	config                             *resourceConfig // nil if the configuration no longer has the resource
	place                              *place          // of the expressions of config
}

// prepare ties a change to its configuration.
func (c *Change) prepare(configs map[string]*resourceConfig, all *instances, root *moduleConfig) error {
	if c.config = configs[WithoutKeys(c.Address)]; c.config != nil {
		c.Provider = c.config.ProviderConfigKey
		c.place = all.placeOf(root, c, c.config)
	}
	c.Address = cutAddress(c.Address)
	for _, marks := range []struct {
		name        string
		raw         json.RawMessage
		byAttribute *map[string]json.RawMessage
	}{
		{"after_unknown", c.Values.AfterUnknown, &c.unknown},
		{"before_sensitive", c.Values.BeforeSensitive, &c.beforeSecret},
		{"after_sensitive", c.Values.AfterSensitive, &c.afterSecret},
	} {
		if len(marks.raw) == 0 || marks.raw[0] != '{' { // false: no part is
			continue
		}
		if err := json.Unmarshal(marks.raw, marks.byAttribute); err != nil {
			return fmt.Errorf("%s: %s: %w", c.Address, marks.name, err)
		}
	}
	return nil
}

// halves returns the two changes of a replaced resource: the destruction, which has only values before, and the creation,
// which has only values after. It returns any other change alone.
func (c *Change) halves() []*Change {
	if !c.Does("create") || len(c.Values.Actions) < 2 {
		return []*Change{c}
	}
	end, made := *c, *c
	end.IsMadeFirst = c.Values.Actions[0] == "create"
	made.IsMadeFirst = end.IsMadeFirst
	end.Values.Actions = slices.DeleteFunc(slices.Clone(c.Values.Actions), func(action string) bool { return action == "create" })
	end.Values.After, end.unknown, end.afterSecret = nil, nil, nil
	made.Values.Actions = []string{"create"}
	made.Values.Before, made.beforeSecret = nil, nil
	end.ReplacedBy, made.Replaces = &made, &end
	return []*Change{&end, &made}
}

// Does reports whether an action is among those of the change: create, update, delete, no-op, forget, [Invoke].
func (c *Change) Does(action string) bool { return slices.Contains(c.Values.Actions, action) }

// IsSet reports whether the configuration sets an attribute. It is true if the configuration does not tell, and for an
// expression that may be null: only a written null leaves an attribute unset.
func (c *Change) IsSet(attribute string) bool {
	if c.config == nil {
		return true
	}
	written, set := c.config.Expressions[attribute]
	return set && !isNull(written)
}

// SetsUnknown reports whether the configuration sets an attribute to a value that, or a part of which, is not known yet.
func (c *Change) SetsUnknown(attribute string) bool {
	return c.After().IsUnknown(attribute) && c.IsSet(attribute)
}

// isNull reports whether an expression is a written null: {"constant_value": null}. A function that refers to nothing, such
// as timestamp(), has no constant_value.
func isNull(written json.RawMessage) bool {
	var constant struct {
		Value json.RawMessage `json:"constant_value"`
	}
	return json.Unmarshal(written, &constant) == nil && string(constant.Value) == "null"
}

// Attributes are the attributes of a resource before or after its change.
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

// HasAfter reports whether the resource exists after the change.
func (c *Change) HasAfter() bool { return c.Values.After != nil }

// After is the planned resource.
func (c *Change) After() Attributes {
	return Attributes{resource: c.Type, values: c.Values.After, unknown: c.unknown, secret: c.afterSecret}
}

// Latest is the planned resource, or the resource as it is if the change ends it.
func (c *Change) Latest() Attributes {
	if c.HasAfter() {
		return c.After()
	}
	return c.Before()
}

// Names lists the attributes that exist or aren't known yet.
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
	_ = json.Unmarshal(a.values[attribute], &value.Data) // part of a parsed document
	value.IsUnknown, value.IsSecret = a.IsUnknown(attribute), a.IsSecret(attribute)
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
		return slices.ContainsFunc(slices.Collect(maps.Values(value)), anyTrue)
	}
	return false
}

// UnknownElements counts the elements of a list that aren't known yet. ok is false if their number isn't known either.
func (a Attributes) UnknownElements(attribute string) (count int, ok bool) {
	var elements []bool
	if json.Unmarshal(a.unknown[attribute], &elements) != nil {
		return 0, false
	}
	return len(lists.Where(elements, func(isUnknown bool) bool { return isUnknown })), true
}

// Masked is shown in place of a text that the plan marks as sensitive.
const Masked = "(sensitive value)"

// Text returns an attribute that is a string as it can be shown.
func (a Attributes) Text(attribute string) (text string, ok bool) {
	text, ok = a.Plain(attribute)
	if ok && a.IsSecret(attribute) {
		return Masked, true
	}
	return text, ok
}

// IsSecret reports whether the plan marks an attribute, or a part of it, as sensitive.
func (a Attributes) IsSecret(attribute string) bool { return holdsTrue(a.secret[attribute]) }

// held returns an attribute of a type. ok is false if it is null, absent or unknown.
func held[T any](a Attributes, attribute string) (value T, ok bool) {
	var held *T
	if a.IsUnknown(attribute) || json.Unmarshal(a.values[attribute], &held) != nil || held == nil {
		return value, false
	}
	return *held, true
}

// Plain returns an attribute that is a string, cut if it is longer than servers accept. ok is false if it is null, absent or
// unknown. It can be sensitive: nothing shows it.
func (a Attributes) Plain(attribute string) (text string, ok bool) {
	text, ok = held[string](a, attribute)
	return cut(text, limitOf(a.resource, attribute)), ok
}

// Number returns an attribute that is a whole number. ok is false if it is null, absent or unknown.
func (a Attributes) Number(attribute string) (number int64, ok bool) {
	return held[int64](a, attribute)
}

// Flag returns an attribute that is true or false. ok is false if it is null, absent or unknown.
func (a Attributes) Flag(attribute string) (flag, ok bool) { return held[bool](a, attribute) }

// IsTrue reports whether an attribute is known to be true.
func (a Attributes) IsTrue(attribute string) bool {
	flag, ok := a.Flag(attribute)
	return ok && flag
}

// List returns the known elements of a list or set of strings or numbers, cut like [Attributes.Plain]. It also returns
// whether other elements are unknown, and whether the attribute exists. They can be sensitive: nothing shows them.
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

// IDs returns the IDs that an attribute has for the texts of another one. Both are a string and a number, or lists with an
// element for each other's. Other texts have none.
func (a Attributes) IDs(texts, ids string) map[string]int64 {
	found := map[string]int64{}
	if text, ok := a.Plain(texts); ok {
		if id, ok := a.Number(ids); ok {
			found[text] = id
		}
		return found
	}
	var words []*string
	var numbers []*int64
	if json.Unmarshal(a.values[texts], &words) != nil || json.Unmarshal(a.values[ids], &numbers) != nil || len(words) != len(numbers) {
		return found
	}
	for i, word := range words {
		if word != nil && numbers[i] != nil {
			found[*word] = *numbers[i]
		}
	}
	return found
}
