package provider_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
)

// Terraform refreshes a resource after it has planned the resources that it references.
func TestLawRefresh(t *testing.T) {
	l := laws.Law{Name: "refresh", Sentence: "a refresh has the same IDs before and after the plan of an object that the resource names", Every: 4}
	laws.Hold(t, l, laws.Subjects(t, mayName), func(c *laws.Case, s laws.Subject) {
		for _, fate := range []string{"renamed", "destroyed"} {
			c.Try(fate, func() {
				for _, kind := range refersTo(c, s) {
					refreshAfterPlan(c, s, kind, fate)
				}
			})
		}
	})
}

// refreshAfterPlan reads a resource that names an object, and reads it again in a run that has planned the object's fate.
func refreshAfterPlan(c *laws.Case, s laws.Subject, kind, fate string) {
	c.Helper()
	stage, object := stageOf(c, s), referenced[kind]
	one, run := laws.NewTrial(c, stage.Organization, object.of), stage.Trial(c)
	if !one.Try(object.config).Start(c) || !run.Try(stage.With(namingIn(s, stage.Value(), object.name))).Applied() {
		return // the attribute cannot name such an object
	}
	after := and(object.config, object.at, "former")
	switch {
	case fate == "destroyed":
		after = nil
	case kind == "person":
		after[object.at] = "former@example.com"
	}
	alone, _ := run.Process().Read(s.Of, run.State)
	p := run.Process()
	read, _ := p.Read(object.of, one.State)
	p.Plan(object.of, read, after)
	later, _ := p.Read(s.Of, run.State)
	if alone == nil || later == nil {
		c.Broken(kind+": the resource is gone", alone, later)
		return
	}
	for name, value := range alone.Values { // texts can have the planned name
		isID := strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_ids")
		if isID && !reflect.DeepEqual(value, later.Values[name]) {
			c.Broken(kind+": the refresh differs in "+name, value, " and ", later.Values[name])
		}
	}
}
