package users

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accounts"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// ModifyPlan also refuses attributes for which the server is too old and that are only sent when the account is
// deactivated.
func (r *userResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.Meta != nil && !req.Plan.Raw.IsNull() {
		r.CheckLevels(ctx, userKind, req.Config, &resp.Diagnostics)
	}
	r.Resource.ModifyPlan(ctx, req, resp)
}

// checkUserPlan refuses changes that the server would refuse, with the reason and the fix.
func checkUserPlan(ctx context.Context, p *core.Plan[account]) {
	var id []string
	if p.State != nil {
		id = append(id, fmt.Sprint(p.State.ID.ValueInt64()))
	}
	s, err := p.Meta.Store.ReadNaming(ctx, id, store.Users)
	if err != nil {
		p.Diags.AddError("Cannot read the users", base.Explain(err))
		return
	}
	if p.IsDestroy() {
		checkUserDestroy(ctx, p, s)
		return
	}
	checkUserProfile(p, s)
	if p.IsCreate() {
		checkNewUser(ctx, p, s)
		return
	}
	checkUserUpdate(ctx, p, s)
	warnOfUserAccess(ctx, p, s)
}

// checkUserDestroy refuses to deactivate accounts that the server protects, and warns about losses.
func checkUserDestroy(ctx context.Context, p *core.Plan[account], s *snapshot.Snapshot) {
	user, ok := s.User(p.State.ID.ValueInt64())
	if !ok {
		return
	}
	accounts.Deactivation(user).Check(p.Meta, s, p.Diags)
	if user.IsActive {
		checkActions(p.Base, p.State, p.Diags)
	}
	warnOfDeactivation(ctx, p, s, user, p.State)
}

// checkUserProfile refuses fields that do not exist, and people who do not.
func checkUserProfile(p *core.Plan[account], s *snapshot.Snapshot) {
	profile, _ := p.Plan.profile()
	for _, name := range slices.Sorted(maps.Keys(profile)) {
		lookup.NameObjectInPlan(s, runstate.Field, name, path.Root("profile_data"), p.Diags)
		field, later, err := lookup.ProfileField(s, name)
		if err != nil {
			p.Diags.AddAttributeError(path.Root("profile_data"), lookup.SummaryOr(err, "No such profile field"), base.Sentence(err))
			continue
		}
		if later {
			continue // the apply checks the value
		}
		if err := checkValue(field, profile[name], s); err != nil {
			p.Diags.AddAttributeError(path.Root("profile_data"), "Invalid value for a field of users", base.Sentence(err))
		}
	}
}

// checkNewUser refuses an account that already exists, or that the provider's account can't create.
func checkNewUser(ctx context.Context, p *core.Plan[account], s *snapshot.Snapshot) {
	if p.Meta.Store.Self().Role > zulip.RoleAdministrator {
		p.Meta.Refuse(path.Empty(), "create users", "This requires an administrator or owner of the organization with the permission can_create_users, which the server's shell grants.", p.Diags)
		return
	}
	user := &zulip.User{Email: p.Plan.Email.ValueString(), Role: zulip.RoleMember}
	var reactivated *zulip.User
	if base.IsSet(p.Plan.Email) {
		p.Meta.Run.Note(runstate.Created, runstate.Name(userKind, user.Email))
		holder, err := accounts.Holder(ctx, p.Meta, s, user.Email)
		if err != nil {
			p.Diags.AddError("Cannot read "+user.Email, base.Explain(err))
			return
		}
		// An account that this run has deactivated gave its email up.
		if other, ok := p.Meta.Run.Reserve(userKind, user.Email, p.Own...); !ok && (holder == nil || !p.Meta.Run.Knows(runstate.Gone, runstate.ID(userKind, holder.ID))) {
			refuseDuplicateUser(user.Email, other, p.Diags)
			return
		}
		switch {
		case holder != nil:
			user = holder
			checkEmailHolder(ctx, p, s, holder)
			if !holder.IsActive && !p.Plan.isInactive() {
				reactivated = holder
			}
		case p.Plan.isInactive():
			refuseInactiveUser(user.Email, p.Diags)
			return
		case p.Meta.Run.Knows(runstate.Ended, runstate.Name(userKind, user.Email)):
			p.Diags.AddAttributeWarning(path.Root("email"), fmt.Sprintf("User %s is deactivated, so the apply will fail", user.Email),
				"This happened outside Terraform. "+emailOfHidden+" To accept it, remove this resource from the configuration, with what references it.")
		default:
			p.Meta.Run.PlanName(runstate.Account, 0, user.Email, p.Own...)
			accounts.WarnOfDefault(p.Meta, user.Email, p.Diags)
		}
	}
	for _, id := range p.Own {
		checkReplacedUser(p, s, id)
	}
	accounts.DeclareRole(p.Meta, accounts.Said(runstate.AccountKey{ID: user.ID, Email: p.Plan.Email.ValueString()}, p.Config.Role, reactivated), p.Diags)
	if role, ok := zulip.ParseRole(p.Plan.Role.ValueString()); ok {
		accounts.Change{User: user, Prior: user.Role, Planned: role, At: path.Root("role")}.Check(p.Meta, s, p.Diags)
	}
}

