// Package invitelink is the noun of invitations: links that let whoever has them join the organization.
package invitelink

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ resource.ResourceWithConfigure   = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan  = (*Resource)(nil)
	_ resource.ResourceWithImportState = (*Resource)(nil)
	_ resource.ResourceWithIdentity    = (*Resource)(nil)
)

// Resource is zulip_invite_link.
type Resource struct{ framework.Resource }

// NewResource returns zulip_invite_link.
func NewResource() resource.Resource { return &Resource{} }

// identity is what a link is recognised by.
type identity struct {
	ID types.Int64 `tfsdk:"id"`
}

// importedKey marks, in the private state, a link that this resource has not made.
const importedKey = "imported"

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_invite_link"
}

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceSchema()
}

// IdentitySchema describes what a link is recognised by.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.Int64Attribute{RequiredForImport: true, Description: "The link's ID. Invitations by e-mail have IDs of their own."},
	}}
}

// Create makes the link, and then looks for its ID. A link whose ID is not found is in the state all the same.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	wanted := plan.wire(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := r.makeLink(ctx, wanted)
	if err != nil {
		resp.Diagnostics.AddError("Could not make the invitation link", explain(err))
		return
	}
	plan.made(made.url, made.invitation)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	if made.invitation == nil {
		resp.Diagnostics.AddError("The invitation link was made, but its ID was not found", made.explain())
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ID})...)
}

// Read takes the link from the list of all, which is read once.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	found, err := r.find(ctx, &state)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the invitations", explain(err))
		return
	}
	if found == nil {
		// Also what is gone has to have an identity; a link whose ID was never known gets one that no link has.
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.Int64Value(state.ID.ValueInt64())})...)
		tflog.Info(ctx, "The invitation link has expired or was revoked: removing it from the state", map[string]any{"id": state.ID.ValueInt64()})
		resp.State.RemoveResource(ctx)
		return
	}
	r.Meta.Run.Manage(kind, found.ID)
	state.read(found)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
}

// find returns the link of a state, nil if it cannot be used any more. The ID may not be known yet; then the link is.
func (r *Resource) find(ctx context.Context, state *model) (*zulip.Invitation, error) {
	list, err := r.Meta.Store.Invitations(ctx)
	if err != nil {
		return nil, err
	}
	if state.ID.IsNull() {
		return linkWith(list, state.LinkURL.ValueString()), nil
	}
	i := slices.IndexFunc(list, func(one *zulip.Invitation) bool { return one.IsMultiuse && one.ID == state.ID.ValueInt64() })
	if i < 0 {
		return nil, nil
	}
	return list[i], nil
}

// Update sends nothing, for a link does not change: what the configuration says of an imported link, which cannot be
// read, is recorded.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ID})...)
}

// Delete revokes the link.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	if state.ID.IsNull() {
		found, err := r.find(ctx, &state)
		switch {
		case err != nil:
			resp.Diagnostics.AddError("Could not find the invitation link that is to be revoked", explain(err))
			return
		case found == nil:
			tflog.Info(ctx, "The invitation link has expired or was revoked: nothing is left to revoke")
			return
		}
		state.ID = types.Int64Value(found.ID)
	}
	defer r.Meta.Store.Invalidate(store.Invitations)
	if err := r.Meta.Client.RevokeInviteLink(ctx, state.ID.ValueInt64()); err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Could not revoke invitation link %d", state.ID.ValueInt64()), explain(err))
	}
}

// ImportState takes the link's ID. It does not show what it was given instead, for that may be the link.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	id, ok := framework.ImportedNumber(ctx, req, "an invitation link",
		"The link itself is a secret. The data source zulip_invite_links lists the IDs.", &resp.Diagnostics)
	if !ok {
		return
	}
	found, err := r.find(ctx, &model{ID: id})
	if err != nil {
		resp.Diagnostics.AddError("Could not read the invitations", explain(err))
		return
	}
	if found == nil {
		resp.Diagnostics.AddError("No such invitation link",
			fmt.Sprintf("The account the provider uses sees no usable link with the ID %d. It may have expired or been revoked; only administrators see those of others; and invitations by e-mail have IDs of their own.", id.ValueInt64()))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), id)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{id})...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, importedKey, []byte("true"))...)
}
