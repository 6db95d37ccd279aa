package invitelink

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// kind is what links are claimed as.
const kind = "zulip_invite_link"

// model is the resource.
type model struct {
	ID                   types.Int64  `tfsdk:"id"`
	LinkURL              types.String `tfsdk:"link_url"`
	ExpiresInMinutes     types.Int64  `tfsdk:"expires_in_minutes"`
	InviteAs             types.String `tfsdk:"invite_as"`
	ChannelIDs           types.Set    `tfsdk:"channel_ids"`
	GroupIDs             types.Set    `tfsdk:"group_ids"`
	DefaultSubscriptions types.Bool   `tfsdk:"include_realm_default_subscriptions"`
	WelcomeMessage       types.String `tfsdk:"welcome_message_custom_text"`
	InvitedByUserID      types.Int64  `tfsdk:"invited_by_user_id"`
	Invited              types.String `tfsdk:"invited"`
	ExpiryDate           types.String `tfsdk:"expiry_date"`
}

// settable returns by name what a configuration says of a link. None of it can be changed.
func (m *model) settable() map[string]attr.Value {
	return map[string]attr.Value{
		"expires_in_minutes": m.ExpiresInMinutes, "invite_as": m.InviteAs, "channel_ids": m.ChannelIDs, "group_ids": m.GroupIDs,
		"include_realm_default_subscriptions": m.DefaultSubscriptions, "welcome_message_custom_text": m.WelcomeMessage,
	}
}

// wire is the plan in the words of the wire. What is not configured is left to the server.
func (m *model) wire(ctx context.Context, diags *diag.Diagnostics) zulip.NewInviteLink {
	wanted := zulip.NewInviteLink{ExpiresInMinutes: m.ExpiresInMinutes.ValueInt64Pointer()}
	if role, ok := zulip.ParseRole(m.InviteAs.ValueString()); ok {
		wanted.InviteAs = &role
	}
	if !m.ChannelIDs.IsUnknown() {
		diags.Append(m.ChannelIDs.ElementsAs(ctx, &wanted.ChannelIDs, false)...)
	}
	if !m.GroupIDs.IsUnknown() {
		diags.Append(m.GroupIDs.ElementsAs(ctx, &wanted.GroupIDs, false)...)
	}
	if !m.DefaultSubscriptions.IsUnknown() {
		wanted.DefaultSubscriptions = m.DefaultSubscriptions.ValueBoolPointer()
	}
	if !m.WelcomeMessage.IsUnknown() {
		wanted.WelcomeMessage = m.WelcomeMessage.ValueStringPointer()
	}
	return wanted
}

// made takes a link that was made, and for what was left to the server what the server then does. found may be nil.
func (m *model) made(url string, found *zulip.Invitation) {
	m.ID, m.LinkURL = types.Int64Null(), types.StringValue(url)
	m.InvitedByUserID, m.Invited, m.ExpiryDate = types.Int64Null(), types.StringNull(), types.StringNull()
	if m.InviteAs.IsUnknown() {
		m.InviteAs = types.StringValue(zulip.RoleMember.String())
	}
	for _, set := range []*types.Set{&m.ChannelIDs, &m.GroupIDs} {
		if set.IsUnknown() {
			*set = types.SetValueMust(types.Int64Type, []attr.Value{})
		}
	}
	if m.DefaultSubscriptions.IsUnknown() {
		m.DefaultSubscriptions = types.BoolValue(false)
	}
	if m.WelcomeMessage.IsUnknown() {
		m.WelcomeMessage = types.StringNull()
	}
	if found != nil {
		m.read(found)
	}
}

// read takes what the server lists. The rest stays as it is: it cannot be read.
func (m *model) read(found *zulip.Invitation) {
	m.ID, m.LinkURL = types.Int64Value(found.ID), types.StringValue(found.LinkURL)
	m.ExpiresInMinutes = types.Int64PointerValue(found.ExpiresInMinutes())
	m.InviteAs = types.StringValue(found.InvitedAs.String())
	m.InvitedByUserID = types.Int64Value(found.InvitedByUserID)
	m.Invited, m.ExpiryDate = moment(&found.Invited), moment(found.ExpiryDate)
}

// moment writes seconds since 1970 as RFC 3339; null if there are none.
func moment(seconds *int64) types.String {
	if seconds == nil {
		return types.StringNull()
	}
	return types.StringValue(time.Unix(*seconds, 0).UTC().Format(time.RFC3339))
}

