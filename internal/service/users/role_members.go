package users

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accounts"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ resource.ResourceWithConfigure      = (*roleMembersResource)(nil)
	_ resource.ResourceWithValidateConfig = (*roleMembersResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*roleMembersResource)(nil)
	_ resource.ResourceWithImportState    = (*roleMembersResource)(nil)
	_ resource.ResourceWithIdentity       = (*roleMembersResource)(nil)
)

// roleMembersResource is zulip_role_members.
type roleMembersResource struct{ base.Resource }

// NewRoleMembersResource returns zulip_role_members.
func NewRoleMembersResource() resource.Resource { return &roleMembersResource{} }

// roleMembersModel is the resource.
type roleMembersModel struct {
	ID       types.String `tfsdk:"id"`
	Role     types.String `tfsdk:"role"`
	Users    types.List   `tfsdk:"users"`
	UserIDs  types.Map    `tfsdk:"user_ids"`
	DemoteTo types.String `tfsdk:"demote_to"`
}

// roleMembersIdentity is what a list is recognised by: the role. Who has it changes.
type roleMembersIdentity struct {
	Role types.String `tfsdk:"role"`
}

// listed are the roles that have a list, and demotions those that an account can get which is taken out of one.
var (
	listed    = []string{"owner", "administrator", "moderator"}
	demotions = []string{"administrator", "moderator", "member"}
)

func (r *roleMembersResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_role_members"
}

// Schema describes the resource. The users are a list although they have no order: of a set the plugin framework compares every
// element with every other.
func (r *roleMembersResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `Manages who has the role owner, administrator or moderator: exactly the listed people and bots. If somebody is made an administrator by hand, the next plan names them and proposes to take the role away; if somebody has lost it, to give it again. Bots that have the role count, deactivated accounts do not.

A new resource takes the role from nobody: a plan that finds others who have it is an error that names them. List them, or import the resource first, by its role: then the plan lists by name whom it takes out.

Roles are given before any is taken away. Each account is read again right before its role is changed. If somebody else has changed it since the plan was made, the apply stops without overwriting it, and the error shows the prior, the current and the planned role; a new resource has no prior state, and compares with the plan that the apply makes. The apply also stops if an email of the list belongs to another user than in the plan; user IDs never do. Who gets the role by hand between plan and apply keeps it: the next plan shows it, and the creation of a resource stops.

A plan that leaves no owner is refused, and so is one that takes a role from the provider's account, unless ` + "`lockout_protection = false`" + ` is set in the provider block. Both are checked again right before a role is taken away.

One resource of this kind manages a role. A ` + "`zulip_user_role`, a `zulip_user` or a `zulip_bot`" + ` of the same configuration that gives somebody another role than the list says is refused at plan, also for an account that the same plan creates or reactivates; somebody may move from one list to another in one apply. Destroying the resource leaves the roles as they are.`,
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true, MarkdownDescription: "The role."},
			"role": schema.StringAttribute{
				Required: true, MarkdownDescription: "Role: `owner`, `administrator` or `moderator`. Changing this forces a new resource. Administrators may manage the list; only owners may manage that of owners, or list somebody who is one.",
				Validators: []validator.String{validators.OneOf(listed...)},
			},
			"users": schema.ListAttribute{
				ElementType: types.StringType, Required: true,
				MarkdownDescription: "All people and bots who have the role, by email address or user ID, also as `user:EMAIL` or `user_id:N`. `[]` is nobody. The order and repetitions do not matter. An address that nobody has yet is ignored with a warning until somebody has joined with it. While the whole list is known only after the apply, an existing resource waits for the next apply.",
				Validators:          []validator.List{listvalidator.ValueStringsAre(validators.Length(1, 0), validators.Person("A role is given to people and bots."))},
			},
			"user_ids": lookup.IDsAttribute("users", "user"),
			"demote_to": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Role of those who are taken out of `users`: `administrator`, `moderator` or `member`, lower than `role`. Defaults to `member`. Of somebody whom another `zulip_role_members` or a `zulip_user_role` of this configuration gives a role in the same apply, that role counts.",
				Validators: []validator.String{validators.OneOf(demotions...)},
			},
		},
	}
}

// IdentitySchema describes what a list is recognised by.
func (r *roleMembersResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"role": identityschema.StringAttribute{RequiredForImport: true, Description: "Role: owner, administrator or moderator."},
	}}
}

// ValidateConfig refuses a demotion that is none.
func (r *roleMembersResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config roleMembersModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !base.IsSet(config.Role) || !base.IsSet(config.DemoteTo) {
		return
	}
	if config.demotion() <= config.role() {
		resp.Diagnostics.AddAttributeError(path.Root("demote_to"), "Not a lower role",
			fmt.Sprintf("Who is taken out of the list of the role %s gets the role of demote_to, which has to be lower than %s.", config.Role.ValueString(), config.Role.ValueString()))
	}
}

