package review

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// account returns an account after the plan, and notes the resources that change it.
func (b *builder) account(user *zulip.User, addresses ...string) *access.Account {
	account := b.org.accounts[user.ID]
	if account == nil {
		account = &access.Account{User: *user, RoleText: report.ValueOf(user.Role.String()), OwnerText: b.ownerOf(user)}
		if b.org.accounts[user.ID] = account; user.ID > 0 {
			was := *account
			b.was.Accounts = append(b.was.Accounts, &was)
		}
		b.is.Accounts = append(b.is.Accounts, account)
	}
	account.TouchBy(addresses...)
	return account
}

// ownerOf is the owner of a bot in words.
func (b *builder) ownerOf(bot *zulip.User) (owner report.Value) {
	if bot.BotOwnerID != nil {
		if user, ok := b.org.User(*bot.BotOwnerID); ok {
			owner = report.ValueOf(user.Address())
		}
	}
	return owner
}

// person applies a zulip_user or zulip_bot.
func (b *builder) person(c *plan.Change) {
	if c.Does("create") {
		if !isInactive(c.After()) { // otherwise a deactivated account is adopted, and stays deactivated
			b.userCreated(c)
		}
		return
	}
	user, ok := b.currentUser(c.Before(), "id")
	if address, known := b.address(c); known && ok {
		b.org.renamed[strings.ToLower(address)] = user.ID
	}
	switch {
	case c.Does("delete") && ok:
		b.deactivate(c, user)
	case !c.Does("update"):
	case !ok:
		b.addUnseen(c)
	case isInactive(c.After()):
		b.deactivate(c, user)
	case c.After().IsTrue("active") && !user.IsActive:
		b.activate(c, b.account(user, c.Address))
	default:
		if c.SetsUnknown("active") {
			as := func(_ *access.Organization, change *permission.Change) {
				change.Deactivated = append(change.Deactivated, user.ID)
			}
			if !user.IsActive {
				as = func(_ *access.Organization, change *permission.Change) {
					change.Reactivated, change.Roles[user.ID] = append(change.Reactivated, user.ID), user.Role
				}
				b.maySubscribe([]int64{user.ID}, nil, true)
				b.may = append(b.may, mayJoin([]int64{user.ID}, nil))
			}
			b.choose([]outcome{asIs, as}, "It isn't known yet whether %s will be active: %s decides.", user.Address(), c.Address)
		}
		b.setRole(c, user, c.After())
		b.setOwner(c, user)
	}
}

// isInactive reports whether the attributes keep an account deactivated.
func isInactive(m plan.Attributes) bool {
	active, ok := m.Flag("active")
	return ok && !active
}

// setOwner sets the owner of a bot. The owner has its key, and so its access.
func (b *builder) setOwner(c *plan.Change, bot *zulip.User) {
	text, known := c.After().Text("owner")
	if !bot.IsBot || !c.IsSet("owner") || !known && !c.After().IsUnknown("owner") {
		return
	}
	account := b.account(bot, c.Address)
	switch owner, found := b.namedOwner(c); {
	case found:
		account.BotOwnerID, account.OwnerText = &owner.ID, report.ValueOf(owner.Address())
	case known:
		b.notFound(c, []string{text})
		account.OwnerText = report.Value{Values: []string{text}, Unknown: true}
		b.mayOwn(bot.ID)
	default:
		b.unknown(access.OneThing, "The owner of %s isn't known yet, and the bot's access depends on it.", c.Address)
		account.OwnerText = report.Value{Unknown: true}
		b.mayOwn(bot.ID)
	}
}

// namedOwner finds the planned owner of a bot; false if the plan names none, or the owner isn't found.
func (b *builder) namedOwner(c *plan.Change) (owner *zulip.User, ok bool) {
	if text, known := c.After().Plain("owner"); known {
		return b.org.findUser(text)
	}
	found, isComplete := b.objects(c, "owner")
	if !isComplete || len(found.accounts) != 1 {
		return nil, false
	}
	return b.org.User(found.accounts[0])
}

// mayOwn notes that anyone may be the owner of a bot.
func (b *builder) mayOwn(bot int64) {
	b.may = append(b.may, func(_ *access.Organization, change *permission.Change) { change.Owners[bot] = permission.UnknownOwner })
}

// joining are the accounts that exist only after the plan.
func (b *builder) joining() []*access.Account {
	return lists.Where(b.is.Accounts, func(account *access.Account) bool {
		user, had := b.org.Snapshot.User(account.ID)
		return account.IsActive && (!had || !user.IsActive)
	})
}

// currentUser finds the account with the ID in an attribute.
func (b *builder) currentUser(m plan.Attributes, attribute string) (*zulip.User, bool) {
	id, ok := m.Number(attribute)
	if !ok {
		return nil, false
	}
	return b.org.User(id)
}

