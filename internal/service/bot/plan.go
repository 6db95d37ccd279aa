package bot

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// ValidateConfig refuses what is wrong in any organization.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if config.BotType.IsUnknown() {
		return
	}
	outgoing := config.botType() == zulip.BotOutgoingWebhook
	if outgoing && config.PayloadURL.IsNull() {
		resp.Diagnostics.AddAttributeError(path.Root("payload_url"), "Nowhere to send to", "An outgoing webhook needs payload_url.")
	}
	for attribute, value := range map[string]types.String{"payload_url": config.PayloadURL, "interface": config.Interface} {
		if !outgoing && framework.IsSet(value) {
			resp.Diagnostics.AddAttributeError(path.Root(attribute), "Only for outgoing webhooks", fmt.Sprintf("Take %s out, or set bot_type = \"outgoing_webhook\".", attribute))
		}
	}
}

// renamesInPlace reports whether the server changes the short name of a bot that exists. An older server ignores the change
// and reports success, and a server whose level is not known may be an older one: there, another short name forces a new bot.
func (r *Resource) renamesInPlace() bool { return r.FeatureLevel() >= featurelevel.BotShortName }

// planShortName keeps the short name in the state if the planned one differs in case only, for the server does not tell
// them apart, and plans the replacement of the bot where its short name cannot be changed.
func (r *Resource) planShortName(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.State.Raw.IsNull() || req.Plan.Raw.IsNull() {
		return
	}
	at := path.Root("short_name")
	var prior, planned types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, at, &prior)...)
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, at, &planned)...)
	switch {
	case !planned.IsUnknown() && strings.EqualFold(planned.ValueString(), prior.ValueString()):
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, at, prior)...)
	case !r.renamesInPlace():
		resp.RequiresReplace.Append(at)
	}
}

// planning is the plan of one bot while it is checked.
type planning struct {
	*Resource
	view  *snapshot.Snapshot
	plan  *model
	state *model // nil for a bot that is to be made
	diags *diag.Diagnostics
}

// ModifyPlan refuses what the server would refuse, with the reason and the way out.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.planShortName(ctx, req, resp) // before the provider is configured, too
	if !r.CanPlan(&resp.Diagnostics) {
		return
	}
	p := planning{Resource: r, diags: &resp.Diagnostics}
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &p.state)...)
		p.warnOfEnd(ctx)
		return
	}
	r.CheckLevels(ctx, "zulip_bot", req.Config, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Plan.Get(ctx, &p.plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &p.state)...)
	r.Meta.RequirePerson(path.Empty(), "make or change bots", &resp.Diagnostics)
	r.Meta.RequireMember("make or change bots", &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	var err error
	if p.view, err = r.Meta.Store.Read(ctx, store.Bots); err != nil {
		resp.Diagnostics.AddError("Cannot read the bots", framework.Explain(err))
		return
	}
	var config model // what is not configured is not managed
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !p.plan.BotType.IsUnknown() && p.plan.botType() != zulip.BotOutgoingWebhook && config.Interface.IsNull() {
		p.plan.Interface = types.StringNull()
	}
	if p.state == nil || p.isReplaced() {
		p.checkNew()
	} else {
		p.checkChange(config.Role)
	}
	p.checkReferences()
	p.warn(ctx)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, p.plan)...)
}

// isReplaced reports whether another bot takes the place of the one in the state.
func (p *planning) isReplaced() bool {
	return p.isRenamed() && !p.renamesInPlace() || !p.plan.BotType.Equal(p.state.BotType)
}

// isRenamed reports whether the bot in the state gets another short name, or the next one does that takes its place.
func (p *planning) isRenamed() bool { return !p.plan.ShortName.Equal(p.state.ShortName) }

// address is that of a bot with the planned short name; empty if it is not known.
func (p *planning) address() string {
	domain := p.view.Realm().BotDomain
	if domain == "" || !framework.IsSet(p.plan.ShortName) {
		return ""
	}
	return p.plan.ShortName.ValueString() + suffix + "@" + domain
}

