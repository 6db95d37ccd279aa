package framework

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/directory"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Permissions is the part of a [Subject] that every kind of thing with permissions has in common: what T holds of them,
// and where U keeps their changes.
type Permissions[T, U any] struct {
	Table   permission.Table
	Held    func(T) map[string]zulip.GroupSettingValue
	Changes func(*U) *map[string]zulip.GroupSettingChange
}

// Steps lists the permissions that change, in the table's order. Those whose planned value is not known or not managed
// are none. Principals that cannot be written are problems.
func (p Permissions[T, U]) Steps(saw T, plan PermissionSets, view *directory.View) (all []Step[T, U], problems []permission.Problem) {
	nobody := permission.NobodyID(view)
	for _, setting := range p.Table.Settings {
		set := *plan(setting.Name)
		principals, known := PrincipalsOf(set)
		if !known || set.IsNull() {
			continue
		}
		resolved, unusable := permission.Resolve(principals, view)
		// What was not seen at all, as of a thing that is yet to be created, is not the same as nobody.
		held, ok := p.Held(saw)[setting.Name]
		if ok && len(unusable) == 0 && permission.Equal(held, resolved.Value, nobody) {
			continue
		}
		problems = append(problems, unusable...)
		for _, principal := range resolved.Planned {
			problems = append(problems, permission.Problem{Principal: principal, Summary: fmt.Sprintf("%q is still not in the organization", principal),
				Detail: fmt.Sprintf("The plan was to create it before this %s. Refer to the resource that creates it, so that Terraform knows the order.", p.Table.Noun)})
		}
		for _, principal := range resolved.Deactivated {
			problems = append(problems, deactivated(setting.Name, principal))
		}
		all = append(all, p.Step(setting.Name, saw, resolved.Value, view))
	}
	return all, problems
}

// Step is the change of one permission to a value.
func (p Permissions[T, U]) Step(setting string, saw T, want zulip.GroupSettingValue, view *directory.View) Step[T, U] {
	value := func(thing T) string { return permission.Describe(p.Held(thing)[setting], view) }
	return Step[T, U]{
		Attribute: setting, Permission: true, Value: value,
		Saw: value(saw), Want: permission.Describe(want, view),
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

// deactivated is the problem of naming somebody whom the server no longer accepts in a value that has to be written.
func deactivated(setting string, principal permission.Principal) permission.Problem {
	return permission.Problem{
		Principal: principal,
		Summary:   fmt.Sprintf("%q is deactivated", principal),
		Detail:    fmt.Sprintf("The server refuses deactivated people in %s, which this plan changes. Take %q out of it, or reactivate the account first.", setting, principal),
	}
}

// ReportProblems reports principals that an apply found unusable.
func ReportProblems(diags *diag.Diagnostics, problems []permission.Problem) {
	for _, problem := range problems {
		diags.AddError(problem.Summary, problem.Detail)
	}
}
