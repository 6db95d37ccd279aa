package message

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/compose"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// checkPlan refuses what the server would refuse, and plans no change where the message means the same.
func checkPlan(ctx context.Context, p *core.Plan[model]) {
	view, err := p.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		p.Diags.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	if p.IsDestroy() {
		warnOfDeleteLimit(p, view)
		return
	}
	compose.CheckContent(p.Plan.Content, view, p.Diags)
	to, known := p.Plan.CheckPlan(view, p.Diags)
	if p.Diags.HasError() {
		return
	}
	if known {
		p.Plan.ChannelID = channelID(to)
	}
	if !p.IsCreate() {
		checkChange(p, view)
	}
}

// checkChange plans another message for other recipients, and refuses to edit what the account did not send.
func checkChange(p *core.Plan[model], view *snapshot.Snapshot) {
	self := p.Meta.Store.Self().ID
	p.Plan.KeepWords(p.Prior.Addressee, view, self)
	if !p.Plan.Content.IsUnknown() {
		p.Plan.Content = compose.KeepContent(p.Prior.Content, p.Plan.Content.ValueString())
	}
	switch {
	case !p.Plan.Recipients.Equal(p.Prior.Recipients):
		p.Replace("recipients")
		warnOfDeleteLimit(p, view)
	case p.Plan.Content.Equal(p.Prior.Content):
	case p.Prior.SenderID.ValueInt64() != self:
		p.Diags.AddAttributeError(path.Root("content"), "The message is somebody else's",
			fmt.Sprintf("Only who sent a message may edit it, whatever the role: user %d sent message %d. Leave content as it is, or replace the message: -replace=ADDRESS.",
				p.Prior.SenderID.ValueInt64(), p.Prior.ID.ValueInt64()))
	default:
		warnOfEditLimit(p, view)
	}
}

// warnOfEditLimit warns of an edit that the server will refuse (https://zulip.com/api/update-message).
func warnOfEditLimit(p *core.Plan[model], view *snapshot.Snapshot) {
	state, settings := p.Prior, view.Realm().Settings
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
	p.Diags.AddAttributeWarning(path.Root("content"), fmt.Sprintf("Message %d can no longer be edited", state.ID.ValueInt64()),
		reason+" The apply will fail. Restore the content, have the setting changed, or replace the message: -replace=ADDRESS sends a new one.")
}

// warnOfDeleteLimit warns of a deletion that the server will refuse because of its time limit, which does not apply to
// accounts that may delete any message (https://zulip.com/api/delete-message).
func warnOfDeleteLimit(p *core.Plan[model], view *snapshot.Snapshot) {
	const right = "can_delete_any_message_group"
	state := p.Prior
	self, limit := p.Meta.Store.Self(), view.Realm().Settings["message_content_delete_limit_seconds"]
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
	p.Diags.AddWarning(fmt.Sprintf("Message %d can no longer be deleted", state.ID.ValueInt64()),
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

func hint(err error) string {
	switch {
	case zulip.IsMessage(err, "The time limit for editing this message has passed"):
		return "The organization lets messages be edited for a while only (message_content_edit_limit_seconds). Have the limit raised, or replace the message: -replace=ADDRESS sends a new one."
	case zulip.IsMessage(err, "Your organization has turned off message editing"):
		return "Have editing allowed (allow_message_editing), or replace the message: -replace=ADDRESS sends a new one."
	case zulip.IsMessage(err, "The time limit for deleting this message has passed", "You don't have permission to delete this message"):
		return "Who may delete messages, and for how long, is a setting of the organization (can_delete_own_message_group, message_content_delete_limit_seconds). With on_destroy = \"keep\", applied before, the message stays and is not managed any more."
	case zulip.IsExpectationMismatch(err):
		return "The text was changed since the plan was made. Plan again to see what it is now."
	}
	return ""
}

// whyNotRead says why a message was not found right after it was there.
func whyNotRead(err error) string {
	if err == nil {
		return "The account may not read what it has sent there, or the message was deleted at once. It is in the state; the next plan shows what is left."
	}
	return base.Explain(err) + "\n\nIt is in the state. The next plan shows whether anything is left to do."
}
