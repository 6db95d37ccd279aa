package review

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// person records the change of an account: zulip_user, zulip_bot or zulip_user_role.
func (b *builder) person(c *plan.Change) {
	if c.Type == "zulip_user_role" {
		b.roleResource(c)
		return
	}
	switch {
	case c.Does("delete"):
		if user, ok := b.currentUser(c.Before(), "id"); ok {
			b.userDeactivated(c, user)
		}
	case c.Does("create") && isInactive(c.After()): // a deactivated account is adopted, and stays so
	case c.Does("create"):
		b.userCreated(c)
	case c.Does("update"):
		user, ok := b.currentUser(c.Before(), "id")
		if !ok {
			b.addUnseen(c)
			return
		}
		if b.setActive(c, user) {
			return
		}
		b.setRole(c, user, c.After())
		b.setOwner(c, user)
	}
}

// isInactive reports whether attributes are those of an account that is kept deactivated.
func isInactive(m plan.Attributes) bool {
	active, ok := m.Flag("active")
	return ok && !active
}

// setActive records that an update deactivates or reactivates an account. It returns true if that says its role too.
func (b *builder) setActive(c *plan.Change, user *zulip.User) (saysRole bool) {
	switch {
	case c.After().IsUnknown("active") && c.IsSet("active"):
		b.addUnknown(fmt.Sprintf("Whether %s will be active is not known yet: %s decides it.", user.Address(), c.Address))
	case isInactive(c.After()):
		b.userDeactivated(c, user)
	case c.After().IsTrue("active") && !user.IsActive:
		back := *user
		b.join(c, &back, report.Reactivate, report.ValueOf(user.Role.String()))
		return true
	}
	return false
}

// setOwner records that a bot is given to somebody else, or gets its first owner. Whoever owns a bot has its key, and can do
// with it what the bot may.
func (b *builder) setOwner(c *plan.Change, bot *zulip.User) {
	if !bot.IsBot || !c.IsSet("owner") {
		return
	}
	var before, after report.Value
	if bot.BotOwnerID != nil {
		if was, ok := b.org.User(*bot.BotOwnerID); ok {
			before = report.ValueOf(was.Address())
		}
	}
	text, known := c.After().Text("owner")
	owner, found := b.namedOwner(c)
	switch {
	case found && bot.BotOwnerID != nil && owner.ID == *bot.BotOwnerID:
		return
	case found:
		b.change.Owners[bot.ID] = owner.ID
		after = report.ValueOf(owner.Address())
	case known:
		b.addMissingAnywhere(c, []string{text})
		after = report.Value{Texts: []string{text}, Unknown: true}
	case c.After().IsUnknown("owner"):
		b.addUnknown(fmt.Sprintf("Who will own %s is not known yet; what the bot may depends on that.", c.Address))
		after = report.Value{Unknown: true}
	default:
		return
	}
	owned := &report.Change{Before: before, After: after}
	for _, person := range b.report.People { // its role may change too
		if person.AccountID == bot.ID && person.Owner == nil && slices.Contains(person.Addresses, c.Address) {
			person.Owner = owned
			return
		}
	}
	role := report.ValueOf(bot.Role.String())
	b.addPerson(c, bot, report.Update, report.Change{Before: role, After: report.ValueOf(b.roleAfter(bot).String())}).Owner = owned
}

// namedOwner finds whom a bot is to belong to; false where the plan names nobody, or somebody who is not found.
func (b *builder) namedOwner(c *plan.Change) (owner *zulip.User, ok bool) {
	if text, known := c.After().Text("owner"); known {
		return b.org.findUser(text)
	}
	return b.plannedUser(c.RefersTo("owner"))
}

// plannedUser finds the account that a resource of the plan makes, if that is one instance.
func (b *builder) plannedUser(address string) (user *zulip.User, ok bool) {
	for _, person := range b.report.People {
		made, isMade := b.org.users[person.AccountID]
		if address == "" || !isMade || !slices.ContainsFunc(person.Addresses, func(one string) bool { return plan.WithoutKeys(one) == address }) {
			continue
		}
		if ok {
			return nil, false
		}
		user, ok = made, true
	}
	return user, ok
}

// currentUser finds the account whose ID an attribute is.
func (b *builder) currentUser(m plan.Attributes, attribute string) (*zulip.User, bool) {
	id, ok := m.Number(attribute)
	if !ok {
		return nil, false
	}
	return b.org.User(id)
}

