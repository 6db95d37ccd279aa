package rules

import (
	"slices"
	"strings"
	"time"
)

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

// Sender returns whoever sent a message: a person, a bot or a system bot.
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

// systemBotHost is the domain of the system bots' addresses on a server that sets no other one. They are reserved there too.
const systemBotHost = "zulip.com"

// isSystemBot reports whether an address is that of a system bot.
func (o *Organization) isSystemBot(email string) bool {
	return slices.ContainsFunc(slices.Concat(usualSystemBots, o.systemBots()), func(bot SystemBot) bool {
		local, _, _ := strings.Cut(bot.Email, "@")
		return strings.EqualFold(email, bot.Email) || strings.EqualFold(email, local+"@"+systemBotHost)
	})
}
