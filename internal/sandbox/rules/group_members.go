package rules

import "slices"

// MembershipChange is what one request asks of a group's direct members and
// subgroups; the four are done in the order of the fields (server-behavior §G6).
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

// addMembers looks at the group before the people; deleteMembers does it the other way round.
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

// groupForMembers lets a person who only touches the own membership pass with
// the right for that, and everybody with the general one.
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

// DeactivateGroup takes a group out of use; what still uses it objects
// (server-behavior §G9).
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

// objections lists what names the group: groups that hold it, then settings of
// channels, of groups (its own included) and of the organization. What is
// archived or deactivated does not object.
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
