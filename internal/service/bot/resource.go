// Package bot is the resource zulip_bot: a bot, its owner and its configuration.
package bot

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// kind is what bots are claimed as.
const kind = "zulip_bot"

// Resource is zulip_bot.
type Resource struct{ framework.Resource }

// NewResource returns zulip_bot.
func NewResource() resource.Resource { return &Resource{} }

// identity is what a bot is recognised by.
type identity struct {
	ID types.Int64 `tfsdk:"id"`
}

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_bot"
}

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceSchema()
}

// IdentitySchema describes what a bot is recognised by.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.Int64Attribute{RequiredForImport: true, Description: "The bot's ID."},
	}}
}

// Create makes the bot, or takes a deactivated one back, and brings it to what is planned.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id, made := r.make(ctx, &plan, &resp.Diagnostics)
	if id == 0 {
		return
	}
	// From here on the bot exists: it is in the state before anything else can fail.
	state := plan
	state.forgetUnknown()
	state.ID = types.Int64Value(id)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	now := r.fresh(ctx, id, &resp.Diagnostics)
	if now == nil {
		return
	}
	config := plan.config()
	if made {
		config = nil // it went with the making
	}
	update := plan.changes(now.user, now.bot, config, now.view, &resp.Diagnostics)
	if now = r.bring(ctx, now, update, &resp.Diagnostics); now != nil {
		state.read(now.user, now.bot, now.view)
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}

// make makes the bot, or takes a deactivated one back, and returns its ID; 0 after an error.
func (r *Resource) make(ctx context.Context, plan *model, diags *diag.Diagnostics) (id int64, made bool) {
	summary := fmt.Sprintf("Cannot make the bot %q", plan.FullName.ValueString())
	view, err := r.Meta.Store.Read(ctx, store.Bots)
	if err != nil {
		diags.AddError(summary, framework.Explain(err))
		return 0, false
	}
	address := plan.ShortName.ValueString() + suffix + "@" + view.Realm().BotDomain
	adopted, adopts := r.Meta.Run.Take(kind, strings.ToLower(address))
	if namesake, ok := view.UserByAddress(address); ok {
		if !namesake.IsActive && !namesake.IsDeleted && sameType(namesake, plan) && (plan.AdoptDeactivated.ValueBool() || r.Meta.Run.IsDestroyed(kind, namesake.ID)) {
			return r.reactivate(ctx, namesake, diags), false
		}
		if adopts && adopted == namesake.ID {
			return adopted, false
		}
		if namesake.IsActive && sameType(namesake, plan) {
			r.existing(plan, namesake).Refuse(r.Meta, diags)
			return 0, false
		}
		reason, detail := taken(namesake, plan)
		diags.AddAttributeError(path.Root("short_name"), reason, detail)
		return 0, false
	}
	wanted := zulip.NewBot{
		FullName: strings.TrimSpace(plan.FullName.ValueString()), ShortName: plan.ShortName.ValueString(), Type: plan.botType(),
		PayloadURL: plan.PayloadURL.ValueString(), Interface: max(1, number(interfaceWords, plan.Interface.ValueString())),
		ServiceName: plan.ServiceName.ValueString(), Config: plan.config(),
	}
	read := func(ctx context.Context) (*snapshot.Snapshot, error) { return r.Meta.Store.Read(ctx, store.Bots) }
	id, err = framework.Creation{
		Kind: kind, Thing: strings.ToLower(address),
		Look: func(ctx context.Context, free func(int64) bool) (int64, error) {
			view, err := read(ctx)
			read = func(ctx context.Context) (*snapshot.Snapshot, error) { return r.Meta.Store.Fresh(ctx, store.Bots) }
			if err != nil {
				return 0, err
			}
			if bot, ok := view.UserByAddress(address); ok && free(bot.ID) {
				return bot.ID, nil
			}
			return 0, nil
		},
		Make: func(ctx context.Context) (int64, error) {
			var id int64
			err := r.Meta.Store.Write(ctx, func(ctx context.Context) (err error) {
				id, err = r.Meta.Client.CreateBot(ctx, wanted)
				return err
			})
			return id, err
		},
	}.Run(ctx, r.Meta)
	if err != nil {
		diags.AddError(summary, framework.Explain(err))
	}
	r.Meta.Store.BecameActive()
	return id, true
}

