package groups_test

import (
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Terraform refreshes a group after it has planned the users that the group references. The new email of a user in that plan
// does not hide who the state names by the old one.
func TestProtocolUserGroup_RefreshedAfterPlannedEmail_KeepsIDs(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	user := made(t, o, "zulip_user", values{"email": "zoe@example.com", "full_name": "Zoe"})
	crew := made(t, o, "zulip_user_group", values{"name": "crew", "members": []any{"zoe@example.com", lena}})

	renamed, config := values{"email": "ben@example.com", "full_name": "Zoe"}, values{"name": "crew", "members": []any{"ben@example.com"}}
	plans, reported := planTogether(t, o, member{"zulip_user", user, renamed}, member{"zulip_user_group", crew, config})
	for _, diags := range reported {
		diags.ExpectNoError(t)
	}
	held := plans[1].Prior.Values["member_ids"]
	if want := crew.Values["member_ids"]; fmt.Sprint(held) != fmt.Sprint(want) {
		t.Errorf("after the plan of the user, a refresh has the IDs %v, want %v", held, want)
	}
	apply := o.NewRun(t, "zulip_user_group").Process()
	_, diags := apply.Apply(plans[0])
	diags.ExpectNoError(t)
	again, diags := apply.Plan("zulip_user_group", plans[1].Prior, config)
	diags.ExpectNoError(t)
	_, diags = apply.Apply(again)
	diags.ExpectNoError(t)
}
