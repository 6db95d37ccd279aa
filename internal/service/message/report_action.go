package message

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

var (
	_ action.ActionWithConfigure      = (*ReportAction)(nil)
	_ action.ActionWithModifyPlan     = (*ReportAction)(nil)
	_ action.ActionWithValidateConfig = (*ReportAction)(nil)
)

// ReportAction is the action zulip_report_message.
type ReportAction struct{ base.Action }

// NewReportAction returns the action zulip_report_message.
func NewReportAction() action.Action { return &ReportAction{} }

type reportModel struct {
	MessageID   types.Int64  `tfsdk:"message_id"`
	ReportType  types.String `tfsdk:"report_type"`
	Description types.String `tfsdk:"description"`
}

// Metadata names the action.
func (a *ReportAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_report_message"
}

// Schema describes the action.
func (a *ReportAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
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
func (a *ReportAction) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	var config reportModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if config.ReportType.ValueString() == "other" && !config.Description.IsUnknown() && config.Description.ValueString() == "" {
		resp.Diagnostics.AddAttributeError(path.Root("description"), "An explanation is missing", "With report_type = \"other\" the server wants a description.")
	}
}

// ModifyPlan refuses servers that cannot do it.
func (a *ReportAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	a.CheckLevels(ctx, "zulip_report_message", req.Config, &resp.Diagnostics)
}

// Invoke reports the message.
func (a *ReportAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
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
