package rules

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode"
)

// Longer texts are cut silently (server-behavior §M1).
const (
	MaxMessageLength = 10000
	MaxTopicLength   = 60
)

// Addressee is whom a message is for: a topic of a channel, or people.
type Addressee struct {
	ChannelID   *int
	ChannelName *string // when the channel is named
	Topic       *string
	People      []Principal
	// ToChannel tells a channel message from a direct one.
	ToChannel bool
}

// SendMessage is POST /messages. It returns the id of the message and, if the
// topic became more visible to the sender by it, how (server-behavior §M4).
func (o *Organization) SendMessage(sender User, to Addressee, content string, readBySender bool, client string) (id, visibility int, err error) {
	m, said, err := o.checkMessage(sender, to, content)
	if err != nil {
		return 0, 0, err
	}
	m.Client = client
	var readBy []int
	if readBySender {
		readBy = []int{sender.ID}
	}
	starts := !m.Direct() && len(o.readable(sender, o.inTopic(m.ChannelID, m.Topic))) == 0
	m = o.post(m, said, readBy...)
	return m.ID, o.followSent(sender, m, starts), nil
}

// checkMessage determines a message, in the server's order of checks.
func (o *Organization) checkMessage(sender User, to Addressee, content string) (Message, mentions, error) {
	m := Message{SenderID: sender.ID, Sent: o.now().UTC()}
	var err error
	if to.ToChannel {
		if id := o.BotDetails(sender.ID).SendingChannelID; id != 0 && to.ChannelID == nil && to.ChannelName == nil {
			to.ChannelID = &id
		}
		m.Topic, err = addressedTopic(to)
	} else {
		m.People, err = o.addressedPeople(to.People)
	}
	if err != nil {
		return m, mentions{}, err
	}
	if m.Content, err = normalizedContent(content); err != nil {
		return m, mentions{}, err
	}
	if !to.ToChannel {
		m.People = sortedSet(append(m.People, sender.ID))
		if err := o.checkMayDirect(sender, m.People); err != nil {
			return m, mentions{}, err
		}
		said := o.mentionsIn(m.Content)
		return m, said, o.checkMentions(sender, m, said)
	}
	ch, err := o.addressedChannel(to)
	if err != nil {
		return m, mentions{}, err
	}
	m.ChannelID = ch.ID
	if err := o.checkMaySend(sender, ch); err != nil {
		return m, mentions{}, err
	}
	if err := o.checkMayStartTopic(sender, ch, m.Topic); err != nil {
		return m, mentions{}, err
	}
	if err := o.checkTopicAllowed(ch, m.Topic); err != nil {
		return m, mentions{}, err
	}
	said := o.mentionsIn(m.Content)
	return m, said, o.checkMentions(sender, m, said)
}

func addressedTopic(to Addressee) (string, error) {
	if to.ChannelID == nil && to.ChannelName == nil {
		return "", Refuse("Missing channel")
	}
	if to.Topic == nil {
		return "", Refuse("Missing topic")
	}
	topic := *to.Topic
	if topic == "(no topic)" || topic == EmptyTopicShownName {
		topic = ""
	}
	return truncatedTopic(topic), checkTopic(topic)
}

// addressedPeople looks up the recipients of a direct message, who may be system bots too.
func (o *Organization) addressedPeople(named []Principal) ([]int, error) {
	if len(named) == 0 {
		return nil, Refuse("Message must have recipients")
	}
	people := make([]int, 0, len(named))
	for _, p := range named {
		var u User
		var ok bool
		if p.Email != "" {
			if u, ok = o.UserByAPIEmail(p.Email); !ok {
				return nil, Refuse("Invalid email '%s'", p.Email)
			}
		} else if u = o.Sender(p.ID); u.ID == 0 {
			return nil, Refuse("Invalid user ID %d", p.ID)
		}
		people = append(people, u.ID)
	}
	for _, id := range people {
		if u := o.Sender(id); !u.Active {
			return nil, Refuse("'%s' is no longer using Zulip.", u.APIEmail())
		}
	}
	return sortedSet(people), nil
}

func (o *Organization) addressedChannel(to Addressee) (Channel, error) {
	if to.ChannelID != nil {
		ch, ok := o.Channels.Get(*to.ChannelID)
		if !ok {
			return ch, &Error{
				Code:  "STREAM_DOES_NOT_EXIST",
				Msg:   fmt.Sprintf("Channel with ID '%d' does not exist", *to.ChannelID),
				Extra: map[string]any{"stream_id": *to.ChannelID},
			}
		}
		return ch, nil
	}
	name := strings.TrimSpace(*to.ChannelName)
	if err := checkChannelName(name); err != nil {
		return Channel{}, err
	}
	ch, ok := o.ChannelByName(name)
	if !ok {
		shown := html.EscapeString(name)
		return ch, &Error{
			Code:  "STREAM_DOES_NOT_EXIST",
			Msg:   fmt.Sprintf("Channel '%s' does not exist", shown),
			Extra: map[string]any{"stream": shown},
		}
	}
	return ch, nil
}

