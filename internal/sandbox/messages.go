package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// messageView are the options for showing messages to a caller.
type messageView struct {
	markdown       bool // rendered; otherwise as written
	emptyTopics    bool // a topic without a name is shown as such
	clientGravatar bool
}

// messageObject is a message as the API shows it (https://zulip.com/api/get-message).
func (r *request) messageObject(m rules.Message, v messageView) fields {
	sender := r.org.Sender(m.SenderID)
	object := fields{
		"id": m.ID, "timestamp": m.Sent.Unix(), "client": m.Client,
		"sender_id": sender.ID, "sender_full_name": sender.FullName, "sender_email": sender.APIEmail(),
		"sender_realm_str": r.realmOf(sender), "avatar_url": avatarURL(sender, v.clientGravatar),
		"content": m.Content, "content_type": "text/x-markdown",
		"subject": "", "topic_links": []string{}, "submessages": []string{},
		"is_me_message": strings.HasPrefix(m.Content, "/me "),
		"reactions":     r.reactionObjects(m.Reactions), "flags": m.FlagsFor(r.me.ID).Names(),
	}
	if v.markdown {
		object["content"], object["content_type"] = r.org.Render(m.Content), "text/html"
	}
	if m.Direct() {
		object["type"], object["display_recipient"] = rules.ToPeople, r.recipientObjects(m.People)
		object["recipient_id"] = r.org.ConversationID(m)
	} else {
		ch, _ := r.org.Channels.Get(m.ChannelID)
		object["type"], object["display_recipient"] = rules.ToChannel, ch.Name
		object["stream_id"], object["recipient_id"] = ch.ID, r.org.ConversationID(m)
		object["subject"] = shownTopic(m.Topic, v.emptyTopics)
	}
	if m.EditedAt != 0 {
		object["last_edit_timestamp"] = m.EditedAt
	}
	if m.MovedAt != 0 {
		object["last_moved_timestamp"] = m.MovedAt
	}
	if edits := r.org.VisibleEdits(m); len(edits) > 0 {
		object["edit_history"] = r.editObjects(edits)
	}
	return object
}

// realmOf is the part of the organization's address that is its own; system bots are in an organization of their own.
func (r *request) realmOf(u rules.User) string {
	if !r.org.Users.Has(u.ID) {
		return "zulipinternal"
	}
	return ""
}

// recipientObjects are the people of a direct message. Two people are in the order of their addresses, more in that of
// their ids.
func (r *request) recipientObjects(people []int) []fields {
	list := make([]fields, 0, len(people))
	for _, id := range people {
		list = append(list, r.recipientObject(id))
	}
	if len(people) == 2 && r.org.Sender(people[0]).APIEmail() > r.org.Sender(people[1]).APIEmail() {
		slices.Reverse(list)
	}
	return list
}

func (r *request) recipientObject(id int) fields {
	u := r.org.Sender(id)
	return fields{"id": u.ID, "email": u.APIEmail(), "full_name": u.FullName, "is_mirror_dummy": false}
}

// messageTypes are the words for the kinds of messages.
var messageTypes = []string{"private", "stream", "direct", "channel"}

func toChannel(kind string) bool { return kind == "stream" || kind == "channel" }

func sendMessage(r *request) (fields, error) {
	r.inOrder("local_id", "content")
	r.inOrder("sender", "to", "type")
	kind := required(r, "type", oneOf(messageTypes...))
	to := optional(r, "to", text())
	sender := optional(r, "sender", text())
	topic := topicParam(r)
	content := required(r, "content", text())
	forged := withDefault(r, "forged", text(), "")
	optional(r, "local_id", text())
	optional(r, "queue_id", text())
	optional(r, "time", jsonOf(parseFloat))
	widget := optional(r, "widget_content", text())
	readBySender := withDefault(r, "read_by_sender", boolean, false)
	if err := r.checked(); err != nil {
		return nil, err
	}
	addressee, err := addresseeOf(kind, to, topic)
	if err != nil {
		return nil, err
	}
	if forged == "yes" || forged == "true" {
		return nil, rules.Refuse("User not authorized for this query")
	}
	if sender != nil {
		return nil, rules.Refuse("Invalid mirrored message")
	}
	id, visibility, err := r.org.SendMessage(r.me, addressee, content, readBySender, r.client)
	if err != nil {
		return nil, err
	}
	if err := checkWidget(widget); err != nil {
		return nil, err
	}
	answer := fields{"id": id}
	if visibility != rules.TopicInherits {
		answer["automatic_new_visibility_policy"] = visibility
	}
	if m, ok := r.org.Messages.Get(id); ok {
		place, url := r.messageLocation(m)
		r.add(answer, featurelevel.MessageURL, "message_url", url)
		r.add(answer, featurelevel.MessageURL, "message_link", fmt.Sprintf("[%s @ 💬](%s)", place, url))
	}
	return answer, nil
}

