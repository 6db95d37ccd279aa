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

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
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
	now := r.set(ctx, nil, &plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.read(now.Thing)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.UserID})...)
}

// Read takes the status from the snapshot.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.UserID})...)
	view, err := r.Meta.Store.ReadNaming(ctx, []string{strconv.FormatInt(state.UserID.ValueInt64(), 10)}, store.Statuses)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the statuses", base.Explain(err))
		return
	}
	user, ok := view.User(state.UserID.ValueInt64())
	if !ok && !r.Meta.MayRemove(r.Meta.SeesEverybody(), fmt.Sprintf("account %d", state.UserID.ValueInt64()), &resp.Diagnostics) {
		return
	}
	if !ok || !user.IsActive {
		tflog.Info(ctx, "The person is deactivated or not visible any more: removing the status from the state", map[string]any{"user_id": state.UserID.ValueInt64()})
		resp.State.RemoveResource(ctx)
		return
	}
	state.User = types.StringValue(lookup.KeepUser(state.User.ValueString(), user, view))
	state.read(view.Status(user.ID))
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update sends the parts that differ, and nothing that somebody else has changed.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.UserID})...)
	now := r.set(ctx, &state, &plan, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		state = plan
	}
	if now != nil {
		state.read(now.Thing)
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
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
	cleared := state.cleared()
	// What another resource of this run has set stays.
	if r.Meta.Run.IsAdopted(kindText, id) {
		cleared.StatusText = types.StringNull()
	}
	if r.Meta.Run.IsAdopted(kindEmoji, id) {
		cleared.EmojiName = types.StringNull()
	}
	now := r.change(ctx, &state, &cleared, &resp.Diagnostics)
	if now != nil && resp.Diagnostics.HasError() {
		state.read(now.Thing)
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}

// isPlanned reports whether this run has yet to create the person meant, or to reactivate the account.
func (r *Resource) isPlanned(ctx context.Context, text types.String, diags *diag.Diagnostics) bool {
	if text.IsNull() {
		return false
	}
	view, err := r.Meta.Store.ReadNaming(ctx, []string{text.ValueString()}, store.Statuses)
	if err != nil {
		diags.AddError("Cannot read the people", base.Explain(err))
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
	view, err := r.Meta.Store.ReadNaming(ctx, []string{m.User.ValueString()}, store.Statuses)
	if err != nil {
		diags.AddError("Cannot read the people", base.Explain(err))
		return nil
	}
	user, err := lookup.User(view, m.User.ValueString())
	if err != nil {
		lookup.AddError(diags, path.Root("user"), err,
			"\n\nIf this configuration makes the account, write zulip_user.NAME.id: its ID is not known before, so that the account comes first.")
	}
	return user
}

// set brings the status to the planned one, and returns it as it is then; nil if it could not be read.
func (r *Resource) set(ctx context.Context, prior, plan *model, diags *diag.Diagnostics) *reading {
	id := plan.UserID.ValueInt64()
	done, ok := r.LockOrReport(ctx, fmt.Sprint(kind, " ", id), "Cannot set the status of "+plan.User.ValueString(), diags)
	if !ok {
		return nil
	}
	defer done()
	now := r.change(ctx, prior, plan, diags)
	if !diags.HasError() && !plan.StatusText.IsNull() {
		r.Meta.Run.Adopt(kindText, id)
	}
	if !diags.HasError() && !plan.EmojiName.IsNull() {
		r.Meta.Run.Adopt(kindEmoji, id)
	}
	return now
}

type reading = attribute.Reading[zulip.Status]

// change sends what differs between the prior status and the planned one. What is not in the prior state, or all where
// there is none, has no prior value to compare with: it is compared with the status as it is.
func (r *Resource) change(ctx context.Context, prior, plan *model, diags *diag.Diagnostics) *reading {
	id, name := plan.UserID.ValueInt64(), "the status of "+plan.User.ValueString()
	subject := attribute.Subject[zulip.Status, zulip.StatusUpdate]{
		Of: "zulip_user_status", Unread: name, Name: func(zulip.Status) string { return name },
		Read: func(ctx context.Context, _ func(zulip.Status) bool) (*reading, error) { return r.now(ctx, id) },
		Send: func(ctx context.Context, pending attribute.Pending[zulip.Status, zulip.StatusUpdate]) ([]string, error) {
			return nil, r.send(ctx, id, pending.Update())
		},
	}
	now, err := r.now(ctx, id)
	switch {
	case zulip.IsDeactivated(err) && plan.isCleared():
		return nil // a deactivated person shows none
	case err != nil:
		diags.AddError("Cannot read "+name, base.Explain(err))
		return nil
	}
	return subject.Change(ctx, &r.Base, plan.steps(prior.over(now.Thing)), now, diags)
}

// send changes a status, of the account itself or of somebody else.
func (r *Resource) send(ctx context.Context, id int64, update zulip.StatusUpdate) error {
	defer r.Meta.Store.Invalidate(store.Statuses)
	if id == r.Meta.Store.Self().ID {
		return r.Meta.Client.SetOwnStatus(ctx, update)
	}
	return r.Meta.Client.SetStatus(ctx, id, update)
}

// levelOfOne is from when on one status can be read by itself.
var levelOfOne = featurelevel.Since("zulip_user_status", "")

// now reads a status as it is now.
func (r *Resource) now(ctx context.Context, id int64) (*reading, error) {
	if level := r.FeatureLevel(); level == 0 || level >= levelOfOne {
		status, err := r.Meta.Client.Status(ctx, id)
		return &reading{Thing: status}, err
	}
	view, err := r.Meta.Store.Fresh(ctx, store.Statuses)
	if err != nil {
		return nil, err
	}
	return &reading{Thing: view.Status(id), View: view}, nil
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
	view, err := r.Meta.Store.ReadNaming(ctx, []string{req.ID}, store.Statuses)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the statuses", base.Explain(err))
		return
	}
	user, err := lookup.User(view, req.ID)
	switch {
	case err != nil:
		resp.Diagnostics.AddError("Cannot import this status", base.Sentence(err))
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
