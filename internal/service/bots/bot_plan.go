package bots

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accounts"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// validateBot refuses values that are wrong in every organization.
func validateBot(config *botModel, diags *diag.Diagnostics) {
	if config.BotType.IsUnknown() {
		return
	}
	isOutgoing := config.botType() == zulip.BotOutgoingWebhook
	if isOutgoing && config.PayloadURL.IsNull() {
		diags.AddAttributeError(path.Root("payload_url"), "Missing payload_url", "An outgoing webhook requires payload_url.")
	}
	for attribute, value := range map[string]types.String{"payload_url": config.PayloadURL, "interface": config.Interface} {
		if !isOutgoing && base.IsSet(value) {
			diags.AddAttributeError(path.Root(attribute), "Attribute requires an outgoing webhook", fmt.Sprintf("Remove %s, or set bot_type = \"outgoing_webhook\".", attribute))
		}
	}
}

// renamesInPlace reports whether a server changes the short name of a bot that exists. An older server ignores the
// change and reports success. On such a server, or one of unknown level, another short name forces a new bot.
func renamesInPlace(b *base.Base) bool { return b.FeatureLevel() >= featurelevel.BotShortName }

// ModifyPlan plans the short name and the picture, even if the provider is not configured, and then does the plan of
// every resource.
func (r *botResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !req.State.Raw.IsNull() && !req.Plan.Raw.IsNull() {
		r.planShortName(ctx, req, resp)
	}
	if !req.Plan.Raw.IsNull() {
		planAvatar(ctx, req, resp)
		keepNewerType(ctx, req, resp)
	}
	r.Resource.ModifyPlan(ctx, req, resp)
}

// keepNewerType keeps a type that only a newer server has, unless the configuration sets another.
func keepNewerType(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	at := path.Root("bot_type")
	var configured, prior types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, at, &configured)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, at, &prior)...)
	if configured.IsNull() && !prior.IsNull() && number(typeNames, prior.ValueString()) == 0 {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, at, prior)...)
	}
}

// planShortName keeps the prior short name if the planned one differs in case only, because the server does not
// distinguish them. It plans the replacement of the bot if its short name cannot be changed.
func (r *botResource) planShortName(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	at := path.Root("short_name")
	var prior, planned types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, at, &prior)...)
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, at, &planned)...)
	switch {
	case !planned.IsUnknown() && strings.EqualFold(planned.ValueString(), prior.ValueString()):
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, at, prior)...)
	case !renamesInPlace(&r.Base):
		resp.RequiresReplace.Append(at)
	}
}

// checkBotPlan refuses changes that the server would refuse, with the reason and the fix.
func checkBotPlan(ctx context.Context, p *core.Plan[botModel]) {
	const doing = "create or update bots"
	if !p.IsDestroy() && p.Writes && (!p.Meta.RequirePerson(path.Empty(), doing, p.Diags) || !p.Meta.RequireMember(doing, p.Diags)) {
		return
	}
	var owner []string
	if !p.IsDestroy() {
		owner = append(owner, p.Plan.Owner.ValueString())
	}
	s, err := p.Meta.Store.ReadNaming(ctx, owner, store.Bots)
	if err != nil {
		p.Diags.AddError("Cannot read the bots", base.Explain(err))
		return
	}
	if p.IsDestroy() {
		checkBotDeactivation(ctx, p, s)
		return
	}
	if p.State != nil {
		s = s.Knowing(map[string]int64{p.State.Owner.ValueString(): p.State.OwnerID.ValueInt64()})
	}
	if !p.Plan.BotType.IsUnknown() && p.Plan.botType() != zulip.BotOutgoingWebhook && p.Config.Interface.IsNull() {
		p.Plan.Interface = types.StringNull()
	}
	if p.IsCreate() || p.IsReplaced {
		checkNewBot(ctx, p, s)
	} else {
		checkBotUpdate(p, s)
	}
	validators.CheckEmailLength(path.Root("short_name"), p.Plan.address(s), p.Diags)
	checkBotChannels(ctx, p, s)
	planOwnerID(p, s)
	checkBotOwner(p, s)
	checkOwnerStays(p, s)
	switch {
	case p.IsCreate() || p.Diags.HasError():
	case p.IsReplaced:
		email := p.State.Email.ValueString()
		existing.RegisterDestroy(p.Meta, existing.Object{Kind: botKind, Title: "bot", Name: email, Key: p.State.ShortName.ValueString(), ID: p.State.ID.ValueInt64(), Import: email}, p.Diags)
		checkBotDeactivation(ctx, p, s)
	default:
		warnOfBotAccess(ctx, p, s)
	}
}

