package review

import (
	"fmt"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/review/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/review/report"
)

// listPlan says what the plan itself holds, without the organization: principals before and after.
func (b *builder) listPlan() {
	for _, change := range b.changes {
		if change.Does("forget") && change.Type != "zulip_channel" && change.Type != "zulip_user_group" {
			continue
		}
		switch change.Type {
		case "zulip_channel", "zulip_channel_subscribers", "zulip_channel_subscription":
			b.listChannel(change)
		case "zulip_user_group", "zulip_user_group_membership":
			b.listGroup(change)
		case "zulip_organization":
			b.report.Rights = append(b.report.Rights, b.listSettings(change)...)
			b.report.Rights = append(b.report.Rights, b.listRights(change, permission.Organizations)...)
		case "zulip_user", "zulip_bot", "zulip_user_role":
			b.listPerson(change)
		}
	}
}

// actionOf reads what a change does; ended is the word for what becomes of something that is destroyed.
func actionOf(c *plan.Change, ended report.Action) report.Action {
	switch {
	case c.Does("create") && c.Does("delete"):
		return report.Replace
	case c.Does("create"):
		return report.Create
	case c.Does("delete"):
		return ended
	case c.Does("forget"):
		return report.Release
	}
	return report.Update
}

// textOf is an attribute after a change, or before it where there is nothing after.
func textOf(c *plan.Change, attribute string) string {
	if text, ok := c.After().Text(attribute); ok {
		return text
	}
	if text, ok := c.Before().Text(attribute); ok {
		return text
	}
	return c.Address
}

func (b *builder) listChannel(c *plan.Change) {
	nobody := b.people.Nobody()
	channel := &report.Channel{Name: textOf(c, "name"), Action: actionOf(c, report.Archive), Addresses: []string{c.Address}, Joins: nobody, Leaves: nobody, Rights: []*report.Right{}}
	channel.ID, _ = c.Before().Number("id")
	if c.Type != "zulip_channel" {
		channel.Name, channel.Action = textOf(c, "channel"), report.Update
		channel.ID, _ = c.After().Number("channel_id")
		b.addUnknown(c.Address + " changes who is in a channel; whom it puts in and takes out was not asked.")
	}
	if channel.Action == report.Archive && isKept(c.Before()) {
		channel.Action = report.Release
	}
	if was, ok := c.Before().Text("name"); ok && was != channel.Name && c.Type == "zulip_channel" {
		channel.OldName = was
	}
	channel.Privacy = report.Change{Before: b.valueOf(c.Before(), "privacy"), After: b.valueOf(c.After(), "privacy")}
	if channel.Privacy.Differs() && c.IsSet("privacy") && c.HasAfter() {
		channel.Rights = append(channel.Rights, b.unknownRight(string(permission.CanRead), permission.CanRead.InWords(), channel.Privacy))
	}
	for _, right := range b.listRights(c, permission.Channels) {
		right.Text = permission.Right(right.Name).InWords()
		channel.Rights = append(channel.Rights, right)
	}
	b.report.Channels = append(b.report.Channels, channel)
}

func (b *builder) valueOf(m plan.Attributes, attribute string) report.Value {
	if text, ok := m.Text(attribute); ok {
		return report.ValueOf(text)
	}
	return report.Value{Unknown: m.IsUnknown(attribute)}
}

// listRights lists the permissions that a change writes.
func (b *builder) listRights(c *plan.Change, table permission.Table) []*report.Right {
	rights := []*report.Right{}
	for _, setting := range table.Settings {
		after, unknown, ok := c.After().List(setting.Name)
		before, _, had := c.Before().List(setting.Name)
		if !ok || unknown && !c.IsSet(setting.Name) || had && !unknown && slices.Equal(before, after) {
			continue
		}
		rights = append(rights, b.unknownRight(setting.Name, setting.Right, report.Change{Before: report.Value{Texts: before}, After: report.Value{Texts: after, Unknown: unknown}}))
	}
	return rights
}

