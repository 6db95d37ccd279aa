package core

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
)

// idAttribute is the attribute that identifies every resource.
const idAttribute = "id"

// Resource is the resource of a definition.
type Resource[Model, Object, Patch any] struct {
	base.Resource
	def        *TableDefinition[Model, Object, Patch]
	schema     func() schema.Schema
	attributes Attributes[Model, Object, Patch]
}

var (
	_ resource.ResourceWithConfigure      = (*Resource[struct{}, struct{}, struct{}])(nil)
	_ resource.ResourceWithIdentity       = (*Resource[struct{}, struct{}, struct{}])(nil)
	_ resource.ResourceWithImportState    = (*Resource[struct{}, struct{}, struct{}])(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource[struct{}, struct{}, struct{}])(nil)
	_ resource.ResourceWithValidateConfig = (*Resource[struct{}, struct{}, struct{}])(nil)
)

// New returns the resource of a definition. Several resources can share a definition.
func New[Model, Object any](def *Definition[Model, Object]) *Resource[Model, Object, Model] {
	shape := sync.OnceValue(def.Schema)
	return &Resource[Model, Object, Model]{
		def: &TableDefinition[Model, Object, Model]{Definition: *def}, schema: shape, attributes: byModel[Model, Object]{def, shape},
	}
}

// NewTable returns the resource of a definition with a table.
func NewTable[Model, Object, Patch any](def *TableDefinition[Model, Object, Patch]) *Resource[Model, Object, Patch] {
	return &Resource[Model, Object, Patch]{def: def, schema: sync.OnceValue(def.Schema), attributes: def.Table}
}

// kind is the type of the resource.
func (r *Resource[Model, Object, Patch]) kind() string { return "zulip_" + r.def.Name }

// Metadata sets the type of the resource.
func (r *Resource[Model, Object, Patch]) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = r.kind()
}

// Schema describes the attributes.
func (r *Resource[Model, Object, Patch]) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.schema()
}

// hasNumber reports whether the ID is a number. Otherwise it is a text, the name of the object in the index.
func (r *Resource[Model, Object, Patch]) hasNumber() bool {
	return r.schema().Attributes[idAttribute].GetType().Equal(types.Int64Type)
}

// IdentitySchema makes the ID the identity.
func (r *Resource[Model, Object, Patch]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	description := r.schema().Attributes[idAttribute].GetMarkdownDescription()
	var id identityschema.Attribute = identityschema.Int64Attribute{RequiredForImport: true, Description: description}
	if !r.hasNumber() {
		id = identityschema.StringAttribute{RequiredForImport: true, Description: description}
	}
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{idAttribute: id}}
}

// ValidateConfig refuses values that are wrong in every organization.
func (r *Resource[Model, Object, Patch]) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	if r.def.Validate == nil {
		return
	}
	var config Model
	if resp.Diagnostics.Append(req.Config.Get(ctx, &config)...); !resp.Diagnostics.HasError() {
		r.def.Validate(&config, &resp.Diagnostics)
	}
}

// WithFixedAttributes is a resource with objects for which the server determines some attributes. These cannot be
// configured, and generated configuration omits them.
type WithFixedAttributes interface {
	FixedAttributes(ctx context.Context, state tftypes.Value) []string
}

// FixedAttributes returns the attributes that the server determines for an object.
func (r *Resource[Model, Object, Patch]) FixedAttributes(ctx context.Context, state tftypes.Value) []string {
	if r.def.Fixed == nil {
		return nil
	}
	var m Model
	if (&tfsdk.State{Raw: state, Schema: r.schema()}).Get(ctx, &m).HasError() {
		return nil
	}
	return r.def.Fixed(&m)
}

