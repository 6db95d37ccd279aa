package zulip

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Role is the role of a person or bot in the organization, in the API's numbering
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
	// Email is the API address: the real one if the caller can see it, otherwise a generated one.
	Email string `json:"email"`
	// DeliveryEmail is the real address; nil if the caller cannot see it.
	DeliveryEmail *string `json:"delivery_email"`
	FullName      string  `json:"full_name"`
	Role          Role    `json:"role"`
	Timezone      string  `json:"timezone"`
	DateJoined    string  `json:"date_joined"`
	// IsActive is false for deactivated users. It is also correct for rows of /register, which lack the field: the list
	// that contains a row determines it.
	IsActive bool `json:"is_active"`
	// IsDeleted is true for a deactivated account that was deleted on the server and can never be reactivated. Servers
	// report it from feature level 490 on.
	IsDeleted bool `json:"is_deleted"`
	// IsImportedStub is true for an imported account that has never logged in. Servers report it from feature level 433 on.
	IsImportedStub bool    `json:"is_imported_stub"`
	IsBot          bool    `json:"is_bot"`
	BotType        *int64  `json:"bot_type"`
	BotOwnerID     *int64  `json:"bot_owner_id"`
	IsSystemBot    bool    `json:"is_system_bot"`
	AvatarURL      *string `json:"avatar_url"`
	// ProfileData holds the custom profile fields by field ID, if they were requested. The value is the stored text.
	ProfileData map[string]ProfileValue `json:"profile_data"`
}

// ProfileValue is a person's value of one custom profile field.
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

// HidesEmail reports whether the caller cannot see the real address.
func (u *User) HidesEmail() bool { return u.DeliveryEmail == nil || *u.DeliveryEmail == "" }

// Address returns the address to show to people: the real one if it is visible, otherwise the API address.
func (u *User) Address() string {
	if u.HidesEmail() {
		return u.Email
	}
	return *u.DeliveryEmail
}

// Me returns the account that the client uses.
func (c *Client) Me(ctx context.Context) (*User, error) {
	var me User
	if _, err := c.send(ctx, http.MethodGet, "/users/me", nil, safeToRetry, &me); err != nil {
		return nil, err
	}
	return &me, nil
}

// Users returns all users, deactivated people and bots included. Custom profile fields must be requested
// (https://zulip.com/api/get-users).
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

// UserByEmail returns one person or bot by address: the real one if the caller can see it, or the API address
// (server-behavior §U2).
func (c *Client) UserByEmail(ctx context.Context, email string) (*User, error) {
	return c.user(ctx, url.PathEscape(email))
}

func (c *Client) user(ctx context.Context, key string) (*User, error) {
	return one[User](ctx, c, "/users/"+key, params{"client_gravatar": false, "include_custom_profile_fields": true}.form(), "user")
}

// NewUser is a person's account to create (server-behavior §U4). Its role is member; no call creates another role.
type NewUser struct{ Email, FullName, Password string }

// CreateUser creates an account and returns its ID. It requires the role of an administrator and a permission from the
// server's shell. The server refuses an address that has an account with `Email is already in use.`, so a repeated call
// creates no second account.
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
	// NewEmail is the real address. It requires a permission from the server's shell.
	NewEmail *string
}

// ProfileChange is the new value of one custom profile field: a string, or a list of IDs for a field that holds people. An
// empty value clears the field.
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

// UpdateUserByEmail changes the user with an email: the real one if the caller's role can see it, or the API email. It is
// sent once, because after a wait another user may have the email ([Client.Retry]).
func (c *Client) UpdateUserByEmail(ctx context.Context, email string, update UserUpdate) error {
	return c.do(ctx, http.MethodPatch, "/users/"+url.PathEscape(email), update.form(), sendOnce)
}

// Deactivation holds the options of a deactivation.
type Deactivation struct {
	// Comment is the text of the email to the person. nil sends none.
	Comment *string
	// Actions are the additional deletions, which include the person's bots. Below feature level 459 the server ignores
	// them.
	Actions DeactivationActions
}

// DeactivationActions are the permanent deletions of a deactivation (https://zulip.com/api/deactivate-user).
type DeactivationActions struct {
	DeleteProfile                bool `json:"delete_profile,omitempty"`
	DeletePublicChannelMessages  bool `json:"delete_public_channel_messages,omitempty"`
	DeletePrivateChannelMessages bool `json:"delete_private_channel_messages,omitempty"`
	DeleteDirectMessages         bool `json:"delete_direct_messages,omitempty"`
}

