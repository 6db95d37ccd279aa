package usergroup

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

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
		p.before = p.State.before(p.Prior, p.On.View)
	}
	for _, list := range membershipLists {
		if !list.attribute(&p.Config.facts).IsNull() {
			p.checkList(list)
		}
	}
	p.Permissions().Check(p.Diags)
	p.checkNesting()
	p.checkCaller()
	if p.Meta.LockoutProtection {
		p.checkLockout()
	}
	p.planMembership(ctx)
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

// checkNesting refuses a group that would contain itself, as far as that can be known.
func (p planning) checkNesting() {
	if p.Config.Subgroups.IsNull() || !tfvalue.IsSet(p.Plan.Name) && p.before == nil {
		return
	}
	below, known := groupKeys(p.Plan.Subgroups, p.On.View)
	if !known {
		return
	}
	p.Meta.Run.Nest(p.key(), below, true)
	refuseCycle(p.Diags, &p.Meta.Run, p.On.View, p.key())
}

// groupKeys returns the groups that a set names, as the run state knows them.
func groupKeys(set types.Set, s *snapshot.Snapshot) (keys []runstate.GroupKey, known bool) {
	if set.IsUnknown() {
		return nil, false
	}
	for _, element := range set.Elements() {
		text, ok := element.(types.String)
		if !ok || text.IsUnknown() {
			return nil, false
		}
		if found, err := lookup.Group(s, text.ValueString()); err == nil {
			keys = append(keys, found.Key)
		}
	}
	return keys, true
}

// refuseCycle refuses a group that would contain itself.
func refuseCycle(diags *diag.Diagnostics, run *runstate.State, s *snapshot.Snapshot, group runstate.GroupKey) {
	cycle := run.Cycle(group, s.SubgroupIDs)
	if cycle == nil {
		return
	}
	names := make([]string, len(cycle))
	for i, key := range cycle {
		names[i] = key.Name
		if key.ID != 0 {
			names[i] = lookup.GroupText(s, key.ID)
		}
	}
	diags.AddAttributeError(path.Root("subgroups"), "A user group cannot contain itself",
		"With this plan there would be a cycle: "+strings.Join(names, " contains ")+". Remove one of these subgroups.")
}
