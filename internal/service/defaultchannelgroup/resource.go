// Package defaultchannelgroup is the noun of the groups of channels that new people may choose.
package defaultchannelgroup

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ resource.ResourceWithConfigure   = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan  = (*Resource)(nil)
	_ resource.ResourceWithImportState = (*Resource)(nil)
	_ resource.ResourceWithIdentity    = (*Resource)(nil)
)

// kind is the type of the resource.
const kind = "zulip_default_channel_group"

// list is the part of a snapshot that holds the default channel groups.
const list = zulip.FetchDefaultGroups

// Resource is zulip_default_channel_group.
type Resource struct{ framework.Resource }

// NewResource returns zulip_default_channel_group.
func NewResource() resource.Resource { return &Resource{} }

// identity is what a group is recognised by.
type identity struct {
	ID types.Int64 `tfsdk:"id"`
}

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = kind
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

// Create makes the group, and finds its ID by the name.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	name, summary := plan.Name.ValueString(), fmt.Sprintf("Could not create the default channel group %q", plan.Name.ValueString())
	view, err := r.Meta.Store.Read(ctx, store.DefaultChannelGroups)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the default channel groups", framework.Explain(err))
		return
	}
	names, err := namesOf(channels(plan.ChannelIDs), view)
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("channel_ids"), summary, framework.Sentence(err))
		return
	}
	if id, ok := r.Meta.Run.Take(kind, name); ok {
		plan.ID = types.Int64Value(id)
		plan.read(find(view, func(group *zulip.DefaultChannelGroup) bool { return group.ID == id }))
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ID})...)
		return
	}
	search := &search{Meta: r.Meta, name: name}
	made, perhaps, err := framework.NamedCreation[zulip.DefaultChannelGroup]{
		Kind: kind, Name: name,
		Find: search.find,
		ID:   func(group *zulip.DefaultChannelGroup) int64 { return group.ID },
		Make: func(ctx context.Context) error {
			search.asked = true
			return r.Meta.Store.WriteList(ctx, list, func(ctx context.Context) error {
				return r.Meta.Client.CreateDefaultChannelGroup(ctx, name, plan.Description.ValueString(), names)
			})
		},
	}.Run(ctx, r.Meta)
	state := plan
	switch {
	case err == nil:
		state.read(made)
		state.keep(&plan)
	case !perhaps:
		r.refuse(ctx, &plan, err, &resp.Diagnostics)
		return
	default: // it is in the state, for it may be there, and has a name to be found by
		state.ID = types.Int64Null()
		if state.Description.IsUnknown() {
			state.Description = types.StringNull()
		}
		if state.ChannelIDs.IsUnknown() {
			state.ChannelIDs = types.SetNull(types.Int64Type)
		}
		resp.Diagnostics.AddError(fmt.Sprintf("It is not clear whether the default channel group %q was created", name),
			framework.Explain(err)+"\n\nThe next plan finds out by its name.")
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
}

// refuse reports why the group was not made; a taken name with what has it.
func (r *Resource) refuse(ctx context.Context, plan *model, cause error, diags *diag.Diagnostics) {
	var refusal *zulip.Error
	if errors.As(cause, &refusal) && strings.HasSuffix(refusal.Msg, "already exists") {
		is := func(view *snapshot.Snapshot) bool { return named(view, plan.Name.ValueString()) != nil }
		if view, err := r.Meta.Store.ReadUntil(ctx, list, is); err == nil && is(view) {
			existing(plan, named(view, plan.Name.ValueString())).Refuse(r.Meta, diags)
			return
		}
	}
	diags.AddError(fmt.Sprintf("Could not create the default channel group %q", plan.Name.ValueString()), explain(cause))
}

// Read takes the group from the snapshot.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	view, err := r.Meta.Store.ReadUntil(ctx, list, func(view *snapshot.Snapshot) bool { return state.in(view) != nil })
	if err != nil {
		resp.Diagnostics.AddError("Could not read the default channel groups", framework.Explain(err))
		return
	}
	group := state.in(view)
	if group == nil {
		tflog.Info(ctx, "The default channel group is not there any more: removing it from the state",
			map[string]any{"id": state.ID.ValueInt64(), "name": state.Name.ValueString()})
		// An ID that could not be read when it was made is written as zero: without one the CLI takes the answer for a mistake.
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.Int64Value(state.ID.ValueInt64())})...)
		resp.State.RemoveResource(ctx)
		return
	}
	r.Meta.Run.Manage(kind, group.ID)
	state.read(group)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
}

