package sandbox

import "github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"

func (r *request) reactionObjects(reactions []rules.Reaction) []fields {
	list := make([]fields, 0, len(reactions))
	for _, reaction := range reactions {
		object := fields{
			"emoji_name": reaction.Name, "emoji_code": reaction.Code, "reaction_type": reaction.Type,
			"user_id": reaction.UserID,
		}
		if r.level < levelReactionsByID {
			object["user"] = r.recipientObject(reaction.UserID)
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
