package zulip

import (
	"context"
	"net/http"
)

// Topic is a topic of a channel.
type Topic struct {
	Name string `json:"name"`
	// MaxID is the ID of its last message.
	MaxID int64 `json:"max_id"`
}

// Topics reads the topics of a channel, the one with the newest message first. In a
// private channel with protected history they are those of which the account has
// received a message (server-behavior §C21).
func (c *Client) Topics(ctx context.Context, channel int64) ([]Topic, error) {
	form := params{"allow_empty_topic_name": true}.form()
	return sendFor[[]Topic](ctx, c, http.MethodGet, itemPath("/users/me", channel)+"/topics", form, safeToRetry, "topics")
}
