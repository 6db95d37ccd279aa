package rules

import (
	"slices"
	"testing"
)

// The old value is compared with the shown value. A hidden person does not keep a list from matching, but a list that would
// be collapsed never matches (server-behavior §P3).
func TestCompareAndSetWithHiddenPeople(t *testing.T) {
	o, people := founded(t)
	admin, member, moderator := people[RoleAdministrator], people[RoleMember], people[RoleModerator]
	leads := []int{o.SystemGroup(Moderators)}
	requireNoError(t, o.DeactivateUser(admin, member.ID))
	tests := []struct {
		name    string
		stored  GroupValue
		old     GroupValue
		matches bool
	}{
		{"list with somebody left", Listed([]int{member.ID, moderator.ID}, leads), Listed([]int{moderator.ID}, leads), true},
		{"hidden person sent too", Listed([]int{member.ID, moderator.ID}, leads), Listed([]int{member.ID, moderator.ID}, leads), false},
		{"one group left", Listed([]int{member.ID}, leads), Listed(nil, leads), false},
		{"one group left, by number", Listed([]int{member.ID}, leads), Named(leads[0]), false},
		{"nothing left", Listed([]int{member.ID}, nil), Listed(nil, nil), false},
		{"group", Named(leads[0]), Listed(nil, leads), true},
		{"order and repetition", Listed([]int{admin.ID, moderator.ID}, leads), Listed([]int{moderator.ID, admin.ID, moderator.ID}, leads), true},
	}
	for _, test := range tests {
		_, _, err := o.changePermission(test.stored, PermissionChange{New: Named(leads[0]), Old: &test.old})
		if (err == nil) != test.matches {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestMembership_SubgroupsAndRoles_Followed(t *testing.T) {
	o, people := founded(t)
	admin, guest, member := people[RoleAdministrator], people[RoleGuest], people[RoleMember]
	inner, err := o.CreateGroup(admin, NewGroup{Name: "inner", Members: []int{guest.ID}})
	requireNoError(t, err)
	outer, err := o.CreateGroup(admin, NewGroup{Name: "outer", Subgroups: []int{inner.ID, o.SystemGroup(Administrators)}})
	requireNoError(t, err)
	if !o.In(guest, Named(outer.ID)) || !o.In(people[RoleOwner], Named(outer.ID)) || o.In(member, Named(outer.ID)) {
		t.Error("who is in a group does not follow from its subgroups")
	}
	if want := []int{people[RoleOwner].ID, admin.ID, guest.ID}; !slices.Equal(o.AllMembers(outer), want) {
		t.Errorf("all members: %v, want %v", o.AllMembers(outer), want)
	}
	requireNoError(t, o.ChangeMembership(admin, inner.ID, MembershipChange{Delete: []int{guest.ID}}))
	if o.In(guest, Named(outer.ID)) {
		t.Error("who left a subgroup is still in")
	}
	o.Rollback()
	member.Role = RoleModerator
	o.Users.Put(member.ID, member)
	if !o.In(member, Named(o.SystemGroup(Moderators))) {
		t.Error("a new role does not give its group")
	}
}
