package users

import (
	"context"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accounts"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// The kinds of statuses and their parts in the run state, by the IDs of their users.
const (
	userStatusKind      = "zulip_user_status"
	userStatusTextKind  = userStatusKind + " text"
	userStatusEmojiKind = userStatusKind + " emoji"
)

type userStatusCall = adapter.Call[userStatusModel]

// NewUserStatusResource returns zulip_user_status.
func NewUserStatusResource() resource.Resource {
	return adapter.Resource[userStatusModel]{
		Name: "user_status", Schema: userStatusSchema,
		Identity: adapter.Identity{{"user_id", "User ID of the person."}},
		Validate: (*userStatusModel).validate, Plan: planUserStatus, PlanDestroy: planUserStatusDestroy,
		Create: createUserStatus, Read: readUserStatus, Update: updateUserStatus, Delete: deleteUserStatus, Import: importUserStatus,
	}.New()
}

// planUserStatus finds the user, and refuses changes that the server would refuse.
func planUserStatus(ctx context.Context, c *userStatusCall) error {
	config, plan, state := c.Config, c.Plan, c.State
	plan.deriveEmoji(config, state)
	isPlanned, err := isPlannedPerson(c, config.User)
	if err != nil {
		return err
	}
	if config.User.IsUnknown() || isPlanned {
		plan.User, plan.UserID = config.User, types.Int64Unknown()
		if state != nil { // another user, as far as is known
			c.Replace("user")
		}
		c.Save(plan)
		return nil
	}
	if state != nil && config.User.IsNull() {
		plan.User = types.StringUnknown() // the provider's current account, which may have changed
	}
	user, err := personOf(c, plan)
	if err != nil {
		return err
	}
	switch {
	case state != nil && state.UserID.ValueInt64() == user.ID:
		plan.User = state.User // the same in other words
	case state != nil:
		c.Replace("user")
		fallthrough
	default:
		if plan.User.IsUnknown() {
			plan.User = types.StringValue(user.Address())
		}
	}
	plan.UserID = types.Int64Value(user.ID)
	if state != nil && base.IsSet(plan.StatusText) && storedStatusText(plan.StatusText.ValueString()) == storedStatusText(state.StatusText.ValueString()) && !state.StatusText.IsNull() {
		plan.StatusText = state.StatusText
	}
	c.Save(plan)
	held := state.over(zulip.Status{})
	isNew := state == nil || state.UserID.ValueInt64() != user.ID
	if isNew && !plan.StatusText.IsUnknown() && !plan.EmojiName.IsUnknown() {
		view, err := c.Read("the statuses", store.Statuses)
		if err != nil {
			return err
		}
		if now := view.Status(user.ID); now != (zulip.Status{}) {
			change.WarnOfManaged("the status of "+user.Address(), plan.steps(now), c.Diags)
		}
	}
	switch {
	case isNew || len(plan.steps(held)) > 0:
		checkStatusCaller(c, user)
		accounts.Need(c.Meta, "a status", user, path.Root("user"), c.Diags)
	case !user.IsActive:
		c.Diags.AddAttributeWarning(path.Root("user"), "The status of a deactivated user is left unchanged",
			fmt.Sprintf("%s is deactivated and shows no status until the account is reactivated.", user.Address()))
	}
	checkStatusAlone(c, user)
	if state == nil || !plan.emojiIs(held) { // the existing emoji stays, even with an old name
		return checkStatusEmoji(ctx, c)
	}
	return nil
}

// planUserStatusDestroy refuses to clear a status that the account can't set. A deactivated person shows none.
func planUserStatusDestroy(_ context.Context, c *userStatusCall) error {
	view, err := c.ReadNaming("the statuses", []string{strconv.FormatInt(c.State.UserID.ValueInt64(), 10)}, store.Statuses)
	if err != nil {
		return err
	}
	cleared := c.State.cleared()
	if user, ok := view.User(c.State.UserID.ValueInt64()); ok && user.IsActive && len(cleared.steps(c.State.over(zulip.Status{}))) > 0 {
		checkStatusCaller(c, user)
	}
	return nil
}

// createUserStatus sets the configured parts that differ.
func createUserStatus(ctx context.Context, c *userStatusCall) error {
	plan := c.Plan
	user, err := personOf(c, plan)
	if err != nil {
		return err
	}
	plan.UserID = types.Int64Value(user.ID)
	if plan.User.IsUnknown() {
		plan.User = types.StringValue(user.Address())
	}
	now, err := setUserStatus(ctx, c)
	if err != nil || c.Diags.HasError() {
		return err
	}
	plan.readBack(now)
	c.Save(plan)
	return nil
}

// readUserStatus sets the managed parts to the snapshot's status.
func readUserStatus(ctx context.Context, c *userStatusCall) error {
	id := c.State.UserID.ValueInt64()
	view, err := c.ReadNaming("the statuses", []string{strconv.FormatInt(id, 10)}, store.Statuses)
	if err != nil {
		return err
	}
	user, ok := view.User(id)
	if !ok && !c.Meta.MayRemove(c.Meta.SeesEverybody(), fmt.Sprintf("account %d", id), base.SeenByMembers, c.Diags) {
		return nil
	}
	switch {
	case !ok:
		tflog.Info(ctx, "The person is not visible any more: removing the status from the state", map[string]any{"user_id": id})
		c.Forget()
		return nil
	case !user.IsActive: // the server shows no status, and keeps it
		return nil
	}
	c.State.User = types.StringValue(lookup.KeepUser(c.State.User.ValueString(), user, view))
	c.State.read(view.Status(user.ID))
	c.Save(c.State)
	return nil
}

// updateUserStatus sends the differing parts, unless there is a conflict.
func updateUserStatus(ctx context.Context, c *userStatusCall) error {
	now, err := setUserStatus(ctx, c)
	if err == nil && !c.Diags.HasError() {
		c.Plan.readBack(now)
		c.Save(c.Plan)
	} else if now != nil {
		c.State.read(now.Thing)
		c.Save(c.State)
	}
	return err
}

// deleteUserStatus clears the managed parts.
func deleteUserStatus(ctx context.Context, c *userStatusCall) error {
	id := c.State.UserID.ValueInt64()
	done, err := c.Meta.Run.Lock(ctx, fmt.Sprint(userStatusKind, " ", id))
	if err != nil {
		return base.Failed("Cannot clear the status of "+c.State.User.ValueString(), err)
	}
	defer done()
	cleared := c.State.cleared()
	// A part that another resource of this run has set is kept.
	if c.Meta.Run.Knows(runstate.Adopted, runstate.ID(userStatusTextKind, id)) {
		cleared.StatusText = types.StringNull()
	}
	if c.Meta.Run.Knows(runstate.Adopted, runstate.ID(userStatusEmojiKind, id)) {
		cleared.EmojiName = types.StringNull()
	}
	now, err := changeUserStatus(ctx, c, &cleared)
	if now != nil && c.Diags.HasError() {
		c.State.read(now.Thing)
		c.Save(c.State)
	}
	return err
}

// importUserStatus imports by the email or ID of a person. All parts of the status are managed from then on.
func importUserStatus(_ context.Context, c *userStatusCall, text string) error {
	view, err := c.ReadNaming("the statuses", []string{text}, store.Statuses)
	if err != nil {
		return err
	}
	user, err := lookup.User(view, text)
	const summary = "Cannot import this status"
	switch {
	case err != nil:
		return base.Refused(path.Empty(), summary, base.NotFoundByImport(err))
	case user.IsBot || !user.IsActive:
		return base.Refused(path.Empty(), summary, fmt.Sprintf("%s is a bot, or deactivated. Only active users have a status.", user.Address()))
	}
	found := userStatusModel{User: types.StringValue(user.Address()), UserID: types.Int64Value(user.ID)}
	found.readAll(view.Status(user.ID))
	c.Save(&found)
	return nil
}

// validate refuses what is wrong in any organization.
func (m *userStatusModel) validate(diags *diag.Diagnostics) {
	if m.StatusText.IsNull() && m.EmojiName.IsNull() {
		diags.AddError("The resource manages nothing", "Set status_text, emoji_name or both. \"\" clears it.")
	}
	if length := utf8.RuneCountInString(storedStatusText(m.StatusText.ValueString())); length > zulip.MaxStatusLength {
		diags.AddAttributeError(path.Root("status_text"), "The status is too long",
			fmt.Sprintf("It has %d characters. The server accepts %d.", length, zulip.MaxStatusLength))
	}
	for attribute, value := range map[string]types.String{"emoji_code": m.EmojiCode, "reaction_type": m.ReactionType} {
		if base.IsSet(value) && (m.EmojiName.IsNull() || base.IsSet(m.EmojiName) && m.EmojiName.ValueString() == "") {
			diags.AddAttributeError(path.Root(attribute), "Attribute requires emoji_name", "Set emoji_name, or remove "+attribute+".")
		}
	}
}

// isPlannedPerson reports whether this run will create the model's person, or reactivate the account.
func isPlannedPerson(c *userStatusCall, text types.String) (bool, error) {
	if text.IsNull() {
		return false, nil
	}
	view, err := c.ReadNaming("the people", []string{text.ValueString()}, store.Statuses)
	if err != nil {
		return false, err
	}
	_, later, _ := lookup.UserInConfig(view, text.ValueString(), path.Root("user"), c.Diags)
	return later, nil
}

// personOf returns the person of the model.
func personOf(c *userStatusCall, m *userStatusModel) (*zulip.User, error) {
	if m.User.IsNull() || m.User.IsUnknown() {
		return c.Meta.Store.Self(), nil
	}
	view, err := c.ReadNaming("the people", []string{m.User.ValueString()}, store.Statuses)
	if err != nil {
		return nil, err
	}
	if c.State != nil {
		view = view.Knowing(map[string]int64{c.State.User.ValueString(): c.State.UserID.ValueInt64()})
	}
	user, err := lookup.User(view, m.User.ValueString())
	if err != nil {
		return nil, lookup.Error(path.Root("user"), err, base.ReferenceAdvice("user", "zulip_user.NAME.id"))
	}
	return user, nil
}

// setUserStatus sets the planned status, and returns the resulting one; nil if it could not be read.
func setUserStatus(ctx context.Context, c *userStatusCall) (*userStatusReading, error) {
	id := c.Plan.UserID.ValueInt64()
	done, err := c.Meta.Run.Lock(ctx, fmt.Sprint(userStatusKind, " ", id))
	if err != nil {
		return nil, base.Failed("Cannot set the status of "+c.Plan.User.ValueString(), err)
	}
	defer done()
	now, err := changeUserStatus(ctx, c, c.Plan)
	if err != nil || c.Diags.HasError() {
		return now, err
	}
	if !c.Plan.StatusText.IsNull() {
		c.Meta.Run.Note(runstate.Adopted, runstate.ID(userStatusTextKind, id))
	}
	if !c.Plan.EmojiName.IsNull() {
		c.Meta.Run.Note(runstate.Adopted, runstate.ID(userStatusEmojiKind, id))
	}
	return now, nil
}

type userStatusReading = change.Reading[zulip.Status]

// changeUserStatus sends the differences between the prior and the planned status. An attribute without a prior value
// is compared with the current status.
func changeUserStatus(ctx context.Context, c *userStatusCall, plan *userStatusModel) (*userStatusReading, error) {
	id, name := plan.UserID.ValueInt64(), "the status of "+plan.User.ValueString()
	read := func(ctx context.Context, _ func(zulip.Status) bool) (*userStatusReading, error) {
		status, err := c.Meta.Client.Status(ctx, id)
		return &userStatusReading{Thing: status}, err
	}
	subject := change.Subject[zulip.Status, zulip.StatusUpdate]{
		Of: userStatusKind, NameBefore: name, Name: func(zulip.Status) string { return name }, Read: read, MayStayUnread: true,
		Send: func(ctx context.Context, pending change.Pending[zulip.Status, zulip.StatusUpdate]) ([]string, error) {
			defer c.Meta.Store.Invalidate(store.Statuses)
			if id == c.Meta.Store.Self().ID {
				return nil, c.Meta.Client.SetOwnStatus(ctx, pending.Update())
			}
			return nil, c.Meta.Client.SetStatus(ctx, id, pending.Update())
		},
	}
	now, err := read(ctx, nil)
	switch {
	case zulip.IsDeactivated(err) && plan.isCleared():
		return nil, nil //nolint:nilnil // a deactivated person shows none
	case err != nil:
		return nil, base.Failed("Cannot read "+name, err)
	}
	return subject.Change(ctx, c.Base, plan.steps(c.State.over(now.Thing)), now, c.Diags), nil
}

// deriveEmoji plans the code and the kind of the emoji: the configured ones, or those of an unchanged emoji. For
// another emoji, they are unknown until the server returns them.
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

// checkStatusAlone refuses two resources that contradict each other about one person.
func checkStatusAlone(c *userStatusCall, user *zulip.User) {
	for _, part := range []struct {
		attribute, kind string
		value           types.String
	}{{"status_text", userStatusTextKind, c.Config.StatusText}, {"emoji_name", userStatusEmojiKind, c.Config.EmojiName}} {
		if base.IsSet(part.value) && !c.Meta.Run.Declare(runstate.ID(part.kind, user.ID), runstate.Words(storedStatusText(part.value.ValueString()))) {
			c.Diags.AddAttributeError(path.Root(part.attribute), "Duplicate status of "+user.Address(),
				"Another zulip_user_status of this configuration sets "+part.attribute+" to another value for the same user, so each apply would undo the change of the other. Keep one of them.")
		}
	}
}

// checkStatusCaller refuses users who can't have a status, and accounts that can't set it. People can set their own.
// Administrators can set that of others, and from a feature level on so can bots with that role
// (https://zulip.com/api/update-status-for-user).
func checkStatusCaller(c *userStatusCall, user *zulip.User) {
	self, at := c.Meta.Store.Self(), path.Root("user")
	own := user.ID == self.ID
	switch {
	case own && !c.Meta.RequirePerson(at, "set its own status", c.Diags):
	case !own && !c.Meta.RequirePersonBelow(featurelevel.StatusByBots, at, "set a status", c.Diags):
	case user.IsBot:
		c.Diags.AddAttributeError(at, "A bot has no status", fmt.Sprintf("%s is a bot. Only people have a status.", user.Address()))
	case !user.IsActive:
		c.Diags.AddAttributeError(at, "Deactivated", fmt.Sprintf("%s is deactivated and shows no status. Remove the resource, or reactivate the user.", user.Address()))
	case !own && !c.HasLevel(featurelevel.StatusOfOthers):
		c.Diags.AddAttributeError(at, "The server is too old to set the status of others",
			fmt.Sprintf("It requires %s; the server has %d (Zulip %s). To set the status of the provider's account, remove user.",
				featurelevel.Describe(featurelevel.StatusOfOthers), c.FeatureLevel(), c.Meta.Server.ZulipVersion))
	case !own:
		c.Meta.RequireRole(zulip.RoleAdministrator, at, "set the status of others", c.Diags)
	}
}

// checkStatusEmoji refuses an emoji that the server does not know.
func checkStatusEmoji(ctx context.Context, c *userStatusCall) error {
	if !base.IsSet(c.Config.EmojiName) || c.Config.EmojiName.ValueString() == "" {
		return nil
	}
	view, err := c.Read("the organization", store.Statuses)
	if err == nil {
		lookup.Emoji{Name: c.Config.EmojiName, Code: c.Config.EmojiCode, Kind: c.Config.ReactionType}.Check(ctx, c.Meta, view, c.Diags)
	}
	return err
}
