// Package bots has the resource of bots, and the ephemeral resource of their API keys.
package bots

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accounts"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// botKind is the kind of bots in the run state.
const botKind = "zulip_bot"

// botResource is zulip_bot. Its objects are the accounts of bots. [snapshot.Snapshot.Bots] has the rest of the
// configuration of bots that the provider's account can manage.
type botResource struct {
	*core.Resource[botModel, zulip.User, botModel]
}

// NewBotResource returns zulip_bot.
func NewBotResource() resource.Resource {
	return &botResource{core.New(&core.Definition[botModel, zulip.User]{
		Name: "bot", Title: "bot", Plural: "bots",
		Schema:   botSchema,
		ForceNew: []string{"bot_type"}, Unsent: []string{"service_name", "adopt_deactivated", "avatar_file"},
		Source: core.Source{Part: store.Bots},
		Index:  (*snapshot.Snapshot).Accounts,
		Key:    func(user *zulip.User) int64 { return user.ID },
		Unique: core.Unique[botModel, zulip.User]{
			Attribute: "short_name", Word: "short name",
			Of:      func(m *botModel) string { return m.ShortName.ValueString() },
			IsTaken: func(err error) bool { return zulip.IsMessage(err, "Email is already in use.") },
		},
		FindImported: findImportedBot,
		ReadInto:     readBotInto, Validate: validateBot, CheckPlan: checkBotPlan,
		AfterRun: func(prior *botModel, known *effects.Log) { accounts.AfterRun(known, prior.ID, &prior.Role) },
		Names:    map[string]string{"owner": runstate.Account, "default_sending_stream": runstate.Channel, "default_events_register_stream": runstate.Channel},
		Create:   createBot, Update: updateBot, Delete: deactivateBot, DeleteVerb: "deactivate",
		Hint: botHint,
		Account: core.Account[botModel, zulip.User]{
			One: (*store.Store).ReadBot, IsReadByItself: accounts.IsAboveMember, IsCheckedByPlan: true,
			IsHidden: func(attribute string, _ *botModel, _ *core.Call) bool { return attribute == "config_data" },
		},
		Archive: core.Archive[botModel, zulip.User]{
			IsGone: func(user *zulip.User) bool { return !user.IsActive },
			HowToAdopt: func(user *zulip.User) string {
				return fmt.Sprintf("%s (ID %d) is deactivated. To reactivate it, add a zulip_bot with its short name and adopt_deactivated = true.", user.Address(), user.ID)
			},
			Adopt: adoptBot,
		},
		Creating: core.Creating[botModel, zulip.User]{
			Lacks: func(_ context.Context, c *core.Call, plan *botModel, diags *diag.Diagnostics) {
				requireBotPermission(c.Meta, c.Snapshot, plan, diags)
			},
			SentLater:    []string{"owner", "role", "default_sending_stream", "default_events_register_stream", "default_all_public_streams"},
			MayBeCreated: botMayBeCreated, RegisterCreated: func(c *core.Call, _ int64, _ *botModel, _ bool) { c.Meta.Store.BecameActive() },
		},
	})}
}

// adoptBot reactivates the deactivated bot with the short name, if that is configured or this run has deactivated it. It
// refuses any other account with the email.
func adoptBot(ctx context.Context, c *core.Call, plan *botModel) (id int64, ok bool, err error) {
	s, err := c.Meta.Store.Read(ctx, store.Bots)
	if err != nil {
		return 0, false, err
	}
	holder, ok := s.UserWithAddress(plan.address(s))
	if !ok {
		return 0, false, nil
	}
	if holder, err = c.Meta.Store.FreshUser(ctx, holder.ID); err != nil || holder == nil { // the list may be from before it was deactivated
		return 0, false, err
	}
	var diags diag.Diagnostics
	switch isAdopted := plan.AdoptDeactivated.ValueBool() || c.Meta.Run.Knows(runstate.Gone, runstate.ID(botKind, holder.ID)); {
	case isAdopted && !holder.IsActive && !holder.IsDeleted && sameType(holder, plan):
		if !accounts.GiveBeforeReactivation(ctx, c.Meta, holder, holder.Role, plan.Role, path.Root("short_name"), &diags) {
			break
		}
		if err = reactivateBot(ctx, c, holder.ID); err == nil {
			return holder.ID, true, nil
		}
		diags.AddError("Cannot reactivate bot "+holder.Address(), base.Explain(err))
	case holder.IsActive && sameType(holder, plan):
		existingBot(plan, holder).Refuse(c.Meta, &diags)
	default:
		summary, detail := botNameTaken(holder, plan)
		diags.AddAttributeError(path.Root("short_name"), summary, detail)
	}
	return 0, false, &base.Error{Diagnostics: diags}
}

