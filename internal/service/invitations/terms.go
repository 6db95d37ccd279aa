package invitations

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// inviteTerms are the attributes of an invitation, for a model to embed.
type inviteTerms struct {
	ExpiresInMinutes     types.Int64  `tfsdk:"expires_in_minutes"`
	InviteAs             types.String `tfsdk:"invite_as"`
	ChannelIDs           types.Set    `tfsdk:"channel_ids"`
	GroupIDs             types.Set    `tfsdk:"group_ids"`
	DefaultSubscriptions types.Bool   `tfsdk:"include_realm_default_subscriptions"`
	WelcomeMessage       types.String `tfsdk:"welcome_message_custom_text"`
	InvitedByUserID      types.Int64  `tfsdk:"invited_by_user_id"`
	Invited              types.String `tfsdk:"invited"`
	ExpiryDate           types.String `tfsdk:"expiry_date"`
}

// seenBySender is a sentence about the accounts that see an invitation.
const seenBySender = "The person who created it and administrators see it."

// IsShown reports whether the server would list the invitation of a state. It lists all invitations to administrators,
// and their own to others. It lists no expired ones.
func (t *inviteTerms) IsShown(m *base.Meta) bool {
	expiry, err := time.Parse(time.RFC3339, t.ExpiryDate.ValueString())
	hasExpired := err == nil && expiry.Before(time.Now())
	return m.SeesAll() || hasExpired || t.InvitedByUserID.ValueInt64() == m.Store.Self().ID
}

// isListedTo reports whether the server lists invitations to the account (server-behavior §R15).
func isListedTo(m *base.Meta) bool { return m.SeesEverybody() && !m.Store.Self().IsBot }

// Settable returns the configured values of an invitation by name. The server changes none of them.
func (t *inviteTerms) Settable() map[string]attr.Value {
	return map[string]attr.Value{
		"expires_in_minutes": t.ExpiresInMinutes, "invite_as": t.InviteAs, "channel_ids": t.ChannelIDs, "group_ids": t.GroupIDs,
		"include_realm_default_subscriptions": t.DefaultSubscriptions, "welcome_message_custom_text": t.WelcomeMessage,
	}
}

// changedTerms returns the names of the attributes that a plan changes. In an imported invitation, null means that the
// server does not show the value: the plan only records it, because the invitation may have it.
func changedTerms(state, plan map[string]attr.Value, imported bool) []string {
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(plan)) {
		// The server does return the expiry: null is never.
		isHidden := imported && state[name].IsNull() && name != "expires_in_minutes"
		if !isHidden && !plan[name].Equal(state[name]) {
			changed = append(changed, name)
		}
	}
	return changed
}

// Wire returns the planned terms for a request. Unset terms are left to the server.
func (t *inviteTerms) Wire(ctx context.Context, diags *diag.Diagnostics) zulip.InviteTerms {
	wanted := zulip.InviteTerms{ExpiresInMinutes: t.ExpiresInMinutes.ValueInt64Pointer()}
	if role, ok := zulip.ParseRole(t.InviteAs.ValueString()); ok {
		wanted.InviteAs = &role
	}
	if !t.ChannelIDs.IsUnknown() {
		diags.Append(t.ChannelIDs.ElementsAs(ctx, &wanted.ChannelIDs, false)...)
	}
	if !t.GroupIDs.IsUnknown() {
		diags.Append(t.GroupIDs.ElementsAs(ctx, &wanted.GroupIDs, false)...)
	}
	if !t.DefaultSubscriptions.IsUnknown() {
		wanted.DefaultSubscriptions = t.DefaultSubscriptions.ValueBoolPointer()
	}
	if !t.WelcomeMessage.IsUnknown() {
		wanted.WelcomeMessage = t.WelcomeMessage.ValueStringPointer()
	}
	return wanted
}

// FillIn sets the unset terms to the server's defaults, and unknown ones that it shows to null.
func (t *inviteTerms) FillIn() {
	t.InvitedByUserID, t.Invited, t.ExpiryDate = types.Int64Null(), types.StringNull(), types.StringNull()
	t.setDefaults(t, attr.Value.IsUnknown)
}

// PlanDefaults sets the planned terms that the configuration leaves unset to the server's defaults.
func (t *inviteTerms) PlanDefaults(config *inviteTerms) { t.setDefaults(config, attr.Value.IsNull) }

// setDefaults sets the terms that are unset in another value to the server's defaults.
func (t *inviteTerms) setDefaults(in *inviteTerms, isUnset func(attr.Value) bool) {
	if isUnset(in.InviteAs) {
		t.InviteAs = types.StringValue(zulip.RoleMember.String())
	}
	if isUnset(in.ChannelIDs) {
		t.ChannelIDs = types.SetValueMust(types.Int64Type, []attr.Value{})
	}
	if isUnset(in.GroupIDs) {
		t.GroupIDs = types.SetValueMust(types.Int64Type, []attr.Value{})
	}
	if isUnset(in.DefaultSubscriptions) {
		t.DefaultSubscriptions = types.BoolValue(false)
	}
	if isUnset(in.WelcomeMessage) {
		t.WelcomeMessage = types.StringNull()
	}
}

