package usergroup

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// warnOfAccess warns, in a plan that changes who is in a group, who gains and who loses which right in which channels.
// group is the current group.
func warnOfAccess(ctx context.Context, b *base.Base, group *zulip.UserGroup, later permission.Membership, s *snapshot.Snapshot, diags *diag.Diagnostics) {
	same := func(principals lookup.PrincipalSet, now, later []int64) bool {
		return slices.Equal(principals.Active(now, s), principals.Active(later, s))
	}
	if diags.HasError() || !later.Unknown && same(lookup.Users, group.Members, later.Members) && same(lookup.Groups, group.DirectSubgroupIDs, later.Subgroups) {
		return
	}
	accesswarning.OfChange(ctx, b.Meta, diags, fmt.Sprintf("User group %q changes who can do what", group.Name),
		permission.Change{Groups: map[int64]permission.Membership{group.ID: later}})
}

// warnOfMembership warns of the access that a plan changes for those who will be in the group. A group that does not exist
// yet is named nowhere.
func (p planning) warnOfMembership(ctx context.Context) {
	group := p.Adopted
	if p.before != nil {
		group, _ = p.On.View.UserGroups().ByID(p.before.ID)
	}
	if group == nil {
		return
	}
	later := permission.Membership{Members: group.Members, Subgroups: group.DirectSubgroupIDs}
	for _, list := range membershipLists {
		if list.attribute(&p.Config.facts).IsNull() {
			continue
		}
		resolved, known := list.principals.Resolve(*list.attribute(&p.Plan.facts), p.On.View)
		if known {
			*list.planned(&later) = resolved.IDs
		}
		later.Unknown = later.Unknown || !known || len(resolved.Planned) > 0
	}
	warnOfAccess(ctx, &p.Base, group, later, p.On.View, p.Diags)
}

// membership returns who is directly in a group.
func membership(group *zulip.UserGroup) permission.Membership {
	return permission.Membership{Members: group.Members, Subgroups: group.DirectSubgroupIDs}
}

// after returns a group after an update.
func after(group *zulip.UserGroup, change update) *zulip.UserGroup {
	later := *group
	later.Members = append(without(group.Members, change.Delete), without(change.Add, group.Members)...)
	later.DirectSubgroupIDs = append(without(group.DirectSubgroupIDs, change.DeleteSubgroups), without(change.AddSubgroups, group.DirectSubgroupIDs)...)
	later.Permissions = maps.Clone(group.Permissions)
	for setting, value := range change.Permissions {
		if later.Permissions == nil {
			later.Permissions = map[string]zulip.GroupSettingValue{}
		}
		later.Permissions[setting] = value.New
	}
	return &later
}
