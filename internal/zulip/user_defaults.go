package zulip

import (
	"context"
	"net/http"
)

// UpdateUserDefaults changes the settings that new accounts start with; accounts that exist keep theirs
// (server-behavior §O8). A parameter that the server does not know is ignored without an error.
func (c *Client) UpdateUserDefaults(ctx context.Context, form *Form) error {
	_, err := c.send(ctx, http.MethodPatch, "/realm/user_settings_defaults", form, safeToRetry, nil)
	return err
}
