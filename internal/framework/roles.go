package framework

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Roles are the words for roles, the one that may do most first.
func Roles() []string { return []string{"owner", "administrator", "moderator", "member", "guest"} }

// RoleChange is a change of somebody's role.
type RoleChange struct {
	User *zulip.User
	// Saw is the role that the plan saw, To the one that is asked.
	Saw, To zulip.Role
	// At is the attribute that asks.
	At path.Path
}

// LockoutAdvice ends the messages of lock-out protection.
const LockoutAdvice = "\n\nIf that is meant, set lockout_protection = false in the provider block."

// DeclareRole refuses, at plan, two resources of a configuration that give somebody different roles.
func DeclareRole(meta *Meta, user *zulip.User, role types.String, diags *diag.Diagnostics) {
	if role.IsNull() || role.IsUnknown() || meta.Run.Declare("role", user.ID, role.ValueString()) {
		return
	}
	diags.AddAttributeError(path.Root("role"), "Two roles for "+user.Address(),
		"Another resource of this configuration gives them another role (a zulip_user_role, or the account's own zulip_user or zulip_bot), and each apply would undo one of them. Keep one.")
}

// Check refuses, at plan, a change of role that the server would refuse, and one that takes from the account the provider
// uses what it needs (server-behavior §U7).
func (c RoleChange) Check(meta *Meta, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	if c.Saw == c.To {
		return
	}
	self, who := meta.Store.Self(), c.User.Address()
	switch {
	case !meta.RequireRole(zulip.RoleAdministrator, c.At, "change roles", diags):
	case (c.To == zulip.RoleOwner || c.Saw == zulip.RoleOwner) && self.Role != zulip.RoleOwner:
		diags.AddAttributeError(c.At, "Only owners make and unmake owners",
			fmt.Sprintf("%s is %s and is to become %s. %s, which the provider uses, is %s: use an owner's key.",
				who, withArticle(c.Saw), withArticle(c.To), self.Address(), withArticle(self.Role)))
	case c.Saw == zulip.RoleOwner && !c.User.IsBot && !view.HasOtherOwner(c.User.ID):
		diags.AddAttributeError(c.At, "The organization would have no owner",
			fmt.Sprintf("%s is the only active owner, whom the server lets nobody demote. Make another person an owner first; if this configuration does, let this resource depend on that one.", who))
	case meta.LockoutProtection && c.User.ID == self.ID && c.To > c.Saw:
		diags.AddAttributeError(c.At, "This would lock the provider out",
			fmt.Sprintf("%s is the account the provider uses. As %s it could do less than now, and could not take this back.", who, withArticle(c.To))+LockoutAdvice)
	}
	meta.Run.PlanRole(c.User.ID, int(c.To))
}

// IsCurrent reports whether the role is still the one that the plan saw, or already the one that is asked; any other is
// somebody's decision, and is reported. now is the person as just read.
func (c RoleChange) IsCurrent(now *zulip.User, diags *diag.Diagnostics) bool {
	if now.Role == c.Saw || now.Role == c.To {
		return true
	}
	diags.AddAttributeError(c.At, fmt.Sprintf("The role of %s was changed since the plan was made", now.Address()),
		fmt.Sprintf("Planned was %s → %s, and now the role is %s. Nothing was sent. Plan again to see what this configuration would change.", c.Saw, c.To, now.Role))
	return false
}

// CheckDeactivation refuses, at plan, to deactivate whom the server keeps, and the account the provider uses
// (server-behavior §U9).
func CheckDeactivation(meta *Meta, view *snapshot.Snapshot, user *zulip.User, diags *diag.Diagnostics) {
	self, who := meta.Store.Self(), user.Address()
	switch {
	case !user.IsActive:
		// Nothing is to be done.
	case !meta.RequireRole(zulip.RoleAdministrator, path.Empty(), "deactivate anybody", diags):
	case user.Role == zulip.RoleOwner && self.Role != zulip.RoleOwner:
		diags.AddError("Only owners deactivate owners",
			fmt.Sprintf("%s is an owner. %s, which the provider uses, is %s: use an owner's key.", who, self.Address(), withArticle(self.Role)))
	case user.Role == zulip.RoleOwner && !view.HasOtherOwner(user.ID):
		diags.AddError("The organization would have no owner",
			fmt.Sprintf("%s is the only active owner, whom the server does not deactivate. Make another person an owner first, or take the resource out of the state.", who))
	case meta.LockoutProtection && user.ID == self.ID:
		diags.AddError("This would lock the provider out",
			fmt.Sprintf("%s is the account the provider uses. Deactivated, it could not even be reactivated by this configuration.", who)+LockoutAdvice)
	}
}

// withArticle writes a role as "an owner" or "a member".
func withArticle(role zulip.Role) string {
	word := role.String()
	if strings.ContainsAny(word[:1], "aeiou") {
		return "an " + word
	}
	return "a " + word
}

// UserAddress returns the words for a person or bot: those there are if they mean it, else its address.
func UserAddress(kept string, user *zulip.User, view *snapshot.Snapshot) string {
	if kept == "" {
		return user.Address() // without a search for what may have been meant
	}
	if found, err := FindUser(view, kept); err == nil && found.ID == user.ID {
		return kept
	}
	return user.Address()
}
