package zulip

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"
)

// The server's default limits, in characters. Longer texts are cut silently (server-behavior §M1). [Realm] has the limits
// of an organization.
const (
	MaxMessageLength = 10000
	MaxTopicLength   = 60
)

// Feature levels of the calls about messages.
const (
	levelMessageIDs  = 300 // GET /messages by IDs
	levelContentHash = 379 // an edit can name the content that it replaces
)

// Addressee is the place of a message: a topic of a channel, or recipients.
type Addressee struct {
	// ChannelID is zero for a direct message.
	ChannelID int64
	Topic     string
	// UserIDs are the recipients of a direct message.
	UserIDs []int64
}

// IsDirect reports whether it is a direct message.
func (a Addressee) IsDirect() bool { return a.ChannelID == 0 }

// Same reports whether two messages of the account self go to the same place. The server adds the sender to a direct
// message, so Same ignores the sender.
func (a Addressee) Same(b Addressee, self int64) bool {
	if !a.IsDirect() {
		return a.ChannelID == b.ChannelID && StoredTopic(a.Topic) == StoredTopic(b.Topic)
	}
	return b.IsDirect() && slices.Equal(a.others(self), b.others(self))
}

func (a Addressee) others(self int64) []int64 {
	ids := slices.DeleteFunc(slices.Clone(a.UserIDs), func(id int64) bool { return id == self })
	slices.Sort(ids)
	return slices.Compact(ids)
}

// addTo sets the parameters of the addressee, with the names that every server knows;
// `channel` and `direct` came later (feature levels 248 and 174).
func (a Addressee) addTo(form *Form) {
	if a.IsDirect() {
		form.Text("type", "private")
		form.JSON("to", a.UserIDs)
		return
	}
	form.Text("type", "stream")
	form.JSON("to", a.ChannelID)
	form.Text("topic", a.Topic) // the server decides which names mean no topic
}

// StoredContent returns the content as the server stores it: without white space at the
// end and line breaks at the start (server-behavior §M2).
func StoredContent(content string) string {
	return strings.TrimLeft(strings.TrimRightFunc(content, isSpace), "\n")
}

// StoredTopic returns the topic as the server stores it: without white space at both ends;
// some names mean the topic without a name (server-behavior §M2).
func StoredTopic(topic string) string {
	topic = Strip(topic)
	if topic == "(no topic)" || topic == "general chat" {
		return ""
	}
	return topic
}

// Strip returns a text without what the server regards as white space at both ends (server-behavior §R29).
func Strip(text string) string { return strings.TrimFunc(text, isSpace) }

// isSpace reports whether the server treats r as white space; it includes ASCII's separators.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// Message is a message as the account reads it, its content in Markdown
// (https://zulip.com/api/get-message).
type Message struct {
	ID        int64      `json:"id"`
	SenderID  int64      `json:"sender_id"`
	Content   string     `json:"content"`
	Timestamp int64      `json:"timestamp"` // seconds since 1970, UTC
	Type      string     `json:"type"`      // stream, private
	ChannelID int64      `json:"stream_id"`
	Topic     string     `json:"subject"`
	Reactions []Reaction `json:"reactions"`
	// UserIDs are the participants of a direct message, the sender included.
	UserIDs []int64 `json:"-"`
}

// To is the place of the message.
func (m *Message) To() Addressee {
	if m.Type == "private" {
		return Addressee{UserIDs: m.UserIDs}
	}
	return Addressee{ChannelID: m.ChannelID, Topic: m.Topic}
}

// UnmarshalJSON reads the JSON form.
func (m *Message) UnmarshalJSON(data []byte) error {
	type plain Message
	wire := struct {
		*plain
		Recipient json.RawMessage `json:"display_recipient"`
	}{plain: (*plain)(m)}
	if err := json.Unmarshal(data, &wire); err != nil {
		return fmt.Errorf("message: %w", err)
	}
	if m.Type != "private" {
		return nil
	}
	var people []struct {
		ID int64 `json:"id"`
	}
	if err := json.Unmarshal(wire.Recipient, &people); err != nil {
		return fmt.Errorf("message: display_recipient: %w", err)
	}
	m.UserIDs = make([]int64, 0, len(people))
	for _, person := range people {
		m.UserIDs = append(m.UserIDs, person.ID)
	}
	return nil
}

// SentMessage is the server's answer about a sent message (https://zulip.com/api/send-message).
type SentMessage struct {
	ID int64 `json:"id"`
	// URL is the message's address in the web app, Link the same as a Markdown link. Both are empty below feature level
	// 508.
	URL  string `json:"message_url"`
	Link string `json:"message_link"`
}

