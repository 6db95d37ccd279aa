package rules

import (
	"fmt"
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

func TestGroupMembers_Change_ByPermission(t *testing.T) {
	o, people := founded(t)
	admin, member, moderator := people[RoleAdministrator], people[RoleMember], people[RoleModerator]
	g, err := o.CreateGroup(admin, NewGroup{Name: "g", Members: []int{moderator.ID}, Permissions: map[string]GroupValue{
		"can_join_group":        Named(o.SystemGroup(Members)),
		"can_leave_group":       Named(o.SystemGroup(Nobody)),
		"can_add_members_group": Listed([]int{moderator.ID}, nil),
	}})
	requireNoError(t, err)
	o.EndRequest()
	const no = "Insufficient permission"
	tests := []struct {
		name   string
		by     User
		change MembershipChange
		want   string
	}{
		{"join", member, MembershipChange{Add: []int{member.ID}}, ""},
		{"add another", member, MembershipChange{Add: []int{people[RoleGuest].ID}}, no},
		{"add with the permission", moderator, MembershipChange{Add: []int{member.ID}}, ""},
		{"leave", moderator, MembershipChange{Delete: []int{moderator.ID}}, no},
		{"creator removes", admin, MembershipChange{Delete: []int{moderator.ID}}, ""},
		{"remove subgroup", moderator, MembershipChange{DeleteSubgroups: []int{o.SystemGroup(Owners)}}, no},
		{"owner manages all", people[RoleOwner], MembershipChange{AddSubgroups: []int{o.SystemGroup(Owners)}}, ""},
		{"itself as a subgroup", admin, MembershipChange{AddSubgroups: []int{g.ID}}, fmt.Sprintf("User group %d is already a subgroup of one of the passed subgroups.", g.ID)},
		{"one bad of two", admin, MembershipChange{Add: []int{member.ID, 999999}}, "Invalid user ID: 999999"},
	}
	for _, test := range tests {
		if got := said(o.ChangeMembership(test.by, g.ID, test.change)); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		o.Rollback()
	}
}

func TestGroup_DeactivatedInUse_Objections(t *testing.T) {
	o, people := founded(t)
	admin := people[RoleAdministrator]
	g, err := o.CreateGroup(admin, NewGroup{Name: "g"})
	requireNoError(t, err)
	ch := channel(t, o, admin, NewChannel{Name: "c", Permissions: map[string]GroupValue{"can_send_message_group": Listed([]int{admin.ID}, []int{g.ID})}})
	o.changeRealm(func(r *Realm) { r.Permissions["can_create_groups"] = Named(g.ID) })
	objections := o.objections(g.ID)
	if len(objections) != 2 || objections[0]["type"] != "channel" || objections[0]["channel_id"] != ch.ID || objections[1]["type"] != "realm" {
		t.Errorf("objections: %v", objections)
	}
	requireNoError(t, o.ArchiveChannel(admin, ch.ID))
	if objections := o.objections(g.ID); len(objections) != 1 {
		t.Errorf("an archived channel objects: %v", objections)
	}
}
