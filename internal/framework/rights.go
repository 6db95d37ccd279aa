package framework

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// RequireAdministrator refuses a plan that the account may not carry out because it is no administrator (wire-2 §0). doing
// names the operation, as in "create linkifiers".
func (b *Base) RequireAdministrator(doing string, diags *diag.Diagnostics) {
	self := b.Meta.Directory.Self()
	if self.Role <= zulip.RoleAdministrator {
		return
	}
	kind := "account"
	if self.IsBot {
		kind = "bot"
	}
	diags.AddError(fmt.Sprintf("%s may not %s", self.Address(), doing),
		fmt.Sprintf("Administrators and owners of the organization may, and bots with one of these roles. The role of this %s is %s. Use the key of such an account, or let an owner give it the role.", kind, self.Role))
}
