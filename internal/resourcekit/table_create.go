package resourcekit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/compareandset"
	"github.com/zulip-iac/terraform-provider-zulip/internal/diagnostics"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permissionattribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Create creates the object or reactivates one, and then sends what it lacks of the plan.
func (r *TableResource[M, F, T, U]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan M
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id := r.create(ctx, &plan, &resp.Diagnostics)
	if id == 0 {
		return
	}
	// The object exists: it is in the state before anything else can fail.
	state, planned := plan, r.def.Facts(&plan)
	facts := r.def.Facts(&state)
	r.def.Table.ForgetUnknown(facts)
	*r.def.ID(facts) = types.Int64Value(id)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(idAttribute), id)...)
	r.Meta.Run.Manage(r.kind(), id)
	if r.def.RegisterCreated != nil {
		r.def.RegisterCreated(&r.Meta.Run, id, planned)
	}

	read := r.Fresh
	if r.def.Adoption.Reactivate != nil {
		read = r.freshOrGone
	}
	now, err := read(ctx, id)
	if err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Cannot read %s after it was created", r.called(r.name(&plan), id)),
			diagnostics.Explain(err)+"\n\nIt is in the state. The next apply goes on from there.")
		return
	}
	// What the creation dropped (server-behavior §C8), and what a reactivated object has otherwise, is sent now.
	on := attribute.On(&r.Base, now.View)
	missing, problems := r.def.Table.Steps(r.def.Table.PriorObject(now.Thing, on, &resp.Diagnostics), planned, on)
	permissionattribute.ReportProblems(&resp.Diagnostics, problems)
	if r.def.IsGone(now.Thing) {
		missing = append(missing, r.reactivation())
	}
	if !resp.Diagnostics.HasError() {
		now = r.Change(ctx, id, missing, now, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		planned = nil
	}
	set := func() diag.Diagnostics { return resp.State.Set(ctx, &state) }
	r.def.Table.Store(ctx, facts, now, planned, on, set, resp.Private, &resp.Diagnostics)
}

// reactivation is the step that reactivates an object.
func (r *TableResource[M, F, T, U]) reactivation() compareandset.Step[*T, U] {
	return compareandset.Step[*T, U]{
		Attribute: "deactivated", Prior: "true", Planned: "false",
		Current: func(object *T) string { return fmt.Sprint(r.def.IsGone(object)) },
		Put:     func(update *U, _ *T, _ bool) { r.def.Adoption.Reactivate(update) },
	}
}

// create returns the ID of the object that a plan is to have: of one that this run archived or adopts, of an archived one if the
// plan asks for it, or of a new one. It returns zero after an error.
func (r *TableResource[M, F, T, U]) create(ctx context.Context, plan *M, diags *diag.Diagnostics) int64 {
	c := &TableCreation[M, F, T, U]{TableResource: r, Plan: plan, Name: r.name(plan), Diags: diags}
	if id, released := r.Meta.Run.Take(r.kind(), r.fold(c.Name)); released {
		if r.Meta.Run.IsDestroyed(r.kind(), id) { // it is being replaced: it keeps its name, and is reactivated and set up anew
			return c.reactivate(ctx, id)
		}
		return id
	}
	isAdopting := r.def.Adoption.IsAsked(plan)
	var err error
	c.Snapshot, err = r.Meta.Store.Read(ctx, store.Organization)
	if err == nil && isAdopting {
		c.Snapshot, err = r.Meta.Store.Fresh(ctx, r.def.Source.Part)
	}
	if err != nil {
		diags.AddError(c.summary(), diagnostics.Explain(err))
		return 0
	}
	if isAdopting {
		if object, ok := r.def.Index(c.Snapshot).ByName(c.Name); ok && r.def.IsGone(object) {
			return c.reactivate(ctx, r.def.Key(object))
		}
	}
	on, planned := attribute.On(&r.Base, c.Snapshot), r.def.Facts(plan)
	if r.def.AtCreation != nil {
		planned = r.def.AtCreation(planned)
	}
	var problems []permission.Problem
	c.Steps, problems = r.def.Table.Steps(r.def.Table.PriorObject(r.def.New, on, diags), planned, on)
	permissionattribute.ReportProblems(diags, problems)
	if diags.HasError() {
		return 0
	}
	return r.def.CreateObject(ctx, c)
}

// TableCreation is the creation of one object by a table.
type TableCreation[M, F, T, U any] struct {
	*TableResource[M, F, T, U]
	Snapshot *snapshot.Snapshot
	Plan     *M
	Name     string
	// Steps are the planned values that a new object does not have by itself.
	Steps []compareandset.Step[*T, U]
	Diags *diag.Diagnostics
}

