package adapter

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
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
)

// Resource defines a resource by its functions.
type Resource[Model any] struct {
	// Name is the type without the provider's prefix.
	Name     string
	Schema   func() schema.Schema
	Identity Identity
	// WasLonger is true if identities of version 0 had more attributes.
	WasLonger bool
	// Validate refuses a configuration that is wrong in every organization. Optional.
	Validate func(config *Model, diags *diag.Diagnostics)
	// Plan checks and completes a plan. PlanDestroy checks a plan that destroys the resource. Both are optional.
	Plan, PlanDestroy    func(context.Context, *Call[Model]) error
	Create, Read, Update func(context.Context, *Call[Model]) error
	// Delete is nil if a destroy changes nothing on the server. Stays is the message in the log in that case.
	Delete func(context.Context, *Call[Model]) error
	Stays  string
	// Import writes the state for an import ID. For an import by identity, the ID is the attributes with slashes
	// between them.
	Import func(ctx context.Context, c *Call[Model], text string) error
}

// Identity lists the attributes of an identity. The schema has attributes of the same names.
type Identity []struct{ Name, Description string }

// New returns the resource for the plugin framework.
func (d Resource[Model]) New() resource.Resource { return &frameworkResource[Model]{def: d} }

type frameworkResource[Model any] struct {
	base.Resource
	def Resource[Model]
}

var (
	_ resource.ResourceWithConfigure       = (*frameworkResource[struct{}])(nil)
	_ resource.ResourceWithUpgradeIdentity = (*frameworkResource[struct{}])(nil)
	_ resource.ResourceWithImportState     = (*frameworkResource[struct{}])(nil)
	_ resource.ResourceWithModifyPlan      = (*frameworkResource[struct{}])(nil)
	_ resource.ResourceWithValidateConfig  = (*frameworkResource[struct{}])(nil)
)

func (r *frameworkResource[Model]) kind() string { return "zulip_" + r.def.Name }

func (r *frameworkResource[Model]) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = r.kind()
}

func (r *frameworkResource[Model]) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.def.Schema()
}

func (r *frameworkResource[Model]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema.Attributes = map[string]identityschema.Attribute{}
	all := r.def.Schema()
	for _, one := range r.def.Identity {
		if _, isText := all.Attributes[one.Name].(schema.StringAttribute); isText {
			resp.IdentitySchema.Attributes[one.Name] = identityschema.StringAttribute{RequiredForImport: true, Description: one.Description}
		} else {
			resp.IdentitySchema.Attributes[one.Name] = identityschema.Int64Attribute{RequiredForImport: true, Description: one.Description}
		}
	}
	if r.def.WasLonger {
		resp.IdentitySchema.Version = 1
	}
}

// UpgradeIdentity reads identities of version 0.
func (r *frameworkResource[Model]) UpgradeIdentity(context.Context) map[int64]resource.IdentityUpgrader {
	if !r.def.WasLonger {
		return nil
	}
	return base.KeepIdentity()
}

func (r *frameworkResource[Model]) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	if r.def.Validate == nil {
		return
	}
	if config := read[Model](ctx, &resp.Diagnostics, req.Config.Raw, req.Config); !resp.Diagnostics.HasError() {
		r.def.Validate(config, &resp.Diagnostics)
	}
}

func (r *frameworkResource[Model]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	plan := r.def.Plan
	if req.Plan.Raw.IsNull() {
		plan = r.def.PlanDestroy
	}
	if plan == nil || !r.CanPlan(&resp.Diagnostics) {
		return
	}
	c := &Call[Model]{
		Base: &r.Base, Diags: &resp.Diagnostics, PriorPrivate: req.Private, Private: resp.Private, ctx: ctx, kind: r.kind(),
		config: req.Config, into: &resp.Plan, replace: &resp.RequiresReplace,
	}
	c.Plan, c.State = read[Model](ctx, c.Diags, req.Plan.Raw, req.Plan), read[Model](ctx, c.Diags, req.State.Raw, req.State)
	if c.Plan != nil {
		c.Config = read[Model](ctx, c.Diags, req.Config.Raw, req.Config)
	}
	if !c.Diags.HasError() {
		c.report(plan(ctx, c))
	}
}