// checkNew refuses a bot that the account may not make, or that is there already.
func (p *planning) checkNew() {
	p.checkMayCreate()
	if p.state == nil && p.address() != "" {
		p.Meta.Run.WillCreate(kind, strings.ToLower(p.address()))
	}
	person := &zulip.User{Email: p.plan.FullName.ValueString(), IsBot: true, Role: zulip.RoleMember}
	if namesake, ok := p.view.UserByAddress(p.address()); ok {
		person = namesake
		p.checkNamesake(namesake)
	} else if address := p.address(); address != "" {
		p.Meta.Run.PlanAddress(0, address)
	}
	p.checkName(person.ID)
	p.checkRole(person, person.Role)
}

// checkMayCreate refuses whom the organization lets make no bots of the type.
func (p *planning) checkMayCreate() {
	rights := []string{"can_create_bots_group"}
	if p.plan.botType() == zulip.BotIncomingWebhook {
		rights = append(rights, "can_create_write_only_bots_group")
	}
	p.Meta.RequireRight(p.view, path.Root("bot_type"), "make this kind of bot", p.diags, rights...)
}

// checkNamesake refuses to take a bot over that was not asked for.
func (p *planning) checkNamesake(namesake *zulip.User) {
	switch {
	case p.Meta.Run.IsManaged(kind, namesake.ID) && (!namesake.IsActive || !p.Meta.Run.WillBeDestroyed(kind, namesake.ID)) && (p.state == nil || p.plan.BotType.Equal(p.state.BotType)), p.Meta.Run.IsDestroyed(kind, namesake.ID):
		// It is this very bot, which is deactivated and taken back.
		p.Meta.Run.PlanReactivation(namesake.ID)
	case namesake.IsBot && !namesake.IsActive && !namesake.IsDeleted && p.plan.AdoptDeactivated.ValueBool() && sameType(namesake, p.plan):
		p.Meta.Run.PlanReactivation(namesake.ID)
		p.diags.AddAttributeWarning(path.Root("adopt_deactivated"), fmt.Sprintf("The bot %s will be reactivated", namesake.Address()),
			fmt.Sprintf("It has the ID %d and is called %q, and keeps its key. What this configuration does not set stays as it was.", namesake.ID, namesake.FullName))
	case namesake.IsActive && sameType(namesake, p.plan):
		p.CheckExisting(p.existing(p.plan, namesake), p.diags)
	default:
		summary, detail := taken(namesake, p.plan)
		p.RefuseTakenName(kind, namesake.ID, path.Root("short_name"), summary, detail, p.diags)
	}
}

// existing is the active bot that has the planned short name.
func (r *Resource) existing(plan *model, namesake *zulip.User) framework.Existing {
	asPlanned := namesake.FullName == strings.TrimSpace(plan.FullName.ValueString())
	joined, known := namesake.Joined()
	return framework.Existing{
		Kind: kind, Title: "bot", Name: namesake.Address(), Key: strings.ToLower(namesake.Address()), ID: namesake.ID, Import: namesake.Address(), At: path.Root("short_name"),
		Summary:   "The bot exists already",
		Detail:    fmt.Sprintf("%s has the ID %d and is called %q.", namesake.Address(), namesake.ID, namesake.FullName),
		AsPlanned: asPlanned, MayBeReplaced: asPlanned, Ours: known && framework.IsRecent(joined), // the server does not tell who made it
	}
}

func sameType(user *zulip.User, wanted *model) bool {
	return user.BotType != nil && typeOf(user) == wanted.botType()
}

// taken says that a short name belongs to a bot, and what to do.
func taken(namesake *zulip.User, wanted *model) (summary, detail string) {
	facts := fmt.Sprintf("%s has the ID %d and is called %q. ", namesake.Address(), namesake.ID, namesake.FullName)
	switch {
	case namesake.IsDeleted:
		return framework.DeletedAccount(namesake, "short_name")
	case !sameType(namesake, wanted):
		return "The short name is taken by another kind of bot", facts + "A bot's type cannot be changed, and its short name stays taken. Choose another short_name."
	}
	return "The short name belongs to a deactivated bot", facts + "Set adopt_deactivated = true to reactivate it."
}

