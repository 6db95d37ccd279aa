package zulip

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// Subscribers returns the IDs of the people and bots in a channel, deactivated ones left
// out, in no order. The account has to know of the channel, which must not be archived;
// else the server answers 400 `Invalid channel ID` (wire-1 §5.10).
func (c *Client) Subscribers(ctx context.Context, channel int64) ([]int64, error) {
	var answer struct {
		Subscribers []int64 `json:"subscribers"`
	}
	path := fmt.Sprintf("/streams/%d/members", channel)
	if _, err := c.send(ctx, http.MethodGet, path, nil, safe, &answer); err != nil {
		return nil, err
	}
	return answer.Subscribers, nil
}

// AllSubscribers returns the same for every channel that the account knows of and that is
// not archived, by the ID of the channel, in one request (wire-2 §3). The server opens an
// event queue for it; [Client.DeleteQueue] closes it.
func (c *Client) AllSubscribers(ctx context.Context) (subscribers map[int64][]int64, queueID string, err error) {
	form := &Form{}
	form.JSON("event_types", []string{})
	form.JSON("fetch_event_types", []string{"subscription"})
	form.JSON("client_capabilities", clientCapabilities)
	form.Text("include_subscribers", "true")
	err = c.stream(ctx, http.MethodPost, "/register", form, safe, func(decoder *json.Decoder) error {
		subscribers, queueID = map[int64][]int64{}, ""
		return eachField(decoder, func(name string) error {
			switch name {
			case "queue_id":
				return decoder.Decode(&queueID)
			case "subscriptions", "unsubscribed", "never_subscribed":
				return decodeSubscribers(decoder, subscribers)
			}
			var passedOver json.RawMessage
			return decoder.Decode(&passedOver)
		})
	})
	return subscribers, queueID, err
}

// decodeSubscribers takes from a list of channels who is in them. A channel whose
// subscribers the account may not see comes without them, and is left out.
func decodeSubscribers(decoder *json.Decoder, all map[int64][]int64) error {
	var channels []struct {
		ID          int64   `json:"stream_id"`
		Subscribers []int64 `json:"subscribers"`
	}
	if err := decoder.Decode(&channels); err != nil {
		return err
	}
	for _, channel := range channels {
		if channel.Subscribers != nil {
			all[channel.ID] = channel.Subscribers
		}
	}
	return nil
}
