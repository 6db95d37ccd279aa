package groups

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// caller is the provider's account.
type caller struct {
	meta         *base.Meta
	self         *zulip.User
	organization organization
}

func newCaller(meta *base.Meta, s *snapshot.Snapshot) caller {
	return caller{meta, meta.Store.Self(), s}
}

// refused reports an error if the account can't change any group.
func (c caller) refused(diags *diag.Diagnostics) bool {
	const doing = "manage user groups"
	return !c.meta.RequirePersonBelow(featurelevel.UserGroupsByBots, path.Empty(), doing, diags) || !c.meta.RequireMember(doing, diags)
}

// ofOrganization returns the value of an organization permission, and whether the account has it. On an old server
// without the setting, the account has it.
func (c caller) ofOrganization(name string) (who zulip.GroupSettingValue, has bool) {
	who, ok := c.organization.Realm().Permissions[name]
	return who, !ok || permission.Admits(who, c.self, c.organization)
}

// has reports whether one of a group's own permissions admits the account.
func (c caller) has(group *zulip.UserGroup, setting string) bool {
	value, ok := group.Permissions[setting]
	return !ok || permission.Admits(value, c.self, c.organization)
}

// may reports whether the account has effective access by a permission of a group.
func (c caller) may(group *zulip.UserGroup, name string) bool {
	ofGroup, ofOrganization := permission.GroupGrants(name)
	return slices.ContainsFunc(ofGroup, func(name string) bool { return c.has(group, name) }) ||
		slices.ContainsFunc(ofOrganization, func(name string) bool { _, has := c.ofOrganization(name); return has })
}

// manages reports whether the account can manage a group.
func (c caller) manages(group *zulip.UserGroup) bool { return c.may(group, "can_manage_group") }

// managers describes in a message who can manage a group.
func (c caller) managers(group *zulip.UserGroup) string {
	all, _ := c.ofOrganization("can_manage_all_groups")
	return fmt.Sprintf("users named by the organization's can_manage_all_groups (%s) or by the group's can_manage_group (%s)",
		permission.Describe(all, c.organization), permission.Describe(group.Permissions["can_manage_group"], c.organization))
}

// checkMembership refuses a change of members that the account can't make, and names who can. To add or remove only
// itself, the permission to join or leave is enough.
func (c caller) checkMembership(group *zulip.UserGroup, change zulip.MembershipChange, diags *diag.Diagnostics) {
	alone := func(ids []int64) bool { return len(ids) == 1 && ids[0] == c.self.ID }
	refuse := func(list, may, setting string) {
		c.meta.Lack(path.Root(list), fmt.Sprintf("%s user group %q", may, group.Name),
			fmt.Sprintf("This is allowed for %s, or by its %s (%s).", c.managers(group), setting, permission.Describe(group.Permissions[setting], c.organization)), diags)
	}
	if len(change.Add) > 0 && !c.may(group, "can_add_members_group") && (!alone(change.Add) || !c.may(group, "can_join_group")) {
		refuse("members", "add people to", "can_add_members_group")
	}
	if len(change.Delete) > 0 && !c.may(group, "can_remove_members_group") && (!alone(change.Delete) || !c.may(group, "can_leave_group")) {
		refuse("members", "remove people from", "can_remove_members_group")
	}
	if len(change.AddSubgroups) > 0 && !c.may(group, "can_add_members_group") {
		refuse("subgroups", "add groups to", "can_add_members_group")
	}
	if len(change.DeleteSubgroups) > 0 && !c.manages(group) {
		c.meta.Lack(path.Root("subgroups"), fmt.Sprintf("remove groups from user group %q", group.Name), fmt.Sprintf("This is allowed for %s.", c.managers(group)), diags)
	}
}

// checkChange refuses a change of a group, or the creation of one, that the account can't make, and names who can.
func (c caller) checkChange(now *zulip.UserGroup, change userGroupUpdate, diags *diag.Diagnostics) {
	switch {
	case c.refused(diags):
	case now == nil:
		c.meta.RequirePermission(c.organization, path.Empty(), "create user groups", diags, "can_create_groups")
	case (now.Deactivated || !change.UserGroupUpdate.Empty()) && !c.manages(now):
		c.meta.Lack(path.Empty(), fmt.Sprintf("change user group %q", now.Name), "This is allowed for "+c.managers(now)+".", diags)
	default:
		c.checkMembership(now, change.MembershipChange, diags)
	}
}

