package rules

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Message is a message in a topic of a channel, or a direct message.
type Message struct {
	ID        int       `json:"id"`
	SenderID  int       `json:"sender_id"`
	ChannelID int       `json:"channel_id,omitempty"` // 0: a direct message
	Topic     string    `json:"topic,omitempty"`
	People    []int     `json:"people,omitempty"` // of a direct message, including the sender, ascending
	Content   string    `json:"content"`
	Sent      time.Time `json:"sent"`
	Client    string    `json:"client,omitempty"` // the program that sent it
	// Resolving is true for a notice that the topic was resolved or unresolved.
	Resolving bool `json:"resolving,omitempty"`

	EditedAt  int64         `json:"edited_at,omitempty"` // Unix seconds of the last change of the content
	MovedAt   int64         `json:"moved_at,omitempty"`  // Unix seconds of the last change of topic or channel
	Edits     []MessageEdit `json:"edits,omitempty"`     // newest first
	Reactions []Reaction    `json:"reactions,omitempty"` // oldest first
	// Copies holds the flags of everyone who received the message, or added it to their own history later.
	Copies map[int]Flags `json:"copies"`
}

// MessageEdit is the change by one edit; unchanged fields are nil.
type MessageEdit struct {
	UserID      int     `json:"user_id"`
	Time        int64   `json:"time"` // Unix seconds
	PrevContent *string `json:"prev_content,omitempty"`
	PrevTopic   *string `json:"prev_topic,omitempty"`
	PrevChannel *int    `json:"prev_channel,omitempty"`
	// Topic and Channel are the new place.
	Topic   *string `json:"topic,omitempty"`
	Channel *int    `json:"channel,omitempty"`
}

var errInvalidMessage = Refuse("Invalid message(s)")

// Direct reports whether the message is a direct message.
func (m Message) Direct() bool { return m.ChannelID == 0 }

// messageIndex finds the messages of channels, topics and conversations, each
// in ascending order of ids.
type messageIndex struct {
	channels      map[int][]int
	topics        map[int]map[string][]int // channel → topic in lower case
	conversations map[string][]int
}

func (o *Organization) indexMessages() {
	x := &o.messages
	x.channels, x.topics, x.conversations = map[int][]int{}, map[int]map[string][]int{}, map[string][]int{}
	o.Messages.index(func(_ int, before, after *Message) {
		if before != nil && after != nil && before.ChannelID == after.ChannelID && before.Topic == after.Topic {
			return // the people and the id never change
		}
		if before != nil {
			x.remove(before)
		}
		if after != nil {
			x.add(after)
		}
	})
}

func (x *messageIndex) add(m *Message) {
	if m.Direct() {
		key := conversation(m.People)
		x.conversations[key] = withID(x.conversations[key], m.ID)
		return
	}
	x.channels[m.ChannelID] = withID(x.channels[m.ChannelID], m.ID)
	topics := x.topics[m.ChannelID]
	if topics == nil {
		topics = map[string][]int{}
		x.topics[m.ChannelID] = topics
	}
	key := strings.ToLower(m.Topic)
	topics[key] = withID(topics[key], m.ID)
}

func (x *messageIndex) remove(m *Message) {
	if m.Direct() {
		key := conversation(m.People)
		x.conversations[key] = withoutID(x.conversations[key], m.ID)
		return
	}
	x.channels[m.ChannelID] = withoutID(x.channels[m.ChannelID], m.ID)
	topics, key := x.topics[m.ChannelID], strings.ToLower(m.Topic)
	if topics[key] = withoutID(topics[key], m.ID); len(topics[key]) == 0 {
		delete(topics, key)
	}
}

// conversation returns the key of the direct messages among some people.
func conversation(people []int) string { return fmt.Sprint(people) }

func withID(ids []int, id int) []int {
	at, _ := slices.BinarySearch(ids, id)
	return slices.Insert(ids, at, id)
}

func withoutID(ids []int, id int) []int {
	at, ok := slices.BinarySearch(ids, id)
	if !ok {
		return ids
	}
	return slices.Delete(ids, at, at+1)
}

// FirstMessageID returns the oldest message of a channel; nil if it has none.
func (o *Organization) FirstMessageID(channel int) *int {
	ids := o.messages.channels[channel]
	if len(ids) == 0 {
		return nil
	}
	first := ids[0]
	return &first
}

// MaxMessageID returns the newest message that a person has received; -1 if none.
func (o *Organization) MaxMessageID(user int) int {
	for id, m := range o.Messages.Backward() {
		if m.received(user) {
			return id
		}
	}
	return -1
}

