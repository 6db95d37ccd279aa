package rules

import (
	"slices"
	"testing"
)

func TestInvitationRoles(t *testing.T) {
	const notAdmin, notOwner = "Must be an organization administrator", "Must be an organization owner"
	tests := []struct {
		by, role int
		want     string
	}{
		{RoleMember, RoleMember, ""}, {RoleMember, RoleGuest, ""},
		{RoleMember, RoleModerator, notAdmin}, {RoleModerator, RoleModerator, notAdmin},
		{RoleModerator, RoleAdministrator, notAdmin}, {RoleModerator, RoleOwner, notOwner},
		{RoleAdministrator, RoleAdministrator, ""}, {RoleAdministrator, RoleOwner, notOwner},
		{RoleOwner, RoleOwner, ""},
	}
	o, people := founded(t)
	o.changeRealm(func(r *Realm) { r.Permissions["create_multiuse_invite_group"] = Named(o.SystemGroup(Members)) })
	for _, test := range tests {
		if _, err := o.CreateInviteLink(people[test.by], NewInvite{Role: test.role}); said(err) != test.want {
			t.Errorf("%d invites as %d: %q, want %q", test.by, test.role, said(err), test.want)
		}
	}
	if _, err := o.CreateInviteLink(people[RoleModerator], NewInvite{Role: RoleMember, WelcomeMessage: ptr("")}); said(err) != notAdmin {
		t.Errorf("a moderator chooses the welcome message: %v", err)
	}
}

func TestInvitations(t *testing.T) {
	o, people := founded(t)
	admin, member, moderator := people[RoleAdministrator], people[RoleMember], people[RoleModerator]
	open := channel(t, o, admin, NewChannel{Name: "open", Default: true})
	other := channel(t, o, admin, NewChannel{Name: "other"})
	o.changeRealm(func(r *Realm) { r.Permissions["can_add_subscribers_group"] = Named(o.SystemGroup(Nobody)) })
	in := func(channels ...int) NewInvite { return NewInvite{Role: RoleMember, Channels: channels} }

	if err := o.Invite(member, "Ann <ann@example.com>,\n bob@example.com,ann@example.com", true, in(open.ID)); err != nil {
		t.Fatal(err)
	}
	if got := said(o.Invite(member, "c@example.com", true, in(other.ID))); got != "You do not have permission to subscribe other users to channels." {
		t.Errorf("a channel that is no default: %q", got)
	}
	if got := said(o.Invite(member, "c@example.com, nonsense", true, in())); got != "Some emails did not validate, so we didn't send any invitations." {
		t.Errorf("a bad address: %q", got)
	}
	if got := said(o.Invite(member, admin.Email, true, in())); got != "We weren't able to invite anyone." {
		t.Errorf("nobody new: %q", got)
	}
	invitations, _ := o.ListInvitations(member)
	var emails []string
	for _, i := range invitations {
		emails = append(emails, i.Email)
	}
	if want := []string{"ann@example.com", "bob@example.com"}; !slices.Equal(emails, want) {
		t.Fatalf("invited %v, want %v", emails, want)
	}
	if others, _ := o.ListInvitations(moderator); len(others) != 0 {
		t.Errorf("a moderator sees %v", others)
	}
	if got := said(o.RevokeInvitation(moderator, invitations[0].ID)); got != "Must be an organization administrator" {
		t.Errorf("a moderator revokes: %q", got)
	}
	if err := o.RevokeInvitation(member, invitations[0].ID); err != nil {
		t.Fatal(err)
	}
	if got := said(o.ResendInvitation(member, invitations[0].ID)); got != "No such invitation" {
		t.Errorf("resending a revoked invitation: %q", got)
	}
	if err := o.DeactivateUser(admin, member.ID); err != nil {
		t.Fatal(err)
	}
	if left, _ := o.ListInvitations(admin); len(left) != 0 {
		t.Errorf("the inviter is gone, and the invitations are not: %v", left)
	}
}