// checkEmailHolder checks the account that already has the planned email. It accepts an account that this plan replaces or
// adopts, and an active user that [existing.Object.Check] accepts. Otherwise it refuses the email.
func checkEmailHolder(ctx context.Context, p *core.Plan[account], s *snapshot.Snapshot, holder *zulip.User) {
	run := &p.Meta.Run
	isOwn := run.Knows(runstate.Managed, runstate.ID(userKind, holder.ID)) || run.Knows(runstate.Gone, runstate.ID(userKind, holder.ID))
	email, isPlanned := run.PlannedName(runstate.Account, holder.ID)
	switch {
	case isOwn && isPlanned && !sameEmail(email, holder.Address()):
		warnOfOrder(holder, p.Diags)
	case isOwn && run.Knows(runstate.Kept, runstate.ID(userKind, holder.ID)) && (run.Knows(runstate.Deactivated, runstate.ID(userKind, holder.ID)) || run.Knows(runstate.Destroyed, runstate.ID(userKind, holder.ID))) && !p.Plan.isInactive():
		refuseDuplicateUser(p.Plan.Email.ValueString(), holder.Address(), p.Diags)
	case p.Plan.isInactive() && isReactivatable(holder):
		checkAdoptedInactive(p, holder)
	case p.Plan.isInactive() && isOwn && !run.Knows(runstate.Destroyed, runstate.ID(userKind, holder.ID)): // it is replaced: deactivated, and then adopted
		warnOfActions(s, holder, p.Plan, p.Diags)
	case isOwn && (!holder.IsActive || !run.Knows(runstate.Destroyed, runstate.ID(userKind, holder.ID))): // it is replaced: deactivated, and then reactivated
		run.PlanName(runstate.Account, holder.ID, holder.Address())
		if holder.IsActive && !slices.Contains(p.Own, holder.ID) { // another resource may have it
			warnOfActions(s, holder, p.Plan, p.Diags)
			existingUser(p.Plan, holder).Check(p.Meta, p.Diags)
		}
	case isReactivatable(holder) && p.Plan.AdoptDeactivated.ValueBool():
		run.PlanName(runstate.Account, holder.ID, holder.Address())
		warnOfReactivation(ctx, p, path.Root("adopt_deactivated"), holder, existing.AdoptionReason("user", "adopt_deactivated")+" ")
	case holder.IsActive && !holder.IsBot:
		existingUser(p.Plan, holder).Check(p.Meta, p.Diags)
	default:
		summary, detail := userEmailTaken(holder)
		existing.RefuseTakenName(p.Meta, userKind, holder.ID, path.Root("email"), summary, detail, p.Diags)
	}
}

