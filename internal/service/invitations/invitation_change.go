package invitations

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// recordKey is the key of the [record] in the private state.
const recordKey = "pending"

// record holds the pending invitations of an email, as the last read or write showed them to the provider's account. A
// change compares the current IDs with it. The server never changes an invitation, so the same ID means the same role,
// channels and expiry.
type record struct {
	// Managed is the ID of the invitation that the attributes describe.
	Managed int64               `json:"managed"`
	Pending []*zulip.Invitation `json:"pending"`
}

// readRecord returns the record of a private state; nil if there is none.
func readRecord(ctx context.Context, private base.PrivateGetter, diags *diag.Diagnostics) *record {
	data, found := private.GetKey(ctx, recordKey)
	diags.Append(found...)
	if data == nil {
		return nil
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		base.AddBug(diags, "decode private state", err)
		return nil
	}
	return &r
}

// store writes the record into a private state; nil removes it.
func (r *record) store(ctx context.Context, private base.PrivateSetter, diags *diag.Diagnostics) {
	if r == nil {
		diags.Append(private.SetKey(ctx, recordKey, nil)...)
		return
	}
	data, err := json.Marshal(r)
	if err != nil {
		base.AddBug(diags, "encode private state", err)
		return
	}
	diags.Append(private.SetKey(ctx, recordKey, data)...)
}

// others returns the pending invitations besides the managed one.
func (r *record) others() []*zulip.Invitation {
	if r == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.Pending), func(one *zulip.Invitation) bool { return one.ID == r.Managed })
}

// managedInvitation returns the invitation that a state describes; nil if it is no longer pending. Without a record, the
// invitation is found by sender and time, or only by sender if it was sent and not read yet.
func managedInvitation(meta *base.Meta, list []*zulip.Invitation, state *invitationModel, seen *record) *zulip.Invitation {
	self := meta.Store.Self().ID
	return newestInvitation(list, state.ID.ValueString(), func(one *zulip.Invitation) bool {
		switch {
		case seen != nil:
			return one.ID == seen.Managed
		case state.Invited.IsNull():
			return one.InvitedByUserID == self
		}
		return momentText(&one.Invited).Equal(state.Invited) && one.InvitedByUserID == state.InvitedByUserID.ValueInt64()
	})
}

// describeInvitation returns the text of an invitation in messages.
func describeInvitation(one *zulip.Invitation) string {
	text := fmt.Sprintf("%s, sent by user %d on %s, ", one.InvitedAs, one.InvitedByUserID, momentText(&one.Invited).ValueString())
	if one.ExpiryDate == nil {
		return text + "never expires"
	}
	return text + "expires on " + momentText(one.ExpiryDate).ValueString()
}

func describeInvitations(list []*zulip.Invitation) string {
	var texts []string
	for _, one := range list {
		texts = append(texts, describeInvitation(one))
	}
	return strings.Join(texts, "; ")
}

// inbox has the server's invitations of an email.
type inbox struct {
	pending    []*zulip.Invitation
	hasAccount bool
	account    *zulip.User // nil if the provider's account does not see it
}

// has reports whether an invitation is pending.
func (i *inbox) has(id int64) bool { return hasID(i.pending, id) }

func hasID(list []*zulip.Invitation, id int64) bool {
	return slices.ContainsFunc(list, func(one *zulip.Invitation) bool { return one.ID == id })
}

// inboxUpdate is the content of a change of an inbox.
type inboxUpdate struct {
	revokes []*zulip.Invitation
	invites bool
}

type (
	inboxStep    = change.Step[*inbox, inboxUpdate]
	inboxPending = change.Pending[*inbox, inboxUpdate]
	inboxReading = change.Reading[*inbox]
)

// inboxChange is the change of the pending invitations of an email. It sends at most one invitation, and revokes those
// that the plan saw.
type inboxChange struct {
	*invitationCall
	email string
	seen  *record
	// wanted is the planned invitation to send; nil if none is sent.
	wanted *zulip.NewInvitation
	// keepsManaged is true if the managed invitation stays.
	keepsManaged bool

	now        *inbox         // as last read
	before     map[int64]bool // pending right before the invitation was sent; nil before that
	isAccepted bool           // the server accepted the invitation
	sent       *zulip.Invitation
	revoked    map[int64]bool // revocations that were sent
	hasAccount bool           // the server said that the email has an account
}

// run makes the change. It returns the resulting inbox, or nil if it could not be read.
func (c *inboxChange) run(ctx context.Context, now *inboxReading) *inbox {
	c.revoked = map[int64]bool{}
	name := "invitation of " + c.email
	subject := change.Subject[*inbox, inboxUpdate]{
		Of: invitationKind, NameBefore: "the " + name, Name: func(*inbox) string { return name }, Explain: c.explain,
		Read: func(ctx context.Context, _ func(*inbox) bool) (*inboxReading, error) { return c.read(ctx) },
		Send: func(ctx context.Context, p inboxPending) ([]string, error) { return nil, c.send(ctx, p) },
	}
	if now = subject.Change(ctx, c.Base, c.steps(), now, c.Diags); now == nil {
		return nil
	}
	return now.Thing
}

