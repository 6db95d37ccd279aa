package resourcekit

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/suggest"
)

// ModifyPlan registers what the resource manages, and refuses what the server, the account or another resource of the
// configuration would make fail.
func (r *Resource[M, T, K]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	p, ok := r.plan(ctx, req, resp)
	if !ok || !r.CanPlan(p.Diags) {
		return
	}
	number := r.register(ctx, p, req)
	if !p.IsDestroy() && !p.IsCreate() && r.reservesName() {
		p.Diags.Append(storeReplacedID(ctx, resp.Private, number)...)
	}
	if r.writes(p, req.State.Raw, resp.Plan.Raw) {
		if !p.IsDestroy() {
			r.CheckLevels(ctx, r.kind(), req.Config, p.Diags)
		}
		if r.def.Role != 0 {
			r.Meta.RequireRole(r.def.Role, path.Empty(), "manage "+r.def.Plural, p.Diags)
		}
	}
	if !p.IsDestroy() && !p.IsReplaced && r.reservesName() && !p.Diags.HasError() {
		var own []int64
		if p.IsCreate() {
			own = replacedID(ctx, req.Private, p.Diags)
		} else if number != 0 {
			own = []int64{number}
		}
		r.checkUnique(ctx, p, resp.Plan.Raw, own)
	}
	if r.def.CheckPlan != nil && !p.Diags.HasError() {
		if r.def.CheckPlan(ctx, p); p.Plan != nil {
			p.Diags.Append(resp.Plan.Set(ctx, p.Plan)...)
			resp.RequiresReplace.Append(p.replace...)
		}
	}
}

// plan returns the models of a planned change, in which unset attributes of an update have their prior values.
func (r *Resource[M, T, K]) plan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) (p *Plan[M], ok bool) {
	p = &Plan[M]{Base: &r.Base, Diags: &resp.Diagnostics, IsReplaced: len(resp.RequiresReplace) > 0}
	if !req.State.Raw.IsNull() {
		p.Prior = new(M)
		p.Diags.Append(req.State.Get(ctx, p.Prior)...)
	}
	if !req.Plan.Raw.IsNull() {
		if p.Prior != nil {
			r.keepUnset(ctx, req, resp)
		}
		p.Plan, p.Config = new(M), new(M)
		p.Diags.Append(resp.Plan.Get(ctx, p.Plan)...)
		p.Diags.Append(req.Config.Get(ctx, p.Config)...)
	}
	if p.Diags.HasError() {
		return p, false
	}
	if p.Plan != nil && p.Prior != nil {
		if r.def.KeepPrior != nil {
			r.def.KeepPrior(p.Plan, p.Prior)
			p.Diags.Append(resp.Plan.Set(ctx, p.Plan)...)
		}
		for _, name := range r.def.ForceNew {
			if !r.isUnchanged(ctx, name, req, resp) {
				p.Replace(name)
			}
		}
	}
	resp.RequiresReplace.Append(p.replace...)
	return p, !p.Diags.HasError()
}

// isUnchanged reports whether an attribute is planned to have its prior value.
func (r *Resource[M, T, K]) isUnchanged(ctx context.Context, name string, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) bool {
	var planned, prior attr.Value
	resp.Diagnostics.Append(resp.Plan.GetAttribute(ctx, path.Root(name), &planned)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root(name), &prior)...)
	return resp.Diagnostics.HasError() || planned.Equal(prior)
}

// keepUnset gives attributes that are not configured, and have no default, their prior value: unset is not managed. Until
// then they are unknown, if anything changes.
func (r *Resource[M, T, K]) keepUnset(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if resp.Plan.Raw.IsFullyKnown() {
		return
	}
	for name, attribute := range r.schema().Attributes {
		if !attribute.IsOptional() || !attribute.IsComputed() {
			continue
		}
		at := path.Root(name)
		var configured, planned, prior attr.Value
		resp.Diagnostics.Append(req.Config.GetAttribute(ctx, at, &configured)...)
		resp.Diagnostics.Append(resp.Plan.GetAttribute(ctx, at, &planned)...)
		resp.Diagnostics.Append(req.State.GetAttribute(ctx, at, &prior)...)
		if resp.Diagnostics.HasError() {
			return
		}
		if configured.IsNull() && planned.IsUnknown() {
			resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, at, prior)...)
		}
	}
}

// writes reports whether an apply sends anything.
func (r *Resource[M, T, K]) writes(p *Plan[M], prior, planned tftypes.Value) bool {
	switch {
	case p.IsDestroy():
		return r.def.IsKept == nil || !r.def.IsKept(p.Prior)
	case p.IsCreate() || p.IsReplaced:
		return true
	}
	return !planned.IsFullyKnown() || !agrees(planned, prior, r.def.Unsent...)
}

