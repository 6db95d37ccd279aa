package messages

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/compose"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

var (
	_ action.ActionWithConfigure      = (*sendAction)(nil)
	_ action.ActionWithModifyPlan     = (*sendAction)(nil)
	_ action.ActionWithValidateConfig = (*sendAction)(nil)
)

// sendAction is the action zulip_send_message.
type sendAction struct{ base.Action }

// NewSendMessageAction returns the action zulip_send_message.
func NewSendMessageAction() action.Action { return &sendAction{} }

type sendModel struct {
	compose.Addressee
	Content types.String `tfsdk:"content"`
}

func (a *sendAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_send_message"
}

func (a *sendAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	attributes := compose.AddresseeActionAttributes()
	attributes["content"] = schema.StringAttribute{
		Required: true, MarkdownDescription: compose.ContentDescription,
		Validators: []validator.String{compose.ContentValidator()},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Sends a message, once each time the action is invoked. For a message that stays and is kept up to date, use the resource `zulip_message`.\n\n" +
			"If an answer is lost, the action looks whether the message was sent before it sends again. It is recognised by its text, its place and its sender; an equal one that the account sends from somewhere else at that moment is taken for it.",
		Attributes: attributes,
	}
}

// ValidateConfig refuses what is wrong in any organization.
func (a *sendAction) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	var config sendModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	config.Validate(&resp.Diagnostics)
}

// ModifyPlan refuses what the server would cut or refuse.
func (a *sendAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	if !a.CanPlan(&resp.Diagnostics) {
		return
	}
	var config sendModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	view, err := a.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	compose.CheckContent(config.Content, view, &resp.Diagnostics)
	if to, known := config.CheckPlan(view, &resp.Diagnostics); known && !resp.Diagnostics.HasError() {
		compose.CheckSend(ctx, a.Meta, view, to, &resp.Diagnostics)
	}
}

// Invoke sends the message.
func (a *sendAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config sendModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	// Once more: what was not known when it was planned is now.
	config.Validate(&resp.Diagnostics)
	if resp.Diagnostics.HasError() || !a.Ready(&resp.Diagnostics) {
		return
	}
	view, err := a.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	compose.CheckContent(config.Content, view, &resp.Diagnostics)
	to := resolveToSend(ctx, a.Meta, &config.Addressee, view, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.SendProgress(action.InvokeProgressEvent{Message: "Sending to " + config.Words()})
	sent, err := send(ctx, a.Meta, to, config.Content.ValueString())
	if err != nil {
		resp.Diagnostics.AddError("Cannot send the message", base.ExplainWith(err, messageHint))
		return
	}
	text := fmt.Sprintf("Sent as message %d", sent.ID)
	if sent.URL != "" {
		text += ": " + sent.URL
	}
	resp.SendProgress(action.InvokeProgressEvent{Message: text})
}

// lookBack is how many of the account's own last messages in a place are looked through for one that was sent before.
const lookBack = 100

// send sends a message. Of one that was found, since the answer was lost, nothing but the ID is returned.
func send(ctx context.Context, meta *base.Meta, to zulip.Addressee, content string) (sent zulip.SentMessage, err error) {
	self := meta.Store.Self().ID
	stored := zulip.StoredContent(content)
	id, err := core.Creation{
		Kind: kind, Thing: fmt.Sprintf("%d %q %v %q", to.ChannelID, zulip.StoredTopic(to.Topic), to.UserIDs, stored),
		Look: func(ctx context.Context, free func(int64) bool) (int64, error) {
			recent, err := meta.Client.RecentMessages(ctx, to, self, lookBack)
			if err != nil {
				return 0, err
			}
			for _, message := range recent {
				if message.Content == stored && message.To().Same(to, self) && free(message.ID) {
					return message.ID, nil
				}
			}
			return 0, nil
		},
		Make: func(ctx context.Context) (id int64, err error) {
			sent, err = meta.Client.Send(ctx, to, content)
			return sent.ID, err
		},
	}.Run(ctx, meta)
	if sent.ID != id {
		sent = zulip.SentMessage{ID: id}
	}
	return sent, err
}

var (
	_ action.ActionWithConfigure      = (*reportAction)(nil)
	_ action.ActionWithModifyPlan     = (*reportAction)(nil)
	_ action.ActionWithValidateConfig = (*reportAction)(nil)
)

// reportAction is the action zulip_report_message.
type reportAction struct{ base.Action }

// NewReportMessageAction returns the action zulip_report_message.
func NewReportMessageAction() action.Action { return &reportAction{} }

type reportModel struct {
	MessageID   types.Int64  `tfsdk:"message_id"`
	ReportType  types.String `tfsdk:"report_type"`
	Description types.String `tfsdk:"description"`
}

func (a *reportAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_report_message"
}

func (a *reportAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reports a message to the organization's moderators, who get a message about it each time the action is invoked. If the connection is lost before the server answers, the report is not sent again, since reports cannot be read. The organization must have a channel for reports (`moderation_request_channel_id`). " + featurelevel.Needs("zulip_report_message", ""),
		Attributes: map[string]schema.Attribute{
			"message_id": schema.Int64Attribute{Required: true, MarkdownDescription: "ID of the message."},
			"report_type": schema.StringAttribute{
				Required: true, MarkdownDescription: "Reason of the report: `spam`, `harassment`, `inappropriate`, `norms` or `other`.",
				Validators: []validator.String{validators.OneOf(zulip.ReportTypes...)},
			},
			"description": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Explanation for the moderators, at most 1000 characters. Required if `report_type` is `other`.",
				Validators: []validator.String{validators.Length(0, zulip.MaxReportLength)},
			},
		},
	}
}

