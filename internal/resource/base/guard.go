package base

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Guard keeps the rules of the provider block in an apply.
type Guard interface {
	// Permits reports whether a change may be sent, right before its request, and says why not.
	Permits(ctx context.Context, change GuardedChange, diags *diag.Diagnostics) bool
}

// GuardedChange is what a request is about to change. What is nil or empty does not change.
type GuardedChange struct {
	// What is how messages call it: the role of a@example.com.
	What string
	// Roles are the new ones by account, Deactivated the accounts that are deactivated.
	Roles       map[int64]zulip.Role
	Deactivated []int64
	// Group is a user group with the permissions that it will have, Membership who comes into it and who is taken out. EndedGroup is
	// the ID of one that is deactivated.
	Group      *zulip.UserGroup
	Membership zulip.MembershipChange
	EndedGroup int64
	// Channel is the ID of a channel: Facts are what it will be, Leave are who is taken out of it.
	Channel int64
	Facts   *permission.Channel
	Leave   []int64
	// Organization are permissions of the organization.
	Organization map[string]zulip.GroupSettingValue
}

// Permits reports whether a change may be sent: without rules every one may.
func (m *Meta) Permits(ctx context.Context, change GuardedChange, diags *diag.Diagnostics) bool {
	return m.Guard == nil || m.Guard.Permits(ctx, change, diags)
}
