package messages

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// scheduledMessageResource is zulip_scheduled_message.
type scheduledMessageResource struct {
	*core.Resource[scheduledMessageModel, zulip.ScheduledMessage, scheduledMessageModel]
}

// NewScheduledMessageResource returns zulip_scheduled_message.
func NewScheduledMessageResource() resource.Resource {
	return &scheduledMessageResource{core.New(&core.Definition[scheduledMessageModel, zulip.ScheduledMessage]{
		Name: "scheduled_message", Title: "scheduled message", Plural: "scheduled messages",
		ListText: core.ListText{Called: "display name (`scheduled message 6001`)", Description: "Lists the unsent scheduled messages of the provider's account."},
		Schema:   scheduledMessageSchema,
		Source:   core.Source{Part: store.ScheduledMessages, Needs: []store.Part{store.Channels}, StoresAsSent: true},
		Key:      func(message *zulip.ScheduledMessage) int64 { return message.ID },
		ReadInto: func(m *scheduledMessageModel, message *zulip.ScheduledMessage, c *core.Call) {
			m.read(message, c.Snapshot, c.Meta.Store.Self().ID)
		},
		Names:     addresseeNames,
		Validate:  func(config *scheduledMessageModel, diags *diag.Diagnostics) { config.Validate(diags) },
		CheckPlan: checkScheduledMessagePlan,
		Create:    createScheduledMessage, Update: updateScheduledMessage, Delete: deleteScheduledMessage,
		// A delivered message stays on the server.
		IsKept: func(state *scheduledMessageModel) bool { return state.Delivered.ValueBool() },
		Hint:   scheduledMessageHint,
		Unlisted: core.Unlisted[scheduledMessageModel, zulip.ScheduledMessage]{
			ReadAll: func(ctx context.Context, s *store.Store) ([]*zulip.ScheduledMessage, error) {
				return s.ScheduledMessages(ctx)
			},
			WhereIDs: "GET /scheduled_messages lists the account's own. It may have been sent or deleted.",
		},
	})}
}

// Read finds the message among the undelivered ones. A message that is missing after its time was sent. It stays in the
// state, so that it is not sent again.
func (r *scheduledMessageResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state scheduledMessageModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if state.Delivered.ValueBool() {
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
		return // a delivered message never changes
	}
	r.Resource.Read(ctx, req, resp)
	if resp.State.Raw.IsNull() && state.isDue(time.Now()) {
		tflog.Info(ctx, "The message is not scheduled any more, and its time has come: it was sent", map[string]any{"id": state.ID.ValueInt64()})
		state.Delivered, state.Failed = types.BoolValue(true), types.BoolValue(false)
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}

func createScheduledMessage(ctx context.Context, c *core.Call, plan *scheduledMessageModel) (int64, error) {
	to, err := plan.resolve(ctx, c)
	if err != nil {
		return 0, err
	}
	plan.Delivered, plan.Failed = types.BoolValue(false), types.BoolValue(false)
	return c.Meta.Client.ScheduleMessage(ctx, to, plan.Content.ValueString(), plan.deliverAt())
}

// updateScheduledMessage sends the differences if the message is not delivered yet.
func updateScheduledMessage(ctx context.Context, c *core.Call, planned, current *scheduledMessageModel) error {
	var change zulip.ScheduledMessageUpdate
	if !planned.Equal(current.addressee) {
		to, err := planned.resolve(ctx, c)
		if err != nil {
			return err
		}
		change.To = &to
	}
	if !planned.Content.Equal(current.Content) {
		change.Content = planned.Content.ValueStringPointer()
	}
	if at := planned.deliverAt(); at != current.deliverAt() {
		change.DeliverAt = &at
	}
	if change.Empty() {
		return nil
	}
	return c.Meta.Client.UpdateScheduledMessage(ctx, current.ID.ValueInt64(), change)
}

// resolve finds the recipients of the message, and refuses a message that the account can't send.
func (m *scheduledMessageModel) resolve(ctx context.Context, c *core.Call) (zulip.Addressee, error) {
	view, err := c.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		return zulip.Addressee{}, err
	}
	var diags diag.Diagnostics
	to := resolveToSend(ctx, c.Meta, &m.addressee, view, &diags)
	return to, core.AsError(diags)
}

