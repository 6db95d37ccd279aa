package channel

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// checkCaller refuses what the provider's account may not do, and says who may
// (server-behavior §R15, §C17, §C18).
func (p planning) checkCaller() {
	self := p.Meta.Store.Self()
	if !p.Meta.RequireMember("manage channels", p.Diags) {
		return
	}
	isAdministrator := self.Role <= zulip.RoleAdministrator
	if p.State == nil {
		p.checkMayCreate()
	} else if !isAdministrator && len(p.Changes) > 0 && !p.administers(self) {
		p.Meta.Refuse(path.Empty(), fmt.Sprintf("change channel %q", p.State.Name.ValueString()),
			"Administrators and owners of the organization may, and whom the channel's can_administer_channel_group names: "+
				permission.Describe(p.Prior.Permissions["can_administer_channel_group"], p.On.View)+".", p.Diags)
	}
	attributes.CheckRights(&p.Base, slices.DeleteFunc(slices.Clone(p.Changes), p.isNobodyAtFirst), p.On.View, p.Diags)
}

// isNobodyAtFirst reports whether a change gives a permission of a new channel to nobody, which is the default where setting
// it takes a right.
func (p planning) isNobodyAtFirst(change step) bool {
	if p.State != nil || !change.Permission {
		return false
	}
	found := p.Permissions().Classify(change.Attribute)
	return found.Outcome == attribute.Written && permission.Equal(found.Value, zulip.GroupSettingValue{}, permission.NobodyID(p.On.View))
}

// checkMayCreate refuses a channel of a kind that the account may not create.
func (p planning) checkMayCreate() {
	right := "can_create_public_channel_group"
	switch privacy := zulip.Privacy(p.Plan.Privacy.ValueString()); {
	case p.Plan.Privacy.IsUnknown() && !p.Config.Privacy.IsNull():
		return // not known yet
	case privacy.IsPrivate():
		right = "can_create_private_channel_group"
	case privacy == zulip.PrivacyWebPublic:
		right = "can_create_web_public_channel_group"
	}
	p.Meta.RequireRight(p.On.View, path.Root("privacy"), "create this kind of channel", p.Diags, right)
}

// administers reports whether the account may change the channel without being an administrator of the organization.
func (p planning) administers(self *zulip.User) bool {
	value, ok := p.Prior.Permissions["can_administer_channel_group"]
	return !ok || permission.Admits(value, self, p.On.View)
}

// changed reports whether the plan writes the attribute.
func (p planning) changed(attribute string) bool {
	return slices.ContainsFunc(p.Changes, func(s step) bool { return s.Attribute == attribute })
}

// checkLockout refuses a plan after which the account could no longer manage the channel.
func (p planning) checkLockout() {
	self := p.Meta.Store.Self()
	// An account that does not manage the channel now cannot lose that. Its change is refused in checkCaller.
	manages := p.State == nil || p.administers(self)
	if self.Role > zulip.RoleAdministrator && manages && !p.admits("can_administer_channel_group", self) {
		p.Diags.AddAttributeError(path.Root("can_administer_channel_group"), "This would lock the provider out",
			fmt.Sprintf("%s is not an administrator of the organization and manages this channel only because can_administer_channel_group names it. Name it there, or use an administrator's key.", self.Address())+base.LockoutAdvice)
	}
	if p.State == nil && zulip.Privacy(p.Plan.Privacy.ValueString()).IsPrivate() && base.IsSet(p.Plan.InitialSubscribers) &&
		!p.subscribesSelf(self) && !p.opensTo("can_add_subscribers_group", self) && !p.opensTo("can_subscribe_group", self) {
		p.Diags.AddAttributeError(path.Root("initial_subscribers"), "This would lock the provider out",
			fmt.Sprintf("%s is not among the initial subscribers of this private channel, nor in can_add_subscribers_group or can_subscribe_group. It could never add anybody to the channel or change its privacy, whatever its role.", self.Address())+base.LockoutAdvice)
	}
}

// admits reports whether a permission will admit the account. What is not known yet counts as admitting it.
func (p planning) admits(setting string, self *zulip.User) bool {
	return attributes.Sets(&p.Plan.facts).Admits(setting, self, p.On.View)
}

// opensTo reports whether a permission of a new channel is set to admit the account; by default these admit nobody.
func (p planning) opensTo(setting string, self *zulip.User) bool {
	at := attributes.Permissions[setting].At
	return !at(&p.Config.facts).IsNull() && !at(&p.Plan.facts).IsNull() && p.admits(setting, self)
}

func (p planning) subscribesSelf(self *zulip.User) bool {
	for _, element := range p.Plan.InitialSubscribers.Elements() {
		text, ok := element.(types.String)
		if !ok || !base.IsSet(text) {
			return true
		}
		if user, err := lookup.User(p.On.View, text.ValueString()); err != nil || user.ID == self.ID {
			return true
		}
	}
	return false
}
