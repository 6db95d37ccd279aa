package zulip

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

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
