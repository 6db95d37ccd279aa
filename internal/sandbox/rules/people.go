package rules

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"strings"
	"time"
)

// Roles as the API numbers them (https://zulip.com/api/roles-and-permissions).
const (
	RoleOwner         = 100
	RoleAdministrator = 200
	RoleModerator     = 300
	RoleMember        = 400
	RoleGuest         = 600
)

// Visibilities of a person's real address (https://zulip.com/api/update-realm-user-settings-defaults,
// email_address_visibility).
const (
	EmailVisibleToEveryone   = 1
	EmailVisibleToMembers    = 2
	EmailVisibleToAdmins     = 3
	EmailVisibleToNobody     = 4
	EmailVisibleToModerators = 5
)

// Bot types (https://zulip.com/api/get-user).
const (
	BotGeneric         = 1
	BotIncomingWebhook = 2
	BotOutgoingWebhook = 3
	BotEmbedded        = 4
)

// Host is the default domain of generated addresses ([Realm.Host] replaces it). Generated addresses belong to people with a
// hidden address, and to bots.
const Host = "zulip.example.com"

// User is a person or a bot.
type User struct {
	ID int `json:"id"`
	// Account is the name of the account in the configuration; "" for accounts created later.
	Account  string `json:"account,omitempty"`
	Email    string `json:"email"` // the real ("delivery") address
	FullName string `json:"full_name"`
	Role     int    `json:"role"`
	Active   bool   `json:"active"`
	Deleted  bool   `json:"deleted,omitempty"` // implies not active
	APIKey   string `json:"api_key"`
	// PasswordHash is empty for accounts without a password.
	PasswordHash []byte `json:"password_hash,omitempty"`

	IsBot      bool `json:"is_bot,omitempty"`
	BotType    int  `json:"bot_type,omitempty"`
	BotOwnerID int  `json:"bot_owner_id,omitempty"` // 0: none

	EmailVisibility int       `json:"email_visibility"`
	Timezone        string    `json:"timezone,omitempty"`
	DateJoined      time.Time `json:"date_joined"`
	// AvatarVersion is 1 at first, and grows with every upload and removal, even without a picture (server-behavior §U22).
	AvatarVersion int `json:"avatar_version"`
	// AvatarUpload is the name of the last uploaded picture; "": none.
	AvatarUpload string `json:"avatar_upload,omitempty"`

	// ProfileData holds the person's values of custom profile fields by field.
	ProfileData map[int]string `json:"profile_data,omitempty"`

	// Permissions that only the server's shell grants (server-behavior §U4).
	CanCreateUsers      bool `json:"can_create_users,omitempty"`
	CanChangeUserEmails bool `json:"can_change_user_emails,omitempty"`

	// Imported is true for an imported account that has never logged in.
	Imported bool `json:"imported,omitempty"`
	// Dummy is the generated address; "": the one from the id and [Host].
	Dummy string `json:"dummy,omitempty"`
}

// IsOwner reports whether the role is owner. Bots can have it.
func (u User) IsOwner() bool { return u.Role == RoleOwner }

// IsAdmin reports whether the role is administrator or owner. Bots can have it.
func (u User) IsAdmin() bool { return u.Role == RoleOwner || u.Role == RoleAdministrator }

// IsGuest reports whether the role is guest.
func (u User) IsGuest() bool { return u.Role == RoleGuest }

// APIEmail is the address of the account in the API: the real one if everyone can see it, otherwise a generated address
// (server-behavior §U1).
func (u User) APIEmail() string {
	if u.EmailVisibility == EmailVisibleToEveryone {
		return u.Email
	}
	return cmp.Or(u.Dummy, dummyOf(u.ID, Host))
}

func dummyOf(id int, host string) string { return fmt.Sprintf("user%d@%s", id, host) }

// EmailVisibleTo reports whether viewer can see the real address of u.
func (u User) EmailVisibleTo(viewer User) bool {
	if u.ID == viewer.ID {
		return true
	}
	return u.emailVisibleToRole(viewer.Role)
}

func (u User) emailVisibleToRole(role int) bool {
	switch u.EmailVisibility {
	case EmailVisibleToEveryone:
		return true
	case EmailVisibleToMembers:
		return role != RoleGuest
	case EmailVisibleToAdmins:
		return role == RoleOwner || role == RoleAdministrator
	case EmailVisibleToModerators:
		return role <= RoleModerator
	default:
		return false
	}
}

// peopleIndex finds people by their real address.
type peopleIndex struct {
	byEmail map[string]int
}