// checkReplacedUser registers that the plan deactivates an account to replace it. It refuses to replace one that the server or
// lock-out protection keeps, and a replacement by which data or bots are lost.
func checkReplacedUser(p *core.Plan[account], s *snapshot.Snapshot, id int64) {
	user, ok := s.User(id)
	if !ok || !user.IsActive {
		return
	}
	p.Meta.Run.Note(runstate.Deactivated, runstate.ID(userKind, id))
	existing.RefuseReplacement(p.Diags, func(found *diag.Diagnostics) {
		accounts.Deactivation(user).Check(p.Meta, s, found)
		warnOfActions(s, user, p.Plan, found)
		accounts.WarnOfBots(p.Meta, user, found)
	})
}

// existingUser describes the active account with the planned email.
func existingUser(plan *account, holder *zulip.User) existing.Object {
	role, isPlanned := zulip.ParseRole(plan.Role.ValueString())
	joined, isKnown := holder.Joined()
	isRecent := isKnown && existing.IsRecent(joined) // the server does not show who created it
	asPlanned := holder.FullName == strings.TrimSpace(plan.FullName.ValueString()) && (!isPlanned || role == holder.Role) && !plan.isInactive()
	return existing.Object{
		Kind: userKind, Title: "user", Name: holder.Address(), Key: plan.Email.ValueString(), ID: holder.ID, Import: holder.Address(), At: path.Root("email"),
		Summary:   fmt.Sprintf("User %s already exists", holder.Address()),
		Detail:    fmt.Sprintf("It has the ID %d and the name %q.", holder.ID, holder.FullName),
		AsPlanned: asPlanned, Ours: isRecent, MayBeReplaced: asPlanned && isRecent,
	}
}

// userEmailTaken returns the error about the account with the planned email, with the fix.
func userEmailTaken(holder *zulip.User) (summary, detail string) {
	switch {
	case holder.IsBot:
		return fmt.Sprintf("%s is a bot", holder.Address()), "Manage bots with zulip_bot."
	case holder.IsDeleted:
		return accounts.Deleted(holder, "email")
	}
	return fmt.Sprintf("User %s already exists and is deactivated", holder.Address()),
		fmt.Sprintf("It has the ID %d and the name %q. Set adopt_deactivated = true to reactivate it, or active = false to leave it deactivated.", holder.ID, holder.FullName)
}

// checkUserUpdate keeps prior values with the configured meaning, and refuses changes that the server would refuse.
func checkUserUpdate(ctx context.Context, p *core.Plan[account], s *snapshot.Snapshot) {
	user, ok := s.User(p.State.ID.ValueInt64())
	if !ok {
		return // the next read removes it from the state
	}
	if base.IsSet(p.Plan.FullName) && strings.TrimSpace(p.Plan.FullName.ValueString()) == strings.TrimSpace(p.State.FullName.ValueString()) {
		p.Plan.FullName = p.State.FullName
	}
	p.Plan.keepProfile(p.State, s)
	checkEmail(p, s, user)
	var reactivated *zulip.User
	if !user.IsActive && p.Plan.Active.ValueBool() {
		reactivated = user
	}
	accounts.DeclareRole(p.Meta, accounts.Said(runstate.AccountKey{ID: user.ID, Email: cmp.Or(p.Plan.Email.ValueString(), user.Address())}, p.Config.Role, reactivated), p.Diags)
	accounts.RoleChange(p.Plan.Role, p.State.Role, user).Check(p.Meta, s, p.Diags)
	if !p.Plan.isSameAccount(p.State) && !p.Diags.HasError() {
		p.RequireAdministrator("update users", p.Diags)
	}
	checkUserActive(ctx, p, s, user)
}

// isSameAccount reports whether two models have the same values of the account itself.
func (a *account) isSameAccount(b *account) bool {
	return a.Email.Equal(b.Email) && a.FullName.Equal(b.FullName) && a.Role.Equal(b.Role) && a.ProfileData.Equal(b.ProfileData)
}

