package resourcekit

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/compareandset"
	"github.com/zulip-iac/terraform-provider-zulip/internal/diagnostics"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permissionattribute"
)

// TablePlan is the plan of one object by a table while it is checked.
type TablePlan[M, F, T, U any] struct {
	*TableResource[M, F, T, U]
	On           attribute.Server
	Config, Plan M
	// State is nil for an object that is to be created.
	State *M
	// Prior is what the plan is computed from.
	Prior *attribute.Prior[F, *T]
	// Adopted is the existing object that is adopted instead of creating one; nil for none.
	Adopted *T
	// Changes are what the apply would send. The plan may show more: see [permissionattribute.Equivalent].
	Changes []compareandset.Step[*T, U]
	Diags   *diag.Diagnostics
}

// ModifyPlan registers what the resource manages, resolves names, and refuses what the server, the account or another
// resource of the configuration would make fail.
func (r *TableResource[M, F, T, U]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !r.CanPlan(&resp.Diagnostics) {
		return
	}
	p := &TablePlan[M, F, T, U]{TableResource: r, Diags: &resp.Diagnostics}
	if !p.load(ctx, req) || req.Plan.Raw.IsNull() {
		return
	}
	before, table, planned := p.Plan, r.def.Table, r.def.Facts(&p.Plan)
	p.checkName()
	p.registerName()
	table.KeepPrior(r.def.Facts(&p.Config), planned, p.Prior, p.On)
	if r.def.Derive != nil {
		r.def.Derive(p)
	}
	p.Changes, _ = table.Steps(p.Prior, planned, p.On) // what cannot be resolved is reported by Check
	r.def.Check(ctx, p)
	if !reflect.DeepEqual(before, p.Plan) {
		resp.Diagnostics.Append(resp.Plan.Set(ctx, &p.Plan)...)
	}
}

// load reads what is planned and the organization, and registers the object that the state has. It returns false after an error.
func (p *TablePlan[M, F, T, U]) load(ctx context.Context, req resource.ModifyPlanRequest) (ok bool) {
	if !req.State.Raw.IsNull() {
		p.State = new(M)
		p.Diags.Append(req.State.Get(ctx, p.State)...)
		p.registerObject(req.Plan.Raw.IsNull())
	}
	if p.Diags.HasError() || req.Plan.Raw.IsNull() {
		return !p.Diags.HasError()
	}
	p.CheckLevels(ctx, p.kind(), req.Config, p.Diags)
	p.Diags.Append(req.Config.Get(ctx, &p.Config)...)
	p.Diags.Append(req.Plan.Get(ctx, &p.Plan)...)
	if p.Diags.HasError() {
		return false
	}
	s, err := p.Meta.Store.Read(ctx, p.def.Source.Part)
	if err != nil {
		p.Diags.AddError("Cannot read the "+p.def.Plural, diagnostics.Explain(err))
		return false
	}
	p.On = attribute.On(&p.Base, s)
	if p.State == nil {
		p.Prior = p.def.Table.PriorObject(p.def.New, p.On, p.Diags)
	} else {
		p.Prior = p.def.Table.PriorState(p.def.Facts(p.State), permissionattribute.Raw(ctx, req.Private, p.Diags), p.On)
	}
	return !p.Diags.HasError()
}

// registerObject registers the object that the state has, and whether it is destroyed.
func (p *TablePlan[M, F, T, U]) registerObject(isDestroyed bool) {
	id, name := p.id(p.State), p.name(p.State)
	if id == 0 {
		return
	}
	Manage(p.Meta, Existing{
		Kind: p.kind(), Title: p.def.Title, Name: name, Key: p.fold(name), ID: id, Import: fmt.Sprint(id),
	}, isDestroyed, p.Diags)
}

// registerName lets whatever is planned later name the object as it will be.
func (p *TablePlan[M, F, T, U]) registerName() {
	name, run := p.name(&p.Plan), &p.Meta.Run
	switch {
	case name == "": // not known yet
	case p.Adopted != nil:
		p.def.PlanName(run, p.def.Key(p.Adopted), name)
	case p.State == nil:
		p.def.PlanName(run, 0, name)
	case name != p.name(p.State):
		p.def.PlanName(run, p.id(p.State), name)
	}
}

// checkName refuses a name that another object has, archived or deactivated ones included, and finds the object that is adopted.
func (p *TablePlan[M, F, T, U]) checkName() {
	name, run := p.name(&p.Plan), &p.Meta.Run
	if name == "" || p.State != nil && p.name(p.State) == name {
		return
	}
	var own int64
	if p.State == nil {
		if !run.Reserve(p.kind(), p.fold(name)) {
			p.refuseDuplicate(name, path.Root("name"), p.Diags)
			return
		}
		run.WillCreate(p.kind(), p.fold(name))
	} else {
		own = p.id(p.State)
	}
	object, found := p.def.NameTaken(p.On.View, name, own)
	if !found {
		return
	}
	id := p.def.Key(object)
	isNew := p.State == nil
	switch {
	case !p.def.IsGone(object):
		p.checkExisting(object)
	case isNew && p.def.Adoption.IsAsked(&p.Config):
		p.Adopted = object
		summary, detail := p.def.Adoption.Warning(object)
		p.Diags.AddAttributeWarning(path.Root(p.def.Adoption.Attribute), summary, detail)
	case isNew && run.IsManaged(p.kind(), id):
		// It is replaced by itself: this run archives it, and then reactivates it.
	default:
		summary, detail := p.def.Adoption.Refusal(object)
		RefuseTakenName(p.Meta, p.kind(), id, path.Root("name"), summary, detail, p.Diags)
	}
}

// checkExisting refuses a name that an active object has, or adopts that object if an interrupted apply has left it.
func (p *TablePlan[M, F, T, U]) checkExisting(object *T) {
	existing := p.existing(object)
	if p.State != nil {
		existing.Refuse(p.Meta, p.Diags)
		return
	}
	changes, problems := p.def.Table.Steps(p.def.Table.PriorObject(object, p.On, p.Diags), p.def.Facts(&p.Plan), p.On)
	existing.AsPlanned = len(problems) == 0 && !slices.ContainsFunc(changes, func(s compareandset.Step[*T, U]) bool {
		return !slices.Contains(p.def.SentLater, s.Attribute)
	})
	existing.MayBeReplaced = existing.MayBeReplaced && existing.AsPlanned
	if CheckExisting(p.Meta, existing, p.Diags) {
		p.Adopted = object
	}
}

// Permissions is the plan of the permissions.
func (p *TablePlan[M, F, T, U]) Permissions() permissionattribute.Plan {
	return p.def.Table.PermissionPlan(p.def.Facts(&p.Config), p.def.Facts(&p.Plan), p.Prior, p.On.View)
}
