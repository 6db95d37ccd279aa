package rules

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// The system groups by their names in the API (server-behavior §P8).
const (
	Nobody         = "role:nobody"
	Owners         = "role:owners"
	Administrators = "role:administrators"
	Moderators     = "role:moderators"
	FullMembers    = "role:fullmembers"
	Members        = "role:members"
	Everyone       = "role:everyone"
	Internet       = "role:internet"
)

// UserGroup is a named group of people and groups. The members of a system
// group follow from roles and are not stored.
type UserGroup struct {
	ID          int                   `json:"id"`
	Name        string                `json:"name"`
	Description string                `json:"description"`
	CreatorID   *int                  `json:"creator_id"`
	DateCreated *int64                `json:"date_created"` // Unix seconds
	System      bool                  `json:"system,omitempty"`
	Deactivated bool                  `json:"deactivated,omitempty"`
	Members     []int                 `json:"members"`   // ascending, deactivated people included
	Subgroups   []int                 `json:"subgroups"` // ascending
	Permissions map[string]GroupValue `json:"permissions"`
}

func (o *Organization) createSystemGroups() {
	chain := []struct{ name, description, below string }{
		{Nobody, "Nobody", ""},
		{Owners, "Owners of this organization", ""},
		{Administrators, "Administrators of this organization, including owners", Owners},
		{Moderators, "Moderators of this organization, including administrators", Administrators},
		{FullMembers, "Members of this organization, not including new accounts and guests", Moderators},
		{Members, "Members of this organization, not including guests", FullMembers},
		{Everyone, "Everyone in this organization, including guests", Members},
		{Internet, "Everyone on the Internet", Everyone},
	}
	for _, link := range chain {
		g := UserGroup{ID: o.Groups.NextID(), Name: link.name, Description: link.description, System: true}
		if link.below != "" {
			g.Subgroups = []int{o.SystemGroup(link.below)}
		}
		o.Groups.Put(g.ID, g)
		g.Permissions = map[string]GroupValue{}
		for _, p := range GroupPermissions {
			g.Permissions[p.Name] = Named(o.SystemGroup(Nobody))
		}
		o.Groups.Put(g.ID, g)
	}
}

// NewGroup is the request POST /user_groups/create.
type NewGroup struct {
	Name, Description string
	Members           []int
	Subgroups         []int
	Permissions       map[string]GroupValue
}

// CheckMayCreateGroups refuses accounts without the permission to create groups. The server checks it before the
// parameters.
func (o *Organization) CheckMayCreateGroups(actor User) error {
	if !o.MayRealm(actor, "can_create_groups") {
		return errInsufficientPermission
	}
	return nil
}

// CreateGroup creates a group (server-behavior §G3). Its creator is not a member.
func (o *Organization) CreateGroup(actor User, in NewGroup) (UserGroup, error) {
	if err := o.CheckMayCreateGroups(actor); err != nil {
		return UserGroup{}, err
	}
	if err := o.checkNewGroupMembers(in.Members); err != nil {
		return UserGroup{}, err
	}
	if err := checkGroupName(in.Name); err != nil {
		return UserGroup{}, err
	}
	created := o.now().Unix()
	g := UserGroup{
		Name: in.Name, Description: in.Description,
		CreatorID: &actor.ID, DateCreated: &created,
		Members: sortedSet(in.Members), Subgroups: sortedSet(in.Subgroups),
		Permissions: map[string]GroupValue{},
	}
	for _, p := range GroupPermissions {
		v, given := in.Permissions[p.Name]
		if !given {
			g.Permissions[p.Name] = o.defaultValue(p, actor)
			continue
		}
		v, err := o.newValue(p, v)
		if err != nil {
			return UserGroup{}, err
		}
		g.Permissions[p.Name] = v
	}
	// Storing the group checks the name, after the permissions.
	if err := o.checkGroupNameFree(in.Name); err != nil {
		return UserGroup{}, err
	}
	if err := o.checkSubgroups(in.Subgroups); err != nil {
		return UserGroup{}, err
	}
	g.ID = o.Groups.NextID()
	o.Groups.Put(g.ID, g)
	return g, nil
}

// GroupChange is the request PATCH /user_groups/{id}; nil leaves things unchanged.
type GroupChange struct {
	Name, Description *string
	Deactivated       *bool
	Permissions       map[string]PermissionChange
}

