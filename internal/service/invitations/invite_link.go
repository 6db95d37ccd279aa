package invitations

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// inviteLinkResource is zulip_invite_link.
type inviteLinkResource struct {
	*core.Resource[inviteLinkModel, zulip.Invitation, inviteLinkModel]
}

// NewInviteLinkResource returns zulip_invite_link.
func NewInviteLinkResource() resource.Resource {
	return &inviteLinkResource{core.New(&core.Definition[inviteLinkModel, zulip.Invitation]{
		Name: "invite_link", Title: "invitation link", Plural: "invitations",
		ListText:  core.ListText{Called: "display name (`invitation link 12`)", Description: "Lists all usable invitation links if the provider's account is an administrator, otherwise its own links."},
		Schema:    inviteLinkSchema,
		Source:    core.Source{Part: store.Invitations},
		Key:       func(link *zulip.Invitation) int64 { return link.ID },
		ReadInto:  func(m *inviteLinkModel, link *zulip.Invitation, _ *core.Call) { m.read(link) },
		CheckPlan: checkInviteLinkPlan,
		Delete: func(ctx context.Context, c *core.Call, state *inviteLinkModel) error {
			return c.Meta.Client.RevokeInviteLink(ctx, state.ID.ValueInt64())
		},
		DeleteVerb: "revoke",
		Hint:       inviteLinkHint,
		Creating: core.Creating[inviteLinkModel, zulip.Invitation]{
			IsCreated: func(m *inviteLinkModel, link *zulip.Invitation, _ *core.Call) bool {
				return link.LinkURL == m.LinkURL.ValueString()
			},
		},
		Unlisted: core.Unlisted[inviteLinkModel, zulip.Invitation]{
			ReadAll: func(ctx context.Context, s *store.Store) ([]*zulip.Invitation, error) {
				all, err := s.Invitations(ctx)
				return slices.DeleteFunc(slices.Clone(all), func(one *zulip.Invitation) bool { return !one.IsMultiuse }), err
			},
			WhereIDs: "The link itself is a secret; the data source zulip_invite_links lists the IDs. It may have expired or been revoked; only administrators see those of others; and invitations by e-mail have IDs of their own.",
			SeenBy:   seenBySender,
			IsShown:  func(m *base.Meta, state *inviteLinkModel) bool { return state.IsShown(m) },
		},
	})}
}

// Read reads the link. The state stays unchanged if the server lists no links to the account.
func (r *inviteLinkResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var id types.Int64
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("id"), &id)...)
	switch {
	case resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics):
	case isListedTo(r.Meta):
		r.Resource.Read(ctx, req, resp)
	default:
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), id)...)
		r.Meta.MayRemove(false, fmt.Sprintf("invitation link %d", id.ValueInt64()), seenBySender, &resp.Diagnostics)
	}
}

// Create creates the link, and then looks for its ID. A link whose ID is not found is still in the state.
func (r *inviteLinkResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan, config inviteLinkModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	wanted := config.Wire(ctx, &resp.Diagnostics) // without the defaults of the plan
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := r.makeLink(ctx, wanted)
	if err != nil {
		base.Report(&resp.Diagnostics, "Cannot create the invitation link", plan.whyRefused(ctx, r.Meta, err, inviteLinkPermission, doingLink), inviteLinkHint)
		return
	}
	plan.made(made.url, made.invitation)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	if made.invitation == nil {
		resp.Diagnostics.AddError("The invitation link was created, but its ID is unknown", made.explain())
		return
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), plan.ID)...)
}

// ImportState imports by the link's ID, and records that the unreadable attributes are not known.
func (r *inviteLinkResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if r.Resource.ImportState(ctx, req, resp); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, importedKey, []byte("true"))...)
	}
}

// newInviteLink is a new link.
type newInviteLink struct {
	url string
	// invitation is the link in the server's list; nil if it was not found. problem is the reason, or nil if the list
	// does not have it.
	invitation *zulip.Invitation
	problem    error
}

