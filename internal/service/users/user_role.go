package users

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
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
	_ resource.ResourceWithConfigure   = (*userRoleResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*userRoleResource)(nil)
	_ resource.ResourceWithImportState = (*userRoleResource)(nil)
	_ resource.ResourceWithIdentity    = (*userRoleResource)(nil)
)

// userRoleKind is what roles are taken over as, by the IDs of those who have them.
const userRoleKind = "zulip_user_role"

// userRoleResource is zulip_user_role.
type userRoleResource struct{ base.Resource }

// NewUserRoleResource returns zulip_user_role.
func NewUserRoleResource() resource.Resource { return &userRoleResource{} }

// userRoleModel is the resource.
type userRoleModel struct {
	User      types.String `tfsdk:"user"`
	UserID    types.Int64  `tfsdk:"user_id"`
	Role      types.String `tfsdk:"role"`
	OnDestroy types.String `tfsdk:"on_destroy"`
}

// onDestroyKeep leaves the role as it is.
const onDestroyKeep = "keep"

// userRoleIdentity is what a role is recognised by.
type userRoleIdentity struct {
	UserID types.Int64 `tfsdk:"user_id"`
}

func (r *userRoleResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_user_role"
}

func (r *userRoleResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `Manages the role of a person or bot. Use it for people who join by themselves; for accounts that are managed as ` + "`zulip_user`" + ` or ` + "`zulip_bot`" + `, set ` + "`role`" + ` there. To manage who is an owner, an administrator or a moderator, and nobody else, use ` + "`zulip_role_members`" + `.

If somebody else has changed the role since the plan was made, the apply stops without overwriting it, and the error shows the prior, the current and the planned role. Creating the resource has no prior role to compare with: it replaces whichever role there is. A plan that demotes the provider's account is refused, unless ` + "`lockout_protection = false`" + ` is set in the provider block. Demoting the only owner is refused when it is applied; the plan warns of it, because another resource may make an owner first: let this one depend on that one. Both are checked again right before the role is changed. Applying again after a lost answer is safe, since an account has one role.`,
		Attributes: map[string]schema.Attribute{
			"user": schema.StringAttribute{
				Required: true, MarkdownDescription: "Email address or user ID of the person or bot, as in `zulip_user.x.id`.",
			},
			"user_id": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "User ID of the person or bot.",
				PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"role": schema.StringAttribute{
				Required: true, MarkdownDescription: "Role of the person or bot: `owner`, `administrator`, `moderator`, `member` or `guest`. Administrators may set it; only owners may make somebody an owner, or take that role away.",
				Validators: []validator.String{validators.OneOf(accounts.Roles()...)},
			},
			"on_destroy": schema.StringAttribute{
				Optional: true, MarkdownDescription: "What happens to the role when the resource is destroyed: `keep` leaves it as it is; `owner`, `administrator`, `moderator`, `member` or `guest` sets that role. Defaults to `keep`. An import by `PERSON=ROLE` has it in the state, as in `ada@example.com=member`.",
				Validators: []validator.String{validators.OneOf(append(accounts.Roles(), onDestroyKeep)...)},
			},
		},
	}
}

// IdentitySchema describes what a role is recognised by.
func (r *userRoleResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"user_id": identityschema.Int64Attribute{RequiredForImport: true, Description: "User ID of the person or bot."},
	}}
}

// ModifyPlan finds out who is meant, refuses what the server would refuse, and says what the change means.
func (r *userRoleResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !r.CanPlan(&resp.Diagnostics) {
		return
	}
	var plan, state *userRoleModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	var named []string
	if plan != nil {
		named = append(named, plan.User.ValueString())
	} else {
		named = append(named, fmt.Sprint(state.UserID.ValueInt64()))
	}
	view, err := r.Meta.Store.ReadNaming(ctx, named, store.Users)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the people", base.Explain(err))
		return
	}
	if plan == nil {
		if change, ok := r.onDestroy(ctx, state, &resp.Diagnostics); ok {
			accounts.DeclareEnd(r.Meta, change, &resp.Diagnostics)
			r.check(ctx, change, view, &resp.Diagnostics)
		} else {
			warnOfKept(state, view, &resp.Diagnostics)
		}
		return
	}
	user, later, err := lookup.UserInPlan(view, plan.User.ValueString())
	if plan.User.IsUnknown() || later {
		if user == nil && !plan.User.IsUnknown() {
			accounts.DeclareRole(r.Meta, runstate.AccountKey{Email: plan.User.ValueString()}, plan.Role, nil, true, &resp.Diagnostics)
		}
		plan.UserID = types.Int64Unknown()
		if state != nil { // somebody else, as far as is known
			resp.RequiresReplace.Append(path.Root("user"))
		}
		resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
		return
	}
	if err != nil {
		lookup.AddError(&resp.Diagnostics, path.Root("user"), err,
			"\n\nIf this configuration makes the account, write zulip_user.NAME.id: its ID is not known before, so that the account comes first.")
		return
	}
	change := accounts.Change{User: user, Prior: user.Role, Planned: role(plan.Role), At: path.Root("role")}
	switch {
	case state == nil:
	case state.UserID.ValueInt64() == user.ID:
		plan.User, change.Prior = state.User, role(state.Role) // the same in other words
	case plan.User.Equal(state.User): // a refresh would have written the new email into the state
		accounts.RefuseMovedEmail(plan.User.ValueString(), state.UserID.ValueInt64(), user, path.Root("user"), &resp.Diagnostics)
		return
	default:
		resp.RequiresReplace.Append(path.Root("user"))
	}
	plan.UserID = types.Int64Value(user.ID)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
	accounts.DeclareRole(r.Meta, runstate.AccountKey{ID: user.ID, Email: user.Address()}, plan.Role, nil, true, &resp.Diagnostics)
	if !plan.Role.IsUnknown() {
		r.check(ctx, change, view, &resp.Diagnostics)
	}
}

