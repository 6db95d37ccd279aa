package lookup

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
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
	// keepsAddresses is true for people and bots: emails that no user has yet are kept, and case does not matter.
	keepsAddresses bool
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
	keepsAddresses: true,
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
	moved: func(_ *snapshot.Snapshot, text string, before, now int64) error {
		return &missing{
			summary: fmt.Sprintf("%s is now another user group", suggest.Quote(text)),
			err: fmt.Errorf("it was user group %d when the plan was made. Now it is user group %d. Nothing was changed. Plan again, and check which group you mean. To name the first group whatever its name, write %q",
				before, now, fmt.Sprint(before)),
		}
	},
}

// Own are the IDs that the resource's own state, or its plan in an apply, has for the texts of a list.
type Own map[string]int64

// Own returns the IDs of a list that has an ID at the position of each text.
func (l PrincipalList) Own(list, ids types.List) Own {
	own, numbers := Own{}, ids.Elements()
	for i, element := range list.Elements() {
		text, isText := element.(types.String)
		if i < len(numbers) && isText && base.IsSet(text) {
			if id, ok := numbers[i].(types.Int64); ok && base.IsSet(id) {
				own[l.fold(text.ValueString())] = id.ValueInt64()
			}
		}
	}
	return own
}

// Of returns the ID of a text of a list.
func (o Own) Of(l PrincipalList, text attr.Value) (id int64, ok bool) {
	if text, isText := text.(types.String); isText {
		id, ok = o[l.fold(text.ValueString())]
	}
	return id, ok
}

// Knowing returns the snapshot as a resource sees it that has these IDs.
func (l PrincipalList) Knowing(own Own, view *snapshot.Snapshot) *snapshot.Snapshot {
	if !l.keepsAddresses {
		return view // the server shows the names of all groups
	}
	return view.Knowing(own)
}

// fold returns a text in the form in which two texts are equal that always name the same.
func (l PrincipalList) fold(text string) string {
	if plain, err := l.plain(text); err == nil {
		text = plain
	}
	if l.keepsAddresses {
		return strings.ToLower(text)
	}
	return strings.TrimPrefix(text, "name:")
}

// NameInPlan is [NameInPlan] for the texts of a configured list.
func (l PrincipalList) NameInPlan(list types.List, view *snapshot.Snapshot, at path.Path, diags *diag.Diagnostics) {
	kind := permission.KindGroup
	if l.keepsAddresses {
		kind = permission.KindUser
	}
	for _, text := range texts(list) {
		NameInPlan(view, at, diags, permission.Principal{Kind: kind, Name: l.fold(text)})
	}
}

// ResolvedList is the result of resolving a list of texts.
type ResolvedList struct {
	// IDs are ascending, each once, and active. They are complete only when nothing is planned and there are no problems.
	IDs []int64
	// Deactivated are the IDs of deactivated users or groups, ascending.
	Deactivated []int64
	// Emails are the emails by which active people and bots are named and found, by ID.
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
	// IsKnown is false if one of the texts is not known yet. The known texts are resolved.
	IsKnown bool

	// numbers are the IDs at the positions of the texts. They are unknown for objects that do not exist yet.
	numbers []attr.Value
	// named are the IDs by the folded texts, 0 for a text that names no object.
	named Own
}

// Resolve finds what the texts of a list name: in the organization, or by the IDs that the resource itself has for them.
// These IDs are used even if a text names no object now. If a text names another object, the ID is used too, and
// Moved has an error.
func (l PrincipalList) Resolve(list types.List, own Own, view *snapshot.Snapshot) (r ResolvedList) {
	r.IsKnown, r.Emails, r.named = !list.IsUnknown(), map[int64]string{}, Own{}
	for _, element := range list.Elements() {
		text, ok := element.(types.String)
		if !ok || text.IsUnknown() {
			r.IsKnown = false
			r.numbers = append(r.numbers, types.Int64Unknown())
			continue
		}
		plain, err := l.plain(text.ValueString())
		var id int64
		var active, later, isOwn bool
		if err == nil {
			id, active, later, err = l.resolve(view, plain)
		}
		if seen, ok := own[l.fold(text.ValueString())]; ok && id != seen {
			switch {
			case IsReassigned(err):
				r.Problems = append(r.Problems, err)
			case err == nil && !later:
				r.Moved = append(r.Moved, l.moved(view, plain, seen, id))
			}
			if _, isActive, isThere := l.find(view, strconv.FormatInt(seen, 10)); isThere {
				id, active, later, isOwn, err = seen, isActive, false, true, nil
			}
		}
		switch {
		case isAbsent(err):
			r.Absent = append(r.Absent, err)
			r.MayHaveMoved = r.MayHaveMoved || !view.IsInvited(plain)
		case err != nil:
			r.Problems = append(r.Problems, err)
		case later:
			r.Planned = append(r.Planned, text.ValueString())
		case !active:
			r.Deactivated = append(r.Deactivated, id)
		default:
			r.IDs = append(r.IDs, id)
			if strings.Contains(plain, "@") && l.keepsAddresses && !isOwn {
				r.Emails[id] = plain
			}
		}
		if id == 0 && IsReassigned(err) { // the server shows it until the plan is applied
			id, _, _ = l.find(view, plain)
		}
		number := types.Int64Unknown()
		if id != 0 {
			number = types.Int64Value(id)
		}
		r.numbers, r.named[l.fold(text.ValueString())] = append(r.numbers, number), id
	}
	r.IDs, r.Deactivated = distinct(r.IDs), distinct(r.Deactivated)
	return r
}