// Read sets the terms that the server lists. The others cannot be read, and are unchanged.
func (t *inviteTerms) Read(found *zulip.Invitation) {
	t.ExpiresInMinutes = types.Int64PointerValue(found.ExpiresInMinutes())
	t.InviteAs = types.StringValue(found.InvitedAs.String())
	t.InvitedByUserID = types.Int64Value(found.InvitedByUserID)
	t.Invited, t.ExpiryDate = momentText(&found.Invited), momentText(found.ExpiryDate)
}

// ForgetHidden makes the terms null that the server does not show.
func (t *inviteTerms) ForgetHidden() {
	t.ChannelIDs, t.GroupIDs = types.SetNull(types.Int64Type), types.SetNull(types.Int64Type)
	t.DefaultSubscriptions, t.WelcomeMessage = types.BoolNull(), types.StringNull()
}

// momentText returns seconds since 1970 as RFC 3339; null for nil.
func momentText(seconds *int64) types.String {
	if seconds == nil {
		return types.StringNull()
	}
	return types.StringValue(time.Unix(*seconds, 0).UTC().Format(time.RFC3339))
}

// termAttributes are the attributes of [inviteTerms], with a description of each by its name.
func termAttributes(describe map[string]string) map[string]schema.Attribute {
	keepNumber := []planmodifier.Int64{int64planmodifier.UseStateForUnknown()}
	keepText := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	ids := func(description string) schema.SetAttribute {
		return schema.SetAttribute{
			ElementType: types.Int64Type, Optional: true, Computed: true, PlanModifiers: []planmodifier.Set{setplanmodifier.UseStateForUnknown()},
			Validators:          []validator.Set{setvalidator.ValueInt64sAre(validators.AtLeast(1))},
			MarkdownDescription: description,
		}
	}
	return map[string]schema.Attribute{
		"expires_in_minutes": schema.Int64Attribute{
			Optional: true, Validators: []validator.Int64{validators.Between(1, maxMinutes)}, MarkdownDescription: describe["expires_in_minutes"],
		},
		"invite_as": schema.StringAttribute{
			Optional: true, Computed: true, Validators: []validator.String{validators.OneOf("owner", "administrator", "moderator", "member", "guest")}, PlanModifiers: keepText,
			MarkdownDescription: describe["invite_as"],
		},
		"channel_ids": ids(describe["channel_ids"]),
		"group_ids":   ids(describe["group_ids"]),
		"include_realm_default_subscriptions": schema.BoolAttribute{
			Optional: true, Computed: true, PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
			MarkdownDescription: describe["include_realm_default_subscriptions"],
		},
		"welcome_message_custom_text": schema.StringAttribute{
			Optional: true, Computed: true, PlanModifiers: keepText, Validators: []validator.String{validators.Length(0, zulip.MaxWelcomeMessageLength)},
			MarkdownDescription: describe["welcome_message_custom_text"],
		},
		"invited_by_user_id": schema.Int64Attribute{Computed: true, MarkdownDescription: describe["invited_by_user_id"], PlanModifiers: keepNumber},
		"invited":            schema.StringAttribute{Computed: true, MarkdownDescription: describe["invited"], PlanModifiers: keepText},
		"expiry_date":        schema.StringAttribute{Computed: true, MarkdownDescription: describe["expiry_date"], PlanModifiers: keepText},
	}
}

// maxMinutes is a time that the server can still add to a date. It fails with longer ones (server-behavior §U21).
const maxMinutes = 1_000_000_000

// Check refuses, in a plan, terms that the server would refuse (server-behavior §R15, §U15, §U16). permission is the
// organization's permission to send such an invitation. doing describes the action, as in "make invitation links".
func (t *inviteTerms) Check(ctx context.Context, meta *base.Meta, view *snapshot.Snapshot, permission, doing string, diags *diag.Diagnostics) {
	if base.CheckInPlan(diags, func(found *diag.Diagnostics) { t.checkCaller(meta, view, permission, doing, found) }) {
		t.checkChannels(ctx, meta, view, doing, diags)
		t.checkGroups(view, diags)
	}
}

// checkCaller refuses an invitation that the account can't send.
func (t *inviteTerms) checkCaller(meta *base.Meta, view *snapshot.Snapshot, permission, doing string, diags *diag.Diagnostics) {
	if !meta.RequirePerson(path.Empty(), doing, diags) || !meta.RequireMember(doing, diags) {
		return
	}
	meta.RequirePermission(view, path.Empty(), doing, diags, permission)
	if role, ok := zulip.ParseRole(t.InviteAs.ValueString()); ok && role < zulip.RoleMember {
		meta.RequireRole(min(zulip.RoleAdministrator, role), path.Root("invite_as"), fmt.Sprintf("invite %ss", role), diags)
	}
	if base.IsSet(t.WelcomeMessage) {
		meta.RequireRole(zulip.RoleAdministrator, path.Root("welcome_message_custom_text"), "choose the welcome message", diags)
	}
}

