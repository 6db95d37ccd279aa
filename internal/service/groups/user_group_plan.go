package groups

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/people"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// userGroupPlanning is the plan of one group while it is checked.
type userGroupPlanning struct {
	*userGroupPlan
	// now is the current group in the organization, and nil for a new one.
	now *zulip.UserGroup
}

// checkUserGroupPlan refuses changes that the server would refuse, with the reason and the fix, and warns about people who gain or
// lose access.
func checkUserGroupPlan(ctx context.Context, plan *userGroupPlan) {
	p := userGroupPlanning{userGroupPlan: plan, now: plan.Adopted}
	if p.State != nil {
		group, ok := p.Env.View.UserGroups().ByID(p.State.ID.ValueInt64())
		if !ok {
			p.Diags.AddError(fmt.Sprintf("Cannot read user group %q", p.State.Name.ValueString()), "The provider's account no longer sees it. Plan again with a refreshed state.")
			return
		}
		p.now = group
	}
	for _, list := range membershipLists {
		if !list.in(&p.Config.userGroupFields).Texts.IsNull() {
			p.checkList(list)
		}
	}
	p.Permissions().Check(p.Diags)
	if p.State == nil {
		checkReplaced(ctx, plan)
	}
	change := p.change()
	if p.State == nil || len(p.Changes) > 0 {
		base.CheckInPlan(p.Diags, func(found *diag.Diagnostics) { newCaller(p.Meta, p.Env.View).checkChange(p.now, change, found) })
	}
	later := userGroupAfter(p.now, change)
	if base.IsSet(p.Plan.Name) {
		later.Name = p.Plan.Name.ValueString()
	}
	if p.now != nil {
		warnOfCycle(p.Env.View, later, p.Diags)
	}
	newCaller(p.Meta, p.Env.View).checkLockout(later, true, p.Diags)
	p.warnOfUnknown(later)
	p.warnOfMembership(ctx, later)
}

// warnOfUnknown warns about a permission to manage the group that may keep the account out, because the plan does not know yet whom
// it names.
func (p userGroupPlanning) warnOfUnknown(later *zulip.UserGroup) {
	const setting = "can_manage_group"
	found := p.Permissions().Classify(setting)
	namesItself := p.now == nil && slices.Equal(found.Planned, []permission.Principal{itself(&p.Plan.userGroupFields)})
	if isKnown := found.Outcome != attribute.Planned && found.Outcome != attribute.Unknown; !isKnown && !namesItself {
		least := *later
		least.Permissions = maps.Clone(later.Permissions)
		least.Permissions[setting] = attribute.KnownPart(*userGroupTable.Sets(&p.Plan.userGroupFields)(setting), p.Env.View)
		base.WarnOfUnknown(base.NamesAccount, p.Diags, func(found *diag.Diagnostics) { newCaller(p.Meta, p.Env.View).checkLockout(&least, true, found) })
	}
}

// change returns the changes of an apply, as far as they are certain. It omits those that name objects that this run
// will create or reactivate, which the apply checks.
func (p userGroupPlanning) change() (all userGroupUpdate) {
	now := p.now
	if now == nil {
		now = &zulip.UserGroup{}
	}
	for _, step := range p.Changes {
		planned := p.planned(step)
		switch {
		case len(planned) == 0:
			step.Put(&all, now, false)
		case p.now == nil && step.Permission && slices.Equal(planned, []string{itself(&p.Plan.userGroupFields).String()}):
			step.Put(&all, now, false)
			change := all.Permissions[step.Attribute]
			change.New = zulip.GroupSettingValue{DirectMembers: change.New.DirectMembers, DirectSubgroups: append(slices.Clone(change.New.DirectSubgroups), change.New.Group, now.ID)}
			all.Permissions[step.Attribute] = change
		}
	}
	return all
}

// planned returns the texts in the planned value of a step for objects that this run will create or reactivate.
func (p userGroupPlanning) planned(step step) (planned []string) {
	if step.Permission {
		for _, principal := range p.Permissions().Classify(step.Attribute).Planned {
			planned = append(planned, principal.String())
		}
	}
	for _, list := range membershipLists {
		if list.Name == step.Attribute {
			resolved := list.Named(list.in(&p.Plan.userGroupFields), p.Env.View)
			planned = resolved.Planned
		}
	}
	return planned
}

// key is the key of the group in the run state.
func (p userGroupPlanning) key() runstate.Object {
	if p.now != nil {
		return runstate.ID(runstate.Group, p.now.ID)
	}
	return runstate.Name(runstate.Group, p.Plan.Name.ValueString())
}

