package rules

import (
	"slices"
	"strings"
	"time"
)

// The accounts every server has, in no organization. Their ids are below those
// of people.
const (
	EmailGatewayID    = 6
	NotificationBotID = 7
	WelcomeBotID      = 8
)

// systemBotNames lists the system bots, from EmailGatewayID on, with the first
// part of their address.
var systemBotNames = []systemBotName{
	{"emailgateway", "Email Gateway"}, {"notification-bot", "Notification Bot"}, {"welcome-bot", "Welcome Bot"},
}

type systemBotName struct{ address, name string }

// SystemBots returns the accounts every server has, by id.
func (o *Organization) SystemBots() []User {
	var bots []User
	for i, bot := range systemBotNames {
		bots = append(bots, User{
			ID: EmailGatewayID + i, FullName: bot.name, Email: bot.address + "@" + Host, Role: RoleMember, Active: true,
			IsBot: true, BotType: BotGeneric, EmailVisibility: EmailVisibleToEveryone,
			DateJoined: time.Unix(o.Settings().DateCreated, 0), AvatarVersion: 1,
		})
	}
	return bots
}

// Sender returns whoever sent a message: a person, a bot or a system bot.
func (o *Organization) Sender(id int) User {
	if EmailGatewayID <= id && id <= WelcomeBotID {
		return o.SystemBots()[id-EmailGatewayID]
	}
	u, _ := o.Users.Get(id)
	return u
}

// systemBotHost is the domain of the system bots' addresses on a server that sets no other one. They are reserved there too.
const systemBotHost = "zulip.com"

// isSystemBot reports whether an address is that of a system bot.
func isSystemBot(email string) bool {
	return slices.ContainsFunc(systemBotNames, func(bot systemBotName) bool {
		return strings.EqualFold(email, bot.address+"@"+Host) || strings.EqualFold(email, bot.address+"@"+systemBotHost)
	})
}
