package core

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// TablePlan is the planned change of one resource with a table.
type TablePlan[Model, Object, Patch any] struct {
	*Resource[Model, Object, Patch]
	Env attribute.Env
	// Config and Plan are the configuration and the plan, and State the prior state: nil for an object that does not
	// exist yet.
	Config, Plan, State *Model
	// Prior is the starting point of the plan.
	Prior *attribute.Prior[Model, *Object]
	// Adopted is the existing object that is adopted instead of creating a new one; nil for none.
	Adopted *Object
	// Own is the ID of the object of the resource, or of the object that a new resource replaces.
	Own []int64
	// Changes are the changes that the apply would send. The plan may show more: see [attribute.Equivalent].
	Changes []change.Step[*Object, Patch]
	Diags   *diag.Diagnostics
}

// Permissions is the plan of the permissions.
func (p *TablePlan[Model, Object, Patch]) Permissions() attribute.PermissionPlan {
	of, _ := p.attributes.(withPermissions[Model, Object])
	return of.permissionPlan(p.Config, p.Plan, p.Prior, p.Env.View)
}

// ModifyPlan registers the object of the resource, and refuses changes that would fail because of the server, the
// account or another resource of the configuration.
func (r *Resource[Model, Object, Patch]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	p, ok := r.plan(ctx, req, resp)
	if !ok || !r.CanPlan(p.Diags) || !p.IsDestroy() && !r.readNamedPeople(ctx, p.Diags, p.Plan) {
		return
	}
	id := r.register(p)
	switch {
	case p.IsDestroy() || r.def.Unique.Of == nil:
	case p.IsCreate():
		p.Own = existing.ReplacedID(ctx, req.Private, p.Diags)
	case id != 0:
		p.Own = []int64{id}
	}
	if p.Writes = r.writes(p); p.Writes {
		if !p.IsDestroy() {
			r.CheckLevels(ctx, r.kind(), req.Config, p.Diags)
		}
		if r.def.Role != 0 {
			r.Meta.RequireRole(r.def.Role, path.Empty(), "manage "+r.def.Plural, p.Diags)
		}
	}
	if p.IsDestroy() && r.def.CheckPlan == nil || p.Diags.HasError() {
		return
	}
	var before Model
	if p.Plan != nil {
		before = *p.Plan
	}
	t, ok := r.tablePlan(ctx, p, req)
	if !ok {
		return
	}
	var adopted *Object
	if !p.IsDestroy() && !p.IsReplaced && r.reservesName() {
		adopted = r.checkUnique(ctx, p)
	}
	if p.isMatched {
		return
	}
	switch {
	case t != nil:
		if t.Adopted = adopted; adopted != nil {
			t.Prior = r.attributes.priorObject(adopted, &Call{Base: &r.Base, Snapshot: t.Env.View}, t.Diags)
		}
		r.def.CheckTable(ctx, t)
		if managed := t.Managed(); len(managed) > 0 {
			steps := slices.DeleteFunc(slices.Clone(t.Changes), func(one change.Step[*Object, Patch]) bool { return !slices.Contains(managed, one.Attribute) })
			change.WarnOfManaged(t.called(t.name(t.State), t.id(t.State)), steps, t.Diags)
		}
	case r.def.CheckPlan != nil && !p.Diags.HasError():
		r.def.CheckPlan(ctx, p)
		resp.RequiresReplace.Append(p.replace...)
	}
	p.set(ctx, &before, &resp.Plan)
}

// tablePlan returns the plan of a resource with a table, in which values with the same meaning have their prior form;
// nil without a table. It returns false after an error.
func (r *Resource[Model, Object, Patch]) tablePlan(ctx context.Context, p *Plan[Model], req resource.ModifyPlanRequest) (t *TablePlan[Model, Object, Patch], ok bool) {
	if r.def.Table == nil || p.IsDestroy() {
		return nil, true
	}
	view, ok := r.cachedOrReport(ctx, p.Diags, anything)
	if !ok {
		return nil, false
	}
	c, private := r.call(view), attribute.PrivateState{}
	if !p.IsCreate() {
		private = attribute.ReadPrivateState(ctx, req.Private, p.Diags)
		c.own = private.Emails
	}
	t = &TablePlan[Model, Object, Patch]{Resource: r, Env: c.env(), Config: p.Config, Plan: p.Plan, State: p.State, Own: p.Own, Diags: p.Diags}
	if p.IsCreate() {
		t.Prior = r.attributes.priorObject(r.attributes.newObject(), c, p.Diags)
	} else {
		object, _ := r.get(view, r.id(p.State))
		t.Prior = r.attributes.priorState(p.State, private, object, c, p.Diags)
		r.attributes.keepPrior(p.Config, p.Plan, t.Prior, c)
		for _, name := range t.Prior.NotStored {
			if !fieldsOf(p.Plan).get(name).IsNull() {
				attribute.RefuseNotStored(name, p.Diags)
			}
		}
	}
	return t, !p.Diags.HasError()
}

