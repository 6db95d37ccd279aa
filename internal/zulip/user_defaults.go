package zulip

import (
	"context"
	"net/http"
)

// UpdateUserDefaults changes the settings that new accounts start with; accounts that exist keep theirs
// (server-behavior §O8).
func (c *Client) UpdateUserDefaults(ctx context.Context, form *Form) (*Answer, error) {
	return c.send(ctx, http.MethodPatch, "/realm/user_settings_defaults", form, safeToRetry, nil)
}
