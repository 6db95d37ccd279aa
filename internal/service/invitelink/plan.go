package invitelink

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// right is the organization's setting of who may make links.
const right = "create_multiuse_invite_group"

// ModifyPlan makes every change a new link, and refuses a link that the account may not make.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !req.State.Raw.IsNull() {
		var state model
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		imported, diags := req.Private.GetKey(ctx, importedKey)
		resp.Diagnostics.Append(diags...)
		changed := changes(state.settable(), plan.settable(), imported != nil)
		for _, name := range changed {
			resp.RequiresReplace = append(resp.RequiresReplace, path.Root(name))
		}
		if len(changed) == 0 {
			return // nothing is made
		}
	}
	if resp.Diagnostics.HasError() || !r.CanPlan(&resp.Diagnostics) {
		return
	}
	if r.CheckLevels(ctx, "zulip_invite_link", req.Config, &resp.Diagnostics); resp.Diagnostics.HasError() {
		return
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the organization", framework.Explain(err))
		return
	}
	r.checkCaller(&plan, view, &resp.Diagnostics)
	checkChannels(plan.ChannelIDs, view, &resp.Diagnostics)
	checkGroups(plan.GroupIDs, view, &resp.Diagnostics)
}

// changes returns the attributes that ask for another link. Of an imported link, what is null is what could not be read:
// it is recorded, for the link may well have it.
func changes(state, plan map[string]attr.Value, imported bool) []string {
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(plan)) {
		// Its end is read back: null is never.
		unread := imported && state[name].IsNull() && name != "expires_in_minutes"
		if !unread && !plan[name].Equal(state[name]) {
			changed = append(changed, name)
		}
	}
	return changed
}

// checkCaller refuses a link that the account may not make (server-behavior §R15, §U15, §U16).
func (r *Resource) checkCaller(plan *model, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	self := r.Meta.Store.Self()
	const doing = "make invitation links"
	if !r.Meta.RequirePerson(path.Empty(), doing, diags) || !r.Meta.RequireMember(doing, diags) || !r.Meta.RequireRight(view, path.Empty(), doing, diags, right) {
		return
	}
	if level := r.FeatureLevel(); level > 0 && level < zulip.LevelInviteLinksOfMembers && self.Role > zulip.RoleAdministrator {
		r.Meta.Refuse(path.Empty(), doing, fmt.Sprintf("Before feature level %d only administrators and owners may, and the server has %d.", zulip.LevelInviteLinksOfMembers, level), diags)
		return
	}
	if role, ok := zulip.ParseRole(plan.InviteAs.ValueString()); ok && role < zulip.RoleMember {
		r.Meta.RequireRole(min(zulip.RoleAdministrator, role), path.Root("invite_as"), fmt.Sprintf("invite %ss", role), diags)
	}
	if framework.IsSet(plan.WelcomeMessage) {
		r.Meta.RequireRole(zulip.RoleAdministrator, path.Root("welcome_message_custom_text"), "choose the welcome message", diags)
	}
}

// checkChannels refuses channels into which nobody can be put.
func checkChannels(ids types.Set, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	for _, id := range numbers(ids) {
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
func checkGroups(ids types.Set, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	for _, id := range numbers(ids) {
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
		if number, ok := element.(types.Int64); ok && framework.IsSet(number) {
			known = append(known, number.ValueInt64())
		}
	}
	return known
}

// explain adds what a refusal means for an invitation, where that is special.
func explain(err error) string {
	text := framework.Explain(err)
	switch {
	case zulip.IsMessage(err, "Insufficient permission"):
		text += "\n\nThe organization's setting " + right + " does not admit the account the provider uses, or it may not add people to one of the groups in group_ids."
	case zulip.IsMessage(err, "You do not have permission to subscribe other users to channels."):
		text += "\n\nOne of the channels in channel_ids is not a default channel, and the account the provider uses may not add people to it: see can_add_subscribers_group of the channel and of the organization."
	case isUnreadableChannel(err):
		text += "\n\nThe channel is private and the account the provider uses is not in it, or it was archived since the plan was made."
	}
	return text
}

// unreadableChannel is the refusal of a channel whose messages the account may not read (server-behavior §U15).
var unreadableChannel = regexp.MustCompile(`^Invalid channel ID \d+\. No invites were sent\.$`)

func isUnreadableChannel(err error) bool {
	var refusal *zulip.Error
	return errors.As(err, &refusal) && unreadableChannel.MatchString(refusal.Msg)
}
