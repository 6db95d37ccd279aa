// Package accounts checks changes of the account of a person or bot. A [Change] is another role or a deactivation.
// [Change.Check] checks it in the plan, [Change.Protect] just before the request, against the server's current answer.
// This package knows no resource.
package accounts

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
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

// Said is the role that a resource of an account sets. reactivated is the account if the resource reactivates it, and
// otherwise nil; without a configured role, it keeps its own.
func Said(account runstate.AccountKey, configured types.String, reactivated *zulip.User) runstate.SaidRole {
	said := runstate.SaidRole{Account: account, Role: configured.ValueString(), IsReturn: configured.IsNull() && reactivated != nil}
	if said.IsReturn {
		said.Role = reactivated.Role.String()
	}
	return said
}

// DeclareRole refuses, during plan, the role of an account if another resource of the configuration sets a different
// one. An empty role is unset or unknown.
func DeclareRole(meta *base.Meta, said runstate.SaidRole, diags *diag.Diagnostics) {
	account := said.Account
	if said.Role == "" || account == (runstate.AccountKey{}) {
		return
	}
	other, ok := meta.Run.SayRole(said)
	switch {
	case ok:
	case other.Ending != "":
		diags.AddAttributeError(path.Root("role"), twoRoles(account.Email),
			fmt.Sprintf("This resource sets the role %s, but this plan destroys a zulip_user_role that gives them the role %s.", said.Role, other.Ending)+takesOver("this resource"))
	case other.List == "":
		diags.AddAttributeError(path.Root("role"), twoRoles(account.Email),
			"Another resource of this configuration sets a different role (a zulip_user_role, zulip_user or zulip_bot), so each apply would undo the change of the other. Keep one of them.")
	case said.IsReturn:
		diags.AddAttributeError(path.Root("role"), twoRoles(account.Email), returns(account.Email, other.List))
	default:
		diags.AddAttributeError(path.Root("role"), twoRoles(account.Email),
			fmt.Sprintf("This resource sets the role %s, and the zulip_role_members of the role %s contradicts it. Each apply would undo the change of the other. Make them agree, or remove one.", said.Role, other.List))
	}
}

// returns is the advice about a reactivated account that is not in the list of its role.
func returns(who, role string) string {
	return fmt.Sprintf("The deactivated account %s still has the role %q. This plan reactivates it, but it is not listed in users of the zulip_role_members of that role. "+
		"Nothing was changed. Set its role in its zulip_user or zulip_bot, which changes the role before it reactivates the account:\n\n  role = \"member\"\n\nOr list the account in users.", who, role)
}

// DeclareEnd refuses, during plan, a destroy that gives an account a role if another resource of the configuration
// contradicts it.
func DeclareEnd(meta *base.Meta, change Change, diags *diag.Diagnostics) {
	other, ok := meta.Run.EndRole(change.User.ID, change.Planned.String())
	contradiction, owner := "another resource of this configuration sets a different role (a zulip_user or zulip_bot).", "the other resource"
	switch {
	case ok:
		return
	case other.List != "":
		contradiction, owner = fmt.Sprintf("the zulip_role_members of the role %s lists them.", other.List), "the list"
	}
	diags.AddAttributeError(change.At, twoRoles(change.User.Address()),
		fmt.Sprintf("Destroying this resource gives them the role %s, but %s", change.Planned, contradiction)+takesOver(owner))
}

// takesOver is the advice if a resource sets the role of an account to which the destroy of another one gives a role.
func takesOver(owner string) string {
	return fmt.Sprintf(" If %s should manage the role from now on, remove the zulip_user_role from the state, which leaves the role unchanged:\n\n"+
		"  removed {\n    from = zulip_user_role.NAME\n    lifecycle {\n      destroy = false\n    }\n  }", owner)
}

// DeclareRoleList refuses during plan a second list for a role, and a list that contradicts other resources of the
// configuration. at is the attribute with the list.
func DeclareRoleList(meta *base.Meta, s *snapshot.Snapshot, list runstate.RoleList, at path.Path, diags *diag.Diagnostics) {
	others, ending, isFirst := meta.Run.ListRole(list)
	if !isFirst {
		diags.AddAttributeError(path.Root("role"), fmt.Sprintf("Duplicate list of users with the role %s", list.Role),
			"Another zulip_role_members of this configuration manages the same role. Keep one of them.")
		return
	}
	address := func(account runstate.AccountKey) string {
		if user, ok := s.User(account.ID); ok {
			return user.Address()
		}
		return cmp.Or(account.Email, fmt.Sprint("account ", account.ID))
	}
	for _, id := range slices.Sorted(maps.Keys(ending)) {
		diags.AddAttributeError(at, twoRoles(address(runstate.AccountKey{ID: id})),
			fmt.Sprintf("They are in this list, but this plan destroys a zulip_user_role that gives them the role %s.", ending[id])+takesOver("the list"))
	}
	for _, other := range others {
		who := address(other.Account)
		detail := "Another resource of this configuration sets a different role (a zulip_user_role, zulip_user or zulip_bot, or the zulip_role_members of another role). Each apply would undo the change of the other. Make them agree, or remove one."
		if other.IsReturn {
			detail = returns(who, list.Role)
		}
		diags.AddAttributeError(at, twoRoles(who), detail)
	}
}

