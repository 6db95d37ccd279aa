package lookup

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
)

// PrincipalList resolves a list of texts to the people or groups that they name, and converts IDs back to texts. Order
// and repetitions have no meaning. The attribute is a list only because the plugin framework compares every element of
// a set with every other, which takes minutes for thousands.
//
// Deactivated people are neither a difference nor an error, because the server hides them and accepts them nowhere.
//
// KeepPrior keeps the order of the state in a plan, and Keep does so after a read or a write. Both take linear time.
type PrincipalList struct {
	// plain returns a text without the prefix of a principal, for the functions below.
	plain func(text string) (string, error)
	// resolve finds the object of a text. later is true if this run will create it, with ID zero, or reactivate it.
	resolve func(view *snapshot.Snapshot, text string) (id int64, active, later bool, err error)
	// find is resolve for existing objects, without the search for similar names.
	find func(view *snapshot.Snapshot, text string) (id int64, active, ok bool)
	// write returns the text for an ID.
	write func(view *snapshot.Snapshot, id int64) string
	// isActive reports whether the server shows and accepts an ID.
	isActive func(view *snapshot.Snapshot, id int64) bool
	// keepsAddresses is true if emails that no user has yet are kept.
	keepsAddresses bool
	// planned returns the ID of the object that will have a name after this run, as planned so far, and 0 for a new
	// object.
	planned func(view *snapshot.Snapshot, text string) (id int64, planned bool)
	// moved returns the error of a text that names another ID than before.
	moved func(view *snapshot.Snapshot, text string, before, now int64) error
}

// UserList is a list of people and bots: emails, or IDs in digits, also as principals.
var UserList = PrincipalList{
	plain: permission.PlainUser,
	resolve: func(view *snapshot.Snapshot, text string) (int64, bool, bool, error) {
		user, later, err := UserInPlan(view, text)
		if user == nil {
			return 0, later, later, err
		}
		return user.ID, user.IsActive, later, nil
	},
	find: func(view *snapshot.Snapshot, text string) (int64, bool, bool) {
		id, err := strconv.ParseInt(text, 10, 64)
		user, ok := view.User(id)
		if err != nil {
			user, ok = view.UserWithAddress(text) // a user who only gets the email in this run does not count
		}
		if !ok {
			return 0, false, false
		}
		return user.ID, user.IsActive, true
	},
	write: func(view *snapshot.Snapshot, id int64) string {
		if user, ok := view.User(id); ok {
			return user.Address()
		}
		return strconv.FormatInt(id, 10)
	},
	isActive: func(view *snapshot.Snapshot, id int64) bool {
		user, ok := view.User(id)
		return !ok || user.IsActive
	},
	keepsAddresses: true, planned: (*snapshot.Snapshot).PlannedUser,
	moved: func(view *snapshot.Snapshot, text string, before, now int64) error {
		user, _ := view.User(now)
		return MovedEmail(text, before, user)
	},
}

// GroupList is a list of user groups: names, or IDs in digits, also as principals.
var GroupList = PrincipalList{
	plain: permission.PlainGroup,
	resolve: func(view *snapshot.Snapshot, text string) (int64, bool, bool, error) {
		found, err := Group(view, text)
		if err != nil {
			return 0, false, false, err
		}
		return found.Key.ID, found.Group == nil || !found.Group.Deactivated, found.Group == nil, nil
	},
	find: func(view *snapshot.Snapshot, text string) (int64, bool, bool) {
		name, id, isID := permission.NameOrID(text)
		group, ok := view.UserGroup(id)
		if !isID {
			group, ok = view.UserGroupByName(name)
		}
		if !ok {
			return 0, false, false
		}
		return group.ID, !group.Deactivated, true
	},
	write: GroupText,
	isActive: func(view *snapshot.Snapshot, id int64) bool {
		group, ok := view.UserGroup(id)
		return !ok || !group.Deactivated
	},
	planned: (*snapshot.Snapshot).PlannedGroup,
	moved: func(_ *snapshot.Snapshot, text string, before, now int64) error {
		return &missing{
			summary: fmt.Sprintf("%s is now another user group", suggest.Quote(text)),
			err: fmt.Errorf("it was user group %d when the plan was made. Now it is user group %d. Nothing was changed. Plan again, and check which group you mean. To name the first group whatever its name, write %q",
				before, now, fmt.Sprint(before)),
		}
	},
}