// reactivateBot reactivates a bot. The server refuses to reactivate an active bot, so after a lost answer the bot is read
// (server-behavior §U10).
func reactivateBot(ctx context.Context, c *core.Call, id int64) error {
	err := c.Meta.Run.Effects.Send(func() error {
		return c.Meta.Store.Write(ctx, func(ctx context.Context) error { return c.Meta.Client.ReactivateUser(ctx, id) })
	}, effects.Write{Kind: effects.Reactivated, ID: id})
	if zulip.MayHaveHappened(err) {
		if current, readErr := c.Meta.Client.User(ctx, id); readErr == nil && current.IsActive {
			return nil
		}
	}
	return err
}

func createBot(ctx context.Context, c *core.Call, plan *botModel) (int64, error) {
	bot := zulip.NewBot{
		FullName: strings.TrimSpace(plan.FullName.ValueString()), ShortName: plan.ShortName.ValueString(), Type: plan.botType(),
		PayloadURL: plan.PayloadURL.ValueString(), Interface: max(1, number(interfaceNames, plan.Interface.ValueString())),
		ServiceName: plan.ServiceName.ValueString(), Config: plan.config(),
	}
	return c.Meta.Client.CreateBot(ctx, bot)
}

func botMayBeCreated(m *botModel, user *zulip.User, c *core.Call) bool {
	return user.IsBot && strings.EqualFold(user.Address(), m.address(c.Snapshot))
}

// Read reads the bot. The state stays unchanged if the server does not show enough of it, or if the bot now belongs
// to someone whose bots the account may not manage, which is an error.
func (r *botResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var id types.Int64
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("id"), &id)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	var name types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("full_name"), &name)...)
	s, err := r.Meta.Store.Read(ctx, store.Bots)
	if err == nil {
		// The list may lack the bot. An import has no values yet that would show whether the list is outdated.
		if _, isListed := s.Bots().ByID(id.ValueInt64()); !isListed || name.IsNull() {
			s, err = r.Meta.Store.ReadBot(ctx, id.ValueInt64())
		}
	}
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the bots", base.Explain(err))
		return
	}
	user, isVisible := s.User(id.ValueInt64())
	if isVisible && showsOtherAvatar(ctx, req, user, &resp.Diagnostics) { // the list may be from before it was uploaded
		if s, err = r.Meta.Store.ReadBot(ctx, id.ValueInt64()); err != nil {
			resp.Diagnostics.AddError("Cannot read the bots", base.Explain(err))
			return
		}
		user, isVisible = s.User(id.ValueInt64())
	}
	_, isListed := s.Bots().ByID(id.ValueInt64())
	switch {
	case !isVisible && !r.Meta.MayRemove(r.Meta.SeesEverybody(), fmt.Sprintf("bot %d", id.ValueInt64()), base.SeenByMembers, &resp.Diagnostics):
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), id)...)
		return
	case !isVisible || !user.IsActive: // gone
	case !isListed && r.Meta.Store.Self().Role <= zulip.RoleAdministrator:
		resp.Diagnostics.AddWarning("The server does not list bot "+user.Address(),
			"The bot is active, but the server's list of bots lacks it. This can happen if several clients change bots at the same time. Attributes that only the list has, such as default_sending_stream, are left unchanged in the state. The server rebuilds the list when a bot changes.")
	case !isListed:
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), id)...)
		r.Meta.ReportUnseen(fmt.Sprintf("Bot %s is in the state, but belongs to someone else. Its owner and administrators can manage it.", user.Address()), &resp.Diagnostics)
		return
	case user.BotType == nil: // every type would force a new bot
		resp.Diagnostics.AddError("Cannot read bot "+user.Address(),
			"The server's user object of the bot has no bot_type. Check that the server is supported, and report this if it is.")
		return
	}
	if isVisible {
		resp.Diagnostics.Append(storeSeen(ctx, resp.Private, user)...)
	}
	r.Resource.Read(ctx, req, resp)
}

