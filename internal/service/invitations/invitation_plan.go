package invitations

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// permission is the organization's permission to invite, and doing describes the action.
const (
	invitationPermission = "can_invite_users_group"
	doingInvite          = "invite people"
)

// planCheck is one plan.
type planCheck struct {
	*invitationCall
	seen *record
}

// planInvitation refuses invitations that the server would refuse, and plans the requests of the apply.
func planInvitation(ctx context.Context, c *invitationCall) error {
	imported, diags := c.PriorPrivate.GetKey(ctx, importedKey)
	c.Diags.Append(diags...)
	p := &planCheck{c, readRecord(ctx, c.PriorPrivate, c.Diags)}
	if c.Diags.HasError() {
		return nil
	}
	if c.State != nil {
		email := c.State.Email.ValueString()
		existing.Manage(c.Meta, existing.Object{Kind: invitationKind, Title: invitationTitle, Name: email, ID: invitationKey(email), Import: email}, c.Plan == nil, c.Diags)
	}
	if c.Plan == nil {
		return p.destroy(ctx)
	}
	if c.Diags.HasError() {
		return nil
	}
	var err error
	switch {
	case c.State == nil:
		c.CheckLevels()
		c.Plan.PlanDefaults(&c.Config.inviteTerms)
		if c.Config.NotifyReferrerOnJoin.IsNull() {
			c.Plan.NotifyReferrerOnJoin = types.BoolValue(true)
		}
		err = p.create(ctx, existing.ReplacedID(ctx, c.PriorPrivate, c.Diags))
	case c.Plan.Email.IsUnknown() || fold(c.Plan.Email.ValueString()) != fold(c.State.Email.ValueString()):
		c.CheckLevels()
		c.Replace("email")
		_, err = p.sends() // planned again as a new one
	default:
		c.Diags.Append(existing.StoreReplacedID(ctx, c.Private, invitationKey(c.State.Email.ValueString()))...)
		err = p.update(ctx, imported != nil)
	}
	c.Save(c.Plan)
	return err
}

// invitationKey returns the key of an email in the run state.
func invitationKey(email string) int64 { return core.TextID(fold(email)) }

// create plans an invitation of an email that the state does not have. own is the invitation that it replaces.
func (p *planCheck) create(ctx context.Context, own []int64) error {
	view, err := p.sends()
	if err != nil || p.Plan.Email.IsUnknown() {
		return err
	}
	email := p.Plan.Email.ValueString()
	if !p.reserve(email, own) {
		return nil
	}
	if user, ok := view.UserWithAddress(email); ok {
		return p.account(user)
	}
	p.Meta.Run.Note(runstate.Invited, runstate.Name(runstate.Account, email))
	if len(own) == 0 {
		p.Meta.Run.Note(runstate.Created, runstate.Name(invitationKind, email))
	}
	if p.Plan.Check(ctx, p.Meta, view, invitationPermission, doingInvite, p.Diags); p.Diags.HasError() {
		return nil
	}
	list, err := p.Meta.Store.Invitations(ctx)
	if err != nil {
		return base.Failed(invitationsUnreadable, err, invitationHint)
	}
	if found := newestInvitation(list, email, anyone); found != nil && !slices.Contains(own, invitationKey(email)) {
		existingInvitation(p.Meta, p.Plan, found).Check(p.Meta, p.Diags)
	}
	return nil
}

// reserve refuses an email that another resource of the configuration invites.
func (p *planCheck) reserve(email string, own []int64) bool {
	other, ok := p.Meta.Run.Reserve(invitationKind, email, own...)
	if !ok {
		existing.RefuseDuplicate(invitationKind, "invitation email", email, other, "", path.Root("email"), p.Diags)
	}
	return ok
}

// account plans for an email with an account: nothing is sent.
func (p *planCheck) account(user *zulip.User) error {
	at, email := path.Root("email"), p.Plan.Email.ValueString()
	switch {
	case user.IsBot:
		return base.Refused(at, "The email belongs to a bot", fmt.Sprintf("%s is bot %q, and cannot be invited.", email, user.FullName))
	case !user.IsActive:
		return base.Refused(at, "The email belongs to a deactivated user", deactivated(email))
	}
	p.Plan.joined(user)
	return nil
}

// deactivated returns the fix for a deactivated account.
func deactivated(email string) string {
	return fmt.Sprintf("%s is deactivated and cannot be invited. Reactivate the user in the organization's settings, or with a zulip_user that has adopt_deactivated = true.", email)
}