func twoRoles(who string) string { return "Two roles for " + who }

// RoleLock returns the lock for changes of the role of an account.
func RoleLock(id int64) string { return fmt.Sprint("role of ", id) }

// GaveRole registers a role that this run has given.
func GaveRole(meta *base.Meta, id int64, role zulip.Role) {
	meta.Run.Effects.Add(effects.Write{Kind: effects.GaveRole, ID: id, Value: int64(role)})
	meta.Store.GaveRole(id, role)
}

// HasGivenRole reports whether the role of a user is the last that this run has given. If so, no one has changed it since.
func HasGivenRole(meta *base.Meta, user *zulip.User) bool {
	given, ok := meta.Run.Effects.Last(effects.GaveRole, user.ID)
	return ok && given.Value == int64(user.Role)
}

// AfterRun sets the prior role of an account to the last that this run has given.
func AfterRun(known *effects.Log, id types.Int64, role *types.String) {
	if given, ok := known.Last(effects.GaveRole, id.ValueInt64()); ok {
		*role = types.StringValue(zulip.Role(given.Value).String())
	}
}

// Grant is a role that an apply gives to an account.
type Grant struct {
	ID int64
	// Email is the email by which the configuration names the account; "" if it names the ID.
	Email string
	// ByEmail is true if the request also identifies the account by its email. A resource sets it if it knows only
	// the email so far.
	ByEmail bool
	// Prior is the role that the plan was computed from.
	Prior, Planned zulip.Role
	// At is the attribute with the role, and Names the attribute that names the account.
	At, Names path.Path
	// Skips reports whether the current account keeps its role without an error. Optional.
	Skips func(now *zulip.User) bool
	// Then is called when the account has the role, before another resource of this run can change it. Optional.
	Then func()
}

// Give gives the role if the account still has the role and the email that the plan was computed from. It locks the
// role against other resources of this run. wrote is true if the role was sent. It adds conflicts to diags, and
// returns the error of a request.
//
// Before a request is repeated after a wait, the account is read again.
func (g Grant) Give(ctx context.Context, meta *base.Meta, diags *diag.Diagnostics) (wrote bool, err error) {
	unlock, err := meta.Run.Lock(ctx, RoleLock(g.ID))
	if err != nil {
		return false, err
	}
	defer unlock()
	err = meta.Client.Retry(ctx, func(ctx context.Context) error {
		now, byEmail, err := g.read(ctx, meta)
		switch {
		case err != nil:
			return err
		case now == nil:
			return fmt.Errorf("the server does not show the account %d to the provider's account", g.ID)
		case now.ID != g.ID:
			RefuseMovedEmail(g.Email, g.ID, now, g.Names, diags)
			return nil
		case g.Skips != nil && g.Skips(now):
			return nil
		}
		change := Change{User: now, Prior: g.Prior, Planned: g.Planned, At: g.At}
		if !change.Protect(ctx, meta, diags) {
			return nil
		}
		if now.Role != g.Planned {
			wrote = true
			if err := g.send(zulip.SendOnce(ctx), meta, byEmail); err != nil {
				meta.Store.Invalidate(store.Users, store.UserGroups) // it may have been executed
				return err
			}
		}
		if wrote { // also by a request whose answer was lost
			GaveRole(meta, now.ID, g.Planned)
		}
		if g.Then != nil {
			g.Then()
		}
		return nil
	})
	return wrote, err
}

// GiveBeforeReactivation gives a deactivated account the planned role, so that it is never active with another one. The
// server changes deactivated accounts too (server-behavior §U6). names is the attribute that names the account.
func GiveBeforeReactivation(ctx context.Context, meta *base.Meta, user *zulip.User, prior zulip.Role, planned types.String, names path.Path, diags *diag.Diagnostics) (ok bool) {
	role, isPlanned := zulip.ParseRole(planned.ValueString())
	if !isPlanned || role == prior {
		return true
	}
	grant := Grant{ID: user.ID, Prior: prior, Planned: role, At: path.Root("role"), Names: names}
	if _, err := grant.Give(ctx, meta, diags); err != nil {
		diags.AddAttributeError(grant.At, fmt.Sprintf("Cannot make %s %s", user.Address(), role), "The account stays deactivated. "+base.Explain(err))
	}
	return !diags.HasError()
}

