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

	"github.com/zulip-iac/terraform-provider-zulip/internal/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/diagnostics"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resourcekit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Resource is zulip_message. Messages are read one by one: no list has all of them.
type Resource struct {
	*resourcekit.Resource[model, zulip.Message, model]
}

// NewResource returns zulip_message.
func NewResource() resource.Resource {
	return &Resource{resourcekit.New(&resourcekit.Definition[model, zulip.Message, model]{
		Name: "message", Title: "message", Plural: "messages",
		Schema:    resourceSchema,
		Unsent:    []string{"on_destroy"},
		Validate:  func(config *model, diags *diag.Diagnostics) { config.Validate(diags) },
		CheckPlan: checkPlan,
		Delete: func(ctx context.Context, c *resourcekit.Context, state *model) error {
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
		resp.Diagnostics.AddError("Cannot read the organization", diagnostics.Explain(err))
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
		resp.Diagnostics.AddError(fmt.Sprintf("Cannot read message %d", id), diagnostics.Explain(err))
		return
	}
	if found == nil {
		tflog.Info(ctx, "The message is not there any more, or not for this account: removing it from the state", map[string]any{"id": id})
		resp.State.RemoveResource(ctx)
		return
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", diagnostics.Explain(err))
		return
	}
	state.read(found, view, r.Meta.Store.Self().ID)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update moves the message and edits it, whichever changed.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", diagnostics.Explain(err))
		return
	}
	to, _ := plan.Resolve(view, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
	// The server does not take a new channel and a new text in one request (server-behavior §M5).
	self := r.Meta.Store.Self().ID
	steps := []struct {
		what string
		do   func() error
	}{
		{"move", func() error { return r.move(ctx, &state, to, view) }},
		{"edit", func() error { return r.edit(ctx, &state, plan.Content.ValueString()) }},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			resp.Diagnostics.AddError(fmt.Sprintf("Cannot %s message %d", step.what, state.ID.ValueInt64()), r.Explain(err))
			break
		}
	}
	now, err := r.Meta.Store.Message(ctx, state.ID.ValueInt64())
	if err != nil || now == nil {
		resp.Diagnostics.AddWarning(fmt.Sprintf("Message %d could not be read after the change", state.ID.ValueInt64()), whyNotRead(err))
		return
	}
	if !resp.Diagnostics.HasError() {
		state = plan
	}
	state.read(now, view, self)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// move puts the message where it is planned to be, if it is not there.
func (r *Resource) move(ctx context.Context, state *model, to zulip.Addressee, _ *snapshot.Snapshot) error {
	self := r.Meta.Store.Self().ID
	from := zulip.Addressee{ChannelID: state.ChannelID.ValueInt64(), Topic: state.Topic.ValueString()}
	if to.IsDirect() || from.Same(to, self) {
		return nil
	}
	id := state.ID.ValueInt64()
	err := r.Meta.Client.MoveMessage(ctx, id, from, to)
	if zulip.IsMessage(err, "Nothing to change") {
		return nil
	}
	return r.settle(ctx, id, err, func(m *zulip.Message) bool { return m.To().Same(to, self) })
}

// edit gives the message the planned text, if it has another.
func (r *Resource) edit(ctx context.Context, state *model, content string) error {
	was := state.Content.ValueString()
	if zulip.StoredContent(was) == zulip.StoredContent(content) {
		return nil
	}
	id := state.ID.ValueInt64()
	err := r.Meta.Client.EditMessage(ctx, id, was, content, r.FeatureLevel())
	return r.settle(ctx, id, err, func(m *zulip.Message) bool { return m.Content == zulip.StoredContent(content) })
}

// settle finds out, after a lost answer or a text that is not the one that was to be changed, whether the change has been
// made nevertheless.
func (r *Resource) settle(ctx context.Context, id int64, err error, isDone func(*zulip.Message) bool) error {
	if err == nil || !zulip.MayHaveHappened(err) && !zulip.IsExpectationMismatch(err) {
		return err
	}
	now, readErr := r.Meta.Store.Message(ctx, id)
	if readErr == nil && now != nil && isDone(now) {
		return nil
	}
	return err
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
		resp.Diagnostics.AddError(fmt.Sprintf("Cannot read message %d", id.ValueInt64()), diagnostics.Explain(err))
		return
	case found == nil:
		resp.Diagnostics.AddError("Cannot import this message",
			fmt.Sprintf("The account the provider uses sees no message with the ID %d. It may have been deleted, or be in a channel whose messages the account may not read.", id.ValueInt64()))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), id)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), id)...)
}
