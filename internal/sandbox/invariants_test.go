package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// whole is the content of an organization, row by row as stored: table → id → row.
type whole map[string]map[int]string

func wholeOf(o *rules.Organization) whole {
	w := whole{}
	tables := reflect.ValueOf(*o)
	for i := range tables.NumField() {
		field := tables.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		rows := map[int]string{}
		for id, row := range tables.Field(i).MethodByName("All").Call(nil)[0].Seq2() {
			text, err := json.Marshal(row.Interface())
			if err != nil {
				panic(err)
			}
			rows[int(id.Int())] = string(text)
		}
		w[field.Name] = rows
	}
	return w
}

// difference says in which rows two organizations differ; "" for none.
func (w whole) difference(other whole) string {
	var found []string
	for _, table := range slices.Sorted(maps.Keys(w)) {
		ids := maps.Clone(w[table])
		maps.Copy(ids, other[table])
		for _, id := range slices.Sorted(maps.Keys(ids)) {
			if before, after := w[table][id], other[table][id]; before != after {
				found = append(found, fmt.Sprintf("%s %d: %q became %q", table, id, before, after))
			}
		}
	}
	return strings.Join(found, "\n")
}

// invariants are true of every organization after any request. Each returns the problem, or "".
var invariants = map[string]func(*rules.Organization) string{
	"no group is below itself":              groupCycle,
	"names are unique":                      doubledName,
	"folders are there":                     channelInNoFolder,
	"default channels can be joined by all": wrongDefault,
	"subscriptions are of those who exist":  wrongSubscription,
	"what is named exists":                  danglingValue,
	"bots have owners":                      botWithoutOwner,
	"lists are in one order":                doubledOrder,
}

