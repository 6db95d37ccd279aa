package scheduledmessage

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/compose"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
)

// checkPlan refuses what the server would refuse, and plans no change where the message means the same.
func checkPlan(ctx context.Context, p *core.Plan[model]) {
	if p.IsDestroy() {
		return
	}
	view, err := p.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		p.Diags.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	plan, prior := p.Plan, p.Prior
	if prior != nil {
		plan.keepWords(prior)
		plan.KeepWords(prior.Addressee, view, p.Meta.Store.Self().ID)
		if plan.isAs(prior) {
			if prior.Failed.ValueBool() {
				p.Diags.AddAttributeWarning(path.Root("scheduled_delivery_timestamp"), "The message could not be sent",
					fmt.Sprintf("The server could not send scheduled message %d, and told the account why. Another moment in the future lets it try again.", prior.ID.ValueInt64()))
			}
			return
		}
	}
	compose.CheckContent(plan.Content, view, p.Diags)
	plan.CheckPlan(view, p.Diags)
	plan.checkMoment(prior, p.Diags)
	switch {
	case prior == nil:
	case prior.Delivered.ValueBool():
		p.Replace("scheduled_delivery_timestamp")
	default:
		plan.Failed = types.BoolValue(false)
	}
}

// keepWords keeps the words of the state where they mean the same.
func (m *model) keepWords(state *model) {
	if !m.Content.IsUnknown() {
		m.Content = compose.KeepContent(state.Content, m.Content.ValueString())
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
