package plan

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Reference is an instance of a resource that the configuration of an attribute references.
type Reference struct {
	// Address is cut like [Change.Address]. Type is the type of the resource.
	Address, Type string
}

// References returns the instances that the value of an attribute can come from: one, or several of which the plan doesn't
// say the right one. isComplete is false if the value can come from anything else, such as a local value, which a plan in
// JSON doesn't have.
//
// An index such as each.key selects the instance with the same key as the resource of the change.
func (c *Change) References(attribute string) (found []Reference, isComplete bool) {
	if c.place == nil {
		return nil, false
	}
	addresses, isComplete := c.place.resolve(referencesIn(c.config.Expressions[attribute]), "")
	slices.Sort(addresses)
	for _, address := range slices.Compact(addresses) {
		found = append(found, Reference{cutAddress(address), c.place.all.types[address]})
	}
	return found, isComplete
}

// RefersTo reports whether the configuration of an attribute references resources.
func (c *Change) RefersTo(attribute string) bool {
	found, isComplete := c.References(attribute)
	return len(found) > 0 && isComplete
}

// instances are the instances of resources and modules in a plan.
type instances struct {
	types map[string]string   // by address
	of    map[string][]string // the addresses by the address without its last key
}

// instancesIn lists the instances of the resources that a plan has, also those that don't change.
func instancesIn(changes []*Change) *instances {
	all := &instances{map[string]string{}, map[string][]string{}}
	add := func(address string) {
		resource := strings.TrimSuffix(address, lastKey(address))
		if !slices.Contains(all.of[resource], address) {
			all.of[resource] = append(all.of[resource], address)
		}
	}
	for _, change := range changes {
		if change == nil || all.types[change.Address] != "" {
			continue
		}
		all.types[change.Address] = change.Type
		add(change.Address)
		module := ""
		for _, step := range moduleSteps.FindAllString(change.ModuleAddress, -1) {
			module = joined(module, strings.TrimSuffix(step, "."))
			add(module)
		}
	}
	return all
}

// moduleSteps are the modules of an address, each with its key.
var moduleSteps = regexp.MustCompile(`module\.([^.\[]+)(` + instanceKeys.String() + `)?(?:\.|$)`)

var keyAtEnd = regexp.MustCompile(instanceKeys.String() + `$`)

// lastKey is the instance key at the end of an address; "" if it has none.
func lastKey(address string) string { return keyAtEnd.FindString(address) }

func joined(module, address string) string {
	if module == "" {
		return address
	}
	return module + "." + address
}

// place is where an expression is evaluated: an instance of a resource or a module call, in an instance of a module.
type place struct {
	all    *instances
	config *moduleConfig
	module string // the address of the module instance; "" in the root module
	// key is the instance's own key, as in addresses, and forEach are the references of its for_each.
	key     string
	forEach []string
	// call is the place of the call of the module, and inputs are the expressions of the call; nil in the root module.
	call   *place
	inputs map[string]json.RawMessage
}

// placeOf finds the place of a resource or action; nil if the configuration does not have it.
func (all *instances) placeOf(root *moduleConfig, c *Change, resource *resourceConfig) *place {
	at := &place{all: all, config: root}
	for _, step := range moduleSteps.FindAllStringSubmatch(c.ModuleAddress, -1) {
		if at = at.enter(step[1], step[2]); at == nil {
			return nil
		}
	}
	at.key, at.forEach = lastKey(c.Address), referencesIn(resource.ForEach)
	return at
}

// enter returns the place in an instance of a module that this place's module calls; nil if there is none.
func (p *place) enter(name, key string) *place {
	call := p.config.ModuleCalls[name]
	if call == nil {
		return nil
	}
	caller := *p
	caller.key, caller.forEach = key, referencesIn(call.ForEach)
	return &place{all: p.all, config: &call.Module, module: joined(p.module, "module."+name+key), call: &caller, inputs: call.Expressions}
}

// referencesIn lists the references of an expression, without those that another one extends.
func referencesIn(raw json.RawMessage) []string {
	var nested any
	if json.Unmarshal(raw, &nested) != nil {
		return nil
	}
	var all []string
	collect(nested, &all)
	return slices.DeleteFunc(slices.Clone(all), func(one string) bool {
		return slices.ContainsFunc(all, func(other string) bool {
			return strings.HasPrefix(other, one+".") || strings.HasPrefix(other, one+"[")
		})
	})
}

