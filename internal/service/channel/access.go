package channel

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// reviewAccess refuses permissions and a privacy with which nobody could go on using a channel that exists, and says who
// gains and who loses which right.
func (p planning) reviewAccess(ctx context.Context) {
	if p.State == nil || !p.Meta.LockoutProtection && !p.Meta.AccessWarnings || !p.decidesOtherwise() {
		return
	}
	change := p.accessChange()
	accesswarning.FillSubscribers(ctx, p.Meta, p.State.ID.ValueInt64(), &change)
	if p.Meta.LockoutProtection && refuseNobodyLeft(change, p.cause, p.Diags) {
		return
	}
	accesswarning.OfChannel(ctx, p.Meta, p.Diags, p.State.ID.ValueInt64(), change)
}

// protect refuses, just before a request and on what was just read, what [refuseNobodyLeft] refuses in a plan.
func protect(ctx context.Context, b *base.Base, now *attribute.Reading[*zulip.Channel], p pending, diags *diag.Diagnostics) {
	if !b.Meta.LockoutProtection {
		return
	}
	update := p.Update()
	state := func(channel *zulip.Channel) permission.ChannelRights {
		return permission.ChannelRights{Access: now.View.Access(), Channel: permission.Channel{
			Privacy: channel.Privacy(), TopicsPolicy: channel.TopicsPolicy, Permissions: channel.Permissions,
		}}
	}
	change := permission.ChannelChange{Name: now.Thing.Name, Before: state(now.Thing), After: state(after(now.Thing, update))}
	if permission.NeedsSubscribers(change.Before, change.After) {
		b.Meta.Store.Invalidate(store.Subscribers)
	}
	accesswarning.FillSubscribers(ctx, b.Meta, now.Thing.ID, &change)
	changes := func(attribute string) bool { _, ok := update.Permissions[attribute]; return ok }
	refuseNobodyLeft(change, func(otherwise string, rights ...permission.Right) path.Path {
		return causeOf(changes, otherwise, rights)
	}, diags)
}

// after is a channel with an update, as far as it decides who can do what.
func after(now *zulip.Channel, update zulip.ChannelUpdate) *zulip.Channel {
	later := *now
	for _, flag := range []struct{ to, from *bool }{
		{&later.InviteOnly, update.IsPrivate}, {&later.IsWebPublic, update.IsWebPublic}, {&later.HistoryPublicToSubscribers, update.HistoryPublicToSubscribers},
	} {
		if flag.from != nil {
			*flag.to = *flag.from
		}
	}
	if update.TopicsPolicy != nil {
		later.TopicsPolicy = *update.TopicsPolicy
	}
	later.Permissions = maps.Clone(later.Permissions)
	for setting, change := range update.Permissions {
		later.Permissions[setting] = change.New
	}
	return &later
}

// refuseNobodyLeft reports whether it has refused a change, because somebody can do now what nobody could after it, or because
// that cannot be told without the members. That nobody administers a channel cannot come about: administrators of the
// organization do, and it is never without an owner.
func refuseNobodyLeft(change permission.ChannelChange, cause func(otherwise string, rights ...permission.Right) path.Path, diags *diag.Diagnostics) (refused bool) {
	if !change.After.Channel.SubscribersKnown && permission.NeedsSubscribers(change.Before, change.After) {
		diags.AddAttributeError(cause("privacy", permission.CanAddSubscribers, permission.CanSubscribe, permission.CanSendMessage), fmt.Sprintf("Cannot read who is in channel %q", change.Name),
			"Whether anybody could still post in it or join it depends on who is in it. Nothing was sent. Try again, or use the key of an account that sees the channel's members."+base.LockoutAdvice)
		return true
	}
	left := map[permission.Right]bool{}
	for _, effect := range permission.Compare(change.Before, change.After) {
		left[effect.Right] = effect.NobodyLeft
	}
	joins, certain := change.After.Access.Can(permission.CanSubscribe, change.After.Channel)
	switch {
	case left[permission.CanAddSubscribers] && certain && joins.IsEmpty():
		diags.AddAttributeError(cause("privacy", permission.CanAddSubscribers, permission.CanSubscribe), fmt.Sprintf("Nobody could join channel %q any more", change.Name),
			"The channel would be private, no account that has access to it could add others, and nobody could join it. Not even an owner of the organization could change that, "+
				"or make the channel public again. Subscribe somebody to the channel first, or let can_add_subscribers_group or can_subscribe_group name somebody."+base.LockoutAdvice)
	case left[permission.CanSendMessage]:
		diags.AddAttributeError(cause("privacy", permission.CanSendMessage), fmt.Sprintf("Nobody could post in channel %q any more", change.Name),
			"No account that has access to the channel would have the right to post. Let can_send_message_group name somebody who has, or archive the channel."+base.LockoutAdvice)
	default:
		return false
	}
	return true
}

