package review

import (
	"fmt"
	"slices"
	"strings"
)

// initialSubscribers takes up who is in a new channel: by default nobody, in a private one the account the provider uses.
func (b *builder) initialSubscribers(room *room, c *change) {
	texts, unknown, ok := c.after().list("initial_subscribers")
	if !ok && (room.after.PrivacyUnknown || room.after.Privacy.IsPrivate()) {
		texts = []string{fmt.Sprint(b.options.Store.Self().ID)}
	}
	ids, missing := b.names.people(texts)
	room.in, room.exactly = ids, true
	b.missing(c, missing)
	if unknown || len(missing) > 0 {
		room.vague = "it is not known yet who will be in the channel"
	}
}

// subscribers takes up who is put into a channel and taken out.
func (b *builder) subscribers(c *change) {
	was, is := c.before(), c.after()
	room, ok := b.targetRoom(c)
	_, there := is.number("channel_id")
	switch {
	case !ok && c.Change.After == nil:
		return
	case !ok && there:
		b.unseen(c)
		return
	case !ok:
		b.unsure(fmt.Sprintf("Whom %s puts into which channel is not known yet.", c.Address))
		return
	}
	if c.Type == "zulip_channel_subscription" {
		added, _, _ := was.list("added_user_ids")
		out, _ := b.names.people(added)
		room.out = append(room.out, out...)
	}
	if c.Change.After == nil {
		return // zulip_channel_subscribers leaves everybody where they are
	}
	users, unknown, _ := is.list("users")
	ids, missing := b.names.people(users)
	b.missing(c, missing)
	room.in = append(room.in, ids...)
	room.exactly = room.exactly && c.Type == "zulip_channel_subscription" || c.Type == "zulip_channel_subscribers"
	if unknown || len(missing) > 0 {
		room.vague = fmt.Sprintf("it is not known yet whom %s puts into the channel", c.Address)
	}
}

// targetRoom finds the channel that a change of subscribers is about.
func (b *builder) targetRoom(c *change) (*room, bool) {
	m := c.after()
	if c.Change.After == nil {
		m = c.before()
	}
	if id, ok := m.number("channel_id"); ok {
		channel, ok := b.names.Channels().ByID(id)
		if !ok {
			return nil, false
		}
		return b.named(channel, c), true
	}
	address, name := c.refersTo("channel"), ""
	if text, ok := m.text("channel"); ok {
		name = strings.TrimPrefix(text, "name:")
	}
	for _, room := range b.created {
		if name != "" && strings.EqualFold(room.says.Name, name) || address != "" && slices.Contains(room.says.Addresses, address) {
			room.says.Addresses = append(room.says.Addresses, c.Address)
			return room, true
		}
	}
	return nil, false
}

// settle works out who will be in a channel.
func (r *room) settle() {
	if r.in == nil && r.out == nil && r.vague == "" {
		return
	}
	subscribers := r.after.Subscribers
	if r.exactly {
		subscribers = nil
	}
	r.after.Subscribers = merged(subscribers, r.in, r.out)
	r.after.SubscribersKnown = r.vague == "" && (r.after.SubscribersKnown || r.exactly)
}
