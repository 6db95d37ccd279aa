package channel

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// checkCaller refuses what the account the provider uses may not do, and says who may
// (server-behavior §R15, §C17, §C18).
func (p *planning) checkCaller() {
	self := p.Meta.Store.Self()
	if !p.Meta.RequireMember("manage channels", p.diags) {
		return
	}
	isAdministrator := self.Role <= zulip.RoleAdministrator
	if p.saw == nil {
		p.checkMayCreate()
	} else if !isAdministrator && len(p.changes) > 0 && !p.administers(self) {
		p.Meta.Refuse(path.Empty(), fmt.Sprintf("change channel %q", p.saw.Name),
			"Administrators and owners of the organization may, and whom the channel's can_administer_channel_group names: "+
				permission.Describe(p.saw.Permissions["can_administer_channel_group"], p.view)+".", p.diags)
	}
	if p.changed("message_retention_days") {
		p.Meta.RequireRole(zulip.RoleOwner, path.Root("message_retention_days"), "set message_retention_days", p.diags)
	}
	for _, attribute := range []string{"is_default", "default_push_notifications"} {
		if p.changed(attribute) {
			p.Meta.RequireRole(zulip.RoleAdministrator, path.Root(attribute), "set "+attribute, p.diags)
		}
	}
	if p.changed("topics_policy") && p.plan.TopicsPolicy.ValueString() != "inherit" {
		p.checkOrganizationRight("topics_policy", "can_set_topics_policy_group", self)
	}
	for _, setting := range []string{"can_delete_any_message_group", "can_delete_own_message_group"} {
		if p.changed(setting) {
			p.checkOrganizationRight(setting, "can_set_delete_message_policy_group", self)
		}
	}
}

// checkMayCreate refuses a channel of a kind that the account may not create.
func (p *planning) checkMayCreate() {
	right := "can_create_public_channel_group"
	switch privacy := zulip.Privacy(p.plan.Privacy.ValueString()); {
	case p.plan.Privacy.IsUnknown() && !p.config.Privacy.IsNull():
		return // not known yet
	case privacy.IsPrivate():
		right = "can_create_private_channel_group"
	case privacy == zulip.PrivacyWebPublic:
		right = "can_create_web_public_channel_group"
	}
	p.Meta.RequireRight(p.view, path.Root("privacy"), "create this kind of channel", p.diags, right)
}

// checkOrganizationRight refuses a change that administrators may make, and whom a setting of the organization names.
func (p *planning) checkOrganizationRight(attribute, right string, self *zulip.User) {
	value, ok := p.view.Realm().Permissions[right]
	if self.Role <= zulip.RoleAdministrator || !ok || permission.Admits(value, self, p.view) {
		return
	}
	p.Meta.Refuse(path.Root(attribute), "set "+attribute, fmt.Sprintf("Administrators and owners of the organization may, and whom the organization's setting %s names: %s.",
		right, permission.Describe(value, p.view)), p.diags)
}

// administers reports whether the account may change the channel without being an administrator of the organization.
func (p *planning) administers(self *zulip.User) bool {
	value, ok := p.saw.Permissions["can_administer_channel_group"]
	return !ok || permission.Admits(value, self, p.view)
}

// changed reports whether the plan writes the attribute: it differs from what was seen, or for a new channel from what
// the server would choose.
func (p *planning) changed(attribute string) bool {
	if p.saw != nil {
		return slices.ContainsFunc(p.changes, func(s step) bool { return s.Attribute == attribute })
	}
	switch attribute {
	case "message_retention_days":
		return framework.IsSet(p.plan.MessageRetentionDays) && p.plan.MessageRetentionDays.ValueString() != retentionDefault
	case "is_default":
		return p.plan.IsDefault.ValueBool()
	case "default_push_notifications":
		return p.plan.DefaultPush.ValueBool()
	case "topics_policy":
		return framework.IsSet(p.plan.TopicsPolicy)
	}
	// A permission: those that matter here start with nobody.
	principals, known := framework.PrincipalsOf(*p.plan.permission(attribute))
	return known && len(principals) > 0 && principals[0] != permission.Nobody
}

// checkLockout refuses a plan after which the account could no longer manage the channel.
func (p *planning) checkLockout() {
	self := p.Meta.Store.Self()
	// Who does not manage the channel now cannot lose it: that it is changed all the same is refused as such.
	manages := p.saw == nil || p.administers(self)
	if self.Role > zulip.RoleAdministrator && manages && !p.admits("can_administer_channel_group", self) {
		p.diags.AddAttributeError(path.Root("can_administer_channel_group"), "This would lock the provider out",
			fmt.Sprintf("%s is not an administrator of the organization and manages this channel only because can_administer_channel_group names it. Name it there, or use an administrator's key.", self.Address())+framework.WayOut)
	}
	if p.saw == nil && zulip.Privacy(p.plan.Privacy.ValueString()).IsPrivate() && framework.IsSet(p.plan.InitialSubscribers) &&
		!p.subscribesSelf(self) && !p.opensTo("can_add_subscribers_group", self) && !p.opensTo("can_subscribe_group", self) {
		p.diags.AddAttributeError(path.Root("initial_subscribers"), "This would lock the provider out",
			fmt.Sprintf("%s is not among the initial subscribers of this private channel, nor in can_add_subscribers_group or can_subscribe_group. It could never add anybody to the channel or change its privacy, whatever its role.", self.Address())+framework.WayOut)
	}
}

// admits reports whether a permission will admit the account, as far as is known; what is not known is in favour.
func (p *planning) admits(setting string, self *zulip.User) bool {
	return p.plan.permissionSets().Admits(setting, self, p.view)
}

// opensTo reports whether a permission of a new channel is set to admit the account; by default these admit nobody.
func (p *planning) opensTo(setting string, self *zulip.User) bool {
	if set := *p.plan.permission(setting); p.config.permission(setting).IsNull() || set.IsNull() {
		return false
	}
	return p.admits(setting, self)
}

func (p *planning) subscribesSelf(self *zulip.User) bool {
	for _, element := range p.plan.InitialSubscribers.Elements() {
		text, ok := element.(types.String)
		if !ok || !framework.IsSet(text) {
			return true
		}
		if user, err := framework.FindUser(p.view, text.ValueString()); err != nil || user.ID == self.ID {
			return true
		}
	}
	return false
}
