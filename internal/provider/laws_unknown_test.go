package provider_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
)

func TestLawUnknown(t *testing.T) {
	l := laws.Law{Name: "unknown", Sentence: "every attribute may be unknown in the plan; the apply then works, or the plan announces why not, and the next plan is empty; a list may wait for one more apply", Every: 8}
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
			if !run.Try(stage.Second()).Start(c) {
				return
			}
			out := run.Later(stage.With(acctest.Unknown), stage.Config)
			if slices.ContainsFunc(out.Warnings, func(one acctest.Diagnostic) bool {
				return one.Attribute == s.Name && strings.Contains(one.Summary, "waits for the next apply")
			}) {
				out = run.Try(stage.Config)
			}
			out.Report(c)
		})
	})
}
