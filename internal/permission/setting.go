package permission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Setting is one permission: a right that somebody has in a channel, over a user
// group, or in the organization.
type Setting struct {
	// Name is the server's, and the attribute's.
	Name string
	// FeatureLevel is the first with which it is read and written as a group-setting
	// value.
	FeatureLevel int
	// AllowEveryone tells whether guests can have the right at all.
	AllowEveryone bool
	// RefuseNobody tells whether somebody has to have it.
	RefuseNobody bool
	// Roles are all that it takes, each alone; empty for a setting that takes any
	// group and any list.
	Roles []string
	// NeedsContentAccess tells whether changing it needs access to the messages of a
	// private channel, which administrators do not have by their role (server-behavior §C17).
	NeedsContentAccess bool
	// OwnersOnly tells whether an administrator is refused who sends it, changed or not
	// (server-behavior §O1).
	OwnersOnly bool
	// BySending tells whether it is had by sending messages, which is all that incoming webhook bots do.
	BySending bool
	// Right says what it permits, to follow "may".
	Right string
	// Default is whom the server gives the right on creation.
	Default string
}

// Allowed checks a value against what the server says the setting allows; the error
// text is for people. Only a value that is one group is checked: the server does not
// look into a list either (server-behavior §P5).
func Allowed(setting string, supported zulip.SupportedPermission, value zulip.GroupSettingValue, org Organization) error {
	value = Canonical(value, NobodyID(org))
	if supported.RequireSystemGroup && !isSystemGroup(value, org) {
		return fmt.Errorf("%s takes a single role, not %s", setting, Describe(value, org))
	}
	if !isSystemGroup(value, org) {
		return nil
	}
	group, _ := org.UserGroup(value.Group)
	if takesRole(supported, group.Name) {
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

// SupportedBy returns what the setting allows as far as this provider knows by
// itself, for servers that do not say it.
func (s Setting) SupportedBy() zulip.SupportedPermission {
	return zulip.SupportedPermission{
		AllowNobodyGroup: !s.RefuseNobody, AllowEveryoneGroup: s.AllowEveryone,
		RequireSystemGroup: len(s.Roles) > 0, AllowedSystemGroups: s.Roles,
	}
}

// Admits reports whether a user is in a value: named, or in one of its groups however
// deep. Deactivated people are in no value (server-behavior §P3).
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
