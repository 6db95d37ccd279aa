package messages

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

var (
	_ action.ActionWithConfigure  = (*flagsAction)(nil)
	_ action.ActionWithModifyPlan = (*flagsAction)(nil)
)

// flagsAction is the action zulip_message_flags.
type flagsAction struct{ base.Action }

// NewMessageFlagsAction returns the action zulip_message_flags.
func NewMessageFlagsAction() action.Action { return &flagsAction{} }

type flagsModel struct {
	Messages []int64 `tfsdk:"messages"`
	flagChange
}

// flagChange are the attributes that say what happens to which flag.
type flagChange struct {
	Operation types.String `tfsdk:"op"`
	Flag      types.String `tfsdk:"flag"`
}

func (c flagChange) wire() zulip.FlagChange {
	return zulip.FlagChange{Operation: c.Operation.ValueString(), Flag: c.Flag.ValueString()}
}

// changeAttributes are the attributes of change, and more.
func changeAttributes(more map[string]schema.Attribute) map[string]schema.Attribute {
	more["op"] = schema.StringAttribute{
		Required: true, MarkdownDescription: "`add` or `remove`.",
		Validators: []validator.String{validators.OneOf(zulip.FlagOperations...)},
	}
	more["flag"] = schema.StringAttribute{
		Required: true, MarkdownDescription: "The flag: `read`, `starred`, `collapsed` or `hide_link_previews` (" + featurelevel.Describe(featurelevel.HideLinkPreviews) + "). The server changes no other.",
		Validators: []validator.String{validators.OneOf(zulip.EditableFlags...)},
	}
	return more
}

func (a *flagsAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_message_flags"
}

func (a *flagsAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Changes a flag of some messages, for the account the provider uses alone. A flag that is as it is to be stays: invoking it again changes nothing.",
		Attributes: changeAttributes(map[string]schema.Attribute{
			"messages": schema.SetAttribute{
				Required: true, ElementType: types.Int64Type, MarkdownDescription: "The IDs of the messages, at most 5000.",
				Validators: []validator.Set{validators.Size(1, zulip.MaxFlagRange), validators.NoNulls()},
			},
		}),
	}
}

// ModifyPlan refuses flags that the server does not have.
func (a *flagsAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	a.CheckLevels(ctx, "zulip_message_flags", req.Config, &resp.Diagnostics)
}

// Invoke changes the flag.
func (a *flagsAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config flagsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !a.Ready(&resp.Diagnostics) {
		return
	}
	resp.SendProgress(action.InvokeProgressEvent{
		Message: fmt.Sprintf("Flag %s of %d messages: %s", config.Flag.ValueString(), len(config.Messages), config.Operation.ValueString()),
	})
	ignored, err := a.Meta.Client.UpdateFlags(ctx, config.Messages, config.wire())
	if err != nil {
		resp.Diagnostics.AddError("Cannot change the flag of the messages", explainFlags(err))
		return
	}
	warnIgnored(ignored, &resp.Diagnostics)
}

// warnIgnored says which channels' messages stayed read: nobody has unread messages in a channel they are not in.
func warnIgnored(channels []int64, diags *diag.Diagnostics) {
	if len(channels) > 0 {
		diags.AddWarning("Some messages stay read",
			fmt.Sprintf("The account the provider uses is not in the channels with these IDs, and has no unread messages there: %v.", channels))
	}
}

// explainFlags adds what a refusal means for flags.
func explainFlags(err error) string {
	text := base.Explain(err)
	if zulip.IsNoMessage(err) {
		text += "\n\nAt least one of the messages is gone, or the account the provider uses may not read it. None was changed."
	}
	return text
}

var (
	_ action.ActionWithConfigure      = (*narrowAction)(nil)
	_ action.ActionWithModifyPlan     = (*narrowAction)(nil)
	_ action.ActionWithValidateConfig = (*narrowAction)(nil)
)

