package zulip

import (
	"context"
	"net/http"
)

// TypingOperations are that somebody starts or stops to write.
var TypingOperations = []string{"start", "stop"}

// SendTyping shows others that the account starts or stops to write a message.
// Nothing is stored (https://zulip.com/api/set-typing-status).
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