// warnOfUserAccess warns about people who gain or lose access because of another role.
func warnOfUserAccess(ctx context.Context, p *core.Plan[account], s *snapshot.Snapshot) {
	user, ok := s.User(p.State.ID.ValueInt64())
	role, isKnown := zulip.ParseRole(p.Plan.Role.ValueString())
	if !ok || !isKnown || p.Plan.Role.Equal(p.State.Role) || role == user.Role || p.Plan.isInactive() || p.Diags.HasError() {
		return
	}
	accesswarning.OfChange(ctx, p.Meta, p.Diags, permission.Change{Roles: map[int64]zulip.Role{user.ID: role}})
}

// checkEmail refuses an email that cannot be set. A hidden email is trusted the first time.
func checkEmail(p *core.Plan[account], s *snapshot.Snapshot, user *zulip.User) {
	planned, at := p.Plan.Email.ValueString(), path.Root("email")
	if p.Plan.Email.IsUnknown() {
		return
	}
	if user.IsActive && user.HidesEmail() { // who names the user by it learns the ID
		p.Meta.Run.PlanName(runstate.Account, user.ID, planned)
	}
	if other, ok := p.Meta.Run.Reserve(userKind, planned, p.Own...); !ok {
		refuseDuplicateUser(planned, other, p.Diags)
		return
	}
	if sameEmail(planned, p.State.Email.ValueString()) {
		p.Plan.Email = p.State.Email
		return
	}
	if isTrusted(p.State, user) {
		p.Diags.AddAttributeWarning(at, "Cannot compare the email",
			fmt.Sprintf("User %d (%s) hides their email from the provider's account. The provider assumes that it is %s, and sends nothing. If you change email later, the apply changes the user's email.", user.ID, user.FullName, planned))
		return
	}
	if !user.IsActive && !p.Plan.Active.ValueBool() {
		p.Meta.Run.Note(runstate.Inactive, runstate.ID(runstate.Account, user.ID))
	}
	self := p.Meta.Store.Self()
	holder, isTaken := s.UserWithAddress(planned)
	p.Meta.Run.PlanName(runstate.Account, user.ID, planned)
	existing.RefuseNamedByText(p.Meta, existing.Object{Kind: runstate.Account, Title: "user", Name: user.Address(), ID: user.ID, At: at}, "email", p.Diags)
	if p.Meta.Run.Knows(runstate.Created, runstate.Name(userKind, user.Address())) {
		warnOfOrder(user, p.Diags)
	}
	switch {
	case self.Role > zulip.RoleAdministrator:
		p.Meta.Refuse(at, "change emails", "This requires an administrator or owner of the organization with the permission can_change_user_emails, which the server's shell grants.", p.Diags)
	case isTaken && holder.ID != user.ID:
		p.Diags.AddAttributeError(at, "Another user has this email", fmt.Sprintf("%s belongs to %q (ID %d). If this configuration gives that user another email, apply that first, with -target. To swap two emails, first give one user a temporary email.", planned, holder.FullName, holder.ID))
	case user.ID == self.ID:
		p.Diags.AddAttributeWarning(at, "The provider's own email changes", fmt.Sprintf("%s is the provider's account. The apply continues with the new email. "+
			"After that, the server refuses the account's key with the old email. Set email = %q in the provider block, or in ZULIP_EMAIL or the zuliprc file, after this apply. The API key stays the same.", user.Address(), planned))
	}
}

// isTrusted reports whether the state has no real email to compare with, because the imported account hides it.
func isTrusted(state *account, user *zulip.User) bool {
	return user.HidesEmail() && sameEmail(state.Email.ValueString(), user.Email)
}

// isInactive reports whether active is false in the model.
func (a *account) isInactive() bool { return base.IsSet(a.Active) && !a.Active.ValueBool() }

// keepsDeactivated reports whether a deactivated account stays in the state, which has a value of active then. An
// account that was deleted on the server does not.
func keepsDeactivated(a *account, user *zulip.User) bool {
	return !a.Active.IsNull() && !user.IsDeleted
}

