// Package invitations has invitations by email and invitation links.
package invitations

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/invite"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ resource.ResourceWithConfigure   = (*invitationResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*invitationResource)(nil)
	_ resource.ResourceWithImportState = (*invitationResource)(nil)
	_ resource.ResourceWithIdentity    = (*invitationResource)(nil)
)

const (
	// invitationKind is what the run state knows invited addresses as, title what messages call one.
	invitationKind = "zulip_invitation"
	title          = "invitation"
	// mailKind is what it knows the invitations themselves as, by their IDs.
	mailKind = "zulip_invitation by email"
)

// importedKey marks, in the private state, an invitation that this resource did not send.
const importedKey = "imported"

// invitationResource is zulip_invitation. Its ID is the email. The server's IDs are in the private state, to compare with. Links have
// the same numbers, and a request with the wrong one revokes another invitation (server-behavior §U17), so a request has only IDs
// that were read for the email right before.
type invitationResource struct{ base.Resource }

// NewInvitationResource returns zulip_invitation.
func NewInvitationResource() resource.Resource { return &invitationResource{} }

// identity is what an invitation is recognised by.
type identity struct {
	ID types.String `tfsdk:"id"`
}

func (r *invitationResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = invitationKind
}

func (r *invitationResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = invitationSchema()
}

// IdentitySchema describes what an invitation is recognised by.
func (r *invitationResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true, Description: "Email address that is invited."},
	}}
}

// Create invites the address, unless it has an account.
func (r *invitationResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan invitationModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	email := plan.Email.ValueString()
	done, ok := r.LockOrReport(ctx, invitationKind+" "+fold(email), "Cannot invite "+email, &resp.Diagnostics)
	if !ok {
		return
	}
	defer done()
	var made *zulip.Invitation
	switch _, isReleased := r.Meta.Run.TakeReleased(invitationKind, fold(email)); {
	case plan.isAccepted():
		user := plan.UserID
		plan.fillIn()
		plan.UserID, ok = user, true
	case isReleased:
		made, ok = r.adopt(ctx, &plan, &resp.Diagnostics)
	default:
		made, ok = r.create(ctx, &plan, &resp.Diagnostics)
	}
	if ok {
		if made != nil {
			(&record{Managed: made.ID, Pending: []*zulip.Invitation{made}}).store(ctx, resp.Private, &resp.Diagnostics)
		}
		r.Meta.Run.Manage(invitationKind, key(email))
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ID})...)
		resp.Diagnostics.Append(core.StoreReplacedID(ctx, resp.Private, key(email))...)
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, importedKey, nil)...) // of one that this one replaces
	}
}

// adopt takes the invitation that an interrupted apply has left.
func (r *invitationResource) adopt(ctx context.Context, plan *invitationModel, diags *diag.Diagnostics) (found *zulip.Invitation, ok bool) {
	list, err := r.Meta.Store.Invitations(ctx)
	if err != nil {
		diags.AddError("Cannot read the invitations", base.ExplainWith(err, invitationHint))
		return nil, false
	}
	plan.fillIn()
	if found := newest(list, plan.Email.ValueString(), func(one *zulip.Invitation) bool { return looksLike(one, plan) }); found != nil {
		plan.read(found)
		return found, true
	}
	return r.create(ctx, plan, diags)
}

// create invites an address that is not invited yet.
func (r *invitationResource) create(ctx context.Context, plan *invitationModel, diags *diag.Diagnostics) (sent *zulip.Invitation, ok bool) {
	list, err := r.Meta.Store.Invitations(ctx)
	if err != nil {
		diags.AddError("Cannot invite "+plan.Email.ValueString(), base.ExplainWith(err, invitationHint)+"\n\nNothing was sent.")
		return nil, false
	}
	if found := newest(list, plan.Email.ValueString(), anyone); found != nil {
		existing(r, plan, found).Refuse(r.Meta, diags)
		return nil, false
	}
	return r.send(ctx, plan, diags)
}

