package usergroup_test

import (
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// The members of a group take what grows with their number: added, planned in another order, taken out, and read again, by the data
// source of the role that all of them have too.
func TestProtocolMembersGrowWithTheirNumber(t *testing.T) {
	acctest.ExpectLinear(t, 200, func(number int) func() {
		o, people := crowd(t, number)
		run := o.NewRun(t, "zulip_user_group")
		run.MustApply(values{"name": "all", "members": people[:1]})
		backwards := slices.Clone(people)
		slices.Reverse(backwards)
		return func() {
			run.MustApply(values{"name": "all", "members": people})
			empty(t, run, values{"name": "all", "members": backwards})
			run.MustApply(values{"name": "all", "members": people[:number/2]})
			_, diags := run.Process().ReadData("zulip_user_group", values{"name": "role:members"})
			diags.ExpectNoError(t)
		}
	})
}
