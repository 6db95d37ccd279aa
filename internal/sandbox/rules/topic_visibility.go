package rules

import "strings"

// How visible a topic is to a person beyond the channel's own settings.
const (
	TopicInherits = 0
	TopicMuted    = 1
	TopicUnmuted  = 2
	TopicFollowed = 3
)

// TopicVisibility is a person's own visibility of one topic. The sandbox knows
// the changes that the server makes by itself (server-behavior §M4), under the default
// settings of accounts: whoever starts a topic or is mentioned in it follows
// it, and whoever writes in a muted channel unmutes the topic.
type TopicVisibility struct {
	UserID    int    `json:"user_id"`
	ChannelID int    `json:"channel_id"`
	Topic     string `json:"topic"`
	Policy    int    `json:"policy"`
	Updated   int64  `json:"updated"` // Unix seconds
}

type topicOf struct {
	user, channel int
	topic         string // in lower case
}

func (v TopicVisibility) key() topicOf {
	return topicOf{v.UserID, v.ChannelID, strings.ToLower(v.Topic)}
}

func (o *Organization) indexTopicVisibility() {
	o.visibility = map[topicOf]int{}
	o.TopicVisibilities.index(func(id int, before, after *TopicVisibility) {
		if before != nil {
			delete(o.visibility, before.key())
		}
		if after != nil {
			o.visibility[after.key()] = id
		}
	})
}

// visibilityOf is a person's policy for a topic.
func (o *Organization) visibilityOf(user, channel int, topic string) int {
	row, _ := o.TopicVisibilities.Get(o.visibility[topicOf{user, channel, strings.ToLower(topic)}])
	return row.Policy
}

func (o *Organization) setVisibility(v TopicVisibility) {
	v.Updated = o.now().Unix()
	id, known := o.visibility[v.key()]
	switch {
	case v.Policy == TopicInherits:
		o.TopicVisibilities.Delete(id)
	case known:
		o.TopicVisibilities.Put(id, v)
	default:
		o.TopicVisibilities.Put(o.TopicVisibilities.NextID(), v)
	}
}

// followSent creates the topic of a sent message more visible to its sender, and
// returns the new policy; 0 if it stays.
func (o *Organization) followSent(sender User, m Message, starts bool) int {
	if sender.IsBot || m.Direct() {
		return TopicInherits
	}
	sub, _ := o.SubscriptionOf(sender.ID, m.ChannelID)
	now := o.visibilityOf(sender.ID, m.ChannelID, m.Topic)
	policy := TopicInherits
	switch {
	case now == TopicFollowed:
	case starts:
		policy = TopicFollowed
	case sub.Muted && now != TopicUnmuted:
		policy = TopicUnmuted
	}
	if policy != TopicInherits {
		o.setVisibility(TopicVisibility{UserID: sender.ID, ChannelID: m.ChannelID, Topic: m.Topic, Policy: policy})
	}
	return policy
}

// followMentioned makes people follow the topic in which they are mentioned.
func (o *Organization) followMentioned(m Message, said mentions) {
	if m.Direct() {
		return
	}
	for _, id := range said.people {
		if u, ok := o.Users.Get(id); ok && !u.IsBot && m.received(id) && o.visibilityOf(id, m.ChannelID, m.Topic) != TopicFollowed {
			o.setVisibility(TopicVisibility{UserID: id, ChannelID: m.ChannelID, Topic: m.Topic, Policy: TopicFollowed})
		}
	}
}

// moveVisibility takes everybody's policies along with a topic that moved as a
// whole. Where both topics have one, the more visible wins.
func (o *Organization) moveVisibility(from, to Message) {
	var moved []TopicVisibility
	for _, v := range o.TopicVisibilities.All() {
		if v.ChannelID == from.ChannelID && strings.EqualFold(v.Topic, from.Topic) {
			moved = append(moved, v)
		}
	}
	for _, v := range moved {
		policy := max(v.Policy, o.visibilityOf(v.UserID, to.ChannelID, to.Topic))
		v.Policy = TopicInherits
		o.setVisibility(v)
		if ch, ok := o.Channels.Get(to.ChannelID); ok && o.HasContentAccess(o.Sender(v.UserID), ch) {
			o.setVisibility(TopicVisibility{UserID: v.UserID, ChannelID: to.ChannelID, Topic: to.Topic, Policy: policy})
		}
	}
}
