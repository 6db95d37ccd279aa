package organization

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/settings"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// These attributes have checks besides those of their kind.
const (
	methodsAttribute    = "authentication_methods"
	waitingAttribute    = "waiting_period_threshold"
	spectatorAttribute  = "enable_spectator_access"
	digestAttribute     = "digest_emails_enabled"
	videoAttribute      = "video_chat_provider"
	moderationAttribute = "moderation_request_channel_id"
)

// organizationPlanning is the plan of the organization while it is checked.
type organizationPlanning struct {
	*organizationResource
	view         *snapshot.Snapshot
	config, plan *organizationModel
	state        *organizationModel // nil for a new resource
	prior        *organizationPrior
	// changes are the settings, and steps the settings and permissions, that an apply would send.
	changes settings.Table
	steps   []organizationStep
	diags   *diag.Diagnostics
}

// ModifyPlan refuses changes that the server would refuse or ignore, and describes the effect of destroying the
// resource.
func (r *organizationResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		r.planDestroy(ctx, req, &resp.Diagnostics)
		return
	}
	if !r.CanPlan(&resp.Diagnostics) {
		return
	}
	p := organizationPlanning{organizationResource: r, diags: &resp.Diagnostics}
	p.config, p.plan = getModel(ctx, req.Config, p.diags), getModel(ctx, req.Plan, p.diags)
	if req.State.Raw.IsNull() {
		p.plan.omitUnset(p.config)
	} else {
		p.state = getModel(ctx, req.State, p.diags)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	var err error
	if p.view, err = r.readNaming(ctx, p.plan); err != nil {
		resp.Diagnostics.AddError(organizationUnreadable, base.Explain(err))
		return
	}
	env := attribute.NewEnv(&r.Base, p.view)
	if p.state != nil { // the new resource of a replacement has the private state too, but its apply has none
		env = env.Knowing(attribute.Emails(ctx, req.Private, p.diags))
		p.view = env.View
		p.prior = organizationTable.PriorState(p.state, attribute.Raw(ctx, req.Private, p.diags), env)
		current := emptyModel()
		organizationTable.Read(current, p.view.Realm(), env, p.diags)
		p.state.values().RefuseNotStored(p.config.values(), current.values(), p.diags)
	} else {
		p.prior = organizationTable.PriorObject(p.view.Realm(), env, p.diags)
	}
	p.plan.planResets(p.config)
	r.CheckLevels(ctx, "zulip_organization", req.Config, p.diags)
	organizationTable.KeepPrior(p.config, p.plan, p.prior, env)
	p.changes = organizationSettings.Changes(p.plan.settings, p.prior.Values.settings)
	p.steps, _ = organizationTable.Steps(p.prior, p.plan, env) // the checks report unresolved values
	p.check(ctx)
	if p.state == nil {
		change.WarnOfManaged("the organization", p.steps, p.diags)
	}
	p.diags.Append(p.plan.write(ctx, &resp.Plan)...)
}

// planDestroy describes the effect of destroying the resource, and refuses changes that the server would refuse.
func (r *organizationResource) planDestroy(ctx context.Context, req resource.ModifyPlanRequest, diags *diag.Diagnostics) {
	state := getModel(ctx, req.State, diags)
	if diags.HasError() {
		return
	}
	if !state.resets() {
		diags.AddWarning("The organization is left unchanged",
			"Its settings and permissions are left unchanged and no longer managed. To reset the permissions on destroy, first apply on_destroy = \"reset\".")
		return
	}
	if !r.CanPlan(diags) {
		return
	}
	view, err := r.readNaming(ctx, state)
	if err != nil {
		diags.AddError(organizationUnreadable, base.Explain(err))
		return
	}
	env := attribute.NewEnv(&r.Base, view)
	p := organizationPlanning{organizationResource: r, diags: diags, view: view, state: state}
	p.prior = organizationTable.PriorState(state, attribute.Raw(ctx, req.Private, diags), env)
	p.plan = state.afterDestroy(p.prior, view)
	p.config = p.plan
	p.steps, _ = organizationTable.Steps(p.prior, p.plan, env)
	if p.checkCaller(); diags.HasError() {
		return
	}
	text := "No permission of reset_permissions names a user group, so nothing is reset."
	if len(p.steps) > 0 {
		text = "These permissions name a user group and are reset to their defaults:\n"
		for _, step := range p.steps {
			text += fmt.Sprintf("\n%s\n  now:               %s\n  after the destroy: %s\n", step.Attribute, step.Prior, step.Planned)
		}
	}
	diags.AddWarning("Destroying resets permissions of the organization", text+"\nAll other values are left unchanged and no longer managed.")
	accesswarning.OfOrganization(ctx, p.Meta, diags, p.permissions(), nil)
}

