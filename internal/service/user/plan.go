package user

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// planning is the plan of one account while it is checked.
type planning struct {
	*Resource
	view  *snapshot.Snapshot
	plan  *account
	state *account // nil for an account that is to be made
	diags *diag.Diagnostics
}

// ModifyPlan refuses what the server would refuse, with the reason and the way out.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !r.CanPlan(&resp.Diagnostics) {
		return
	}
	p := planning{Resource: r, diags: &resp.Diagnostics}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &p.plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &p.state)...)
	var err error
	if p.view, err = r.Meta.Store.Read(ctx, store.Users); err != nil {
		resp.Diagnostics.AddError("Cannot read the people", framework.Explain(err))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if p.plan == nil {
		email := p.state.Email.ValueString()
		r.RegisterDestroy(framework.Existing{Kind: kind, Title: "user", Name: email, Key: strings.ToLower(email), ID: p.state.ID.ValueInt64(), Import: email}, p.diags)
		if user, ok := p.view.User(p.state.ID.ValueInt64()); ok {
			framework.CheckDeactivation(r.Meta, p.view, user, p.diags)
			if user.IsActive {
				r.checkDeletion(p.state, p.diags)
			}
			if !p.diags.HasError() {
				p.warnOfDeletion(user, p.state)
				r.WarnOfDeactivation(ctx, p.diags, user, p.view.Users())
			}
		}
		return
	}
	r.CheckLevels(ctx, "zulip_user", req.Config, &resp.Diagnostics)
	p.checkProfile()
	if p.state == nil {
		p.checkNew()
	} else {
		var role types.String // what is not configured is not managed
		resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("role"), &role)...)
		p.checkChange(role)
		p.warn(ctx)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, p.plan)...)
}

// levelNewEmail is from when on the address of an account can be changed.
var levelNewEmail = featurelevel.Since("zulip_user", "email")

// checkProfile refuses fields that do not exist, and people who do not.
func (p *planning) checkProfile() {
	words, _ := p.plan.profile()
	for _, name := range slices.Sorted(maps.Keys(words)) {
		field, ok := p.view.ProfileFields().ByName(name)
		if !ok {
			p.diags.AddAttributeError(path.Root("profile_data"), "No such profile field", framework.Sentence(framework.NoProfileField(name, p.view)))
			continue
		}
		if err := checkValue(field, words[name], p.view); err != nil {
			p.diags.AddAttributeError(path.Root("profile_data"), "Not people", framework.Sentence(err))
		}
	}
}

// checkNew refuses an account that exists already, and whom the server lets make none.
func (p *planning) checkNew() {
	if p.Meta.Store.Self().Role > zulip.RoleAdministrator {
		p.Meta.Refuse(path.Empty(), "make accounts", "Only administrators and owners of the organization may, with the right can_create_users of the server's shell.", p.diags)
		return
	}
	if framework.IsSet(p.plan.Email) {
		p.Meta.Run.WillCreate(kind, strings.ToLower(p.plan.Email.ValueString()))
	}
	person := &zulip.User{Email: p.plan.Email.ValueString(), Role: zulip.RoleMember}
	if namesake, ok := p.view.UserByAddress(person.Email); ok && !p.plan.Email.IsUnknown() {
		person = namesake
		p.checkNamesake(namesake)
	} else if !p.plan.Email.IsUnknown() {
		p.Meta.Run.PlanAddress(0, person.Email)
	}
	if role, ok := zulip.ParseRole(p.plan.Role.ValueString()); ok {
		framework.RoleChange{User: person, Saw: person.Role, To: role, At: path.Root("role")}.Check(p.Meta, p.view, p.diags)
	}
}

// checkNamesake refuses to take somebody over who was not asked for.
func (p *planning) checkNamesake(namesake *zulip.User) {
	run := &p.Meta.Run
	replaced := (run.IsManaged(kind, namesake.ID) || run.IsDestroyed(kind, namesake.ID)) && (!namesake.IsActive || !run.WillBeDestroyed(kind, namesake.ID))
	switch {
	case replaced:
		// It is this very account, which is deactivated and taken back.
		p.Meta.Run.PlanReactivation(namesake.ID)
		p.warnOfDeletion(namesake, p.plan)
	case !namesake.IsActive && !namesake.IsDeleted && !namesake.IsBot && p.plan.AdoptDeactivated.ValueBool():
		p.Meta.Run.PlanReactivation(namesake.ID)
		p.diags.AddAttributeWarning(path.Root("adopt_deactivated"), fmt.Sprintf("The account of %s will be reactivated", namesake.Address()),
			fmt.Sprintf("It has the ID %d and is called %q, and keeps its messages and subscriptions. What this configuration does not set stays as it was.", namesake.ID, namesake.FullName))
	case namesake.IsActive && !namesake.IsBot:
		p.CheckExisting(p.existing(p.plan, namesake), p.diags)
	default:
		summary, detail := taken(namesake)
		p.RefuseTakenName(kind, namesake.ID, path.Root("email"), summary, detail, p.diags)
	}
}

