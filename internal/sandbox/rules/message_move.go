package rules

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

// undoResolving is how long after resolving a topic the opposite takes the
// notice back instead of posting another.
const undoResolving = time.Minute

// move takes messages to another topic or channel, and tells people.
func (o *Organization) move(actor User, e edit, c MessageChange) {
	ids := o.moved(actor, e, c.Propagate)
	taken := map[int]bool{}
	for _, id := range ids {
		o.moveOne(actor, id, e)
		taken[id] = true
	}
	place := e.message // as it was
	after, _ := o.Messages.Get(e.message.ID)
	others := func(channel int, topic string) bool {
		return slices.ContainsFunc(o.readable(actor, o.inTopic(channel, topic)), func(id int) bool { return !taken[id] })
	}
	whole, met := !others(place.ChannelID, place.Topic), others(after.ChannelID, after.Topic)
	if whole {
		o.moveVisibility(place, after)
	} else if sender := o.Sender(after.SenderID); o.inTopic(after.ChannelID, after.Topic)[0] == after.ID {
		o.followSent(sender, after, true)
	}
	if e.changesTopic && !e.changesChannel && !e.changesContent && e.togglesResolved() {
		o.postResolvedNotice(actor, e)
	}
	o.postMoveNotice(actor, e, c, len(ids), whole, met)
}

// moveOne moves a message, and notes it in the message's history. If the
// content was edited by the same request, that is one edit.
func (o *Organization) moveOne(actor User, id int, e edit) {
	m, _ := o.Messages.Get(id)
	now := o.now().Unix()
	note := MessageEdit{UserID: actor.ID, Time: now}
	if e.changesContent && id == e.message.ID {
		note, m.Edits = m.Edits[0], m.Edits[1:]
	}
	if e.changesTopic {
		prev, topic := m.Topic, e.topic
		note.PrevTopic, note.Topic = &prev, &topic
	}
	if e.changesChannel {
		prev, channel := m.ChannelID, e.to.ID
		note.PrevChannel, note.Channel = &prev, &channel
	}
	m.Edits = append([]MessageEdit{note}, m.Edits...)
	m.MovedAt = now
	m.Topic, m.ChannelID = e.topic, e.to.ID
	if e.changesChannel {
		m.Copies = o.copiesIn(m, e.to)
	}
	o.Messages.Put(id, m)
}

// copiesIn are a message's copies after it came into a channel: who may not see
// the channel loses the message, and where the history is protected, those in
// the channel receive it.
func (o *Organization) copiesIn(m Message, ch Channel) map[int]Flags {
	copies := maps.Clone(m.Copies)
	for person := range copies {
		if u, ok := o.Users.Get(person); !ok || !o.HasContentAccess(u, ch) {
			delete(copies, person)
		}
	}
	if !ch.SharedHistory {
		for _, person := range o.Subscribers(ch.ID) {
			if _, received := copies[person]; !received {
				copies[person] = FlagRead
			}
		}
	}
	return copies
}

// postResolvedNotice posts that a topic was resolved or unresolved, or takes back the
// notice of the opposite.
func (o *Organization) postResolvedNotice(actor User, e edit) {
	ids := o.inTopic(e.to.ID, e.topic)
	last, _ := o.Messages.Get(ids[len(ids)-1])
	if last.Resolving && o.now().Sub(last.Sent) <= undoResolving {
		o.Messages.Delete(last.ID)
		return
	}
	state := "resolved"
	if e.unresolves {
		state = "unresolved"
	}
	// By default only those who follow the topic need to read of it.
	readBy := slices.DeleteFunc(o.Subscribers(e.to.ID), func(person int) bool {
		return person != actor.ID && o.visibilityOf(person, e.to.ID, e.topic) == TopicFollowed
	})
	o.post(Message{
		SenderID: o.NotificationBotID(), ChannelID: e.to.ID, Topic: e.topic, Sent: o.now().UTC(), Resolving: true,
		Content: fmt.Sprintf("%s has marked this topic as %s.", silentMention(actor), state),
	}, mentions{}, readBy...)
}

// postMoveNotice posts the notices of a move where they were asked for.
func (o *Organization) postMoveNotice(actor User, e edit, c MessageChange, count int, whole, met bool) {
	there := topicLink(e.to, e.topic)
	here := topicLink(e.from, e.message.Topic)
	by := silentMention(actor)
	if c.NotifyNew && (e.changesChannel || !e.togglesResolved()) {
		text := fmt.Sprintf("%d messages were moved here from %s by %s.", count, here, by)
		switch {
		case whole && !met:
			text = fmt.Sprintf("This topic was moved here from %s by %s.", here, by)
		case count == 1:
			text = fmt.Sprintf("[A message](%s) was moved here from %s by %s.", messageLink(e.to, e.topic, e.message.ID), here, by)
		}
		o.notice(e.to.ID, e.topic, text, actor.ID)
	}
	if c.NotifyOld {
		text := fmt.Sprintf("%d messages were moved from this topic to %s by %s.", count, there, by)
		switch {
		case whole:
			text = fmt.Sprintf("This topic was moved to %s by %s.", there, by)
		case count == 1:
			text = fmt.Sprintf("A message was moved from this topic to %s by %s.", there, by)
		}
		o.notice(e.from.ID, e.message.Topic, text, actor.ID)
	}
}

// messageLink is the address of a message within the organization's site.
func messageLink(ch Channel, topic string, id int) string {
	return fmt.Sprintf("#narrow/channel/%d-%s/topic/%s/near/%d", ch.ID, hashPart(ch.Name), hashPart(topic), id)
}

// hashPart encodes a name for the part of an address after the number sign,
// where percent signs are written as dots.
func hashPart(name string) string {
	encoded := url.PathEscape(strings.ReplaceAll(name, " ", "-"))
	return strings.NewReplacer(".", "%2E", "%", ".").Replace(strings.ReplaceAll(encoded, ".", "%2E"))
}
