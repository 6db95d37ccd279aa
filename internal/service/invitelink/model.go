package invitelink

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/invite"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// kind is what links are claimed as.
const kind = "zulip_invite_link"

// model is the resource.
type model struct {
	invite.Terms
	ID      types.Int64  `tfsdk:"id"`
	LinkURL types.String `tfsdk:"link_url"`
}

// made takes a link that was made, and for what was left to the server what the server then does. found may be nil.
func (m *model) made(url string, found *zulip.Invitation) {
	m.ID, m.LinkURL = types.Int64Null(), types.StringValue(url)
	m.FillIn()
	if found != nil {
		m.read(found)
	}
}

// read takes what the server lists. The rest stays as it is: it cannot be read.
func (m *model) read(found *zulip.Invitation) {
	m.ID, m.LinkURL = types.Int64Value(found.ID), types.StringValue(found.LinkURL)
	m.Read(found)
}

func resourceSchema() schema.Schema {
	attributes := invite.Attributes(map[string]string{
		"expires_in_minutes":                  "Time from its creation during which the link can be used, in minutes. If unset, it never expires.",
		"invite_as":                           "Role of those who join: `owner`, `administrator`, `moderator`, `member` or `guest`. Defaults to `member`. Only owners may create links for owners, and only administrators and owners those for administrators and moderators.",
		"channel_ids":                         "IDs of the channels that those who join are subscribed to: default channels, and channels to which the provider's account may add people. Defaults to none. The server does not show them.",
		"group_ids":                           "IDs of the user groups that those who join are added to, except roles. The provider's account must be allowed to add people to them. Defaults to none. The server does not show them. " + featurelevel.Needs("zulip_invite_link", "group_ids"),
		"include_realm_default_subscriptions": "Whether those who join are also subscribed to the default channels, as they are at that time. Defaults to `false`. The server does not show it. " + featurelevel.Needs("zulip_invite_link", "include_realm_default_subscriptions"),
		"welcome_message_custom_text":         "Text that Welcome Bot sends to those who join, in Markdown, at most 8000 characters; `\"\"` is none. Defaults to the organization's text. Only administrators and owners may set it, even to `\"\"`. The server does not show it. " + featurelevel.Needs("zulip_invite_link", "welcome_message_custom_text"),
		"invited_by_user_id":                  "User ID of who created the link.",
		"invited":                             "Time at which the link was created (RFC 3339).",
		"expiry_date":                         "Time at which the link expires (RFC 3339); null if it never does.",
	})
	attributes["id"] = schema.Int64Attribute{
		Computed: true, MarkdownDescription: "ID of the link.", PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
	}
	attributes["link_url"] = schema.StringAttribute{
		Computed: true, Sensitive: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
		MarkdownDescription: "URL of the link. Whoever has it can join, so it is a secret: it is in the state, but in no plan, message or log.",
	}
	return schema.Schema{Version: base.SchemaVersion, MarkdownDescription: description, Attributes: attributes}
}

var description = `Manages a reusable invitation link, with which anybody who has it can join the organization. Only people can create one, not bots, and only those in ` + "`create_multiuse_invite_group`" + ` of the organization. ` + featurelevel.Needs("zulip_invite_link", "") + `

A link cannot be changed: any change forces a new link and revokes the old one. If it expires or is revoked outside Terraform, the next plan proposes to create a new one. Destroying the resource revokes it. If the account that created it is deactivated, the server revokes the link.

The server does not show the channels, groups, default subscriptions and welcome message of a link: the state has what was configured when it was created. **After an import** they are null. The next plan then records what the configuration says of them, in place, without sending anything; what the configuration leaves out stays null. Any later change forces a new link. A plan that replaces an imported link is refused until ` + "`channel_ids`" + ` says which channels the new one has.

The server creates a link twice if it is asked twice. So if the connection is lost before the server answers, the provider compares the links with those from before: a new one that the same account created for the same role and time is taken for it. It cannot tell it from a link of the same kind that the same account created elsewhere at that moment, and does not find one of an apply that was killed before it wrote its state. The data source ` + "`zulip_invite_links`" + ` also shows the links that are in no configuration.`