// listSettings lists the settings of the organization beside the permissions that decide who may do what.
func (b *builder) listSettings(c *plan.Change) (rights []*report.Right) {
	for _, name := range []string{waitingPeriod, spectators} {
		before, after := settingValue(c.Before(), name), settingValue(c.After(), name)
		if change := (report.Change{Before: before, After: after}); change.Differs() && (after.Unknown && c.IsSet(name) || after.Texts != nil) {
			rights = append(rights, b.unknownRight(name, settingRightTexts[name], change))
		}
	}
	return rights
}

func settingValue(m plan.Attributes, name string) report.Value {
	if number, ok := m.Number(name); ok {
		return report.ValueOf(fmt.Sprint(number))
	}
	if flag, ok := m.Flag(name); ok {
		return report.ValueOf(fmt.Sprint(flag))
	}
	return report.Value{Unknown: m.IsUnknown(name)}
}

// unknownRight is a right of which nobody knows who gains it and who loses it.
func (b *builder) unknownRight(name, text string, change report.Change) *report.Right {
	return &report.Right{Name: name, Text: text, Change: change, Gain: b.people.Nobody(), Lose: b.people.Nobody(), Unknown: true, Why: report.NotAsked}
}

func (b *builder) listGroup(c *plan.Change) {
	nobody := b.people.Nobody()
	group := &report.Group{
		Name: textOf(c, "name"), Action: actionOf(c, report.Deactivate), Addresses: []string{c.Address}, Joins: nobody, Leaves: nobody,
		Rights: b.listRights(c, permission.UserGroups), Members: b.changeOf(c, "members"), Subgroups: b.changeOf(c, "subgroups"),
	}
	group.ID, _ = c.Before().Number("id")
	if c.Type != "zulip_user_group" {
		group.Name, group.Action = textOf(c, "group"), report.Update
		group.ID, _ = c.After().Number("group_id")
	}
	group.Unknown = group.Members.Differs() || group.Subgroups.Differs()
	b.report.Groups = append(b.report.Groups, group)
}

func (b *builder) changeOf(c *plan.Change, attribute string) report.Change {
	before, _, _ := c.Before().List(attribute)
	after, unknown, _ := c.After().List(attribute)
	if unknown && !c.IsSet(attribute) {
		return report.Change{}
	}
	return report.Change{Before: report.Value{Texts: before}, After: report.Value{Texts: after, Unknown: unknown}}
}

func (b *builder) listPerson(c *plan.Change) {
	role := report.Change{Before: b.valueOf(c.Before(), "role"), After: b.valueOf(c.After(), "role")}
	if role.After.Unknown && !c.IsSet("role") {
		role.After = report.Value{}
	}
	action := actionOf(c, report.Deactivate)
	if c.Type == "zulip_user_role" {
		role.Before, action = report.Value{Unknown: true}, report.Update
		if !c.HasAfter() {
			role.After = b.valueOf(c.Before(), "on_destroy")
		}
	}
	var owner *report.Change
	if is := (report.Change{Before: b.valueOf(c.Before(), "owner"), After: b.valueOf(c.After(), "owner")}); c.Type == "zulip_bot" && action == report.Update && c.IsSet("owner") && is.Differs() {
		owner = &is
	}
	if action == report.Update && !role.Differs() && owner == nil {
		return
	}
	address := textOf(c, "email")
	if address == c.Address {
		address = textOf(c, "user")
	}
	account := &report.Account{Address: address, Name: textOf(c, "full_name"), IsBot: c.Type == "zulip_bot"}
	if account.Name == c.Address {
		account.Name = address
	}
	account.ID, _ = c.Before().Number("id")
	b.report.People = append(b.report.People, &report.Person{Account: account, AccountID: account.ID, Addresses: []string{c.Address}, Action: action, Role: role, Owner: owner})
}
