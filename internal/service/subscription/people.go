package subscription

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
)

// ids is a set of user IDs.
type ids map[int64]bool

func setOf(list []int64) ids {
	set := make(ids, len(list))
	for _, id := range list {
		set[id] = true
	}
	return set
}

// sorted lists a set, ascending.
func (set ids) sorted() []int64 { return slices.Sorted(maps.Keys(set)) }

// minus lists what is not in another set, ascending.
func (set ids) minus(other ids) []int64 {
	return set.filter(func(id int64) bool { return !other[id] }).sorted()
}

// and lists what is in another set too, ascending.
func (set ids) and(other ids) []int64 {
	return set.filter(func(id int64) bool { return other[id] }).sorted()
}

func (set ids) filter(keep func(int64) bool) ids {
	kept := ids{}
	for id := range set {
		if keep(id) {
			kept[id] = true
		}
	}
	return kept
}

// people are whom a list of users names.
type people struct {
	// active are those the server lists as subscribers; deactivated ones it neither lists nor accepts.
	active, deactivated ids
	// known is false while the list holds what is not known yet, or somebody whom this run has yet to create.
	known bool
	// planned are the texts for those whom this run has yet to create.
	planned []string
	// absent are the errors of addresses that nobody has yet.
	absent []error
	// mayHaveMoved says that one of these may be the old address of somebody.
	mayHaveMoved bool
}

// peopleIn finds whom a list names. Who does not exist is reported at `users`.
func peopleIn(list types.List, view *snapshot.Snapshot, diags *diag.Diagnostics) people {
	resolved, known := lookup.UserList.Resolve(list, view)
	for _, err := range resolved.Problems {
		lookup.AddError(diags, path.Root("users"), err, "")
	}
	return people{setOf(resolved.IDs), setOf(resolved.Deactivated), known && len(resolved.Planned) == 0, resolved.Planned, resolved.Absent, resolved.MayHaveMoved}
}

// peopleOfState is peopleIn for the list of a state: who is not in the organization any more is passed over.
func peopleOfState(list types.List, view *snapshot.Snapshot) people {
	var gone diag.Diagnostics
	return peopleIn(list, view, &gone)
}

// reportAbsent reports the addresses that nobody has yet; leaving are those who would leave by the same plan.
func (p people) reportAbsent(ctx context.Context, meta *base.Meta, leaving []int64, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	who := ""
	if len(leaving) > 0 {
		who = lookup.UserList.Describe(leaving, view)
	}
	lookup.ReportAbsent(ctx, meta, p.absent, who, path.Root("users"), diags)
}

// warnOfDeactivated warns of users who are deactivated: nobody can subscribe them.
func (p people) warnOfDeactivated(view *snapshot.Snapshot, diags *diag.Diagnostics) {
	if len(p.deactivated) > 0 {
		diags.AddAttributeWarning(path.Root("users"), "Deactivated users and groups are ignored",
			fmt.Sprintf("The server neither subscribes nor unsubscribes deactivated users: %s. They are ignored until they are reactivated.", lookup.UserList.Describe(p.deactivated.sorted(), view)))
	}
}

// names reports whether somebody is among them, deactivated or not.
func (p people) names(id int64) bool { return p.active[id] || p.deactivated[id] }

// isActive reports whether the server lists and accepts somebody.
func isActive(view *snapshot.Snapshot, id int64) bool {
	user, ok := view.User(id)
	return ok && user.IsActive
}

// numbersOf writes IDs as a list, ascending.
func numbersOf(set ids) types.List {
	elements := make([]attr.Value, 0, len(set))
	for _, id := range set.sorted() {
		elements = append(elements, types.Int64Value(id))
	}
	return types.ListValueMust(types.Int64Type, elements)
}

// numbersIn reads a list of IDs.
func numbersIn(list types.List) ids {
	found := ids{}
	for _, element := range list.Elements() {
		if id, ok := element.(types.Int64); ok && !id.IsUnknown() {
			found[id.ValueInt64()] = true
		}
	}
	return found
}