// requireBotPermission requires the permission to create a bot.
func requireBotPermission(meta *base.Meta, view *snapshot.Snapshot, plan *botModel, diags *diag.Diagnostics) {
	permissions := []string{"can_create_bots_group"}
	if plan.botType() == zulip.BotIncomingWebhook {
		permissions = append(permissions, "can_create_write_only_bots_group")
	}
	meta.RequirePermission(view, path.Root("bot_type"), "create bots of this type", diags, permissions...)
}

// checkNewBot refuses a bot that the account can't create, or that already exists.
func checkNewBot(ctx context.Context, p *core.Plan[botModel], s *snapshot.Snapshot) {
	base.CheckInPlan(p.Diags, func(found *diag.Diagnostics) { requireBotPermission(p.Meta, s, p.Plan, found) })
	var account runstate.AccountKey
	var reactivated *zulip.User
	bot := &zulip.User{Email: p.Plan.FullName.ValueString(), IsBot: true, Role: zulip.RoleMember}
	if address := p.Plan.address(s); address != "" {
		if p.IsCreate() {
			p.Meta.Run.Note(runstate.Created, runstate.Name(botKind, p.Plan.ShortName.ValueString()))
		}
		holder, err := accounts.Holder(ctx, p.Meta, s, address)
		if err != nil {
			p.Diags.AddError("Cannot read "+address, base.Explain(err))
			return
		}
		// A bot that this run has deactivated gave its short name up.
		if isOwn := holder != nil && p.Meta.Run.Knows(runstate.Gone, runstate.ID(botKind, holder.ID)); !isOwn && !reserveShortName(p) {
			return
		}
		account.Email = address
		if holder != nil {
			bot, account.ID = holder, holder.ID
			checkBotNameHolder(ctx, p, holder)
			if !holder.IsActive {
				reactivated = holder
			}
		} else {
			p.Meta.Run.PlanName(runstate.Account, 0, address, p.Own...)
		}
	}
	checkBotName(p, s, bot.ID)
	accounts.DeclareRole(p.Meta, accounts.Said(account, p.Config.Role, reactivated), p.Diags)
	checkBotRole(p, s, bot, bot.Role)
}

// checkBotNameHolder checks the account that already has the email of the planned short name. It accepts a bot that this plan
// replaces or adopts, and an active bot that [existing.Object.Check] accepts. Otherwise it refuses the short name.
func checkBotNameHolder(ctx context.Context, p *core.Plan[botModel], holder *zulip.User) {
	run := &p.Meta.Run
	// A bot that is replaced is deactivated first, and then reactivated.
	isOwn := run.Knows(runstate.Managed, runstate.ID(botKind, holder.ID)) && (!holder.IsActive || !run.Knows(runstate.Destroyed, runstate.ID(botKind, holder.ID))) &&
		(p.IsCreate() || p.Plan.BotType.Equal(p.State.BotType))
	switch {
	case isOwn || run.Knows(runstate.Gone, runstate.ID(botKind, holder.ID)):
		run.PlanName(runstate.Account, holder.ID, holder.Address())
		if holder.IsActive && !slices.Contains(p.Own, holder.ID) { // another resource may have it
			existingBot(p.Plan, holder).Check(p.Meta, p.Diags)
		}
	case !p.IsCreate() && p.Plan.BotType.IsUnknown() && holder.ID == p.State.ID.ValueInt64():
		summary, detail := botNameTaken(holder, p.Plan)
		p.Diags.AddAttributeWarning(path.Root("short_name"), summary, detail+" If bot_type turns out to be another type, this apply stops here.")
	case holder.IsBot && !holder.IsActive && !holder.IsDeleted && p.Plan.AdoptDeactivated.ValueBool() && sameType(holder, p.Plan):
		run.PlanName(runstate.Account, holder.ID, holder.Address())
		role, returns := accounts.Returns(holder, p.Config.Role)
		p.Diags.AddAttributeWarning(path.Root("adopt_deactivated"), "A deactivated bot will be reactivated",
			fmt.Sprintf("Bot %s has the ID %d and the name %q. Its API key does not change. %s %s", holder.Address(), holder.ID, holder.FullName, existing.AdoptionReason("bot", "adopt_deactivated"), returns))
		accesswarning.OfReactivation(ctx, p.Meta, p.Diags, holder, role)
	case holder.IsActive && sameType(holder, p.Plan):
		existingBot(p.Plan, holder).Check(p.Meta, p.Diags)
	default:
		summary, detail := botNameTaken(holder, p.Plan)
		existing.RefuseTakenName(p.Meta, botKind, holder.ID, path.Root("short_name"), summary, detail, p.Diags)
	}
}

