package customemoji

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/picture"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// ModifyPlan plans the content of the file, and then what is planned for every resource.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !req.Plan.Raw.IsNull() {
		var plan, state *model
		resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		if resp.Diagnostics.HasError() {
			return
		}
		planFile(plan, state, resp)
		resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
		if resp.Diagnostics.HasError() {
			return
		}
	}
	r.Resource.ModifyPlan(ctx, req, resp)
}

// planFile plans the content of the file: the same changes nothing, other content is another emoji.
func planFile(plan, state *model, resp *resource.ModifyPlanResponse) {
	at := path.Root("file")
	image, sum := picture.Plan(at, plan.File, &resp.Diagnostics)
	plan.FileSHA256 = sum
	if sum.IsUnknown() && state != nil {
		resp.RequiresReplace.Append(at) // it is known too late to find out that nothing changed
	}
	if image == nil {
		return
	}
	image.WarnOfSize(at, &resp.Diagnostics)
	switch {
	case state == nil:
	case state.FileSHA256.IsNull():
		resp.Diagnostics.AddAttributeWarning(at, fmt.Sprintf("The file is taken for what %q shows", state.Name.ValueString()),
			"The emoji was imported, and the server does not give its file back. Nothing is uploaded; from now on another content of the file makes a new emoji.")
	case state.FileSHA256.Equal(plan.FileSHA256):
		plan.File = state.File // the same, wherever it is
	default:
		resp.RequiresReplace.Append(path.Root("file_sha256"))
	}
}

// checkPlan refuses what the account may not do.
func checkPlan(ctx context.Context, p *core.Plan[model]) {
	if p.IsDestroy() || p.IsReplaced {
		checkMayDeactivate(p)
	}
	if p.IsDestroy() || !p.IsCreate() && !p.IsReplaced {
		return
	}
	view, err := p.Meta.Store.Read(ctx, store.CustomEmoji)
	if err != nil {
		p.Diags.AddError("Cannot read the custom emoji", base.Explain(err))
		return
	}
	checkMayAdd(p, view)
}

// checkMayAdd refuses what the account may not add (server-behavior §R15, §L8).
func checkMayAdd(p *core.Plan[model], view *snapshot.Snapshot) {
	const doing = "add emoji"
	if p.Meta.RequirePerson(path.Empty(), doing, p.Diags) && p.Meta.RequireMember(doing, p.Diags) {
		p.Meta.RequireRight(view, path.Empty(), doing, p.Diags, "can_add_custom_emoji_group")
	}
}

// checkMayDeactivate refuses to plan the end of an emoji that the account may not take away.
func checkMayDeactivate(p *core.Plan[model]) {
	self := p.Meta.Store.Self()
	if self.Role <= zulip.RoleAdministrator || p.Prior.AuthorID.ValueInt64() == self.ID {
		return
	}
	p.Meta.Refuse(path.Empty(), fmt.Sprintf("deactivate the emoji %q", p.Prior.Name.ValueString()),
		fmt.Sprintf("Administrators and owners of the organization may, and who added it, the user with the ID %d.", p.Prior.AuthorID.ValueInt64()), p.Diags)
}
