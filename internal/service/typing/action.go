// Package typing is the action zulip_typing, which shows the provider's account as typing.
package typing

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/compose"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ action.ActionWithConfigure      = (*Action)(nil)
	_ action.ActionWithModifyPlan     = (*Action)(nil)
	_ action.ActionWithValidateConfig = (*Action)(nil)
)

// Action is the action zulip_typing.
type Action struct{ base.Action }

// NewAction returns the action zulip_typing.
func NewAction() action.Action { return &Action{} }

type model struct {
	compose.Addressee
	Operation types.String `tfsdk:"op"`
}

// Metadata names the action.
func (a *Action) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_typing"
}

// Schema describes the action.
func (a *Action) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
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
func (a *Action) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	config.Validate(&resp.Diagnostics)
}

// ModifyPlan finds out whom it is for.
func (a *Action) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	if !a.CanPlan(&resp.Diagnostics) {
		return
	}
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	view, err := a.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	config.CheckPlan(view, &resp.Diagnostics)
}

// Invoke shows it.
func (a *Action) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config model
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
