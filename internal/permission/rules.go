package permission

import "github.com/zulip-iac/terraform-provider-zulip/internal/zulip"

// outcome is a channel in which everything is decided: what is not known is taken for as
// little as it can be, or for as much. Every right grows with every value and with the
// subscribers, so that between the two there is nothing else.
type outcome struct {
	access  *Access
	channel *Channel
	// most takes values that are not known for everybody, else for nobody.
	most    bool
	privacy zulip.Privacy
	// onlyEmptyTopic says that all messages of the channel go without a topic.
	onlyEmptyTopic bool
	// everybodyIn takes subscribers that are not known for everybody.
	everybodyIn bool

	subscribers bitset
	content     bitset
}

// outcomes returns every way in which what is not known can turn out; one if all is
// known.
func (a *Access) outcomes(channel *Channel) []*outcome {
	privacies := []zulip.Privacy{channel.Privacy}
	if channel.PrivacyUnknown {
		privacies = zulip.Privacies
	}
	subscribers := a.listed(channel.Subscribers)
	everybodyIn, values, onlyEmptyTopic := []bool{false}, []bool{false}, []bool{channel.onlyEmptyTopic()}
	if !channel.SubscribersKnown {
		subscribers, everybodyIn = nil, []bool{false, true}
	}
	if len(channel.Unknown) > 0 || len(a.vague) > 0 {
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
						access: a, channel: channel, most: most, privacy: privacy, everybodyIn: everybody, onlyEmptyTopic: empty, subscribers: subscribers,
					}
					if everybody {
						o.subscribers = a.active
					}
					o.content = o.contentAccess()
					outcomes = append(outcomes, o)
				}
			}
		}
	}
	return outcomes
}

// can decides a right as the server does. Deactivated accounts have none of them.
//
//	Who                               May                                                     May not
//	incoming webhook bot              post and start topics, as any bot                       anything else: no other part of the API answers it
//	bot                               post and start topics where its owner may               –
//	administrator, owner              administer, add and remove subscribers, move messages;  read what is private; delete, resolve, post by the
//	                                  in a channel whose messages they read                   role alone
//	guest                             what a subscriber may                                   administer, add, remove, join; by the organization's
//	                                                                                          rights, those that the server keeps from guests
//	guest, web-public, not in it      read it as everybody on the internet does, post         delete, move, resolve
//	not in it, private, may join      read, delete, move, resolve, as if in it                –
//	   or add subscribers
//	… and the history is protected    join, add subscribers; delete own messages of the       read, delete others' messages, move, resolve: these
//	                                  time in the channel                                     are for who is in it
//	not in it, named to take others   –                                                       take others out, without knowing of the channel by
//	   out of a private channel                                                               another right
//	anybody, where all messages go    post                                                    start a topic, move to another one, resolve
//	   without a topic
//	anybody, in an archived channel   what is about the channel and who is in it              what is about messages
//	may move to other topics, may     move to a topic that is there                           move to a new one
//	   not start topics
//	on the internet                   read what is web-public, while the organization lets    –
//	                                  spectators in: [State.IsReadByInternet]
//
// The last but one is counted as a right to move messages. See https://zulip.com/api/roles-and-permissions,
// https://zulip.com/api/update-stream and https://zulip.com/api/update-message; what they do not say was tried on a server.
func (o *outcome) can(right Right) bitset {
	switch right {
	case CanSendMessage:
		return o.send()
	case CanCreateTopic:
		if o.onlyEmptyTopic {
			return nil
		}
		return o.send().and(o.orOwner(o.setting(right)))
	}
	if o.access.webhooks == nil {
		return o.decide(right)
	}
	return o.decide(right).minus(o.access.webhooks)
}