// narrowAction is the action zulip_message_flags_for_narrow.
type narrowAction struct{ base.Action }

// NewMessageFlagsForNarrowAction returns the action zulip_message_flags_for_narrow.
func NewMessageFlagsForNarrowAction() action.Action { return &narrowAction{} }

type narrowModel struct {
	Anchor        types.String `tfsdk:"anchor"`
	IncludeAnchor types.Bool   `tfsdk:"include_anchor"`
	NumBefore     types.Int64  `tfsdk:"num_before"`
	NumAfter      types.Int64  `tfsdk:"num_after"`
	ToTheEnd      types.Bool   `tfsdk:"to_the_end"`
	Narrow        []termModel  `tfsdk:"narrow"`
	flagChange
}

type termModel struct {
	Operator types.String `tfsdk:"operator"`
	Operand  types.String `tfsdk:"operand"`
	Negated  types.Bool   `tfsdk:"negated"`
}

func (a *narrowAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_message_flags_for_narrow"
}

func (a *narrowAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	count := []validator.Int64{validators.Between(0, zulip.MaxFlagRange)}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Changes a flag of the messages that match conditions, for the account the provider uses alone: as many before and after an anchor as it says. Invoking it again changes nothing more.",
		Attributes: changeAttributes(map[string]schema.Attribute{
			"anchor": schema.StringAttribute{
				Required: true, MarkdownDescription: "Where to begin: the ID of a message, `newest`, `oldest` or `first_unread`.",
				Validators: []validator.String{validators.Matches(regexp.MustCompile(`^([0-9]+|newest|oldest|first_unread)$`),
					"must be the ID of a message, newest, oldest or first_unread")},
			},
			"include_anchor": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether the anchor itself counts. By default `true`."},
			"num_before":     schema.Int64Attribute{Required: true, MarkdownDescription: "How many messages before the anchor.", Validators: count},
			"num_after":      schema.Int64Attribute{Required: true, MarkdownDescription: "How many messages after the anchor. Together with `num_before` at most 5000.", Validators: count},
			"to_the_end": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether to go on, `num_after` messages at a time, up to the newest. `num_before` is then 0.",
			},
			"narrow": schema.ListNestedAttribute{
				Optional: true, MarkdownDescription: "The conditions, all of which have to be met. Unset: every message the account has.",
				Validators: []validator.List{validators.RequireInElements("operator", "operand")},
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"operator": schema.StringAttribute{Optional: true, MarkdownDescription: "Required. What is looked at, as in `channel`, `topic`, `sender`, `dm`, `is`, `has`, `search`."},
					"operand":  schema.StringAttribute{Optional: true, MarkdownDescription: "Required. What it has to be. Digits are the ID of a channel, a person or a message, where the operator takes one."},
					"negated":  schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether it must not be so."},
				}},
			},
		}),
	}
}

// ValidateConfig refuses ranges that the server would refuse, or make narrower without a word.
func (a *narrowAction) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	var before, after types.Int64
	var include, toTheEnd types.Bool
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("num_before"), &before)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("num_after"), &after)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("include_anchor"), &include)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("to_the_end"), &toTheEnd)...)
	if before.IsUnknown() || after.IsUnknown() {
		return
	}
	switch {
	case before.ValueInt64()+after.ValueInt64() > zulip.MaxFlagRange:
		resp.Diagnostics.AddAttributeError(path.Root("num_after"), "Too many messages",
			fmt.Sprintf("num_before and num_after come to %d; the server changes %d at a time and would leave the rest out without a word. Use to_the_end to go on.", before.ValueInt64()+after.ValueInt64(), zulip.MaxFlagRange))
	case !include.IsNull() && !include.IsUnknown() && !include.ValueBool() && before.ValueInt64() > 0 && after.ValueInt64() > 0:
		resp.Diagnostics.AddAttributeError(path.Root("include_anchor"), "The anchor lies in the middle",
			"It can be left out only at an end of the range: set num_before or num_after to 0.")
	case toTheEnd.ValueBool() && (before.ValueInt64() != 0 || after.ValueInt64() == 0):
		resp.Diagnostics.AddAttributeError(path.Root("to_the_end"), "Which way to go", "With to_the_end, set num_before = 0, and num_after to how many messages are changed at a time.")
	}
}