// checkList resolves the members or subgroups, which no other resource may manage.
func (p userGroupPlanning) checkList(list membershipList) {
	planned, prior := list.in(&p.Plan.userGroupFields), people.Value{}
	if p.State != nil {
		prior = list.in(&p.State.userGroupFields)
	}
	if (base.IsSet(p.Plan.Name) || p.now != nil) && !declareList(&p.Meta.Run, p.key(), list.Name, true) {
		p.Diags.AddAttributeError(path.Root(list.Name), "Two resources manage the "+list.Name+" of this user group",
			fmt.Sprintf("%s lists all of them, but a zulip_user_group_membership adds more. Remove %s from this resource, or remove the other resource.", list.Name, list.Name))
	}
	found := list.Plan(planned, prior, p.Env.View, p.Diags)
	list.checkSelf(*planned.Texts, p.key(), p.Env.View, p.Diags)
	var leaving []int64
	if p.now != nil && !planned.IDs.IsUnknown() {
		leaving = sets.Without(list.Active(*list.current(p.now), p.Env.View), found.Wanted.IDs)
	}
	list.Warn(found.Wanted, leaving, p.Env.View, p.Diags)
	if p.Adopted != nil {
		p.checkAdopted(list)
	}
	if p.State != nil {
		list.contest(&p.Meta.Run, p.now.ID, sets.Common(found.Wanted.IDs, found.Before.IDs), nil, p.Env.View, p.Diags)
	}
}

// checkAdopted lists the members that leave an adopted group, because the plan of a new resource shows only the future
// members.
func (p userGroupPlanning) checkAdopted(list membershipList) {
	at, name := path.Root(list.Name), p.now.Name
	planned := list.Named(list.in(&p.Plan.userGroupFields), p.Env.View)
	leaving := sets.Without(list.Active(*list.current(p.now), p.Env.View), planned.IDs)
	switch {
	case len(leaving) == 0:
	case !planned.IsKnown:
		p.Diags.AddAttributeError(at, fmt.Sprintf("Cannot plan the members of user group %q", name),
			fmt.Sprintf("The group exists, and its %s aren't known until apply, so this plan cannot show who would be removed. First apply what they depend on (-target).", list.Name))
	default:
		p.Diags.AddAttributeWarning(at, fmt.Sprintf("Reactivation removes some %s of a user group", list.Name),
			fmt.Sprintf("User group %q still has its earlier %s. The apply removes those that are not listed: %s.", name, list.Name, list.describe(leaving, p.Env.View)))
	}
}

// waitForUserGroupLists keeps an existing group unchanged while one of its lists must wait.
func waitForUserGroupLists(p *userGroupPlan) {
	if p.State == nil {
		return
	}
	for _, list := range membershipLists {
		if !list.Waits(list.in(&p.Config.userGroupFields), list.in(&p.State.userGroupFields), fmt.Sprintf("The %s of user group %q wait", list.Name, p.State.Name.ValueString()), p.Env.View, p.Diags) {
			continue
		}
		for _, name := range p.Managed() {
			p.Diags.AddAttributeError(path.Root(name), fmt.Sprintf("Cannot set %s in this apply", name),
				fmt.Sprintf("The %[1]s of user group %[2]q aren't known until apply, so the group is left unchanged. Remove %[3]s for now, or first apply what %[1]s depends on (-target).",
					list.Name, p.State.Name.ValueString(), name))
		}
		p.Plan.userGroupFields = p.State.userGroupFields
		p.Meta.Run.PlanName(runstate.Group, p.State.ID.ValueInt64(), p.State.Name.ValueString())
	}
}

// planUserGroupIDs plans the IDs of the configured lists. The IDs of other lists stay.
func planUserGroupIDs(p *userGroupPlan) {
	isChange := p.State == nil || !reflect.DeepEqual(p.Plan, p.State)
	for _, list := range membershipLists {
		prior := people.Value{}
		if p.State != nil {
			prior = list.in(&p.State.userGroupFields)
		}
		if p.State == nil || !list.in(&p.Config.userGroupFields).Texts.IsNull() {
			list.PlanIDs(list.in(&p.Plan.userGroupFields), prior, isChange, p.Env.View)
		}
	}
}

