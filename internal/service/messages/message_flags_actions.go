package messages

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// NewMessageFlagsAction returns the action zulip_message_flags.
func NewMessageFlagsAction() action.Action {
	return adapter.Action[flagsModel]{Name: "message_flags", Schema: flagsSchema, Invoke: invokeFlags}.New()
}

func flagsSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Changes a flag of listed messages for the provider's account.",
		Attributes: changeAttributes(map[string]schema.Attribute{
			"messages": schema.SetAttribute{
				Required: true, ElementType: types.Int64Type, MarkdownDescription: "IDs of the messages, at most 5000.",
				Validators: []validator.Set{validators.Size(1, zulip.MaxFlagRange), setvalidator.ValueInt64sAre(validators.AtLeast(1))},
			},
		}),
	}
}

func invokeFlags(ctx context.Context, c *adapter.Call[flagsModel]) error {
	c.Say("Flag %s of %d messages: %s", c.Config.Flag.ValueString(), len(c.Config.Messages), c.Config.Operation.ValueString())
	ignored, err := c.Meta.Client.UpdateFlags(ctx, c.Config.Messages, c.Config.wire())
	warnIgnored(ignored, c.Diags)
	return base.Failed("Cannot change the flag of the messages", err, flagsHint)
}

// warnIgnored names the channels whose messages stayed read, because messages in a channel without a subscription
// cannot be unread.
func warnIgnored(channels []int64, diags *diag.Diagnostics) {
	if len(channels) > 0 {
		diags.AddWarning("Some messages stay marked as read",
			fmt.Sprintf("The provider's account is not subscribed to the channels with these IDs, so it has no unread messages there: %v.", channels))
	}
}

func flagsHint(err error) string {
	if zulip.IsNoMessage(err) {
		return "At least one of the messages was deleted, or the provider's account cannot read it. Nothing was changed."
	}
	return ""
}

type flagsModel struct {
	Messages []int64 `tfsdk:"messages"`
	flagChange
}

// flagChange has the attributes with the flag and its change.
type flagChange struct {
	Operation types.String `tfsdk:"op"`
	Flag      types.String `tfsdk:"flag"`
}

func (c flagChange) wire() zulip.FlagChange {
	return zulip.FlagChange{Operation: c.Operation.ValueString(), Flag: c.Flag.ValueString()}
}

// changeAttributes returns the attributes of change, and others.
func changeAttributes(more map[string]schema.Attribute) map[string]schema.Attribute {
	more["op"] = schema.StringAttribute{
		Required: true, MarkdownDescription: "`add` or `remove`.",
		Validators: []validator.String{validators.OneOf(zulip.FlagOperations...)},
	}
	more["flag"] = schema.StringAttribute{
		Required: true, MarkdownDescription: "Flag: `read`, `starred`, `collapsed`, or `hide_link_previews` (requires " + featurelevel.Describe(featurelevel.HideLinkPreviews) + ").",
		Validators: []validator.String{validators.OneOf(zulip.EditableFlags...)},
	}
	return more
}

// NewMessageFlagsForNarrowAction returns the action zulip_message_flags_for_narrow.
func NewMessageFlagsForNarrowAction() action.Action {
	return adapter.Action[narrowModel]{Name: "message_flags_for_narrow", Schema: narrowSchema, Validate: (*narrowModel).validate, Invoke: invokeNarrow}.New()
}

func narrowSchema() schema.Schema {
	count := []validator.Int64{validators.Between(0, zulip.MaxFlagRange)}
	return schema.Schema{
		MarkdownDescription: "Changes a flag of the messages around an anchor that match conditions, for the provider's account.",
		Attributes: changeAttributes(map[string]schema.Attribute{
			"anchor": schema.StringAttribute{
				Required: true, MarkdownDescription: "Message to start from: a message ID, `newest`, `oldest` or `first_unread`.",
				Validators: []validator.String{validators.Matches(regexp.MustCompile(`^([0-9]+|newest|oldest|first_unread)$`),
					"must be the ID of a message, newest, oldest or first_unread")},
			},
			"include_anchor": schema.BoolAttribute{Optional: true, MarkdownDescription: "If true, the anchor is included. Defaults to `true`."},
			"num_before":     schema.Int64Attribute{Required: true, MarkdownDescription: "Number of messages before the anchor.", Validators: count},
			"num_after":      schema.Int64Attribute{Required: true, MarkdownDescription: "Number of messages after the anchor. With `num_before`, at most 5000.", Validators: count},
			"to_the_end": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "If true, the action continues to the newest message, `num_after` messages at a time. Requires `num_before = 0`.",
			},
			"narrow": schema.ListNestedAttribute{
				Optional: true, MarkdownDescription: "Conditions, all of which must match. Defaults to all messages of the account.",
				Validators: []validator.List{validators.RequireInElements("operator", "operand")},
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"operator": schema.StringAttribute{
						Optional: true, MarkdownDescription: "Required. Search operator, such as `channel`, `topic`, `sender`, `dm`, `is`, `has` or `search`.",
						Validators: []validator.String{validators.OneOf(zulip.NarrowOperators...)},
					},
					"operand": schema.StringAttribute{Optional: true, MarkdownDescription: "Required. Value of the operator. Digits are the ID of a channel, a user or a message if the operator takes one."},
					"negated": schema.BoolAttribute{Optional: true, MarkdownDescription: "If true, the condition must not match."},
				}},
			},
		}),
	}
}