// checkRename refuses a short name that another account has. That of a bot which this run manages may be free by then.
func (p *planning) checkRename(user *zulip.User) {
	address := p.address()
	if address == "" {
		return
	}
	at := path.Root("short_name")
	if !p.Meta.Run.Reserve(kind, strings.ToLower(address), user.ID) {
		p.diags.AddAttributeError(at, fmt.Sprintf("Duplicate short name %q", p.plan.ShortName.ValueString()),
			"Another zulip_bot in this configuration gets the same short name. Change one of them.")
		return
	}
	holder, taken := p.view.UserByAddress(address)
	p.Meta.Run.PlanAddress(user.ID, address)
	if !taken || holder.ID == user.ID || p.Meta.Run.IsManaged(kind, holder.ID) {
		return
	}
	detail := fmt.Sprintf("The address %s belongs to %q (ID %d).", address, holder.FullName, holder.ID)
	if !holder.IsActive {
		detail += " That account is deactivated and keeps its address."
	}
	p.diags.AddAttributeError(at, fmt.Sprintf("Cannot change the short name of %s to %q", user.Address(), p.plan.ShortName.ValueString()),
		detail+" Choose another short_name, or rename that account first.")
}

// checkName refuses the name of another active account.
func (p *planning) checkName(own int64) {
	if !framework.IsSet(p.plan.FullName) {
		return
	}
	name := strings.TrimSpace(p.plan.FullName.ValueString())
	for _, user := range p.view.Users() {
		if user.IsActive && user.FullName == name && user.ID != own && !p.Meta.Run.IsManaged(kind, user.ID) {
			p.diags.AddAttributeError(path.Root("full_name"), "The name is taken",
				fmt.Sprintf("%s (ID %d) is called %q too. The server gives a bot no name that an active account has.", user.Address(), user.ID, name))
			return
		}
	}
}

func (p *planning) checkRole(user *zulip.User, saw zulip.Role) {
	to, ok := zulip.ParseRole(p.plan.Role.ValueString())
	if !ok || to == saw {
		return
	}
	framework.RoleChange{User: user, Saw: saw, To: to, At: path.Root("role")}.Check(p.Meta, p.view, p.diags)
}

// checkChange keeps the state's words where the configuration says the same in others, and refuses who may not change
// the bot.
func (p *planning) checkChange(configured types.String) {
	user, ok := p.view.User(p.state.ID.ValueInt64())
	if !ok {
		return // removed from the state by the next read
	}
	if framework.IsSet(p.plan.FullName) && strings.TrimSpace(p.plan.FullName.ValueString()) == strings.TrimSpace(p.state.FullName.ValueString()) {
		p.plan.FullName = p.state.FullName
	}
	if framework.IsSet(p.plan.Owner) && framework.IsSet(p.state.Owner) {
		if owner, err := framework.FindUser(p.view, p.plan.Owner.ValueString()); err == nil && framework.UserAddress(p.state.Owner.ValueString(), owner, p.view) == p.state.Owner.ValueString() {
			p.plan.Owner = p.state.Owner
		}
	}
	for _, pair := range [][2]*types.String{
		{&p.plan.DefaultSendingStream, &p.state.DefaultSendingStream}, {&p.plan.DefaultEventsRegisterStream, &p.state.DefaultEventsRegisterStream},
	} {
		if planned, held := pair[0], pair[1]; framework.IsSet(*planned) && planned.ValueString() != "" {
			if channel, err := framework.FindChannel(p.view, planned.ValueString()); err == nil && framework.KeepChannel(held.ValueString(), channel.ID, p.view) == held.ValueString() {
				*planned = *held
			}
		}
	}
	if p.isRenamed() {
		p.plan.Email = types.StringUnknown()
		p.checkRename(user)
	}
	p.checkName(user.ID)
	framework.DeclareRole(p.Meta, user, configured, p.diags)
	saw, _ := zulip.ParseRole(p.state.Role.ValueString())
	p.checkRole(user, saw)
}

