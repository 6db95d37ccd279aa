package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

// The extent of a move (https://zulip.com/api/update-message).
const (
	MoveOne   = "change_one"
	MoveLater = "change_later"
	MoveAll   = "change_all"
)

// resolvedPrefix is the prefix of resolved topics.
const resolvedPrefix = "✔ "

// MessageChange is the request PATCH /messages/{id}; nil leaves things unchanged.
type MessageChange struct {
	Content, Topic *string
	ChannelID      *int
	Propagate      string
	// NotifyOld and NotifyNew are true if a notice reports a move, in the old and in the new topic.
	NotifyOld, NotifyNew bool
	// ContentHash, if set, is the SHA-256 of the content that the caller expects.
	ContentHash *string
}

// edit is a checked change of a message.
type edit struct {
	message  Message
	from, to Channel // zero for direct messages
	topic    string  // the new topic
	content  string  // the new content
	said     mentions

	changesContent, changesTopic, changesChannel bool
	resolves, unresolves                         bool
}

func (e edit) moves() bool { return e.changesTopic || e.changesChannel }

// togglesResolved reports whether the new name only resolves or unresolves the topic.
func (e edit) togglesResolved() bool { return e.resolves || e.unresolves }

// UpdateMessage changes a message's content or moves it, optionally with others of its topic.
func (o *Organization) UpdateMessage(actor User, id int, c MessageChange) error {
	e, err := o.prepareEdit(actor, id, c)
	if err != nil {
		return err
	}
	for _, check := range []func(User, *edit, MessageChange) error{
		o.checkTopicChange, o.checkContentChange, o.checkChannelChange, o.checkMoveOfAll,
	} {
		if err := check(actor, &e, c); err != nil {
			return err
		}
	}
	if e.changesContent {
		o.editContent(actor, e)
	}
	if e.moves() {
		o.move(actor, e, c)
	}
	return nil
}

// prepareEdit checks that a request is consistent, in the server's order.
func (o *Organization) prepareEdit(actor User, id int, c MessageChange) (edit, error) {
	m, err := o.messageToChange(actor, id)
	if err != nil {
		return edit{}, err
	}
	if c.Content != nil {
		if err := o.checkMayEdit(actor, m); err != nil {
			return edit{}, err
		}
	}
	e := edit{message: m, topic: m.Topic, content: m.Content, changesContent: c.Content != nil, changesChannel: c.ChannelID != nil}
	if c.Topic != nil {
		e.topic = Strip(*c.Topic)
		if e.topic == EmptyTopicShownName {
			e.topic = ""
		}
		e.changesTopic = e.topic != m.Topic
	}
	if err := checkEditRequest(e, c); err != nil {
		return e, err
	}
	if e.changesContent {
		text := *c.Content
		if Strip(text) == "" {
			text = "(deleted)"
		}
		if e.content, err = normalizedContent(text); err != nil {
			return e, err
		}
	}
	if m.Direct() {
		return e, nil
	}
	err = o.prepareMove(actor, &e, c)
	return e, err
}

func (o *Organization) checkMayEdit(actor User, m Message) error {
	switch {
	case !o.Settings().AllowMessageEditing:
		return Refuse("Your organization has turned off message editing")
	case m.SenderID != actor.ID:
		return Refuse("You don't have permission to edit this message")
	case o.isPast(m, o.Settings().MessageContentEditLimit, editLimitBuffer):
		return Refuse("The time limit for editing this message has passed")
	}
	return nil
}

func checkEditRequest(e edit, c MessageChange) error {
	m := e.message
	switch {
	case !e.changesContent && !e.moves():
		return Refuse("Nothing to change")
	case m.Direct() && e.changesChannel:
		return Refuse("Direct messages cannot be moved to channels.")
	case m.Direct() && e.changesTopic:
		return Refuse("Direct messages cannot have topics.")
	case c.Propagate != MoveOne && !e.moves():
		return Refuse("Invalid propagate_mode without topic edit")
	case e.changesTopic && (e.topic == Strip(resolvedPrefix) || e.topic == resolvedPrefix+EmptyTopicShownName):
		return Refuse("General chat cannot be marked as resolved")
	}
	if e.changesTopic {
		if err := checkTopic(e.topic); err != nil {
			return err
		}
	}
	if e.changesChannel && e.changesContent {
		return Refuse("Cannot change message content while changing channel")
	}
	if c.ContentHash != nil && *c.ContentHash != contentHash(m.Content) {
		return &Error{
			Code:  "EXPECTATION_MISMATCH",
			Msg:   "'prev_content_sha256' value does not match the expected value.",
			Extra: map[string]any{"field_name": "prev_content_sha256"},
		}
	}
	return nil
}

