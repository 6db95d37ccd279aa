package invite

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Check refuses, in a plan, what the server would refuse (server-behavior §R15, §U15, §U16). right is the organization's setting
// of who may send such an invitation; doing names that, as in "make invitation links".
func (t *Terms) Check(meta *base.Meta, view *snapshot.Snapshot, right, doing string, diags *diag.Diagnostics) {
	if t.checkCaller(meta, view, right, doing, diags) {
		t.checkChannels(view, diags)
		t.checkGroups(view, diags)
	}
}

// checkCaller refuses an invitation that the account may not send.
func (t *Terms) checkCaller(meta *base.Meta, view *snapshot.Snapshot, right, doing string, diags *diag.Diagnostics) (ok bool) {
	if !meta.RequirePerson(path.Empty(), doing, diags) || !meta.RequireMember(doing, diags) || !meta.RequireRight(view, path.Empty(), doing, diags, right) {
		return false
	}
	if role, ok := zulip.ParseRole(t.InviteAs.ValueString()); ok && role < zulip.RoleMember {
		meta.RequireRole(min(zulip.RoleAdministrator, role), path.Root("invite_as"), fmt.Sprintf("invite %ss", role), diags)
	}
	if base.IsSet(t.WelcomeMessage) {
		meta.RequireRole(zulip.RoleAdministrator, path.Root("welcome_message_custom_text"), "choose the welcome message", diags)
	}
	return true
}

// checkChannels refuses channels into which nobody can be put.
func (t *Terms) checkChannels(view *snapshot.Snapshot, diags *diag.Diagnostics) {
	for _, id := range numbers(t.ChannelIDs) {
		switch channel, ok := view.Channels().ByID(id); {
		case !ok:
			diags.AddAttributeError(path.Root("channel_ids"), "No such channel",
				fmt.Sprintf("The account the provider uses sees no channel with the ID %d. The data source zulip_channels lists those it sees.", id))
		case channel.IsArchived:
			diags.AddAttributeError(path.Root("channel_ids"), "The channel is archived",
				fmt.Sprintf("Nobody can be put into channel %q (%d), which is archived.", channel.Name, id))
		}
	}
}

// checkGroups refuses groups into which nobody can be put.
func (t *Terms) checkGroups(view *snapshot.Snapshot, diags *diag.Diagnostics) {
	for _, id := range numbers(t.GroupIDs) {
		switch group, ok := view.UserGroup(id); {
		case !ok:
			diags.AddAttributeError(path.Root("group_ids"), "No such user group", fmt.Sprintf("The organization has no user group with the ID %d. The data source zulip_user_groups lists all.", id))
		case group.IsSystemGroup:
			diags.AddAttributeError(path.Root("group_ids"), "A role's group has no members of its own",
				fmt.Sprintf("Group %d is %s. Whoever joins is in the groups of their role: set invite_as.", id, group.Name))
		case group.Deactivated:
			diags.AddAttributeError(path.Root("group_ids"), "The user group is deactivated",
				fmt.Sprintf("Nobody can be put into user group %q (%d), which is deactivated.", group.Name, id))
		}
	}
}

// numbers returns the elements of a set as far as they are known.
func numbers(set types.Set) []int64 {
	var known []int64
	for _, element := range set.Elements() {
		if number, ok := element.(types.Int64); ok && base.IsSet(number) {
			known = append(known, number.ValueInt64())
		}
	}
	return known
}

// Hint says what a refusal of an invitation means; "" if it says enough itself. right is as with [Terms.Check].
func Hint(err error, right string) string {
	switch {
	case zulip.IsMessage(err, "Insufficient permission"):
		return "The organization's setting " + right + " does not admit the account the provider uses, or it may not add people to one of the groups in group_ids."
	case zulip.IsMessage(err, "You do not have permission to subscribe other users to channels."):
		return "One of the channels in channel_ids is not a default channel, and the account the provider uses may not add people to it: see can_add_subscribers_group of the channel and of the organization."
	case isUnreadableChannel(err):
		return "The channel is private and the account the provider uses is not in it, or it was archived since the plan was made."
	}
	return ""
}

// unreadableChannel is the refusal of a channel whose messages the account may not read (server-behavior §U15).
var unreadableChannel = regexp.MustCompile(`^Invalid channel ID \d+\. No invites were sent\.$`)

func isUnreadableChannel(err error) bool {
	var refusal *zulip.Error
	return errors.As(err, &refusal) && unreadableChannel.MatchString(refusal.Msg)
}
