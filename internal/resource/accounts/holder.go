package accounts

import (
	"context"
	"fmt"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Holder returns the account that has an address which a new one is to get, as it is now; nil if there is none. The list may
// have it as it was before it was deactivated (server-behavior §U18).
func Holder(ctx context.Context, meta *base.Meta, s *snapshot.Snapshot, address string) (*zulip.User, error) {
	listed, ok := s.UserByAddress(address)
	if !ok {
		return nil, nil
	}
	return meta.Store.FreshUser(ctx, listed.ID)
}

// IsAboveMember reports whether an account has rights by its role. Its resource is read by itself at each refresh: the server's
// list may hide that the role was changed (server-behavior §U18), and such accounts are few.
func IsAboveMember(user *zulip.User) bool { return user.Role < zulip.RoleMember }

// Deleted says of an account that was deleted on the server why it cannot be reactivated or adopted, and what to
// do. attribute is what the address comes from.
func Deleted(user *zulip.User, attribute string) (summary, detail string) {
	return fmt.Sprintf("The account %s was deleted", user.Address()),
		fmt.Sprintf("It has the ID %d and is called %q. An account that was deleted on the server cannot be reactivated, imported or adopted, and its address stays taken. Set another %s.",
			user.ID, user.FullName, attribute)
}
