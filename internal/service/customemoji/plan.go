package customemoji

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// usualLimit is the largest file in bytes that a server takes whose administrator did not choose another limit. The server
// does not tell it (server-behavior §L9).
const usualLimit = 5 << 20

// ModifyPlan finds out whether the content of the file is another, and refuses what the server would refuse.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var plan, state *model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan != nil {
		planFile(plan, state, resp)
		resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
	}
	if resp.Diagnostics.HasError() || !r.CanPlan(&resp.Diagnostics) {
		return
	}
	view, err := r.Meta.Store.ReadUntil(ctx, list, func(view *snapshot.Snapshot) bool {
		if state != nil || plan.Name.IsUnknown() {
			return true
		}
		namesake, taken := view.CustomEmoji().ByName(plan.Name.ValueString())
		return !taken || r.Meta.Run.IsManaged(kind, namesake.ID)
	})
	if err != nil {
		resp.Diagnostics.AddError("Could not read the custom emoji", framework.Explain(err))
		return
	}
	if plan == nil {
		r.PlanEnd(framework.Existing{Kind: kind, Noun: "emoji", Name: state.Name.ValueString(), ID: state.ID.ValueInt64(), Import: fmt.Sprint(state.ID.ValueInt64())}, &resp.Diagnostics)
	}
	if plan == nil || len(resp.RequiresReplace) > 0 {
		r.checkMayDeactivate(state, &resp.Diagnostics)
	}
	if plan != nil && (state == nil || len(resp.RequiresReplace) > 0) {
		r.checkMayAdd(view, &resp.Diagnostics)
	}
	if state == nil {
		r.checkName(plan, view, &resp.Diagnostics)
	}
	if plan != nil && !plan.Name.IsUnknown() {
		r.Meta.Run.Reserve(kind, plan.Name.ValueString()) // for what is planned with this emoji
	}
}

// planFile plans the content of the file: the same changes nothing, other content is another emoji.
func planFile(plan, state *model, resp *resource.ModifyPlanResponse) {
	at := path.Root("file")
	if plan.File.IsUnknown() {
		plan.FileSHA256 = types.StringUnknown()
		if state != nil {
			resp.RequiresReplace.Append(at) // it is known too late to find out that nothing changed
		}
		return
	}
	picture, err := openPicture(plan.File.ValueString())
	if err != nil {
		resp.Diagnostics.AddAttributeError(at, "Not an image to upload", framework.Sentence(err))
		return
	}
	if size := len(picture.content); size > usualLimit {
		resp.Diagnostics.AddAttributeWarning(at, "The file may be too large",
			fmt.Sprintf("It has %.1f MiB. Servers take %d MiB unless their administrator chose another limit, which they do not tell.", float64(size)/(1<<20), usualLimit>>20))
	}
	plan.FileSHA256 = types.StringValue(picture.sha256())
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

// checkMayAdd refuses what the account may not add (server-behavior §R15, §L8).
func (r *Resource) checkMayAdd(view *snapshot.Snapshot, diags *diag.Diagnostics) {
	const doing = "add emoji"
	if r.Meta.RequirePerson(path.Empty(), doing, diags) && r.Meta.RequireMember(doing, diags) {
		r.Meta.RequireRight(view, path.Empty(), doing, diags, "can_add_custom_emoji_group")
	}
}

// checkMayDeactivate refuses to plan the end of an emoji that the account may not take away.
func (r *Resource) checkMayDeactivate(state *model, diags *diag.Diagnostics) {
	self := r.Meta.Store.Self()
	if self.Role <= zulip.RoleAdministrator || state.AuthorID.ValueInt64() == self.ID {
		return
	}
	r.Meta.Refuse(path.Empty(), fmt.Sprintf("deactivate the emoji %q", state.Name.ValueString()),
		fmt.Sprintf("Administrators and owners of the organization may, and who added it, the user with the ID %d.", state.AuthorID.ValueInt64()), diags)
}

// checkName refuses a name that another emoji has.
func (r *Resource) checkName(plan *model, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	if plan.Name.IsUnknown() {
		return
	}
	r.Meta.Run.WillCreate(kind, plan.Name.ValueString())
	namesake, taken := view.CustomEmoji().ByName(plan.Name.ValueString())
	if !taken {
		return
	}
	r.CheckExisting(r.existing(namesake, view), diags)
}

// existing is the emoji that has the planned name. The server does not give its picture back, nor say when it was added:
// of the account's own ones each counts as the planned one.
func (r *Resource) existing(namesake *zulip.CustomEmoji, view *snapshot.Snapshot) framework.Existing {
	isOwn := namesake.AuthorID != nil && *namesake.AuthorID == r.Meta.Store.Self().ID
	return framework.Existing{
		Kind: kind, Noun: "emoji", Name: namesake.Name, ID: namesake.ID, Import: fmt.Sprint(namesake.ID), At: path.Root("name"),
		Summary:   fmt.Sprintf("There is an emoji %q already", namesake.Name),
		Detail:    fmt.Sprintf("It has the ID %d%s.", namesake.ID, addedBy(namesake, view)),
		AsPlanned: isOwn, Ours: isOwn, MayBeReplaced: isOwn,
	}
}

func addedBy(emoji *zulip.CustomEmoji, view *snapshot.Snapshot) string {
	if emoji.AuthorID == nil {
		return ""
	}
	author, ok := view.User(*emoji.AuthorID)
	if !ok {
		return ""
	}
	return ", and was added by " + author.Address()
}