// permissions returns the plan of the permissions, for the common checks.
func (p *organizationPlanning) permissions() attribute.PermissionPlan {
	return organizationTable.PermissionPlan(p.config, p.plan, p.prior, p.view)
}

// check refuses changes that the server would refuse, with the reason and the fix.
func (p *organizationPlanning) check(ctx context.Context) {
	p.permissions().Check(p.diags)
	p.checkCaller()
	p.checkAlone()
	for _, setting := range p.changes {
		value := p.plan.settings[setting.Name]
		switch setting.Name {
		case methodsAttribute:
			p.checkMethods(organizationTextsOf(value))
		case videoAttribute:
			p.checkVideoChat(value)
		case digestAttribute:
			p.checkDigest(value)
		}
		if _, ok := setting.Kind.(channelKind); ok {
			p.checkChannel(ctx, setting.Name, value)
		}
	}
	if p.diags.HasError() {
		return
	}
	p.warnOfOwnLoss()
	accesswarning.OfOrganization(ctx, p.Meta, p.diags, p.permissions(), p.settingsAccess())
}

// warnOfOwnLoss warns about the permissions that the plan takes from the provider's account, or may take: it does not know yet whom
// they name. Permissions that concern messages don't count.
func (p *organizationPlanning) warnOfOwnLoss() {
	self, at := p.Meta.Store.Self(), path.Empty()
	var lost []string
	for _, setting := range permission.RealmSettings {
		now, ok := p.view.Realm().Permissions[setting.Name]
		planned := *p.permissions().Plan(setting.Name)
		if ok && !setting.IsAboutMessages() && !planned.IsNull() && permission.Admits(now, self, p.view) && !permission.Admits(attribute.KnownPart(planned, p.view), self, p.view) {
			lost, at = append(lost, setting.Name), path.Root(setting.Name)
		}
	}
	if len(lost) > 0 {
		base.AddWarningAt(p.diags, at, "The provider's account loses permissions of the organization",
			fmt.Sprintf("The plan takes these permissions from %[2]s, the account that this provider block uses, unless names that it does not know yet include the account: %[1]s. "+
				"Resources that need them then fail, also in this apply if Terraform changes the organization first. Name the account too, or add depends_on to this resource with the resources that need them.",
				strings.Join(lost, ", "), self.Address()))
	}
}

// settingsAccess returns the planned waiting period and the planned access of spectators; nil if neither changes. No other
// setting that is not a permission decides access.
func (p *organizationPlanning) settingsAccess() *permission.Change {
	change := permission.Change{
		Now: time.Now(), WaitingPeriodUnknown: p.isYetUnknown(waitingAttribute), SpectatorsUnknown: p.isYetUnknown(spectatorAttribute),
	}
	for _, setting := range p.changes {
		switch value := p.plan.settings[setting.Name].(type) {
		case types.Int64:
			if setting.Name == waitingAttribute {
				days := int(value.ValueInt64())
				change.WaitingPeriod = &days
			}
		case types.Bool:
			if setting.Name == spectatorAttribute {
				enabled := value.ValueBool()
				change.Spectators = &enabled
			}
		}
	}
	if change.WaitingPeriod == nil && change.Spectators == nil && !change.WaitingPeriodUnknown && !change.SpectatorsUnknown {
		return nil
	}
	return &change
}

