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
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/compose"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ resource.ResourceWithConfigure   = (*reactionResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*reactionResource)(nil)
	_ resource.ResourceWithImportState = (*reactionResource)(nil)
	_ resource.ResourceWithIdentity    = (*reactionResource)(nil)
)

// reactionResource is zulip_reaction.
type reactionResource struct{ base.Resource }

// NewReactionResource returns zulip_reaction.
func NewReactionResource() resource.Resource { return &reactionResource{} }

// identity is what a reaction is recognised by.
type identity struct {
	MessageID    types.Int64  `tfsdk:"message_id"`
	ReactionType types.String `tfsdk:"reaction_type"`
	EmojiCode    types.String `tfsdk:"emoji_code"`
}

func (r *reactionResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_reaction"
}

func (r *reactionResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = reactionSchema()
}

// IdentitySchema describes what a reaction is recognised by.
func (r *reactionResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"message_id":    identityschema.Int64Attribute{RequiredForImport: true, Description: "ID of the message."},
		"reaction_type": identityschema.StringAttribute{RequiredForImport: true, Description: "Type of the emoji."},
		"emoji_code":    identityschema.StringAttribute{RequiredForImport: true, Description: "Code of the emoji, which all its names share."},
	}}
}

// ModifyPlan refuses an emoji that the server does not know. What is there already stays, even if its emoji has gone.
func (r *reactionResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || !r.CanPlan(&resp.Diagnostics) || req.Plan.Raw.Equal(req.State.Raw) {
		return
	}
	var config reactionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	view, err := r.Meta.Store.Read(ctx, store.CustomEmoji)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", base.Explain(err))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	var found diag.Diagnostics
	compose.Emoji{Name: config.EmojiName, Code: config.EmojiCode, Kind: config.ReactionType}.Check(ctx, r.Meta, view, &found)
	for _, one := range found {
		if config.EmojiCode.IsNull() {
			resp.Diagnostics.Append(one)
			continue
		}
		// With a code the server takes any name if somebody has reacted to the message with the emoji (server-behavior §U12).
		resp.Diagnostics.AddAttributeWarning(path.Root("emoji_code"), one.Summary(), one.Detail()+"\n\nThe server takes it only if somebody has reacted to the message with this emoji already.")
	}
}

// Create adds the reaction. One that is there already is refused: somebody else's state may hold it.
func (r *reactionResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan reactionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	summary := fmt.Sprintf("Cannot react with %q to message %d", plan.EmojiName.ValueString(), plan.MessageID.ValueInt64())
	// The account's reactions on one message are changed one after the other: which one is new tells its code.
	done, ok := r.LockOrReport(ctx, fmt.Sprint("zulip_reaction ", plan.MessageID.ValueInt64()), summary, &resp.Diagnostics)
	if !ok {
		return
	}
	defer done()
	before, err := r.own(ctx, plan.MessageID.ValueInt64())
	if err != nil {
		resp.Diagnostics.AddError(summary, explainReaction(err))
		return
	}
	if err := r.Meta.Client.AddReaction(ctx, plan.MessageID.ValueInt64(), plan.wire()); err != nil {
		resp.Diagnostics.AddError(summary, explainReaction(err))
		return
	}
	// What was asked is there now. Its code, if the configuration leaves it to the server, is read.
	plan.forgetUnknown()
	after, err := r.own(ctx, plan.MessageID.ValueInt64())
	if err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Cannot read the reaction with %q to message %d after it was added", plan.EmojiName.ValueString(), plan.MessageID.ValueInt64()),
			explainReaction(err)+"\n\n"+r.afterLostReading(&plan))
		return
	}
	added, ok := plan.find(before, after)
	if !ok {
		resp.Diagnostics.AddAttributeError(path.Root("emoji_name"), "It is not clear which reaction this is",
			fmt.Sprintf("The account has reacted to message %d with this emoji before, under another name. Write the name the message shows it with, or set emoji_code.", plan.MessageID.ValueInt64()))
		return
	}
	plan.read(added)
	if slices.ContainsFunc(before, added.SameEmoji) && !r.adopts(&plan, &resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
}

// afterLostReading says what becomes of a reaction whose code is not known, without which it cannot be in the state.
func (r *reactionResource) afterLostReading(plan *reactionModel) string {
	const where = "The reaction is on the server, and not in the state. "
	if r.Meta.RecoverInterrupted {
		return where + "The next apply adopts it, because recover_interrupted is set."
	}
	return where + fmt.Sprintf("The next apply refuses it as one that exists already. Import it first:\n\n%s\n\nOr apply once with ZULIP_RECOVER_INTERRUPTED=true, which adopts it.", core.ImportBlock(plan.takeover(), plan.importID()))
}

// adopts reports whether a reaction that was there already may be taken into the state, and refuses it if not.
func (r *reactionResource) adopts(plan *reactionModel, diags *diag.Diagnostics) bool {
	existing := core.Existing{
		Kind: plan.takeover(), Title: "reaction", Name: plan.EmojiName.ValueString(), Import: plan.importID(), At: path.Root("emoji_name"),
		Summary:   fmt.Sprintf("The account has reacted with %q to message %d already", plan.EmojiName.ValueString(), plan.MessageID.ValueInt64()),
		AsPlanned: true, Ours: true, // the server does not tell when it was added
	}
	if !r.Meta.RecoverInterrupted {
		existing.Refuse(r.Meta, diags)
		return false
	}
	core.CheckExisting(r.Meta, existing, diags) // says that it is taken
	r.Meta.Run.Adopt(plan.takeover(), 0)
	return true
}