// Read sets the state to the object in the snapshot, or removes an object that no longer exists.
func (r *Resource[Model, Object, Patch]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state Model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id := r.id(&state)
	// Even a deleted object has an identity, because Terraform refuses an answer without one.
	r.setIdentity(ctx, &state, resp.Identity, &resp.Diagnostics)
	if id != 0 {
		r.Meta.Run.Note(runstate.Managed, runstate.ID(r.kind(), id))
	}
	if !r.readNamedPeople(ctx, &resp.Diagnostics, &state) {
		return
	}
	view, ok := r.cachedOrReport(ctx, &resp.Diagnostics, func(view *listing[Object]) bool { return r.active(view, id, &state) != nil })
	if !ok {
		return
	}
	object := r.active(view, id, &state)
	isImported := r.name(&state) == "" // no attribute could be outdated
	readsItself := object != nil && !isImported && r.def.IsReadByItself != nil && r.def.IsReadByItself(object)
	if r.def.One != nil && (object == nil || readsItself || r.hasChanged(&state, object, r.call(view))) {
		var err error
		if view, err = r.rereadOne(ctx, id, view); err != nil {
			resp.Diagnostics.AddError("Cannot read "+r.called(r.name(&state), id), r.Explain(err))
			return
		}
		object = r.active(view, id, &state)
	}
	if object == nil {
		_, isThere := r.get(view, id)
		if !isThere && !r.Meta.MayRemove(r.wouldSee(&state), r.called(r.name(&state), id), r.def.SeenBy, &resp.Diagnostics) {
			return
		}
		tflog.Info(ctx, "The "+r.def.Title+" was deleted or archived outside of Terraform: removing it from the state", map[string]any{"id": id, "name": r.name(&state)})
		if r.Meta.Run.Forget(runstate.Managed, runstate.ID(r.kind(), id)); isThere { // it keeps its name
			r.Meta.Run.Note(runstate.Ended, runstate.ID(r.kind(), id))
			r.Meta.Run.Note(runstate.Ended, runstate.Name(r.kind(), r.name(&state)))
		}
		if id == 0 {
			resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(idAttribute), id)...) // not known, but Terraform requires one
		}
		resp.Diagnostics.Append(existing.ForgetReplacedID(ctx, resp.Private)...)
		resp.State.RemoveResource(ctx)
		return
	}
	if id == 0 { // it could not be read when it was created
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(idAttribute), r.idOf(object))...)
		r.Meta.Run.Note(runstate.Managed, runstate.ID(r.kind(), r.def.Key(object)))
	}
	if r.def.Unique.Of != nil {
		resp.Diagnostics.Append(existing.StoreReplacedID(ctx, resp.Private, r.def.Key(object))...)
	}
	c := r.call(view)
	c.own = attribute.Emails(ctx, req.Private, &resp.Diagnostics)
	r.saveState(ctx, &state, object, nil, c, &resp.State, resp.Private, &resp.Diagnostics)
}

// saveState sets the state to the server's values, and the private state to the permissions and the omitted values. An
// import omits nothing, because the managed attributes are not known until it is planned. planned is the plan of an
// apply, or nil.
//
// After an apply the state gets the planned values: Terraform accepts no others. A change in the meantime shows in
// the next plan.
func (r *Resource[Model, Object, Patch]) saveState(ctx context.Context, m *Model, object *Object, planned *Model, c *Call,
	state *tfsdk.State, private base.PrivateSetter, diags *diag.Diagnostics,
) {
	before := *m
	if isImported := r.name(m) == ""; isImported {
		r.attributes.read(m, object, c, diags)
	} else {
		r.attributes.refresh(m, object, c, diags)
	}
	var differing []string
	if planned != nil {
		differing = r.attributes.keepKnown(m, planned)
	}
	if planned != nil || !reflect.DeepEqual(before, *m) { // writing a state costs more than comparing
		diags.Append(state.Set(ctx, m)...)
	}
	if kept := r.attributes.privateState(m, object, differing, c, diags); kept != nil {
		kept.SaveState(ctx, private, diags)
	}
}