// in finds the group of a state: by its name if the ID could not be read when it was made. nil if there is none.
func (m *model) in(view *snapshot.Snapshot) *zulip.DefaultChannelGroup {
	if m.ID.IsNull() {
		return named(view, m.Name.ValueString())
	}
	return find(view, func(group *zulip.DefaultChannelGroup) bool { return group.ID == m.ID.ValueInt64() })
}

// Update sends what differs between what the plan saw and what it asks.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	now, err := r.bring(ctx, state.ID.ValueInt64(), changes(&plan, &state))
	if err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Could not change the default channel group %q", state.Name.ValueString()),
			explain(err)+"\n\nA part of the change may be done. The next plan shows what is left.")
		return
	}
	state.read(now)
	state.keep(&plan)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
}

// Delete deletes the group. Its channels stay.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	view, err := r.Meta.Store.ReadUntil(ctx, list, func(view *snapshot.Snapshot) bool { return state.in(view) != nil })
	if err != nil {
		resp.Diagnostics.AddError("Could not read the default channel groups", framework.Explain(err))
		return
	}
	group := state.in(view)
	if group == nil {
		tflog.Info(ctx, "The default channel group is gone already", map[string]any{"name": state.Name.ValueString()})
		return
	}
	if r.Meta.Run.IsAdopted(kind, group.ID) {
		tflog.Info(ctx, "The default channel group stays: another resource has taken it over", map[string]any{"id": group.ID})
		return
	}
	r.Meta.Run.Manage(kind, group.ID) // no other resource takes it, though a list still shows it
	err = r.Meta.Store.WriteList(ctx, list, func(ctx context.Context) error {
		return r.Meta.Client.DeleteDefaultChannelGroup(ctx, group.ID)
	})
	if err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Could not delete the default channel group %q", state.Name.ValueString()), explain(err))
	}
}

// ImportState takes the group's ID, or its name; "name:2024" is the group called 2024.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	if req.ID == "" { // by identity
		var wanted identity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &wanted)...)
		req.ID = fmt.Sprint(wanted.ID.ValueInt64())
	}
	view, err := r.Meta.Store.Read(ctx, store.DefaultChannelGroups)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the default channel groups", framework.Explain(err))
		return
	}
	wanted := model{ID: types.Int64Null(), Name: types.StringValue(strings.TrimPrefix(req.ID, "name:"))}
	if id, err := strconv.ParseInt(req.ID, 10, 64); err == nil {
		wanted.ID = types.Int64Value(id)
	}
	group := wanted.in(view)
	if group == nil {
		names := framework.Names{Things: "default channel groups that the account the provider uses sees", All: view.DefaultChannelGroups().Names()}
		problem := fmt.Errorf("the account the provider uses sees no default channel group with the name or ID %q (guests are shown none)%s", req.ID, names.Suggest(wanted.Name.ValueString()))
		resp.Diagnostics.AddError("Cannot import this default channel group", framework.Sentence(problem))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), group.ID)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.Int64Value(group.ID)})...)
}

// search finds a group by its name. What had the name before the server was asked to make it is not what it made, though
// a list may still show it.
type search struct {
	*framework.Meta
	name   string
	before int64
	asked  bool
}

// find reads anew, and returns the group that has the name now; nil if none has.
func (s *search) find(ctx context.Context) (*zulip.DefaultChannelGroup, error) {
	view, err := s.Store.FreshUntil(ctx, list, func(view *snapshot.Snapshot) bool { return !s.asked || s.in(view) != nil })
	if err != nil {
		return nil, err
	}
	group := s.in(view)
	if group != nil && !s.asked {
		s.before = group.ID
	}
	return group, nil
}

func (s *search) in(view *snapshot.Snapshot) *zulip.DefaultChannelGroup {
	group := named(view, s.name)
	if group != nil && s.asked && (group.ID == s.before || s.Run.IsManaged(kind, group.ID)) {
		return nil
	}
	return group
}

// explain adds to the server's words what they mean for who writes the configuration.
func explain(err error) string {
	var refusal *zulip.Error
	switch {
	case !errors.As(err, &refusal):
	case strings.HasPrefix(refusal.Msg, "Invalid channel name"):
		return framework.Explain(err) + "\n\nThe channel is archived, has another name by now, or is private, and the account the provider uses does not read it."
	}
	return framework.Explain(err)
}