// Update refuses to unset active while the account is deactivated, because a state without active has no deactivated
// account.
func (r *userResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var prior, planned types.Bool
	var id types.Int64
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("active"), &prior)...)
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("active"), &planned)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("id"), &id)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	if base.IsSet(prior) && !prior.ValueBool() && planned.IsNull() {
		user, err := r.Meta.Store.FreshUser(ctx, id.ValueInt64())
		switch {
		case err != nil:
			resp.Diagnostics.AddError(fmt.Sprintf("Cannot read user %d", id.ValueInt64()), base.Explain(err))
			return
		case user != nil && !user.IsActive:
			summary, detail := unsetWhileDeactivated(user)
			resp.Diagnostics.AddAttributeError(path.Root("active"), summary, detail)
			return
		}
	}
	r.Resource.Update(ctx, req, resp)
}

func unsetWhileDeactivated(user *zulip.User) (summary, detail string) {
	return fmt.Sprintf("%s is deactivated, but active is not set", user.Address()),
		"Without active, the configuration expects an active user, but does not reactivate one. Set active = false to leave the user deactivated, set active = true to reactivate the user, or remove the resource."
}

// setUserActive deactivates or reactivates the account, if that is planned.
func setUserActive(ctx context.Context, c *core.Call, planned, current *account) error {
	if !base.IsSet(planned.Active) || planned.Active.Equal(current.Active) {
		return nil
	}
	if planned.Active.ValueBool() {
		defer c.Meta.Store.Invalidate(store.Users, store.UserGroups)
		err := reactivateUser(ctx, c, current.ID.ValueInt64())
		if err == nil {
			c.Meta.Store.BecameActive()
		}
		return err
	}
	unlock, err := c.Meta.Run.Lock(ctx, userKind+" "+strings.ToLower(planned.Email.ValueString())) // as if the resource were destroyed
	if err != nil {
		return err
	}
	defer unlock()
	err = deactivateUser(ctx, c, planned)
	if warned := (*base.Error)(nil); errors.As(err, &warned) && !warned.Diagnostics.HasError() {
		c.Diags.Append(warned.Diagnostics...)
		return nil
	}
	return err
}

// destroyUser deactivates the account, unless the resource has kept it deactivated.
func destroyUser(ctx context.Context, c *core.Call, state *account) error {
	if state.isInactive() {
		id := state.ID.ValueInt64()
		user, err := c.Meta.Store.FreshUser(ctx, id)
		if err == nil && (user == nil || !user.IsActive) {
			c.Meta.Run.Note(runstate.Gone, runstate.ID(userKind, id))
			return nil
		}
	}
	return deactivateUser(ctx, c, state)
}

// checkUserActive checks a deactivation as if the resource were destroyed, and warns about a reactivation.
func checkUserActive(ctx context.Context, p *core.Plan[account], s *snapshot.Snapshot, user *zulip.User) {
	at := path.Root("active")
	if isInactive := p.State.isInactive() || p.Plan.isInactive(); isInactive && p.Meta.Run.Knows(runstate.Created, runstate.Name(userKind, p.Plan.Email.ValueString())) {
		refuseDuplicateUser(p.Plan.Email.ValueString(), user.Address(), p.Diags)
	}
	switch {
	case p.Plan.Active.IsUnknown() || p.Plan.Active.Equal(p.State.Active):
	case p.Plan.isInactive() && user.IsActive:
		p.Meta.Run.Note(runstate.Deactivated, runstate.ID(userKind, user.ID))
		change := accounts.Deactivation(user)
		change.At = at
		change.Check(p.Meta, s, p.Diags)
		checkActions(p.Base, p.Plan, p.Diags)
		warnOfDeactivation(ctx, p, s, user, p.Plan)
	case user.IsActive:
	case p.Plan.Active.IsNull():
		summary, detail := unsetWhileDeactivated(user)
		p.Diags.AddAttributeWarning(at, summary, detail+" Otherwise the apply stops here.")
	case p.Plan.Active.ValueBool() && user.IsDeleted:
		summary, detail := accounts.Deleted(user, "email")
		p.Diags.AddAttributeError(at, summary, detail)
	case p.Plan.Active.ValueBool() && p.Meta.RequireRole(zulip.RoleAdministrator, at, "reactivate users", p.Diags):
		p.Meta.Run.PlanName(runstate.Account, user.ID, user.Address())
		warnOfReactivation(ctx, p, at, user, "")
	}
}

