// Package accounts checks changes of the account of a person or bot. A [Change] is another role or a deactivation.
// [Change.Check] checks it in the plan, [Change.Protect] just before the request, against the server's current answer.
// This package knows no resource.
package accounts

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Roles are the names of the roles, the highest first.
func Roles() []string { return []string{"owner", "administrator", "moderator", "member", "guest"} }

// Change is a planned change of an account.
type Change struct {
	// User is the account that was read.
	User *zulip.User
	// Prior is the role that the plan was computed from, and Planned the configured one.
	Prior, Planned zulip.Role
	// IsDeactivation is true for a deactivation, which has no roles.
	IsDeactivation bool
	// At is the attribute that causes the change.
	At path.Path
}

// Deactivation returns the change that deactivates an account.
func Deactivation(user *zulip.User) Change { return Change{User: user, IsDeactivation: true} }

// isEmpty reports whether the change does nothing.
func (c Change) isEmpty() bool {
	if c.IsDeactivation {
		return !c.User.IsActive
	}
	return c.Prior == c.Planned || c.User.Role == c.Planned
}

// needsOwner reports whether only an owner of the organization may make the change.
func (c Change) needsOwner() bool {
	return c.User.Role == zulip.RoleOwner && (!c.IsDeactivation || !c.User.IsBot) || c.Planned == zulip.RoleOwner
}

// unmakesOwner reports whether a person is no longer an active owner. Bots do not count.
func (c Change) unmakesOwner() bool {
	return c.User.Role == zulip.RoleOwner && c.Planned != zulip.RoleOwner && !c.User.IsBot
}

// problem is a reason to refuse a change.
type problem struct {
	summary, detail string
	// mayPass is true if another resource of the run may solve the problem.
	mayPass bool
}

// problems returns the reasons to refuse the change in one reading of the organization. self is the provider's
// account (server-behavior §U7, §U9).
func (c Change) problems(self *zulip.User, s *snapshot.Snapshot, lockoutProtection bool) (found []problem) {
	if c.isEmpty() {
		return nil
	}
	who := c.User.Address()
	if c.needsOwner() && self.Role != zulip.RoleOwner {
		provider := fmt.Sprintf("%s, the provider's account, is %s. Use an owner's key.", self.Address(), base.WithArticle(self.Role))
		if c.IsDeactivation {
			return []problem{{summary: "Only owners can deactivate owners", detail: fmt.Sprintf("%s is an owner. %s", who, provider)}}
		}
		return []problem{{summary: "Only owners can change who is an owner", detail: fmt.Sprintf("%s is %s and would become %s. %s",
			who, base.WithArticle(c.User.Role), base.WithArticle(c.Planned), provider)}}
	}
	if c.unmakesOwner() && !s.HasOtherOwner(c.User.ID) {
		found = append(found, problem{
			summary: "The organization would have no owner", mayPass: true,
			detail: fmt.Sprintf("%s is the only active owner. The server does not demote or deactivate the last owner. Make another person an owner first. If this configuration does that, add depends_on to this resource.", who),
		})
	}
	if c.unmakesOwner() && !c.User.IsActive && s.HasOtherOwner(c.User.ID) && !s.HasSeveralOwners() {
		found = append(found, problem{
			summary: "The server does not demote this deactivated owner", mayPass: true,
			detail: fmt.Sprintf("While the organization has only one active owner, the server does not demote deactivated owners such as %s. Make another person an owner first, or leave role unset.", who),
		})
	}
	if lost := c.lockout(self); lost != "" && lockoutProtection {
		found = append(found, problem{summary: base.LockoutSummary("the organization"), detail: lost + base.LockoutAdvice})
	}
	return found
}

