package users

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// userStatusModel is the resource. A null part is not managed: it is not read, written, or cleared on destroy.
type userStatusModel struct {
	User         types.String `tfsdk:"user"`
	UserID       types.Int64  `tfsdk:"user_id"`
	StatusText   types.String `tfsdk:"status_text"`
	EmojiName    types.String `tfsdk:"emoji_name"`
	EmojiCode    types.String `tfsdk:"emoji_code"`
	ReactionType types.String `tfsdk:"reaction_type"`
}

// storedStatusText returns a text as the server stores it, without white space at both ends (server-behavior §U11).
func storedStatusText(text string) string { return zulip.Strip(text) }

// read sets the managed parts to the server's values. It keeps a text that the server stores as the current one.
func (m *userStatusModel) read(status zulip.Status) {
	if !m.StatusText.IsNull() && storedStatusText(m.StatusText.ValueString()) != status.Text {
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

// readBack sets the managed parts to the status after a change. If that was not read, the next refresh reads the code of the
// emoji.
func (m *userStatusModel) readBack(now *userStatusReading) {
	if now == nil {
		now = &userStatusReading{Thing: m.over(zulip.Status{})}
	}
	m.read(now.Thing)
}

// readAll sets all parts to the server's values, as if they were managed.
func (m *userStatusModel) readAll(status zulip.Status) {
	if status.Text != "" {
		m.StatusText = types.StringValue(status.Text)
	}
	if status.EmojiName != "" {
		m.EmojiName = types.StringValue(status.EmojiName)
	}
	m.read(status)
}

// over returns a status with the parts of a state replaced; m may be nil.
func (m *userStatusModel) over(status zulip.Status) zulip.Status {
	if m == nil {
		return status
	}
	if !m.StatusText.IsNull() {
		status.Text = storedStatusText(m.StatusText.ValueString())
	}
	if !m.EmojiName.IsNull() {
		status.EmojiName, status.EmojiCode, status.ReactionType = m.EmojiName.ValueString(), m.EmojiCode.ValueString(), m.ReactionType.ValueString()
	}
	return status
}

// steps returns the changes of the parts whose planned values differ from the prior status.
func (m *userStatusModel) steps(prior zulip.Status) (steps []change.Step[zulip.Status, zulip.StatusUpdate]) {
	if text := storedStatusText(m.StatusText.ValueString()); !m.StatusText.IsNull() && text != prior.Text {
		steps = append(steps, change.Step[zulip.Status, zulip.StatusUpdate]{
			Attribute: "status_text", Prior: strconv.Quote(prior.Text), Planned: strconv.Quote(text),
			Current: func(status zulip.Status) string { return strconv.Quote(status.Text) },
			Put:     func(update *zulip.StatusUpdate, _ zulip.Status, _ bool) { update.Text = &text },
		})
	}
	if !m.EmojiName.IsNull() && !m.emojiIs(prior) {
		planned := strconv.Quote(m.EmojiName.ValueString())
		steps = append(steps, change.Step[zulip.Status, zulip.StatusUpdate]{
			Attribute: "emoji_name", Prior: statusEmojiText(prior), Planned: planned,
			Current: func(status zulip.Status) string {
				if m.emojiIs(status) {
					return planned
				}
				return statusEmojiText(status)
			},
			Put: m.putEmoji,
		})
	}
	return steps
}

func (m *userStatusModel) putEmoji(update *zulip.StatusUpdate, _ zulip.Status, _ bool) {
	update.EmojiName = m.EmojiName.ValueStringPointer()
	if base.IsSet(m.EmojiCode) {
		update.EmojiCode = m.EmojiCode.ValueStringPointer()
	}
	if base.IsSet(m.ReactionType) {
		update.ReactionType = m.ReactionType.ValueStringPointer()
	}
}

// emojiIs reports whether a status has the emoji. Unknown attributes count as equal.
func (m *userStatusModel) emojiIs(status zulip.Status) bool {
	return m.EmojiName.ValueString() == status.EmojiName &&
		(!base.IsSet(m.EmojiCode) || m.EmojiCode.ValueString() == status.EmojiCode) &&
		(!base.IsSet(m.ReactionType) || m.ReactionType.ValueString() == status.ReactionType)
}

// statusEmojiText returns the emoji of a status for messages. Two emoji can have the same name.
func statusEmojiText(status zulip.Status) string {
	if status.EmojiName == "" {
		return `""`
	}
	return fmt.Sprintf("%q (%s %s)", status.EmojiName, status.ReactionType, status.EmojiCode)
}

// cleared returns the status after the managed parts are cleared.
func (m *userStatusModel) cleared() userStatusModel {
	cleared := userStatusModel{User: m.User, UserID: m.UserID}
	if m.StatusText.ValueString() != "" {
		cleared.StatusText = types.StringValue("")
	}
	if m.EmojiName.ValueString() != "" {
		cleared.EmojiName = types.StringValue("")
	}
	return cleared
}

// isCleared reports whether the plan only clears parts.
func (m *userStatusModel) isCleared() bool {
	return m.StatusText.ValueString() == "" && m.EmojiName.ValueString() == ""
}

func userStatusSchema() schema.Schema {
	return schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: "Manages the [status](https://zulip.com/help/status-and-availability) of a user: a text, an emoji, or both.",
		Attributes: map[string]schema.Attribute{
			"user": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Email or user ID of the user, such as `zulip_user.x.id`. Defaults to the provider's account. Changing it to another user forces replacement.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"user_id": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "ID of the user.",
				PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"status_text": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Text of the status, at most 60 characters; `\"\"` for none. The server removes white space at both ends.",
			},
			"emoji_name": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Name of the emoji without colons, such as `palm_tree`; `\"\"` for none. A custom emoji takes precedence over a standard emoji with the same name.",
			},
			"emoji_code": schema.StringAttribute{
				Optional: true, Computed: true, MarkdownDescription: "Code of the emoji, such as `1f334`. Defaults to the code for the name.",
				Validators: []validator.String{validators.Length(1, 0)},
			},
			"reaction_type": schema.StringAttribute{
				Optional: true, Computed: true, MarkdownDescription: "Type of the emoji: `unicode_emoji`, `realm_emoji` (a custom emoji) or `zulip_extra_emoji`. Defaults to the type for the name.",
				Validators: []validator.String{validators.OneOf(zulip.ReactionTypes...)},
			},
		},
	}
}