// ModifyPlan refuses servers that cannot do it.
func (a *narrowAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	a.CheckLevels(ctx, "zulip_message_flags_for_narrow", req.Config, &resp.Diagnostics)
}

// Invoke changes the flag, range after range.
func (a *narrowAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config narrowModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !a.Ready(&resp.Diagnostics) {
		return
	}
	messages := config.wire()
	var processed, updated int64
	ignored := []int64{}
	for {
		result, err := a.Meta.Client.UpdateFlagsForNarrow(ctx, messages, config.flagChange.wire())
		if err != nil {
			resp.Diagnostics.AddError("Cannot change the flag of the messages",
				fmt.Sprintf("%s\n\n%d messages were looked at before, and %d of them changed.", explainFlags(err), processed, updated))
			return
		}
		processed, updated = processed+result.Processed, updated+result.Updated
		ignored = append(ignored, result.Ignored...)
		resp.SendProgress(action.InvokeProgressEvent{
			Message: fmt.Sprintf("%d messages looked at, flag %s of %d changed (%s)", processed, config.Flag.ValueString(), updated, config.Operation.ValueString()),
		})
		if !config.ToTheEnd.ValueBool() || result.FoundNewest || result.LastProcessed == nil {
			break
		}
		messages.Anchor, messages.IncludeAnchor = strconv.FormatInt(*result.LastProcessed, 10), false
	}
	slices.Sort(ignored)
	warnIgnored(slices.Compact(ignored), &resp.Diagnostics)
}

func (m *narrowModel) wire() zulip.FlagRange {
	messages := zulip.FlagRange{
		Anchor: m.Anchor.ValueString(), IncludeAnchor: m.IncludeAnchor.IsNull() || m.IncludeAnchor.ValueBool(),
		NumBefore: m.NumBefore.ValueInt64(), NumAfter: m.NumAfter.ValueInt64(),
	}
	for _, term := range m.Narrow {
		messages.Narrow = append(messages.Narrow, zulip.NarrowTerm{
			Operator: term.Operator.ValueString(), Operand: operand(term.Operator.ValueString(), term.Operand.ValueString()), Negated: term.Negated.ValueBool(),
		})
	}
	return messages
}

// numbered are the operators of which the server takes an ID, as a number.
var numbered = []string{"channel", "stream", "sender", "id", "with", "near"}

// operand is what the wire wants of a text: a number, a list of numbers for direct messages, else the text itself.
func operand(operator, text string) any {
	id, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return text
	case slices.Contains(numbered, operator):
		return id
	case operator == "dm" || operator == "dm-including":
		return []int64{id}
	}
	return text
}

var (
	_ action.ActionWithConfigure      = (*topicAction)(nil)
	_ action.ActionWithModifyPlan     = (*topicAction)(nil)
	_ action.ActionWithValidateConfig = (*topicAction)(nil)
)

// topicAction is the action zulip_mark_topic_as_read.
type topicAction struct{ base.Action }

// NewMarkTopicAsReadAction returns the action zulip_mark_topic_as_read.
func NewMarkTopicAsReadAction() action.Action { return &topicAction{} }

type topicModel struct {
	Channel      types.String `tfsdk:"channel"`
	Topic        types.String `tfsdk:"topic"`
	WholeChannel types.Bool   `tfsdk:"whole_channel"`
}

func (a *topicAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_mark_topic_as_read"
}

func (a *topicAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
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
func (a *topicAction) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
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
func (a *topicAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
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
func (a *topicAction) channel(ctx context.Context, config *topicModel, diags *diag.Diagnostics) *zulip.Channel {
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
func (a *topicAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
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
