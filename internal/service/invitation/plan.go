package invitation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// right is the organization's setting of who may invite, doing what it lets them do.
const (
	right = "can_invite_users_group"
	doing = "invite people"
)

// planCheck is one plan.
type planCheck struct {
	*Resource
	config, plan, state *model
	diags               *diag.Diagnostics
}

// ModifyPlan refuses what the server would refuse, and says what the apply will send.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !r.CanPlan(&resp.Diagnostics) {
		return
	}
	p := &planCheck{Resource: r, diags: &resp.Diagnostics}
	p.diags.Append(req.Config.Get(ctx, &p.config)...)
	p.diags.Append(req.Plan.Get(ctx, &p.plan)...)
	p.diags.Append(req.State.Get(ctx, &p.state)...)
	imported, diags := req.Private.GetKey(ctx, importedKey)
	p.diags.Append(diags...)
	if p.diags.HasError() {
		return
	}
	if p.state != nil {
		email := p.state.Email.ValueString()
		core.Manage(r.Meta, core.Existing{Kind: kind, Title: title, Name: email, Key: fold(email), ID: key(email), Import: email}, p.plan == nil, p.diags)
	}
	if p.plan == nil || p.diags.HasError() {
		return
	}
	switch {
	case p.state == nil:
		r.CheckLevels(ctx, kind, req.Config, p.diags)
		p.create(ctx, core.ReplacedID(ctx, req.Private, p.diags))
	case p.plan.Email.IsUnknown() || fold(p.plan.Email.ValueString()) != fold(p.state.Email.ValueString()):
		r.CheckLevels(ctx, kind, req.Config, p.diags)
		resp.RequiresReplace.Append(path.Root("email"))
		p.sends(ctx) // planned again as a new one
	default:
		p.diags.Append(core.StoreReplacedID(ctx, resp.Private, key(p.state.Email.ValueString()))...)
		p.update(ctx, imported != nil, func() { r.CheckLevels(ctx, kind, req.Config, p.diags) })
	}
	p.diags.Append(resp.Plan.Set(ctx, p.plan)...)
}

// key is the ID by which the run state knows an address.
func key(email string) int64 { return core.TextID(fold(email)) }

// create plans an invitation of an address that the state does not have. own is what it replaces.
func (p *planCheck) create(ctx context.Context, own []int64) {
	view := p.sends(ctx)
	if view == nil || p.plan.Email.IsUnknown() {
		return
	}
	email := p.plan.Email.ValueString()
	if !p.Meta.Run.Reserve(kind, fold(email), own...) {
		p.diags.AddAttributeError(path.Root("email"), fmt.Sprintf("Duplicate invitation of %s", email),
			"Another zulip_invitation in this configuration has the same address (case is ignored). Change or remove one of them.")
		return
	}
	if user, ok := view.UserByAddress(email); ok {
		p.account(user)
		return
	}
	if len(own) == 0 {
		p.Meta.Run.WillCreate(kind, fold(email))
	}
	if p.plan.Check(p.Meta, view, right, doing, p.diags); p.diags.HasError() {
		return
	}
	list, err := p.Meta.Store.Invitations(ctx)
	if err != nil {
		p.diags.AddError("Cannot read the invitations", base.ExplainWith(err, hint))
		return
	}
	if found := newest(list, email, anyone); found != nil && !slices.Contains(own, key(email)) {
		core.CheckExisting(p.Meta, existing(p.Resource, p.plan, found), p.diags)
	}
}

// account plans for an address that has an account: nothing is sent.
func (p *planCheck) account(user *zulip.User) {
	at, email := path.Root("email"), p.plan.Email.ValueString()
	switch {
	case user.IsBot:
		p.diags.AddAttributeError(at, "The address is that of a bot", fmt.Sprintf("%s is bot %q, and cannot be invited.", email, user.FullName))
	case !user.IsActive:
		p.diags.AddAttributeError(at, "The account of the address is deactivated", deactivated(email))
	default:
		p.plan.joined(user)
	}
}

// deactivated says what to do about an account that is deactivated.
func deactivated(email string) string {
	return fmt.Sprintf("%s has a deactivated account, and cannot be invited. Reactivate it: in the organization's settings, or with a zulip_user that has adopt_deactivated = true.", email)
}

