package effects

// Place is a kind of value that names accounts or channels by their IDs.
type Place string

// The places.
const (
	// Members are the members of a user group, the people in a permission, and the subscribers of a channel.
	Members Place = "members"
	// DefaultSubscribers are the subscribers of a default channel.
	DefaultSubscribers Place = "subscribers of a default channel"
	// Owners are the owners of bots and those who sent invitations: these end with the account.
	Owners Place = "owners"
	// Subgroups are the subgroups of a user group, and the user groups in a permission.
	Subgroups Place = "subgroups"
	// Defaults are the default channels, and the channels of a default channel group.
	Defaults Place = "default channels"
	// ChannelSetting is a setting of the organization that names a channel.
	ChannelSetting Place = "channel setting"
)

// names returns what a place names.
func (p Place) names() subject {
	switch p {
	case Defaults, ChannelSetting:
		return channel
	case Subgroups:
		return group
	}
	return account
}

// None is the value of a channel setting without a channel.
const None int64 = -1

// Outcome is what a write to an object does to a place that names the object.
type Outcome int

// The outcomes. An object that returns is only where it was before, which the server shows.
const (
	Stays Outcome = iota
	Leaves
	Returns
	Resets
)

// Row says what the server does by itself after a kind of write.
type Row struct {
	After Kind
	In    []Place
	Then  Outcome
}

// Table has everything that a plan can name and that follows from a write elsewhere. Most of it the server does by itself.
var Table = []Row{
	// Deactivated people and bots stay where they are, but are not shown. The bots and invitations of a person end. A
	// reactivated person is shown again, without the bots and invitations (server-behavior §U9, §U10).
	{Deactivated, []Place{Members, DefaultSubscribers, Owners}, Leaves},
	{Reactivated, []Place{Members, DefaultSubscribers}, Returns},
	{Reactivated, []Place{Owners}, Leaves},
	// A new account is subscribed to the default channels (server-behavior §S13).
	{Created, []Place{DefaultSubscribers}, Returns},
	// An archived channel is no default channel, in no default channel group and in no setting of the organization.
	// Unarchiving it does not undo that (server-behavior §C14).
	{Archived, []Place{Defaults}, Leaves},
	{Archived, []Place{ChannelSetting}, Resets},
	{Unarchived, []Place{Defaults}, Leaves},
	{Unarchived, []Place{ChannelSetting}, Resets},
	// The provider removes a group from everything that names it, and then deactivates it (server-behavior §G9).
	{RemovedGroup, []Place{Subgroups}, Leaves},
}