// Managed returns the attributes that become managed: the configuration sets them, and the state omits them.
func (p *TablePlan[Model, Object, Patch]) Managed() (names []string) {
	if p.State == nil {
		return nil
	}
	for _, name := range p.attributes.omittable() {
		if fieldsOf(p.State).get(name).IsNull() && !fieldsOf(p.Config).get(name).IsNull() {
			names = append(names, name)
		}
	}
	return names
}

// Compare sets the changes that the apply would send. The check of the permissions reports values that cannot be
// resolved.
func (p *TablePlan[Model, Object, Patch]) Compare() {
	p.Changes, _ = p.attributes.steps(p.Prior, p.Plan, &Call{Base: &p.Base, Snapshot: p.Env.View})
}

// plan returns the models of a planned change, in which unset attributes of an update have their prior values.
func (r *Resource[Model, Object, Patch]) plan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) (p *Plan[Model], ok bool) {
	p = &Plan[Model]{Base: &r.Base, Diags: &resp.Diagnostics, IsReplaced: len(resp.RequiresReplace) > 0, Private: resp.Private}
	if !req.State.Raw.IsNull() {
		p.State = new(Model)
		p.Diags.Append(req.State.Get(ctx, p.State)...)
	}
	if !req.Plan.Raw.IsNull() {
		p.Plan, p.Config = new(Model), new(Model)
		p.Diags.Append(resp.Plan.Get(ctx, p.Plan)...)
		p.Diags.Append(req.Config.Get(ctx, p.Config)...)
	}
	if p.Diags.HasError() {
		return p, false
	}
	if p.Plan != nil && p.State == nil {
		before := *p.Plan
		r.omitUnset(p)
		p.set(ctx, &before, &resp.Plan)
	}
	if p.Plan != nil && p.State != nil {
		before := *p.Plan
		if !resp.Plan.Raw.IsFullyKnown() {
			r.keepUnset(p)
		}
		if r.def.KeepPrior != nil {
			r.def.KeepPrior(p.Plan, p.State)
		}
		p.set(ctx, &before, &resp.Plan)
		for _, name := range r.def.ForceNew {
			if !fieldsOf(p.Plan).get(name).Equal(fieldsOf(p.State).get(name)) {
				p.Replace(name)
			}
		}
	}
	resp.RequiresReplace.Append(p.replace...)
	return p, !p.Diags.HasError()
}

// set writes the planned model if it has changed, because writing costs more than comparing.
func (p *Plan[Model]) set(ctx context.Context, before *Model, plan *tfsdk.Plan) {
	if p.Plan != nil && !reflect.DeepEqual(before, p.Plan) {
		p.Diags.Append(plan.Set(ctx, p.Plan)...)
	}
}

// keepUnset gives unset attributes without a default their prior value, because they are not managed. The framework
// makes them unknown if anything changes.
func (r *Resource[Model, Object, Patch]) keepUnset(p *Plan[Model]) {
	for name, attribute := range r.schema().Attributes {
		if attribute.IsOptional() && attribute.IsComputed() && fieldsOf(p.Config).get(name).IsNull() && fieldsOf(p.Plan).get(name).IsUnknown() {
			fieldsOf(p.Plan).set(name, fieldsOf(p.State).get(name))
		}
	}
}

// omitUnset sets the unset attributes that the state omits to null in the plan of a new object, because a review of
// the plan assumes that an unknown attribute is set. The next read sets the state to the server's values.
//
// It plans the provider's defaults, so that the plan shows them.
func (r *Resource[Model, Object, Patch]) omitUnset(p *Plan[Model]) {
	omittable := r.attributes.omittable()
	for name, attribute := range r.schema().Attributes {
		if planned := fieldsOf(p.Plan).get(name); planned.IsUnknown() && fieldsOf(p.Config).get(name).IsNull() && (attribute.IsOptional() || slices.Contains(omittable, name)) {
			fieldsOf(p.Plan).set(name, r.unset(name, planned))
		}
	}
}

// unset returns the planned value of an attribute that the configuration of a new object does not set: true if the
// provider adopts objects by default and the server can reactivate them, and otherwise null.
func (r *Resource[Model, Object, Patch]) unset(name string, planned attr.Value) attr.Value {
	switch isDefault, isAdoption := r.Meta.Adopts(name); {
	case isAdoption && r.Meta == nil:
		return planned // the provider's settings are not known yet
	case isDefault && r.HasLevel(featurelevel.LookupValue(r.kind(), name, "true")):
		return types.BoolValue(true)
	}
	return nullOf(planned)
}

