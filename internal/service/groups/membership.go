package groups

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ resource.ResourceWithConfigure       = (*membershipResource)(nil)
	_ resource.ResourceWithModifyPlan      = (*membershipResource)(nil)
	_ resource.ResourceWithImportState     = (*membershipResource)(nil)
	_ resource.ResourceWithUpgradeIdentity = (*membershipResource)(nil)
)

// membershipResource is zulip_user_group_membership.
type membershipResource struct{ base.Resource }

// NewUserGroupMembershipResource returns zulip_user_group_membership.
func NewUserGroupMembershipResource() resource.Resource { return &membershipResource{} }

func (r *membershipResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_user_group_membership"
}

func (r *membershipResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `People and groups who are in a user group, beside whoever else is: others may add to the same group, by hand or with more resources of this kind. A ` + "`zulip_user_group`" + ` whose ` + "`members` or `subgroups`" + ` are set says who is in it and nobody else: the two together are refused at plan.

What the resource put into the group it takes out again when it is destroyed, or when it is taken out of the configuration. Who was in the group already when the resource was created, or when the list was extended, stays. After an import by ID everything that the ID names counts as put there by the resource. An apply that was broken off between the server's doing and the state cannot be told from somebody else's doing: who was added by it stays.

To hand over to the ` + "`members`" + ` of a ` + "`zulip_user_group`" + `, let Terraform forget the resource with a ` + "`removed`" + ` block whose ` + "`destroy`" + ` is false: a plan that ends it while another resource goes on listing the same people is refused. One resource of this kind may take over from another in one apply.

The identity of the resource is the group: who is put into it changes. Several resources of this kind for one group have the same identity. An import by identity takes in everybody who is in the group, and nobody of them counts as put there by the resource.

` + toldText + ` ` + botsText,
		Attributes: map[string]schema.Attribute{
			"group": schema.StringAttribute{
				Required: true, MarkdownDescription: "The user group, by ID or name; `name:2024` is the group called 2024. Changing this forces a new resource.",
				Validators: []validator.String{validators.Length(1, 0)},
			},
			"group_id": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "The group's ID.", PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"members": schema.ListAttribute{
				ElementType: types.StringType, Optional: true, Validators: []validator.List{validators.Size(1, 0), membersList.elements(), validators.AtLeastOneOf("members", "subgroups")},
				MarkdownDescription: "People and bots who are in the group directly, by email address or ID, also as `user:EMAIL` or `user_id:N`; the order does not matter. Deactivated people do not count. While the whole list is known only after the apply, or it is open whether it names the same in another order, an existing membership waits for the next apply.",
			},
			"subgroups": schema.ListAttribute{
				ElementType: types.StringType, Optional: true, Validators: []validator.List{validators.Size(1, 0), subgroupsList.elements()},
				MarkdownDescription: "Groups that are in the group directly, by name or ID, also as `group:NAME` or `group_id:N`; the order does not matter.",
			},
		},
	}
}

// IdentitySchema describes what a membership is recognised by. Version 0 held who is put into the group too, which changes.
func (r *membershipResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Version: 1, Attributes: map[string]identityschema.Attribute{
		"group_id": identityschema.Int64Attribute{RequiredForImport: true, Description: "The group's ID."},
	}}
}

// UpgradeIdentity reads an identity of version 0.
func (r *membershipResource) UpgradeIdentity(context.Context) map[int64]resource.IdentityUpgrader {
	return base.KeepIdentity()
}

// Create puts into the group who is not in it.
func (r *membershipResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan membershipModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	view, err := r.Meta.Store.ReadNaming(ctx, lookup.Names(plan.Members.Elements()), store.Organization)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the user groups", base.Explain(err))
		return
	}
	id, err := managedGroup(view, plan.Group.ValueString())
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("group"), "Not a group to put anybody into", base.Sentence(err))
		return
	}
	plan.GroupID = types.Int64Value(id)
	group := r.group()
	before, err := group.Fresh(ctx, id)
	if err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Cannot read user group %d", id), base.Explain(err))
		return
	}
	found := foundThere{}
	for _, list := range membershipLists {
		wanted := r.resolve(list, &plan, before, &resp.Diagnostics)
		found[list.name] = sets.Common(wanted.IDs, *list.current(before.Thing))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	all := changeSteps(membershipChange(before.Thing, &plan, nil, nil, before.View), before.View)
	now := group.Change(ctx, id, all, before, &resp.Diagnostics)
	if resp.Diagnostics.HasError() && now != nil && !anyDone(all, now) {
		return // nobody was put anywhere: there is nothing to manage
	}
	r.write(ctx, &plan, now, resp.Diagnostics.HasError(), resp.State.Set, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, membershipIdentity{plan.GroupID})...)
	found.write(ctx, resp.Private, &resp.Diagnostics)
}

