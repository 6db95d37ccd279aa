package userstatus

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/compose"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// ValidateConfig refuses what is wrong in any organization.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if config.StatusText.IsNull() && config.EmojiName.IsNull() {
		resp.Diagnostics.AddError("Nothing to manage", "Set status_text, emoji_name or both; \"\" is none.")
	}
	if length := utf8.RuneCountInString(storedText(config.StatusText.ValueString())); length > zulip.MaxStatusLength {
		resp.Diagnostics.AddAttributeError(path.Root("status_text"), "The status is too long",
			fmt.Sprintf("It has %d characters. The server takes %d.", length, zulip.MaxStatusLength))
	}
	for attribute, value := range map[string]types.String{"emoji_code": config.EmojiCode, "reaction_type": config.ReactionType} {
		if base.IsSet(value) && (config.EmojiName.IsNull() || base.IsSet(config.EmojiName) && config.EmojiName.ValueString() == "") {
			resp.Diagnostics.AddAttributeError(path.Root(attribute), "No emoji to go with", "Set emoji_name, or leave "+attribute+" out.")
		}
	}
}

// ModifyPlan finds out who is meant, and refuses what the server would refuse.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || !r.CanPlan(&resp.Diagnostics) {
		return
	}
	var config, plan model
	var state *model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.deriveEmoji(&config, state)
	if config.User.IsUnknown() || r.isPlanned(ctx, config.User, &resp.Diagnostics) {
		plan.User, plan.UserID = config.User, types.Int64Unknown()
		if state != nil { // somebody else, as far as is known
			resp.RequiresReplace.Append(path.Root("user"))
		}
		resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
		return
	}
	if state != nil && config.User.IsNull() {
		plan.User = types.StringUnknown() // the account the provider uses, whoever that was before
	}
	user := r.who(ctx, &plan, &resp.Diagnostics)
	if user == nil {
		return
	}
	switch {
	case state != nil && state.UserID.ValueInt64() == user.ID:
		plan.User = state.User // the same in other words
	case state != nil:
		resp.RequiresReplace.Append(path.Root("user"))
		fallthrough
	default:
		if plan.User.IsUnknown() {
			plan.User = types.StringValue(user.Address())
		}
	}
	plan.UserID = types.Int64Value(user.ID)
	if state != nil && base.IsSet(plan.StatusText) && storedText(plan.StatusText.ValueString()) == storedText(state.StatusText.ValueString()) && !state.StatusText.IsNull() {
		plan.StatusText = state.StatusText
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
	r.checkCaller(user, &resp.Diagnostics)
	r.checkAlone(user, &config, &resp.Diagnostics)
	if state == nil || !plan.emojiIs(state.over(zulip.Status{})) { // what is there stays, also under a name of old
		r.checkEmoji(ctx, &config, &resp.Diagnostics)
	}
}

// deriveEmoji plans the code and the kind of the emoji: as configured, as they are for the emoji there is, or whatever
// the server says of another one.
func (m *model) deriveEmoji(config, state *model) {
	same := state != nil && m.EmojiName.Equal(state.EmojiName) &&
		(config.EmojiCode.IsNull() || config.EmojiCode.Equal(state.EmojiCode)) &&
		(config.ReactionType.IsNull() || config.ReactionType.Equal(state.ReactionType))
	derive := func(configured types.String, held func() types.String) types.String {
		switch {
		case m.EmojiName.IsNull() || base.IsSet(m.EmojiName) && m.EmojiName.ValueString() == "":
			return types.StringNull()
		case !configured.IsNull():
			return configured
		case same:
			return held()
		}
		return types.StringUnknown()
	}
	m.EmojiCode = derive(config.EmojiCode, func() types.String { return state.EmojiCode })
	m.ReactionType = derive(config.ReactionType, func() types.String { return state.ReactionType })
}

// checkAlone refuses two resources that say different things of one person.
func (r *Resource) checkAlone(user *zulip.User, config *model, diags *diag.Diagnostics) {
	for _, part := range []struct {
		attribute, kind string
		value           types.String
	}{{"status_text", kindText, config.StatusText}, {"emoji_name", kindEmoji, config.EmojiName}} {
		if base.IsSet(part.value) && !r.Meta.Run.Declare(part.kind, user.ID, storedText(part.value.ValueString())) {
			diags.AddAttributeError(path.Root(part.attribute), "Two statuses of "+user.Address(),
				"Another zulip_user_status of this configuration sets "+part.attribute+" to something else for the same person, and each apply would undo one of them. Keep one.")
		}
	}
}

// checkCaller refuses whom the server gives no status, and who may not set it: only people their own, and administrators,
// bots among them from a feature level on, that of others (https://zulip.com/api/update-status-for-user).
func (r *Resource) checkCaller(user *zulip.User, diags *diag.Diagnostics) {
	self, at := r.Meta.Store.Self(), path.Root("user")
	own := user.ID == self.ID
	switch {
	case own && !r.Meta.RequirePerson(at, "set its own status", diags):
	case !own && !r.Meta.RequirePersonBelow(featurelevel.StatusByBots, at, "set a status", diags):
	case user.IsBot:
		diags.AddAttributeError(at, "Bots have no status", fmt.Sprintf("%s is a bot. Only people have a status.", user.Address()))
	case !user.IsActive:
		diags.AddAttributeError(at, "Deactivated", fmt.Sprintf("%s is deactivated and shows no status. Take the resource out, or reactivate the account.", user.Address()))
	case !own && !r.HasLevel(featurelevel.StatusOfOthers):
		diags.AddAttributeError(at, "The server is too old for the status of others",
			fmt.Sprintf("It needs %s; the server has %d (Zulip %s). The status of the provider's own account can still be set: leave user out.",
				featurelevel.Describe(featurelevel.StatusOfOthers), r.FeatureLevel(), r.Meta.Server.ZulipVersion))
	case !own:
		r.Meta.RequireRole(zulip.RoleAdministrator, at, "set the status of others", diags)
	}
}

// checkEmoji refuses an emoji that the server does not know.
func (r *Resource) checkEmoji(ctx context.Context, config *model, diags *diag.Diagnostics) {
	if !base.IsSet(config.EmojiName) || config.EmojiName.ValueString() == "" {
		return
	}
	view, err := r.Meta.Store.Read(ctx, store.Statuses)
	if err != nil {
		diags.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	compose.Emoji{Name: config.EmojiName, Code: config.EmojiCode, Kind: config.ReactionType}.Check(ctx, r.Meta, view, diags)
}
