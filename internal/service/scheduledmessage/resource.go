// Package scheduledmessage is the resource zulip_scheduled_message: a message that the server sends later.
package scheduledmessage

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Resource is zulip_scheduled_message.
type Resource struct {
	*core.Resource[model, zulip.ScheduledMessage, model]
}

// NewResource returns zulip_scheduled_message.
func NewResource() resource.Resource {
	return &Resource{core.New(&core.Definition[model, zulip.ScheduledMessage, model]{
		Name: "scheduled_message", Title: "scheduled message", Plural: "scheduled messages",
		ListText: core.ListText{Called: "display name, as in `scheduled message 6001`,", Description: "Lists the messages that the provider's account has scheduled and that are not sent yet. Nobody else's can be read."},
		Schema:   resourceSchema,
		Source:   core.Source{Part: store.ScheduledMessages, Needs: []store.Part{store.Channels}, StoresAsSent: true},
		List: func(ctx context.Context, s *store.Store) ([]*zulip.ScheduledMessage, error) {
			return s.ScheduledMessages(ctx)
		},
		WhereIDs: "GET /scheduled_messages lists the account's own. It may have been sent or deleted.",
		Key:      func(message *zulip.ScheduledMessage) int64 { return message.ID },
		ReadInto: func(m *model, message *zulip.ScheduledMessage, c *core.Context) {
			m.read(message, c.Snapshot, c.Meta.Store.Self().ID)
		},
		Validate:  func(config *model, diags *diag.Diagnostics) { config.Validate(diags) },
		CheckPlan: checkPlan,
		Create:    create, Update: update, Delete: remove,
		// One that is delivered stays where it was sent.
		IsKept: func(state *model) bool { return state.Delivered.ValueBool() },
		Hint:   hint,
	})}
}

// Read finds the message among those that are not delivered. One that is not there when its time has come was sent: it
// stays in the state, so that it is not sent a second time.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if state.Delivered.ValueBool() {
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
		return // for good
	}
	r.Resource.Read(ctx, req, resp)
	if resp.State.Raw.IsNull() && state.isDue(time.Now()) {
		tflog.Info(ctx, "The message is not scheduled any more, and its time has come: it was sent", map[string]any{"id": state.ID.ValueInt64()})
		state.Delivered, state.Failed = types.BoolValue(true), types.BoolValue(false)
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}

func create(ctx context.Context, c *core.Context, plan *model) (int64, error) {
	to, err := plan.ResolveToSend(ctx, c.Meta.Store)
	if err != nil {
		return 0, err
	}
	plan.Delivered, plan.Failed = types.BoolValue(false), types.BoolValue(false)
	return c.Meta.Client.ScheduleMessage(ctx, to, plan.Content.ValueString(), plan.deliverAt())
}

// update changes what differs, as long as the message is not delivered.
func update(ctx context.Context, c *core.Context, planned, current *model) error {
	to, err := planned.ResolveToSend(ctx, c.Meta.Store)
	if err != nil {
		return err
	}
	var change zulip.ScheduledMessageUpdate
	if !planned.Equal(current.Addressee) {
		change.To = &to
	}
	if !planned.Content.Equal(current.Content) {
		change.Content = planned.Content.ValueStringPointer()
	}
	if at := planned.deliverAt(); at != current.deliverAt() {
		change.DeliverAt = &at
	}
	if change.Empty() {
		return nil
	}
	return c.Meta.Client.UpdateScheduledMessage(ctx, current.ID.ValueInt64(), change)
}

func remove(ctx context.Context, c *core.Context, state *model) error {
	return c.Meta.Client.DeleteScheduledMessage(ctx, state.ID.ValueInt64())
}

func hint(err error) string {
	switch {
	case zulip.IsDelivered(err) || zulip.IsNoScheduledMessage(err):
		return "It was sent, or deleted, since the plan was made. Plan again to see which."
	case zulip.IsMessage(err, "Scheduled delivery time must be in the future."):
		return "The moment has passed since the plan was made, or the server's clock is ahead. Choose a later one."
	}
	return ""
}
