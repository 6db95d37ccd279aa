// Package scheduledmessage is the noun of scheduled messages: what the server is to send later.
package scheduledmessage

import (
	"context"
	"fmt"
	"slices"
	"time"

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
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// Resource is zulip_scheduled_message.
type Resource struct{ framework.Resource }

// NewResource returns zulip_scheduled_message.
func NewResource() resource.Resource { return &Resource{} }

// identity is what a scheduled message is recognised by.
type identity struct {
	ID types.Int64 `tfsdk:"id"`
}

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_scheduled_message"
}

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceSchema()
}

// IdentitySchema describes what a scheduled message is recognised by.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.Int64Attribute{RequiredForImport: true, Description: "The scheduled message's ID, which is not that of the message it becomes."},
	}}
}

// ValidateConfig refuses what is wrong in any organization.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	config.Validate(&resp.Diagnostics)
}

// Create schedules the message.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the organization", framework.Explain(err))
		return
	}
	to, _ := plan.Resolve(view, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	id, err := r.schedule(ctx, to, plan.Content.ValueString(), plan.deliverAt())
	if err != nil {
		resp.Diagnostics.AddError("Could not schedule the message", explain(err))
		return
	}
	state := plan
	state.ID = types.Int64Value(id)
	state.Delivered, state.Failed = types.BoolValue(false), types.BoolValue(false)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
}

// schedule schedules a message.
func (r *Resource) schedule(ctx context.Context, to zulip.Addressee, content string, at int64) (id int64, err error) {
	defer r.Meta.Store.Invalidate(store.ScheduledMessages)
	self := r.Meta.Store.Self().ID
	stored := zulip.StoredContent(content)
	return framework.Creation{
		Kind: kind, Thing: fmt.Sprintf("%d %q %v %d %q", to.ChannelID, zulip.StoredTopic(to.Topic), to.UserIDs, at, stored),
		Look: func(ctx context.Context, free func(int64) bool) (int64, error) {
			list, err := r.Meta.Client.ScheduledMessages(ctx)
			i := slices.IndexFunc(list, func(s *zulip.ScheduledMessage) bool {
				return s.DeliverAt == at && !s.Failed && s.Content == stored && s.To.Same(to, self) && free(s.ID)
			})
			if err != nil || i < 0 {
				return 0, err
			}
			return list[i].ID, nil
		},
		Make: func(ctx context.Context) (int64, error) { return r.Meta.Client.ScheduleMessage(ctx, to, content, at) },
	}.Run(ctx, r.Meta)
}

// Read finds the message among those that are not delivered. One that is not there when its time has come was sent: it
// stays in the state, so that it is not sent a second time.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	id := state.ID.ValueInt64()
	r.Meta.Run.Manage(kind, id)
	if state.Delivered.ValueBool() {
		return // for good
	}
	found, err := r.find(ctx, id)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the scheduled messages", framework.Explain(err))
		return
	}
	switch {
	case found == nil && state.isDue(time.Now()):
		tflog.Info(ctx, "The message is not scheduled any more, and its time has come: it was sent", map[string]any{"id": id})
		state.Delivered, state.Failed = types.BoolValue(true), types.BoolValue(false)
	case found == nil:
		tflog.Info(ctx, "The message is not scheduled any more: removing it from the state", map[string]any{"id": id})
		resp.State.RemoveResource(ctx)
		return
	default:
		view, err := r.Meta.Store.Read(ctx, store.Channels)
		if err != nil {
			resp.Diagnostics.AddError("Could not read the organization", framework.Explain(err))
			return
		}
		state.read(found, view, r.Meta.Store.Self().ID)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// find returns a scheduled message that is not delivered; nil if there is none.
func (r *Resource) find(ctx context.Context, id int64) (*zulip.ScheduledMessage, error) {
	list, err := r.Meta.Store.ScheduledMessages(ctx)
	i := slices.IndexFunc(list, func(s *zulip.ScheduledMessage) bool { return s.ID == id })
	if err != nil || i < 0 {
		return nil, err
	}
	return list[i], nil
}

// Update changes what differs, as long as the message is not delivered.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the organization", framework.Explain(err))
		return
	}
	update := r.changes(&plan, &state, view, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !update.Empty() {
		defer r.Meta.Store.Invalidate(store.ScheduledMessages)
		if err := r.Meta.Client.UpdateScheduledMessage(ctx, state.ID.ValueInt64(), update); err != nil {
			resp.Diagnostics.AddError(fmt.Sprintf("Could not change scheduled message %d", state.ID.ValueInt64()), explain(err))
			return
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
}

// changes are what differs between the plan and the state.
func (r *Resource) changes(plan, state *model, view *snapshot.Snapshot, diags *diag.Diagnostics) zulip.ScheduledMessageUpdate {
	var update zulip.ScheduledMessageUpdate
	if to, _ := plan.Resolve(view, diags); !plan.Equal(state.Addressee) {
		update.To = &to
	}
	if !plan.Content.Equal(state.Content) {
		update.Content = plan.Content.ValueStringPointer()
	}
	if at := plan.deliverAt(); at != state.deliverAt() {
		update.DeliverAt = &at
	}
	return update
}

// Delete takes the message back; one that is delivered stays where it was sent.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) || state.Delivered.ValueBool() {
		return
	}
	defer r.Meta.Store.Invalidate(store.ScheduledMessages)
	if err := r.Meta.Client.DeleteScheduledMessage(ctx, state.ID.ValueInt64()); err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Could not take back scheduled message %d", state.ID.ValueInt64()), explain(err))
	}
}

// ImportState takes the scheduled message's ID.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	id, ok := framework.ImportedNumber(ctx, req, "a scheduled message",
		"GET /scheduled_messages lists the account's own.", &resp.Diagnostics)
	if !ok {
		return
	}
	found, err := r.find(ctx, id.ValueInt64())
	switch {
	case err != nil:
		resp.Diagnostics.AddError("Could not read the scheduled messages", framework.Explain(err))
		return
	case found == nil:
		resp.Diagnostics.AddError("No such scheduled message",
			fmt.Sprintf("The account has not scheduled a message with the ID %d, or it is delivered. Only the account that scheduled a message sees it.", id.ValueInt64()))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), id)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{id})...)
}