func isTrue(value attr.Value) bool {
	flag, ok := value.(types.Bool)
	return ok && flag.ValueBool()
}

// writes reports whether an apply sends anything.
func (r *Resource[Model, Object, Patch]) writes(p *Plan[Model]) bool {
	switch {
	case p.IsDestroy():
		return r.def.IsKept == nil || !r.def.IsKept(p.State)
	case p.IsCreate() || p.IsReplaced:
		return true
	}
	return slices.ContainsFunc(fieldsOf(p.Plan).names(), func(name string) bool {
		planned := fieldsOf(p.Plan).get(name)
		return !isKnown(planned) || !planned.Equal(fieldsOf(p.State).get(name)) && !slices.Contains(r.def.Unsent, name)
	})
}

// register registers the object of the prior state as managed or destroyed by the run, and returns its ID; zero if
// there is none.
func (r *Resource[Model, Object, Patch]) register(p *Plan[Model]) (id int64) {
	if p.State == nil {
		return 0
	}
	if id = r.id(p.State); id != 0 { // otherwise it could not be read when it was created
		existing.Manage(r.Meta, existing.Object{
			Kind: r.kind(), Title: r.def.Title, Name: r.name(p.State), ID: id, Import: r.importText(p.State), KeepsName: r.keepsName(),
			IsKept: r.def.IsKept != nil && r.def.IsKept(p.State),
		}, p.IsDestroy(), p.Diags)
	}
	return id
}

// keepsName reports whether an object keeps its name when its resource is destroyed. Accounts do, but CheckPlan
// checks their names.
func (r *Resource[Model, Object, Patch]) keepsName() bool {
	return r.def.Archives || r.def.IsCheckedByPlan
}

// importText returns the import ID of the object of a model.
func (r *Resource[Model, Object, Patch]) importText(m *Model) string {
	return textOf(fieldsOf(m).get(idAttribute))
}

// reservesName reports whether a plan reserves the name of its object, and refuses the name of another object.
func (r *Resource[Model, Object, Patch]) reservesName() bool {
	return r.def.Unique.Of != nil && !r.def.IsCheckedByPlan
}

// checkUnique refuses a name that another object in this configuration or the organization has. It returns the adopted
// object or nil.
func (r *Resource[Model, Object, Patch]) checkUnique(ctx context.Context, p *Plan[Model]) (adopted *Object) {
	name, run := r.name(p.Plan), &r.Meta.Run
	if name == "" {
		return nil // not known yet
	}
	kind, isRename := r.kind(), !p.IsCreate()
	isSameName := isRename && r.fold(r.name(p.State)) == r.fold(name)
	// The server distinguishes Unicode normal forms of a name, so several objects can keep the same name here.
	other, isFree := run.Reserve(kind, name, p.Own...)
	if holder, isGiven := run.PlannedID(kind, name); !isFree && (!isSameName || isGiven && holder != r.id(p.State)) {
		existing.RefuseDuplicate(kind, r.def.Title+" "+r.def.Unique.word(), name, other, "", r.existingAt(p.Plan), p.Diags)
		return nil
	}
	defer func() {
		switch {
		case adopted != nil:
			run.PlanName(kind, r.def.Key(adopted), name)
		case p.IsCreate():
			run.PlanName(kind, 0, name, p.Own...)
		}
	}()
	if isRename && name != r.name(p.State) {
		// This comes before the check for exchanged names, so that the last of several concurrent plans sees all names.
		run.PlanName(kind, r.id(p.State), name)
		existing.RefuseNamedByText(r.Meta, existing.Object{Kind: kind, Title: r.def.Title, Name: r.name(p.State), ID: r.id(p.State), At: r.existingAt(p.Plan)}, r.def.Unique.word(), p.Diags)
	}
	if p.IsCreate() && len(p.Own) == 0 {
		run.Note(runstate.Created, runstate.Name(kind, name))
	}
	if isSameName {
		return nil
	}
	if isRename && r.refuseExchange(ctx, p, name) {
		return nil
	}
	holder := func(view *listing[Object]) *Object {
		object, ok := r.withName(view, p.Plan)
		if !ok || slices.Contains(p.Own, r.def.Key(object)) || isRename && r.def.IsFreed != nil && r.def.IsFreed(view.Snapshot, object, name) {
			return nil
		}
		return object
	}
	view, ok := r.cachedOrReport(ctx, p.Diags, func(view *listing[Object]) bool {
		object := holder(view)
		return object == nil || run.Knows(runstate.Managed, runstate.ID(kind, r.def.Key(object)))
	})
	if !ok {
		return nil
	}
	object := holder(view)
	if object == nil {
		return nil
	}
	id, adoption := r.def.Key(object), r.def.Adoption
	switch {
	case adoption == nil || !r.isGone(object):
		other := r.existing(p.Plan, object, r.call(view))
		if other.IsRename = isRename; isRename {
			other.AsPlanned, other.MayBeReplaced = false, false
		}
		if other.Check(r.Meta, p.Diags) {
			return object
		}
		p.isMatched = !isRename && r.Meta.WarnOfExisting
	case !isRename && isTrue(fieldsOf(p.Plan).get(adoption.Attribute)):
		summary, detail := adoption.Warning(object)
		p.Diags.AddAttributeWarning(path.Root(adoption.Attribute), summary, detail+" "+existing.AdoptionReason(r.def.Title, adoption.Attribute))
		return object
	case !isRename && run.Knows(runstate.Managed, runstate.ID(kind, id)):
		// The object is replaced by itself: this run archives it, and then reactivates it.
	default:
		summary, detail := adoption.Refusal(object)
		existing.RefuseTakenName(r.Meta, kind, id, path.Root("name"), summary, detail, p.Diags)
	}
	return nil
}