// destroy plans to revoke every pending invitation of the email, and names those that other users have sent.
func (p *planCheck) destroy(ctx context.Context) error {
	if p.State.isAccepted() || p.seen == nil {
		return nil
	}
	list, err := p.Meta.Store.Invitations(ctx)
	if err != nil {
		return base.Failed(invitationsUnreadable, err, invitationHint)
	}
	pending := invitationsOf(list, p.State.Email.ValueString())
	if !p.revokes(pending) {
		return nil
	}
	self := p.Meta.Store.Self().ID
	if foreign := slices.DeleteFunc(slices.Clone(pending), func(one *zulip.Invitation) bool { return one.InvitedByUserID == self }); len(foreign) > 0 {
		email := p.State.Email.ValueString()
		p.Diags.AddWarning("Someone else sent the invitation",
			fmt.Sprintf("Destroying this resource revokes all pending invitations of %q, including those that the provider's account did not send: %s.", email, describeInvitations(foreign)))
	}
	return nil
}

// revokes refuses to revoke invitations that only owners can revoke, and returns true if there are none.
func (p *planCheck) revokes(list []*zulip.Invitation) (ok bool) {
	self := p.Meta.Store.Self()
	isOwners := func(one *zulip.Invitation) bool {
		return one.InvitedAs == zulip.RoleOwner && one.InvitedByUserID != self.ID
	}
	return !slices.ContainsFunc(list, isOwners) || p.Meta.RequireRole(zulip.RoleOwner, path.Empty(), "revoke an owner's invitation sent by someone else", p.Diags)
}

// update plans a new mail, or that other invitations of the email are revoked. If the person has joined or attributes
// could not be read, the plan only records the attributes.
func (p *planCheck) update(ctx context.Context, imported bool) error {
	email := p.State.Email.ValueString()
	p.Plan.keep(p.State, p.Config)
	p.reserve(email, []int64{invitationKey(email)})
	changed, others := invitationChanges(p.State, p.Plan, imported), p.seen.others()
	switch {
	case len(changed) == 0 && (len(others) == 0 || p.State.isAccepted()):
	case p.State.isAccepted():
		p.Diags.AddAttributeWarning(path.Root(changed[0]), "An invited user has already joined",
			fmt.Sprintf("%s accepted the invitation, so the changes (%s) are not sent. The state records the configured values. To change the role of someone who has joined, use zulip_user_role.", email, strings.Join(changed, ", ")))
	default:
		p.CheckLevels()
		view, err := p.sends()
		switch {
		case err != nil:
			return err
		case len(changed) > 0:
			if p.seen != nil && !p.revokes(p.seen.Pending) {
				return nil
			}
			p.Plan.leaveOutGone(&p.Config.inviteTerms, view)
			p.Plan.Check(ctx, p.Meta, view, invitationPermission, doingInvite, p.Diags)
		case !p.revokes(others):
			return nil
		}
		if len(others) > 0 {
			p.Diags.AddWarning("Another invitation of the same email is pending",
				fmt.Sprintf("%q has other pending invitations, and can join with any of them. This apply revokes: %s.", email, describeInvitations(others)))
		}
	}
	return nil
}

// keep gives unset attributes their prior value, and keeps the case of the email.
func (m *invitationModel) keep(prior, config *invitationModel) {
	m.ID, m.Email, m.Status, m.UserID = prior.ID, prior.Email, prior.Status, prior.UserID
	m.InvitedByUserID, m.Invited, m.ExpiryDate = prior.InvitedByUserID, prior.Invited, prior.ExpiryDate
	if config.InviteAs.IsNull() {
		m.InviteAs = prior.InviteAs
	}
	if config.ChannelIDs.IsNull() {
		m.ChannelIDs = prior.ChannelIDs
	}
	if config.GroupIDs.IsNull() {
		m.GroupIDs = prior.GroupIDs
	}
	if config.DefaultSubscriptions.IsNull() {
		m.DefaultSubscriptions = prior.DefaultSubscriptions
	}
	if config.WelcomeMessage.IsNull() {
		m.WelcomeMessage = prior.WelcomeMessage
	}
	if config.NotifyReferrerOnJoin.IsNull() {
		m.NotifyReferrerOnJoin = prior.NotifyReferrerOnJoin
	}
}

// sends plans to send a mail, and returns the organization. The result is unknown, because the person may join first.
func (p *planCheck) sends() (*snapshot.Snapshot, error) {
	m := p.Plan
	m.ID, m.Status, m.UserID = m.Email, types.StringUnknown(), types.Int64Unknown()
	m.InvitedByUserID, m.Invited, m.ExpiryDate = types.Int64Unknown(), types.StringUnknown(), types.StringUnknown()
	return p.Read("the organization", store.Channels, store.Users)
}

