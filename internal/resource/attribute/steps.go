package attribute

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Permissions is the part of a [Subject] that every kind of object with permissions has in common: which
// permissions a T has, and where an update U has their changes.
type Permissions[T, U any] struct {
	Table   permission.Table
	Held    func(T) map[string]zulip.GroupSettingValue
	Changes func(*U) *map[string]zulip.GroupSettingChange
}

// Steps lists the permissions that change from prior values, in the table's order, as [PermissionPlan.Classify] decides.
// before are the attributes of the state, nil for what is to be created. Principals that cannot be written are problems.
func (p Permissions[T, U]) Steps(prior map[string]zulip.GroupSettingValue, before, plan Sets, view *snapshot.Snapshot) (all []Step[T, U], problems []permission.Problem) {
	table := PermissionPlan{Table: p.Table, Plan: plan, State: before, Prior: prior, View: view}
	for _, setting := range p.Table.Settings {
		found := table.Classify(setting.Name)
		switch found.Outcome {
		case Unusable, Planned, Written:
		default:
			continue
		}
		problems = append(problems, found.Problems...)
		for _, principal := range found.Planned {
			problems = append(problems, permission.Problem{Principal: principal, Summary: fmt.Sprintf("%q is still not in the organization", principal),
				Detail: fmt.Sprintf("The plan was to create or reactivate it before this %s. Refer to the resource that does, so that Terraform knows the order.", p.Table.Noun)})
		}
		all = append(all, p.Step(setting.Name, prior[setting.Name], found.Value, view))
	}
	return all, problems
}

// Step is the change of one permission from a prior value to a planned one. Who is deactivated is taken from the view,
// throughout the apply.
func (p Permissions[T, U]) Step(setting string, prior, want zulip.GroupSettingValue, view *snapshot.Snapshot) Step[T, U] {
	describe := func(value zulip.GroupSettingValue) string {
		return permission.Describe(activeMembers(value, view), view)
	}
	return Step[T, U]{
		Attribute: setting, Permission: true, Current: func(thing T) string { return describe(p.Held(thing)[setting]) },
		Prior: describe(prior), Planned: permission.Describe(want, view),
		Put: func(update *U, now T, compare bool) {
			changes := p.Changes(update)
			if *changes == nil {
				*changes = map[string]zulip.GroupSettingChange{}
			}
			change := zulip.GroupSettingChange{New: want}
			// A value that is not in the form the server stores hides somebody deactivated: the server would compare an
			// old value with what it hides and refuse. It has just been read and compared instead. A list can hide
			// somebody without showing it: that is found out by comparing in vain.
			old, ok := p.Held(now)[setting]
			if ok && permission.IsCanonical(old, permission.NobodyID(view)) && (compare || old.IsNamed()) {
				change.Old = &old
			}
			(*changes)[setting] = change
		},
	}
}

// ReportProblems reports principals that an apply found unusable.
func ReportProblems(diags *diag.Diagnostics, problems []permission.Problem) {
	for _, problem := range problems {
		diags.AddError(problem.Summary, problem.Detail)
	}
}