// Create gives the role to those who are listed and do not have it, and takes it from nobody.
func (r *roleMembersResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan roleMembersModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	view, wanted, ok := r.wanted(ctx, &plan, &resp.Diagnostics)
	if !ok {
		return
	}
	wrote := r.carryOut(ctx, r.arrivals(ctx, wanted.IDs, wanted.Emails, plan.role(), view, nil), nil, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		if !wrote {
			return // nobody was given anything: there is nothing to manage
		}
		plan.takeFailed(ctx, r.Meta, wanted.IDs)
	}
	plan.UserIDs = lookup.UserList.IDs(plan.Users, plan.UserIDs, view)
	r.keepRoles(ctx, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, roleMembersIdentity{plan.Role})...)
}

// Read takes from the snapshot who has the role.
func (r *roleMembersResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state roleMembersModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, roleMembersIdentity{state.Role})...)
	view, held, ok := r.holders(ctx, &state, &resp.Diagnostics)
	if !ok {
		return
	}
	state.ID, state.Users = state.Role, lookup.UserList.Keep(state.Users, held, view)
	state.UserIDs = lookup.UserList.IDs(state.Users, types.MapNull(types.Int64Type), view)
	writeRoles(ctx, view, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update gives the role to those who come into the list, and takes it from those who are taken out.
func (r *roleMembersResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, prior roleMembersModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, roleMembersIdentity{prior.Role})...)
	view, wanted, ok := r.wanted(ctx, &plan, &resp.Diagnostics)
	if !ok {
		resp.Diagnostics.Append(resp.State.Set(ctx, &prior)...)
		return
	}
	before, _ := lookup.UserList.ResolveAs(prior.Users, prior.UserIDs, view)
	come := r.arrivals(ctx, sets.Without(wanted.IDs, before.IDs), wanted.Emails, plan.role(), view, readRoles(ctx, req.Private, &resp.Diagnostics))
	var leave []grant
	if !wanted.MayHaveMoved { // else it may be who has another address by now
		leave = r.departures(ctx, sets.Without(before.IDs, wanted.IDs), before.Emails, &plan, view)
	}
	r.carryOut(ctx, come, leave, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		plan.takeFailed(ctx, r.Meta, slices.Concat(before.IDs, wanted.IDs))
	}
	plan.UserIDs = lookup.UserList.IDs(plan.Users, plan.UserIDs, view)
	r.keepRoles(ctx, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// Delete leaves the roles as they are.
func (r *roleMembersResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state roleMembersModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	tflog.Info(ctx, "The role stays with those who have it, and is not managed any more", map[string]any{"role": state.Role.ValueString()})
}

// ImportState takes a role.
func (r *roleMembersResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	wanted := roleMembersIdentity{types.StringValue(req.ID)}
	if req.ID == "" {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &wanted)...)
	}
	if !slices.Contains(listed, wanted.Role.ValueString()) {
		resp.Diagnostics.AddError("Cannot import this role", "The ID of an import is the role: owner, administrator or moderator.")
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), wanted.Role)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("role"), wanted.Role)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, wanted)...)
}

// role is the role that the list is of, and demotion the one of those who are taken out.
func (m *roleMembersModel) role() zulip.Role { return roleNamed(m.Role) }

func (m *roleMembersModel) demotion() zulip.Role {
	if !base.IsSet(m.DemoteTo) {
		return zulip.RoleMember
	}
	return roleNamed(m.DemoteTo)
}

func roleNamed(word types.String) zulip.Role {
	role, _ := zulip.ParseRole(word.ValueString())
	return role
}

// takeFailed makes the users those of some who have the role after an apply that failed. If that cannot be read, they stay those of
// the plan, and the next refresh corrects them.
func (m *roleMembersModel) takeFailed(ctx context.Context, meta *base.Meta, ids []int64) {
	view, err := meta.Store.Read(ctx, store.Users)
	if err == nil {
		m.Users = lookup.UserList.Keep(m.Users, having(ids, m.role(), view), view)
	}
}

// having returns those of some who are active and have a role.
func having(ids []int64, role zulip.Role, view *snapshot.Snapshot) []int64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool {
		user, ok := view.User(id)
		return !ok || !user.IsActive || user.Role != role
	})
}