func (r *frameworkResource[Model]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	c := &Call[Model]{Base: &r.Base, Diags: &resp.Diagnostics, Private: resp.Private, ctx: ctx, into: &resp.State}
	c.Plan, c.Config = read[Model](ctx, c.Diags, req.Plan.Raw, req.Plan), read[Model](ctx, c.Diags, req.Config.Raw, req.Config)
	if c.Diags.HasError() || !r.Ready(c.Diags) {
		return
	}
	c.report(r.def.Create(ctx, c))
	if !resp.State.Raw.IsNull() && !c.Diags.HasError() { // a broken-off creation may not know the identity
		copyIdentity(ctx, r.def.Identity, resp.State, resp.Identity, c.Diags)
	}
}

func (r *frameworkResource[Model]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	c := &Call[Model]{
		Base: &r.Base, Diags: &resp.Diagnostics, PriorPrivate: req.Private, Private: resp.Private, ctx: ctx, into: &resp.State, remove: resp.State.RemoveResource,
	}
	c.State = read[Model](ctx, c.Diags, req.State.Raw, req.State)
	if c.Diags.HasError() || !r.Ready(c.Diags) {
		return
	}
	// Even a deleted object has an identity, because Terraform refuses an answer without one.
	copyIdentity(ctx, r.def.Identity, req.State, resp.Identity, c.Diags)
	c.report(r.def.Read(ctx, c))
	if !resp.State.Raw.IsNull() && !c.Diags.HasError() {
		copyIdentity(ctx, r.def.Identity, resp.State, resp.Identity, c.Diags) // after a broken-off creation it may be new
	}
}

func (r *frameworkResource[Model]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	c := &Call[Model]{Base: &r.Base, Diags: &resp.Diagnostics, PriorPrivate: req.Private, Private: resp.Private, ctx: ctx, into: &resp.State}
	c.Plan, c.State = read[Model](ctx, c.Diags, req.Plan.Raw, req.Plan), read[Model](ctx, c.Diags, req.State.Raw, req.State)
	if c.Diags.HasError() || !r.Ready(c.Diags) {
		return
	}
	copyIdentity(ctx, r.def.Identity, req.State, resp.Identity, c.Diags)
	c.report(r.def.Update(ctx, c))
}

func (r *frameworkResource[Model]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	if r.def.Delete == nil {
		tflog.Info(ctx, r.def.Stays)
		return
	}
	c := &Call[Model]{Base: &r.Base, Diags: &resp.Diagnostics, PriorPrivate: req.Private, ctx: ctx, into: &resp.State}
	c.State = read[Model](ctx, c.Diags, req.State.Raw, req.State)
	if c.Diags.HasError() || !r.Ready(c.Diags) {
		return
	}
	c.report(r.def.Delete(ctx, c))
}

func (r *frameworkResource[Model]) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	c := &Call[Model]{Base: &r.Base, Diags: &resp.Diagnostics, Private: resp.Private, ctx: ctx, into: &resp.State}
	text := req.ID
	if c.IsByIdentity = text == ""; c.IsByIdentity {
		text = r.identityText(ctx, req, c.Diags)
	}
	if !c.Diags.HasError() {
		c.report(r.def.Import(ctx, c, text))
	}
	if !c.Diags.HasError() {
		copyIdentity(ctx, r.def.Identity, resp.State, resp.Identity, c.Diags)
	}
}

// identityText returns the attributes of an identity with slashes between them.
func (r *frameworkResource[Model]) identityText(ctx context.Context, req resource.ImportStateRequest, diags *diag.Diagnostics) string {
	var texts []string
	for _, one := range r.def.Identity {
		var value attr.Value
		diags.Append(req.Identity.GetAttribute(ctx, path.Root(one.Name), &value)...)
		if text, ok := value.(types.String); ok {
			texts = append(texts, text.ValueString())
		} else {
			texts = append(texts, fmt.Sprint(value))
		}
	}
	return strings.Join(texts, "/")
}