// isYetUnknown reports whether the configuration sets an attribute to an unknown value.
func (p *organizationPlanning) isYetUnknown(attribute string) bool {
	config, plan := p.config.settings[attribute], p.plan.settings[attribute]
	return config != nil && !config.IsNull() && plan != nil && plan.IsUnknown()
}

// checkCaller refuses attributes that the account can't send. The server would refuse the whole request for one
// attribute, even without a change (server-behavior §O1).
func (p *organizationPlanning) checkCaller() {
	known := lists.Map(p.steps, func(step organizationStep) string { return step.Attribute })
	unknown := slices.DeleteFunc(p.unknown(), func(name string) bool { return slices.Contains(known, name) })
	p.requireRole(known, p.diags)
	base.WarnOfUnknown("the values that this plan does not know yet are the current ones", p.diags, func(found *diag.Diagnostics) { p.requireRole(unknown, found) })
}

// unknown are the attributes that the configuration sets to values that are not known yet.
func (p *organizationPlanning) unknown() (names []string) {
	for name := range p.config.settings {
		if p.isYetUnknown(name) {
			names = append(names, name)
		}
	}
	for _, setting := range permission.RealmSettings {
		if _, known := attribute.PrincipalsOf(*p.permissions().Config(setting.Name)); !known {
			names = append(names, setting.Name)
		}
	}
	slices.Sort(names)
	return names
}

// requireRole refuses to change attributes that the account can't send.
func (p *organizationPlanning) requireRole(attributes []string, diags *diag.Diagnostics) {
	if len(attributes) == 0 {
		return
	}
	self := p.Meta.Store.Self()
	if self.Role > zulip.RoleAdministrator {
		p.Meta.RequireRole(zulip.RoleAdministrator, path.Empty(), "change the organization", diags)
		return
	}
	forOwners := slices.DeleteFunc(attributes, func(name string) bool { return organizationTable.Requires(name).Role != zulip.RoleOwner })
	if len(forOwners) == 0 || self.Role == zulip.RoleOwner {
		return
	}
	diags.AddAttributeError(path.Root(forOwners[0]), fmt.Sprintf("%s cannot set %s", self.Address(), strings.Join(forOwners, ", ")),
		fmt.Sprintf("Only owners of the organization can set: %s. The account's role is %s. Use an owner's key, or remove these attributes.",
			strings.Join(owners(p.view), ", "), self.Role))
}

// manyOwners is the maximum number of owners that a message names.
const manyOwners = 5

// owners returns the emails of active owners, for a message.
func owners(view *snapshot.Snapshot) []string {
	var addresses []string
	for _, user := range view.Users() {
		if user.IsActive && user.Role == zulip.RoleOwner {
			addresses = append(addresses, user.Address())
		}
	}
	if len(addresses) > manyOwners {
		addresses = append(addresses[:manyOwners:manyOwners], fmt.Sprintf("and %d more", len(addresses)-manyOwners))
	}
	return addresses
}

// checkAlone refuses two resources of the configuration that set the same attribute, because each apply would undo the
// other's change.
func (p *organizationPlanning) checkAlone() {
	for _, setting := range organizationSettings {
		value := p.plan.settings[setting.Name]
		if config := p.config.settings[setting.Name]; config.IsNull() || value.IsUnknown() {
			continue
		}
		p.declare(setting.Name, describeOrganizationValue(value))
	}
	for _, setting := range permission.Organizations.Settings {
		principals, known := attribute.PrincipalsOf(*p.plan.permission(setting.Name))
		if !known || p.config.permission(setting.Name).IsNull() {
			continue
		}
		if resolved, problems := permission.Resolve(principals, p.view); len(problems)+len(resolved.Planned) == 0 {
			p.declare(setting.Name, permission.Describe(resolved.Value, p.view))
		}
	}
}

