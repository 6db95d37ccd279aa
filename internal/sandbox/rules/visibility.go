package rules

// MaySee reports whether viewer may know of a person. Only guests can be kept from
// it, by can_access_all_users_group; they still see bots and whoever shares a
// channel with them (server-behavior §U3).
func (o *Organization) MaySee(viewer, target User) bool {
	if !viewer.IsGuest() || target.ID == viewer.ID || target.IsBot {
		return true
	}
	if o.MayRealm(viewer, "can_access_all_users_group") {
		return true
	}
	for _, channel := range o.ChannelsOf(viewer.ID) {
		if o.IsSubscribed(target.ID, channel) {
			return true
		}
	}
	return false
}

// VisibleUser returns a person or bot, active or not, whom viewer may see.
func (o *Organization) VisibleUser(viewer User, id int) (User, error) {
	u, err := o.AnyUser(id)
	if err == nil && !o.MaySee(viewer, u) {
		err = errInsufficientPermission
	}
	return u, err
}

// visibleHuman returns an active person whom viewer may see.
func (o *Organization) visibleHuman(viewer User, id int) (User, error) {
	u, err := o.ActiveHuman(id)
	if err == nil && !o.MaySee(viewer, u) {
		err = errInsufficientPermission
	}
	return u, err
}

// AdministeredUser returns a person or bot, active or not, whom actor may
// change: anyone for administrators, their own bots for others.
func (o *Organization) AdministeredUser(actor User, id int) (User, error) {
	u, err := o.AnyUser(id)
	if err == nil && !actor.administers(u) {
		err = errInsufficientPermission
	}
	return u, err
}

func (u User) administers(target User) bool {
	return u.IsAdmin() || target.IsBot && target.BotOwnerID == u.ID
}
