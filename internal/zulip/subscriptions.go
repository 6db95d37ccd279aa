package zulip

import (
	"context"
	"net/http"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
)

// ChannelSubscribers reads who is in a channel: the IDs of the active people and bots,
// ascending. An unknown channel, and one that the account may not see, answer
// `Invalid channel ID`; below feature level 480 an archived one does too
// (https://zulip.com/api/get-subscribers).
func (c *Client) ChannelSubscribers(ctx context.Context, id int64) ([]int64, error) {
	answer := struct {
		Subscribers []int64 `json:"subscribers"`
	}{Subscribers: []int64{}}
	if _, err := c.send(ctx, http.MethodGet, channelPath(id)+"/members", nil, safeToRetry, &answer); err != nil {
		return nil, err
	}
	slices.Sort(answer.Subscribers)
	return answer.Subscribers, nil
}

// Subscribe subscribes users to a channel, all in one request. It takes the channel's name,
// because the endpoint knows no IDs, and creates a channel if there is none of that name:
// read the current name just before (server-behavior §S1, §S3). Users who are subscribed
// already are skipped; a deactivated user fails the whole call ([IsUserDeactivated]).
//
// notify sends each of them a message. Below [featurelevel.QuietSubscribing] the server always
// does. notified is false if messages were requested and the server sent none, because there
// are too many users.
func (c *Client) Subscribe(ctx context.Context, channel string, users []int64, notify bool, featureLevel int) (notified bool, err error) {
	form := &Form{}
	form.JSON("subscriptions", []map[string]string{{"name": channel}})
	form.JSON("principals", users)
	if featureLevel == 0 || featureLevel >= featurelevel.QuietSubscribing {
		form.JSON("send_new_subscription_messages", notify)
	}
	answer := struct {
		Told bool `json:"new_subscription_messages_sent"`
	}{Told: true} // absent unless notifications were requested
	_, err = c.send(ctx, http.MethodPost, "/users/me/subscriptions", form, safeToRetry, &answer)
	return answer.Told, err
}

// IsUserDeactivated reports whether a call was refused because it names somebody who is
// deactivated.
func IsUserDeactivated(err error) bool { return IsMessage(err, "User is deactivated") }

// Unsubscribe unsubscribes users from a channel. It takes the channel's name, because the
// endpoint knows no IDs (server-behavior §S5). Users who are not subscribed are skipped; a
// deactivated user fails the whole call. Nobody is notified.
func (c *Client) Unsubscribe(ctx context.Context, channel string, users []int64) error {
	form := &Form{}
	form.JSON("subscriptions", []string{channel})
	form.JSON("principals", users)
	_, err := c.send(ctx, http.MethodDelete, "/users/me/subscriptions", form, safeToRetry, nil)
	return err
}
