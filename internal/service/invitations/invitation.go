// Package invitations has invitations by email and invitation links.
package invitations

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

const (
	// invitationKind is the kind of invited emails in the run state, and title the name of an invitation in messages.
	invitationKind  = "zulip_invitation"
	invitationTitle = "invitation"
	// mailKind is the kind of the invitations themselves, by their IDs.
	mailKind = "zulip_invitation by email"
)

// importedKey marks, in the private state, an invitation that this resource did not send.
const importedKey = "imported"

type invitationCall = adapter.Call[invitationModel]

// NewInvitationResource returns zulip_invitation. Its ID is the email. The private state has the server's IDs for
// comparison. Links have the same IDs, so a request with the wrong one revokes another invitation (server-behavior
// §U17). A request therefore only has IDs that were just read for the email.
func NewInvitationResource() resource.Resource {
	return adapter.Resource[invitationModel]{
		Name: invitationTitle, Schema: invitationSchema,
		Identity: adapter.Identity{{"id", "Email address that is invited."}},
		Plan:     planInvitation, PlanDestroy: planInvitation,
		Create: createInvitation, Read: readInvitation, Update: updateInvitation, Delete: deleteInvitation, Import: importInvitation,
	}.New()
}

// createInvitation invites the email, unless it has an account.
func createInvitation(ctx context.Context, c *invitationCall) error {
	plan := c.Plan
	email := plan.Email.ValueString()
	done, err := c.Meta.Run.Lock(ctx, invitationKind+" "+fold(email))
	if err != nil {
		return base.Failed("Cannot invite "+email, err)
	}
	defer done()
	var made *zulip.Invitation
	switch _, isReleased := c.Meta.Run.TakeReleased(invitationKind, email); {
	case plan.isAccepted():
		user := plan.UserID
		plan.fillIn()
		plan.UserID = user
	case isReleased:
		made, err = adoptInvitation(ctx, c)
	default:
		made, err = inviteNew(ctx, c)
	}
	if err != nil || c.Diags.HasError() {
		return err
	}
	if made != nil {
		(&record{Managed: made.ID, Pending: []*zulip.Invitation{made}}).store(ctx, c.Private, c.Diags)
	}
	c.Meta.Run.Note(runstate.Managed, runstate.ID(invitationKind, invitationKey(email)))
	c.Save(plan)
	c.Diags.Append(existing.StoreReplacedID(ctx, c.Private, invitationKey(email))...)
	c.Diags.Append(c.Private.SetKey(ctx, importedKey, nil)...) // of an invitation that this resource replaces
	return nil
}

// adoptInvitation adopts the invitation of an interrupted apply.
func adoptInvitation(ctx context.Context, c *invitationCall) (*zulip.Invitation, error) {
	list, err := c.Meta.Store.Invitations(ctx)
	if err != nil {
		return nil, base.Failed(invitationsUnreadable, err, invitationHint)
	}
	c.Plan.fillIn()
	if found := newestInvitation(list, c.Plan.Email.ValueString(), func(one *zulip.Invitation) bool { return looksLike(one, c.Plan) }); found != nil {
		c.Plan.read(found)
		return found, nil
	}
	return inviteNew(ctx, c)
}

const invitationsUnreadable = "Cannot read the invitations"

// inviteNew invites an email that is not invited yet.
func inviteNew(ctx context.Context, c *invitationCall) (*zulip.Invitation, error) {
	list, err := c.Meta.Store.Invitations(ctx)
	if err != nil {
		return nil, base.Failed("Cannot invite "+c.Plan.Email.ValueString(), err, invitationHint, nothingSent)
	}
	if found := newestInvitation(list, c.Plan.Email.ValueString(), anyone); found != nil {
		existingInvitation(c.Meta, c.Plan, found).Refuse(c.Meta, c.Diags)
		return nil, nil
	}
	return sendInvitation(ctx, c)
}

func nothingSent(error) string { return "Nothing was sent." }

