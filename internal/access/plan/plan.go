// Package plan reads the JSON form of a plan of Terraform or OpenTofu, as far as a review needs it. It returns the changes
// of this provider's resources, each with its provider configuration, and the attributes before and after.
package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
)

// Plan is what a review needs of a plan: the changes of this provider's resources, and which provider configuration
// each belongs to.
type Plan struct {
	// Providers are the provider configurations of the resources that change, as plans write them: zulip,
	// zulip.staging. Sorted.
	Providers []string
	Changes   []*Change
	// Others counts the changes of other providers.
	Others int
	// Unchanged are the resources that stay as they are, as changes without an effect.
	Unchanged []*Change
	configs   map[string]*providerConfig // by the name of the provider configuration
	// IsIncomplete is true if the plan covers only a part: because of -target, or because something must be applied first.
	IsIncomplete bool
}

// document is the JSON form of a plan, as far as it is read (format version 1.x).
type document struct {
	FormatVersion   string    `json:"format_version"`
	Errored         bool      `json:"errored"`
	Complete        *bool     `json:"complete"`
	ResourceChanges []*Change `json:"resource_changes"`
	// Actions are the actions that Terraform 1.14 and newer invoke in addition to the changes.
	Actions         []*invocation     `json:"action_invocations"`
	PlannedValues   json.RawMessage   `json:"planned_values"`
	Configuration   *rootModuleConfig `json:"configuration"`
	DeferredChanges []json.RawMessage `json:"deferred_changes"`
	DeferredActions []json.RawMessage `json:"deferred_action_invocations"`
	PriorState      priorState        `json:"prior_state"`
}

// invocation is the invocation of an action.
type invocation struct {
	Address      string                     `json:"address"`
	Type         string                     `json:"type"`
	ProviderName string                     `json:"provider_name"`
	Values       map[string]json.RawMessage `json:"config_values"`
	Unknown      json.RawMessage            `json:"config_unknown"`
	Sensitive    json.RawMessage            `json:"config_sensitive"`
}

// Invoke is the action of a change that invokes an action: see [Change.Does].
const Invoke = "invoke"

// change returns the invocation as a change, with the configuration as the values after it.
func (i *invocation) change() *Change {
	c := &Change{Address: i.Address, Mode: "managed", Type: i.Type, ProviderName: i.ProviderName}
	c.Values.Actions, c.Values.After, c.Values.AfterUnknown, c.Values.AfterSensitive = []string{Invoke}, i.Values, i.Unknown, i.Sensitive
	if c.Values.After == nil {
		c.Values.After = map[string]json.RawMessage{}
	}
	return c
}

type rootModuleConfig struct {
	RootModule     moduleConfig               `json:"root_module"`
	ProviderConfig map[string]*providerConfig `json:"provider_config"`
}

type moduleConfig struct {
	Resources   []*resourceConfig          `json:"resources"`
	Actions     []*resourceConfig          `json:"actions"`
	ModuleCalls map[string]*moduleCall     `json:"module_calls"`
	Outputs     map[string]json.RawMessage `json:"outputs"`
}

type moduleCall struct {
	Module      moduleConfig               `json:"module"`
	Expressions map[string]json.RawMessage `json:"expressions"`
	ForEach     json.RawMessage            `json:"for_each_expression"`
}

type resourceConfig struct {
	Address           string                     `json:"address"`
	ProviderConfigKey string                     `json:"provider_config_key"`
	Expressions       map[string]json.RawMessage `json:"expressions"`
	ForEach           json.RawMessage            `json:"for_each_expression"`
}

// Parse reads what `terraform show -json PLAN` and `tofu show -json PLAN` print. The errors are for people.
func Parse(data []byte) (*Plan, error) {
	var doc document
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("this isn't a plan in JSON: %w; make one with `terraform show -json PLAN` or `tofu show -json PLAN`", err)
	}
	if err := doc.check(); err != nil {
		return nil, err
	}
	plan := &Plan{IsIncomplete: !doc.isComplete()}
	if doc.Configuration == nil {
		doc.Configuration = &rootModuleConfig{}
	}
	plan.configs = doc.Configuration.ProviderConfig
	configs := doc.configs()
	changes, all := doc.ResourceChanges, instancesIn(doc.ResourceChanges)
	for _, action := range doc.Actions {
		if action != nil {
			changes = append(changes, action.change())
		}
	}
	for _, change := range changes {
		if change == nil || change.Mode != "managed" {
			continue
		}
		isUnchanged := change.Does("no-op")
		if !isOurs(change.ProviderName) {
			if !isUnchanged {
				plan.Others++
			}
			continue
		}
		if err := change.prepare(configs, all, &doc.Configuration.RootModule); err != nil {
			return nil, err
		}
		if isUnchanged {
			plan.Unchanged = append(plan.Unchanged, change)
		} else {
			plan.Changes = append(plan.Changes, change.halves()...)
		}
	}
	plan.nameProviders(configs)
	return plan, nil
}

