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
	if _, err := c.send(ctx, http.MethodGet, channelPath(id)+"/members", nil, safe, &answer); err != nil {
		return nil, err
	}
	slices.Sort(answer.Subscribers)
	return answer.Subscribers, nil
}

// Subscribe puts users into a channel, in one request for all. It names the channel,
// because this endpoint knows no IDs, and it makes a channel of a name that does not
// exist: read the name just before (server-behavior §S1, §S3). Who is in it already is
// passed over; a deactivated user is an error of the whole call ([IsUserDeactivated]).
//
// tell sends each of them a message. Below [featurelevel.QuietSubscribing] the server always
// does. told is false when it was asked to and did not, because they are too many.
func (c *Client) Subscribe(ctx context.Context, channel string, users []int64, tell bool, featureLevel int) (told bool, err error) {
	form := &Form{}
	form.JSON("subscriptions", []map[string]string{{"name": channel}})
	form.JSON("principals", users)
	if featureLevel == 0 || featureLevel >= featurelevel.QuietSubscribing {
		form.JSON("send_new_subscription_messages", tell)
	}
	answer := struct {
		Told bool `json:"new_subscription_messages_sent"`
	}{Told: true} // it says nothing about what was not asked of it
	_, err = c.send(ctx, http.MethodPost, "/users/me/subscriptions", form, safe, &answer)
	return answer.Told, err
}

// IsUserDeactivated reports whether a call was refused because it names somebody who is
// deactivated.
func IsUserDeactivated(err error) bool { return IsMessage(err, "User is deactivated") }

// Unsubscribe takes users out of a channel, which it names, because this endpoint
// knows no IDs (server-behavior §S5). Who is not in it is passed over; a deactivated user is
// an error of the whole call. Nobody is told.
func (c *Client) Unsubscribe(ctx context.Context, channel string, users []int64) error {
	form := &Form{}
	form.JSON("subscriptions", []string{channel})
	form.JSON("principals", users)
	_, err := c.send(ctx, http.MethodDelete, "/users/me/subscriptions", form, safe, nil)
	return err
}
