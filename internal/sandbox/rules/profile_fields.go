package rules

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Types of custom profile fields (server-behavior §L7).
const (
	FieldShortText = 1
	FieldLongText  = 2
	FieldSelect    = 3
	FieldDate      = 4
	FieldURL       = 5
	FieldUsers     = 6
	FieldExternal  = 7
	FieldPronouns  = 8
)

// ProfileFieldTypes lists the types with their keyword and name in a snapshot.
var ProfileFieldTypes = []struct {
	ID            int
	Keyword, Name string
}{
	{FieldShortText, "SHORT_TEXT", "Text (short)"}, {FieldLongText, "LONG_TEXT", "Text (long)"},
	{FieldDate, "DATE", "Date"}, {FieldSelect, "SELECT", "List of options"}, {FieldURL, "URL", "Link"},
	{FieldExternal, "EXTERNAL_ACCOUNT", "External account"}, {FieldUsers, "USER", "Users"},
	{FieldPronouns, "PRONOUNS", "Pronouns"},
}

// ProfileField is a custom profile field.
type ProfileField struct {
	ID       int    `json:"id"`
	Name     string `json:"name"`
	Type     int    `json:"type"`
	Hint     string `json:"hint"`
	Data     string `json:"field_data"` // JSON text as sent, without blanks; "" for most types
	Order    int    `json:"order"`
	Required bool   `json:"required"`
	Editable bool   `json:"editable_by_user"`
	Summary  bool   `json:"display_in_profile_summary"`
	Matching bool   `json:"use_for_user_matching,omitempty"`
}

// FieldData is the field_data of a request: its text, compact and in the sender's order, and the decoded value.
type FieldData struct {
	Text  string
	Value map[string]any // texts, and objects of texts
}

// ExternalAccount is a service that the server knows, so that a field need not contain its URL.
type ExternalAccount struct{ Key, Text, URLPattern, Name string }

// ExternalAccounts are the services the server knows.
var ExternalAccounts = []ExternalAccount{
	{"twitter", "Twitter", "https://twitter.com/%(username)s", "Twitter username"},
	{"github", "GitHub", "https://github.com/%(username)s", "GitHub username"},
}

const (
	maxSummaryFields = 2
	customAccount    = "custom"
)

var errFieldLabelTaken = Refuse("A field with that label already exists.")

// ListProfileFields returns the fields in their order.
func (o *Organization) ListProfileFields() []ProfileField {
	list := []ProfileField{}
	for _, f := range o.ProfileFields.All() {
		list = append(list, f)
	}
	slices.SortStableFunc(list, func(a, b ProfileField) int { return cmp.Compare(a.Order, b.Order) })
	return list
}

// CreateProfileField appends a field. A field for a known service gets the service's name.
func (o *Organization) CreateProfileField(f ProfileField, data FieldData) (ProfileField, error) {
	if f.Summary && o.summaryIsFull() {
		return ProfileField{}, errSummaryIsFull()
	}
	if err := checkFieldData(f.Type, data); err != nil {
		return ProfileField{}, err
	}
	service, known := knownService(f.Type, data.Value)
	if known {
		f.Name, f.Hint = service.Name, ""
		data.Text = `{"subtype":"` + service.Key + `"}`
	} else if err := checkLabelAndHint(f.Name, f.Hint); err != nil {
		return ProfileField{}, err
	}
	if f.Type < FieldShortText || f.Type > FieldPronouns {
		return ProfileField{}, Refuse("Invalid field type.")
	}
	if err := o.checkSummary(f); err != nil {
		return ProfileField{}, err
	}
	if o.fieldLabelTaken(f.Name, 0) {
		return ProfileField{}, errFieldLabelTaken
	}
	f.Data = ""
	if f.hasData() {
		f.Data = cmp.Or(data.Text, "{}")
	}
	f.ID = o.ProfileFields.NextID()
	f.Order = f.ID
	o.ProfileFields.Put(f.ID, f)
	return f, nil
}

// ProfileFieldChange is the request PATCH /realm/profile_fields/{id}; nil leaves things unchanged. The type of a field
// never changes.
type ProfileFieldChange struct {
	Name, Hint                  *string
	Data                        *FieldData
	Required, Editable, Summary *bool
	Matching                    *bool
}

