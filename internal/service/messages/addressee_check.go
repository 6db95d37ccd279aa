package messages

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accounts"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// checkSend refuses a message that the account may not send, during plan and right before the request. The check uses
// the planned channel (https://zulip.com/api/send-message).
func checkSend(ctx context.Context, meta *base.Meta, view *snapshot.Snapshot, to zulip.Addressee, diags *diag.Diagnostics) {
	if to.IsDirect() {
		checkDirect(ctx, meta, view, to, diags)
		return
	}
	if s := senderTo(meta, view, to); s != nil && s.checkPost(ctx, diags) {
		s.checkTopic(ctx, to.Topic, diags)
	}
}

// warnOfSilent warns, in a plan, that the account may not be able to post in the channel of a message, which the plan creates.
func warnOfSilent(meta *base.Meta, channel types.String, diags *diag.Diagnostics) {
	if channels := meta.NewChannels(runstate.Silent, channel); channels != "" {
		diags.AddAttributeWarning(path.Root("channel"), "The account may be unable to post in a new channel",
			fmt.Sprintf("The apply will fail if the channel is one of this plan (%s) whose can_send_message_group does not include %s. Name the account there:\n\n  can_send_message_group = [\"user:%[2]s\"]", channels, meta.Store.Self().Address()))
	}
}

// needRecipients refuses, in a plan that sends a message or stores one to send, that the same plan deactivates a recipient.
func needRecipients(meta *base.Meta, view *snapshot.Snapshot, to zulip.Addressee, diags *diag.Diagnostics) {
	for _, id := range to.UserIDs {
		if user, ok := view.User(id); ok {
			accounts.Need(meta, "a direct message", user, path.Root("recipients"), diags)
		}
	}
}

// checkMove refuses a topic or a channel to which the account can't move a message.
func checkMove(ctx context.Context, meta *base.Meta, view *snapshot.Snapshot, from, to zulip.Addressee, diags *diag.Diagnostics) {
	s := senderTo(meta, view, from)
	isInChannel := from.ChannelID == to.ChannelID
	switch {
	case to.IsDirect() || s == nil:
	case !isInChannel:
		s.checkMoveOut(diags)
	case !isResolved(from.Topic, to.Topic): // which requires another permission
		s.checkMove(permission.CanMoveMessagesWithinChannel, "topic", "move messages to another topic of channel %q", diags)
	}
	if diags.HasError() {
		return
	}
	if isInChannel && s != nil {
		s.checkTopic(ctx, to.Topic, diags)
		return
	}
	checkSend(ctx, meta, view, to, diags)
}

// isResolved reports whether two topics differ only in whether they are resolved.
func isResolved(from, to string) bool {
	const mark = "✔ "
	from, to = zulip.StoredTopic(from), zulip.StoredTopic(to)
	return strings.TrimPrefix(from, mark) == strings.TrimPrefix(to, mark)
}

// sender is the provider's account, and a channel that it sends a message to.
type sender struct {
	meta    *base.Meta
	view    *snapshot.Snapshot
	channel *zulip.Channel
	facts   permission.Channel
}

func senderTo(meta *base.Meta, view *snapshot.Snapshot, to zulip.Addressee) *sender {
	channel, ok := view.Channels().ByID(to.ChannelID)
	if !ok {
		return nil
	}
	return &sender{meta, view, channel, meta.Run.PermissionsIn(channel)}
}

// admits reports whether a permission of the channel includes the account or, if that is a bot, its owner.
func (s *sender) admits(name permission.ChannelPermission) bool {
	value, has := s.facts.Permissions[string(name)]
	self := s.meta.Store.Self()
	if !has || s.facts.Unknown[string(name)] || permission.Admits(value, self, s.view) {
		return true
	}
	if !self.IsBot || self.BotOwnerID == nil {
		return false
	}
	owner, ok := s.view.User(*self.BotOwnerID)
	return !ok || permission.Admits(value, owner, s.view)
}

func (s *sender) describe(name permission.ChannelPermission) string {
	return permission.Describe(s.facts.Permissions[string(name)], s.view)
}

// checkPost refuses a channel in which the account can't post, or whose messages it can't read.
func (s *sender) checkPost(ctx context.Context, diags *diag.Diagnostics) bool {
	self, at, doing := s.meta.Store.Self(), path.Root("channel"), fmt.Sprintf("post in channel %q", s.channel.Name)
	if !s.admits(permission.CanSendMessage) {
		s.meta.Lack(at, doing, fmt.Sprintf("The channel's can_send_message_group lets only %s post.", s.describe(permission.CanSendMessage)), diags)
		return false
	}
	if !s.facts.PrivacyUnknown && !s.facts.Privacy.IsPrivate() && self.Role < zulip.RoleGuest {
		return true
	}
	if s.meta.MayIn(ctx, s.view, s.channel, permission.CanSendMessage) {
		return true
	}
	s.meta.Lack(at, doing, fmt.Sprintf("The account is not subscribed to the channel, whose privacy is %q. Subscribe it, and add depends_on to this resource:\n\n"+
		"  resource \"zulip_channel_subscription\" \"sender\" {\n    channel = %q\n    users   = [%q]\n  }\n\n", s.facts.Privacy, fmt.Sprint(s.channel.ID), self.Address()), diags)
	return false
}