// validate refuses ranges that the server would refuse, or silently make narrower.
func (m *narrowModel) validate(diags *diag.Diagnostics) {
	before, after, include := m.NumBefore, m.NumAfter, m.IncludeAnchor
	if before.IsUnknown() || after.IsUnknown() {
		return
	}
	switch {
	case before.ValueInt64()+after.ValueInt64() > zulip.MaxFlagRange:
		diags.AddAttributeError(path.Root("num_after"), "Too many messages",
			fmt.Sprintf("num_before and num_after add up to %d. The server changes %d at a time and would silently skip the rest. Use to_the_end to continue.", before.ValueInt64()+after.ValueInt64(), zulip.MaxFlagRange))
	case base.IsSet(include) && !include.ValueBool() && before.ValueInt64() > 0 && after.ValueInt64() > 0:
		diags.AddAttributeError(path.Root("include_anchor"), "include_anchor = false requires a one-sided range",
			"Set num_before or num_after to 0.")
	case m.ToTheEnd.ValueBool() && (before.ValueInt64() != 0 || after.ValueInt64() == 0):
		diags.AddAttributeError(path.Root("to_the_end"), "to_the_end requires num_before = 0", "Set num_before = 0, and num_after to the number of messages to change at a time.")
	}
}

// invokeNarrow changes the flag, one range after the other.
func invokeNarrow(ctx context.Context, c *adapter.Call[narrowModel]) error {
	messages := c.Config.wire(ctx, c.Diags)
	var processed, updated int64
	ignored := []int64{}
	for {
		result, err := c.Meta.Client.UpdateFlagsForNarrow(ctx, messages, c.Config.flagChange.wire())
		if err != nil {
			return base.Refused(path.Empty(), "Cannot change the flag of the messages",
				fmt.Sprintf("%s\n\nBefore that, %d messages were checked and %d of them changed.", base.ExplainWith(err, flagsHint), processed, updated))
		}
		processed, updated = processed+result.Processed, updated+result.Updated
		ignored = append(ignored, result.Ignored...)
		c.Say("%d messages checked, flag %s of %d changed (%s)", processed, c.Config.Flag.ValueString(), updated, c.Config.Operation.ValueString())
		if !c.Config.ToTheEnd.ValueBool() || result.FoundNewest || result.LastProcessed == nil {
			break
		}
		messages.Anchor, messages.IncludeAnchor = strconv.FormatInt(*result.LastProcessed, 10), false
	}
	slices.Sort(ignored)
	warnIgnored(slices.Compact(ignored), c.Diags)
	return nil
}

type narrowModel struct {
	Anchor        types.String `tfsdk:"anchor"`
	IncludeAnchor types.Bool   `tfsdk:"include_anchor"`
	NumBefore     types.Int64  `tfsdk:"num_before"`
	NumAfter      types.Int64  `tfsdk:"num_after"`
	ToTheEnd      types.Bool   `tfsdk:"to_the_end"`
	Narrow        types.List   `tfsdk:"narrow"`
	flagChange
}

type termModel struct {
	Operator types.String `tfsdk:"operator"`
	Operand  types.String `tfsdk:"operand"`
	Negated  types.Bool   `tfsdk:"negated"`
}

func (m *narrowModel) wire(ctx context.Context, diags *diag.Diagnostics) zulip.FlagRange {
	var terms []termModel
	diags.Append(m.Narrow.ElementsAs(ctx, &terms, false)...)
	messages := zulip.FlagRange{
		Anchor: m.Anchor.ValueString(), IncludeAnchor: m.IncludeAnchor.IsNull() || m.IncludeAnchor.ValueBool(),
		NumBefore: m.NumBefore.ValueInt64(), NumAfter: m.NumAfter.ValueInt64(),
	}
	for _, term := range terms {
		messages.Narrow = append(messages.Narrow, zulip.NarrowTerm{
			Operator: term.Operator.ValueString(), Operand: operand(term.Operator.ValueString(), term.Operand.ValueString()), Negated: term.Negated.ValueBool(),
		})
	}
	return messages
}

