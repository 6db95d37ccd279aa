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

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
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
		Version:             framework.SchemaVersion,
		MarkdownDescription: description,
		Attributes: map[string]schema.Attribute{
			"id": schema.Int64Attribute{Computed: true, MarkdownDescription: "The link's ID.", PlanModifiers: keepNumber},
			"link_url": schema.StringAttribute{
				Computed: true, Sensitive: true, PlanModifiers: keepText,
				MarkdownDescription: "The link. Whoever has it can join, so it is a secret: it is in the state, but in no plan, message or log.",
			},
			"expires_in_minutes": schema.Int64Attribute{
				Optional: true, Validators: []validator.Int64{validators.AtLeast(1)},
				MarkdownDescription: "How long the link can be used, in minutes from its creation. If it is not set, until the link is revoked.",
			},
			"invite_as": schema.StringAttribute{
				Optional: true, Computed: true, Validators: []validator.String{validators.OneOf("owner", "administrator", "moderator", "member", "guest")}, PlanModifiers: keepText,
				MarkdownDescription: "The role that whoever joins has: `owner`, `administrator`, `moderator`, `member` (the default) or `guest`. Only owners may make links for owners, only administrators and owners those for administrators and moderators.",
			},
			"channel_ids": schema.SetAttribute{
				ElementType: types.Int64Type, Optional: true, Computed: true, PlanModifiers: keepSet,
				Validators:          []validator.Set{validators.NoNulls(), setvalidator.ValueInt64sAre(validators.AtLeast(1))},
				MarkdownDescription: "The IDs of the channels that whoever joins is put into: default channels, and others to which the account the provider uses may add people. By default none. The server does not give them back.",
			},
			"group_ids": schema.SetAttribute{
				ElementType: types.Int64Type, Optional: true, Computed: true, PlanModifiers: keepSet,
				Validators:          []validator.Set{validators.NoNulls(), setvalidator.ValueInt64sAre(validators.AtLeast(1))},
				MarkdownDescription: "The IDs of the user groups that whoever joins is put into, to which the account the provider uses may add people; not those of roles. By default none. The server does not give them back. " + featurelevel.Needs("zulip_invite_link", "group_ids"),
			},
			"include_realm_default_subscriptions": schema.BoolAttribute{
				Optional: true, Computed: true, PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
				MarkdownDescription: "Whether whoever joins is put into the default channels too, as they are at that time. By default `false`. The server does not give it back. " + featurelevel.Needs("zulip_invite_link", "include_realm_default_subscriptions"),
			},
			"welcome_message_custom_text": schema.StringAttribute{
				Optional: true, Computed: true, PlanModifiers: keepText,
				Validators:          []validator.String{validators.Length(0, zulip.MaxWelcomeMessageLength)},
				MarkdownDescription: "What the Welcome Bot says to whoever joins, in Markdown, at most 8000 characters; `\"\"`: nothing. By default what the organization has set. Only administrators and owners may set it, even to `\"\"`. The server does not give it back. " + featurelevel.Needs("zulip_invite_link", "welcome_message_custom_text"),
			},
			"invited_by_user_id": schema.Int64Attribute{Computed: true, MarkdownDescription: "User ID of who created the link.", PlanModifiers: keepNumber},
			"invited":            schema.StringAttribute{Computed: true, MarkdownDescription: "Time at which the link was created (RFC 3339).", PlanModifiers: keepText},
			"expiry_date":        schema.StringAttribute{Computed: true, MarkdownDescription: "When it ends (RFC 3339); null: never.", PlanModifiers: keepText},
		},
	}
}

var description = `A link with which anybody who has it can join the organization, any number of times. Only people can make one, not bots: those whom the organization's setting ` + "`create_multiuse_invite_group`" + ` admits. ` + featurelevel.Needs("zulip_invite_link", "") + `

A link cannot be changed: any change revokes it and makes another one. When it expired or was revoked elsewhere it is gone, and the next apply makes a new one. Destroying the resource revokes it. When the account that made it is deactivated, the server ends the link.

The server gives no link's channels, groups, default subscriptions and welcome message back: they are what was asked for when it was made. **After an import** they are null. What the configuration says of them then is taken for what the link has: the plan records it, in place, and nothing is sent. What the configuration leaves out stays null, and changes nothing. A change later on makes a new link, as always.

The server makes a second link when it is asked a second time. So when an answer was lost, the provider compares the links there are with those from before: a new one that the same account made for the same role and the same time is taken for it. What cannot be recognised: a link of the same kind that the same account made elsewhere at that moment, and what was made by an apply that was killed before it could note it. The data source ` + "`zulip_invite_links`" + ` shows the links that no configuration knows.`
