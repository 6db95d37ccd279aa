package rules

// UnreadMessages returns the messages that a person has received and not read, oldest first.
func (o *Organization) UnreadMessages(user int) []Message {
	var unread []Message
	for _, m := range o.Messages.All() {
		if m.received(user) && m.FlagsFor(user)&FlagRead == 0 {
			unread = append(unread, m)
		}
	}
	return unread
}

// IsMuted reports whether a message is in a channel or topic that a person muted. A topic that the person unmuted or follows
// is not muted with its channel.
func (o *Organization) IsMuted(user int, m Message) bool {
	if m.Direct() {
		return false
	}
	policy := o.visibilityOf(user, m.ChannelID, m.Topic)
	if sub, ok := o.SubscriptionOf(user, m.ChannelID); ok && sub.Muted {
		return policy != TopicUnmuted && policy != TopicFollowed
	}
	return policy == TopicMuted
}

// NewestDirectMessages returns the newest message of each of a person's conversations, newest first.
func (o *Organization) NewestDirectMessages(user int) []Message {
	var newest []Message
	seen := map[string]bool{}
	for _, m := range o.Messages.Backward() {
		if key := conversation(m.People); m.Direct() && m.received(user) && !seen[key] {
			seen[key] = true
			newest = append(newest, m)
		}
	}
	return newest
}
