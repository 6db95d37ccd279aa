package sandbox

import "github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"

// maxStatusText is the limit of a status, in characters (server-behavior §U11).
const maxStatusText = 60

// statusObject holds the parts of a status that there are.
func (r *request) statusObject(s rules.Status) fields {
	object := fields{}
	if s.Text != "" {
		object["status_text"] = s.Text
	}
	if s.Emoji.Name != "" {
		object["emoji_name"], object["emoji_code"], object["reaction_type"] = s.Emoji.Name, s.Emoji.Code, s.Emoji.Type
	}
	if s.Away {
		object["away"] = true
	}
	return object
}

func getStatus(r *request) (fields, error) {
	status, err := r.org.StatusOf(r.me, r.id("user_id"))
	if err != nil {
		return nil, err
	}
	return fields{"status": r.statusObject(status)}, nil
}

func setStatus(r *request) (fields, error) {
	r.inOrder("status_text", "emoji_name", "emoji_code", "reaction_type")
	change := r.readStatusChange()
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.SetStatusOf(r.me, r.id("user_id"), change)
}

func setOwnStatus(r *request) (fields, error) {
	change := r.readStatusChange()
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.SetStatus(r.me.ID, change)
}

func (r *request) readStatusChange() rules.StatusChange {
	return rules.StatusChange{
		Text:      optional(r, "status_text", text(stripped, atMost(maxStatusText))),
		Away:      optional(r, "away", boolean),
		EmojiName: optional(r, "emoji_name", text()),
		EmojiCode: optional(r, "emoji_code", text()),
		Reaction:  optional(r, "reaction_type", text()),
	}
}

// registerStatuses is the user_status part of a snapshot.
func registerStatuses(r *request, _ registerOptions) fields {
	statuses := fields{}
	for id, status := range r.org.ListStatuses(r.me) {
		statuses[userKey(id)] = r.statusObject(status)
	}
	return fields{"user_status": statuses}
}