// existingBot describes the active bot that has the planned short name.
func existingBot(plan *botModel, holder *zulip.User) existing.Object {
	asPlanned := holder.FullName == strings.TrimSpace(plan.FullName.ValueString())
	joined, isKnown := holder.Joined()
	return existing.Object{
		Kind: botKind, Title: "bot", Name: holder.Address(), Key: plan.ShortName.ValueString(), ID: holder.ID, Import: holder.Address(), At: path.Root("short_name"),
		Summary:   fmt.Sprintf("A bot with the short name %s already exists", suggest.Quote(plan.ShortName.ValueString())),
		Detail:    fmt.Sprintf("%s has the ID %d and the name %q.", holder.Address(), holder.ID, holder.FullName),
		AsPlanned: asPlanned, MayBeReplaced: asPlanned, Ours: isKnown && existing.IsRecent(joined), // the server does not show who created it
	}
}

// sameType reports whether a bot has the planned type.
func sameType(user *zulip.User, plan *botModel) bool {
	return user.BotType != nil && typeOf(user) == plan.botType()
}

// botNameTaken returns the error about the account with the planned short name, with the fix.
func botNameTaken(holder *zulip.User, plan *botModel) (summary, detail string) {
	facts := fmt.Sprintf("%s has the ID %d and the name %q. ", holder.Address(), holder.ID, holder.FullName)
	switch {
	case holder.IsDeleted:
		return accounts.Deleted(holder, "short_name")
	case !sameType(holder, plan):
		return "A bot of another type has this short name", facts + "The type of a bot cannot be changed, and its short name stays taken. Choose another short_name."
	}
	return "A deactivated bot has this short name", facts + "Set adopt_deactivated = true to reactivate it."
}

// checkBotUpdate keeps prior values with the configured meaning, and refuses changes that the server would refuse.
func checkBotUpdate(p *core.Plan[botModel], s *snapshot.Snapshot) {
	user, ok := s.User(p.State.ID.ValueInt64())
	if !ok {
		return // the next read removes it from the state
	}
	p.Plan.keepPrior(p.State, s)
	if isReserved := reserveShortName(p); !p.Plan.ShortName.Equal(p.State.ShortName) {
		p.Plan.Email = types.StringUnknown()
		if isReserved {
			checkShortName(p, s, user)
		}
	}
	checkBotName(p, s, user.ID)
	accounts.DeclareRole(p.Meta, accounts.Said(runstate.AccountKey{ID: user.ID, Email: cmp.Or(p.Plan.address(s), user.Address())}, p.Config.Role, nil), p.Diags)
	prior, _ := zulip.ParseRole(p.State.Role.ValueString())
	checkBotRole(p, s, user, prior)
}

// reserveShortName refuses a short name that another resource of the configuration has.
func reserveShortName(p *core.Plan[botModel]) (ok bool) {
	if !base.IsSet(p.Plan.ShortName) {
		return true
	}
	name := p.Plan.ShortName.ValueString()
	other, ok := p.Meta.Run.Reserve(botKind, name, p.Own...)
	if !ok {
		existing.RefuseDuplicate(botKind, "short name", name, other, "", path.Root("short_name"), p.Diags)
	}
	return ok
}

// checkShortName refuses a new short name that another account has. Another bot that this run manages may release the
// name.
func checkShortName(p *core.Plan[botModel], s *snapshot.Snapshot, user *zulip.User) {
	address := p.Plan.address(s)
	if address == "" {
		return
	}
	at := path.Root("short_name")
	holder, isTaken := s.UserWithAddress(address)
	p.Meta.Run.PlanName(runstate.Account, user.ID, address)
	existing.RefuseNamedByText(p.Meta, existing.Object{Kind: runstate.Account, Title: "bot", Name: user.Address(), ID: user.ID, At: at}, "email", p.Diags)
	p.Meta.Run.PlanName(botKind, user.ID, p.Plan.ShortName.ValueString())
	switch {
	case !isTaken || holder.ID == user.ID:
		return
	case p.Meta.Run.Knows(runstate.Managed, runstate.ID(botKind, holder.ID)):
		renamed := existingBot(p.Plan, holder)
		renamed.IsRename, renamed.KeepsName = true, true
		renamed.Check(p.Meta, p.Diags)
		return
	}
	detail := fmt.Sprintf("The email %s belongs to %q (ID %d).", address, holder.FullName, holder.ID)
	if !holder.IsActive {
		detail += " That user is deactivated and keeps the email."
	}
	p.Diags.AddAttributeError(at, fmt.Sprintf("Cannot change the short name of %s to %q", user.Address(), p.Plan.ShortName.ValueString()),
		detail+" Choose another short_name, or change the email of that user first.")
}

