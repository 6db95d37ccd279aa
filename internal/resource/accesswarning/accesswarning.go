// Package accesswarning adds warnings to a plan about people who gain or lose access: in one channel ([OfChannel]),
// in all channels ([OfChange], [OfDeactivation], [OfReactivation]) or in the organization ([OfOrganization]). The
// text comes from package permission. This package knows no resource.
package accesswarning

import (
	"cmp"
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
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Summary is the summary of a warning that concerns neither the internet, nor guests, nor a private channel. Terraform
// combines warnings with the same summary and counts them, so that a plan of thirty channels does not have thirty warnings.
const Summary = "This plan changes who can do what"

// alone ends each warning. Another resource of the plan may give or take the same access.
const alone = "\n\nThese are the effects of this change alone. \"terraform-provider-zulip review\" shows those of the whole plan."

// warn adds a warning about a change and the people who gain or lose access because of it. An empty summary is [Summary].
func warn(ctx context.Context, diags *diag.Diagnostics, summary, what, text string) {
	tflog.Info(ctx, what, map[string]any{"effects": text})
	diags.AddWarning(cmp.Or(summary, Summary), what+".\n\n"+text+alone)
}

// summaryOf names the channels of a change that the internet, guests, or people in general can gain access to, the last
// only if they are private. Terraform then shows the warning by itself. It returns "" if there are none.
func summaryOf(changes ...permission.ChannelChange) string {
	var internet, guests, private []string
	for _, one := range changes {
		name := suggest.Quote(one.Name)
		if permission.CompareInternet(one.Before, one.After) == permission.InternetGains {
			internet = append(internet, name)
		}
		isPrivate := one.Before.Channel.Privacy.IsPrivate() || one.After.Channel.Privacy.IsPrivate()
		toGuests, toAnyone := false, false
		for _, effect := range permission.Compare(one.Before, one.After) {
			toGuests = toGuests || !effect.Gain.And(one.After.Access.Guests()).IsEmpty()
			toAnyone = toAnyone || isEntering(effect.Permission) && (effect.Unknown || !effect.Gain.IsEmpty())
		}
		if toGuests {
			guests = append(guests, name)
		}
		if isPrivate && toAnyone {
			private = append(private, name)
		}
	}
	switch {
	case len(internet) > 0:
		return "Anyone on the internet can gain access to " + channelList("channel", internet)
	case len(guests) > 0:
		return "Guests can gain access in " + channelList("channel", guests)
	case len(private) > 0:
		return "More people can gain access to " + channelList("private channel", private)
	}
	return ""
}

// isEntering reports whether a permission lets people into a channel.
func isEntering(name permission.ChannelPermission) bool {
	return name == permission.CanRead || name == permission.CanReadHistory || name == permission.CanSubscribe
}

// channelList names at most three channels.
func channelList(thing string, names []string) string {
	if len(names) > 1 {
		thing += "s"
	}
	if rest := len(names) - 3; rest > 0 {
		return fmt.Sprintf("%s %s and %d more", thing, strings.Join(names[:3], ", "), rest)
	}
	return thing + " " + strings.Join(names, ", ")
}

// OfChannel warns in a plan about people who gain or lose access by a change of a channel's permissions or privacy. It
// adds nothing if no one does, or if the provider block turns such warnings off. It names unknown facts, and reads the
// subscribers only if they make a difference.
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
	warn(ctx, diags, summaryOf(change), fmt.Sprintf("Access in channel %q changes", change.Name), text)
}

// asOfNow returns a sentence that names the user groups in changed permissions or groups whose current members were
// counted. Other changes of those groups in the same run have warnings of their own.
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
	noun := "group"
	if len(counted) > 1 {
		noun = "groups"
	}
	return fmt.Sprintf("\n\nThis is based on the current members of %s %s.", noun, strings.Join(slices.Sorted(maps.Keys(counted)), ", "))
}

