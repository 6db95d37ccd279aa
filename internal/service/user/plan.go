package user

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accounts"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// ModifyPlan also refuses what the server is too old for where nothing is sent: what counts when the account is
// deactivated is not sent before.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.Meta != nil && !req.Plan.Raw.IsNull() {
		r.CheckLevels(ctx, kind, req.Config, &resp.Diagnostics)
	}
	r.Resource.ModifyPlan(ctx, req, resp)
}

// checkPlan refuses what the server would refuse, with the reason and the way out.
func checkPlan(ctx context.Context, p *core.Plan[account]) {
	var id []string
	if p.Prior != nil {
		id = append(id, fmt.Sprint(p.Prior.ID.ValueInt64()))
	}
	s, err := p.Meta.Store.ReadNaming(ctx, id, store.Users)
	if err != nil {
		p.Diags.AddError("Cannot read the users", base.Explain(err))
		return
	}
	if p.IsDestroy() {
		checkDestroy(ctx, p, s)
		return
	}
	checkProfile(p, s)
	if p.IsCreate() {
		checkNew(ctx, p, s)
		return
	}
	checkUpdate(ctx, p, s)
	warnOfAccess(ctx, p, s)
}

// checkDestroy refuses to deactivate whom the server keeps, and warns of what is lost.
func checkDestroy(ctx context.Context, p *core.Plan[account], s *snapshot.Snapshot) {
	user, ok := s.User(p.Prior.ID.ValueInt64())
	if !ok {
		return
	}
	accounts.Deactivation(user).Check(p.Meta, s, p.Diags)
	if user.IsActive {
		checkActions(p.Base, p.Prior, p.Diags)
	}
	warnOfDeactivation(ctx, p, s, user, p.Prior)
}

// levelNewEmail is from when on the address of an account can be changed.
var levelNewEmail = featurelevel.Since("zulip_user", "email")

// checkProfile refuses fields that do not exist, and people who do not.
func checkProfile(p *core.Plan[account], s *snapshot.Snapshot) {
	profile, _ := p.Plan.profile()
	for _, name := range slices.Sorted(maps.Keys(profile)) {
		field, ok := s.ProfileFields().ByName(name)
		if !ok {
			p.Diags.AddAttributeError(path.Root("profile_data"), "No such profile field", base.Sentence(lookup.NoProfileField(name, s)))
			continue
		}
		if err := checkValue(field, profile[name], s); err != nil {
			p.Diags.AddAttributeError(path.Root("profile_data"), "Not people", base.Sentence(err))
		}
	}
}

// checkNew refuses an account that already exists, and whom the server lets create none.
func checkNew(ctx context.Context, p *core.Plan[account], s *snapshot.Snapshot) {
	if p.Meta.Store.Self().Role > zulip.RoleAdministrator {
		p.Meta.Refuse(path.Empty(), "create accounts", "Only administrators and owners of the organization may, with the right can_create_users of the server's shell.", p.Diags)
		return
	}
	user := &zulip.User{Email: p.Plan.Email.ValueString(), Role: zulip.RoleMember}
	if base.IsSet(p.Plan.Email) {
		p.Meta.Run.WillCreate(kind, strings.ToLower(user.Email))
		holder, err := accounts.Holder(ctx, p.Meta, s, user.Email)
		if err != nil {
			p.Diags.AddError("Cannot read "+user.Email, base.Explain(err))
			return
		}
		switch {
		case holder != nil:
			user = holder
			checkHolder(p, s, holder)
		case p.Plan.isInactive():
			refuseInactive(user.Email, p.Diags)
			return
		default:
			p.Meta.Run.PlanName(snapshot.AccountKind, 0, user.Email)
		}
	}
	if role, ok := zulip.ParseRole(p.Plan.Role.ValueString()); ok {
		accounts.Change{User: user, Prior: user.Role, Planned: role, At: path.Root("role")}.Check(p.Meta, s, p.Diags)
	}
}

// checkHolder refuses an address that another account has, unless it is to be adopted.
func checkHolder(p *core.Plan[account], s *snapshot.Snapshot, holder *zulip.User) {
	run := &p.Meta.Run
	isOwn := run.IsManaged(kind, holder.ID) || run.IsDestroyed(kind, holder.ID)
	switch {
	case p.Plan.isInactive() && isReactivatable(holder):
		checkAdoptedInactive(p, holder)
	case p.Plan.isInactive() && isOwn && !run.WillBeDestroyed(kind, holder.ID): // it is replaced: deactivated, and then adopted
		warnOfActions(p, s, holder, p.Plan)
	case isOwn && (!holder.IsActive || !run.WillBeDestroyed(kind, holder.ID)): // it is replaced: deactivated, and then reactivated
		run.PlanName(snapshot.AccountKind, holder.ID, holder.Address())
		warnOfActions(p, s, holder, p.Plan)
	case isReactivatable(holder) && p.Plan.AdoptDeactivated.ValueBool():
		run.PlanName(snapshot.AccountKind, holder.ID, holder.Address())
		warnOfReactivation(p, path.Root("adopt_deactivated"), holder)
	case holder.IsActive && !holder.IsBot:
		core.CheckExisting(p.Meta, existing(p.Plan, holder), p.Diags)
	default:
		summary, detail := taken(holder)
		core.RefuseTakenName(p.Meta, kind, holder.ID, path.Root("email"), summary, detail, p.Diags)
	}
}

