package user

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ resource.ResourceWithConfigure   = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan  = (*Resource)(nil)
	_ resource.ResourceWithImportState = (*Resource)(nil)
	_ resource.ResourceWithIdentity    = (*Resource)(nil)
)

// kind is what accounts are claimed as.
const kind = "zulip_user"

// Resource is zulip_user.
type Resource struct{ framework.Resource }

// NewResource returns zulip_user.
func NewResource() resource.Resource { return &Resource{} }

// identity is what an account is recognised by.
type identity struct {
	ID types.Int64 `tfsdk:"id"`
}

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_user"
}

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceSchema()
}

// IdentitySchema describes what an account is recognised by.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.Int64Attribute{RequiredForImport: true, Description: "The user's ID."},
	}}
}

// Create makes the account, or takes a deactivated one back, and brings it to what is planned.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan, config account
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...) // the password is nowhere else
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id := r.make(ctx, &plan, config.Password.ValueString(), &resp.Diagnostics)
	if id == 0 {
		return
	}
	// From here on the account exists: it is in the state before anything else can fail.
	state := plan
	state.ID, state.DateJoined = types.Int64Value(id), types.StringNull()
	if state.Role.IsUnknown() {
		state.Role = types.StringNull()
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	// The server makes members without a profile; an account that is taken back is what it was.
	if user, view := r.fresh(ctx, id, &resp.Diagnostics); user != nil {
		state.DateJoined, state.Role = types.StringValue(user.DateJoined), types.StringValue(user.Role.String())
		r.bring(ctx, user, view, plan.changes(user, view, &resp.Diagnostics), &state, &resp.Diagnostics)
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}

// fresh reads an account as it is after a write; nil after an error.
func (r *Resource) fresh(ctx context.Context, id int64, diags *diag.Diagnostics) (*zulip.User, *snapshot.Snapshot) {
	view, err := r.Meta.Store.Fresh(ctx, store.Users)
	if err != nil {
		diags.AddError(fmt.Sprintf("The account %d could not be read", id), framework.Explain(err)+"\n\nIt is in the state. The next apply goes on from there.")
		return nil, nil
	}
	user, ok := view.User(id)
	if !ok {
		diags.AddError(fmt.Sprintf("The account %d could not be read", id), "The server does not show it to the account the provider uses.")
		return nil, nil
	}
	return user, view
}

// bring sends a change, and puts what the server holds then into the state.
func (r *Resource) bring(ctx context.Context, user *zulip.User, view *snapshot.Snapshot, update zulip.UserUpdate, state *account, diags *diag.Diagnostics) {
	if !update.Empty() && !diags.HasError() {
		err := r.Meta.Store.Write(ctx, func(ctx context.Context) error { return r.Meta.Client.UpdateUser(ctx, user.ID, update) })
		r.Meta.Store.Invalidate(store.Users, store.UserGroups) // roles are groups too
		if err != nil {
			diags.AddError(fmt.Sprintf("Cannot change the account of %s", state.Email.ValueString()), explain(err)+"\n\nThe server makes all of a change or nothing.")
			return
		}
		if user, view = r.fresh(ctx, user.ID, diags); user == nil {
			return
		}
	}
	state.read(ctx, user, view, diags)
}

// Read takes the account from the snapshot.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state account
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	view, err := r.Meta.Store.Read(ctx, store.Users)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the people", framework.Explain(err))
		return
	}
	user, ok := view.User(state.ID.ValueInt64())
	if !ok || !user.IsActive {
		r.Meta.Run.Lose(kind, state.ID.ValueInt64())
		tflog.Info(ctx, "The account was deactivated by somebody else, or is not visible any more: removing it from the state",
			map[string]any{"id": state.ID.ValueInt64(), "email": state.Email.ValueString(), "visible": ok})
		resp.State.RemoveResource(ctx)
		return
	}
	r.Meta.Run.Manage(kind, user.ID)
	state.read(ctx, user, view, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update sends what differs, and no role that somebody else has changed.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state account
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	if plan.Equal(&state) { // what counts when it is made or destroyed
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		return
	}
	view, err := r.Meta.Store.Read(ctx, store.Users)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the people", framework.Explain(err))
		return
	}
	now, err := r.Meta.Client.User(ctx, state.ID.ValueInt64())
	if err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Cannot read the account of %s", state.Email.ValueString()), framework.Explain(err))
		return
	}
	saw, _ := zulip.ParseRole(state.Role.ValueString())
	if to, managed := zulip.ParseRole(plan.Role.ValueString()); managed && to != saw &&
		!(framework.RoleChange{Saw: saw, To: to, At: path.Root("role")}).IsCurrent(now, &resp.Diagnostics) {
		return
	}
	update := plan.changes(now, view, &resp.Diagnostics)
	if plan.Role.Equal(state.Role) {
		update.Role = nil
	}
	if !sameEmail(plan.Email.ValueString(), state.Email.ValueString()) && !trusted(&state, now) {
		update.NewEmail = plan.Email.ValueStringPointer()
	}
	if resp.Diagnostics.HasError() {
		return
	}
	r.bring(ctx, now, view, update, &plan, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() { // else the state stays what it was, and the next plan reads it
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	}
}

