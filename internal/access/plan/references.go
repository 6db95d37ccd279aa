package plan

import (
	"encoding/json"
	"slices"
	"strings"
)

// Reference is what a configuration writes for an attribute of a resource.
type Reference struct {
	// Address is that of the resource, with its module and with the instance key if the configuration writes one, cut like
	// [Change.Address].
	Address string
	// Attribute is what of it is meant; "" where the plan does not tell, as of zulip_channel.all[each.key].id.
	Attribute string
	// IsOfSameKey says that the instance is meant that has the same key as the one whose change it is: each.value.id.
	IsOfSameKey bool
}

// References returns what the configuration refers to for an attribute, through variables and outputs of modules, in the order in
// which it is written. isComplete is false if some of it cannot be told: a local value, a data source.
func (c *Change) References(attribute string) (references []Reference, isComplete bool) {
	if c.config == nil {
		return nil, false
	}
	f := finder{isComplete: true}
	f.expression(c.config.Expressions[attribute], c.config.scope, c.config.ForEach)
	return f.found, f.isComplete
}

// DependsOn returns the addresses, without instance keys, of the resources that have to be there before this one: those that the
// configuration refers to, or the state if the configuration has the resource no more.
func (c *Change) DependsOn() []string {
	var all []string
	if c.config == nil {
		all = slices.Clone(c.stateDependsOn)
	} else {
		f := finder{isComplete: true}
		f.expression(c.config.ForEach, c.config.scope, nil)
		for _, raw := range c.config.Expressions {
			f.expression(raw, c.config.scope, c.config.ForEach)
		}
		for _, reference := range c.config.DependsOn {
			f.reference(reference, c.config.scope, nil)
		}
		for _, one := range f.found {
			all = append(all, one.Address)
		}
	}
	for i, address := range all {
		all[i] = cutAddress(WithoutKeys(address))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Known is an attribute after the change as JSON has it, with null for what is not known yet; marks is true where that is so, in the
// same form.
func (c *Change) Known(attribute string) (value, marks json.RawMessage) {
	return c.Values.After[attribute], c.unknown[attribute]
}

// HasConfig reports whether the plan has the configuration of the resource.
func (c *Change) HasConfig() bool { return c.config != nil }

// Key is the instance key of the resource, as it is written: ["a"], [0]; "" if it has none.
func (c *Change) Key() string {
	keys := instanceKeys.FindAllString(c.Address, -1)
	if len(keys) == 0 || !strings.HasSuffix(c.Address, keys[len(keys)-1]) {
		return ""
	}
	return keys[len(keys)-1]
}

// maxDepth is through how many variables and outputs a reference is followed: a plan may be anything.
const maxDepth = 50

// finder collects references.
type finder struct {
	found      []Reference
	isComplete bool
	depth      int
}

func (f *finder) add(one Reference) {
	one.Address = cutAddress(one.Address)
	if !slices.Contains(f.found, one) {
		f.found = append(f.found, one)
	}
}

// expression collects what an expression refers to, or all expressions of a block.
func (f *finder) expression(raw json.RawMessage, in *scope, forEach json.RawMessage) {
	var parsed any
	if len(raw) > 0 && json.Unmarshal(raw, &parsed) == nil {
		f.value(parsed, in, forEach)
	}
}

func (f *finder) value(parsed any, in *scope, forEach json.RawMessage) {
	switch parsed := parsed.(type) {
	case []any:
		for _, element := range parsed {
			f.value(element, in, forEach)
		}
	case map[string]any:
		if references, ok := parsed["references"].([]any); ok {
			f.references(references, in, forEach)
			return
		}
		for name, element := range parsed {
			if name != "constant_value" {
				f.value(element, in, forEach)
			}
		}
	}
}

// references collects what an expression refers to. After zulip_channel.a.id the tool writes zulip_channel.a, which says nothing more.
func (f *finder) references(all []any, in *scope, forEach json.RawMessage) {
	var texts []string
	for _, one := range all {
		if text, ok := one.(string); ok {
			texts = append(texts, text)
		}
	}
	for i, text := range texts {
		isPart := func(longer string) bool {
			return strings.HasPrefix(longer, text+".") || strings.HasPrefix(longer, text+"[")
		}
		if !slices.ContainsFunc(texts[:i], isPart) {
			f.reference(text, in, forEach)
		}
	}
}

func (f *finder) reference(text string, in *scope, forEach json.RawMessage) {
	if f.depth++; f.depth > maxDepth {
		f.isComplete = false
		return
	}
	defer func() { f.depth-- }()
	head, rest, _ := strings.Cut(text, ".")
	switch head {
	case "count", "path", "terraform", "self":
	case "var":
		f.variable(rest, in)
	case "each":
		f.each(rest, in, forEach)
	case "module":
		f.output(rest, in)
	case "local", "data":
		f.isComplete = false
	default:
		if address, attribute, ok := resourceReference(text); ok {
			f.add(Reference{Address: in.prefix + address, Attribute: attribute})
		} else {
			f.isComplete = false
		}
	}
}

// resourceReference divides zulip_channel.a["x"].id into the address and the attribute; deeper parts of it are no attribute.
func resourceReference(text string) (address, attribute string, ok bool) {
	kind, rest, found := strings.Cut(text, ".")
	if !found || strings.ContainsAny(kind, `["`) {
		return "", "", false
	}
	end := strings.IndexAny(rest, ".[")
	if end < 0 {
		return text, "", true
	}
	name, rest := rest[:end], rest[end:]
	if key := instanceKeys.FindStringIndex(rest); key != nil && key[0] == 0 {
		name, rest = name+rest[:key[1]], rest[key[1]:]
	}
	attribute = strings.TrimPrefix(rest, ".")
	if strings.ContainsAny(attribute, ".[") {
		attribute = ""
	}
	return kind + "." + name, attribute, true
}

// variable follows what a module is called with. Variables of the root module are known before the plan.
func (f *finder) variable(rest string, in *scope) {
	name, _, _ := strings.Cut(rest, ".")
	if in.call != nil {
		f.expression(in.call.Expressions[WithoutKeys(name)], in.within, in.call.ForEach)
	}
}

// each follows what instances are made of: of each resource of another block, attributes of that with the same key.
func (f *finder) each(rest string, in *scope, forEach json.RawMessage) {
	if rest == "key" || len(forEach) == 0 {
		return
	}
	of := finder{isComplete: true, depth: f.depth}
	of.expression(forEach, in, nil)
	f.isComplete = f.isComplete && of.isComplete
	attribute, isAttribute := strings.CutPrefix(rest, "value.")
	for _, one := range of.found {
		if isAttribute && one.Attribute == "" && !strings.ContainsAny(attribute, ".[") {
			one.Attribute, one.IsOfSameKey = attribute, true
		}
		f.add(one)
	}
}

// output follows an output of a module.
func (f *finder) output(rest string, in *scope) {
	name, value, _ := strings.Cut(WithoutKeys(rest), ".")
	output, _, _ := strings.Cut(value, ".")
	call := in.module.ModuleCalls[name]
	if call == nil || call.Module.Outputs[output] == nil {
		f.isComplete = f.isComplete && output == "" && call != nil // as in depends_on
		return
	}
	f.expression(call.Module.Outputs[output].Expression, in.of(name, call), nil)
}
