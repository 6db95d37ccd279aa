package rules

import "testing"

func TestBotsFollowTheirOwner(t *testing.T) {
	o, people := founded(t)
	admin, member, guest := people[RoleAdministrator], people[RoleMember], people[RoleGuest]
	bot, err := o.CreateBot(member, NewBot{FullName: "Helper", ShortName: "helper", Type: BotGeneric, Interface: InterfaceGeneric})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.DeactivateUser(admin, member.ID); err != nil {
		t.Fatal(err)
	}
	if u, _ := o.Users.Get(bot.ID); u.Active {
		t.Error("the bot of a deactivated person is active")
	}
	if err := o.ReactivateUser(admin, member.ID); err != nil {
		t.Fatal(err)
	}
	if u, _ := o.Users.Get(bot.ID); u.Active {
		t.Error("the bot came back with its owner")
	}
	if err := o.DeactivateUser(admin, member.ID); err != nil {
		t.Fatal(err)
	}
	if err := o.ReactivateUser(admin, bot.ID); err != nil {
		t.Fatal(err)
	}
	if u, _ := o.Users.Get(bot.ID); !u.Active || u.BotOwnerID != admin.ID {
		t.Errorf("a bot without an active owner belongs to who reactivated it: %+v", u)
	}
	if got := said(o.ReactivateUser(guest, bot.ID)); got != "Insufficient permission" {
		t.Errorf("a stranger reactivates: %q", got)
	}
}

func TestWhoMakesBots(t *testing.T) {
	o, people := founded(t)
	member := people[RoleMember]
	create := func(short string, kind int) string {
		_, err := o.CreateBot(member, NewBot{FullName: short, ShortName: short, Type: kind, Interface: InterfaceGeneric})
		return said(err)
	}
	o.changeRealm(func(r *Realm) { r.Permissions["can_create_bots_group"] = Named(o.SystemGroup(Administrators)) })
	if got := create("a", BotGeneric); got != "Insufficient permission" {
		t.Errorf("generic bot: %q", got)
	}
	if got := create("b", BotIncomingWebhook); got != "" {
		t.Errorf("incoming webhook bot: %q", got)
	}
	o.changeRealm(func(r *Realm) {
		r.Permissions["can_create_write_only_bots_group"] = Named(o.SystemGroup(Administrators))
	})
	if got := create("c", BotIncomingWebhook); got != "Insufficient permission" {
		t.Errorf("incoming webhook bot without either right: %q", got)
	}
	if got := create("d", BotEmbedded); got != "Embedded bots are not enabled." {
		t.Errorf("embedded bot: %q", got)
	}
}

func TestUpdateBotStopsWhereItFails(t *testing.T) {
	o, people := founded(t)
	member := people[RoleMember]
	bot, err := o.CreateBot(member, NewBot{FullName: "Bell", ShortName: "bell", Type: BotGeneric, Interface: InterfaceGeneric})
	if err != nil {
		t.Fatal(err)
	}
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