// Returns returns the role of a reactivated account, and a text about it.
func Returns(user *zulip.User, planned types.String) (role zulip.Role, detail string) {
	role, isPlanned := zulip.ParseRole(planned.ValueString())
	if !isPlanned {
		role = user.Role
	}
	as := "as " + role.String()
	if planned.IsUnknown() {
		as = "with a role known after apply"
	}
	return role, fmt.Sprintf("It comes back %s, with its earlier channels, private ones too, and with its user groups and permissions. The server does not list the channels and groups of a deactivated account. "+
		"The next plan removes it from the lists and permissions that this configuration manages and that don't name it. Unset attributes are left unchanged.", as)
}

// read returns the account that has the email now, or the ID if no account has the email; nil if the provider's account
// sees neither.
func (g Grant) read(ctx context.Context, meta *base.Meta) (now *zulip.User, byEmail bool, err error) {
	if g.Email != "" {
		now, err = meta.Store.FreshUserNamed(ctx, g.Email)
	}
	if now == nil && err == nil {
		now, err = meta.Store.FreshUser(ctx, g.ID)
		return now, false, err
	}
	return now, true, err
}

// send sends the role.
func (g Grant) send(ctx context.Context, meta *base.Meta, byEmail bool) error {
	update := zulip.UserUpdate{Role: &g.Planned}
	if g.ByEmail && byEmail {
		return meta.Client.UpdateUserByEmail(ctx, g.Email, update)
	}
	return meta.Client.UpdateUser(ctx, g.ID, update)
}

