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

// ChannelSubscribers reads the IDs of the active people and bots in a channel, ascending. The server answers `Invalid
// channel ID` for an unknown channel and for one that the account cannot see. Below feature level 480 it does so for an
// archived channel too (https://zulip.com/api/get-subscribers).
func (c *Client) ChannelSubscribers(ctx context.Context, id int64) ([]int64, error) {
	subscribers, err := sendFor[[]int64](ctx, c, http.MethodGet, channelPath(id)+"/members", nil, safeToRetry, "subscribers")
	if err != nil {
		return nil, err
	}
	slices.Sort(subscribers)
	return orEmpty(subscribers), nil
}

// Subscribe subscribes users to a channel in one request, and returns those who were not subscribed before. It uses the
// channel's name, because the endpoint has no IDs. Callers must read the current name just before, and afterwards the
// subscribers of the channel. The request is sent once, because after a wait another channel may have the name
// ([Client.Retry]). The server refuses it if no channel has the name, and creates none (server-behavior §S1, §S2, §S3). It
// skips subscribed users. A deactivated user fails the whole call.
//
// notify sends each of them a message. Below [featurelevel.QuietSubscribing] the server always does. notified is false if
// messages were requested and the server sent none, because there are too many users.
func (c *Client) Subscribe(ctx context.Context, channel string, users []int64, notify bool, featureLevel int) (subscribed []int64, notified bool, err error) {
	form := params{
		"subscriptions": []map[string]string{{"name": channel}},
		"principals":    users,
		// No new channel can be both, so the server refuses to create one. It checks neither for an existing channel.
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

// Unsubscribe unsubscribes users from a channel, and returns how many were subscribed. Like [Client.Subscribe] it uses the
// channel's name and is sent once (server-behavior §S5). The server skips users who are not subscribed. A deactivated user
// fails the whole call. The server notifies no one.
func (c *Client) Unsubscribe(ctx context.Context, channel string, users []int64) (removed int, err error) {
	form := params{"subscriptions": []string{channel}, "principals": users}.form()
	were, err := sendFor[[]string](ctx, c, http.MethodDelete, "/users/me/subscriptions", form, sendOnce, "removed")
	return len(were), err
}

// Subscription is the account's own view of a subscribed channel (https://zulip.com/api/update-subscription-settings). A
// nil notification follows the account's setting for all channels.
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

// UnmarshalJSON reads the JSON form.
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

// CreateDefaultChannelGroup creates a group. The server does not return its ID. It refuses a second group with the name,
// with status 500 if the description differs.
func (c *Client) CreateDefaultChannelGroup(ctx context.Context, name, description string, channels []string) error {
	return c.do(ctx, http.MethodPost, "/default_stream_groups/create", params{
		"group_name":   text(name),
		"description":  text(description),
		"stream_names": channels,
	}.form(), neverRetry)
}

// UpdateDefaultChannelGroup changes the name and the description; empty leaves one unchanged. The server changes the name
// first, and refuses the current name.
func (c *Client) UpdateDefaultChannelGroup(ctx context.Context, id int64, name, description string) error {
	return c.do(ctx, http.MethodPatch, defaultGroupPath(id), params{
		"new_group_name":  when(name != "", text(name)),
		"new_description": when(description != "", text(description)),
	}.form(), neverRetry)
}

// AddToDefaultChannelGroup adds channels to a group, one after the other. The server refuses a channel that is in the group
// already.
func (c *Client) AddToDefaultChannelGroup(ctx context.Context, id int64, channels []string) error {
	return c.changeDefaultChannelGroup(ctx, id, "add", channels)
}

// RemoveFromDefaultChannelGroup removes channels from a group, all or none. The server refuses a channel that is not in the
// group.
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
