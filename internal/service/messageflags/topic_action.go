package messageflags

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ action.ActionWithConfigure      = (*TopicAction)(nil)
	_ action.ActionWithModifyPlan     = (*TopicAction)(nil)
	_ action.ActionWithValidateConfig = (*TopicAction)(nil)
)

// TopicAction is the action zulip_mark_topic_as_read.
type TopicAction struct{ base.Action }

// NewTopicAction returns the action zulip_mark_topic_as_read.
func NewTopicAction() action.Action { return &TopicAction{} }

type topicModel struct {
	Channel      types.String `tfsdk:"channel"`
	Topic        types.String `tfsdk:"topic"`
	WholeChannel types.Bool   `tfsdk:"whole_channel"`
}

// Metadata names the action.
func (a *TopicAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_mark_topic_as_read"
}

// Schema describes the action.
func (a *TopicAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Marks a topic of a channel as read, for the account the provider uses alone. Invoking it again changes nothing more.\n\n" +
			"**For a topic without a name the server marks the whole channel.** So the names that mean it (`\"\"`, `general chat`, `(no topic)`) are refused unless `whole_channel = true` says that this is meant. To mark only the topic without a name, use `zulip_message_flags_for_narrow`.",
		Attributes: map[string]schema.Attribute{
			"channel": schema.StringAttribute{
				Required: true, MarkdownDescription: "The channel: its ID, as in `zulip_channel.x.id`, or its name. A channel whose name is a number is written `name:2024`.",
			},
			"topic": schema.StringAttribute{Optional: true, MarkdownDescription: "The topic. Set this, or `whole_channel = true`."},
			"whole_channel": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Whether every topic of the channel is marked as read. `topic` is then left out.",
			},
		},
	}
}

// ValidateConfig refuses what would mark more than it says.
func (a *TopicAction) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	var config topicModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	config.check(&resp.Diagnostics)
}

// check keeps the topic without a name, which is the whole channel to the server, from being marked by accident.
func (m *topicModel) check(diags *diag.Diagnostics) {
	topic := zulip.StoredTopic(m.Topic.ValueString())
	switch {
	case m.Topic.IsUnknown() || m.WholeChannel.IsUnknown():
	case m.WholeChannel.ValueBool() && topic != "":
		diags.AddAttributeError(path.Root("whole_channel"), "One topic or the whole channel", "Remove topic to mark the whole channel, or whole_channel to mark one topic.")
	case !m.WholeChannel.ValueBool() && topic == "":
		diags.AddAttributeError(path.Root("topic"), "This would mark the whole channel as read",
			"The server takes a topic without a name for all topics of the channel. Set whole_channel = true if that is meant. To mark only the topic without a name, use zulip_message_flags_for_narrow with the operators channel and topic.")
	}
}

// ModifyPlan finds the channel.
func (a *TopicAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	var config topicModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !a.CanPlan(&resp.Diagnostics) || config.Channel.IsUnknown() {
		return
	}
	view, err := a.Meta.Store.Read(ctx, store.Channels)
	if err == nil && lookup.IsPlannedChannel(view, config.Channel.ValueString()) {
		return
	}
	a.channel(ctx, &config, &resp.Diagnostics)
}

// channel finds the channel; nil after an error.
func (a *TopicAction) channel(ctx context.Context, config *topicModel, diags *diag.Diagnostics) *zulip.Channel {
	view, err := a.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		diags.AddError("Cannot read the channels", base.Explain(err))
		return nil
	}
	channel, err := lookup.Channel(view, config.Channel.ValueString())
	if err != nil {
		diags.AddAttributeError(path.Root("channel"), "No such channel", base.Sentence(err))
		return nil
	}
	return channel
}

// Invoke marks the topic.
func (a *TopicAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config topicModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	// Once more: what was not known when it was planned is now.
	config.check(&resp.Diagnostics)
	if resp.Diagnostics.HasError() || !a.Ready(&resp.Diagnostics) {
		return
	}
	channel := a.channel(ctx, &config, &resp.Diagnostics)
	if channel == nil {
		return
	}
	what := fmt.Sprintf("topic %q of channel %q", config.Topic.ValueString(), channel.Name)
	if config.WholeChannel.ValueBool() {
		what = fmt.Sprintf("the whole channel %q", channel.Name)
	}
	resp.SendProgress(action.InvokeProgressEvent{Message: "Marking " + what + " as read"})
	if err := a.Meta.Client.MarkTopicAsRead(ctx, channel.ID, zulip.StoredTopic(config.Topic.ValueString())); err != nil {
		resp.Diagnostics.AddError("Cannot mark "+what+" as read", base.Explain(err))
	}
}
