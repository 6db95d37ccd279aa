// Package messages has the resources of messages, drafts, scheduled messages and reactions, and actions that send,
// report and flag messages.
package messages

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// messageResource is zulip_message. Messages are read one by one: no list has all of them.
type messageResource struct {
	*core.Resource[messageModel, zulip.Message, messageModel]
}

// NewMessageResource returns zulip_message.
func NewMessageResource() resource.Resource {
	return &messageResource{core.New(&core.Definition[messageModel, zulip.Message]{
		Name: "message", Title: "message", Plural: "messages",
		Schema:    messageSchema,
		Unsent:    []string{"on_destroy"},
		Validate:  func(config *messageModel, diags *diag.Diagnostics) { config.Validate(diags) },
		CheckPlan: checkMessagePlan,
		Delete: func(ctx context.Context, c *core.Call, state *messageModel) error {
			return c.Meta.Client.DeleteMessage(ctx, state.ID.ValueInt64())
		},
		IsKept: func(state *messageModel) bool { return state.OnDestroy.ValueString() == messageOnDestroyKeep },
		Hint:   messageHint,
	})}
}

// Create sends the message.
func (r *messageResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan messageModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	to := resolveToSend(ctx, r.Meta, &plan.addressee, view, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := sendMessage(ctx, r.Meta, to, plan.Content.ValueString())
	if err != nil {
		resp.Diagnostics.AddError("Cannot create the message", r.Explain(err))
		return
	}
	id := made.ID
	// The message exists now, so it is written into the state before anything can fail.
	state := plan
	state.ID, state.ChannelID = types.Int64Value(id), channelID(to)
	state.SenderID, state.Timestamp = types.Int64Value(r.Meta.Store.Self().ID), types.StringNull()
	state.URL, state.Link = textOrNull(made.URL), textOrNull(made.Link)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
	sent, err := r.Meta.Store.Message(ctx, id)
	if err != nil || sent == nil {
		resp.Diagnostics.AddWarning("Cannot read the message after it was sent", whyMessageNotRead(err))
		return
	}
	state.read(sent, view, r.Meta.Store.Self().ID)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Read reads the message, together with others that are read at the same time.
func (r *messageResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state messageModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	// The identity comes first, even for a deleted message: otherwise a CLI without stored identities would report a
	// missing one.
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
	id := state.ID.ValueInt64()
	r.Meta.Run.Note(runstate.Managed, runstate.ID(messageKind, id))
	found, err := r.Meta.Store.Message(ctx, id)
	if err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Cannot read message %d", id), base.Explain(err))
		return
	}
	if found == nil {
		wouldSee, err := r.wouldSee(ctx, &state)
		if err != nil {
			resp.Diagnostics.AddError(fmt.Sprintf("Cannot read message %d", id), base.Explain(err))
			return
		}
		if !r.Meta.MayRemove(wouldSee, fmt.Sprintf("message %d", id), "The people in its conversation see it.", &resp.Diagnostics) {
			return
		}
		tflog.Info(ctx, "The message is not there any more, or not for this account: removing it from the state", map[string]any{"id": id})
		resp.State.RemoveResource(ctx)
		return
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	state.read(found, view, r.Meta.Store.Self().ID)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// wouldSee reports whether the server would show the account the message of a state (server-behavior §C16).
func (r *messageResource) wouldSee(ctx context.Context, state *messageModel) (bool, error) {
	self := r.Meta.Store.Self()
	if state.ChannelID.IsNull() {
		return state.SenderID.ValueInt64() == self.ID, nil
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		return false, err
	}
	channel, ok := view.Channels().ByID(state.ChannelID.ValueInt64())
	if !ok {
		return r.Meta.SeesAll(), nil
	}
	switch privacy := channel.Privacy(); {
	case privacy == zulip.PrivacyPrivateProtectedHistory:
		return false, nil // an account that was subscribed later, or again, sees no earlier message
	case !privacy.IsPrivate() && self.Role < zulip.RoleGuest:
		return true, nil
	}
	subscription, err := r.Meta.Store.Subscription(ctx, channel.ID)
	return subscription != nil, err
}

// ImportState imports by the message's ID.
func (r *messageResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	id, ok := base.ImportedNumber(ctx, req, "a message",
		"It is the last number of the link that \"Copy link to message\" gives.", &resp.Diagnostics)
	if !ok {
		return
	}
	found, err := r.Meta.Store.Message(ctx, id.ValueInt64())
	switch {
	case err != nil:
		resp.Diagnostics.AddError(fmt.Sprintf("Cannot read message %d", id.ValueInt64()), base.Explain(err))
		return
	case found == nil:
		resp.Diagnostics.AddError("Cannot import this message",
			fmt.Sprintf("The provider's account sees no message with the ID %d. It may have been deleted, or the account cannot read its channel.", id.ValueInt64()))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), id)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), id)...)
}