// reactivate takes a deactivated bot back and returns its ID; 0 after an error. The server refuses to reactivate an
// active bot, so that after a lost answer it is looked at (server-behavior §U10).
func (r *Resource) reactivate(ctx context.Context, bot *zulip.User, diags *diag.Diagnostics) int64 {
	err := r.Meta.Store.Write(ctx, func(ctx context.Context) error { return r.Meta.Client.ReactivateUser(ctx, bot.ID) })
	if zulip.MayHaveHappened(err) {
		if now, look := r.Meta.Client.User(ctx, bot.ID); look == nil && now.IsActive {
			err = nil
		}
	}
	if err != nil {
		diags.AddError(fmt.Sprintf("Cannot reactivate the bot %s", bot.Address()), framework.Explain(err))
		return 0
	}
	r.Meta.Run.Manage(kind, bot.ID)
	r.Meta.Store.BecameActive()
	return bot.ID
}

// reading is a bot as the server holds it.
type reading struct {
	user *zulip.User
	bot  *zulip.Bot
	view *snapshot.Snapshot
}

// fresh reads a bot as it is after a write; nil after an error.
func (r *Resource) fresh(ctx context.Context, id int64, diags *diag.Diagnostics) *reading {
	view, err := r.Meta.Store.Fresh(ctx, store.Bots)
	if err != nil {
		diags.AddError(fmt.Sprintf("The bot %d could not be read", id), framework.Explain(err)+"\n\nIt is in the state. The next apply goes on from there.")
		return nil
	}
	user, visible := view.User(id)
	bot, mine := view.Bots().ByID(id)
	if !visible || !mine {
		diags.AddError(fmt.Sprintf("The bot %d could not be read", id), "The server shows bots to their owners and to administrators, and the account the provider uses is neither.")
		return nil
	}
	if !hasType(user, diags) {
		return nil
	}
	return &reading{user, bot, view}
}

// hasType reports whether the server says of which type a bot is, and says so if not: any other value would plan another
// bot in its place.
func hasType(user *zulip.User, diags *diag.Diagnostics) bool {
	if user.BotType == nil {
		diags.AddError(fmt.Sprintf("Cannot read the bot %s", user.Address()),
			"The server does not say of which type the bot is: bot_type is missing in its user object. Check that the server is a supported one, and report this if it is.")
	}
	return user.BotType != nil
}

// bring sends a change and reads what the server holds then; nil after an error.
func (r *Resource) bring(ctx context.Context, now *reading, update zulip.BotUpdate, diags *diag.Diagnostics) *reading {
	if diags.HasError() {
		return nil
	}
	if update.Empty() {
		return now
	}
	err := r.Meta.Store.Write(ctx, func(ctx context.Context) error { return r.Meta.Client.UpdateBot(ctx, now.user.ID, update) })
	r.Meta.Store.Invalidate(store.Bots, store.Users, store.UserGroups)
	if err != nil {
		cause := framework.Explain(err)
		if update.ShortName != nil {
			cause += fmt.Sprintf("\n\nThe change includes the short name %q, which needs an address that no other account has, active or deactivated. If it is taken, choose another short_name.", *update.ShortName)
		}
		diags.AddError(fmt.Sprintf("Cannot change the bot %s", now.user.Address()),
			cause+"\n\nThe server makes one change after the other: those before the one it refused are made. The next plan shows what is left.")
		return nil
	}
	return r.fresh(ctx, now.user.ID, diags)
}

