package rules

import (
	"slices"
	"strings"
)

// PersonalSettings are the settings of one person, as far as they were changed
// or were not the usual ones when the account was created; see UserSettings for
// the rest.
type PersonalSettings struct {
	UserDefaults
	// Edited are the names of those that the person changed.
	Edited map[string]bool `json:"edited,omitempty"`
}

// OthersSettings are whose settings an administrator changes.
type OthersSettings struct {
	Users, Groups []int
	// SkipEdited leaves alone what people have ever changed themselves.
	SkipEdited bool
}

// errNotForOthers refuses what people decide themselves.
var errNotForOthers = Refuse("Cannot change this setting for other users.")

// notForOthers are the settings that administrators cannot change for others.
var notForOthers = strings.Fields("allow_private_data_export email_address_visibility enable_digest_emails " +
	"enable_login_emails enable_marketing_emails presence_enabled send_private_typing_notifications " +
	"send_read_receipts send_stream_typing_notifications")

// UserSetting returns what a person has in one of UserSettings.
func (o *Organization) UserSetting(id int, s UserSetting) any {
	u, _ := o.Users.Get(id)
	switch s.Name {
	case emailVisibility:
		return u.EmailVisibility
	case Timezone:
		return u.Timezone
	}
	settings, _ := o.PersonalSettings.Get(id)
	return o.settingIn(settings.UserDefaults, s)
}

// Settings that are kept with the account.
const (
	Timezone        = "timezone"
	emailVisibility = "email_address_visibility"
)

// OwnChange is what people change of themselves; nil leaves things as they are.
type OwnChange struct {
	UserDefaults
	FullName, Email          *string
	OldPassword, NewPassword *string
}

// UpdateOwnSettings changes the person who asks, except for a new address, which
// has to be confirmed by e-mail (server-behavior §U20).
func (o *Organization) UpdateOwnSettings(actor User, change OwnChange) error {
	if err := change.check(); err != nil {
		return err
	}
	if change.NewPassword != nil {
		if change.OldPassword == nil || !actor.hasPassword(*change.OldPassword) {
			return Refuse("Wrong password!")
		}
		if err := checkPassword(*change.NewPassword, "New password is too weak!"); err != nil {
			return err
		}
		if err := o.SetPassword(actor.ID, *change.NewPassword); err != nil {
			return err
		}
		o.Commit()
		actor, _ = o.Users.Get(actor.ID)
	}
	if change.Email != nil {
		if err := o.checkNewAddress(actor, strings.TrimSpace(*change.Email)); err != nil {
			return err
		}
	}
	mayRename := actor.IsAdmin() || !o.Settings().NameChangesDisabled
	if change.FullName != nil && *change.FullName != actor.FullName && mayRename {
		var err error
		if actor.FullName, err = o.checkFullName(*change.FullName, actor.ID); err != nil {
			return err
		}
	}
	if visibility, ok := change.Numbers[emailVisibility]; ok {
		actor.EmailVisibility = visibility
	}
	if zone, ok := change.Texts[Timezone]; ok {
		actor.Timezone = zone
	}
	o.Users.Put(actor.ID, actor)
	o.changeSettings(actor.ID, change.UserDefaults, true)
	return nil
}

// checkNewAddress refuses an address that a person cannot change to.
func (o *Organization) checkNewAddress(actor User, address string) error {
	if address == actor.Email {
		return nil
	}
	if o.Settings().EmailChangesDisabled && !actor.IsAdmin() {
		return Refuse("Email address changes are disabled in this organization.")
	}
	problem := o.addressProblem(address)
	if problem == "" {
		problem, _ = o.addressTaken(address)
	}
	if problem != "" {
		return Refuse("%s", problem)
	}
	return nil
}

// UpdateSettingsOf changes settings of others, whether they are active or not.
// Bots have none. The sound and the period of e-mails are not checked, as on a
// real server.
func (o *Organization) UpdateSettingsOf(actor User, whose OthersSettings, change UserDefaults) error {
	if !actor.IsAdmin() {
		return ErrMustBeAdministrator
	}
	for _, name := range notForOthers {
		if change.names(name) {
			return errNotForOthers
		}
	}
	people, err := o.peopleOf(whose)
	if err != nil {
		return err
	}
	for _, id := range people {
		settings, _ := o.PersonalSettings.Get(id)
		mine := change
		if whose.SkipEdited {
			mine = change.without(settings.Edited)
		}
		o.changeSettings(id, mine, false)
	}
	return nil
}

// peopleOf lists the people who are named or in a group that is.
func (o *Organization) peopleOf(whose OthersSettings) ([]int, error) {
	named := slices.Clone(whose.Users)
	for _, id := range whose.Groups {
		g, ok := o.Groups.Get(id)
		if !ok {
			return nil, Refuse("Invalid user group ID: %d", id)
		}
		named = append(named, o.AllMembers(g)...)
	}
	var people []int
	for _, id := range sortedSet(named) {
		u, ok := o.Users.Get(id)
		switch {
		case !ok:
			return nil, Refuse("Invalid user ID: %d", id)
		case !u.IsBot:
			people = append(people, id)
		}
	}
	return people, nil
}

func (o *Organization) changeSettings(id int, change UserDefaults, own bool) {
	before, _ := o.PersonalSettings.Get(id)
	after := PersonalSettings{UserDefaults: change.over(before.UserDefaults), Edited: merged(before.Edited, nil)}
	for _, s := range slices.Concat(UserSettings, OwnUserSettings) {
		if own && change.names(s.Name) && o.settingIn(before.UserDefaults, s) != o.settingIn(after.UserDefaults, s) {
			after.Edited[s.Name] = true
		}
	}
	o.PersonalSettings.Put(id, after)
}

// names reports whether a setting is changed.
func (change UserDefaults) names(setting string) bool {
	_, flag := change.Flags[setting]
	_, number := change.Numbers[setting]
	_, text := change.Texts[setting]
	return flag || number || text
}

// without returns the change but for some settings.
func (change UserDefaults) without(edited map[string]bool) UserDefaults {
	return UserDefaults{leaveOut(change.Flags, edited), leaveOut(change.Numbers, edited), leaveOut(change.Texts, edited)}
}

func leaveOut[T any](all map[string]T, names map[string]bool) map[string]T {
	left := map[string]T{}
	for name, value := range all {
		if !names[name] {
			left[name] = value
		}
	}
	return left
}