// collect collects the references of an expression, also in the blocks and objects that it consists of.
func collect(value any, all *[]string) {
	switch value := value.(type) {
	case []any:
		for _, one := range value {
			collect(one, all)
		}
	case map[string]any:
		references, _ := value["references"].([]any)
		for _, one := range references {
			if text, isText := one.(string); isText {
				*all = append(*all, text)
			}
		}
		for name, one := range value {
			if name != "references" && name != "constant_value" {
				collect(one, all)
			}
		}
	}
}

// identities are the attributes by which a value names an object.
var identities = []string{"id", "name", "email", "channel_id", "group_id", "user_id"}

// referenceText is a reference: its root with the name of the object, a written key, and the rest.
var referenceText = regexp.MustCompile(`^((?:[^.\[]+)(?:\.[^.\[]+)?)(` + instanceKeys.String() + `)?(.*)$`)

// resolve returns the addresses of the instances that references mean. key selects one of several instances, unless the
// reference has a key itself.
func (p *place) resolve(references []string, key string) (found []string, isComplete bool) {
	isComplete = true
	isSame := func(reference string) bool { return reference == "each.key" || reference == "count.index" }
	// The instance of a bare reference depends on an index, which the other references are part of.
	isIndexed := slices.ContainsFunc(references, func(reference string) bool { return p.all.of[joined(p.module, reference)] != nil })
	isOfEach := func(reference string) bool { return isIndexed && strings.HasPrefix(reference, "each.value") }
	if slices.ContainsFunc(references, isSame) && !slices.ContainsFunc(references, isOfEach) {
		key = p.key
	}
	for _, reference := range references {
		if isSame(reference) || isOfEach(reference) {
			continue
		}
		some, isAll := p.resolveOne(reference, key)
		found, isComplete = append(found, some...), isComplete && isAll
	}
	return found, isComplete
}

// resolveOne is resolve for one reference.
func (p *place) resolveOne(reference, key string) (found []string, isComplete bool) {
	parts := referenceText.FindStringSubmatch(reference)
	if parts == nil {
		return nil, false
	}
	name, rest := parts[1], strings.TrimPrefix(parts[3], ".")
	if parts[2] != "" {
		key = parts[2]
	}
	root, object, _ := strings.Cut(name, ".")
	switch root {
	case "each":
		caller := *p
		caller.key = ""
		return caller.resolve(p.forEach, p.key)
	case "path", "terraform":
		return nil, true
	case "var":
		if p.call == nil {
			return nil, true // it is known
		}
		return p.call.resolve(referencesIn(p.inputs[object]), key)
	case "module":
		return p.resolveOutput(name, object, key, rest)
	case "local", "data", "self":
		return nil, false
	}
	attribute, _, _ := strings.Cut(rest, ".")
	if attribute != "" && !slices.Contains(identities, attribute) {
		return nil, false
	}
	found = p.selected(name, key)
	return found, len(found) > 0
}

// selected returns the instance of a resource or module with a key. It returns all instances if there is none.
func (p *place) selected(name, key string) []string {
	all := p.all.of[joined(p.module, name)]
	if one := joined(p.module, name+key); slices.Contains(all, one) {
		return []string{one}
	}
	return all
}

// resolveOutput is resolve for an output of a module; without its name, for any.
func (p *place) resolveOutput(name, module, key, output string) (found []string, isComplete bool) {
	parts := referenceText.FindStringSubmatch(output)
	selected := p.selected(name, key)
	isComplete = len(selected) > 0
	for _, address := range selected {
		inside := p.enter(module, lastKey(address))
		if inside == nil {
			return nil, false
		}
		if parts != nil {
			outputName, _, _ := strings.Cut(parts[1], ".")
			some, isAll := inside.resolve(referencesIn(inside.config.Outputs[outputName]), parts[2])
			found, isComplete = append(found, some...), isComplete && isAll
			continue
		}
		for _, raw := range inside.config.Outputs {
			some, _ := inside.resolve(referencesIn(raw), "")
			found = append(found, some...)
		}
		isComplete = len(found) > 0
	}
	return found, isComplete
}