func deleteScheduledMessage(ctx context.Context, c *core.Call, state *scheduledMessageModel) error {
	return c.Meta.Client.DeleteScheduledMessage(ctx, state.ID.ValueInt64())
}

func scheduledMessageHint(err error) string {
	switch {
	case zulip.IsDelivered(err) || zulip.IsNoScheduledMessage(err):
		return "It was sent or deleted after the plan was made. Plan again to see which."
	case zulip.IsMessage(err, "Scheduled delivery time must be in the future."):
		return "The time has passed since the plan was made, or the server's clock is ahead. Set a later time."
	}
	return ""
}

// checkScheduledMessagePlan refuses a message that the server would refuse, and plans no change if the message means
// the same.
func checkScheduledMessagePlan(ctx context.Context, p *core.Plan[scheduledMessageModel]) {
	if p.IsDestroy() {
		return
	}
	view, err := p.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		p.Diags.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	plan, prior := p.Plan, p.State
	if prior != nil {
		plan.keepPrior(prior)
		plan.KeepPrior(prior.addressee, view, p.Meta.Store.Self().ID)
		if plan.isAs(prior) {
			if prior.Failed.ValueBool() {
				p.Diags.AddAttributeWarning(path.Root("scheduled_delivery_timestamp"), "The server could not send the scheduled message",
					fmt.Sprintf("The server could not send scheduled message %d, and told the account why. To let it try again, set another time in the future.", prior.ID.ValueInt64()))
			}
			return
		}
	}
	checkContent(plan.Content, view, p.Diags)
	isSame := prior != nil && plan.Equal(prior.addressee) && plan.Content.Equal(prior.Content) // the server checks the others again
	switch to, known := plan.CheckPlan(view, p.Diags); {
	case !known:
		warnOfSilent(p.Meta, plan.Channel, p.Diags)
	case !isSame && !p.Diags.HasError():
		needRecipients(p.Meta, view, to, p.Diags)
		base.CheckInPlan(p.Diags, func(found *diag.Diagnostics) { checkSend(ctx, p.Meta, view, to, found) })
	}
	plan.checkMoment(prior, p.Diags)
	switch {
	case prior == nil:
	case prior.Delivered.ValueBool():
		p.Replace("scheduled_delivery_timestamp")
	default:
		plan.Failed = types.BoolValue(false)
	}
}

// keepPrior keeps prior values with the same meaning.
func (m *scheduledMessageModel) keepPrior(state *scheduledMessageModel) {
	if !m.Content.IsUnknown() {
		m.Content = keepContent(state.Content, m.Content.ValueString())
	}
	if !m.DeliverAt.IsUnknown() && m.deliverAt() == state.deliverAt() {
		m.DeliverAt = state.DeliverAt
	}
}

// isAs reports whether the configuration matches the state.
func (m *scheduledMessageModel) isAs(state *scheduledMessageModel) bool {
	return m.Equal(state.addressee) && m.Content.Equal(state.Content) && m.DeliverAt.Equal(state.DeliverAt)
}

