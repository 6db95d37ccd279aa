package validators

import (
	"errors"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
)

// Person allows what names a person or bot in a list. instead says as a sentence what to write instead of a group.
func Person(instead string) Rule {
	return principalRule("must be an email address or a user ID, also as user:EMAIL or user_id:N", permission.PlainUser, instead)
}

// Group allows what names a group in a list. instead says as a sentence what to write instead of a person.
func Group(instead string) Rule {
	return principalRule("must be the name or the ID of a group, also as group:NAME or group_id:N", permission.PlainGroup, instead)
}

func principalRule(allowed string, plain func(string) (string, error), instead string) Rule {
	return textRule(allowed, func(text string) string {
		if _, err := plain(text); errors.As(err, new(*permission.OtherListError)) {
			return err.Error() + ". " + instead
		} else if err != nil {
			return err.Error() + "."
		}
		return ""
	})
}
