package zulip

import (
	"encoding/json"
	"fmt"
)

// UserGroup is a named group of people: one the organization made, or one of the
// server's roles (wire-1 §8.1).
type UserGroup struct {
	ID          int64  `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	CreatorID   *int64 `json:"creator_id"`
	DateCreated *int64 `json:"date_created"`
	// Members are the direct members, deactivated people left out (feature level 303).
	Members           []int64 `json:"members"`
	DirectSubgroupIDs []int64 `json:"direct_subgroup_ids"`
	IsSystemGroup     bool    `json:"is_system_group"`
	Deactivated       bool    `json:"deactivated"`

	// Permissions are the group's own settings by name; a setting the server does
	// not have is absent (wire-1 §2.3).
	Permissions map[string]GroupSettingValue `json:"-"`
}

// userGroupPermissions are the settings of a user group, as the server orders them.
var userGroupPermissions = []string{
	"can_add_members_group", "can_join_group", "can_leave_group",
	"can_manage_group", "can_mention_group", "can_remove_members_group",
}

// UnmarshalJSON reads the object and gathers its permissions.
func (g *UserGroup) UnmarshalJSON(data []byte) error {
	type plain UserGroup
	if err := json.Unmarshal(data, (*plain)(g)); err != nil {
		return fmt.Errorf("user group: %w", err)
	}
	permissions, err := decodePermissions(data, userGroupPermissions)
	if err != nil {
		return fmt.Errorf("user group %q: %w", g.Name, err)
	}
	g.Permissions = permissions
	return nil
}

// decodePermissions takes the named settings out of an object. Absent ones stay
// absent: an older server does not have them.
func decodePermissions(data []byte, names []string) (map[string]GroupSettingValue, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, err
	}
	permissions := make(map[string]GroupSettingValue, len(names))
	for _, name := range names {
		raw, ok := fields[name]
		if !ok || string(raw) == "null" {
			continue
		}
		var value GroupSettingValue
		if err := json.Unmarshal(raw, &value); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		permissions[name] = value
	}
	return permissions, nil
}