// read reads the inbox from the server.
func (c *inboxChange) read(ctx context.Context) (*inboxReading, error) {
	c.Meta.Store.Invalidate(store.Invitations)
	list, err := c.Meta.Store.Invitations(ctx)
	if err != nil {
		return nil, err
	}
	if self := c.Meta.Store.Self().ID; c.before != nil && c.sent == nil {
		c.sent = newestInvitation(list, c.email, func(one *zulip.Invitation) bool {
			return one.InvitedByUserID == self && !c.before[one.ID] && looksLike(one, c.Plan)
		})
	}
	c.now = &inbox{pending: invitationsOf(list, c.email)}
	if len(c.now.pending) == 0 {
		c.Meta.Store.Invalidate(store.Users)
		if c.now.account, err = accountOf(ctx, c.Meta, c.email); err != nil {
			return nil, err
		}
		c.now.hasAccount = c.hasAccount || c.now.account != nil
	}
	return &inboxReading{Thing: c.now}, nil
}

// steps returns a step for each invitation that the plan saw, and one for all that it did not see.
func (c *inboxChange) steps() []inboxStep {
	var steps []inboxStep
	for _, one := range c.seen.Pending {
		text, planned, isManaged := describeInvitation(one), "revoked", one.ID == c.seen.Managed
		switch {
		case isManaged && c.keepsManaged:
			planned = text
		case isManaged && c.wanted != nil:
			planned = "replaced by a new one"
		}
		steps = append(steps, inboxStep{
			Attribute: fmt.Sprint("invitation ", one.ID), Prior: text, Planned: planned,
			Current: func(now *inbox) string {
				switch {
				case now.hasAccount:
					return planned
				case now.has(one.ID):
					return text
				case planned == "revoked" || c.revoked[one.ID]:
					return planned
				}
				return "not pending"
			},
			Put: func(update *inboxUpdate, _ *inbox, _ bool) { update.revokes = append(update.revokes, one) },
		})
	}
	const none = "none"
	planned := none
	if c.wanted != nil {
		planned = roleOf(c.wanted.InviteTerms).String()
	}
	return append(steps, inboxStep{
		Attribute: "new invitation", Prior: none, Planned: planned,
		Current: func(now *inbox) string {
			unseen := slices.DeleteFunc(slices.Clone(now.pending), func(one *zulip.Invitation) bool {
				return hasID(c.seen.Pending, one.ID) || c.sent != nil && one.ID == c.sent.ID
			})
			switch {
			case now.hasAccount, len(unseen) == 0 && c.sent != nil && now.has(c.sent.ID):
				return planned
			case len(unseen) > 0:
				return describeInvitations(unseen)
			case c.sent != nil || c.isAccepted:
				return "sent, and no longer pending"
			}
			return none
		},
		Put: func(update *inboxUpdate, _ *inbox, _ bool) { update.invites = true },
	})
}

// send makes the requests. An invitation with a stronger role than the new one is revoked first, so that no failure leaves it
// pending next to the new one. The others are revoked afterwards, so that a refused request leaves the email invited.
func (c *inboxChange) send(ctx context.Context, p inboxPending) error {
	defer c.Meta.Store.Invalidate(store.Invitations)
	update := p.Update()
	if update.invites {
		isStronger := func(one *zulip.Invitation) bool { return one.InvitedAs < roleOf(c.wanted.InviteTerms) }
		for _, one := range update.revokes {
			if isStronger(one) {
				if err := c.revoke(ctx, one.ID); err != nil {
					return err
				}
			}
		}
		update.revokes = slices.DeleteFunc(update.revokes, isStronger)
		if err := c.invite(ctx, p.Now); err != nil || c.hasAccount {
			return err
		}
	}
	for _, one := range update.revokes {
		if err := c.revoke(ctx, one.ID); err != nil {
			return err
		}
	}
	return nil
}

// revoke revokes an invitation by email, whose ID was just read.
func (c *inboxChange) revoke(ctx context.Context, id int64) error {
	c.revoked[id] = true
	return c.Meta.Client.RevokeInvitation(ctx, id)
}

// invite sends the invitation.
func (c *inboxChange) invite(ctx context.Context, now *inbox) error {
	if c.before == nil {
		c.before = map[int64]bool{}
		for _, one := range now.pending {
			c.before[one.ID] = true
		}
	}
	err := c.Meta.Client.Invite(ctx, *c.wanted)
	switch zulip.InviteProblem(err) {
	case zulip.HasAccount:
		c.hasAccount = true
		return nil
	case zulip.HasDeactivatedAccount:
		return base.Refused(path.Root("email"), "The email belongs to a deactivated user", deactivated(c.email))
	}
	c.isAccepted = err == nil
	return err
}

// explain explains an error, and names the invitations by which people can still join.
func (c *inboxChange) explain(err error) string {
	text := base.ExplainWith(err, invitationHint)
	switch {
	case c.wanted == nil || c.now == nil || c.now.hasAccount:
	case c.sent == nil && !c.isAccepted && len(c.revoked) > 0 && len(c.now.pending) > 0:
		text += "\n\nNo new invitation was sent, because the earlier one has a stronger role and must be revoked first. The person can still join with it. The next plan shows it."
	case c.sent == nil && !c.isAccepted && len(c.revoked) > 0:
		text += fmt.Sprintf("\n\nThe earlier invitation was revoked, and %q is not invited now. The next plan proposes to send a new invitation.", c.email)
	case c.sent != nil:
		text += "\n\nThe new invitation was sent. The person can still join with an earlier one. The next plan proposes to revoke it."
	}
	return text
}