func (o *Organization) indexPeople() {
	o.people.byEmail = map[string]int{}
	o.Users.index(func(id int, before, after *User) {
		if before != nil {
			delete(o.people.byEmail, strings.ToLower(before.Email))
		}
		if after != nil {
			o.people.byEmail[strings.ToLower(after.Email)] = id
		}
	})
}

// AddUser stores a new active account with a fresh id and API key. It checks nothing, because the rules of POST /users and
// POST /bots come before it.
func (o *Organization) AddUser(u User) User {
	u.ID = o.Users.NextID()
	u.Active = true
	u.APIKey = NewAPIKey()
	u.DateJoined = o.now().UTC()
	u.AvatarVersion = 1
	switch {
	case u.IsBot:
		u.EmailVisibility = EmailVisibleToEveryone // a bot's address is no secret
		if u.BotType == 0 {
			u.BotType = BotGeneric
		}
	case u.EmailVisibility == 0:
		u.EmailVisibility = o.defaultEmailVisibility()
	}
	if host := o.Host(); host != Host {
		u.Dummy = dummyOf(u.ID, host)
	}
	o.Users.Put(u.ID, u)
	if defaults, changed := o.UserDefaults.Get(userDefaultsID); changed && !u.IsBot {
		o.PersonalSettings.Put(u.ID, PersonalSettings{UserDefaults: defaults})
	}
	return u
}

// UserByEmail finds an account by its real address, in any case.
func (o *Organization) UserByEmail(email string) (User, bool) {
	id, ok := o.people.byEmail[strings.ToLower(email)]
	if !ok {
		return User{}, false
	}
	return o.Users.Get(id)
}

// UserByAPIEmail finds an account by its address in the API.
func (o *Organization) UserByAPIEmail(email string) (User, bool) {
	if id, ok := o.dummyAddress(email); ok {
		u, ok := o.Users.Get(id)
		if ok && u.APIEmail() == strings.ToLower(email) {
			return u, true
		}
	}
	u, ok := o.UserByEmail(email)
	return u, ok && u.EmailVisibility == EmailVisibleToEveryone
}

// UserByAddress finds an account like GET /users/{email} does: by the generated address, or by the real one if the viewer's
// role can see it (server-behavior §U2).
func (o *Organization) UserByAddress(viewer User, email string) (User, error) {
	if id, ok := o.dummyAddress(email); ok {
		return o.AnyUser(id)
	}
	u, ok := o.UserByEmail(email)
	if !ok || !u.emailVisibleToRole(viewer.Role) {
		return User{}, errNoSuchUser
	}
	return u, nil
}

// AnyUser returns a person or bot, active or not.
func (o *Organization) AnyUser(id int) (User, error) {
	u, ok := o.Users.Get(id)
	if !ok {
		return User{}, errNoSuchUser
	}
	return u, nil
}

// ActiveHuman returns an active person, and no bots.
func (o *Organization) ActiveHuman(id int) (User, error) {
	u, ok := o.Users.Get(id)
	switch {
	case !ok || u.IsBot:
		return User{}, errNoSuchUser
	case !u.Active:
		return User{}, errUserDeactivated
	}
	return u, nil
}

// DeactivateUser ends a person's access (server-behavior §U9). It also deactivates the person's bots. Memberships, settings
// and subscriptions keep the person, hidden until a reactivation.
func (o *Organization) DeactivateUser(actor User, id int) error {
	return o.DeactivateAndDelete(actor, id, Deletions{})
}

// Deletions are the additional deletions of a deactivation: first for the person's bots, then for the person
// (https://zulip.com/api/deactivate-user).
type Deletions struct{ Profile, PublicChannels, PrivateChannels, DirectMessages bool }

// DeactivateAndDelete is DeactivateUser with deletions.
func (o *Organization) DeactivateAndDelete(actor User, id int, what Deletions) error {
	u, ok := o.Users.Get(id)
	if !ok || u.IsBot {
		return errNoSuchUser
	}
	switch {
	case !u.Active:
		return errUserDeactivated
	case !actor.IsAdmin():
		return errInsufficientPermission
	case u.IsOwner() && !actor.IsOwner():
		return ErrMustBeOwner
	case o.isLastOwner(u):
		return Refuse("Cannot deactivate the only organization owner")
	}
	for _, bot := range o.BotsOf(id) {
		if bot.Active {
			o.deleteOf(bot, what)
		}
	}
	o.deleteOf(u, what)
	u, _ = o.Users.Get(id)
	o.deactivate(u)
	return nil
}

// deletedName is the name of a person after the profile was deleted.
const deletedName = "Deleted user"

