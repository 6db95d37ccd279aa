// Package accesswarning warns in a plan who gains and who loses which right: in one channel ([OfChannel]), in all channels
// ([OfChange], [OfDeactivation], [OfReactivation]) or in the organization ([OfOrganization]). The text comes from package permission.
package accesswarning

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Summary is that of every warning of this package: a CLI writes warnings of one summary as one, and counts the others, so that a
// plan of thirty channels does not end in thirty warnings.
const Summary = "This plan changes who can do what"

// warn adds a warning: what changes, and who gains and who loses by it.
func warn(ctx context.Context, diags *diag.Diagnostics, what, text string) {
	tflog.Info(ctx, what, map[string]any{"effects": text})
	diags.AddWarning(Summary, what+".\n\n"+text)
}

// OfChannel warns, in a plan that changes a channel's permissions or privacy, who gains and who loses which right in it.
// Nothing is said when nobody does, or when the provider block turns such warnings off. What is not known
// is said to be so. Who is in the channel is read only where that makes a difference.
func OfChannel(ctx context.Context, meta *base.Meta, diags *diag.Diagnostics, id int64, change permission.ChannelChange) {
	if !meta.AccessWarnings {
		return
	}
	FillSubscribers(ctx, meta, id, &change)
	text := report(meta).Channel(change.Before, change.After)
	if text == "" {
		return
	}
	if view, err := meta.Store.Read(ctx, store.UserGroups); err == nil {
		text += asOfNow(view, changedPermissions(change))
	}
	warn(ctx, diags, fmt.Sprintf("Access in channel %q changes", change.Name), text)
}

// asOfNow says of which user groups in changed permissions the members are those as of now: what else the run does to a group is
// not this change, and is warned of where it is planned.
func asOfNow(view *snapshot.Snapshot, changed []zulip.GroupSettingValue) string {
	counted := map[string]bool{}
	for _, value := range changed {
		for _, id := range append([]int64{value.Group}, value.DirectSubgroups...) {
			if group, ok := view.UserGroups().ByID(id); ok && !group.IsSystemGroup {
				counted[suggest.Quote(group.Name)] = true
			}
		}
	}
	if len(counted) == 0 {
		return ""
	}
	return fmt.Sprintf("\n\nThis is based on the current members of group %s.", strings.Join(slices.Sorted(maps.Keys(counted)), ", "))
}

// changedPermissions are the values of a channel's permissions that differ.
func changedPermissions(change permission.ChannelChange) (changed []zulip.GroupSettingValue) {
	for setting, after := range change.After.Channel.Permissions {
		if before := change.Before.Channel.Permissions[setting]; !reflect.DeepEqual(before, after) {
			changed = append(changed, before, after)
		}
	}
	return changed
}

// OfChange warns, in a plan that changes who is in a group or who has which role, who gains and who loses which right in
// every channel that the account sees and that is not archived: in managed ones, and in others. The first sentence, what, says
// what is changed, as in `User group "sre" changes who can do what`. It is one warning, in which channels where the same
// happens stand together. Nothing is said when nobody gains or loses a right in any channel, or when the provider block
// turns such warnings off.
//
// Call it once in ModifyPlan, after everything has been checked, with only what differs from what the organization
// holds now. Of a group name all direct members and subgroups as they will be, and set [permission.Membership.Unknown] if
// there will be others who are not known yet. A role that is not known yet is left out; say so yourself.
func OfChange(ctx context.Context, meta *base.Meta, diags *diag.Diagnostics, what string, change permission.Change) {
	if !meta.AccessWarnings {
		return
	}
	if text := textOf(ctx, meta, change); text != "" {
		warn(ctx, diags, what, text)
	}
}

// OfDeactivation warns, in a plan that deactivates an account, which bots go with it, and what nobody can do any more
// then. Call it once in ModifyPlan, after everything has been checked.
func OfDeactivation(ctx context.Context, meta *base.Meta, diags *diag.Diagnostics, user *zulip.User, everybody []*zulip.User) {
	if !meta.AccessWarnings || !user.IsActive {
		return
	}
	parts := []string{fmt.Sprintf("%s loses all access until the account is reactivated.", user.Address())}
	var bots []string
	for _, bot := range everybody {
		if bot.IsBot && bot.IsActive && bot.BotOwnerID != nil && *bot.BotOwnerID == user.ID && !meta.Run.GetsOwner(bot.Address(), user.ID) {
			bots = append(bots, bot.Address())
		}
	}
	if len(bots) > 0 {
		slices.Sort(bots)
		parts = append(parts, fmt.Sprintf("These bots are deactivated too, unless this plan gives them another owner: %s.", strings.Join(bots, ", ")))
	}
	if text := textOf(ctx, meta, permission.Change{Deactivated: []int64{user.ID}}); text != "" {
		parts = append(parts, text)
	}
	warn(ctx, diags, fmt.Sprintf("Deactivating %s changes who can do what", user.Address()), strings.Join(parts, "\n\n"))
}

