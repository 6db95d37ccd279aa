package provider_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
)

func TestLawUnknown(t *testing.T) {
	l := laws.Law{Name: "unknown", Sentence: "every attribute may be unknown in the plan; the apply then works, and the next plan is empty", Every: 8}
	laws.Hold(t, l, laws.Subjects(t, anything), func(c *laws.Case, s laws.Subject) {
		c.Try("create", func() {
			stage := stageOf(c, s)
			if laws.Resources(s) {
				stage.Trial(c).Later(stage.With(acctest.Unknown), stage.Config).Report(c)
			} else if out := stage.Validate(c, stage.With(acctest.Unknown)); out.Report(c) && len(out.Refusal) > 0 {
				c.Broken("refused", out)
			}
		})
		if !laws.Resources(s) {
			return
		}
		c.Try("update", func() {
			stage := stageOf(c, s)
			run := stage.Trial(c)
			if stage.Another == nil {
				return // the law about samples counts them
			}
			if run.Try(stage.With(stage.Another)).Start(c) {
				run.Later(stage.With(acctest.Unknown), stage.Config).Report(c)
			}
		})
	})
}
