package organization

import "time"

// The accounts every server has, in no organization. Their ids are below those
// of people.
const (
	EmailGatewayID    = 6
	NotificationBotID = 7
	WelcomeBotID      = 8
)

var systemBotNames = map[int][2]string{
	EmailGatewayID:    {"Email Gateway", "emailgateway"},
	NotificationBotID: {"Notification Bot", "notification-bot"},
	WelcomeBotID:      {"Welcome Bot", "welcome-bot"},
}

// SystemBots returns the accounts every server has, by id.
func (o *Organization) SystemBots() []User {
	var bots []User
	for id := EmailGatewayID; id <= WelcomeBotID; id++ {
		bots = append(bots, o.systemBot(id))
	}
	return bots
}

// Sender returns whoever sent a message: a person, a bot or a system bot.
func (o *Organization) Sender(id int) User {
	if _, ok := systemBotNames[id]; ok {
		return o.systemBot(id)
	}
	u, _ := o.Users.Get(id)
	return u
}

func (o *Organization) systemBot(id int) User {
	names := systemBotNames[id]
	return User{
		ID: id, FullName: names[0], Email: names[1] + "@" + Host, Role: RoleMember, Active: true,
		IsBot: true, BotType: BotGeneric, EmailVisibility: EmailVisibleToEveryone,
		DateJoined: time.Unix(o.Settings().DateCreated, 0), AvatarVersion: 1,
	}
}