// checkDeactivation refuses a deactivation that the account can't make, and names who can.
func (c caller) checkDeactivation(group *zulip.UserGroup, diags *diag.Diagnostics) {
	if !c.refused(diags) && !c.manages(group) {
		c.meta.Lack(path.Empty(), fmt.Sprintf("deactivate user group %q", group.Name), "This is allowed for "+c.managers(group)+".", diags)
	}
}

// checkLockout refuses a change of a group if the account could then no longer manage a group that it manages now. It
// also refuses the loss of an organization permission that lets the account manage groups. It checks every group whose
// can_manage_group depends on the changed one.
//
// A plan warns if the account leaves the group without such a loss. A loss outside the changed group is a warning in a
// plan, because another resource of the run may prevent it. The
// account must keep the permission to manage a new group, whose ID is zero.
func (c caller) checkLockout(later *zulip.UserGroup, isPlan bool, diags *diag.Diagnostics) {
	if !c.meta.LockoutProtection {
		return
	}
	then := caller{c.meta, c.self, laterOrganization{c.organization, later}}
	at, inIt := path.Root("can_manage_group"), zulip.NamedGroup(later.ID)
	before, exists := c.organization.UserGroups().ByID(later.ID)
	if exists && permission.Admits(inIt, c.self, c.organization) && !permission.Admits(inIt, c.self, then.organization) {
		if at = path.Root(subgroupsList.Name); slices.Contains(before.Members, c.self.ID) {
			at = path.Root(membersList.Name)
		}
		lost := c.losesElsewhere(then, later)
		if isPlan && len(lost) == 0 {
			base.WarnSelf(c.self, at, fmt.Sprintf("leaves user group %q", later.Name), diags)
		}
		if len(lost) > 0 {
			summary, text := c.lockedOut(lost)
			if !isPlan {
				diags.AddAttributeError(at, summary, text+base.LockoutAdvice)
				return
			}
			diags.AddAttributeWarning(at, summary+", based on the organization's current values",
				text+" If another resource of this configuration changes that, add depends_on to this resource. Otherwise the apply stops here.")
		}
	}
	_, isSet := later.Permissions["can_manage_group"]
	if (exists && c.manages(before) || !exists && isSet) && !then.manages(later) {
		summary, text := c.lockedOut([]string{fmt.Sprintf("manage user group %q", later.Name)})
		diags.AddAttributeError(at, summary, text+base.LockoutAdvice)
	}
}

// losesElsewhere returns the permissions that the account would lose outside the changed group.
func (c caller) losesElsewhere(then caller, changed *zulip.UserGroup) (lost []string) {
	for _, group := range c.organization.UserGroups().List() {
		if group.ID != changed.ID && !group.IsSystemGroup && !group.Deactivated && c.manages(group) && !then.manages(group) {
			lost = append(lost, fmt.Sprintf("manage user group %q", group.Name))
		}
	}
	for _, setting := range permission.RealmSettings {
		value, ok := c.organization.Realm().Permissions[setting.Name]
		if ok && !setting.IsAboutMessages() && permission.Admits(value, c.self, c.organization) && !permission.Admits(value, c.self, then.organization) {
			lost = append(lost, setting.Action)
		}
	}
	return lost
}

func (c caller) lockedOut(lost []string) (summary, text string) {
	all, _ := c.ofOrganization("can_manage_all_groups")
	return base.LockoutSummary("what it manages"),
		fmt.Sprintf("%s could no longer: %s. Name the account itself in that permission, or keep it in the group that the permission names. Or use the key of an account in the organization's can_manage_all_groups (%s).",
			c.self.Address(), strings.Join(lost, "; "), permission.Describe(all, c.organization))
}

// organization is an organization with its user groups, now or after a change.
type organization interface {
	base.Organization
	UserGroups() *snapshot.Index[zulip.UserGroup]
}

// laterOrganization is an organization with one group after a change.
type laterOrganization struct {
	organization
	group *zulip.UserGroup
}

// UserGroup returns the changed group for its ID, and other groups unchanged.
func (o laterOrganization) UserGroup(id int64) (*zulip.UserGroup, bool) {
	if id == o.group.ID {
		return o.group, true
	}
	return o.organization.UserGroup(id)
}