// Read takes the bot from the snapshot.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	view, err := r.Meta.Store.Read(ctx, store.Bots)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the bots", framework.Explain(err))
		return
	}
	user, visible := view.User(state.ID.ValueInt64())
	bot, mine := view.Bots().ByID(state.ID.ValueInt64())
	if visible && user.IsActive && !mine && r.Meta.Store.Self().Role <= zulip.RoleAdministrator {
		resp.Diagnostics.AddError(fmt.Sprintf("Cannot read the bot %s", user.Address()),
			"The bot is active, but the server does not list it among the organization's bots, although the account the provider uses is an administrator. The bot stays in the state. Apply again; if the error stays, report it.")
		return
	}
	if !visible || !mine || !user.IsActive {
		if visible && !user.IsActive {
			r.Meta.Run.Lose(kind, state.ID.ValueInt64())
		}
		tflog.Info(ctx, "The bot was deactivated or given away by somebody else: removing it from the state",
			map[string]any{"id": state.ID.ValueInt64(), "email": state.Email.ValueString()})
		resp.State.RemoveResource(ctx)
		return
	}
	if !hasType(user, &resp.Diagnostics) {
		return
	}
	r.Meta.Run.Manage(kind, user.ID)
	if r.renamesInPlace() && !state.Email.IsNull() && !strings.EqualFold(state.Email.ValueString(), user.Address()) && !hasShortName(user, state.ShortName.ValueString()) {
		state.ShortName = types.StringNull() // somebody else has changed it
	}
	state.read(user, bot, view)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update sends what differs, and no role that somebody else has changed.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	now := r.fresh(ctx, state.ID.ValueInt64(), &resp.Diagnostics)
	if now == nil {
		return
	}
	saw, _ := zulip.ParseRole(state.Role.ValueString())
	if to, managed := zulip.ParseRole(plan.Role.ValueString()); managed && to != saw &&
		!(framework.RoleChange{Saw: saw, To: to, At: path.Root("role")}).IsCurrent(now.user, &resp.Diagnostics) {
		return
	}
	update := plan.changes(now.user, now.bot, plan.newKeys(&state), now.view, &resp.Diagnostics)
	if plan.Role.Equal(state.Role) {
		update.Role = nil
	}
	if !plan.ShortName.Equal(state.ShortName) && !hasShortName(now.user, plan.ShortName.ValueString()) {
		update.ShortName = plan.ShortName.ValueStringPointer()
	}
	if now = r.bring(ctx, now, update, &resp.Diagnostics); now != nil {
		if update.ShortName != nil && !hasShortName(now.user, *update.ShortName) {
			resp.Diagnostics.AddAttributeError(path.Root("short_name"), fmt.Sprintf("Cannot change the short name of %s to %q", state.Email.ValueString(), *update.ShortName),
				fmt.Sprintf("The server reported success, but the bot's address is %s. The server may be older than its feature level says: changing the short name needs %s. "+
					"Set short_name back to %q, or replace the bot with terraform apply -replace=ADDRESS.", now.user.Address(), featurelevel.Describe(featurelevel.BotShortName), state.ShortName.ValueString()))
			plan.ShortName = state.ShortName
		}
		plan.read(now.user, now.bot, now.view)
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	}
}

// Delete deactivates the bot.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id := state.ID.ValueInt64()
	defer r.Meta.Store.Invalidate(store.Bots, store.Users, store.UserGroups)
	if err := r.Meta.Client.DeactivateBot(ctx, id); err != nil && !zulip.IsMessage(err, "No such bot") {
		resp.Diagnostics.AddError(fmt.Sprintf("Cannot deactivate the bot %s", state.Email.ValueString()), framework.Explain(err))
		return
	}
	r.Meta.Run.Destroy(kind, id)
}

// ImportState takes the bot's ID, or its address.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	word := framework.ImportedWord(ctx, req, "id", &resp.Diagnostics)
	view, err := r.Meta.Store.Read(ctx, store.Bots)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the bots", framework.Explain(err))
		return
	}
	user, err := framework.FindUser(view, word)
	if err != nil {
		names := suggest.Names{Things: "bots it can manage", All: view.BotAddresses(), Where: "the data source zulip_users lists all bots", Unquoted: true}
		err = fmt.Errorf("no bot with the ID or the address %q is visible to the account the provider uses%s", word, names.Suggest(word))
		resp.Diagnostics.AddError("Cannot import this bot", framework.Sentence(err))
		return
	}
	switch _, mine := view.Bots().ByID(user.ID); {
	case !user.IsBot:
		resp.Diagnostics.AddError("Cannot import a person as a bot", fmt.Sprintf("%s is a person. Import the account as a zulip_user.", user.Address()))
	case user.IsDeleted:
		resp.Diagnostics.AddError(framework.DeletedAccount(user, "short_name"))
	case !user.IsActive:
		resp.Diagnostics.AddError("Cannot import a deactivated bot",
			fmt.Sprintf("%s (ID %d) is deactivated. To reactivate it, write a zulip_bot with its short name and adopt_deactivated = true.", user.Address(), user.ID))
	case !mine:
		resp.Diagnostics.AddError("Cannot import this bot", fmt.Sprintf("%s belongs to somebody else. Use the key of its owner, or of an administrator.", user.Address()))
	default:
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), user.ID)...)
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.Int64Value(user.ID)})...)
	}
}

// forgetUnknown leaves what is not known to the server.
func (m *model) forgetUnknown() {
	for _, value := range []*types.String{&m.Email, &m.Owner, &m.Role, &m.DefaultSendingStream, &m.DefaultEventsRegisterStream, &m.Interface} {
		if value.IsUnknown() {
			*value = types.StringNull()
		}
	}
	if m.DefaultAllPublicStreams.IsUnknown() {
		m.DefaultAllPublicStreams = types.BoolNull()
	}
}
