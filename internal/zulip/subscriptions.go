package zulip

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// ChannelSubscribers reads who is in a channel: the IDs of the active people and bots,
// ascending. An unknown channel, and one that the account may not see, answer
// `Invalid channel ID`; below feature level 480 an archived one does too
// (https://zulip.com/api/get-subscribers).
func (c *Client) ChannelSubscribers(ctx context.Context, id int64) ([]int64, error) {
	subscribers, err := sendFor[[]int64](ctx, c, http.MethodGet, channelPath(id)+"/members", nil, safeToRetry, "subscribers")
	if err != nil {
		return nil, err
	}
	slices.Sort(subscribers)
	return orEmpty(subscribers), nil
}

// Subscribe subscribes users to a channel, all in one request, and returns those who were not subscribed before. It takes the
// channel's name, because the endpoint knows no IDs: read the current name just before, and afterwards who is subscribed to
// the channel. The request is sent once: after a wait another channel may have the name, see [Client.Retry]. It is refused
// if there is no channel of the name, and none is created (server-behavior §S1, §S2, §S3). Users who are subscribed already
// are skipped; a deactivated user fails the whole call.
//
// notify sends each of them a message. Below [featurelevel.QuietSubscribing] the server always
// does. notified is false if messages were requested and the server sent none, because there
// are too many users.
func (c *Client) Subscribe(ctx context.Context, channel string, users []int64, notify bool, featureLevel int) (subscribed []int64, notified bool, err error) {
	form := params{
		"subscriptions": []map[string]string{{"name": channel}},
		"principals":    users,
		// No new channel can be both: the server refuses to create one, and asks neither of a channel that exists.
		"invite_only":       true,
		"is_default_stream": true,
	}.form()
	if featureLevel == 0 || featureLevel >= featurelevel.QuietSubscribing {
		form.JSON("send_new_subscription_messages", notify)
	}
	answer := struct {
		Subscribed map[string][]string `json:"subscribed"`
		Told       bool                `json:"new_subscription_messages_sent"`
	}{Told: true} // absent unless notifications were requested
	if _, err = c.send(ctx, http.MethodPost, "/users/me/subscriptions", form, sendOnce, &answer); err != nil {
		return nil, false, err
	}
	for key := range answer.Subscribed {
		if id, err := strconv.ParseInt(key, 10, 64); err == nil {
			subscribed = append(subscribed, id)
		}
	}
	slices.Sort(subscribed)
	return subscribed, answer.Told, nil
}

// Unsubscribe unsubscribes users from a channel, and returns how many were subscribed. Like [Client.Subscribe] it takes the
// channel's name and is sent once (server-behavior §S5). Users who are not subscribed are skipped; a deactivated user fails
// the whole call. Nobody is notified.
func (c *Client) Unsubscribe(ctx context.Context, channel string, users []int64) (removed int, err error) {
	form := params{"subscriptions": []string{channel}, "principals": users}.form()
	were, err := sendFor[[]string](ctx, c, http.MethodDelete, "/users/me/subscriptions", form, sendOnce, "removed")
	return len(were), err
}