// messageLocation is the place of a message, in words and as a URL. A caller without access to the channel gets no name.
func (r *request) messageLocation(m rules.Message) (place, url string) {
	var narrow string
	if m.Direct() {
		var ids []string
		for _, id := range m.People {
			ids = append(ids, userKey(id))
		}
		place, narrow = "direct messages", "dm/"+strings.Join(ids, ",")+"-group"
	} else {
		ch, _ := r.org.Channels.Get(m.ChannelID)
		name, slug := userKey(ch.ID), userKey(ch.ID)
		if r.org.HasMetadataAccess(r.me, ch) {
			name, slug = ch.Name, slug+"-"+strings.ReplaceAll(ch.Name, " ", "-")
		}
		topic := shownTopic(m.Topic, false)
		place, narrow = fmt.Sprintf("#%s > %s", name, topic), "channel/"+rules.EncodeFragment(slug)+"/topic/"+rules.EncodeFragment(m.Topic)
	}
	return place, fmt.Sprintf("%s/#narrow/%s/near/%d", r.site, narrow, m.ID)
}

// addresseeOf reads the recipient of a message. A text that looks like JSON is JSON, so that a bare number is an id
// (server-behavior §M3).
func addresseeOf(kind string, to, topic *string) (rules.Addressee, error) {
	a := rules.Addressee{ToChannel: toChannel(kind), Topic: topic}
	if to == nil {
		return a, nil
	}
	value, err := decodeJSON(*to)
	if err != nil {
		value = *to
	}
	if !a.ToChannel {
		a.People, err = recipientsOf(value)
		return a, err
	}
	if list, ok := value.([]any); ok {
		if len(list) != 1 {
			return a, rules.Refuse("Expected exactly one channel")
		}
		value = list[0]
	}
	if name, ok := value.(string); ok {
		a.ChannelName = &name
		return a, nil
	}
	id, err := parseInteger(value, "to")
	if isTrue, isBool := value.(bool); isBool { // the server converts it to 1 or 0
		err = nil
		if isTrue {
			id = 1
		}
	}
	if err != nil {
		return a, rules.Refuse("Invalid data type for channel")
	}
	a.ChannelID = &id
	return a, nil
}

// recipientsOf reads people: ids or addresses, never mixed; addresses may come
// as one text with commas.
func recipientsOf(value any) ([]rules.Principal, error) {
	if s, ok := value.(string); ok {
		emails := []any{}
		for email := range strings.SplitSeq(s, ",") {
			emails = append(emails, email)
		}
		value = emails
	}
	list, ok := value.([]any)
	if !ok {
		return nil, rules.Refuse("Invalid data type for recipients")
	}
	mixed := rules.Refuse("Recipient lists may contain emails or user IDs, but not both.")
	var people []rules.Principal
	var byEmail bool
	for i, item := range list {
		email, isText := item.(string)
		id, err := parseInteger(item, "to")
		switch {
		case i == 0 && !isText && err != nil:
			return nil, rules.Refuse("Invalid data type for recipients")
		case i == 0:
			byEmail = isText
		case isText != byEmail || !isText && err != nil:
			return nil, mixed
		}
		if isText {
			if email = strings.TrimSpace(email); email != "" {
				people = append(people, rules.Principal{Email: email})
			}
			continue
		}
		people = append(people, rules.Principal{ID: id})
	}
	return people, nil
}