// checkReferences refuses an owner and channels that there are not, and to give the bot away to where it could not be
// managed any more.
func (p *planning) checkReferences() {
	for attribute, value := range map[string]types.String{
		"default_sending_stream": p.plan.DefaultSendingStream, "default_events_register_stream": p.plan.DefaultEventsRegisterStream,
	} {
		if !framework.IsSet(value) || value.ValueString() == "" {
			continue
		}
		if _, _, err := framework.FindChannelInPlan(p.view, value.ValueString()); err != nil && !p.holds(attribute, value) {
			p.diags.AddAttributeError(path.Root(attribute), "No such channel",
				framework.Sentence(err)+"\n\nIf this configuration creates the channel, write zulip_channel.NAME.id: its ID is not known before, so that the channel comes first.")
		}
	}
	if !framework.IsSet(p.plan.Owner) || p.state != nil && p.plan.Owner.Equal(p.state.Owner) {
		return
	}
	owner, later, err := framework.FindUserInPlan(p.view, p.plan.Owner.ValueString())
	at := path.Root("owner")
	switch {
	case err != nil:
		p.diags.AddAttributeError(at, "No such person", framework.Sentence(err))
	case later && owner == nil:
		p.checkGivenAway(0)
	case later:
		p.checkGivenAway(owner.ID)
	case owner.IsBot:
		p.diags.AddAttributeError(at, "Bots own no bots", fmt.Sprintf("%s is a bot.", owner.Address()))
	case !owner.IsActive:
		p.diags.AddAttributeError(at, "Deactivated", fmt.Sprintf("%s is deactivated and cannot be given a bot.", owner.Address()))
	default:
		p.checkGivenAway(owner.ID)
	}
}

// checkGivenAway refuses an owner with whom the bot could not be managed any more. Zero is an account to come.
func (p *planning) checkGivenAway(owner int64) {
	self := p.Meta.Store.Self()
	if p.Meta.LockoutProtection && self.Role > zulip.RoleAdministrator && owner != self.ID {
		p.diags.AddAttributeError(path.Root("owner"), "This would lock the provider out",
			fmt.Sprintf("%s is not an administrator and manages this bot only because it owns it.", self.Address())+framework.LockoutAdvice)
	}
}

// warn says who gains and who loses what by another role or owner: a bot may post where its owner may.
func (p *planning) warn(ctx context.Context) {
	if p.state == nil || p.diags.HasError() {
		return
	}
	if p.isReplaced() {
		p.warnOfEnd(ctx)
		return
	}
	bot, ok := p.view.User(p.state.ID.ValueInt64())
	if !ok {
		return
	}
	change := permission.Change{Roles: map[int64]zulip.Role{}, Owners: map[int64]int64{}}
	if role, known := zulip.ParseRole(p.plan.Role.ValueString()); known && role != bot.Role {
		change.Roles[bot.ID] = role
	}
	if framework.IsSet(p.plan.Owner) {
		if owner, err := framework.FindUser(p.view, p.plan.Owner.ValueString()); err == nil && (bot.BotOwnerID == nil || *bot.BotOwnerID != owner.ID) {
			change.Owners[bot.ID] = owner.ID
		}
	}
	if len(change.Roles)+len(change.Owners) > 0 {
		p.WarnOfAccess(ctx, p.diags, fmt.Sprintf("What %s can do changes", bot.Address()), change)
	}
}

// warnOfEnd says what the end of the bot in the state means.
func (p *planning) warnOfEnd(ctx context.Context) {
	view, err := p.Meta.Store.Read(ctx, store.Bots)
	if err != nil {
		p.diags.AddError("Cannot read the bots", framework.Explain(err))
		return
	}
	email := p.state.Email.ValueString()
	p.RegisterDestroy(framework.Existing{Kind: kind, Title: "bot", Name: email, Key: strings.ToLower(email), ID: p.state.ID.ValueInt64(), Import: email}, p.diags)
	if bot, ok := view.User(p.state.ID.ValueInt64()); ok && !p.diags.HasError() {
		p.WarnOfDeactivation(ctx, p.diags, bot, view.Users())
	}
}

// holds reports whether the state has the same words: a channel that the account cannot see, named by the server.
func (p *planning) holds(attribute string, value types.String) bool {
	if p.state == nil {
		return false
	}
	held := map[string]types.String{
		"default_sending_stream": p.state.DefaultSendingStream, "default_events_register_stream": p.state.DefaultEventsRegisterStream,
	}
	return value.Equal(held[attribute])
}
