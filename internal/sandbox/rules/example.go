package rules

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// AddExample adds a small team to a new organization, for trying things out: people of every role, two groups, a folder,
// and channels of each kind.
func (o *Organization) AddExample() error {
	o.changeRealm(func(r *Realm) {
		r.Name = "Example Works"
		r.Description = "A small organization to try things out in."
	})
	person := func(account, email, name string, role int) User {
		return o.AddUser(User{Account: account, Email: email, FullName: name, Role: role})
	}
	owner := person("owner", "ines.moreau@example.com", "Ines Moreau", RoleOwner)
	// Permissions from a real server's shell, so that the owner can try everything.
	owner.CanCreateUsers, owner.CanChangeUserEmails = true, true
	o.Users.Put(owner.ID, owner)
	admin := person("admin", "tomas.berg@example.com", "Tomas Berg", RoleAdministrator)
	moderator := person("moderator", "amara.okafor@example.com", "Amara Okafor", RoleModerator)
	member := person("member", "lena.fischer@example.com", "Lena Fischer", RoleMember)
	member2 := person("member2", "kenji.sato@example.com", "Kenji Sato", RoleMember)
	guest := person("guest", "paul.dubois@example.com", "Paul Dubois", RoleGuest)
	bot := o.AddUser(User{
		Account: "bot", Email: "terraform-bot@" + Host, FullName: "Terraform Bot",
		Role: RoleAdministrator, IsBot: true, BotOwnerID: admin.ID,
	})

	sre, err := o.CreateGroup(admin, NewGroup{Name: "sre", Description: "Whoever is on call", Members: []int{member.ID, moderator.ID}})
	if err != nil {
		return err
	}
	if _, err := o.CreateGroup(owner, NewGroup{Name: "leads", Description: "Team leads", Members: []int{owner.ID, moderator.ID}, Subgroups: []int{sre.ID}}); err != nil {
		return err
	}
	folder, err := o.CreateFolder(admin, "Operations", "Keeping things running")
	if err != nil {
		return err
	}
	channels := []struct {
		spec        NewChannel
		subscribers []User
	}{
		{NewChannel{Name: "general", Description: "Everything that has no other place", Default: true}, []User{owner, admin, moderator, member, member2, guest}},
		{NewChannel{Name: "announcements", Description: "News from the leads", Permissions: map[string]GroupValue{"can_send_message_group": Named(o.SystemGroup(Moderators))}}, []User{owner, admin, moderator, member, member2}},
		{NewChannel{Name: "incidents", Description: "What is broken right now", FolderID: &folder.ID, Permissions: map[string]GroupValue{"can_administer_channel_group": Named(sre.ID)}}, []User{admin, moderator, member, bot}},
		{NewChannel{Name: "leads", Description: "Plans and people", Private: true}, []User{owner, admin, moderator}},
	}
	for _, c := range channels {
		var ids []int
		for _, u := range c.subscribers {
			ids = append(ids, u.ID)
		}
		if _, _, err := o.CreateChannel(admin, c.spec, ids, nil); err != nil {
			return err
		}
	}
	return nil
}

// The functions below are for a recorded organization. Its rows go into the tables unchanged, including the system groups.
// [Organization.Initialize] is not called for it.

// StartingRealm returns the settings of a new organization. Its permissions name the system groups, which must be in their
// table.
func (o *Organization) StartingRealm() Realm {
	realm := newRealm(o.now().Unix())
	for _, p := range RealmPermissions {
		realm.Permissions[p.Name] = Named(o.SystemGroup(p.Default))
	}
	return realm
}

// PutRealm stores the settings.
func (o *Organization) PutRealm(realm Realm) { o.Realm.Put(realmID, realm) }

// PutUserDefaults stores the settings that new accounts start with.
func (o *Organization) PutUserDefaults(defaults UserDefaults) {
	o.UserDefaults.Put(userDefaultsID, defaults)
}

