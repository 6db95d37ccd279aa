package rules

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Limits of texts. Longer texts are cut silently (server-behavior §M1).
const (
	MaxMessageLength = 10000
	MaxTopicLength   = 60
)

// Addressee is the recipient of a message: a topic of a channel, or people.
type Addressee struct {
	ChannelID   *int
	ChannelName *string // if the channel is named
	Topic       *string
	People      []Principal
	// ToChannel is true for a channel message, false for a direct one.
	ToChannel bool
}

// SendMessage is POST /messages. It returns the id of the message. It also returns the new visibility of the topic for the
// sender, if it changed (server-behavior §M4).
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

// checkMessage returns a message after the server's checks, in its order.
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

// addressedPeople looks up the recipients of a direct message, including system bots.
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
	name := Strip(*to.ChannelName)
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

// checkMaySend checks the channel's permission to post, then whether the sender can see the channel. A bot may post in the
// channels of its owner.
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

// eitherMay reports whether an account has a permission, or, if it is a bot, its owner.
func (o *Organization) eitherMay(u User, ch Channel, permission string) bool {
	if o.mayChannel(u, ch, permission) {
		return true
	}
	owner, ok := o.Users.Get(u.BotOwnerID)
	return ok && u.IsBot && o.mayChannel(owner, ch, permission)
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

// aboutEmptyTopic is a refusal with the shown name of the empty topic.
func aboutEmptyTopic(format string, args ...any) *Error {
	e := Refuse(format, args...)
	e.Extra = map[string]any{"empty_topic_display_name": EmptyTopicShownName}
	return e
}

// checkMayDirect checks the organization's two permissions for direct messages. Bots are exempt, and so are messages to
// bots and to oneself.
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

// post stores a checked message and gives all recipients a copy. It is already read by readBy.
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

// normalizedContent returns the stored form of a content.
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

// manyPeople is the number of people in a channel or topic above which mentioning all of them requires a permission.
const manyPeople = 15

// mentions are the people that a content mentions.
type mentions struct {
	people         []int // directly or through groups
	groups         []int
	channel, topic bool // everyone in the channel, everyone in the topic
}

var (
	codeInContent    = regexp.MustCompile("(?s)```.*?```|~~~.*?~~~|`[^`\n]*`")
	mentionInContent = regexp.MustCompile(`@\*\*([^*\n]+)\*\*|@\*([^*\n]+)\*`)
)

// wildcards mention everyone in the channel, topicWildcard everyone in the topic.
var wildcards = []string{"all", "everyone", "channel", "stream"}

const topicWildcard = "topic"

// mentionsIn finds the mentions of a content. It ignores silent ones, with an underscore
// after the at sign, and those in code.
func (o *Organization) mentionsIn(content string) mentions {
	var said mentions
	if !strings.Contains(content, "@*") {
		return said
	}
	for _, found := range mentionInContent.FindAllStringSubmatch(codeInContent.ReplaceAllString(content, ""), -1) {
		switch name := found[1]; {
		case name == "":
			if g, ok := o.GroupByName(found[2]); ok && !g.Deactivated {
				said.groups = append(said.groups, g.ID)
				said.people = append(said.people, o.AllMembers(g)...)
			}
		case slices.Contains(wildcards, name):
			said.channel = true
		case name == topicWildcard:
			said.topic = true
		default:
			if id, ok := o.mentioned(name); ok {
				said.people = append(said.people, id)
			}
		}
	}
	said.people = sortedSet(said.people)
	return said
}

// mentioned finds the person of "Full Name", "Full Name|id" or "|id".
func (o *Organization) mentioned(text string) (int, bool) {
	name, number, numbered := strings.Cut(text, "|")
	if numbered {
		id, err := strconv.Atoi(number)
		u, ok := o.Users.Get(id)
		return id, err == nil && ok && u.Active && (name == "" || strings.EqualFold(name, u.FullName))
	}
	for id, u := range o.Users.All() {
		if u.Active && strings.EqualFold(name, u.FullName) {
			return id, true
		}
	}
	return 0, false
}

// checkMentions checks the permission to mention many people, and groups.
func (o *Organization) checkMentions(sender User, m Message, said mentions) error {
	mayMany := func() bool { return o.MayRealm(sender, "can_mention_many_users_group") }
	if !m.Direct() && said.channel && o.SubscriberCount(m.ChannelID) > manyPeople && !mayMany() {
		return &Error{
			Code: "STREAM_WILDCARD_MENTION_NOT_ALLOWED",
			Msg:  "You do not have permission to use channel wildcard mentions in this channel.",
		}
	}
	if !m.Direct() && said.topic && len(o.participants(m.ChannelID, m.Topic)) > manyPeople && !mayMany() {
		return &Error{
			Code: "TOPIC_WILDCARD_MENTION_NOT_ALLOWED",
			Msg:  "You do not have permission to use topic wildcard mentions in this topic.",
		}
	}
	for _, id := range said.groups {
		g, _ := o.Groups.Get(id)
		p, _ := FindPermission(GroupPermissions, "can_mention_group")
		if value, set := g.Permissions[p.Name]; set && !g.System && !o.Has(sender, p, value) {
			return Refuse("You are not allowed to mention user group '%s'.", g.Name)
		}
	}
	return nil
}

// participants returns the people who wrote in a topic or reacted there, ascending.
func (o *Organization) participants(channel int, topic string) []int {
	var people []int
	for _, id := range o.inTopic(channel, topic) {
		m, _ := o.Messages.Get(id)
		people = append(people, m.SenderID)
		for _, reaction := range m.Reactions {
			people = append(people, reaction.UserID)
		}
	}
	return sortedSet(people)
}

// mentionFlags returns the flags of a person from the mentions of a message.
func (o *Organization) mentionFlags(m Message, said mentions, person int) Flags {
	var flags Flags
	if slices.Contains(said.people, person) {
		flags |= FlagMentioned
	}
	if said.channel {
		flags |= FlagChannelWildcard
	}
	if said.topic && !m.Direct() && slices.Contains(o.participants(m.ChannelID, m.Topic), person) {
		flags |= FlagTopicWildcard
	}
	return flags
}

// bots returns the mentioned bots, which receive messages without a subscription.
func (said mentions) bots(o *Organization) []int {
	var bots []int
	for _, id := range said.people {
		if u, ok := o.Users.Get(id); ok && u.IsBot {
			bots = append(bots, id)
		}
	}
	return bots
}

// silentMention names a person in a notice without notifying.
func silentMention(u User) string { return fmt.Sprintf("@_**%s|%d**", u.FullName, u.ID) }

// groupMention names a group in a notice without notifying.
func groupMention(g UserGroup) string { return fmt.Sprintf("@_*%s*", g.Name) }

// channelLink is Markdown for a channel, topicLink for a topic.
func channelLink(ch Channel) string { return fmt.Sprintf("#**%s**", ch.Name) }

func topicLink(ch Channel, topic string) string { return fmt.Sprintf("#**%s>%s**", ch.Name, topic) }