// Update changes the bot. If this run has deactivated it with its owner, it is reactivated first.
func (r *botResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var planned, state botModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &planned)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	unlock, ok := r.LockOrReport(ctx, accounts.BotLock(state.ID.ValueInt64()), "Cannot change bot "+state.Email.ValueString(), &resp.Diagnostics)
	if !ok {
		return
	}
	defer unlock()
	if owner := r.reactivateWithNewOwner(ctx, &planned, &state, &resp.Diagnostics); !owner.Equal(state.Owner) {
		// The bot has this owner now, whatever happens to the other changes.
		resp.Diagnostics.Append(req.State.SetAttribute(ctx, path.Root("owner"), owner)...)
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("owner"), owner)...)
	}
	if !resp.Diagnostics.HasError() {
		r.updateWithAvatar(ctx, req, &planned, &state, resp)
	}
}

// reactivateWithNewOwner reactivates a bot that this run has deactivated with its owner, if the planned owner is
// active. It returns the resulting owner: the provider's account, if the old owner is deactivated (server-behavior
// §U10). The update refuses a bot that was deactivated outside Terraform.
func (r *botResource) reactivateWithNewOwner(ctx context.Context, planned, state *botModel, diags *diag.Diagnostics) (owner types.String) {
	id, summary := state.ID.ValueInt64(), "Cannot reactivate bot "+state.Email.ValueString()
	if _, isGone := r.Meta.Run.Effects.Last(effects.Deactivated, id); !isGone {
		return state.Owner
	}
	s, err := r.Meta.Store.ReadNaming(ctx, []string{planned.Owner.ValueString()}, store.Bots)
	var bot *zulip.User
	if err == nil {
		bot, err = r.Meta.Store.FreshUser(ctx, id)
	}
	if err != nil {
		diags.AddError(summary, "Nothing was sent. "+base.Explain(err))
		return state.Owner
	}
	if bot == nil || bot.IsActive || bot.BotOwnerID == nil || !r.Meta.Run.Knows(runstate.Gone, runstate.ID(runstate.Account, *bot.BotOwnerID)) {
		return state.Owner
	}
	const adopt = " The next plan asks for adopt_deactivated = true to reactivate the bot."
	if named, notFound := lookup.User(s, planned.Owner.ValueString()); notFound == nil { // otherwise the update reports it
		switch next, err := r.Meta.Store.FreshUser(ctx, named.ID); {
		case err != nil:
			diags.AddAttributeError(path.Root("owner"), summary, "The server deactivated the bot with its owner, and the provider could not read the planned owner. Nothing was sent. "+base.Explain(err)+adopt)
			return state.Owner
		case next != nil && !next.IsActive:
			diags.AddAttributeError(path.Root("owner"), summary,
				fmt.Sprintf("The server deactivated the bot with its owner, and the planned owner %s is deactivated. Nothing was sent. Set owner to someone else, or remove the zulip_bot too.", next.Address())+adopt)
			return state.Owner
		}
	}
	prior, _ := zulip.ParseRole(state.Role.ValueString())
	isUnchanged := bot.Role == prior // otherwise the update refuses to overwrite it
	if isUnchanged && !accounts.GiveBeforeReactivation(ctx, r.Meta, bot, prior, planned.Role, path.Root("short_name"), diags) {
		return state.Owner
	}
	err = reactivateBot(ctx, &core.Call{Base: &r.Base}, id)
	r.Meta.Store.Invalidate(store.Bots, store.Users)
	r.Meta.Store.BecameActive()
	if err == nil {
		bot, err = r.Meta.Store.FreshUser(ctx, id)
	}
	if err != nil || bot == nil {
		diags.AddError(summary, "The server deactivated the bot with its owner. "+base.ExplainWith(err, botHint)+adopt)
		return state.Owner
	}
	return ownerText(state.Owner, bot.BotOwnerID, s)
}

// updateBot sends the differences. The server makes one change after the other, so changes before a refused one stay.
func updateBot(ctx context.Context, c *core.Call, planned, current *botModel) error {
	user, ok := c.Snapshot.User(current.ID.ValueInt64())
	if !ok {
		return errors.New("the server does not show the bot to the provider's account. Plan again to see what happened")
	}
	change, err := planned.changes(user, current, c.Snapshot)
	if err != nil || change.Empty() {
		return err
	}
	if err := accounts.RoleChange(planned.Role, current.Role, user).CheckNow(ctx, c.Meta); err != nil {
		return err
	}
	if err := protectOwnership(ctx, c, change.OwnerID); err != nil {
		return err
	}
	defer c.Meta.Store.Invalidate(store.Bots, store.Users, store.UserGroups)
	bot, err := c.Meta.Client.UpdateBot(ctx, user.ID, change)
	if err != nil {
		return err
	}
	c.Meta.Store.ChangedBot(bot) // the list may not show it
	if change.Role != nil {
		accounts.GaveRole(c.Meta, user.ID, *change.Role)
	}
	if change.ShortName == nil {
		return nil
	}
	return checkRenamed(ctx, c, planned, current)
}

