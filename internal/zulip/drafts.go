package zulip

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// Draft is a draft of the account (https://zulip.com/api/get-drafts).
type Draft struct {
	ID int64 `json:"id,omitempty"`
	// Type is `stream`, `private`, or empty for a draft without a recipient.
	Type    string  `json:"type"`
	To      []int64 `json:"to"`
	Topic   string  `json:"topic"`
	Content string  `json:"content"`
	// Timestamp is when it was last edited, in seconds since 1970; left out, now.
	Timestamp int64 `json:"timestamp,omitempty"`
}

// NewDraft returns a draft; to is nil if it has no recipient yet.
func NewDraft(to *Addressee, content string) Draft {
	draft := Draft{To: []int64{}, Content: content}
	switch {
	case to == nil:
	case to.IsDirect():
		draft.Type, draft.To = "private", to.UserIDs
	default:
		draft.Type, draft.To, draft.Topic = "stream", []int64{to.ChannelID}, to.Topic
	}
	return draft
}

// Addressee returns the recipient of the draft; nil if it has none yet.
func (d *Draft) Addressee() *Addressee {
	switch {
	case len(d.To) == 0, d.Type == "stream" && d.To[0] == 0:
		return nil
	case d.Type == "stream":
		return &Addressee{ChannelID: d.To[0], Topic: d.Topic}
	}
	return &Addressee{UserIDs: d.To}
}

// Drafts reads the account's drafts, the one edited longest ago first.
func (c *Client) Drafts(ctx context.Context) ([]*Draft, error) {
	return list[Draft](ctx, c, "/drafts", nil, "drafts")
}

// CreateDrafts stores drafts and returns their IDs in order; all or none. Calling it again
// creates duplicates: the client does not retry it.
func (c *Client) CreateDrafts(ctx context.Context, drafts []Draft) ([]int64, error) {
	ids, err := sendFor[[]int64](ctx, c, http.MethodPost, "/drafts", params{"drafts": drafts}.form(), neverRetry, "ids")
	if err != nil {
		return nil, err
	}
	if len(ids) != len(drafts) {
		return nil, fmt.Errorf("POST /drafts: %d IDs for %d drafts", len(ids), len(drafts))
	}
	return ids, nil
}

// ReplaceDraft replaces a draft completely. If there is none, the error satisfies [IsNoDraft].
func (c *Client) ReplaceDraft(ctx context.Context, id int64, draft Draft) error {
	draft.ID = 0 // refused
	return c.do(ctx, http.MethodPatch, draftPath(id), params{"draft": draft}.form(), safeToRetry)
}

// DeleteDraft deletes a draft. It is not an error if it no longer exists.
func (c *Client) DeleteDraft(ctx context.Context, id int64) error {
	return c.remove(ctx, draftPath(id), IsNoDraft)
}

// IsNoDraft reports whether the account has no such draft.
func IsNoDraft(err error) bool { return IsMessage(err, "Draft does not exist") }

func draftPath(id int64) string { return itemPath("/drafts", id) }

// ScheduledMessage is a message that the server will send for the account
// (server-behavior §M10).
type ScheduledMessage struct {
	ID      int64  `json:"scheduled_message_id"`
	Type    string `json:"type"` // stream, private
	Topic   string `json:"topic"`
	Content string `json:"content"` // Markdown
	// DeliverAt is when, in seconds since 1970.
	DeliverAt int64 `json:"scheduled_delivery_timestamp"`
	// Failed is true if the server could not send it (feature level 181).
	Failed bool `json:"failed"`
	// To is the channel, or the recipients of a direct message.
	To Addressee `json:"-"`
}

// UnmarshalJSON reads the JSON form.
func (s *ScheduledMessage) UnmarshalJSON(data []byte) error {
	type plain ScheduledMessage
	wire := struct {
		*plain
		To json.RawMessage `json:"to"`
	}{plain: (*plain)(s)}
	if err := json.Unmarshal(data, &wire); err != nil {
		return fmt.Errorf("scheduled message: %w", err)
	}
	var into any = &s.To.UserIDs
	if s.Type == "stream" {
		into, s.To.Topic = &s.To.ChannelID, s.Topic
	}
	if err := json.Unmarshal(wire.To, into); err != nil {
		return fmt.Errorf("scheduled message: to: %w", err)
	}
	if s.Type == "stream" && s.To.IsDirect() {
		return fmt.Errorf("scheduled message: to: %s is not a channel", wire.To)
	}
	return nil
}

// ScheduledMessages reads the account's undelivered scheduled messages, the next one first, including failed ones.
func (c *Client) ScheduledMessages(ctx context.Context) ([]*ScheduledMessage, error) {
	return list[ScheduledMessage](ctx, c, "/scheduled_messages", nil, "scheduled_messages")
}

// ScheduleMessage schedules a message for a time in seconds since 1970 and returns the ID of the scheduled message. The
// sent message will have another ID. The client does not retry the call, because each call sends a message (feature level
// 179).
func (c *Client) ScheduleMessage(ctx context.Context, to Addressee, content string, at int64) (int64, error) {
	form := params{"content": text(content), "scheduled_delivery_timestamp": at, "read_by_sender": true}.form()
	to.addTo(form)
	return c.create(ctx, "/scheduled_messages", form, neverRetry, "scheduled_message_id")
}

