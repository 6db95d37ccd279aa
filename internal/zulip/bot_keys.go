package zulip

import (
	"context"
	"net/http"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// BotAPIKey reads the API key of a bot. The server gives it to the bot's owner and to administrators, and has the call from
// feature level 463 on.
func (c *Client) BotAPIKey(ctx context.Context, id int64) (string, error) {
	return sendFor[string](ctx, c, http.MethodGet, botPath(id)+"/api_key", nil, safeToRetry, "api_key")
}

// BotKey is a bot with its API key, as servers below feature level 474 list it.
type BotKey struct {
	UserID   int64  `json:"user_id"`
	Email    string `json:"email"`
	FullName string `json:"full_name"`
	IsActive bool   `json:"is_active"`
	APIKey   string `json:"api_key"`
}

// BotKeys reads the bots whose keys the account may see: its own, and for
// administrators everybody's. They are kept nowhere. From feature level 474 on
// the list holds no keys: [Client.BotAPIKey] reads one.
func (c *Client) BotKeys(ctx context.Context) ([]*BotKey, error) {
	form := params{
		"event_types":         []string{},
		"fetch_event_types":   []string{FetchBots},
		"client_capabilities": clientCapabilities,
	}.form()
	var answer struct {
		QueueID string    `json:"queue_id"`
		Bots    []*BotKey `json:"realm_bots"`
	}
	if _, err := c.send(ctx, http.MethodPost, "/register", form, safeToRetry, &answer); err != nil {
		return nil, err
	}
	if err := c.DeleteQueue(ctx, answer.QueueID); err != nil {
		// The server drops an idle queue by itself after ten minutes.
		tflog.Warn(ctx, "Could not close the event queue", map[string]any{"error": err.Error()})
	}
	return withoutNull(answer.Bots), nil
}