// sendInvitation sends an invitation, and sets the plan to the result. If the answer is lost, it compares the list with
// the earlier list. A new invitation of the email by this account is the result.
func sendInvitation(ctx context.Context, c *invitationCall) (sent *zulip.Invitation, err error) {
	plan := c.Plan
	wanted := c.Config.wire(ctx, c.Diags) // without the defaults of the plan
	if c.Diags.HasError() {
		return nil, nil
	}
	email := wanted.Email
	var unread error
	before := map[int64]bool{}
	self := c.Meta.Store.Self().ID
	look := func(ctx context.Context, isNew func(int64) bool) (int64, error) {
		list, err := c.Meta.Store.Invitations(ctx)
		if err != nil {
			return 0, err
		}
		sent = newestInvitation(list, email, func(one *zulip.Invitation) bool {
			isOurs := one.InvitedByUserID == self && isNew(one.ID)
			before[one.ID] = before[one.ID] || !isOurs
			return isOurs
		})
		if sent == nil {
			return 0, nil
		}
		return sent.ID, nil
	}
	create := func(ctx context.Context) (int64, error) {
		// Later readings, also by other resources, must contain this invitation.
		defer c.Meta.Store.Invalidate(store.Invitations)
		if err := c.Meta.Client.Invite(ctx, wanted); err != nil {
			return 0, err
		}
		c.Meta.Store.Invalidate(store.Invitations)
		list, err := c.Meta.Store.Invitations(ctx)
		if unread = err; err != nil {
			return 0, nil // the invitation was sent
		}
		sent = newestInvitation(list, email, func(one *zulip.Invitation) bool { return one.InvitedByUserID == self && !before[one.ID] })
		if sent == nil {
			return 0, nil
		}
		return sent.ID, nil
	}
	_, err = existing.CreateOnce(ctx, c.Meta, mailKind, fold(email), nil, look, create)
	switch zulip.InviteProblem(err) {
	case zulip.HasAccount:
		user, err := accountOf(ctx, c.Meta, email)
		plan.fillIn()
		plan.joined(user)
		return nil, base.Failed("Cannot read the people", err)
	case zulip.HasDeactivatedAccount:
		return nil, base.Refused(path.Root("email"), "The email belongs to a deactivated user", deactivated(email))
	}
	if err != nil {
		return nil, base.Failed("Cannot invite "+email, plan.whyRefused(ctx, c.Meta, err, invitationPermission, doingInvite), invitationHint)
	}
	plan.fillIn()
	plan.Status, plan.UserID = types.StringValue(pending), types.Int64Null()
	switch {
	case sent != nil:
		plan.read(sent)
	case unread != nil:
		c.Diags.AddWarning("Cannot read the invitation of "+email+" after it was sent",
			base.ExplainWith(unread, invitationHint)+"\n\nThe server accepted it, and the state has the values that were sent. The next plan reads it.")
	}
	return sent, nil
}

// readInvitation reads the status of the invitation. An accepted invitation stays accepted.
func readInvitation(ctx context.Context, c *invitationCall) error {
	state := c.State
	email := state.ID.ValueString()
	c.Meta.Run.Note(runstate.Managed, runstate.ID(invitationKind, invitationKey(email)))
	if state.isAccepted() {
		return nil
	}
	if !isListedTo(c.Meta) {
		c.Meta.MayRemove(false, "the invitation of "+email, seenBySender, c.Diags)
		return nil
	}
	list, err := c.Meta.Store.Invitations(ctx)
	if err != nil {
		return base.Failed(invitationsUnreadable, err, invitationHint)
	}
	found := managedInvitation(c.Meta, list, state, readRecord(ctx, c.PriorPrivate, c.Diags))
	if found == nil {
		// The invitation was replaced outside Terraform by one with channels and groups that the server does not
		// show.
		if found = newestInvitation(list, email, anyone); found != nil {
			state.ForgetHidden()
		}
	}
	if found != nil {
		state.read(found)
		c.Save(state)
		(&record{Managed: found.ID, Pending: invitationsOf(list, email)}).store(ctx, c.Private, c.Diags)
		return nil
	}
	user, err := accountOf(ctx, c.Meta, email)
	switch {
	case err != nil:
		return base.Failed("Cannot read the people", err)
	case user == nil && !c.Meta.MayRemove(state.IsShown(c.Meta), "the invitation of "+email, seenBySender, c.Diags):
	case user == nil:
		tflog.Info(ctx, "The invitation has expired or was revoked: removing it from the state", map[string]any{"email": email})
		c.Forget()
	default:
		if state.Email.IsNull() {
			state.Email = state.ID
		}
		state.joined(user)
		c.Save(state)
	}
	return nil
}