// existingInvitation describes a pending invitation of the planned email.
func existingInvitation(meta *base.Meta, plan *invitationModel, found *zulip.Invitation) existing.Object {
	email := plan.Email.ValueString()
	isOwn := found.InvitedByUserID == meta.Store.Self().ID
	made := time.Unix(found.Invited, 0)
	asPlanned := looksLike(found, plan)
	return existing.Object{
		Kind: invitationKind, Title: invitationTitle, Name: email, ID: invitationKey(email), Import: found.Email, At: path.Root("email"),
		Summary:   fmt.Sprintf("%s is already invited", email),
		Detail:    fmt.Sprintf("An invitation as %s, sent by user %d on %s, is pending. The server would send a second one.", found.InvitedAs, found.InvitedByUserID, made.UTC().Format(time.RFC3339)),
		AsPlanned: asPlanned, Ours: isOwn && existing.IsRecent(made), MayBeReplaced: asPlanned && isOwn,
	}
}

// looksLike reports whether an invitation matches the plan, as far as it can be read.
func looksLike(found *zulip.Invitation, plan *invitationModel) bool {
	role, ok := zulip.ParseRole(plan.InviteAs.ValueString())
	if !ok {
		role = zulip.RoleMember
	}
	return found.InvitedAs == role && plan.ExpiresInMinutes.Equal(types.Int64PointerValue(found.ExpiresInMinutes())) &&
		(found.NotifyReferrerOnJoin == nil || !base.IsSet(plan.NotifyReferrerOnJoin) || *found.NotifyReferrerOnJoin == plan.NotifyReferrerOnJoin.ValueBool())
}

// anyone is the free of [newestInvitation] that accepts every sender.
func anyone(*zulip.Invitation) bool { return true }

// newestInvitation returns the newest pending invitation of an email for which free is true; nil if there is none.
func newestInvitation(list []*zulip.Invitation, email string, free func(*zulip.Invitation) bool) (found *zulip.Invitation) {
	for _, one := range list {
		if isOf(one, email) && (found == nil || one.ID > found.ID) && free(one) {
			found = one
		}
	}
	return found
}

// invitationsOf returns all pending invitations of an email, by ID.
func invitationsOf(list []*zulip.Invitation, email string) []*zulip.Invitation {
	found := slices.DeleteFunc(slices.Clone(list), func(one *zulip.Invitation) bool { return !isOf(one, email) })
	slices.SortFunc(found, func(a, b *zulip.Invitation) int { return cmp.Compare(a.ID, b.ID) })
	return found
}

// accountOf returns the account with an email; nil if the provider's account sees none.
func accountOf(ctx context.Context, meta *base.Meta, email string) (*zulip.User, error) {
	view, err := meta.Store.ReadNaming(ctx, []string{email}, store.Users)
	if err != nil {
		return nil, err
	}
	return userAt(view, email), nil
}

func userAt(view *snapshot.Snapshot, email string) *zulip.User {
	user, ok := view.UserWithAddress(email)
	if !ok || user.IsBot {
		return nil
	}
	return user
}

// These are the values of a status.
const (
	pending  = "pending"
	accepted = "accepted"
)

// invitationModel is the resource.
type invitationModel struct {
	inviteTerms
	ID                   types.String `tfsdk:"id"`
	Email                types.String `tfsdk:"email"`
	NotifyReferrerOnJoin types.Bool   `tfsdk:"notify_referrer_on_join"`
	Status               types.String `tfsdk:"status"`
	UserID               types.Int64  `tfsdk:"user_id"`
}

// notifyAttribute is an attribute that older servers do not show.
const notifyAttribute = "notify_referrer_on_join"

// settable returns by name the configured attributes of an invitation, except the email.
func (m *invitationModel) settable() map[string]attr.Value {
	all := m.Settable()
	all[notifyAttribute] = m.NotifyReferrerOnJoin
	return all
}

// isAccepted reports whether the email has an account, so that nothing is sent.
func (m *invitationModel) isAccepted() bool { return m.Status.ValueString() == accepted }

// wire returns the planned invitation for a request. Unset terms are left to the server.
func (m *invitationModel) wire(ctx context.Context, diags *diag.Diagnostics) zulip.NewInvitation {
	wanted := zulip.NewInvitation{InviteTerms: m.Wire(ctx, diags), Email: m.Email.ValueString()}
	if !m.NotifyReferrerOnJoin.IsUnknown() {
		wanted.NotifyReferrerOnJoin = m.NotifyReferrerOnJoin.ValueBoolPointer()
	}
	return wanted
}