// protectOwnership runs right before the request, with the current account. It refuses to give the bot to an owner with
// whom the account could no longer manage the bot. owner is nil if the bot keeps its owner.
func protectOwnership(ctx context.Context, c *core.Call, owner *int64) error {
	if owner == nil || !c.Meta.LockoutProtection {
		return nil
	}
	var diags diag.Diagnostics
	switch self, err := c.Meta.Store.FreshUser(ctx, c.Meta.Store.Self().ID); {
	case err != nil:
		diags.AddAttributeError(path.Root("owner"), "Cannot read the provider's account", "The provider could not check whether the account could still manage the bot. Nothing was sent. "+base.Explain(err))
	case self == nil:
		diags.AddAttributeError(path.Root("owner"), "Cannot read the provider's account", "The server does not show the account to itself. Nothing was sent. Plan again.")
	default:
		checkOwnership(c.Meta, self, owner, &diags)
	}
	return core.AsError(diags)
}

// checkRenamed reports an error if the server reported success but did not change the short name.
func checkRenamed(ctx context.Context, c *core.Call, plan, prior *botModel) error {
	user, err := c.Meta.Client.User(ctx, prior.ID.ValueInt64())
	if err != nil || hasShortName(user, plan.ShortName.ValueString()) {
		return err
	}
	var diags diag.Diagnostics
	diags.AddAttributeError(path.Root("short_name"), fmt.Sprintf("Cannot change the short name of %s to %q", prior.Email.ValueString(), plan.ShortName.ValueString()),
		fmt.Sprintf("The server reported success, but the bot's email is %s. The server may be older than its feature level says: changing the short name requires %s. "+
			"Set short_name back to %q, or replace the bot with terraform apply -replace=ADDRESS.", user.Address(), featurelevel.Describe(featurelevel.BotShortName), prior.ShortName.ValueString()))
	return &base.Error{Diagnostics: diags}
}

// deactivateBot deactivates the bot, because the server deletes no bots. A bot that no longer exists is no error.
func deactivateBot(ctx context.Context, c *core.Call, state *botModel) error {
	id := state.ID.ValueInt64()
	if err := accounts.CheckDeactivation(ctx, c.Meta, id, state.Email.ValueString()); err != nil {
		return err
	}
	defer c.Meta.Store.Invalidate(store.Bots, store.Users, store.UserGroups)
	err := c.Meta.Run.Effects.Send(func() error { return c.Meta.Client.DeactivateBot(ctx, id) }, effects.Write{Kind: effects.Deactivated, ID: id})
	if err != nil && !zulip.IsMessage(err, "No such bot") {
		return err
	}
	c.Meta.Run.Note(runstate.Gone, runstate.ID(botKind, id))
	return nil
}

// findImportedBot finds the bot with an ID or email. It refuses other accounts, and bots that the account can't manage.
func findImportedBot(s *snapshot.Snapshot, text string) (*zulip.User, error) {
	user, err := lookup.User(s, text)
	if err != nil {
		names := suggest.Names{Things: "bots it can manage", All: s.BotAddresses(), Where: "the data source zulip_users lists all bots", Unquoted: true}
		return nil, fmt.Errorf("the provider's account sees no bot with the ID or email %q%s", text, names.Suggest(text))
	}
	_, isListed := s.Bots().ByID(user.ID)
	switch {
	case !user.IsBot:
		return nil, fmt.Errorf("%s is a person: import the user as a zulip_user", user.Address())
	case user.IsDeleted:
		summary, detail := accounts.Deleted(user, "short_name")
		return nil, errors.New(summary + ". " + detail)
	case user.IsActive && !isListed:
		return nil, fmt.Errorf("%s belongs to someone else: use the key of its owner, or of an administrator", user.Address())
	}
	return user, nil
}

func botHint(err error) string {
	if zulip.IsMessage(err, "Email is already in use.") {
		return "Another user or bot, active or deactivated, already has the email of this short name. Choose another short_name."
	}
	return ""
}

const botDescription = "Manages a [bot](https://zulip.com/help/bots-overview)."

