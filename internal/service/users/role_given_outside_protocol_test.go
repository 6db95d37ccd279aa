package users_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Someone made a moderator an administrator outside Terraform. The list of administrators, which does not have the user,
// and the zulip_user with another role than demote_to agree, in any order of the plan and of the apply.
func TestProtocolUserRole_GivenOutside_Removed(t *testing.T) {
	for plannedFirst := range 2 {
		for appliedFirst := range 2 {
			t.Run(fmt.Sprint(plannedFirst, appliedFirst), func(t *testing.T) {
				o := acctest.StartSandbox(t, sandbox.Config{})
				user, config := imported(t, o, oneRunModerator, values{"role": "moderator"})
				user.MustApply(config)
				list := o.NewRun(t, "zulip_role_members")
				list.Import("administrator", nil).ExpectNoError(t)
				wanted := values{"role": "administrator", "users": list.State.Values["users"]}
				list.MustApply(wanted)
				o.Call(t, http.MethodPatch, fmt.Sprint("/users/", oneRunID(t, o, "moderator")), map[string]string{"role": "200"})
				user.Refresh().ExpectNoError(t)
				list.Refresh().ExpectNoError(t)

				parts := []struct {
					run    *acctest.Run
					kind   string
					config values
				}{{user, "zulip_user", config}, {list, "zulip_role_members", wanted}}
				var plans [2]*acctest.PlannedChange
				plan, apply := user.Process(), user.Process()
				for _, i := range []int{plannedFirst, 1 - plannedFirst} {
					plans[i] = plan.MustPlan(parts[i].kind, parts[i].run.State, parts[i].config)
				}
				for _, i := range []int{appliedFirst, 1 - appliedFirst} {
					parts[i].run.ApplyIn(apply, plans[i]).ExpectNoError(t)
				}
				expectAccount(t, o, "moderator", "moderator", true)
				user.ExpectUnchanged(config)
				list.ExpectUnchanged(wanted)
			})
		}
	}
}
