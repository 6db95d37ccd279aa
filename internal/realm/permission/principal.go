// Package permission computes with permissions. It sends no requests, and gets the facts about the organization as
// arguments.
//
//   - A [Principal] is what a configuration names: role:members, group:devs, user:ada@example.com.
//     [Parse] reads one, [Resolve] turns principals into the value that the API takes (a
//     [zulip.GroupSettingValue]), [Format] turns a value into principals. Both look names up in
//     an [Organization].
//   - [Canonical], [Equal] and [Diff] compare values; [Allowed] checks one against the rules of
//     the server.
//   - A [Spec] describes one permission, a [Table] those of channels, user groups or the
//     organization.
//   - [Access] computes who can effectively do what, before and after a planned [Change];
//     [Compare] and [Report] describe the difference. A [Person] is one user of it, and tells what grants each permission.
package permission

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Kind is the form in which a principal names a group or user.
type Kind int

// The five forms of a principal.
const (
	KindRole    Kind = iota // role:members, a system group by its name in the API
	KindGroup               // group:NAME, a user group by name
	KindUser                // user:EMAIL, a person or bot by email
	KindGroupID             // group_id:N, a group by ID
	KindUserID              // user_id:N, a person or bot by ID
)

var prefixes = map[Kind]string{
	KindRole: "role:", KindGroup: "group:", KindUser: "user:",
	KindGroupID: "group_id:", KindUserID: "user_id:",
}

// Nobody is the principal that admits no one.
var Nobody = Principal{Kind: KindRole, Name: "nobody"}

// Principal names one role, group, person or bot in a permission.
type Principal struct {
	Kind Kind
	// Name is the text after the prefix role:, group: or user:.
	Name string
	// ID is the ID after group_id: or user_id:.
	ID int64
}

// String returns the principal in the form of configurations, which [Parse] reads.
func (p Principal) String() string {
	if p.Kind == KindGroupID || p.Kind == KindUserID {
		return prefixes[p.Kind] + strconv.FormatInt(p.ID, 10)
	}
	return prefixes[p.Kind] + p.Name
}

// WireName returns the name of the group on the server: with the prefix for roles (their
// groups are called `role:members`), without it for user groups.
func (p Principal) WireName() string {
	if p.Kind == KindRole {
		return prefixes[KindRole] + p.Name
	}
	return p.Name
}

// Parse parses a principal. The error explains the mistake in the text and suggests a correction.
func Parse(text string) (Principal, error) {
	prefix, rest, found := strings.Cut(text, ":")
	if !found {
		return Principal{}, fmt.Errorf("%q has no prefix: write %s", text, suggestPrincipal(text))
	}
	if rest == "" {
		return Principal{}, fmt.Errorf("%q names no one: a name or number must follow the colon", text)
	}
	switch prefix + ":" {
	case prefixes[KindRole]:
		return Principal{Kind: KindRole, Name: rest}, nil
	case prefixes[KindGroup]:
		return Principal{Kind: KindGroup, Name: rest}, nil
	case prefixes[KindUser]:
		return Principal{Kind: KindUser, Name: rest}, nil
	case prefixes[KindGroupID]:
		return parseNumber(KindGroupID, text, rest)
	case prefixes[KindUserID]:
		return parseNumber(KindUserID, text, rest)
	}
	return Principal{}, fmt.Errorf("%q has the unknown prefix %q: a principal is role:, group:, user:, group_id: or user_id: and a name or number", text, prefix+":")
}

func parseNumber(kind Kind, text, digits string) (Principal, error) {
	id, err := strconv.ParseInt(digits, 10, 64)
	// Only the canonical form is accepted, so that every principal has exactly one text.
	if err != nil || id <= 0 || strconv.FormatInt(id, 10) != digits {
		return Principal{}, fmt.Errorf("%q: a positive number must follow %s", text, prefixes[kind])
	}
	return Principal{Kind: kind, ID: id}, nil
}

// suggestPrincipal returns the principal that a text without a prefix probably means.
func suggestPrincipal(text string) string {
	switch {
	case isRole(text):
		return strconv.Quote("role:" + text)
	case strings.Contains(text, "@"):
		return strconv.Quote("user:" + text)
	case isDigits(text):
		return strconv.Quote("group_id:"+text) + " or " + strconv.Quote("user_id:"+text)
	}
	return strconv.Quote("group:" + text)
}

