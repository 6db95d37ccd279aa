package review

import (
	"fmt"
	"maps"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// room is a channel that the plan changes, or that it creates.
type room struct {
	channel *zulip.Channel // nil for one that is yet to be created
	says    *Channel
	before  permission.Channel
	after   permission.Channel
	rights  map[string]planned
	// in are the subscribers after the plan, if the plan says something of them; vague: and others.
	in, out []int64
	exactly bool
	vague   string // what it depends on who will be in it; "" if that is known
}

// compareChannels says who gains and who loses which right in which channel: in those that the plan changes, those it
// creates, and those in which a change of something else has effects.
func (b *builder) compareChannels() error {
	for _, change := range b.of("zulip_channel") {
		b.channel(change)
	}
	for _, change := range b.of("zulip_channel_subscribers", "zulip_channel_subscription") {
		b.subscribers(change)
	}
	for _, channel := range b.names.Channels().List() {
		room, named := b.channels[channel.ID]
		if !named {
			if channel.IsArchived {
				continue
			}
			room = b.roomOf(channel)
		}
		if err := b.compareRoom(room); err != nil {
			return err
		}
		if named || len(room.says.Rights) > 0 {
			b.review.Channels = append(b.review.Channels, room.says)
		}
	}
	for _, room := range b.created {
		b.newRoom(room)
		b.review.Channels = append(b.review.Channels, room.says)
	}
	b.review.Channels = arranged(b.review.Channels)
	return nil
}

// roomOf returns the room of a channel that is there.
func (b *builder) roomOf(channel *zulip.Channel) *room {
	if room, ok := b.channels[channel.ID]; ok {
		return room
	}
	facts := permission.ChannelOf(channel)
	facts.Subscribers, facts.SubscribersKnown = b.names.Subscribers()[channel.ID]
	privacy := said(privacyWords(facts.Privacy))
	return &room{
		channel: channel, before: facts, after: facts,
		says: &Channel{
			ID: channel.ID, Name: channel.Name, Addresses: []string{}, Privacy: Change{privacy, privacy},
			Rights: []*Right{}, Joins: b.crowd.nobody(), Leaves: b.crowd.nobody(),
		},
	}
}

// named is roomOf for a channel that the plan changes.
func (b *builder) named(channel *zulip.Channel, c *change) *room {
	room := b.roomOf(channel)
	b.channels[channel.ID] = room
	room.says.Addresses = append(room.says.Addresses, c.Address)
	return room
}

// channel takes up the change of a zulip_channel.
func (b *builder) channel(c *change) {
	before, after := c.before(), c.after()
	var held *zulip.Channel
	if id, ok := before.number("id"); ok {
		held, _ = b.names.Channels().ByID(id)
	}
	if held == nil && !c.does("create") {
		b.unseen(c)
		return
	}
	if c.does("delete") && held != nil && !held.IsArchived {
		room := b.named(held, c)
		if room.says.Action = Release; !keeps(before) {
			room.says.Action, room.after.IsArchived = Archive, true
		}
	}
	switch {
	case c.does("forget") && !held.IsArchived:
		b.named(held, c).says.Action = Release
	case c.does("create"):
		b.create(c)
	case c.does("update"):
		room := b.named(held, c)
		room.says.Action = Update
		b.plan(room, c, held.Permissions)
		if name, ok := after.text("name"); ok && name != held.Name {
			room.says.Name, room.says.OldName = name, held.Name
		}
	}
}

// keeps reports whether destroying the channel leaves it as it is.
func keeps(m moment) bool {
	word, _ := m.text("on_destroy")
	return word == "keep"
}

// create takes up a channel that is created, or taken back from the archive.
func (b *builder) create(c *change) {
	after := c.after()
	name, known := after.text("name")
	if held, ok := b.names.Channels().ByName(name); known && ok && held.IsArchived && after.isTrue("adopt_archived") {
		room := b.named(held, c)
		room.says.Action, room.after.IsArchived = Reactivate, false
		b.plan(room, c, held.Permissions)
		return
	}
	if !known {
		name = c.Address
		b.unsure(fmt.Sprintf("The name of %s is not known yet.", c.Address))
	}
	room := &room{
		says: &Channel{
			Name: name, Action: Create, Addresses: []string{c.Address}, Rights: []*Right{}, Joins: b.crowd.nobody(), Leaves: b.crowd.nobody(),
			Privacy: Change{After: said(privacyWords(zulip.PrivacyPublic))},
		},
		after: permission.Channel{Privacy: zulip.PrivacyPublic, Permissions: map[string]zulip.GroupSettingValue{}, SubscribersKnown: true},
	}
	if c.does("delete") {
		room.says.Action = Replace
	}
	b.plan(room, c, nil)
	b.serverDefaults(room)
	b.initialSubscribers(room, c)
	b.created = append(b.created, room)
}

// serverDefaults fills in what the configuration leaves to the server, as the server says it does
// (server-behavior §P7).
func (b *builder) serverDefaults(room *room) {
	for _, setting := range permission.ChannelSettings {
		if _, set := room.rights[setting.Name]; set {
			continue
		}
		said, ok := b.names.Realm().SupportedPermissions[permission.Channels.Key][setting.Name]
		group, there := b.names.UserGroupByName(said.DefaultGroupName)
		switch {
		case ok && there:
			room.after.Permissions[setting.Name] = zulip.NamedGroup(group.ID)
		case ok && said.DefaultGroupName == "channel_creator":
			room.after.Permissions[setting.Name] = zulip.GroupSettingValue{DirectMembers: []int64{b.options.Store.Self().ID}}
		case ok:
			room.after.Unknown[setting.Name] = true
		}
	}
}

// plan takes up the privacy and the permissions that a change gives a channel.
func (b *builder) plan(room *room, c *change, held map[string]zulip.GroupSettingValue) {
	word, known := c.after().text("privacy")
	was, _ := c.before().text("privacy")
	switch {
	case c.after().isUnknown("privacy") && c.isSet("privacy"):
		room.after.PrivacyUnknown = true
		room.says.Privacy.After = Value{Unknown: true}
	case known && word != was:
		room.after.Privacy = zulip.Privacy(word)
		room.says.Privacy.After = said(privacyWords(room.after.Privacy))
	}
	if policy, known := c.after().text("topics_policy"); known {
		room.after.TopicsPolicy = policy
	} else if c.after().isUnknown("topics_policy") && c.isSet("topics_policy") {
		room.after.TopicsPolicyUnknown = true
	}
	room.rights = b.plannedRights(c, permission.Channels, held)
	room.after.Permissions, room.after.Unknown = maps.Clone(room.after.Permissions), map[string]bool{}
	for name, planned := range room.rights {
		if planned.unknown {
			room.after.Unknown[name] = true
		} else {
			room.after.Permissions[name] = planned.value
		}
	}
}

// privacyWords are what kind of channel it is, for people.
func privacyWords(privacy zulip.Privacy) string {
	switch privacy {
	case zulip.PrivacyWebPublic:
		return "public on the web"
	case zulip.PrivacyPublic:
		return "public"
	case zulip.PrivacyPrivateSharedHistory:
		return "private, with shared history"
	case zulip.PrivacyPrivateProtectedHistory:
		return "private, with protected history"
	}
	return string(privacy)
}