// SendMessage sends a message and returns its ID, as [Client.Send] does.
func (c *Client) SendMessage(ctx context.Context, to Addressee, content string) (int64, error) {
	sent, err := c.Send(ctx, to, content)
	return sent.ID, err
}

// Send sends a message. The client does not retry it, because a repeated call sends a second message.
func (c *Client) Send(ctx context.Context, to Addressee, content string) (SentMessage, error) {
	form := params{
		"content":        text(content),
		"read_by_sender": true, // the account need not read its own messages (feature level 236)
	}.form()
	to.addTo(form)
	var sent SentMessage
	_, err := c.send(ctx, http.MethodPost, "/messages", form, neverRetry, &sent)
	return sent, err
}

// Message reads one message. The server answers 400 `Invalid message(s)` for a deleted message and for one that the account
// cannot read.
func (c *Client) Message(ctx context.Context, id int64) (*Message, error) {
	return one[Message](ctx, c, messagePath(id), params{"apply_markdown": false, "allow_empty_topic_name": true}.form(), "message")
}

// Messages reads several messages in one request. The answer lacks deleted messages. It can lack messages that
// [Client.Message] finds, in channels without the account.
func (c *Client) Messages(ctx context.Context, ids []int64) ([]*Message, error) {
	return c.messages(ctx, params{"message_ids": ids}.form())
}

// RecentMessages reads the last messages that the account sender, or anyone if it is 0, sent to a place, oldest first, at most limit.
func (c *Client) RecentMessages(ctx context.Context, to Addressee, sender int64, limit int) ([]*Message, error) {
	var narrow []NarrowTerm
	if sender != 0 {
		narrow = append(narrow, NarrowTerm{Operator: "sender", Operand: sender})
	}
	if to.IsDirect() {
		narrow = append(narrow, NarrowTerm{Operator: "dm", Operand: to.UserIDs})
	} else {
		narrow = append(narrow, NarrowTerm{Operator: "stream", Operand: to.ChannelID}, NarrowTerm{Operator: "topic", Operand: StoredTopic(to.Topic)})
	}
	return c.messages(ctx, params{"narrow": narrow, "anchor": text("newest"), "num_before": limit, "num_after": 0}.form())
}

func (c *Client) messages(ctx context.Context, form *Form) ([]*Message, error) {
	form.JSON("apply_markdown", false)
	form.JSON("client_gravatar", true)
	form.JSON("allow_empty_topic_name", true)
	return list[Message](ctx, c, "/messages", form, "messages")
}

// EditMessage replaces the content. Feature level 379 added a hash of the previous content: the server refuses with
// EXPECTATION_MISMATCH if the content has changed (https://zulip.com/api/update-message). The client does not retry the
// call, because the server would refuse the second attempt too.
func (c *Client) EditMessage(ctx context.Context, id int64, previous, content string, featureLevel int) error {
	form := &Form{}
	form.Text("content", content)
	if featureLevel == 0 || featureLevel >= levelContentHash {
		sum := sha256.Sum256([]byte(StoredContent(previous)))
		form.Text("prev_content_sha256", hex.EncodeToString(sum[:]))
	}
	return c.do(ctx, http.MethodPatch, messagePath(id), form, neverRetry)
}

// MoveMessage puts one message into another topic or channel, and posts no notice.
// The server refuses it a second time with `Nothing to change`.
func (c *Client) MoveMessage(ctx context.Context, id int64, from, to Addressee) error {
	topic := StoredTopic(to.Topic)
	return c.do(ctx, http.MethodPatch, messagePath(id), params{
		"stream_id":                       when(from.ChannelID != to.ChannelID, to.ChannelID),
		"topic":                           when(StoredTopic(from.Topic) != topic, text(topic)),
		"propagate_mode":                  text("change_one"),
		"send_notification_to_old_thread": false,
		"send_notification_to_new_thread": false,
	}.form(), neverRetry)
}

// DeleteMessage deletes a message permanently. It is not an error if it no longer exists.
func (c *Client) DeleteMessage(ctx context.Context, id int64) error {
	return c.remove(ctx, messagePath(id), says(noMessage, "Message already deleted"))
}

const noMessage = "Invalid message(s)"

// IsNoMessage reports whether a message does not exist, or is hidden from the account.
func IsNoMessage(err error) bool { return IsMessage(err, noMessage) }