func isRole(text string) bool {
	switch text {
	case "owners", "administrators", "moderators", "fullmembers", "members", "everyone", "internet", "nobody":
		return true
	}
	return false
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// roleNames are the names of the roles' groups, from the smallest group to the largest, and "nobody".
var roleNames = []string{
	"role:owners", "role:administrators", "role:moderators", "role:fullmembers", "role:members", "role:everyone", "role:internet", "role:nobody",
}

// RoleNames returns the names of roles in principals, from the smallest group to the largest, and "nobody".
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

// IsNoRole reports whether the principal is a user or, by its form, another group than a role.
func (p Principal) IsNoRole() bool { return p.Kind != KindRole && p.Kind != KindGroupID }

// Spec describes one permission of channels, of user groups, or of the organization.
type Spec struct {
	// Name is the name of the parameter in the API, and of the attribute.
	Name string
	// FeatureLevel is the first at which the value is a group-setting value.
	FeatureLevel int
	// AllowEveryone is true if the permission can be role:everyone. Otherwise guests never have it (server-behavior §P6).
	AllowEveryone bool
	// RefuseNobody is true if the setting cannot be role:nobody.
	RefuseNobody bool
	// Roles are the only values it can have, one at a time; empty for a setting that can be
	// any group and any list.
	Roles []string
	// NeedsContentAccess is true if changing it requires access to the messages of a private channel, which
	// administrators do not have because of their role (server-behavior §C17).
	NeedsContentAccess bool
	// OwnersOnly is true if the server refuses requests of administrators that contain it, even if it would not change
	// (server-behavior §O1).
	OwnersOnly bool
	// BySending is true if the permission is exercised by sending messages. Incoming webhook bots can do nothing but
	// that.
	BySending bool
	// BotsSince is the first feature level at which bots can exercise the permission. Below it, the server refuses the
	// requests of all bots.
	BotsSince int
	// NotByGuests is true if the server refuses the requests of guests that exercise the permission, although it can be
	// role:everyone (server-behavior §G1, §C18).
	NotByGuests bool
	// Action completes the phrase "can …".
	Action string
	// Default is the principal that has the permission after creation.
	Default string
}

// IsAboutMessages reports whether the permission decides what people do with messages, and not what they administer.
func (s Spec) IsAboutMessages() bool { return s.AllowEveryone || s.BySending }

// NeverGuests reports whether guests can never exercise the permission, even if a value names them.
func (s Spec) NeverGuests(supported zulip.SupportedPermission) bool {
	return s.NotByGuests || !supported.AllowEveryoneGroup
}

// Allowed checks a value against the server's rules for the setting; the error is meant for users. It checks only
// values that are a single group, because the server does not check lists either (server-behavior §P5).
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
		hint = ": guests never have this permission; \"role:members\" is everyone else"
	case group.Name == "role:internet":
		hint = ": only users of the organization can have this permission"
	}
	return fmt.Errorf("the server does not let %s be %q%s", setting, group.Name, hint)
}

func isSystemGroup(value zulip.GroupSettingValue, org Organization) bool {
	group, ok := org.UserGroup(value.Group)
	return ok && group.IsSystemGroup
}

// SupportedBy returns the rules for the setting that this provider assumes for servers that
// do not publish them.
func (s Spec) SupportedBy() zulip.SupportedPermission {
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

// Canonical returns the form in which the server stores a value: a single group becomes its ID, an empty value
// role:nobody, and lists are ascending without duplicates (server-behavior §P2). Values in an answer need not be
// canonical: see [IsCanonical].
func Canonical(value zulip.GroupSettingValue, nobody int64) zulip.GroupSettingValue {
	if value.IsNamed() {
		return value
	}
	members, subgroups := sortedUnique(value.DirectMembers), sortedUnique(value.DirectSubgroups)
	switch {
	case len(members) == 0 && len(subgroups) == 0:
		return zulip.NamedGroup(nobody)
	case len(members) == 0 && len(subgroups) == 1:
		return zulip.NamedGroup(subgroups[0])
	}
	return zulip.GroupSettingValue{DirectMembers: members, DirectSubgroups: subgroups}
}

// IsCanonical reports whether a value that was read can be sent back as an old value. A value with a deactivated user
// or group is not canonical: the server omits them when the value is read, but does not collapse the rest as it does
// with an old value (server-behavior §P3).
func IsCanonical(value zulip.GroupSettingValue, nobody int64) bool {
	canonical := Canonical(value, nobody)
	return value.IsNamed() == canonical.IsNamed()
}

// Names reports whether a value itself names a group.
func Names(value zulip.GroupSettingValue, group int64) bool {
	return value.IsNamed() && value.Group == group || slices.Contains(value.DirectSubgroups, group)
}

// Without returns what remains of a value of a setting without a group. A setting that cannot be empty keeps the owners.
func (t Table) Without(setting string, value zulip.GroupSettingValue, group int64, org Organization) zulip.GroupSettingValue {
	if value.IsNamed() && value.Group == group {
		value = zulip.GroupSettingValue{}
	}
	value.DirectSubgroups = slices.DeleteFunc(slices.Clone(value.DirectSubgroups), func(id int64) bool { return id == group })
	isIt := func(one Spec) bool { return one.Name == setting && one.RefuseNobody }
	if owners, ok := org.UserGroupByName("role:owners"); ok && Equal(value, zulip.GroupSettingValue{}, NobodyID(org)) && slices.ContainsFunc(t.Settings, isIt) {
		return zulip.NamedGroup(owners.ID)
	}
	return value
}

// Equal reports whether two values are the same; order, duplicates and the form do not matter.
func Equal(a, b zulip.GroupSettingValue, nobody int64) bool {
	a, b = Canonical(a, nobody), Canonical(b, nobody)
	return a.Group == b.Group &&
		slices.Equal(a.DirectMembers, b.DirectMembers) &&
		slices.Equal(a.DirectSubgroups, b.DirectSubgroups)
}

func sortedUnique(ids []int64) []int64 {
	sorted := slices.Clone(ids)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}
