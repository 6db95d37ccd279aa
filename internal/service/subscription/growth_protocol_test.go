package subscription_test

import (
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// The subscribers of a channel take what grows with their number: added, planned in another order, taken out, and read again.
func TestProtocolSubscribersGrowWithTheirNumber(t *testing.T) {
	acctest.ExpectLinear(t, 200, func(number int) func() {
		o, users := crowd(t, number)
		run := o.NewRun(t, exclusiveType)
		run.MustApply(values{"channel": "hall", "users": users[:1]})
		backwards := slices.Clone(users)
		slices.Reverse(backwards)
		return func() {
			run.MustApply(values{"channel": "hall", "users": users})
			if plan := run.MustPlan(values{"channel": "hall", "users": backwards}); !plan.Empty() {
				t.Error("another order is a change")
			}
			run.MustApply(values{"channel": "hall", "users": users[:number/2]})
		}
	})
}
