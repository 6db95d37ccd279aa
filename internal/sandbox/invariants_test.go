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

// invariants are true of every organization after any request, besides [inconsistency]. An organization that a server
// recorded can have more. Each returns the problem, or "".
var invariants = map[string]func(*rules.Organization) string{
	"rows agree":                            inconsistency,
	"default channels can be joined by all": wrongDefault,
	"subscribers are shown":                 wrongSubscribers,
	"values are in order":                   unorderedValue,
	"bots have owners":                      botWithoutOwner,
	"lists are in one order":                doubledOrder,
}

func wrongDefault(o *rules.Organization) string {
	for id := range o.DefaultChannels.All() {
		if c, _ := o.Channels.Get(id); c.Private {
			return fmt.Sprintf("the default channel %d is private", id)
		}
	}
	for _, g := range o.DefaultChannelGroups.All() {
		for _, id := range g.Channels {
			if c, _ := o.Channels.Get(id); c.Archived {
				return fmt.Sprintf("the default channel group %q holds %d, which is archived", g.Name, id)
			}
		}
	}
	return ""
}

func wrongSubscribers(o *rules.Organization) string {
	rows := map[[2]int]bool{}
	for id, s := range o.Subscriptions.All() {
		if rows[[2]int{s.UserID, s.ChannelID}] {
			return fmt.Sprintf("the subscription %d is there twice: %+v", id, s)
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

func unorderedValue(o *rules.Organization) string {
	for place, value := range valuesOf(o) {
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
