package zulip

import (
	"context"
	"errors"
	"net/http"
	"net/url"
)

// NewUser is a person's account to be created (server-behavior §U4). It is a member's; no call makes another kind.
type NewUser struct{ Email, FullName, Password string }

// CreateUser creates an account and returns its ID. It requires a permission that the server's
// shell grants, beside the role of an administrator. An address has one account, so a
// second call makes no second one: it is refused with `Email is already in use.`
func (c *Client) CreateUser(ctx context.Context, user NewUser) (int64, error) {
	id, err := c.create(ctx, "/users", params{
		"email":     text(user.Email),
		"full_name": text(user.FullName),
		"password":  text(user.Password),
	}.form(), neverRetry, "user_id")
	if err == nil && id == 0 {
		err = errors.New("POST /users: the answer holds no user_id")
	}
	return id, err
}

// UserUpdate is a change of a person or bot; nil leaves things unchanged. The server applies all of it or nothing
// (server-behavior §U6).
type UserUpdate struct {
	FullName *string
	Role     *Role
	// ProfileData holds the custom profile fields that change.
	ProfileData []ProfileChange
	// NewEmail is the real address. It requires a permission that the server's shell grants.
	NewEmail *string
}

// ProfileChange is the new value of one custom profile field: a string, or a list of
// IDs for a field that holds people. An empty one takes the value away.
type ProfileChange struct {
	ID    int64 `json:"id"`
	Value any   `json:"value"`
}

// Empty reports whether nothing changes.
func (u *UserUpdate) Empty() bool {
	return u.FullName == nil && u.Role == nil && len(u.ProfileData) == 0 && u.NewEmail == nil
}

func (u *UserUpdate) form() *Form {
	return params{
		"full_name":    (*text)(u.FullName),
		"role":         u.Role,
		"profile_data": when(len(u.ProfileData) > 0, u.ProfileData),
		"new_email":    (*text)(u.NewEmail),
	}.form()
}

// UpdateUser changes a person or bot, active or not.
func (c *Client) UpdateUser(ctx context.Context, id int64, update UserUpdate) error {
	return c.do(ctx, http.MethodPatch, userPath(id), update.form(), safeToRetry)
}

// UpdateUserByEmail changes whoever has an address: the real one where the caller's
// role may see it, or the API address. Servers have it from feature level 313 on. It is sent once:
// after a wait somebody else may have the address, see [Client.Retry].
func (c *Client) UpdateUserByEmail(ctx context.Context, email string, update UserUpdate) error {
	return c.do(ctx, http.MethodPatch, "/users/"+url.PathEscape(email), update.form(), sendOnce)
}

// Deactivation is how a person is deactivated.
type Deactivation struct {
	// Comment is the text of the e-mail to the person. There is none if it is nil.
	Comment *string
	// Actions are what is deleted beside, of the person's bots too. Below feature
	// level 459 the server ignores them.
	Actions DeactivationActions
}

// DeactivationActions say what a deactivation deletes permanently
// (https://zulip.com/api/deactivate-user).
type DeactivationActions struct {
	DeleteProfile                bool `json:"delete_profile,omitempty"`
	DeletePublicChannelMessages  bool `json:"delete_public_channel_messages,omitempty"`
	DeletePrivateChannelMessages bool `json:"delete_private_channel_messages,omitempty"`
	DeleteDirectMessages         bool `json:"delete_direct_messages,omitempty"`
}

// DeactivateUser deactivates a person. It is not an error if the person is deactivated already:
// already is true then, and this request has deleted nothing, though an earlier one whose
// answer was lost may have. Use [Client.DeactivateBot] for bots, which this call does not find.
func (c *Client) DeactivateUser(ctx context.Context, id int64, how Deactivation) (already bool, err error) {
	err = c.do(ctx, http.MethodDelete, userPath(id), params{
		"deactivation_notification_comment": (*text)(how.Comment),
		"actions":                           when(how.Actions != (DeactivationActions{}), how.Actions),
	}.form(), safeToRetry)
	if IsDeactivated(err) {
		return true, nil
	}
	return false, err
}

// ReactivateUser reactivates a person or bot. For a person it can be repeated; for an active bot
// the server refuses it, because the bot itself has the name (server-behavior §U10).
func (c *Client) ReactivateUser(ctx context.Context, id int64) error {
	return c.do(ctx, http.MethodPost, userPath(id)+"/reactivate", nil, safeToRetry)
}

// IsNoUser reports whether there is no such user, or none that the account may see.
func IsNoUser(err error) bool { return IsMessage(err, "No such user") }

// IsDeactivated reports whether a person is deactivated.
func IsDeactivated(err error) bool { return IsMessage(err, "User is deactivated") }

func userPath(id int64) string { return itemPath("/users", id) }
