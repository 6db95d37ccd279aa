package review

import (
	"fmt"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
)

const notAsked = "the organization was not asked"

// list says what the plan itself holds, without the organization: principals before and after.
func (b *builder) list() {
	for _, change := range b.changes {
		switch change.Type {
		case "zulip_channel", "zulip_channel_subscribers", "zulip_channel_subscription":
			b.listChannel(change)
		case "zulip_user_group", "zulip_user_group_membership":
			b.listGroup(change)
		case "zulip_organization":
			b.review.Rights = append(b.review.Rights, b.listSettings(change)...)
			b.review.Rights = append(b.review.Rights, b.listRights(change, permission.Organizations)...)
		default:
			b.listPerson(change)
		}
	}
}

// actionOf reads what a change does; ended is the word for what becomes of something that is destroyed.
func actionOf(c *change, ended Action) Action {
	switch {
	case c.does("create") && c.does("delete"):
		return Replace
	case c.does("create"):
		return Create
	case c.does("delete"):
		return ended
	case c.does("forget"):
		return Release
	}
	return Update
}

// textOf is an attribute after a change, or before it where there is nothing after.
func textOf(c *change, attribute string) string {
	if text, ok := c.after().text(attribute); ok {
		return text
	}
	if text, ok := c.before().text(attribute); ok {
		return text
	}
	return c.Address
}

func (b *builder) listChannel(c *change) {
	nobody := b.crowd.nobody()
	channel := &Channel{Name: textOf(c, "name"), Action: actionOf(c, Archive), Addresses: []string{c.Address}, Joins: nobody, Leaves: nobody, Rights: []*Right{}}
	channel.ID, _ = c.before().number("id")
	if c.Type != "zulip_channel" {
		channel.Name, channel.Action = textOf(c, "channel"), Update
		channel.ID, _ = c.after().number("channel_id")
		b.unsure(c.Address + " changes who is in a channel; whom it puts in and takes out was not asked.")
	}
	if channel.Action == Archive && keeps(c.before()) {
		channel.Action = Release
	}
	if was, ok := c.before().text("name"); ok && was != channel.Name && c.Type == "zulip_channel" {
		channel.OldName = was
	}
	channel.Privacy = Change{b.listed(c.before(), "privacy"), b.listed(c.after(), "privacy")}
	if channel.Privacy.Differs() && c.isSet("privacy") && c.Change.After != nil {
		channel.Rights = append(channel.Rights, b.untold(string(permission.CanRead), permission.CanRead.InWords(), channel.Privacy))
	}
	for _, right := range b.listRights(c, permission.Channels) {
		right.Text = permission.Right(right.Name).InWords()
		channel.Rights = append(channel.Rights, right)
	}
	b.review.Channels = append(b.review.Channels, channel)
}

func (b *builder) listed(m moment, attribute string) Value {
	if text, ok := m.text(attribute); ok {
		return said(text)
	}
	return Value{Unknown: m.isUnknown(attribute)}
}

// listRights lists the permissions that a change writes.
func (b *builder) listRights(c *change, table permission.Table) []*Right {
	rights := []*Right{}
	for _, setting := range table.Settings {
		after, unknown, ok := c.after().list(setting.Name)
		before, _, had := c.before().list(setting.Name)
		if !ok || unknown && !c.isSet(setting.Name) || had && !unknown && slices.Equal(before, after) {
			continue
		}
		rights = append(rights, b.untold(setting.Name, setting.Right, Change{Value{Words: before}, Value{Words: after, Unknown: unknown}}))
	}
	return rights
}

// listSettings lists the settings of the organization beside the permissions that decide who may do what.
func (b *builder) listSettings(c *change) (rights []*Right) {
	for _, name := range []string{waitingPeriod, spectators} {
		before, after := settingValue(c.before(), name), settingValue(c.after(), name)
		if change := (Change{before, after}); change.Differs() && (after.Unknown && c.isSet(name) || after.Words != nil) {
			rights = append(rights, b.untold(name, settingRights[name], change))
		}
	}
	return rights
}

func settingValue(m moment, name string) Value {
	if number, ok := m.number(name); ok {
		return said(fmt.Sprint(number))
	}
	if flag, ok := m.flag(name); ok {
		return said(fmt.Sprint(flag))
	}
	return Value{Unknown: m.isUnknown(name)}
}

// untold is a right of which nobody knows who gains it and who loses it.
func (b *builder) untold(name, text string, change Change) *Right {
	return &Right{Name: name, Text: text, Change: change, Gain: b.crowd.nobody(), Lose: b.crowd.nobody(), Unknown: true, Why: notAsked}
}

func (b *builder) listGroup(c *change) {
	nobody := b.crowd.nobody()
	group := &Group{
		Name: textOf(c, "name"), Action: actionOf(c, Deactivate), Addresses: []string{c.Address}, Joins: nobody, Leaves: nobody,
		Rights: b.listRights(c, permission.UserGroups), Members: b.listedSet(c, "members"), Subgroups: b.listedSet(c, "subgroups"),
	}
	group.ID, _ = c.before().number("id")
	if c.Type != "zulip_user_group" {
		group.Name, group.Action = textOf(c, "group"), Update
		group.ID, _ = c.after().number("group_id")
	}
	group.Unknown = group.Members.Differs() || group.Subgroups.Differs()
	b.review.Groups = append(b.review.Groups, group)
}

func (b *builder) listedSet(c *change, attribute string) Change {
	before, _, _ := c.before().list(attribute)
	after, unknown, _ := c.after().list(attribute)
	if unknown && !c.isSet(attribute) {
		return Change{}
	}
	return Change{Value{Words: before}, Value{Words: after, Unknown: unknown}}
}

func (b *builder) listPerson(c *change) {
	role := Change{b.listed(c.before(), "role"), b.listed(c.after(), "role")}
	if role.After.Unknown && !c.isSet("role") {
		role.After = Value{}
	}
	action := actionOf(c, Deactivate)
	if c.Type == "zulip_user_role" {
		role.Before, action = Value{Unknown: true}, Update
		if c.Change.After == nil {
			role.After = b.listed(c.before(), "on_destroy")
		}
	}
	var owner *Change
	if is := (Change{b.listed(c.before(), "owner"), b.listed(c.after(), "owner")}); c.Type == "zulip_bot" && action == Update && c.isSet("owner") && is.Differs() {
		owner = &is
	}
	if action == Update && !role.Differs() && owner == nil {
		b.review.Others++
		return
	}
	address := textOf(c, "email")
	if address == c.Address {
		address = textOf(c, "user")
	}
	account := &Account{Address: address, Name: textOf(c, "full_name"), IsBot: c.Type == "zulip_bot"}
	if account.Name == c.Address {
		account.Name = address
	}
	account.ID, _ = c.before().number("id")
	b.review.People = append(b.review.People, &Person{Account: account, AccountID: account.ID, Addresses: []string{c.Address}, Action: action, Role: role, Owner: owner})
}
