package zulip

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
)

// Form holds the parameters of one call: its body, or the query of a read. The server knows two kinds of parameter
// (server-behavior §R1). A plain one is the text itself, set with [Form.Text]. A JSON one is set with [Form.JSON]. The
// endpoint determines the kind.
//
// The zero value and nil are an empty form. The encoding does not depend on the order in which parameters were set.
type Form struct {
	fields map[string]string
	file   *formFile
	err    error
}

type formFile struct {
	name, contentType string
	content           []byte
}

// Text sets a plain parameter. A parameter set again has the last value.
func (f *Form) Text(name, value string) {
	if name == "method" {
		// The server would take the value for the HTTP verb (server-behavior §R3).
		f.fail(errors.New(`a form field cannot be called "method"`))
		return
	}
	if f.fields == nil {
		f.fields = map[string]string{}
	}
	f.fields[name] = value
}

// JSON sets a parameter to the JSON encoding of value. An encoding error is returned by the
// call that sends the form.
//
// The server refuses null for nearly every parameter (server-behavior §R2): to leave
// something unchanged, do not set its parameter.
func (f *Form) JSON(name string, value any) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		f.fail(fmt.Errorf("form field %s: %w", name, err))
		return
	}
	f.Text(name, string(bytes.TrimSuffix(text.Bytes(), []byte("\n"))))
}

// File adds the file to upload. The server takes one, under any field's name
// (server-behavior §L9).
func (f *Form) File(name, contentType string, content []byte) {
	f.file = &formFile{name, contentType, content}
}

// Empty reports whether nothing was set.
func (f *Form) Empty() bool { return f == nil || len(f.fields) == 0 && f.file == nil }

// Names lists the parameters that were set, sorted.
func (f *Form) Names() []string {
	if f == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(f.fields))
}

// clone returns a form with the same parameters, which can be filled further.
func (f *Form) clone() *Form { return &Form{fields: maps.Clone(f.fields), err: f.err} }

// encode is the form as application/x-www-form-urlencoded, sorted by name.
func (f *Form) encode() string {
	if f == nil {
		return ""
	}
	values := make(url.Values, len(f.fields))
	for name, value := range f.fields {
		values.Set(name, value)
	}
	return values.Encode()
}

// body is the form as the body of a request, and the content type of that.
func (f *Form) body() (body []byte, contentType string, err error) {
	if f.file == nil {
		return []byte(f.encode()), "application/x-www-form-urlencoded", nil
	}
	var buffer bytes.Buffer
	parts := multipart.NewWriter(&buffer)
	// A boundary must not occur in the file, and the hash of the file does not.
	if err := parts.SetBoundary(fmt.Sprintf("%x", sha256.Sum256(f.file.content))[:maxBoundary]); err != nil {
		return nil, "", err
	}
	for _, name := range f.Names() {
		if err := parts.WriteField(name, f.fields[name]); err != nil {
			return nil, "", err
		}
	}
	part, err := parts.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {mime.FormatMediaType("form-data", map[string]string{"name": "file", "filename": f.file.name})},
		"Content-Type":        {f.file.contentType},
	})
	if err != nil {
		return nil, "", err
	}
	if _, err := part.Write(f.file.content); err != nil {
		return nil, "", err
	}
	if err := parts.Close(); err != nil {
		return nil, "", err
	}
	return buffer.Bytes(), parts.FormDataContentType(), nil
}

// maxBoundary is less than the limit of 70 characters.
const maxBoundary = 60

func (f *Form) problem() error {
	if f == nil {
		return nil
	}
	return f.err
}

func (f *Form) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// GroupSettingValue is the value of a permission as the API sends it. It is either the number of a named group (a role or a
// user group), or a list of people and groups, which the server stores as a group without a name (server-behavior §P1).
type GroupSettingValue struct {
	// Group is the ID of the named group; zero when people and groups are listed.
	Group int64
	// DirectMembers and DirectSubgroups are IDs, ascending and without repetition
	// when they come from the server.
	DirectMembers   []int64
	DirectSubgroups []int64
}

// GroupSettingChange is the change of one permission in an update. Old is the prior value. If it is nil, none is sent,
// and the server compares nothing (https://zulip.com/api/group-setting-values).
type GroupSettingChange struct {
	New GroupSettingValue  `json:"new"`
	Old *GroupSettingValue `json:"old,omitempty"`
}

// NamedGroup returns the value that consists of one named group.
func NamedGroup(id int64) GroupSettingValue { return GroupSettingValue{Group: id} }

// IsNamed reports whether the value is the number of one named group.
func (v GroupSettingValue) IsNamed() bool { return v.Group != 0 }

// Clone returns a copy that shares no memory with v.
func (v GroupSettingValue) Clone() GroupSettingValue {
	return GroupSettingValue{v.Group, slices.Clone(v.DirectMembers), slices.Clone(v.DirectSubgroups)}
}

type listedSettingValue struct {
	DirectMembers   []int64 `json:"direct_members"`
	DirectSubgroups []int64 `json:"direct_subgroups"`
}

// MarshalJSON writes a number, or an object with both lists: the server refuses an
// object in which one is missing (server-behavior §P1).
func (v GroupSettingValue) MarshalJSON() ([]byte, error) {
	if v.IsNamed() {
		return json.Marshal(v.Group)
	}
	listed := listedSettingValue{v.DirectMembers, v.DirectSubgroups}
	if listed.DirectMembers == nil {
		listed.DirectMembers = []int64{}
	}
	if listed.DirectSubgroups == nil {
		listed.DirectSubgroups = []int64{}
	}
	return json.Marshal(listed)
}

// UnmarshalJSON reads either form.
func (v *GroupSettingValue) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '{' {
		var listed listedSettingValue
		if err := json.Unmarshal(data, &listed); err != nil {
			return fmt.Errorf("group-setting value: %w", err)
		}
		*v = GroupSettingValue{DirectMembers: listed.DirectMembers, DirectSubgroups: listed.DirectSubgroups}
		return nil
	}
	// Most values are one number, and an organization has tens of thousands of them.
	id, err := strconv.ParseInt(string(data), 10, 64)
	if err != nil {
		return fmt.Errorf("group-setting value: neither a group's ID nor lists of members and subgroups: %w", err)
	}
	if id <= 0 {
		return errors.New("group-setting value: a group's ID is positive")
	}
	*v = NamedGroup(id)
	return nil
}

// settingField is a group-setting value in an object that need not have it: an older
// server does not.
type settingField struct {
	value GroupSettingValue
	isSet bool
}

// UnmarshalJSON reads the JSON form.
func (f *settingField) UnmarshalJSON(data []byte) error {
	if f.isSet = string(data) != "null"; !f.isSet {
		return nil
	}
	return f.value.UnmarshalJSON(data)
}

// groupSettings are the settings that an object has, by name.
type groupSettings map[string]GroupSettingValue

func (h groupSettings) add(name string, field settingField) {
	if field.isSet {
		h[name] = field.value
	}
}
