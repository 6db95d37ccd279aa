package permission

import (
	"maps"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Change is a planned change of the people, the groups and the permissions of an organization. What it does
// not name stays as it is.
type Change struct {
	// Groups are user groups by ID, as they will be.
	Groups map[int64]Membership
	// Roles are people and bots by ID, with the role they will have.
	Roles map[int64]zulip.Role
	// Deactivated are the IDs of those who will be; the bots they own are too (wire-2
	// §5).
	Deactivated []int64
	// Owners are bots by ID, with the ID of who will own them: a bot may post where its owner may.
	Owners map[int64]int64
	// Organization are permissions of the organization by name, as they will be.
	Organization map[string]zulip.GroupSettingValue
	// Now decides whether the waiting period of somebody who becomes a member is over.
	Now time.Time
}

// Membership is who will be directly in a user group.
type Membership struct {
	Members   []int64
	Subgroups []int64
	// Unknown says that there will be others too, who are not known yet.
	Unknown bool
}

// With returns the organization after a change. A group or person that the organization
// does not have is passed over.
func (a *Access) With(change Change) *Access {
	facts := a.facts
	deactivated := a.deactivatedBy(change)
	facts.Users = make([]*zulip.User, len(a.facts.Users))
	for i, user := range a.facts.Users {
		facts.Users[i] = user
		role, changes := change.Roles[user.ID]
		owner, moves := change.Owners[user.ID]
		if changes || moves || deactivated[user.ID] {
			changed := *user
			if moves {
				changed.BotOwnerID = &owner
			}
			if changes {
				changed.Role = role
			}
			changed.IsActive = user.IsActive && !deactivated[user.ID]
			facts.Users[i] = &changed
		}
	}
	unknown := map[int64]bool{}
	maps.Copy(unknown, a.unknown)
	facts.Groups = make([]*zulip.UserGroup, len(a.facts.Groups))
	for i, group := range a.facts.Groups {
		changed := *group
		if membership, ok := change.Groups[group.ID]; ok && !group.IsSystemGroup {
			changed.Members, changed.DirectSubgroupIDs = membership.Members, membership.Subgroups
			unknown[group.ID] = membership.Unknown
		}
		if group.IsSystemGroup && len(change.Roles) > 0 {
			changed.Members = a.inRole(group, change)
		}
		facts.Groups[i] = &changed
	}
	facts.Realm = withPermissions(a.facts.Realm, change.Organization)
	return newAccess(facts, a.roster, unknown)
}

// withPermissions returns the organization's settings with other permissions.
func withPermissions(realm *zulip.Realm, permissions map[string]zulip.GroupSettingValue) *zulip.Realm {
	if realm == nil || len(permissions) == 0 {
		return realm
	}
	changed := *realm
	changed.Permissions = maps.Clone(realm.Permissions)
	maps.Copy(changed.Permissions, permissions)
	return &changed
}

// deactivatedBy returns who is deactivated by a change.
func (a *Access) deactivatedBy(change Change) map[int64]bool {
	all := make(map[int64]bool, len(change.Deactivated))
	for _, id := range change.Deactivated {
		all[id] = true
	}
	for _, owned := range a.bots {
		if all[a.roster.users[owned.owner].ID] {
			all[a.roster.users[owned.bot].ID] = true
		}
	}
	return all
}

// inRole returns the direct members of a role's group after a change of roles: everybody
// is in the group of the role, and members past the waiting period in one more
// (wire-1 §2.1).
func (a *Access) inRole(group *zulip.UserGroup, change Change) []int64 {
	var members []int64
	for _, id := range group.Members {
		if _, changes := change.Roles[id]; !changes {
			members = append(members, id)
		}
	}
	for _, user := range a.facts.Users {
		role, changes := change.Roles[user.ID]
		if !changes {
			continue
		}
		full := group.Name == "role:fullmembers" && role == zulip.RoleMember && a.isPastWaitingPeriod(user, change.Now)
		if full || group.Name == roleGroups[role] {
			members = append(members, user.ID)
		}
	}
	return members
}

// roleGroups are the groups that hold everybody of a role directly (wire-1 §2.1).
var roleGroups = map[zulip.Role]string{
	zulip.RoleOwner: "role:owners", zulip.RoleAdministrator: "role:administrators", zulip.RoleModerator: "role:moderators",
	zulip.RoleMember: "role:members", zulip.RoleGuest: "role:everyone",
}

// isPastWaitingPeriod reports whether a member is a full member. Who joined at a time
// that cannot be read has been there for long.
func (a *Access) isPastWaitingPeriod(user *zulip.User, now time.Time) bool {
	if a.facts.Realm == nil || a.facts.Realm.WaitingPeriodThreshold == 0 {
		return true
	}
	joined, err := time.Parse("2006-01-02T15:04Z07:00", user.DateJoined)
	if err != nil {
		joined, _ = time.Parse(time.RFC3339, user.DateJoined)
	}
	return now.Sub(joined) >= time.Duration(a.facts.Realm.WaitingPeriodThreshold)*24*time.Hour
}
