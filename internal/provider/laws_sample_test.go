package provider_test

import (
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
)

// onlyOne are the attributes that have one valid value, and the reason. The law tries other values of them.
var onlyOne = map[string]string{
	"provider.zulip.email":   "the key belongs to one account",
	"provider.zulip.api_key": "the account has one key",
}

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
			switch _, isOne := onlyOne[s.String()]; {
			case isOne && stage.Try(c, stage.With(fmt.Sprint(stage.Value(), "x"))).Applied():
				c.Broken("it has another value")
			case isOne:
			case stage.Another == nil:
				c.NotTried("there is no second sample")
			default:
				if out := stage.Try(c, stage.Second()); !out.Applied() {
					c.Broken("not applied", out)
				}
			}
		})
	})
}