// PlannedNumbers returns the planned value of the attribute with the IDs of a list. A plan shows it, and Terraform
// refuses to apply a saved plan if the value differs during apply. An apply has no other way to know the IDs that its
// plan found. isChange is true if the resource is created or changed, so that an apply may find missing IDs.
func (r ResolvedList) PlannedNumbers(isNull, isChange bool) types.List {
	switch {
	case !r.IsKnown:
		return types.ListUnknown(types.Int64Type)
	case isNull:
		return types.ListNull(types.Int64Type)
	}
	numbers := slices.Clone(r.numbers)
	for i, number := range numbers {
		if number.IsUnknown() && !isChange {
			numbers[i] = types.Int64Null()
		}
	}
	return types.ListValueMust(types.Int64Type, numbers)
}

// IsSame reports whether two lists name the same, whatever the order, texts and repetitions. A text that names no object
// represents itself.
func (r ResolvedList) IsSame(other ResolvedList) bool { return maps.Equal(r.keys(), other.keys()) }

// keys returns the IDs that a list names, and the texts that name no object.
func (r ResolvedList) keys() map[any]bool {
	keys := make(map[any]bool, len(r.named))
	for text, id := range r.named {
		if id != 0 {
			keys[id] = true
		} else {
			keys[text] = true
		}
	}
	return keys
}

// renames reports whether a list has another name than the prior list for the same object. The state gets that name,
// because the next refresh would otherwise show it as a change outside Terraform.
func (r ResolvedList) renames(prior ResolvedList) bool {
	isName := func(text string) bool {
		_, err := strconv.ParseInt(text, 10, 64)
		return err != nil
	}
	before := map[int64]bool{} // the objects that the prior list has by name
	for text, id := range prior.named {
		before[id] = before[id] || isName(text)
	}
	for text, id := range r.named {
		if _, isSame := prior.named[text]; !isSame && id != 0 && before[id] && isName(text) {
			return true
		}
	}
	return false
}

// KeepPrior returns the planned value of a list: the prior one if both name the same, so that a plan shows no such
// change. own are the IDs of the state.
//
// Texts are resolved in the current organization. The second plan, within the apply, therefore has the same result
// after deactivations, reactivations and creations.
func (l PrincipalList) KeepPrior(configured, prior types.List, own Own, view *snapshot.Snapshot) types.List {
	wanted, before := l.Resolve(configured, own, view), l.Resolve(prior, own, view)
	if prior.IsNull() || !wanted.IsKnown || !wanted.IsSame(before) || wanted.renames(before) {
		return configured
	}
	return prior
}

// MayBecome reports whether a list with unknown elements may turn out to name the same as the prior list, whose texts it
// does not have in place. Terraform plans again during apply, without the first plan, and treats a different result as
// an error: KeepPrior would return the prior list then.
func (l PrincipalList) MayBecome(configured, prior types.List, own Own, view *snapshot.Snapshot) bool {
	elements, before := configured.Elements(), prior.Elements()
	isInPlace, unknown := len(elements) == len(before), 0
	for i, element := range elements {
		if element.IsUnknown() {
			unknown++
		} else {
			isInPlace = isInPlace && element.Equal(before[i])
		}
	}
	if isInPlace || unknown == 0 {
		return false
	}
	missing := l.Resolve(prior, own, view).keys()
	for key := range l.Resolve(configured, own, view).keys() {
		if !missing[key] {
			return false // both cannot name the same
		}
		delete(missing, key)
	}
	// If no ID is missing, the unknown elements could only be repetitions, which no one writes.
	return len(missing) > 0 && len(missing) <= unknown
}

// WithoutID returns the texts that name no object yet, folded.
func (r ResolvedList) WithoutID() (texts []string) {
	for text, id := range r.named {
		if id == 0 {
			texts = append(texts, text)
		}
	}
	return texts
}

// AccountKeys returns the accounts that a list of people and bots names, including deactivated ones and emails without
// an account.
func (r ResolvedList) AccountKeys(view *snapshot.Snapshot) (keys []runstate.AccountKey) {
	for _, text := range slices.Sorted(maps.Keys(r.named)) { // a replaced resource has the same texts in each of its plans
		key := runstate.AccountKey{Email: text}
		if user, ok := view.User(r.named[text]); ok {
			key.ID = user.ID
			if !strings.Contains(text, "@") {
				key.Email = user.Address()
			}
		} else if !strings.Contains(text, "@") {
			continue
		}
		keys = append(keys, key)
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

// WithoutFormer leaves out the former emails of people who have another one now. own are the IDs of the texts.
func (l PrincipalList) WithoutFormer(list types.List, own Own, view *snapshot.Snapshot) types.List {
	elements := slices.DeleteFunc(slices.Clone(list.Elements()), func(element attr.Value) bool {
		text, _ := element.(types.String)
		id, isOwn := own.Of(l, text)
		_, _, isThere := l.find(view, strconv.FormatInt(id, 10))
		_, _, isFound := l.found(view, text.ValueString())
		return isOwn && isThere && !isFound
	})
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

// distinct returns IDs sorted and without repetitions.
func distinct(ids []int64) []int64 {
	slices.Sort(ids)
	return slices.Compact(ids)
}
