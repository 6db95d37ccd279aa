// Package linkifier is the noun of linkifiers: patterns of which links are made, and the order in which they are tried.
package linkifier

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

// list is the part of a snapshot that holds the linkifiers.
const list = zulip.FetchLinkifiers

// Resource is zulip_linkifier.
type Resource struct{ framework.Resource }

// NewResource returns zulip_linkifier.
func NewResource() resource.Resource { return &Resource{} }

// identity is what a linkifier is recognised by.
type identity struct {
	ID types.Int64 `tfsdk:"id"`
}

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_linkifier"
}

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceSchema()
}

// IdentitySchema describes what a linkifier is recognised by.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.Int64Attribute{RequiredForImport: true, Description: "The linkifier's ID."},
	}}
}

// Create adds the linkifier.
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
	// From here on the linkifier exists: it is in the state before anything else can fail.
	state := plan
	state.ID = types.Int64Value(id)
	state.forgetUnknown()
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	r.readBack(ctx, &state, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// add makes the linkifier and returns its ID, or that of what an apply has left that was broken off. Patterns are unique,
// and the server says so. A list can still show what was just deleted.
func (r *Resource) add(ctx context.Context, plan *model) (int64, error) {
	d, pattern := r.Meta.Store, stored(plan.Pattern)
	if id, ok := r.Meta.Run.Take(kind, pattern); ok {
		return id, nil
	}
	return framework.Creation{
		Kind: kind, Thing: pattern,
		Look: framework.InList(d, list, func(view *snapshot.Snapshot, free func(int64) bool) int64 {
			return plan.made(view, r.FeatureLevel(), free)
		}),
		Make: func(ctx context.Context) (id int64, err error) {
			err = d.WriteList(ctx, list, func(ctx context.Context) (err error) {
				id, err = r.Meta.Client.CreateLinkifier(ctx, plan.wire(nil))
				return err
			})
			return id, err
		},
	}.Run(ctx, r.Meta)
}

// made returns the ID of the linkifier that is as planned, and for which free reports true; zero if there is none.
func (m *model) made(view *snapshot.Snapshot, level int, free func(int64) bool) int64 {
	held, ok := view.Linkifiers().ByName(stored(m.Pattern))
	if !ok || !m.isHeld(held, level) || !free(held.ID) {
		return 0
	}
	return held.ID
}

// readBack takes what the server holds after a write into the state. That the list does not show the linkifier says
// nothing: the server has answered the write. The next plan finds out.
func (r *Resource) readBack(ctx context.Context, state *model, diags *diag.Diagnostics) {
	planned, id := *state, state.ID.ValueInt64()
	view, err := r.Meta.Store.FreshUntil(ctx, list, func(view *snapshot.Snapshot) bool {
		held, ok := view.Linkifiers().ByID(id)
		return ok && planned.isHeld(held, r.FeatureLevel())
	})
	if err != nil {
		diags.AddError(fmt.Sprintf("Linkifier %d was written, but could not be read", id),
			framework.Explain(err)+"\n\nIt is in the state. The next apply goes on from there.")
		return
	}
	held, ok := view.Linkifiers().ByID(id)
	if !ok {
		tflog.Info(ctx, "The linkifier was written, and the server does not list it", map[string]any{"id": id})
		return
	}
	state.read(held, r.FeatureLevel())
	if !planned.isHeld(held, r.FeatureLevel()) {
		diags.AddError(fmt.Sprintf("Linkifier %d is not what was asked for", held.ID),
			"The server took the request and holds something else: somebody has changed the linkifier meanwhile, or the server is too old for an attribute. The state shows what it holds; plan again.")
	}
}

// Read takes the linkifier from the snapshot.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	id := state.ID.ValueInt64()
	r.Meta.Run.Manage(kind, id)
	view, err := r.Meta.Store.ReadUntil(ctx, list, func(view *snapshot.Snapshot) bool { _, ok := view.Linkifiers().ByID(id); return ok })
	if err != nil {
		resp.Diagnostics.AddError("Could not read the linkifiers", framework.Explain(err))
		return
	}
	held, ok := view.Linkifiers().ByID(id)
	if !ok {
		tflog.Info(ctx, "The linkifier is not there any more: removing it from the state", map[string]any{"id": id, "pattern": state.Pattern.ValueString()})
		resp.State.RemoveResource(ctx)
		return
	}
	state.read(held, r.FeatureLevel())
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update changes the linkifier in its place.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, prior model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	if err := r.change(ctx, prior.ID.ValueInt64(), plan.wire(&prior)); err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("pattern"), fmt.Sprintf("Could not change linkifier %d", prior.ID.ValueInt64()), explain(err))
		return
	}
	state := plan
	state.forgetUnknown()
	r.readBack(ctx, &state, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{prior.ID})...)
}