// ScheduledMessageUpdate has the changes of an update. Fields that are nil are not sent.
type ScheduledMessageUpdate struct {
	To        *Addressee
	Content   *string
	DeliverAt *int64
}

// Empty reports whether the update changes nothing, which the server refuses.
func (u *ScheduledMessageUpdate) Empty() bool {
	return u.To == nil && u.Content == nil && u.DeliverAt == nil
}

// UpdateScheduledMessage changes a message that is not delivered yet (feature level 184). All recipient fields are sent
// together, because the server does not normalize a topic that is sent alone, and a change of the type requires its
// recipients (server-behavior §M11).
func (c *Client) UpdateScheduledMessage(ctx context.Context, id int64, update ScheduledMessageUpdate) error {
	form := params{"content": (*text)(update.Content), "scheduled_delivery_timestamp": update.DeliverAt}.form()
	if update.To != nil {
		update.To.addTo(form)
	}
	return c.do(ctx, http.MethodPatch, scheduledMessagePath(id), form, safeToRetry)
}

// DeleteScheduledMessage cancels a message that is not delivered yet. It is not an error if
// it was delivered or no longer exists.
func (c *Client) DeleteScheduledMessage(ctx context.Context, id int64) error {
	return c.remove(ctx, scheduledMessagePath(id), IsNoScheduledMessage)
}

// IsNoScheduledMessage reports whether the account has no such scheduled message.
func IsNoScheduledMessage(err error) bool { return IsMessage(err, "Scheduled message does not exist") }

// IsDelivered reports whether a scheduled message can no longer be changed because it was sent.
func IsDelivered(err error) bool { return IsMessage(err, "Scheduled message was already sent") }

func scheduledMessagePath(id int64) string { return itemPath("/scheduled_messages", id) }

// NarrowTerm is one condition on messages (https://zulip.com/api/construct-narrow).
type NarrowTerm struct {
	Operator string `json:"operator"`
	// Operand is a text, a number or a list of numbers.
	Operand any  `json:"operand"`
	Negated bool `json:"negated,omitempty"`
}

// EditableFlags are the flags of messages an account can change.
var EditableFlags = []string{"read", "starred", "collapsed", "hide_link_previews"}

// NarrowOperators are the search operators, some of them with an older name. A server refuses those that are newer than it.
var NarrowOperators = []string{
	"channel", "channels", "dm", "dm-including", "group-pm-with", "has", "id", "in", "is", "mentions", "near", "pm-with", "search", "sender", "stream", "streams",
	"topic", "with",
}

// FlagOperations are what can be done with a flag.
var FlagOperations = []string{"add", "remove"}

// FlagChange adds a flag to messages, or removes it.
type FlagChange struct {
	Operation, Flag string
}

// UpdateFlags changes the account's own flag of some messages. The returned channels keep their messages read because the
// account does not subscribe to them. The server does not say which messages changed (server-behavior §M6).
func (c *Client) UpdateFlags(ctx context.Context, messages []int64, change FlagChange) (ignored []int64, err error) {
	return sendFor[[]int64](ctx, c, http.MethodPost, "/messages/flags", params{
		"messages": messages,
		"op":       text(change.Operation),
		"flag":     text(change.Flag),
	}.form(), safeToRetry, "ignored_because_not_subscribed_channels")
}

// FlagRange selects messages: those that match the narrow, up to a number before and after
// an anchor.
type FlagRange struct {
	// Anchor is the ID of a message, or newest, oldest, first_unread.
	Anchor              string
	IncludeAnchor       bool
	NumBefore, NumAfter int64
	Narrow              []NarrowTerm
}

// MaxFlagRange is the maximum number of messages that one request changes. The server silently shortens a wider range
// (server-behavior §M6).
const MaxFlagRange = 5000

// FlagResult is the progress of one request.
type FlagResult struct {
	Processed      int64   `json:"processed_count"`
	Updated        int64   `json:"updated_count"`
	FirstProcessed *int64  `json:"first_processed_id"`
	LastProcessed  *int64  `json:"last_processed_id"`
	FoundOldest    bool    `json:"found_oldest"`
	FoundNewest    bool    `json:"found_newest"`
	Ignored        []int64 `json:"ignored_because_not_subscribed_channels"`
}

// UpdateFlagsForNarrow changes the account's own flag of the messages in a range
// (feature level 155).
func (c *Client) UpdateFlagsForNarrow(ctx context.Context, messages FlagRange, change FlagChange) (*FlagResult, error) {
	form := params{
		"anchor":         text(messages.Anchor),
		"include_anchor": messages.IncludeAnchor,
		"num_before":     messages.NumBefore,
		"num_after":      messages.NumAfter,
		"narrow":         orEmpty(messages.Narrow), // required
		"op":             text(change.Operation),
		"flag":           text(change.Flag),
	}.form()
	result := &FlagResult{}
	_, err := c.send(ctx, http.MethodPost, "/messages/flags/narrow", form, safeToRetry, result)
	return result, err
}

// MarkTopicAsRead marks the unread messages of a topic as read. An empty topic name, and `general chat`, which means the
// same, mark the whole channel (server-behavior §M7).
func (c *Client) MarkTopicAsRead(ctx context.Context, channel int64, topic string) error {
	return c.do(ctx, http.MethodPost, "/mark_topic_as_read", params{"stream_id": channel, "topic_name": text(topic)}.form(), safeToRetry)
}