// own reads the account's own reactions to a message.
func (r *reactionResource) own(ctx context.Context, message int64) ([]zulip.Reaction, error) {
	found, err := r.Meta.Client.Message(ctx, message)
	if err != nil {
		return nil, err
	}
	return r.ownOf(found), nil
}

func (r *reactionResource) ownOf(message *zulip.Message) []zulip.Reaction {
	self := r.Meta.Store.Self().ID
	return slices.DeleteFunc(slices.Clone(message.Reactions), func(one zulip.Reaction) bool { return one.UserID != self })
}

// Read finds the reaction on its message.
func (r *reactionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state reactionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	message, err := r.Meta.Store.Message(ctx, state.MessageID.ValueInt64())
	if err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Cannot read message %d", state.MessageID.ValueInt64()), base.Explain(err))
		return
	}
	var own []zulip.Reaction
	if message != nil {
		own = r.ownOf(message)
	}
	i := slices.IndexFunc(own, state.wire().SameEmoji)
	if i < 0 {
		tflog.Info(ctx, "The reaction, or its message, is not there any more: removing it from the state",
			map[string]any{"message": state.MessageID.ValueInt64(), "emoji": state.EmojiName.ValueString()})
		resp.State.RemoveResource(ctx)
		return
	}
	state.read(own[i])
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update has nothing to do: every change is another reaction.
func (r *reactionResource) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {
}

// Delete takes the reaction away.
func (r *reactionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state reactionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	summary := fmt.Sprintf("Cannot remove the reaction %q from message %d", state.EmojiName.ValueString(), state.MessageID.ValueInt64())
	done, ok := r.LockOrReport(ctx, fmt.Sprint("zulip_reaction ", state.MessageID.ValueInt64()), summary, &resp.Diagnostics)
	if !ok {
		return
	}
	defer done()
	if r.Meta.Run.IsAdopted(state.takeover(), 0) {
		tflog.Info(ctx, "The reaction stays: another resource has taken it over", map[string]any{"id": state.ID.ValueString()})
		return
	}
	if err := r.Meta.Client.RemoveReaction(ctx, state.MessageID.ValueInt64(), state.wire()); err != nil {
		resp.Diagnostics.AddError(summary, explainReaction(err))
	}
}

// ImportState takes "MESSAGE_ID/EMOJI_NAME", or the resource's id.
func (r *reactionResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	var wanted identity
	if req.ID == "" {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &wanted)...)
		if resp.Diagnostics.HasError() {
			return
		}
		req.ID = wanted.text()
	}
	number, emoji, _ := strings.Cut(req.ID, "/")
	message, err := strconv.ParseInt(number, 10, 64)
	if err != nil || emoji == "" {
		resp.Diagnostics.AddError("Not a reaction", fmt.Sprintf("%q is not of the form MESSAGE_ID/EMOJI_NAME, as in 1234/thumbs_up.", req.ID))
		return
	}
	own, err := r.own(ctx, message)
	if err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Cannot read message %d", message), explainReaction(err))
		return
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
		resp.Diagnostics.AddError("No such reaction",
			fmt.Sprintf("The account the provider uses has not reacted to message %d with %s. Its reactions there: %s.", message, emoji, listOf(names)))
		return
	}
	found := reactionModel{MessageID: types.Int64Value(message), EmojiName: types.StringValue(own[i].EmojiName)}
	found.read(own[i])
	resp.Diagnostics.Append(resp.State.Set(ctx, &found)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, found.identity())...)
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

// wire is the reaction in the words of the wire; what is not known is left to the server.
func (m *reactionModel) wire() zulip.Reaction {
	return zulip.Reaction{EmojiName: m.EmojiName.ValueString(), EmojiCode: m.EmojiCode.ValueString(), Type: m.ReactionType.ValueString()}
}

func (m *reactionModel) identity() identity {
	return identity{MessageID: m.MessageID, ReactionType: m.ReactionType, EmojiCode: m.EmojiCode}
}

// takeover is what the reaction is taken over as: it has no number of its own.
func (m *reactionModel) takeover() string { return "zulip_reaction " + m.identity().text() }

// importID is what terraform import takes while the code is not known.
func (m *reactionModel) importID() string {
	return fmt.Sprintf("%d/%s", m.MessageID.ValueInt64(), m.EmojiName.ValueString())
}

// text is the identity as one word.
func (i identity) text() string {
	return fmt.Sprintf("%d/%s/%s", i.MessageID.ValueInt64(), i.ReactionType.ValueString(), i.EmojiCode.ValueString())
}

// read takes the code and the kind of the server's reaction. The name stays: the server shows an emoji under the name
// that whoever reacted first has used.
func (m *reactionModel) read(reaction zulip.Reaction) {
	m.EmojiCode, m.ReactionType = types.StringValue(reaction.EmojiCode), types.StringValue(reaction.Type)
	m.ID = types.StringValue(m.identity().text())
}

// forgetUnknown leaves what is not known to the server.
func (m *reactionModel) forgetUnknown() {
	for _, value := range []*types.String{&m.EmojiCode, &m.ReactionType} {
		if value.IsUnknown() {
			*value = types.StringNull()
		}
	}
}

// find returns the reaction that the model means, of those there are after it was added: the one with its code, the one
// that was not there before, or the one with its name.
func (m *reactionModel) find(before, after []zulip.Reaction) (zulip.Reaction, bool) {
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

func reactionSchema() schema.Schema {
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

// explainReaction adds what a refusal means for a reaction, where that is special.
func explainReaction(err error) string {
	text := base.Explain(err)
	if zulip.IsNoMessage(err) {
		text += "\n\nThe message is gone, or the account the provider uses may not read it."
	}
	return text
}
