// Package accounts checks at plan what may be done to the account of a person or bot: a change of its role ([RoleChange]), its
// deactivation, and what is left of one that was deleted.
package accounts

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/diagnostics"
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

// DeclareRole refuses, at plan, two resources of a configuration that give somebody different roles.
func DeclareRole(meta *base.Meta, user *zulip.User, role types.String, diags *diag.Diagnostics) {
	if role.IsNull() || role.IsUnknown() || meta.Run.Declare("role", user.ID, role.ValueString()) {
		return
	}
	diags.AddAttributeError(path.Root("role"), "Two roles for "+user.Address(),
		"Another resource of this configuration gives them another role (a zulip_user_role, or the account's own zulip_user or zulip_bot), and each apply would undo one of them. Keep one.")
}

// Check refuses, at plan, a change of role that the server would refuse, and one that takes from the account the provider
// uses what it needs (server-behavior §U7).
func (c RoleChange) Check(meta *base.Meta, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	if c.Saw == c.To {
		return
	}
	self, who := meta.Store.Self(), c.User.Address()
	switch {
	case !meta.RequireRole(zulip.RoleAdministrator, c.At, "change roles", diags):
	case (c.To == zulip.RoleOwner || c.Saw == zulip.RoleOwner) && self.Role != zulip.RoleOwner:
		diags.AddAttributeError(c.At, "Only owners make and unmake owners",
			fmt.Sprintf("%s is %s and is to become %s. %s, which the provider uses, is %s: use an owner's key.",
				who, diagnostics.WithArticle(c.Saw), diagnostics.WithArticle(c.To), self.Address(), diagnostics.WithArticle(self.Role)))
	default:
		if c.unmakesLastOwner(view) {
			// Whether this run makes another owner before is not known: the plan of that may come later.
			diags.AddAttributeWarning(c.At, "The organization would have no owner",
				fmt.Sprintf("%s is the only active owner now, and the server demotes nobody who is. If this configuration makes another person an owner, let this resource depend on that one; else the apply will stop here.", who))
		}
		c.checkLockout(meta, diags)
	}
}

// Protect repeats, in an apply, on what was just read, what of the check may have changed since.
func (c RoleChange) Protect(meta *base.Meta, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	if c.Saw == c.To {
		return
	}
	if c.unmakesLastOwner(view) {
		diags.AddAttributeError(c.At, "The organization would have no owner",
			fmt.Sprintf("%s is the only active owner, whom the server lets nobody demote. Make another person an owner first; if this configuration does, let this resource depend on that one.", c.User.Address()))
		return
	}
	c.checkLockout(meta, diags)
}

func (c RoleChange) unmakesLastOwner(view *snapshot.Snapshot) bool {
	return c.Saw == zulip.RoleOwner && c.To != zulip.RoleOwner && !c.User.IsBot && !view.HasOtherOwner(c.User.ID)
}

// checkLockout refuses to take from the account the provider uses what it needs.
func (c RoleChange) checkLockout(meta *base.Meta, diags *diag.Diagnostics) {
	if meta.LockoutProtection && c.User.ID == meta.Store.Self().ID && c.To > c.Saw {
		diags.AddAttributeError(c.At, "This would lock the provider out",
			fmt.Sprintf("%s is the account the provider uses. As %s it could do less than now, and could not take this back.", c.User.Address(), diagnostics.WithArticle(c.To))+base.LockoutAdvice)
	}
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

// RoleConflict reports, on apply, a role that somebody else has changed since the plan was made, where the plan changes it.
// current is the account as just read.
func RoleConflict(planned, prior types.String, current *zulip.User) (diags diag.Diagnostics) {
	saw, _ := zulip.ParseRole(prior.ValueString())
	if to, isManaged := zulip.ParseRole(planned.ValueString()); isManaged && to != saw {
		RoleChange{Saw: saw, To: to, At: path.Root("role")}.IsCurrent(current, &diags)
	}
	return diags
}

// CheckDeactivation refuses, at plan, to deactivate whom the server keeps, and the account the provider uses
// (server-behavior §U9).
func CheckDeactivation(meta *base.Meta, view *snapshot.Snapshot, user *zulip.User, diags *diag.Diagnostics) {
	self, who := meta.Store.Self(), user.Address()
	switch {
	case !user.IsActive:
		// Nothing is to be done.
	case !meta.RequireRole(zulip.RoleAdministrator, path.Empty(), "deactivate anybody", diags):
	case user.Role == zulip.RoleOwner && self.Role != zulip.RoleOwner:
		diags.AddError("Only owners deactivate owners",
			fmt.Sprintf("%s is an owner. %s, which the provider uses, is %s: use an owner's key.", who, self.Address(), diagnostics.WithArticle(self.Role)))
	case meta.LockoutProtection && user.ID == self.ID:
		diags.AddError("This would lock the provider out",
			fmt.Sprintf("%s is the account the provider uses. Deactivated, it could not even be reactivated by this configuration.", who)+base.LockoutAdvice)
	case user.Role == zulip.RoleOwner && !view.HasOtherOwner(user.ID):
		diags.AddWarning("The organization would have no owner",
			fmt.Sprintf("%s is the only active owner now, whom the server does not deactivate. If this configuration makes another person an owner, let that one depend on nothing here; else the apply will stop here.", who))
	}
}