// warnOfReactivation names the account that will be reactivated, and its access afterwards. reason says why a new resource
// adopts it.
func warnOfReactivation(ctx context.Context, p *core.Plan[account], at path.Path, user *zulip.User, reason string) {
	role, returns := accounts.Returns(user, p.Config.Role)
	// Only the detail has the email, so that Terraform can combine many warnings into one.
	p.Diags.AddAttributeWarning(at, "A deactivated user will be reactivated",
		fmt.Sprintf("User %s has the ID %d and the name %q. Its messages do not change. %s%s", user.Address(), user.ID, user.FullName, reason, returns))
	accesswarning.OfReactivation(ctx, p.Meta, p.Diags, user, role)
}

// warnOfDeactivation warns about losses when the account is deactivated. The actions are those of m.
func warnOfDeactivation(ctx context.Context, p *core.Plan[account], s *snapshot.Snapshot, user *zulip.User, m *account) {
	if p.Diags.HasError() {
		return
	}
	warnOfActions(s, user, m, p.Diags)
	accounts.WarnOfBots(p.Meta, user, p.Diags)
	accounts.Leave(p.Meta, user, path.Empty(), p.Diags)
	accesswarning.OfDeactivation(ctx, p.Meta, p.Diags, user)
}

// checkAdoptedInactive warns that a new resource adopts a deactivated account, which stays deactivated. It refuses an
// account that another resource of the configuration has.
func checkAdoptedInactive(p *core.Plan[account], holder *zulip.User) {
	run := &p.Meta.Run
	switch {
	case run.Knows(runstate.Kept, runstate.ID(userKind, holder.ID)):
		refuseDuplicateUser(p.Plan.Email.ValueString(), holder.Address(), p.Diags)
	case !run.Knows(runstate.Managed, runstate.ID(userKind, holder.ID)) && !run.Knows(runstate.Gone, runstate.ID(userKind, holder.ID)):
		p.Diags.AddAttributeWarning(path.Root("active"), "A deactivated user will be adopted",
			fmt.Sprintf("User %s has the ID %d and the name %q, and stays deactivated.", holder.Address(), holder.ID, holder.FullName))
	}
}

// warnOfOrder warns that one resource gives the email of its account to the new account of another resource.
func warnOfOrder(user *zulip.User, diags *diag.Diagnostics) {
	diags.AddAttributeWarning(path.Root("email"), fmt.Sprintf("The email %s changes hands", user.Address()),
		fmt.Sprintf("One zulip_user changes the email of user %d (%q), and another creates a user with the old email. Terraform must change the first resource before the second: add depends_on to the second, or apply twice. "+
			"Otherwise the apply stops at the second.", user.ID, user.FullName))
}

// refuseDuplicateUser reports an error about two resources with the same email.
func refuseDuplicateUser(email, other string, diags *diag.Diagnostics) {
	existing.RefuseDuplicate(userKind, "user email", email, other,
		" A deactivated account keeps its email: to give the email to another account, change that of the deactivated one first.", path.Root("email"), diags)
}

// refuseInactiveUser reports an error if no account exists that could be kept deactivated.
func refuseInactiveUser(address string, diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root("active"), fmt.Sprintf("User %s does not exist", address),
		"active = false manages an existing deactivated user, and creates none. To create the user, remove active = false. "+
			"Otherwise remove the resource. The provider cannot find a user who hides their email: manage such a user before you deactivate the user.")
}
