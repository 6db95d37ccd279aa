package provider_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// personal are the resources whose objects belong to the provider's account. Another account has its own.
var personal = []string{"zulip_channel_subscription_settings", "zulip_draft", "zulip_reaction", "zulip_scheduled_message"}

// shared are the resources whose objects several accounts can manage.
func shared(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(acctest.StartProcess(t.Context(), t).Resources(), func(resource string) bool { return slices.Contains(personal, resource) })
}

// lesser are accounts that can do less than the owner, who has applied everything.
var lesser = []string{"admin", "moderator", "member", "guest", "bot"}

func TestLawLeast(t *testing.T) {
	l := laws.Law{Name: "least", Sentence: "a plan that changes nothing needs no permission to write, and a lesser account plans what it can't see as unchanged, and can't change it"}
	laws.Hold(t, l, shared(t), func(c *laws.Case, resource string) {
		o := acctest.NewSandbox(c.T, sandbox.Config{FeatureLevel: featurelevel.Newest})
		l := lifeOf(lives(c.T, o), resource)
		config := l.create
		owner := laws.NewTrial(c, o, resource)
		if !owner.Try(config).Start(c) {
			return
		}
		for _, account := range lesser {
			c.Try(account, func() {
				run := laws.NewTrial(c, o.WithAccount(c.T, account), resource)
				run.State = owner.State
				if breach := run.Watch(func() {
					plan, diags := run.Plan(config)
					if len(diags.Errors()) > 0 {
						c.Broken("refused", diags)
					} else if !plan.Empty() {
						c.Broken("the plan is not empty", plan.Changes())
					}
					if len(diags) == 0 || diags[0].Summary != base.UnseenSummary {
						return
					}
					for _, change := range []values{l.updated(featurelevel.Newest), nil} {
						if change != nil && l.update == nil {
							continue
						}
						if _, diags := run.Plan(change); !strings.Contains(diags.Errors().String(), "Cannot change what the account does not see") {
							c.Broken("a change is not refused", change, diags)
						}
					}
				}); breach != "" {
					c.Broken("the protocol is violated", breach)
				}
			})
		}
	})
}

func TestLawAble(t *testing.T) {
	l := laws.Law{Name: "able", Sentence: "a change or a destroy that a lesser account can't make is refused by its plan, or announced", Every: 5}
	laws.Hold(t, l, shared(t), func(c *laws.Case, resource string) {
		for _, name := range lesser {
			for _, does := range []string{"changes", "destroys"} {
				c.Try(name+" "+does, func() { tryAsLesser(c, resource, name, does) })
			}
		}
	})
}

// tryAsLesser changes or destroys, with a lesser account, what the owner has applied.
func tryAsLesser(c *laws.Case, resource, name, does string) {
	c.Helper()
	o := acctest.NewSandbox(c.T, sandbox.Config{FeatureLevel: featurelevel.Newest})
	l := lifeOf(lives(c.T, o), resource)
	owner := laws.NewTrial(c, o, resource)
	if !owner.Try(l.create).Start(c) {
		return
	}
	run := laws.NewTrial(c, o.WithAccount(c.T, name), resource)
	run.State = owner.State
	var change values
	if does == "changes" {
		change = l.updated(featurelevel.Newest)
	}
	if breach := run.Watch(func() {
		plan, said := run.Plan(change)
		if len(said.Errors()) > 0 || plan.Empty() {
			return
		}
		for _, failure := range run.CarryOut(plan, change).Errors() {
			if !slices.ContainsFunc(said.Warnings(), func(one acctest.Diagnostic) bool {
				return one.Announces(failure) || strings.Contains(one.Detail, "The apply will fail")
			}) {
				c.Broken("planned, but not applied", failure)
			}
		}
	}); breach != "" {
		c.Broken("the protocol is violated", breach)
	}
}
