// Package usergroup is the resources zulip_user_group, with the permissions of a group, and zulip_user_group_membership, and
// the data sources zulip_user_group and zulip_user_groups.
package usergroup

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
)

var (
	_ resource.ResourceWithConfigure   = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan  = (*Resource)(nil)
	_ resource.ResourceWithImportState = (*Resource)(nil)
	_ resource.ResourceWithIdentity    = (*Resource)(nil)
)

// kind is the type of the resource, by which the directory knows what belongs to it.
const kind = "zulip_user_group"

// Resource is zulip_user_group.
type Resource struct{ framework.Resource }

// NewResource returns zulip_user_group.
func NewResource() resource.Resource { return &Resource{} }

// identity is what a group is recognised by.
type identity struct {
	ID types.Int64 `tfsdk:"id"`
}

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_user_group"
}

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceSchema()
}

// IdentitySchema describes what a group is recognised by.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.Int64Attribute{RequiredForImport: true, Description: "The group's ID."},
	}}
}

// Create makes the group, or takes a deactivated one back, and brings it to what is planned.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id := r.make(ctx, &plan, &resp.Diagnostics)
	if id == 0 {
		return
	}
	// From here on the group exists: it is in the state before anything else can fail.
	state := plan
	attributes.ForgetUnknown(&state.facts)
	state.ID = types.Int64Value(id)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	r.belongs(id, &plan.facts)

	now, err := fresh(ctx, &r.Base, id, true)
	if err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("User group %q was created, but could not be read", plan.Name.ValueString()),
			framework.Explain(err)+"\n\nIt is in the state. The next apply goes on from there.")
		return
	}
	// What a group that is taken back has otherwise is sent now, and what an old server dropped.
	on := attribute.On(&r.Base, now.View)
	missing, problems := attributes.Steps(attributes.PriorObject(now.Thing, on, &resp.Diagnostics), &plan.facts, on)
	framework.ReportProblems(&resp.Diagnostics, problems)
	if now.Thing.Deactivated {
		missing = append(missing, reactivation())
	}
	if !resp.Diagnostics.HasError() {
		now = target{Base: &r.Base, id: id, reactivates: now.Thing.Deactivated}.subject().Change(ctx, &r.Base, missing, now, &resp.Diagnostics)
	}
	planned := &plan.facts
	if resp.Diagnostics.HasError() {
		planned = nil
	}
	set := func() diag.Diagnostics { return resp.State.Set(ctx, &state) }
	attributes.Store(ctx, &state.facts, now, planned, on, set, resp.Private, &resp.Diagnostics)
}

// Read takes the group from the snapshot.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	// First of all, and also for a group that is gone: a CLI that keeps no identities would be told that one is missing.
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	view, err := r.Meta.Store.Read(ctx, store.Organization)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the user groups", framework.Explain(err))
		return
	}
	group, ok := view.UserGroups().ByID(state.ID.ValueInt64())
	if !ok || group.Deactivated {
		r.Meta.Run.Lose(kind, state.ID.ValueInt64())
		tflog.Info(ctx, "The user group is not there any more, or was deactivated by somebody else: removing it from the state",
			map[string]any{"id": state.ID.ValueInt64(), "name": state.Name.ValueString(), "deactivated": ok})
		resp.State.RemoveResource(ctx)
		return
	}
	r.Meta.Run.Manage(kind, group.ID)
	set := func() diag.Diagnostics { return resp.State.Set(ctx, &state) }
	now := &reading{Thing: group, View: view}
	attributes.Store(ctx, &state.facts, now, nil, attribute.On(&r.Base, view), set, resp.Private, &resp.Diagnostics)
}

// Update sends what differs between what the plan saw and what it asks, and nothing that somebody else has changed.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id := state.ID.ValueInt64()
	view, err := r.Meta.Store.Read(ctx, store.Organization)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", framework.Explain(err))
		return
	}
	on := attribute.On(&r.Base, view)
	prior := attributes.PriorState(&state.facts, framework.RawPermissions(ctx, req.Private, &resp.Diagnostics), on)
	changes, problems := attributes.Steps(prior, &plan.facts, on)
	framework.ReportProblems(&resp.Diagnostics, problems)
	if resp.Diagnostics.HasError() {
		return
	}
	now := target{Base: &r.Base, id: id}.subject().Change(ctx, &r.Base, changes, nil, &resp.Diagnostics)
	planned := &plan.facts
	if resp.Diagnostics.HasError() {
		planned = nil // what was refused is shown in the words the state had, not in the words that were planned
	} else {
		state = plan
	}
	set := func() diag.Diagnostics { return resp.State.Set(ctx, &state) }
	attributes.Store(ctx, &state.facts, now, planned, on, set, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.Int64Value(id)})...)
}

// Delete deactivates the group. Nothing is deleted for good (server-behavior §G9).
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	if r.Meta.Run.IsAdopted(kind, state.ID.ValueInt64()) {
		tflog.Info(ctx, "The user group stays: another resource has taken it over", map[string]any{"name": state.Name.ValueString()})
		return
	}
	r.deactivate(ctx, state.ID.ValueInt64(), state.Name.ValueString(), &resp.Diagnostics)
}

// belongs registers that a group is managed here, and what of its membership.
func (r *Resource) belongs(id int64, plan *facts) {
	r.Meta.Run.Manage(kind, id)
	for _, list := range membershipLists {
		if framework.IsSet(*list.attribute(plan)) { // on creation, only what is configured is known
			r.Meta.Run.ManageMembership(runstate.GroupKey{ID: id}, list.name, true)
		}
	}
}

// ImportState takes the group's ID, or its name; "name:2024" is the group called 2024.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	word := framework.ImportedWord(ctx, req, "id", &resp.Diagnostics)
	view, err := r.Meta.Store.Read(ctx, store.Organization)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the user groups", framework.Explain(err))
		return
	}
	group, problem := managedGroup(view, word)
	if problem != nil {
		resp.Diagnostics.AddError("Cannot import this user group", framework.Sentence(problem))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), group)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.Int64Value(group)})...)
}

// managedGroup returns the ID of a group that can be managed.
func managedGroup(view *snapshot.Snapshot, text string) (int64, error) {
	found, err := framework.FindGroup(view, text)
	switch {
	case err != nil:
		return 0, err
	case found.Group == nil:
		return 0, fmt.Errorf("user group %q is not there yet", text)
	case found.Group.IsSystemGroup:
		return 0, fmt.Errorf("%q is a role: who is in it follows from the roles of people, and nobody can change it", found.Group.Name)
	case found.Group.Deactivated:
		return 0, fmt.Errorf("user group %q is deactivated. Write a zulip_user_group with its name and adopt_deactivated = true to reactivate it", found.Group.Name)
	}
	return found.Group.ID, nil
}