func (p *organizationPlanning) declare(attribute, words string) {
	if !p.Meta.Run.Declare(runstate.ID("zulip_organization."+attribute, 0), runstate.Words(words)) {
		p.diags.AddAttributeError(path.Root(attribute), "Two resources set "+attribute+" of the organization",
			fmt.Sprintf("Here it is %s, but another zulip_organization of this configuration sets another value. Each apply would undo the change of the other. Keep one resource for the organization.", words))
	}
}

// checkMethods refuses ways to log in that the server does not enable (server-behavior §O13), or that the organization's
// plan does not include.
func (p *organizationPlanning) checkMethods(names []string) {
	methods := p.view.Realm().AuthenticationMethods
	for _, name := range names {
		method, ok := methods[name]
		switch {
		case !ok:
			p.diags.AddAttributeError(path.Root(methodsAttribute), "No such authentication method",
				fmt.Sprintf("The server has no %q. It has %s.", name, strings.Join(slices.Sorted(maps.Keys(methods)), ", ")))
		case !method.Available && !method.Enabled:
			p.diags.AddAttributeError(path.Root(methodsAttribute), fmt.Sprintf("%s is not available", name), "The server says: "+method.UnavailableReason)
		}
	}
}

// checkVideoChat refuses a provider of calls that the server is not set up for. Not every server lists its providers.
// One that the server is too old for was refused before.
func (p *organizationPlanning) checkVideoChat(value attr.Value) {
	text, _ := value.(types.String)
	var there []string
	for _, provider := range p.view.Realm().VideoChatProviders {
		for _, code := range videoChatProviders {
			if int64(code.Number) == provider.ID {
				there = append(there, code.Word)
			}
		}
	}
	needed := featurelevel.LookupValue("zulip_organization", videoAttribute, text.ValueString())
	if len(there) == 0 || slices.Contains(there, text.ValueString()) || !p.HasLevel(needed) {
		return
	}
	slices.Sort(there)
	p.diags.AddAttributeError(path.Root(videoAttribute), fmt.Sprintf("The server is not set up for %q", text.ValueString()),
		fmt.Sprintf("It is set up for %s. The server's administrator can add others.", strings.Join(there, ", ")))
}

// checkDigest refuses to turn digests on if the server would never show it: a server that sends no digests shows that
// they are off.
func (p *organizationPlanning) checkDigest(value attr.Value) {
	flag, _ := value.(types.Bool)
	if sends := p.view.Realm().SendsDigestEmails; flag.ValueBool() && sends != nil && !*sends {
		p.diags.AddAttributeError(path.Root(digestAttribute), "The server does not send digests",
			"The server would accept the setting but still report that it is off. The server's administrator can turn digests on (SEND_DIGEST_EMAILS).")
	}
}

// checkChannel refuses a channel that the organization cannot use for the purpose.
func (p *organizationPlanning) checkChannel(ctx context.Context, attribute string, value attr.Value) {
	number, _ := value.(types.Int64)
	if number.ValueInt64() == noChannel {
		return
	}
	view, err := p.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		p.diags.AddError("Cannot read the channels", base.Explain(err))
		return
	}
	channel, err := lookup.Channel(view, strconv.FormatInt(number.ValueInt64(), 10))
	switch at := path.Root(attribute); {
	case err != nil:
		base.Report(p.diags, "", lookup.NoSuchChannel(at, err))
	case channel.IsArchived:
		p.diags.AddAttributeError(at, fmt.Sprintf("Channel %q is archived", channel.Name), "The server accepts only active channels.")
	case attribute == moderationAttribute:
		planned := p.Meta.Run.PermissionsIn(channel)
		if !planned.PrivacyUnknown && !planned.Privacy.IsPrivate() {
			p.diags.AddAttributeError(at, fmt.Sprintf("Channel %q is not private", channel.Name),
				"Reports require a private channel. If this configuration makes it private, reference it as zulip_channel.NAME.id.")
		}
	}
}