// decide is can for what takes more than sending a message.
func (o *outcome) decide(right Right) bitset {
	switch right {
	case CanRead:
		return o.read()
	case CanAdministerChannel:
		return o.administer()
	case CanAddSubscribers:
		return o.content.and(o.noGuests(o.administer().or(o.setting(right), o.inOrganization(right))))
	case CanSubscribe:
		return o.join()
	case CanRemoveSubscribers:
		return o.administer().or(o.metadataAccess().and(o.noGuests(o.setting(right))))
	case CanDeleteAnyMessage:
		return o.messages().and(o.setting(right).or(o.inOrganization(right)))
	case CanDeleteOwnMessage:
		return o.ownMessages().and(o.setting(right).or(
			o.inOrganization(right), o.setting(CanDeleteAnyMessage), o.inOrganization(CanDeleteAnyMessage)))
	case CanMoveMessagesOutOfChannel:
		return o.move(right)
	case CanMoveMessagesWithinChannel:
		if o.onlyEmptyTopic {
			return nil
		}
		return o.move(right)
	case CanResolveTopics:
		if o.onlyEmptyTopic {
			return nil
		}
		return o.messages().and(o.setting(right).or(o.inOrganization(right)))
	}
	return nil
}

func (o *outcome) move(right Right) bitset {
	return o.messages().and(o.administer().or(o.setting(right), o.inOrganization(right)))
}

// contentAccess returns whom the server lets see what the channel is about: those in it, those who come in by
// themselves, and on the web everybody.
func (o *outcome) contentAccess() bitset {
	if o.privacy == zulip.PrivacyWebPublic {
		return o.access.active
	}
	return o.subscribers.or(o.join())
}

// read returns who reads what is written in the channel from now on. Where the history is protected, who is not in the
// channel when a message is sent never receives it.
func (o *outcome) read() bitset {
	if o.privacy == zulip.PrivacyPrivateProtectedHistory {
		return o.subscribers
	}
	return o.content
}

// join returns who comes in without being added by somebody: where the channel is
// public any but guests, else those whom one of two permissions opens it to.
func (o *outcome) join() bitset {
	if !o.privacy.IsPrivate() {
		return o.noGuests(o.access.active)
	}
	return o.opened()
}

// opened returns those to whom the two permissions open a private channel.
func (o *outcome) opened() bitset {
	return o.noGuests(o.setting(CanSubscribe).or(o.setting(CanAddSubscribers)))
}

// metadataAccess returns who knows of the channel.
func (o *outcome) metadataAccess() bitset { return o.content.or(o.administer()) }

// administer returns who changes the channel: administrators of the organization by
// their role, bots with that role too, in it or not.
func (o *outcome) administer() bitset {
	return o.access.administrators.or(o.noGuests(o.setting(CanAdministerChannel)))
}

// send returns who posts: those who have the right and a way into the channel. In both
// a bot may what its owner may. Of the ways into a private channel only subscribing
// counts where the history is protected.
func (o *outcome) send() bitset {
	if o.channel.IsArchived {
		return nil
	}
	may := o.orOwner(o.setting(CanSendMessage))
	switch o.privacy {
	case zulip.PrivacyWebPublic:
		return may
	case zulip.PrivacyPrivateProtectedHistory:
		return may.and(o.orOwner(o.subscribers))
	}
	return may.and(o.orOwner(o.subscribers).or(o.join()))
}

// messages returns to whom messages that others write are given to be changed: those in the channel, and those who could
// come in, unless the history is protected.
func (o *outcome) messages() bitset {
	if o.privacy == zulip.PrivacyPrivateProtectedHistory && !o.channel.IsArchived {
		return o.subscribers
	}
	return o.ownMessages()
}

// ownMessages returns to whom their own messages are given to be changed: history that is protected is not protected from
// who wrote it.
func (o *outcome) ownMessages() bitset {
	if o.channel.IsArchived {
		return nil
	}
	return o.subscribers.or(o.join())
}

func (o *outcome) orOwner(set bitset) bitset { return set.or(o.access.botsOf(set)) }

func (o *outcome) noGuests(set bitset) bitset { return set.minus(o.access.guests) }

// setting returns those whom a permission of the channel holds. What the server does
// not have holds nobody.
func (o *outcome) setting(right Right) bitset {
	if o.channel.Unknown[string(right)] {
		return o.unknown()
	}
	return o.value(o.channel.Permissions[string(right)])
}

func (o *outcome) value(value zulip.GroupSettingValue) bitset {
	if most, isOpen := o.access.most(value); o.most && isOpen {
		return o.unknown()
	} else if o.most && most != nil {
		return most
	}
	return o.access.in(value)
}

func (o *outcome) unknown() bitset {
	if o.most {
		return o.access.active
	}
	return nil
}
