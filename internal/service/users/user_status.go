package users

import (
	"context"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/compose"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

var (
	_ resource.ResourceWithConfigure      = (*userStatusResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*userStatusResource)(nil)
	_ resource.ResourceWithImportState    = (*userStatusResource)(nil)
	_ resource.ResourceWithIdentity       = (*userStatusResource)(nil)
	_ resource.ResourceWithValidateConfig = (*userStatusResource)(nil)
)

// The kinds are what a status and its parts are taken over as, by the IDs of those who have it.
const (
	userStatusKind = "zulip_user_status"
	kindText       = userStatusKind + " text"
	kindEmoji      = userStatusKind + " emoji"
)

// userStatusResource is zulip_user_status.
type userStatusResource struct{ base.Resource }

// NewUserStatusResource returns zulip_user_status.
func NewUserStatusResource() resource.Resource { return &userStatusResource{} }

func (r *userStatusResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_user_status"
}

func (r *userStatusResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = userStatusSchema()
}

// IdentitySchema describes what a status is recognised by.
func (r *userStatusResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"user_id": identityschema.Int64Attribute{RequiredForImport: true, Description: "User ID of the person."},
	}}
}

// Create sets the parts that are configured, if they differ.
func (r *userStatusResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan userStatusModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	user := r.who(ctx, &plan, &resp.Diagnostics)
	if user == nil {
		return
	}
	plan.UserID = types.Int64Value(user.ID)
	if plan.User.IsUnknown() {
		plan.User = types.StringValue(user.Address())
	}
	now := r.set(ctx, nil, &plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.read(now.Thing)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, userRoleIdentity{plan.UserID})...)
}

// Read takes the status from the snapshot.
func (r *userStatusResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state userStatusModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, userRoleIdentity{state.UserID})...)
	view, err := r.Meta.Store.ReadNaming(ctx, []string{strconv.FormatInt(state.UserID.ValueInt64(), 10)}, store.Statuses)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the statuses", base.Explain(err))
		return
	}
	user, ok := view.User(state.UserID.ValueInt64())
	if !ok && !r.Meta.MayRemove(r.Meta.SeesEverybody(), fmt.Sprintf("account %d", state.UserID.ValueInt64()), &resp.Diagnostics) {
		return
	}
	if !ok || !user.IsActive {
		tflog.Info(ctx, "The person is deactivated or not visible any more: removing the status from the state", map[string]any{"user_id": state.UserID.ValueInt64()})
		resp.State.RemoveResource(ctx)
		return
	}
	state.User = types.StringValue(lookup.KeepUser(state.User.ValueString(), user, view))
	state.read(view.Status(user.ID))
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update sends the parts that differ, and nothing that somebody else has changed.
func (r *userStatusResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state userStatusModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, userRoleIdentity{plan.UserID})...)
	now := r.set(ctx, &state, &plan, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		state = plan
	}
	if now != nil {
		state.read(now.Thing)
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}

