package zulip

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// ScheduledMessage is a message that the server will send for the account
// (server-behavior §M10).
type ScheduledMessage struct {
	ID      int64  `json:"scheduled_message_id"`
	Type    string `json:"type"` // stream, private
	Topic   string `json:"topic"`
	Content string `json:"content"` // Markdown
	// DeliverAt is when, in seconds since 1970.
	DeliverAt int64 `json:"scheduled_delivery_timestamp"`
	// Failed says that the server could not send it (feature level 181).
	Failed bool `json:"failed"`
	// To is the channel, or the people of a direct message.
	To Addressee `json:"-"`
}

// UnmarshalJSON reads the object. `to` is a number for a channel, and a list for
// people.
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
		return fmt.Errorf("scheduled message: to: %s is no channel", wire.To)
	}
	return nil
}

// ScheduledMessages reads what the account has scheduled and is not delivered, the
// next one first; those that failed are among them.
func (c *Client) ScheduledMessages(ctx context.Context) ([]*ScheduledMessage, error) {
	return list[ScheduledMessage](ctx, c, "/scheduled_messages", nil, "scheduled_messages")
}

// ScheduleMessage schedules a message for a time in seconds since 1970 and returns the ID of
// the scheduled message, which is not the ID of the message that will be sent. Calling it again
// sends the message twice: the client does not retry it (feature level 179).
func (c *Client) ScheduleMessage(ctx context.Context, to Addressee, content string, at int64) (int64, error) {
	form := params{"content": text(content), "scheduled_delivery_timestamp": at, "read_by_sender": true}.form()
	to.addTo(form)
	return c.create(ctx, "/scheduled_messages", form, neverRetry, "scheduled_message_id")
}

// ScheduledMessageUpdate holds what an update changes; what is nil is not sent.
type ScheduledMessageUpdate struct {
	To        *Addressee
	Content   *string
	DeliverAt *int64
}

// Empty reports whether the update changes nothing, which the server refuses.
func (u *ScheduledMessageUpdate) Empty() bool {
	return u.To == nil && u.Content == nil && u.DeliverAt == nil
}

// UpdateScheduledMessage changes a message that is not delivered yet (feature level
// 184). A recipient is sent whole: the server stores a topic alone as it is, and a
// kind of message needs its recipients (server-behavior §M11).
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

// IsDelivered reports whether a scheduled message cannot be changed any more because
// it was sent.
func IsDelivered(err error) bool { return IsMessage(err, "Scheduled message was already sent") }

func scheduledMessagePath(id int64) string { return itemPath("/scheduled_messages", id) }
