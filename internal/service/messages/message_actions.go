package messages

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewSendMessageAction returns the action zulip_send_message.
func NewSendMessageAction() action.Action {
	return adapter.Action[sendModel]{Name: "send_message", Schema: sendSchema, Validate: (*sendModel).Validate, Plan: planSend, Invoke: invokeSend}.New()
}

func sendSchema() schema.Schema {
	attributes := addresseeActionAttributes()
	attributes["content"] = schema.StringAttribute{
		Required: true, MarkdownDescription: contentDescription,
		Validators: []validator.String{contentValidator()},
	}
	return schema.Schema{
		MarkdownDescription: "Sends a message each time the action is invoked.",
		Attributes:          attributes,
	}
}

// planSend refuses a message that the server would cut or refuse.
func planSend(ctx context.Context, c *adapter.Call[sendModel]) error {
	view, err := c.Read("the organization", store.Channels)
	if err != nil {
		return err
	}
	checkContent(c.Config.Content, view, c.Diags)
	switch to, known := c.Config.CheckPlan(view, c.Diags); {
	case !known:
		warnOfSilent(c.Meta, c.Config.Channel, c.Diags)
	case !c.Diags.HasError():
		base.CheckInPlan(c.Diags, func(found *diag.Diagnostics) { checkSend(ctx, c.Meta, view, to, found) })
	}
	return nil
}

func invokeSend(ctx context.Context, c *adapter.Call[sendModel]) error {
	view, err := c.Read("the organization", store.Channels)
	if err != nil {
		return err
	}
	checkContent(c.Config.Content, view, c.Diags)
	to := resolveToSend(ctx, c.Meta, &c.Config.addressee, view, c.Diags)
	if c.Diags.HasError() {
		return nil
	}
	c.Say("Sending to %s", c.Config.Words())
	sent, err := sendMessage(ctx, c.Meta, to, c.Config.Content.ValueString())
	if err != nil {
		return base.Failed("Cannot send the message", err, messageHint)
	}
	text := fmt.Sprintf("Sent as message %d", sent.ID)
	if sent.URL != "" {
		text += ": " + sent.URL
	}
	c.Say("%s", text)
	return nil
}

type sendModel struct {
	addressee
	Content types.String `tfsdk:"content"`
}

// sendLookBack is the number of the account's last messages in a place that are searched for a message whose answer was
// lost.
const sendLookBack = 100

// sendMessage sends a message. For a message that was found after a lost answer it returns only the ID.
func sendMessage(ctx context.Context, meta *base.Meta, to zulip.Addressee, content string) (sent zulip.SentMessage, err error) {
	self := meta.Store.Self().ID
	stored := zulip.StoredContent(content)
	look := func(ctx context.Context, isNew func(int64) bool) (int64, error) {
		recent, err := meta.Client.RecentMessages(ctx, to, self, sendLookBack)
		if err != nil {
			return 0, err
		}
		for _, message := range recent {
			if message.Content == stored && message.To().Same(to, self) && isNew(message.ID) {
				return message.ID, nil
			}
		}
		return 0, nil
	}
	create := func(ctx context.Context) (id int64, err error) {
		sent, err = meta.Client.Send(ctx, to, content)
		return sent.ID, err
	}
	same := fmt.Sprintf("%d %q %v %q", to.ChannelID, zulip.StoredTopic(to.Topic), to.UserIDs, stored)
	id, err := existing.CreateOnce(ctx, meta, messageKind, same, nil, look, create)
	if sent.ID != id {
		sent = zulip.SentMessage{ID: id}
	}
	return sent, err
}

// NewReportMessageAction returns the action zulip_report_message.
func NewReportMessageAction() action.Action {
	return adapter.Action[reportModel]{Name: "report_message", Schema: reportSchema, Validate: (*reportModel).validate, Invoke: invokeReport}.New()
}

func reportSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "[Reports a message](https://zulip.com/help/report-a-message) to the moderators of the organization.",
		Attributes: map[string]schema.Attribute{
			"message_id": schema.Int64Attribute{Required: true, MarkdownDescription: "ID of the message.", Validators: []validator.Int64{validators.AtLeast(1)}},
			"report_type": schema.StringAttribute{
				Required: true, MarkdownDescription: "Reason for the report: `spam`, `harassment`, `inappropriate`, `norms` or `other`.",
				Validators: []validator.String{validators.OneOf(zulip.ReportTypes...)},
			},
			"description": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Explanation for the moderators, at most 1000 characters. Required if `report_type` is `other`.",
				Validators: []validator.String{validators.Length(0, zulip.MaxReportLength)},
			},
		},
	}
}

func invokeReport(ctx context.Context, c *adapter.Call[reportModel]) error {
	id := c.Config.MessageID.ValueInt64()
	c.Say("Reporting message %d", id)
	err := c.Meta.Client.ReportMessage(ctx, id, c.Config.ReportType.ValueString(), c.Config.Description.ValueString())
	return base.Failed(fmt.Sprintf("Cannot report message %d", id), err, reportHint)
}

func reportHint(err error) string {
	switch {
	case zulip.IsNoMessage(err):
		return "The message was deleted, or the provider's account cannot read it."
	case zulip.IsMessage(err, "Message reporting is not enabled in this organization."):
		return "An administrator must first set the channel for reports (moderation_request_channel_id)."
	case zulip.MayHaveHappened(err):
		return "The moderators may have received the report. Ask them before you invoke the action again."
	}
	return ""
}

type reportModel struct {
	MessageID   types.Int64  `tfsdk:"message_id"`
	ReportType  types.String `tfsdk:"report_type"`
	Description types.String `tfsdk:"description"`
}

// validate refuses a report without an explanation if the reason requires one.
func (m *reportModel) validate(diags *diag.Diagnostics) {
	if m.ReportType.ValueString() == "other" && !m.Description.IsUnknown() && m.Description.ValueString() == "" {
		diags.AddAttributeError(path.Root("description"), "description is missing", "report_type = \"other\" requires a description.")
	}
}

// NewTypingAction returns the action zulip_typing.
func NewTypingAction() action.Action {
	return adapter.Action[typingModel]{Name: "typing", Schema: typingSchema, Validate: (*typingModel).Validate, Plan: planTyping, Invoke: invokeTyping}.New()
}

func typingSchema() schema.Schema {
	attributes := addresseeActionAttributes()
	attributes["op"] = schema.StringAttribute{
		Required: true, MarkdownDescription: "`start` shows that the account is typing, for a time that the server chooses (by default 45 seconds). `stop` ends it.",
		Validators: []validator.String{validators.OneOf(zulip.TypingOperations...)},
	}
	return schema.Schema{
		MarkdownDescription: "Shows others that the provider's account [is typing](https://zulip.com/help/typing-notifications) a message, or has stopped.",
		Attributes:          attributes,
	}
}

// planTyping finds the recipients.
func planTyping(_ context.Context, c *adapter.Call[typingModel]) error {
	view, err := c.Read("the organization", store.Channels)
	if err == nil {
		c.Config.CheckPlan(view, c.Diags)
	}
	return err
}

func invokeTyping(ctx context.Context, c *adapter.Call[typingModel]) error {
	view, err := c.Read("the organization", store.Channels)
	if err != nil {
		return err
	}
	to, _ := c.Config.Check(view, c.Diags)
	if c.Diags.HasError() {
		return nil
	}
	c.Say("Typing (%s) to %s", c.Config.Operation.ValueString(), c.Config.Words())
	return base.Failed("Cannot show that the account is typing", c.Meta.Client.SendTyping(ctx, c.Config.Operation.ValueString(), to))
}

type typingModel struct {
	addressee
	Operation types.String `tfsdk:"op"`
}
