package groups_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

const returning = "kenji.sato@example.com"

// groupWithReturning creates a group with a deactivated member that the configuration does not list.
func groupWithReturning(t *testing.T, o *acctest.Organization) (user, group *acctest.Run) {
	t.Helper()
	user, group = o.NewRun(t, "zulip_user"), o.NewRun(t, "zulip_user_group")
	user.Import(returning, nil).ExpectNoError(t)
	group.MustApply(acctest.Values{"name": "writers", "members": []any{"amara.okafor@example.com", returning}})
	user.MustApply(acctest.Values{"email": returning, "full_name": "Kenji Sato", "active": false})
	group.MustApply(acctest.Values{"name": "writers", "members": []any{"amara.okafor@example.com"}})
	return user, group
}

// expectGone fails the test if the account is in the group.
func expectGone(t *testing.T, o *acctest.Organization) {
	t.Helper()
	credentials, _ := o.Sandbox.Credentials("member2")
	answer := o.Call(t, http.MethodGet, fmt.Sprintf("/user_groups/%d/members", o.Group(t, "writers")), nil)
	members, _ := answer["members"].([]any)
	if slices.Contains(members, any(float64(credentials.ID))) {
		t.Errorf("the account is a member again: %v", members)
	}
}

// A member who is back because the same run reactivates the account is no conflict. The list removes them.
func TestProtocolUserGroup_ReactivatedInRun_Removed(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	user, group := groupWithReturning(t, o)
	p := user.Process()
	back, diags := p.Plan("zulip_user", user.State, acctest.Values{"email": returning, "full_name": "Kenji Sato", "active": true})
	diags.ExpectNoError(t)
	change, diags := p.Plan("zulip_user_group", group.State, acctest.Values{"name": "writers", "members": []any{"amara.okafor@example.com", "lena.fischer@example.com"}})
	diags.ExpectNoError(t)
	_, diags = p.Apply(back)
	diags.ExpectNoError(t)
	group.ApplyIn(p, change).ExpectNoError(t)
	expectGone(t, o)
}

// A group that does not change in the same apply removes the account in the next one.
func TestProtocolUserGroup_ReactivatedBefore_RemovedNext(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	user, group := groupWithReturning(t, o)
	user.MustApply(acctest.Values{"email": returning, "full_name": "Kenji Sato", "active": true})
	group.MustApply(acctest.Values{"name": "writers", "members": []any{"amara.okafor@example.com"}})
	expectGone(t, o)
}
