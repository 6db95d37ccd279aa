// Package people is shared by attributes that list people or groups: the people with a role, the members and the
// subgroups of a user group, the subscribers of a channel.
//
// A plan waits while a list is unknown (Waits), resolves it (Plan), plans its IDs (PlanIDs), and reports ignored
// people (Warn). An apply resolves it again (Find). The state then has the planned texts (Settle) or, after a read or
// a failure, those of the server's members (Hold). This package knows no resource.
package people

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
)

// Attribute is an attribute that lists people or groups.
type Attribute struct {
	lookup.PrincipalList

	// Name is its name, and Noun the noun for an element.
	Name, Noun string
	// Ignored is the reason why deactivated ones are ignored, as in "Deactivated accounts have no permissions".
	Ignored string
}

// Users returns the attribute "users", a list of people and bots.
func Users(ignored string) Attribute {
	return Attribute{PrincipalList: lookup.UserList, Name: "users", Noun: "user", Ignored: ignored}
}

// Value is a list in a model, and the attribute with the IDs of its elements. Both are nil without a model.
type Value struct{ Texts, IDs *types.List }

// own returns the IDs that a value has for its texts.
func (l Attribute) own(v Value) lookup.Own {
	if v.Texts == nil {
		return nil
	}
	return l.Own(*v.Texts, *v.IDs)
}

// IDsAttribute describes the attribute with the IDs.
func (l Attribute) IDsAttribute() schema.ListAttribute {
	return schema.ListAttribute{
		ElementType: types.Int64Type, Computed: true,
		MarkdownDescription: fmt.Sprintf("ID of the %[1]s for each element of `%[2]s`, in the same order; null if it doesn't exist yet. "+
			"If an ID differs when a saved plan is applied, Terraform reports an inconsistent final plan and changes nothing.",
			l.Noun, l.Name),
	}
}

func (l Attribute) at() path.Path { return path.Root(l.Name) }

// Waits reports whether an existing resource must stay unchanged until a list is known, and adds a warning. what is
// the subject and the verb of the warning, as in "The subscribers of channel 12 wait". The caller plans the whole
// state: the apply plans again, and may know the list then.
func (l Attribute) Waits(planned, prior Value, what string, view *snapshot.Snapshot, diags *diag.Diagnostics) bool {
	if prior.Texts == nil || !planned.Texts.IsUnknown() && (prior.Texts.IsNull() || !l.MayBecome(*planned.Texts, *prior.Texts, l.own(prior), view)) {
		return false
	}
	detail := "The list is not known until apply, so this plan cannot show who would be removed. This apply leaves the resource unchanged. Plan again after it."
	if l.Noun == "user" {
		detail += " The members of a user group that this configuration manages are known during plan: zulip_user_group.NAME.members."
	}
	diags.AddAttributeWarning(l.at(), "A list waits for the next apply", what+" for the next apply. "+detail)
	return true
}

// Members are the people or groups that a plan finds in a list.
type Members struct {
	// Wanted are the members in the list, and Before those in the state.
	Wanted, Before lookup.ResolvedList
	// IsKnown is true if the whole list is known. It can name accounts and groups that this run creates or reactivates.
	IsKnown bool
	// IsSame is true if the state names the same.
	IsSame bool
}

// Leaving returns the IDs in the state that a known list does not have.
func (p Members) Leaving() []int64 {
	if !p.IsKnown {
		return nil
	}
	return sets.Without(p.Before.IDs, p.Wanted.IDs)
}

// Plan resolves a planned list, and keeps the state's texts if they name the same. It reports elements that cannot be
// used.
func (l Attribute) Plan(planned, prior Value, view *snapshot.Snapshot, diags *diag.Diagnostics) Members {
	var p Members
	own := l.own(prior)
	view = l.Knowing(own, view)
	l.NameInPlan(*planned.Texts, view, l.at(), diags)
	p.Wanted = l.Resolve(*planned.Texts, own, view)
	p.IsKnown = p.Wanted.IsKnown
	if prior.Texts != nil {
		p.Before = l.Named(prior, view)
		*planned.Texts = l.KeepPrior(*planned.Texts, *prior.Texts, own, view)
		p.IsSame = planned.Texts.Equal(*prior.Texts)
	}
	l.report(p.Before.Moved, "", diags)
	hint := base.ReferenceAdvice("user group", "zulip_user_group.NAME.name")
	if l.Noun == "user" {
		hint = base.ReferenceAdvice("user or invitation", "zulip_user.NAME.id or zulip_invitation.NAME.email")
		if leaving := lookup.UserList.Active(p.Leaving(), view); len(leaving) > 0 {
			hint = lookup.MovedAdvice(leaving, view)
		}
	}
	l.report(p.Wanted.Moved, "", diags)
	l.report(p.Wanted.Problems, hint, diags)
	return p
}

