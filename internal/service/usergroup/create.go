package usergroup

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// make brings a group into being and returns its ID, zero if it does not exist. One that is to be taken back is found
// here, and taken back with everything else that changes.
func (r *Resource) make(ctx context.Context, plan *model, diags *diag.Diagnostics) int64 {
	name := plan.Name.ValueString()
	// A group that is replaced has just been deactivated, and keeps its name: it is taken back and set up anew.
	if id, ok := r.Meta.Run.Take(kind, name); ok {
		return id
	}
	view, err := r.Meta.Store.Read(ctx, store.Organization)
	if err == nil && plan.AdoptDeactivated.ValueBool() {
		view, err = r.Meta.Store.Fresh(ctx, store.UserGroups)
	}
	if err != nil {
		diags.AddError(fmt.Sprintf("Cannot create user group %q", name), framework.Explain(err))
		return 0
	}
	if namesake, ok := view.UserGroups().ByName(name); ok && namesake.Deactivated && plan.AdoptDeactivated.ValueBool() {
		return namesake.ID
	}
	request := r.createRequest(plan, view, diags)
	if diags.HasError() {
		return 0
	}
	return r.create(ctx, request, diags)
}

// createRequest is the plan in the words of the wire.
func (r *Resource) createRequest(plan *model, view *snapshot.Snapshot, diags *diag.Diagnostics) zulip.UserGroupCreate {
	// Compared with a group that has nothing at all, everything that is planned is a step.
	nothing := &zulip.UserGroup{}
	on := attribute.On(&r.Base, view)
	changes, problems := attributes.Steps(attributes.PriorObject(nothing, on, diags), &plan.facts, on)
	framework.ReportProblems(diags, problems)
	var all update
	for _, step := range changes {
		step.Put(&all, nothing, false)
	}
	request := zulip.UserGroupCreate{
		Name: plan.Name.ValueString(), Description: plan.Description.ValueString(),
		Members: all.Add, Subgroups: all.AddSubgroups, Permissions: map[string]zulip.GroupSettingValue{},
	}
	for setting, change := range all.Permissions {
		request.Permissions[setting] = change.New
	}
	return request
}

// create asks the server for the group. When the answer is lost it looks whether the group came into being before it
// asks again.
func (r *Resource) create(ctx context.Context, request zulip.UserGroupCreate, diags *diag.Diagnostics) int64 {
	looked := false
	id, err := framework.Creation{
		Kind: kind, Thing: request.Name,
		Look: func(ctx context.Context, free func(int64) bool) (int64, error) {
			// The first look is only for what was there before, and the snapshot knows that.
			read := r.Meta.Store.Fresh
			if !looked {
				read = r.Meta.Store.Read
			}
			looked = true
			view, err := read(ctx, store.UserGroups)
			if err != nil {
				return 0, err
			}
			return r.createdByThisRun(view, request.Name, free), nil
		},
		Make: func(ctx context.Context) (int64, error) {
			var id int64
			var answer *zulip.Answer
			err := r.Meta.Store.Write(ctx, func(ctx context.Context) (err error) {
				id, answer, err = r.Meta.Client.CreateUserGroup(ctx, request)
				return err
			})
			if err != nil {
				return 0, err
			}
			warnIgnored(request, answer.IgnoredParameters, r.FeatureLevel(), diags)
			if id == 0 { // a server below 317 does not say it
				return r.idByName(ctx, request.Name)
			}
			return id, nil
		},
	}.Run(ctx, r.Meta)
	if err != nil {
		r.explainCreate(ctx, request, err, diags)
		return 0
	}
	return id
}

// createdByThisRun returns the ID of an active group of that name that this account made, and for which free reports true; else
// zero.
func (r *Resource) createdByThisRun(view *snapshot.Snapshot, name string, free func(int64) bool) int64 {
	group, ok := view.UserGroups().ByName(name)
	if !ok || group.Deactivated || !free(group.ID) {
		return 0
	}
	if group.CreatorID != nil && *group.CreatorID != r.Meta.Store.Self().ID {
		return 0
	}
	return group.ID
}

func (r *Resource) idByName(ctx context.Context, name string) (int64, error) {
	view, err := r.Meta.Store.Fresh(ctx, store.UserGroups)
	if err != nil {
		return 0, err
	}
	if group, ok := view.UserGroups().ByName(name); ok {
		return group.ID, nil
	}
	return 0, fmt.Errorf("the server says that it made user group %q, and does not show it", name)
}

// explainCreate reports why a group was not created; a taken name with what holds it and how to get it.
func (r *Resource) explainCreate(ctx context.Context, request zulip.UserGroupCreate, cause error, diags *diag.Diagnostics) {
	if zulip.IsMessage(cause, fmt.Sprintf("User group '%s' already exists.", request.Name)) {
		if view, err := r.Meta.Store.Fresh(ctx, store.UserGroups); err == nil {
			if namesake, ok := view.UserGroups().ByName(request.Name); ok {
				if namesake.Deactivated {
					diags.AddAttributeError(path.Root("name"), taken(namesake), adoptionAdvice(namesake))
				} else {
					existing := r.existing(namesake)
					existing.AsPlanned = existing.Ours // the refusal says what else is asked
					existing.Refuse(r.Meta, diags)
				}
				return
			}
		}
	}
	diags.AddError(fmt.Sprintf("Cannot create user group %q", request.Name), framework.Explain(cause))
}

// warnIgnored says what the server did not know. Permissions are compared afterwards, and then are an error.
func warnIgnored(request zulip.UserGroupCreate, ignored []string, level int, diags *diag.Diagnostics) {
	for _, parameter := range slices.DeleteFunc(ignored, func(name string) bool { _, ok := request.Permissions[name]; return ok }) {
		diags.AddWarning(fmt.Sprintf("The server ignored %s of user group %q", parameter, request.Name),
			fmt.Sprintf("It is too old for it (feature level %d).", level))
	}
}

// taken says what holds a name.
func taken(namesake *zulip.UserGroup) string {
	if namesake.Deactivated {
		return fmt.Sprintf("A deactivated user group is called %q", namesake.Name)
	}
	return fmt.Sprintf("A user group called %q exists already", namesake.Name)
}

// adoptionAdvice says how to get the name of a deactivated group.
func adoptionAdvice(namesake *zulip.UserGroup) string {
	return fmt.Sprintf("Groups keep their names when they are deactivated, so that it is not free (ID %d). "+
		"Set adopt_deactivated = true to reactivate that group with its members and permissions, or choose another name, or rename the deactivated one.", namesake.ID)
}