// RefuseMovedEmail reports the error [lookup.MovedEmail] at an attribute.
func RefuseMovedEmail(email string, id int64, now *zulip.User, at path.Path, diags *diag.Diagnostics) {
	lookup.AddError(diags, at, lookup.MovedEmail(email, id, now), "")
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

// BotLock returns the lock for changes of a bot and for the deactivation of its owner: the server deactivates a
// person's bots with the person (server-behavior §U9).
func BotLock(bot int64) string { return fmt.Sprintf("bot %d and its owner", bot) }

// isActiveBotOf reports whether a person owns an active bot.
func isActiveBotOf(user *zulip.User, owner int64) bool {
	return user != nil && user.IsBot && user.IsActive && user.BotOwnerID != nil && *user.BotOwnerID == owner
}

// LockBotsOf returns, before a person is deactivated, the bots that the server deactivates too. It locks them against
// other resources of this run until unlock is called. address is the person's email.
func LockBotsOf(ctx context.Context, meta *base.Meta, owner int64, address string) (owned []int64, unlock func(), err error) {
	s, err := meta.Store.Read(ctx, store.Users)
	if err != nil {
		return nil, nil, cannotReadBots(address, "the user's bots", err)
	}
	bots := slices.DeleteFunc(slices.Clone(s.Users()), func(user *zulip.User) bool { return !isActiveBotOf(user, owner) })
	slices.SortFunc(bots, func(a, b *zulip.User) int { return cmp.Compare(a.ID, b.ID) }) // in this order, so that no two wait for each other
	var locks []func()
	unlock = func() {
		for _, one := range locks {
			one()
		}
	}
	for _, listed := range bots {
		one, err := meta.Run.Lock(ctx, BotLock(listed.ID))
		if err == nil {
			locks = append(locks, one)
			var bot *zulip.User // the list may be older than its deactivation
			if bot, err = meta.Store.FreshUser(ctx, listed.ID); isActiveBotOf(bot, owner) {
				owned = append(owned, bot.ID)
			}
		}
		if err != nil {
			unlock()
			return nil, nil, cannotReadBots(address, "its bot "+listed.Address(), err)
		}
	}
	return owned, unlock, nil
}

func cannotReadBots(address, which string, err error) error {
	var diags diag.Diagnostics
	diags.AddError("Cannot deactivate "+address, fmt.Sprintf("The provider could not read %s. Nothing was changed. %s", which, base.Explain(err)))
	return &base.Error{Diagnostics: diags}
}

// Need refuses, in a plan that makes something for an active account, that the same plan deactivates the account. If the
// deactivation is planned later, [Leave] refuses it. what is the new thing, as in "the status".
func Need(meta *base.Meta, what string, user *zulip.User, at path.Path, diags *diag.Diagnostics) {
	meta.Run.Note(runstate.Needed, runstate.Object{Kind: runstate.Account, ID: user.ID, Name: what})
	if meta.Run.Knows(runstate.Inactive, runstate.ID(runstate.Account, user.ID)) {
		refuseLeaving(user, what, at, diags)
	}
}

// Leave registers, in a plan, that it deactivates an account. It refuses this if the plan makes something for the account.
func Leave(meta *base.Meta, user *zulip.User, at path.Path, diags *diag.Diagnostics) {
	meta.Run.Note(runstate.Inactive, runstate.ID(runstate.Account, user.ID))
	for _, pair := range meta.Run.All(runstate.Needed, runstate.Account) {
		if pair.ID == user.ID {
			refuseLeaving(user, pair.Name, at, diags)
		}
	}
}

func refuseLeaving(user *zulip.User, what string, at path.Path, diags *diag.Diagnostics) {
	diags.AddAttributeError(at, "This plan deactivates "+user.Address(),
		fmt.Sprintf("It also makes %s for this account, which must be active for that. Remove one of the two changes.", what))
}

// Close registers, in the plan of an exclusive list of a channel's subscribers, the emails in it that no account has yet.
// For a default channel, it reports whether this run creates someone who is not listed. If the account is planned later,
// [WarnOfClosed] warns.
func Close(meta *base.Meta, channel *zulip.Channel, emails []string) (joins bool) {
	place := runstate.SubscribersOf(channel.ID)
	for _, email := range emails {
		meta.Run.Note(runstate.Managed, runstate.Object{Kind: place, Name: runstate.Fold(runstate.Account, email)})
	}
	if channel.IsDefault {
		meta.Run.Note(runstate.Closed, runstate.Object{Kind: runstate.Channel, ID: channel.ID, Name: channel.Name})
	}
	return slices.ContainsFunc(meta.Run.All(runstate.Created, runstate.Account), func(account runstate.Object) bool {
		id, isPlanned := meta.Run.PlannedID(runstate.Account, account.Name)
		return isPlanned && id == 0 && !meta.Run.Knows(runstate.Managed, runstate.Object{Kind: place, Name: account.Name})
	})
}

// WarnOfClosed warns, in the plan that creates a person, about the default channels with lists that do not have the person.
func WarnOfClosed(meta *base.Meta, email string, diags *diag.Diagnostics) {
	for _, channel := range meta.Run.All(runstate.Closed, runstate.Channel) {
		if !meta.Run.Knows(runstate.Managed, runstate.Object{Kind: runstate.SubscribersOf(channel.ID), Name: runstate.Fold(runstate.Account, email)}) {
			diags.AddWarning(NewInDefaultChannel(channel.Name))
		}
	}
}

// NewInDefaultChannel is the warning about new people in a default channel with an exclusive list (server-behavior §S13).
func NewInDefaultChannel(channel string) (summary, detail string) {
	return "New people are subscribed to a default channel",
		fmt.Sprintf("The server subscribes each new person to the default channel %q, and the plan after that unsubscribes everyone who is not in users. "+
			"List new people in users, set is_default = false on the channel, or use zulip_channel_subscription.", channel)
}

// WarnOfOwner warns, in the plan of a bot, that its owner is deactivated in the same plan. If the deactivation is
// planned later, [WarnOfBots] warns.
func WarnOfOwner(meta *base.Meta, bot string, owner *zulip.User, diags *diag.Diagnostics) {
	meta.Run.Note(runstate.Owned, runstate.Object{Kind: runstate.Account, ID: owner.ID, Name: bot})
	if meta.Run.Knows(runstate.Deactivated, runstate.ID(runstate.Account, owner.ID)) || meta.Run.Knows(runstate.Destroyed, runstate.ID(runstate.Account, owner.ID)) {
		summary, detail := withOwner(owner, bot)
		diags.AddAttributeWarning(path.Root("owner"), summary, detail)
	}
}

// WarnOfBots warns, in the plan that deactivates a person, about the bots in this configuration that the person will
// still own.
func WarnOfBots(meta *base.Meta, owner *zulip.User, diags *diag.Diagnostics) {
	var bots []string
	for _, pair := range meta.Run.All(runstate.Owned, runstate.Account) {
		if pair.ID == owner.ID {
			bots = append(bots, pair.Name)
		}
	}
	if len(bots) > 0 {
		diags.AddWarning(withOwner(owner, bots...))
	}
}

func withOwner(owner *zulip.User, bots ...string) (summary, detail string) {
	names := strings.Join(bots, ", ")
	return "Bots will be deactivated with their owner",
		fmt.Sprintf("This plan deactivates %s and leaves these bots with that owner: %s. The server deactivates a person's bots together with the person. "+
			"Set owner of each zulip_bot to someone else, or remove the bot from the configuration too. Otherwise the next plan asks for adopt_deactivated = true to reactivate it.", owner.Address(), names)
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
