package sandbox

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// inconsistency returns the first problem of an organization that no server can have; "" if there is none.
func inconsistency(o *rules.Organization) string {
	return cmp.Or(groupCycle(o), doubledName(o), danglingRow(o), danglingValue(o))
}

// groupCycle looks for a group that is below itself, and for subgroups that don't exist.
func groupCycle(o *rules.Organization) string {
	const entered, left = 1, 2
	seen := map[int]int{}
	var descend func(id int) string
	descend = func(id int) string {
		switch seen[id] {
		case entered:
			return fmt.Sprintf("group %d contains itself", id)
		case left:
			return ""
		}
		seen[id] = entered
		g, ok := o.Groups.Get(id)
		if !ok {
			return fmt.Sprintf("group %d does not exist, but another group contains it", id)
		}
		for _, sub := range g.Subgroups {
			if wrong := descend(sub); wrong != "" {
				return wrong
			}
		}
		seen[id] = left
		return ""
	}
	for id := range o.Groups.All() {
		if wrong := descend(id); wrong != "" {
			return wrong
		}
	}
	return ""
}

// doubledName looks for two objects of a kind with one name. The server's database guarantees that there are none
// (server-behavior §C7, §C23, §F2, §G5, §L4, §L5, §L10, §L11, §S11, §U2).
func doubledName(o *rules.Organization) string {
	seen := map[string]bool{}
	doubled := ""
	take := func(kind, name string) {
		key := kind + " " + name
		if seen[key] {
			doubled = cmp.Or(doubled, fmt.Sprintf("two %ss are called %q", kind, name))
		}
		seen[key] = true
	}
	for _, g := range o.Groups.All() {
		take("group", g.Name) // a deactivated one keeps its name
	}
	for _, c := range o.Channels.All() {
		take("channel", strings.ToUpper(c.Name)) // so does an archived one
	}
	for _, f := range o.Folders.All() {
		if !f.Archived {
			take("folder", strings.ToLower(f.Name))
		}
	}
	for _, f := range o.ProfileFields.All() {
		take("profile field", f.Name)
	}
	for _, d := range o.Domains.All() {
		take("domain", strings.ToLower(d.Domain))
	}
	for _, p := range o.Playgrounds.All() {
		take("playground", p.Language+": "+p.Name)
	}
	for _, g := range o.DefaultChannelGroups.All() {
		take("default channel group", g.Name)
	}
	for _, u := range o.Users.All() {
		take("account", strings.ToLower(u.Email))
	}
	for _, e := range o.RealmEmoji.All() {
		if !e.Deactivated {
			take("emoji", e.Name)
		}
	}
	return doubled
}

// danglingRow looks for rows that name an object that does not exist. Archived folders are ignored: the server accepts one
// for a channel (server-behavior §C9). It archives no folder with a channel.
func danglingRow(o *rules.Organization) string {
	for id, c := range o.Channels.All() {
		if c.FolderID != nil && !o.Folders.Has(*c.FolderID) {
			return fmt.Sprintf("channel %d is in folder %d, which does not exist", id, *c.FolderID)
		}
	}
	for id := range o.DefaultChannels.All() {
		if !o.Channels.Has(id) {
			return fmt.Sprintf("default channel %d does not exist", id)
		}
	}
	for _, g := range o.DefaultChannelGroups.All() {
		for _, id := range g.Channels {
			if !o.Channels.Has(id) {
				return fmt.Sprintf("default channel group %q has channel %d, which does not exist", g.Name, id)
			}
		}
	}
	for _, s := range o.Subscriptions.All() {
		if !o.Users.Has(s.UserID) || !o.Channels.Has(s.ChannelID) {
			return fmt.Sprintf("user %d is subscribed to channel %d, but one of them does not exist", s.UserID, s.ChannelID)
		}
	}
	for id, g := range o.Groups.All() {
		for _, member := range g.Members {
			if !o.Users.Has(member) {
				return fmt.Sprintf("group %d has member %d, who does not exist", id, member)
			}
		}
	}
	for id, u := range o.Users.All() {
		if u.BotOwnerID != 0 && !o.Users.Has(u.BotOwnerID) {
			return fmt.Sprintf("the owner of bot %d is user %d, who does not exist", id, u.BotOwnerID)
		}
	}
	return ""
}

// danglingValue looks for permissions that name a group or person that does not exist.
func danglingValue(o *rules.Organization) string {
	values := valuesOf(o)
	for _, place := range sortedKeys(values) {
		value := values[place]
		groups := value.Subgroups
		if value.Group != 0 {
			groups = []int{value.Group}
		}
		for _, id := range groups {
			if !o.Groups.Has(id) {
				return fmt.Sprintf("%s names group %d, which does not exist", place, id)
			}
		}
		for _, id := range value.Members {
			if !o.Users.Has(id) {
				return fmt.Sprintf("%s names user %d, who does not exist", place, id)
			}
		}
	}
	return ""
}

// valuesOf gathers every permission value, by its path, including those of archived and deactivated objects.
func valuesOf(o *rules.Organization) map[string]rules.GroupValue {
	all := map[string]rules.GroupValue{}
	for id, c := range o.Channels.All() {
		for name, value := range c.Permissions {
			all[fmt.Sprintf("channel %d %s", id, name)] = value
		}
	}
	for id, g := range o.Groups.All() {
		for name, value := range g.Permissions {
			all[fmt.Sprintf("group %d %s", id, name)] = value
		}
	}
	for name, value := range o.Settings().Permissions {
		all["organization "+name] = value
	}
	return all
}