// ConversationID returns the ID of the first message of the same channel, or among the same people.
func (o *Organization) ConversationID(m Message) int {
	if m.Direct() {
		return o.messages.conversations[conversation(m.People)][0]
	}
	return o.messages.channels[m.ChannelID][0]
}

// inTopic returns the messages of a topic, in any case, ascending. The caller must not change the list.
func (o *Organization) inTopic(channel int, topic string) []int {
	return o.messages.topics[channel][strings.ToLower(topic)]
}

// hasNamedTopics reports whether a channel has a message in a topic with a name.
func (o *Organization) hasNamedTopics(channel int) bool {
	for topic := range o.messages.topics[channel] {
		if topic != "" {
			return true
		}
	}
	return false
}

// ReadMessage returns a message that a person can read.
func (o *Organization) ReadMessage(u User, id int) (Message, error) {
	m, ok := o.Messages.Get(id)
	if !ok || !o.mayRead(u, m) {
		return Message{}, errInvalidMessage
	}
	return m, nil
}

// messageToChange is ReadMessage for changes: messages of archived channels cannot be changed.
func (o *Organization) messageToChange(u User, id int) (Message, error) {
	m, err := o.ReadMessage(u, id)
	if ch, ok := o.Channels.Get(m.ChannelID); ok && ch.Archived {
		return Message{}, errInvalidMessage
	}
	return m, err
}

// mayRead reports whether a person can read a message. Direct messages and those of protected history must have been
// received. A guest who does not subscribe to a web-public channel sees it like spectators do, and gets none of its
// messages (https://zulip.com/api/roles-and-permissions).
func (o *Organization) mayRead(u User, m Message) bool {
	received := m.received(u.ID)
	if m.Direct() {
		return received
	}
	ch, ok := o.Channels.Get(m.ChannelID)
	if !ok || u.IsGuest() && !o.IsSubscribed(u.ID, ch.ID) {
		return false
	}
	return o.HasContentAccess(u, ch) && (received || ch.SharedHistory)
}

// readable returns the messages that a person can read.
func (o *Organization) readable(u User, ids []int) []int {
	kept := []int{}
	for _, id := range ids {
		if m, ok := o.Messages.Get(id); ok && o.mayRead(u, m) {
			kept = append(kept, id)
		}
	}
	return kept
}

// FlagsFor returns a person's flags on a message. A message that the person has not received counts as read.
func (m Message) FlagsFor(user int) Flags {
	if flags, received := m.Copies[user]; received {
		return flags
	}
	return FlagRead | FlagHistorical
}

// Topic is a topic of a channel and its newest message.
type Topic struct {
	Name  string
	MaxID int
}

// Topics lists the topics of a channel that a person can see, the one with the newest message first. Topics of an archived
// channel require feature level 480.
func (o *Organization) Topics(u User, channel int) ([]Topic, error) {
	ch, ok := o.Channels.Get(channel)
	if !ok || o.hidesArchived(ch) || !o.HasContentAccess(u, ch) {
		return nil, errInvalidChannelID
	}
	topics := []Topic{}
	for _, ids := range o.messages.topics[channel] {
		if !ch.SharedHistory {
			ids = o.readable(u, ids)
		}
		if len(ids) == 0 {
			continue
		}
		newest, _ := o.Messages.Get(ids[len(ids)-1])
		topics = append(topics, Topic{newest.Topic, newest.ID})
	}
	slices.SortFunc(topics, func(a, b Topic) int { return b.MaxID - a.MaxID })
	return topics, nil
}

// MessageHistory returns the visible edits of a message, newest first.
func (o *Organization) MessageHistory(u User, id int) (Message, []MessageEdit, error) {
	if o.Settings().MessageEditHistory == "none" {
		return Message{}, nil, Refuse("Message edit history is disabled in this organization")
	}
	m, err := o.ReadMessage(u, id)
	return m, o.VisibleEdits(m), err
}

// VisibleEdits returns the edits of a message that the organization shows,
// newest first.
func (o *Organization) VisibleEdits(m Message) []MessageEdit {
	switch o.Settings().MessageEditHistory {
	case "none":
		return nil
	case "moves":
		var moves []MessageEdit
		for _, edit := range m.Edits {
			if edit.PrevContent = nil; edit.PrevTopic != nil || edit.PrevChannel != nil {
				moves = append(moves, edit)
			}
		}
		return moves
	}
	return m.Edits
}

