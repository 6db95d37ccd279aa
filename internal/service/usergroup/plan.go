package usergroup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/diagnostics"
	"github.com/zulip-iac/terraform-provider-zulip/internal/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/tfvalue"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// planning is the plan of one group while it is checked.
type planning struct {
	*tablePlan
	// before is the group as the state shows it; nil for a group that is to be created.
	before *zulip.UserGroup
}

// check refuses what the server would refuse, with the reason and the way out, and says who gains and loses access.
func check(ctx context.Context, plan *tablePlan) {
	p := planning{tablePlan: plan}
	if p.State != nil {
		p.before = p.State.before(p.Prior.Permissions, p.On.View)
	}
	for _, list := range membershipLists {
		if !list.attribute(&p.Config.facts).IsNull() {
			p.checkList(list)
		}
	}
	p.Permissions().Check(p.Diags)
	p.checkNesting()
	p.checkCaller()
	p.checkLockout()
	p.warnOfMembership(ctx)
}

// key is what the run state knows the group by.
func (p planning) key() runstate.GroupKey {
	switch {
	case p.before != nil:
		return runstate.GroupKey{ID: p.before.ID}
	case p.Adopted != nil:
		return runstate.GroupKey{ID: p.Adopted.ID}
	}
	return runstate.GroupKey{Name: p.Plan.Name.ValueString()}
}

// checkList resolves the members or subgroups, which no other resource may manage.
func (p planning) checkList(list membershipList) {
	at := path.Root(list.name)
	if (tfvalue.IsSet(p.Plan.Name) || p.before != nil) && !p.Meta.Run.ManageMembership(p.key(), list.name, true) {
		p.Diags.AddAttributeError(at, "Two resources manage the "+list.name+" of this user group",
			fmt.Sprintf("%s lists all of them, and a zulip_user_group_membership adds more. Remove %s from this resource, or remove the other resource.", list.name, list.name))
	}
	resolved, known := list.principals.Resolve(*list.attribute(&p.Plan.facts), p.On.View)
	if !known {
		return
	}
	for _, err := range resolved.Problems {
		p.Diags.AddAttributeError(at, "Cannot find one of the "+list.name, diagnostics.Sentence(err))
	}
	if p.State != nil && list.attribute(&p.Plan.facts).Equal(*list.attribute(&p.State.facts)) {
		return // nothing is written
	}
	warnDeactivated(p.Diags, at, resolved)
}

// warnDeactivated warns of the deactivated elements of a list, which an apply leaves alone.
func warnDeactivated(diags *diag.Diagnostics, at path.Path, resolved lookup.Resolved) {
	if len(resolved.Deactivated) > 0 {
		diags.AddAttributeWarning(at, "Deactivated users and groups are ignored",
			fmt.Sprintf("The server neither adds nor removes deactivated users and groups: %s. They are ignored until they are reactivated.", strings.Join(resolved.Deactivated, ", ")))
	}
}

// wait keeps the lists of a group that is there as they are while they are not known: a plan that cannot list who leaves
// takes nobody out.
func wait(p *tablePlan) {
	if p.State == nil {
		return
	}
	for _, list := range membershipLists {
		if planned := list.attribute(&p.Plan.facts); list.attribute(&p.Config.facts).IsUnknown() {
			*planned = *list.attribute(&p.State.facts)
			warnOfWaiting(list, p.State.Name.ValueString(), p.Diags)
		}
	}
}

func warnOfWaiting(list membershipList, group string, diags *diag.Diagnostics) {
	diags.AddAttributeWarning(path.Root(list.name), fmt.Sprintf("The %s of user group %q wait for the next apply", list.name, group),
		"Which they are to be is known only after this apply, so this plan cannot list who would leave the group. Nothing changes now; plan again after the apply.")
}

// checkNesting warns of a group that would contain itself as groups are now. Whether this run takes them apart before is not
// known: the apply decides, on what it reads then.
func (p planning) checkNesting() {
	if p.before == nil || p.Config.Subgroups.IsNull() {
		return
	}
	later := *p.before
	resolved, known := lookup.Groups.Resolve(p.Plan.Subgroups, p.On.View)
	if !known {
		return
	}
	later.DirectSubgroupIDs = resolved.IDs
	warnOfCycle(p.On.View, &later, p.Diags)
}

// warnOfCycle warns, in a plan, of a group that would contain itself; one that names itself is refused.
func warnOfCycle(view *snapshot.Snapshot, later *zulip.UserGroup, diags *diag.Diagnostics) {
	switch way := cycle(view, later); {
	case way == "":
	case slices.Contains(later.DirectSubgroupIDs, later.ID):
		refuseCycle(view, later, diags)
	default:
		diags.AddAttributeWarning(path.Root("subgroups"), "A user group would contain itself, as groups are now",
			"There would be a cycle: "+way+". If this configuration takes one of these apart, let this resource depend on that one; else the apply will stop here.")
	}
}

// refuseCycle refuses a group that would contain itself.
func refuseCycle(view *snapshot.Snapshot, later *zulip.UserGroup, diags *diag.Diagnostics) {
	if way := cycle(view, later); way != "" {
		diags.AddAttributeError(path.Root("subgroups"), "A user group cannot contain itself", "There would be a cycle: "+way+". Remove one of these subgroups.")
	}
}

// cycle says how a group, as it will be, contains itself; "" if it does not.
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

// protect refuses, just before a request, a change after which the account could no longer manage the group, or the group
// would contain itself.
func protect(b *base.Base, now *reading, p pending, diags *diag.Diagnostics) {
	later := after(now.Thing, p.Update())
	newCaller(b.Meta, now.View).checkLockout(now.Thing, later, diags)
	refuseCycle(now.View, later, diags)
}