// update plans a new mail, or that the attributes are recorded: where the person has joined, and where they could not be read.
func (p *planCheck) update(ctx context.Context, imported bool, checkLevels func()) {
	email := p.state.Email.ValueString()
	p.plan.keep(p.state, p.config)
	p.Meta.Run.Reserve(kind, fold(email), key(email))
	changed := changes(p.state, p.plan, imported)
	switch {
	case len(changed) == 0:
	case p.state.isAccepted():
		p.diags.AddAttributeWarning(path.Root(changed[0]), fmt.Sprintf("%s has joined already", email),
			fmt.Sprintf("Nothing is sent for what changes (%s): the invitation was accepted. The state records what is configured. To change the role of somebody who has joined, use zulip_user_role.", strings.Join(changed, ", ")))
	default:
		checkLevels()
		if view := p.sends(ctx); view != nil {
			p.plan.Check(p.Meta, view, right, doing, p.diags)
		}
	}
}

// keep gives what is not configured its prior value, and leaves an address in other capitals as it is.
func (m *model) keep(prior, config *model) {
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

// sends plans that a mail is sent: what becomes of it is not known, for the person may have joined until then. It returns the
// organization; nil after an error.
func (p *planCheck) sends(ctx context.Context) *snapshot.Snapshot {
	m := p.plan
	m.ID, m.Status, m.UserID = m.Email, types.StringUnknown(), types.Int64Unknown()
	m.InvitedByUserID, m.Invited, m.ExpiryDate = types.Int64Unknown(), types.StringUnknown(), types.StringUnknown()
	view, err := p.Meta.Store.Read(ctx, store.Channels, store.Users)
	if err != nil {
		p.diags.AddError("Cannot read the organization", base.Explain(err))
		return nil
	}
	return view
}

// existing describes a pending invitation of the planned address.
func existing(r *Resource, plan *model, found *zulip.Invitation) core.Existing {
	email := plan.Email.ValueString()
	isOwn := found.InvitedByUserID == r.Meta.Store.Self().ID
	made := time.Unix(found.Invited, 0)
	asPlanned := looksLike(found, plan)
	return core.Existing{
		Kind: kind, Title: title, Name: email, Key: fold(email), ID: key(email), Import: found.Email, At: path.Root("email"),
		Summary:   fmt.Sprintf("%s is invited already", email),
		Detail:    fmt.Sprintf("An invitation as %s, sent by user %d on %s, is pending. The server would send a second one beside it.", found.InvitedAs, found.InvitedByUserID, made.UTC().Format(time.RFC3339)),
		AsPlanned: asPlanned, Ours: isOwn && core.IsRecent(made), MayBeReplaced: asPlanned && isOwn,
	}
}

// looksLike reports whether an invitation is what is planned, as far as it can be read.
func looksLike(found *zulip.Invitation, plan *model) bool {
	role, ok := zulip.ParseRole(plan.InviteAs.ValueString())
	if !ok {
		role = zulip.RoleMember
	}
	return found.InvitedAs == role && plan.ExpiresInMinutes.Equal(types.Int64PointerValue(found.ExpiresInMinutes())) &&
		(found.NotifyReferrerOnJoin == nil || !base.IsSet(plan.NotifyReferrerOnJoin) || *found.NotifyReferrerOnJoin == plan.NotifyReferrerOnJoin.ValueBool())
}

// anyone is the free of [newest] where it does not matter who sent an invitation.
func anyone(*zulip.Invitation) bool { return true }

// newest returns the newest pending invitation of an address that is free; nil if there is none.
func newest(list []*zulip.Invitation, email string, free func(*zulip.Invitation) bool) (found *zulip.Invitation) {
	for _, one := range list {
		if isOf(one, email) && (found == nil || one.ID > found.ID) && free(one) {
			found = one
		}
	}
	return found
}

// of returns the IDs of all pending invitations of an address.
func of(list []*zulip.Invitation, email string) (ids []int64) {
	for _, one := range list {
		if isOf(one, email) {
			ids = append(ids, one.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// accountOf returns the account that has an address; nil if the provider's account sees none.
func (r *Resource) accountOf(ctx context.Context, email string) (*zulip.User, error) {
	view, err := r.Meta.Store.ReadNaming(ctx, []string{email}, store.Users)
	if err != nil {
		return nil, err
	}
	return userAt(view, email), nil
}

func userAt(view *snapshot.Snapshot, email string) *zulip.User {
	user, ok := view.UserByAddress(email)
	if !ok || user.IsBot {
		return nil
	}
	return user
}