// Delete clears what is managed.
func (r *userStatusResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state userStatusModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id := state.UserID.ValueInt64()
	summary := "Cannot clear the status of " + state.User.ValueString()
	done, ok := r.LockOrReport(ctx, fmt.Sprint(userStatusKind, " ", id), summary, &resp.Diagnostics)
	if !ok {
		return
	}
	defer done()
	cleared := state.cleared()
	// What another resource of this run has set stays.
	if r.Meta.Run.IsAdopted(kindText, id) {
		cleared.StatusText = types.StringNull()
	}
	if r.Meta.Run.IsAdopted(kindEmoji, id) {
		cleared.EmojiName = types.StringNull()
	}
	now := r.change(ctx, &state, &cleared, &resp.Diagnostics)
	if now != nil && resp.Diagnostics.HasError() {
		state.read(now.Thing)
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}

// isPlanned reports whether this run has yet to create the person meant, or to reactivate the account.
func (r *userStatusResource) isPlanned(ctx context.Context, text types.String, diags *diag.Diagnostics) bool {
	if text.IsNull() {
		return false
	}
	view, err := r.Meta.Store.ReadNaming(ctx, []string{text.ValueString()}, store.Statuses)
	if err != nil {
		diags.AddError("Cannot read the people", base.Explain(err))
		return false
	}
	_, later, _ := lookup.UserInPlan(view, text.ValueString())
	return later
}

// who is the person meant.
func (r *userStatusResource) who(ctx context.Context, m *userStatusModel, diags *diag.Diagnostics) *zulip.User {
	if m.User.IsNull() || m.User.IsUnknown() {
		return r.Meta.Store.Self()
	}
	view, err := r.Meta.Store.ReadNaming(ctx, []string{m.User.ValueString()}, store.Statuses)
	if err != nil {
		diags.AddError("Cannot read the people", base.Explain(err))
		return nil
	}
	user, err := lookup.User(view, m.User.ValueString())
	if err != nil {
		lookup.AddError(diags, path.Root("user"), err,
			"\n\nIf this configuration makes the account, write zulip_user.NAME.id: its ID is not known before, so that the account comes first.")
	}
	return user
}

// set brings the status to the planned one, and returns it as it is then; nil if it could not be read.
func (r *userStatusResource) set(ctx context.Context, prior, plan *userStatusModel, diags *diag.Diagnostics) *reading {
	id := plan.UserID.ValueInt64()
	done, ok := r.LockOrReport(ctx, fmt.Sprint(userStatusKind, " ", id), "Cannot set the status of "+plan.User.ValueString(), diags)
	if !ok {
		return nil
	}
	defer done()
	now := r.change(ctx, prior, plan, diags)
	if !diags.HasError() && !plan.StatusText.IsNull() {
		r.Meta.Run.Adopt(kindText, id)
	}
	if !diags.HasError() && !plan.EmojiName.IsNull() {
		r.Meta.Run.Adopt(kindEmoji, id)
	}
	return now
}

type reading = attribute.Reading[zulip.Status]

// change sends what differs between the prior status and the planned one. What is not in the prior state, or all where
// there is none, has no prior value to compare with: it is compared with the status as it is.
func (r *userStatusResource) change(ctx context.Context, prior, plan *userStatusModel, diags *diag.Diagnostics) *reading {
	id, name := plan.UserID.ValueInt64(), "the status of "+plan.User.ValueString()
	subject := attribute.Subject[zulip.Status, zulip.StatusUpdate]{
		Of: "zulip_user_status", Unread: name, Name: func(zulip.Status) string { return name },
		Read: func(ctx context.Context, _ func(zulip.Status) bool) (*reading, error) { return r.now(ctx, id) },
		Send: func(ctx context.Context, pending attribute.Pending[zulip.Status, zulip.StatusUpdate]) ([]string, error) {
			return nil, r.send(ctx, id, pending.Update())
		},
	}
	now, err := r.now(ctx, id)
	switch {
	case zulip.IsDeactivated(err) && plan.isCleared():
		return nil // a deactivated person shows none
	case err != nil:
		diags.AddError("Cannot read "+name, base.Explain(err))
		return nil
	}
	return subject.Change(ctx, &r.Base, plan.steps(prior.over(now.Thing)), now, diags)
}

// send changes a status, of the account itself or of somebody else.
func (r *userStatusResource) send(ctx context.Context, id int64, update zulip.StatusUpdate) error {
	defer r.Meta.Store.Invalidate(store.Statuses)
	if id == r.Meta.Store.Self().ID {
		return r.Meta.Client.SetOwnStatus(ctx, update)
	}
	return r.Meta.Client.SetStatus(ctx, id, update)
}

// now reads a status as it is now.
func (r *userStatusResource) now(ctx context.Context, id int64) (*reading, error) {
	status, err := r.Meta.Client.Status(ctx, id)
	return &reading{Thing: status}, err
}

// ImportState takes the address or the ID of a person. Everything that the status holds is managed from then on.
func (r *userStatusResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	if req.ID == "" {
		var wanted userRoleIdentity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &wanted)...)
		req.ID = strconv.FormatInt(wanted.UserID.ValueInt64(), 10)
	}
	view, err := r.Meta.Store.ReadNaming(ctx, []string{req.ID}, store.Statuses)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the statuses", base.Explain(err))
		return
	}
	user, err := lookup.User(view, req.ID)
	switch {
	case err != nil:
		resp.Diagnostics.AddError("Cannot import this status", base.Sentence(err))
		return
	case user.IsBot || !user.IsActive:
		resp.Diagnostics.AddError("Cannot import this status", fmt.Sprintf("%s is a bot, or deactivated. Only people who are active have a status.", user.Address()))
		return
	}
	found := userStatusModel{User: types.StringValue(user.Address()), UserID: types.Int64Value(user.ID)}
	found.readAll(view.Status(user.ID))
	resp.Diagnostics.Append(resp.State.Set(ctx, &found)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, userRoleIdentity{found.UserID})...)
}

// ValidateConfig refuses what is wrong in any organization.
func (r *userStatusResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config userStatusModel
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
func (r *userStatusResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || !r.CanPlan(&resp.Diagnostics) {
		return
	}
	var config, plan userStatusModel
	var state *userStatusModel
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
func (m *userStatusModel) deriveEmoji(config, state *userStatusModel) {
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
func (r *userStatusResource) checkAlone(user *zulip.User, config *userStatusModel, diags *diag.Diagnostics) {
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
func (r *userStatusResource) checkCaller(user *zulip.User, diags *diag.Diagnostics) {
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
func (r *userStatusResource) checkEmoji(ctx context.Context, config *userStatusModel, diags *diag.Diagnostics) {
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