func (o *Organization) deleteOf(u User, what Deletions) {
	var ids []int
	for id, m := range o.Messages.All() {
		ch, _ := o.Channels.Get(m.ChannelID)
		if m.SenderID == u.ID && (m.Direct() && what.DirectMessages ||
			!m.Direct() && ch.Private && what.PrivateChannels || !m.Direct() && !ch.Private && what.PublicChannels) {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		o.Messages.Delete(id)
	}
	if what.Profile {
		u.FullName = deletedName
		u.AvatarVersion++
		o.Users.Put(u.ID, u)
	}
}

// DeleteUser is the server's command delete_user, which the API does not offer. It removes the messages, and leaves a
// deactivated account without the person's name and address.
func (o *Organization) DeleteUser(id int) {
	u, ok := o.Users.Get(id)
	if !ok {
		return
	}
	o.deleteOf(u, Deletions{PublicChannels: true, PrivateChannels: true, DirectMessages: true})
	u.Deleted, u.FullName = true, fmt.Sprintf("%s %d", deletedName, id)
	u.Email = fmt.Sprintf("deleteduser%d@%s", id, o.Host())
	u.AvatarVersion++
	o.deactivate(u)
}

// DeactivateSelf deactivates the actor. The last owner and the last person cannot.
func (o *Organization) DeactivateSelf(actor User) error {
	var who string
	switch {
	case o.isLastOwner(actor):
		who = "organization owner"
	case o.isLastPerson(actor):
		who = "user"
	default:
		o.deactivate(actor)
		return nil
	}
	return &Error{
		Code:  "CANNOT_DEACTIVATE_LAST_USER",
		Msg:   fmt.Sprintf("Cannot deactivate the only %s.", who),
		Extra: map[string]any{"is_last_owner": o.isLastOwner(actor), "entity": who},
	}
}

func (o *Organization) deactivate(u User) {
	u.Active = false
	o.Users.Put(u.ID, u)
	var bots []User
	for _, b := range o.Users.All() {
		if b.IsBot && b.Active && b.BotOwnerID == u.ID {
			bots = append(bots, b)
		}
	}
	for _, b := range bots {
		b.Active = false
		o.Users.Put(b.ID, b)
	}
	o.expireInvitations(u.ID)
}

// ReactivateUser reactivates a person or bot (server-behavior §U10). A person can be reactivated twice; an active bot
// collides with its own name.
func (o *Organization) ReactivateUser(actor User, id int) error {
	u, err := o.AdministeredUser(actor, id)
	if err != nil {
		return err
	}
	if u.Deleted {
		return Refuse("Cannot reactivate a deleted user") // the server generates the text
	}
	if u.IsBot {
		if err := o.checkMayCreateBot(actor, u.BotType); err != nil {
			return err
		}
		if o.activeNameTaken(u.FullName) {
			return Refuse("There is already an active bot named \"%s\" in this organization. To reactivate this bot, you must rename or deactivate the other one first.", u.FullName)
		}
		if owner, ok := o.Users.Get(u.BotOwnerID); !ok || !owner.Active {
			u.BotOwnerID = actor.ID
		}
	}
	if !u.Active {
		u.Active = true
		o.Users.Put(u.ID, u)
	}
	return nil
}

// isLastOwner reports whether u is a human owner and only one active human owner exists. Owner bots do not count.
func (o *Organization) isLastOwner(u User) bool {
	if u.IsBot || !u.IsOwner() {
		return false
	}
	owners := 0
	for _, other := range o.Users.All() {
		if other.IsOwner() && other.Active && !other.IsBot {
			owners++
		}
	}
	return owners <= 1
}

// isLastPerson reports whether u is the only active person.
func (o *Organization) isLastPerson(u User) bool {
	for id, other := range o.Users.All() {
		if id != u.ID && other.Active && !other.IsBot {
			return false
		}
	}
	return !u.IsBot
}

// dummyAddress reads the id from a generated address.
func (o *Organization) dummyAddress(email string) (int, bool) {
	local, host, ok := strings.Cut(strings.ToLower(email), "@")
	if !ok || host != o.Host() {
		return 0, false
	}
	var id int
	if _, err := fmt.Sscanf(local, "user%d", &id); err != nil || fmt.Sprintf("user%d", id) != local {
		return 0, false
	}
	return id, true
}

const keyAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// NewAPIKey returns 32 random letters and digits. It draws bytes again that would favor the first letters of the alphabet.
func NewAPIKey() string {
	const unbiased = 256 - 256%len(keyAlphabet)
	key := make([]byte, 0, 32)
	for len(key) < cap(key) {
		var b [1]byte
		_, _ = rand.Read(b[:]) // crypto/rand never returns an error
		if int(b[0]) < unbiased {
			key = append(key, keyAlphabet[int(b[0])%len(keyAlphabet)])
		}
	}
	return string(key)
}
