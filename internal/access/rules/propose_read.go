package rules

import (
	"context"
	"fmt"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
)

// ProposeFor reads an organization, and proposes rules for it as [Propose] does.
func ProposeFor(ctx context.Context, from *store.Store, now time.Time) (*Proposal, error) {
	view, err := from.Read(ctx, store.Channels, store.Subscribers, store.Organization, store.Users, store.Folders)
	if err != nil {
		return nil, fmt.Errorf("cannot read the organization: %w", err)
	}
	read := access.Read{View: view, Self: from.Self(), Subscribers: view.Subscribers(), Now: now}
	read.Invitations, read.MissingInvitations = access.Invitations(ctx, from)
	proposal := Propose(access.Of(read))
	return &proposal, nil
}
