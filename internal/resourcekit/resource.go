package resourcekit

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/diagnostics"
	"github.com/zulip-iac/terraform-provider-zulip/internal/suggest"
)

// idAttribute is the attribute that every resource is told by.
const idAttribute = "id"

// Resource is a resource by its definition.
type Resource[M, T any, K Key] struct {
	base.Resource
	def    Definition[M, T, K]
	schema func() schema.Schema
}

var (
	_ resource.ResourceWithConfigure      = (*Resource[struct{}, struct{}, int64])(nil)
	_ resource.ResourceWithIdentity       = (*Resource[struct{}, struct{}, int64])(nil)
	_ resource.ResourceWithImportState    = (*Resource[struct{}, struct{}, int64])(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource[struct{}, struct{}, int64])(nil)
	_ resource.ResourceWithValidateConfig = (*Resource[struct{}, struct{}, int64])(nil)
)

// New returns the resource of a definition.
func New[M, T any, K Key](def Definition[M, T, K]) *Resource[M, T, K] {
	return &Resource[M, T, K]{def: def, schema: sync.OnceValue(def.Schema)}
}

// kind is the type of the resource.
func (r *Resource[M, T, K]) kind() string { return "zulip_" + r.def.Name }

// Metadata tells the type of the resource.
func (r *Resource[M, T, K]) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = r.kind()
}

// Schema tells the attributes.
func (r *Resource[M, T, K]) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.schema()
}

// IdentitySchema makes the ID the identity.
func (r *Resource[M, T, K]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	description := r.schema().Attributes[idAttribute].GetMarkdownDescription()
	var id identityschema.Attribute = identityschema.Int64Attribute{RequiredForImport: true, Description: description}
	if _, isText := any(*new(K)).(string); isText {
		id = identityschema.StringAttribute{RequiredForImport: true, Description: description}
	}
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{idAttribute: id}}
}

// ValidateConfig refuses what is wrong in any organization.
func (r *Resource[M, T, K]) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	if r.def.Validate == nil {
		return
	}
	var config M
	if resp.Diagnostics.Append(req.Config.Get(ctx, &config)...); !resp.Diagnostics.HasError() {
		r.def.Validate(&config, &resp.Diagnostics)
	}
}

// WithFixedAttributes is a resource of which the server decides some attributes of some objects: those cannot be configured,
// and are left out of generated configuration.
type WithFixedAttributes interface {
	FixedAttributes(ctx context.Context, state tftypes.Value) []string
}

// FixedAttributes returns the attributes that the server decides of an object.
func (r *Resource[M, T, K]) FixedAttributes(ctx context.Context, state tftypes.Value) []string {
	if r.def.Fixed == nil {
		return nil
	}
	var m M
	if (&tfsdk.State{Raw: state, Schema: r.schema()}).Get(ctx, &m).HasError() {
		return nil
	}
	return r.def.Fixed(&m)
}

// Read sets the state to what the snapshot has, or removes what is gone from the state.
func (r *Resource[M, T, K]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state M
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	id := stateID[K](ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	if ObjectID(id) != 0 {
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(idAttribute), id)...)
		r.Meta.Run.Manage(r.kind(), ObjectID(id))
	}
	view, ok := r.read(ctx, &resp.Diagnostics, func(view *listing[T]) bool { return r.active(view, id, &state) != nil })
	if !ok {
		return
	}
	object := r.active(view, id, &state)
	if r.def.Source.One != nil && (object == nil || !r.isAsPlanned(ctx, &state, req.State.Raw, object, view)) {
		var err error
		if view, err = r.readOne(ctx, id, view); err != nil {
			resp.Diagnostics.AddError("Cannot read "+r.called(r.name(&state), id), r.Explain(err))
			return
		}
		object = r.active(view, id, &state)
	}
	if object == nil {
		tflog.Info(ctx, "The "+r.def.Title+" was deleted or archived outside of Terraform: removing it from the state", map[string]any{"id": id})
		r.Meta.Run.Lose(r.kind(), ObjectID(id)) // it may still have its name
		// Without an identity the CLI takes the answer for a mistake.
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(idAttribute), id)...)
		resp.State.RemoveResource(ctx)
		return
	}
	if ObjectID(id) == 0 {
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(idAttribute), r.def.Key(object))...)
		r.Meta.Run.Manage(r.kind(), ObjectID(r.def.Key(object)))
	}
	r.def.ReadInto(&state, object, r.context(view))
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// stateID returns the ID in a state; zero if it is not known, because it could not be read when the object was created.
func stateID[K Key](ctx context.Context, state tfsdk.State, diags *diag.Diagnostics) (id K) {
	var known *K
	diags.Append(state.GetAttribute(ctx, path.Root(idAttribute), &known)...)
	if known != nil {
		id = *known
	}
	return id
}

// created returns the object that was created of a model, if the server did not tell its ID; nil if there is none.
func (r *Resource[M, T, K]) created(view *listing[T], m *M, free func(id int64) bool) *T {
	for _, object := range r.all(view) {
		if (r.def.IsGone == nil || !r.def.IsGone(object)) && r.def.IsCreated(m, object, r.context(view)) && free(ObjectID(r.def.Key(object))) {
			return object
		}
	}
	return nil
}

// active returns the object of a state, unless it is archived or deactivated; nil if there is none.
func (r *Resource[M, T, K]) active(view *listing[T], id K, state *M) *T {
	object, ok := r.get(view, id)
	if ObjectID(id) == 0 && r.def.IsCreated != nil {
		object = r.created(view, state, func(int64) bool { return true })
		ok = object != nil
	}
	if !ok || r.def.IsGone != nil && r.def.IsGone(object) {
		return nil
	}
	return object
}

func (r *Resource[M, T, K]) context(l *listing[T]) *Context {
	if l == nil {
		return &Context{Base: &r.Base}
	}
	return &Context{&r.Base, l.Snapshot}
}

// name returns what is unique about a model; "" if nothing is, or it is unknown.
func (r *Resource[M, T, K]) name(m *M) string {
	if r.def.Unique.Of == nil {
		return ""
	}
	return r.def.Unique.Of(m)
}

// fold returns a name as the server compares it.
func (r *Resource[M, T, K]) fold(name string) string {
	if r.def.Unique.IgnoresCase {
		return strings.ToLower(name)
	}
	return name
}

// called is how messages refer to an object.
func (r *Resource[M, T, K]) called(name string, id K) string {
	switch {
	case name == "" && ObjectID(id) == 0:
		return "the " + r.def.Title
	case name == "":
		return fmt.Sprintf("%s %v", r.def.Title, id)
	}
	return r.def.Title + " " + suggest.Quote(name)
}

// Explain is [diagnostics.Explain] with what a refusal means for this resource.
func (r *Resource[M, T, K]) Explain(err error) string {
	if r.def.Hint == nil {
		return diagnostics.Explain(err)
	}
	return diagnostics.ExplainWith(err, r.def.Hint)
}
