package messageflags

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"

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
	_ action.ActionWithConfigure      = (*NarrowAction)(nil)
	_ action.ActionWithModifyPlan     = (*NarrowAction)(nil)
	_ action.ActionWithValidateConfig = (*NarrowAction)(nil)
)

// NarrowAction is the action zulip_message_flags_for_narrow.
type NarrowAction struct{ base.Action }

// NewNarrowAction returns the action zulip_message_flags_for_narrow.
func NewNarrowAction() action.Action { return &NarrowAction{} }

type narrowModel struct {
	Anchor        types.String `tfsdk:"anchor"`
	IncludeAnchor types.Bool   `tfsdk:"include_anchor"`
	NumBefore     types.Int64  `tfsdk:"num_before"`
	NumAfter      types.Int64  `tfsdk:"num_after"`
	ToTheEnd      types.Bool   `tfsdk:"to_the_end"`
	Narrow        []termModel  `tfsdk:"narrow"`
	change
}

type termModel struct {
	Operator types.String `tfsdk:"operator"`
	Operand  types.String `tfsdk:"operand"`
	Negated  types.Bool   `tfsdk:"negated"`
}

// Metadata names the action.
func (a *NarrowAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_message_flags_for_narrow"
}

// Schema describes the action.
func (a *NarrowAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	count := []validator.Int64{validators.Between(0, zulip.MaxFlagRange)}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Changes a flag of the messages that match conditions, for the account the provider uses alone: as many before and after an anchor as it says. Invoking it again changes nothing more. " + featurelevel.Needs("zulip_message_flags_for_narrow", ""),
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
func (a *NarrowAction) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
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
func (a *NarrowAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	a.CheckLevels(ctx, "zulip_message_flags_for_narrow", req.Config, &resp.Diagnostics)
}

// Invoke changes the flag, range after range.
func (a *NarrowAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config narrowModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !a.Ready(&resp.Diagnostics) {
		return
	}
	messages := config.wire()
	var processed, updated int64
	ignored := []int64{}
	for {
		result, err := a.Meta.Client.UpdateFlagsForNarrow(ctx, messages, config.change.wire())
		if err != nil {
			resp.Diagnostics.AddError("Cannot change the flag of the messages",
				fmt.Sprintf("%s\n\n%d messages were looked at before, and %d of them changed.", explain(err), processed, updated))
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
