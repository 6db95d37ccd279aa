package zulip

import (
	"context"
	"net/http"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// BotKey is a bot with its API key (wire-2 §6.2).
type BotKey struct {
	UserID   int64  `json:"user_id"`
	Email    string `json:"email"`
	FullName string `json:"full_name"`
	IsActive bool   `json:"is_active"`
	APIKey   string `json:"api_key"`
}

// BotKeys reads the bots whose keys the account may see: its own, and for
// administrators everybody's. They are kept nowhere.
func (c *Client) BotKeys(ctx context.Context) ([]*BotKey, error) {
	form := &Form{}
	form.JSON("event_types", []string{})
	form.JSON("fetch_event_types", []string{FetchBots})
	form.JSON("client_capabilities", clientCapabilities)
	var answer struct {
		QueueID string    `json:"queue_id"`
		Bots    []*BotKey `json:"realm_bots"`
	}
	if _, err := c.send(ctx, http.MethodPost, "/register", form, safe, &answer); err != nil {
		return nil, err
	}
	if err := c.DeleteQueue(ctx, answer.QueueID); err != nil {
		// The server drops an idle queue by itself after ten minutes (wire-2 §3).
		tflog.Warn(ctx, "Could not close the event queue", map[string]any{"error": err.Error()})
	}
	return withoutNull(answer.Bots), nil
}
