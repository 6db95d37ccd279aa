package resourcekit

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/directory"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
)

// idAttribute is the attribute that every resource is told by.
const idAttribute = "id"

// Resource is a resource by its definition.
type Resource[M, T any, K Key] struct {
	framework.Resource
	def Definition[M, T, K]
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
	return &Resource[M, T, K]{def: def}
}

// kind is the type of the resource.
func (r *Resource[M, T, K]) kind() string { return "zulip_" + r.def.Name }

// Metadata tells the type of the resource.
func (r *Resource[M, T, K]) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = r.kind()
}

// Schema tells the attributes.
func (r *Resource[M, T, K]) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.def.Schema
}

// IdentitySchema makes the ID the identity.
func (r *Resource[M, T, K]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	description := r.def.Schema.Attributes[idAttribute].GetMarkdownDescription()
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

// Read sets the state to what the snapshot has, or removes what is gone from the state.
func (r *Resource[M, T, K]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state M
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	id := stateID[K](ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	// Also for what is gone: without an identity the CLI takes the answer for a mistake.
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(idAttribute), id)...)
	if ObjectID(id) != 0 {
		r.Meta.Run.Manage(r.kind(), ObjectID(id))
	}
	view, ok := r.read(ctx, &resp.Diagnostics, func(view *directory.View) bool { return r.active(view, id, &state) != nil })
	if !ok {
		return
	}
	object := r.active(view, id, &state)
	if object == nil {
		tflog.Info(ctx, "The "+r.def.Title+" was deleted or archived outside of Terraform: removing it from the state", map[string]any{"id": id})
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

// active returns the object of a state, unless it is archived or deactivated; nil if there is none. Without an ID it is
// found by its name, among what the provider's account created as far as the server tells.
func (r *Resource[M, T, K]) active(view *directory.View, id K, state *M) *T {
	object, ok := r.def.Get(view, id)
	if ObjectID(id) == 0 && r.def.Source.HidesID {
		if object, ok = r.def.Unique.Find(view, state); ok && r.def.Unique.Existing != nil {
			e := framework.Existing{Ours: true}
			r.def.Unique.Existing(&e, object, r.context(view))
			ok = e.Ours
		}
	}
	if !ok || r.def.IsGone != nil && r.def.IsGone(object) {
		return nil
	}
	return object
}

// read returns the organization as this run knows it, or reports why it cannot be read. Where the server's list lags, it
// is read again until shows is true of it, or it can be relied on.
func (r *Resource[M, T, K]) read(ctx context.Context, diags *diag.Diagnostics, shows func(*directory.View) bool) (*directory.View, bool) {
	view, err := r.snapshot(ctx, shows)
	if err != nil {
		diags.AddError("Cannot read the "+r.def.Plural, framework.Explain(err))
	}
	return view, err == nil
}

func (r *Resource[M, T, K]) snapshot(ctx context.Context, shows func(*directory.View) bool) (*directory.View, error) {
	if r.def.Source.Lags {
		return r.Meta.Directory.ListShowing(ctx, r.def.Source.Part, shows)
	}
	return r.def.Source.Read(r.Meta.Directory, ctx)
}

// readFresh returns the organization after a request of its own; shows is as with read.
func (r *Resource[M, T, K]) readFresh(ctx context.Context, shows func(*directory.View) bool) (*directory.View, error) {
	if r.def.Source.Lags {
		return r.Meta.Directory.FreshListShowing(ctx, r.def.Source.Part, shows)
	}
	return r.def.Source.Fresh(r.Meta.Directory, ctx)
}

// write sends a request that changes an object.
func (r *Resource[M, T, K]) write(ctx context.Context, send func(context.Context) error) error {
	if r.def.Source.Lags {
		return r.Meta.Directory.WriteList(ctx, r.def.Source.Part, send)
	}
	err := send(ctx)
	if err != nil || r.def.Source.StoresAsSent {
		r.Meta.Directory.Forget(r.def.Source.Part) // the request may have been carried out all the same
	}
	return err
}

// anything is shown by every snapshot.
func anything(*directory.View) bool { return true }

func (r *Resource[M, T, K]) context(view *directory.View) *Context { return &Context{&r.Base, view} }

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
	if name == "" {
		return strings.TrimSpace(fmt.Sprintf("%s %v", r.def.Title, id))
	}
	return r.def.Title + " " + framework.Quote(name)
}

// Explain is [framework.Explain] with what a refusal means for this resource.
func (r *Resource[M, T, K]) Explain(err error) string {
	text := framework.Explain(err)
	if r.def.Hint == nil {
		return text
	}
	if hint := r.def.Hint(err); hint != "" {
		text += "\n\n" + hint
	}
	return text
}
