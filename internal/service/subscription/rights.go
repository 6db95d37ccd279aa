package subscription

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// change is whom a plan puts into a channel and takes out of it. It is checked twice: in the plan, on what was read then,
// and in the apply, on what was read just before the request.
type change struct {
	meta    *base.Meta
	view    *snapshot.Snapshot
	channel *zulip.Channel
	// in are those who are in the channel.
	in          ids
	add, remove []int64
	// listed are those whom the plan lists to be taken out. Nobody else is.
	listed ids
}

// users are those whom the change subscribes, or those whom it unsubscribes.
func (c *change) users(removes bool) []int64 {
	if removes {
		return c.remove
	}
	return c.add
}

// check refuses what the server would refuse, what would lock the account out, and to take out whom no plan has listed, and
// reports whether nothing was refused. It names the right that is missing (server-behavior §S3, §S5).
func (c *change) check(diags *diag.Diagnostics) bool {
	var found diag.Diagnostics
	c.refuse(&found)
	diags.Append(found...)
	return !found.HasError()
}

func (c *change) refuse(diags *diag.Diagnostics) {
	self := c.meta.Store.Self()
	if unlisted := setOf(c.remove).minus(c.listed); len(unlisted) > 0 {
		diags.AddAttributeError(path.Root("users"), fmt.Sprintf("%d would leave channel %q whom no plan lists", len(unlisted), c.channel.Name),
			fmt.Sprintf("They are in the channel, and not among the users: %s.\n\n%s", lookup.UserList.Describe(unlisted, c.view), c.howToList()))
		return
	}
	if len(c.add) > 0 && !c.meta.RequireMember("subscribe anybody", diags) {
		return
	}
	if len(c.add) > 0 && !c.reads(self) {
		diags.AddAttributeError(path.Root("channel"), fmt.Sprintf("%s has no access to the private channel %q", self.Address(), c.channel.Name),
			"Nobody can add people to a private channel without access to it, and administrators have none by their role. "+
				"Somebody in the channel has to subscribe the account the provider uses, or to name it in can_add_subscribers_group or can_subscribe_group.")
		return
	}
	others := func(id int64) bool { return id != self.ID }
	if slices.ContainsFunc(c.add, others) && !c.mayAdd(self) {
		c.meta.Refuse(path.Root("users"), fmt.Sprintf("add people to channel %q", c.channel.Name),
			fmt.Sprintf("Administrators and owners of the organization may, and whom one of these names: the organization's can_add_subscribers_group (%s), the channel's can_add_subscribers_group (%s) and can_administer_channel_group (%s).",
				permission.Describe(c.view.Realm().Permissions["can_add_subscribers_group"], c.view), c.describe("can_add_subscribers_group"), c.describe("can_administer_channel_group")), diags)
	}
	removesOthers := slices.ContainsFunc(c.remove, func(id int64) bool { return others(id) && !c.ownsBot(self, id) })
	if removesOthers && !c.mayRemove(self) {
		c.meta.Refuse(path.Root("users"), fmt.Sprintf("take people out of channel %q", c.channel.Name),
			fmt.Sprintf("It would take out %s. Administrators and owners of the organization may do that, and whom one of these names: the channel's can_remove_subscribers_group (%s) and can_administer_channel_group (%s).",
				lookup.UserList.Describe(c.remove, c.view), c.describe("can_remove_subscribers_group"), c.describe("can_administer_channel_group")), diags)
	}
	if c.meta.LockoutProtection && slices.Contains(c.remove, self.ID) && c.channel.Privacy().IsPrivate() && !c.opens(self) {
		diags.AddAttributeError(path.Root("users"), "This would lock the provider out",
			fmt.Sprintf("It takes %s out of the private channel %q. The account could never add anybody to it again nor change its privacy, whatever its role. Name the account among the users, or in can_add_subscribers_group or can_subscribe_group.", self.Address(), c.channel.Name)+
				base.LockoutAdvice)
	}
}

// howToList says how the next plan lists who is taken out.
func (c *change) howToList() string {
	return fmt.Sprintf("A new zulip_channel_subscribers takes nobody out of a channel that is there. Name them among the users, or import the channel, so that the plan lists everybody who leaves:\n\n"+
		"  import {\n    to = zulip_channel_subscribers.NAME\n    id = \"%d\"\n  }", c.channel.ID)
}

// reads reports whether an account has access to what is in the channel.
func (c *change) reads(self *zulip.User) bool {
	return !c.channel.Privacy().IsPrivate() || c.in[self.ID] || c.opens(self)
}

// opens reports whether the channel lets an account in that is not in it.
func (c *change) opens(self *zulip.User) bool {
	return c.admits("can_add_subscribers_group", self, false) || c.admits("can_subscribe_group", self, false)
}

func (c *change) mayAdd(self *zulip.User) bool {
	organization, ok := c.view.Realm().Permissions["can_add_subscribers_group"]
	return self.Role <= zulip.RoleAdministrator || !ok || permission.Admits(organization, self, c.view) ||
		c.admits("can_add_subscribers_group", self, false) || c.admits("can_administer_channel_group", self, false)
}

func (c *change) mayRemove(self *zulip.User) bool {
	if self.Role == zulip.RoleGuest {
		return false
	}
	return self.Role <= zulip.RoleAdministrator || c.admits("can_remove_subscribers_group", self, true) ||
		c.admits("can_administer_channel_group", self, false)
}

// ownsBot reports whether somebody is a bot of the account: it may take those out of any channel.
func (c *change) ownsBot(self *zulip.User, id int64) bool {
	user, ok := c.view.User(id)
	return ok && user.IsBot && user.BotOwnerID != nil && *user.BotOwnerID == self.ID
}

// admits reports whether a permission of the channel admits an account; unknown is the answer of a server that does not
// have the permission.
func (c *change) admits(setting string, self *zulip.User, unknown bool) bool {
	value, ok := c.channel.Permissions[setting]
	if !ok {
		return unknown
	}
	return permission.Admits(value, self, c.view)
}

func (c *change) describe(setting string) string {
	return permission.Describe(c.channel.Permissions[setting], c.view)
}
