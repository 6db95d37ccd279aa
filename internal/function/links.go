package function

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// ChannelLink is the function channel_link.
type ChannelLink struct{}

// NewChannelLink returns the function channel_link.
func NewChannelLink() function.Function { return ChannelLink{} }

// Metadata names the function.
func (ChannelLink) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "channel_link"
}

// Definition describes the function.
func (ChannelLink) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "The address of a channel in the web app",
		MarkdownDescription: "Writes the address of a channel as the web app does, for a channel that this configuration does not manage. " +
			"A `zulip_channel` has its address in `url`.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "site", MarkdownDescription: "The organization's address, as in `https://chat.example.com`."},
			function.Int64Parameter{Name: "channel_id", MarkdownDescription: "The channel's ID."},
			function.StringParameter{Name: "name", MarkdownDescription: "The channel's name. It is there for readers: the ID alone decides where the link leads."},
		},
		Return: function.StringReturn{},
	}
}

// Run writes the address.
func (ChannelLink) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var site, name string
	var id int64
	if resp.Error = req.Arguments.Get(ctx, &site, &id, &name); resp.Error != nil {
		return
	}
	if id < 1 {
		resp.Error = refuse(1, fmt.Sprintf("%d is not the ID of a channel.", id))
		return
	}
	link := zulip.ChannelURL(site, id, name)
	if !zulip.IsChannelURL(link) {
		resp.Error = refuse(0, fmt.Sprintf("%q is not the address of an organization: write it like https://chat.example.com.", site))
		return
	}
	answer(ctx, resp, link)
}

// TopicLink is the function topic_link.
type TopicLink struct{}

// NewTopicLink returns the function topic_link.
func NewTopicLink() function.Function { return TopicLink{} }

// Metadata names the function.
func (TopicLink) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "topic_link"
}

// Definition describes the function.
func (TopicLink) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "The address of a topic in the web app",
		MarkdownDescription: "Writes the address of a topic as the web app does, whatever characters are in it.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "channel_link", MarkdownDescription: "The address of the channel: `url` of a `zulip_channel`, or what `channel_link` returns."},
			function.StringParameter{Name: "topic", MarkdownDescription: "The topic. `\"\"` is the one without a name, which the web app shows as “general chat”."},
		},
		Return: function.StringReturn{},
	}
}

// Run writes the address.
func (TopicLink) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var channel, topic string
	if resp.Error = req.Arguments.Get(ctx, &channel, &topic); resp.Error != nil {
		return
	}
	if !zulip.IsChannelURL(channel) {
		resp.Error = refuse(0, fmt.Sprintf("%q is not the address of a channel: take url of a zulip_channel, or what channel_link returns.", channel))
		return
	}
	answer(ctx, resp, zulip.TopicURL(channel, topic))
}

// MessageLink is the function message_link.
type MessageLink struct{}

// NewMessageLink returns the function message_link.
func NewMessageLink() function.Function { return MessageLink{} }

// Metadata names the function.
func (MessageLink) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "message_link"
}

// Definition describes the function.
func (MessageLink) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "The address of a message in the web app",
		MarkdownDescription: "Writes the address of a message of a channel, which shows it among its neighbours. It leads there even after the message was moved to another topic.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "topic_link", MarkdownDescription: "The address of the topic, as `topic_link` returns it."},
			function.Int64Parameter{Name: "message_id", MarkdownDescription: "The message's ID."},
		},
		Return: function.StringReturn{},
	}
}

// Run writes the address.
func (MessageLink) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var topic string
	var id int64
	if resp.Error = req.Arguments.Get(ctx, &topic, &id); resp.Error != nil {
		return
	}
	switch {
	case !zulip.IsTopicURL(topic):
		resp.Error = refuse(0, fmt.Sprintf("%q is not the address of a topic: take what topic_link returns.", topic))
	case id < 1:
		resp.Error = refuse(1, fmt.Sprintf("%d is not the ID of a message.", id))
	default:
		answer(ctx, resp, zulip.MessageURL(topic, id))
	}
}
