// Package permission computes with permissions. It sends no requests: what it needs to
// know about the organization is passed in.
//
//   - A [Principal] is what a configuration names: role:members, group:devs, user:ada@example.com.
//     [Parse] reads one, [Resolve] turns principals into the value that the API takes (a
//     [zulip.GroupSettingValue]), [Format] turns a value into principals. Both look names up in
//     an [Organization].
//   - [Canonical], [Equal] and [Diff] compare values; [Allowed] checks one against the rules of
//     the server.
//   - A [Setting] describes one permission, a [Table] those of channels, user groups or the
//     organization.
//   - [Access] computes who can effectively do what, before and after a planned [Change];
//     [Compare] and [Report] describe the difference. A [Person] is one user of it, and tells what grants each right.
package permission

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is the form in which a principal names a group or user.
type Kind int

// The five forms of a principal.
const (
	KindRole    Kind = iota // role:members, a system group by its name in the API
	KindGroup               // group:NAME, a user group by name
	KindUser                // user:EMAIL, a person or bot by address
	KindGroupID             // group_id:N, a group by number
	KindUserID              // user_id:N, a person or bot by number
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
	// Name is what follows the prefix of role:, group: and user:.
	Name string
	// ID is the number of group_id: and user_id:.
	ID int64
}

// String writes the principal as configurations do; [Parse] reads it back.
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

// Parse reads a principal. The error says what is wrong with the text and suggests a
// correction.
func Parse(text string) (Principal, error) {
	prefix, rest, found := strings.Cut(text, ":")
	if !found {
		return Principal{}, fmt.Errorf("%q has no prefix: write %s", text, suggestPrincipal(text))
	}
	if rest == "" {
		return Principal{}, fmt.Errorf("%q names nobody: something has to follow the colon", text)
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
	return Principal{}, fmt.Errorf("%q has the unknown prefix %q: a principal begins with role:, group:, user:, group_id: or user_id: and a name or number", text, prefix+":")
}

func parseNumber(kind Kind, text, digits string) (Principal, error) {
	id, err := strconv.ParseInt(digits, 10, 64)
	// Only the canonical form is accepted, so that every principal has exactly one text.
	if err != nil || id <= 0 || strconv.FormatInt(id, 10) != digits {
		return Principal{}, fmt.Errorf("%q: what follows %s is a positive number", text, prefixes[kind])
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