// warnOfKept warns of somebody who keeps more than the role member when the resource ends.
func warnOfKept(state *userRoleModel, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	user, ok := view.User(state.UserID.ValueInt64())
	if ok && user.IsActive && user.Role < zulip.RoleMember {
		diags.AddWarning(fmt.Sprintf("%s stays %s", user.Address(), user.Role),
			"Destroying the resource leaves the role as it is, and nothing manages it any more. To take it away, first set on_destroy = \"member\" and apply, and then remove the resource; or set the role to member.")
	}
}

// check refuses what the server would refuse, and warns who gains and who loses which right.
func (r *userRoleResource) check(ctx context.Context, change accounts.Change, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	change.Check(r.Meta, view, diags)
	if diags.HasError() || change.User.Role == change.Planned {
		return
	}
	accesswarning.OfChange(ctx, r.Meta, diags, fmt.Sprintf("The role of %s changes who can do what", change.User.Address()),
		permission.Change{Roles: map[int64]zulip.Role{change.User.ID: change.Planned}})
}

// Create gives the role, unless the person or bot has it.
func (r *userRoleResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan userRoleModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	view, err := r.Meta.Store.ReadNaming(ctx, []string{plan.User.ValueString()}, store.Users)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the people", base.Explain(err))
		return
	}
	user, err := lookup.User(view, plan.User.ValueString())
	if err != nil {
		lookup.AddError(&resp.Diagnostics, path.Root("user"), err, "")
		return
	}
	plan.UserID = types.Int64Value(user.ID)
	grant := accounts.Grant{Prior: user.Role, Planned: role(plan.Role), At: path.Root("role"), ByEmail: true}
	grant.Then = func() { r.Meta.Run.Adopt(userRoleKind, user.ID) }
	if r.give(ctx, &plan, grant, &resp.Diagnostics) {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		resp.Diagnostics.Append(resp.Identity.Set(ctx, userRoleIdentity{plan.UserID})...)
	}
}

// Read takes the role from the snapshot.
func (r *userRoleResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state userRoleModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, userRoleIdentity{state.UserID})...)
	view, err := r.Meta.Store.Read(ctx, store.Users)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the people", base.Explain(err))
		return
	}
	user, ok := view.User(state.UserID.ValueInt64())
	isOld := ok && user.Role != role(state.Role) // the list, or the state; an import has no role yet, and is one of few
	if !ok || isOld || accounts.IsAboveMember(user) {
		if view, err = r.Meta.Store.ReadUser(ctx, state.UserID.ValueInt64()); err != nil {
			resp.Diagnostics.AddError("Cannot read the people", base.Explain(err))
			return
		}
		user, ok = view.User(state.UserID.ValueInt64())
	}
	if !ok && !r.Meta.MayRemove(r.Meta.SeesEverybody(), fmt.Sprintf("account %d", state.UserID.ValueInt64()), &resp.Diagnostics) {
		return
	}
	if !ok {
		tflog.Info(ctx, "The person or bot is not visible any more: removing the role from the state", map[string]any{"user_id": state.UserID.ValueInt64()})
		resp.State.RemoveResource(ctx)
		return
	}
	state.User, state.Role = types.StringValue(lookup.KeepUser(state.User.ValueString(), user, view)), types.StringValue(user.Role.String())
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update gives another role, if the one that the plan saw is still there.
func (r *userRoleResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state userRoleModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	grant := accounts.Grant{Prior: role(state.Role), Planned: role(plan.Role), At: path.Root("role")}
	if grant.Prior == grant.Planned || r.give(ctx, &plan, grant, &resp.Diagnostics) {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, userRoleIdentity{state.UserID})...)
}

