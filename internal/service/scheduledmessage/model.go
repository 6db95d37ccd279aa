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

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/compose"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// model is the resource.
type model struct {
	compose.Addressee
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
	m.Content = compose.KeepContent(m.Content, found.Content)
	if m.deliverAt() != found.DeliverAt {
		m.DeliverAt = types.StringValue(time.Unix(found.DeliverAt, 0).UTC().Format(time.RFC3339))
	}
	m.Delivered, m.Failed = types.BoolValue(false), types.BoolValue(found.Failed)
}

func resourceSchema() schema.Schema {
	attributes := compose.AddresseeAttributes()
	keep := []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()}
	attributes["id"] = schema.Int64Attribute{
		Computed: true, MarkdownDescription: "ID of the scheduled message, which is not the ID of the message it becomes.",
		PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
	}
	attributes["content"] = schema.StringAttribute{
		Required: true, MarkdownDescription: compose.ContentDescription,
		Validators: []validator.String{compose.ContentValidator()},
	}
	attributes["scheduled_delivery_timestamp"] = schema.StringAttribute{
		Required:            true,
		MarkdownDescription: "Time at which the message is to be sent (RFC 3339), as in `2030-01-31T09:00:00+01:00`. It must be in the future when the message is scheduled. After the message was sent, another time in the future schedules it once more.",
		Validators:          []validator.String{momentValidator{}},
	}
	attributes["delivered"] = schema.BoolAttribute{
		Computed: true, MarkdownDescription: "Whether the message was sent. A scheduled message that no longer exists after its time counts as sent.", PlanModifiers: keep,
	}
	attributes["failed"] = schema.BoolAttribute{
		Computed: true, MarkdownDescription: "Whether the server tried to send the message and could not. It tries again if the message gets another time.", PlanModifiers: keep,
	}
	return schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `Manages a message that the server sends later, on behalf of the provider's account. Until then, changes are made in place, and destroying the resource cancels the message. ` + featurelevel.Needs("zulip_scheduled_message", "") + `

After the message was sent, the resource stays in the state with ` + "`delivered = true`" + `, and nothing is sent twice. To send it again, set another ` + "`scheduled_delivery_timestamp`" + ` in the future. Destroying the resource leaves a message that was sent.

The server schedules a message twice if it is asked twice. So the provider notes which messages of the account are scheduled with the same text, recipients and time; if the connection is lost before the server answers, a message that is new since then is taken for the one it has scheduled. It cannot recognize one that somebody changed meanwhile, one that was sent meanwhile, and one of an apply that was killed before it wrote its state: that one is sent too, unless somebody deletes it in the web app. A message that somebody cancels just before its time cannot be told from one that was sent.`,
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
