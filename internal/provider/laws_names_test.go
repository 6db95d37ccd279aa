package provider_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// uniqueNames are the attributes that no two objects share, with the configuration of an object by its name.
var uniqueNames = slices.Concat(archivedResources, deletedResources, []namedResource{
	{"zulip_bot", "full_name", func(name, label string) values { return values{"short_name": label, "full_name": name} }},
	{"zulip_user", "email", func(name, label string) values { return values{"email": name + "@example.com", "full_name": label} }},
	{"zulip_custom_emoji", "name", nil},
	{"zulip_domain", "domain", func(name, _ string) values { return values{"domain": name + ".example.org"} }},
	{"zulip_invitation", "email", func(name, _ string) values { return values{"email": name + "@example.com"} }},
	{"zulip_code_playground", "name", func(name, _ string) values {
		return values{"name": name, "pygments_language": "Python", "url_template": "https://example.com/?code={code}"}
	}},
	{"zulip_reaction", "emoji_name", nil},
})

// A step gives the objects a and b, which exist, and c, which does not, other names; "" destroys an object.
type step map[string]string

// renamings are the ways in which the names aa and bb can change hands in one apply.
var renamings = map[string]step{
	"swap":                            {"a": "bb", "b": "aa"},
	"chain":                           {"a": "bb", "b": "cc"},
	"name of a destroyed one":         {"a": "bb", "b": ""},
	"new one, name of destroyed one":  {"b": "", "c": "bb"},
	"new one, name of a renamed one":  {"b": "cc", "c": "bb"},
	"new one, other case":             {"c": "BB"},
	"rename to another case":          {"a": "AA"},
	"rename to other case of another": {"a": "BB"},
}

// realNames are names that the resources with fixed names accept, for aa, bb and so on.
var realNames = map[string]map[string]string{
	"zulip_reaction": {"aa": "tada", "bb": "heart", "cc": "octopus", "BB": "HEART", "AA": "TADA"},
}

// configOf returns the configuration of an object with a name. A resource that references others takes that of its life.
func (n namedResource) configOf(l life, object, name string) values {
	if n.config == nil {
		if accepted := realNames[n.resource][name]; accepted != "" {
			name = accepted
		}
		return and(l.create, n.at, name)
	}
	return n.config(name, map[string]string{"a": "first", "b": "second", "c": "third"}[object])
}

// String is the address of the attribute.
func (n namedResource) String() string { return n.resource + "." + n.at }

func TestLawNames(t *testing.T) {
	for _, resource := range acctest.StartProcess(t.Context(), t).Resources() {
		isCovered := slices.ContainsFunc(uniqueNames, func(n namedResource) bool { return n.resource == resource })
		if !isCovered && !slices.Contains(unnamed, resource) && !slices.Contains(partsOfOthers, resource) {
			t.Errorf("%s is not in uniqueNames", resource)
		}
	}
	l := laws.Law{Name: "names", Sentence: "a plan in which unique names change hands is refused, or says that it can fail, or is applied, in any order", Every: 6}
	laws.Hold(t, l, uniqueNames, func(c *laws.Case, n namedResource) {
		for way, step := range renamings {
			for _, first := range sortedKeys(step) {
				for _, applied := range sortedKeys(step) {
					c.Try(fmt.Sprintf("%s, %s planned first, %s applied first", way, first, applied), func() { n.changeHands(c, step, first, applied) })
				}
			}
		}
	})
}

// changeHands plans and applies a step, the object first before the others.
func (n namedResource) changeHands(c *laws.Case, change step, first, applied string) {
	c.Helper()
	o := acctest.NewSandbox(c.T, sandbox.Config{})
	l := lifeOf(lives(c.T, o), n.resource)
	configs, runs := map[string]values{}, map[string]*laws.Trial{}
	start := map[string]string{"a": "aa", "b": "bb"}
	for _, object := range []string{"a", "b", "c"} {
		runs[object] = laws.NewTrial(c, o, n.resource)
		if name := start[object]; name != "" {
			configs[object] = n.configOf(l, object, name)
			if !runs[object].Try(configs[object]).Start(c) {
				return
			}
		}
		if name, changes := change[object]; changes && name == "" {
			configs[object] = nil
		} else if changes {
			configs[object] = n.configOf(l, object, name)
		}
	}
	order := func(first string) []string {
		return append([]string{first}, slices.DeleteFunc(sortedKeys(change), func(object string) bool { return object == first })...)
	}
	var plans map[string][]*acctest.PlannedChange
	var out laws.Outcome
	var said acctest.Diagnostics
	out.Breach = runs["a"].Watch(func() { plans, said = n.plan(runs["a"].Process(), runs, configs, order(first)) })
	if out.Refusal = said.Errors(); len(out.Refusal) > 0 || out.Breach != "" {
		out.Report(c)
		return
	}
	p, sent := runs["a"].Process(), o.Sent()
	outcomes, ticks := make(chan laws.Outcome, len(change)), time.NewTicker(2*time.Millisecond)
	defer ticks.Stop()
	for _, object := range order(applied) { // Terraform applies them at the same time, and starts with any
		go func() {
			var one laws.Outcome
			one.Breach = runs[object].Watch(func() {
				for _, plan := range plans[object] {
					if one.Failure = append(one.Failure, runs[object].ApplyIn(p, plan).Errors()...); len(one.Failure) > 0 {
						return
					}
				}
			})
			outcomes <- one
		}()
		for len(outcomes) == 0 && len(sent.Writes()) == 0 { // until the server has answered the first write
			select {
			case <-ticks.C:
			case <-c.Context().Done():
				return
			}
		}
	}
	for range change {
		one := <-outcomes
		out.Breach, out.Failure = out.Breach+one.Breach, append(out.Failure, one.Failure...)
	}
	if len(out.Failure) > 0 && slices.ContainsFunc(said.Warnings(), func(one acctest.Diagnostic) bool { return one.Attribute == n.at }) {
		return // the plan says so
	}
	for _, object := range sortedKeys(change) {
		if configs[object] == nil || len(out.Failure) > 0 {
			continue
		}
		again, diags := runs[object].Plan(configs[object])
		if out.Failure = diags.Errors(); len(out.Failure) == 0 && !again.Empty() {
			out.Changes = again.Changes()
		}
	}
	out.Report(c)
}

// plan refreshes and plans all objects in one process. A replacement is two changes.
func (n namedResource) plan(p *acctest.Process, runs map[string]*laws.Trial, configs map[string]values, order []string) (plans map[string][]*acctest.PlannedChange, said acctest.Diagnostics) {
	plans = map[string][]*acctest.PlannedChange{}
	for _, run := range runs {
		if run.State != nil {
			_, diags := p.Read(n.resource, run.State)
			said = append(said, diags...)
		}
	}
	for _, object := range order {
		if configs[object] != nil {
			said = append(said, p.Validate(n.resource, configs[object])...)
		}
		plan, diags := p.Plan(n.resource, runs[object].State, configs[object])
		if said = append(said, diags...); len(diags.Errors()) > 0 {
			return plans, said
		}
		if runs[object].State == nil || len(plan.Replace) == 0 {
			plans[object] = []*acctest.PlannedChange{plan}
			continue
		}
		made, diags := p.Plan(n.resource, nil, configs[object])
		said = append(said, diags...)
		plans[object] = []*acctest.PlannedChange{p.DestroyOf(plan, runs[object].State), made}
	}
	return plans, said
}
