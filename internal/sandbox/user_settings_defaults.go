package sandbox

import (
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// updateUserDefaults is PATCH /realm/user_settings_defaults
// (https://zulip.com/api/update-realm-user-settings-defaults).
func updateUserDefaults(r *request) (fields, error) {
	change := r.userSettings(false)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.UpdateUserDefaults(change)
}

// userSettings declares the settings that people have; own ones too, for which an
// organization has no defaults.
func (r *request) userSettings(own bool) rules.UserDefaults {
	change := rules.UserDefaults{
		Flags: map[string]bool{}, Numbers: map[string]int{}, Texts: map[string]string{},
	}
	settings := rules.UserSettings
	if own {
		settings = slices.Concat(settings, rules.OwnUserSettings)
	}
	for _, s := range settings {
		from := r.since(s.Since())
		switch s.Default.(type) {
		case bool:
			collect(from, s.Name, boolean, change.Flags)
		case int:
			collect(from, s.Name, numberOf(s), change.Numbers)
		default:
			collect(from, s.Name, r.wordOf(s, own), change.Texts)
		}
	}
	return change
}

// collect declares an optional parameter and puts what is sent into a map.
func collect[T any](s source, name string, parse parser[T], into map[string]T) {
	if value := optional(s, name, parse); value != nil {
		into[name] = *value
	}
}

func numberOf(s rules.UserSetting) parser[int] {
	if len(s.Numbers) == 0 {
		return integer
	}
	return listed(integer, s.Numbers...)
}

func (r *request) wordOf(s rules.UserSetting, own bool) parser[string] {
	words := s.WordsAt(r.level)
	switch {
	case s.Name == rules.Timezone:
		return timezone
	case len(words) == 0:
		return text()
	case s.Listed, own && s.ListedForPeople:
		return listed(text(), words...)
	}
	return oneOf(words...)
}

// registerUserDefaults is the realm_user_settings_defaults part of a snapshot.
func registerUserDefaults(r *request, _ registerOptions) fields {
	defaults := r.userSettingsObject(r.org.UserDefault)
	delete(defaults, rules.Timezone)
	return fields{"realm_user_settings_defaults": defaults}
}

// userSettingsObject shows all settings that people have.
func (r *request) userSettingsObject(value func(rules.UserSetting) any) fields {
	object := fields{}
	for _, s := range slices.Concat(rules.UserSettings, rules.OwnUserSettings) {
		r.add(object, s.Since(), s.Name, value(s))
	}
	object["available_notification_sounds"] = rules.NotificationSounds
	object["emojiset_choices"] = []fields{
		{"key": "google", "text": "Google"}, {"key": "twitter", "text": "Twitter"}, {"key": "text", "text": "Plain text"},
	}
	return object
}
