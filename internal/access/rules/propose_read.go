package rules

import (
	"context"
	"fmt"
	"strings"
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
	if read.Self.IsBot {
		read.MissingInvitations = "A bot does not see the invitations."
	} else if read.Invitations, err = from.Invitations(ctx); err != nil {
		read.MissingInvitations = fmt.Sprintf("The invitations could not be read: %s.", strings.TrimRight(err.Error(), "."))
	}
	proposal := Propose(access.Of(read))
	return &proposal, nil
}
