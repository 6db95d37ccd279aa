package permission

import (
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// roleNames are the names of the roles' groups, from the fewest people to the most, and nobody.
var roleNames = []string{
	"role:owners", "role:administrators", "role:moderators", "role:fullmembers", "role:members", "role:everyone", "role:internet", "role:nobody",
}

// RoleNames are the principals of roles, from the fewest people to the most, and role:nobody.
func RoleNames() []string { return slices.Clone(roleNames) }

// allowsRole reports whether a setting can be set to the group of a role.
func allowsRole(supported zulip.SupportedPermission, group string) bool {
	switch {
	case group == "role:internet" && !supported.AllowInternetGroup,
		group == "role:nobody" && !supported.AllowNobodyGroup,
		group == "role:everyone" && !supported.AllowEveryoneGroup:
		return false
	}
	return len(supported.AllowedSystemGroups) == 0 || slices.Contains(supported.AllowedSystemGroups, group)
}

// allowedRoles lists the roles that a setting can be set to.
func allowedRoles(supported zulip.SupportedPermission) []string {
	return slices.DeleteFunc(slices.Clone(roleNames), func(group string) bool { return !allowsRole(supported, group) })
}

// unknownRole reports a role that does not exist and lists those that do. subject begins the sentence that lists them.
func unknownRole(principal Principal, subject string, taken []string, org Organization) Problem {
	nearest := slices.DeleteFunc(org.Nearest(principal), func(near Principal) bool { return !slices.Contains(taken, near.WireName()) })
	return notFound(principal, subject+" are "+strings.Join(taken[:len(taken)-1], ", ")+" and "+taken[len(taken)-1]+".", nearest)
}