// UpdateProfileField changes a field. Removing a choice also removes the values of people who chose it.
func (o *Organization) UpdateProfileField(id int, c ProfileFieldChange) error {
	f, err := o.profileField(id)
	if err != nil {
		return err
	}
	if c.Summary != nil && *c.Summary && !f.Summary && o.summaryIsFull() {
		return errSummaryIsFull()
	}
	if _, known := knownService(f.Type, decodeFieldData(f.Data)); known {
		if f.differs(c) {
			return Refuse("Default custom field cannot be updated.")
		}
		c.Data = nil
	} else if err := checkFieldChange(f, c); err != nil {
		return err
	}
	set(&f.Name, c.Name)
	set(&f.Hint, c.Hint)
	set(&f.Required, c.Required)
	set(&f.Editable, c.Editable)
	set(&f.Summary, c.Summary)
	set(&f.Matching, c.Matching)
	if err := o.checkSummary(f); err != nil {
		return err
	}
	if o.fieldLabelTaken(f.Name, id) {
		return errFieldLabelTaken
	}
	if c.Data != nil && f.hasData() {
		f.Data = cmp.Or(c.Data.Text, "{}")
		if f.Type == FieldSelect {
			o.dropValues(id, func(value string) bool { return c.Data.Value[value] == nil })
		}
	}
	o.ProfileFields.Put(id, f)
	return nil
}

// DeleteProfileField removes a field and all values of it.
func (o *Organization) DeleteProfileField(id int) error {
	if _, err := o.profileField(id); err != nil {
		return err
	}
	o.dropValues(id, func(string) bool { return true })
	o.ProfileFields.Delete(id)
	return nil
}

// OrderProfileFields puts the fields into the order of ids, which must contain every field. Unknown ids use up a position.
func (o *Organization) OrderProfileFields(ids []int) error {
	list := o.ListProfileFields()
	for _, f := range list {
		if !slices.Contains(ids, f.ID) {
			return Refuse("Invalid order mapping.")
		}
	}
	for _, f := range list {
		for place, id := range ids {
			if id == f.ID {
				f.Order = place
			}
		}
		o.ProfileFields.Put(f.ID, f)
	}
	return nil
}

// choices returns the keys of a field's choices.
func (f ProfileField) choices() []string {
	return slices.Sorted(maps.Keys(decodeFieldData(f.Data)))
}

// hasData reports whether the type has field_data.
func (f ProfileField) hasData() bool { return f.Type == FieldSelect || f.Type == FieldExternal }

// differs reports whether a change touches properties that a known service prescribes.
func (f ProfileField) differs(c ProfileFieldChange) bool {
	return c.Name != nil && *c.Name != f.Name || c.Hint != nil && *c.Hint != f.Hint ||
		c.Data != nil && !reflect.DeepEqual(c.Data.Value, decodeFieldData(f.Data))
}

func (o *Organization) profileField(id int) (ProfileField, error) {
	f, ok := o.ProfileFields.Get(id)
	if !ok {
		return f, Refuse("Field id %d not found.", id)
	}
	return f, nil
}

func (o *Organization) fieldLabelTaken(name string, except int) bool {
	for id, f := range o.ProfileFields.All() {
		if f.Name == name && id != except {
			return true
		}
	}
	return false
}

func (o *Organization) summaryIsFull() bool {
	shown := 0
	for _, f := range o.ProfileFields.All() {
		if f.Summary {
			shown++
		}
	}
	return shown >= maxSummaryFields
}

func errSummaryIsFull() *Error {
	return Refuse("Only %d custom profile fields can be displayed in the profile summary.", maxSummaryFields)
}

func (o *Organization) checkSummary(f ProfileField) error {
	if f.Summary && (f.Type == FieldLongText && o.level() < featurelevel.SinceValue("zulip_custom_profile_field", "display_in_profile_summary", "true") || f.Type == FieldUsers) {
		return Refuse("Field type not supported for display in profile summary.")
	}
	return nil
}