// existing is the active account that has the planned address.
func (r *Resource) existing(plan *account, namesake *zulip.User) framework.Existing {
	role, known := zulip.ParseRole(plan.Role.ValueString())
	joined, told := namesake.Joined()
	isRecent := told && framework.IsRecent(joined) // the server does not tell who made it
	asPlanned := namesake.FullName == strings.TrimSpace(plan.FullName.ValueString()) && (!known || role == namesake.Role)
	return framework.Existing{
		Kind: kind, Title: "user", Name: namesake.Address(), Key: strings.ToLower(namesake.Address()), ID: namesake.ID, Import: namesake.Address(), At: path.Root("email"),
		Summary:   fmt.Sprintf("%s has an account already", namesake.Address()),
		Detail:    fmt.Sprintf("It has the ID %d and is called %q.", namesake.ID, namesake.FullName),
		AsPlanned: asPlanned, Ours: isRecent, MayBeReplaced: asPlanned && isRecent,
	}
}

// taken says that an address belongs to somebody, and what to do.
func taken(namesake *zulip.User) (summary, detail string) {
	switch {
	case namesake.IsBot:
		return fmt.Sprintf("%s is a bot", namesake.Address()), "The address belongs to a bot. Bots are managed with zulip_bot."
	case namesake.IsDeleted:
		return framework.DeletedAccount(namesake, "email")
	}
	return fmt.Sprintf("%s has a deactivated account", namesake.Address()),
		fmt.Sprintf("It has the ID %d and is called %q, and keeps its address. Set adopt_deactivated = true to reactivate it.", namesake.ID, namesake.FullName)
}

// checkChange keeps the state's words where the configuration says the same in others, and refuses what the server
// would.
func (p *planning) checkChange(configured types.String) {
	user, ok := p.view.User(p.state.ID.ValueInt64())
	if !ok {
		return // removed from the state by the next read
	}
	if strings.TrimSpace(p.plan.FullName.ValueString()) == strings.TrimSpace(p.state.FullName.ValueString()) && !p.plan.FullName.IsUnknown() {
		p.plan.FullName = p.state.FullName
	}
	p.keepProfile()
	p.checkEmail(user)
	framework.DeclareRole(p.Meta, user, configured, p.diags)
	saw, _ := zulip.ParseRole(p.state.Role.ValueString())
	if role, ok := zulip.ParseRole(p.plan.Role.ValueString()); ok {
		framework.RoleChange{User: user, Saw: saw, To: role, At: path.Root("role")}.Check(p.Meta, p.view, p.diags)
	}
	if !p.plan.Equal(p.state) && !p.diags.HasError() {
		p.RequireAdministrator("change accounts", p.diags)
	}
}

// warn says who gains and who loses what by another role.
func (p *planning) warn(ctx context.Context) {
	user, ok := p.view.User(p.state.ID.ValueInt64())
	role, known := zulip.ParseRole(p.plan.Role.ValueString())
	if !ok || !known || p.plan.Role.Equal(p.state.Role) || role == user.Role || p.diags.HasError() {
		return
	}
	p.WarnOfAccess(ctx, p.diags, fmt.Sprintf("The role of %s changes who can do what", user.Address()),
		permission.Change{Roles: map[int64]zulip.Role{user.ID: role}})
}

// keepProfile keeps the state's words if all fields mean the same.
func (p *planning) keepProfile() {
	planned, known := p.plan.profile()
	held, _ := p.state.profile()
	if !known || planned == nil || len(planned) != len(held) {
		return
	}
	for name, text := range planned {
		field, ok := p.view.ProfileFields().ByName(name)
		before, had := held[name]
		if !ok || !had || !sameValue(field, text, before, p.view) {
			return
		}
	}
	p.plan.ProfileData = p.state.ProfileData
}

// checkEmail refuses an address that cannot be given. One that the person hides is taken on trust the first time.
func (p *planning) checkEmail(user *zulip.User) {
	planned, at := p.plan.Email.ValueString(), path.Root("email")
	if p.plan.Email.IsUnknown() {
		return
	}
	if sameEmail(planned, p.state.Email.ValueString()) {
		p.plan.Email = p.state.Email
		return
	}
	if trusted(p.state, user) {
		p.diags.AddAttributeWarning(at, "The address cannot be compared",
			fmt.Sprintf("The account %d (%s) hides its address from the account the provider uses: that it is %s is taken on trust, and nothing is sent. From then on, another address here moves the account.", user.ID, user.FullName, planned))
		return
	}
	self, level := p.Meta.Store.Self(), p.FeatureLevel()
	other, found := p.view.UserByAddress(planned)
	p.Meta.Run.PlanAddress(user.ID, planned)
	switch {
	case level > 0 && level < levelNewEmail:
		p.diags.AddAttributeError(at, "The server is too old to change an address",
			fmt.Sprintf("It needs feature level %d; the server has %d. Write the address that the account has (%s), or upgrade the server.", levelNewEmail, level, p.state.Email.ValueString()))
	case self.Role > zulip.RoleAdministrator:
		p.Meta.Refuse(at, "change addresses", "Only administrators and owners of the organization may, with the right can_change_user_emails of the server's shell.", p.diags)
	case found && other.ID != user.ID:
		p.diags.AddAttributeError(at, "The address is taken", fmt.Sprintf("%s belongs to %q (ID %d).", planned, other.FullName, other.ID))
	}
}

// trusted reports whether the state has no real address to compare with: the account was imported, and hides it.
func trusted(state *account, user *zulip.User) bool {
	return hidesEmail(user) && sameEmail(state.Email.ValueString(), user.Email)
}
