package invitelink

import (
	"context"
	"fmt"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// link is what was made.
type link struct {
	url string
	// invitation is the link as the server lists it; nil if it was not found there: problem says why, or is nil because
	// the list does not hold it.
	invitation *zulip.Invitation
	problem    error
}

// makeLink makes a link. The server tells the link, but not its ID, which is looked up in the list. If the answer is lost the
// list is compared with what it was before: a new link of this account, for the same role and the same time, is the one.
func (r *Resource) makeLink(ctx context.Context, wanted zulip.InviteTerms) (*link, error) {
	made := &link{}
	_, err := core.Creation{
		Kind: kind, Thing: fmt.Sprint(roleOf(wanted), minutesOf(wanted.ExpiresInMinutes)),
		Look: func(ctx context.Context, free func(int64) bool) (int64, error) {
			list, err := r.Meta.Store.Invitations(ctx)
			i := slices.IndexFunc(list, func(one *zulip.Invitation) bool { return r.looksLike(one, wanted) && free(one.ID) })
			if err != nil || i < 0 {
				return 0, err
			}
			made.url, made.invitation = list[i].LinkURL, list[i]
			return list[i].ID, nil
		},
		Make: func(ctx context.Context) (int64, error) {
			// The next to look, here or elsewhere, is to see this link.
			defer r.Meta.Store.Invalidate(store.Invitations)
			var err error
			if made.url, err = r.Meta.Client.CreateInviteLink(ctx, wanted); err != nil {
				return 0, err
			}
			r.Meta.Store.Invalidate(store.Invitations)
			list, err := r.Meta.Store.Invitations(ctx)
			if made.problem = err; err != nil {
				return 0, nil // the link is made, and must not be lost
			}
			if made.invitation = linkWith(list, made.url); made.invitation == nil {
				return 0, nil
			}
			return made.invitation.ID, nil
		},
	}.Run(ctx, r.Meta)
	return made, err
}

// looksLike reports whether an invitation is what the account would have made of the wanted, as far as can be read.
func (r *Resource) looksLike(one *zulip.Invitation, wanted zulip.InviteTerms) bool {
	return one.IsMultiuse && one.InvitedByUserID == r.Meta.Store.Self().ID && one.InvitedAs == roleOf(wanted) &&
		minutesOf(one.ExpiresInMinutes()) == minutesOf(wanted.ExpiresInMinutes)
}

// explain says what became of a link whose ID was not found.
func (l *link) explain() string {
	why := "The server does not list it among the invitations that can be used; it may have expired or been revoked at once."
	if l.problem != nil {
		why = base.Explain(l.problem)
	}
	return why + "\n\nThe link is in the state, and would be revoked by its address when it is replaced or destroyed. Terraform marks it as tainted: the next apply replaces it. To keep it, run \"terraform untaint\" first; its ID is found when it is read again."
}

// linkWith returns the invitation that has a link; nil if there is none.
func linkWith(list []*zulip.Invitation, url string) *zulip.Invitation {
	i := slices.IndexFunc(list, func(one *zulip.Invitation) bool { return one.IsMultiuse && one.LinkURL == url })
	if i < 0 {
		return nil
	}
	return list[i]
}

// roleOf is the role that a link gives; what is not said is the server's default.
func roleOf(wanted zulip.InviteTerms) zulip.Role {
	if wanted.InviteAs == nil {
		return zulip.RoleMember
	}
	return *wanted.InviteAs
}

// minutesOf writes how long a link lives so that it can be compared.
func minutesOf(minutes *int64) string {
	if minutes == nil {
		return "for ever"
	}
	return fmt.Sprint(*minutes)
}