func groupCycle(o *rules.Organization) string {
	const entered, left = 1, 2
	seen := map[int]int{}
	var descend func(id int) string
	descend = func(id int) string {
		switch seen[id] {
		case entered:
			return fmt.Sprintf("the group %d is below itself", id)
		case left:
			return ""
		}
		seen[id] = entered
		g, ok := o.Groups.Get(id)
		if !ok {
			return fmt.Sprintf("there is no group %d", id)
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

// doubledName looks for two objects of a kind with one name, compared like the server does.
func doubledName(o *rules.Organization) string {
	seen := map[string]bool{}
	doubled := ""
	take := func(kind, name string) {
		key := kind + " " + name
		if seen[key] {
			doubled = fmt.Sprintf("there are two of %s", key)
		}
		seen[key] = true
	}
	for _, g := range o.Groups.All() {
		take("group", g.Name) // a deactivated one keeps its name
	}
	for _, c := range o.Channels.All() {
		take("channel", strings.ToLower(c.Name)) // so does an archived one
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
		take("playground", p.Language+" "+p.Name)
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

// channelInNoFolder ignores archived folders: the server accepts one for a channel (server-behavior §C9). It archives no
// folder with a channel.
func channelInNoFolder(o *rules.Organization) string {
	for id, c := range o.Channels.All() {
		if c.FolderID == nil {
			continue
		}
		if !o.Folders.Has(*c.FolderID) {
			return fmt.Sprintf("the channel %d is in the folder %d, which was never there", id, *c.FolderID)
		}
	}
	return ""
}

func wrongDefault(o *rules.Organization) string {
	for id := range o.DefaultChannels.All() {
		if c, ok := o.Channels.Get(id); !ok || c.Private {
			return fmt.Sprintf("the default channel %d is private, or not there", id)
		}
	}
	for _, g := range o.DefaultChannelGroups.All() {
		for _, id := range g.Channels {
			if c, ok := o.Channels.Get(id); !ok || c.Archived {
				return fmt.Sprintf("the default channel group %q holds %d, which is not there", g.Name, id)
			}
		}
	}
	return ""
}

func wrongSubscription(o *rules.Organization) string {
	rows := map[[2]int]bool{}
	for id, s := range o.Subscriptions.All() {
		if !o.Users.Has(s.UserID) || !o.Channels.Has(s.ChannelID) || rows[[2]int{s.UserID, s.ChannelID}] {
			return fmt.Sprintf("the subscription %d is of nobody or of nothing, or there is another: %+v", id, s)
		}
		rows[[2]int{s.UserID, s.ChannelID}] = true
	}
	for id := range o.Channels.All() {
		people := o.Subscribers(id)
		if !slices.IsSorted(people) || len(people) != o.SubscriberCount(id) {
			return fmt.Sprintf("%v are in the channel %d, which counts %d", people, id, o.SubscriberCount(id))
		}
		for _, person := range people {
			if u, _ := o.Users.Get(person); !u.Active || !rows[[2]int{person, id}] {
				return fmt.Sprintf("%d is shown in the channel %d, and is not active, or never came", person, id)
			}
		}
	}
	return ""
}

func danglingValue(o *rules.Organization) string {
	for place, value := range valuesOf(o) {
		groups := value.Subgroups
		if value.Group != 0 {
			groups = []int{value.Group}
		}
		for _, id := range groups {
			if !o.Groups.Has(id) {
				return fmt.Sprintf("%s names the group %d, which is not there", place, id)
			}
		}
		for _, id := range value.Members {
			if !o.Users.Has(id) {
				return fmt.Sprintf("%s names the person %d, who is not there", place, id)
			}
		}
		if !slices.IsSorted(value.Members) || !slices.IsSorted(value.Subgroups) {
			return fmt.Sprintf("%s is not in order: %+v", place, value)
		}
	}
	return ""
}

// botWithoutOwner lets a bot own a bot: a bot becomes the owner of the bot that it reactivates, if the old owner is
// deactivated.
func botWithoutOwner(o *rules.Organization) string {
	for id, u := range o.Users.All() {
		owner, ok := o.Users.Get(u.BotOwnerID)
		if u.IsBot && u.Active && (!ok || !owner.Active) {
			return fmt.Sprintf("the bot %d belongs to %d, who is not active", id, u.BotOwnerID)
		}
	}
	return ""
}

func doubledOrder(o *rules.Organization) string {
	folders := o.ListFolders(true)
	if !slices.IsSortedFunc(folders, func(a, b rules.Folder) int { return a.Order - b.Order }) {
		return fmt.Sprintf("folders are not shown in their order: %+v", folders)
	}
	places := map[int]bool{}
	for _, f := range folders {
		if places[f.Order] {
			return fmt.Sprintf("two folders are at the place %d", f.Order)
		}
		places[f.Order] = true
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

// uses are the active objects that name a deactivated group, or in a permission a deactivated person. The server refuses
// new ones. They arise only by deactivating the person, or by reactivating the object.
type uses map[string]bool

func usesOf(o *rules.Organization) uses {
	all := uses{}
	inUse := map[string]bool{"organization": true}
	for id, c := range o.Channels.All() {
		inUse[fmt.Sprint("channel ", id)] = !c.Archived
	}
	for id, g := range o.Groups.All() {
		inUse[fmt.Sprint("group ", id)] = !g.Deactivated
		if g.Deactivated {
			continue
		}
		for _, sub := range g.Subgroups {
			if below, _ := o.Groups.Get(sub); below.Deactivated {
				all[fmt.Sprintf("group %d: subgroup %d", id, sub)] = true
			}
		}
	}
	for place, value := range valuesOf(o) {
		if !inUse[place[:strings.LastIndex(place, " ")]] {
			continue
		}
		for _, id := range append(slices.Clone(value.Subgroups), value.Group) {
			if g, _ := o.Groups.Get(id); g.Deactivated {
				all[fmt.Sprintf("%s: group %d", place, id)] = true
			}
		}
		for _, id := range value.Members {
			if u, _ := o.Users.Get(id); !u.Active {
				all[fmt.Sprintf("%s: person %d", place, id)] = true
			}
		}
	}
	return all
}