// makeLink creates a link. The server returns the link but not its ID, which is looked up in the list. If the answer is
// lost, the list is compared with the earlier list. A new link of this account, for the same role and the same time, is
// the result.
func (r *inviteLinkResource) makeLink(ctx context.Context, wanted zulip.InviteTerms) (*newInviteLink, error) {
	made := &newInviteLink{}
	look := func(ctx context.Context, isNew func(int64) bool) (int64, error) {
		list, err := r.Meta.Store.Invitations(ctx)
		i := slices.IndexFunc(list, func(one *zulip.Invitation) bool { return r.looksLike(one, wanted) && isNew(one.ID) })
		if err != nil || i < 0 {
			return 0, err
		}
		made.url, made.invitation = list[i].LinkURL, list[i]
		return list[i].ID, nil
	}
	create := func(ctx context.Context) (int64, error) {
		// Later readings, also by other resources, must contain this link.
		defer r.Meta.Store.Invalidate(store.Invitations)
		var err error
		if made.url, err = r.Meta.Client.CreateInviteLink(ctx, wanted); err != nil {
			return 0, err
		}
		r.Meta.Store.Invalidate(store.Invitations)
		list, err := r.Meta.Store.Invitations(ctx)
		if made.problem = err; err != nil {
			return 0, nil // the link exists, and must not be lost
		}
		if made.invitation = linkWith(list, made.url); made.invitation == nil {
			return 0, nil
		}
		return made.invitation.ID, nil
	}
	_, err := existing.CreateOnce(ctx, r.Meta, inviteLinkKind, fmt.Sprint(roleOf(wanted), minutesOf(wanted.ExpiresInMinutes)), nil, look, create)
	return made, err
}

// looksLike reports whether an invitation matches the link that the account would have created, as far as it can be
// read.
func (r *inviteLinkResource) looksLike(one *zulip.Invitation, wanted zulip.InviteTerms) bool {
	return one.IsMultiuse && one.InvitedByUserID == r.Meta.Store.Self().ID && one.InvitedAs == roleOf(wanted) &&
		minutesOf(one.ExpiresInMinutes()) == minutesOf(wanted.ExpiresInMinutes)
}

// explain explains what happened to a link whose ID was not found.
func (l *newInviteLink) explain() string {
	why := "The server does not list it among the invitations that can be used; it may have expired or been revoked immediately."
	if l.problem != nil {
		why = base.Explain(l.problem)
	}
	return why + "\n\nThe state has the link itself, which is enough to revoke it. Terraform marks it as tainted, so the next apply replaces it. To keep it, first run \"terraform untaint\". The provider finds the ID when it reads the link again."
}

// linkWith returns the invitation that has a link; nil if there is none.
func linkWith(list []*zulip.Invitation, url string) *zulip.Invitation {
	i := slices.IndexFunc(list, func(one *zulip.Invitation) bool { return one.IsMultiuse && one.LinkURL == url })
	if i < 0 {
		return nil
	}
	return list[i]
}

// roleOf returns the role of a link's users. An unset role is the server's default.
func roleOf(wanted zulip.InviteTerms) zulip.Role {
	if wanted.InviteAs == nil {
		return zulip.RoleMember
	}
	return *wanted.InviteAs
}

// minutesOf returns the lifetime of a link in a form that can be compared.
func minutesOf(minutes *int64) string {
	if minutes == nil {
		return "for ever"
	}
	return fmt.Sprint(*minutes)
}

// inviteLinkKind is the kind of links in the run state.
const inviteLinkKind = "zulip_invite_link"

// inviteLinkModel is the resource.
type inviteLinkModel struct {
	inviteTerms
	ID      types.Int64  `tfsdk:"id"`
	LinkURL types.String `tfsdk:"link_url"`
}

// made sets the model to a new link, and the unset terms to the server's defaults. found may be nil.
func (m *inviteLinkModel) made(url string, found *zulip.Invitation) {
	m.ID, m.LinkURL = types.Int64Null(), types.StringValue(url)
	m.FillIn()
	if found != nil {
		m.read(found)
	}
}

// read sets the attributes that the server lists. The others cannot be read, and are unchanged.
func (m *inviteLinkModel) read(found *zulip.Invitation) {
	m.ID, m.LinkURL = types.Int64Value(found.ID), types.StringValue(found.LinkURL)
	m.Read(found)
}

