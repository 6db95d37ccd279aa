package message

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/compose"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// kind is what messages are claimed as.
const kind = "zulip_message"

const (
	onDestroyDelete = "delete"
	onDestroyKeep   = "keep"
)

// model is the resource.
type model struct {
	compose.Addressee
	ID        types.Int64  `tfsdk:"id"`
	Content   types.String `tfsdk:"content"`
	OnDestroy types.String `tfsdk:"on_destroy"`
	ChannelID types.Int64  `tfsdk:"channel_id"`
	SenderID  types.Int64  `tfsdk:"sender_id"`
	Timestamp types.String `tfsdk:"timestamp"`
	URL       types.String `tfsdk:"message_url"`
	Link      types.String `tfsdk:"message_link"`
}

// read takes what the server holds, in the words there are if they mean it.
func (m *model) read(message *zulip.Message, view *snapshot.Snapshot, self int64) {
	m.ID = types.Int64Value(message.ID)
	m.Read(message.To(), view, self)
	m.Content = compose.KeepContent(m.Content, message.Content)
	m.ChannelID = channelID(message.To())
	m.SenderID = types.Int64Value(message.SenderID)
	m.Timestamp = types.StringValue(time.Unix(message.Timestamp, 0).UTC().Format(time.RFC3339))
}

// textOrNull is null where the server says nothing.
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

func resourceSchema() schema.Schema {
	attributes := compose.AddresseeAttributes()
	attributes["id"] = schema.Int64Attribute{
		Computed: true, MarkdownDescription: "ID of the message.",
		PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
	}
	attributes["content"] = schema.StringAttribute{
		Required: true, MarkdownDescription: compose.ContentDescription + " A change edits the message in place as long as the organization allows it (`allow_message_editing`, `message_content_edit_limit_seconds`); once it does not, the plan warns, and `terraform apply -replace=ADDRESS` sends a new message instead.",
		Validators: []validator.String{compose.ContentValidator()},
	}
	attributes["on_destroy"] = schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: "What happens to the message when the resource is destroyed: `delete` deletes it for good, `keep` leaves it. Defaults to `delete`. Deleting is possible as long as the organization allows it (`message_content_delete_limit_seconds`, which does not apply to accounts that may delete any message); once it does not, the plan warns.",
		Validators:          []validator.String{validators.OneOf(onDestroyDelete, onDestroyKeep)},
	}
	attributes["channel_id"] = schema.Int64Attribute{
		Computed: true, MarkdownDescription: "ID of the channel of the message; null for a direct message.",
	}
	attributes["sender_id"] = schema.Int64Attribute{
		Computed: true, MarkdownDescription: "User ID of the sender: the provider's account, unless the message was imported.",
		PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
	}
	attributes["timestamp"] = schema.StringAttribute{
		Computed: true, MarkdownDescription: "Time at which the message was sent (RFC 3339).",
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
	const onlyOnce = " The server tells it only when it sends a message, so it stays as it was then when the message is moved, and is null if the message was imported, was sent by a server that is older, or was found instead of sent. "
	attributes["message_url"] = schema.StringAttribute{
		Computed: true, MarkdownDescription: "URL of the message in the web app." + onlyOnce + featurelevel.Needs(kind, "message_url"),
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
	attributes["message_link"] = schema.StringAttribute{
		Computed: true, MarkdownDescription: "Markdown link to the message, as in `[#general > deploys @ 💬](message_url)`." + onlyOnce + featurelevel.Needs(kind, "message_link"),
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
	return schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `Manages a message that stays and is kept up to date, such as an announcement, in a topic of a channel or as a direct message. To send something once, use the action ` + "`zulip_send_message`" + `.

It is edited and moved in place, as long as the time limits of the organization allow it. Changing the recipients forces a new message: the old one is deleted, or kept if ` + "`on_destroy`" + ` says so, and a new one is sent. If the message is deleted outside Terraform, the next plan proposes to send it again.

Messages have no names, and the server sends a message twice if it is asked twice. So the provider notes which messages of the account have the same text; if the connection is lost before the server answers, a message that is new since then is taken for the one it has sent. It cannot recognize a message that somebody edited or moved meanwhile, one that the account may send but not read, and one of an apply that was killed before it wrote its state: that one stays, and the next apply sends another.`,
		Attributes: attributes,
	}
}