// PlanIDs plans the IDs of a list. isChange is true if the resource is created or changed.
func (l Attribute) PlanIDs(planned, prior Value, isChange bool, view *snapshot.Snapshot) {
	*planned.IDs = l.Resolve(*planned.Texts, l.own(prior), view).PlannedNumbers(planned.Texts.IsNull(), isChange)
}

// Warn reports, in a plan, emails that no user has yet and deactivated people. leaving are the people that the same
// plan would remove.
func (l Attribute) Warn(wanted lookup.ResolvedList, leaving []int64, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	lookup.ReportAbsent(view, wanted.Absent, leaving, l.at(), diags)
	if len(wanted.Deactivated) > 0 {
		diags.AddAttributeWarning(l.at(), "Deactivated users and groups are ignored",
			fmt.Sprintf("%s: %s. They are ignored until they are reactivated.", l.Ignored, l.Describe(wanted.Deactivated, view)))
	}
}

// Find is Named for an apply: it reports elements that cannot be used.
func (l Attribute) Find(planned Value, view *snapshot.Snapshot, diags *diag.Diagnostics) lookup.ResolvedList {
	wanted := l.Named(planned, view)
	l.report(wanted.Moved, "", diags)
	l.report(wanted.Problems, "", diags)
	if !wanted.IsKnown || len(wanted.Planned) > 0 {
		summary, detail := base.StillMissing(wanted.Planned...)
		diags.AddAttributeError(l.at(), summary, detail)
	}
	return wanted
}

func (l Attribute) report(errs []error, hint string, diags *diag.Diagnostics) {
	for _, err := range errs {
		lookup.AddError(diags, l.at(), err, hint)
	}
}

// Named returns the people or groups that a state or a plan names.
func (l Attribute) Named(v Value, view *snapshot.Snapshot) lookup.ResolvedList {
	if v.Texts == nil {
		return lookup.ResolvedList{}
	}
	return l.Resolve(*v.Texts, l.own(v), view)
}

// Hold sets a list to the current members, after a read or a failure, and keeps its own texts for them.
func (l Attribute) Hold(v Value, in []int64, view *snapshot.Snapshot) {
	own := l.own(v)
	view = l.Knowing(own, view)
	*v.Texts, *v.IDs = l.Keep(l.WithoutFormer(*v.Texts, own, view), in, view), types.ListNull(types.Int64Type)
	l.Settle(v, view)
}

// KeepPlanned gives a list that was read the planned texts and IDs, unless the texts are unknown. An unknown ID is that
// which was read.
func (l Attribute) KeepPlanned(v, planned Value) {
	if planned.Texts.IsUnknown() {
		return
	}
	read := l.own(v)
	*v.Texts, *v.IDs = *planned.Texts, *planned.IDs
	if planned.IDs.IsNull() {
		return
	}
	numbers, known := make([]attr.Value, len(v.Texts.Elements())), v.IDs.Elements()
	for i, text := range v.Texts.Elements() {
		switch id, ok := read.Of(l.PrincipalList, text); {
		case i < len(known) && !known[i].IsUnknown():
			numbers[i] = known[i]
		case ok:
			numbers[i] = types.Int64Value(id)
		default:
			numbers[i] = types.Int64Null()
		}
	}
	*v.IDs = types.ListValueMust(types.Int64Type, numbers)
}

// Settle gives a planned list the IDs that were not known before its apply.
func (l Attribute) Settle(v Value, view *snapshot.Snapshot) {
	*v.IDs = l.Named(v, view).PlannedNumbers(v.Texts.IsNull(), false)
}

// Contested registers the users that a resource keeps in a list or removes from it. It returns the users for which
// another resource of the run does the opposite, because Terraform's order of the two is not known.
func Contested(run *runstate.State, thing string, kept, leaving []int64) (contested []int64) {
	for _, id := range kept {
		if run.Note(runstate.Managed, runstate.ID(thing, id)); run.Knows(runstate.Destroyed, runstate.ID(thing, id)) {
			contested = append(contested, id)
		}
	}
	for _, id := range leaving {
		if run.Note(runstate.Destroyed, runstate.ID(thing, id)); run.Knows(runstate.Managed, runstate.ID(thing, id)) {
			contested = append(contested, id)
		}
	}
	return contested
}