// Read looks who is still in the group.
func (r *membershipResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state membershipModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	view, err := r.Meta.Store.ReadNaming(ctx, lookup.Names(state.Members.Elements()), store.Organization)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the user groups", base.Explain(err))
		return
	}
	group, ok := view.UserGroups().ByID(state.GroupID.ValueInt64())
	if !ok || group.Deactivated {
		resp.Diagnostics.Append(resp.Identity.Set(ctx, membershipIdentity{state.GroupID})...)
		tflog.Info(ctx, "The user group is not there any more, or was deactivated: removing the membership from the state",
			map[string]any{"group_id": state.GroupID.ValueInt64(), "deactivated": ok})
		resp.State.RemoveResource(ctx)
		return
	}
	found := readFoundThere(ctx, req.Private, &resp.Diagnostics)
	state.read(group, view)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, membershipIdentity{state.GroupID})...)
	found.still(group, view).write(ctx, resp.Private, &resp.Diagnostics)
}

// Update puts into the group who is missing, and takes out of it who is not wanted any more and was put there by the
// resource.
func (r *membershipResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, prior membershipModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id := prior.GroupID.ValueInt64()
	group := r.group()
	before, err := group.Fresh(ctx, id)
	if err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Cannot read user group %d", id), base.Explain(err))
		return
	}
	found := readFoundThere(ctx, req.Private, &resp.Diagnostics).still(before.Thing, before.View)
	for _, list := range membershipLists {
		wanted := r.resolve(list, &plan, before, &resp.Diagnostics)
		managed, _ := list.principals.Resolve(*prior.list(list), before.View)
		found[list.name] = append(found[list.name], sets.Without(sets.Common(sets.Without(wanted.IDs, managed.IDs), *list.current(before.Thing)), found[list.name])...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	stay := found.withKept(&r.Meta.Run, before.Thing)
	all := changeSteps(membershipChange(before.Thing, &plan, &prior, stay, before.View), before.View)
	now := group.Change(ctx, id, all, before, &resp.Diagnostics)
	state := &plan
	if resp.Diagnostics.HasError() {
		state = prior.with(&plan) // as far as they are in the group
	}
	state.GroupID = prior.GroupID
	r.write(ctx, state, now, resp.Diagnostics.HasError(), resp.State.Set, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, membershipIdentity{state.GroupID})...)
	found.write(ctx, resp.Private, &resp.Diagnostics)
}

// resolve finds whom a list of a plan names, and registers that they stay in the group whatever other resources of the run end.
func (r *membershipResource) resolve(list membershipList, plan *membershipModel, before *reading, diags *diag.Diagnostics) lookup.ResolvedList {
	wanted, _ := list.principals.Resolve(*plan.list(list), before.View)
	attribute.ReportProblems(diags, list.problems(wanted))
	for _, id := range wanted.IDs {
		r.Meta.Run.Adopt(list.kind(before.Thing.ID), id)
	}
	return wanted
}

// Delete takes out of the group who was put there by the resource.
func (r *membershipResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state membershipModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id := state.GroupID.ValueInt64()
	view, err := r.Meta.Store.ReadNaming(ctx, lookup.Names(state.Members.Elements()), store.Users)
	if err == nil {
		view, err = r.Meta.Store.Fresh(ctx, store.UserGroups)
	}
	if err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Cannot read user group %d", id), base.Explain(err))
		return
	}
	group, ok := view.UserGroups().ByID(id)
	if !ok || group.Deactivated {
		tflog.Info(ctx, "The user group is not there any more, or was deactivated: nobody is taken out of it", map[string]any{"group_id": id})
		return
	}
	stay := readFoundThere(ctx, req.Private, &resp.Diagnostics).still(group, view).withKept(&r.Meta.Run, group)
	all := changeSteps(membershipChange(group, nil, &state, stay, view), view)
	r.group().Change(ctx, id, all, &reading{Thing: group, View: view}, &resp.Diagnostics)
}

