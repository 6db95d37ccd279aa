package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// awkward are names with the characters that separate the parts of an ID.
var awkward = []string{"ops/eu", "ops:eu", "#ops", `the "ops"`, "it's ops", "ops eu", "2024", "a,b", "user:ops", "name:ops", "ops/1,2", "ops%2Feu", "ops\\eu", "-ops", "ops/", "/ops"}

// An importable is a resource that can be imported by an ID with a name in it.
type importable struct {
	resource string
	// config is the configuration of an object with a name; names, if set, is the resource that has the name.
	config func(name string) values
	names  string
	// id is the ID with the name.
	id func(name string) string
}

// importables are the resources with unique names, and those whose lives are imported by the name of a channel or a group.
func importables() (all []importable) {
	for _, n := range uniqueNames {
		if n.config != nil {
			all = append(all, importable{n.resource, func(name string) values { return n.config(name, "x") }, "", func(name string) string { return name }})
		}
	}
	part := func(resource, names, attribute string, more values, id string) {
		all = append(all, importable{resource, func(name string) values { return and(more, attribute, name) }, names, func(name string) string { return strings.ReplaceAll(id, "NAME", name) }})
	}
	people := []any{someone}
	part("zulip_channel_subscription", "zulip_channel", "channel", values{"users": people}, "NAME/"+someone)
	part("zulip_channel_subscribers", "zulip_channel", "channel", values{"users": []any{self, someone}}, "NAME")
	part("zulip_channel_subscription_settings", "zulip_channel", "channel", values{"color": "#76ce90"}, "NAME")
	part("zulip_user_group_membership", "zulip_user_group", "group", values{"members": people}, "NAME/"+someone)
	return all
}

// String is the resource.
func (i importable) String() string { return i.resource }

func TestLawImport(t *testing.T) {
	l := laws.Law{Name: "import", Sentence: "if an object can be imported by an ID with its name, then with any name that it can have; otherwise the error says how"}
	laws.Hold(t, l, importables(), func(c *laws.Case, one importable) {
		isNamed := one.try(c.T, "plain") == ""
		for _, name := range awkward {
			c.Try(name, func() {
				if !isNamed {
					return // it is not imported by a name
				}
				if problem := one.try(c.T, name); problem != "" {
					c.Broken("not imported", one.id(name), ": ", problem)
				}
			})
		}
	})
}

// try creates an object with a name and imports it by the name. An object that can't have the name is no problem.
func (i importable) try(t *testing.T, name string) string {
	t.Helper()
	o := acctest.NewSandbox(t, sandbox.Config{FeatureLevel: featurelevel.Newest})
	at := name
	if i.names != "" {
		config := values{"name": name}
		if i.names == "zulip_channel" {
			config["initial_subscribers"] = []any{self}
		}
		holder := laws.NewTrial(t, o, i.names)
		if !holder.Try(config).Applied() {
			return ""
		}
		at = fmt.Sprint(holder.State.Values["id"])
	}
	run := laws.NewTrial(t, o, i.resource)
	if !run.Try(i.config(at)).Applied() {
		return ""
	}
	problem := i.imports(t, o, run.State, i.id(name))
	if problem == "" || i.imports(t, o, run.State, i.id("name:"+name)) == "" && strings.Contains(problem, "name:"+name) {
		return "" // the error has the ID that works
	}
	return problem
}

// imports imports an object by an ID, and returns why it is not the one of a state.
func (i importable) imports(t *testing.T, o *acctest.Organization, state *acctest.Instance, id string) string {
	t.Helper()
	run := laws.NewTrial(t, o, i.resource)
	var diags acctest.Diagnostics
	breach := run.Watch(func() { diags = run.Import(id, nil) })
	switch {
	case breach != "" || len(diags.Errors()) > 0:
		return laws.Brief(diags.Errors()) + breach
	case run.State == nil:
		return "nothing is found"
	case fmt.Sprint(run.State.Identity) != fmt.Sprint(state.Identity):
		return fmt.Sprintf("another object is found: %v, not %v", run.State.Identity, state.Identity)
	}
	return ""
}
