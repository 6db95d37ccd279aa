package provider_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
)

func TestLawUnset(t *testing.T) {
	l := laws.Law{Name: "unset", Sentence: "an optional attribute can be unset: the next plan is empty, and what is only initially something keeps its value", Every: 3}
	about := func(s laws.Subject) bool { return laws.Resources(s) && s.Optional }
	laws.Hold(t, l, laws.Subjects(t, about), func(c *laws.Case, s laws.Subject) {
		c.Try("unset", func() {
			stage := stageOf(c, s)
			run := stage.Trial(c)
			if !run.Try(stage.Config).Start(c) {
				return
			}
			before := run.State.Values[s.Path[0]]
			out := run.Try(stage.With(nil))
			after := run.State.Values[s.Path[0]]
			switch isInitial := strings.Contains(s.Description, "Initially"); {
			case len(out.Refusal) > 0 && out.Names(s):
				c.NotTried("another attribute of the sample needs it")
			case len(out.Refusal) > 0:
				c.Broken("it can't be unset", out)
			case !out.Report(c) || !isInitial:
			case after == nil: // the state leaves it out
				sent := stage.Sent()
				if run.Try(stage.Config); len(sent.Writes()) > 0 {
					c.Broken("the value is not kept", sent.Words())
				}
			case !reflect.DeepEqual(before, after):
				c.Broken("the value is not kept", before, " becomes ", after)
			}
		})
	})
}