// warnOfCycle warns, in a plan, about a group that would contain itself through the current groups. This run may
// separate them before, so the apply decides. A group that names itself is refused in [membershipList.checkSelf].
func warnOfCycle(view *snapshot.Snapshot, later *zulip.UserGroup, diags *diag.Diagnostics) {
	if way := cycle(view, later); way != "" && !slices.Contains(later.DirectSubgroupIDs, later.ID) {
		diags.AddAttributeWarning(path.Root(subgroupsList.Name), "A user group would contain itself",
			"There would be a cycle: "+way+". If this configuration breaks the cycle elsewhere, add depends_on to this resource. Otherwise the apply stops here.")
	}
}

// refuseCycle refuses a group that would contain itself.
func refuseCycle(way string, diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root(subgroupsList.Name), "A user group cannot contain itself", "There would be a cycle: "+way+". Remove one of these subgroups.")
}

// cycle describes how a planned group contains itself; "" if it does not.
func cycle(view *snapshot.Snapshot, later *zulip.UserGroup) string {
	from := map[int64]int64{}
	for queue := []int64{later.ID}; len(queue) > 0; queue = queue[1:] {
		below := view.SubgroupIDs(queue[0])
		if queue[0] == later.ID {
			below = later.DirectSubgroupIDs
		}
		for _, id := range below {
			if id == later.ID {
				names := []string{lookup.GroupText(view, id)}
				for at := queue[0]; at != later.ID; at = from[at] {
					names = append(names, lookup.GroupText(view, at))
				}
				names = append(names, names[0])
				slices.Reverse(names)
				return strings.Join(names, " contains ")
			}
			if _, seen := from[id]; !seen {
				from[id] = queue[0]
				queue = append(queue, id)
			}
		}
	}
	return ""
}

// protectUserGroup runs just before a request, on the group as just read. It refuses a change by which the account would lose
// its permission to manage the group, or the group would contain itself.
func protectUserGroup(_ context.Context, b *base.Base, now *reading, p pending, diags *diag.Diagnostics) {
	later := userGroupAfter(now.Thing, p.Update())
	self := newCaller(b.Meta, now.View)
	self.checkChange(now.Thing, p.Update(), diags)
	self.checkLockout(later, false, diags)
	if way := cycle(now.View, later); way != "" {
		refuseCycle(way, diags)
	}
}

// warnOfGroupAccess warns, in a plan that changes the members of a group, about people who gain or lose access in
// channels. group is the current group, later the planned one.
func warnOfGroupAccess(ctx context.Context, b *base.Base, group *zulip.UserGroup, later permission.Membership, s *snapshot.Snapshot, diags *diag.Diagnostics) {
	same := func(list membershipList, later []int64) bool {
		return slices.Equal(list.Active(*list.current(group), s), list.Active(later, s))
	}
	if diags.HasError() || !later.Unknown && same(membersList, later.Members) && same(subgroupsList, later.Subgroups) {
		return
	}
	accesswarning.OfChange(ctx, b.Meta, diags, permission.Change{Groups: map[int64]permission.Membership{group.ID: later}})
}

// warnOfMembership warns of the access that a plan changes for those who will be in the group. No permission names a
// group that does not exist yet.
func (p userGroupPlanning) warnOfMembership(ctx context.Context, later *zulip.UserGroup) {
	if p.now == nil {
		return
	}
	members := membership(later)
	for _, list := range membershipLists {
		resolved := list.Named(list.in(&p.Plan.userGroupFields), p.Env.View)
		if isConfigured := !list.in(&p.Config.userGroupFields).Texts.IsNull(); isConfigured && (!resolved.IsKnown || len(resolved.Planned) > 0) {
			members.Unknown = true
		}
	}
	warnOfGroupAccess(ctx, &p.Base, p.now, members, p.Env.View, p.Diags)
}

// membership returns the direct members of a group.
func membership(group *zulip.UserGroup) permission.Membership {
	return permission.Membership{Members: group.Members, Subgroups: group.DirectSubgroupIDs}
}

// userGroupAfter returns a group after an update, and the new group if group is nil.
func userGroupAfter(group *zulip.UserGroup, change userGroupUpdate) *zulip.UserGroup {
	var later zulip.UserGroup
	if group != nil {
		later = *group
	}
	later.Members = append(sets.Without(later.Members, change.Delete), sets.Without(change.Add, later.Members)...)
	later.DirectSubgroupIDs = append(sets.Without(later.DirectSubgroupIDs, change.DeleteSubgroups), sets.Without(change.AddSubgroups, later.DirectSubgroupIDs)...)
	permissions := maps.Clone(later.Permissions)
	if permissions == nil {
		permissions = map[string]zulip.GroupSettingValue{}
	}
	for setting, value := range change.Permissions {
		permissions[setting] = value.New
	}
	later.Permissions = permissions
	return &later
}
