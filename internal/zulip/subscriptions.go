package zulip

import (
	"context"
	"net/http"
)

// Unsubscribe takes users out of a channel, which it names, because this endpoint
// knows no IDs (wire-1 §5.3). Who is not in it is passed over; a deactivated user is
// an error of the whole call. Nobody is told.
func (c *Client) Unsubscribe(ctx context.Context, channel string, users []int64) error {
	form := &Form{}
	form.JSON("subscriptions", []string{channel})
	form.JSON("principals", users)
	_, err := c.send(ctx, http.MethodDelete, "/users/me/subscriptions", form, safe, nil)
	return err
}
