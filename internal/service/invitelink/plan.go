package invitelink

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/invite"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// right is the organization's setting of who may make links.
const right = "create_multiuse_invite_group"

// ModifyPlan plans another link where an attribute changes: none can be changed. Of an imported link, what is configured
// and cannot be read is recorded.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !req.Plan.Raw.IsNull() && !req.State.Raw.IsNull() {
		var plan, state model
		resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		imported, diags := req.Private.GetKey(ctx, importedKey)
		resp.Diagnostics.Append(diags...)
		for _, name := range invite.Changes(state.Settable(), plan.Settable(), imported != nil) {
			resp.RequiresReplace.Append(path.Root(name))
		}
		var configured model
		resp.Diagnostics.Append(req.Config.Get(ctx, &configured)...)
		if imported != nil && len(resp.RequiresReplace) > 0 && state.ChannelIDs.IsNull() && configured.ChannelIDs.IsNull() {
			resp.Diagnostics.AddAttributeError(path.Root("channel_ids"), "The channels of the imported link are not known",
				"The plan replaces the link, and the server does not show which channels it has: the new link would have none. Write channel_ids, [] for none, and group_ids and include_realm_default_subscriptions if it has those.")
		}
	}
	r.Resource.ModifyPlan(ctx, req, resp)
}

// checkPlan refuses a link that the server would refuse.
func checkPlan(ctx context.Context, p *core.Plan[model]) {
	if p.IsDestroy() || !p.IsCreate() && !p.IsReplaced {
		return
	}
	view, err := p.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		p.Diags.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	const doing = "make invitation links"
	if p.Plan.Check(p.Meta, view, right, doing, p.Diags); p.Diags.HasError() {
		return
	}
	if level := p.FeatureLevel(); level > 0 && level < zulip.LevelInviteLinksOfMembers && p.Meta.Store.Self().Role > zulip.RoleAdministrator {
		p.Meta.Refuse(path.Empty(), doing, fmt.Sprintf("Before feature level %d only administrators and owners may, and the server has %d.", zulip.LevelInviteLinksOfMembers, level), p.Diags)
	}
}

func hint(err error) string { return invite.Hint(err, right) }
