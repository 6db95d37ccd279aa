package zulip

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ProfileFieldType is the type of a custom profile field, in the API's numbering
// (server-behavior §L7).
type ProfileFieldType int

// Types of fields (server-behavior §L7).
const (
	ProfileFieldShortText ProfileFieldType = iota + 1
	ProfileFieldLongText
	ProfileFieldSelect
	ProfileFieldDate
	ProfileFieldURL
	ProfileFieldUser
	ProfileFieldExternal
	ProfileFieldPronouns
)

// profileFieldTypes are the server's words for its types, from the first on.
var profileFieldTypes = []string{"short_text", "long_text", "select", "date", "url", "user", "external_account", "pronouns"}

// ProfileFieldTypes returns the words for the types.
func ProfileFieldTypes() []string { return slices.Clone(profileFieldTypes) }

// String returns the word for the type, or its number if the provider does not
// know it.
func (t ProfileFieldType) String() string {
	if t < 1 || int(t) > len(profileFieldTypes) {
		return strconv.Itoa(int(t))
	}
	return profileFieldTypes[t-1]
}

// ParseProfileFieldType reads the word that [ProfileFieldType.String] writes; zero
// is none.
func ParseProfileFieldType(word string) ProfileFieldType {
	return ProfileFieldType(slices.Index(profileFieldTypes, word) + 1)
}

// ProfileField is a custom profile field of the organization
// (https://zulip.com/api/get-custom-profile-fields).
type ProfileField struct {
	ID   int64            `json:"id"`
	Name string           `json:"name"`
	Type ProfileFieldType `json:"type"`
	Hint string           `json:"hint"`
	// FieldData is JSON text, or empty: see Options and ExternalAccount.
	FieldData string `json:"field_data"`
	// DisplayInProfileSummary and the fields below are false on servers that do not have them.
	DisplayInProfileSummary bool `json:"display_in_profile_summary"`
	Required                bool `json:"required"`
	EditableByUser          bool `json:"editable_by_user"`
	UseForUserMatching      bool `json:"use_for_user_matching"`
}

// ProfileFieldOption is one of the options of a field of type select. People's
// answers hold the key.
type ProfileFieldOption struct{ Key, Text string }

// ExternalAccount is the service that a field's accounts belong to.
type ExternalAccount struct {
	Subtype    string `json:"subtype"`
	URLPattern string `json:"url_pattern,omitempty"`
}

// wireOption is an option as field_data has it, by its key. The order is a text.
type wireOption struct {
	Text  string `json:"text"`
	Order string `json:"order"`
}

// Options returns the options in their order; none for other types.
func (f *ProfileField) Options() []ProfileFieldOption {
	var data map[string]wireOption
	if f.Type != ProfileFieldSelect || json.Unmarshal([]byte(f.FieldData), &data) != nil {
		return nil
	}
	options := make([]ProfileFieldOption, 0, len(data))
	for key, option := range data {
		options = append(options, ProfileFieldOption{key, option.Text})
	}
	place := func(key string) int {
		n, err := strconv.Atoi(strings.TrimSpace(data[key].Order))
		if err != nil {
			return math.MaxInt // the server accepts any text; a text that is no number comes last
		}
		return n
	}
	slices.SortFunc(options, func(a, b ProfileFieldOption) int {
		return cmp.Or(cmp.Compare(place(a.Key), place(b.Key)), strings.Compare(data[a.Key].Order, data[b.Key].Order), strings.Compare(a.Key, b.Key))
	})
	return options
}

// ExternalAccount returns the service of the field's accounts; zero for other types.
func (f *ProfileField) ExternalAccount() (account ExternalAccount) {
	if f.Type == ProfileFieldExternal && json.Unmarshal([]byte(f.FieldData), &account) != nil {
		return ExternalAccount{}
	}
	return account
}

// ProfileFieldChange is a change of a field. nil leaves a value unchanged, or lets the server choose. Type is for a new
// field only.
type ProfileFieldChange struct {
	Type            ProfileFieldType
	Name, Hint      *string
	Options         []ProfileFieldOption // all of them, in order
	ExternalAccount *ExternalAccount

	DisplayInProfileSummary, Required, EditableByUser, UseForUserMatching *bool
}

func (c ProfileFieldChange) form() *Form {
	form := params{
		"field_type":                 when(c.Type != 0, c.Type),
		"name":                       (*text)(c.Name),
		"hint":                       (*text)(c.Hint),
		"display_in_profile_summary": c.DisplayInProfileSummary,
		"required":                   c.Required,
		"editable_by_user":           c.EditableByUser,
		"use_for_user_matching":      c.UseForUserMatching,
	}.form()
	switch {
	case c.ExternalAccount != nil:
		form.JSON("field_data", c.ExternalAccount)
	case c.Options != nil:
		data := map[string]wireOption{}
		for i, option := range c.Options {
			data[option.Key] = wireOption{option.Text, strconv.Itoa(i + 1)}
		}
		form.JSON("field_data", data)
	}
	return form
}

// ProfileFields reads the custom profile fields in their order.
func (c *Client) ProfileFields(ctx context.Context) ([]*ProfileField, error) {
	return list[ProfileField](ctx, c, "/realm/profile_fields", nil, "custom_fields")
}

// CreateProfileField adds a field after all others and returns its ID. The server refuses a second field with the same name
// ([IsProfileFieldNameTaken]). The client does not retry the call.
func (c *Client) CreateProfileField(ctx context.Context, field ProfileFieldChange) (int64, error) {
	return c.create(ctx, "/realm/profile_fields", field.form(), neverRetry, "id")
}

// UpdateProfileField changes a field. Removing an option also deletes the answers that chose it. If the field does not
// exist, the error satisfies [IsNoProfileField].
func (c *Client) UpdateProfileField(ctx context.Context, id int64, change ProfileFieldChange) error {
	return c.do(ctx, http.MethodPatch, profileFieldPath(id), change.form(), safeToRetry)
}

// DeleteProfileField deletes a field and all answers in it. It is not an error if the field no longer exists.
func (c *Client) DeleteProfileField(ctx context.Context, id int64) error {
	return c.remove(ctx, profileFieldPath(id), IsNoProfileField)
}

// OrderProfileFields sets the order of the fields. If ids lacks a field, the error satisfies [IsIncompleteOrder].
func (c *Client) OrderProfileFields(ctx context.Context, ids []int64) error {
	return c.do(ctx, http.MethodPatch, "/realm/profile_fields", params{"order": ids}.form(), safeToRetry)
}

// IsNoProfileField reports whether there is no field with the ID of the request.
func IsNoProfileField(err error) bool {
	var refusal *Error
	return errors.As(err, &refusal) && noProfileField.MatchString(refusal.Msg)
}

var noProfileField = regexp.MustCompile(`^Field id \d+ not found\.$`)

// IsProfileFieldNameTaken reports whether another field has the name.
func IsProfileFieldNameTaken(err error) bool {
	return IsMessage(err, "A field with that label already exists.")
}

func profileFieldPath(id int64) string { return itemPath("/realm/profile_fields", id) }
