package usergroup

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// planMembership registers a planned change of who is in a group, and warns who gains and who loses which right in which
// channels. group is the current group; isShared tells that its own resource does not make the change.
func planMembership(ctx context.Context, b *base.Base, group *zulip.UserGroup, later permission.Membership, isShared bool, s *snapshot.Snapshot, diags *diag.Diagnostics) {
	same := func(principals lookup.PrincipalSet, now, later []int64) bool {
		return slices.Equal(principals.Active(now, s), principals.Active(later, s))
	}
	if diags.HasError() || !later.Unknown && same(lookup.Users, group.Members, later.Members) && same(lookup.Groups, group.DirectSubgroupIDs, later.Subgroups) {
		return
	}
	b.Meta.Run.PlanMembership(group.ID, runstate.MembershipChange{
		Add: without(later.Members, group.Members), Remove: without(group.Members, later.Members),
		AddSubgroups: without(later.Subgroups, group.DirectSubgroupIDs), RemoveSubgroups: without(group.DirectSubgroupIDs, later.Subgroups),
		Unknown: later.Unknown, IsShared: isShared,
	})
	accesswarning.OfChange(ctx, b.Meta, diags, fmt.Sprintf("User group %q changes who can do what", group.Name),
		permission.Change{Groups: map[int64]permission.Membership{group.ID: later}})
}

// planMembership registers the change of the members, and warns of the access that it changes. A group that does not exist
// yet is named nowhere.
func (p planning) planMembership(ctx context.Context) {
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
	planMembership(ctx, &p.Base, group, later, false, p.On.View, p.Diags)
}

// after returns the members of a group after a change.
func after(group *zulip.UserGroup, change zulip.MembershipChange) permission.Membership {
	return permission.Membership{
		Members:   append(without(group.Members, change.Delete), change.Add...),
		Subgroups: append(without(group.DirectSubgroupIDs, change.DeleteSubgroups), change.AddSubgroups...),
	}
}
