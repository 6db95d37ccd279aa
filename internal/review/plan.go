package review

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Plan is what a review needs of a plan: the changes of this provider's resources, and which provider configuration
// each belongs to.
type Plan struct {
	// Providers are the provider configurations of the resources that change, as plans write them: zulip,
	// zulip.staging. Sorted.
	Providers []string

	changes []*change
	// elsewhere counts the changes of other providers.
	elsewhere int
	// incomplete says that the tool planned only a part: with -target, or because something has to be applied first.
	incomplete bool
}

// maxPlan is how large a plan may be, in bytes, so that a wrong file does not fill the memory.
const maxPlan = 1 << 30

// document is the JSON form of a plan, as far as it is read (format version 1.x).
type document struct {
	FormatVersion   string            `json:"format_version"`
	Errored         bool              `json:"errored"`
	Complete        *bool             `json:"complete"`
	ResourceChanges []*change         `json:"resource_changes"`
	PlannedValues   json.RawMessage   `json:"planned_values"`
	Configuration   *rootModuleConfig `json:"configuration"`
}

type rootModuleConfig struct {
	RootModule moduleConfig `json:"root_module"`
}

type moduleConfig struct {
	Resources   []*resourceConfig `json:"resources"`
	ModuleCalls map[string]struct {
		Module moduleConfig `json:"module"`
	} `json:"module_calls"`
}

type resourceConfig struct {
	Address           string                     `json:"address"`
	ProviderConfigKey string                     `json:"provider_config_key"`
	Expressions       map[string]json.RawMessage `json:"expressions"`
}

// change is the change of one resource.
type change struct {
	Address       string `json:"address"`
	ModuleAddress string `json:"module_address"`
	Mode          string `json:"mode"`
	Type          string `json:"type"`
	ProviderName  string `json:"provider_name"`
	Change        struct {
		Actions      []string                   `json:"actions"`
		Before       map[string]json.RawMessage `json:"before"`
		After        map[string]json.RawMessage `json:"after"`
		AfterUnknown json.RawMessage            `json:"after_unknown"`
	} `json:"change"`

	unknown  map[string]json.RawMessage // by attribute
	config   *resourceConfig            // nil if the configuration has the resource no more
	provider string                     // "" if it cannot be told
}

// ParsePlan reads what `terraform show -json PLAN` and `tofu show -json PLAN` print. The errors are for people.
func ParsePlan(r io.Reader) (*Plan, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxPlan+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxPlan {
		return nil, fmt.Errorf("the plan is larger than %d bytes", maxPlan)
	}
	var doc document
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("this is not a plan in JSON: %w; make one with `terraform show -json PLAN` or `tofu show -json PLAN`", err)
	}
	if err := doc.check(); err != nil {
		return nil, err
	}
	plan := &Plan{incomplete: doc.Complete != nil && !*doc.Complete}
	configs := doc.configs()
	for _, change := range doc.ResourceChanges {
		if change == nil || change.Mode != "managed" || change.does("no-op") {
			continue
		}
		if !isOurs(change.ProviderName) {
			plan.elsewhere++
			continue
		}
		if err := change.prepare(configs); err != nil {
			return nil, err
		}
		plan.changes = append(plan.changes, change)
	}
	plan.nameProviders()
	return plan, nil
}

// isOurs reports whether a provider's source address is this provider's: at any registry, and in any namespace, since a
// copy that is not reviewed is worse than another provider that is.
func isOurs(address string) bool {
	return address[strings.LastIndex(address, "/")+1:] == "zulip"
}

// check refuses what is not a plan, or one that cannot be read for certain.
func (d *document) check() error {
	switch {
	case d.FormatVersion == "":
		return errors.New("this JSON is not a plan: it has no format_version; make one with `terraform show -json PLAN` or `tofu show -json PLAN`")
	case !strings.HasPrefix(d.FormatVersion, "1."):
		return fmt.Errorf("the plan has format version %q; this review reads 1.x", d.FormatVersion)
	case d.Errored:
		return errors.New("the plan ended in an error: it cannot be applied, and does not hold all that would change")
	case d.PlannedValues == nil && d.ResourceChanges == nil:
		return errors.New("this JSON holds a state or something else, not a plan; make one with `terraform show -json PLAN`, where PLAN is a saved plan")
	}
	return nil
}

// nameProviders collects the provider configurations. What the configuration has no more belongs to the only one there
// is; with several it cannot be told.
func (p *Plan) nameProviders() {
	for _, change := range p.changes {
		if change.provider != "" {
			p.Providers = append(p.Providers, change.provider)
		}
	}
	slices.Sort(p.Providers)
	p.Providers = slices.Compact(p.Providers)
	if len(p.changes) > 0 && len(p.Providers) == 0 {
		p.Providers = []string{"zulip"}
	}
	if len(p.Providers) != 1 {
		return
	}
	for _, change := range p.changes {
		change.provider = p.Providers[0]
	}
}

