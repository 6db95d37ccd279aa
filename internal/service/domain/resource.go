// Package domain is the noun of an organization's domains: those whose addresses may join it.
package domain

import (
	"context"
	"fmt"
	"hash/fnv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
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

// list is the part of a snapshot that holds the domains.
const list = zulip.FetchDomains

// Resource is zulip_domain.
type Resource struct{ framework.Resource }

// NewResource returns zulip_domain.
func NewResource() resource.Resource { return &Resource{} }

// identity is what a domain is recognised by: the server gives it no number that can be read.
type identity struct {
	ID types.String `tfsdk:"id"`
}

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_domain"
}

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceSchema()
}

// IdentitySchema describes what a domain is recognised by.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true, Description: "The domain as the server writes it, in lower case."},
	}}
}

// Create adds the domain. One that is the same, as an earlier attempt may have left it, is taken over.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	if plan.AllowSubdomains.IsUnknown() {
		plan.AllowSubdomains = types.BoolValue(false)
	}
	wanted := plan.wire()
	if !r.add(ctx, &plan, wanted, &resp.Diagnostics) {
		return
	}
	plan.ID = types.StringValue(wanted.Domain)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ID})...)
}

// add adds the domain, unless it is what an apply has left that was broken off, and reports whether it is there.
func (r *Resource) add(ctx context.Context, plan *model, wanted zulip.Domain, diags *diag.Diagnostics) bool {
	if _, ok := r.Meta.Run.Take(kind, wanted.Domain); ok {
		return true
	}
	d := r.Meta.Store
	_, err := framework.Creation{
		Kind: kind, Thing: wanted.Domain,
		Look: framework.InList(d, list, func(view *snapshot.Snapshot, free func(int64) bool) int64 {
			if found, ok := view.Domains().ByName(wanted.Domain); ok && *found == wanted && free(number(wanted.Domain)) {
				return number(wanted.Domain)
			}
			return 0
		}),
		Make: func(ctx context.Context) (int64, error) {
			return number(wanted.Domain), r.Meta.Store.WriteList(ctx, list, func(ctx context.Context) error { return r.Meta.Client.AddDomain(ctx, wanted) })
		},
	}.Run(ctx, r.Meta)
	if err == nil {
		return true
	}
	if zulip.IsDomainTaken(err) {
		view, lookErr := r.Meta.Store.FreshUntil(ctx, list, func(view *snapshot.Snapshot) bool { _, ok := view.Domains().ByName(wanted.Domain); return ok })
		if lookErr == nil {
			if found, ok := view.Domains().ByName(wanted.Domain); ok {
				existing(plan, found).Refuse(r.Meta, diags)
				return false
			}
		}
	}
	diags.AddError(fmt.Sprintf("Could not add domain %q", wanted.Domain), framework.Explain(err))
	return false
}

// Read takes the domain from the snapshot.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	view, err := r.Meta.Store.ReadUntil(ctx, list, func(view *snapshot.Snapshot) bool {
		_, ok := view.Domains().ByName(state.ID.ValueString())
		return ok
	})
	if err != nil {
		resp.Diagnostics.AddError("Could not read the domains", framework.Explain(err))
		return
	}
	r.Meta.Run.Manage(kind, number(state.ID.ValueString()))
	found, ok := view.Domains().ByName(state.ID.ValueString())
	if !ok {
		tflog.Info(ctx, "The domain is not there any more: removing it from the state", map[string]any{"domain": state.ID.ValueString()})
		resp.State.RemoveResource(ctx)
		return
	}
	state.read(found)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update says whether subdomains count too.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	if wanted := plan.wire(); wanted != state.wire() {
		err := r.Meta.Store.WriteList(ctx, list, func(ctx context.Context) error { return r.Meta.Client.UpdateDomain(ctx, wanted) })
		if err != nil {
			resp.Diagnostics.AddError(fmt.Sprintf("Could not change domain %q", wanted.Domain), explainUpdate(err))
			return
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ID})...)
}

func explainUpdate(err error) string {
	text := framework.Explain(err)
	if zulip.IsNoDomain(err) {
		text += "\n\nIt was removed since the plan was made. Plan again to have it added anew."
	}
	return text
}

// Delete removes the domain.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	name := state.ID.ValueString()
	// Another resource of this run may be about to add the same one, or have taken this one over.
	summary := fmt.Sprintf("Could not remove domain %q", name)
	done, ok := r.Alone(ctx, kind+" "+name, summary, &resp.Diagnostics)
	if !ok {
		return
	}
	defer done()
	if r.Meta.Run.IsAdopted(kind, number(name)) {
		tflog.Info(ctx, "The domain stays: another resource has taken it over", map[string]any{"domain": name})
		return
	}
	// With the last domain the organization's restriction to its domains ends.
	defer r.Meta.Store.Invalidate(store.Organization)
	err := r.Meta.Store.WriteList(ctx, list, func(ctx context.Context) error { return r.Meta.Client.DeleteDomain(ctx, name) })
	if err != nil {
		resp.Diagnostics.AddError(summary, framework.Explain(err))
	}
}

// kind is what domains are claimed as.
const kind = "zulip_domain"

// number tells domains apart, for which the server has no numbers.
func number(domain string) int64 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(domain)) // never fails
	return int64(hash.Sum64() >> 1)
}

// ImportState takes the domain, in any case.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	if req.ID == "" {
		var wanted identity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &wanted)...)
		req.ID = wanted.ID.ValueString()
	}
	view, err := r.Meta.Store.Read(ctx, store.Domains)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the domains", framework.Explain(err))
		return
	}
	found, ok := view.Domains().ByName(req.ID)
	if !ok {
		names := framework.Names{Things: "domains", All: view.Domains().Names(), Where: "the organization's settings list all, under Organization permissions", Unquoted: true}
		resp.Diagnostics.AddError("No such domain", framework.Sentence(fmt.Errorf("the organization has no domain %q%s", req.ID, names.Suggest(req.ID))))
		return
	}
	var state model
	state.read(found)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
}