// updateInvitation sends a new invitation if an attribute changes, and revokes the earlier ones, unless they have
// changed since the plan. It sends nothing if the person has joined, or if the plan only records unreadable values.
func updateInvitation(ctx context.Context, call *invitationCall) error {
	plan, state, diags := call.Plan, call.State, call.Diags
	imported, found := call.PriorPrivate.GetKey(ctx, importedKey)
	diags.Append(found...)
	seen := readRecord(ctx, call.PriorPrivate, diags)
	if diags.HasError() {
		return nil
	}
	isReplaced := len(invitationChanges(state, plan, imported != nil)) > 0
	if state.isAccepted() || !isReplaced && len(seen.others()) == 0 {
		call.Save(plan)
		return nil
	}
	email := plan.Email.ValueString()
	done, err := call.Meta.Run.Lock(ctx, invitationKind+" "+fold(email))
	if err != nil {
		return base.Failed("Cannot invite "+email, err)
	}
	defer done()
	c := &inboxChange{invitationCall: call, email: email, keepsManaged: !isReplaced}
	if isReplaced {
		wanted := plan.wire(ctx, diags)
		c.wanted = &wanted
	}
	now, err := c.start(ctx, seen)
	if err != nil || diags.HasError() {
		return err
	}
	held := c.run(ctx, now)
	var left *record
	switch isUnread := held == nil && c.isAccepted; {
	case isUnread || held != nil && c.sent != nil && held.has(c.sent.ID):
		plan.fillIn()
		plan.Status, plan.UserID = types.StringValue(pending), types.Int64Null()
		if c.sent != nil {
			plan.read(c.sent)
		}
		if held != nil {
			left = &record{Managed: c.sent.ID, Pending: held.pending}
		}
	case diags.HasError():
		return nil // the state is unchanged
	case held.hasAccount:
		plan.fillIn()
		plan.joined(held.account)
	default:
		plan.fillIn()
		plan.read(managedInvitation(c.Meta, held.pending, state, c.seen))
		left = &record{Managed: c.seen.Managed, Pending: held.pending}
	}
	c.Save(plan)
	left.store(ctx, c.Private, diags)
	return nil
}

// start reads the server's invitations. If the state has no record, the change gets one with only the managed
// invitation.
func (c *inboxChange) start(ctx context.Context, seen *record) (*inboxReading, error) {
	now, err := c.read(ctx)
	if err != nil {
		return nil, base.Failed("Cannot read the invitation of "+c.email, err, invitationHint, nothingSent)
	}
	if c.seen = seen; seen == nil {
		c.seen = &record{}
		if found := managedInvitation(c.Meta, now.Thing.pending, c.State, nil); found != nil {
			c.seen = &record{Managed: found.ID, Pending: []*zulip.Invitation{found}}
		}
	}
	return now, nil
}

