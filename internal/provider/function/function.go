// Package function implements the provider's functions, such as provider::zulip::channel_link. Each is a type with the
// methods of [function.Function]; [All] lists them for the provider. They are computed locally, without a server or a
// configured provider.
package function

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// All lists every function.
func All() []func() function.Function {
	return []func() function.Function{NewChannelLink, NewTopicLink, NewMessageLink, NewLinkify, NewRoleCode}
}

// argumentError returns an error about an argument; the first has the number 0.
func argumentError(argument int64, problem string) *function.FuncError {
	return function.NewArgumentFuncError(argument, problem)
}

// setResult sets the result of the function, or reports why it cannot.
func setResult(ctx context.Context, resp *function.RunResponse, value any) {
	resp.Error = function.ConcatFuncErrors(resp.Error, resp.Result.Set(ctx, value))
}

// Linkify is the function linkify. It returns one text instead of a list of links because texts are easier to compare in
// tests: with ==, without conversion, and one failure shows both the links and the rest.
type Linkify struct{}

// NewLinkify returns the function linkify.
func NewLinkify() function.Function { return Linkify{} }

type linkifierModel struct {
	Pattern     types.String `tfsdk:"pattern"`
	URLTemplate types.String `tfsdk:"url_template"`
}

// Metadata returns the function's name, linkify.
func (Linkify) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "linkify"
}

// Definition returns the function's parameters and documentation.
func (Linkify) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Apply linkifiers to a text",
		MarkdownDescription: "Returns a text in Markdown with the links that linkifiers produce: `see [#12](https://example.com/12)`. " +
			"Use it to try linkifiers without a server, for example in `terraform test`. They are validated by the server's rules. " +
			"As on the server, a match must follow the start of the text, white space or an opening sign. " +
			"No letter or digit can follow a match. Other Markdown in the text stays unchanged.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "text", MarkdownDescription: "Text of a message."},
		},
		VariadicParameter: function.ObjectParameter{
			Name:                "linkifiers",
			AttributeTypes:      map[string]attr.Type{"pattern": types.StringType, "url_template": types.StringType},
			MarkdownDescription: "Linkifiers in the order in which they apply: objects with `pattern` (RE2) and `url_template` (RFC 6570), such as `zulip_linkifier` resources.",
		},
		Return: function.StringReturn{},
	}
}

// Run applies the linkifiers to the text.
func (Linkify) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	var linkifiers []linkifierModel
	if resp.Error = req.Arguments.Get(ctx, &text, &linkifiers); resp.Error != nil {
		return
	}
	var rules []*zulip.LinkifierRule
	for i, linkifier := range linkifiers {
		if linkifier.Pattern.IsUnknown() || linkifier.URLTemplate.IsUnknown() {
			setResult(ctx, resp, types.StringUnknown())
			return
		}
		rule, err := zulip.ParseLinkifier(linkifier.Pattern.ValueString(), linkifier.URLTemplate.ValueString())
		if err != nil {
			resp.Error = argumentError(int64(1+i), "The server would refuse this linkifier: "+err.Error()+".")
			return
		}
		rules = append(rules, rule)
	}
	spans, err := zulip.Linkify(text, rules...)
	if err != nil {
		resp.Error = function.NewFuncError(err.Error())
		return
	}
	var markdown strings.Builder
	for _, span := range spans {
		if span.URL == "" {
			markdown.WriteString(span.Text)
		} else {
			fmt.Fprintf(&markdown, "[%s](%s)", span.Text, span.URL)
		}
	}
	setResult(ctx, resp, markdown.String())
}

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

// RoleCode is the function role_code.
type RoleCode struct{}

// NewRoleCode returns the function role_code.
func NewRoleCode() function.Function { return RoleCode{} }

// Metadata returns the function's name, role_code.
func (RoleCode) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "role_code"
}

// Definition returns the function's parameters and documentation.
func (RoleCode) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Number of a role in Zulip's API",
		MarkdownDescription: "Returns the number of a role in Zulip's API, for other tools that need it. This provider uses the names of roles.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "role", MarkdownDescription: "`owner` (100), `administrator` (200), `moderator` (300), `member` (400) or `guest` (600)."},
		},
		Return: function.Int64Return{},
	}
}

// Run looks the role up.
func (RoleCode) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var roleName string
	if resp.Error = req.Arguments.Get(ctx, &roleName); resp.Error != nil {
		return
	}
	role, ok := zulip.ParseRole(roleName)
	if !ok {
		resp.Error = argumentError(0, fmt.Sprintf("%q is not a role: write owner, administrator, moderator, member or guest.", roleName))
		return
	}
	setResult(ctx, resp, int64(role))
}
