package provider_test

import (
	"math/big"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
)

func TestLawNumber(t *testing.T) {
	power := func(exponent uint) *big.Float {
		return new(big.Float).SetInt(new(big.Int).Lsh(big.NewInt(1), exponent))
	}
	numbers := map[string]any{
		"1.5": 1.5, "-1": -1, "-2": -2, "0": 0, "2^31": power(31), "2^32": power(32), "2^53+1": 1<<53 + 1, "2^63": power(63), "2^64": power(64), "1e30": big.NewFloat(1e30), "-2^63": -1 << 63,
	}
	isNumber := func(kind tftypes.Type) bool { return kind != nil && kind.Is(tftypes.Number) }
	l := laws.Law{Name: "number", Sentence: "any number is either refused in the plan, in the provider's words and at the attribute, or applied exactly"}
	about := func(s laws.Subject) bool { return isNumber(s.ValueType()) || isNumber(s.Element()) }
	laws.Hold(t, l, laws.Subjects(t, about), func(c *laws.Case, s laws.Subject) {
		for name, number := range numbers {
			c.Try(name, func() {
				stage, value := stageOf(c, s), number
				if s.Element() != nil {
					value = only(nil, number)
				}
				out := stage.Try(c, stage.With(value))
				if out.Report(c) && len(out.Refusal) > 0 && !out.Names(s) {
					c.Broken("the error doesn't name the attribute", out)
				}
			})
		}
	})
}