// ValidateConfig wants an explanation where the reason is none.
func (a *reportAction) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	var config reportModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if config.ReportType.ValueString() == "other" && !config.Description.IsUnknown() && config.Description.ValueString() == "" {
		resp.Diagnostics.AddAttributeError(path.Root("description"), "An explanation is missing", "With report_type = \"other\" the server wants a description.")
	}
}

// ModifyPlan refuses servers that cannot do it.
func (a *reportAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	a.CheckLevels(ctx, "zulip_report_message", req.Config, &resp.Diagnostics)
}

// Invoke reports the message.
func (a *reportAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config reportModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !a.Ready(&resp.Diagnostics) {
		return
	}
	id := config.MessageID.ValueInt64()
	resp.SendProgress(action.InvokeProgressEvent{Message: fmt.Sprintf("Reporting message %d", id)})
	err := a.Meta.Client.ReportMessage(ctx, id, config.ReportType.ValueString(), config.Description.ValueString())
	if err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Cannot report message %d", id), explainReport(err))
	}
}

// explainReport adds what a refusal means for a report.
func explainReport(err error) string {
	text := base.Explain(err)
	switch {
	case zulip.IsNoMessage(err):
		text += "\n\nThe message is gone, or the account the provider uses may not read it."
	case zulip.IsMessage(err, "Message reporting is not enabled in this organization."):
		text += "\n\nAn administrator has to choose the channel that reports go to (moderation_request_channel_id)."
	case zulip.MayHaveHappened(err):
		text += "\n\nThe moderators may have got the report. Ask them before you invoke the action again."
	}
	return text
}

var (
	_ action.ActionWithConfigure      = (*typingAction)(nil)
	_ action.ActionWithModifyPlan     = (*typingAction)(nil)
	_ action.ActionWithValidateConfig = (*typingAction)(nil)
)

// typingAction is the action zulip_typing.
type typingAction struct{ base.Action }

// NewTypingAction returns the action zulip_typing.
func NewTypingAction() action.Action { return &typingAction{} }

type typingModel struct {
	compose.Addressee
	Operation types.String `tfsdk:"op"`
}

func (a *typingAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_typing"
}

func (a *typingAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	attributes := compose.AddresseeActionAttributes()
	attributes["op"] = schema.StringAttribute{
		Required: true, MarkdownDescription: "`start` shows others that the account is writing, `stop` that it is not any more.",
		Validators: []validator.String{validators.OneOf(zulip.TypingOperations...)},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Shows others that the account the provider uses is writing a message, or is not any more. Nothing is stored; what others see ends by itself after a while (45 seconds by default) unless it is started again.",
		Attributes:          attributes,
	}
}

// ValidateConfig refuses what is wrong in any organization.
func (a *typingAction) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	var config typingModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	config.Validate(&resp.Diagnostics)
}

// ModifyPlan finds out whom it is for.
func (a *typingAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	if !a.CanPlan(&resp.Diagnostics) {
		return
	}
	var config typingModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	view, err := a.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	config.CheckPlan(view, &resp.Diagnostics)
}

// Invoke shows it.
func (a *typingAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config typingModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	// Once more: what was not known when it was planned is now.
	config.Validate(&resp.Diagnostics)
	if resp.Diagnostics.HasError() || !a.Ready(&resp.Diagnostics) {
		return
	}
	view, err := a.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	to, _ := config.Check(view, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.SendProgress(action.InvokeProgressEvent{Message: "Typing (" + config.Operation.ValueString() + ") to " + config.Words()})
	if err := a.Meta.Client.SendTyping(ctx, config.Operation.ValueString(), to); err != nil {
		resp.Diagnostics.AddError("Cannot show that the account is typing", base.Explain(err))
	}
}
