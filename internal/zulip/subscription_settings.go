package zulip

import (
	"context"
	"net/http"
)

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
