package invitelink

import (
	"cmp"
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/invite"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// DataSource is the data source zulip_invite_links.
type DataSource struct{ base.DataSource }

// NewDataSource returns the data source zulip_invite_links.
func NewDataSource() datasource.DataSource { return &DataSource{} }

type listModel struct {
	InviteLinks      []linkFacts `tfsdk:"invite_links"`
	EmailInvitations []mailFacts `tfsdk:"email_invitations"`
}

type linkFacts struct {
	ID              types.Int64  `tfsdk:"id"`
	LinkURL         types.String `tfsdk:"link_url"`
	InviteAs        types.String `tfsdk:"invite_as"`
	InvitedByUserID types.Int64  `tfsdk:"invited_by_user_id"`
	Invited         types.String `tfsdk:"invited"`
	ExpiryDate      types.String `tfsdk:"expiry_date"`
}

type mailFacts struct {
	ID                   types.Int64  `tfsdk:"id"`
	Email                types.String `tfsdk:"email"`
	NotifyReferrerOnJoin types.Bool   `tfsdk:"notify_referrer_on_join"`
	InviteAs             types.String `tfsdk:"invite_as"`
	InvitedByUserID      types.Int64  `tfsdk:"invited_by_user_id"`
	Invited              types.String `tfsdk:"invited"`
	ExpiryDate           types.String `tfsdk:"expiry_date"`
}

// Metadata names the data source.
func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_invite_links"
}

// Schema describes the data source.
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	links, mails := sharedAttributes(), sharedAttributes()
	links["link_url"] = schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: "URL of the link. Whoever has it can join."}
	mails["email"] = schema.StringAttribute{Computed: true, MarkdownDescription: "Email address that was invited."}
	mails["notify_referrer_on_join"] = schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the inviting person gets a message when the invitation is accepted. Null on servers that do not tell."}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the invitations that can still be used, by ID: reusable links, and invitations of one person by email. Administrators and owners see all, others see their own; guests and bots cannot read any. Expired, used and revoked invitations are not listed. The server does not show the channels and groups of an invitation.",
		Attributes: map[string]schema.Attribute{
			"invite_links": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "Reusable invitation links.", NestedObject: schema.NestedAttributeObject{Attributes: links},
			},
			"email_invitations": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "Invitations by email. Their IDs are independent of the IDs of links.",
				NestedObject: schema.NestedAttributeObject{Attributes: mails},
			},
		},
	}
}

// sharedAttributes describe what both kinds have.
func sharedAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":                 schema.Int64Attribute{Computed: true, MarkdownDescription: "ID of the invitation."},
		"invite_as":          schema.StringAttribute{Computed: true, MarkdownDescription: "Role of those who join: `owner`, `administrator`, `moderator`, `member` or `guest`."},
		"invited_by_user_id": schema.Int64Attribute{Computed: true, MarkdownDescription: "User ID of the inviting person."},
		"invited":            schema.StringAttribute{Computed: true, MarkdownDescription: "Time at which the invitation was created (RFC 3339)."},
		"expiry_date":        schema.StringAttribute{Computed: true, MarkdownDescription: "Time at which the invitation expires (RFC 3339); null if it never does."},
	}
}

// Read lists the invitations.
func (d *DataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	if !d.Ready(&resp.Diagnostics) {
		return
	}
	all, err := d.Meta.Store.Invitations(ctx)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the invitations", base.ExplainWith(err, hint))
		return
	}
	list := listModel{InviteLinks: []linkFacts{}, EmailInvitations: []mailFacts{}}
	// The server promises no order (server-behavior §U17).
	for _, one := range slices.SortedFunc(slices.Values(all), func(a, b *zulip.Invitation) int { return cmp.Compare(a.ID, b.ID) }) {
		id, role, by := types.Int64Value(one.ID), types.StringValue(one.InvitedAs.String()), types.Int64Value(one.InvitedByUserID)
		made, ends := invite.Moment(&one.Invited), invite.Moment(one.ExpiryDate)
		if one.IsMultiuse {
			list.InviteLinks = append(list.InviteLinks, linkFacts{id, types.StringValue(one.LinkURL), role, by, made, ends})
		} else {
			list.EmailInvitations = append(list.EmailInvitations,
				mailFacts{id, types.StringValue(one.Email), types.BoolPointerValue(one.NotifyReferrerOnJoin), role, by, made, ends})
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &list)...)
}
