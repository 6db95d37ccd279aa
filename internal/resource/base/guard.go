package base

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Guard keeps the rules of the provider block in an apply.
type Guard interface {
	// Begin reports whether a change may be sent, right before its request, and says why not. Until end is called, with the
	// answer of the server, no other change may be sent: each is judged on what the others have done. So whoever calls it takes
	// its own locks before, and waits for no other resource until then. end is never nil.
	Begin(ctx context.Context, change GuardedChange, diags *diag.Diagnostics) (end func(), ok bool)
}

// GuardedChange is what a request is about to change. What is nil or empty does not change.
type GuardedChange struct {
	// What is how messages call it: the role of a@example.com.
	What string
	// Roles are the new ones by account, Deactivated the accounts that are deactivated.
	Roles       map[int64]zulip.Role
	Deactivated []int64
	// Group is the ID of a user group, and GroupAfter returns what the change makes of it; nil: it is deactivated.
	Group      int64
	GroupAfter func(now *zulip.UserGroup) *zulip.UserGroup
	// Channel is the ID of a channel: ChannelAfter returns what the change makes of it, if that is not nil, and Leave are who is
	// taken out of it.
	Channel      int64
	ChannelAfter func(now *zulip.Channel) *zulip.Channel
	Leave        []int64
	// Organization are permissions of the organization.
	Organization map[string]zulip.GroupSettingValue
}

// BeginGuarded is [Guard.Begin]: without rules every change may be sent.
func (m *Meta) BeginGuarded(ctx context.Context, change GuardedChange, diags *diag.Diagnostics) (end func(), ok bool) {
	if m.Guard == nil {
		return func() {}, true
	}
	return m.Guard.Begin(ctx, change, diags)
}
