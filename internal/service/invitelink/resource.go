// Package invitelink is the resource zulip_invite_link, a link that lets whoever has it join the organization, and the data
// source zulip_invite_links.
package invitelink

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Resource is zulip_invite_link.
type Resource struct {
	*core.Resource[model, zulip.Invitation, model]
}

// NewResource returns zulip_invite_link.
func NewResource() resource.Resource {
	return &Resource{core.New(&core.Definition[model, zulip.Invitation, model]{
		Name: "invite_link", Title: "invitation link", Plural: "invitations",
		ListText: core.ListText{Called: "display name, as in `invitation link 12`,", Description: "Lists the reusable invitation links that have neither expired nor been revoked: all links if the provider's account is an administrator's, else its own. Invitations by email are not listed. The server does not show the channels, groups and welcome message of a link: they are not in the generated configuration."},
		Schema:   resourceSchema,
		Source:   core.Source{Part: store.Invitations},
		List: func(ctx context.Context, s *store.Store) ([]*zulip.Invitation, error) {
			all, err := s.Invitations(ctx)
			return slices.DeleteFunc(slices.Clone(all), func(one *zulip.Invitation) bool { return !one.IsMultiuse }), err
		},
		WhereIDs:  "The link itself is a secret; the data source zulip_invite_links lists the IDs. It may have expired or been revoked; only administrators see those of others; and invitations by e-mail have IDs of their own.",
		Key:       func(link *zulip.Invitation) int64 { return link.ID },
		ReadInto:  func(m *model, link *zulip.Invitation, _ *core.Context) { m.read(link) },
		IsShown:   func(m *base.Meta, state *model) bool { return state.IsShown(m) },
		CheckPlan: checkPlan,
		IsCreated: func(m *model, link *zulip.Invitation, _ *core.Context) bool {
			return link.LinkURL == m.LinkURL.ValueString()
		},
		Delete: func(ctx context.Context, c *core.Context, state *model) error {
			return c.Meta.Client.RevokeInviteLink(ctx, state.ID.ValueInt64())
		},
		DeleteVerb: "revoke",
		Hint:       hint,
	})}
}

// importedKey marks, in the private state, a link that this resource did not create.
const importedKey = "imported"

// Create makes the link, and then looks for its ID. A link whose ID is not found is in the state all the same.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	wanted := plan.Wire(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := r.makeLink(ctx, wanted)
	if err != nil {
		resp.Diagnostics.AddError("Cannot create the invitation link", r.Explain(err))
		return
	}
	plan.made(made.url, made.invitation)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	if made.invitation == nil {
		resp.Diagnostics.AddError("The invitation link was made, but its ID was not found", made.explain())
		return
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), plan.ID)...)
}

// ImportState takes the link's ID, and notes that what cannot be read of the link is not known.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if r.Resource.ImportState(ctx, req, resp); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, importedKey, []byte("true"))...)
	}
}
