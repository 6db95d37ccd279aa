package scheduledmessage

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// ModifyPlan refuses what the server would cut or refuse, and keeps what was sent from being sent a second time.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || !r.CanPlan(&resp.Diagnostics) {
		return
	}
	if r.CheckLevels(ctx, "zulip_scheduled_message", req.Config, &resp.Diagnostics); resp.Diagnostics.HasError() {
		return
	}
	var plan model
	var state *model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !req.State.Raw.IsNull() {
		state = &model{}
		resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the organization", framework.Explain(err))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if state != nil {
		plan.keepWords(state)
		plan.KeepWords(state.Addressee, view, r.Meta.Store.Self().ID)
		if plan.isAs(state) {
			if state.Failed.ValueBool() {
				resp.Diagnostics.AddAttributeWarning(path.Root("scheduled_delivery_timestamp"), "The message could not be sent",
					fmt.Sprintf("The server could not send scheduled message %d, and told the account why. Another moment in the future lets it try again.", state.ID.ValueInt64()))
			}
			resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
			return
		}
	}
	framework.CheckContent(plan.Content, view, &resp.Diagnostics)
	plan.CheckPlan(view, &resp.Diagnostics)
	plan.checkMoment(state, &resp.Diagnostics)
	if state != nil && state.Delivered.ValueBool() {
		resp.RequiresReplace.Append(path.Root("scheduled_delivery_timestamp"))
	} else if state != nil {
		plan.Failed = types.BoolValue(false)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// keepWords keeps the words of the state where they mean the same.
func (m *model) keepWords(state *model) {
	if !m.Content.IsUnknown() {
		m.Content = framework.KeepContent(state.Content, m.Content.ValueString())
	}
	if !m.DeliverAt.IsUnknown() && m.deliverAt() == state.deliverAt() {
		m.DeliverAt = state.DeliverAt
	}
}

// isAs reports whether the configuration asks for what the state holds.
func (m *model) isAs(state *model) bool {
	return m.Equal(state.Addressee) && m.Content.Equal(state.Content) && m.DeliverAt.Equal(state.DeliverAt)
}

// checkMoment refuses a moment that is over where one is needed that is not.
func (m *model) checkMoment(state *model, diags *diag.Diagnostics) {
	at := path.Root("scheduled_delivery_timestamp")
	switch {
	case m.DeliverAt.IsUnknown():
	case state != nil && state.Delivered.ValueBool() && m.DeliverAt.Equal(state.DeliverAt):
		diags.AddAttributeError(at, "The message was sent already",
			fmt.Sprintf("It was sent at %s and cannot be changed here any more. To send what is configured now as another message, give it another moment in the future; else take the change back.", state.DeliverAt.ValueString()))
	case state != nil && state.Failed.ValueBool() && m.DeliverAt.Equal(state.DeliverAt):
		diags.AddAttributeError(at, "The message could not be sent",
			"The server tried and failed. Give it another moment in the future together with the change.")
	case (state == nil || !m.DeliverAt.Equal(state.DeliverAt)) && m.isDue(time.Now()):
		diags.AddAttributeError(at, "The moment is over",
			fmt.Sprintf("%s is not in the future, and the server schedules nothing for the past. If the message was sent long ago, take the resource out of the configuration.", m.DeliverAt.ValueString()))
	}
}

// explain adds what a refusal means for a scheduled message, where that is special.
func explain(err error) string {
	text := framework.Explain(err)
	switch {
	case zulip.IsDelivered(err) || zulip.IsNoScheduledMessage(err):
		text += "\n\nIt was sent, or taken back, since the plan was made. Plan again to see which."
	case zulip.IsMessage(err, "Scheduled delivery time must be in the future."):
		text += "\n\nThe moment has passed since the plan was made, or the server's clock is ahead. Choose a later one."
	}
	return text
}
