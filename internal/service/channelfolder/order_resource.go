package channelfolder

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/directory"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ resource.ResourceWithConfigure   = (*OrderResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*OrderResource)(nil)
	_ resource.ResourceWithImportState = (*OrderResource)(nil)
	_ resource.ResourceWithIdentity    = (*OrderResource)(nil)
)

// orderKind is what the order is declared as.
const orderKind = "zulip_channel_folder_order"

// OrderResource is zulip_channel_folder_order.
type OrderResource struct{ framework.Resource }

// NewOrderResource returns zulip_channel_folder_order.
func NewOrderResource() resource.Resource { return &OrderResource{} }

type orderModel struct {
	ID        types.String `tfsdk:"id"`
	FolderIDs types.List   `tfsdk:"folder_ids"`
}

// Metadata names the resource.
func (r *OrderResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_channel_folder_order"
}

// Schema describes the resource.
func (r *OrderResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: `The order of the channel folders in the web app. An organization has one, so write one of these. Folders that are not named follow those that are, and keep their order among themselves. Only administrators and owners may change it. Needs feature level 414.

Destroying it leaves the order as it is.`,
		Attributes: map[string]schema.Attribute{
			"id":         framework.OrderIDAttribute(),
			"folder_ids": framework.OrderAttribute("The IDs of the folders that come first, each once, as in `[zulip_channel_folder.x.id, zulip_channel_folder.y.id]`."),
		},
	}
}

// IdentitySchema describes what the order is recognised by.
func (r *OrderResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = framework.OrderIdentitySchema()
}

// ModifyPlan refuses what the server would refuse, and a second order.
func (r *OrderResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || !r.CanPlan() {
		return
	}
	var plan orderModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	var state orderModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	ids, known := framework.OrderIDs(plan.FolderIDs)
	if known && !r.Meta.Directory.Declare(orderKind, 0, plan.FolderIDs.String()) {
		resp.Diagnostics.AddAttributeError(path.Root("folder_ids"), "Two orders of the channel folders",
			"Another zulip_channel_folder_order of this configuration gives another order, and each apply would undo one of them. Keep one.")
	}
	if plan.FolderIDs.Equal(state.FolderIDs) {
		return
	}
	checkAllowed(&r.Base, zulip.LevelFolderOrder, "Orders of channel folders", &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	view, err := r.Meta.Directory.Folders(ctx)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the channel folders", framework.Explain(err))
		return
	}
	checkFolders(ids, view, &resp.Diagnostics)
}

// checkFolders refuses folders that are not there, or archived.
func checkFolders(ids []int64, view *directory.View, diags *diag.Diagnostics) {
	for _, id := range ids {
		folder, ok := view.Folder(id)
		switch {
		case !ok:
			diags.AddAttributeError(path.Root("folder_ids"), "No such channel folder",
				fmt.Sprintf("The organization has no channel folder with the ID %d.", id))
		case folder.IsArchived:
			diags.AddAttributeError(path.Root("folder_ids"), "The channel folder is archived",
				fmt.Sprintf("Channel folder %d, %q, is archived and has no place in the order. A zulip_channel_folder with its name and adopt_archived = true takes it back.", id, folder.Name))
		}
	}
}

// Create puts the folders into the order.
func (r *OrderResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan orderModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) || !r.order(ctx, &plan, &resp.Diagnostics) {
		return
	}
	plan.ID = types.StringValue(framework.OrderID)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, framework.OrderIdentity{ID: plan.ID})...)
}

// Read takes as many folders as the state names from the head of the order.
func (r *OrderResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state orderModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, framework.OrderIdentity{ID: state.ID})...)
	view, err := r.Meta.Directory.Folders(ctx)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the channel folders", framework.Explain(err))
		return
	}
	state.FolderIDs = framework.LeadingOrder(state.FolderIDs, idsOf(view, false))
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update puts the folders into the order.
func (r *OrderResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan orderModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) || !r.order(ctx, &plan, &resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, framework.OrderIdentity{ID: plan.ID})...)
}

// order sends the order unless it is as planned, and reports whether it is then.
func (r *OrderResource) order(ctx context.Context, plan *orderModel, diags *diag.Diagnostics) bool {
	const summary = "Could not change the order of the channel folders"
	named, _ := framework.OrderIDs(plan.FolderIDs)
	for attempt := 0; ; attempt++ {
		view, err := r.Meta.Directory.FreshFolders(ctx)
		if err != nil {
			diags.AddError("Could not read the channel folders", framework.Explain(err))
			return false
		}
		checkFolders(named, view, diags)
		if diags.HasError() {
			return false
		}
		if active := idsOf(view, false); slices.Equal(active[:min(len(named), len(active))], named) {
			return true
		}
		// The server wants all of them, archived ones included (wire-1 §7).
		err = r.Meta.Client.OrderChannelFolders(ctx, framework.FullOrder(named, idsOf(view, true)))
		r.Meta.Directory.Forget(zulip.FetchFolders)
		switch {
		case err == nil:
			return true
		case !zulip.IsIncompleteOrder(err) || attempt == r.Meta.Client.MaxRetries():
			diags.AddError(summary, explain(err))
			return false
		}
		tflog.Info(ctx, "Somebody has made another channel folder meanwhile: reading them again")
	}
}

// idsOf lists the folders in their order.
func idsOf(view *directory.View, archivedToo bool) []int64 {
	ids := []int64{}
	for _, folder := range view.FolderList() {
		if archivedToo || !folder.IsArchived {
			ids = append(ids, folder.ID)
		}
	}
	return ids
}

// Delete leaves the order as it is: there is none to go back to.
func (r *OrderResource) Delete(ctx context.Context, _ resource.DeleteRequest, _ *resource.DeleteResponse) {
	tflog.Info(ctx, "The order of the channel folders stays as it is, and is not managed any more")
}

// ImportState takes the word for the one order there is.
func (r *OrderResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	wanted := framework.OrderIdentity{ID: types.StringValue(req.ID)}
	if req.ID == "" {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &wanted)...)
	}
	framework.CheckOrderImport(wanted.ID.ValueString(), &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), wanted.ID)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, wanted)...)
}