func botSchema() schema.Schema {
	return schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: botDescription,
		Attributes: map[string]schema.Attribute{
			"id": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "ID of the bot.", PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"email": schema.StringAttribute{
				Computed: true, MarkdownDescription: "Email of the bot, which it authenticates with. Changes with `short_name`.", PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"short_name": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Local part of the bot's email, which is `<short_name>-bot@<host>`. Case is ignored. Can be changed in place on " + featurelevel.Describe(featurelevel.BotShortName) +
					" and later. The bot keeps its ID and API key, but must authenticate with the new email. On an older server, or if the level isn't known during plan, a change forces replacement.",
				Validators: []validator.String{validators.Matches(regexp.MustCompile(`^[^\s\p{Z}\p{Cc}@]+$`), "must be the beginning of an email address")},
			},
			"full_name": schema.StringAttribute{
				Required: true, MarkdownDescription: "Display name, at most 100 characters. Must be unique among active accounts.",
				Validators: []validator.String{validators.Length(1, 100), validators.VisibleName{RefuseControls: true}},
			},
			"bot_type": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString("generic"),
				MarkdownDescription: "Type of the bot: `generic`, `incoming_webhook` (only sends messages), `outgoing_webhook`, or `embedded` (if the server is set up for it). Defaults to `generic`. Changing it forces replacement with another `short_name`.",
				Validators:          []validator.String{validators.OneOf(typeNames[1:]...)},
			},
			"owner": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Email or user ID of the person who owns the bot. Initially the provider's account. The server deactivates a bot with its owner. If the same apply deactivates the owner (`zulip_user`) and sets another one here, the bot is reactivated.",
			},
			"owner_id": schema.Int64Attribute{
				Computed:            true,
				MarkdownDescription: "User ID of the owner. If `owner` names another person by the time a saved plan is applied, Terraform reports an inconsistent final plan and changes nothing.",
				PlanModifiers:       []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"role": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Role of the bot: `owner`, `administrator`, `moderator`, `member` or `guest`. Initially `member`. A reactivated bot gets the configured role before it is reactivated; if unset, it keeps its earlier role. Only administrators can set it.",
				Validators:          []validator.String{validators.OneOf(accounts.Roles()...)},
			},
			"default_sending_stream": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "ID or name of the channel that the bot sends to by default, such as `zulip_channel.x.id`; `\"\"` for none. Initially none.",
			},
			"default_events_register_stream": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "ID or name of the channel whose events the bot gets by default; `\"\"` for none. Initially none.",
			},
			"default_all_public_streams": schema.BoolAttribute{
				Optional: true, Computed: true, MarkdownDescription: "If true, the bot gets the events of all public channels by default. Initially `false`.",
			},
			"payload_url": schema.StringAttribute{
				Optional: true, MarkdownDescription: "URL that an outgoing webhook sends to. Required for `outgoing_webhook`, not allowed for other types.",
				Validators: []validator.String{validators.URL("https://example.com/hook")},
			},
			"interface": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Format of the requests of an outgoing webhook: `generic` or `slack`. Not allowed for other types. Initially `generic`.",
				Validators:          []validator.String{validators.OneOf(interfaceNames[1:]...)},
			},
			"service_name": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Name of the integration of an incoming webhook, or of the embedded bot. Only used on create, because the server doesn't show or change it later.",
				Validators: []validator.String{validators.Length(1, 100), validators.Matches(regexp.MustCompile(`^[a-z0-9_]+$`), "must be the name of an integration, in lower case")},
			},
			"config_data": schema.MapAttribute{
				ElementType: types.StringType, Optional: true, Sensitive: true,
				MarkdownDescription: "Settings of the bot's service. The server doesn't show them, so changes made outside Terraform aren't detected. A key that you remove is no longer managed, but stays on the server.",
			},
			"avatar_file": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Path of an image to upload as the bot's picture, such as `\"${path.module}/bot.png\"`: PNG, JPEG, GIF, WebP or AVIF. Changed content is uploaded in place. " +
					"If someone else changes the picture, the next plan proposes to upload the file again. The first apply after an import uploads it, because the server doesn't return the file. Removing the attribute or destroying the resource leaves the picture unchanged.",
			},
			"avatar_sha256": schema.StringAttribute{
				Computed: true, MarkdownDescription: "SHA-256 of the uploaded picture, in hexadecimal. Empty if someone else changed the picture since. Null if `avatar_file` is not set.",
			},
			"avatar_url": schema.StringAttribute{
				Computed: true, MarkdownDescription: "URL of the picture, either absolute or relative to the organization URL. Changes with each upload. Null if `avatar_file` is not set.",
			},
			"adopt_deactivated": schema.BoolAttribute{
				Optional: true, Computed: true, MarkdownDescription: "If true, a deactivated bot with the same `short_name` and `bot_type` is reactivated. Only used on create. Defaults to `adopt_deactivated` of the provider.",
			},
		},
	}
}
