package sandbox

import (
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

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
	r.add(object, 181, "failed", s.Failed)
	return object
}

func (r *request) scheduledObjects() []fields {
	list := []fields{}
	for _, s := range r.org.ScheduledMessagesOf(r.me) {
		list = append(list, r.scheduledObject(s))
	}
	return list
}

// recipients is whom a scheduled message is for: the number of a channel, or
// those of people.
type recipients struct {
	channel *int
	people  []int
}

// parseRecipients reads recipients. What is neither a number nor a list of them is
// reported as the first alternative, the number.
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
	readBySender := withDefault(r.since(236), "read_by_sender", boolean, false)
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

// registerScheduledMessages is the scheduled_messages part of a snapshot.
func registerScheduledMessages(r *request, _ registerOptions) fields {
	return fields{"scheduled_messages": r.scheduledObjects()}
}