// id returns the ID of a model; zero if it is not known, because it could not be read when the object was created.
func (r *Resource[Model, Object, Patch]) id(m *Model) int64 {
	switch id := fieldsOf(m).get(idAttribute).(type) {
	case types.Int64:
		return id.ValueInt64()
	case types.String:
		return TextID(id.ValueString())
	}
	return 0
}

// idOf returns the ID of an object in the form of the attribute.
func (r *Resource[Model, Object, Patch]) idOf(object *Object) attr.Value {
	if r.hasNumber() {
		return types.Int64Value(r.def.Key(object))
	}
	var m Model
	r.def.ReadInto(&m, object, r.call(nil))
	return fieldsOf(&m).get(idAttribute)
}

// setIdentity sets the identity to the ID of a model.
func (r *Resource[Model, Object, Patch]) setIdentity(ctx context.Context, m *Model, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	diags.Append(identity.SetAttribute(ctx, path.Root(idAttribute), fieldsOf(m).get(idAttribute))...)
}

// created returns the object that was created from a model, if the server did not return its ID; nil if there is none.
func (r *Resource[Model, Object, Patch]) created(view *listing[Object], m *Model, free func(id int64) bool) *Object {
	for _, object := range r.all(view) {
		if !r.isGone(object) && r.def.IsCreated(m, object, r.call(view)) && free(r.def.Key(object)) {
			return object
		}
	}
	return nil
}

// active returns the object of a state, unless it is archived or deactivated and the state does not keep it so; nil if there is
// none.
func (r *Resource[Model, Object, Patch]) active(view *listing[Object], id int64, state *Model) *Object {
	object, ok := r.get(view, id)
	if id == 0 && r.def.IsCreated != nil {
		object = r.created(view, state, func(int64) bool { return true })
		ok = object != nil
	}
	if !ok || r.isGone(object) && !r.keepsGone(state, object) {
		return nil
	}
	return object
}

// keepsGone reports whether a model keeps an object that is archived or deactivated; nil keeps none.
func (r *Resource[Model, Object, Patch]) keepsGone(m *Model, object *Object) bool {
	return m != nil && r.def.KeepsGone != nil && r.def.KeepsGone(m, object)
}

// wouldSee reports whether the server would show the account the object of a state.
func (r *Resource[Model, Object, Patch]) wouldSee(state *Model) bool {
	return r.def.IsShown == nil || r.def.IsShown(r.Meta, state)
}

// isGone reports whether an object is archived or deactivated.
func (r *Resource[Model, Object, Patch]) isGone(object *Object) bool {
	return r.def.IsGone != nil && r.def.IsGone(object)
}

func (r *Resource[Model, Object, Patch]) call(l *listing[Object]) *Call {
	if l == nil {
		return &Call{Base: &r.Base}
	}
	return &Call{Base: &r.Base, Snapshot: l.Snapshot}
}

// name returns the unique value of a model, and "" if there is none or it is unknown.
func (r *Resource[Model, Object, Patch]) name(m *Model) string {
	if r.def.Unique.Of == nil {
		return ""
	}
	return r.def.Unique.Of(m)
}

// fold returns a name in the form that the server compares.
func (r *Resource[Model, Object, Patch]) fold(name string) string {
	return runstate.Fold(r.kind(), name)
}

// called returns how messages refer to an object.
func (r *Resource[Model, Object, Patch]) called(name string, id int64) string {
	switch {
	case name == "" && (id == 0 || !r.hasNumber()):
		return "the " + r.def.Title
	case name == "":
		return fmt.Sprintf("%s %d", r.def.Title, id)
	}
	return r.def.Title + " " + suggest.Quote(name)
}

// Explain is [base.Explain] with the hints of this resource.
func (r *Resource[Model, Object, Patch]) Explain(err error) string {
	return base.ExplainWith(err, r.hint)
}

// hint explains a refusal for this resource, and returns "" if it is clear.
func (r *Resource[Model, Object, Patch]) hint(err error) string {
	if r.def.Hint == nil {
		return ""
	}
	return r.def.Hint(err)
}
