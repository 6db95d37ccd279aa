// Package profilefield is the noun of custom profile fields: what people say about themselves, and in which order.
package profilefield

import (
	"context"
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
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// list is the part of a snapshot that holds the custom profile fields.
const list = zulip.FetchProfileFields

// Resource is zulip_custom_profile_field.
type Resource struct{ framework.Resource }

// NewResource returns zulip_custom_profile_field.
func NewResource() resource.Resource { return &Resource{} }

// identity is what a field is recognised by.
type identity struct {
	ID types.Int64 `tfsdk:"id"`
}

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_custom_profile_field"
}

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceSchema()
}

// IdentitySchema describes what a field is recognised by.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.Int64Attribute{RequiredForImport: true, Description: "The custom profile field's ID."},
	}}
}

// Create adds the field.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id, err := r.add(ctx, &plan)
	if err != nil {
		r.refuse(ctx, &plan, err, &resp.Diagnostics)
		return
	}
	// From here on the field exists: it is in the state before anything else can fail.
	state := plan
	state.ID = types.Int64Value(id)
	state.forgetUnknown()
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	plan.ID = state.ID
	r.readBack(ctx, &plan, &state, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// add makes the field and returns its ID, or that of what an apply has left that was broken off. Names are unique, and
// the server says so. A list can still show what was just deleted.
func (r *Resource) add(ctx context.Context, plan *model) (int64, error) {
	d := r.Meta.Store
	if id, ok := r.Meta.Run.Take(kind, plan.label()); ok {
		return id, nil
	}
	return framework.Creation{
		Kind: kind, Thing: plan.label(),
		Look: framework.InList(d, list, func(view *snapshot.Snapshot, free func(int64) bool) int64 {
			return plan.made(view, r.FeatureLevel(), free)
		}),
		Make: func(ctx context.Context) (id int64, err error) {
			wanted := plan.wire(nil)
			wanted.Type = zulip.ParseProfileFieldType(plan.FieldType.ValueString())
			err = d.WriteList(ctx, list, func(ctx context.Context) (err error) {
				id, err = r.Meta.Client.CreateProfileField(ctx, wanted)
				return err
			})
			return id, err
		},
	}.Run(ctx, r.Meta)
}

// made returns the ID of the field that is as planned, and for which free reports true; zero if there is none.
func (m *model) made(view *snapshot.Snapshot, level int, free func(int64) bool) int64 {
	held, ok := m.namesake(view)
	if !ok || !m.isHeld(held, level) || !free(held.ID) {
		return 0
	}
	return held.ID
}

// namesake returns the field of the organization that has the name of the planned one. A service that the server knows
// has one name, which only the server says.
func (m *model) namesake(view *snapshot.Snapshot) (*zulip.ProfileField, bool) {
	if framework.IsSet(m.Name) {
		return view.ProfileFields().ByName(m.Name.ValueString())
	}
	for _, field := range view.ProfileFields().List() {
		if subtype := field.ExternalAccount().Subtype; subtype != "" && subtype == m.Subtype.ValueString() && subtype != custom {
			return field, true
		}
	}
	return nil, false
}

// readBack takes what the server holds after a write into the state. That the list does not show the field says nothing:
// the server has answered the write. The next plan finds out.
func (r *Resource) readBack(ctx context.Context, plan, state *model, diags *diag.Diagnostics) {
	id := state.ID.ValueInt64()
	view, err := r.Meta.Store.FreshUntil(ctx, list, func(view *snapshot.Snapshot) bool {
		held, ok := view.ProfileFields().ByID(id)
		return ok && plan.isHeld(held, r.FeatureLevel())
	})
	if err != nil {
		diags.AddError(fmt.Sprintf("Custom profile field %d was written, but could not be read", id),
			framework.Explain(err)+"\n\nIt is in the state. The next apply goes on from there.")
		return
	}
	held, ok := view.ProfileFields().ByID(id)
	if !ok {
		tflog.Info(ctx, "The custom profile field was written, and the server does not list it", map[string]any{"id": id})
		return
	}
	state.read(held, r.FeatureLevel())
	if !plan.isHeld(held, r.FeatureLevel()) {
		diags.AddError(fmt.Sprintf("Custom profile field %d is not what was asked for", id),
			"The server took the request and holds something else: somebody has changed the field meanwhile, or the server is too old for an attribute. The state shows what it holds; plan again.")
	}
}

// Read takes the field from the snapshot.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	id := state.ID.ValueInt64()
	r.Meta.Run.Manage(kind, id)
	view, err := r.Meta.Store.ReadUntil(ctx, list, func(view *snapshot.Snapshot) bool { _, ok := view.ProfileFields().ByID(id); return ok })
	if err != nil {
		resp.Diagnostics.AddError("Could not read the custom profile fields", framework.Explain(err))
		return
	}
	held, ok := view.ProfileFields().ByID(id)
	if !ok {
		tflog.Info(ctx, "The custom profile field is not there any more: removing it from the state", map[string]any{"id": id, "name": state.Name.ValueString()})
		resp.State.RemoveResource(ctx)
		return
	}
	state.read(held, r.FeatureLevel())
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update sends what differs; servers below feature level 252 want everything.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, prior model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	change, id := plan.wire(&prior), prior.ID.ValueInt64()
	if level := r.FeatureLevel(); level > 0 && level < levelPartial {
		change = plan.wire(nil)
	}
	if err := r.change(ctx, id, change); err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Could not change the custom profile field %q", prior.label()), explain(err, id))
		return
	}
	state := plan
	state.forgetUnknown()
	r.readBack(ctx, &plan, &state, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{prior.ID})...)
}

