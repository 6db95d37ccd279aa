package review

import (
	"fmt"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var roles = []zulip.Role{zulip.RoleOwner, zulip.RoleAdministrator, zulip.RoleModerator, zulip.RoleMember, zulip.RoleGuest}

// roleOf reads the word for a role.
func roleOf(word string) (zulip.Role, bool) {
	i := slices.IndexFunc(roles, func(role zulip.Role) bool { return role.String() == word })
	if i < 0 {
		return 0, false
	}
	return roles[i], true
}

// person takes up the change of an account: zulip_user, zulip_bot or zulip_user_role.
func (b *builder) person(c *change) {
	if c.Type == "zulip_user_role" {
		b.givenRole(c)
		return
	}
	if c.does("delete") {
		if user, ok := b.held(c.before(), "id"); ok {
			b.leaves(c, user)
		}
	}
	switch {
	case c.does("create"):
		b.joins(c)
	case c.does("update"):
		user, ok := b.held(c.before(), "id")
		if !ok {
			b.unseen(c)
			return
		}
		b.setRole(c, user, c.after())
		b.setOwner(c, user)
	}
}

// setOwner takes up that a bot is given to somebody else. A bot may post where its owner may.
func (b *builder) setOwner(c *change, bot *zulip.User) {
	text, known := c.after().text("owner")
	switch owner, found := b.names.person(text); {
	case !bot.IsBot || bot.BotOwnerID == nil || !c.isSet("owner"):
	case known && found && owner.ID != *bot.BotOwnerID:
		b.change.Owners[bot.ID] = owner.ID
		before := Value{}
		if was, ok := b.names.User(*bot.BotOwnerID); ok {
			before = said(was.Address())
		}
		b.note(c, bot, Update, Change{said(bot.Role.String()), said(bot.Role.String())}).Owner = &Change{before, said(owner.Address())}
	case !known && c.after().isUnknown("owner"):
		b.unsure(fmt.Sprintf("Who will own %s is not known yet; what the bot may depends on that.", c.Address))
	}
}

// held finds the account whose ID an attribute is.
func (b *builder) held(m moment, attribute string) (*zulip.User, bool) {
	id, ok := m.number(attribute)
	if !ok {
		return nil, false
	}
	return b.names.User(id)
}

// leaves takes up that an account is deactivated.
func (b *builder) leaves(c *change, user *zulip.User) {
	if !user.IsActive {
		return
	}
	b.change.Deactivated = append(b.change.Deactivated, user.ID)
	b.note(c, user, Deactivate, Change{Before: said(user.Role.String())})
	for _, bot := range b.names.Users() {
		if bot.IsBot && bot.IsActive && bot.BotOwnerID != nil && *bot.BotOwnerID == user.ID {
			b.note(c, bot, Deactivate, Change{Before: said(bot.Role.String())}) // the server does
		}
	}
}

// joins takes up that an account is made, or taken back.
func (b *builder) joins(c *change) {
	after := c.after()
	address, known := after.text("email")
	if c.Type == "zulip_bot" {
		short, _ := after.text("short_name")
		address, known = short+"-bot@"+b.names.Realm().BotDomain, short != ""
	}
	user := zulip.User{ID: b.names.next(), Email: address, Role: zulip.RoleMember, IsBot: c.Type == "zulip_bot"}
	user.FullName, _ = after.text("full_name")
	if word, _ := after.text("bot_type"); user.IsBot && word == "incoming_webhook" {
		kind := int64(zulip.BotIncomingWebhook)
		user.BotType = &kind
	}
	action, before := Create, Value{}
	if held, ok := b.names.UserByAddress(address); known && ok && !held.IsActive {
		user, action, before = *held, Reactivate, said(held.Role.String())
	}
	if user.IsBot {
		b.own(c, &user)
	}
	role := Change{before, said(user.Role.String())}
	if word, ok := after.text("role"); ok {
		if given, ok := roleOf(word); ok {
			user.Role, role.After = given, said(word)
		}
	} else if c.isSet("role") && after.isUnknown("role") {
		role.After = Value{Unknown: true}
		b.unsure(fmt.Sprintf("Which role %s gives is not known yet.", c.Address))
	}
	if !known {
		b.unsure(fmt.Sprintf("The address of %s is not known yet.", c.Address))
	}
	user.IsActive = true
	b.names.users[user.ID] = &user
	b.joining[user.ID] = user.Role
	b.note(c, &user, action, role)
}

// own gives a new bot its owner: at first the account the provider uses.
func (b *builder) own(c *change, bot *zulip.User) {
	owner := b.options.Store.Self()
	if text, ok := c.after().text("owner"); ok {
		if named, ok := b.names.person(text); ok {
			owner = named
		}
	} else if c.isSet("owner") && c.after().isUnknown("owner") {
		b.unsure(fmt.Sprintf("Who owns %s is not known yet; what a bot may depends on that.", c.Address))
	}
	bot.BotOwnerID = &owner.ID
}

// givenRole takes up a zulip_user_role. Destroying one gives another role only if it says which.
func (b *builder) givenRole(c *change) {
	m := c.after()
	if c.does("delete") && !c.does("create") {
		m = c.before()
	}
	user, ok := b.held(m, "user_id")
	if text, named := m.text("user"); !ok && named {
		user, ok = b.names.person(text)
	}
	if !ok {
		b.unsure(fmt.Sprintf("Whose role %s gives is not known yet.", c.Address))
		return
	}
	if m.unknown == nil && c.does("delete") && !c.does("create") {
		word, ok := m.text("on_destroy")
		if role, gives := roleOf(word); ok && gives {
			b.giveRole(c, user, role)
		}
		return
	}
	b.setRole(c, user, m)
}

// setRole takes up the role that an attribute gives.
func (b *builder) setRole(c *change, user *zulip.User, m moment) {
	word, known := m.text("role")
	if role, ok := roleOf(word); known && ok {
		b.giveRole(c, user, role)
	} else if m.isUnknown("role") && c.isSet("role") {
		b.unsure(fmt.Sprintf("Which role %s gives %s is not known yet.", c.Address, user.Address()))
		b.note(c, user, Update, Change{said(user.Role.String()), Value{Unknown: true}})
	}
}

func (b *builder) giveRole(c *change, user *zulip.User, role zulip.Role) {
	if role == user.Role {
		return
	}
	b.note(c, user, Update, Change{said(user.Role.String()), said(role.String())})
	if joined, ok := b.names.users[user.ID]; ok { // it is made by this plan: that is the role it comes to have
		joined.Role = role
		b.joining[user.ID] = role
		return
	}
	b.change.Roles[user.ID] = role
}

func (b *builder) note(c *change, user *zulip.User, action Action, role Change) *Person {
	account := b.crowd.account(user)
	person := &Person{
		Account: account, AccountID: account.ID, Addresses: []string{c.Address}, Action: action, Role: role, LosesEverything: action == Deactivate,
	}
	b.review.People = append(b.review.People, person)
	return person
}

// said is a value of one word.
func said(word string) Value { return Value{Words: []string{word}} }
