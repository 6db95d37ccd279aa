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

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// right is the organization's setting of who may make links.
const right = "create_multiuse_invite_group"

// ModifyPlan plans another link where an attribute changes: none can be changed. Of an imported link, what is configured
// and cannot be read is recorded.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !req.Plan.Raw.IsNull() && !req.State.Raw.IsNull() {
		var plan, state model
		resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		imported, diags := req.Private.GetKey(ctx, importedKey)
		resp.Diagnostics.Append(diags...)
		for _, name := range changes(state.settable(), plan.settable(), imported != nil) {
			resp.RequiresReplace.Append(path.Root(name))
		}
		var configured model
		resp.Diagnostics.Append(req.Config.Get(ctx, &configured)...)
		if imported != nil && len(resp.RequiresReplace) > 0 && state.ChannelIDs.IsNull() && configured.ChannelIDs.IsNull() {
			resp.Diagnostics.AddAttributeError(path.Root("channel_ids"), "The channels of the imported link are not known",
				"The plan replaces the link, and the server does not show which channels it has: the new link would have none. Write channel_ids, [] for none, and group_ids and include_realm_default_subscriptions if it has those.")
		}
	}
	r.Resource.ModifyPlan(ctx, req, resp)
}

// checkPlan refuses a link that the server would refuse.
func checkPlan(ctx context.Context, p *core.Plan[model]) {
	if p.IsDestroy() || !p.IsCreate() && !p.IsReplaced {
		return
	}
	view, err := p.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		p.Diags.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	checkCaller(p, view)
	checkChannels(p.Plan.ChannelIDs, view, p.Diags)
	checkGroups(p.Plan.GroupIDs, view, p.Diags)
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
func checkCaller(p *core.Plan[model], view *snapshot.Snapshot) {
	plan, diags, self := p.Plan, p.Diags, p.Meta.Store.Self()
	const doing = "make invitation links"
	if !p.Meta.RequirePerson(path.Empty(), doing, diags) || !p.Meta.RequireMember(doing, diags) || !p.Meta.RequireRight(view, path.Empty(), doing, diags, right) {
		return
	}
	if level := p.FeatureLevel(); level > 0 && level < zulip.LevelInviteLinksOfMembers && self.Role > zulip.RoleAdministrator {
		p.Meta.Refuse(path.Empty(), doing, fmt.Sprintf("Before feature level %d only administrators and owners may, and the server has %d.", zulip.LevelInviteLinksOfMembers, level), diags)
		return
	}
	if role, ok := zulip.ParseRole(plan.InviteAs.ValueString()); ok && role < zulip.RoleMember {
		p.Meta.RequireRole(min(zulip.RoleAdministrator, role), path.Root("invite_as"), fmt.Sprintf("invite %ss", role), diags)
	}
	if base.IsSet(plan.WelcomeMessage) {
		p.Meta.RequireRole(zulip.RoleAdministrator, path.Root("welcome_message_custom_text"), "choose the welcome message", diags)
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
		if number, ok := element.(types.Int64); ok && base.IsSet(number) {
			known = append(known, number.ValueInt64())
		}
	}
	return known
}

func hint(err error) string {
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