// NewUserStatusDataSource returns the data source zulip_user_status.
func NewUserStatusDataSource() datasource.DataSource {
	return adapter.DataSource[userStatusModel]{Name: "user_status", Schema: userStatusDataSchema, Read: readUserStatusData}.New()
}

func userStatusDataSchema() datasourceschema.Schema {
	computed := func(description string) datasourceschema.StringAttribute {
		return datasourceschema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return datasourceschema.Schema{
		MarkdownDescription: "Reads the status of a user: text and emoji.",
		Attributes: map[string]datasourceschema.Attribute{
			"user":          datasourceschema.StringAttribute{Required: true, MarkdownDescription: "Email address or user ID. Bots have no status."},
			"user_id":       datasourceschema.Int64Attribute{Computed: true, MarkdownDescription: "User ID."},
			"status_text":   computed("Text of the status; `\"\"` if there is none."),
			"emoji_name":    computed("Name of the emoji; `\"\"` if there is none."),
			"emoji_code":    computed("Code of the emoji; `\"\"` if there is none."),
			"reaction_type": computed("Type of the emoji: `unicode_emoji`, `realm_emoji` or `zulip_extra_emoji`; `\"\"` if there is none."),
		},
	}
}

func readUserStatusData(ctx context.Context, c *adapter.Call[userStatusModel], data *userStatusModel) error {
	view, err := c.Read("the people", store.Users)
	if err != nil {
		return err
	}
	user, err := lookup.User(view, data.User.ValueString())
	switch {
	case err != nil:
		return lookup.Error(path.Root("user"), err, "")
	case user.IsBot:
		return base.Refused(path.Root("user"), "A bot has no status", fmt.Sprintf("%s is a bot. Only people have a status.", user.Address()))
	case !user.IsActive:
		return base.Refused(path.Root("user"), "Deactivated", fmt.Sprintf("%s is deactivated and shows no status.", user.Address()))
	}
	status, err := c.Meta.Client.Status(ctx, user.ID)
	if err != nil {
		return base.Failed("Cannot read the status of "+user.Address(), err)
	}
	data.UserID = types.Int64Value(user.ID)
	data.StatusText, data.EmojiName = types.StringValue(status.Text), types.StringValue(status.EmojiName)
	data.EmojiCode, data.ReactionType = types.StringValue(status.EmojiCode), types.StringValue(status.ReactionType)
	return nil
}

// NewUserStatusList returns the list resource zulip_user_status: the people who have a status.
func NewUserStatusList() list.ListResource {
	return core.NewList(core.ListDefinition[zulip.User]{
		Name: "user_status", Plural: "people", Identity: "user_id",
		ListText: core.ListText{Called: "email address", Description: "Lists the statuses of all users who have one."},
		Objects: core.FromSnapshot((*snapshot.Snapshot).Users, func(s *snapshot.Snapshot, user *zulip.User) bool {
			return !user.IsBot && user.IsActive && s.Status(user.ID) != zulip.Status{}
		}, store.Users, store.Statuses),
		Key:   func(user *zulip.User) any { return user.ID },
		Label: func(user *zulip.User, _ *snapshot.Snapshot) string { return user.Address() },
	})
}
