package sandbox

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// draftKeys are the keys of a draft, in the order of the server's checks.
var draftKeys = []string{"type", "to", "topic", "content", "timestamp"}

// parseDraft reads a draft. Unlike other endpoints, it refuses unknown keys (server-behavior §M9).
func parseDraft(value any, path string) (rules.DraftInput, error) {
	var d rules.DraftInput
	object, ok := value.(map[string]any)
	if !ok {
		return d, rules.Refuse("Invalid %s: Input should be a valid dictionary or instance of DraftData", path)
	}
	var err error
	if d.Type, err = member(object, path, "type", parseDraftType); err != nil {
		return d, err
	}
	if d.To, err = member(object, path, "to", listOf(parseInteger)); err != nil {
		return d, err
	}
	if d.Topic, err = member(object, path, "topic", parseString); err != nil {
		return d, err
	}
	if d.Content, err = member(object, path, "content", parseFilledText); err != nil {
		return d, err
	}
	if d.Timestamp, err = optionalMember(object, path, "timestamp", true, parseNumber); err != nil {
		return d, err
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(draftKeys, key) {
			return d, rules.Refuse("Argument %q at %s[%q] is unexpected", key, path, key)
		}
	}
	return d, nil
}

func parseDraftType(value any, path string) (string, error) {
	kind, ok := value.(string)
	if !ok || !slices.Contains([]string{rules.DraftUnaddressed, rules.ToChannel, rules.ToPeople}, kind) {
		return "", rules.Refuse("Invalid %s", path)
	}
	return kind, nil
}

// parseFilledText is a non-blank text, trimmed.
func parseFilledText(value any, path string) (string, error) {
	s, err := parseString(value, path)
	if err != nil {
		return "", err
	}
	return notBlank(rules.Strip(s), path)
}

// parseNumber is an integer or a fraction. The error names the first alternative, the integer.
func parseNumber(value any, path string) (float64, error) {
	if number, ok := value.(json.Number); ok {
		if f, err := number.Float64(); err == nil {
			return f, nil
		}
	}
	_, err := parseInteger(value, path+`["int"]`)
	return 0, err
}

func draftObject(d rules.Draft) fields {
	kind, to := d.Address()
	return fields{
		"id": d.ID, "type": kind, "to": to, "topic": d.Topic, "content": d.Content, "timestamp": int64(d.EditedAt),
	}
}

func (r *request) draftObjects() []fields {
	list := []fields{}
	for _, d := range r.org.DraftsOf(r.me) {
		list = append(list, draftObject(d))
	}
	return list
}

func listDrafts(r *request) (fields, error) {
	drafts := r.draftObjects()
	return fields{"count": len(drafts), "drafts": drafts}, nil
}

func createDrafts(r *request) (fields, error) {
	drafts := required(r, "drafts", jsonOf(listOf(parseDraft)))
	if err := r.checked(); err != nil {
		return nil, err
	}
	ids, err := r.org.CreateDrafts(r.me, drafts)
	if err != nil {
		return nil, err
	}
	return fields{"ids": ids}, nil
}

func editDraft(r *request) (fields, error) {
	draft := required(r, "draft", jsonOf(parseDraft))
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.EditDraft(r.me, r.id("draft_id"), draft)
}

func deleteDraft(r *request) (fields, error) {
	return nil, r.org.DeleteDraft(r.me, r.id("draft_id"))
}

func registerDrafts(r *request, _ registerOptions) fields {
	return fields{"drafts": r.draftObjects()}
}

// scheduledObject is a scheduled message as the API shows it
// (https://zulip.com/api/get-scheduled-messages).
func (r *request) scheduledObject(s rules.ScheduledMessage) fields {
	object := fields{
		"scheduled_message_id": s.ID, "type": rules.ToPeople, "to": s.Recipients(),
		"content": s.Content, "rendered_content": r.org.Render(s.Content),
		"scheduled_delivery_timestamp": s.DeliverAt,
	}
	if s.ChannelID != 0 {
		object["type"], object["to"], object["topic"] = rules.ToChannel, s.ChannelID, s.Topic
	}
	object["failed"] = s.Failed
	return object
}

func (r *request) scheduledObjects() []fields {
	list := []fields{}
	for _, s := range r.org.ScheduledMessagesOf(r.me) {
		list = append(list, r.scheduledObject(s))
	}
	return list
}

// recipients are the number of a channel, or the ids of people.
type recipients struct {
	channel *int
	people  []int
}

// parseRecipients reads recipients. The error names the first alternative, the number.
func parseRecipients(value any, path string) (recipients, error) {
	if people, err := listOf(parseInteger)(value, path); err == nil {
		return recipients{people: people}, nil
	}
	id, err := parseInteger(value, path+`["int"]`)
	return recipients{channel: &id}, err
}

func scheduledType(raw, name string) (string, error) {
	kind, err := listed(text(), "direct", "private", "stream", "channel")(raw, name)
	if toChannel(kind) {
		return rules.ToChannel, err
	}
	return rules.ToPeople, err
}

func listScheduledMessages(r *request) (fields, error) {
	return fields{"scheduled_messages": r.scheduledObjects()}, nil
}

func createScheduledMessage(r *request) (fields, error) {
	r.inOrder("read_by_sender", "to", "type")
	kind := required(r, "type", scheduledType)
	to := required(r, "to", jsonOf(parseRecipients))
	topic := topicParam(r)
	content := required(r, "content", text())
	deliverAt := required(r, "scheduled_delivery_timestamp", integer)
	readBySender := withDefault(r, "read_by_sender", boolean, false)
	if err := r.checked(); err != nil {
		return nil, err
	}
	id, err := r.org.ScheduleMessage(r.me, rules.NewSchedule{
		Type: kind, Channel: to.channel, People: to.people, Topic: topic, Content: content,
		DeliverAt: int64(deliverAt), ReadBySender: readBySender, Client: r.client,
	})
	if err != nil {
		return nil, err
	}
	return fields{"scheduled_message_id": id}, nil
}

func editScheduledMessage(r *request) (fields, error) {
	r.inOrder("content", "type")
	change := rules.ScheduleChange{Type: optional(r, "type", scheduledType), Client: r.client}
	if to := optional(r, "to", jsonOf(parseRecipients)); to != nil {
		change.ToGiven, change.Channel, change.People = true, to.channel, to.people
	}
	change.Topic = topicParam(r)
	change.Content = optional(r, "content", text())
	if at := optional(r, "scheduled_delivery_timestamp", integer); at != nil {
		seconds := int64(*at)
		change.DeliverAt = &seconds
	}
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.EditScheduledMessage(r.me, r.id("scheduled_message_id"), change)
}

func deleteScheduledMessage(r *request) (fields, error) {
	return nil, r.org.DeleteScheduledMessage(r.me, r.id("scheduled_message_id"))
}

func registerScheduledMessages(r *request, _ registerOptions) fields {
	return fields{"scheduled_messages": r.scheduledObjects()}
}