// send sends an invitation, and sets the plan to what became of it. If the answer is lost, the list is compared with what it
// was before: a new invitation of the address by this account is the one.
func (r *invitationResource) send(ctx context.Context, plan *invitationModel, diags *diag.Diagnostics) (sent *zulip.Invitation, ok bool) {
	wanted := plan.wire(ctx, diags)
	if diags.HasError() {
		return nil, false
	}
	email := wanted.Email
	var unread error
	before := map[int64]bool{}
	self := r.Meta.Store.Self().ID
	_, err := core.Creation{
		Kind: mailKind, Thing: fold(email),
		Look: func(ctx context.Context, free func(int64) bool) (int64, error) {
			list, err := r.Meta.Store.Invitations(ctx)
			if err != nil {
				return 0, err
			}
			sent = newest(list, email, func(one *zulip.Invitation) bool {
				isFree := one.InvitedByUserID == self && free(one.ID)
				before[one.ID] = before[one.ID] || !isFree
				return isFree
			})
			if sent == nil {
				return 0, nil
			}
			return sent.ID, nil
		},
		Make: func(ctx context.Context) (int64, error) {
			// The next to look, here or elsewhere, is to see this invitation.
			defer r.Meta.Store.Invalidate(store.Invitations)
			if err := r.Meta.Client.Invite(ctx, wanted); err != nil {
				return 0, err
			}
			r.Meta.Store.Invalidate(store.Invitations)
			list, err := r.Meta.Store.Invitations(ctx)
			if unread = err; err != nil {
				return 0, nil // it is sent
			}
			sent = newest(list, email, func(one *zulip.Invitation) bool { return one.InvitedByUserID == self && !before[one.ID] })
			if sent == nil {
				return 0, nil
			}
			return sent.ID, nil
		},
	}.Run(ctx, r.Meta)
	switch zulip.InviteProblem(err) {
	case zulip.HasAccount:
		return nil, r.takeAccount(ctx, plan, diags)
	case zulip.HasDeactivatedAccount:
		diags.AddAttributeError(path.Root("email"), "The account of the address is deactivated", deactivated(email))
		return nil, false
	}
	if err != nil {
		diags.AddError("Cannot invite "+email, base.ExplainWith(err, invitationHint))
		return nil, false
	}
	plan.fillIn()
	plan.Status, plan.UserID = types.StringValue(pending), types.Int64Null()
	switch {
	case sent != nil:
		plan.read(sent)
	case unread != nil:
		diags.AddWarning("Cannot read the invitation of "+email+" after it was sent",
			base.ExplainWith(unread, invitationHint)+"\n\nThe server accepted it, and the state has what was sent. The next plan reads it.")
	}
	return sent, true
}

// takeAccount sets the plan to that the address has an account, which the server has said.
func (r *invitationResource) takeAccount(ctx context.Context, plan *invitationModel, diags *diag.Diagnostics) (ok bool) {
	user, err := r.accountOf(ctx, plan.Email.ValueString())
	if err != nil {
		diags.AddError("Cannot read the people", base.Explain(err))
		return false
	}
	plan.fillIn()
	plan.joined(user)
	return true
}

// Read finds out what became of the invitation. What was accepted stays so.
func (r *invitationResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state invitationModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	email := state.ID.ValueString()
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	r.Meta.Run.Manage(invitationKind, key(email))
	if state.isAccepted() {
		return
	}
	list, err := r.Meta.Store.Invitations(ctx)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the invitations", base.ExplainWith(err, invitationHint))
		return
	}
	found := r.managed(list, &state, readRecord(ctx, req.Private, &resp.Diagnostics))
	if found == nil {
		// Somebody has sent another one instead, with channels and groups that the server does not show.
		if found = newest(list, email, anyone); found != nil {
			state.ForgetUnread()
		}
	}
	if found != nil {
		state.read(found)
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
		(&record{Managed: found.ID, Pending: of(list, email)}).store(ctx, resp.Private, &resp.Diagnostics)
		return
	}
	user, err := r.accountOf(ctx, email)
	switch {
	case err != nil:
		resp.Diagnostics.AddError("Cannot read the people", base.Explain(err))
	case user == nil && !r.Meta.MayRemove(state.IsShown(r.Meta), "the invitation of "+email, &resp.Diagnostics):
	case user == nil:
		tflog.Info(ctx, "The invitation has expired or was revoked: removing it from the state", map[string]any{"email": email})
		resp.State.RemoveResource(ctx)
	default:
		if state.Email.IsNull() {
			state.Email = state.ID
		}
		state.joined(user)
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}

