package lookup

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
)

// PrincipalSet resolves a set of texts to the people or the groups that they name, and describes them as texts again. Who
// has been deactivated does not count: the server hides such people and accepts them nowhere, so that they are neither a
// difference nor an error.
type PrincipalSet struct {
	// find returns whom a word means. later says that this run has yet to create it, with id zero, or to reactivate it.
	find func(view *snapshot.Snapshot, word string) (id int64, active, later bool, err error)
	// write is the word for an ID.
	write func(view *snapshot.Snapshot, id int64) string
	// active reports whether the server shows and takes it.
	active func(view *snapshot.Snapshot, id int64) bool
}

// Users are words for people and bots: addresses or IDs in digits.
var Users = PrincipalSet{
	find: func(view *snapshot.Snapshot, word string) (int64, bool, bool, error) {
		user, later, err := UserInPlan(view, word)
		if user == nil {
			return 0, later, later, err
		}
		return user.ID, user.IsActive, later, nil
	},
	write: func(view *snapshot.Snapshot, id int64) string {
		if user, ok := view.User(id); ok {
			return user.Address()
		}
		return strconv.FormatInt(id, 10)
	},
	active: func(view *snapshot.Snapshot, id int64) bool {
		user, ok := view.User(id)
		return !ok || user.IsActive
	},
}

// Groups are words for user groups: names or IDs in digits.
var Groups = PrincipalSet{
	find: func(view *snapshot.Snapshot, word string) (int64, bool, bool, error) {
		found, err := Group(view, word)
		if err != nil {
			return 0, false, false, err
		}
		return found.Key.ID, found.Group == nil || !found.Group.Deactivated, found.Group == nil, nil
	},
	write: GroupText,
	active: func(view *snapshot.Snapshot, id int64) bool {
		group, ok := view.UserGroup(id)
		return !ok || !group.Deactivated
	},
}

// Resolved are the people or groups that a set of texts names.
type Resolved struct {
	// IDs are ascending, each once, and active. They are complete only when nothing is planned and there are no problems.
	IDs []int64
	// Deactivated and Planned are the words for who does not count, and for what this run has yet to create or to
	// reactivate.
	Deactivated, Planned []string
	Problems             []error
}

// Resolve finds whom a set means. known is false while one of the words is not known yet.
func (w PrincipalSet) Resolve(set types.Set, view *snapshot.Snapshot) (meant Resolved, known bool) {
	if set.IsUnknown() {
		return Resolved{}, false
	}
	for _, element := range set.Elements() {
		text, ok := element.(types.String)
		if !ok || text.IsUnknown() || text.IsNull() {
			return Resolved{}, false
		}
		switch id, active, later, err := w.find(view, text.ValueString()); {
		case err != nil:
			meant.Problems = append(meant.Problems, err)
		case later:
			meant.Planned = append(meant.Planned, text.ValueString())
		case !active:
			meant.Deactivated = append(meant.Deactivated, text.ValueString())
		default:
			meant.IDs = append(meant.IDs, id)
		}
	}
	slices.Sort(meant.IDs)
	meant.IDs = slices.Compact(meant.IDs)
	return meant, true
}

// Active returns those that count, ascending.
func (w PrincipalSet) Active(ids []int64, view *snapshot.Snapshot) []int64 {
	active := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return !w.active(view, id) })
	slices.Sort(active)
	return active
}

// Keep returns a set for what the server holds. Words that mean one of it are kept, and words for who does not count.
func (w PrincipalSet) Keep(kept types.Set, ids []int64, view *snapshot.Snapshot) types.Set {
	missing := w.Active(ids, view)
	held := slices.Clone(missing)
	var words []attr.Value
	for _, element := range kept.Elements() {
		text, ok := element.(types.String)
		if !ok || text.IsUnknown() || text.IsNull() {
			continue
		}
		id, active, _, err := w.find(view, text.ValueString())
		if err == nil && (!active || slices.Contains(held, id)) {
			words = append(words, text)
			missing = without(missing, id)
		}
	}
	for _, id := range missing {
		words = append(words, types.StringValue(w.write(view, id)))
	}
	return types.SetValueMust(types.StringType, words)
}

// Of returns the set of words for IDs.
func (w PrincipalSet) Of(ids []int64, view *snapshot.Snapshot) types.Set {
	return w.Keep(types.SetNull(types.StringType), ids, view)
}

// ListOf returns the words for those IDs that count, as a sorted list.
func (w PrincipalSet) ListOf(ids []int64, view *snapshot.Snapshot) types.List {
	texts := []string{}
	for _, id := range w.Active(ids, view) {
		texts = append(texts, w.write(view, id))
	}
	slices.Sort(texts)
	words := make([]attr.Value, len(texts))
	for i, text := range texts {
		words[i] = types.StringValue(text)
	}
	return types.ListValueMust(types.StringType, words)
}

// Describe writes IDs for a message.
func (w PrincipalSet) Describe(ids []int64, view *snapshot.Snapshot) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = strconv.Quote(w.write(view, id))
	}
	slices.Sort(words)
	return "[" + strings.Join(words, ", ") + "]"
}

func without(ids []int64, gone int64) []int64 {
	return slices.DeleteFunc(ids, func(id int64) bool { return id == gone })
}
