package userstatus

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// model is the resource. A part that is null is not managed: it is neither read nor written, nor cleared on destroy.
type model struct {
	User         types.String `tfsdk:"user"`
	UserID       types.Int64  `tfsdk:"user_id"`
	StatusText   types.String `tfsdk:"status_text"`
	EmojiName    types.String `tfsdk:"emoji_name"`
	EmojiCode    types.String `tfsdk:"emoji_code"`
	ReactionType types.String `tfsdk:"reaction_type"`
}

// storedText is what the server makes of a text: it takes white space away at both ends (server-behavior §U11).
func storedText(text string) string { return strings.TrimSpace(text) }

// read takes the parts that are managed, the text in the words there are if the server makes of them what it holds.
func (m *model) read(status zulip.Status) {
	if !m.StatusText.IsNull() && storedText(m.StatusText.ValueString()) != status.Text {
		m.StatusText = types.StringValue(status.Text)
	}
	m.EmojiCode, m.ReactionType = types.StringNull(), types.StringNull()
	if m.EmojiName.IsNull() {
		return
	}
	m.EmojiName = types.StringValue(status.EmojiName)
	if status.EmojiName != "" {
		m.EmojiCode, m.ReactionType = types.StringValue(status.EmojiCode), types.StringValue(status.ReactionType)
	}
}

// readAll takes everything there is, as if it were managed.
func (m *model) readAll(status zulip.Status) {
	if status.Text != "" {
		m.StatusText = types.StringValue(status.Text)
	}
	if status.EmojiName != "" {
		m.EmojiName = types.StringValue(status.EmojiName)
	}
	m.read(status)
}

// over returns a status with the parts that a state has; m may be nil.
func (m *model) over(status zulip.Status) zulip.Status {
	if m == nil {
		return status
	}
	if !m.StatusText.IsNull() {
		status.Text = storedText(m.StatusText.ValueString())
	}
	if !m.EmojiName.IsNull() {
		status.EmojiName, status.EmojiCode, status.ReactionType = m.EmojiName.ValueString(), m.EmojiCode.ValueString(), m.ReactionType.ValueString()
	}
	return status
}

// steps are the changes of the parts that are planned and not as in the prior status.
func (m *model) steps(prior zulip.Status) (steps []attribute.Step[zulip.Status, zulip.StatusUpdate]) {
	if text := storedText(m.StatusText.ValueString()); !m.StatusText.IsNull() && text != prior.Text {
		steps = append(steps, attribute.Step[zulip.Status, zulip.StatusUpdate]{
			Attribute: "status_text", Prior: strconv.Quote(prior.Text), Planned: strconv.Quote(text),
			Current: func(status zulip.Status) string { return strconv.Quote(status.Text) },
			Put:     func(update *zulip.StatusUpdate, _ zulip.Status, _ bool) { update.Text = &text },
		})
	}
	if !m.EmojiName.IsNull() && !m.emojiIs(prior) {
		planned := strconv.Quote(m.EmojiName.ValueString())
		steps = append(steps, attribute.Step[zulip.Status, zulip.StatusUpdate]{
			Attribute: "emoji_name", Prior: emojiText(prior), Planned: planned,
			Current: func(status zulip.Status) string {
				if m.emojiIs(status) {
					return planned
				}
				return emojiText(status)
			},
			Put: m.putEmoji,
		})
	}
	return steps
}

func (m *model) putEmoji(update *zulip.StatusUpdate, _ zulip.Status, _ bool) {
	update.EmojiName = m.EmojiName.ValueStringPointer()
	if base.IsSet(m.EmojiCode) {
		update.EmojiCode = m.EmojiCode.ValueStringPointer()
	}
	if base.IsSet(m.ReactionType) {
		update.ReactionType = m.ReactionType.ValueStringPointer()
	}
}

// emojiIs reports whether a status has the emoji; what is not known of it does not differ.
func (m *model) emojiIs(status zulip.Status) bool {
	return m.EmojiName.ValueString() == status.EmojiName &&
		(!base.IsSet(m.EmojiCode) || m.EmojiCode.ValueString() == status.EmojiCode) &&
		(!base.IsSet(m.ReactionType) || m.ReactionType.ValueString() == status.ReactionType)
}

// emojiText is the emoji of a status for people. An emoji can have the name of another one.
func emojiText(status zulip.Status) string {
	if status.EmojiName == "" {
		return "none"
	}
	return fmt.Sprintf("%q (%s %s)", status.EmojiName, status.ReactionType, status.EmojiCode)
}

// cleared returns the status that is left when nothing is managed any more.
func (m *model) cleared() model {
	cleared := model{User: m.User, UserID: m.UserID}
	if m.StatusText.ValueString() != "" {
		cleared.StatusText = types.StringValue("")
	}
	if m.EmojiName.ValueString() != "" {
		cleared.EmojiName = types.StringValue("")
	}
	return cleared
}

// isCleared reports whether nothing is planned but to clear.
func (m *model) isCleared() bool {
	return m.StatusText.ValueString() == "" && m.EmojiName.ValueString() == ""
}

func resourceSchema() schema.Schema {
	return schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `Manages the status of a person: a text, an emoji, or both. The two are independent: one that is unset is not managed, and stays as the person set it; ` + "`\"\"`" + ` is none. Destroying the resource clears what it manages, and nothing else. If the status was changed outside Terraform since the plan was made, the apply stops without overwriting it.

Bots have no status. Setting the status of somebody else needs an administrator's account and ` + featurelevel.Describe(featurelevel.StatusOfOthers) + `; a bot with an administrator's role can do it from ` + featurelevel.Describe(featurelevel.StatusByBots) + ` on. Applying again after a lost answer is safe, since a person has one status.`,
		Attributes: map[string]schema.Attribute{
			"user": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Email address of the person, or user ID as in `zulip_user.x.id`. Defaults to the provider's account. Changing the person forces a new resource.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"user_id": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "User ID of the person.",
				PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"status_text": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Text of the status, at most 60 characters; `\"\"` is none. The server removes white space at both ends. If unset, it is not managed.",
			},
			"emoji_name": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Name of the emoji without colons, as in `palm_tree`; `\"\"` is none. A custom emoji of the organization takes precedence over a standard emoji of the same name. If unset, it is not managed.",
			},
			"emoji_code": schema.StringAttribute{
				Optional: true, Computed: true, MarkdownDescription: "Code of the emoji, as in `1f334`. Defaults to the code that belongs to the name.",
				Validators: []validator.String{validators.Length(1, 0)},
			},
			"reaction_type": schema.StringAttribute{
				Optional: true, Computed: true, MarkdownDescription: "Type of the emoji: `unicode_emoji`, `realm_emoji` (a custom emoji of the organization) or `zulip_extra_emoji`. Defaults to the type that belongs to the name.",
				Validators: []validator.String{validators.OneOf(zulip.ReactionTypes...)},
			},
		},
	}
}
