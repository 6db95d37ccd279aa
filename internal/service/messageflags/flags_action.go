// Package messageflags is the actions zulip_message_flags, zulip_message_flags_for_narrow and zulip_mark_topic_as_read: what
// the provider's account has read, starred and collapsed.
package messageflags

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

var (
	_ action.ActionWithConfigure  = (*FlagsAction)(nil)
	_ action.ActionWithModifyPlan = (*FlagsAction)(nil)
)

// FlagsAction is the action zulip_message_flags.
type FlagsAction struct{ base.Action }

// NewFlagsAction returns the action zulip_message_flags.
func NewFlagsAction() action.Action { return &FlagsAction{} }

type flagsModel struct {
	Messages []int64 `tfsdk:"messages"`
	change
}

// change are the attributes that say what happens to which flag.
type change struct {
	Operation types.String `tfsdk:"op"`
	Flag      types.String `tfsdk:"flag"`
}

func (c change) wire() zulip.FlagChange {
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

// Metadata names the action.
func (a *FlagsAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_message_flags"
}

// Schema describes the action.
func (a *FlagsAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
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
func (a *FlagsAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	a.CheckLevels(ctx, "zulip_message_flags", req.Config, &resp.Diagnostics)
}

// Invoke changes the flag.
func (a *FlagsAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
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
		resp.Diagnostics.AddError("Cannot change the flag of the messages", explain(err))
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

// explain adds what a refusal means for flags.
func explain(err error) string {
	text := base.Explain(err)
	if zulip.IsNoMessage(err) {
		text += "\n\nAt least one of the messages is gone, or the account the provider uses may not read it. None was changed."
	}
	return text
}
