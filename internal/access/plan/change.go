package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Change is the change of one resource.
type Change struct {
	// Address is cut where it is very long.
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
	// Provider is the provider configuration; empty if it cannot be told.
	Provider string `json:"-"`
	// IsOfUnknownInstance says that the provider configuration is of several organizations, and that the plan does not tell which of
	// them the resource is of.
	IsOfUnknownInstance bool `json:"-"`

	// By attribute: what is not known yet, and what must not be shown of the values before and after.
	unknown, beforeSecret, afterSecret map[string]json.RawMessage
	config                             *resourceConfig // nil if the configuration has the resource no more
}

// prepare ties a change to its configuration.
func (c *Change) prepare(configs map[string]*resourceConfig) error {
	if c.config = configs[WithoutKeys(c.Address)]; c.config != nil {
		c.Provider = c.config.ProviderConfigKey
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
		if len(marks.raw) == 0 || marks.raw[0] != '{' { // false: nothing is
			continue
		}
		if err := json.Unmarshal(marks.raw, marks.byAttribute); err != nil {
			return fmt.Errorf("%s: %s: %w", c.Address, marks.name, err)
		}
	}
	return nil
}

// Does reports whether an action is among those of the change: create, update, delete, no-op, forget.
func (c *Change) Does(action string) bool { return slices.Contains(c.Values.Actions, action) }

// IsSet reports whether the configuration sets an attribute; what the configuration does not tell counts as set. An expression
// of which the plan does not know the value, although it depends on nothing that could be unknown, is null: the server decides.
func (c *Change) IsSet(attribute string) bool {
	if c.config == nil {
		return true
	}
	expression, set := c.config.Expressions[attribute]
	isNull := holdsTrue(c.unknown[attribute]) && c.config.scope.isKnown(expression, c.config.ForEach)
	return set && !isNull
}

// RefersTo returns the address of the resource whose attribute the configuration writes, and nothing else, for one of
// this change's: without instance keys, in the same module, cut like [Change.Address]. "" if that cannot be told.
func (c *Change) RefersTo(attribute string) string {
	if c.config == nil {
		return ""
	}
	var expression struct {
		References []string `json:"references"`
	}
	if json.Unmarshal(c.config.Expressions[attribute], &expression) != nil || len(expression.References) == 0 {
		return ""
	}
	resources := map[string]bool{}
	for _, reference := range expression.References {
		parts := strings.Split(WithoutKeys(reference), ".")
		if len(parts) < 2 || !strings.HasPrefix(parts[0], "zulip_") || WithoutKeys(reference) != reference {
			return ""
		}
		resources[parts[0]+"."+parts[1]] = true
	}
	if len(resources) != 1 {
		return ""
	}
	for resource := range resources {
		if c.ModuleAddress != "" {
			resource = c.ModuleAddress + "." + resource
		}
		return cutAddress(resource)
	}
	return ""
}