// isOurs reports whether a provider's source address is this provider's, at any registry and in any namespace. Not to review
// a copy of this provider would be worse than to review a foreign provider.
func isOurs(address string) bool {
	return address[strings.LastIndex(address, "/")+1:] == "zulip"
}

// check returns an error for anything that is not a plan, or a plan that can't be read reliably.
func (d *document) check() error {
	switch {
	case d.FormatVersion == "":
		return errors.New("this JSON isn't a plan: it has no format_version; make one with `terraform show -json PLAN` or `tofu show -json PLAN`")
	case !strings.HasPrefix(d.FormatVersion, "1."):
		return fmt.Errorf("the plan has format version %q; this review reads 1.x", d.FormatVersion)
	case d.Errored:
		return errors.New("the plan ended in an error: it can't be applied and lacks changes")
	case d.PlannedValues == nil && d.ResourceChanges == nil && d.Actions == nil:
		return errors.New("this JSON isn't a plan, but perhaps a state; make a plan with `terraform show -json PLAN`, where PLAN is a saved plan")
	}
	return nil
}

// nameProviders collects the provider configurations. A change without one in the plan belongs to the only provider
// configuration. If there are several, even unchanged ones, it belongs to none.
func (p *Plan) nameProviders(resources map[string]*resourceConfig) {
	used := map[string]bool{}
	for _, resource := range resources {
		used[resource.ProviderConfigKey] = true
	}
	var configured []string
	for name, config := range p.configs {
		if config != nil && isOurs(cmp.Or(config.FullName, config.Name)) && (used[name] || config.Expressions != nil || config.Alias != "") {
			configured = append(configured, name)
		}
	}
	slices.Sort(configured)
	p.Providers = lists.Unique(lists.Found(p.Changes, func(change *Change) (string, bool) { return change.Provider, change.Provider != "" }))
	slices.Sort(p.Providers)
	if len(p.Changes) > 0 && len(p.Providers) == 0 {
		if p.Providers = configured; len(configured) == 0 {
			p.Providers = []string{"zulip"}
		}
	}
	for _, change := range slices.Concat(p.Changes, p.Unchanged) {
		if change.Provider == "" && len(p.Providers) == 1 && len(configured) <= 1 {
			change.Provider = p.Providers[0]
		}
		change.IsOfUnknownInstance = p.configs[change.Provider].hasSeveralSites()
	}
}

// ChooseProvider returns the provider configuration to review: the wanted one, or the only one if wanted is empty.
func (p *Plan) ChooseProvider(wanted string) (string, error) {
	have := strings.Join(p.Providers, ", ")
	switch {
	case wanted != WithoutKeys(wanted) && slices.Contains(p.Providers, WithoutKeys(wanted)):
		return "", fmt.Errorf("a plan in JSON doesn't distinguish the instances of %s, so %s can't be reviewed alone: use --as %[1]s", WithoutKeys(wanted), wanted)
	case wanted != "" && !slices.Contains(p.Providers, wanted):
		if have == "" {
			have = "none"
		}
		return "", fmt.Errorf("the plan changes nothing with the provider configuration %s; it has %s", wanted, have)
	case wanted != "":
		return wanted, nil
	case len(p.Providers) > 1:
		return "", fmt.Errorf("the plan changes resources of several provider configurations (%s), which can be different organizations: select one with --as, and use the credentials of its organization", have)
	case len(p.Providers) == 1:
		return p.Providers[0], nil
	}
	return "", nil
}

// IsEmpty reports whether the plan changes nothing of this provider.
func (p *Plan) IsEmpty() bool { return len(p.Changes) == 0 }

// instanceKeys are the keys that count and for_each add to an address: [0], ["a"]. A key is a JSON string, and may contain
// brackets.
var instanceKeys = regexp.MustCompile(`\[(?:\d+|"(?:[^"\\]|\\.)*")\]`)

// WithoutKeys returns an address as the configuration writes it.
func WithoutKeys(address string) string { return instanceKeys.ReplaceAllString(address, "") }

// configs returns the resources of the configuration by their address, modules included.
func (d *document) configs() map[string]*resourceConfig {
	all := map[string]*resourceConfig{}
	d.Configuration.RootModule.collect("", all)
	for _, config := range all {
		// For an action, unlike a resource, Terraform 1.14 writes such a key also if the module inherits the provider
		// configuration.
		if _, exists := d.Configuration.ProviderConfig[config.ProviderConfigKey]; !exists && strings.HasPrefix(config.ProviderConfigKey, "module.") {
			config.ProviderConfigKey = ""
		}
	}
	return all
}

