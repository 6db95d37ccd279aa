// Package channelfolder is the noun of channel folders, in which the web app groups channels, and of their order.
package channelfolder

import (
	"context"
	"fmt"

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

// kind is what folders are claimed as.
const kind = "zulip_channel_folder"

// Resource is zulip_channel_folder.
type Resource struct{ framework.Resource }

// NewResource returns zulip_channel_folder.
func NewResource() resource.Resource { return &Resource{} }

// identity is what a folder is recognised by.
type identity struct {
	ID types.Int64 `tfsdk:"id"`
}

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_channel_folder"
}

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceSchema()
}

// IdentitySchema describes what a folder is recognised by.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.Int64Attribute{RequiredForImport: true, Description: "The folder's ID."},
	}}
}

// Create makes the folder, or takes an archived one back.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id := r.make(ctx, &plan, &resp.Diagnostics)
	if id == 0 {
		return
	}
	// From here on the folder exists: it is in the state before anything else can fail.
	wanted := plan.facts
	plan.ID = types.Int64Value(id)
	plan.forgetUnknown()
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ID})...)
	// Also for the channels that are put into it in this apply: their plan looks for it in the snapshot.
	if folder := r.fresh(ctx, id, &resp.Diagnostics); folder != nil {
		plan.read(folder)
		plan.keep(wanted)
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	}
}

// Read takes the folder from the snapshot.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	// First of all, and also for a folder that is gone: a CLI that keeps no identities would be told that one is missing.
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	view, err := r.Meta.Store.Read(ctx, store.Folders)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the channel folders", framework.Explain(err))
		return
	}
	id := state.ID.ValueInt64()
	r.Meta.Run.Manage(kind, id)
	folder, ok := view.Folders().ByID(id)
	if !ok || folder.IsArchived {
		tflog.Info(ctx, "The channel folder is not there any more, or was archived by somebody else: removing it from the state",
			map[string]any{"id": id, "name": state.Name.ValueString(), "archived": ok})
		resp.State.RemoveResource(ctx)
		return
	}
	state.read(folder)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update sends what differs between what the plan saw and what it asks.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, prior model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id, before := prior.ID.ValueInt64(), prior.Name.ValueString()
	r.Meta.Run.Manage(kind, id)
	if update := plan.changes(&prior); update != (zulip.ChannelFolderUpdate{}) {
		if err := r.change(ctx, id, before, update); err != nil {
			resp.Diagnostics.AddError(fmt.Sprintf("Could not change channel folder %q", before), explain(err))
		}
		// What came before a failure stays (server-behavior §F6): the state holds what the server has.
		folder := r.fresh(ctx, id, &resp.Diagnostics)
		if folder == nil {
			return
		}
		wanted := plan.facts
		plan.read(folder)
		if !resp.Diagnostics.HasError() {
			plan.keep(wanted)
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{prior.ID})...)
}

// Delete takes every channel out of the folder and archives it, unless it is to be kept. There is no way to delete one
// (server-behavior §F7).
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	if state.OnDestroy.ValueString() == onDestroyKeep {
		tflog.Info(ctx, "The channel folder is kept, and not managed any more", map[string]any{"name": state.Name.ValueString()})
		return
	}
	if r.Meta.Run.IsAdopted(kind, state.ID.ValueInt64()) {
		tflog.Info(ctx, "The channel folder stays: another resource has taken it over", map[string]any{"name": state.Name.ValueString()})
		return
	}
	if err := r.archive(ctx, state.ID.ValueInt64()); err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Could not archive channel folder %q", state.Name.ValueString()), explain(err))
	}
}

// ImportState takes the folder's ID, or its name; "name:2024" is the folder called 2024.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	word := framework.ImportedWord(ctx, req, "id", &resp.Diagnostics)
	view, err := r.Meta.Store.Read(ctx, store.Folders)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the channel folders", framework.Explain(err))
		return
	}
	folder, err := find(view, word)
	if err != nil {
		resp.Diagnostics.AddError("Cannot import this channel folder", framework.Sentence(err))
		return
	}
	if folder.IsArchived {
		resp.Diagnostics.AddError("Cannot import an archived channel folder",
			fmt.Sprintf("Channel folder %q is archived. Write a zulip_channel_folder with its name and adopt_archived = true to take it back.", folder.Name))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), folder.ID)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.Int64Value(folder.ID)})...)
}
