package provider_test

import (
	"fmt"
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
			names := textsIn(sample)
			list, isList := sample.([]any)
			_, gives := stage.Config["role"].(string)
			switch {
			case len(names) == 0 || !strings.Contains(names[0], "@") || strings.HasPrefix(names[0], "user:") || s.Name == "email":
				return // it names no people, or an account to create
			case strings.Contains(s.Description, "Only used on create"):
				return // a change of it does nothing
			case !isList && (!gives || s.Name != "user"):
				return // a bot or a status: the account of the person loses nothing with it
			case gives:
				stage.Config = and(stage.Config, "role", stage.Self.Role.String())
			}
			with, without := stage.With(own), values(nil)
			if isList {
				with, without = stage.With(withElement(list, own)), stage.With([]any{someone})
			} else {
				with["on_destroy"] = "member"
			}
			run := stage.Trial(c)
			if !run.Try(with).Start(c) {
				return
			}
			plan, diags := run.Plan(without)
			isSaid := strings.Contains(diags.String(), "own account") || strings.Contains(diags.String(), "provider's account") || strings.Contains(diags.String(), stage.Self.Address())
			if plan == nil || plan.Empty() || isSaid {
				return
			}
			sent := stage.Sent()
			run.CarryOut(plan, without)
			for _, write := range sent.Writes() {
				if strings.Contains(fmt.Sprint(write.Params), fmt.Sprint(stage.Self.ID)) { // otherwise the account stays where it was before
					c.Broken("not said", diags)
				}
			}
		})
	})
}
