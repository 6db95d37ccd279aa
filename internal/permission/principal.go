// Package permission holds the algebra of permissions: principals as people write
// them, group-setting values as the wire has them, and what leads from one to the
// other. It asks nobody: what it needs to know of the organization it is given.
package permission

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind tells how a principal names whom it means.
type Kind int

// The five forms of a principal.
const (
	KindRole    Kind = iota // role:members, a system group by its name on the wire
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
	// Name is what follows the prefix, for the forms that name.
	Name string
	// ID is the number, for the forms that count.
	ID int64
}

// String writes the principal as configurations do; [Parse] reads it back.
func (p Principal) String() string {
	if p.Kind == KindGroupID || p.Kind == KindUserID {
		return prefixes[p.Kind] + strconv.FormatInt(p.ID, 10)
	}
	return prefixes[p.Kind] + p.Name
}

// WireName returns the name that the server's group has: with the prefix for roles,
// whose groups are called `role:members`, without it for user groups.
func (p Principal) WireName() string {
	if p.Kind == KindRole {
		return prefixes[KindRole] + p.Name
	}
	return p.Name
}

// Parse reads a principal. The error says what is wrong with the text and which form
// was probably meant.
func Parse(text string) (Principal, error) {
	prefix, rest, found := strings.Cut(text, ":")
	if !found {
		return Principal{}, fmt.Errorf("%q has no prefix: write %s", text, guess(text))
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
	// The canonical writing alone is accepted, so that a principal has one text.
	if err != nil || id <= 0 || strconv.FormatInt(id, 10) != digits {
		return Principal{}, fmt.Errorf("%q: what follows %s is a positive number", text, prefixes[kind])
	}
	return Principal{Kind: kind, ID: id}, nil
}

// guess returns the principal that a text without a prefix probably means.
func guess(text string) string {
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