// ResolvedList is the result of resolving a list of texts.
type ResolvedList struct {
	// IDs are ascending, each once, and active. They are complete only when nothing is planned and there are no problems.
	IDs []int64
	// Deactivated are the IDs of deactivated users or groups, ascending.
	Deactivated []int64
	// Emails are the emails by which active people and bots are named, by ID.
	Emails map[int64]string
	// Planned are the texts for objects that this run will create or reactivate.
	Planned []string
	// Absent are the errors about emails that no user has yet, for [ReportAbsent].
	Absent []error
	// MayHaveMoved is true if one of these emails may be the new one of an existing user, because it is not known to
	// be invited.
	MayHaveMoved bool
	// Moved are the errors about texts that name another user or group than before.
	Moved    []error
	Problems []error
}

// Resolve finds the objects of a list. known is false if one of the texts is not known yet; the known texts are
// resolved.
func (l PrincipalList) Resolve(list types.List, view *snapshot.Snapshot) (resolved ResolvedList, known bool) {
	return l.ResolveAs(list, types.MapNull(types.Int64Type), view)
}

// ResolveAs is Resolve for a list whose IDs a plan, or the state before it, has: see [PrincipalList.PlanIDs]. These IDs
// are used even if a text names no object now. If a text names another object, and this run has not given it the name,
// Moved has an error.
func (l PrincipalList) ResolveAs(list types.List, before types.Map, view *snapshot.Snapshot) (resolved ResolvedList, known bool) {
	return l.resolveAs(list, before, false, view)
}

// ResolveState is ResolveAs for the list of a state, whose IDs are used even if the texts name other objects now.
func (l PrincipalList) ResolveState(list types.List, ids types.Map, view *snapshot.Snapshot) ResolvedList {
	resolved, _ := l.resolveAs(list, ids, true, view)
	return resolved
}

func (l PrincipalList) resolveAs(list types.List, before types.Map, isState bool, view *snapshot.Snapshot) (resolved ResolvedList, known bool) {
	known, resolved.Emails = !list.IsUnknown(), map[int64]string{}
	ids := before.Elements()
	for _, element := range list.Elements() {
		text, ok := element.(types.String)
		if !ok || text.IsUnknown() {
			known = false
			continue
		}
		plain, err := l.plain(text.ValueString())
		var id int64
		var active, later bool
		if err == nil {
			id, active, later, err = l.resolve(view, plain)
		}
		if seen, ok := idOf(text.ValueString(), ids); ok && id != seen && (isState || !later) {
			isMoved := err == nil && !later && !l.isGiven(view, plain, id)
			if isMoved {
				resolved.Moved = append(resolved.Moved, l.moved(view, plain, seen, id))
			}
			if _, isActive, isThere := l.find(view, strconv.FormatInt(seen, 10)); isThere && (isState || isMoved || err != nil) {
				id, active, later, err = seen, isActive, false, nil
			}
		}
		switch {
		case isAbsent(err):
			resolved.Absent = append(resolved.Absent, err)
			resolved.MayHaveMoved = resolved.MayHaveMoved || !view.IsInvited(plain)
		case err != nil:
			resolved.Problems = append(resolved.Problems, err)
		case later:
			resolved.Planned = append(resolved.Planned, text.ValueString())
		case !active:
			resolved.Deactivated = append(resolved.Deactivated, id)
		default:
			resolved.IDs = append(resolved.IDs, id)
			if strings.Contains(plain, "@") && l.keepsAddresses {
				resolved.Emails[id] = plain
			}
		}
	}
	resolved.IDs, resolved.Deactivated = distinct(resolved.IDs), distinct(resolved.Deactivated)
	return resolved, known
}

// PlanIDs returns the planned value of the attribute with the IDs of the texts of a list. A plan shows it, and
// Terraform refuses to apply a saved plan if the value differs during apply. An apply has no other way to know the
// IDs that its plan found.
//
// prior is the value in the state. isChange is true if the resource is created or changed, so that an apply may find
// missing IDs.
func (l PrincipalList) PlanIDs(list types.List, prior types.Map, isChange bool, view *snapshot.Snapshot) types.Map {
	if !isWhollyKnown(list) {
		return types.MapUnknown(types.Int64Type)
	}
	ids := prior.Elements()
	return idsOf(list, func(text string) types.Int64 {
		switch id, ok := l.named(text, ids, view); {
		case ok:
			return types.Int64Value(id)
		case isChange:
			return types.Int64Unknown()
		}
		return types.Int64Null()
	})
}

// named returns the ID that a text names. If it names no object, now or after this run, named returns the earlier ID.
func (l PrincipalList) named(text string, before map[string]attr.Value, view *snapshot.Snapshot) (int64, bool) {
	id, _, ok := l.found(view, text)
	plain, err := l.plain(text)
	if ok || err != nil {
		return id, ok
	}
	if _, isPlanned := l.planned(view, plain); isPlanned {
		return 0, false
	}
	return idOf(text, before)
}

