package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
	_ "time/tzdata" // some systems have no names of time zones

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
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

// userSettings declares the settings of people. own includes those for which an organization has no defaults.
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

// collect declares an optional parameter and puts a sent value into a map.
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

// userSettingsObject shows all settings of people.
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

// updateSettings is PATCH /settings (https://zulip.com/api/update-settings). Below the level of target_users that parameter
// is unknown, and the caller's own settings are changed.
func updateSettings(r *request) (fields, error) {
	r.inOrder("high_contrast_mode", "hide_ai_features")
	change := rules.OwnChange{
		UserDefaults: r.userSettings(true),
		FullName:     optional(r, "full_name", text()),
		Email:        optional(r, "email", text()),
		OldPassword:  optional(r, "old_password", text()),
		NewPassword:  optional(r, "new_password", text()),
	}
	whose := optional(r.since(featurelevel.TargetUsers), "target_users", jsonOf(targetUsers))
	if err := r.checked(); err != nil {
		return nil, err
	}
	if whose != nil {
		return nil, r.org.UpdateSettingsOf(r.me, *whose, change.UserDefaults)
	}
	return nil, r.org.UpdateOwnSettings(r.me, change)
}

// timezone is the name of a time zone.
func timezone(raw, name string) (string, error) {
	if _, err := time.LoadLocation(raw); err != nil || raw == "" || raw == "Local" {
		return "", rules.Refuse("Invalid %s: Value error, Not a recognized time zone", name)
	}
	return raw, nil
}

// targetUsers reads the people of an administrator's change.
func targetUsers(value any, path string) (rules.OthersSettings, error) {
	var whose rules.OthersSettings
	object, ok := value.(map[string]any)
	if !ok {
		return whose, rules.Refuse("%s does not have the expected format", path)
	}
	users, err := optionalMember(object, path, "user_ids", false, listOf(parseInteger))
	if err != nil {
		return whose, err
	}
	groups, err := optionalMember(object, path, "group_ids", false, listOf(parseInteger))
	if err != nil {
		return whose, err
	}
	if whose.SkipEdited, err = member(object, path, "skip_if_already_edited", parseBoolean); err != nil {
		return whose, err
	}
	if users != nil {
		whose.Users = *users
	}
	if groups != nil {
		whose.Groups = *groups
	}
	if len(whose.Users)+len(whose.Groups) == 0 {
		return whose, rules.Refuse("Either user_ids or group_ids must be provided.")
	}
	return whose, nil
}

func (r *request) profileFieldObjects() []fields {
	objects := []fields{}
	for _, f := range r.org.ListProfileFields() {
		object := fields{
			"id": f.ID, "name": f.Name, "type": f.Type, "hint": f.Hint, "field_data": f.Data, "order": f.Order,
		}
		if f.Summary {
			object["display_in_profile_summary"] = true
		}
		object["required"] = f.Required
		object["editable_by_user"] = f.Editable
		r.add(object, featurelevel.Since("zulip_custom_profile_field", "use_for_user_matching"), "use_for_user_matching", f.Matching)
		objects = append(objects, object)
	}
	return objects
}

func listProfileFields(r *request) (fields, error) {
	return fields{"custom_fields": r.profileFieldObjects()}, nil
}

func createProfileField(r *request) (fields, error) {
	f := rules.ProfileField{
		Name: withDefault(r, "name", text(stripped), ""),
		Hint: withDefault(r, "hint", text(), ""),
	}
	data := withDefault(r, "field_data", fieldData, rules.FieldData{})
	f.Type = required(r, "field_type", integer)
	f.Summary = withDefault(r, "display_in_profile_summary", boolean, false)
	f.Required = withDefault(r, "required", boolean, false)
	f.Editable = withDefault(r, "editable_by_user", boolean, true)
	f.Matching = withDefault(r.since(featurelevel.Since("zulip_custom_profile_field", "use_for_user_matching")), "use_for_user_matching", boolean, false)
	if err := r.checked(); err != nil {
		return nil, err
	}
	f, err := r.org.CreateProfileField(f, data)
	if err != nil {
		return nil, err
	}
	return fields{"id": f.ID}, nil
}

func updateProfileField(r *request) (fields, error) {
	change := rules.ProfileFieldChange{
		Name:     optional(r, "name", text(stripped)),
		Hint:     optional(r, "hint", text()),
		Data:     optional(r, "field_data", fieldData),
		Required: optional(r, "required", boolean),
		Editable: optional(r, "editable_by_user", boolean),
		Summary:  optional(r, "display_in_profile_summary", boolean),
		Matching: optional(r.since(featurelevel.Since("zulip_custom_profile_field", "use_for_user_matching")), "use_for_user_matching", boolean),
	}
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.UpdateProfileField(r.id("field_id"), change)
}

func deleteProfileField(r *request) (fields, error) {
	return nil, r.org.DeleteProfileField(r.id("field_id"))
}

func orderProfileFields(r *request) (fields, error) {
	order := required(r, "order", integers)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.OrderProfileFields(order)
}

// fieldData reads field_data: an object of texts, or of objects of texts. The error for other values says that it is
// not such an object.
func fieldData(raw, name string) (rules.FieldData, error) {
	entry := func(value any, path string) (any, error) {
		if s, ok := value.(string); ok {
			return s, nil
		}
		object, err := mapOf(parseString)(value, path+`["dict[str,str]"]`)
		if err != nil {
			return nil, err
		}
		plain := map[string]any{}
		for key, text := range object {
			plain[key] = text
		}
		return plain, nil
	}
	value, err := jsonOf(mapOf(entry))(raw, name)
	if err != nil {
		return rules.FieldData{}, err
	}
	return rules.FieldData{Text: compactText(raw), Value: value}, nil
}

// compactText writes JSON without blanks, with its keys in their original order and minimal escaping. Its argument must be
// valid JSON.
func compactText(raw string) string {
	var out bytes.Buffer
	decoder := json.NewDecoder(bytes.NewBufferString(raw))
	decoder.UseNumber()
	var write func()
	write = func() {
		token, err := decoder.Token()
		if err != nil {
			return
		}
		opening, nested := token.(json.Delim)
		if !nested {
			out.Write(plainJSON(token))
			return
		}
		out.WriteString(opening.String())
		for i := 0; decoder.More(); i++ {
			switch {
			case opening == '{' && i%2 == 1:
				out.WriteByte(':')
			case i > 0:
				out.WriteByte(',')
			}
			write()
		}
		if closing, err := decoder.Token(); err == nil {
			fmt.Fprint(&out, closing)
		}
	}
	write()
	return out.String()
}

func plainJSON(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil // a decoded value can be encoded
	}
	return bytes.TrimSpace(out.Bytes())
}

func externalAccounts() fields {
	accounts := fields{}
	for _, a := range rules.ExternalAccounts {
		accounts[a.Key] = fields{"text": a.Text, "url_pattern": a.URLPattern, "name": a.Name, "hint": ""}
	}
	return accounts
}

// registerProfileFields is the custom_profile_fields part of a snapshot; it
// has another key than GET /realm/profile_fields.
func registerProfileFields(r *request, _ registerOptions) fields {
	types := fields{}
	for _, t := range rules.ProfileFieldTypes {
		types[t.Keyword] = fields{"id": t.ID, "name": t.Name}
	}
	return fields{"custom_profile_fields": r.profileFieldObjects(), "custom_profile_field_types": types}
}
