package message

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// ModifyPlan refuses what the server would cut or refuse, and finds out what has to be replaced.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !r.CanPlan(&resp.Diagnostics) {
		return
	}
	if req.Plan.Raw.IsNull() {
		r.checkDelete(ctx, req, resp)
		return
	}
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the organization", framework.Explain(err))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	framework.CheckContent(plan.Content, view, &resp.Diagnostics)
	to, known := plan.CheckPlan(view, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if known {
		plan.ChannelID = channelID(to)
	}
	if !req.State.Raw.IsNull() {
		var state model
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		self := r.Meta.Store.Self().ID
		plan.KeepWords(state.Addressee, view, self)
		if !plan.Content.IsUnknown() {
			plan.Content = framework.KeepContent(state.Content, plan.Content.ValueString())
		}
		switch {
		case !plan.Recipients.Equal(state.Recipients):
			resp.RequiresReplace.Append(path.Root("recipients"))
			r.warnOfDeleteLimit(&state, view, &resp.Diagnostics)
		case plan.Content.Equal(state.Content):
		case state.SenderID.ValueInt64() != self:
			resp.Diagnostics.AddAttributeError(path.Root("content"), "The message is somebody else's",
				fmt.Sprintf("Only who sent a message may edit it, whatever the role: user %d sent message %d. Leave content as it is, or replace the message: -replace=ADDRESS.",
					state.SenderID.ValueInt64(), state.ID.ValueInt64()))
		default:
			warnOfEditLimit(&state, view, &resp.Diagnostics)
		}
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// checkDelete warns of a message that cannot be deleted any more.
func (r *Resource) checkDelete(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the organization", framework.Explain(err))
	}
	if !resp.Diagnostics.HasError() {
		r.warnOfDeleteLimit(&state, view, &resp.Diagnostics)
	}
}

// warnOfEditLimit warns of an edit that the server will refuse (https://zulip.com/api/update-message).
func warnOfEditLimit(state *model, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	settings := view.Realm().Settings
	var reason string
	switch {
	case string(settings["allow_message_editing"]) == "false":
		reason = "The organization does not let messages be edited (allow_message_editing)."
	case isPast(state, settings["message_content_edit_limit_seconds"]):
		reason = fmt.Sprintf("The organization lets messages be edited for %s seconds (message_content_edit_limit_seconds), and this one was sent at %s.",
			settings["message_content_edit_limit_seconds"], state.Timestamp.ValueString())
	default:
		return
	}
	diags.AddAttributeWarning(path.Root("content"), fmt.Sprintf("Message %d can no longer be edited", state.ID.ValueInt64()),
		reason+" The apply will fail. Restore the content, have the setting changed, or replace the message: -replace=ADDRESS sends a new one.")
}

// warnOfDeleteLimit warns of a deletion that the server will refuse because of its time limit, which does not apply to
// accounts that may delete any message (https://zulip.com/api/delete-message).
func (r *Resource) warnOfDeleteLimit(state *model, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	const right = "can_delete_any_message_group"
	self, limit := r.Meta.Store.Self(), view.Realm().Settings["message_content_delete_limit_seconds"]
	if state.OnDestroy.ValueString() == onDestroyKeep || !isPast(state, limit) {
		return
	}
	everywhere, ok := view.Realm().Permissions[right]
	if ok && permission.Admits(everywhere, self, view) || !ok && self.Role <= zulip.RoleAdministrator {
		return
	}
	if channel, found := view.Channels().ByID(state.ChannelID.ValueInt64()); found {
		if here, ok := channel.Permissions[right]; ok && permission.Admits(here, self, view) {
			return
		}
	}
	diags.AddWarning(fmt.Sprintf("Message %d can no longer be deleted", state.ID.ValueInt64()),
		fmt.Sprintf("The organization lets messages be deleted for %s seconds (message_content_delete_limit_seconds), and this one was sent at %s. The apply will fail. "+
			"Have the setting changed, use the key of an account in %s, or apply on_destroy = \"keep\" before, which leaves the message.", limit, state.Timestamp.ValueString(), right))
}

// isPast reports whether a message is older than a limit in seconds; null is no limit.
func isPast(state *model, limit json.RawMessage) bool {
	seconds, err := strconv.ParseInt(string(limit), 10, 64)
	if err != nil || seconds <= 0 {
		return false
	}
	sent, err := time.Parse(time.RFC3339, state.Timestamp.ValueString())
	return err == nil && time.Since(sent) > time.Duration(seconds)*time.Second
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