// numberedOperators are the operators whose operand is an ID, as a number.
var numberedOperators = []string{"channel", "stream", "sender", "id", "with", "near"}

// operand returns the operand for a request: a number, a list of numbers for direct messages, and otherwise the text.
func operand(operator, text string) any {
	id, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return text
	case slices.Contains(numberedOperators, operator):
		return id
	case operator == "dm" || operator == "dm-including":
		return []int64{id}
	}
	return text
}

// NewMarkTopicAsReadAction returns the action zulip_mark_topic_as_read.
func NewMarkTopicAsReadAction() action.Action {
	return adapter.Action[topicModel]{Name: "mark_topic_as_read", Schema: topicSchema, Validate: (*topicModel).validate, Plan: planTopic, Invoke: invokeTopic}.New()
}

func topicSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Marks a topic of a channel as read for the provider's account.",
		Attributes: map[string]schema.Attribute{
			"channel": schema.StringAttribute{
				Required: true, MarkdownDescription: "Channel by ID or name, such as `zulip_channel.x.id`. Write `name:2024` for a name that is a number.",
			},
			"topic": schema.StringAttribute{Optional: true, MarkdownDescription: "Topic. Set this, or `whole_channel = true`."},
			"whole_channel": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "If true, every topic of the channel is marked as read. Conflicts with `topic`.",
			},
		},
	}
}

// validate refuses a topic without a name, because the server would mark the whole channel.
func (m *topicModel) validate(diags *diag.Diagnostics) {
	topic := zulip.StoredTopic(m.Topic.ValueString())
	switch {
	case m.Topic.IsUnknown() || m.WholeChannel.IsUnknown():
	case m.WholeChannel.ValueBool() && topic != "":
		diags.AddAttributeError(path.Root("whole_channel"), "topic and whole_channel exclude each other", "Remove topic to mark the whole channel, or whole_channel to mark one topic.")
	case !m.WholeChannel.ValueBool() && topic == "":
		diags.AddAttributeError(path.Root("topic"), "This would mark the whole channel as read",
			"For the server, a topic without a name means all topics of the channel. If this is intentional, set whole_channel = true. To mark only the topic without a name, use zulip_message_flags_for_narrow with the operators channel and topic.")
	}
}

// planTopic finds the channel and the topic.
func planTopic(ctx context.Context, c *adapter.Call[topicModel]) error {
	if c.Config.Channel.IsUnknown() {
		return nil
	}
	view, err := c.Read("the channels", store.Channels)
	if err != nil || lookup.IsPlannedChannel(view, c.Config.Channel.ValueString()) {
		return err
	}
	channel, err := c.Config.find(view)
	if err != nil || !base.IsSet(c.Config.Topic) {
		return err
	}
	topics, err := c.Meta.Client.Topics(ctx, channel.ID)
	if err == nil && !hasTopic(topics, zulip.StoredTopic(c.Config.Topic.ValueString())) {
		c.Diags.AddAttributeWarning(path.Root("topic"), c.Config.summary(channel)+", so the apply will fail",
			fmt.Sprintf("The channel has no topic %q now. Set topic to the name of a topic, or send a message to it before this action.", c.Config.Topic.ValueString()))
	}
	return base.Failed("Cannot read the topics", err)
}

func invokeTopic(ctx context.Context, c *adapter.Call[topicModel]) error {
	view, err := c.Read("the channels", store.Channels)
	if err != nil {
		return err
	}
	channel, err := c.Config.find(view)
	if err != nil {
		return err
	}
	c.Say("Marking %s as read", c.Config.what(channel))
	err = c.Meta.Client.MarkTopicAsRead(ctx, channel.ID, zulip.StoredTopic(c.Config.Topic.ValueString()))
	return base.Failed(c.Config.summary(channel), err)
}

type topicModel struct {
	Channel      types.String `tfsdk:"channel"`
	Topic        types.String `tfsdk:"topic"`
	WholeChannel types.Bool   `tfsdk:"whole_channel"`
}

// what describes what is marked as read.
func (m *topicModel) what(channel *zulip.Channel) string {
	if m.WholeChannel.ValueBool() {
		return fmt.Sprintf("the whole channel %q", channel.Name)
	}
	return fmt.Sprintf("topic %q of channel %q", m.Topic.ValueString(), channel.Name)
}

// summary is the summary of the error of a refused request.
func (m *topicModel) summary(channel *zulip.Channel) string {
	return "Cannot mark " + m.what(channel) + " as read"
}

// find returns the channel that the configuration names.
func (m *topicModel) find(view *snapshot.Snapshot) (*zulip.Channel, error) {
	channel, err := lookup.Channel(view, m.Channel.ValueString())
	if err != nil {
		return nil, lookup.NoSuchChannel(path.Root("channel"), err)
	}
	return channel, nil
}
