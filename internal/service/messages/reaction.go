package messages

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

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

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

type reactionCall = adapter.Call[reactionModel]

// NewReactionResource returns zulip_reaction.
func NewReactionResource() resource.Resource {
	return adapter.Resource[reactionModel]{
		Name: "reaction", Schema: reactionSchema,
		Identity: adapter.Identity{
			{"message_id", "ID of the message."}, {"reaction_type", "Type of the emoji."}, {"emoji_code", "Code of the emoji, which all its names share."},
		},
		Plan: planReaction, Create: createReaction, Read: readReaction, Delete: deleteReaction, Import: importReaction,
		Update: func(context.Context, *reactionCall) error { return nil }, // every change replaces the reaction
	}.New()
}

func reactionSchema() schema.Schema {
	replace := stringplanmodifier.RequiresReplace()
	keep := stringplanmodifier.UseStateForUnknown()
	return schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: "Manages an [emoji reaction](https://zulip.com/help/emoji-reactions) of the provider's account to a message.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Computed: true, MarkdownDescription: "Message ID, emoji type, and emoji code, such as `1234/unicode_emoji/1f44d`.",
				PlanModifiers: []planmodifier.String{keep},
			},
			"message_id": schema.Int64Attribute{
				Required: true, MarkdownDescription: "ID of the message. Changing this forces a new reaction.",
				Validators:    []validator.Int64{validators.AtLeast(1)},
				PlanModifiers: []planmodifier.Int64{int64planmodifier.RequiresReplace()},
			},
			"emoji_name": schema.StringAttribute{
				Required: true, MarkdownDescription: "Name of the emoji without colons, such as `thumbs_up`. Changing this forces a new reaction.",
				Validators: []validator.String{validators.Matches(regexp.MustCompile(`^[^:\s]+$`),
					"must be the name of an emoji, without colons")},
				PlanModifiers: []planmodifier.String{replace},
			},
			"emoji_code": schema.StringAttribute{
				Optional: true, Computed: true, MarkdownDescription: "Code of the emoji, such as `1f44d`, which all its names share. Defaults to the code of the name. Changing this forces a new reaction.",
				PlanModifiers: []planmodifier.String{keep, replace},
			},
			"reaction_type": schema.StringAttribute{
				Optional: true, Computed: true, MarkdownDescription: "Type of the emoji: `unicode_emoji`, `realm_emoji` (a custom emoji of the organization) or `zulip_extra_emoji`. Defaults to the type of the name. Changing this forces a new reaction.",
				Validators:    []validator.String{validators.OneOf(zulip.ReactionTypes...)},
				PlanModifiers: []planmodifier.String{keep, replace},
			},
		},
	}
}

// planReaction refuses an emoji that the server does not know. An existing reaction stays, even if its emoji no longer
// exists.
func planReaction(ctx context.Context, c *reactionCall) error {
	if c.State != nil && *c.Plan == *c.State {
		return nil
	}
	view, err := c.Read("the organization", store.CustomEmoji)
	if err != nil {
		return err
	}
	var found diag.Diagnostics
	lookup.Emoji{Name: c.Config.EmojiName, Code: c.Config.EmojiCode, Kind: c.Config.ReactionType}.Check(ctx, c.Meta, view, &found)
	if c.Config.MessageID.IsUnknown() {
		c.Diags.Append(found...)
		return nil
	}
	message, err := c.Meta.Store.Message(ctx, c.Config.MessageID.ValueInt64())
	if err != nil {
		return base.Failed(fmt.Sprintf("Cannot read message %d", c.Config.MessageID.ValueInt64()), err)
	}
	if c.State == nil {
		checkNewReaction(c, message)
	}
	if len(found) == 0 || c.Config.EmojiCode.IsNull() {
		c.Diags.Append(found...)
		return nil
	}
	// With a code, the server accepts any name if the message has a reaction with the emoji (server-behavior §U12).
	if message != nil {
		if _, isShown := c.Config.find(nil, message.Reactions); isShown {
			return nil
		}
	}
	for _, one := range found {
		c.Diags.AddAttributeError(path.Root("emoji_code"), one.Summary(), one.Detail()+" The server accepts another name or code only if the message has a reaction with this emoji.")
	}
	return nil
}

