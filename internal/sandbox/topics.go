package sandbox

import "github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"

// topicParam declares a topic, under its name or the older one, without blanks
// around it.
func topicParam(r *request) *string {
	topic, subject := optional(r, "topic", text(stripped)), optional(r, "subject", text(stripped))
	if topic != nil && subject != nil {
		r.fail("topic", &rules.Error{
			Code:  "REQUEST_CONFUSING_VAR",
			Msg:   "Can't decide between 'topic' and 'subject' arguments",
			Extra: fields{"var_name1": "topic", "var_name2": "subject"},
		})
	}
	if topic == nil {
		return subject
	}
	return topic
}

// emptyTopics declares whether the caller can take a topic without a name; who
// cannot is shown one (FL334).
func emptyTopics(r *request) bool {
	return withDefault(r.since(levelEmptyTopics), "allow_empty_topic_name", boolean, false)
}

// shownTopic is the name under which a topic is shown.
func shownTopic(name string, emptyAllowed bool) string {
	if name == "" && !emptyAllowed {
		return rules.EmptyTopicShownName
	}
	return name
}

func getTopics(r *request) (fields, error) {
	emptyAllowed := emptyTopics(r)
	if err := r.checked(); err != nil {
		return nil, err
	}
	topics, err := r.org.Topics(r.me, r.id("stream_id"))
	if err != nil {
		return nil, err
	}
	list := make([]fields, 0, len(topics))
	for _, topic := range topics {
		list = append(list, fields{"name": shownTopic(topic.Name, emptyAllowed), "max_id": topic.MaxID})
	}
	return fields{"topics": list}, nil
}

// registerUserTopics is the part of a snapshot with the topics that are more or
// less visible to the caller than their channels.
func registerUserTopics(r *request, _ registerOptions) fields {
	list := []fields{}
	for _, v := range r.org.TopicVisibilities.All() {
		if v.UserID == r.me.ID {
			list = append(list, fields{"stream_id": v.ChannelID, "topic_name": v.Topic, "visibility_policy": v.Policy, "last_updated": v.Updated})
		}
	}
	return fields{"user_topics": list}
}
