package sandbox

import "github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"

// editObjects lists what each edit changed, the newest first.
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

// getMessageHistory tells, oldest first, how a message was after each edit
// (https://zulip.com/api/get-message-history). Only what an edit changed is noted, so it
// goes backwards from how the message is now.
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
