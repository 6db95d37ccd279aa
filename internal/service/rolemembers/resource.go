// Package rolemembers is the resource zulip_role_members: who has a role, and nobody else.
//
// A plan reads who has the role ([Resource.holders]), and checks the [move] of each who comes or goes. An apply makes the moves
// ([Resource.carryOut]): each account is read again, and what somebody else has changed since the plan is not overwritten.
package rolemembers

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
)

// Resource is zulip_role_members.
type Resource struct{ base.Resource }

// NewResource returns zulip_role_members.
func NewResource() resource.Resource { return &Resource{} }

// model is the resource.
type model struct {
	ID       types.String `tfsdk:"id"`
	Role     types.String `tfsdk:"role"`
	Users    types.List   `tfsdk:"users"`
	DemoteTo types.String `tfsdk:"demote_to"`
}

// identity is what a list is recognised by: the role. Who has it changes.
type identity struct {
	Role types.String `tfsdk:"role"`
}

// listed are the roles that have a list, and demotions those that an account can get which is taken out of one.
var (
	listed    = []string{"owner", "administrator", "moderator"}
	demotions = []string{"administrator", "moderator", "member"}
)

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_role_members"
}

// Schema describes the resource. The users are a list although they have no order: of a set the plugin framework compares every
// element with every other.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `Manages who has the role owner, administrator or moderator: exactly the listed people and bots. If somebody is made an administrator by hand, the next plan names them and proposes to take the role away; if somebody has lost it, to give it again. Bots that have the role count, deactivated accounts do not.

A new resource takes the role from nobody: a plan that finds others who have it is an error that names them. List them, or import the resource first, by its role: then the plan lists by name whom it takes out.

Roles are given before any is taken away. Each account is read again right before its role is changed. If somebody else has changed it since the plan was made, the apply stops without overwriting it, and the error shows the prior, the current and the planned role; a new resource has no prior state, and compares with the plan that the apply makes. Who gets the role by hand between plan and apply keeps it: the next plan shows it, and the creation of a resource stops.

A plan that leaves no owner is refused, and so is one that takes a role from the provider's account, unless ` + "`lockout_protection = false`" + ` is set in the provider block. Both are checked again right before a role is taken away.