// checkBotName refuses the name of another bot of this run, or of another active account. id is the bot's, zero for a new one.
func checkBotName(p *core.Plan[botModel], s *snapshot.Snapshot, id int64) {
	if !base.IsSet(p.Plan.FullName) {
		return
	}
	name := strings.TrimSpace(p.Plan.FullName.ValueString())
	if other, ok := p.Meta.Run.Reserve(botKind+" full_name", name, p.Own...); !ok {
		existing.RefuseDuplicate(botKind, "full name", name, other, "", path.Root("full_name"), p.Diags)
		return
	}
	if p.State != nil && !p.IsReplaced && strings.TrimSpace(p.State.FullName.ValueString()) == name {
		return
	}
	for _, user := range s.Users() {
		switch {
		case !user.IsActive || user.FullName != name || user.ID == id || slices.Contains(p.Own, user.ID):
		case p.Meta.Run.Knows(runstate.Managed, runstate.ID(botKind, user.ID)):
			p.Diags.AddAttributeWarning(path.Root("full_name"), "Another bot has this name",
				fmt.Sprintf("%s (ID %d) already has the name %q. If another resource of this configuration gives up the name, Terraform must change that resource first: add depends_on to this resource, or apply twice. Otherwise this apply stops here.", user.Address(), user.ID, name))
			return
		default:
			p.Diags.AddAttributeError(path.Root("full_name"), "Another user has this name",
				fmt.Sprintf("%s (ID %d) already has the name %q. A bot cannot have the name of an active user. Choose another name.", user.Address(), user.ID, name))
			return
		}
	}
}

func checkBotRole(p *core.Plan[botModel], s *snapshot.Snapshot, user *zulip.User, prior zulip.Role) {
	if planned, ok := zulip.ParseRole(p.Plan.Role.ValueString()); ok && planned != prior {
		accounts.Change{User: user, Prior: prior, Planned: planned, At: path.Root("role")}.Check(p.Meta, s, p.Diags)
	}
}

// checkBotChannels refuses channels that do not exist. A name in the state may belong to a channel that the account does
// not see.
func checkBotChannels(ctx context.Context, p *core.Plan[botModel], s *snapshot.Snapshot) {
	for attribute, field := range channelFields {
		planned := *field(p.Plan)
		if !base.IsSet(planned) || planned.ValueString() == "" || p.State != nil && planned.Equal(*field(p.State)) {
			continue
		}
		switch channel, _, err := lookup.ChannelInPlan(s, planned.ValueString()); {
		case err != nil:
			base.Report(p.Diags, "", lookup.NoSuchChannel(path.Root(attribute), err))
		case channel != nil:
			base.CheckInPlan(p.Diags, func(found *diag.Diagnostics) {
				p.Meta.RequireUse(ctx, s, channel, path.Root(attribute), fmt.Sprintf("let a bot use channel %q", channel.Name), found)
			})
		}
		lookup.NameChannelInPlan(s, planned.ValueString(), path.Root(attribute), p.Diags)
	}
}

// planOwnerID plans the ID of another owner, so that a saved plan is not applied to another user with the same email.
func planOwnerID(p *core.Plan[botModel], s *snapshot.Snapshot) {
	if p.Plan.Owner.IsNull() || p.State != nil && p.Plan.Owner.Equal(p.State.Owner) {
		return
	}
	p.Plan.OwnerID = types.Int64Unknown()
	if owner, _, err := lookup.UserInPlan(s, p.Plan.Owner.ValueString()); err == nil && owner != nil {
		p.Plan.OwnerID = types.Int64Value(owner.ID)
	}
}

// refuseInactiveOwner refuses a deactivated owner, in the plan and again in the apply.
func refuseInactiveOwner(owner *zulip.User, diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root("owner"), "The owner is deactivated", fmt.Sprintf("%s is deactivated and cannot own a bot. Set another owner. The server deactivates a person's bots together with the person. If it deactivated this bot, also set adopt_deactivated = true, which reactivates the bot instead of creating another.", owner.Address()))
}

