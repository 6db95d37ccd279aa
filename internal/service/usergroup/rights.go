package usergroup

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permissionattribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// caller is the provider's account.
type caller struct {
	meta     *base.Meta
	self     *zulip.User
	snapshot *snapshot.Snapshot
}

func newCaller(meta *base.Meta, s *snapshot.Snapshot) caller {
	return caller{meta, meta.Store.Self(), s}
}

// botsText says on pages which accounts can manage groups.
var botsText = "Guests cannot manage groups. Bots can from " + featurelevel.Describe(featurelevel.UserGroupsByBots) + " on; an older server accepts only people's accounts."

// refused reports an account that may change no group at all.
func (c caller) refused(diags *diag.Diagnostics) bool {
	const doing = "manage user groups"
	return !c.meta.RequirePersonBelow(featurelevel.UserGroupsByBots, path.Empty(), doing, diags) || !c.meta.RequireMember(doing, diags)
}

// ofOrganization returns who has a right in the organization, and whether the account has it. On an old server without the
// setting it has.
func (c caller) ofOrganization(right string) (who zulip.GroupSettingValue, has bool) {
	who, ok := c.snapshot.Realm().Permissions[right]
	return who, !ok || permission.Admits(who, c.self, c.snapshot)
}

// has reports whether one of a group's own permissions admits the account.
func (c caller) has(group *zulip.UserGroup, setting string) bool {
	value, ok := group.Permissions[setting]
	return !ok || permission.Admits(value, c.self, c.snapshot)
}

// manages reports whether the account may do everything with a group.
func (c caller) manages(group *zulip.UserGroup) bool {
	_, all := c.ofOrganization("can_manage_all_groups")
	return all || c.has(group, "can_manage_group")
}

// managers says in a message who may do everything with a group.
func (c caller) managers(group *zulip.UserGroup) string {
	all, _ := c.ofOrganization("can_manage_all_groups")
	return fmt.Sprintf("whom the organization's setting can_manage_all_groups names (%s), and whom the group's can_manage_group names (%s)",
		permission.Describe(all, c.snapshot), permission.Describe(group.Permissions["can_manage_group"], c.snapshot))
}

// checkMembership refuses a change of members that the account may not make, and says who may. To add or remove itself alone,
// the right to join or leave is enough.
func (c caller) checkMembership(group *zulip.UserGroup, change zulip.MembershipChange, diags *diag.Diagnostics) {
	if c.manages(group) {
		return
	}
	alone := func(ids []int64) bool { return len(ids) == 1 && ids[0] == c.self.ID }
	refuse := func(list, may, setting string) {
		c.meta.Refuse(path.Root(list), fmt.Sprintf("%s user group %q", may, group.Name),
			fmt.Sprintf("These may: %s, and whom its %s names (%s).", c.managers(group), setting, permission.Describe(group.Permissions[setting], c.snapshot)), diags)
	}
	if len(change.Add) > 0 && !c.has(group, "can_add_members_group") && (!alone(change.Add) || !c.has(group, "can_join_group")) {
		refuse("members", "add people to", "can_add_members_group")
	}
	if len(change.Delete) > 0 && !c.has(group, "can_remove_members_group") && (!alone(change.Delete) || !c.has(group, "can_leave_group")) {
		refuse("members", "remove people from", "can_remove_members_group")
	}
	if len(change.AddSubgroups) > 0 && !c.has(group, "can_add_members_group") {
		refuse("subgroups", "add groups to", "can_add_members_group")
	}
	if len(change.DeleteSubgroups) > 0 {
		c.meta.Refuse(path.Root("subgroups"), fmt.Sprintf("remove groups from user group %q", group.Name), fmt.Sprintf("These may: %s.", c.managers(group)), diags)
	}
}

// checkCaller refuses what the account may not do, and says who may.
func (p planning) checkCaller() {
	c := newCaller(p.Meta, p.On.View)
	if p.before != nil && len(p.Changes) == 0 || c.refused(p.Diags) {
		return
	}
	switch {
	case p.Adopted != nil && !c.manages(p.Adopted):
		p.refuse(c, p.Adopted)
	case p.Adopted != nil:
	case p.before == nil:
		p.Meta.RequireRight(p.On.View, path.Empty(), "create user groups", p.Diags, "can_create_groups")
	default:
		var all update
		for _, step := range p.Changes {
			step.Put(&all, p.before, false)
		}
		if !all.UserGroupUpdate.Empty() && !c.manages(p.before) {
			p.refuse(c, p.before)
			return
		}
		c.checkMembership(p.before, all.MembershipChange, p.Diags)
	}
}

func (p planning) refuse(c caller, group *zulip.UserGroup) {
	p.Meta.Refuse(path.Empty(), fmt.Sprintf("change user group %q", group.Name), "These may: "+c.managers(group)+".", p.Diags)
}

// checkLockout refuses a plan after which the account could no longer manage the group: see [caller.checkLockout]. What is
// not known yet stays as it is.
func (p planning) checkLockout() {
	principals, sure := permissionattribute.PrincipalsOf(p.Plan.CanManageGroup)
	if !sure || p.Plan.CanManageGroup.IsNull() {
		return
	}
	resolved, problems := permission.Resolve(principals, p.On.View)
	if len(problems)+len(resolved.Planned) > 0 {
		return
	}
	later := &zulip.UserGroup{}
	if p.before != nil {
		*later = *p.before
	}
	later.Permissions = map[string]zulip.GroupSettingValue{"can_manage_group": resolved.Value}
	for _, list := range membershipLists {
		resolved, known := list.principals.Resolve(*list.attribute(&p.Plan.facts), p.On.View)
		if known && len(resolved.Problems)+len(resolved.Planned) == 0 {
			*list.current(later) = slices.Clone(resolved.IDs)
		}
	}
	newCaller(p.Meta, p.On.View).checkLockout(p.before, later, p.Diags)
}

// checkLockout refuses a change of a group after which the account could no longer manage it, on any reading of the
// organization. before is nil for a group that is to be created. An account that does not manage the group now cannot lose
// that: its change is refused in checkCaller.
func (c caller) checkLockout(before, later *zulip.UserGroup, diags *diag.Diagnostics) {
	if !c.meta.LockoutProtection || before != nil && !c.manages(before) {
		return
	}
	organization := laterSnapshot{c.snapshot, later}
	all, known := c.snapshot.Realm().Permissions["can_manage_all_groups"]
	managers, has := later.Permissions["can_manage_group"]
	if !known || !has || permission.Admits(all, c.self, organization) || permission.Admits(managers, c.self, organization) {
		return
	}
	diags.AddAttributeError(path.Root("can_manage_group"), "This would lock the provider out",
		fmt.Sprintf("%s manages this group only because can_manage_group names it, directly or through a group, and would lose that. Name it there, or use the key of an account in the organization's can_manage_all_groups (%s).",
			c.self.Address(), permission.Describe(all, c.snapshot))+base.LockoutAdvice)
}

// laterSnapshot is the organization with one group as it will be.
type laterSnapshot struct {
	*snapshot.Snapshot
	group *zulip.UserGroup
}

// UserGroup returns the group as it will be for its ID.
func (v laterSnapshot) UserGroup(id int64) (*zulip.UserGroup, bool) {
	if v.group != nil && id == v.group.ID {
		return v.group, true
	}
	return v.Snapshot.UserGroup(id)
}