// Delete leaves the role, or gives the one that on_destroy names.
func (r *userRoleResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state userRoleModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	change, ok := r.onDestroy(ctx, &state, &resp.Diagnostics)
	if !ok {
		tflog.Info(ctx, "The role is kept, and not managed any more", map[string]any{"user": state.User.ValueString(), "role": state.Role.ValueString()})
		return
	}
	grant := accounts.Grant{Prior: change.Prior, Planned: change.Planned, At: change.At}
	grant.Skips = func(now *zulip.User) bool {
		isAdopted := r.Meta.Run.IsAdopted(userRoleKind, now.ID)
		if isAdopted {
			tflog.Info(ctx, "The role stays: another resource has taken it over", map[string]any{"user": state.User.ValueString()})
		}
		return isAdopted
	}
	r.give(ctx, &state, grant, &resp.Diagnostics)
}

// onDestroy is the change that destroying brings; ok is false if it brings none.
func (r *userRoleResource) onDestroy(ctx context.Context, state *userRoleModel, diags *diag.Diagnostics) (change accounts.Change, ok bool) {
	to, named := zulip.ParseRole(state.OnDestroy.ValueString())
	if !named || to == role(state.Role) {
		return change, false
	}
	view, err := r.Meta.Store.Read(ctx, store.Users)
	if err != nil {
		diags.AddError("Cannot read the people", base.Explain(err))
		return change, false
	}
	user, visible := view.User(state.UserID.ValueInt64())
	return accounts.Change{User: user, Prior: role(state.Role), Planned: to, At: path.Root("on_destroy")}, visible
}

// give gives a role to the person or bot whom the plan found.
func (r *userRoleResource) give(ctx context.Context, m *userRoleModel, grant accounts.Grant, diags *diag.Diagnostics) (ok bool) {
	grant.ID, grant.Names = m.UserID.ValueInt64(), path.Root("user")
	if text := m.User.ValueString(); strings.Contains(text, "@") {
		grant.Email = text
	}
	var found diag.Diagnostics
	if _, err := grant.Give(ctx, r.Meta, &found); err != nil {
		found.AddAttributeError(grant.At, fmt.Sprintf("Cannot make %s %s", m.User.ValueString(), grant.Planned), base.Explain(err))
	}
	diags.Append(found...)
	return !found.HasError()
}

// ImportState takes the address or the ID of a person or bot.
func (r *userRoleResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	word, onDestroy := cutOnDestroy(base.ImportedText(ctx, req, "user_id", &resp.Diagnostics))
	view, err := r.Meta.Store.ReadNaming(ctx, []string{word}, store.Users)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the people", base.Explain(err))
		return
	}
	user, err := lookup.User(view, word)
	if err != nil {
		resp.Diagnostics.AddError("Cannot import this role", base.Sentence(err))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("user_id"), user.ID)...)
	if onDestroy != "" {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("on_destroy"), onDestroy)...)
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, userRoleIdentity{types.Int64Value(user.ID)})...)
}

// cutOnDestroy divides the text of an import, as in ada@example.com=member, into the person and what is to become of the role.
func cutOnDestroy(text string) (word, onDestroy string) {
	at := strings.LastIndexByte(text, '=')
	if at < 0 || !slices.Contains(append(accounts.Roles(), onDestroyKeep), text[at+1:]) {
		return text, ""
	}
	return text[:at], text[at+1:]
}

// role is the role that a word of the schema means.
func role(word types.String) zulip.Role {
	found, _ := zulip.ParseRole(word.ValueString())
	return found
}

// NewUserRoleList returns the list resource zulip_user_role: the people who have a role, and not bots.
func NewUserRoleList() list.ListResource {
	return core.NewList(core.List[zulip.User]{
		Name: "user_role", Plural: "people", Identity: "user_id",
		ListText: core.ListText{Called: "email address", Description: "Lists the active people of the organization, each as the `zulip_user_role` that has their role. Bots are not listed. For people whose account is managed as `zulip_user`, set `role` there instead."},
		Objects: core.FromSnapshot((*snapshot.Snapshot).Users, func(_ *snapshot.Snapshot, user *zulip.User) bool {
			return !user.IsBot && user.IsActive
		}, store.Users),
		Key:     func(user *zulip.User) any { return user.ID },
		Label:   func(user *zulip.User, _ *snapshot.Snapshot) string { return user.Address() },
		Filters: []core.ListFilter[zulip.User]{core.RoleFilter()},
	})
}
