package zulip

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

// NewUser is a person's account to be created (server-behavior §U4). It is a member's; no call makes another kind.
type NewUser struct{ Email, FullName, Password string }

// CreateUser creates an account and returns its ID. It requires a permission that the server's
// shell grants, beside the role of an administrator. An address has one account, so a
// second call makes no second one: it is refused with `Email is already in use.`
func (c *Client) CreateUser(ctx context.Context, user NewUser) (int64, error) {
	form := &Form{}
	form.Text("email", user.Email)
	form.Text("full_name", user.FullName)
	form.Text("password", user.Password)
	var answer struct {
		ID int64 `json:"user_id"`
	}
	if _, err := c.send(ctx, http.MethodPost, "/users", form, neverRetry, &answer); err != nil {
		return 0, err
	}
	if answer.ID == 0 {
		return 0, fmt.Errorf("POST /users: the answer holds no user_id, which servers send from feature level 30 on")
	}
	return answer.ID, nil
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
	form := &Form{}
	if u.FullName != nil {
		form.Text("full_name", *u.FullName)
	}
	if u.Role != nil {
		form.JSON("role", int(*u.Role))
	}
	if len(u.ProfileData) > 0 {
		form.JSON("profile_data", u.ProfileData)
	}
	if u.NewEmail != nil {
		form.Text("new_email", *u.NewEmail)
	}
	return form
}

// UpdateUser changes a person or bot, active or not.
func (c *Client) UpdateUser(ctx context.Context, id int64, update UserUpdate) error {
	_, err := c.send(ctx, http.MethodPatch, userPath(id), update.form(), safeToRetry, nil)
	return err
}

// UpdateUserByEmail changes whoever has an address: the real one where the caller's
// role may see it, or the API address. Servers have it from feature level 313 on. It is sent once:
// after a wait somebody else may have the address, see [Client.Retry].
func (c *Client) UpdateUserByEmail(ctx context.Context, email string, update UserUpdate) error {
	_, err := c.send(ctx, http.MethodPatch, "/users/"+url.PathEscape(email), update.form(), sendOnce, nil)
	return err
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
	form := &Form{}
	if how.Comment != nil {
		form.Text("deactivation_notification_comment", *how.Comment)
	}
	if how.Actions != (DeactivationActions{}) {
		form.JSON("actions", how.Actions)
	}
	_, err = c.send(ctx, http.MethodDelete, userPath(id), form, safeToRetry, nil)
	if IsDeactivated(err) {
		return true, nil
	}
	return false, err
}

// ReactivateUser reactivates a person or bot. For a person it can be repeated; for an active bot
// the server refuses it, because the bot itself has the name (server-behavior §U10).
func (c *Client) ReactivateUser(ctx context.Context, id int64) error {
	_, err := c.send(ctx, http.MethodPost, userPath(id)+"/reactivate", nil, safeToRetry, nil)
	return err
}

// IsNoUser reports whether there is no such user, or none that the account may see.
func IsNoUser(err error) bool { return IsMessage(err, "No such user") }

// IsDeactivated reports whether a person is deactivated.
func IsDeactivated(err error) bool { return IsMessage(err, "User is deactivated") }

func userPath(id int64) string { return "/users/" + strconv.FormatInt(id, 10) }