// existing describes the active account that has the planned address.
func existing(plan *account, holder *zulip.User) core.Existing {
	role, isPlanned := zulip.ParseRole(plan.Role.ValueString())
	joined, isKnown := holder.Joined()
	isRecent := isKnown && core.IsRecent(joined) // the server does not tell who created it
	asPlanned := holder.FullName == strings.TrimSpace(plan.FullName.ValueString()) && (!isPlanned || role == holder.Role) && !plan.isInactive()
	return core.Existing{
		Kind: kind, Title: "user", Name: holder.Address(), Key: strings.ToLower(plan.Email.ValueString()), ID: holder.ID, Import: holder.Address(), At: path.Root("email"),
		Summary:   fmt.Sprintf("%s already has an account", holder.Address()),
		Detail:    fmt.Sprintf("It has the ID %d and the name %q.", holder.ID, holder.FullName),
		AsPlanned: asPlanned, Ours: isRecent, MayBeReplaced: asPlanned && isRecent,
	}
}

// taken says which account has the planned address, and what to do.
func taken(holder *zulip.User) (summary, detail string) {
	switch {
	case holder.IsBot:
		return fmt.Sprintf("%s is a bot", holder.Address()), "The address belongs to a bot. Bots are managed with zulip_bot."
	case holder.IsDeleted:
		return accounts.Deleted(holder, "email")
	}
	return fmt.Sprintf("%s has a deactivated account", holder.Address()),
		fmt.Sprintf("It has the ID %d and the name %q, and keeps its address. Set adopt_deactivated = true to reactivate it, or active = false to keep it as it is.", holder.ID, holder.FullName)
}

// checkUpdate keeps the prior values that mean what is configured, and refuses what the server would.
func checkUpdate(ctx context.Context, p *core.Plan[account], s *snapshot.Snapshot) {
	user, ok := s.User(p.Prior.ID.ValueInt64())
	if !ok {
		return // the next read removes it from the state
	}
	if base.IsSet(p.Plan.FullName) && strings.TrimSpace(p.Plan.FullName.ValueString()) == strings.TrimSpace(p.Prior.FullName.ValueString()) {
		p.Plan.FullName = p.Prior.FullName
	}
	p.Plan.keepProfile(p.Prior, s)
	checkEmail(p, s, user)
	accounts.DeclareRole(p.Meta, user, p.Config.Role, false, p.Diags)
	accounts.RoleChange(p.Plan.Role, p.Prior.Role, user).Check(p.Meta, s, p.Diags)
	if !p.Plan.isSameAccount(p.Prior) && !p.Diags.HasError() {
		p.RequireAdministrator("update accounts", p.Diags)
	}
	checkActive(ctx, p, s, user)
}

// isSameAccount reports whether two models say the same of the account itself.
func (a *account) isSameAccount(b *account) bool {
	return a.Email.Equal(b.Email) && a.FullName.Equal(b.FullName) && a.Role.Equal(b.Role) && a.ProfileData.Equal(b.ProfileData)
}

// warnOfAccess warns who gains and who loses which right by another role.
func warnOfAccess(ctx context.Context, p *core.Plan[account], s *snapshot.Snapshot) {
	user, ok := s.User(p.Prior.ID.ValueInt64())
	role, isKnown := zulip.ParseRole(p.Plan.Role.ValueString())
	if !ok || !isKnown || p.Plan.Role.Equal(p.Prior.Role) || role == user.Role || p.Plan.isInactive() || p.Diags.HasError() {
		return
	}
	accesswarning.OfChange(ctx, p.Meta, p.Diags, fmt.Sprintf("The role of %s changes who can do what", user.Address()),
		permission.Change{Roles: map[int64]zulip.Role{user.ID: role}})
}

// checkEmail refuses an address that cannot be given. One that the person hides is taken on trust the first time.
func checkEmail(p *core.Plan[account], s *snapshot.Snapshot, user *zulip.User) {
	planned, at := p.Plan.Email.ValueString(), path.Root("email")
	if p.Plan.Email.IsUnknown() {
		return
	}
	if sameEmail(planned, p.Prior.Email.ValueString()) {
		p.Plan.Email = p.Prior.Email
		return
	}
	if isTrusted(p.Prior, user) {
		p.Diags.AddAttributeWarning(at, "The address cannot be compared",
			fmt.Sprintf("Account %d (%s) hides its address from the provider's account: that it is %s is taken on trust, and nothing is sent. From then on, another email changes the address of the account.", user.ID, user.FullName, planned))
		return
	}
	self, level := p.Meta.Store.Self(), p.FeatureLevel()
	holder, isTaken := s.UserByAddress(planned)
	p.Meta.Run.PlanName(snapshot.AccountKind, user.ID, planned)
	switch {
	case level > 0 && level < levelNewEmail:
		p.Diags.AddAttributeError(at, "The server is too old to change an address",
			fmt.Sprintf("It needs feature level %d; the server has %d. Set the address that the account has (%s), or upgrade the server.", levelNewEmail, level, p.Prior.Email.ValueString()))
	case self.Role > zulip.RoleAdministrator:
		p.Meta.Refuse(at, "change addresses", "Only administrators and owners of the organization may, with the right can_change_user_emails of the server's shell.", p.Diags)
	case isTaken && holder.ID != user.ID:
		p.Diags.AddAttributeError(at, "The address is taken", fmt.Sprintf("%s belongs to %q (ID %d).", planned, holder.FullName, holder.ID))
	}
}

// isTrusted reports whether the state has no real address to compare with: the account was imported, and hides it.
func isTrusted(state *account, user *zulip.User) bool {
	return hidesEmail(user) && sameEmail(state.Email.ValueString(), user.Email)
}
