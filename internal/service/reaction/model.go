package reaction

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// model is the resource.
type model struct {
	ID           types.String `tfsdk:"id"`
	MessageID    types.Int64  `tfsdk:"message_id"`
	EmojiName    types.String `tfsdk:"emoji_name"`
	EmojiCode    types.String `tfsdk:"emoji_code"`
	ReactionType types.String `tfsdk:"reaction_type"`
}

// wire is the reaction in the words of the wire; what is not known is left to the server.
func (m *model) wire() zulip.Reaction {
	return zulip.Reaction{EmojiName: m.EmojiName.ValueString(), EmojiCode: m.EmojiCode.ValueString(), Type: m.ReactionType.ValueString()}
}

func (m *model) identity() identity {
	return identity{MessageID: m.MessageID, ReactionType: m.ReactionType, EmojiCode: m.EmojiCode}
}

// takeover is what the reaction is taken over as: it has no number of its own.
func (m *model) takeover() string { return "zulip_reaction " + m.identity().text() }

// importID is what terraform import takes while the code is not known.
func (m *model) importID() string {
	return fmt.Sprintf("%d/%s", m.MessageID.ValueInt64(), m.EmojiName.ValueString())
}

// text is the identity as one word.
func (i identity) text() string {
	return fmt.Sprintf("%d/%s/%s", i.MessageID.ValueInt64(), i.ReactionType.ValueString(), i.EmojiCode.ValueString())
}

// read takes the code and the kind of the server's reaction. The name stays: the server shows an emoji under the name
// that whoever reacted first has used.
func (m *model) read(reaction zulip.Reaction) {
	m.EmojiCode, m.ReactionType = types.StringValue(reaction.EmojiCode), types.StringValue(reaction.Type)
	m.ID = types.StringValue(m.identity().text())
}

// forgetUnknown leaves what is not known to the server.
func (m *model) forgetUnknown() {
	for _, value := range []*types.String{&m.EmojiCode, &m.ReactionType} {
		if value.IsUnknown() {
			*value = types.StringNull()
		}
	}
}

// find returns the reaction that the model means, of those there are after it was added: the one with its code, the one
// that was not there before, or the one with its name.
func (m *model) find(before, after []zulip.Reaction) (zulip.Reaction, bool) {
	if !m.EmojiCode.IsNull() {
		i := slices.IndexFunc(after, func(one zulip.Reaction) bool {
			return one.EmojiCode == m.EmojiCode.ValueString() && (m.ReactionType.IsNull() || one.Type == m.ReactionType.ValueString())
		})
		return at(after, i)
	}
	i := slices.IndexFunc(after, func(one zulip.Reaction) bool { return !slices.ContainsFunc(before, one.SameEmoji) })
	if i < 0 {
		i = slices.IndexFunc(after, func(one zulip.Reaction) bool { return one.EmojiName == m.EmojiName.ValueString() })
	}
	return at(after, i)
}

func at(list []zulip.Reaction, i int) (zulip.Reaction, bool) {
	if i < 0 {
		return zulip.Reaction{}, false
	}
	return list[i], true
}

func resourceSchema() schema.Schema {
	replace := stringplanmodifier.RequiresReplace()
	keep := stringplanmodifier.UseStateForUnknown()
	return schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `Manages an emoji reaction of the provider's account to a message. An account can react to a message once with each emoji. Any change forces a new reaction.

` + core.NeverAdopted,
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Computed: true, MarkdownDescription: "Message ID, emoji type and emoji code, as in `1234/unicode_emoji/1f44d`.",
				PlanModifiers: []planmodifier.String{keep},
			},
			"message_id": schema.Int64Attribute{
				Required: true, MarkdownDescription: "ID of the message. Changing this forces a new reaction.",
				PlanModifiers: []planmodifier.Int64{int64planmodifier.RequiresReplace()},
			},
			"emoji_name": schema.StringAttribute{
				Required: true, MarkdownDescription: "Name of the emoji without colons, as in `thumbs_up`. Changing this forces a new reaction.",
				Validators: []validator.String{validators.Matches(regexp.MustCompile(`^[^:\s]+$`),
					"must be the name of an emoji, without colons")},
				PlanModifiers: []planmodifier.String{replace},
			},
			"emoji_code": schema.StringAttribute{
				Optional: true, Computed: true, MarkdownDescription: "Code of the emoji, as in `1f44d`, which all its names share. Defaults to the code that belongs to the name. Changing this forces a new reaction.",
				PlanModifiers: []planmodifier.String{keep, replace},
			},
			"reaction_type": schema.StringAttribute{
				Optional: true, Computed: true, MarkdownDescription: "Type of the emoji: `unicode_emoji`, `realm_emoji` (a custom emoji of the organization) or `zulip_extra_emoji`. Defaults to the type that belongs to the name. Changing this forces a new reaction.",
				Validators:    []validator.String{validators.OneOf(zulip.ReactionTypes...)},
				PlanModifiers: []planmodifier.String{keep, replace},
			},
		},
	}
}

// explain adds what a refusal means for a reaction, where that is special.
func explain(err error) string {
	text := base.Explain(err)
	if zulip.IsNoMessage(err) {
		text += "\n\nThe message is gone, or the account the provider uses may not read it."
	}
	return text
}