// DeactivateUser deactivates a person. If the person is deactivated already, already is true and this request has deleted
// nothing, though an earlier one with a lost answer may have. Use [Client.DeactivateBot] for bots, which this call does not
// find.
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

// ReactivateUser reactivates a person or bot. The call can be repeated for a person. The server refuses an active bot,
// because the bot itself has the name (server-behavior §U10).
func (c *Client) ReactivateUser(ctx context.Context, id int64) error {
	return c.do(ctx, http.MethodPost, userPath(id)+"/reactivate", nil, safeToRetry)
}

// IsNoUser reports whether the user does not exist, or is hidden from the account.
func IsNoUser(err error) bool { return IsMessage(err, "No such user") }

// IsDeactivated reports whether a person is deactivated.
func IsDeactivated(err error) bool { return IsMessage(err, "User is deactivated") }

func userPath(id int64) string { return itemPath("/users", id) }

// MaxStatusLength is the maximum length of a status text, in characters (server-behavior §U11).
const MaxStatusLength = 60

// Status is a person's status (server-behavior §U11). Unset parts are empty.
type Status struct {
	Text         string `json:"status_text"`
	EmojiName    string `json:"emoji_name"`
	EmojiCode    string `json:"emoji_code"`
	ReactionType string `json:"reaction_type"`
}

// StatusUpdate is a change of a status. nil leaves a part unchanged, and an empty text or emoji name clears it.
type StatusUpdate struct {
	Text      *string
	EmojiName *string
	// EmojiCode and ReactionType belong to a name. The server finds them by the name if they are nil.
	EmojiCode, ReactionType *string
}

func (u *StatusUpdate) form() *Form {
	return params{
		"status_text":   (*text)(u.Text),
		"emoji_name":    (*text)(u.EmojiName),
		"emoji_code":    (*text)(u.EmojiCode),
		"reaction_type": (*text)(u.ReactionType),
	}.form()
}

// Status reads the status of an active person. The server answers `No such user` for bots, which have none. Servers have it
// from feature level 262 on.
func (c *Client) Status(ctx context.Context, userID int64) (Status, error) {
	return sendFor[Status](ctx, c, http.MethodGet, userPath(userID)+"/status", nil, safeToRetry, "status")
}

// SetOwnStatus changes the status of the account itself, which must belong to a person.
func (c *Client) SetOwnStatus(ctx context.Context, update StatusUpdate) error {
	return c.do(ctx, http.MethodPost, "/users/me/status", update.form(), safeToRetry)
}

// SetStatus changes the status of another person. The account must be a person's and an administrator's. Servers have it
// from feature level 407 on.
func (c *Client) SetStatus(ctx context.Context, userID int64, update StatusUpdate) error {
	return c.do(ctx, http.MethodPost, userPath(userID)+"/status", update.form(), safeToRetry)
}

// SettingsTarget selects the users for [Client.UpdateSettingsOf].
type SettingsTarget struct {
	// Users are people by ID, active or not. Groups are user groups, including their indirect members.
	Users  []int64 `json:"user_ids"`
	Groups []int64 `json:"group_ids"`
	// SkipEdited skips each setting that a person has ever changed themselves.
	SkipEdited bool `json:"skip_if_already_edited"`
}

// UpdateSettingsOf changes personal settings of people (https://zulip.com/api/update-settings). It requires an
// administrator who is not a bot. Do not call it below feature level 444: such servers ignore the target and change the
// settings of the calling account.
func (c *Client) UpdateSettingsOf(ctx context.Context, target SettingsTarget, settings *Form) (*Answer, error) {
	form := settings.clone()
	// The server takes no null for a list.
	form.JSON("target_users", SettingsTarget{
		Users: append([]int64{}, target.Users...), Groups: append([]int64{}, target.Groups...), SkipEdited: target.SkipEdited,
	})
	return c.send(ctx, http.MethodPatch, "/settings", form, safeToRetry, nil)
}

// UpdateUserDefaults changes the settings that new accounts start with; accounts that exist keep theirs
// (server-behavior §O8).
func (c *Client) UpdateUserDefaults(ctx context.Context, form *Form) (*Answer, error) {
	return c.send(ctx, http.MethodPatch, "/realm/user_settings_defaults", form, safeToRetry, nil)
}