func (r *Resource) change(ctx context.Context, id int64, change zulip.LinkifierChange) error {
	return r.Meta.Store.WriteList(ctx, list, func(ctx context.Context) error {
		return r.Meta.Client.UpdateLinkifier(ctx, id, change)
	})
}

// Delete deletes the linkifier.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id, d := state.ID.ValueInt64(), r.Meta.Store
	summary := fmt.Sprintf("Could not delete linkifier %d", id)
	// Another resource of this run may be about to make the same one, or have taken this one over.
	done, ok := r.Alone(ctx, kind+" "+stored(state.Pattern), summary, &resp.Diagnostics)
	if !ok {
		return
	}
	defer done()
	if r.Meta.Run.IsAdopted(kind, id) {
		tflog.Info(ctx, "The linkifier stays: another resource has taken it over", map[string]any{"id": id})
		return
	}
	r.Meta.Run.Manage(kind, id) // no other resource takes it, though a list still shows it
	err := d.WriteList(ctx, list, func(ctx context.Context) error { return r.Meta.Client.DeleteLinkifier(ctx, id) })
	if err != nil {
		resp.Diagnostics.AddError(summary, explain(err))
	}
}

// ImportState takes the linkifier's ID, or its pattern; "pattern:2024" is the linkifier whose pattern is 2024.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	word := framework.ImportedWord(ctx, req, "id", &resp.Diagnostics)
	view, err := r.Meta.Store.Read(ctx, store.Linkifiers)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the linkifiers", framework.Explain(err))
		return
	}
	found, err := find(view, word)
	if err != nil {
		resp.Diagnostics.AddError("Cannot import this linkifier", framework.Sentence(err))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), found.ID)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.Int64Value(found.ID)})...)
}

// find finds what is to be imported.
func find(view *snapshot.Snapshot, text string) (*zulip.Linkifier, error) {
	pattern, byPattern := strings.CutPrefix(text, "pattern:")
	if id, err := strconv.ParseInt(text, 10, 64); err == nil && !byPattern {
		if held, ok := view.Linkifiers().ByID(id); ok {
			return held, nil
		}
		return nil, fmt.Errorf("the organization has no linkifier with the ID %d (one whose pattern is a number is found as pattern:%d)", id, id)
	}
	if held, ok := view.Linkifiers().ByName(strings.TrimSpace(pattern)); ok {
		return held, nil
	}
	patterns := framework.Names{Things: "patterns", All: view.Linkifiers().Names(), Where: "the data source zulip_linkifiers lists all"}
	return nil, fmt.Errorf("the organization has no linkifier with the pattern %q%s", pattern, patterns.Suggest(pattern))
}

// forgetUnknown makes what is not known null, for a state that is written before it is known.
func (m *model) forgetUnknown() {
	for _, text := range []*types.String{&m.ExampleInput, &m.ReverseTemplate} {
		if text.IsUnknown() {
			*text = types.StringNull()
		}
	}
	if m.AlternativeURLTemplates.IsUnknown() {
		m.AlternativeURLTemplates = types.ListNull(types.StringType)
	}
}

// explain adds what a refusal means for a linkifier, where that is special.
func explain(err error) string {
	text := framework.Explain(err)
	switch {
	case zulip.IsPatternTaken(err):
		text += "\n\nAnother linkifier has this pattern. If a resource of this configuration has just given it up, apply again; else import that linkifier, or change the pattern."
	case zulip.IsNoLinkifier(err):
		text += "\n\nSomebody has deleted it since the plan was made. Plan again to have it added anew."
	}
	return text
}