// fillIn sets the unset terms to the server's defaults.
func (m *invitationModel) fillIn() {
	m.ID = m.Email
	m.FillIn()
	if m.NotifyReferrerOnJoin.IsUnknown() {
		m.NotifyReferrerOnJoin = types.BoolValue(true)
	}
}

// read sets the model to an invitation in the server's list. Values that cannot be read are unchanged.
func (m *invitationModel) read(found *zulip.Invitation) {
	if m.Email.IsNull() {
		m.Email = types.StringValue(found.Email)
	}
	m.Status, m.UserID = types.StringValue(pending), types.Int64Null()
	m.Read(found)
	if found.NotifyReferrerOnJoin != nil {
		m.NotifyReferrerOnJoin = types.BoolPointerValue(found.NotifyReferrerOnJoin)
	}
}

// joined records that the email has an account; user is nil if the provider's account does not see it.
func (m *invitationModel) joined(user *zulip.User) {
	m.Status, m.UserID = types.StringValue(accepted), types.Int64Null()
	m.InvitedByUserID, m.Invited, m.ExpiryDate = types.Int64Null(), types.StringNull(), types.StringNull()
	if user != nil {
		m.UserID = types.Int64Value(user.ID)
	}
}

// isOf reports whether an invitation is by email and to this email, ignoring case like the server.
func isOf(one *zulip.Invitation, email string) bool {
	return !one.IsMultiuse && strings.EqualFold(one.Email, email)
}

func invitationSchema() schema.Schema {
	keepText := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	keepNumber := []planmodifier.Int64{int64planmodifier.UseStateForUnknown()}
	attributes := termAttributes(map[string]string{
		"expires_in_minutes":                  "Time after which the invitation expires, in minutes. If unset, it never expires.",
		"invite_as":                           "Role of the person: `owner`, `administrator`, `moderator`, `member` or `guest`. Defaults to `member`. Only owners can invite owners, and only administrators can invite administrators and moderators.",
		"channel_ids":                         "IDs of the channels that the person is subscribed to on joining. The provider's account must be allowed to subscribe others to them, except to default channels. Defaults to none.",
		"group_ids":                           "IDs of the user groups that the person is added to on joining, except roles. The provider's account must be allowed to add members to them. Defaults to none.",
		"include_realm_default_subscriptions": "If true, the person is also subscribed to the default channels of that time. Defaults to `false`.",
		"welcome_message_custom_text":         "Text that Welcome Bot sends to the person on joining, in Markdown, at most 8000 characters; `\"\"` for none. Defaults to the organization's text. Only administrators can set it. " + featurelevel.Needs("zulip_invitation", "welcome_message_custom_text"),
		"invited_by_user_id":                  "ID of the user who sent the invitation. Null after the person has joined.",
		"invited":                             "Time at which the invitation was sent (RFC 3339). Null after the person has joined.",
		"expiry_date":                         "Time at which the invitation expires (RFC 3339). Null if it never expires, and after the person has joined.",
	})
	attributes["id"] = schema.StringAttribute{Computed: true, MarkdownDescription: "Same as `email`.", PlanModifiers: keepText}
	attributes["email"] = schema.StringAttribute{
		Required: true, Validators: []validator.String{validators.EmailAddress()},
		MarkdownDescription: "Email to invite, without a name. Case is ignored. Changing it forces replacement.",
	}
	attributes[notifyAttribute] = schema.BoolAttribute{
		Optional: true, Computed: true, PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
		MarkdownDescription: "If true, the provider's account gets a message when the person joins. Defaults to `true`.",
	}
	attributes["status"] = schema.StringAttribute{
		Computed: true, PlanModifiers: keepText,
		MarkdownDescription: "Status of the invitation: `pending`, or `accepted` after the email has an account. Stays `accepted` even if the account is deactivated.",
	}
	attributes["user_id"] = schema.Int64Attribute{
		Computed: true, PlanModifiers: keepNumber,
		MarkdownDescription: "ID of the user who has the email. Null until the person has joined, and if the person hides the email from the provider's account.",
	}
	return schema.Schema{Version: base.SchemaVersion, MarkdownDescription: invitationDescription, Attributes: attributes}
}

const invitationDescription = "Invites a person to the organization by email and makes sure that they have an account or a pending [invitation](https://zulip.com/help/invite-new-users)."
