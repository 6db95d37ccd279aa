package rules

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Kinds of drafts; scheduled messages and messages share the last two.
const (
	DraftUnaddressed = ""
	ToChannel        = "stream"
	ToPeople         = "private"
)

// Draft is an unfinished message (server-behavior §M9).
type Draft struct {
	ID        int     `json:"id"`
	UserID    int     `json:"user_id"`
	ChannelID int     `json:"channel_id,omitempty"`
	People    []int   `json:"people,omitempty"` // of a direct draft, including the author, ascending
	Topic     string  `json:"topic"`
	Content   string  `json:"content"`
	EditedAt  float64 `json:"edited_at"` // Unix seconds
}

// DraftInput is a draft as a client sends it.
type DraftInput struct {
	Type, Topic, Content string
	To                   []int
	Timestamp            *float64 // nil: now
}

var errNoDraft = &Error{Status: http.StatusNotFound, Msg: "Draft does not exist"}

// DraftsOf returns a person's drafts, the one edited longest ago first.
func (o *Organization) DraftsOf(u User) []Draft {
	own := []Draft{}
	for _, d := range o.Drafts.All() {
		if d.UserID == u.ID {
			own = append(own, d)
		}
	}
	slices.SortStableFunc(own, func(a, b Draft) int {
		switch {
		case a.EditedAt < b.EditedAt:
			return -1
		case a.EditedAt > b.EditedAt:
			return 1
		}
		return 0
	})
	return own
}

// CreateDrafts stores drafts and returns their ids, in order. A single refusal refuses all.
func (o *Organization) CreateDrafts(u User, inputs []DraftInput) ([]int, error) {
	ids := []int{}
	for _, in := range inputs {
		d, err := o.normalizedDraft(u, in)
		if err != nil {
			return nil, err
		}
		d.ID = o.Drafts.NextID()
		o.Drafts.Put(d.ID, d)
		ids = append(ids, d.ID)
	}
	return ids, nil
}

// EditDraft replaces a person's own draft.
func (o *Organization) EditDraft(u User, id int, in DraftInput) error {
	if d, ok := o.Drafts.Get(id); !ok || d.UserID != u.ID {
		return errNoDraft
	}
	d, err := o.normalizedDraft(u, in)
	if err != nil {
		return err
	}
	d.ID = id
	o.Drafts.Put(id, d)
	return nil
}

// DeleteDraft removes a person's own draft.
func (o *Organization) DeleteDraft(u User, id int) error {
	if d, ok := o.Drafts.Get(id); !ok || d.UserID != u.ID {
		return errNoDraft
	}
	o.Drafts.Delete(id)
	return nil
}

// normalizedDraft returns the row of a request. Only a draft for a channel has a topic, and a draft without recipients has
// none.
func (o *Organization) normalizedDraft(u User, in DraftInput) (Draft, error) {
	d := Draft{UserID: u.ID, EditedAt: float64(o.now().UnixMicro()) / 1e6}
	var err error
	if d.Content, err = normalizedContent(in.Content); err != nil {
		return d, err
	}
	if in.Timestamp != nil {
		d.EditedAt = math.Round(*in.Timestamp*1e6) / 1e6
	}
	if d.EditedAt < 0 {
		return d, Refuse("Timestamp must not be negative.")
	}
	switch {
	case in.Type == ToChannel:
		d.Topic = truncatedTopic(in.Topic)
		if strings.ContainsRune(d.Topic, 0) {
			return d, Refuse("Topic must not contain null bytes")
		}
		if len(in.To) != 1 {
			return d, Refuse("Must specify exactly 1 channel ID for channel messages")
		}
		ch, err := o.ChannelContent(u, in.To[0])
		d.ChannelID = ch.ID
		return d, err
	case in.Type == ToPeople && len(in.To) > 0:
		people, err := o.addressedPeople(principalsOf(in.To))
		d.People = sortedSet(append(people, u.ID))
		return d, err
	}
	return d, nil
}

// Address returns the kind and the recipients of a draft for clients. It omits the author, unless no other participant
// exists.
func (d Draft) Address() (kind string, to []int) {
	switch {
	case d.ChannelID != 0:
		return ToChannel, []int{d.ChannelID}
	case len(d.People) > 0:
		return ToPeople, withoutUser(d.UserID, d.People)
	}
	return DraftUnaddressed, []int{}
}

// withoutUser removes a person from a conversation, unless it is a monologue.
func withoutUser(user int, people []int) []int {
	if len(people) == 1 {
		return people
	}
	return without(people, []int{user})
}

func principalsOf(ids []int) []Principal {
	people := make([]Principal, 0, len(ids))
	for _, id := range ids {
		people = append(people, Principal{ID: id})
	}
	return people
}

// lateCutoff is the maximum delay of a scheduled message. After a longer pause of the server, the message has failed
// (server-behavior §M10).
const lateCutoff = 10 * time.Minute