func inviteLinkSchema() schema.Schema {
	attributes := termAttributes(map[string]string{
		"expires_in_minutes":                  "Time after which the link expires, in minutes. If unset, it never expires.",
		"invite_as":                           "Role of people who join: `owner`, `administrator`, `moderator`, `member` or `guest`. Defaults to `member`. Only owners can create links for owners, and only administrators can create links for administrators and moderators.",
		"channel_ids":                         "IDs of the channels that people who join are subscribed to. The provider's account must be allowed to subscribe others to them, except to default channels. Defaults to none.",
		"group_ids":                           "IDs of the user groups that people who join are added to, except roles. The provider's account must be allowed to add members to them. Defaults to none.",
		"include_realm_default_subscriptions": "If true, people who join are also subscribed to the default channels of that time. Defaults to `false`.",
		"welcome_message_custom_text":         "Text that Welcome Bot sends to people who join, in Markdown, at most 8000 characters; `\"\"` for none. Defaults to the organization's text. Only administrators can set it. " + featurelevel.Needs("zulip_invite_link", "welcome_message_custom_text"),
		"invited_by_user_id":                  "ID of the user who created the link.",
		"invited":                             "Time at which the link was created (RFC 3339).",
		"expiry_date":                         "Time at which the link expires (RFC 3339). Null if it never expires.",
	})
	attributes["id"] = schema.Int64Attribute{
		Computed: true, MarkdownDescription: "ID of the link.", PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
	}
	attributes["link_url"] = schema.StringAttribute{
		Computed: true, Sensitive: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
		MarkdownDescription: "URL of the link. Anyone who has it can join, so it is a secret. It is in the state, but never in a plan, message or log.",
	}
	return schema.Schema{Version: base.SchemaVersion, MarkdownDescription: inviteLinkDescription, Attributes: attributes}
}

const inviteLinkDescription = "Manages a reusable [invitation link](https://zulip.com/help/invite-new-users), with which anyone who has it can join the organization."

// inviteLinkPermission is the organization's permission to create links.
const inviteLinkPermission = "create_multiuse_invite_group"

// ModifyPlan plans another link if an attribute changes, because links cannot be changed. The plan for an imported
// link only records configured values that cannot be read.
func (r *inviteLinkResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !req.Plan.Raw.IsNull() && !req.State.Raw.IsNull() {
		var plan, state inviteLinkModel
		resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		imported, diags := req.Private.GetKey(ctx, importedKey)
		resp.Diagnostics.Append(diags...)
		for _, name := range changedTerms(state.Settable(), plan.Settable(), imported != nil) {
			resp.RequiresReplace.Append(path.Root(name))
		}
		var configured inviteLinkModel
		resp.Diagnostics.Append(req.Config.Get(ctx, &configured)...)
		if imported != nil && len(resp.RequiresReplace) > 0 && state.ChannelIDs.IsNull() && configured.ChannelIDs.IsNull() {
			resp.Diagnostics.AddAttributeError(path.Root("channel_ids"), "The channels of the imported link are unknown",
				"The plan replaces the link, and the server does not show its channels, so the new link would have none. Set channel_ids ([] for none). Also set group_ids and include_realm_default_subscriptions if the link has them.")
		}
	}
	r.Resource.ModifyPlan(ctx, req, resp)
}

// checkInviteLinkPlan refuses a link that the server would refuse.
func checkInviteLinkPlan(ctx context.Context, p *core.Plan[inviteLinkModel]) {
	if p.IsDestroy() || !p.IsCreate() && !p.IsReplaced {
		return
	}
	view, err := p.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		p.Diags.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	p.Plan.PlanDefaults(&p.Config.inviteTerms) // also for a link that replaces another, whose channels can be archived
	p.Plan.Check(ctx, p.Meta, view, inviteLinkPermission, doingLink, p.Diags)
}

const doingLink = "create invitation links"

func inviteLinkHint(err error) string { return inviteRefusalHint(err, inviteLinkPermission) }

// NewInviteLinksDataSource returns the data source zulip_invite_links.
func NewInviteLinksDataSource() datasource.DataSource {
	return adapter.DataSource[inviteLinksModel]{Name: "invite_links", Schema: inviteLinksDataSchema, Read: readInviteLinksData}.New()
}