// Update sends a new invitation where an attribute changes, and revokes the earlier ones, unless somebody has changed them since
// the plan. Where the person has joined, or only what could not be read is recorded, it sends nothing.
func (r *invitationResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state invitationModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	imported, diags := req.Private.GetKey(ctx, importedKey)
	resp.Diagnostics.Append(diags...)
	seen := readRecord(ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	isReplaced := len(changes(&state, &plan, imported != nil)) > 0
	if state.isAccepted() || !isReplaced && len(seen.others()) == 0 {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		return
	}
	email := plan.Email.ValueString()
	done, ok := r.LockOrReport(ctx, invitationKind+" "+fold(email), "Cannot invite "+email, &resp.Diagnostics)
	if !ok {
		return
	}
	defer done()
	c := &inboxChange{invitationResource: r, email: email, keepsManaged: !isReplaced}
	if isReplaced {
		wanted := plan.wire(ctx, &resp.Diagnostics)
		c.plan, c.wanted = &plan, &wanted
	}
	now := c.start(ctx, &state, seen, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	held := c.run(ctx, now, &resp.Diagnostics)
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
	case resp.Diagnostics.HasError():
		return // the state stays as it was
	case held.hasAccount:
		plan.fillIn()
		plan.joined(held.account)
	default:
		plan.fillIn()
		plan.read(r.managed(held.pending, &state, c.seen))
		left = &record{Managed: c.seen.Managed, Pending: held.pending}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	left.store(ctx, resp.Private, &resp.Diagnostics)
}

// start reads what the server holds, and gives a change of a state without a record one: of the managed invitation alone.
func (c *inboxChange) start(ctx context.Context, state *invitationModel, seen *record, diags *diag.Diagnostics) *inboxReading {
	now, err := c.read(ctx)
	if err != nil {
		diags.AddError("Cannot read the invitation of "+c.email, base.ExplainWith(err, invitationHint)+"\n\nNothing was sent.")
		return nil
	}
	if c.seen = seen; seen == nil {
		c.seen = &record{}
		if found := c.managed(now.Thing.pending, state, nil); found != nil {
			c.seen = &record{Managed: found.ID, Pending: []*zulip.Invitation{found}}
		}
	}
	return now
}

// Delete revokes the pending invitations that the plan saw. An account stays.
func (r *invitationResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state invitationModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	seen := readRecord(ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) || state.isAccepted() {
		return
	}
	email := state.Email.ValueString()
	summary := "Cannot revoke the invitation of " + email
	done, ok := r.LockOrReport(ctx, invitationKind+" "+fold(email), summary, &resp.Diagnostics)
	if !ok {
		return
	}
	defer done()
	if r.Meta.Run.IsAdopted(invitationKind, key(email)) {
		tflog.Info(ctx, "Not revoked: another resource has adopted it", map[string]any{"email": email})
		return
	}
	c := &inboxChange{invitationResource: r, email: email}
	now := c.start(ctx, &state, seen, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if len(now.Thing.pending) == 0 && !now.Thing.hasAccount && !state.IsShown(r.Meta) {
		base.RefuseUnseenDestroy(summary, &resp.Diagnostics)
		return
	}
	c.run(ctx, now, &resp.Diagnostics)
}

// ImportState takes an address, and notes that what cannot be read of the invitation is not known.
func (r *invitationResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	email := req.ID
	if email == "" {
		var given identity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &given)...)
		email = given.ID.ValueString()
	}
	list, err := r.Meta.Store.Invitations(ctx)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the invitations", base.ExplainWith(err, invitationHint))
		return
	}
	if found := newest(list, email, anyone); found == nil {
		user, err := r.accountOf(ctx, email)
		if err != nil {
			resp.Diagnostics.AddError("Cannot read the people", base.Explain(err))
			return
		}
		if user == nil {
			resp.Diagnostics.AddError("Cannot import this invitation",
				fmt.Sprintf("%q is neither the address of a pending invitation nor that of an account. The data source zulip_invite_links lists the invitations by email; administrators see all, everybody else their own.", email))
			return
		}
	} else {
		email = found.Email
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), email)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.StringValue(email)})...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, importedKey, []byte("true"))...)
	resp.Diagnostics.Append(core.StoreReplacedID(ctx, resp.Private, key(email))...)
}

// NewInvitationList returns the list resource zulip_invitation: the addresses that have a pending invitation.
func NewInvitationList() list.ListResource {
	return core.NewList(core.List[zulip.Invitation]{
		Name: title, Plural: "invitations by email",
		ListText: core.ListText{Called: "email address", Description: "Lists the email addresses that have a pending invitation: all if the provider's account is an administrator's, else those it has invited itself. The server does not show the channels, groups and welcome message of an invitation: they are not in the generated configuration."},
		Objects: func(ctx context.Context, b *base.Base) ([]*zulip.Invitation, *snapshot.Snapshot, error) {
			all, err := b.Meta.Store.Invitations(ctx)
			return byAddress(all), nil, err
		},
		Key:   func(one *zulip.Invitation) any { return one.Email },
		Label: func(one *zulip.Invitation, _ *snapshot.Snapshot) string { return one.Email },
	})
}

// byAddress returns the newest invitation by email of each address, by address.
func byAddress(all []*zulip.Invitation) (found []*zulip.Invitation) {
	seen := map[string]bool{}
	for _, one := range all {
		if email := fold(one.Email); !one.IsMultiuse && !seen[email] {
			seen[email] = true
			found = append(found, newest(all, one.Email, anyone))
		}
	}
	slices.SortFunc(found, func(a, b *zulip.Invitation) int { return strings.Compare(fold(a.Email), fold(b.Email)) })
	return found
}

// changes returns the attributes of which a plan asks for something else.
func changes(state, plan *invitationModel, imported bool) []string {
	return invite.Changes(state.settable(), plan.settable(), imported)
}

// fold returns an address as the server compares it.
func fold(email string) string { return strings.ToLower(email) }

func invitationHint(err error) string {
	if hint := invite.Hint(err, invitationRight); hint != "" {
		return hint
	}
	switch zulip.InviteProblem(err) {
	case "":
		return ""
	case "Outside your domain.":
		return "The organization admits only addresses of its domains: add one with zulip_domain, or set emails_restricted_to_domains of zulip_organization."
	case "Please use your real email address.":
		return "The organization refuses addresses of disposable mail services: see disallow_disposable_email_addresses of zulip_organization."
	}
	return fmt.Sprintf("The server says of the address: %q", zulip.InviteProblem(err))
}
