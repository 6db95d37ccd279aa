// Package userstatus is the resource and the data source zulip_user_status: the status that a person shows to others.
package userstatus

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

	"github.com/zulip-iac/terraform-provider-zulip/internal/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/diagnostics"
	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// The kinds are what a status and its parts are taken over as, by the IDs of those who have it.
const (
	kind      = "zulip_user_status"
	kindText  = kind + " text"
	kindEmoji = kind + " emoji"
)

// Resource is zulip_user_status.
type Resource struct{ base.Resource }

// NewResource returns zulip_user_status.
func NewResource() resource.Resource { return &Resource{} }

// identity is what a status is recognised by.
type identity struct {
	UserID types.Int64 `tfsdk:"user_id"`
}

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_user_status"
}

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceSchema()
}

// IdentitySchema describes what a status is recognised by.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"user_id": identityschema.Int64Attribute{RequiredForImport: true, Description: "User ID of the person."},
	}}
}

// Create sets the parts that are configured, if they differ.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	user := r.who(ctx, &plan, &resp.Diagnostics)
	if user == nil {
		return
	}
	plan.UserID = types.Int64Value(user.ID)
	if plan.User.IsUnknown() {
		plan.User = types.StringValue(user.Address())
	}
	if r.set(ctx, &plan, &resp.Diagnostics) {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.UserID})...)
	}
}

// Read takes the status from the snapshot.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.UserID})...)
	view, err := r.Meta.Store.Read(ctx, store.Statuses)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the statuses", diagnostics.Explain(err))
		return
	}
	user, ok := view.User(state.UserID.ValueInt64())
	if !ok || !user.IsActive {
		tflog.Info(ctx, "The person is deactivated or not visible any more: removing the status from the state", map[string]any{"user_id": state.UserID.ValueInt64()})
		resp.State.RemoveResource(ctx)
		return
	}
	state.User = types.StringValue(lookup.KeepUser(state.User.ValueString(), user, view))
	state.read(view.Status(user.ID))
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update sends the parts that differ.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	if r.set(ctx, &plan, &resp.Diagnostics) {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.UserID})...)
}

// Delete clears what is managed.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id := state.UserID.ValueInt64()
	summary := "Cannot clear the status of " + state.User.ValueString()
	done, ok := r.LockOrReport(ctx, fmt.Sprint(kind, " ", id), summary, &resp.Diagnostics)
	if !ok {
		return
	}
	defer done()
	update := state.cleared()
	// What another resource of this run has set stays.
	if r.Meta.Run.IsAdopted(kindText, id) {
		update.Text = nil
	}
	if r.Meta.Run.IsAdopted(kindEmoji, id) {
		update.EmojiName = nil
	}
	err := r.send(ctx, id, update)
	if err != nil && !zulip.IsDeactivated(err) { // a deactivated person shows none
		resp.Diagnostics.AddError(summary, diagnostics.Explain(err))
	}
}

// isPlanned reports whether this run has yet to create the person meant, or to reactivate the account.
func (r *Resource) isPlanned(ctx context.Context, text types.String, diags *diag.Diagnostics) bool {
	if text.IsNull() {
		return false
	}
	view, err := r.Meta.Store.Read(ctx, store.Statuses)
	if err != nil {
		diags.AddError("Cannot read the people", diagnostics.Explain(err))
		return false
	}
	_, later, _ := lookup.UserInPlan(view, text.ValueString())
	return later
}

// who is the person meant.
func (r *Resource) who(ctx context.Context, m *model, diags *diag.Diagnostics) *zulip.User {
	if m.User.IsNull() || m.User.IsUnknown() {
		return r.Meta.Store.Self()
	}
	view, err := r.Meta.Store.Read(ctx, store.Statuses)
	if err != nil {
		diags.AddError("Cannot read the people", diagnostics.Explain(err))
		return nil
	}
	user, err := lookup.User(view, m.User.ValueString())
	if err != nil {
		diags.AddAttributeError(path.Root("user"), "No such person",
			diagnostics.Sentence(err)+"\n\nIf this configuration makes the account, write zulip_user.NAME.id: its ID is not known before, so that the account comes first.")
	}
	return user
}

// set sends what differs from the status as it is now, and reads what the server makes of it.
func (r *Resource) set(ctx context.Context, plan *model, diags *diag.Diagnostics) bool {
	id := plan.UserID.ValueInt64()
	summary := "Cannot set the status of " + plan.User.ValueString()
	done, ok := r.LockOrReport(ctx, fmt.Sprint(kind, " ", id), summary, diags)
	if !ok {
		return false
	}
	defer done()
	now, err := r.now(ctx, id)
	if err == nil {
		if update := plan.changes(now); !update.Empty() {
			if err = r.send(ctx, id, update); err == nil {
				now, err = r.now(ctx, id)
			}
		}
	}
	if err != nil {
		diags.AddError(summary, diagnostics.Explain(err))
		return false
	}
	if !plan.StatusText.IsNull() {
		r.Meta.Run.Adopt(kindText, id)
	}
	if !plan.EmojiName.IsNull() {
		r.Meta.Run.Adopt(kindEmoji, id)
	}
	plan.read(now)
	return true
}

// send changes a status, of the account itself or of somebody else.
func (r *Resource) send(ctx context.Context, id int64, update zulip.StatusUpdate) error {
	if update.Empty() {
		return nil
	}
	defer r.Meta.Store.Invalidate(store.Statuses)
	if id == r.Meta.Store.Self().ID {
		return r.Meta.Client.SetOwnStatus(ctx, update)
	}
	return r.Meta.Client.SetStatus(ctx, id, update)
}

// levelOfOne is from when on one status can be read by itself.
var levelOfOne = featurelevel.Since("zulip_user_status", "")

// now reads a status as it is now.
func (r *Resource) now(ctx context.Context, id int64) (zulip.Status, error) {
	if level := r.FeatureLevel(); level == 0 || level >= levelOfOne {
		return r.Meta.Client.Status(ctx, id)
	}
	r.Meta.Store.Invalidate(store.Statuses)
	view, err := r.Meta.Store.Read(ctx, store.Statuses)
	if err != nil {
		return zulip.Status{}, err
	}
	return view.Status(id), nil
}

// ImportState takes the address or the ID of a person. Everything that the status holds is managed from then on.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	if req.ID == "" {
		var wanted identity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &wanted)...)
		req.ID = strconv.FormatInt(wanted.UserID.ValueInt64(), 10)
	}
	view, err := r.Meta.Store.Read(ctx, store.Statuses)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the statuses", diagnostics.Explain(err))
		return
	}
	user, err := lookup.User(view, req.ID)
	switch {
	case err != nil:
		resp.Diagnostics.AddError("Cannot import this status", diagnostics.Sentence(err))
		return
	case user.IsBot || !user.IsActive:
		resp.Diagnostics.AddError("Cannot import this status", fmt.Sprintf("%s is a bot, or deactivated. Only people who are active have a status.", user.Address()))
		return
	}
	found := model{User: types.StringValue(user.Address()), UserID: types.Int64Value(user.ID)}
	found.readAll(view.Status(user.ID))
	resp.Diagnostics.Append(resp.State.Set(ctx, &found)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{found.UserID})...)
}
