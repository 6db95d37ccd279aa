package zulip

import (
	"context"
	"fmt"
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
	form := &Form{}
	form.JSON("allow_empty_topic_name", true)
	var answer struct {
		Topics []Topic `json:"topics"`
	}
	_, err := c.send(ctx, http.MethodGet, fmt.Sprintf("/users/me/%d/topics", channel), form, safeToRetry, &answer)
	return answer.Topics, err
}