// IsEmpty reports whether the plan changes nothing of this provider.
func (p *Plan) IsEmpty() bool { return len(p.changes) == 0 }

// instanceKeys are what counts and for_each add to an address: [0], ["a"]. A key is a JSON string, and may hold
// brackets.
var instanceKeys = regexp.MustCompile(`\[(?:\d+|"(?:[^"\\]|\\.)*")\]`)

// withoutKeys is an address as the configuration has it.
func withoutKeys(address string) string { return instanceKeys.ReplaceAllString(address, "") }

// configs returns the resources of the configuration by their address, modules included.
func (d *document) configs() map[string]*resourceConfig {
	all := map[string]*resourceConfig{}
	if d.Configuration != nil {
		d.Configuration.RootModule.collect("", all)
	}
	return all
}

func (m *moduleConfig) collect(prefix string, all map[string]*resourceConfig) {
	for _, resource := range m.Resources {
		if resource != nil {
			all[prefix+resource.Address] = resource
		}
	}
	for name, call := range m.ModuleCalls {
		call.Module.collect(prefix+"module."+name+".", all)
	}
}

// prepare ties a change to its configuration.
func (c *change) prepare(configs map[string]*resourceConfig) error {
	if unknown := c.Change.AfterUnknown; len(unknown) > 0 && unknown[0] == '{' {
		if err := json.Unmarshal(unknown, &c.unknown); err != nil {
			return fmt.Errorf("%s: after_unknown: %w", c.Address, err)
		}
	}
	if c.config = configs[withoutKeys(c.Address)]; c.config != nil {
		c.provider = c.config.ProviderConfigKey
	}
	return nil
}

// does reports whether an action is among those of the change: create, update, delete, no-op, forget.
func (c *change) does(action string) bool { return slices.Contains(c.Change.Actions, action) }

// isSet reports whether the configuration sets an attribute; what the configuration does not tell counts as set.
func (c *change) isSet(attribute string) bool {
	if c.config == nil {
		return true
	}
	_, set := c.config.Expressions[attribute]
	return set
}

// refersTo returns the address of the resource whose attribute the configuration writes, and nothing else, for one of
// this change's: without instance keys, in the same module. "" if that cannot be told.
func (c *change) refersTo(attribute string) string {
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
		parts := strings.Split(withoutKeys(reference), ".")
		if len(parts) < 2 || !strings.HasPrefix(parts[0], "zulip_") || withoutKeys(reference) != reference {
			return ""
		}
		resources[parts[0]+"."+parts[1]] = true
	}
	if len(resources) != 1 {
		return ""
	}
	for resource := range resources {
		if c.ModuleAddress != "" {
			return c.ModuleAddress + "." + resource
		}
		return resource
	}
	return ""
}

// moment is a resource before or after its change.
type moment struct {
	values  map[string]json.RawMessage
	unknown map[string]json.RawMessage
}

func (c *change) before() moment { return moment{values: c.Change.Before} }

func (c *change) after() moment { return moment{values: c.Change.After, unknown: c.unknown} }

// isUnknown reports whether an attribute, or a part of it, is not known yet.
func (m moment) isUnknown(attribute string) bool { return holdsTrue(m.unknown[attribute]) }

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

// text returns an attribute that is a string; ok is false where it is null, absent or not known.
func (m moment) text(attribute string) (text string, ok bool) {
	var value *string
	if m.isUnknown(attribute) || json.Unmarshal(m.values[attribute], &value) != nil || value == nil {
		return "", false
	}
	return *value, true
}

// number returns an attribute that is a whole number; ok is false where it is null, absent or not known.
func (m moment) number(attribute string) (number int64, ok bool) {
	var value *int64
	if m.isUnknown(attribute) || json.Unmarshal(m.values[attribute], &value) != nil || value == nil {
		return 0, false
	}
	return *value, true
}

// flag returns an attribute that is true or false; ok is false where it is null, absent or not known.
func (m moment) flag(attribute string) (flag, ok bool) {
	var value *bool
	if m.isUnknown(attribute) || json.Unmarshal(m.values[attribute], &value) != nil || value == nil {
		return false, false
	}
	return *value, true
}

func (m moment) isTrue(attribute string) bool {
	var value bool
	return json.Unmarshal(m.values[attribute], &value) == nil && value
}

// list returns the known elements of a set or list of strings or numbers, whether there are others that are not known
// yet, and whether the attribute is there at all.
func (m moment) list(attribute string) (elements []string, unknown, ok bool) {
	unknown = m.isUnknown(attribute)
	var values []json.RawMessage
	if json.Unmarshal(m.values[attribute], &values) != nil || values == nil {
		return nil, unknown, unknown
	}
	elements = make([]string, 0, len(values))
	for _, raw := range values {
		var text *string
		if json.Unmarshal(raw, &text) == nil {
			if text != nil {
				elements = append(elements, *text)
			}
			continue
		}
		elements = append(elements, string(raw))
	}
	slices.Sort(elements)
	return elements, unknown, true
}