func (r *Resource) change(ctx context.Context, id int64, change zulip.ProfileFieldChange) error {
	return r.Meta.Store.WriteList(ctx, list, func(ctx context.Context) error {
		return r.Meta.Client.UpdateProfileField(ctx, id, change)
	})
}

// Delete deletes the field, and with it what people have written in it.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id, d := state.ID.ValueInt64(), r.Meta.Store
	summary := fmt.Sprintf("Could not delete the custom profile field %q", state.label())
	// Another resource of this run may be about to make the same one, or have taken this one over.
	done, ok := r.Alone(ctx, kind+" "+state.label(), summary, &resp.Diagnostics)
	if !ok {
		return
	}
	defer done()
	if r.Meta.Run.IsAdopted(kind, id) {
		tflog.Info(ctx, "The custom profile field stays: another resource has taken it over", map[string]any{"id": id})
		return
	}
	r.Meta.Run.Manage(kind, id) // no other resource takes it, though a list still shows it
	err := d.WriteList(ctx, list, func(ctx context.Context) error { return r.Meta.Client.DeleteProfileField(ctx, id) })
	if err != nil {
		resp.Diagnostics.AddError(summary, explain(err, id))
	}
}

// ImportState takes the field's ID, or its name; "name:2024" is the field called 2024.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	word := framework.ImportedWord(ctx, req, "id", &resp.Diagnostics)
	view, err := r.Meta.Store.Read(ctx, store.ProfileFields)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the custom profile fields", framework.Explain(err))
		return
	}
	found, err := find(view, word)
	if err != nil {
		resp.Diagnostics.AddError("Cannot import this custom profile field", framework.Sentence(err))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), found.ID)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.Int64Value(found.ID)})...)
}

// find finds what is to be imported.
func find(view *snapshot.Snapshot, text string) (*zulip.ProfileField, error) {
	name, byName := strings.CutPrefix(text, "name:")
	if id, err := strconv.ParseInt(text, 10, 64); err == nil && !byName {
		if held, ok := view.ProfileFields().ByID(id); ok {
			return held, nil
		}
		return nil, fmt.Errorf("the organization has no custom profile field with the ID %d (one whose name is a number is found as name:%d)", id, id)
	}
	if held, ok := view.ProfileFields().ByName(name); ok {
		return held, nil
	}
	return nil, framework.NoProfileField(name, view)
}

// explain adds what a refusal means for a field, where that is special.
func explain(err error, id int64) string {
	text := framework.Explain(err)
	switch {
	case zulip.IsProfileFieldNameTaken(err):
		text += "\n\nAnother custom profile field has this name. If a resource of this configuration has just given it up, apply again; else import that field, or choose another name."
	case zulip.IsNoProfileField(err, id):
		text += "\n\nSomebody has deleted it since the plan was made. Plan again to have it added anew."
	case zulip.IsMessage(err, "Only 2 custom profile fields can be displayed in the profile summary."):
		text += "\n\nTwo other fields have display_in_profile_summary. If one of them has just given it up, apply again."
	}
	return text
}
