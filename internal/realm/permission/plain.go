package permission

import (
	"fmt"
	"strconv"
	"strings"
)

// OtherListError says that a list of people has a group, or a list of groups a person or bot.
type OtherListError struct{ text string }

// Error says which.
func (e *OtherListError) Error() string { return e.text }

// PlainUser returns an element of a list of people as it is written there without a prefix: `user:EMAIL` as the address, and
// `user_id:N` as the number. Other texts are plain already. A principal that is a group is an error.
func PlainUser(text string) (string, error) {
	if !IsPrincipal(text) {
		return text, nil
	}
	principal, err := Parse(text)
	if err != nil {
		return "", err
	}
	switch principal.Kind {
	case KindUserID:
		return strconv.FormatInt(principal.ID, 10), nil
	case KindUser:
		if _, err := strconv.ParseInt(principal.Name, 10, 64); err == nil {
			return "", fmt.Errorf("%q: what follows user: is an address; write user_id:%s for an ID", text, principal.Name)
		}
		return principal.Name, nil
	}
	return "", &OtherListError{fmt.Sprintf("%q is a group", text)}
}

// PlainGroup is PlainUser for a list of groups: `group:NAME` is `name:NAME`, which no number is taken for, and `group_id:N` the number.
// A role is plain. A person or bot is an error.
func PlainGroup(text string) (string, error) {
	if !IsPrincipal(text) || strings.HasPrefix(text, prefixes[KindRole]) {
		return text, nil
	}
	principal, err := Parse(text)
	if err != nil {
		return "", err
	}
	switch principal.Kind {
	case KindGroupID:
		return strconv.FormatInt(principal.ID, 10), nil
	case KindGroup:
		return "name:" + principal.Name, nil
	}
	return "", &OtherListError{fmt.Sprintf("%q is a person or bot", text)}
}

// IsPrincipal reports whether a text begins as a principal does.
func IsPrincipal(text string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}