// collect adds the resources of a module and of the modules that it calls; prefix starts their addresses.
func (m *moduleConfig) collect(prefix string, all map[string]*resourceConfig) {
	for _, resource := range slices.Concat(m.Resources, m.Actions) {
		if resource != nil {
			all[prefix+resource.Address] = resource
		}
	}
	for name, call := range m.ModuleCalls {
		if call != nil {
			call.Module.collect(prefix+"module."+name+".", all)
		}
	}
}

// providerConfig is the configuration of a provider.
type providerConfig struct {
	Name        string `json:"name"`
	FullName    string `json:"full_name"`
	Alias       string `json:"alias"`
	Expressions *struct {
		Site    textExpression `json:"site"`
		Zuliprc textExpression `json:"zuliprc"`
	} `json:"expressions"`
}

// textExpression is an expression of the configuration: its references, or its constant value.
type textExpression struct {
	References []string `json:"references"`
	Constant   *string  `json:"constant_value"`
}

func (e textExpression) dependsOnInstance() bool {
	return slices.ContainsFunc(e.References, func(reference string) bool { return reference == "each" || strings.HasPrefix(reference, "each.") })
}

// hasSeveralSites reports whether the for_each instances of a provider configuration, which OpenTofu has, can be of
// different organizations. A plan in JSON has neither the for_each nor the instance of a resource.
func (c *providerConfig) hasSeveralSites() bool {
	return c != nil && c.Expressions != nil && c.Expressions.Site.Constant == nil &&
		(c.Expressions.Site.dependsOnInstance() || c.Expressions.Zuliprc.dependsOnInstance())
}

// Site returns the address of the organization that a provider configuration names; "" if it has no constant one.
func (p *Plan) Site(provider string) string {
	if config := p.configs[provider]; config != nil && config.Expressions != nil && config.Expressions.Site.Constant != nil {
		return *config.Expressions.Site.Constant
	}
	return ""
}

// isComplete reports whether a plan covers everything. If an older tool does not say it, the plan is incomplete if the state
// has a resource that the plan does not list.
func (d *document) isComplete() bool {
	if len(d.DeferredChanges)+len(d.DeferredActions) > 0 {
		return false
	}
	if d.Complete != nil {
		return *d.Complete
	}
	listed := map[string]bool{}
	for _, change := range d.ResourceChanges {
		if change != nil {
			listed[change.Address] = true
		}
	}
	return d.PriorState.Values.RootModule.isListed(listed)
}

type priorState struct {
	Values struct {
		RootModule stateModule `json:"root_module"`
	} `json:"values"`
}

type stateModule struct {
	Resources []struct {
		Address string `json:"address"`
		Mode    string `json:"mode"`
	} `json:"resources"`
	ChildModules []stateModule `json:"child_modules"`
}

func (m *stateModule) isListed(listed map[string]bool) bool {
	for _, resource := range m.Resources {
		if resource.Mode == "managed" && !listed[resource.Address] {
			return false
		}
	}
	for _, child := range m.ChildModules {
		if !child.isListed(listed) {
			return false
		}
	}
	return true
}

// maxAddress is the length to which resource addresses are cut, in bytes. Terraform has no limit.
const maxAddress = 300

// prefixes say which kind of object the rest of a value names.
var prefixes = []string{"name:", "group:", "user:"}

// limitOf is the maximum length of the text of an attribute.
func limitOf(resource, attribute string) int {
	switch {
	case attribute == "channel", attribute == "name" && resource == "zulip_channel":
		return meaning.MaxChannelName
	case attribute == "name", attribute == "full_name", attribute == "group", attribute == "subgroups":
		return meaning.MaxName
	}
	return meaning.MaxText
}

// cut cuts a text to a number of characters, without counting its prefix.
func cut(text string, limit int) string {
	for _, prefix := range prefixes {
		if name, ok := strings.CutPrefix(text, prefix); ok {
			if prefix == "group:" {
				limit = meaning.MaxName
			}
			return prefix + meaning.Cut(name, limit)
		}
	}
	return meaning.Cut(text, limit)
}

// cutAddress cuts the address of a resource. Different addresses stay different, because resources refer to each other by
// them.
func cutAddress(address string) string {
	if len(address) <= maxAddress {
		return address
	}
	end := maxAddress
	for !utf8.RuneStart(address[end]) {
		end--
	}
	sum := sha256.Sum256([]byte(address))
	return address[:end] + "…" + hex.EncodeToString(sum[:8])
}