// PutSubscription subscribes an account to a channel.
func (o *Organization) PutSubscription(user, channel int) { o.subscribe(user, channel, "") }

// CompletePermissions adds missing permissions to those of a channel or group. Servers with a new permission do the same
// for existing objects. creator may be nil.
func (o *Organization) CompletePermissions(all []Permission, held map[string]GroupValue, creator *int) map[string]GroupValue {
	complete := maps.Clone(held)
	if complete == nil {
		complete = map[string]GroupValue{}
	}
	for _, p := range all {
		_, ok := complete[p.Name]
		switch {
		case ok:
		case p.Default != Creator:
			complete[p.Name] = Named(o.SystemGroup(p.Default))
		case creator != nil && o.Users.Has(*creator):
			complete[p.Name] = Listed([]int{*creator}, nil)
		default:
			complete[p.Name] = Named(o.SystemGroup(Nobody))
		}
	}
	return complete
}

// ContinueIDs sets the next id of each table with rows to the one after the largest.
func (o *Organization) ContinueIDs() {
	for _, t := range o.tables {
		if last := t.lastID(); last > 0 {
			o.log.sequences[t.tableName()] = last + 1
			t.restartSequence(last + 1)
		}
	}
}

func (t *Table[T]) lastID() int {
	if len(t.ids) == 0 {
		return 0
	}
	return t.ids[len(t.ids)-1]
}

func (t *Table[T]) restartSequence(next int) { t.next = next }

// SystemBot is an account every server has, in no organization.
type SystemBot struct {
	ID       int    `json:"id"`
	Email    string `json:"email"`
	FullName string `json:"full_name"`
}

// NotificationBot is the first part of the address of the system bot that posts notices.
const NotificationBot = "notification-bot"

// usualSystemBots are the system bots of an organization that names no others. Their ids are below those of people.
var usualSystemBots = []SystemBot{
	{6, "emailgateway@" + Host, "Email Gateway"}, {7, NotificationBot + "@" + Host, "Notification Bot"}, {8, "welcome-bot@" + Host, "Welcome Bot"},
}

func (o *Organization) systemBots() []SystemBot {
	if own := o.Settings().SystemBots; len(own) > 0 {
		return own
	}
	return usualSystemBots
}

// NotificationBotID is the id of the system bot that posts notices.
func (o *Organization) NotificationBotID() int {
	for _, bot := range o.systemBots() {
		if strings.HasPrefix(bot.Email, NotificationBot+"@") {
			return bot.ID
		}
	}
	return o.systemBots()[0].ID
}

// SystemBots returns the accounts every server has, by id.
func (o *Organization) SystemBots() []User {
	var bots []User
	for _, bot := range o.systemBots() {
		bots = append(bots, User{
			ID: bot.ID, FullName: bot.FullName, Email: bot.Email, Role: RoleMember, Active: true,
			IsBot: true, BotType: BotGeneric, EmailVisibility: EmailVisibleToEveryone,
			DateJoined: time.Unix(o.Settings().DateCreated, 0), AvatarVersion: 1,
		})
	}
	return bots
}

// Sender returns the account that sent a message: a person, a bot or a system bot.
func (o *Organization) Sender(id int) User {
	u, ok := o.Users.Get(id)
	if !ok {
		for _, bot := range o.SystemBots() {
			if bot.ID == id {
				return bot
			}
		}
	}
	return u
}

// systemBotHost is the default domain of the system bots' addresses. They are reserved on every server.
const systemBotHost = "zulip.com"

// isSystemBot reports whether an address is that of a system bot.
func (o *Organization) isSystemBot(email string) bool {
	return slices.ContainsFunc(slices.Concat(usualSystemBots, o.systemBots()), func(bot SystemBot) bool {
		local, _, _ := strings.Cut(bot.Email, "@")
		return strings.EqualFold(email, bot.Email) || strings.EqualFold(email, local+"@"+systemBotHost)
	})
}