func resourceSchema() schema.Schema {
	keepNumber := []planmodifier.Int64{int64planmodifier.UseStateForUnknown()}
	keepText := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	keepSet := []planmodifier.Set{setplanmodifier.UseStateForUnknown()}
	return schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: description,
		Attributes: map[string]schema.Attribute{
			"id": schema.Int64Attribute{Computed: true, MarkdownDescription: "ID of the link.", PlanModifiers: keepNumber},
			"link_url": schema.StringAttribute{
				Computed: true, Sensitive: true, PlanModifiers: keepText,
				MarkdownDescription: "URL of the link. Whoever has it can join, so it is a secret: it is in the state, but in no plan, message or log.",
			},
			"expires_in_minutes": schema.Int64Attribute{
				Optional: true, Validators: []validator.Int64{validators.AtLeast(1)},
				MarkdownDescription: "Time from its creation during which the link can be used, in minutes. If unset, it never expires.",
			},
			"invite_as": schema.StringAttribute{
				Optional: true, Computed: true, Validators: []validator.String{validators.OneOf("owner", "administrator", "moderator", "member", "guest")}, PlanModifiers: keepText,
				MarkdownDescription: "Role of those who join: `owner`, `administrator`, `moderator`, `member` or `guest`. Defaults to `member`. Only owners may create links for owners, and only administrators and owners those for administrators and moderators.",
			},
			"channel_ids": schema.SetAttribute{
				ElementType: types.Int64Type, Optional: true, Computed: true, PlanModifiers: keepSet,
				Validators:          []validator.Set{validators.NoNulls(), setvalidator.ValueInt64sAre(validators.AtLeast(1))},
				MarkdownDescription: "IDs of the channels that those who join are subscribed to: default channels, and channels to which the provider's account may add people. Defaults to none. The server does not show them.",
			},
			"group_ids": schema.SetAttribute{
				ElementType: types.Int64Type, Optional: true, Computed: true, PlanModifiers: keepSet,
				Validators:          []validator.Set{validators.NoNulls(), setvalidator.ValueInt64sAre(validators.AtLeast(1))},
				MarkdownDescription: "IDs of the user groups that those who join are added to, except roles. The provider's account must be allowed to add people to them. Defaults to none. The server does not show them. " + featurelevel.Needs("zulip_invite_link", "group_ids"),
			},
			"include_realm_default_subscriptions": schema.BoolAttribute{
				Optional: true, Computed: true, PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
				MarkdownDescription: "Whether those who join are also subscribed to the default channels, as they are at that time. Defaults to `false`. The server does not show it. " + featurelevel.Needs("zulip_invite_link", "include_realm_default_subscriptions"),
			},
			"welcome_message_custom_text": schema.StringAttribute{
				Optional: true, Computed: true, PlanModifiers: keepText,
				Validators:          []validator.String{validators.Length(0, zulip.MaxWelcomeMessageLength)},
				MarkdownDescription: "Text that Welcome Bot sends to those who join, in Markdown, at most 8000 characters; `\"\"` is none. Defaults to the organization's text. Only administrators and owners may set it, even to `\"\"`. The server does not show it. " + featurelevel.Needs("zulip_invite_link", "welcome_message_custom_text"),
			},
			"invited_by_user_id": schema.Int64Attribute{Computed: true, MarkdownDescription: "User ID of who created the link.", PlanModifiers: keepNumber},
			"invited":            schema.StringAttribute{Computed: true, MarkdownDescription: "Time at which the link was created (RFC 3339).", PlanModifiers: keepText},
			"expiry_date":        schema.StringAttribute{Computed: true, MarkdownDescription: "Time at which the link expires (RFC 3339); null if it never does.", PlanModifiers: keepText},
		},
	}
}

var description = `Manages a reusable invitation link, with which anybody who has it can join the organization. Only people can create one, not bots, and only those in ` + "`create_multiuse_invite_group`" + ` of the organization. ` + featurelevel.Needs("zulip_invite_link", "") + `

A link cannot be changed: any change forces a new link and revokes the old one. If it expires or is revoked outside Terraform, the next plan proposes to create a new one. Destroying the resource revokes it. If the account that created it is deactivated, the server revokes the link.

The server does not show the channels, groups, default subscriptions and welcome message of a link: the state has what was configured when it was created. **After an import** they are null. The next plan then records what the configuration says of them, in place, without sending anything; what the configuration leaves out stays null. Any later change forces a new link. A plan that replaces an imported link is refused until ` + "`channel_ids`" + ` says which channels the new one has.

The server creates a link twice if it is asked twice. So if the connection is lost before the server answers, the provider compares the links with those from before: a new one that the same account created for the same role and time is taken for it. It cannot tell it from a link of the same kind that the same account created elsewhere at that moment, and does not find one of an apply that was killed before it wrote its state. The data source ` + "`zulip_invite_links`" + ` also shows the links that are in no configuration.`