// checkNewReaction reports that the account already has the planned reaction, or that it cannot read the message.
func checkNewReaction(c *reactionCall, message *zulip.Message) {
	if message == nil {
		c.Diags.AddAttributeWarning(path.Root("message_id"), fmt.Sprintf("The account does not see message %d, so the apply will fail", c.Config.MessageID.ValueInt64()),
			"The message was deleted, or the provider's account cannot read it. Remove this resource. If the message is in a private channel, subscribe the account first.")
		return
	}
	planned, own := *c.Config, ownReactionsOf(c.Meta, message)
	if planned.EmojiName.IsUnknown() || planned.EmojiCode.IsUnknown() {
		return
	}
	if shown, ok := planned.find(own, own); ok {
		planned.read(shown)
		planned.existing().Check(c.Meta, c.Diags)
	}
}

// createReaction adds the reaction. An existing one is refused, because it may be in another state.
func createReaction(ctx context.Context, c *reactionCall) error {
	plan, message := c.Plan, c.Plan.MessageID.ValueInt64()
	summary := fmt.Sprintf("Cannot react with %q to message %d", plan.EmojiName.ValueString(), message)
	// The account's reactions on one message are changed one after the other, because the code is found by the new
	// reaction.
	done, err := c.Meta.Run.Lock(ctx, fmt.Sprint("zulip_reaction ", message))
	if err != nil {
		return base.Failed(summary, err)
	}
	defer done()
	before, err := ownReactions(ctx, c.Meta, message)
	if err == nil {
		err = c.Meta.Client.AddReaction(ctx, message, plan.wire())
	}
	if err != nil && !zulip.MayHaveHappened(err) {
		return base.Failed(summary, err, reactionHint)
	}
	// The reaction may exist now. Its code is read if the configuration leaves it to the server.
	plan.forgetUnknown()
	after, unread := ownReactions(ctx, c.Meta, message)
	if unread != nil {
		c.Save(plan)
		return base.Failed(fmt.Sprintf("Cannot read reaction %q to message %d after it was added", plan.EmojiName.ValueString(), message),
			unread, reactionHint, func(error) string {
				return "The next plan finds out whether the reaction exists. Terraform marks it as tainted, so the next apply replaces it."
			})
	}
	added, ok := plan.find(before, after)
	switch {
	case !ok && err != nil:
		return base.Failed(summary, err, reactionHint)
	case !ok:
		return base.Refused(path.Root("emoji_name"), "Ambiguous reaction",
			fmt.Sprintf("The account already reacted to message %d with this emoji under another name. Set emoji_name to the name that the message shows, or set emoji_code.", message))
	}
	plan.read(added)
	if slices.ContainsFunc(before, added.SameEmoji) && !adoptsReaction(c) {
		return nil
	}
	c.Save(plan)
	return nil
}

// adoptsReaction reports whether an existing reaction can be adopted, and otherwise refuses it.
func adoptsReaction(c *reactionCall) bool {
	plan, found := c.Plan, c.Plan.existing()
	if !c.Meta.RecoverInterrupted {
		found.Refuse(c.Meta, c.Diags)
		return false
	}
	found.Check(c.Meta, c.Diags) // marks the reaction as adopted
	c.Meta.Run.Note(runstate.Adopted, runstate.ID(plan.takeover(), 0))
	return true
}

// ownReactions reads the account's own reactions to a message.
func ownReactions(ctx context.Context, meta *base.Meta, message int64) ([]zulip.Reaction, error) {
	found, err := meta.Client.Message(ctx, message)
	return ownReactionsOf(meta, found), err
}