// checkMaySend checks the channel's right to post, then for a way to see the
// channel. A bot may post where its owner may.
func (o *Organization) checkMaySend(sender User, ch Channel) error {
	if err := o.checkMayPost(sender, ch); err != nil {
		return err
	}
	notAuthorized := Refuse("Not authorized to send to channel '%s'", ch.Name)
	if ch.Archived {
		return notAuthorized
	}
	ownerIn := sender.IsBot && o.IsSubscribed(sender.BotOwnerID, ch.ID)
	switch {
	case ch.WebPublic, !ch.Private && !sender.IsGuest(), o.IsSubscribed(sender.ID, ch.ID), ownerIn:
		return nil
	case ch.SharedHistory && o.HasContentAccess(sender, ch):
		return nil
	}
	return notAuthorized
}

func (o *Organization) checkMayPost(sender User, ch Channel) error {
	if !o.eitherMay(sender, ch, "can_send_message_group") {
		return Refuse("You do not have permission to post in this channel.")
	}
	return nil
}

func (o *Organization) checkMayStartTopic(sender User, ch Channel, topic string) error {
	if len(o.inTopic(ch.ID, topic)) == 0 && !o.eitherMay(sender, ch, "can_create_topic_group") {
		return Refuse("You do not have permission to create new topics in this channel.")
	}
	return nil
}

// eitherMay reports whether an account has a right, or, if it is a bot, its owner.
func (o *Organization) eitherMay(u User, ch Channel, right string) bool {
	if o.mayChannel(u, ch, right) {
		return true
	}
	owner, ok := o.Users.Get(u.BotOwnerID)
	return ok && u.IsBot && o.mayChannel(owner, ch, right)
}

func (o *Organization) checkTopicAllowed(ch Channel, topic string) error {
	switch policy := o.topicsPolicy(ch); {
	case policy == TopicsDisableEmpty && topic == "":
		return aboutEmptyTopic("Sending messages to the %s is not allowed in this channel.", EmptyTopicShownName)
	case policy == TopicsOnlyEmpty && topic != "":
		return aboutEmptyTopic("Only the %s topic is allowed in this channel.", EmptyTopicShownName)
	}
	return nil
}

// aboutEmptyTopic is a refusal that tells the name under which the empty topic
// is shown.
func aboutEmptyTopic(format string, args ...any) *Error {
	e := Refuse(format, args...)
	e.Extra = map[string]any{"empty_topic_display_name": EmptyTopicShownName}
	return e
}

// checkMayDirect checks the organization's two rights for direct messages. Bots
// are free, and so are messages to bots and to oneself.
func (o *Organization) checkMayDirect(sender User, people []int) error {
	others := slices.ContainsFunc(people, func(id int) bool {
		return id != sender.ID && !o.Sender(id).IsBot
	})
	if sender.IsBot || !others {
		return nil
	}
	if !slices.ContainsFunc(people, func(id int) bool {
		u, _ := o.Users.Get(id)
		return o.MayRealm(u, "direct_message_permission_group")
	}) {
		if o.Settings().Permissions["direct_message_permission_group"].Group == o.SystemGroup(Nobody) {
			return Refuse("Direct messages are disabled in this organization.")
		}
		return Refuse("This conversation does not include any users who can authorize it.")
	}
	known := len(o.messages.conversations[conversation(people)]) > 0
	if !known && !o.MayRealm(sender, "direct_message_initiator_group") {
		return Refuse("You do not have permission to initiate direct message conversations.")
	}
	return nil
}

// post stores a message that needs no further check and gives everyone it is
// for a copy; some have read it from the start.
func (o *Organization) post(m Message, said mentions, readBy ...int) Message {
	m.ID = o.Messages.NextID()
	m.Copies = map[int]Flags{}
	if m.SenderID == o.NotificationBotID() {
		m.Client = "Internal"
	}
	receivers := m.People
	if !m.Direct() {
		receivers = append(o.Subscribers(m.ChannelID), said.bots(o)...)
	}
	for _, id := range receivers {
		if !o.Users.Has(id) {
			continue // a system bot
		}
		m.Copies[id] = o.mentionFlags(m, said, id)
		if slices.Contains(readBy, id) {
			m.Copies[id] |= FlagRead
		}
	}
	o.Messages.Put(m.ID, m)
	o.followMentioned(m, said)
	return m
}

// normalizedContent is what is stored of a content.
func normalizedContent(content string) (string, error) {
	content = strings.TrimLeft(strings.TrimRightFunc(content, unicode.IsSpace), "\n")
	if content == "" {
		return "", Refuse("Message must not be empty")
	}
	if strings.ContainsRune(content, 0) {
		return "", Refuse("Message must not contain null bytes")
	}
	return truncated(content, MaxMessageLength, "\n[message truncated]"), nil
}

func truncatedTopic(topic string) string { return truncated(topic, MaxTopicLength, "...") }

// truncated cuts a text to a number of characters, the mark at its end included.
func truncated(text string, limit int, mark string) string {
	characters := []rune(text)
	if len(characters) <= limit {
		return text
	}
	return string(characters[:limit-len([]rune(mark))]) + mark
}

func checkTopic(topic string) error {
	if at := unprintableAt(topic); at > 0 {
		return Refuse("Invalid character in topic, at position %d!", at)
	}
	return nil
}
