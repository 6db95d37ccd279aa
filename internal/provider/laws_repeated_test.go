package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
)

func TestLawRepeated(t *testing.T) {
	l := laws.Law{Name: "repeated", Sentence: "a list with a repeated element is refused in the plan, or applied, and the next plan is empty"}
	laws.Hold(t, l, laws.Subjects(t, func(s laws.Subject) bool { return s.Element() != nil && !s.ValueType().Is(tftypes.Map{}) }), func(c *laws.Case, s laws.Subject) {
		c.Try("twice", func() {
			stage := stageOf(c, s)
			list, _ := stage.Value().([]any)
			if out := stage.Try(c, stage.With(append([]any{list[0]}, list...))); out.Report(c) && len(out.Refusal) > 0 && !out.Names(s) {
				c.Broken("the error doesn't name the attribute", out)
			}
		})
	})
}