// ScheduledMessage is a message with a time for sending (https://zulip.com/api/get-scheduled-messages).
type ScheduledMessage struct {
	ID           int    `json:"id"`
	SenderID     int    `json:"sender_id"`
	ChannelID    int    `json:"channel_id,omitempty"` // 0: a direct message
	Topic        string `json:"topic,omitempty"`
	People       []int  `json:"people,omitempty"` // of a direct message, including the sender, ascending
	Content      string `json:"content"`
	Client       string `json:"client,omitempty"` // the program that scheduled or changed it last
	DeliverAt    int64  `json:"deliver_at"`       // Unix seconds
	ReadBySender bool   `json:"read_by_sender,omitempty"`
	Failed       bool   `json:"failed,omitempty"`
	Delivered    bool   `json:"delivered,omitempty"`
}

// NewSchedule is the request POST /scheduled_messages.
type NewSchedule struct {
	Type         string // ToChannel or ToPeople
	Channel      *int   // if the recipient was one number
	People       []int  // if the recipients were a list
	Topic        *string
	Content      string
	DeliverAt    int64 // Unix seconds
	ReadBySender bool
	Client       string
}

// ScheduleChange is the request PATCH /scheduled_messages/{id}; nil leaves things unchanged.
type ScheduleChange struct {
	Type           *string // ToChannel or ToPeople
	Channel        *int    // if To was one number
	People         []int   // if To was a list
	ToGiven        bool
	Topic, Content *string
	DeliverAt      *int64
	Client         string
}

var (
	errNotInFuture = Refuse("Scheduled delivery time must be in the future.")
	errNoScheduled = &Error{Status: http.StatusNotFound, Msg: "Scheduled message does not exist"}
)

// ScheduledMessagesOf returns a person's unsent scheduled messages, the next one first.
func (o *Organization) ScheduledMessagesOf(u User) []ScheduledMessage {
	own := []ScheduledMessage{}
	for _, s := range o.ScheduledMessages.All() {
		if s.SenderID == u.ID && !s.Delivered {
			own = append(own, s)
		}
	}
	slices.SortStableFunc(own, func(a, b ScheduledMessage) int { return cmp.Compare(a.DeliverAt, b.DeliverAt) })
	return own
}

// ScheduleMessage is POST /scheduled_messages. It makes the checks of sending now, and again when the message is due.
func (o *Organization) ScheduleMessage(sender User, in NewSchedule) (int, error) {
	if err := o.checkFuture(in.DeliverAt); err != nil {
		return 0, err
	}
	to := Addressee{ToChannel: in.Type == ToChannel, Topic: in.Topic}
	if err := to.set(in.Channel, in.People); err != nil {
		return 0, err
	}
	m, _, err := o.checkMessage(sender, to, in.Content)
	if err != nil {
		return 0, err
	}
	s := ScheduledMessage{
		ID: o.ScheduledMessages.NextID(), SenderID: sender.ID, ChannelID: m.ChannelID, Topic: m.Topic, People: m.People,
		Content: m.Content, DeliverAt: in.DeliverAt, ReadBySender: in.ReadBySender, Client: in.Client,
	}
	o.ScheduledMessages.Put(s.ID, s)
	return s.ID, nil
}

func (o *Organization) checkFuture(at int64) error {
	if at <= o.now().Unix() {
		return errNotInFuture
	}
	return nil
}

// EditScheduledMessage changes an unsent message. A failed one needs a new time, and no longer counts as failed.
func (o *Organization) EditScheduledMessage(sender User, id int, c ScheduleChange) error {
	switch {
	case c.Type == nil && !c.ToGiven && c.Topic == nil && c.Content == nil && c.DeliverAt == nil:
		return Refuse("Nothing to change")
	case c.Type != nil && !c.ToGiven:
		return Refuse("Recipient required when updating type of scheduled message.")
	case c.Type != nil && *c.Type == ToChannel && c.Topic == nil:
		return Refuse("Topic required when updating scheduled message type to channel.")
	}
	if c.DeliverAt != nil {
		if err := o.checkFuture(*c.DeliverAt); err != nil {
			return err
		}
	}
	s, err := o.ownScheduled(sender, id)
	if err != nil {
		return err
	}
	if s.Delivered {
		return Refuse("Scheduled message was already sent")
	}
	if s.Failed && c.DeliverAt == nil {
		return errNotInFuture
	}
	if s, err = o.rescheduled(sender, s, c); err != nil {
		return err
	}
	if c.DeliverAt != nil {
		s.DeliverAt = *c.DeliverAt
	}
	s.Failed, s.Client = false, c.Client
	o.ScheduledMessages.Put(id, s)
	return nil
}