// UpdateGroup changes a group in one transaction (server-behavior §G4). A deactivated group can be changed too. A true
// Deactivated is ignored.
func (o *Organization) UpdateGroup(actor User, id int, c GroupChange) error {
	if c.Name == nil && c.Description == nil && c.Deactivated == nil && len(c.Permissions) == 0 {
		return Refuse("No new data supplied")
	}
	g, err := o.groupForUpdate(actor, id, "can_manage_group", true)
	if err != nil {
		return err
	}
	if c.Name != nil && *c.Name != g.Name {
		if err := checkGroupName(*c.Name); err != nil {
			return err
		}
		if err := o.checkGroupNameFree(*c.Name); err != nil {
			return err
		}
		g.Name = *c.Name
	}
	if c.Description != nil {
		g.Description = *c.Description
	}
	if c.Deactivated != nil && !*c.Deactivated {
		g.Deactivated = false
	}
	g.Permissions = maps.Clone(g.Permissions)
	for _, p := range GroupPermissions {
		change, given := c.Permissions[p.Name]
		if !given {
			continue
		}
		value, differs, err := o.changePermission(g.Permissions[p.Name], change)
		if err != nil {
			return err
		}
		if !differs {
			continue
		}
		if err := o.checkValue(p, value); err != nil {
			return err
		}
		g.Permissions[p.Name] = value
	}
	o.Groups.Put(id, g)
	return nil
}

// groupForUpdate returns a group that the person may change. Managers of all groups or of this group may change everything,
// others need the permission own (server-behavior §G8).
func (o *Organization) groupForUpdate(actor User, id int, own string, deactivatedToo bool) (UserGroup, error) {
	g, ok := o.Groups.Get(id)
	switch {
	case !ok:
		return g, Refuse("Invalid user group")
	case g.Deactivated && !deactivatedToo:
		return g, errGroupDeactivated
	case g.System:
		return g, errInsufficientPermission
	case o.MayRealm(actor, "can_manage_all_groups"), o.mayGroup(actor, g, "can_manage_group"), o.mayGroup(actor, g, own):
		return g, nil
	}
	return g, errInsufficientPermission
}

func (o *Organization) mayGroup(u User, g UserGroup, permission string) bool {
	p, ok := FindPermission(GroupPermissions, permission)
	return ok && o.Has(u, p, g.Permissions[permission])
}

// ReadableGroup returns a group that is not deactivated, so that its members can be read.
func (o *Organization) ReadableGroup(id int) (UserGroup, error) {
	g, ok := o.Groups.Get(id)
	if !ok {
		return g, Refuse("Invalid user group")
	}
	if g.Deactivated {
		return g, errGroupDeactivated
	}
	return g, nil
}

const maxGroupName = 100

func checkGroupName(name string) error {
	if Strip(name) == "" {
		return Refuse("User group name can't be empty!")
	}
	if utf8.RuneCountInString(name) > maxGroupName {
		return Refuse("User group name cannot exceed %d characters.", maxGroupName)
	}
	for _, prefix := range []string{"@", "role:", "user:", "stream:", "channel:"} {
		if strings.HasPrefix(name, prefix) {
			return Refuse("User group name cannot start with '%s'.", prefix)
		}
	}
	return nil
}

// checkGroupNameFree refuses a used name. Names are case-sensitive, and a deactivated group keeps its own.
func (o *Organization) checkGroupNameFree(name string) error {
	if _, taken := o.GroupByName(name); taken {
		return Refuse("User group '%s' already exists.", name)
	}
	return nil
}

func (o *Organization) checkNewGroupMembers(ids []int) error {
	for _, id := range ids {
		if u, ok := o.Users.Get(id); !ok || !u.Active {
			return Refuse("Invalid user ID: %d", id)
		}
	}
	return nil
}

func (o *Organization) checkSubgroups(ids []int) error {
	for _, id := range ids {
		if !o.Groups.Has(id) {
			return Refuse("Invalid user group ID: %d", id)
		}
	}
	for _, id := range ids {
		if g, _ := o.Groups.Get(id); g.Deactivated {
			return errGroupDeactivated
		}
	}
	return nil
}

// GroupByName finds a group by its exact name.
func (o *Organization) GroupByName(name string) (UserGroup, bool) {
	for _, g := range o.Groups.All() {
		if g.Name == name {
			return g, true
		}
	}
	return UserGroup{}, false
}

// without returns the values less those in gone.
func without[T comparable](values, gone []T) []T {
	return slices.DeleteFunc(slices.Clone(values), func(v T) bool { return slices.Contains(gone, v) })
}

// MembershipChange is the change of a group's direct members and subgroups in one request; the four are applied in the
// order of the fields (server-behavior §G6).
type MembershipChange struct {
	Add, Delete                   []int
	AddSubgroups, DeleteSubgroups []int
}

// ChangeMembership adds and removes direct members and subgroups. One bad
// element fails all of it.
func (o *Organization) ChangeMembership(actor User, id int, c MembershipChange) error {
	steps := []struct {
		ids []int
		do  func(User, int, []int) error
	}{
		{c.Add, o.addMembers},
		{c.Delete, o.deleteMembers},
		{c.AddSubgroups, o.addSubgroups},
		{c.DeleteSubgroups, o.deleteSubgroups},
	}
	for _, step := range steps {
		if len(step.ids) == 0 {
			continue
		}
		if err := step.do(actor, id, step.ids); err != nil {
			return err
		}
	}
	return nil
}