// messageKind is the kind of messages in the run state.
const messageKind = "zulip_message"

const (
	messageOnDestroyDelete = "delete"
	messageOnDestroyKeep   = "keep"
)

// messageModel is the resource.
type messageModel struct {
	addressee
	ID        types.Int64  `tfsdk:"id"`
	Content   types.String `tfsdk:"content"`
	OnDestroy types.String `tfsdk:"on_destroy"`
	ChannelID types.Int64  `tfsdk:"channel_id"`
	SenderID  types.Int64  `tfsdk:"sender_id"`
	Timestamp types.String `tfsdk:"timestamp"`
	URL       types.String `tfsdk:"message_url"`
	Link      types.String `tfsdk:"message_link"`
}

// read sets the model to the server's values, and keeps values with the same meaning.
func (m *messageModel) read(message *zulip.Message, view *snapshot.Snapshot, self int64) {
	m.ID = types.Int64Value(message.ID)
	m.Read(message.To(), view, self)
	m.Content = keepContent(m.Content, message.Content)
	m.ChannelID = channelID(message.To())
	m.SenderID = types.Int64Value(message.SenderID)
	m.Timestamp = types.StringValue(time.Unix(message.Timestamp, 0).UTC().Format(time.RFC3339))
}

// textOrNull returns null for "".
func textOrNull(text string) types.String {
	if text == "" {
		return types.StringNull()
	}
	return types.StringValue(text)
}

func channelID(to zulip.Addressee) types.Int64 {
	if to.IsDirect() {
		return types.Int64Null()
	}
	return types.Int64Value(to.ChannelID)
}

