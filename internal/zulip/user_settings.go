package zulip

import (
	"context"
	"net/http"
)

// SettingsTarget is whose settings an administrator changes.
type SettingsTarget struct {
	// Users are people by ID, active or not; Groups are user groups, whose members are meant at any depth.
	Users  []int64 `json:"user_ids"`
	Groups []int64 `json:"group_ids"`
	// SkipEdited leaves alone each setting that a person has ever changed themselves.
	SkipEdited bool `json:"skip_if_already_edited"`
}

// UpdateSettingsOf changes personal settings of people (https://zulip.com/api/update-settings). It requires an administrator
// who is not a bot. Do not call it below feature level 444: such servers ignore the target and change the settings of the
// calling account.
func (c *Client) UpdateSettingsOf(ctx context.Context, target SettingsTarget, settings *Form) (*Answer, error) {
	form := settings.clone()
	// The server takes no null for a list.
	form.JSON("target_users", SettingsTarget{
		Users: append([]int64{}, target.Users...), Groups: append([]int64{}, target.Groups...), SkipEdited: target.SkipEdited,
	})
	return c.send(ctx, http.MethodPatch, "/settings", form, safeToRetry, nil)
}