func inviteLinksDataSchema() datasourceschema.Schema {
	links, mails := sharedAttributes(), sharedAttributes()
	links["link_url"] = datasourceschema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: "URL of the link. Anyone who has it can join."}
	mails["email"] = datasourceschema.StringAttribute{Computed: true, MarkdownDescription: "Email address that was invited."}
	mails["notify_referrer_on_join"] = datasourceschema.BoolAttribute{Computed: true, MarkdownDescription: "If true, the inviting person gets a message when the invitation is accepted. Null if the server doesn't show it."}
	return datasourceschema.Schema{
		MarkdownDescription: "Lists the usable invitations, reusable links and invitations by email, sorted by ID.",
		Attributes: map[string]datasourceschema.Attribute{
			"invite_links": datasourceschema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "Reusable invitation links.", NestedObject: datasourceschema.NestedAttributeObject{Attributes: links},
			},
			"email_invitations": datasourceschema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "Invitations by email. Their IDs are independent of link IDs.",
				NestedObject: datasourceschema.NestedAttributeObject{Attributes: mails},
			},
		},
	}
}

// sharedAttributes describe the attributes of both kinds.
func sharedAttributes() map[string]datasourceschema.Attribute {
	return map[string]datasourceschema.Attribute{
		"id":                 datasourceschema.Int64Attribute{Computed: true, MarkdownDescription: "ID of the invitation."},
		"invite_as":          datasourceschema.StringAttribute{Computed: true, MarkdownDescription: "Role after joining: `owner`, `administrator`, `moderator`, `member` or `guest`."},
		"invited_by_user_id": datasourceschema.Int64Attribute{Computed: true, MarkdownDescription: "User ID of the inviting person."},
		"invited":            datasourceschema.StringAttribute{Computed: true, MarkdownDescription: "Time at which the invitation was created (RFC 3339)."},
		"expiry_date":        datasourceschema.StringAttribute{Computed: true, MarkdownDescription: "Time at which the invitation expires (RFC 3339); null if it never does."},
	}
}

func readInviteLinksData(ctx context.Context, c *adapter.Call[inviteLinksModel], list *inviteLinksModel) error {
	all, err := c.Meta.Store.Invitations(ctx)
	if err != nil {
		return base.Failed(invitationsUnreadable, err, inviteLinkHint)
	}
	list.InviteLinks, list.EmailInvitations = []linkFields{}, []mailFields{}
	// The server promises no order (server-behavior §U17).
	for _, one := range slices.SortedFunc(slices.Values(all), func(a, b *zulip.Invitation) int { return cmp.Compare(a.ID, b.ID) }) {
		id, role, by := types.Int64Value(one.ID), types.StringValue(one.InvitedAs.String()), types.Int64Value(one.InvitedByUserID)
		made, ends := momentText(&one.Invited), momentText(one.ExpiryDate)
		if one.IsMultiuse {
			list.InviteLinks = append(list.InviteLinks, linkFields{id, types.StringValue(one.LinkURL), role, by, made, ends})
		} else {
			list.EmailInvitations = append(list.EmailInvitations,
				mailFields{id, types.StringValue(one.Email), types.BoolPointerValue(one.NotifyReferrerOnJoin), role, by, made, ends})
		}
	}
	return nil
}

type inviteLinksModel struct {
	InviteLinks      []linkFields `tfsdk:"invite_links"`
	EmailInvitations []mailFields `tfsdk:"email_invitations"`
}

type linkFields struct {
	ID              types.Int64  `tfsdk:"id"`
	LinkURL         types.String `tfsdk:"link_url"`
	InviteAs        types.String `tfsdk:"invite_as"`
	InvitedByUserID types.Int64  `tfsdk:"invited_by_user_id"`
	Invited         types.String `tfsdk:"invited"`
	ExpiryDate      types.String `tfsdk:"expiry_date"`
}

type mailFields struct {
	ID                   types.Int64  `tfsdk:"id"`
	Email                types.String `tfsdk:"email"`
	NotifyReferrerOnJoin types.Bool   `tfsdk:"notify_referrer_on_join"`
	InviteAs             types.String `tfsdk:"invite_as"`
	InvitedByUserID      types.Int64  `tfsdk:"invited_by_user_id"`
	Invited              types.String `tfsdk:"invited"`
	ExpiryDate           types.String `tfsdk:"expiry_date"`
}