// checkMoveOut refuses to move a message into another channel.
func (s *sender) checkMoveOut(diags *diag.Diagnostics) {
	s.checkMove(permission.CanMoveMessagesOutOfChannel, "channel", "move messages out of channel %q", diags)
}

// checkMove refuses a move that the permissions of the channel and of the organization do not allow.
func (s *sender) checkMove(name permission.ChannelPermission, at, doing string, diags *diag.Diagnostics) {
	can, isAll := permission.ChannelState{Access: s.view.Access(), Channel: s.facts}.Held()[name].Possible()
	if isAll && !can.Has(s.meta.Store.Self().ID) {
		s.meta.Lack(path.Root(at), fmt.Sprintf(doing, s.channel.Name),
			fmt.Sprintf("The channel's %s does not include it, and neither does the organization's permission to move messages.", name), diags)
	}
}

// checkTopic refuses a topic that the channel does not accept, or that the account can't start.
func (s *sender) checkTopic(ctx context.Context, text string, diags *diag.Diagnostics) {
	topic, at := zulip.StoredTopic(text), path.Root("topic")
	switch policy := s.topicsPolicy(); {
	case policy == "disable_empty_topic" && topic == "":
		diags.AddAttributeError(at, fmt.Sprintf("Channel %q requires a topic", s.channel.Name),
			fmt.Sprintf("The channel's topics_policy is %q, and topic = %q is the topic without a name. Set topic to a name.", policy, text))
	case policy == "empty_topic_only" && topic != "":
		diags.AddAttributeError(at, fmt.Sprintf("Channel %q does not allow topics", s.channel.Name),
			fmt.Sprintf("The channel's topics_policy is %q, and topic is %q. Set:\n\n  topic = \"\"", policy, text))
	case !s.admits(permission.CanCreateTopic) && !s.hasTopic(ctx, topic):
		s.meta.Lack(at, fmt.Sprintf("start topics in channel %q", s.channel.Name),
			fmt.Sprintf("The channel has no topic %q, and its can_create_topic_group lets only %s start topics. Set topic to the name of an existing topic.", topic, s.describe(permission.CanCreateTopic)), diags)
	}
}

// topicsPolicy returns the policy of the channel, or of the organization if the channel inherits it; "" if it is not
// known.
func (s *sender) topicsPolicy() (policy string) {
	switch {
	case s.facts.TopicsPolicyUnknown:
		return ""
	case s.facts.TopicsPolicy != "" && s.facts.TopicsPolicy != "inherit":
		return s.facts.TopicsPolicy
	}
	if json.Unmarshal(s.view.Realm().Settings["topics_policy"], &policy) != nil {
		return ""
	}
	return policy
}

// hasTopic reports whether the channel has a topic, or may have it.
func (s *sender) hasTopic(ctx context.Context, topic string) bool {
	topics, err := s.meta.Client.Topics(ctx, s.channel.ID)
	return err != nil || hasTopic(topics, topic)
}

// hasTopic reports whether a topic is in a list. The server ignores case in the names of topics.
func hasTopic(topics []zulip.Topic, topic string) bool {
	return slices.ContainsFunc(topics, func(one zulip.Topic) bool {
		return strings.EqualFold(zulip.StoredTopic(one.Name), topic)
	})
}

// checkDirect refuses a direct message without a participant who may have such conversations in this organization,
// and the first one of a conversation that the account may not start. Messages of bots, to only bots, and to oneself
// are always allowed.
func checkDirect(ctx context.Context, meta *base.Meta, view *snapshot.Snapshot, to zulip.Addressee, diags *diag.Diagnostics) {
	const permitting, starting = "direct_message_permission_group", "direct_message_initiator_group"
	self := meta.Store.Self()
	admits := func(setting string, user *zulip.User) bool {
		value, has := view.Realm().Permissions[setting]
		return !has || permission.Admits(value, user, view)
	}
	isFree, isPermitted := true, admits(permitting, self)
	for _, id := range to.UserIDs {
		user, ok := view.User(id)
		if !ok {
			return
		}
		isFree = isFree && (user.IsBot || id == self.ID)
		isPermitted = isPermitted || admits(permitting, user)
	}
	refuse := func(doing, format, setting string) {
		meta.Lack(path.Root("recipients"), doing, fmt.Sprintf(format, setting, permission.Describe(view.Realm().Permissions[setting], view)), diags)
	}
	switch {
	case self.IsBot || isFree:
	case !isPermitted:
		refuse("send this direct message", "The organization's setting %s lets only %s take part in direct messages, and none of them is a recipient.", permitting)
	case !admits(starting, self) && !hasConversation(ctx, meta, to):
		refuse("start this conversation", "The organization's setting %s lets only %s start direct message conversations, and there is none with these recipients yet.", starting)
	}
}

// hasConversation reports whether a direct message between the account and all of these people exists, or may exist.
func hasConversation(ctx context.Context, meta *base.Meta, to zulip.Addressee) bool {
	messages, err := meta.Client.RecentMessages(ctx, to, 0, 1)
	return err != nil || len(messages) > 0
}
