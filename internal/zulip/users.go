package zulip

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Role is what a person or bot is in the organization, in the API's numbering
// (https://zulip.com/api/roles-and-permissions). A smaller number may do more.
type Role int

// The roles of the server.
const (
	RoleOwner         Role = 100
	RoleAdministrator Role = 200
	RoleModerator     Role = 300
	RoleMember        Role = 400
	RoleGuest         Role = 600
)

var roleNames = map[Role]string{
	RoleOwner: "owner", RoleAdministrator: "administrator", RoleModerator: "moderator",
	RoleMember: "member", RoleGuest: "guest",
}

// String returns the role as a word: owner, administrator, moderator, member, guest.
// A number this provider does not know is returned in digits.
func (r Role) String() string {
	if name, ok := roleNames[r]; ok {
		return name
	}
	return strconv.Itoa(int(r))
}

// ParseRole reads the word that [Role.String] writes.
func ParseRole(name string) (Role, bool) {
	for role, known := range roleNames {
		if known == name {
			return role, true
		}
	}
	return 0, false
}

// User is a person or a bot (https://zulip.com/api/get-users).
type User struct {
	ID int64 `json:"user_id"`
	// Email is the API address: the real one where the caller may see it, else a
	// dummy address of the server's making.
	Email string `json:"email"`
	// DeliveryEmail is the real address, nil where the caller may not see it.
	DeliveryEmail *string `json:"delivery_email"`
	FullName      string  `json:"full_name"`
	Role          Role    `json:"role"`
	Timezone      string  `json:"timezone"`
	DateJoined    string  `json:"date_joined"`
	// IsActive is false for the deactivated. Rows of /register lack it and say it by
	// the list they are in; this field is right there too.
	IsActive bool `json:"is_active"`
	// IsDeleted marks a deactivated account that was deleted on the server: it is
	// never reactivated. Servers say so from feature level 490 on.
	IsDeleted bool `json:"is_deleted"`
	// IsImportedStub marks an account that an import made for somebody who has never logged in. Servers say so from
	// feature level 433 on.
	IsImportedStub bool    `json:"is_imported_stub"`
	IsBot          bool    `json:"is_bot"`
	BotType        *int64  `json:"bot_type"`
	BotOwnerID     *int64  `json:"bot_owner_id"`
	IsSystemBot    bool    `json:"is_system_bot"`
	AvatarURL      *string `json:"avatar_url"`
	// ProfileData holds the custom profile fields by field ID, when they were asked
	// for. The value is the stored text.
	ProfileData map[string]ProfileValue `json:"profile_data"`
}

// ProfileValue is what a person has written in one custom profile field.
type ProfileValue struct {
	Value         string `json:"value"`
	RenderedValue string `json:"rendered_value"`
}

// Joined returns when the account was created; ok is false if the server does not tell.
func (u *User) Joined() (joined time.Time, ok bool) {
	for _, layout := range []string{"2006-01-02T15:04Z07:00", time.RFC3339} {
		if joined, err := time.Parse(layout, u.DateJoined); err == nil {
			return joined, true
		}
	}
	return time.Time{}, false
}

// Address returns the address that names the user to people: the real one where it
// is visible, else the API address.
func (u *User) Address() string {
	if u.DeliveryEmail != nil && *u.DeliveryEmail != "" {
		return *u.DeliveryEmail
	}
	return u.Email
}

// Me returns the account whose key the client uses.
func (c *Client) Me(ctx context.Context) (*User, error) {
	var me User
	if _, err := c.send(ctx, http.MethodGet, "/users/me", nil, safeToRetry, &me); err != nil {
		return nil, err
	}
	return &me, nil
}

// Users returns everybody, deactivated people and bots included; custom profile
// fields only when asked for (https://zulip.com/api/get-users).
func (c *Client) Users(ctx context.Context, withProfile bool) ([]*User, error) {
	form := params{"client_gravatar": false, "include_custom_profile_fields": when(withProfile, true)}.form()
	var users []*User
	err := c.stream(ctx, http.MethodGet, "/users", form, safeToRetry, func(decoder *json.Decoder) error {
		users = nil
		return onlyField(decoder, "members", func() error { return decodeList(decoder, &users) })
	})
	return users, err
}

// User returns one person or bot by ID, custom profile fields included. The server
// answers 400 `No such user` for an ID it does not know (server-behavior §U2).
func (c *Client) User(ctx context.Context, id int64) (*User, error) {
	return c.user(ctx, strconv.FormatInt(id, 10))
}

// UserByEmail returns one person or bot by address: the real one where the caller
// may see it, or the API address (server-behavior §U2).
func (c *Client) UserByEmail(ctx context.Context, email string) (*User, error) {
	return c.user(ctx, url.PathEscape(email))
}

func (c *Client) user(ctx context.Context, key string) (*User, error) {
	return one[User](ctx, c, "/users/"+key, params{"client_gravatar": false, "include_custom_profile_fields": true}.form(), "user")
}