// changedPermissions returns the values of a channel's permissions that differ.
func changedPermissions(change permission.ChannelChange) (changed []zulip.GroupSettingValue) {
	for setting, after := range change.After.Channel.Permissions {
		if before := change.Before.Channel.Permissions[setting]; !reflect.DeepEqual(before, after) {
			changed = append(changed, before, after)
		}
	}
	return changed
}

// OfChange warns in a plan about people who gain or lose access in any channel by a change of groups or roles. It
// considers all channels that the account sees and that are not archived, managed or not. what is the first sentence,
// such as `User group "sre" changes who can do what`. There is one warning, in which channels with the same effects
// are combined. OfChange adds nothing if there are no effects, or if the provider block turns such warnings off.
//
// Call it once in ModifyPlan, after all checks, with only the differences from the current organization. For a group,
// give all planned direct members and subgroups, and set [permission.Membership.Unknown] if there will be further
// unknown ones. Omit a role that is not known yet, and report that separately.
func OfChange(ctx context.Context, meta *base.Meta, diags *diag.Diagnostics, what string, change permission.Change) {
	if !meta.AccessWarnings {
		return
	}
	text, summary := textOf(ctx, meta, change)
	if text == "" {
		return
	}
	if view, err := meta.Store.Read(ctx, store.UserGroups); err == nil {
		text += asOfNow(view, changedSubgroups(view, change))
	}
	warn(ctx, diags, summary, what, text)
}

// changedSubgroups returns the subgroups of changed groups, before and after.
func changedSubgroups(view *snapshot.Snapshot, change permission.Change) (changed []zulip.GroupSettingValue) {
	for id, later := range change.Groups {
		subgroups := later.Subgroups
		if group, ok := view.UserGroups().ByID(id); ok {
			subgroups = slices.Concat(subgroups, group.DirectSubgroupIDs)
		}
		changed = append(changed, zulip.GroupSettingValue{DirectSubgroups: subgroups})
	}
	return changed
}

// OfDeactivation warns in a plan about the bots that are deactivated and the invitations that are revoked with an
// account (server-behavior §U9), and about what no one can do afterwards. Call it once in ModifyPlan, after all checks.
func OfDeactivation(ctx context.Context, meta *base.Meta, diags *diag.Diagnostics, user *zulip.User, everybody []*zulip.User) {
	if !meta.AccessWarnings || !user.IsActive {
		return
	}
	parts := []string{fmt.Sprintf("%s loses all access until the account is reactivated.", user.Address())}
	getsOwner := func(bot *zulip.User) bool {
		return slices.ContainsFunc(meta.Run.All(runstate.Owned, runstate.Account), func(pair runstate.Object) bool { return pair.Name == bot.Address() && pair.ID != user.ID })
	}
	var bots []string
	for _, bot := range everybody {
		if bot.IsBot && bot.IsActive && bot.BotOwnerID != nil && *bot.BotOwnerID == user.ID && !getsOwner(bot) {
			bots = append(bots, bot.Address())
		}
	}
	if len(bots) > 0 {
		slices.Sort(bots)
		parts = append(parts, fmt.Sprintf("These bots are deactivated too, unless this plan gives them another owner: %s.", strings.Join(bots, ", ")))
	}
	if text := invitationsOf(ctx, meta, user); text != "" {
		parts = append(parts, text)
	}
	text, summary := textOf(ctx, meta, permission.Change{Deactivated: []int64{user.ID}})
	if text != "" {
		parts = append(parts, text)
	}
	warn(ctx, diags, summary, fmt.Sprintf("Deactivating %s changes who can do what", user.Address()), strings.Join(parts, "\n\n"))
}