// addMembers checks the group before the people; deleteMembers checks them in the other order.
func (o *Organization) addMembers(actor User, id int, users []int) error {
	g, err := o.groupForMembers(actor, id, users, "can_join_group", "can_add_members_group")
	if err != nil {
		return err
	}
	if err := o.checkNewGroupMembers(users); err != nil {
		return err
	}
	for _, user := range users {
		if slices.Contains(g.Members, user) {
			return Refuse("User %d is already a member of this group", user)
		}
	}
	g.Members = sortedSet(append(slices.Clone(g.Members), users...))
	o.Groups.Put(id, g)
	o.notifyMembers(actor, users, "added you to the group "+groupMention(g))
	return nil
}

func (o *Organization) deleteMembers(actor User, id int, users []int) error {
	if err := o.checkNewGroupMembers(users); err != nil {
		return err
	}
	g, err := o.groupForMembers(actor, id, users, "can_leave_group", "can_remove_members_group")
	if err != nil {
		return err
	}
	for _, user := range users {
		if !slices.Contains(g.Members, user) {
			return Refuse("There is no member '%d' in this user group", user)
		}
	}
	g.Members = without(g.Members, users)
	o.Groups.Put(id, g)
	o.notifyMembers(actor, users, "removed you from the group "+groupMention(g))
	return nil
}

// groupForMembers checks the permission general. For a person who changes only their own membership, the permission own is
// enough.
func (o *Organization) groupForMembers(actor User, id int, users []int, own, general string) (UserGroup, error) {
	if len(users) == 1 && users[0] == actor.ID {
		if g, err := o.groupForUpdate(actor, id, own, true); err == nil {
			return g, nil
		}
	}
	return o.groupForUpdate(actor, id, general, true)
}

func (o *Organization) addSubgroups(actor User, id int, groups []int) error {
	g, err := o.groupForUpdate(actor, id, "can_add_members_group", true)
	if err != nil {
		return err
	}
	if err := o.checkSubgroups(groups); err != nil {
		return err
	}
	for _, sub := range groups {
		if slices.Contains(g.Subgroups, sub) {
			return Refuse("User group %d is already a subgroup of this group.", sub)
		}
	}
	for _, sub := range groups {
		below, _ := o.Groups.Get(sub)
		if sub == id || slices.Contains(o.AllSubgroups(below), id) {
			return Refuse("User group %d is already a subgroup of one of the passed subgroups.", id)
		}
	}
	g.Subgroups = sortedSet(append(slices.Clone(g.Subgroups), groups...))
	o.Groups.Put(id, g)
	return nil
}

func (o *Organization) deleteSubgroups(actor User, id int, groups []int) error {
	g, err := o.groupForUpdate(actor, id, "can_manage_group", true)
	if err != nil {
		return err
	}
	if err := o.checkSubgroups(groups); err != nil {
		return err
	}
	for _, sub := range groups {
		if !slices.Contains(g.Subgroups, sub) {
			return Refuse("User group %d is not a subgroup of this group.", sub)
		}
	}
	g.Subgroups = without(g.Subgroups, groups)
	o.Groups.Put(id, g)
	return nil
}

// DeactivateGroup deactivates a group, unless objections exist (server-behavior §G9).
func (o *Organization) DeactivateGroup(actor User, id int) error {
	g, err := o.groupForUpdate(actor, id, "can_manage_group", false)
	if err != nil {
		return err
	}
	if objections := o.objections(id); len(objections) > 0 {
		return &Error{
			Code:  "CANNOT_DEACTIVATE_GROUP_IN_USE",
			Msg:   "Cannot deactivate user group in use.",
			Extra: map[string]any{"objections": objections},
		}
	}
	g.Deactivated = true
	o.Groups.Put(id, g)
	return nil
}

// objections lists the uses of the group: groups that contain it, then settings of channels, of groups (including its own)
// and of the organization. Archived and deactivated objects do not count.
func (o *Organization) objections(id int) []map[string]any {
	var all []map[string]any
	var holders []int
	for holder, g := range o.Groups.All() {
		if !g.Deactivated && slices.Contains(g.Subgroups, id) {
			holders = append(holders, holder)
		}
	}
	if len(holders) > 0 {
		all = append(all, map[string]any{"type": "subgroup", "supergroup_ids": holders})
	}
	for channel, ch := range o.Channels.All() {
		if settings := naming(ChannelPermissions, ch.Permissions, id); !ch.Archived && len(settings) > 0 {
			all = append(all, map[string]any{"type": "channel", "channel_id": channel, "settings": settings})
		}
	}
	for group, g := range o.Groups.All() {
		if settings := naming(GroupPermissions, g.Permissions, id); !g.Deactivated && len(settings) > 0 {
			all = append(all, map[string]any{"type": "user_group", "group_id": group, "settings": settings})
		}
	}
	if settings := naming(RealmPermissions, o.Settings().Permissions, id); len(settings) > 0 {
		all = append(all, map[string]any{"type": "realm", "settings": settings})
	}
	return all
}

func naming(permissions []Permission, values map[string]GroupValue, group int) []string {
	var settings []string
	for _, p := range permissions {
		if values[p.Name].names(group) {
			settings = append(settings, p.Name)
		}
	}
	return settings
}