// Delete deactivates the account. One that is deactivated already is fine.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state account
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	if r.checkDeletion(&state, &resp.Diagnostics); resp.Diagnostics.HasError() {
		return
	}
	id := state.ID.ValueInt64()
	defer r.Meta.Store.Invalidate(store.Users, store.UserGroups)
	how := zulip.Deactivation{Comment: state.Comment.ValueStringPointer(), Actions: state.deactivationActions()}
	already, err := r.Meta.Client.DeactivateUser(ctx, id, how)
	if err != nil && !zulip.IsNoUser(err) {
		resp.Diagnostics.AddError(fmt.Sprintf("Cannot deactivate %s", state.Email.ValueString()), explain(err))
		return
	}
	if already && how.Actions != (zulip.DeactivationActions{}) {
		resp.Diagnostics.AddWarning(fmt.Sprintf("%s was deactivated already", state.Email.ValueString()), alreadyDeactivated)
	}
	r.Meta.Run.Destroy(kind, id)
}

// ImportState takes the account's ID, or its address.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	word := framework.ImportedWord(ctx, req, "id", &resp.Diagnostics)
	user, err := r.find(ctx, word)
	switch {
	case err != nil:
		resp.Diagnostics.AddError("Cannot import this account", framework.Explain(err))
		return
	case user.IsBot:
		resp.Diagnostics.AddError("Cannot import a bot as a person", fmt.Sprintf("%s is a bot. Import it as a zulip_bot.", user.Address()))
		return
	case user.IsDeleted:
		resp.Diagnostics.AddError(framework.DeletedAccount(user, "email"))
		return
	case !user.IsActive:
		resp.Diagnostics.AddError("Cannot import a deactivated account",
			fmt.Sprintf("%s (ID %d) is deactivated. Write a zulip_user with its address and adopt_deactivated = true to reactivate it.", user.Address(), user.ID))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), user.ID)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.Int64Value(user.ID)})...)
}

// find asks the server for the person that an ID or an address means; the snapshot knows which address may be meant
// where there is none.
func (r *Resource) find(ctx context.Context, text string) (*zulip.User, error) {
	var user *zulip.User
	id, err := strconv.ParseInt(text, 10, 64)
	if err == nil {
		user, err = r.Meta.Client.User(ctx, id)
	} else {
		user, err = r.Meta.Client.UserByEmail(ctx, text)
	}
	if !zulip.IsNoUser(err) {
		return user, err
	}
	view, err := r.Meta.Store.Read(ctx, store.Users)
	if err != nil {
		return nil, err
	}
	return framework.FindUser(view, text)
}

// Equal reports whether two say the same of the account itself.
func (a *account) Equal(b *account) bool {
	return a.Email.Equal(b.Email) && a.FullName.Equal(b.FullName) && a.Role.Equal(b.Role) && a.ProfileData.Equal(b.ProfileData)
}
