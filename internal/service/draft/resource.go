// Package draft is the noun of drafts: messages that the account has begun.
package draft

import (
	"context"
	"fmt"
	"slices"

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

// Resource is zulip_draft.
type Resource struct{ framework.Resource }

// NewResource returns zulip_draft.
func NewResource() resource.Resource { return &Resource{} }

// identity is what a draft is recognised by.
type identity struct {
	ID types.Int64 `tfsdk:"id"`
}

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_draft"
}

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceSchema()
}

// IdentitySchema describes what a draft is recognised by.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.Int64Attribute{RequiredForImport: true, Description: "The draft's ID."},
	}}
}

// ValidateConfig refuses what is wrong in any organization. A draft may be for nobody yet.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !config.IsEmpty() {
		config.Validate(&resp.Diagnostics)
	}
}

// Create stores the draft.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	wanted := r.wire(ctx, &plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	id, err := r.store(ctx, wanted)
	if err != nil {
		resp.Diagnostics.AddError("Could not store the draft", explain(err))
		return
	}
	plan.ID = types.Int64Value(id)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ID})...)
}

// wire is the plan in the words of the wire.
func (r *Resource) wire(ctx context.Context, plan *model, diags *diag.Diagnostics) zulip.Draft {
	content := plan.Content.ValueString()
	if plan.IsEmpty() {
		return zulip.NewDraft(nil, content)
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		diags.AddError("Could not read the organization", framework.Explain(err))
		return zulip.Draft{}
	}
	to, _ := plan.Resolve(view, diags)
	to.Topic = zulip.StoredTopic(to.Topic) // in a draft, the server counts white space before it takes it away
	return zulip.NewDraft(&to, content)
}

// store stores a draft.
func (r *Resource) store(ctx context.Context, wanted zulip.Draft) (id int64, err error) {
	self := r.Meta.Store.Self().ID
	return framework.Creation{
		Kind: kind, Thing: fmt.Sprintf("%s %v %q %q", wanted.Type, wanted.To, wanted.Topic, zulip.StoredContent(wanted.Content)),
		Look: func(ctx context.Context, free func(int64) bool) (int64, error) {
			list, err := r.Meta.Store.Drafts(ctx)
			i := slices.IndexFunc(list, func(d *zulip.Draft) bool { return same(d, &wanted, self) && free(d.ID) })
			if err != nil || i < 0 {
				return 0, err
			}
			return list[i].ID, nil
		},
		Make: func(ctx context.Context) (int64, error) { return r.Meta.Store.CreateDraft(ctx, wanted) },
	}.Run(ctx, r.Meta)
}

// same reports whether two drafts say the same to the same people.
func same(a, b *zulip.Draft, self int64) bool {
	to, other := a.Addressee(), b.Addressee()
	if to == nil || other == nil {
		return to == other && sameContent(a.Content, b.Content)
	}
	return to.Same(*other, self) && sameContent(a.Content, b.Content)
}

// Read takes the draft from the list of all, which is read once.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	id := state.ID.ValueInt64()
	r.Meta.Run.Manage(kind, id)
	found, view, err := r.find(ctx, id)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the drafts", explain(err))
		return
	}
	if found == nil {
		tflog.Info(ctx, "The draft is not there any more: removing it from the state", map[string]any{"id": id})
		resp.State.RemoveResource(ctx)
		return
	}
	state.read(found, view, r.Meta.Store.Self().ID)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// find returns a draft, nil if there is none, and the organization in which to read it.
func (r *Resource) find(ctx context.Context, id int64) (*zulip.Draft, *snapshot.Snapshot, error) {
	list, err := r.Meta.Store.Drafts(ctx)
	i := slices.IndexFunc(list, func(d *zulip.Draft) bool { return d.ID == id })
	if err != nil || i < 0 {
		return nil, nil, err
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	return list[i], view, err
}

// Update replaces the draft: the server knows no smaller change.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	wanted := r.wire(ctx, &plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	defer r.Meta.Store.Invalidate(store.Drafts)
	if err := r.Meta.Client.ReplaceDraft(ctx, plan.ID.ValueInt64(), wanted); err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Could not change draft %d", plan.ID.ValueInt64()), explain(err))
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ID})...)
}

// Delete deletes the draft.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	defer r.Meta.Store.Invalidate(store.Drafts)
	if err := r.Meta.Client.DeleteDraft(ctx, state.ID.ValueInt64()); err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Could not delete draft %d", state.ID.ValueInt64()), explain(err))
	}
}

// ImportState takes the draft's ID.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	id, ok := framework.ImportedNumber(ctx, req, "a draft",
		"GET /drafts lists the account's own.", &resp.Diagnostics)
	if !ok {
		return
	}
	found, _, err := r.find(ctx, id.ValueInt64())
	switch {
	case err != nil:
		resp.Diagnostics.AddError("Could not read the drafts", explain(err))
		return
	case found == nil:
		resp.Diagnostics.AddError("No such draft",
			fmt.Sprintf("The account the provider uses has no draft with the ID %d. It may have been sent or deleted; only the account that began a draft sees it.", id.ValueInt64()))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), id)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{id})...)
}
