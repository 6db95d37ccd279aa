package usergroup

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// caller is the provider's account, as far as user groups ask who it is.
type caller struct {
	meta *framework.Meta
	self *zulip.User
	view *snapshot.Snapshot
}

func newCaller(meta *framework.Meta, view *snapshot.Snapshot) caller {
	return caller{meta, meta.Store.Self(), view}
}

// botsText says in a description which accounts can manage groups.
var botsText = "Guests cannot manage groups. Bots can from " + featurelevel.Describe(featurelevel.UserGroupsByBots) + " on; an older server accepts only people's accounts."

// refused reports an account that may change no group at all.
func (c caller) refused(diags *diag.Diagnostics) bool {
	const doing = "manage user groups"
	return !c.meta.RequirePersonBelow(featurelevel.UserGroupsByBots, path.Empty(), doing, diags) || !c.meta.RequireMember(doing, diags)
}

// ofOrganization returns who has a right in the organization, and whether the account is among them. Without the
// setting, on an old server, nothing is known against it.
func (c caller) ofOrganization(right string) (who zulip.GroupSettingValue, has bool) {
	who, ok := c.view.Realm().Permissions[right]
	return who, !ok || permission.Admits(who, c.self, c.view)
}

// has reports whether one of a group's own permissions admits the account.
func (c caller) has(group *zulip.UserGroup, setting string) bool {
	value, ok := group.Permissions[setting]
	return !ok || permission.Admits(value, c.self, c.view)
}

// manages reports whether the account may do everything with a group.
func (c caller) manages(group *zulip.UserGroup) bool {
	_, all := c.ofOrganization("can_manage_all_groups")
	return all || c.has(group, "can_manage_group")
}

// managers says who may do everything with a group.
func (c caller) managers(group *zulip.UserGroup) string {
	all, _ := c.ofOrganization("can_manage_all_groups")
	return fmt.Sprintf("whom the organization's setting can_manage_all_groups names (%s), and whom the group's can_manage_group names (%s)",
		permission.Describe(all, c.view), permission.Describe(group.Permissions["can_manage_group"], c.view))
}

// checkMembership refuses a change of who is in a group that the account may not make, and says who may. At a change of
// itself alone the right to join or leave is enough.
func (c caller) checkMembership(group *zulip.UserGroup, change zulip.MembershipChange, diags *diag.Diagnostics) {
	if c.manages(group) {
		return
	}
	alone := func(ids []int64) bool { return len(ids) == 1 && ids[0] == c.self.ID }
	refuse := func(list, may, setting string) {
		c.meta.Refuse(path.Root(list), fmt.Sprintf("%s user group %q", may, group.Name),
			fmt.Sprintf("These may: %s, and whom its %s names (%s).", c.managers(group), setting, permission.Describe(group.Permissions[setting], c.view)), diags)
	}
	if len(change.Add) > 0 && !c.has(group, "can_add_members_group") && (!alone(change.Add) || !c.has(group, "can_join_group")) {
		refuse("members", "add people to", "can_add_members_group")
	}
	if len(change.Delete) > 0 && !c.has(group, "can_remove_members_group") && (!alone(change.Delete) || !c.has(group, "can_leave_group")) {
		refuse("members", "take people out of", "can_remove_members_group")
	}
	if len(change.AddSubgroups) > 0 && !c.has(group, "can_add_members_group") {
		refuse("subgroups", "add groups to", "can_add_members_group")
	}
	if len(change.DeleteSubgroups) > 0 {
		c.meta.Refuse(path.Root("subgroups"), fmt.Sprintf("take groups out of user group %q", group.Name), fmt.Sprintf("These may: %s.", c.managers(group)), diags)
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

// checkLockout refuses a plan after which the account could no longer manage the group.
func (p planning) checkLockout() {
	c := newCaller(p.Meta, p.On.View)
	// Who does not manage the group now cannot lose it: that it is changed all the same is refused as such.
	if p.before != nil && !c.manages(p.before) {
		return
	}
	later := p.later()
	all, known := p.On.View.Realm().Permissions["can_manage_all_groups"]
	principals, sure := framework.PrincipalsOf(p.Plan.CanManageGroup)
	if !known || !sure || p.Plan.CanManageGroup.IsNull() || permission.Admits(all, c.self, later) {
		return
	}
	resolved, problems := permission.Resolve(principals, p.On.View)
	if len(problems)+len(resolved.Planned) > 0 || permission.Admits(resolved.Value, c.self, later) {
		return
	}
	p.Diags.AddAttributeError(path.Root("can_manage_group"), "This would lock the provider out",
		fmt.Sprintf("%s manages this group only because can_manage_group names it, directly or through a group, and would not be in it any more. Name it there, or use the key of an account in the organization's can_manage_all_groups (%s).",
			c.self.Address(), permission.Describe(all, p.On.View))+framework.LockoutAdvice)
}

// laterView is the organization with one group as it is planned.
type laterView struct {
	*snapshot.Snapshot
	group *zulip.UserGroup
}

// UserGroup returns the planned group for its ID.
func (v laterView) UserGroup(id int64) (*zulip.UserGroup, bool) {
	if v.group != nil && id == v.group.ID {
		return v.group, true
	}
	return v.Snapshot.UserGroup(id)
}

// later is the organization after this plan: who manages the group by being in it must not be taken out of it. What is
// not known yet stays as it is.
func (p planning) later() laterView {
	if p.before == nil {
		return laterView{Snapshot: p.On.View}
	}
	group := *p.before
	for _, list := range membershipLists {
		meant, known := list.words.Resolve(*list.attribute(&p.Plan.facts), p.On.View)
		if known && len(meant.Problems)+len(meant.Planned) == 0 {
			*list.held(&group) = slices.Clone(meant.IDs)
		}
	}
	return laterView{p.On.View, &group}
}