// cause is the attribute of a plan to point at: see [causeOf].
func (p planning) cause(otherwise string, rights ...permission.Right) path.Path {
	return causeOf(p.changed, otherwise, rights)
}

// causeOf is the permission of one of the rights, if it changes, else another attribute.
func causeOf(changes func(attribute string) bool, otherwise string, rights []permission.Right) path.Path {
	for _, right := range rights {
		if changes(string(right)) {
			return path.Root(string(right))
		}
	}
	return path.Root(otherwise)
}

// decidesOtherwise reports whether anything that decides who may do what changes, or is not known yet.
func (p planning) decidesOtherwise() bool {
	planned := p.planned()
	return planned.PrivacyUnknown || planned.TopicsPolicyUnknown || len(planned.Unknown) > 0 || slices.ContainsFunc(p.Changes, func(s step) bool {
		return s.Permission || s.Attribute == "privacy" || s.Attribute == "topics_policy"
	})
}

// accessChange is the channel as it was and as it is planned, in the organization as it is.
func (p planning) accessChange() permission.ChannelChange {
	access := p.On.View.Access()
	return permission.ChannelChange{
		Name:   p.State.Name.ValueString(),
		Before: permission.ChannelRights{Access: access, Channel: p.before()},
		After:  permission.ChannelRights{Access: access, Channel: p.planned()},
	}
}

// before is what decides who may do what in a channel that exists, as the plan is computed from it.
func (p planning) before() permission.Channel {
	return permission.Channel{
		Privacy: zulip.Privacy(p.Prior.Values.Privacy.ValueString()), TopicsPolicy: p.Prior.Values.TopicsPolicy.ValueString(), Permissions: p.Prior.Permissions,
	}
}

// planned is what will decide who may do what in a channel that exists.
func (p planning) planned() permission.Channel {
	channel := p.before()
	if p.Plan.Privacy.IsUnknown() {
		channel.PrivacyUnknown = true
	} else if base.IsSet(p.Plan.Privacy) {
		channel.Privacy = zulip.Privacy(p.Plan.Privacy.ValueString())
	}
	if p.Plan.TopicsPolicy.IsUnknown() && !p.Config.TopicsPolicy.IsNull() {
		channel.TopicsPolicyUnknown = true
	} else if base.IsSet(p.Plan.TopicsPolicy) {
		channel.TopicsPolicy = p.Plan.TopicsPolicy.ValueString()
	}
	plan := p.Permissions()
	channel.Permissions, channel.Unknown = maps.Clone(channel.Permissions), map[string]bool{}
	for _, setting := range permission.ChannelSettings {
		switch found := plan.Classify(setting.Name); found.Outcome {
		case attribute.Unknown, attribute.Unusable, attribute.Planned:
			channel.Unknown[setting.Name] = true
		case attribute.Written:
			channel.Permissions[setting.Name] = found.Value
		}
	}
	return channel
}
