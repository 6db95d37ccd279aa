package subscription

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/diagnostics"
	"github.com/zulip-iac/terraform-provider-zulip/internal/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
)

// people are whom addresses and IDs mean.
type people struct {
	// active are those the server lists as subscribers; deactivated ones it neither lists nor accepts.
	active, deactivated ids
	// known is false while the list holds what is not known yet, or somebody whom this run has yet to create.
	known bool
}

// ids is a set of IDs.
type ids map[int64]bool

func setOf(list []int64) ids {
	set := make(ids, len(list))
	for _, id := range list {
		set[id] = true
	}
	return set
}

// minus lists what is not in another set, ascending.
func (set ids) minus(other ids) []int64 {
	return slices.Sorted(maps.Keys(set.filter(func(id int64) bool { return !other[id] })))
}

// and lists what is in another set too, ascending.
func (set ids) and(other ids) []int64 {
	return slices.Sorted(maps.Keys(set.filter(func(id int64) bool { return other[id] })))
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

// peopleIn finds whom a list means. Who does not exist is reported at `users`.
func peopleIn(list types.List, view *snapshot.Snapshot, diags *diag.Diagnostics) people {
	found := people{active: ids{}, deactivated: ids{}, known: !list.IsUnknown()}
	for _, element := range list.Elements() {
		text, ok := element.(types.String)
		if !ok || text.IsUnknown() {
			found.known = false
			continue
		}
		user, later, err := lookup.UserInPlan(view, text.ValueString())
		switch {
		case later:
			found.known = false
		case err == nil && user.IsActive:
			found.active[user.ID] = true
		case err == nil:
			found.deactivated[user.ID] = true
		default:
			diags.AddAttributeError(path.Root("users"), "Not in the organization", diagnostics.Sentence(err))
		}
	}
	return found
}

// same reports whether two mean the same people.
func (p people) same(other people) bool {
	return p.known && other.known && maps.Equal(p.active, other.active) && maps.Equal(p.deactivated, other.deactivated)
}

// names reports whether somebody is among them, deactivated or not.
func (p people) names(id int64) bool { return p.active[id] || p.deactivated[id] }

// stay returns the elements of a list that mean somebody for whom in reports true, or somebody deactivated, of whom the
// server does not say whether they are in a channel; and the IDs of the former.
func stay(list types.List, view *snapshot.Snapshot, in func(id int64) bool) (kept []attr.Value, found ids) {
	found = ids{}
	for _, element := range list.Elements() {
		text, ok := element.(types.String)
		if !ok {
			continue
		}
		user, err := lookup.User(view, text.ValueString())
		switch {
		case err != nil:
		case !user.IsActive:
			kept = append(kept, element)
		case in(user.ID):
			kept = append(kept, element)
			found[user.ID] = true
		}
	}
	return kept, found
}

// wordsFor writes a user by the address, where there is one to see.
func wordsFor(id int64, view *snapshot.Snapshot) string {
	if user, ok := view.User(id); ok {
		return user.Address()
	}
	return strconv.FormatInt(id, 10)
}

// mostNames is how many people a message names.
const mostNames = 10

// namesOf lists people for a message.
func namesOf(list []int64, view *snapshot.Snapshot) string {
	var names []string
	for _, id := range list[:min(len(list), mostNames)] {
		names = append(names, wordsFor(id, view))
	}
	slices.SortFunc(names, cmp.Compare[string])
	text := strings.Join(names, ", ")
	if more := len(list) - mostNames; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}

// usersOf writes elements as a list.
func usersOf(elements []attr.Value) types.List {
	return types.ListValueMust(types.StringType, elements)
}

// numbersOf writes IDs as a list.
func numbersOf(list []int64) types.List {
	elements := make([]attr.Value, len(list))
	for i, id := range list {
		elements[i] = types.Int64Value(id)
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