// changeSteps are the steps of a change, one for each who comes or goes.
func changeSteps(change zulip.MembershipChange, view *snapshot.Snapshot) []step {
	var all []step
	add := func(list membershipList, ids []int64, in bool) {
		for _, id := range ids {
			all = append(all, list.step(id, in, view))
		}
	}
	add(membersList, change.Add, true)
	add(membersList, change.Delete, false)
	add(subgroupsList, change.AddSubgroups, true)
	add(subgroupsList, change.DeleteSubgroups, false)
	return all
}

// anyDone reports whether one of the steps is done.
func anyDone(all []step, now *reading) bool {
	for _, step := range all {
		if step.Current(now.Thing) == step.Planned {
			return true
		}
	}
	return false
}

// write puts what the server holds into the state. After an apply without an error that is what was planned, in its words.
func (r *membershipResource) write(ctx context.Context, state *membershipModel, now *reading, failed bool, set func(context.Context, any) diag.Diagnostics, diags *diag.Diagnostics) {
	if now != nil && failed {
		state.read(now.Thing, now.View)
	}
	diags.Append(set(ctx, state)...)
}

// ImportState takes the group and who is in it: GROUP/MEMBER,MEMBER. A member is an address or an ID; groups are written
// group:NAME or group_id:N. By identity it takes a group with everybody who is in it, and nobody of them counts as put
// there by the resource.
func (r *membershipResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	view, err := r.Meta.Store.Read(ctx, store.Organization)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the user groups", base.Explain(err))
		return
	}
	byIdentity := req.ID == ""
	wanted := parseMembership(req.ID, view)
	if byIdentity {
		wanted = membershipModel{Group: types.StringValue(base.ImportedText(ctx, req, "group_id", &resp.Diagnostics))}
	}
	id, err := managedGroup(view, wanted.Group.ValueString())
	if err != nil {
		resp.Diagnostics.AddError("Cannot import this membership", base.Sentence(err))
		return
	}
	group, _ := view.UserGroups().ByID(id)
	wanted.GroupID, wanted.Group = types.Int64Value(id), types.StringValue(lookup.GroupText(view, id))
	if byIdentity {
		found := foundThere{}
		for _, list := range membershipLists {
			found[list.name] = *list.current(group)
			*wanted.list(list) = listOrNull(list.principals.Of(found[list.name], view))
		}
		found.write(ctx, resp.Private, &resp.Diagnostics)
	}
	missing := wanted.missing(group, view)
	if !byIdentity && wanted.Members.IsNull() && wanted.Subgroups.IsNull() || len(missing) > 0 {
		resp.Diagnostics.AddError("Cannot import this membership",
			"The ID of an import is the group, by name or ID, and who of it is managed: GROUP/MEMBER,MEMBER. A member is an e-mail address or an ID; a group is written group:NAME or group_id:N. All have to be in the group."+notIn(missing, group.Name))
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &wanted)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, membershipIdentity{wanted.GroupID})...)
}

// parseMembership reads GROUP/MEMBER,MEMBER.
func parseMembership(text string, view *snapshot.Snapshot) membershipModel {
	group, list, _ := strings.Cut(text, "/")
	var members, subgroups []attr.Value
	for _, word := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		principal, err := permission.Parse(word)
		switch {
		case err == nil && principal.Kind == permission.KindGroupID:
			subgroups = append(subgroups, types.StringValue(lookup.GroupText(view, principal.ID)))
		case err == nil && (principal.Kind == permission.KindGroup || principal.Kind == permission.KindRole):
			subgroups = append(subgroups, types.StringValue(principal.WireName()))
		default:
			members = append(members, types.StringValue(word))
		}
	}
	return membershipModel{
		Group:     types.StringValue(group),
		Members:   listOrNull(types.ListValueMust(types.StringType, members)),
		Subgroups: listOrNull(types.ListValueMust(types.StringType, subgroups)),
	}
}

// listOrNull makes nothing of an empty list: one that is not managed.
func listOrNull(list types.List) types.List {
	if len(list.Elements()) == 0 {
		return types.ListNull(types.StringType)
	}
	return list
}