func checkFieldChange(f ProfileField, c ProfileFieldChange) error {
	if c.Data != nil {
		if err := checkFieldData(f.Type, *c.Data); err != nil {
			return err
		}
	}
	set(&f.Name, c.Name)
	set(&f.Hint, c.Hint)
	return checkLabelAndHint(f.Name, f.Hint)
}

// Limits of a custom profile field's texts, in characters (server-behavior §L5).
const (
	maxFieldName = 40
	maxFieldHint = 80
)

func checkLabelAndHint(name, hint string) error {
	switch {
	case name == "":
		return Refuse("Label cannot be blank.")
	case utf8.RuneCountInString(hint) > maxFieldHint:
		return Refuse("hint is too long (limit: %d characters)", maxFieldHint)
	case utf8.RuneCountInString(name) > maxFieldName:
		return Refuse("name is too long (limit: %d characters)", maxFieldName)
	}
	return nil
}

// checkFieldData checks the field_data of the two types that have it.
func checkFieldData(kind int, data FieldData) error {
	switch kind {
	case FieldSelect:
		return checkChoices(data.Value)
	case FieldExternal:
		return checkExternalAccount(data.Value)
	}
	return nil
}

func checkChoices(choices map[string]any) error {
	if len(choices) == 0 {
		return Refuse("Field must have at least one choice.")
	}
	texts := map[any]bool{}
	for _, key := range slices.Sorted(maps.Keys(choices)) {
		if Strip(key) == "" {
			return Refuse("'%s' cannot be blank.", "value")
		}
		choice, ok := choices[key].(map[string]any)
		if !ok {
			return Refuse("field_data is not a dict")
		}
		if err := checkKeys(choice, []string{"text", "order"}, nil); err != nil {
			return err
		}
		texts[choice["text"]] = true
	}
	if len(texts) != len(choices) {
		return Refuse("Field must not have duplicate choices.")
	}
	return nil
}

func checkExternalAccount(data map[string]any) error {
	if err := checkKeys(data, []string{"subtype"}, []string{"url_pattern"}); err != nil {
		return err
	}
	const placeholder = "%(username)s"
	if pattern, ok := data["url_pattern"].(string); ok {
		if strings.Count(pattern, placeholder) != 1 {
			return Refuse("URL pattern must contain '%s'.", placeholder)
		}
		if !IsURL(strings.Replace(pattern, placeholder, "username", 1)) {
			return Refuse(`field_data["url_pattern"] is not a URL`)
		}
	}
	if _, known := knownService(FieldExternal, data); known {
		return nil
	}
	if data["subtype"] != customAccount {
		return Refuse("Invalid external account type")
	}
	if data["url_pattern"] == nil {
		return Refuse("Custom external account must define URL pattern")
	}
	return nil
}

// checkKeys checks that an object of texts has the required keys and no unknown ones.
func checkKeys(object map[string]any, required, optional []string) error {
	for _, key := range required {
		value, ok := object[key]
		if !ok {
			return Refuse("%s key is missing from field_data", key)
		}
		if err := checkText(key, value, true); err != nil {
			return err
		}
	}
	for _, key := range optional {
		if value, ok := object[key]; ok {
			if err := checkText(key, value, false); err != nil {
				return err
			}
		}
	}
	if extra := without(without(slices.Sorted(maps.Keys(object)), required), optional); len(extra) > 0 {
		return Refuse("Unexpected arguments: %s", strings.Join(extra, ", "))
	}
	return nil
}

func checkText(key string, value any, filled bool) error {
	text, ok := value.(string)
	if !ok {
		return Refuse("field_data[%q] is not a string", key)
	}
	if filled && Strip(text) == "" {
		return Refuse("field_data[%q] cannot be blank.", key)
	}
	return nil
}

// knownService returns the service of a field with that type and data.
func knownService(kind int, data map[string]any) (ExternalAccount, bool) {
	if kind == FieldExternal {
		for _, service := range ExternalAccounts {
			if data["subtype"] == service.Key {
				return service, true
			}
		}
	}
	return ExternalAccount{}, false
}

func decodeFieldData(text string) map[string]any {
	var data map[string]any
	if json.Unmarshal([]byte(text), &data) != nil {
		return nil // types without data have ""
	}
	return data
}

// set stores a value that was sent.
func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}
