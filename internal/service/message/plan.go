package message

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// ModifyPlan refuses what the server would cut or refuse, and finds out what has to be replaced.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || !r.CanPlan(&resp.Diagnostics) {
		return
	}
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	view, err := r.Meta.Directory.Channels(ctx)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the organization", framework.Explain(err))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	framework.CheckContent(plan.Content, view, &resp.Diagnostics)
	to, known := plan.Check(view, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if known {
		plan.ChannelID = channelID(to)
	}
	if !req.State.Raw.IsNull() {
		var state model
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		self := r.Meta.Directory.Self().ID
		plan.KeepWords(state.Addressee, view, self)
		if !plan.Content.IsUnknown() {
			plan.Content = framework.KeepContent(state.Content, plan.Content.ValueString())
		}
		if !plan.Recipients.Equal(state.Recipients) {
			resp.RequiresReplace.Append(path.Root("recipients"))
		} else if !plan.Content.Equal(state.Content) && state.SenderID.ValueInt64() != self {
			resp.Diagnostics.AddAttributeError(path.Root("content"), "The message is somebody else's",
				fmt.Sprintf("Only who sent a message may edit it, whatever the role: user %d sent message %d. Leave content as it is, or replace the message: -replace=ADDRESS.",
					state.SenderID.ValueInt64(), state.ID.ValueInt64()))
		}
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// explain adds what a refusal means for a message, where that is special.
func explain(err error) string {
	text := framework.Explain(err)
	switch {
	case zulip.IsMessage(err, "The time limit for editing this message has passed"):
		text += "\n\nThe organization lets messages be edited for a while only (message_content_edit_limit_seconds). Have the limit raised, or replace the message: -replace=ADDRESS sends a new one."
	case zulip.IsMessage(err, "Your organization has turned off message editing"):
		text += "\n\nHave editing allowed (allow_message_editing), or replace the message: -replace=ADDRESS sends a new one."
	case zulip.IsMessage(err, "The time limit for deleting this message has passed", "You don't have permission to delete this message"):
		text += "\n\nWho may delete messages, and for how long, is a setting of the organization (can_delete_own_message_group, message_content_delete_limit_seconds). With on_destroy = \"keep\", applied before, the message stays and is not managed any more."
	case zulip.IsExpectationMismatch(err):
		text += "\n\nThe text was changed since the plan was made. Plan again to see what it is now."
	}
	return text
}

// whyNotRead says why a message was not found right after it was there.
func whyNotRead(err error) string {
	if err == nil {
		return "The account may not read what it has sent there, or the message was deleted at once. It is in the state; the next plan shows what is left."
	}
	return framework.Explain(err) + "\n\nIt is in the state. The next plan shows whether anything is left to do."
}
