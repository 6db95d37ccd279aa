package plan

import (
	"encoding/json"
	"slices"
	"strings"
)

// expression is an expression of the configuration: what it refers to, or the constant that it is.
type expression struct {
	References []string `json:"references"`
}

// scope is a module of the configuration, as far as its expressions depend on where it is called.
type scope struct {
	// call is how the module is called, and within the scope of the call; nil for the root module.
	call   *moduleCall
	within *scope
	prefix string // of the addresses in the module
}

// of is the scope of a module that is called in this one.
func (s *scope) of(name string, call *moduleCall) *scope {
	return &scope{call: call, within: s, prefix: s.prefix + "module." + name + "."}
}

// isKnown reports whether the value of an expression is certainly known when a plan is made: it depends on variables and on
// what is written, and on nothing that is yet to be created. Of local values a plan does not show what they depend on.
func (s *scope) isKnown(raw, forEach json.RawMessage) bool {
	if len(raw) == 0 {
		return true
	}
	var written expression
	if json.Unmarshal(raw, &written) != nil {
		return false // a block, or something else
	}
	return !slices.ContainsFunc(written.References, func(reference string) bool { return !s.isReferenceKnown(reference, forEach) })
}

func (s *scope) isReferenceKnown(reference string, forEach json.RawMessage) bool {
	parts := strings.Split(WithoutKeys(reference), ".")
	switch parts[0] {
	case "count", "path", "terraform":
		return true
	case "each":
		return len(forEach) > 0 && s.isKnown(forEach, nil)
	case "var":
		switch {
		case s.call == nil: // variables of the root module are given before the plan
			return true
		case len(parts) < 2:
			return false
		}
		return s.within.isKnown(s.call.Expressions[parts[1]], s.call.ForEach)
	}
	return false
}

// providerConfig is the configuration of a provider.
type providerConfig struct {
	Name        string `json:"name"`
	FullName    string `json:"full_name"`
	Expressions *struct {
		Site    textExpression `json:"site"`
		Zuliprc textExpression `json:"zuliprc"`
	} `json:"expressions"`
}

type textExpression struct {
	expression
	Constant *string `json:"constant_value"`
}

func (e textExpression) dependsOnInstance() bool {
	return slices.ContainsFunc(e.References, func(reference string) bool { return reference == "each" || strings.HasPrefix(reference, "each.") })
}

// hasSeveralSites reports whether the instances that for_each makes of a provider configuration (OpenTofu has that) can be of
// different organizations. A plan in JSON has neither the for_each nor the instance that a resource has.
func (c *providerConfig) hasSeveralSites() bool {
	return c != nil && c.Expressions != nil && c.Expressions.Site.Constant == nil &&
		(c.Expressions.Site.dependsOnInstance() || c.Expressions.Zuliprc.dependsOnInstance())
}

// Site returns the address of the organization that a provider configuration names; "" if it is not written there.
func (p *Plan) Site(provider string) string {
	if config, ok := p.configs[provider]; ok && config != nil && config.Expressions != nil && config.Expressions.Site.Constant != nil {
		return *config.Expressions.Site.Constant
	}
	return ""
}

// isComplete reports whether a plan is of everything. Older tools do not say it: then it is not, where the state has a resource
// that the plan does not list.
func (d *document) isComplete() bool {
	if len(d.DeferredChanges) > 0 || d.Complete != nil && !*d.Complete {
		return false
	}
	if d.Complete != nil {
		return true
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