// deactivate deactivates an account.
func (b *builder) deactivate(c *plan.Change, user *zulip.User) {
	if user.IsActive {
		b.deactivationActions(c, user)
		b.account(user, c.Address).IsActive = false
		b.planned.Add(effects.Write{Kind: effects.Deactivated, ID: user.ID})
	}
}

// endOwned ends the bots and the invitations of people whom the plan deactivates.
func (b *builder) endOwned() {
	for _, user := range b.org.Users() {
		if bot, _ := b.org.User(user.ID); bot.IsBot && bot.IsActive && bot.BotOwnerID != nil && b.planned.Ends(*bot.BotOwnerID) {
			b.account(bot, b.org.accounts[*bot.BotOwnerID].Addresses...).IsActive = false
		}
	}
	revoked := map[int64][]string{}
	b.is.Joining.Invitations = slices.DeleteFunc(b.is.Joining.Invitations, func(one access.Invitation) bool {
		ends := b.planned.Ends(one.From)
		if ends {
			revoked[one.From] = append(revoked[one.From], one.Text)
		}
		return ends
	})
	for _, id := range slices.Sorted(maps.Keys(revoked)) {
		user, _ := b.org.User(id)
		b.risk(report.Narrowing, user.Address(), "The server revokes what the account sent: %s.", report.List(revoked[id]))
	}
}

// deactivates reports whether the plan deactivates a person, or may.
func (b *builder) deactivates() bool {
	return slices.ContainsFunc(b.of("zulip_user"), func(c *plan.Change) bool {
		active := c.After().Value("active")
		return c.Does("delete") || active.IsUnknown || active.Data == false
	})
}

// listedUsers finds the users of a list of subscribers, members or people with a role. missing are the users that the review
// doesn't find, without emails that no account has: the apply ignores those.
func (b *builder) listedUsers(texts []string) (ids []int64, missing []string) {
	ids, missing = b.org.findUsers(texts)
	if len(missing) > 0 && b.seesEmails() {
		missing = slices.DeleteFunc(missing, b.isAbsent)
	}
	return ids, missing
}

// seesEmails reports whether the reviewing account sees the email of everyone who is active after the plan.
func (b *builder) seesEmails() bool {
	return b.options.Store.Self().Role != zulip.RoleGuest && !slices.ContainsFunc(b.org.Users(), func(user *zulip.User) bool {
		later, _ := b.org.User(user.ID)
		return later.IsActive && !user.IsBot && user.HidesEmail()
	})
}

// isAbsent reports whether a text is an email that the plan gives to no account. If the organization doesn't have the
// email either, no account has it after the plan.
func (b *builder) isAbsent(text string) bool {
	email, err := permission.PlainUser(text)
	return err == nil && strings.Contains(email, "@") && !slices.ContainsFunc(b.of("zulip_user", "zulip_bot"), func(c *plan.Change) bool {
		planned, _ := c.After().Plain("email")
		return strings.EqualFold(planned, email) || c.Type == "zulip_user" && c.After().IsUnknown("email") || c.After().IsUnknown("short_name")
	})
}

// deactivationActions reports the content that the server permanently deletes with a deactivation.
func (b *builder) deactivationActions(c *plan.Change, user *zulip.User) {
	actions := c.Latest().Value("deactivation_actions")
	held, _ := actions.Data.(map[string]any)
	var deleted []string
	for _, name := range slices.Sorted(maps.Keys(held)) {
		if held[name] == true {
			deleted = append(deleted, strings.ReplaceAll(strings.TrimPrefix(name, "delete_"), "_", " "))
		}
	}
	if len(deleted) > 0 {
		b.risk(report.DataLoss, user.Address(), "The server permanently deletes the account's %s.", report.List(deleted))
	}
	if actions.IsUnknown {
		b.risk(report.DataLoss, user.Address(), "It isn't known yet what the server deletes with the account.")
		b.unknown(access.OneThing, "It isn't known yet what the server deletes when it deactivates %s.", user.Address())
	}
}

// address returns the planned email of a zulip_user or zulip_bot.
func (b *builder) address(c *plan.Change) (address string, known bool) {
	if c.Type != "zulip_bot" {
		return c.After().Plain("email")
	}
	short, _ := c.After().Plain("short_name")
	return short + "-bot@" + b.org.Realm().BotDomain, short != ""
}