// OfReactivation warns, in a plan that reactivates an account, what the account can do by its role then. Call it once in ModifyPlan.
func OfReactivation(ctx context.Context, meta *base.Meta, diags *diag.Diagnostics, user *zulip.User, role zulip.Role) {
	OfChange(ctx, meta, diags, fmt.Sprintf("Reactivating %s as %s changes who can do what", user.Address(), role),
		permission.Change{Reactivated: []int64{user.ID}, Roles: map[int64]zulip.Role{user.ID: role}})
}

// textOf says what a change does in all channels; "" if nobody gains or loses a right.
func textOf(ctx context.Context, meta *base.Meta, change permission.Change) string {
	view, err := meta.Store.Read(ctx, store.Channels)
	if err != nil {
		return "The channels are not known. " + base.Explain(err)
	}
	if change.Now.IsZero() {
		change.Now = time.Now()
	}
	before := view.Access()
	after := before.With(change)
	var changes []permission.ChannelChange
	for _, channel := range view.Channels().List() {
		if channel.IsArchived {
			continue
		}
		facts := permission.ChannelOf(channel)
		one := permission.ChannelChange{
			Name: channel.Name, Before: permission.ChannelRights{Access: before, Channel: facts}, After: permission.ChannelRights{Access: after, Channel: facts},
		}
		if len(permission.Compare(one.Before, one.After)) > 0 || permission.CompareInternet(one.Before, one.After) != permission.InternetAsBefore {
			FillSubscribers(ctx, meta, channel.ID, &one)
			changes = append(changes, one)
		}
	}
	return report(meta).Channels(changes)
}

// OfOrganization warns, in a plan that changes permissions of the organization, or a setting that decides who is
// in a role, who gains and who loses which of them. Nothing is said when nobody does, or when the provider block turns such
// warnings off. Call it once in ModifyPlan, after everything has been checked; of the plan Config, Plan, Prior and View are
// looked at. Prior is what there is now, also for a resource that is to be created. settings is what changes beside the
// permissions.
func OfOrganization(ctx context.Context, meta *base.Meta, diags *diag.Diagnostics, plan attribute.PermissionPlan, settings permission.Change) {
	if !meta.AccessWarnings {
		return
	}
	var changes []permission.OrganizationChange
	for _, setting := range plan.Table.Settings {
		before, there := plan.Prior[setting.Name]
		if !there {
			continue
		}
		change := permission.OrganizationChange{Setting: setting, Before: before, After: before}
		if plan.Config(setting.Name).IsNull() {
			changes = append(changes, change)
			continue
		}
		switch found := plan.Classify(setting.Name); found.Outcome {
		case attribute.Unset, attribute.Unchanged, attribute.Equivalent:
		case attribute.Unknown, attribute.Planned:
			change.After, change.Unknown = found.Value, true
		default:
			change.After = found.Value
		}
		changes = append(changes, change)
	}
	before := plan.View.Access()
	text := report(meta).Organization(before, before.With(settings), changes)
	if text == "" {
		return
	}
	var changed []zulip.GroupSettingValue
	for _, change := range changes {
		if !reflect.DeepEqual(change.Before, change.After) {
			changed = append(changed, change.Before, change.After)
		}
	}
	warn(ctx, diags, "Access in the organization changes", text+asOfNow(plan.View, changed))
}

// FillSubscribers reads who is in a channel before and after a change, if that makes a difference to who gains and who
// loses. Where it cannot be read it stays unknown.
func FillSubscribers(ctx context.Context, meta *base.Meta, id int64, change *permission.ChannelChange) {
	known := change.Before.Channel.SubscribersKnown && change.After.Channel.SubscribersKnown
	if !known && permission.NeedsSubscribers(change.Before, change.After) {
		ReadSubscribers(ctx, meta, id, change)
	}
}

// ReadSubscribers reads who is in a channel before and after a change. Where it cannot be read it stays unknown.
func ReadSubscribers(ctx context.Context, meta *base.Meta, id int64, change *permission.ChannelChange) {
	found, err := meta.Store.Subscribers(ctx, id)
	if err == nil && found == nil {
		err = fmt.Errorf("the provider's account does not see channel %d, or it is archived", id)
	}
	if err != nil {
		tflog.Warn(ctx, "Who is in the channel is not known: the warning says no more than what is certain without",
			map[string]any{"channel": change.Name, "error": err.Error()})
		return
	}
	for _, state := range []*permission.ChannelRights{&change.Before, &change.After} {
		state.Channel.Subscribers, state.Channel.SubscribersKnown = found, true
	}
}

func report(meta *base.Meta) permission.Report {
	return permission.Report{Self: meta.Store.Self().ID}
}