// ModifyPlan finds out who comes and who leaves, refuses what cannot be done, and says what it means.
func (r *roleMembersResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !r.CanPlan(&resp.Diagnostics) {
		return
	}
	var plan, state *roleMembersModel
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
	plan.UserIDs = types.MapUnknown(types.Int64Type)
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
func (r *roleMembersResource) warnOfKept(ctx context.Context, state *roleMembersModel, diags *diag.Diagnostics) {
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
func (r *roleMembersResource) planUsers(ctx context.Context, plan, state *roleMembersModel, diags *diag.Diagnostics) {
	view, held, ok := r.holders(ctx, plan, diags)
	if !ok {
		return
	}
	role := plan.role()
	var before []int64 // whom the state lists
	priorIDs, isChange := types.MapNull(types.Int64Type), true
	waits := false
	if state != nil {
		resolved, _ := lookup.UserList.ResolveAs(state.Users, state.UserIDs, view)
		before, priorIDs = resolved.IDs, state.UserIDs
		reportMoved(resolved, diags)
		if waits = lookup.UserList.MustWait(plan.Users, state.Users, view); waits {
			diags.AddAttributeWarning(path.Root("users"), fmt.Sprintf("The list of who is %s waits for the next apply", role),
				"Who is to be in it is known only after this apply, so this plan cannot list who would be taken out. Nothing of this resource changes now; plan again after the apply.")
			*plan = *state
		}
		plan.Users = lookup.UserList.KeepPrior(plan.Users, state.Users, view)
		isChange = !plan.Users.Equal(state.Users) || !plan.DemoteTo.Equal(state.DemoteTo)
	}
	wanted, known := lookup.UserList.ResolveAs(plan.Users, priorIDs, view)
	plan.UserIDs = lookup.UserList.PlanIDs(plan.Users, priorIDs, isChange, view)
	reportMoved(wanted, diags)
	for _, err := range wanted.Problems {
		lookup.AddError(diags, path.Root("users"), err, "\n\nIf this configuration makes the account, write zulip_user.NAME.id: its ID is not known before, so that the account comes first.")
	}
	isWhole := known && !waits && len(wanted.Problems) == 0
	var leaving []int64
	if known && len(wanted.Planned) == 0 {
		leaving = sets.Without(before, wanted.IDs)
	}
	lookup.ReportAbsent(ctx, r.Meta, view, wanted.Absent, leaving, path.Root("users"), diags)
	if len(wanted.Deactivated) > 0 {
		diags.AddAttributeWarning(path.Root("users"), "Deactivated users and groups are ignored",
			fmt.Sprintf("Deactivated accounts have no rights, and their roles are left as they are: %s. They are ignored until they are reactivated.", lookup.UserList.Describe(wanted.Deactivated, view)))
	}
	accounts.DeclareRoleList(r.Meta, view, runstate.RoleList{
		Role: role.String(), DemoteTo: plan.demotion().String(), Users: lookup.AccountKeys(plan.Users, view), Leaving: leaving, IsWhole: isWhole, IsNew: state == nil,
	}, path.Root("users"), diags)
	if unlisted := sets.Without(held, wanted.IDs); state == nil && known && len(wanted.Planned) == 0 && len(unlisted) > 0 {
		refuseUnlisted(role, lookup.UserList.Describe(unlisted, view), diags)
	}
	if role == zulip.RoleOwner && isWhole && len(wanted.Planned)+len(wanted.Absent) == 0 && !slices.ContainsFunc(wanted.IDs, isPersonIn(view)) {
		diags.AddAttributeError(path.Root("users"), "The organization would have no owner", "An organization has at least one person who is its owner. Bots do not count. List a person.")
	}
	if !diags.HasError() {
		r.check(ctx, role, append(r.arrivals(ctx, sets.Without(wanted.IDs, before), nil, role, view, nil), r.departures(ctx, having(leaving, role, view), nil, plan, view)...), view, diags)
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

// check refuses what the server would refuse, and warns who loses a higher role, and who gains and who loses which right. Each grant
// is checked in the organization as the ones before leave it.
func (r *roleMembersResource) check(ctx context.Context, role zulip.Role, grants []grant, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	after, roles := view, map[int64]zulip.Role{}
	for _, one := range grants {
		user, _ := view.User(one.ID)
		change := accounts.Change{User: user, Prior: user.Role, Planned: one.Planned, At: path.Root("users")}
		if !change.Check(r.Meta, after, diags) {
			return
		}
		if one.Planned == role && user.Role < role {
			diags.AddAttributeWarning(path.Root("users"), fmt.Sprintf("%s loses the role %s", user.Address(), user.Role),
				fmt.Sprintf("An account has one role. %s is %s, and is listed as %s, which is lower.", user.Address(), base.WithArticle(user.Role), role))
		}
		after = after.With(func(facts *snapshot.Facts) {
			facts.ChangeUser(one.ID, func(user *zulip.User) { user.Role = one.Planned })
		})
		roles[one.ID] = one.Planned
	}
	if len(roles) > 0 {
		accesswarning.OfChange(ctx, r.Meta, diags, fmt.Sprintf("The list of who is %s changes who can do what", role), permission.Change{Roles: roles})
	}
}

// NewRoleMembersList returns the list resource zulip_role_members: the roles that have a list.
func NewRoleMembersList() list.ListResource {
	return core.NewList(core.List[string]{
		Name: "role_members", Plural: "roles", Identity: "role",
		ListText: core.ListText{Called: "role", Description: "Lists the roles owner, administrator and moderator, each as the `zulip_role_members` that says who has it."},
		Objects: func(ctx context.Context, b *base.Base) ([]*string, *snapshot.Snapshot, error) {
			view, err := b.Meta.Store.Read(ctx, store.Users)
			roles := make([]*string, len(listed))
			for i := range listed {
				roles[i] = &listed[i]
			}
			return roles, view, err
		},
		Key:   func(role *string) any { return *role },
		Label: func(role *string, _ *snapshot.Snapshot) string { return *role },
	})
}
