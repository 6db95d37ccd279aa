package rules

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Flags are a person's flags on a message (https://zulip.com/api/update-message-flags).
type Flags uint16

// The flags that are in use.
const (
	FlagRead Flags = 1 << iota
	FlagStarred
	FlagCollapsed
	FlagMentioned
	FlagChannelWildcard
	FlagTopicWildcard
	FlagHistorical
	FlagHideLinkPreviews
)

// hideLinkPreviews is a flag that came with a feature level.
const hideLinkPreviews = "hide_link_previews"

// flagNames lists the flags in the order of answers.
var flagNames = []struct {
	flag     Flags
	name     string
	editable bool
}{
	{FlagRead, "read", true},
	{FlagStarred, "starred", true},
	{FlagCollapsed, "collapsed", true},
	{FlagMentioned, "mentioned", false},
	{FlagChannelWildcard, "stream_wildcard_mentioned", false},
	{FlagTopicWildcard, "topic_wildcard_mentioned", false},
	{0, "has_alert_word", false},
	{FlagHistorical, "historical", false},
	{FlagHideLinkPreviews, hideLinkPreviews, true},
}

// Names returns the flags that are set.
func (f Flags) Names() []string {
	names := []string{}
	for _, known := range flagNames {
		if f&known.flag != 0 {
			names = append(names, known.name)
		}
	}
	if f&(FlagChannelWildcard|FlagTopicWildcard) != 0 {
		names = append(names, "wildcard_mentioned") // for older clients
	}
	return names
}

func (o *Organization) editableFlag(name string) (Flags, error) {
	for _, known := range flagNames {
		if known.name == hideLinkPreviews && o.level() < featurelevel.HideLinkPreviews {
			continue
		}
		if known.name == name && known.editable {
			return known.flag, nil
		}
		if known.name == name {
			return 0, Refuse("Flag not editable: '%s'", name)
		}
	}
	return 0, Refuse("Invalid flag: '%s'", name)
}

// UpdateFlags adds ("add") or removes ("remove") a flag of some messages. It returns the number of changed messages, and
// the channels whose messages stayed read because the person does not subscribe to them.
func (o *Organization) UpdateFlags(u User, op, name string, ids []int) (updated int, ignored []int, err error) {
	flag, err := o.editableFlag(name)
	if err != nil {
		return 0, nil, err
	}
	if op != "add" && op != "remove" {
		return 0, nil, Refuse("Invalid message flag operation: '%s'", op)
	}
	ids = sortedSet(ids)
	for _, id := range ids {
		if m, ok := o.Messages.Get(id); !ok || !m.received(u.ID) && !o.mayRead(u, m) {
			return 0, nil, errInvalidMessage
		}
	}
	for _, id := range ids {
		m, _ := o.Messages.Get(id)
		if op == "remove" && flag == FlagRead && !m.Direct() && !o.IsSubscribed(u.ID, m.ChannelID) {
			ignored = append(ignored, m.ChannelID)
			continue
		}
		before := m.FlagsFor(u.ID)
		after := before &^ flag
		if op == "add" {
			after = before | flag
		}
		if after == before && m.received(u.ID) {
			continue
		}
		o.setFlags(m, u.ID, after)
		if after != before {
			updated++
		}
	}
	return updated, sortedSet(ignored), nil
}

// MarkChannelRead marks a person's messages of a channel as read.
func (o *Organization) MarkChannelRead(u User, channel int) error {
	if _, err := o.ChannelContent(u, channel); err != nil {
		return err
	}
	o.markRead(u, o.messages.channels[channel])
	return nil
}

// MarkTopicRead marks a topic as read. An absent or empty topic means the whole channel (server-behavior §M7).
func (o *Organization) MarkTopicRead(u User, channel int, topic string) error {
	if _, err := o.ChannelContent(u, channel); err != nil {
		return err
	}
	if topic != "" {
		if strings.EqualFold(topic, EmptyTopicShownName) {
			topic = ""
		}
		if !slices.ContainsFunc(o.inTopic(channel, topic), func(id int) bool {
			m, _ := o.Messages.Get(id)
			return m.received(u.ID)
		}) {
			return Refuse("No such topic '%s'", topic)
		}
	}
	if topic == "" {
		o.markRead(u, o.messages.channels[channel])
	} else {
		o.markRead(u, o.inTopic(channel, topic))
	}
	return nil
}

func (o *Organization) markRead(u User, ids []int) {
	for _, id := range ids {
		m, _ := o.Messages.Get(id)
		if flags, received := m.Copies[u.ID]; received && flags&FlagRead == 0 {
			o.setFlags(m, u.ID, flags|FlagRead)
		}
	}
}

func (o *Organization) setFlags(m Message, user int, flags Flags) {
	m.Copies = maps.Clone(m.Copies)
	m.Copies[user] = flags
	o.Messages.Put(m.ID, m)
}

// StarredMessages returns a person's starred messages, ascending.
func (o *Organization) StarredMessages(user int) []int {
	starred := []int{}
	for id, m := range o.Messages.All() {
		if m.Copies[user]&FlagStarred != 0 {
			starred = append(starred, id)
		}
	}
	return starred
}

func (m Message) received(user int) bool {
	_, ok := m.Copies[user]
	return ok
}

// editLimitBuffer is how long after the limit the server accepts an edit, so that a client's countdown need not be exact
// (server-behavior §M5).
const editLimitBuffer = 20 * time.Second

// topicsPolicy is the effective policy of a channel: its own, or the organization's.
func (o *Organization) topicsPolicy(ch Channel) string {
	if ch.TopicsPolicy == TopicsInherit {
		return o.Settings().TopicsPolicy
	}
	return ch.TopicsPolicy
}

// isPast reports whether a message is older than limit seconds plus the buffer. A nil limit is none.
func (o *Organization) isPast(m Message, limit *int, buffer time.Duration) bool {
	return limit != nil && o.now().Sub(m.Sent) > time.Duration(*limit)*time.Second+buffer
}