// MessageSnapshot is one state of a message in its history. The pointers are nil
// where an edit left something as it was (https://zulip.com/api/get-message-history).
type MessageSnapshot struct {
	Topic         string  `json:"topic"`
	PrevTopic     *string `json:"prev_topic"`
	ChannelID     *int64  `json:"stream"`
	PrevChannelID *int64  `json:"prev_stream"`
	Content       string  `json:"content"`
	PrevContent   *string `json:"prev_content"`
	UserID        *int64  `json:"user_id"`
	Timestamp     int64   `json:"timestamp"`
}

// MessageHistory reads the earlier versions of a message, oldest first. An organization
// can disable the history.
func (c *Client) MessageHistory(ctx context.Context, id int64) ([]MessageSnapshot, error) {
	form := params{"allow_empty_topic_name": true}.form()
	return sendFor[[]MessageSnapshot](ctx, c, http.MethodGet, messagePath(id)+"/history", form, safeToRetry, "message_history")
}

// ReportTypes are the possible reasons of a report (https://zulip.com/api/report-message).
var ReportTypes = []string{"spam", "harassment", "inappropriate", "norms", "other"}

// MaxReportLength is the maximum length of a report's description, in characters.
const MaxReportLength = 1000

// ReportMessage reports a message to the moderators. The client does not retry it, because they would get a second message.
func (c *Client) ReportMessage(ctx context.Context, id int64, reportType, description string) error {
	return c.do(ctx, http.MethodPost, messagePath(id)+"/report", params{
		"report_type": text(reportType),
		"description": text(description),
	}.form(), neverRetry)
}

func messagePath(id int64) string { return itemPath("/messages", id) }

// TypingOperations are the operations of a typing notification.
var TypingOperations = []string{"start", "stop"}

// SendTyping shows others that the account starts or stops writing a message. The server stores no trace of it
// (https://zulip.com/api/set-typing-status).
func (c *Client) SendTyping(ctx context.Context, operation string, to Addressee) error {
	form := params{"op": text(operation)}.form()
	if to.IsDirect() {
		form.JSON("to", to.UserIDs)
	} else {
		form.Text("type", "stream")
		form.JSON("stream_id", to.ChannelID)
		form.Text("topic", StoredTopic(to.Topic))
	}
	return c.do(ctx, http.MethodPost, "/typing", form, safeToRetry)
}

// ReactionTypes are the kinds of emoji: of Unicode, of the organization, of the
// server.
var ReactionTypes = []string{"unicode_emoji", "realm_emoji", "zulip_extra_emoji"}

// Reaction is one user's emoji on a message (server-behavior §U12). The code and the type tell emoji apart; one emoji has
// several names.
type Reaction struct {
	EmojiName string `json:"emoji_name"`
	EmojiCode string `json:"emoji_code"`
	Type      string `json:"reaction_type"`
	UserID    int64  `json:"user_id"`
}

// SameEmoji reports whether two reactions are the same emoji.
func (r Reaction) SameEmoji(other Reaction) bool {
	return r.EmojiCode == other.EmojiCode && r.Type == other.Type
}

// AddReaction adds the account's own reaction. The server finds an empty code or type by the name. It is not an error if
// the reaction exists.
func (c *Client) AddReaction(ctx context.Context, message int64, reaction Reaction) error {
	exists := func(err error) bool { return IsCode(err, "REACTION_ALREADY_EXISTS") }
	return ignoreError(exists, c.do(ctx, http.MethodPost, messagePath(message)+"/reactions", params{
		"emoji_name":    text(reaction.EmojiName),
		"emoji_code":    when(reaction.EmojiCode != "", text(reaction.EmojiCode)),
		"reaction_type": when(reaction.Type != "", text(reaction.Type)),
	}.form(), safeToRetry))
}

// RemoveReaction removes the account's own reaction. The type is always sent, because the server
// would assume a Unicode emoji. It is not an error if the reaction or the message does not exist.
func (c *Client) RemoveReaction(ctx context.Context, message int64, reaction Reaction) error {
	isGone := func(err error) bool { return IsCode(err, "REACTION_DOES_NOT_EXIST") || IsNoMessage(err) }
	return ignoreError(isGone, c.do(ctx, http.MethodDelete, messagePath(message)+"/reactions", params{
		"emoji_name":    text(reaction.EmojiName),
		"emoji_code":    text(reaction.EmojiCode),
		"reaction_type": text(reaction.Type),
	}.form(), safeToRetry))
}