// deleteInvitation revokes the pending invitations that the plan saw. An existing account is unchanged.
func deleteInvitation(ctx context.Context, call *invitationCall) error {
	seen := readRecord(ctx, call.PriorPrivate, call.Diags)
	if call.Diags.HasError() || call.State.isAccepted() {
		return nil
	}
	email := call.State.Email.ValueString()
	summary := "Cannot revoke the invitation of " + email
	done, err := call.Meta.Run.Lock(ctx, invitationKind+" "+fold(email))
	if err != nil {
		return base.Failed(summary, err)
	}
	defer done()
	if call.Meta.Run.Knows(runstate.Adopted, runstate.ID(invitationKind, invitationKey(email))) {
		tflog.Info(ctx, "Not revoked: another resource has adopted it", map[string]any{"email": email})
		return nil
	}
	c := &inboxChange{invitationCall: call, email: email}
	now, err := c.start(ctx, seen)
	if err != nil {
		return err
	}
	if len(now.Thing.pending) == 0 && !now.Thing.hasAccount && !call.State.IsShown(c.Meta) {
		base.RefuseUnseenDestroy(summary, c.Diags)
		return nil
	}
	c.run(ctx, now)
	return nil
}

// importInvitation imports by email, and records that the unreadable attributes are not known.
func importInvitation(ctx context.Context, c *invitationCall, email string) error {
	list, err := c.Meta.Store.Invitations(ctx)
	if err != nil {
		return base.Failed(invitationsUnreadable, err, invitationHint)
	}
	if found := newestInvitation(list, email, anyone); found != nil {
		email = found.Email
	} else if user, err := accountOf(ctx, c.Meta, email); err != nil {
		return base.Failed("Cannot read the people", err)
	} else if user == nil {
		return base.Refused(path.Empty(), "Cannot import this invitation",
			fmt.Sprintf("%q is neither the email of a pending invitation nor that of a user. The data source zulip_invite_links lists invitations by email: administrators see all, others their own.", email))
	}
	c.SaveAttribute("id", email)
	c.Diags.Append(c.Private.SetKey(ctx, importedKey, []byte("true"))...)
	c.Diags.Append(existing.StoreReplacedID(ctx, c.Private, invitationKey(email))...)
	return nil
}

// NewInvitationList returns the list resource zulip_invitation: the emails with a pending invitation.
func NewInvitationList() list.ListResource {
	return core.NewList(core.ListDefinition[zulip.Invitation]{
		Name: invitationTitle, Plural: "invitations by email",
		ListText: core.ListText{Called: "email address", Description: "Lists all pending invitations by email if the provider's account is an administrator, otherwise its own."},
		Objects: func(ctx context.Context, b *base.Base) ([]*zulip.Invitation, *snapshot.Snapshot, error) {
			all, err := b.Meta.Store.Invitations(ctx)
			return byAddress(all), nil, err
		},
		Key:   func(one *zulip.Invitation) any { return one.Email },
		Label: func(one *zulip.Invitation, _ *snapshot.Snapshot) string { return one.Email },
	})
}

// byAddress returns the newest email invitation of each email.
func byAddress(all []*zulip.Invitation) (found []*zulip.Invitation) {
	seen := map[string]bool{}
	for _, one := range all {
		if email := fold(one.Email); !one.IsMultiuse && !seen[email] {
			seen[email] = true
			found = append(found, newestInvitation(all, one.Email, anyone))
		}
	}
	slices.SortFunc(found, func(a, b *zulip.Invitation) int { return strings.Compare(fold(a.Email), fold(b.Email)) })
	return found
}

// invitationChanges returns the attributes that a plan changes.
func invitationChanges(state, plan *invitationModel, imported bool) []string {
	return changedTerms(state.settable(), plan.settable(), imported)
}

// fold returns an email in the form that the server compares.
func fold(email string) string { return strings.ToLower(email) }

func invitationHint(err error) string {
	if hint := inviteRefusalHint(err, invitationPermission); hint != "" {
		return hint
	}
	switch zulip.InviteProblem(err) {
	case "":
		return ""
	case "Outside your domain.":
		return "The organization accepts only emails of its domains. Add a domain with zulip_domain, or set emails_restricted_to_domains of zulip_organization to false."
	case "Please use your real email address.":
		return "The organization refuses emails of disposable mail services: see disallow_disposable_email_addresses of zulip_organization."
	}
	return fmt.Sprintf("The server's reason: %q", zulip.InviteProblem(err))
}