// userDeactivated records that an account is deactivated.
func (b *builder) userDeactivated(c *plan.Change, user *zulip.User) {
	if !user.IsActive {
		return
	}
	b.deactivationActions(c, user)
	b.change.Deactivated = append(b.change.Deactivated, user.ID)
	b.addPerson(c, user, report.Deactivate, report.Change{Before: report.ValueOf(user.Role.String())})
	for _, bot := range b.org.Users() {
		if bot.IsBot && bot.IsActive && bot.BotOwnerID != nil && *bot.BotOwnerID == user.ID && !b.getsOwner(bot) {
			b.addPerson(c, bot, report.Deactivate, report.Change{Before: report.ValueOf(bot.Role.String())}) // the server does
		}
	}
}

// deactivationActions says what the server deletes with a deactivation, for good.
func (b *builder) deactivationActions(c *plan.Change, user *zulip.User) {
	attributes := c.After()
	if !c.HasAfter() {
		attributes = c.Before()
	}
	actions := attributes.Value("deactivation_actions")
	held, _ := actions.Held.(map[string]any)
	var deleted []string
	for _, name := range slices.Sorted(maps.Keys(held)) {
		if held[name] == true {
			deleted = append(deleted, strings.ReplaceAll(strings.TrimPrefix(name, "delete_"), "_", " "))
		}
	}
	if len(deleted) > 0 {
		b.report.Risks = append(b.report.Risks, report.Risk{
			Category: report.DataLoss, Where: user.Address(), Text: fmt.Sprintf("The server permanently deletes of the account: %s.", report.List(deleted)),
		})
	}
	if actions.IsUnknown {
		b.report.Risks = append(b.report.Risks, report.Risk{
			Category: report.DataLoss, Where: user.Address(), Text: "What the server deletes of the account is not known yet.",
		})
		b.addDoubt(fmt.Sprintf("What the server deletes when it deactivates %s is not known yet.", user.Address()))
	}
}

// getsOwner reports whether the plan gives a bot to somebody else.
func (b *builder) getsOwner(bot *zulip.User) bool {
	return slices.ContainsFunc(b.of("zulip_bot"), func(c *plan.Change) bool {
		id, ok := c.Before().Number("id")
		if !ok || id != bot.ID || !c.Does("update") || !c.IsSet("owner") {
			return false
		}
		owner, found := b.namedOwner(c)
		return found && owner.ID != *bot.BotOwnerID
	})
}

// userCreated records that an account is created, or reactivated.
func (b *builder) userCreated(c *plan.Change) {
	after := c.After()
	address, known := after.Text("email")
	if c.Type == "zulip_bot" {
		short, _ := after.Text("short_name")
		address, known = short+"-bot@"+b.org.Realm().BotDomain, short != ""
	}
	user := zulip.User{ID: b.org.nextID(), Email: address, Role: zulip.RoleMember, IsBot: c.Type == "zulip_bot"}
	user.FullName, _ = after.Text("full_name")
	if value, _ := after.Text("bot_type"); user.IsBot && value == "incoming_webhook" {
		kind := int64(zulip.BotIncomingWebhook)
		user.BotType = &kind
	}
	action, before := report.Create, report.Value{}
	current, taken := b.org.UserByAddress(address)
	if known && taken && b.isReplaced(c, current.ID) {
		b.userReplaced(c, current)
		return
	}
	if known && taken && !current.IsActive {
		user, action, before = *current, report.Reactivate, report.ValueOf(current.Role.String())
	}
	var owner *report.Change
	if user.IsBot {
		owner = b.setNewBotOwner(c, &user)
	}
	if !known {
		b.addUnknown(fmt.Sprintf("The address of %s is not known yet.", c.Address))
	}
	b.join(c, &user, action, before).Owner = owner
}

// userReplaced records that an account which the plan deactivates is active again afterwards.
func (b *builder) userReplaced(c *plan.Change, user *zulip.User) {
	b.change.Deactivated = slices.DeleteFunc(b.change.Deactivated, func(id int64) bool { return id == user.ID })
	role, text := b.plannedRole(c, user)
	if role != user.Role {
		b.change.Roles[user.ID] = role
	}
	for _, person := range b.report.People {
		if person.AccountID == user.ID && person.Action == report.Deactivate {
			person.Action, person.LosesEverything, person.Role.After = report.Replace, false, text
		}
	}
	b.setOwner(c, user)
}

// plannedRole is the role that a change gives an account, also in words. A role that it does not set stays.
func (b *builder) plannedRole(c *plan.Change, user *zulip.User) (zulip.Role, report.Value) {
	value, _ := c.After().Text("role")
	if role, ok := zulip.ParseRole(value); ok {
		return role, report.ValueOf(value)
	}
	if c.IsSet("role") && c.After().IsUnknown("role") {
		b.addUnknown(fmt.Sprintf("Which role %s gives is not known yet.", c.Address))
		return user.Role, report.Value{Unknown: true}
	}
	return user.Role, report.ValueOf(user.Role.String())
}