// ownReactionsOf returns the account's own reactions to a message, which may be nil.
func ownReactionsOf(meta *base.Meta, message *zulip.Message) []zulip.Reaction {
	if message == nil {
		return nil
	}
	self := meta.Store.Self().ID
	return slices.DeleteFunc(slices.Clone(message.Reactions), func(one zulip.Reaction) bool { return one.UserID != self })
}

// readReaction finds the reaction on its message.
func readReaction(ctx context.Context, c *reactionCall) error {
	id := c.State.MessageID.ValueInt64()
	message, err := c.Meta.Store.Message(ctx, id)
	if err != nil {
		return base.Failed(fmt.Sprintf("Cannot read message %d", id), err)
	}
	own := ownReactionsOf(c.Meta, message)
	i := slices.IndexFunc(own, c.State.isShownAs)
	if i < 0 {
		tflog.Info(ctx, "The reaction, or its message, is not there any more: removing it from the state",
			map[string]any{"message": id, "emoji": c.State.EmojiName.ValueString()})
		c.Forget()
		return nil
	}
	if slices.Contains(zulip.ReactionTypes, own[i].Type) {
		c.State.read(own[i])
		c.Meta.Run.Note(runstate.Managed, runstate.ID(c.State.takeover(), 0))
		c.Save(c.State)
	}
	return nil
}

// deleteReaction removes the reaction.
func deleteReaction(ctx context.Context, c *reactionCall) error {
	id := c.State.MessageID.ValueInt64()
	summary := fmt.Sprintf("Cannot remove the reaction %q from message %d", c.State.EmojiName.ValueString(), id)
	done, err := c.Meta.Run.Lock(ctx, fmt.Sprint("zulip_reaction ", id))
	if err != nil {
		return base.Failed(summary, err)
	}
	defer done()
	if c.Meta.Run.Knows(runstate.Adopted, runstate.ID(c.State.takeover(), 0)) {
		tflog.Info(ctx, "The reaction stays: another resource has taken it over", map[string]any{"id": c.State.ID.ValueString()})
		return nil
	}
	return base.Failed(summary, c.Meta.Client.RemoveReaction(ctx, id, c.State.wire()), reactionHint)
}

// importReaction imports by "MESSAGE_ID/EMOJI_NAME", or by the resource's id.
func importReaction(ctx context.Context, c *reactionCall, text string) error {
	message, _, emoji, err := lookup.Imported(text, func(part string) (int64, error) { return strconv.ParseInt(part, 10, 64) })
	if err != nil || emoji == "" {
		return base.Refused(path.Empty(), "Invalid ID of a reaction", fmt.Sprintf("%q is not of the form MESSAGE_ID/EMOJI_NAME, as in 1234/thumbs_up.", text))
	}
	own, err := ownReactions(ctx, c.Meta, message)
	if err != nil {
		return base.Failed(fmt.Sprintf("Cannot read message %d", message), err, reactionHint)
	}
	kind, code, byCode := strings.Cut(emoji, "/")
	i := slices.IndexFunc(own, func(one zulip.Reaction) bool {
		if byCode {
			return one.Type == kind && one.EmojiCode == code
		}
		return one.EmojiName == emoji
	})
	if i < 0 {
		names := []string{}
		for _, one := range own {
			names = append(names, one.EmojiName)
		}
		return base.Refused(path.Empty(), "No such reaction",
			fmt.Sprintf("The provider's account has not reacted to message %d with %s. Its reactions there: %s.", message, emoji, listOf(names)))
	}
	found := reactionModel{MessageID: types.Int64Value(message), EmojiName: types.StringValue(own[i].EmojiName)}
	found.read(own[i])
	c.Save(&found)
	return nil
}