// invitationsOf lists the invitations that are revoked with an account; "" for none.
func invitationsOf(ctx context.Context, meta *base.Meta, user *zulip.User) string {
	all, err := meta.Store.Invitations(ctx)
	if err != nil {
		return "The invitations that the user sent are revoked too. They are not known: " + base.Explain(err)
	}
	var sent []string
	for _, one := range all {
		switch {
		case one.InvitedByUserID != user.ID:
		case one.IsMultiuse:
			sent = append(sent, fmt.Sprintf("invitation link %d (%s)", one.ID, one.InvitedAs))
		default:
			sent = append(sent, fmt.Sprintf("%s (%s)", one.Email, one.InvitedAs))
		}
	}
	if len(sent) == 0 {
		return ""
	}
	slices.Sort(sent)
	return "These invitations are revoked too: " + strings.Join(sent, ", ") + ". Another user must send them again."
}

// OfReactivation warns in a plan about the access that a reactivated account has by its role. Call it once in
// ModifyPlan.
func OfReactivation(ctx context.Context, meta *base.Meta, diags *diag.Diagnostics, user *zulip.User, role zulip.Role) {
	OfChange(ctx, meta, diags, fmt.Sprintf("Reactivating %s as %s changes who can do what", user.Address(), role),
		permission.Change{Reactivated: []int64{user.ID}, Roles: map[int64]zulip.Role{user.ID: role}})
}

// textOf describes the effects of a change in all channels, with the summary, and returns "" if no one gains or loses access.
func textOf(ctx context.Context, meta *base.Meta, change permission.Change) (text, summary string) {
	view, err := meta.Store.Read(ctx, store.Channels)
	if err != nil {
		return "The channels are not known. " + base.Explain(err), ""
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
			Name: channel.Name, Before: permission.ChannelState{Access: before, Channel: facts}, After: permission.ChannelState{Access: after, Channel: facts},
		}
		if len(permission.Compare(one.Before, one.After)) > 0 || permission.CompareInternet(one.Before, one.After) != permission.InternetAsBefore {
			FillSubscribers(ctx, meta, channel.ID, &one)
			changes = append(changes, one)
		}
	}
	return report(meta).Channels(changes), summaryOf(changes...)
}

// OfOrganization warns in a plan about people who gain or lose permissions of the organization, by a change of these
// or of settings that decide who has a role. It adds nothing if no one does, or if the provider block turns such
// warnings off. Call it once in ModifyPlan, after all checks.
//
// It uses Config, Plan, Prior and View of the plan. Prior is the current organization, also for a resource that does
// not exist yet. settings are the changes of other settings.
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
	warn(ctx, diags, "", "Access in the organization changes", text+asOfNow(plan.View, changed))
}

// FillSubscribers reads the subscribers of a channel before and after a change if they make a difference to its
// effects. Subscribers that cannot be read stay unknown.
func FillSubscribers(ctx context.Context, meta *base.Meta, id int64, change *permission.ChannelChange) {
	known := change.Before.Channel.SubscribersKnown && change.After.Channel.SubscribersKnown
	if !known && permission.NeedsSubscribers(change.Before, change.After) {
		ReadSubscribers(ctx, meta, id, change)
	}
}

// ReadSubscribers reads the subscribers of a channel before and after a change. Subscribers that cannot be read stay
// unknown.
func ReadSubscribers(ctx context.Context, meta *base.Meta, id int64, change *permission.ChannelChange) {
	found, err := meta.Store.Subscribers(ctx, id)
	if err == nil && found == nil {
		err = fmt.Errorf("the provider's account does not see channel %d, or it is archived", id)
	}
	if err != nil {
		tflog.Warn(ctx, "The subscribers of a channel are not known, so the warning has only what is certain without them",
			map[string]any{"channel": change.Name, "error": err.Error()})
		return
	}
	for _, state := range []*permission.ChannelState{&change.Before, &change.After} {
		state.Channel.Subscribers, state.Channel.SubscribersKnown = found, true
	}
}

func report(meta *base.Meta) permission.Report {
	return permission.Report{Self: meta.Store.Self().ID}
}