// refuseExchange reports an error if resources of this run would exchange their names. The server refuses the name of
// another object, so none of them could begin. The resource that is planned last reports it.
func (r *Resource[Model, Object, Patch]) refuseExchange(ctx context.Context, p *Plan[Model], name string) (refused bool) {
	view, ok := r.cachedOrReport(ctx, p.Diags, anything)
	if !ok {
		return true
	}
	own := r.id(p.State)
	way, next := []string{suggest.Quote(r.name(p.State))}, name
	for range r.all(view) { // no path is longer
		way = append(way, suggest.Quote(next))
		object, isTaken := r.def.Index(view.Snapshot).ByName(next)
		if !isTaken {
			return false
		}
		if r.def.Key(object) == own {
			if len(way) == 2 {
				return false // it got the name outside Terraform since
			}
			p.Diags.AddAttributeError(r.existingAt(p.Plan), fmt.Sprintf("%s cannot swap names in one apply", base.Capitalize(r.def.Plural)),
				fmt.Sprintf("This plan changes names in a circle: %s. The server does not give a %s a name that is taken, so one apply cannot do this. "+
					"Apply twice: first give one of them an unused name, then set the final names.", strings.Join(way, " → "), r.def.Title))
			return true
		}
		if next, ok = r.Meta.Run.PlannedName(r.kind(), r.def.Key(object)); !ok {
			return false
		}
	}
	return false
}

// existing describes the object with the planned name.
func (r *Resource[Model, Object, Patch]) existing(plan *Model, object *Object, c *Call) existing.Object {
	name, word, id := r.name(plan), r.def.Unique.word(), r.def.Key(object)
	if r.def.Table != nil {
		name = r.def.Index(c.Snapshot).Name(object)
	}
	asPlanned := r.isAsPlanned(plan, object, c)
	e := existing.Object{
		Kind: r.kind(), Title: r.def.Title, Name: name, ID: id, Import: textOf(r.idOf(object)), At: r.existingAt(plan), KeepsName: r.keepsName(),
		Summary:   fmt.Sprintf("A %s with the %s %s already exists", r.def.Title, word, suggest.Quote(name)),
		AsPlanned: asPlanned, MayBeReplaced: asPlanned,
		Ours: true, // as far as the server tells
	}
	if r.def.CreatedBy != nil {
		creator, at := r.def.CreatedBy(object)
		isOwn := creator != nil && *creator == r.Meta.Store.Self().ID
		e.MayBeReplaced, e.Ours = asPlanned && isOwn, isOwn && existing.IsRecent(at)
	}
	if r.def.Unique.Existing != nil {
		r.def.Unique.Existing(&e, object, c)
	}
	return e
}

// RefuseName reports that an object was not created because another has its name, and how to manage or adopt the other.
func (r *Resource[Model, Object, Patch]) RefuseName(plan *Model, object *Object, c *Call, diags *diag.Diagnostics) {
	if adoption := r.def.Adoption; adoption != nil && r.isGone(object) {
		summary, detail := adoption.Refusal(object)
		diags.AddAttributeError(path.Root("name"), summary, detail)
		return
	}
	holder := r.existing(plan, object, c)
	if r.def.Table != nil {
		holder.AsPlanned = holder.Ours // the refusal has the other requirements
	}
	holder.Refuse(r.Meta, diags)
}

func (r *Resource[Model, Object, Patch]) existingAt(plan *Model) path.Path {
	if r.def.Unique.At != nil {
		return path.Root(r.def.Unique.At(plan))
	}
	return path.Root(r.def.Unique.attribute())
}

func (u *Unique[Model, Object]) attribute() string { return cmp.Or(u.Attribute, "name") }
func (u *Unique[Model, Object]) word() string      { return cmp.Or(u.Word, "name") }
