// Package organization is the resource and the data source zulip_organization: the settings and permissions of the
// organization.
package organization

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/settings"
)

var (
	_ resource.ResourceWithConfigure   = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan  = (*Resource)(nil)
	_ resource.ResourceWithImportState = (*Resource)(nil)
	_ resource.ResourceWithIdentity    = (*Resource)(nil)
)

// Resource is zulip_organization.
type Resource struct{ base.Resource }

// NewResource returns zulip_organization.
func NewResource() resource.Resource { return &Resource{} }

// identity is what the organization is recognised by: an account is in one.
type identity struct {
	ID types.String `tfsdk:"id"`
}

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_organization"
}

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	all := attributes.ResourceAttributes()
	all["id"] = schema.StringAttribute{
		Computed: true, MarkdownDescription: "Always `" + settings.OnceID + "`: an account is in one organization.",
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
	resp.Schema = schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `Manages the settings and permissions of the organization. An organization has them once, so there is one such resource.

The organization exists already: creating the resource sets what the configuration says, and destroying it leaves every setting as it is. Import it first to see in a plan what would change. A user group that a permission names cannot be deactivated, also after the resource is destroyed: grant the permission to others first.

An attribute that is not set is not managed: it is read and shown, and never written. Removing an attribute from the configuration leaves the setting as it is. Only changed attributes are sent.

Each permission is a set of principals: ` + "`role:members`, `group:NAME`, `user:EMAIL`, `group_id:N`, `user_id:N`" + `, as in ` + "`zulip_channel`" + `.

If somebody else has changed an attribute since the plan was made, the apply stops without overwriting it, and the error shows the prior, the current and the planned value. Creating the resource has no prior values to compare with. The server applies an update in several steps: if it refuses one, the error says which attributes have their planned values already, and the next apply sends the rest.

Administrators and owners may change most attributes; the others say that only owners may set them. An administrator's configuration may contain those too, as long as they have the configured value already.

The profile picture and the logos are managed with ` + "`zulip_organization_image`" + `; the address of the organization cannot be changed.` + attribute.DeactivatedPrincipals,
		Attributes: all,
	}
}

// IdentitySchema describes what the organization is recognised by.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true, Description: "Any text: an account is in one organization."},
	}}
}

// Create sends what differs from what the organization has already.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan := getModel(ctx, req.Plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	_, err := r.readNaming(ctx, plan)
	var now *reading
	if err == nil {
		now, err = r.fresh(ctx)
	}
	if err != nil {
		resp.Diagnostics.AddError(unreadable, base.Explain(err))
		return
	}
	on := attribute.On(&r.Base, now.View)
	if now = r.apply(ctx, attributes.PriorObject(now.Thing, on, &resp.Diagnostics), plan, now, on, &resp.Diagnostics); resp.Diagnostics.HasError() {
		return // nothing was made that could be lost: the next apply sends what is missing
	}
	r.store(ctx, plan.clone(), now, plan, &resp.State, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.StringValue(settings.OnceID)})...)
}

// readNaming reads the organization, with whom the permissions of models name, also where the server's lists lack them.
func (r *Resource) readNaming(ctx context.Context, models ...*model) (*snapshot.Snapshot, error) {
	var named []string
	for _, m := range models {
		named = append(named, attributes.Sets(m).NamedUsers(permission.Organizations)...)
	}
	return r.Meta.Store.ReadNaming(ctx, named, store.Organization)
}

// Read takes the organization from the snapshot.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := getModel(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.StringValue(settings.OnceID)})...)
	view, err := r.readNaming(ctx, state)
	if err != nil {
		resp.Diagnostics.AddError(unreadable, base.Explain(err))
		return
	}
	r.store(ctx, state, &reading{Thing: view.Realm(), View: view}, nil, &resp.State, resp.Private, &resp.Diagnostics)
}

// Update sends what differs between what the plan saw and what it asks, and nothing that somebody else has changed.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan, prior := getModel(ctx, req.Plan, &resp.Diagnostics), getModel(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	view, err := r.readNaming(ctx, plan, prior)
	if err != nil {
		resp.Diagnostics.AddError(unreadable, base.Explain(err))
		return
	}
	on := attribute.On(&r.Base, view)
	before := attributes.PriorState(prior, attribute.Raw(ctx, req.Private, &resp.Diagnostics), on)
	now := r.apply(ctx, before, plan, nil, on, &resp.Diagnostics)
	state, planned := plan.clone(), plan
	if resp.Diagnostics.HasError() {
		// What was refused is shown in the words the state had, not in the words that were planned.
		state, planned = prior, nil
	}
	r.store(ctx, state, now, planned, &resp.State, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.StringValue(settings.OnceID)})...)
}

// Delete leaves the organization as it is, which the plan said.
func (r *Resource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// ImportState takes any word: an account is in one organization.
func (r *Resource) ImportState(ctx context.Context, _ resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), settings.OnceID)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.StringValue(settings.OnceID)})...)
}

// unreadable begins the message of a read that failed.
const unreadable = "Cannot read the organization"

// apply sends what differs between prior and planned values, and returns what the server then holds; nil if that could not
// be read. now is what was just read, or nil.
func (r *Resource) apply(ctx context.Context, prior *prior, plan *model, now *reading, on attribute.Server, diags *diag.Diagnostics) *reading {
	steps, problems := attributes.Steps(prior, plan, on)
	attribute.ReportProblems(diags, problems)
	if diags.HasError() {
		return nil
	}
	return r.subject(ctx).Change(ctx, &r.Base, steps, now, diags)
}

// store puts what the server has into the state; after an apply, planned is its plan.
func (r *Resource) store(ctx context.Context, state *model, now *reading, planned *model, into *tfsdk.State, private attribute.PrivateSetter, diags *diag.Diagnostics) {
	set := func() diag.Diagnostics {
		state.set("id", types.StringValue(settings.OnceID))
		return state.write(ctx, into)
	}
	attributes.Store(ctx, state, now, planned, attribute.On(&r.Base, nil), set, private, diags)
}