func contentHash(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// prepareMove determines the target of a move.
func (o *Organization) prepareMove(actor User, e *edit, c MessageChange) error {
	e.from, _ = o.Channels.Get(e.message.ChannelID)
	e.to = e.from
	before, newTopic := e.message.Topic, e.topic
	e.topic = truncatedTopic(newTopic)
	if e.changesTopic {
		e.resolves = strings.HasPrefix(e.topic, resolvedPrefix) && !strings.HasPrefix(before, resolvedPrefix) &&
			strings.TrimPrefix(newTopic, resolvedPrefix) == before
		e.unresolves = strings.HasPrefix(before, resolvedPrefix) && !strings.HasPrefix(e.topic, resolvedPrefix) &&
			strings.TrimLeft(before, resolvedPrefix) == e.topic
	}
	if e.changesChannel {
		var err error
		if e.to, err = o.ChannelContent(actor, *c.ChannelID); err != nil {
			return err
		}
	}
	if !e.moves() && o.topicsPolicy(e.to) != TopicsOnlyEmpty {
		return nil
	}
	return o.checkTopicAllowed(e.to, e.topic)
}

// checkTopicChange checks the permissions to resolve topics or to move messages among
// topics: the organization's, or that of either channel.
func (o *Organization) checkTopicChange(actor User, e *edit, _ MessageChange) error {
	if !e.changesTopic {
		return nil
	}
	if e.togglesResolved() {
		if o.MayRealm(actor, "can_resolve_topics_group") ||
			o.mayChannel(actor, e.from, "can_resolve_topics_group") || o.mayChannel(actor, e.to, "can_resolve_topics_group") {
			return nil
		}
		return Refuse("You don't have permission to resolve topics in this channel.")
	}
	within := func(ch Channel) bool {
		return o.Administers(actor, ch) || o.mayChannel(actor, ch, "can_move_messages_within_channel_group")
	}
	if !o.MayRealm(actor, "can_move_messages_between_topics_group") && !within(e.from) && !within(e.to) {
		return Refuse("You don't have permission to edit this message")
	}
	if actor.Role > RoleModerator && o.isPast(e.message, o.Settings().MoveMessagesWithinChannelLimit, editLimitBuffer) {
		return Refuse("The time limit for editing this message's topic has passed.")
	}
	return nil
}

func (o *Organization) checkContentChange(actor User, e *edit, _ MessageChange) error {
	if !e.changesContent {
		return nil
	}
	e.said = o.mentionsIn(e.content)
	return o.checkMentions(actor, e.message, e.said)
}

func (o *Organization) checkChannelChange(actor User, e *edit, _ MessageChange) error {
	if e.changesChannel {
		if !o.MayRealm(actor, "can_move_messages_between_channels_group") && !o.Administers(actor, e.from) &&
			!o.mayChannel(actor, e.from, "can_move_messages_out_of_channel_group") {
			return Refuse("You don't have permission to move this message")
		}
		if err := o.checkMayPost(actor, e.to); err != nil {
			return err
		}
		if actor.Role > RoleModerator && o.isPast(e.message, o.Settings().MoveMessagesBetweenChannelsLimit, editLimitBuffer) {
			return Refuse("The time limit for editing this message's channel has passed")
		}
	}
	return nil
}

// checkMoveOfAll refuses to move a topic if a part of it is too old, and reports how much can be moved. Then it checks the
// permission to start the new topic, unless the move only resolves or unresolves the old one.
func (o *Organization) checkMoveOfAll(actor User, e *edit, c MessageChange) error {
	if !e.moves() {
		return nil
	}
	if c.Propagate == MoveAll && actor.Role > RoleModerator && !e.togglesResolved() {
		var allowed []int
		limits := o.Settings()
		ids := o.readable(actor, o.inTopic(e.from.ID, e.message.Topic))
		for _, id := range ids {
			m, _ := o.Messages.Get(id)
			tooOld := e.changesTopic && o.isPast(m, limits.MoveMessagesWithinChannelLimit, editLimitBuffer) ||
				e.changesChannel && o.isPast(m, limits.MoveMessagesBetweenChannelsLimit, editLimitBuffer)
			if !tooOld {
				allowed = append(allowed, id)
			}
		}
		if len(allowed) < len(ids) {
			return moveLimitExceeded(allowed[0], len(ids), len(allowed))
		}
	}
	if e.togglesResolved() {
		return nil
	}
	return o.checkMayStartTopic(actor, e.to, e.topic)
}

func moveLimitExceeded(first, all, allowed int) *Error {
	e := Refuse("You only have permission to move the %d/%d most recent messages in this topic.", allowed, all)
	e.Code = "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED"
	e.Extra = map[string]any{
		"first_message_id_allowed_to_move": first,
		"total_messages_in_topic":          all,
		"total_messages_allowed_to_move":   allowed,
	}
	return e
}

// editContent stores a new content and its mentions.
func (o *Organization) editContent(actor User, e edit) {
	m := e.message
	now := o.now().Unix()
	m.Edits = append([]MessageEdit{{UserID: actor.ID, Time: now, PrevContent: &e.message.Content}}, m.Edits...)
	m.Content, m.EditedAt = e.content, now
	const fromContent = FlagMentioned | FlagChannelWildcard | FlagTopicWildcard
	m.Copies = maps.Clone(m.Copies)
	for person, flags := range m.Copies {
		m.Copies[person] = flags&^fromContent | o.mentionFlags(m, e.said, person)
	}
	o.Messages.Put(m.ID, m)
	o.followMentioned(m, e.said)
}

// messagesToMove returns the messages of a move, ascending.
func (o *Organization) messagesToMove(actor User, e edit, propagate string) []int {
	if propagate == MoveOne {
		return []int{e.message.ID}
	}
	ids := o.readable(actor, o.inTopic(e.from.ID, e.message.Topic))
	if propagate == MoveLater {
		ids = slices.DeleteFunc(ids, func(id int) bool { return id < e.message.ID })
	}
	return ids
}

// undoResolving is the time after resolving a topic in which unresolving removes the notice instead of posting another.
const undoResolving = time.Minute

// move moves messages to another topic or channel, and posts the notices.
func (o *Organization) move(actor User, e edit, c MessageChange) {
	ids := o.messagesToMove(actor, e, c.Propagate)
	taken := map[int]bool{}
	for _, id := range ids {
		o.moveOne(actor, id, e)
		taken[id] = true
	}
	place := e.message // before the move
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

// moveOne moves a message and adds the move to its history. A content edit of the same request is part of the same entry.
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

// copiesIn returns a message's copies after a move to a channel. Users who cannot see the channel lose the message. If the
// history is protected, the channel's subscribers receive it.
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

// postResolvedNotice posts that a topic was resolved or unresolved, or removes the opposite notice.
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
	// By default the notice is unread only for followers of the topic.
	readBy := slices.DeleteFunc(o.Subscribers(e.to.ID), func(person int) bool {
		return person != actor.ID && o.visibilityOf(person, e.to.ID, e.topic) == TopicFollowed
	})
	o.post(Message{
		SenderID: o.NotificationBotID(), ChannelID: e.to.ID, Topic: e.topic, Sent: o.now().UTC(), Resolving: true,
		Content: fmt.Sprintf("%s has marked this topic as %s.", silentMention(actor), state),
	}, mentions{}, readBy...)
}

// postMoveNotice posts the requested notices of a move.
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

// messageLink returns the address of a message within the organization's site.
func messageLink(ch Channel, topic string, id int) string {
	return fmt.Sprintf("#narrow/channel/%d-%s/topic/%s/near/%d", ch.ID, hashPart(ch.Name), hashPart(topic), id)
}

// hashPart encodes a name for the fragment of an address, with a dot for each percent sign.
func hashPart(name string) string {
	encoded := url.PathEscape(strings.ReplaceAll(name, " ", "-"))
	return strings.NewReplacer(".", "%2E", "%", ".").Replace(strings.ReplaceAll(encoded, ".", "%2E"))
}