func listOf(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// reactionModel is the resource.
type reactionModel struct {
	ID           types.String `tfsdk:"id"`
	MessageID    types.Int64  `tfsdk:"message_id"`
	EmojiName    types.String `tfsdk:"emoji_name"`
	EmojiCode    types.String `tfsdk:"emoji_code"`
	ReactionType types.String `tfsdk:"reaction_type"`
}

// wire returns the reaction for a request. Unknown values are left to the server.
func (m *reactionModel) wire() zulip.Reaction {
	return zulip.Reaction{EmojiName: m.EmojiName.ValueString(), EmojiCode: m.EmojiCode.ValueString(), Type: m.ReactionType.ValueString()}
}

// key returns the ID of the resource: the message, and the type and code of the emoji.
func (m *reactionModel) key() string {
	return fmt.Sprintf("%d/%s/%s", m.MessageID.ValueInt64(), m.ReactionType.ValueString(), m.EmojiCode.ValueString())
}

// isShownAs reports whether a reaction of the account is the one in the state. After a broken-off creation, only the name is
// known. A newer server may have other types.
func (m *reactionModel) isShownAs(reaction zulip.Reaction) bool {
	if m.EmojiCode.IsNull() {
		return reaction.EmojiName == m.EmojiName.ValueString()
	}
	if !slices.Contains(zulip.ReactionTypes, reaction.Type) {
		return reaction.EmojiCode == m.EmojiCode.ValueString()
	}
	return m.wire().SameEmoji(reaction)
}

// takeover returns the key of an adopted reaction in the run state, because it has no ID.
func (m *reactionModel) takeover() string { return "zulip_reaction " + m.key() }

// existing describes the reaction as one that the account already has.
func (m *reactionModel) existing() existing.Object {
	return existing.Object{
		Kind: m.takeover(), Title: "reaction", Name: m.EmojiName.ValueString(), Import: m.importID(), At: path.Root("emoji_name"),
		Summary:   fmt.Sprintf("The account already reacted with %q to message %d", m.EmojiName.ValueString(), m.MessageID.ValueInt64()),
		AsPlanned: true, Ours: true, MayBeReplaced: true, // the server does not show when it was added
	}
}

// importID returns the import ID for an unknown code.
func (m *reactionModel) importID() string {
	return fmt.Sprintf("%d/%s", m.MessageID.ValueInt64(), m.EmojiName.ValueString())
}

// read sets the code and the kind to those of the server's reaction. It keeps the name, because the server shows the
// name that the first reaction used.
func (m *reactionModel) read(reaction zulip.Reaction) {
	m.EmojiCode, m.ReactionType = types.StringValue(reaction.EmojiCode), types.StringValue(reaction.Type)
	m.ID = types.StringValue(m.key())
}

// forgetUnknown makes unknown values null, so that the server decides them.
func (m *reactionModel) forgetUnknown() {
	for _, value := range []*types.String{&m.ID, &m.EmojiCode, &m.ReactionType} {
		if value.IsUnknown() {
			*value = types.StringNull()
		}
	}
}

// find returns the model's reaction among those after it was added: the one with its code, the one that did not exist
// before, or the one with its name.
func (m *reactionModel) find(before, after []zulip.Reaction) (zulip.Reaction, bool) {
	if !m.EmojiCode.IsNull() {
		i := slices.IndexFunc(after, func(one zulip.Reaction) bool {
			return one.EmojiCode == m.EmojiCode.ValueString() && (m.ReactionType.IsNull() || one.Type == m.ReactionType.ValueString())
		})
		return reactionAt(after, i)
	}
	i := slices.IndexFunc(after, func(one zulip.Reaction) bool { return !slices.ContainsFunc(before, one.SameEmoji) })
	if i < 0 {
		i = slices.IndexFunc(after, func(one zulip.Reaction) bool { return one.EmojiName == m.EmojiName.ValueString() })
	}
	return reactionAt(after, i)
}

func reactionAt(list []zulip.Reaction, i int) (zulip.Reaction, bool) {
	if i < 0 {
		return zulip.Reaction{}, false
	}
	return list[i], true
}

func reactionHint(err error) string {
	if zulip.IsNoMessage(err) {
		return "The message was deleted, or the provider's account cannot read it."
	}
	return ""
}