// join records that an account becomes active, with the role that it is given. before is the role that it had, if it was there.
func (b *builder) join(c *plan.Change, user *zulip.User, action report.Action, before report.Value) *report.Person {
	role := report.Change{Before: before}
	user.Role, role.After = b.plannedRole(c, user)
	user.IsActive = true
	b.org.users[user.ID] = user
	b.joining[user.ID] = user.Role
	return b.addPerson(c, user, action, role)
}

// setNewBotOwner gives a new bot its owner: at first the account the provider uses. It returns what the review says of that.
func (b *builder) setNewBotOwner(c *plan.Change, bot *zulip.User) *report.Change {
	owner, said := b.options.Store.Self(), new(report.Change)
	if bot.BotOwnerID != nil {
		if was, ok := b.org.User(*bot.BotOwnerID); ok {
			owner, said.Before = was, report.ValueOf(was.Address())
		}
	}
	text, known := c.After().Text("owner")
	isUnknown := c.IsSet("owner") && c.After().IsUnknown("owner")
	switch named, found := b.namedOwner(c); {
	case found && (known || isUnknown):
		owner = named
	case known:
		b.addMissingAnywhere(c, []string{text})
		said.After.Unknown = true
	case isUnknown:
		b.addUnknown(fmt.Sprintf("Who owns %s is not known yet; what a bot may depends on that.", c.Address))
		said.After.Unknown = true
	}
	if bot.BotOwnerID = &owner.ID; !said.After.Unknown {
		said.After = report.ValueOf(owner.Address())
	}
	return said
}

// roleResource records a zulip_user_role. Destroying one gives another role only if it says which.
func (b *builder) roleResource(c *plan.Change) {
	m, isEnd := c.After(), c.Does("delete")
	if isEnd {
		m = c.Before()
	}
	user, ok := b.currentUser(m, "user_id")
	if text, named := m.Text("user"); !ok && named {
		user, ok = b.org.findUser(text)
	}
	if !ok {
		b.addUnknown(fmt.Sprintf("Whose role %s gives is not known yet.", c.Address))
		return
	}
	if isEnd {
		value, ok := m.Text("on_destroy")
		if role, gives := zulip.ParseRole(value); ok && gives {
			b.giveRole(c, user, role)
		} else if user.IsActive && user.Role < zulip.RoleMember {
			b.report.Risks = append(b.report.Risks, report.Risk{
				Category: report.RoleChange, Where: user.Address(),
				Text: fmt.Sprintf("Stays %s, and no resource says so any more: %s ends and leaves the role. on_destroy = \"member\", applied before, takes the role away.", user.Role, c.Address),
			})
		}
		return
	}
	b.setRole(c, user, m)
}

// setRole records the role that an attribute gives.
func (b *builder) setRole(c *plan.Change, user *zulip.User, m plan.Attributes) {
	value, known := m.Text("role")
	if role, ok := zulip.ParseRole(value); known && ok {
		b.giveRole(c, user, role)
	} else if m.IsUnknown("role") && c.IsSet("role") {
		b.addUnknown(fmt.Sprintf("Which role %s gives %s is not known yet.", c.Address, user.Address()))
		b.addPerson(c, user, report.Update, report.Change{Before: report.ValueOf(user.Role.String()), After: report.Value{Unknown: true}})
	}
}

func (b *builder) giveRole(c *plan.Change, user *zulip.User, role zulip.Role) {
	if c.Replaces != nil { // the end of the same resource may have given another role, which is over now
		b.report.People = slices.DeleteFunc(b.report.People, func(person *report.Person) bool {
			isUndone := person.AccountID == user.ID && person.Owner == nil && slices.Equal(person.Addresses, []string{c.Address})
			if isUndone {
				delete(b.change.Roles, user.ID)
			}
			return isUndone
		})
	}
	if role == b.roleAfter(user) {
		return
	}
	b.addPerson(c, user, report.Update, report.Change{Before: report.ValueOf(user.Role.String()), After: report.ValueOf(role.String())})
	if joined, ok := b.org.users[user.ID]; ok { // it is made by this plan: that is the role it comes to have
		joined.Role = role
		b.joining[user.ID] = role
		return
	}
	b.change.Roles[user.ID] = role
}

func (b *builder) addPerson(c *plan.Change, user *zulip.User, action report.Action, role report.Change) *report.Person {
	account := b.people.Account(user)
	person := &report.Person{
		Account: account, AccountID: account.ID, Addresses: []string{c.Address}, Action: action, Role: role, LosesEverything: action == report.Deactivate,
	}
	b.report.People = append(b.report.People, person)
	return person
}

// roleAfter is the role of an account after the plan.
func (b *builder) roleAfter(user *zulip.User) zulip.Role {
	if role, ok := b.change.Roles[user.ID]; ok {
		return role
	}
	return user.Role
}