// lockout describes what the provider's account loses by the change, and returns "" if it loses nothing.
func (c Change) lockout(self *zulip.User) string {
	isSelf, who := c.User.ID == self.ID, c.User.Address()
	switch {
	case isSelf && c.IsDeactivation:
		return fmt.Sprintf("%s is the provider's account. Once deactivated, it could not reactivate itself.", who)
	case isSelf && c.Planned > c.User.Role:
		return fmt.Sprintf("%s is the provider's account. As %s it would lose permissions and could not restore its role.", who, base.WithArticle(c.Planned))
	case c.IsDeactivation && self.IsBot && self.BotOwnerID != nil && *self.BotOwnerID == c.User.ID:
		return fmt.Sprintf("%s is the provider's account, and a bot owned by %s. The server deactivates a person's bots together with the person.", self.Address(), who)
	}
	return ""
}

// Check refuses in a plan a change that the server would refuse, and one that takes a necessary permission from the
// provider's account. A problem that another resource of the run may solve is a warning, because that resource may be
// planned later. It returns true if there is no error.
func (c Change) Check(meta *base.Meta, s *snapshot.Snapshot, diags *diag.Diagnostics) bool {
	switch {
	case c.isEmpty():
		return true
	case c.IsDeactivation && c.User.IsBot: // its owner can, too
	case c.IsDeactivation && !meta.RequireRole(zulip.RoleAdministrator, c.At, "deactivate users", diags):
		return false
	case !c.IsDeactivation && !meta.RequireRole(zulip.RoleAdministrator, c.At, "change roles", diags):
		return false
	}
	ok := true
	for _, found := range c.problems(currentSelf(meta, s), s, meta.LockoutProtection) {
		switch {
		case !found.mayPass:
			base.AddErrorAt(diags, c.At, found.summary, found.detail)
			ok = false
		case c.At.Equal(path.Empty()):
			diags.AddWarning(found.summary, found.detail+" Otherwise the apply stops here.")
		default:
			diags.AddAttributeWarning(c.At, found.summary, found.detail+" Otherwise the apply stops here.")
		}
	}
	return ok
}

// currentSelf returns the provider's account in a snapshot, because an earlier change of this run may have given it
// another role.
func currentSelf(meta *base.Meta, s *snapshot.Snapshot) *zulip.User {
	if self, ok := s.User(meta.Store.Self().ID); ok {
		return self
	}
	return meta.Store.Self()
}

// Protect refuses in an apply a change of an account that was just read, and reports whether the change may be sent.
// It reads the other necessary facts again, and refuses if it cannot. A role that is neither the prior nor the
// planned one is a conflict, unless this run has given it.
func (c Change) Protect(ctx context.Context, meta *base.Meta, diags *diag.Diagnostics) (ok bool) {
	if c.isEmpty() {
		return true
	}
	if !c.IsDeactivation && c.User.Role != c.Prior && !HasGivenRole(meta, c.User) {
		diags.AddAttributeError(c.At, base.ChangedAfterPlan("the role of "+c.User.Address()),
			fmt.Sprintf("role\n  when the plan was made:     %s\n  now:                        %s\n  the configuration asks for: %s\n\nNothing was changed. Plan again and review the new difference.", c.Prior, c.User.Role, c.Planned))
		return false
	}
	self, s, err := c.read(ctx, meta)
	if err != nil {
		base.AddErrorAt(diags, c.At, c.cannot(), "The provider could not check what this change would do. Nothing was changed. "+base.Explain(err))
		return false
	}
	found := c.problems(self, s, meta.LockoutProtection)
	for _, problem := range found {
		base.AddErrorAt(diags, c.At, problem.summary, problem.detail)
	}
	return len(found) == 0
}

// CheckNow is [Change.Protect] with an error as its result.
func (c Change) CheckNow(ctx context.Context, meta *base.Meta) error {
	var diags diag.Diagnostics
	if !c.Protect(ctx, meta, &diags) {
		return &base.Error{Diagnostics: diags}
	}
	return nil
}