func getMessage(r *request) (fields, error) {
	view := messageView{
		emptyTopics:    emptyTopics(r),
		markdown:       withDefault(r, "apply_markdown", boolean, true),
		clientGravatar: true,
	}
	if err := r.checked(); err != nil {
		return nil, err
	}
	m, err := r.org.ReadMessage(r.me, r.id("message_id"))
	if err != nil {
		return nil, err
	}
	answer := fields{"raw_content": m.Content}
	answer["message"] = r.messageObject(m, view)
	return answer, nil
}

func updateMessage(r *request) (fields, error) {
	change := rules.MessageChange{
		Content:     optional(r, "content", text()),
		ContentHash: optional(r.since(379), "prev_content_sha256", text()),
		Propagate:   withDefault(r, "propagate_mode", oneOf(rules.MoveLater, rules.MoveOne, rules.MoveAll), rules.MoveOne),
		NotifyNew:   withDefault(r, "send_notification_to_new_thread", boolean, true),
		NotifyOld:   withDefault(r, "send_notification_to_old_thread", boolean, false),
		ChannelID:   optional(r, "stream_id", notNegative),
		Topic:       topicParam(r),
	}
	if err := r.checked(); err != nil {
		return nil, err
	}
	if err := r.org.UpdateMessage(r.me, r.id("message_id"), change); err != nil {
		return nil, err
	}
	answer := fields{}
	answer["detached_uploads"] = []fields{}
	return answer, nil
}

func deleteMessage(r *request) (fields, error) {
	return nil, r.org.DeleteMessage(r.me, r.id("message_id"))
}

// registerMessages is the part of a snapshot with the largest message IDs.
func registerMessages(r *request, _ registerOptions) fields {
	return fields{"max_message_id": r.org.MaxMessageID(r.me.ID)}
}

func sendTyping(r *request) (fields, error) {
	r.inOrder("to", "op", "type", "stream_id")
	kind := withDefault(r, "type", oneOf("direct", "stream", "channel"), "direct")
	required(r, "op", oneOf("start", "stop"))
	people := optional(r, "to", jsonOf(orNull(listOf(parseInteger))))
	channel := optional(r, "stream_id", jsonOf(orNull(parseInteger)))
	topic := optional(r, "topic", text())
	if err := r.checked(); err != nil {
		return nil, err
	}
	switch {
	case toChannel(kind) && (channel == nil || *channel == nil):
		return nil, rules.Refuse("Missing 'stream_id' argument")
	case toChannel(kind) && topic == nil:
		return nil, rules.Refuse("Missing topic")
	case toChannel(kind):
		return nil, r.org.CheckTypingInChannel(r.me, **channel)
	case people == nil || *people == nil:
		return nil, rules.Refuse("Missing 'to' argument")
	}
	return nil, r.org.CheckTypingDirect(**people)
}

func sendTypingEdit(r *request) (fields, error) {
	required(r, "op", oneOf("start", "stop"))
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.CheckTypingEdit(r.me, r.id("message_id"))
}

func (r *request) reactionObjects(reactions []rules.Reaction) []fields {
	list := make([]fields, 0, len(reactions))
	for _, reaction := range reactions {
		object := fields{
			"emoji_name": reaction.Name, "emoji_code": reaction.Code, "reaction_type": reaction.Type,
			"user_id": reaction.UserID,
		}
		list = append(list, object)
	}
	return list
}

func addReaction(r *request) (fields, error) {
	name := required(r, "emoji_name", text())
	code, kind := optional(r, "emoji_code", text()), optional(r, "reaction_type", text())
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.AddReaction(r.me, r.id("message_id"), name, code, kind)
}

func removeReaction(r *request) (fields, error) {
	name, code := optional(r, "emoji_name", text()), optional(r, "emoji_code", text())
	kind := withDefault(r, "reaction_type", text(), rules.StandardEmoji)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.RemoveReaction(r.me, r.id("message_id"), name, code, kind)
}

func reportMessage(r *request) (fields, error) {
	var reasons []string
	for _, reason := range rules.ReportReasons {
		reasons = append(reasons, reason.Type)
	}
	description := withDefault(r, "description", text(atMost(1000)), "")
	reason := required(r, "report_type", listed(text(), reasons...))
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.ReportMessage(r.me, r.id("message_id"), reason, description)
}
