package scheduledmessage

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// model is the resource.
type model struct {
	framework.Addressee
	ID        types.Int64  `tfsdk:"id"`
	Content   types.String `tfsdk:"content"`
	DeliverAt types.String `tfsdk:"scheduled_delivery_timestamp"`
	Delivered types.Bool   `tfsdk:"delivered"`
	Failed    types.Bool   `tfsdk:"failed"`
}

// deliverAt is the moment in the server's words; zero if it is not known.
func (m *model) deliverAt() int64 {
	at, err := time.Parse(time.RFC3339, m.DeliverAt.ValueString())
	if err != nil {
		return 0
	}
	return at.Unix()
}

// isDue reports whether the moment has come.
func (m *model) isDue(now time.Time) bool { return m.deliverAt() <= now.Unix() }

// read takes what the server holds, in the words there are if they mean it.
func (m *model) read(found *zulip.ScheduledMessage, view *snapshot.Snapshot, self int64) {
	m.ID = types.Int64Value(found.ID)
	m.Read(found.To, view, self)
	m.Content = framework.KeepContent(m.Content, found.Content)
	if m.deliverAt() != found.DeliverAt {
		m.DeliverAt = types.StringValue(time.Unix(found.DeliverAt, 0).UTC().Format(time.RFC3339))
	}
	m.Delivered, m.Failed = types.BoolValue(false), types.BoolValue(found.Failed)
}

func resourceSchema() schema.Schema {
	attributes := framework.AddresseeAttributes()
	keep := []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()}
	attributes["id"] = schema.Int64Attribute{
		Computed: true, MarkdownDescription: "The scheduled message's ID, which is not that of the message it becomes.",
		PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
	}
	attributes["content"] = schema.StringAttribute{
		Required: true, MarkdownDescription: framework.ContentDescription,
		Validators: []validator.String{framework.ContentValidator()},
	}
	attributes["scheduled_delivery_timestamp"] = schema.StringAttribute{
		Required:            true,
		MarkdownDescription: "When it is to be sent (RFC 3339), as in `2030-01-31T09:00:00+01:00`. It has to be in the future when the message is scheduled. After it was sent, another moment in the future schedules it once more.",
		Validators:          []validator.String{momentValidator{}},
	}
	attributes["delivered"] = schema.BoolAttribute{
		Computed: true, MarkdownDescription: "Whether it was sent. A scheduled message that is gone when its time has come counts as sent.", PlanModifiers: keep,
	}
	attributes["failed"] = schema.BoolAttribute{
		Computed: true, MarkdownDescription: "Whether the server tried to send it and could not. It tries again when the message is given another moment.", PlanModifiers: keep,
	}
	return schema.Schema{
		Version: framework.SchemaVersion,
		MarkdownDescription: `A message that the server sends later, for the account the provider uses. Until then it is changed in place, and taken back when it is destroyed. ` + featurelevel.Needs("zulip_scheduled_message", "") + `

When it was sent, the resource stays in the state with ` + "`delivered = true`" + `, and nothing is sent a second time. To have it sent again, give it another ` + "`scheduled_delivery_timestamp`" + ` in the future. Destroying it then leaves the message that was sent.

The server schedules a message a second time when it is asked a second time. So the provider notes which messages of the account are scheduled with the same text for the same place and moment; when an answer was lost, a new one is the one it has scheduled. What cannot be recognised: one that somebody changed meanwhile, one that was delivered meanwhile, and one of an apply that was killed before it wrote its state: that one is sent too, unless somebody deletes it in the web app. Whether somebody took a message back just before its time cannot be told from that it was sent.`,
		Attributes: attributes,
	}
}

// momentValidator accepts a moment in whole seconds.
type momentValidator struct{}

// Description says what is accepted.
func (momentValidator) Description(context.Context) string {
	return "a moment as in 2030-01-31T09:00:00Z"
}

// MarkdownDescription says what is accepted.
func (v momentValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString refuses the rest.
func (momentValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	at, err := time.Parse(time.RFC3339, req.ConfigValue.ValueString())
	if err != nil || at.Nanosecond() != 0 || at.Unix() <= 0 {
		resp.Diagnostics.AddAttributeError(req.Path, "Not a moment",
			fmt.Sprintf("%q is not a date and time in whole seconds with a time zone, as in 2030-01-31T09:00:00+01:00 or 2030-01-31T08:00:00Z.", req.ConfigValue.ValueString()))
	}
}
