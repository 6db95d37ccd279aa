package rolemembers

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accounts"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// ModifyPlan finds out who comes and who leaves, refuses what cannot be done, and says what it means.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !r.CanPlan(&resp.Diagnostics) {
		return
	}
	var plan, state *model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan == nil {
		r.warnOfKept(ctx, state, &resp.Diagnostics)
		return
	}
	plan.ID = plan.Role // unknown, if that is
	switch {
	case state != nil && !plan.Role.Equal(state.Role): // a second plan, without a state, is about the other role
		resp.RequiresReplace.Append(path.Root("role"))
		r.warnOfKept(ctx, state, &resp.Diagnostics)
	case !plan.Role.IsUnknown():
		r.planUsers(ctx, plan, state, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// warnOfKept warns of those who keep the role when the resource ends.
func (r *Resource) warnOfKept(ctx context.Context, state *model, diags *diag.Diagnostics) {
	view, held, ok := r.holders(ctx, state, diags)
	if !ok || len(held) == 0 {
		return
	}
	role := state.Role.ValueString()
	diags.AddWarning(fmt.Sprintf("The role %s stays with who has it", role),
		fmt.Sprintf("Destroying the resource leaves these accounts %s, and nothing manages that any more: %s. To take the role from somebody, first take them out of users and apply.",
			role, lookup.UserList.Describe(held, view)))
}

// planUsers keeps the users of the state where the configuration names the same, and checks who comes and who leaves.
func (r *Resource) planUsers(ctx context.Context, plan, state *model, diags *diag.Diagnostics) {
	view, held, ok := r.holders(ctx, plan, diags)
	if !ok {
		return
	}
	role := plan.role()
	var before []int64 // whom the state lists
	waits := false
	if state != nil {
		resolved, _ := lookup.UserList.Resolve(state.Users, view)
		before = resolved.IDs
		if waits = lookup.UserList.MustWait(plan.Users, state.Users, view); waits {
			diags.AddAttributeWarning(path.Root("users"), fmt.Sprintf("The list of who is %s waits for the next apply", role),
				"Who is to be in it is known only after this apply, so this plan cannot list who would be taken out. Nothing of this resource changes now; plan again after the apply.")
			*plan = *state
		}
		plan.Users = lookup.UserList.KeepPrior(plan.Users, state.Users, view)
	}
	wanted, known := lookup.UserList.Resolve(plan.Users, view)
	for _, err := range wanted.Problems {
		lookup.AddError(diags, path.Root("users"), err, "\n\nIf this configuration makes the account, write zulip_user.NAME.id: its ID is not known before, so that the account comes first.")
	}
	isWhole := known && !waits && len(wanted.Planned)+len(wanted.Absent)+len(wanted.Problems) == 0
	var leaving []int64
	if known && len(wanted.Planned) == 0 {
		leaving = without(before, wanted.IDs)
	}
	who := ""
	if len(leaving) > 0 {
		who = lookup.UserList.Describe(leaving, view)
	}
	lookup.ReportAbsent(ctx, r.Meta, wanted.Absent, who, path.Root("users"), diags)
	if len(wanted.Deactivated) > 0 {
		diags.AddAttributeWarning(path.Root("users"), "Deactivated users and groups are ignored",
			fmt.Sprintf("Deactivated accounts have no rights, and their roles are left as they are: %s. They are ignored until they are reactivated.", lookup.UserList.Describe(wanted.Deactivated, view)))
	}
	accounts.DeclareRoleList(r.Meta, view, runstate.RoleList{
		Role: role.String(), DemoteTo: plan.demotion().String(), Users: wanted.IDs, Leaving: leaving, IsWhole: isWhole, IsNew: state == nil,
	}, path.Root("users"), diags)
	if unlisted := without(held, wanted.IDs); state == nil && known && len(wanted.Planned) == 0 && len(unlisted) > 0 {
		refuseUnlisted(role, lookup.UserList.Describe(unlisted, view), diags)
	}
	if role == zulip.RoleOwner && isWhole && !slices.ContainsFunc(wanted.IDs, isPersonIn(view)) {
		diags.AddAttributeError(path.Root("users"), "The organization would have no owner", "An organization has at least one person who is its owner. Bots do not count. List a person.")
	}
	if !diags.HasError() {
		r.check(ctx, role, append(arrivals(without(wanted.IDs, before), role, view, nil), departures(having(leaving, role, view), plan, view, r.Meta.Store.Self().ID)...), view, diags)
	}
}

// isPersonIn returns a function that reports whether an ID is that of a person.
func isPersonIn(view *snapshot.Snapshot) func(int64) bool {
	return func(id int64) bool {
		user, ok := view.User(id)
		return ok && !user.IsBot
	}
}

// refuseUnlisted refuses a new list that does not name everybody who has the role: its creation takes it from nobody.
func refuseUnlisted(role zulip.Role, who string, diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root("users"), fmt.Sprintf("Others are %s too", role),
		fmt.Sprintf("The role %s is also that of %s. A new zulip_role_members takes the role from nobody. List them in users; or import it first, so that the plan shows whom it takes out:\n\n"+
			"  import {\n    to = zulip_role_members.NAME\n    id = %q\n  }", role, who, role.String()))
}

// check refuses what the server would refuse, and warns who loses a higher role, and who gains and who loses which right. Each move
// is checked in the organization as the ones before leave it.
func (r *Resource) check(ctx context.Context, role zulip.Role, moves []move, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	after, roles := view, map[int64]zulip.Role{}
	for _, m := range moves {
		user, _ := view.User(m.id)
		change := accounts.Change{User: user, Prior: user.Role, Planned: m.to, At: path.Root("users")}
		if !change.Check(r.Meta, after, diags) {
			return
		}
		if m.leaves == 0 && user.Role < role {
			diags.AddAttributeWarning(path.Root("users"), fmt.Sprintf("%s loses the role %s", user.Address(), user.Role),
				fmt.Sprintf("An account has one role. %s is %s, and is listed as %s, which is lower.", user.Address(), base.WithArticle(user.Role), role))
		}
		after = after.With(func(facts *snapshot.Facts) {
			facts.ChangeUser(m.id, func(user *zulip.User) { user.Role = m.to })
		})
		roles[m.id] = m.to
	}
	if len(roles) > 0 {
		accesswarning.OfChange(ctx, r.Meta, diags, fmt.Sprintf("The list of who is %s changes who can do what", role), permission.Change{Roles: roles})
	}
}