// read returns the provider's current account and a snapshot. If the change removes an owner, the people in the
// snapshot are current.
func (c Change) read(ctx context.Context, meta *base.Meta) (self *zulip.User, s *snapshot.Snapshot, err error) {
	if c.unmakesOwner() {
		if s, err = meta.Store.Fresh(ctx, store.Users); err != nil {
			return nil, nil, err
		}
	}
	if self = meta.Store.Self(); self.ID == c.User.ID {
		return c.User, s, nil
	}
	if !c.needsOwner() && (!c.IsDeactivation || !self.IsBot) {
		return self, s, nil // nothing depends on the current people
	}
	self, err = meta.Store.FreshUser(ctx, self.ID)
	if err == nil && self == nil {
		err = fmt.Errorf("the server does not show the provider's account %s", meta.Store.Self().Address())
	}
	return self, s, err
}

// cannot returns the summary of a refused change.
func (c Change) cannot() string {
	if c.IsDeactivation {
		return "Cannot deactivate " + c.User.Address()
	}
	return fmt.Sprintf("Cannot make %s %s", c.User.Address(), c.Planned)
}

// RoleChange returns the change of role of an update, which may be empty. current is the account that was just read.
func RoleChange(planned, prior types.String, current *zulip.User) Change {
	change := Change{User: current, Prior: current.Role, Planned: current.Role, At: path.Root("role")}
	before, _ := zulip.ParseRole(prior.ValueString())
	if to, isManaged := zulip.ParseRole(planned.ValueString()); isManaged && to != before {
		change.Prior, change.Planned = before, to
	}
	return change
}

// CheckDeactivation is [Change.CheckNow] of a deactivation, on the current account. An account that no longer exists
// passes.
func CheckDeactivation(ctx context.Context, meta *base.Meta, id int64, address string) error {
	user, err := meta.Store.FreshUser(ctx, id)
	switch {
	case err != nil:
		var diags diag.Diagnostics
		diags.AddError("Cannot deactivate "+address, "The account could not be read. Nothing was changed. "+base.Explain(err))
		return &base.Error{Diagnostics: diags}
	case user == nil:
		return nil
	}
	return Deactivation(user).CheckNow(ctx, meta)
}

// Holder returns the current account with the email of a new one; nil if there is none. It is read separately, because
// the list may be older than its deactivation (server-behavior §U18).
func Holder(ctx context.Context, meta *base.Meta, s *snapshot.Snapshot, address string) (*zulip.User, error) {
	listed, ok := s.UserWithAddress(address)
	if !ok {
		return nil, nil
	}
	return meta.Store.FreshUser(ctx, listed.ID)
}

// IsAboveMember reports whether an account has a higher role than member. Each refresh reads such accounts separately,
// because the server's list may be older than a change of the role (server-behavior §U18), and such accounts are few.
func IsAboveMember(user *zulip.User) bool { return user.Role < zulip.RoleMember }

// Deleted returns an error about an account that was deleted on the server, and so cannot be reactivated or adopted.
// attribute is the attribute that names the account.
func Deleted(user *zulip.User, attribute string) (summary, detail string) {
	return fmt.Sprintf("User %s was deleted", user.Address()),
		fmt.Sprintf("It has the ID %d and is called %q. A deleted user cannot be reactivated, imported or adopted, and its email stays taken. Set another %s.",
			user.ID, user.FullName, attribute)
}

// RoleFilter returns the argument `role` of a list resource of people or bots. It accepts roles that only the server
// knows, by their numbers.
func RoleFilter() core.ListFilter[zulip.User] {
	return core.ListFilter[zulip.User]{
		Name: "role", Description: "Role: `owner`, `administrator`, `moderator`, `member` or `guest`.",
		Select: func(s *snapshot.Snapshot, value string) (func(*zulip.User) bool, error) {
			words := map[string]func(*zulip.User) bool{}
			hasRole := func(user *zulip.User) bool { return user.Role.String() == value }
			for _, role := range Roles() {
				words[role] = hasRole
			}
			for _, user := range s.Users() {
				words[user.Role.String()] = hasRole
			}
			return core.OneOf(words)(s, value)
		},
	}
}
