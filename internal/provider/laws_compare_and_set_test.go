package provider_test

import (
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
)

func TestLawCompareAndSet(t *testing.T) {
	l := laws.Law{Name: "compare-and-set", Sentence: "a value that someone set after the plan is not overwritten, and the apply fails", Every: 3}
	about := func(s laws.Subject) bool {
		isFree := s.IsText() && !fewValues.MatchString(s.Description) || s.ValueType().Is(tftypes.Number) || s.IsPermission()
		return laws.Resources(s) && len(s.Path) == 1 && !s.WriteOnly && isFree
	}
	laws.Hold(t, l, laws.Subjects(t, about), func(c *laws.Case, s laws.Subject) {
		c.Try("changed after the plan", func() {
			stage := stageOf(c, s)
			run, other, third := stage.Trial(c), stage.Trial(c), thirdValue(stage.Value())
			if !run.Try(stage.Config).Start(c) {
				return
			}
			plan, diags := run.Plan(stage.With(stage.Another))
			if len(diags.Errors()) > 0 || len(plan.Replace) > 0 || plan.Empty() {
				c.NotTried("it isn't changed in place")
				return
			}
			if other.State = run.State; !other.Try(stage.With(third)).Applied() {
				c.NotTried("it has no third value")
				return
			}
			theirs := other.State.Values[s.Name]
			var failed bool
			if breach := run.Watch(func() { failed = len(run.Apply(plan).Errors()) > 0 }); breach != "" {
				c.Broken("the protocol is violated", breach)
			}
			if other.Try(stage.With(third)); !reflect.DeepEqual(other.State.Values[s.Name], theirs) {
				c.Broken("overwritten", third)
			}
			if !failed {
				c.Broken("the apply succeeds", third)
			}
		})
	})
}

// thirdValue returns a value besides the two samples.
func thirdValue(sample any) any {
	switch sample := sample.(type) {
	case string:
		return sample + "3"
	case int:
		return sample + 3
	case int64:
		return sample + 3
	}
	return []any{"role:fullmembers"}
}