// whyRefused explains the refusal of an invitation.
func (t *inviteTerms) whyRefused(ctx context.Context, meta *base.Meta, err error, permission, doing string) error {
	return meta.WhyRefused(ctx, err, func(view *snapshot.Snapshot, found *diag.Diagnostics) {
		t.checkCaller(meta, view, permission, doing, found)
	})
}

// checkChannels refuses channels that invited people cannot be subscribed to.
func (t *inviteTerms) checkChannels(ctx context.Context, meta *base.Meta, view *snapshot.Snapshot, doing string, diags *diag.Diagnostics) {
	for _, id := range termIDs(t.ChannelIDs) {
		switch channel, ok := view.Channels().ByID(id); {
		case !ok:
			base.Report(diags, "", lookup.NoSuchChannelID(path.Root("channel_ids"), id))
		case channel.IsArchived:
			diags.AddAttributeError(path.Root("channel_ids"), "The channel is archived",
				fmt.Sprintf("Channel %q (%d) is archived, so no one can be subscribed to it.", channel.Name, id))
		default:
			base.CheckInPlan(diags, func(found *diag.Diagnostics) {
				meta.RequireUse(ctx, view, channel, path.Root("channel_ids"), fmt.Sprintf("%s with a subscription to channel %q", doing, channel.Name), found)
			})
		}
	}
}

// leaveOutGone leaves unset channels and groups that ended since out of a new invitation.
func (t *inviteTerms) leaveOutGone(config *inviteTerms, view *snapshot.Snapshot) {
	without := func(set types.Set, isGone func(id int64) bool) types.Set {
		left := []attr.Value{}
		for _, id := range termIDs(set) {
			if !isGone(id) {
				left = append(left, types.Int64Value(id))
			}
		}
		return types.SetValueMust(types.Int64Type, left)
	}
	if config.ChannelIDs.IsNull() && base.IsSet(t.ChannelIDs) {
		t.ChannelIDs = without(t.ChannelIDs, func(id int64) bool {
			channel, ok := view.Channels().ByID(id)
			return !ok || channel.IsArchived
		})
	}
	if config.GroupIDs.IsNull() && base.IsSet(t.GroupIDs) {
		t.GroupIDs = without(t.GroupIDs, func(id int64) bool {
			group, ok := view.UserGroup(id)
			return !ok || group.Deactivated
		})
	}
}

// checkGroups refuses groups that invited people cannot be added to.
func (t *inviteTerms) checkGroups(view *snapshot.Snapshot, diags *diag.Diagnostics) {
	for _, id := range termIDs(t.GroupIDs) {
		switch group, ok := view.UserGroup(id); {
		case !ok:
			diags.AddAttributeError(path.Root("group_ids"), "No such user group", fmt.Sprintf("The organization has no user group with the ID %d. The data source zulip_user_groups lists all.", id))
		case group.IsSystemGroup:
			diags.AddAttributeError(path.Root("group_ids"), "The user group is a role",
				fmt.Sprintf("Group %d is %s. New users are in the groups of their role: set invite_as.", id, group.Name))
		case group.Deactivated:
			diags.AddAttributeError(path.Root("group_ids"), "The user group is deactivated",
				fmt.Sprintf("User group %q (%d) is deactivated, so no one can be added to it.", group.Name, id))
		}
	}
}

// termIDs returns the known elements of a set.
func termIDs(set types.Set) []int64 {
	var known []int64
	for _, element := range set.Elements() {
		if number, ok := element.(types.Int64); ok && base.IsSet(number) {
			known = append(known, number.ValueInt64())
		}
	}
	return known
}

// inviteRefusalHint explains a refusal of an invitation, and returns "" if it is clear. permission is as in [inviteTerms.Check].
func inviteRefusalHint(err error, permission string) string {
	switch {
	case zulip.IsMessage(err, "Insufficient permission"):
		return "The organization's setting " + permission + " does not include the provider's account, or the account cannot add people to one of the groups in group_ids."
	case zulip.IsMessage(err, "You do not have permission to subscribe other users to channels."):
		return "One of the channels in channel_ids is not a default channel, and the provider's account cannot add people to it. See can_add_subscribers_group of the channel and of the organization."
	case isUnreadableChannel(err):
		return "The channel is private and the provider's account is not subscribed to it, or it was archived after the plan was made."
	}
	return ""
}

// unreadableChannel is the refusal of a channel whose messages the account can't read (server-behavior §U15).
var unreadableChannel = regexp.MustCompile(`^Invalid channel ID \d+\. No invites were sent\.$`)

func isUnreadableChannel(err error) bool {
	var refusal *zulip.Error
	return errors.As(err, &refusal) && unreadableChannel.MatchString(refusal.Msg)
}
