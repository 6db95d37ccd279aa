package messages

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewMessageHistoryDataSource returns the data source zulip_message_history.
func NewMessageHistoryDataSource() datasource.DataSource {
	return adapter.DataSource[historyModel]{Name: "message_history", Schema: historyDataSchema, Read: readHistoryData}.New()
}

func historyDataSchema() schema.Schema {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	number := func(description string) schema.Attribute {
		return schema.Int64Attribute{Computed: true, MarkdownDescription: description}
	}
	return schema.Schema{
		MarkdownDescription: "Reads the edit history of a message.",
		Attributes: map[string]schema.Attribute{
			"message_id": schema.Int64Attribute{Required: true, MarkdownDescription: "ID of the message."},
			"message_history": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "Original message, then one entry for each edit and move that `message_edit_history_visibility_policy` of the organization shows.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"timestamp":       text("Time of the change (RFC 3339)."),
					"user_id":         number("User ID of who made the change; null for very old edits."),
					"content":         text("Text after the change, in Markdown."),
					"prev_content":    text("Text before the change; null if it did not change."),
					"topic":           text("Topic after the change."),
					"prev_topic":      text("Topic before the change; null if it did not change."),
					"channel_id":      number("ID of the channel after the change; null if it did not change."),
					"prev_channel_id": number("ID of the channel before the change; null if it did not change."),
				}},
			},
		},
	}
}

func readHistoryData(ctx context.Context, c *adapter.Call[historyModel], state *historyModel) error {
	history, err := c.Meta.Client.MessageHistory(ctx, state.MessageID.ValueInt64())
	if err != nil {
		return base.Refused(path.Root("message_id"),
			fmt.Sprintf("Cannot read the history of message %d", state.MessageID.ValueInt64()), base.ExplainWith(err, historyHint))
	}
	state.History = []snapshotModel{}
	for _, snapshot := range history {
		state.History = append(state.History, snapshotModel{
			Timestamp: types.StringValue(time.Unix(snapshot.Timestamp, 0).UTC().Format(time.RFC3339)),
			UserID:    types.Int64PointerValue(snapshot.UserID),
			Content:   types.StringValue(snapshot.Content), PrevContent: types.StringPointerValue(snapshot.PrevContent),
			Topic: types.StringValue(snapshot.Topic), PrevTopic: types.StringPointerValue(snapshot.PrevTopic),
			ChannelID: types.Int64PointerValue(snapshot.ChannelID), PrevChannelID: types.Int64PointerValue(snapshot.PrevChannelID),
		})
	}
	return nil
}

func historyHint(err error) string {
	switch {
	case zulip.IsNoMessage(err):
		return "The message was deleted, or the provider's account cannot read it."
	case zulip.IsMessage(err, "Message edit history is disabled in this organization"):
		return "The organization shows the edit history to no one (message_edit_history_visibility_policy)."
	}
	return ""
}

type historyModel struct {
	MessageID types.Int64     `tfsdk:"message_id"`
	History   []snapshotModel `tfsdk:"message_history"`
}

// snapshotModel is one state of the message.
type snapshotModel struct {
	Timestamp     types.String `tfsdk:"timestamp"`
	UserID        types.Int64  `tfsdk:"user_id"`
	Content       types.String `tfsdk:"content"`
	PrevContent   types.String `tfsdk:"prev_content"`
	Topic         types.String `tfsdk:"topic"`
	PrevTopic     types.String `tfsdk:"prev_topic"`
	ChannelID     types.Int64  `tfsdk:"channel_id"`
	PrevChannelID types.Int64  `tfsdk:"prev_channel_id"`
}