func messageSchema() schema.Schema {
	attributes := addresseeAttributes()
	attributes["id"] = schema.Int64Attribute{
		Computed: true, MarkdownDescription: "ID of the message.",
		PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
	}
	attributes["content"] = schema.StringAttribute{
		Required: true, MarkdownDescription: contentDescription + " A change edits the message while the organization allows it (`allow_message_editing`, `message_content_edit_limit_seconds`). After that, the plan warns, and `terraform apply -replace=ADDRESS` sends a new message.",
		Validators: []validator.String{contentValidator()},
	}
	attributes["on_destroy"] = schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: "Effect of destroying the resource: `delete` deletes the message permanently, `keep` leaves it unchanged. Defaults to `delete`. The plan warns after the time limit for deletion (`message_content_delete_limit_seconds`), which doesn't apply to accounts that can delete any message.",
		Validators:          []validator.String{validators.OneOf(messageOnDestroyDelete, messageOnDestroyKeep)},
	}
	attributes["channel_id"] = schema.Int64Attribute{
		Computed: true, MarkdownDescription: "ID of the channel. Null for a direct message.",
	}
	attributes["sender_id"] = schema.Int64Attribute{
		Computed: true, MarkdownDescription: "User ID of the sender: the provider's account, unless the message was imported.",
		PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
	}
	attributes["timestamp"] = schema.StringAttribute{
		Computed: true, MarkdownDescription: "Time at which the message was sent (RFC 3339).",
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
	const onlyOnce = " Stays the same if the message is moved later. Null if the message was imported, recovered after a lost answer, or sent by an older server. "
	attributes["message_url"] = schema.StringAttribute{
		Computed: true, MarkdownDescription: "URL of the message in the web app. Contains `channel` and `topic`." + onlyOnce + featurelevel.Needs(messageKind, "message_url"),
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
	attributes["message_link"] = schema.StringAttribute{
		Computed: true, MarkdownDescription: "Markdown link to the message, such as `[#general > deploys @ 💬](message_url)`. Contains `channel` and `topic`." + onlyOnce + featurelevel.Needs(messageKind, "message_link"),
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
	return schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: "Manages a message in a channel or a direct message, such as an announcement that stays up to date.",
		Attributes:          attributes,
	}
}

// checkMessagePlan refuses a message that the server would refuse, and plans no change if the message means the same.
func checkMessagePlan(ctx context.Context, p *core.Plan[messageModel]) {
	view, err := p.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		p.Diags.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	if p.IsDestroy() {
		checkMessageDelete(p, view)
		return
	}
	checkContent(p.Plan.Content, view, p.Diags)
	to, known := p.Plan.CheckPlan(view, p.Diags)
	if p.Diags.HasError() {
		return
	}
	if known {
		p.Plan.ChannelID = channelID(to)
	} else {
		warnOfSilent(p.Meta, p.Plan.Channel, p.Diags)
	}
	if !p.IsCreate() {
		checkMessageChange(p, view)
	}
	switch from := p.State; {
	case known:
		if from == nil || !from.Equal(p.Plan.addressee) {
			needRecipients(p.Meta, view, to, p.Diags)
		}
		base.CheckInPlan(p.Diags, func(found *diag.Diagnostics) { checkMessagePlace(ctx, p.Meta, view, from, to, found) })
	case from != nil && !from.ChannelID.IsNull() && base.IsSet(p.Plan.Channel): // to a channel that this run creates
		if s := senderTo(p.Meta, view, zulip.Addressee{ChannelID: from.ChannelID.ValueInt64()}); s != nil {
			base.CheckInPlan(p.Diags, s.checkMoveOut)
		}
	}
}

// checkMessagePlace refuses a channel and topic in which the account can't send a message, or to which it can't move the
// message; prior is nil for a new one.
func checkMessagePlace(ctx context.Context, meta *base.Meta, view *snapshot.Snapshot, prior *messageModel, to zulip.Addressee, diags *diag.Diagnostics) {
	self := meta.Store.Self().ID
	before := zulip.Addressee{}
	if prior != nil {
		var gone diag.Diagnostics
		before, _ = prior.Resolve(view, &gone)
		before.ChannelID = prior.ChannelID.ValueInt64()
	}
	switch {
	case prior != nil && before.Same(to, self):
	case prior != nil:
		checkMove(ctx, meta, view, before, to, diags)
	default:
		checkSend(ctx, meta, view, to, diags)
	}
}

// resolveToSend finds the recipients of a message, and refuses a message that the account can't send.
func resolveToSend(ctx context.Context, meta *base.Meta, addressee *addressee, view *snapshot.Snapshot, diags *diag.Diagnostics) zulip.Addressee {
	to, _ := addressee.Check(view, diags)
	if !diags.HasError() {
		checkSend(ctx, meta, view, to, diags)
	}
	return to
}

// checkMessageChange plans another message for other recipients, and refuses to edit messages of others.
func checkMessageChange(p *core.Plan[messageModel], view *snapshot.Snapshot) {
	self := p.Meta.Store.Self().ID
	p.Plan.KeepPrior(p.State.addressee, view, self)
	if !p.Plan.Content.IsUnknown() {
		p.Plan.Content = keepContent(p.State.Content, p.Plan.Content.ValueString())
	}
	switch {
	case !p.Plan.Recipients.Equal(p.State.Recipients):
		p.Replace("recipients")
		checkMessageDelete(p, view)
	case p.Plan.Content.Equal(p.State.Content):
	case p.State.SenderID.ValueInt64() != self:
		p.Diags.AddAttributeError(path.Root("content"), "Only the sender can edit the message",
			fmt.Sprintf("User %d sent message %d, and only the sender can edit a message, whatever the role. Restore content, or replace the message: -replace=ADDRESS.",
				p.State.SenderID.ValueInt64(), p.State.ID.ValueInt64()))
	default:
		warnOfEditLimit(p, view)
	}
}

// warnOfEditLimit warns about an edit that the server will refuse (https://zulip.com/api/update-message).
func warnOfEditLimit(p *core.Plan[messageModel], view *snapshot.Snapshot) {
	state, settings := p.State, view.Realm().Settings
	var reason string
	switch {
	case string(settings["allow_message_editing"]) == "false":
		reason = "The organization does not allow editing messages (allow_message_editing)."
	case isPastMessageLimit(state, settings["message_content_edit_limit_seconds"]):
		reason = fmt.Sprintf("The organization allows editing for %s seconds (message_content_edit_limit_seconds). The message was sent at %s.",
			settings["message_content_edit_limit_seconds"], state.Timestamp.ValueString())
	default:
		return
	}
	p.Diags.AddAttributeWarning(path.Root("content"), fmt.Sprintf("Message %d can no longer be edited", state.ID.ValueInt64()),
		reason+" The apply will fail. Restore content, ask for the setting to be changed, or replace the message: -replace=ADDRESS sends a new one.")
}

// checkMessageDelete warns about a deletion that the server will refuse, for lack of a permission or because of its time
// limit. The limit does not apply to accounts that can delete any message (https://zulip.com/api/delete-message).
func checkMessageDelete(p *core.Plan[messageModel], view *snapshot.Snapshot) {
	const deleteAny, deleteOwn = "can_delete_any_message_group", "can_delete_own_message_group"
	state := p.State
	self, limit := p.Meta.Store.Self(), view.Realm().Settings["message_content_delete_limit_seconds"]
	may := func(setting string, isOld bool) bool {
		if everywhere, ok := view.Realm().Permissions[setting]; !ok && isOld || ok && permission.Admits(everywhere, self, view) {
			return true
		}
		channel, found := view.Channels().ByID(state.ChannelID.ValueInt64())
		if !found {
			return false
		}
		here, ok := channel.Permissions[setting]
		return ok && permission.Admits(here, self, view)
	}
	if state.OnDestroy.ValueString() == messageOnDestroyKeep || may(deleteAny, self.Role <= zulip.RoleAdministrator) {
		return
	}
	sender, _ := view.User(state.SenderID.ValueInt64())
	isOwn := state.SenderID.ValueInt64() == self.ID || sender != nil && sender.BotOwnerID != nil && *sender.BotOwnerID == self.ID
	switch {
	case !isOwn || !may(deleteOwn, true):
		base.CheckInPlan(p.Diags, func(found *diag.Diagnostics) {
			p.Meta.Lack(path.Empty(), fmt.Sprintf("delete message %d", state.ID.ValueInt64()),
				fmt.Sprintf("This is allowed for accounts in %s of the organization or the channel, and for the sender in %s. To leave the message on the server, first apply on_destroy = \"keep\".", deleteAny, deleteOwn), found)
		})
	case isPastMessageLimit(state, limit):
		p.Diags.AddWarning(fmt.Sprintf("Message %d can no longer be deleted", state.ID.ValueInt64()),
			fmt.Sprintf("The organization allows deleting for %s seconds (message_content_delete_limit_seconds). The message was sent at %s. The apply will fail. "+
				"Ask for the setting to be changed, or use the key of an account in %s. To leave the message on the server, first apply on_destroy = \"keep\".", limit, state.Timestamp.ValueString(), deleteAny))
	}
}

// isPastMessageLimit reports whether a message is older than a limit in seconds; null is no limit.
func isPastMessageLimit(state *messageModel, limit json.RawMessage) bool {
	seconds, err := strconv.ParseInt(string(limit), 10, 64)
	if err != nil || seconds <= 0 {
		return false
	}
	sent, err := time.Parse(time.RFC3339, state.Timestamp.ValueString())
	return err == nil && time.Since(sent) > time.Duration(seconds)*time.Second
}

func messageHint(err error) string {
	switch {
	case zulip.IsMessage(err, "The time limit for editing this message has passed"):
		return "The organization limits how long messages can be edited (message_content_edit_limit_seconds). Ask for a higher limit, or replace the message: -replace=ADDRESS sends a new one."
	case zulip.IsMessage(err, "Your organization has turned off message editing"):
		return "Ask for allow_message_editing to be enabled, or replace the message: -replace=ADDRESS sends a new one."
	case zulip.IsMessage(err, "The time limit for deleting this message has passed", "You don't have permission to delete this message"):
		return "The organization limits who can delete messages, and for how long (can_delete_own_message_group, message_content_delete_limit_seconds). To leave the message on the server, first apply on_destroy = \"keep\"."
	case zulip.IsExpectationMismatch(err):
		return "The content was changed after the plan was made. Plan again to see the new content."
	}
	return ""
}

// whyMessageNotRead returns why a message was not found right after it existed.
func whyMessageNotRead(err error) string {
	if err == nil {
		return "The account cannot read its messages there, or the message was deleted immediately. It is in the state. The next plan shows what is left to do."
	}
	return base.Explain(err) + "\n\nIt is in the state. The next plan shows whether anything is left to do."
}
