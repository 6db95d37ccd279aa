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
	People    []int     `json:"people,omitempty"` // of a direct message: sender and recipients, ascending
	Content   string    `json:"content"`
	Sent      time.Time `json:"sent"`
	Client    string    `json:"client,omitempty"` // the program that sent it
	// Resolving marks a notice that the topic was resolved or unresolved.
	Resolving bool `json:"resolving,omitempty"`

	EditedAt  int64         `json:"edited_at,omitempty"` // Unix seconds of the last change of the content
	MovedAt   int64         `json:"moved_at,omitempty"`  // … of topic or channel
	Edits     []MessageEdit `json:"edits,omitempty"`     // newest first
	Reactions []Reaction    `json:"reactions,omitempty"` // oldest first
	// Copies holds the flags of everyone who received the message, or took it
	// into the own history later.
	Copies map[int]Flags `json:"copies"`
}

// MessageEdit is what one edit changed; what it left unchanged is nil.
type MessageEdit struct {
	UserID      int     `json:"user_id"`
	Time        int64   `json:"time"` // Unix seconds
	PrevContent *string `json:"prev_content,omitempty"`
	PrevTopic   *string `json:"prev_topic,omitempty"`
	PrevChannel *int    `json:"prev_channel,omitempty"`
	// Topic and Channel are where the message went.
	Topic   *string `json:"topic,omitempty"`
	Channel *int    `json:"channel,omitempty"`
}

var errInvalidMessage = Refuse("Invalid message(s)")

// Direct reports whether the message is in no channel.
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
			return // neither the people nor the id ever change
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

// conversation is the key of the direct messages among some people.
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

// FirstMessageID is the oldest message of a channel, nil if it has none.
func (o *Organization) FirstMessageID(channel int) *int {
	ids := o.messages.channels[channel]
	if len(ids) == 0 {
		return nil
	}
	first := ids[0]
	return &first
}

// MaxMessageID is the newest message a person has received, -1 if there is none.
func (o *Organization) MaxMessageID(user int) int {
	for id, m := range o.Messages.Backward() {
		if m.received(user) {
			return id
		}
	}
	return -1
}

// ConversationID is one number for all messages of a channel, or of the same
// people: that of the first message.
func (o *Organization) ConversationID(m Message) int {
	if m.Direct() {
		return o.messages.conversations[conversation(m.People)][0]
	}
	return o.messages.channels[m.ChannelID][0]
}

// inTopic returns the messages of a topic, whatever its case, ascending. The
// caller must not change the list.
func (o *Organization) inTopic(channel int, topic string) []int {
	return o.messages.topics[channel][strings.ToLower(topic)]
}

// hasNamedTopics reports whether any message of a channel is in a topic with a
// name.
func (o *Organization) hasNamedTopics(channel int) bool {
	for topic := range o.messages.topics[channel] {
		if topic != "" {
			return true
		}
	}
	return false
}

// ReadMessage returns a message that a person may read.
func (o *Organization) ReadMessage(u User, id int) (Message, error) {
	m, ok := o.Messages.Get(id)
	if !ok || !o.mayRead(u, m) {
		return Message{}, errInvalidMessage
	}
	return m, nil
}

// messageToChange is ReadMessage for what changes the message: those of
// archived channels stay as they are.
func (o *Organization) messageToChange(u User, id int) (Message, error) {
	m, err := o.ReadMessage(u, id)
	if ch, ok := o.Channels.Get(m.ChannelID); ok && ch.Archived {
		return Message{}, errInvalidMessage
	}
	return m, err
}

// mayRead reports whether a person may read a message, by its id: direct messages
// and those of protected history must have been received. A guest who is not in
// a web-public channel sees it as spectators do, and is given none of its
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

// readable keeps the messages that a person may read.
func (o *Organization) readable(u User, ids []int) []int {
	kept := []int{}
	for _, id := range ids {
		if m, ok := o.Messages.Get(id); ok && o.mayRead(u, m) {
			kept = append(kept, id)
		}
	}
	return kept
}

// FlagsFor are a person's flags on a message; whoever has not received it has
// read it, in a way.
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

// Topics lists the topics of a channel that a person may see, the one with the
// newest message first. Those of an archived channel are shown from feature
// level 480 on.
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

// MessageHistory returns the edits of a message that may be seen, newest first.
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
