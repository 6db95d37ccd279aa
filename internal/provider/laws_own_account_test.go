package provider_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
)

func TestLawOwnAccount(t *testing.T) {
	l := laws.Law{Name: "own account", Sentence: "a plan that takes a role, a membership or an access from the provider's account says so"}
	laws.Hold(t, l, laws.Subjects(t, laws.Resources), func(c *laws.Case, s laws.Subject) {
		c.Try("removed", func() {
			stage := stageOf(c, s)
			sample, own := stage.Value(), any(stage.Self.Address())
			if names := textsIn(sample); len(names) == 0 || !strings.Contains(names[0], "@") || strings.HasPrefix(names[0], "user:") || s.Name == "email" {
				return // it names no people, or an account to create
			}
			with, without := stage.With(own), values(nil)
			if list, isList := sample.([]any); isList {
				with, without = stage.With(withElement(list, own)), stage.With([]any{someone})
			}
			run := stage.Trial(c)
			if !run.Try(with).Start(c) {
				return
			}
			plan, diags := run.Plan(without)
			isSaid := strings.Contains(diags.String(), "own account") || strings.Contains(diags.String(), "provider's account") || strings.Contains(diags.String(), stage.Self.Address())
			if plan != nil && !plan.Empty() && !isSaid {
				c.Broken("not said", diags)
			}
		})
	})
}
