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

// planMembership registers who will be in the group, so that what is planned after it knows, and warns of the access that
// this changes. A group that does not exist yet is named nowhere.
func (p planning) planMembership(ctx context.Context) {
	group := p.Adopted
	if p.before != nil {
		group, _ = p.On.View.UserGroups().ByID(p.before.ID)
	}
	if group == nil {
		return
	}
	later := permission.Membership{Members: group.Members, Subgroups: group.DirectSubgroupIDs}
	var change zulip.MembershipChange
	for _, list := range membershipLists {
		if list.attribute(&p.Config.facts).IsNull() {
			continue
		}
		resolved, known := list.principals.Resolve(*list.attribute(&p.Plan.facts), p.On.View)
		if known {
			*list.planned(&later) = resolved.IDs
			// Also those who are in it: the list is complete.
			list.change(&change, resolved.IDs, without(list.principals.Active(*list.current(group), p.On.View), resolved.IDs))
		}
		later.Unknown = later.Unknown || !known || len(resolved.Planned) > 0
	}
	p.Meta.Run.PlanMembership(group.ID, runstate.MembershipChange{
		Add: change.Add, Remove: change.Delete, AddSubgroups: change.AddSubgroups, RemoveSubgroups: change.DeleteSubgroups, Unknown: later.Unknown,
	})
	warnOfAccess(ctx, &p.Base, group, later, p.On.View, p.Diags)
}

// planShared registers a change of who is in a group by a resource beside that of the group, and warns of the access that it
// changes.
func planShared(ctx context.Context, b *base.Base, group *zulip.UserGroup, later permission.Membership, s *snapshot.Snapshot, diags *diag.Diagnostics) {
	b.Meta.Run.PlanMembership(group.ID, runstate.MembershipChange{
		Add: without(later.Members, group.Members), Remove: without(group.Members, later.Members),
		AddSubgroups: without(later.Subgroups, group.DirectSubgroupIDs), RemoveSubgroups: without(group.DirectSubgroupIDs, later.Subgroups),
		Unknown: later.Unknown, IsShared: true,
	})
	warnOfAccess(ctx, b, group, later, s, diags)
}

// after returns the members of a group after a change.
func after(group *zulip.UserGroup, change zulip.MembershipChange) permission.Membership {
	return permission.Membership{
		Members:   append(without(group.Members, change.Delete), change.Add...),
		Subgroups: append(without(group.DirectSubgroupIDs, change.DeleteSubgroups), change.AddSubgroups...),
	}
}