// register tells the run which object the prior state manages, or gives up, and returns its ID; zero if there is none.
func (r *Resource[M, T, K]) register(ctx context.Context, p *Plan[M], req resource.ModifyPlanRequest) int64 {
	if p.Prior == nil {
		return 0
	}
	id := stateID[K](ctx, req.State, p.Diags)
	number := ObjectID(id)
	if number == 0 {
		return 0 // it could not be read when it was created
	}
	Manage(r.Meta, Existing{
		Kind: r.kind(), Title: r.def.Title, Name: r.name(p.Prior), Key: r.fold(r.name(p.Prior)), ID: number, Import: fmt.Sprint(id),
	}, p.IsDestroy(), p.Diags)
	return number
}

// reservesName reports whether a plan reserves the name of its object for it, and refuses one that another object has.
func (r *Resource[M, T, K]) reservesName() bool {
	return r.def.Unique.Of != nil && !r.def.Unique.IsCheckedByPlan
}

// checkUnique refuses a name that another object has, of this configuration or of the organization. own is the ID of the
// object that the resource has, or replaces.
func (r *Resource[M, T, K]) checkUnique(ctx context.Context, p *Plan[M], planned tftypes.Value, own []int64) {
	name := r.name(p.Plan)
	if name == "" {
		return // unknown yet
	}
	kind := r.kind()
	if !r.Meta.Run.Reserve(kind, r.fold(name), own...) {
		r.refuseDuplicate(name, r.existingAt(p.Plan), p.Diags)
		return
	}
	if p.IsCreate() && len(own) == 0 {
		r.Meta.Run.WillCreate(kind, r.fold(name))
	}
	if p.Prior != nil && r.fold(r.name(p.Prior)) == r.fold(name) {
		return
	}
	holder := func(view *listing[T]) *T {
		if object, ok := r.withName(view, p.Plan); ok && !slices.Contains(own, ObjectID(r.def.Key(object))) {
			return object
		}
		return nil
	}
	view, ok := r.read(ctx, p.Diags, func(view *listing[T]) bool {
		object := holder(view)
		return object == nil || r.Meta.Run.IsManaged(kind, ObjectID(r.def.Key(object)))
	})
	if !ok {
		return
	}
	if object := holder(view); object != nil {
		existing := r.existing(ctx, p.Plan, planned, object, view)
		if existing.IsRename = !p.IsCreate(); existing.IsRename {
			existing.AsPlanned, existing.MayBeReplaced = false, false
		}
		CheckExisting(r.Meta, existing, p.Diags)
	}
}

// refuseDuplicate reports that another resource of the configuration has the same name.
func (r *Resource[M, T, K]) refuseDuplicate(name string, at path.Path, diags *diag.Diagnostics) {
	word := r.def.Unique.word()
	diags.AddAttributeError(at, fmt.Sprintf("Duplicate %s %s %s", r.def.Title, word, suggest.Quote(name)),
		fmt.Sprintf("Another %s in this configuration has the same %s%s. Change or remove one of them.", r.kind(), word, r.aboutCase()))
}

// existing describes the object that has the name that a plan asks for.
func (r *Resource[M, T, K]) existing(ctx context.Context, plan *M, planned tftypes.Value, object *T, view *listing[T]) Existing {
	name, word, id := r.name(plan), r.def.Unique.word(), r.def.Key(object)
	asPlanned := r.isAsPlanned(ctx, plan, planned, object, view)
	e := Existing{
		Kind: r.kind(), Title: r.def.Title, Name: name, Key: r.fold(name), ID: ObjectID(id), Import: fmt.Sprint(id), At: r.existingAt(plan),
		Summary:   fmt.Sprintf("A %s with the %s %s already exists", r.def.Title, word, suggest.Quote(name)),
		AsPlanned: asPlanned, MayBeReplaced: asPlanned,
		Ours: true, // as far as the server tells
	}
	if r.def.Unique.Existing != nil {
		r.def.Unique.Existing(&e, object, r.context(view))
	}
	return e
}

func (r *Resource[M, T, K]) existingAt(plan *M) path.Path {
	if r.def.Unique.At != nil {
		return path.Root(r.def.Unique.At(plan))
	}
	return path.Root(r.def.Unique.attribute())
}

func (r *Resource[M, T, K]) aboutCase() string {
	if !r.def.Unique.IgnoresCase {
		return ""
	}
	return fmt.Sprintf(" (case is ignored in a %s)", r.def.Unique.word())
}

func (u *Unique[M, T]) attribute() string { return cmp.Or(u.Attribute, "name") }
func (u *Unique[M, T]) word() string      { return cmp.Or(u.Word, "name") }