// rescheduled applies a change of recipients or content, as if the message were sent now. A topic alone is stored
// unchanged.
func (o *Organization) rescheduled(sender User, s ScheduledMessage, c ScheduleChange) (ScheduledMessage, error) {
	if c.Type == nil && !c.ToGiven && c.Content == nil {
		if c.Topic == nil || s.ChannelID == 0 {
			return s, nil
		}
		s.Topic = truncatedTopic(*c.Topic)
		return s, checkTopic(*c.Topic)
	}
	to := s.addressee()
	if c.Type != nil {
		to.ToChannel = *c.Type == ToChannel
	}
	if c.Topic != nil {
		to.Topic = c.Topic
	}
	if c.ToGiven {
		if err := to.set(c.Channel, c.People); err != nil {
			return s, err
		}
	}
	content := s.Content
	if c.Content != nil {
		content = *c.Content
	}
	m, _, err := o.checkMessage(sender, to, content)
	if err != nil {
		return s, err
	}
	if c.Type != nil || c.ToGiven {
		s.ChannelID, s.People, s.Topic = m.ChannelID, m.People, m.Topic
	} else if c.Topic != nil && s.ChannelID != 0 {
		s.Topic = truncatedTopic(*c.Topic)
	}
	s.Content = m.Content
	return s, nil
}

// set sets the recipients of a request: a number for a channel, a list for people.
func (to *Addressee) set(channel *int, people []int) error {
	switch {
	case to.ToChannel && channel == nil:
		return Refuse("Invalid data type for channel ID")
	case !to.ToChannel && channel != nil:
		return Refuse("Invalid data type for recipients")
	}
	to.ChannelID, to.People = channel, principalsOf(people)
	return nil
}

// addressee returns the recipient in the form that sending uses.
func (s ScheduledMessage) addressee() Addressee {
	if s.ChannelID == 0 {
		return Addressee{People: principalsOf(withoutUser(s.SenderID, s.People))}
	}
	return Addressee{ToChannel: true, ChannelID: &s.ChannelID, Topic: &s.Topic}
}

// Recipients are the people of a direct message as its sender sees them.
func (s ScheduledMessage) Recipients() []int { return withoutUser(s.SenderID, s.People) }

// DeleteScheduledMessage removes a message, sent or not.
func (o *Organization) DeleteScheduledMessage(sender User, id int) error {
	if _, err := o.ownScheduled(sender, id); err != nil {
		return err
	}
	o.ScheduledMessages.Delete(id)
	return nil
}

func (o *Organization) ownScheduled(u User, id int) (ScheduledMessage, error) {
	s, ok := o.ScheduledMessages.Get(id)
	if !ok || s.SenderID != u.ID {
		return s, errNoScheduled
	}
	return s, nil
}

// DeliverScheduled sends the messages that are due. Each request calls it first, so that the messages are always sent on
// time.
func (o *Organization) DeliverScheduled() {
	for _, s := range o.dueMessages() {
		o.deliver(s)
	}
}

// FailLate marks messages as failed that became due long before the server started, and notifies the senders.
func (o *Organization) FailLate() {
	for _, s := range o.dueMessages() {
		if o.now().Sub(time.Unix(s.DeliverAt, 0)) > lateCutoff {
			o.failDelivery(s, "Message could not be sent at the scheduled time.")
		}
	}
}

// dueMessages lists the unsent messages that are due, the oldest first.
func (o *Organization) dueMessages() []ScheduledMessage {
	now := o.now().Unix()
	var due []ScheduledMessage
	for _, s := range o.ScheduledMessages.All() {
		if !s.Delivered && !s.Failed && s.DeliverAt <= now {
			due = append(due, s)
		}
	}
	slices.SortStableFunc(due, func(a, b ScheduledMessage) int { return cmp.Compare(a.DeliverAt, b.DeliverAt) })
	return due
}

func (o *Organization) deliver(s ScheduledMessage) {
	sender, ok := o.Users.Get(s.SenderID)
	if !ok || !sender.Active {
		o.failDelivery(s, errUserDeactivated.Msg)
		return
	}
	m, said, err := o.checkMessage(sender, s.addressee(), s.Content)
	if err != nil {
		o.failDelivery(s, err.Error())
		return
	}
	var readBy []int
	if s.ReadBySender {
		readBy = []int{sender.ID}
	}
	m.Sent, m.Client = time.Unix(s.DeliverAt, 0).UTC(), s.Client
	starts := !m.Direct() && len(o.readable(sender, o.inTopic(m.ChannelID, m.Topic))) == 0
	o.followSent(sender, o.post(m, said, readBy...), starts)
	s.Delivered = true
	o.ScheduledMessages.Put(s.ID, s)
}

func (o *Organization) failDelivery(s ScheduledMessage, why string) {
	s.Failed = true
	o.ScheduledMessages.Put(s.ID, s)
	if sender, ok := o.Users.Get(s.SenderID); ok && sender.Active {
		o.sendNotice(sender.ID, fmt.Sprintf("The message you scheduled for <time:%s> was not sent because of the following error:\n\n> %s\n\n[View scheduled messages](#scheduled)",
			time.Unix(s.DeliverAt, 0).UTC().Format(time.RFC3339), why))
	}
}
