package provider_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// pairs are two resources of one apply: the first is destroyed, then the second is changed.
func pairs(all []life) (found []string) {
	for _, first := range all {
		for _, second := range all {
			if first.of != second.of && second.update != nil {
				found = append(found, first.of+" and "+second.of)
			}
		}
	}
	return found
}

func TestLawEffects(t *testing.T) {
	l := laws.Law{Name: "effects", Sentence: "what the server does by itself after a write is no conflict for another resource of the apply", Every: 40}
	laws.Hold(t, l, pairs(lives(t, acctest.NewSandbox(t, sandbox.Config{FeatureLevel: featurelevel.Newest}))), func(c *laws.Case, pair string) {
		c.Try("destroyed, then changed", func() {
			first, second, _ := strings.Cut(pair, " and ")
			o := acctest.NewSandbox(c.T, sandbox.Config{FeatureLevel: featurelevel.Newest})
			all := lives(c.T, o)
			one, two := lifeOf(all, first), lifeOf(all, second)
			a, b := laws.NewTrial(c, o, first), laws.NewTrial(c, o, second)
			if !a.Try(one.create).Start(c) || !b.Try(two.create).Start(c) {
				return
			}
			var out laws.Outcome
			config := two.updated(featurelevel.Newest)
			out.Breach = b.Watch(func() {
				end, diags := a.Plan(nil)
				change, planned := b.Plan(config)
				if out.Refusal = append(diags, planned...).Errors(); len(out.Refusal) > 0 {
					return
				}
				p := b.Process()
				if out.Failure = a.ApplyIn(p, end).Errors(); len(out.Failure) == 0 {
					out.Failure = b.ApplyIn(p, change).Errors()
				}
			})
			if out.Report(c) && !b.Try(config).Applied() {
				c.Broken("the next plan is not empty")
			}
		})
	})
}
