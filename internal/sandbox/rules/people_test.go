package rules

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestLastOwner_Deactivated_Refused(t *testing.T) {
	o, people := founded(t)
	owner, admin := people[RoleOwner], people[RoleAdministrator]
	const last = "The owner permission cannot be removed from the only organization owner."
	demote := func(id int) string {
		return said(o.UpdateUser(owner, id, UserChange{Role: ptr(RoleMember)}))
	}
	// An owner bot does not count.
	o.AddUser(User{Email: "owner-bot@example.com", FullName: "Owner Bot", Role: RoleOwner, IsBot: true, BotOwnerID: owner.ID})
	expectEqual(t, "demoting the only owner", demote(owner.ID), last)
	expectEqual(t, "the only owner leaves", said(o.DeactivateSelf(owner)), "Cannot deactivate the only organization owner.")
	second := o.AddUser(User{Email: "second@example.com", FullName: "Second", Role: RoleOwner})
	requireNoError(t, o.DeactivateUser(owner, second.ID))
	// A deactivated owner is protected too if only one active owner exists.
	expectEqual(t, "demoting a deactivated owner", demote(second.ID), last)
	requireNoError(t, o.ReactivateUser(owner, second.ID))
	expectEqual(t, "demoting one of two owners", demote(second.ID), "")
	expectEqual(t, "a role that does not change", said(o.UpdateUser(admin, owner.ID, UserChange{Role: ptr(RoleOwner)})), "")
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
	requireNoError(t, o.Invite(admin, "new@example.com", true, NewInvite{Role: RoleMember}))
	if _, err := o.CreateUser(owner, NewUser{"new@example.com", "correct horse", "New"}); said(err) != "User not authorized to create users" {
		t.Fatalf("without the permission: %v", err)
	}
	owner.CanCreateUsers = true
	requireNoError(t, o.UpdateUserDefaults(UserDefaults{Numbers: map[string]int{"email_address_visibility": EmailVisibleToNobody}}))
	u, err := o.CreateUser(owner, NewUser{"new@EXAMPLE.com", "correct horse", " New "})
	requireNoError(t, err)
	if u.Email != "new@example.com" || u.FullName != "New" || u.Role != RoleMember || u.EmailVisibility != EmailVisibleToNobody {
		t.Errorf("created %+v", u)
	}
	if !o.IsSubscribed(u.ID, general.ID) {
		t.Error("not in the default channel")
	}
	if invitations, _ := o.ListInvitations(admin); len(invitations) != 0 {
		t.Errorf("still invited: %v", invitations)
	}
	requireNoError(t, o.DeactivateUser(admin, u.ID))
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
	expectEqual(t, "without the permission", change("moved@example.com"), "User not authorized to change user emails")
	admin.CanChangeUserEmails = true
	requireNoError(t, o.DeactivateUser(admin, guest.ID))
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

func TestGuest_ReadingUsers_OwnChannelsOnly(t *testing.T) {
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

func TestBot_OwnerDeactivated_Deactivated(t *testing.T) {
	o, people := founded(t)
	admin, member, guest := people[RoleAdministrator], people[RoleMember], people[RoleGuest]
	bot, err := o.CreateBot(member, NewBot{FullName: "Helper", ShortName: "helper", Type: BotGeneric, Interface: InterfaceGeneric})
	requireNoError(t, err)
	requireNoError(t, o.DeactivateUser(admin, member.ID))
	if u, _ := o.Users.Get(bot.ID); u.Active {
		t.Error("the bot of a deactivated person is active")
	}
	requireNoError(t, o.ReactivateUser(admin, member.ID))
	if u, _ := o.Users.Get(bot.ID); u.Active {
		t.Error("the bot came back with its owner")
	}
	requireNoError(t, o.DeactivateUser(admin, member.ID))
	requireNoError(t, o.ReactivateUser(admin, bot.ID))
	if u, _ := o.Users.Get(bot.ID); !u.Active || u.BotOwnerID != admin.ID {
		t.Errorf("a bot without an active owner belongs to who reactivated it: %+v", u)
	}
	expectEqual(t, "a stranger reactivates", said(o.ReactivateUser(guest, bot.ID)), "Insufficient permission")
}

func TestBot_Create_ByPermission(t *testing.T) {
	o, people := founded(t)
	member := people[RoleMember]
	create := func(short string, kind int) string {
		_, err := o.CreateBot(member, NewBot{FullName: short, ShortName: short, Type: kind, Interface: InterfaceGeneric})
		return said(err)
	}
	o.changeRealm(func(r *Realm) { r.Permissions["can_create_bots_group"] = Named(o.SystemGroup(Administrators)) })
	expectEqual(t, "generic bot", create("a", BotGeneric), "Insufficient permission")
	expectEqual(t, "incoming webhook bot", create("b", BotIncomingWebhook), "")
	o.changeRealm(func(r *Realm) {
		r.Permissions["can_create_write_only_bots_group"] = Named(o.SystemGroup(Administrators))
	})
	expectEqual(t, "incoming webhook bot without either permission", create("c", BotIncomingWebhook), "Insufficient permission")
	expectEqual(t, "embedded bot", create("d", BotEmbedded), "Embedded bots are not enabled.")
}

func TestUpdateBot_StepFails_EarlierKept(t *testing.T) {
	o, people := founded(t)
	member := people[RoleMember]
	bot, err := o.CreateBot(member, NewBot{FullName: "Bell", ShortName: "bell", Type: BotGeneric, Interface: InterfaceGeneric})
	requireNoError(t, err)
	o.EndRequest()
	err = o.UpdateBot(member, bot.ID, BotChange{FullName: ptr("Loud Bell"), OwnerID: ptr(999999)})
	if said(err) != "Failed to change owner, no such user" {
		t.Fatalf("unknown owner: %v", err)
	}
	o.Rollback()
	if u, _ := o.Users.Get(bot.ID); u.FullName != "Loud Bell" {
		t.Errorf("the name is %q: what was done before the failure stays", u.FullName)
	}
	if got := said(o.UpdateBot(member, bot.ID, BotChange{Role: ptr(RoleAdministrator)})); got != "Must be an organization administrator" {
		t.Errorf("a member gives a role: %q", got)
	}
	if err := o.UpdateBot(member, bot.ID, BotChange{PayloadURL: ptr("https://example.com"), Interface: InterfaceGeneric}); err == nil {
		t.Error("a generic bot took a payload URL")
	}
}

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

	requireNoError(t, o.Invite(member, "Ann <ann@example.com>,\n bob@example.com,ann@example.com", true, in(open.ID)))
	if got := said(o.Invite(member, "c@example.com", true, in(other.ID))); got != "You do not have permission to subscribe other users to channels." {
		t.Errorf("a channel that is no default: %q", got)
	}
	if got := said(o.Invite(member, "c@example.com, nonsense", true, in())); got != "Some emails did not validate, so we didn't send any invitations." {
		t.Errorf("a bad address: %q", got)
	}
	expectEqual(t, "nobody new", said(o.Invite(member, admin.Email, true, in())), "We weren't able to invite anyone.")
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
	expectEqual(t, "a moderator revokes", said(o.RevokeInvitation(moderator, invitations[0].ID)), "Must be an organization administrator")
	requireNoError(t, o.RevokeInvitation(member, invitations[0].ID))
	expectEqual(t, "resending a revoked invitation", said(o.ResendInvitation(member, invitations[0].ID)), "No such invitation")
	requireNoError(t, o.DeactivateUser(admin, member.ID))
	if left, _ := o.ListInvitations(admin); len(left) != 0 {
		t.Errorf("the inviter is gone, and the invitations are not: %v", left)
	}
}

// Passwords for which zxcvbn (the server's library) counts fewer than 10,000 guesses, and others.
func TestWeakPasswords(t *testing.T) {
	const weak = "temp abcdef password 12345678 qwerty123 abc123 example s3cRet aaaaaa testtest drowssap PASSWORD Password P@ssw0rd p4ssword " +
		"letmein iloveyou sunshine Summer elizabeth abcabcabc 97531 acegik zyxwvu fghjkl poiuyt x é tZ9#k"
	const strong = "tZ9#kw xkcd-correct-horse-9 Summer2024! passwordpassw0rd PaSsWoRdElizabeth hunter2letmein jKhqTe terraform-zulip 7bqx0d пароль-мой"
	for _, password := range strings.Fields(weak) {
		if err := checkPassword(password, "weak"); said(err) != "weak" {
			t.Errorf("%s: %v", password, err)
		}
	}
	for _, password := range strings.Fields(strong) {
		if err := checkPassword(password, "weak"); err != nil {
			t.Errorf("%s: %v", password, err)
		}
	}
	if err := checkPassword(strings.Repeat("tZ9#kw", 17), "weak"); !errors.Is(err, errPasswordTooLong) {
		t.Errorf("more than 100 characters: %v", err)
	}
}

func TestPassword_Set_StoredAsHash(t *testing.T) {
	o, people := founded(t)
	member, other := people[RoleMember].ID, people[RoleGuest].ID
	for _, id := range []int{member, other} {
		requireNoError(t, o.SetPassword(id, "correct horse"))
	}
	one, _ := o.Users.Get(member)
	two, _ := o.Users.Get(other)
	if !one.hasPassword("correct horse") || one.hasPassword("Correct horse") || one.hasPassword("") || (User{}).hasPassword("") {
		t.Error("the wrong password is taken, or the right one is not")
	}
	if bytes.Equal(one.PasswordHash, two.PasswordHash) || strings.Contains(string(one.PasswordHash), "horse") {
		t.Errorf("kept as %x and %x", one.PasswordHash, two.PasswordHash)
	}
}

func TestEmoji_ByName_CustomFirst(t *testing.T) {
	o, people := founded(t)
	admin := people[RoleAdministrator]
	png := Upload{"rocket.png", "image/png", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\n\x00\x00\x00\n\x08\x02\x00\x00\x00\x02PX\xea")}
	requireNoError(t, o.AddCustomEmoji(admin, "rocket", []Upload{png}))
	custom, err := o.EmojiByName("rocket")
	if err != nil || custom.Type != CustomEmoji {
		t.Fatalf("a custom emoji comes first: %+v, %v", custom, err)
	}
	standard := Emoji{"rocket", "1f680", StandardEmoji}
	if got, err := o.ResolveEmoji("rocket", &standard.Code, &standard.Type); err != nil || got != standard {
		t.Errorf("the standard one by its code: %+v, %v", got, err)
	}
	requireNoError(t, o.DeactivateCustomEmoji(admin, "rocket"))
	for _, test := range []struct {
		emoji Emoji
		want  string
	}{
		{custom, "This custom emoji has been deactivated."},
		{Emoji{"other", custom.Code, CustomEmoji}, "Invalid custom emoji name."},
		{Emoji{"rocket", "999999", CustomEmoji}, "Invalid custom emoji."},
		{Emoji{"rocket", "ffff", StandardEmoji}, "Invalid emoji code."},
		{Emoji{"zulip", "zulip", StandardEmoji}, "Invalid emoji code."},
		{Emoji{"car", "zulip", ExtraEmoji}, "Invalid emoji name."},
		{Emoji{"heart", "2764", StandardEmoji}, ""},
		{Emoji{"one", "0031-20e3", StandardEmoji}, ""},
		{Emoji{"working_on_it", "1f6e0", StandardEmoji}, ""},
	} {
		if got := said(o.checkEmoji(test.emoji)); got != test.want {
			t.Errorf("%+v: %q, want %q", test.emoji, got, test.want)
		}
	}
}
