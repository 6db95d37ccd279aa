package usergroup

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// warnOfAccess warns, in a plan that changes who is in a group, who gains and who loses which right in which channels.
// group is the current group, later as it will be.
func warnOfAccess(ctx context.Context, b *base.Base, group *zulip.UserGroup, later permission.Membership, s *snapshot.Snapshot, diags *diag.Diagnostics) {
	same := func(list membershipList, later []int64) bool {
		return slices.Equal(list.principals.Active(*list.current(group), s), list.principals.Active(later, s))
	}
	if diags.HasError() || !later.Unknown && same(membersList, later.Members) && same(subgroupsList, later.Subgroups) {
		return
	}
	accesswarning.OfChange(ctx, b.Meta, diags, fmt.Sprintf("User group %q changes who can do what", group.Name),
		permission.Change{Groups: map[int64]permission.Membership{group.ID: later}})
}

// warnOfMembership warns of the access that a plan changes for those who will be in the group. A group that does not exist
// yet is named nowhere.
func (p planning) warnOfMembership(ctx context.Context, later *zulip.UserGroup) {
	if p.now == nil {
		return
	}
	members := membership(later)
	for _, list := range membershipLists {
		resolved, known := list.principals.Resolve(*list.attribute(&p.Plan.facts), p.On.View)
		if isConfigured := !list.attribute(&p.Config.facts).IsNull(); isConfigured && (!known || len(resolved.Planned) > 0) {
			members.Unknown = true
		}
	}
	warnOfAccess(ctx, &p.Base, p.now, members, p.On.View, p.Diags)
}

// membership returns who is directly in a group.
func membership(group *zulip.UserGroup) permission.Membership {
	return permission.Membership{Members: group.Members, Subgroups: group.DirectSubgroupIDs}
}

// after returns a group after an update; of no group, the one that the update creates.
func after(group *zulip.UserGroup, change update) *zulip.UserGroup {
	var later zulip.UserGroup
	if group != nil {
		later = *group
	}
	later.Members = append(without(later.Members, change.Delete), without(change.Add, later.Members)...)
	later.DirectSubgroupIDs = append(without(later.DirectSubgroupIDs, change.DeleteSubgroups), without(change.AddSubgroups, later.DirectSubgroupIDs)...)
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