// UnreadMessages returns a person's unread messages, oldest first.
func (o *Organization) UnreadMessages(user int) []Message {
	var unread []Message
	for _, m := range o.Messages.All() {
		if m.received(user) && m.FlagsFor(user)&FlagRead == 0 {
			unread = append(unread, m)
		}
	}
	return unread
}

// IsMuted reports whether a message is in a channel or topic that a person muted. A topic that the person unmuted or
// follows is not muted with its channel.
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

// DeleteMessage is DELETE /messages/{id} (https://zulip.com/api/delete-message).
func (o *Organization) DeleteMessage(actor User, id int) error {
	m, err := o.messageToChange(actor, id)
	if err != nil {
		return err
	}
	if err := o.checkMayDelete(actor, m); err != nil {
		return err
	}
	o.Messages.Delete(id)
	return nil
}

// checkMayDelete checks the permissions to delete any message, then those to delete one's own, which include messages of
// one's bots, and their time limit.
func (o *Organization) checkMayDelete(actor User, m Message) error {
	ch, inChannel := o.Channels.Get(m.ChannelID)
	if o.MayRealm(actor, "can_delete_any_message_group") || inChannel && o.mayChannel(actor, ch, "can_delete_any_message_group") {
		return nil
	}
	sender := o.Sender(m.SenderID)
	own := sender.ID == actor.ID || sender.IsBot && sender.BotOwnerID == actor.ID
	mayOwn := o.MayRealm(actor, "can_delete_own_message_group") || inChannel && o.mayChannel(actor, ch, "can_delete_own_message_group")
	if !own || !mayOwn {
		return Refuse("You don't have permission to delete this message")
	}
	if o.isPast(m, o.Settings().MessageContentDeleteLimit, 0) {
		return Refuse("The time limit for deleting this message has passed")
	}
	return nil
}

// ReportReasons are the possible reasons of a report, and their names in it (https://zulip.com/api/report-message).
var ReportReasons = []struct{ Type, Name string }{
	{"spam", "Spam"},
	{"harassment", "Harassment"},
	{"inappropriate", "Inappropriate content"},
	{"norms", "Violates community norms"},
	{"other", "Other reason"},
}

// ReportMessage is POST /messages/{id}/report. The moderators' channel gets a message, in the topic of the reported person.
func (o *Organization) ReportMessage(u User, message int, reason, description string) error {
	if reason == "other" && description == "" {
		return Refuse("An explanation is required.")
	}
	channel := o.Settings().ModerationRequestChannelID
	if channel == 0 {
		return Refuse("Message reporting is not enabled in this organization.")
	}
	m, err := o.ReadMessage(u, message)
	if err != nil {
		return err
	}
	name := reason
	for _, known := range ReportReasons {
		if known.Type == reason {
			name = known.Name
		}
	}
	about := o.Sender(m.SenderID)
	place := "a direct message"
	if ch, ok := o.Channels.Get(m.ChannelID); ok {
		place = topicLink(ch, m.Topic)
	}
	text := fmt.Sprintf("%s reported a message sent by %s at <time:%s>.\n```quote\n**%s**. %s\n```\n\n````spoiler Original message in %s\n%s\n````",
		silentMention(u), silentMention(about), m.Sent.Format("2006-01-02T15:04:05Z07:00"), name, description, place, m.Content)
	o.post(Message{
		SenderID: o.NotificationBotID(), ChannelID: channel, Topic: truncatedTopic(about.FullName + " moderation"), Content: text, Sent: o.now().UTC(),
	}, mentions{})
	return nil
}

// CheckTypingDirect is POST /typing for direct messages, which changes nothing (server-behavior §M8).
func (o *Organization) CheckTypingDirect(people []int) error {
	if len(people) == 0 {
		return Refuse("Empty 'to' list")
	}
	for _, id := range people {
		if !o.Users.Has(id) {
			return Refuse("Invalid user ID %d", id)
		}
	}
	return nil
}

// CheckTypingInChannel is POST /typing for a topic. It requires the permission to write there.
func (o *Organization) CheckTypingInChannel(u User, channel int) error {
	ch, err := o.ChannelContent(u, channel)
	if err != nil {
		return err
	}
	return o.checkMaySend(u, ch)
}

// CheckTypingEdit is POST /messages/{id}/typing. It requires the permission to edit the message.
func (o *Organization) CheckTypingEdit(u User, message int) error {
	m, err := o.messageToChange(u, message)
	if err != nil {
		return err
	}
	return o.checkMayEdit(u, m)
}
