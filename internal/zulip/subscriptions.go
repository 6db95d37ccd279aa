package zulip

import (
	"context"
	"encoding/json"
	"fmt"
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

// Subscription is the account's own view of a channel it is in
// (https://zulip.com/api/update-subscription-settings). A notification that is nil is as
// the account has it for all channels.
type Subscription struct {
	ChannelID              int64  `json:"stream_id"`
	Color                  string `json:"color"`
	IsMuted                bool   `json:"is_muted"`
	PinToTop               bool   `json:"pin_to_top"`
	DesktopNotifications   *bool  `json:"desktop_notifications"`
	AudibleNotifications   *bool  `json:"audible_notifications"`
	PushNotifications      *bool  `json:"push_notifications"`
	EmailNotifications     *bool  `json:"email_notifications"`
	WildcardMentionsNotify *bool  `json:"wildcard_mentions_notify"`
}

// SubscriptionProperty is one change of the account's own settings of a channel.
// Value is a bool, or a string for color.
type SubscriptionProperty struct {
	ChannelID int64  `json:"stream_id"`
	Property  string `json:"property"`
	Value     any    `json:"value"`
}

// Subscriptions reads the channels that the account is in.
func (c *Client) Subscriptions(ctx context.Context) ([]*Subscription, error) {
	return list[Subscription](ctx, c, "/users/me/subscriptions", nil, "subscriptions")
}

// SetSubscriptionProperties changes the account's own settings of channels. They are
// changed one by one: what comes before a failure stays (server-behavior §S7).
func (c *Client) SetSubscriptionProperties(ctx context.Context, properties []SubscriptionProperty) error {
	return c.do(ctx, http.MethodPost, "/users/me/subscriptions/properties", params{"subscription_data": properties}.form(), safeToRetry)
}

// DefaultChannelGroup is a named set of channels that new people may choose when they
// join (server-behavior §S9).
type DefaultChannelGroup struct {
	ID          int64   `json:"id"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	ChannelIDs  []int64 `json:"-"`
}

// UnmarshalJSON reads the object.
func (g *DefaultChannelGroup) UnmarshalJSON(data []byte) error {
	type plain DefaultChannelGroup
	wire := struct {
		*plain
		Streams channelIDs `json:"streams"`
	}{plain: (*plain)(g)}
	if err := json.Unmarshal(data, &wire); err != nil {
		return fmt.Errorf("default channel group: %w", err)
	}
	g.ChannelIDs = wire.Streams
	return nil
}

// CreateDefaultChannelGroup creates a group. The server does not tell its ID, and refuses a
// second one of the same name: with 500 if the description is another.
func (c *Client) CreateDefaultChannelGroup(ctx context.Context, name, description string, channels []string) error {
	return c.do(ctx, http.MethodPost, "/default_stream_groups/create", params{
		"group_name":   text(name),
		"description":  text(description),
		"stream_names": channels,
	}.form(), neverRetry)
}

// UpdateDefaultChannelGroup changes the name and the description; empty leaves one unchanged.
// The name is changed first, and the same name again is refused.
func (c *Client) UpdateDefaultChannelGroup(ctx context.Context, id int64, name, description string) error {
	return c.do(ctx, http.MethodPatch, defaultGroupPath(id), params{
		"new_group_name":  when(name != "", text(name)),
		"new_description": when(description != "", text(description)),
	}.form(), neverRetry)
}

// AddToDefaultChannelGroup puts channels into a group, one after the other. One that is in
// it already is refused.
func (c *Client) AddToDefaultChannelGroup(ctx context.Context, id int64, channels []string) error {
	return c.changeDefaultChannelGroup(ctx, id, "add", channels)
}

// RemoveFromDefaultChannelGroup takes channels out of a group. One that is not in it
// refuses all.
func (c *Client) RemoveFromDefaultChannelGroup(ctx context.Context, id int64, channels []string) error {
	return c.changeDefaultChannelGroup(ctx, id, "remove", channels)
}

func (c *Client) changeDefaultChannelGroup(ctx context.Context, id int64, op string, channels []string) error {
	return c.do(ctx, http.MethodPatch, defaultGroupPath(id)+"/streams", params{"op": text(op), "stream_names": channels}.form(), neverRetry)
}

// DeleteDefaultChannelGroup deletes a group; its channels stay. One that no longer exists
// is not an error.
func (c *Client) DeleteDefaultChannelGroup(ctx context.Context, id int64) error {
	return c.remove(ctx, defaultGroupPath(id), says(fmt.Sprintf("Default channel group with id '%d' does not exist.", id)))
}

func defaultGroupPath(id int64) string { return itemPath("/default_stream_groups", id) }
