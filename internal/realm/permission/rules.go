package permission

import (
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// outcome is a channel with one assumption about all unknown values: that they are as small as possible, or as large.
// Every permission grows with every value and with the subscribers, so the two extremes are enough.
type outcome struct {
	access  *Access
	channel *Channel
	// assumeMost is true if unknown values are assumed to contain everyone, and false if no one.
	assumeMost bool
	privacy    zulip.Privacy
	// onlyEmptyTopic is true if messages in the channel have no topic.
	onlyEmptyTopic bool
	// assumeAllSubscribed is true if everyone who may be subscribed is assumed to be.
	assumeAllSubscribed bool

	subscribers sets.Bits
	content     sets.Bits
}

// outcomes returns the combinations of assumptions; one if everything is known.
func (a *Access) outcomes(channel *Channel) []*outcome {
	privacies := []zulip.Privacy{channel.Privacy}
	if channel.PrivacyUnknown {
		privacies = zulip.Privacies
	}
	subscribers := a.activeUsers(channel.Subscribers)
	everybodyIn, values, onlyEmptyTopic := []bool{false}, []bool{false}, []bool{channel.onlyEmptyTopic()}
	allSubscribers := subscribers.Or(a.activeUsers(channel.MaySubscribe))
	if !channel.SubscribersKnown {
		allSubscribers = a.active
	}
	if channel.isUncertain() {
		everybodyIn = []bool{false, true}
	}
	if len(channel.Unknown) > 0 || len(a.uncertainGroups) > 0 || a.anyonesBots != nil {
		values = []bool{false, true}
	}
	if channel.TopicsPolicyUnknown {
		onlyEmptyTopic = []bool{false, true}
	}
	var outcomes []*outcome
	for _, privacy := range privacies {
		for _, everybody := range everybodyIn {
			for _, most := range values {
				for _, empty := range onlyEmptyTopic {
					o := &outcome{
						access: a, channel: channel, assumeMost: most, privacy: privacy, assumeAllSubscribed: everybody, onlyEmptyTopic: empty, subscribers: subscribers,
					}
					if everybody {
						o.subscribers = allSubscribers
					}
					o.content = o.contentAccess()
					outcomes = append(outcomes, o)
				}
			}
		}
	}
	return outcomes
}

// can returns the people with effective access by a permission, by the server's rules. Deactivated accounts have none.
//
//	User                              Can                                                     Cannot
//	incoming webhook bot              post and start topics, like any bot                     use any other permission: other endpoints refuse it
//	bot                               post and start topics where its owner can               –
//	administrator, owner              administer, add and remove subscribers, move messages   read private messages; delete, resolve or post because
//	                                  in a channel whose messages they can read               of the role
//	guest                             use the permissions of a subscriber                          administer, add, remove, join; use organization
//	                                                                                          permissions that the server does not give guests
//	guest, web-public, not in it      read like everyone on the internet, post                delete, move, resolve
//	not in it, private, can join      read, delete, move, resolve, like a subscriber          –
//	   or add subscribers
//	… and the history is protected    join, add subscribers; delete own messages from the     read, delete others' messages, move, resolve: these
//	                                  time as a subscriber                                    require a subscription
//	not in it, can remove others      –                                                       unsubscribe others, unless another permission shows them
//	   from a private channel                                                                 the channel
//	anyone, if all messages are       post                                                    start a topic, move to another one, resolve
//	   without a topic
//	anyone, in an archived channel    use permissions about the channel and its subscribers        use permissions about messages
//	can move to other topics, but     move to an existing topic                               move to a new one
//	   not start topics
//	on the internet                   read web-public messages, if the organization allows    –
//	                                  spectators: [ChannelState.IsReadByInternet]
//
// The last row but one counts as a permission to move messages. See https://zulip.com/api/roles-and-permissions,
// https://zulip.com/api/update-stream and https://zulip.com/api/update-message; the rest was tried on a server.
func (o *outcome) can(permission ChannelPermission) sets.Bits {
	switch permission {
	case CanSendMessage:
		return o.send()
	case CanCreateTopic:
		if o.onlyEmptyTopic {
			return nil
		}
		return o.send().And(o.withOwnedBots(o.permittedBy(permission)))
	}
	if o.access.webhooks == nil {
		return o.canBeyondSending(permission)
	}
	return o.canBeyondSending(permission).Minus(o.access.webhooks)
}

// canBeyondSending is can for permissions that require more than sending a message.
func (o *outcome) canBeyondSending(permission ChannelPermission) sets.Bits {
	switch permission {
	case CanRead:
		return o.read()
	case CanReadHistory:
		return o.readHistory()
	case CanUse:
		return o.content
	case CanAdministerChannel:
		return o.administer()
	case CanAddSubscribers:
		return o.content.And(o.administer().Or(o.permittedBy(permission), o.permittedByOrganization(permission)))
	case CanSubscribe:
		return o.join()
	case CanRemoveSubscribers:
		return o.administer().Or(o.metadataAccess().And(o.permittedBy(permission)))
	case CanDeleteAnyMessage:
		return o.mayChangeMessages().And(o.permittedBy(permission).Or(o.permittedByOrganization(permission)))
	case CanDeleteOwnMessage:
		return o.mayChangeOwnMessages().And(o.permittedBy(permission).Or(
			o.permittedByOrganization(permission), o.permittedBy(CanDeleteAnyMessage), o.permittedByOrganization(CanDeleteAnyMessage)))
	case CanMoveMessagesOutOfChannel:
		return o.move(permission)
	case CanMoveMessagesWithinChannel:
		if o.onlyEmptyTopic {
			return nil
		}
		return o.move(permission)
	case CanResolveTopics:
		if o.onlyEmptyTopic {
			return nil
		}
		return o.mayChangeMessages().And(o.permittedBy(permission).Or(o.permittedByOrganization(permission)))
	}
	return nil
}

func (o *outcome) move(permission ChannelPermission) sets.Bits {
	return o.mayChangeMessages().And(o.administer().Or(o.permittedBy(permission), o.permittedByOrganization(permission)))
}

// contentAccess returns the people with content access: subscribers, those who can join on their own, and everyone in
// a web-public channel.
func (o *outcome) contentAccess() sets.Bits {
	if o.privacy == zulip.PrivacyWebPublic {
		return o.access.active
	}
	return o.subscribers.Or(o.join())
}

// read returns the people who can read new messages. If the history is protected, only subscribers at the time of a
// message can read it.
func (o *outcome) read() sets.Bits {
	if o.privacy == zulip.PrivacyPrivateProtectedHistory {
		return o.subscribers
	}
	return o.content
}

// readHistory returns the people who can read messages from before they could read the channel.
func (o *outcome) readHistory() sets.Bits {
	if o.privacy == zulip.PrivacyPrivateProtectedHistory {
		return nil
	}
	return o.content
}

// join returns the people who can subscribe on their own: all but guests in a public channel, and in a private one
// those who have one of two permissions.
func (o *outcome) join() sets.Bits {
	if !o.privacy.IsPrivate() {
		return o.withoutGuests(o.access.active)
	}
	return o.mayJoinPrivate()
}

// mayJoinPrivate returns the people who can subscribe to a private channel on their own.
func (o *outcome) mayJoinPrivate() sets.Bits {
	return o.permittedBy(CanSubscribe).Or(o.permittedBy(CanAddSubscribers))
}

// metadataAccess returns who can see that the channel exists.
func (o *outcome) metadataAccess() sets.Bits { return o.content.Or(o.administer()) }

// administer returns who can change the channel: administrators of the organization, subscribed
// or not, including bots with that role, and those who have the permission.
func (o *outcome) administer() sets.Bits {
	return o.access.administrators.Or(o.permittedBy(CanAdministerChannel))
}

// send returns the people who can post: those who have the permission and access to the channel. A bot has both if its
// owner has. If the history is protected, only subscribers have access.
func (o *outcome) send() sets.Bits {
	if o.channel.IsArchived {
		return nil
	}
	may := o.withOwnedBots(o.permittedBy(CanSendMessage))
	switch o.privacy {
	case zulip.PrivacyWebPublic:
		return may
	case zulip.PrivacyPrivateProtectedHistory:
		return may.And(o.withOwnedBots(o.subscribers))
	}
	return may.And(o.withOwnedBots(o.subscribers).Or(o.join()))
}

// mayChangeMessages returns who can get permission to change other people's messages: subscribers and, unless the history
// is protected, those who could join.
func (o *outcome) mayChangeMessages() sets.Bits {
	if o.privacy == zulip.PrivacyPrivateProtectedHistory && !o.channel.IsArchived {
		return o.subscribers
	}
	return o.mayChangeOwnMessages()
}

// mayChangeOwnMessages returns who can get permission to change their own messages. Protected history makes no difference.
func (o *outcome) mayChangeOwnMessages() sets.Bits {
	if o.channel.IsArchived {
		return nil
	}
	return o.subscribers.Or(o.join())
}

func (o *outcome) withOwnedBots(set sets.Bits) sets.Bits {
	if o.assumeMost && !set.IsEmpty() {
		return set.Or(o.access.botsOf(set), o.access.anyonesBots)
	}
	return set.Or(o.access.botsOf(set))
}

func (o *outcome) withoutGuests(set sets.Bits) sets.Bits { return set.Minus(o.access.guests) }

// permittedBy returns the people in a permission of the channel, and no one if the server does not have it. It leaves out
// guests in a permission that they can never have.
func (o *outcome) permittedBy(permission ChannelPermission) sets.Bits {
	set := o.unknownValue()
	if !o.channel.Unknown[string(permission)] {
		set = o.membersOf(o.channel.Permissions[string(permission)])
	}
	if setting := Channels.Setting(string(permission)); setting.NeverGuests(Channels.Supported(setting, o.access.facts.Realm)) {
		return o.withoutGuests(set)
	}
	return set
}

func (o *outcome) membersOf(value zulip.GroupSettingValue) sets.Bits {
	if most, isOpen := o.access.upperBound(value); o.assumeMost && isOpen {
		return o.unknownValue()
	} else if o.assumeMost && most != nil {
		return most
	}
	return o.access.members(value)
}

func (o *outcome) unknownValue() sets.Bits {
	if o.assumeMost {
		return o.access.active
	}
	return nil
}