One resource of this kind manages a role. A ` + "`zulip_user_role`, a `zulip_user` or a `zulip_bot`" + ` of the same configuration that gives somebody another role than the list says is refused at plan; somebody may move from one list to another in one apply. Destroying the resource leaves the roles as they are.`,
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true, MarkdownDescription: "The role."},
			"role": schema.StringAttribute{
				Required: true, MarkdownDescription: "Role: `owner`, `administrator` or `moderator`. Changing this forces a new resource. Administrators may manage the list; only owners may manage that of owners, or list somebody who is one.",
				Validators: []validator.String{validators.OneOf(listed...)},
			},
			"users": schema.ListAttribute{
				ElementType: types.StringType, Required: true,
				MarkdownDescription: "All people and bots who have the role, by email address or user ID, also as `user:EMAIL` or `user_id:N`. `[]` is nobody. The order and repetitions do not matter. An address that nobody has yet is ignored with a warning until somebody has joined with it. While the whole list is known only after the apply, an existing resource waits for the next apply.",
				Validators:          []validator.List{listvalidator.ValueStringsAre(validators.Length(1, 0), validators.Person("A role is given to people and bots."))},
			},
			"demote_to": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Role of those who are taken out of `users`: `administrator`, `moderator` or `member`, lower than `role`. Defaults to `member`. Of somebody whom another `zulip_role_members` or a `zulip_user_role` of this configuration gives a role in the same apply, that role counts.",
				Validators: []validator.String{validators.OneOf(demotions...)},
			},
		},
	}
}

// IdentitySchema describes what a list is recognised by.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"role": identityschema.StringAttribute{RequiredForImport: true, Description: "Role: owner, administrator or moderator."},
	}}
}

// ValidateConfig refuses a demotion that is none.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !base.IsSet(config.Role) || !base.IsSet(config.DemoteTo) {
		return
	}
	if config.demotion() <= config.role() {
		resp.Diagnostics.AddAttributeError(path.Root("demote_to"), "Not a lower role",
			fmt.Sprintf("Who is taken out of the list of the role %s gets the role of demote_to, which has to be lower than %s.", config.Role.ValueString(), config.Role.ValueString()))
	}
}

// Create gives the role to those who are listed and do not have it, and takes it from nobody.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	view, wanted, ok := r.wanted(ctx, &plan, &resp.Diagnostics)
	if !ok {
		return
	}
	wrote := r.carryOut(ctx, arrivals(wanted.IDs, plan.role(), view, nil), nil, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		if !wrote {
			return // nobody was given anything: there is nothing to manage
		}
		plan.takeFailed(ctx, r.Meta, wanted.IDs)
	}
	r.keepRoles(ctx, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.Role})...)
}

// Read takes from the snapshot who has the role.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.Role})...)
	view, held, ok := r.holders(ctx, &state, &resp.Diagnostics)
	if !ok {
		return
	}
	state.ID, state.Users = state.Role, lookup.UserList.Keep(state.Users, held, view)
	writeRoles(ctx, view, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update gives the role to those who come into the list, and takes it from those who are taken out.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, prior model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{prior.Role})...)
	view, wanted, ok := r.wanted(ctx, &plan, &resp.Diagnostics)
	if !ok {
		resp.Diagnostics.Append(resp.State.Set(ctx, &prior)...)
		return
	}
	before, _ := lookup.UserList.Resolve(prior.Users, view)
	come := arrivals(without(wanted.IDs, before.IDs), plan.role(), view, readRoles(ctx, req.Private, &resp.Diagnostics))
	var leave []move
	if !wanted.MayHaveMoved { // else it may be who has another address by now
		leave = departures(without(before.IDs, wanted.IDs), &plan, view, r.Meta.Store.Self().ID)
	}
	r.carryOut(ctx, come, leave, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		plan.takeFailed(ctx, r.Meta, slices.Concat(before.IDs, wanted.IDs))
	}
	r.keepRoles(ctx, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// Delete leaves the roles as they are.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	tflog.Info(ctx, "The role stays with those who have it, and is not managed any more", map[string]any{"role": state.Role.ValueString()})
}

// ImportState takes a role.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	wanted := identity{types.StringValue(req.ID)}
	if req.ID == "" {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &wanted)...)
	}
	if !slices.Contains(listed, wanted.Role.ValueString()) {
		resp.Diagnostics.AddError("Cannot import this role", "The ID of an import is the role: owner, administrator or moderator.")
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), wanted.Role)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("role"), wanted.Role)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, wanted)...)
}

// role is the role that the list is of, and demotion the one of those who are taken out.
func (m *model) role() zulip.Role { return roleNamed(m.Role) }

func (m *model) demotion() zulip.Role {
	if !base.IsSet(m.DemoteTo) {
		return zulip.RoleMember
	}
	return roleNamed(m.DemoteTo)
}

func roleNamed(word types.String) zulip.Role {
	role, _ := zulip.ParseRole(word.ValueString())
	return role
}

// takeFailed makes the users those of some who have the role after an apply that failed. If that cannot be read, they stay those of
// the plan, and the next refresh corrects them.
func (m *model) takeFailed(ctx context.Context, meta *base.Meta, ids []int64) {
	view, err := meta.Store.Read(ctx, store.Users)
	if err == nil {
		m.Users = lookup.UserList.Keep(m.Users, having(ids, m.role(), view), view)
	}
}

// having returns those of some who are active and have a role.
func having(ids []int64, role zulip.Role, view *snapshot.Snapshot) []int64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool {
		user, ok := view.User(id)
		return !ok || !user.IsActive || user.Role != role
	})
}

// without returns the IDs that are not among others.
func without(ids, others []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return slices.Contains(others, id) })
}
