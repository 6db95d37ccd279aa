package permission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Setting describes one permission of channels, of user groups, or of the organization.
type Setting struct {
	// Name is the name of the parameter in the API, and of the attribute.
	Name string
	// FeatureLevel is the first at which the value is a group-setting value.
	FeatureLevel int
	// AllowEveryone says that guests can have the permission.
	AllowEveryone bool
	// RefuseNobody says that it cannot be set to role:nobody.
	RefuseNobody bool
	// Roles are the only values it can have, one at a time; empty for a setting that can be
	// any group and any list.
	Roles []string
	// NeedsContentAccess says that changing it requires access to the messages of a
	// private channel, which administrators do not have by their role (server-behavior §C17).
	NeedsContentAccess bool
	// OwnersOnly says that the server refuses requests of administrators that contain it,
	// even if it would not change (server-behavior §O1).
	OwnersOnly bool
	// BySending says that the permission is exercised by sending messages, which is all that
	// incoming webhook bots can do.
	BySending bool
	// BotsSince is the first feature level at which bots can exercise the permission: before, the server refuses the requests of
	// all bots.
	BotsSince int
	// NotByGuests says that the server refuses the requests of guests that exercise the permission, although they can have it
	// (server-behavior §G1).
	NotByGuests bool
	// Right says what it permits, to follow "may".
	Right string
	// Default is who has the permission after creation.
	Default string
}

// Allowed checks a value against the server's rules for the setting; the error is meant for
// users. Only a value that is a single group is checked: the server does not check lists
// either (server-behavior §P5).
func Allowed(setting string, supported zulip.SupportedPermission, value zulip.GroupSettingValue, org Organization) error {
	value = Canonical(value, NobodyID(org))
	if supported.RequireSystemGroup && !isSystemGroup(value, org) {
		return fmt.Errorf("%s takes a single role, not %s", setting, Describe(value, org))
	}
	if !isSystemGroup(value, org) {
		return nil
	}
	group, _ := org.UserGroup(value.Group)
	if allowsRole(supported, group.Name) {
		return nil
	}
	hint := ""
	switch {
	case len(supported.AllowedSystemGroups) > 0:
		hint = "; it takes " + strings.Join(supported.AllowedSystemGroups, ", ")
	case group.Name == "role:everyone":
		hint = ": guests never have this right; \"role:members\" is everybody else"
	case group.Name == "role:internet":
		hint = ": only people of the organization can have this right"
	}
	return fmt.Errorf("the server does not let %s be %q%s", setting, group.Name, hint)
}

func isSystemGroup(value zulip.GroupSettingValue, org Organization) bool {
	group, ok := org.UserGroup(value.Group)
	return ok && group.IsSystemGroup
}

// SupportedBy returns the rules for the setting that this provider assumes for servers that
// do not publish them.
func (s Setting) SupportedBy() zulip.SupportedPermission {
	return zulip.SupportedPermission{
		AllowNobodyGroup: !s.RefuseNobody, AllowEveryoneGroup: s.AllowEveryone,
		RequireSystemGroup: len(s.Roles) > 0, AllowedSystemGroups: s.Roles,
	}
}

// Admits reports whether a user is in a value, directly or through groups. Deactivated
// people are in no value (server-behavior §P3).
func Admits(value zulip.GroupSettingValue, user *zulip.User, org Organization) bool {
	if !user.IsActive {
		return false
	}
	if slices.Contains(value.DirectMembers, user.ID) {
		return true
	}
	groups := value.DirectSubgroups
	if value.IsNamed() {
		groups = []int64{value.Group}
	}
	seen := map[int64]bool{}
	for queue := slices.Clone(groups); len(queue) > 0; queue = queue[1:] {
		group, ok := org.UserGroup(queue[0])
		if !ok || seen[group.ID] {
			continue
		}
		seen[group.ID] = true
		if slices.Contains(group.Members, user.ID) {
			return true
		}
		queue = append(queue, group.DirectSubgroupIDs...)
	}
	return false
}
