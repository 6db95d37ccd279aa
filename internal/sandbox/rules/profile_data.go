package rules

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// ProfileValue is the value of one custom profile field in a request: a string, a list of ids, or nil. Empty values clear
// the field.
type ProfileValue struct {
	Field int
	Value any
}

// Limits of values, in characters (server-behavior §U8).
const (
	maxShortValue = 50
	maxLongValue  = 500
)

// SetProfileData writes values of a person's profile. Other fields remain.
func (o *Organization) SetProfileData(actor User, id int, values []ProfileValue) error {
	u, err := o.AnyUser(id)
	if err != nil {
		return err
	}
	data := maps.Clone(u.ProfileData)
	if data == nil {
		data = map[int]string{}
	}
	for _, v := range values {
		f, err := o.profileField(v.Field)
		if err != nil {
			return err
		}
		if !f.Editable && !actor.IsAdmin() {
			return Refuse("You are not allowed to change this field. Contact an administrator to update it.")
		}
		if v.empty() {
			delete(data, f.ID)
			continue
		}
		if data[f.ID], err = o.profileText(f, v.Value); err != nil {
			return err
		}
	}
	u.ProfileData = data
	o.Users.Put(id, u)
	return nil
}

func (v ProfileValue) empty() bool {
	switch value := v.Value.(type) {
	case string:
		return value == ""
	case []int:
		return len(value) == 0
	}
	return true
}

// profileText checks a value and returns its stored form, a text.
func (o *Organization) profileText(f ProfileField, value any) (string, error) {
	if f.Type == FieldUsers {
		ids, ok := value.([]int)
		if !ok {
			return "", Refuse("User IDs is not a list")
		}
		return o.usersText(ids)
	}
	text, ok := value.(string)
	if !ok {
		return "", Refuse("%s is not a string", f.Name)
	}
	return text, f.check(text)
}

func (f ProfileField) check(text string) error {
	limit := maxShortValue
	switch f.Type {
	case FieldSelect:
		if !slices.Contains(f.choices(), text) {
			return Refuse("'%s' is not a valid choice for '%s'.", text, f.Name)
		}
		return nil
	case FieldDate:
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return Refuse("%s is not a date", f.Name)
		}
		return nil
	case FieldURL:
		if !IsURL(text) {
			return Refuse("%s is not a URL", f.Name)
		}
		return nil
	case FieldLongText:
		limit = maxLongValue
	}
	if utf8.RuneCountInString(text) > limit {
		return Refuse("%s is too long (limit: %d characters)", f.Name, limit)
	}
	return nil
}

// usersText checks that ids name active people, and writes them as JSON.
func (o *Organization) usersText(ids []int) (string, error) {
	var unknown []string
	for _, id := range ids {
		if !o.Users.Has(id) {
			unknown = append(unknown, strconv.Itoa(id))
		}
	}
	if len(unknown) > 0 {
		return "", Refuse("Invalid user IDs: %s", strings.Join(unknown, ", "))
	}
	for _, id := range ids {
		switch u, _ := o.Users.Get(id); {
		case !u.Active:
			return "", Refuse("User with ID %d is deactivated", id)
		case u.IsBot:
			return "", Refuse("User with ID %d is a bot", id)
		}
	}
	text, err := json.Marshal(ids)
	return string(text), err
}

// dropValues removes the matching values of a field from all people.
func (o *Organization) dropValues(field int, gone func(value string) bool) {
	var holders []User
	for _, u := range o.Users.All() {
		if value, ok := u.ProfileData[field]; ok && gone(value) {
			holders = append(holders, u)
		}
	}
	for _, u := range holders {
		u.ProfileData = maps.Clone(u.ProfileData)
		delete(u.ProfileData, field)
		o.Users.Put(u.ID, u)
	}
}

// Status is a person's status (https://zulip.com/api/get-user-status). Its key is the person's id.
type Status struct {
	Text  string `json:"text,omitempty"`
	Emoji Emoji  `json:"emoji"` // without a name: none
	Away  bool   `json:"away,omitempty"`
}

// Empty reports whether the status is unset.
func (s Status) Empty() bool { return s == Status{} }

// StatusChange is a change of a status; nil leaves a part unchanged, and an empty text clears it.
type StatusChange struct {
	Text                           *string
	EmojiName, EmojiCode, Reaction *string
	Away                           *bool
}

// StatusOf returns the status of a person who is active and visible to viewer.
func (o *Organization) StatusOf(viewer User, id int) (Status, error) {
	if _, err := o.visibleHuman(viewer, id); err != nil {
		return Status{}, err
	}
	status, _ := o.Statuses.Get(id)
	return status, nil
}

// SetStatusOf changes another person's status, which requires an administrator.
func (o *Organization) SetStatusOf(actor User, id int, c StatusChange) error {
	if _, err := o.ActiveHuman(id); err != nil {
		return err
	}
	if !actor.IsAdmin() {
		return errInsufficientPermission
	}
	return o.SetStatus(id, c)
}

// SetStatus changes a status: text and emoji independently of each other.
func (o *Organization) SetStatus(id int, c StatusChange) error {
	if c.Text == nil && c.EmojiName == nil && c.Away == nil {
		return Refuse("Client did not pass any new values.")
	}
	status, _ := o.Statuses.Get(id)
	switch {
	case c.EmojiName == nil:
		if isFilled(c.EmojiCode) || isFilled(c.Reaction) {
			return Refuse("Client must pass emoji_name if they pass either emoji_code or reaction_type.")
		}
	case *c.EmojiName == "":
		status.Emoji = Emoji{}
	default:
		emoji, err := o.ResolveEmoji(*c.EmojiName, c.EmojiCode, c.Reaction)
		if err != nil {
			return err
		}
		status.Emoji = emoji
	}
	if c.Text != nil {
		status.Text = *c.Text
	}
	if c.Away != nil {
		status.Away = *c.Away
	}
	o.Statuses.Put(id, status)
	return nil
}

// ListStatuses returns the non-empty statuses of active people.
func (o *Organization) ListStatuses(viewer User) map[int]Status {
	all := map[int]Status{}
	for id, status := range o.Statuses.All() {
		if u, ok := o.Users.Get(id); ok && u.Active && !status.Empty() && o.MaySee(viewer, u) {
			all[id] = status
		}
	}
	return all
}

// isFilled reports whether a text is neither nil nor empty.
func isFilled(text *string) bool { return text != nil && *text != "" }
