package provider_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
)

// Every attribute has samples that can be applied, so that the laws can rely on them.
func TestLawSample(t *testing.T) {
	l := laws.Law{Name: "sample", Sentence: "every attribute has two valid samples", Every: 8}
	laws.Hold(t, l, laws.Subjects(t, anything), func(c *laws.Case, s laws.Subject) {
		c.Try("first", func() {
			stage := stageOf(c, s)
			if out := stage.Try(c, stage.Config); !out.Applied() {
				c.Broken("not applied", out)
			}
		})
		c.Try("second", func() {
			stage := stageOf(c, s)
			if stage.Another == nil {
				c.NotTried("there is no second sample")
			} else if out := stage.Try(c, stage.With(stage.Another)); !out.Applied() {
				c.Broken("not applied", out)
			}
		})
	})
}
