package zulip

import (
	"context"
	"net/http"
)

// NarrowTerm is one condition on messages (https://zulip.com/api/construct-narrow).
type NarrowTerm struct {
	Operator string `json:"operator"`
	// Operand is a text, a number or a list of numbers.
	Operand any  `json:"operand"`
	Negated bool `json:"negated,omitempty"`
}

// EditableFlags are the flags of messages an account can change.
var EditableFlags = []string{"read", "starred", "collapsed", "hide_link_previews"}

// FlagOperations are what can be done with a flag.
var FlagOperations = []string{"add", "remove"}

// FlagChange adds a flag to messages, or removes it.
type FlagChange struct {
	Operation, Flag string
}

func (f FlagChange) addTo(form *Form) {
	form.Text("op", f.Operation)
	form.Text("flag", f.Flag)
}

// UpdateFlags changes the account's own flag of some messages. It returns the
// channels whose messages stayed read because the account is not in them. The
// server does not say which messages changed (server-behavior §M6).
func (c *Client) UpdateFlags(ctx context.Context, messages []int64, change FlagChange) (ignored []int64, err error) {
	form := &Form{}
	form.JSON("messages", messages)
	change.addTo(form)
	var answer struct {
		Ignored []int64 `json:"ignored_because_not_subscribed_channels"`
	}
	_, err = c.send(ctx, http.MethodPost, "/messages/flags", form, safeToRetry, &answer)
	return answer.Ignored, err
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

// MaxFlagRange is how many messages one request changes at most: a wider range is
// made narrower silently (server-behavior §M6).
const MaxFlagRange = 5000

// FlagResult is how far one request came.
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
	form := &Form{}
	form.Text("anchor", messages.Anchor)
	form.JSON("include_anchor", messages.IncludeAnchor)
	form.JSON("num_before", messages.NumBefore)
	form.JSON("num_after", messages.NumAfter)
	narrow := messages.Narrow
	if narrow == nil {
		narrow = []NarrowTerm{} // required
	}
	form.JSON("narrow", narrow)
	change.addTo(form)
	var result FlagResult
	if _, err := c.send(ctx, http.MethodPost, "/messages/flags/narrow", form, safeToRetry, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

// MarkTopicAsRead marks what the account has not read of a topic. A topic without a
// name, and `general chat`, which the server takes for it, mark the whole channel
// (server-behavior §M7).
func (c *Client) MarkTopicAsRead(ctx context.Context, channel int64, topic string) error {
	form := &Form{}
	form.JSON("stream_id", channel)
	form.Text("topic_name", topic)
	_, err := c.send(ctx, http.MethodPost, "/mark_topic_as_read", form, safeToRetry, nil)
	return err
}
