package provider_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// planned is a change in the JSON form of a plan.
type planned struct {
	actions       []string
	before, after values
	importing     string
}

// reviewed is what a review says of a change: the number of its lines, and the conditions that it meets.
type reviewed struct {
	lines      int
	conditions []report.Condition
}

// of reviews the plan with this change of a resource.
func (c planned) of(t *testing.T, o *acctest.Organization, resource string) reviewed {
	t.Helper()
	known, unknown := values{}, values{}
	for name, value := range c.after {
		if value == acctest.Unknown {
			unknown[name] = true
		} else {
			known[name] = value
		}
	}
	change := values{"actions": c.actions, "before": c.before, "after": known, "after_unknown": unknown}
	if c.after == nil {
		change["after"] = nil
	}
	entry := values{"address": resource + ".x", "mode": "managed", "type": resource, "name": "x", "provider_name": "registry.terraform.io/zulip-iac/zulip", "change": change}
	if c.importing != "" {
		change["importing"] = values{"id": c.importing}
	}
	text, err := json.Marshal(values{"format_version": "1.2", "resource_changes": []any{entry}, "planned_values": values{}})
	requireNoError(t, err)
	read, err := plan.Parse(text)
	requireNoError(t, err)
	found, err := review.New(t.Context(), read, review.Options{Store: store.New(o.Client, o.Self, 0, new(runstate.State)).OneAtATime(), Now: time.Now()})
	requireNoError(t, err)
	return reviewed{
		len(found.Risks) + len(found.Channels) + len(found.Groups) + len(found.People) + len(found.Permissions) + len(found.Also) + len(found.Unknown), found.Summary.Conditions,
	}
}

func TestLawReview(t *testing.T) {
	l := laws.Law{Name: "review", Sentence: "a review speaks of each change of each resource; and if a change meets a condition of --fail-on, so does removing it from the state"}
	laws.Hold(t, l, acctest.StartProcess(t.Context(), t).Resources(), func(c *laws.Case, resource string) {
		o := acctest.NewSandbox(c.T, sandbox.Config{FeatureLevel: featurelevel.Newest})
		made := lifeOf(lives(c.T, o), resource)
		run := o.NewRun(c, resource)
		created := run.MustPlan(made.create)
		run.MustApply(made.create)
		before := run.State.Values
		changes := map[string]planned{
			"create": {actions: []string{"create"}, after: created.Values},
			"delete": {actions: []string{"delete"}, before: before},
			"forget": {actions: []string{"forget"}, before: before},
		}
		if made.update != nil {
			after := run.MustPlan(made.updated(featurelevel.Newest)).Values
			for name, actions := range map[string][]string{"update": {"update"}, "replace": {"delete", "create"}, "create before destroy": {"create", "delete"}} {
				changes[name] = planned{actions: actions, before: before, after: after}
			}
			changes["import and update"] = planned{actions: []string{"update"}, before: before, after: after, importing: "1"}
		}
		meets := func(action string) bool { return len(changes[action].of(c.T, o, resource).conditions) > 0 }
		for _, action := range sortedKeys(changes) {
			c.Try(action, func() {
				found := changes[action].of(c.T, o, resource)
				if found.lines == 0 {
					c.Broken("nothing is said")
				}
				if action == "forget" && len(found.conditions) == 0 && (meets("create") || meets("delete")) {
					c.Broken("a creation or deletion meets a condition, but this meets none")
				}
			})
		}
	})
}
