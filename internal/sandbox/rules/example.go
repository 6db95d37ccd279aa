package rules

// AddExample adds a small team to a new organization, for people who want to try
// things out: people of every role, two groups, a folder, and channels of each
// kind.
func (o *Organization) AddExample() error {
	o.changeRealm(func(r *Realm) {
		r.Name = "Example Works"
		r.Description = "A small organization to try things out in."
	})
	person := func(account, email, name string, role int) User {
		return o.AddUser(User{Account: account, Email: email, FullName: name, Role: role})
	}
	owner := person("owner", "ines.moreau@example.com", "Ines Moreau", RoleOwner)
	// Rights that a real server grants in its shell: the owner may try everything out.
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
		if _, err := o.CreateChannel(admin, c.spec, ids); err != nil {
			return err
		}
	}
	return nil
}