// userCreated creates an account, or reactivates one. At first the provider's account owns a new bot.
func (b *builder) userCreated(c *plan.Change) {
	after := c.After()
	address, known := b.address(c)
	current, taken := b.org.UserByAddress(address)
	secret := ""
	isThere := known && taken && (!current.IsActive || b.isReplaced(c, current.ID))
	if !isThere {
		current = &zulip.User{ID: b.org.nextID(), Email: address, Role: zulip.RoleMember, IsBot: c.Type == "zulip_bot"}
		current.FullName, _ = after.Text("full_name")
		current.FullName = cmp.Or(current.FullName, c.Address)
		switch {
		case !known:
			current.Email = c.Address
		case after.IsSecret("email") || after.IsSecret("short_name"):
			current.Email, secret = plan.Masked, address
		}
		if current.IsBot {
			current.BotOwnerID = &b.options.Store.Self().ID
		}
		if value, _ := after.Plain("bot_type"); current.IsBot && value == "incoming_webhook" {
			current.BotType = new(int64(zulip.BotIncomingWebhook))
		}
	}
	account := b.account(current, c.Address)
	b.ids[c.Address], account.Secret = account.ID, secret
	if !known {
		account.EmailUnknown = true
		b.unknown(access.OneThing, "The email of %s isn't known yet.", c.Address)
	}
	if isThere && b.isReplaced(c, current.ID) {
		account.Action = report.Replace
	}
	b.activate(c, account)
}

// activate makes an account active, with the role and the owner of the change. Without these in the change, they stay.
func (b *builder) activate(c *plan.Change, account *access.Account) {
	kind := effects.Created
	if account.ID > 0 {
		kind = effects.Reactivated
	}
	b.planned.Add(effects.Write{Kind: kind, ID: account.ID})
	account.IsActive = true
	if role, ok := plannedRole(c.After()); ok {
		account.Role, account.RoleText = role, report.ValueOf(role.String())
	} else if c.SetsUnknown("role") {
		b.choose(anyRole(account.ID), "The role that %s gives isn't known yet.", c.Address)
		account.RoleText = report.Value{Unknown: true}
	}
	b.setOwner(c, &account.User)
}

// plannedRole is the role in attributes.
func plannedRole(m plan.Attributes) (zulip.Role, bool) {
	value, known := m.Plain("role")
	role, ok := zulip.ParseRole(value)
	return role, known && ok
}

// roleResource applies a zulip_user_role. Destroying it changes the role only with on_destroy.
func (b *builder) roleResource(c *plan.Change) {
	m, isEnd := c.After(), c.Does("delete")
	if isEnd {
		m = c.Before()
	}
	user, ok := b.userOfRole(m)
	found, isComplete := b.objects(c, "user")
	if _, named := m.Plain("user"); !ok && !named && isComplete && len(found.accounts) == 1 {
		user, ok = b.org.User(found.accounts[0])
	}
	if !ok && isEnd {
		b.addUnseen(c)
		return
	}
	if !ok {
		b.someonesRole(c, found.accounts, isComplete)
		return
	}
	if isEnd {
		value, ok := m.Plain("on_destroy")
		if role, gives := zulip.ParseRole(value); ok && gives {
			b.giveRole(c, user, role)
		} else if user.IsActive && user.Role < zulip.RoleMember {
			b.leaveRole(c, user, `apply on_destroy = "member"`)
		}
		return
	}
	b.setRole(c, user, m)
}

// userOfRole finds the user in the attributes of a zulip_user_role.
func (b *builder) userOfRole(m plan.Attributes) (*zulip.User, bool) {
	user, ok := b.currentUser(m, "user_id")
	if text, named := m.Plain("user"); !ok && named {
		return b.org.findUser(text)
	}
	return user, ok
}

// someonesRole notes that one of some people gets a role.
func (b *builder) someonesRole(c *plan.Change, ids []int64, isComplete bool) {
	if !isComplete {
		ids = b.everybody()
	}
	withRole := anyRole
	if role, isKnown := plannedRole(c.After()); isKnown {
		withRole = func(ids ...int64) []outcome { return []outcome{giving(role, ids...)} }
	}
	var options []outcome
	for _, id := range ids {
		options = append(options, withRole(id)...)
	}
	if len(options) > maxWorlds {
		options = append(withRole(ids...), asIs)
	}
	b.choose(options, "The user whose role %s gives isn't known yet.", c.Address)
}

// setRole sets the role of an attribute.
func (b *builder) setRole(c *plan.Change, user *zulip.User, m plan.Attributes) {
	if role, ok := plannedRole(m); ok {
		b.giveRole(c, user, role)
	} else if m.IsUnknown("role") && c.IsSet("role") {
		b.choose(anyRole(user.ID), "The role that %s gives %s isn't known yet.", c.Address, user.Address())
		b.account(user, c.Address).RoleText = report.Value{Unknown: true}
	}
}

func (b *builder) giveRole(c *plan.Change, user *zulip.User, role zulip.Role) {
	if role != user.Role {
		account := b.account(user, c.Address)
		account.Role, account.RoleText = role, report.ValueOf(role.String())
	}
}
