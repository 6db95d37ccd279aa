package subscription_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Users are taken as permissions name them: the state keeps that, and the plain form is no other one.
func TestProtocolUsersAsPrincipals(t *testing.T) {
	for _, kind := range bothTypes {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			o := acctest.NewSandbox(t, sandbox.Config{})
			private(t, o, "vault", nil, owner)
			run := o.NewRun(t, kind)
			written := []any{"user:" + owner, fmt.Sprint("user_id:", idOf(t, o, member)), guest}
			run.MustApply(values{"channel": "vault", "users": written})
			if !slices.Equal(run.State.Values["users"].([]any), written) {
				t.Errorf("the state has %v", run.State.Values["users"])
			}
			expectIn(t, o, "vault", owner, member, guest)
			if plan := run.MustPlan(values{"channel": "vault", "users": texts(guest, owner, member)}); !plan.Empty() {
				t.Errorf("the plan changes %v", plan.Changes())
			}
			run.MustApply(values{"channel": "vault", "users": []any{"user:" + owner}})
			expectIn(t, o, "vault", owner)
		})
	}
}

// A group is refused, with how a channel follows it.
func TestProtocolUsersThatAreGroups(t *testing.T) {
	o := acctest.NewSandbox(t, sandbox.Config{})
	for _, kind := range bothTypes {
		for _, text := range []string{"group:sre", "group_id:7", "role:members"} {
			_, diags := o.NewRun(t, kind).Plan(values{"channel": "general", "users": []any{text}})
			diags.ExpectError(t, "users", fmt.Sprintf("%q is a group", text), "users = zulip_user_group.NAME.members", "users = data.zulip_user_group.NAME.all_members")
		}
	}
}
