package message

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/compose"
)

var (
	_ action.ActionWithConfigure      = (*SendAction)(nil)
	_ action.ActionWithModifyPlan     = (*SendAction)(nil)
	_ action.ActionWithValidateConfig = (*SendAction)(nil)
)

// SendAction is the action zulip_send_message.
type SendAction struct{ base.Action }

// NewSendAction returns the action zulip_send_message.
func NewSendAction() action.Action { return &SendAction{} }

type sendModel struct {
	compose.Addressee
	Content types.String `tfsdk:"content"`
}

// Metadata names the action.
func (a *SendAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_send_message"
}

// Schema describes the action.
func (a *SendAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
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
func (a *SendAction) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	var config sendModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	config.Validate(&resp.Diagnostics)
}

// ModifyPlan refuses what the server would cut or refuse.
func (a *SendAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
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
	config.CheckPlan(view, &resp.Diagnostics)
}

// Invoke sends the message.
func (a *SendAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
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
	to, _ := config.Check(view, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.SendProgress(action.InvokeProgressEvent{Message: "Sending to " + config.Words()})
	sent, err := send(ctx, a.Meta, to, config.Content.ValueString())
	if err != nil {
		resp.Diagnostics.AddError("Cannot send the message", base.ExplainWith(err, hint))
		return
	}
	text := fmt.Sprintf("Sent as message %d", sent.ID)
	if sent.URL != "" {
		text += ": " + sent.URL
	}
	resp.SendProgress(action.InvokeProgressEvent{Message: text})
}