// isGiven reports whether an object has its name because of this run. ID 0 is an object that the run creates.
func (l PrincipalList) isGiven(view *snapshot.Snapshot, plain string, id int64) bool {
	given, ok := l.planned(view, plain)
	return ok && (given == id || given == 0)
}

// NoteEmails registers the emails of a state's list by their IDs, for [snapshot.Snapshot.NoteEmail].
func (l PrincipalList) NoteEmails(ids types.Map, view *snapshot.Snapshot) {
	all := ids.Elements()
	for text := range all {
		plain, err := l.plain(text)
		if id, ok := idOf(text, all); ok && err == nil && l.keepsAddresses {
			view.NoteEmail(plain, id)
		}
	}
}

// IDs returns the value of that attribute after a read or an apply. planned are the planned IDs, which it keeps.
func (l PrincipalList) IDs(list types.List, planned types.Map, view *snapshot.Snapshot) types.Map {
	ids := planned.Elements()
	return idsOf(list, func(text string) types.Int64 {
		id, ok := idOf(text, ids)
		if !ok {
			id, _, ok = l.found(view, text)
		}
		if !ok {
			return types.Int64Null()
		}
		return types.Int64Value(id)
	})
}

func idsOf(list types.List, find func(text string) types.Int64) types.Map {
	if list.IsNull() {
		return types.MapNull(types.Int64Type)
	}
	ids := map[string]attr.Value{}
	for _, text := range texts(list) {
		ids[text] = find(text)
	}
	return types.MapValueMust(types.Int64Type, ids)
}

// idOf returns the known ID of a text in a list. among are the elements of the map, which the framework copies at each
// call.
func idOf(text string, among map[string]attr.Value) (int64, bool) {
	id, ok := among[text].(types.Int64)
	return id.ValueInt64(), ok && !id.IsNull() && !id.IsUnknown()
}

// AccountKeys returns the accounts that a list of people and bots names, including deactivated ones and emails without
// an account.
func AccountKeys(list types.List, view *snapshot.Snapshot) (keys []runstate.AccountKey) {
	for _, text := range texts(list) {
		plain, err := permission.PlainUser(text)
		if err != nil {
			continue
		}
		if id, _, ok := UserList.find(view, plain); ok {
			user, _ := view.User(id)
			keys = append(keys, runstate.AccountKey{ID: id, Email: user.Address()})
		} else if strings.Contains(plain, "@") {
			keys = append(keys, runstate.AccountKey{Email: plain})
		}
	}
	return keys
}

// KeepPrior returns the planned value of a list: the prior one if both name the same, whatever the order, texts and
// repetitions, so that a plan shows no such change.
//
// Texts are resolved in the current organization, and a text that names no object there represents itself. The second
// plan, within the apply, therefore has the same result after deactivations, reactivations and creations.
func (l PrincipalList) KeepPrior(configured, prior types.List, view *snapshot.Snapshot) types.List {
	kept, _ := l.KeepPriorAs(configured, prior, types.MapNull(types.Int64Type), view)
	return kept
}

// KeepPriorAs is KeepPrior for a state with the IDs of the list. It also reports whether both name the same.
func (l PrincipalList) KeepPriorAs(configured, prior types.List, priorIDs types.Map, view *snapshot.Snapshot) (kept types.List, isSame bool) {
	ids := priorIDs.Elements()
	now := func(text string) (int64, bool) { return l.named(text, ids, view) }
	before := func(text string) (int64, bool) {
		if id, ok := idOf(text, ids); ok {
			return id, true
		}
		return now(text)
	}
	switch {
	case prior.IsNull() || !isWhollyKnown(configured):
		return configured, prior.IsNull() && configured.IsNull()
	case !maps.Equal(l.keys(configured, now), l.keys(prior, before)), l.isRenamed(configured, prior, view):
		return configured, false
	}
	return prior, true
}

// isRenamed reports whether a list has a text that the prior one does not have, and that is the new name of an object
// in this run. The state gets the new name, because the next refresh would otherwise show it as a change outside Terraform.
func (l PrincipalList) isRenamed(configured, prior types.List, view *snapshot.Snapshot) bool {
	before := texts(prior)
	return slices.ContainsFunc(texts(configured), func(text string) bool {
		plain, err := l.plain(text)
		if err != nil || slices.Contains(before, text) {
			return false
		}
		id, ok := l.planned(view, plain)
		return ok && id != 0
	})
}

