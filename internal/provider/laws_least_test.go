package provider_test

import (
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// personal are the resources whose objects belong to the provider's account. Another account has its own.
var personal = []string{"zulip_channel_subscription_settings", "zulip_draft", "zulip_reaction", "zulip_scheduled_message"}

func TestLawLeast(t *testing.T) {
	l := laws.Law{Name: "least", Sentence: "a plan that changes nothing needs no permission to write, and a lesser account plans what it can't see as unchanged"}
	shared := slices.DeleteFunc(acctest.StartProcess(t.Context(), t).Resources(), func(resource string) bool { return slices.Contains(personal, resource) })
	laws.Hold(t, l, shared, func(c *laws.Case, resource string) {
		o := acctest.NewSandbox(c.T, sandbox.Config{FeatureLevel: featurelevel.Newest})
		config := lifeOf(lives(c.T, o), resource).create
		owner := laws.NewTrial(c, o, resource)
		if !owner.Try(config).Start(c) {
			return
		}
		for _, account := range []string{"admin", "moderator", "member"} {
			c.Try(account, func() {
				lesser := laws.NewTrial(c, o.WithAccount(c.T, account), resource)
				lesser.State = owner.State
				if breach := lesser.Watch(func() {
					plan, diags := lesser.Plan(config)
					if len(diags.Errors()) > 0 {
						c.Broken("refused", diags)
					} else if !plan.Empty() {
						c.Broken("the plan is not empty", plan.Changes())
					}
				}); breach != "" {
					c.Broken("the protocol is violated", breach)
				}
			})
		}
	})
}