// summary begins the message of a creation that failed.
func (c *TableCreation[M, F, T, U]) summary() string { return "Cannot create " + c.called(c.Name, 0) }

// reactivate returns the ID of an object that is to be reactivated; zero after an error.
func (c *TableCreation[M, F, T, U]) reactivate(ctx context.Context, id int64) int64 {
	if c.def.Adoption.Unarchive == nil {
		return id // with the first change
	}
	err := c.def.Adoption.Unarchive(ctx, &c.Base, id)
	if err != nil && zulip.MayHaveHappened(err) {
		if _, readErr := c.Fresh(ctx, id); readErr == nil {
			return id
		}
	}
	if err != nil {
		c.report(c.Diags, "Cannot unarchive "+c.called(c.Name, id), err)
		return 0
	}
	return id
}

// Send sends the request that creates the object, and returns its ID; zero after an error, which it reports. If the answer is
// lost it looks for the object before it sends the request again.
func (c *TableCreation[M, F, T, U]) Send(ctx context.Context, send func(context.Context) (int64, *zulip.Answer, error)) int64 {
	read := c.Meta.Store.Read // what is there before is in the snapshot
	id, err := Creation{
		Kind: c.kind(), Thing: c.fold(c.Name), Differ: c.def.RightsDiffer,
		Look: func(ctx context.Context, free func(int64) bool) (int64, error) {
			s, err := read(ctx, c.def.Source.Part)
			read = c.Meta.Store.Fresh
			if err != nil {
				return 0, err
			}
			if object := c.Own(s); object != nil && free(c.def.Key(object)) {
				return c.def.Key(object), nil
			}
			return 0, nil
		},
		Make: func(ctx context.Context) (id int64, err error) {
			var answer *zulip.Answer
			err = c.Meta.Store.Write(ctx, func(ctx context.Context) (err error) {
				id, answer, err = send(ctx)
				return err
			})
			if err != nil {
				return 0, err
			}
			c.WarnIgnored(answer)
			if id == 0 { // the server does not tell it
				return c.findCreated(ctx)
			}
			return id, nil
		},
	}.Run(ctx, c.Meta)
	if err != nil {
		c.Refused(ctx, err)
		return 0
	}
	return id
}

// findCreated returns the ID of the object of the name, which was just created.
func (c *TableCreation[M, F, T, U]) findCreated(ctx context.Context) (int64, error) {
	s, err := c.Meta.Store.Fresh(ctx, c.def.Source.Part)
	if err != nil {
		return 0, err
	}
	if object, ok := c.def.Index(s).ByName(c.Name); ok {
		return c.def.Key(object), nil
	}
	return 0, errors.New("the server accepted the request and does not list the " + c.def.Title)
}

// Own returns the active object of the name if the provider's account created it; nil if there is none.
func (c *TableCreation[M, F, T, U]) Own(s *snapshot.Snapshot) *T {
	object, ok := c.def.Index(s).ByName(c.Name)
	if !ok || c.def.IsGone(object) {
		return nil
	}
	if creator, _ := c.def.CreatedBy(object); creator == nil || *creator != c.Meta.Store.Self().ID {
		return nil
	}
	return object
}

// Refused reports why the object was not created: if its name is taken, what has it and how to manage that.
func (c *TableCreation[M, F, T, U]) Refused(ctx context.Context, cause error) {
	if c.def.Unique.IsTaken(cause) {
		if s, err := c.Meta.Store.Fresh(ctx, c.def.Source.Part); err == nil {
			if object, ok := c.def.Index(s).ByName(c.Name); ok {
				c.RefuseName(object, c.Diags)
				return
			}
		}
		c.Diags.AddAttributeError(path.Root("name"), c.summary(), c.Explain(cause))
		return
	}
	c.Diags.AddError(c.summary(), c.Explain(cause))
}

// WarnIgnored warns of what the server did not know, but for permissions: those are compared afterwards.
func (c *TableCreation[M, F, T, U]) WarnIgnored(answer *zulip.Answer) {
	for _, parameter := range answer.IgnoredParameters {
		if !slices.ContainsFunc(c.def.Table.Wire.Table.Settings, func(s permission.Setting) bool { return s.Name == parameter }) {
			c.Diags.AddWarning(fmt.Sprintf("The server ignored %s of %s", parameter, c.called(c.Name, 0)),
				fmt.Sprintf("It is too old for it (feature level %d).", c.FeatureLevel()))
		}
	}
}
