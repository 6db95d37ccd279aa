package sandbox

import "github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"

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
