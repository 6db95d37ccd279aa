package sandbox

import (
	"html"
	"strconv"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// maxMessages is the maximum number of messages that one request can read or change.
const maxMessages = 5000

// parseNarrowTerm is a condition: an object, or a pair of texts.
func parseNarrowTerm(value any, path string) (rules.NarrowTerm, error) {
	var term rules.NarrowTerm
	var err error
	switch v := value.(type) {
	case []any:
		if len(v) == 2 {
			var operand string
			if term.Operator, err = parseString(v[0], path); err == nil {
				operand, err = parseString(v[1], path)
			}
			if term.Operand = operand; err == nil {
				return term, nil
			}
		}
		return term, rules.Refuse("Invalid %s: Value error, element is not a string pair", path)
	case map[string]any:
		for _, key := range []string{"operand", "operator"} {
			if v[key] == nil {
				return term, rules.Refuse("Invalid %s: Value error, %s is missing", path, key)
			}
		}
		if term.Operator, err = member(v, path, "operator", parseString); err != nil {
			return term, err
		}
		if term.Operand, err = member(v, path, "operand", parseOperand); err != nil {
			return term, err
		}
		negated, err := optionalMember(v, path, "negated", false, parseBoolean)
		term.Negated = negated != nil && *negated
		return term, err
	}
	return term, rules.Refuse("Invalid %s: Value error, dict or list required", path)
}

// parseOperand is a text, a number or a list of numbers.
func parseOperand(value any, path string) (any, error) {
	if list, ok := value.([]any); ok {
		return listOf(parseInteger)(list, path)
	}
	if n, err := parseInteger(value, path); err == nil {
		return n, nil
	}
	return parseString(value, path)
}

// anchorOf reads an anchor: a message's id, or a word.
func anchorOf(raw string, q *rules.MessageQuery) error {
	switch raw {
	case "oldest":
		q.Anchor = rules.AnchorOldest
	case "newest":
		q.Anchor = rules.AnchorNewest
	case "first_unread":
		q.FirstUnread = true
	default:
		id, err := strconv.Atoi(raw)
		if err != nil {
			return rules.Refuse("Invalid anchor")
		}
		q.Anchor = min(max(id, rules.AnchorOldest), rules.AnchorNewest)
	}
	return nil
}

var errExcludedInside = rules.Refuse("The anchor can only be excluded at an end of the range")

func listMessages(r *request) (fields, error) {
	r.inOrder("client_gravatar", "message_ids")
	var q rules.MessageQuery
	anchor := optional(r, "anchor", text())
	q.ExcludeAnchor = !withDefault(r, "include_anchor", boolean, true)
	q.Before, q.After = withDefault(r, "num_before", notNegative, 0), withDefault(r, "num_after", notNegative, 0)
	narrow := optional(r, "narrow", jsonOf(orNull(listOf(parseNarrowTerm))))
	firstUnread := withDefault(r, "use_first_unread_anchor", boolean, false)
	view := messageView{
		clientGravatar: withDefault(r, "client_gravatar", boolean, true),
		markdown:       withDefault(r, "apply_markdown", boolean, true),
		emptyTopics:    emptyTopics(r),
	}
	ids := optional(r, "message_ids", jsonOf(orNull(listOf(parseInteger))))
	if err := r.checked(); err != nil {
		return nil, err
	}
	if narrow != nil && *narrow != nil {
		q.Narrow = **narrow
	}
	byID := ids != nil && *ids != nil
	switch {
	case byID && (q.Before > 0 || q.After > 0 || anchor != nil || firstUnread):
		const names = "num_before, num_after, anchor, message_ids, include_anchor, use_first_unread_anchor"
		return nil, &rules.Error{Msg: "Unsupported parameter combination: " + names, Extra: fields{"parameters": names}}
	case byID:
		q.IDs = append([]int{}, **ids...)
	case anchor != nil:
		if err := anchorOf(*anchor, &q); err != nil {
			return nil, err
		}
	case firstUnread:
		q.FirstUnread = true
	default:
		return nil, rules.Refuse("Missing 'anchor' argument.")
	}
	if q.Before+q.After > maxMessages || len(q.IDs) > maxMessages {
		return nil, rules.Refuse("Too many messages requested (maximum %d).", maxMessages)
	}
	if q.Before > 0 && q.After > 0 && q.ExcludeAnchor {
		return nil, errExcludedInside
	}
	found, err := r.org.FindMessages(r.me, q)
	if err != nil {
		return nil, err
	}
	messages := make([]fields, 0, len(found.IDs))
	for _, id := range found.IDs {
		m, _ := r.org.Messages.Get(id)
		object := r.messageObject(m, view)
		if words, ok := rules.Searched(q.Narrow); ok {
			object["match_content"] = rules.Highlight(r.org.Render(m.Content), words)
			object["match_subject"] = rules.Highlight(html.EscapeString(m.Topic), words)
		}
		messages = append(messages, object)
	}
	answer := fields{
		"messages": messages, "history_limited": false,
		"found_anchor": found.FoundAnchor, "found_oldest": found.FoundOldest, "found_newest": found.FoundNewest,
	}
	if !byID {
		answer["anchor"] = found.Anchor
	}
	return answer, nil
}

func updateFlags(r *request) (fields, error) {
	flag := required(r, "flag", text())
	messages := required(r, "messages", integers)
	op := required(r, "op", text())
	if err := r.checked(); err != nil {
		return nil, err
	}
	_, ignored, err := r.org.UpdateFlags(r.me, op, flag, messages)
	if err != nil {
		return nil, err
	}
	answer := fields{"messages": messages}
	answer["ignored_because_not_subscribed_channels"] = ignored
	return answer, nil
}

func updateFlagsForNarrow(r *request) (fields, error) {
	var q rules.MessageQuery
	anchor := required(r, "anchor", text())
	flag := required(r, "flag", text())
	q.ExcludeAnchor = !withDefault(r, "include_anchor", boolean, true)
	narrow := required(r, "narrow", jsonOf(orNull(listOf(parseNarrowTerm))))
	q.After, q.Before = required(r, "num_after", notNegative), required(r, "num_before", notNegative)
	op := required(r, "op", text())
	if err := r.checked(); err != nil {
		return nil, err
	}
	if err := anchorOf(anchor, &q); err != nil {
		return nil, err
	}
	if q.Before > 0 && q.After > 0 && q.ExcludeAnchor {
		return nil, errExcludedInside
	}
	q.Before = min(q.Before, max(maxMessages-q.After, maxMessages/2))
	q.After = min(q.After, maxMessages-q.Before)
	if narrow != nil {
		q.Narrow = *narrow
	}
	found, err := r.org.FindMessages(r.me, q)
	if err != nil {
		return nil, err
	}
	updated, ignored, err := r.org.UpdateFlags(r.me, op, flag, found.IDs)
	if err != nil {
		return nil, err
	}
	answer := fields{
		"processed_count": len(found.IDs), "updated_count": updated,
		"first_processed_id": nil, "last_processed_id": nil,
		"found_oldest": found.FoundOldest, "found_newest": found.FoundNewest,
	}
	if n := len(found.IDs); n > 0 {
		answer["first_processed_id"], answer["last_processed_id"] = found.IDs[0], found.IDs[n-1]
	}
	answer["ignored_because_not_subscribed_channels"] = ignored
	return answer, nil
}

func markTopicRead(r *request) (fields, error) {
	r.inOrder("topic_name", "stream_id")
	topic := required(r, "topic_name", text())
	channel := required(r, "stream_id", integer)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.MarkTopicRead(r.me, channel, topic)
}

func markChannelRead(r *request) (fields, error) {
	channel := required(r, "stream_id", integer)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.MarkChannelRead(r.me, channel)
}

// registerStarred is the part of a snapshot with the caller's starred messages.
func registerStarred(r *request, _ registerOptions) fields {
	return fields{"starred_messages": r.org.StarredMessages(r.me.ID)}
}

// editObjects lists the changes of each edit, the newest first.
func (r *request) editObjects(edits []rules.MessageEdit) []fields {
	list := make([]fields, 0, len(edits))
	for _, edit := range edits {
		object := fields{"user_id": edit.UserID, "timestamp": edit.Time}
		if edit.PrevContent != nil {
			object["prev_content"], object["prev_rendered_content"] = *edit.PrevContent, r.org.Render(*edit.PrevContent)
		}
		if edit.PrevTopic != nil {
			object["prev_topic"], object["topic"] = *edit.PrevTopic, *edit.Topic
		}
		if edit.PrevChannel != nil {
			object["prev_stream"], object["stream"] = *edit.PrevChannel, *edit.Channel
		}
		list = append(list, object)
	}
	return list
}

// getMessageHistory returns, oldest first, the message after each edit (https://zulip.com/api/get-message-history). An edit
// stores only its changes, so the function starts at the current message and goes backwards.
func getMessageHistory(r *request) (fields, error) {
	emptyAllowed := emptyTopics(r)
	if err := r.checked(); err != nil {
		return nil, err
	}
	m, edits, err := r.org.MessageHistory(r.me, r.id("message_id"))
	if err != nil {
		return nil, err
	}
	shown := func(topic string) string {
		if m.Direct() {
			return ""
		}
		return shownTopic(topic, emptyAllowed)
	}
	content, topic := m.Content, m.Topic
	snapshot := func(user int, at int64) fields {
		return fields{
			"content": content, "rendered_content": r.org.Render(content), "topic": shown(topic),
			"user_id": user, "timestamp": at,
		}
	}
	history := make([]fields, len(edits)+1)
	for i, edit := range edits {
		entry := snapshot(edit.UserID, edit.Time)
		if edit.PrevTopic != nil {
			topic = *edit.PrevTopic
			entry["prev_topic"] = shown(topic)
		}
		if edit.PrevContent != nil {
			after := content
			content = *edit.PrevContent
			entry["prev_content"], entry["prev_rendered_content"] = content, r.org.Render(content)
			entry["content_html_diff"] = htmlDiff(r.org.Render(content), r.org.Render(after))
		}
		if edit.PrevChannel != nil {
			entry["prev_stream"], entry["stream"] = *edit.PrevChannel, *edit.Channel
		}
		history[len(edits)-i] = entry
	}
	history[0] = snapshot(m.SenderID, m.Sent.Unix())
	return fields{"message_history": history}, nil
}

// checkWidget refuses a widget that the server cannot show. It does not store widgets.
func checkWidget(content *string) error {
	if content == nil {
		return nil
	}
	value, err := decodeJSON(*content)
	if err != nil {
		return rules.Refuse("Widgets: API programmer sent invalid JSON content")
	}
	object, ok := value.(map[string]any)
	if !ok {
		return rules.Refuse("Widgets: widget_content is not a dict")
	}
	for _, key := range []string{"widget_type", "extra_data"} {
		if _, ok := object[key]; !ok {
			return rules.Refuse("Widgets: %s is not in widget_content", key)
		}
	}
	data, ok := object["extra_data"].(map[string]any)
	kind, isText := object["widget_type"].(string)
	switch {
	case !ok:
		return rules.Refuse("Widgets: extra_data is not a dict")
	case !isText || kind != "zform":
		return rules.Refuse("Widgets: unknown widget type: %s", kind)
	case data["type"] == nil:
		return rules.Refuse("Widgets: zform is missing type field")
	}
	return nil
}