// MustWait reports whether an existing resource must stay unchanged until a list is known. Terraform plans again
// during apply, without the first plan, and treats a different result as an error.
//
// The plan could not list the names that a wholly unknown list removes. A list with unknown elements is planned as
// configured. Once it is known, KeepPrior returns the prior list if both name the same, in which the known elements may
// have other positions.
func (l PrincipalList) MustWait(configured, prior types.List, view *snapshot.Snapshot) bool {
	if configured.IsUnknown() || isWhollyKnown(configured) || prior.IsNull() {
		return configured.IsUnknown()
	}
	elements, before := configured.Elements(), prior.Elements()
	isInPlace, unknown := len(elements) == len(before), 0
	for i, element := range elements {
		if element.IsUnknown() {
			unknown++
		} else {
			isInPlace = isInPlace && element.Equal(before[i])
		}
	}
	if isInPlace {
		return false
	}
	find := func(text string) (int64, bool) {
		id, _, ok := l.found(view, text)
		return id, ok
	}
	missing := l.keys(prior, find)
	for key := range l.keys(configured, find) {
		if !missing[key] {
			return false // both cannot name the same
		}
		delete(missing, key)
	}
	// If no ID is missing, the unknown elements could only be repetitions, which no one writes.
	return len(missing) > 0 && len(missing) <= unknown
}

// keys returns the IDs that a list names, and the texts that name no object.
func (l PrincipalList) keys(list types.List, find func(text string) (int64, bool)) map[any]bool {
	keys := make(map[any]bool, len(list.Elements()))
	for _, text := range texts(list) {
		if id, ok := find(text); ok {
			keys[id] = true
			continue
		}
		if plain, err := l.plain(text); err == nil {
			text = strings.TrimPrefix(plain, "name:")
		}
		keys[strings.ToLower(text)] = true
	}
	return keys
}

// found is find for a configured text.
func (l PrincipalList) found(view *snapshot.Snapshot, text string) (id int64, active, ok bool) {
	plain, err := l.plain(text)
	if err != nil {
		return 0, false, false
	}
	return l.find(view, plain)
}

// Keep returns the list for the server's IDs. First come the texts of another list that name one of the IDs, or a
// deactivated user, in their order. Then come the missing IDs, sorted by text as an export sorts them, so that a
// later change of the list shows only additions and removals.
func (l PrincipalList) Keep(kept types.List, ids []int64, view *snapshot.Snapshot) types.List {
	missing := make(map[int64]bool, len(ids))
	for _, id := range l.Active(ids, view) {
		missing[id] = true
	}
	held := maps.Clone(missing)
	elements := []attr.Value{}
	for _, text := range texts(kept) {
		if id, active, ok := l.found(view, text); ok && (!active || held[id]) || !ok && strings.Contains(text, "@") && l.keepsAddresses {
			elements = append(elements, types.StringValue(text))
			delete(missing, id)
		}
	}
	added := make([]string, 0, len(missing))
	for id := range missing {
		added = append(added, l.write(view, id))
	}
	slices.Sort(added)
	for _, text := range added {
		elements = append(elements, types.StringValue(text))
	}
	return types.ListValueMust(types.StringType, elements)
}

// Of returns the list for IDs, sorted by text.
func (l PrincipalList) Of(ids []int64, view *snapshot.Snapshot) types.List {
	return l.Keep(types.ListNull(types.StringType), ids, view)
}

// Active returns the IDs that count, ascending, each once.
func (l PrincipalList) Active(ids []int64, view *snapshot.Snapshot) []int64 {
	return distinct(slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return !l.isActive(view, id) }))
}

// mostDescribed is the maximum number of people or groups that a message names.
const mostDescribed = 10

// Describe returns the names of IDs for a message, sorted: "ada@example.com, bob@example.com and 3 more".
func (l PrincipalList) Describe(ids []int64, view *snapshot.Snapshot) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = l.write(view, id)
	}
	slices.Sort(names)
	described := strings.Join(names[:min(len(names), mostDescribed)], ", ")
	if more := len(names) - mostDescribed; more > 0 {
		described += " and " + strconv.Itoa(more) + " more"
	}
	return described
}

// texts returns the known elements of a list, in order.
func texts(list types.List) []string {
	var known []string
	for _, element := range list.Elements() {
		if text, ok := element.(types.String); ok && !text.IsUnknown() && !text.IsNull() {
			known = append(known, text.ValueString())
		}
	}
	return known
}

func isWhollyKnown(list types.List) bool {
	return !list.IsUnknown() && !slices.ContainsFunc(list.Elements(), attr.Value.IsUnknown)
}

// distinct returns IDs sorted and without repetitions.
func distinct(ids []int64) []int64 {
	slices.Sort(ids)
	return slices.Compact(ids)
}
