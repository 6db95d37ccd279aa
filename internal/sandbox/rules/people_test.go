package rules

import (
	"strings"
	"testing"
)

func TestLastOwnerStays(t *testing.T) {
	o, people := founded(t)
	owner, admin := people[RoleOwner], people[RoleAdministrator]
	const last = "The owner permission cannot be removed from the only organization owner."
	demote := func(id int) string {
		return said(o.UpdateUser(owner, id, UserChange{Role: ptr(RoleMember)}))
	}
	// An owner bot does not count.
	o.AddUser(User{Email: "owner-bot@example.com", FullName: "Owner Bot", Role: RoleOwner, IsBot: true, BotOwnerID: owner.ID})
	if got := demote(owner.ID); got != last {
		t.Errorf("demoting the only owner: %q", got)
	}
	if got := said(o.DeactivateSelf(owner)); got != "Cannot deactivate the only organization owner." {
		t.Errorf("the only owner leaves: %q", got)
	}
	second := o.AddUser(User{Email: "second@example.com", FullName: "Second", Role: RoleOwner})
	if err := o.DeactivateUser(owner, second.ID); err != nil {
		t.Fatal(err)
	}
	// A deactivated owner is protected too while one active owner is left.
	if got := demote(second.ID); got != last {
		t.Errorf("demoting a deactivated owner: %q", got)
	}
	if err := o.ReactivateUser(owner, second.ID); err != nil {
		t.Fatal(err)
	}
	if got := demote(second.ID); got != "" {
		t.Errorf("demoting one of two owners: %q", got)
	}
	if got := said(o.UpdateUser(admin, owner.ID, UserChange{Role: ptr(RoleOwner)})); got != "" {
		t.Errorf("a role that does not change: %q", got)
	}
}

func TestFullNames(t *testing.T) {
	o, people := founded(t)
	o.AddUser(User{Email: "straße@example.com", FullName: "Jörg Straße", Role: RoleMember})
	o.changeRealm(func(r *Realm) { r.RequireUniqueNames = true })
	for name, want := range map[string]string{
		"  Plain Name ":          "",
		strings.Repeat("ä", 100): "",
		strings.Repeat("ä", 101): "Name too long!",
		" ":                      "Name must not be empty!",
		"a*b":                    "Invalid characters in name!",
		"a\tb":                   "Invalid characters in name!",
		"Ann|12":                 "Invalid format!",
		"JÖRG STRASSE":           "Unique names required in this organization.",
	} {
		if _, err := o.checkFullName(name, 0); said(err) != want {
			t.Errorf("%q: %q, want %q", name, said(err), want)
		}
	}
	member := people[RoleMember]
	if _, err := o.checkFullName(member.FullName, member.ID); err != nil {
		t.Errorf("a person's own name: %v", err)
	}
}

func TestCreateUser(t *testing.T) {
	o, people := founded(t)
	owner, admin := people[RoleOwner], people[RoleAdministrator]
	general := channel(t, o, admin, NewChannel{Name: "general", Default: true})
	if err := o.Invite(admin, "new@example.com", true, NewInvite{Role: RoleMember}); err != nil {
		t.Fatal(err)
	}
	if _, err := o.CreateUser(owner, NewUser{"new@example.com", "correct horse", "New"}); said(err) != "User not authorized to create users" {
		t.Fatalf("without the right: %v", err)
	}
	owner.CanCreateUsers = true
	if err := o.UpdateUserDefaults(UserDefaults{Numbers: map[string]int{"email_address_visibility": EmailVisibleToNobody}}); err != nil {
		t.Fatal(err)
	}
	u, err := o.CreateUser(owner, NewUser{"new@EXAMPLE.com", "correct horse", " New "})
	if err != nil {
		t.Fatal(err)
	}
	if u.Email != "new@example.com" || u.FullName != "New" || u.Role != RoleMember || u.EmailVisibility != EmailVisibleToNobody {
		t.Errorf("created %+v", u)
	}
	if !o.IsSubscribed(u.ID, general.ID) {
		t.Error("not in the default channel")
	}
	if invitations, _ := o.ListInvitations(admin); len(invitations) != 0 {
		t.Errorf("still invited: %v", invitations)
	}
	if err := o.DeactivateUser(admin, u.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := o.CreateUser(owner, NewUser{"New@example.com", "secret", "Other"}); said(err) != "Email is already in use." {
		t.Errorf("the address of a deactivated person: %v", err)
	}
	if _, err := o.CreateUser(owner, NewUser{"x@mailinator.com", "secret", "Other"}); said(err) != "Disposable email addresses are not allowed in this organization" {
		t.Errorf("a throw-away address: %v", err)
	}
}

func TestChangeEmail(t *testing.T) {
	o, people := founded(t)
	admin, member, guest := people[RoleAdministrator], people[RoleMember], people[RoleGuest]
	change := func(email string) string {
		return said(o.UpdateUser(admin, member.ID, UserChange{NewEmail: &email}))
	}
	if got := change("moved@example.com"); got != "User not authorized to change user emails" {
		t.Errorf("without the right: %q", got)
	}
	admin.CanChangeUserEmails = true
	if err := o.DeactivateUser(admin, guest.ID); err != nil {
		t.Fatal(err)
	}
	for email, want := range map[string]string{
		"nonsense":            "Invalid new email address.",
		admin.Email:           "New email value error: Already has an account.",
		guest.Email:           "New email value error: Account has been deactivated.",
		"welcome-bot@" + Host: "New email value error: Reserved for system bots.",
	} {
		if got := change(email); got != want {
			t.Errorf("%s: %q, want %q", email, got, want)
		}
	}
	if got := change("moved@example.com"); got != "" {
		t.Fatal(got)
	}
	if u, ok := o.UserByEmail("moved@example.com"); !ok || u.ID != member.ID {
		t.Error("not found under the new address")
	}
	if _, ok := o.UserByEmail(member.Email); ok {
		t.Error("found under the old address")
	}
}

func TestGuestsSeeTheirChannelsOnly(t *testing.T) {
	o, people := founded(t)
	admin, member, moderator, guest := people[RoleAdministrator], people[RoleMember], people[RoleModerator], people[RoleGuest]
	channel(t, o, admin, NewChannel{Name: "shared"}, guest, member)
	if !o.MaySee(guest, moderator) {
		t.Error("by default guests see everybody")
	}
	o.changeRealm(func(r *Realm) { r.Permissions["can_access_all_users_group"] = Named(o.SystemGroup(Members)) })
	if o.MaySee(guest, moderator) || !o.MaySee(guest, member) || !o.MaySee(guest, guest) || !o.MaySee(member, moderator) {
		t.Error("guests see themselves and who is in a channel with them; others see everybody")
	}
	if _, err := o.StatusOf(guest, moderator.ID); said(err) != "Insufficient permission" {
		t.Errorf("status of somebody unseen: %v", err)
	}
}
