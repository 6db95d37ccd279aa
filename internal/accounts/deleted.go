package accounts

import (
	"fmt"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Deleted says of an account that was deleted on the server why it cannot be reactivated or adopted, and what to
// do. attribute is what the address comes from.
func Deleted(user *zulip.User, attribute string) (summary, detail string) {
	return fmt.Sprintf("The account %s was deleted", user.Address()),
		fmt.Sprintf("It has the ID %d and is called %q. An account that was deleted on the server cannot be reactivated, imported or adopted, and its address stays taken. Set another %s.",
			user.ID, user.FullName, attribute)
}
