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

// UpdateFlags changes the account's own flag of some messages. It returns the
// channels whose messages stayed read because the account is not in them. The
// server does not say which messages changed (server-behavior §M6).
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

// MarkTopicAsRead marks what the account has not read of a topic. A topic without a
// name, and `general chat`, which the server takes for it, mark the whole channel
// (server-behavior §M7).
func (c *Client) MarkTopicAsRead(ctx context.Context, channel int64, topic string) error {
	return c.do(ctx, http.MethodPost, "/mark_topic_as_read", params{"stream_id": channel, "topic_name": text(topic)}.form(), safeToRetry)
}