// checkBotOwner refuses an owner who does not exist, or with whom the provider could no longer manage the bot.
func checkBotOwner(p *core.Plan[botModel], s *snapshot.Snapshot) {
	if !base.IsSet(p.Plan.Owner) || p.Config.Owner.IsNull() {
		return
	}
	at := path.Root("owner")
	owner, isPlanned, err := lookup.UserInConfig(s, p.Plan.Owner.ValueString(), at, p.Diags)
	isSame := p.State != nil && p.Plan.Owner.Equal(p.State.Owner)
	switch {
	case isSame && !lookup.IsReassigned(err), err != nil && hasEnded(p, s): // or the plan has warned of the bot's short name
		return
	case err != nil:
		lookup.AddError(p.Diags, at, err, base.ReferenceAdvice("user", "zulip_user.NAME.id"))
		return
	case !isPlanned && owner.IsBot:
		p.Diags.AddAttributeError(at, "A bot cannot own a bot", fmt.Sprintf("%s is a bot.", owner.Address()))
		return
	case !isPlanned && !owner.IsActive && hasEnded(p, s): // the plan has warned of the bot's short name
		return
	case !isPlanned && !owner.IsActive:
		refuseInactiveOwner(owner, p.Diags)
		return
	}
	var id *int64
	if owner != nil {
		id = &owner.ID
	}
	checkOwnership(p.Meta, p.Meta.Store.Self(), id, p.Diags)
}

// hasEnded reports whether a refresh found the bot of a new resource deactivated, with its owner or alone.
func hasEnded(p *core.Plan[botModel], s *snapshot.Snapshot) bool {
	bot, ok := s.UserByAddress(p.Plan.address(s))
	return ok && p.IsCreate() && p.Meta.Run.Knows(runstate.Ended, runstate.ID(botKind, bot.ID))
}

// checkOwnerStays warns about an owner that the same plan deactivates, and refuses a new owner.
func checkOwnerStays(p *core.Plan[botModel], s *snapshot.Snapshot) {
	if !base.IsSet(p.Plan.Owner) || p.Diags.HasError() {
		return
	}
	owner, ok := s.User(p.Plan.OwnerID.ValueInt64()) // the email may be hidden by now
	switch address := cmp.Or(p.Plan.address(s), p.Plan.ShortName.ValueString()); {
	case !ok || !owner.IsActive:
	case p.IsCreate():
		accounts.Need(p.Meta, "the bot "+address, owner, path.Root("owner"), p.Diags)
	case !p.Plan.OwnerID.Equal(p.State.OwnerID):
		accounts.Need(p.Meta, "the account the owner of the bot "+address, owner, path.Root("owner"), p.Diags)
	default:
		accounts.WarnOfOwner(p.Meta, address, owner, p.Diags)
	}
}

// checkOwnership refuses an owner with whom the provider's account, self, could no longer manage the bot. The ID is
// nil for an owner that this run will create.
func checkOwnership(meta *base.Meta, self *zulip.User, owner *int64, diags *diag.Diagnostics) {
	if meta.LockoutProtection && self.Role > zulip.RoleAdministrator && (owner == nil || *owner != self.ID) {
		diags.AddAttributeError(path.Root("owner"), base.LockoutSummary("the bot"),
			fmt.Sprintf("%s is not an administrator and can manage this bot only as its owner.", self.Address())+base.LockoutAdvice)
	}
}

// warnOfBotAccess warns about people who gain or lose access because of another role or owner. A bot can post where its
// owner can.
func warnOfBotAccess(ctx context.Context, p *core.Plan[botModel], s *snapshot.Snapshot) {
	bot, ok := s.User(p.State.ID.ValueInt64())
	if !ok {
		return
	}
	change := permission.Change{Roles: map[int64]zulip.Role{}, Owners: map[int64]int64{}}
	if role, ok := zulip.ParseRole(p.Plan.Role.ValueString()); ok && role != bot.Role {
		change.Roles[bot.ID] = role
	}
	if base.IsSet(p.Plan.Owner) {
		if owner, err := lookup.User(s, p.Plan.Owner.ValueString()); err == nil && (bot.BotOwnerID == nil || *bot.BotOwnerID != owner.ID) {
			change.Owners[bot.ID] = owner.ID
		}
	}
	if len(change.Roles)+len(change.Owners) > 0 {
		accesswarning.OfChange(ctx, p.Meta, p.Diags, change)
	}
}

// checkBotDeactivation refuses to deactivate the provider's account, and warns about permissions that no one has without the
// bot.
func checkBotDeactivation(ctx context.Context, p *core.Plan[botModel], s *snapshot.Snapshot) {
	bot, ok := s.User(p.State.ID.ValueInt64())
	if ok && accounts.Deactivation(bot).Check(p.Meta, s, p.Diags) && !p.Diags.HasError() {
		accounts.Leave(p.Meta, bot, path.Empty(), p.Diags)
		accesswarning.OfDeactivation(ctx, p.Meta, p.Diags, bot)
	}
}
