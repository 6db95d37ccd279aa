package zulip

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// GroupSettingValue is the value of a permission as the API sends it: either the
// number of a named group (a role or a user group), or people and groups listed
// one by one, which the server keeps in a group without a name (server-behavior §P1).
type GroupSettingValue struct {
	// Group is the ID of the named group; zero when people and groups are listed.
	Group int64
	// DirectMembers and DirectSubgroups are IDs, ascending and without repetition
	// when they come from the server.
	DirectMembers   []int64
	DirectSubgroups []int64
}

// GroupSettingChange is what an update sends for one permission. Old is the value
// the change starts from; nil sends none, and the server then compares nothing
// (https://zulip.com/api/group-setting-values).
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

// UnmarshalJSON reads the value; null is none.
func (f *settingField) UnmarshalJSON(data []byte) error {
	if f.isSet = string(data) != "null"; !f.isSet {
		return nil
	}
	return f.value.UnmarshalJSON(data)
}

// heldSettings are the settings that an object has, by name.
type heldSettings map[string]GroupSettingValue

func (h heldSettings) add(name string, field settingField) {
	if field.isSet {
		h[name] = field.value
	}
}
