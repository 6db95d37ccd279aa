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

// Metadata returns the function's name, channel_link.
func (ChannelLink) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "channel_link"
}

// Definition returns the function's parameters and documentation.
func (ChannelLink) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "URL of a channel in the web app",
		MarkdownDescription: "Returns the URL of a channel in the web app, for a channel that this configuration does not manage. " +
			"A `zulip_channel` has its URL in the attribute `url`.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "site", MarkdownDescription: "URL of the organization, such as `https://chat.example.com`."},
			function.Int64Parameter{Name: "channel_id", MarkdownDescription: "ID of the channel."},
			function.StringParameter{Name: "name", MarkdownDescription: "Name of the channel. It only makes the URL readable: the web app finds the channel by its ID."},
		},
		Return: function.StringReturn{},
	}
}

// Run returns the URL.
func (ChannelLink) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var site, name string
	var id int64
	if resp.Error = req.Arguments.Get(ctx, &site, &id, &name); resp.Error != nil {
		return
	}
	if id < 1 {
		resp.Error = argumentError(1, fmt.Sprintf("%d is not the ID of a channel.", id))
		return
	}
	link := zulip.ChannelURL(site, id, name)
	if !zulip.IsChannelURL(link) {
		resp.Error = argumentError(0, fmt.Sprintf("%q is not the URL of an organization: write it like https://chat.example.com.", site))
		return
	}
	setResult(ctx, resp, link)
}

// TopicLink is the function topic_link.
type TopicLink struct{}

// NewTopicLink returns the function topic_link.
func NewTopicLink() function.Function { return TopicLink{} }

// Metadata returns the function's name, topic_link.
func (TopicLink) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "topic_link"
}

// Definition returns the function's parameters and documentation.
func (TopicLink) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "URL of a topic in the web app",
		MarkdownDescription: "Returns the URL of a topic in the web app, with all special characters encoded.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "channel_link", MarkdownDescription: "URL of the channel: `url` of a `zulip_channel`, or the result of `channel_link`."},
			function.StringParameter{Name: "topic", MarkdownDescription: "Name of the topic. `\"\"` is the topic without a name, which the web app shows as “general chat”."},
		},
		Return: function.StringReturn{},
	}
}

// Run returns the URL.
func (TopicLink) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var channel, topic string
	if resp.Error = req.Arguments.Get(ctx, &channel, &topic); resp.Error != nil {
		return
	}
	if !zulip.IsChannelURL(channel) {
		resp.Error = argumentError(0, fmt.Sprintf("%q is not the URL of a channel: use url of a zulip_channel, or the result of channel_link.", channel))
		return
	}
	setResult(ctx, resp, zulip.TopicURL(channel, topic))
}

// MessageLink is the function message_link.
type MessageLink struct{}

// NewMessageLink returns the function message_link.
func NewMessageLink() function.Function { return MessageLink{} }

// Metadata returns the function's name, message_link.
func (MessageLink) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "message_link"
}

// Definition returns the function's parameters and documentation.
func (MessageLink) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "URL of a message in the web app",
		MarkdownDescription: "Returns the URL of a message in a channel, which shows it among the messages around it. The URL still works after the message was moved to another topic.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "topic_link", MarkdownDescription: "URL of the topic, as returned by `topic_link`."},
			function.Int64Parameter{Name: "message_id", MarkdownDescription: "ID of the message."},
		},
		Return: function.StringReturn{},
	}
}

// Run returns the URL.
func (MessageLink) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var topic string
	var id int64
	if resp.Error = req.Arguments.Get(ctx, &topic, &id); resp.Error != nil {
		return
	}
	switch {
	case !zulip.IsTopicURL(topic):
		resp.Error = argumentError(0, fmt.Sprintf("%q is not the URL of a topic: use the result of topic_link.", topic))
	case id < 1:
		resp.Error = argumentError(1, fmt.Sprintf("%d is not the ID of a message.", id))
	default:
		setResult(ctx, resp, zulip.MessageURL(topic, id))
	}
}