// checkMoment refuses a new time in the past. It also refuses to change a sent or failed message without a new time.
func (m *scheduledMessageModel) checkMoment(state *scheduledMessageModel, diags *diag.Diagnostics) {
	at := path.Root("scheduled_delivery_timestamp")
	switch {
	case m.DeliverAt.IsUnknown():
	case state != nil && state.Delivered.ValueBool() && m.DeliverAt.Equal(state.DeliverAt):
		diags.AddAttributeError(at, "The scheduled message was already sent",
			fmt.Sprintf("It was sent at %q, so this resource can no longer change it. To send the new content as another message, set another time in the future. Otherwise undo the change.", state.DeliverAt.ValueString()))
	case state != nil && state.Failed.ValueBool() && m.DeliverAt.Equal(state.DeliverAt):
		diags.AddAttributeError(at, "The server could not send the scheduled message",
			"The server tried to send it and failed. Together with the change, set another time in the future.")
	case (state == nil || !m.DeliverAt.Equal(state.DeliverAt)) && m.isDue(time.Now()):
		diags.AddAttributeError(at, "The scheduled time is in the past",
			fmt.Sprintf("%q is not in the future. If the message was sent long ago, remove the resource from the configuration.", m.DeliverAt.ValueString()))
	}
}

// scheduledMessageModel is the resource.
type scheduledMessageModel struct {
	addressee
	ID        types.Int64  `tfsdk:"id"`
	Content   types.String `tfsdk:"content"`
	DeliverAt types.String `tfsdk:"scheduled_delivery_timestamp"`
	Delivered types.Bool   `tfsdk:"delivered"`
	Failed    types.Bool   `tfsdk:"failed"`
}

// deliverAt returns the time in the server's form; zero if it is not known.
func (m *scheduledMessageModel) deliverAt() int64 {
	at, err := time.Parse(time.RFC3339, m.DeliverAt.ValueString())
	if err != nil {
		return 0
	}
	return at.Unix()
}

// isDue reports whether the time has come.
func (m *scheduledMessageModel) isDue(now time.Time) bool { return m.deliverAt() <= now.Unix() }

// read sets the model to the server's values, and keeps values with the same meaning.
func (m *scheduledMessageModel) read(found *zulip.ScheduledMessage, view *snapshot.Snapshot, self int64) {
	m.ID = types.Int64Value(found.ID)
	m.Read(found.To, view, self)
	m.Content = keepContent(m.Content, found.Content)
	if m.deliverAt() != found.DeliverAt {
		m.DeliverAt = types.StringValue(time.Unix(found.DeliverAt, 0).UTC().Format(time.RFC3339))
	}
	m.Delivered, m.Failed = types.BoolValue(false), types.BoolValue(found.Failed)
}

func scheduledMessageSchema() schema.Schema {
	attributes := addresseeAttributes()
	keep := []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()}
	attributes["id"] = schema.Int64Attribute{
		Computed: true, MarkdownDescription: "ID of the scheduled message. The sent message has another ID.",
		PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
	}
	attributes["content"] = schema.StringAttribute{
		Required: true, MarkdownDescription: contentDescription,
		Validators: []validator.String{contentValidator()},
	}
	attributes["scheduled_delivery_timestamp"] = schema.StringAttribute{
		Required:            true,
		MarkdownDescription: "Time of delivery (RFC 3339), such as `2030-01-31T09:00:00+01:00`. Must be in the future when the message is scheduled.",
		Validators:          []validator.String{validators.Checked("timestamp", checkMoment)},
	}
	attributes["delivered"] = schema.BoolAttribute{
		Computed: true, MarkdownDescription: "True if the message was sent. A scheduled message that no longer exists after its time counts as sent.", PlanModifiers: keep,
	}
	attributes["failed"] = schema.BoolAttribute{
		Computed: true, MarkdownDescription: "True if the server failed to send the message. It tries again if you set another time.", PlanModifiers: keep,
	}
	return schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: "Manages a [scheduled message](https://zulip.com/help/schedule-a-message) of the provider's account.",
		Attributes:          attributes,
	}
}

// checkMoment checks that a text is a time in whole seconds.
func checkMoment(text string) error {
	if at, err := time.Parse(time.RFC3339, text); err != nil || at.Nanosecond() != 0 || at.Unix() <= 0 {
		return fmt.Errorf("%q is not an RFC 3339 timestamp. Use whole seconds and a time zone, for example 2030-01-31T09:00:00+01:00", text)
	}
	return nil
}
