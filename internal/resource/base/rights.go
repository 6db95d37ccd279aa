package base

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Plans are checked against what the account the provider uses may do (server-behavior §R15). doing names the operation
// throughout, as in "create linkifiers". The checks report whether they found nothing against it.

// Refuse says that the account may not do something: at an attribute, or with path.Empty() of the resource as a whole.
// who says as a sentence who may.
func (m *Meta) Refuse(at path.Path, doing, who string, diags *diag.Diagnostics) {
	self := m.Store.Self()
	is := WithArticle(self.Role)
	if self.IsBot {
		is = "a bot with the role " + self.Role.String()
	}
	AddErrorAt(diags, at, fmt.Sprintf("%s may not %s", self.Address(), doing),
		fmt.Sprintf("%s The account the provider uses is %s: use the key of one that may.", who, is))
}

// RequireRole refuses what takes a role, or one that may do more.
func (m *Meta) RequireRole(needed zulip.Role, at path.Path, doing string, diags *diag.Diagnostics) bool {
	if m.Store.Self().Role <= needed {
		return true
	}
	who := "Only administrators and owners of the organization may."
	if needed == zulip.RoleOwner {
		who = "Only owners of the organization may."
	}
	m.Refuse(at, doing, who, diags)
	return false
}

// RequireAdministrator refuses a plan that takes an administrator or an owner; bots can be either.
func (b *Base) RequireAdministrator(doing string, diags *diag.Diagnostics) bool {
	return b.Meta.RequireRole(zulip.RoleAdministrator, path.Empty(), doing, diags)
}

// RequireRight refuses what takes one of some permissions of the organization, as "can_create_groups". A permission that
// the server does not have is nothing against it.
func (m *Meta) RequireRight(view *snapshot.Snapshot, at path.Path, doing string, diags *diag.Diagnostics, rights ...string) bool {
	lets := make([]string, len(rights))
	for i, right := range rights {
		value, ok := view.Realm().Permissions[right]
		if !ok || permission.Admits(value, m.Store.Self(), view) {
			return true
		}
		lets[i] = fmt.Sprintf("%s lets only %s do it", right, permission.Describe(value, view))
	}
	m.Refuse(at, doing, "The organization's setting "+strings.Join(lets, ", and ")+".", diags)
	return false
}

// RequirePerson refuses what the server lets no bot do.
func (m *Meta) RequirePerson(at path.Path, doing string, diags *diag.Diagnostics) bool {
	self := m.Store.Self()
	if self.IsBot {
		AddErrorAt(diags, at, "A bot cannot "+doing, fmt.Sprintf("%s is a bot, and the server lets only people do this. Use the key of a person's account.", self.Address()))
	}
	return !self.IsBot
}

// RequirePersonBelow refuses what the server lets no bot do below a feature level. A level that is not known refuses nothing.
func (m *Meta) RequirePersonBelow(needed int, at path.Path, doing string, diags *diag.Diagnostics) bool {
	self, level := m.Store.Self(), m.Store.FeatureLevel()
	refused := self.IsBot && level > 0 && level < needed
	if refused {
		AddErrorAt(diags, at, "A bot cannot "+doing,
			fmt.Sprintf("%s is a bot. Bots can do this from %s on; this server has feature level %d. Use the key of a person's account, or upgrade the server.",
				self.Address(), featurelevel.Describe(needed), level))
	}
	return !refused
}

// RequireMember refuses what the server lets no guest do.
func (m *Meta) RequireMember(doing string, diags *diag.Diagnostics) bool {
	self := m.Store.Self()
	isGuest := self.Role == zulip.RoleGuest
	if isGuest {
		diags.AddError("A guest cannot "+doing, fmt.Sprintf("%s is a guest. Use the key of an account with a higher role.", self.Address()))
	}
	return !isGuest
}
