package invitation

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/invite"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// What a status can be.
const (
	pending  = "pending"
	accepted = "accepted"
)

// model is the resource.
type model struct {
	invite.Terms
	ID                   types.String `tfsdk:"id"`
	Email                types.String `tfsdk:"email"`
	NotifyReferrerOnJoin types.Bool   `tfsdk:"notify_referrer_on_join"`
	Status               types.String `tfsdk:"status"`
	UserID               types.Int64  `tfsdk:"user_id"`
}

// notify is the attribute that servers do not show below a level.
const notify = "notify_referrer_on_join"

// settable returns by name what a configuration says of an invitation, beside the address.
func (m *model) settable() map[string]attr.Value {
	all := m.Settable()
	all[notify] = m.NotifyReferrerOnJoin
	return all
}

// isAccepted reports whether the address has an account, so that nothing is sent any more.
func (m *model) isAccepted() bool { return m.Status.ValueString() == accepted }

// wire is the plan in the words of the wire. What is not configured is left to the server.
func (m *model) wire(ctx context.Context, diags *diag.Diagnostics) zulip.NewInvitation {
	wanted := zulip.NewInvitation{InviteTerms: m.Wire(ctx, diags), Email: m.Email.ValueString()}
	if !m.NotifyReferrerOnJoin.IsUnknown() {
		wanted.NotifyReferrerOnJoin = m.NotifyReferrerOnJoin.ValueBoolPointer()
	}
	return wanted
}

// fillIn sets what was left to the server to what the server then does.
func (m *model) fillIn() {
	m.ID = m.Email
	m.FillIn()
	if m.NotifyReferrerOnJoin.IsUnknown() {
		m.NotifyReferrerOnJoin = types.BoolValue(true)
	}
}

// read takes an invitation that the server lists. What cannot be read stays as it is.
func (m *model) read(found *zulip.Invitation) {
	if m.Email.IsNull() {
		m.Email = types.StringValue(found.Email)
	}
	m.Status, m.UserID = types.StringValue(pending), types.Int64Null()
	m.Read(found)
	if found.NotifyReferrerOnJoin != nil {
		m.NotifyReferrerOnJoin = types.BoolPointerValue(found.NotifyReferrerOnJoin)
	}
}

// joined takes that the address has an account; user is nil where the provider's account does not see which.
func (m *model) joined(user *zulip.User) {
	m.Status, m.UserID = types.StringValue(accepted), types.Int64Null()
	m.InvitedByUserID, m.Invited, m.ExpiryDate = types.Int64Null(), types.StringNull(), types.StringNull()
	if user != nil {
		m.UserID = types.Int64Value(user.ID)
	}
}

// isOf reports whether an invitation is by email and to an address. Case is ignored, as when somebody joins by it.
func isOf(one *zulip.Invitation, email string) bool {
	return !one.IsMultiuse && strings.EqualFold(one.Email, email)
}

func resourceSchema() schema.Schema {
	keepText := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	keepNumber := []planmodifier.Int64{int64planmodifier.UseStateForUnknown()}
	attributes := invite.Attributes(map[string]string{
		"expires_in_minutes":                  "Time from its sending during which the invitation can be accepted, in minutes. If unset, it never expires.",
		"invite_as":                           "Role that the person joins with: `owner`, `administrator`, `moderator`, `member` or `guest`. Defaults to `member`. Only owners may invite owners, and only administrators and owners may invite administrators and moderators.",
		"channel_ids":                         "IDs of the channels that the person is subscribed to on joining: default channels, and channels to which the provider's account may add people. Defaults to none. The server does not show them.",
		"group_ids":                           "IDs of the user groups that the person is added to on joining, except roles. The provider's account must be allowed to add people to them. Defaults to none. The server does not show them. " + featurelevel.Needs("zulip_invitation", "group_ids"),
		"include_realm_default_subscriptions": "Whether the person is also subscribed to the default channels, as they are at that time. Defaults to `false`. The server does not show it. " + featurelevel.Needs("zulip_invitation", "include_realm_default_subscriptions"),
		"welcome_message_custom_text":         "Text that Welcome Bot sends to the person on joining, in Markdown, at most 8000 characters; `\"\"` is none. Defaults to the organization's text. Only administrators and owners may set it, even to `\"\"`. The server does not show it. " + featurelevel.Needs("zulip_invitation", "welcome_message_custom_text"),
		"invited_by_user_id":                  "User ID of who sent the invitation. Null once the person has joined.",
		"invited":                             "Time at which the invitation was sent (RFC 3339). Null once the person has joined.",
		"expiry_date":                         "Time at which the invitation expires (RFC 3339). Null if it never does, and once the person has joined.",
	})
	attributes["id"] = schema.StringAttribute{Computed: true, MarkdownDescription: "Email address that is invited.", PlanModifiers: keepText}
	attributes["email"] = schema.StringAttribute{
		Required: true, Validators: []validator.String{validators.EmailAddress{}},
		MarkdownDescription: "Email address to invite, without a name. Case is ignored. Changing this forces a new resource.",
	}
	attributes[notify] = schema.BoolAttribute{
		Optional: true, Computed: true, PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
		MarkdownDescription: "Whether the provider's account gets a message when the person joins. Defaults to `true`. " + featurelevel.Needs("zulip_invitation", notify),
	}
	attributes["status"] = schema.StringAttribute{
		Computed: true, PlanModifiers: keepText,
		MarkdownDescription: "`pending` while the invitation can be accepted, `accepted` once the address has an account. It stays `accepted`, also if the account is deactivated.",
	}
	attributes["user_id"] = schema.Int64Attribute{
		Computed: true, PlanModifiers: keepNumber,
		MarkdownDescription: "User ID of the account of the address. Null until the person has joined, and where the person hides the address from the provider's account.",
	}
	return schema.Schema{Version: base.SchemaVersion, MarkdownDescription: description, Attributes: attributes}
}

var description = `Makes sure that an email address has an account or a pending invitation. Only people can invite, not bots, and only those in ` + "`can_invite_users_group`" + ` of the organization. For a link that anybody can use, see ` + "`zulip_invite_link`" + `. ` + featurelevel.Needs("zulip_invitation", "") + `

If the address has an account already, nothing is sent. Once the person has joined, the resource is done: it stays ` + "`accepted`" + `, changes of its attributes are recorded without sending anything, and destroying it leaves the account alone. To manage the role of somebody who has joined, use ` + "`zulip_user_role`" + `.

If the invitation expires, or is revoked outside Terraform, the next plan proposes to send a new one. The server cannot change an invitation: a change is a new mail, after which the earlier invitations of the address are revoked. Destroying the resource revokes every pending invitation of the address that the provider's account sees, including those that others sent: administrators see all, everybody else their own. The server also revokes invitations if the account that sent them is deactivated.

The server does not show the channels, groups, default subscriptions and welcome message of an invitation: the state has what was configured when it was sent. **After an import** they are null. The next plan then records what the configuration says of them, in place, without sending anything. Any later change sends a new invitation.

` + core.NeverAdopted + ` If the connection is lost before the server answers, the provider looks for a new invitation of the address before it sends another one.`
