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
	everybodyIn, values := []bool{false}, []bool{false}
	if !channel.SubscribersKnown {
		subscribers, everybodyIn = nil, []bool{false, true}
	}
	if len(channel.Unknown) > 0 || len(a.vague) > 0 {
		values = []bool{false, true}
	}
	var outcomes []*outcome
	for _, privacy := range privacies {
		for _, everybody := range everybodyIn {
			for _, most := range values {
				o := &outcome{access: a, channel: channel, most: most, privacy: privacy, everybodyIn: everybody, subscribers: subscribers}
				if everybody {
					o.subscribers = a.active
				}
				o.content = o.contentAccess()
				outcomes = append(outcomes, o)
			}
		}
	}
	return outcomes
}

// can decides a right as the server does (wire-1 §3, §5.2, §5.3; wire-2 §13).
func (o *outcome) can(right Right) bitset {
	switch right {
	case CanRead:
		return o.content
	case CanAdministerChannel:
		return o.administer()
	case CanAddSubscribers:
		return o.content.and(o.noGuests(o.administer().or(o.setting(right), o.inOrganization(right))))
	case CanSubscribe:
		return o.join()
	case CanRemoveSubscribers:
		// To be named is not enough for who does not see the channel (wire-1 §5.3).
		return o.administer().or(o.metadataAccess().and(o.noGuests(o.setting(right))))
	case CanSendMessage:
		return o.send()
	case CanCreateTopic:
		return o.send().and(o.orOwner(o.setting(right)))
	case CanDeleteAnyMessage, CanResolveTopics:
		// Neither the organization's administrators nor the channel's have these by
		// their role.
		return o.messages().and(o.setting(right).or(o.inOrganization(right)))
	case CanDeleteOwnMessage:
		return o.messages().and(o.setting(right).or(o.inOrganization(right))).or(o.can(CanDeleteAnyMessage))
	case CanMoveMessagesOutOfChannel, CanMoveMessagesWithinChannel:
		return o.messages().and(o.administer().or(o.setting(right), o.inOrganization(right)))
	}
	return nil
}

// contentAccess returns who reads the channel. An administrator's role does not give it
// (wire-1 §3).
func (o *outcome) contentAccess() bitset {
	if o.privacy == zulip.PrivacyWebPublic {
		return o.access.active
	}
	return o.subscribers.or(o.join())
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

// metadataAccess returns who knows of the channel (wire-1 §3).
func (o *outcome) metadataAccess() bitset { return o.content.or(o.administer()) }

// administer returns who changes the channel: administrators of the organization by
// their role, bots with that role too, in it or not (wire-1 §3).
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

// messages returns who can do something to messages that others wrote: who reads them.
// Where the history is protected those are the subscribers, for only they receive
// messages (wire-2 §13).
func (o *outcome) messages() bitset {
	switch {
	case o.channel.IsArchived:
		return nil
	case o.privacy == zulip.PrivacyPrivateProtectedHistory:
		return o.subscribers
	}
	return o.content
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
	if o.access.IsVague(value) && o.most {
		return o.unknown()
	}
	return o.access.in(value)
}

func (o *outcome) unknown() bitset {
	if o.most {
		return o.access.active
	}
	return nil
}
