// Package message is the resource zulip_message, an announcement that is kept, the data source zulip_message_history, and
// the actions that send and report a message.
package message

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Resource is zulip_message. Messages are read one by one: no list has all of them.
type Resource struct {
	*core.Resource[model, zulip.Message, model]
}

// NewResource returns zulip_message.
func NewResource() resource.Resource {
	return &Resource{core.New(&core.Definition[model, zulip.Message, model]{
		Name: "message", Title: "message", Plural: "messages",
		Schema:    resourceSchema,
		Unsent:    []string{"on_destroy"},
		Validate:  func(config *model, diags *diag.Diagnostics) { config.Validate(diags) },
		CheckPlan: checkPlan,
		Delete: func(ctx context.Context, c *core.Context, state *model) error {
			return c.Meta.Client.DeleteMessage(ctx, state.ID.ValueInt64())
		},
		IsKept: func(state *model) bool { return state.OnDestroy.ValueString() == onDestroyKeep },
		Hint:   hint,
	})}
}

// Create sends the message.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	to, _ := plan.Resolve(view, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := send(ctx, r.Meta, to, plan.Content.ValueString())
	if err != nil {
		resp.Diagnostics.AddError("Cannot create the message", r.Explain(err))
		return
	}
	id := made.ID
	// From here on the message exists: it is in the state before anything else can fail.
	state := plan
	state.ID, state.ChannelID = types.Int64Value(id), channelID(to)
	state.SenderID, state.Timestamp = types.Int64Value(r.Meta.Store.Self().ID), types.StringNull()
	state.URL, state.Link = textOrNull(made.URL), textOrNull(made.Link)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
	sent, err := r.Meta.Store.Message(ctx, id)
	if err != nil || sent == nil {
		resp.Diagnostics.AddWarning("The message was sent, but could not be read", whyNotRead(err))
		return
	}
	state.read(sent, view, r.Meta.Store.Self().ID)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Read takes the message as it is, with others that are read at the same time.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	// First of all, and also for a message that is gone: a CLI that keeps no identities would be told that one is missing.
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
	id := state.ID.ValueInt64()
	r.Meta.Run.Manage(kind, id)
	found, err := r.Meta.Store.Message(ctx, id)
	if err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Cannot read message %d", id), base.Explain(err))
		return
	}
	if found == nil {
		wouldSee, err := r.wouldSee(ctx, &state)
		if err != nil {
			resp.Diagnostics.AddError(fmt.Sprintf("Cannot read message %d", id), base.Explain(err))
			return
		}
		if !r.Meta.MayRemove(wouldSee, fmt.Sprintf("message %d", id), &resp.Diagnostics) {
			return
		}
		tflog.Info(ctx, "The message is not there any more, or not for this account: removing it from the state", map[string]any{"id": id})
		resp.State.RemoveResource(ctx)
		return
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	state.read(found, view, r.Meta.Store.Self().ID)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// wouldSee reports whether the server would show the account the message of a state (server-behavior §C16).
func (r *Resource) wouldSee(ctx context.Context, state *model) (bool, error) {
	self := r.Meta.Store.Self()
	if state.ChannelID.IsNull() {
		return state.SenderID.ValueInt64() == self.ID, nil
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		return false, err
	}
	channel, ok := view.Channels().ByID(state.ChannelID.ValueInt64())
	if !ok {
		return r.Meta.SeesAll(), nil
	}
	if !channel.Privacy().IsPrivate() && self.Role < zulip.RoleGuest {
		return true, nil
	}
	subscription, err := r.Meta.Store.Subscription(ctx, channel.ID)
	return subscription != nil, err
}

// ImportState takes the message's ID.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	id, ok := base.ImportedNumber(ctx, req, "a message",
		"It is the last number of the link that \"Copy link to message\" gives.", &resp.Diagnostics)
	if !ok {
		return
	}
	found, err := r.Meta.Store.Message(ctx, id.ValueInt64())
	switch {
	case err != nil:
		resp.Diagnostics.AddError(fmt.Sprintf("Cannot read message %d", id.ValueInt64()), base.Explain(err))
		return
	case found == nil:
		resp.Diagnostics.AddError("Cannot import this message",
			fmt.Sprintf("The account the provider uses sees no message with the ID %d. It may have been deleted, or be in a channel whose messages the account may not read.", id.ValueInt64()))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), id)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), id)...)
}
