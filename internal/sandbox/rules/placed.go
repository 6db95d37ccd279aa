package rules

import (
	"maps"
	"slices"
)

// This file puts things in place without asking who may: what is to be there before something is tried. See [Organization.Try].

// PlaceMessage stores a message as one sent now, in a topic of a channel, which these people have received.
func (o *Organization) PlaceMessage(sender, channel int, topic string, receivers ...int) int {
	m := Message{ID: o.Messages.NextID(), SenderID: sender, ChannelID: channel, Topic: topic, Content: "x", Sent: o.now().UTC(), Copies: map[int]Flags{}}
	for _, person := range receivers {
		m.Copies[person] = FlagRead
	}
	o.Messages.Put(m.ID, m)
	return m.ID
}

// PlaceSubscription puts a person into a channel, or takes one out.
func (o *Organization) PlaceSubscription(person, channel int, in bool) {
	if in {
		o.subscribe(person, channel, "")
	} else {
		o.unsubscribe(person, channel)
	}
}

// PlaceMember puts a person directly into a group, or takes one out.
func (o *Organization) PlaceMember(person, group int, in bool) {
	g, ok := o.Groups.Get(group)
	if !ok || g.System {
		return
	}
	if g.Members = without(g.Members, []int{person}); in {
		g.Members = sortedSet(append(slices.Clone(g.Members), person))
	}
	o.Groups.Put(group, g)
}

// PlaceChannel stores a public channel with these subscribers, in which everybody may post and nobody has a right over messages or
// people. Permissions are given instead of these.
func (o *Organization) PlaceChannel(name string, permissions map[string]GroupValue, subscribers ...int) int {
	ch := Channel{Name: name, SharedHistory: true, TopicsPolicy: TopicsAllowEmpty, DateCreated: o.now().Unix(), Permissions: map[string]GroupValue{}}
	for _, p := range ChannelPermissions {
		ch.Permissions[p.Name] = Named(o.SystemGroup(Nobody))
	}
	for _, open := range []string{"can_send_message_group", "can_create_topic_group"} {
		ch.Permissions[open] = Named(o.SystemGroup(Everyone))
	}
	maps.Copy(ch.Permissions, permissions)
	o.insertChannel(&ch, false)
	for _, person := range subscribers {
		o.subscribe(person, ch.ID, "")
	}
	return ch.ID
}

// PlaceOwnChannel is [Organization.PlaceChannel] for one that a person alone is in and administers.
func (o *Organization) PlaceOwnChannel(name string, person int) int {
	return o.PlaceChannel(name, map[string]GroupValue{"can_administer_channel_group": Listed([]int{person}, nil)}, person)
}

// PlaceGroup stores a group with these members, over which nobody has a right.
func (o *Organization) PlaceGroup(name string, members ...int) int {
	created := o.now().Unix()
	g := UserGroup{ID: o.Groups.NextID(), Name: name, DateCreated: &created, Members: sortedSet(members), Permissions: map[string]GroupValue{}}
	for _, p := range GroupPermissions {
		g.Permissions[p.Name] = Named(o.SystemGroup(Nobody))
	}
	o.Groups.Put(g.ID, g)
	return g.ID
}

// PlaceAccount stores a person whom nobody shares a channel with.
func (o *Organization) PlaceAccount(address, name string) int {
	return o.AddUser(User{Email: address, FullName: name, Role: RoleMember}).ID
}

// PlaceDirectMessage stores a direct message of one person to another as one sent now.
func (o *Organization) PlaceDirectMessage(sender, to int) int {
	m := Message{
		ID: o.Messages.NextID(), SenderID: sender, People: sortedSet([]int{sender, to}), Content: "x", Sent: o.now().UTC(),
		Copies: map[int]Flags{sender: FlagRead, to: 0},
	}
	o.Messages.Put(m.ID, m)
	return m.ID
}

// TakesTopics reports whether messages of a channel can have a topic.
func (o *Organization) TakesTopics(channel int) bool {
	ch, _ := o.Channels.Get(channel)
	return o.topicsPolicy(ch) != TopicsOnlyEmpty
}
