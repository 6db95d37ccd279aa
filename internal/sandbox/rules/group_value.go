package rules

import (
	"encoding/json"
	"fmt"
	"slices"
)

// GroupValue is a group-setting value (server-behavior §P1): one named group, or a list
// of direct members and subgroups. Lists are ascending and without duplicates,
// but for those of a request, which are as they were sent.
type GroupValue struct {
	Group     int   // 0: not a named group
	Members   []int // when Group is 0
	Subgroups []int // when Group is 0
}

// Named returns the value that is one named group.
func Named(group int) GroupValue { return GroupValue{Group: group} }

// Listed returns the value that lists members and subgroups, sorted and without
// duplicates.
func Listed(members, subgroups []int) GroupValue {
	return GroupValue{Members: sortedSet(members), Subgroups: sortedSet(subgroups)}
}

// MarshalJSON writes the value as the API sends it.
func (v GroupValue) MarshalJSON() ([]byte, error) {
	if v.Group != 0 {
		return json.Marshal(v.Group)
	}
	return json.Marshal(groupValueLists{sortedSet(v.Members), sortedSet(v.Subgroups)})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (v *GroupValue) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &v.Group) == nil {
		return nil
	}
	var lists groupValueLists
	if err := json.Unmarshal(data, &lists); err != nil {
		return err
	}
	*v = Listed(lists.Members, lists.Subgroups)
	return nil
}

type groupValueLists struct {
	Members   []int `json:"direct_members"`
	Subgroups []int `json:"direct_subgroups"`
}

// PermissionChange is what a PATCH asks for one permission: the new value and,
// if given, the value the caller believes it replaces.
type PermissionChange struct {
	New GroupValue
	Old *GroupValue
}

// asSent is how an answer repeats a list that was sent: in the order and number of the request.
func (v GroupValue) asSent() any { return groupValueLists{v.Members, v.Subgroups} }

// canonical collapses a value as the server does with all it is sent, but not
// with what it shows (server-behavior §P2). A group that is named twice counts
// as two.
func (o *Organization) canonical(v GroupValue) GroupValue {
	switch {
	case v.Group != 0:
		return v
	case len(v.Members)+len(v.Subgroups) == 0:
		return Named(o.SystemGroup(Nobody))
	case len(v.Members) == 0 && len(v.Subgroups) == 1:
		return Named(v.Subgroups[0])
	}
	return Listed(v.Members, v.Subgroups)
}

// Shown returns the value as reads show it: deactivated people are hidden, and
// the form stays as it is stored.
func (o *Organization) Shown(v GroupValue) GroupValue {
	if v.Group != 0 {
		return v
	}
	return GroupValue{Members: o.activeOnly(v.Members), Subgroups: v.Subgroups}
}

func (v GroupValue) equal(w GroupValue) bool {
	return v.Group == w.Group && slices.Equal(v.Members, w.Members) && slices.Equal(v.Subgroups, w.Subgroups)
}

// changePermission compares and checks one requested change against the stored
// value. It returns the value to store and whether it differs; what is sent
// back as old is compared with what is shown, not with what is stored, which
// is why a value that hides people can become impossible to match.
func (o *Organization) changePermission(stored GroupValue, c PermissionChange) (GroupValue, bool, error) {
	shown := o.Shown(stored)
	if c.Old != nil && !o.canonical(*c.Old).equal(shown) {
		return GroupValue{}, false, &Error{
			Code:  "EXPECTATION_MISMATCH",
			Msg:   "'old' value does not match the expected value.",
			Extra: map[string]any{"field_name": "old"},
		}
	}
	value := o.canonical(c.New)
	return value, !value.equal(shown), nil
}

// checkValue refuses a value the setting does not take. Which system groups are
// allowed is asked of the named form alone: lists are not looked into.
func (o *Organization) checkValue(p Permission, v GroupValue) error {
	if v.Group == 0 {
		if p.RequireSystem {
			return systemGroupRequired(p.Name)
		}
		return o.checkListed(v)
	}
	g, ok := o.Groups.Get(v.Group)
	switch {
	case !ok:
		return Refuse("Invalid user group")
	case g.Deactivated:
		return errGroupDeactivated
	case p.RequireSystem && !g.System:
		return systemGroupRequired(p.Name)
	case !g.System:
		return nil
	}
	refused := !p.AllowInternet && g.Name == Internet ||
		!p.AllowNobody && g.Name == Nobody ||
		!p.AllowEveryone && g.Name == Everyone ||
		len(p.AllowedSystem) > 0 && !slices.Contains(p.AllowedSystem, g.Name)
	if refused {
		return Refuse("'%s' setting cannot be set to '%s' group.", p.Name, g.Name)
	}
	return nil
}

func (o *Organization) checkListed(v GroupValue) error {
	for _, id := range v.Members {
		if u, ok := o.Users.Get(id); !ok || !u.Active {
			return Refuse("Invalid user ID: %d", id)
		}
	}
	for _, id := range v.Subgroups {
		g, ok := o.Groups.Get(id)
		if !ok {
			return Refuse("Invalid user group ID: %d", id)
		}
		if g.Deactivated {
			return errGroupDeactivated
		}
	}
	return nil
}

// newValue canonicalises and checks a value given when something is created.
func (o *Organization) newValue(p Permission, v GroupValue) (GroupValue, error) {
	v = o.canonical(v)
	return v, o.checkValue(p, v)
}

// defaultValue is what a permission gets when its creator asks for nothing.
func (o *Organization) defaultValue(p Permission, creator User) GroupValue {
	if p.Default == Creator {
		return Listed([]int{creator.ID}, nil)
	}
	return Named(o.SystemGroup(p.Default))
}

// names reports whether the value names the group, directly or in its list.
func (v GroupValue) names(group int) bool {
	return v.Group == group || slices.Contains(v.Subgroups, group)
}

func systemGroupRequired(setting string) *Error {
	return &Error{
		Code:  "SYSTEM_GROUP_REQUIRED",
		Msg:   fmt.Sprintf("'%s' must be a system user group.", setting),
		Extra: map[string]any{"setting_name": setting},
	}
}

func (o *Organization) activeOnly(ids []int) []int {
	active := make([]int, 0, len(ids))
	for _, id := range ids {
		if u, ok := o.Users.Get(id); ok && u.Active {
			active = append(active, id)
		}
	}
	return active
}

// sortedSet returns the numbers ascending and once each, never nil.
func sortedSet(ids []int) []int {
	set := append([]int{}, ids...)
	slices.Sort(set)
	return slices.Compact(set)
}
