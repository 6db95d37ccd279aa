package users_test

import (
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// TestProtocolUser_OwnEmailChanged_ApplyContinues changes the email of the provider's account, and another resource in the
// same apply. The server accepts the account's key only with the new email from then on.
func TestProtocolUser_OwnEmailChanged_ApplyContinues(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	r := o.NewResources(t)
	own := fmt.Sprint(r.Block["email"])
	r.Import("me", "zulip_user", own)
	renamed := values{"email": "ines.new@example.com", "full_name": r.States["me"].Values["full_name"]}
	me := acctest.Entry{Name: "me", Kind: "zulip_user", Config: acctest.Fixed(renamed)}
	later := acctest.Entry{Name: "later", Kind: "zulip_channel", Needs: []string{"me"}, Config: func(get acctest.Get) values {
		return values{"name": "later", "can_administer_channel_group": []any{fmt.Sprint("user:", get("me", "email"))}}
	}}
	plans, diags := r.Plan(me, later)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "email", "The provider's own email changes", own, "The apply continues with the new email.",
		`email = "ines.new@example.com"`, "ZULIP_EMAIL", "The API key stays the same.")
	r.Apply(plans, me, later).ExpectNoError(t)

	r.Block["email"] = "ines.new@example.com"
	plans, diags = r.Plan(me, later)
	diags.ExpectNoError(t)
	for name, plan := range plans {
		if !plan.Empty() {
			t.Errorf("%s: the next plan changes %q", name, plan.Changes())
		}
	}
}
