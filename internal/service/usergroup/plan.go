package usergroup

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// planning is the plan of one group while it is checked.
type planning struct {
	*Resource
	view   *snapshot.Snapshot
	config model
	plan   model
	state  *model // nil for a group that is to be created
	prior  *prior
	before *zulip.UserGroup // the group as the state shows it; nil for a group that is to be created
	// takes is the deactivated or left over group that is taken instead of creating one; nil for none.
	takes *zulip.UserGroup
	// changes are what an update would write; empty for a group that is to be created.
	changes []step
	diags   *diag.Diagnostics
}

// ModifyPlan resolves names, checks everything that can be known before a request is sent, and lets what is planned
// later know of it.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !r.CanPlan(&resp.Diagnostics) {
		return
	}
	r.Held(ctx, kind, "user group", false, req, &resp.Diagnostics)
	if req.Plan.Raw.IsNull() {
		return
	}
	r.CheckLevels(ctx, "zulip_user_group", req.Config, &resp.Diagnostics)
	p := planning{Resource: r, diags: &resp.Diagnostics}
	resp.Diagnostics.Append(req.Config.Get(ctx, &p.config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &p.plan)...)
	if !req.State.Raw.IsNull() {
		p.state = &model{}
		resp.Diagnostics.Append(req.State.Get(ctx, p.state)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	var err error
	if p.view, err = r.Meta.Store.Read(ctx, store.Organization); err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", framework.Explain(err))
		return
	}
	on := attribute.On(&r.Base, p.view)
	if p.state != nil {
		p.prior = attributes.PriorState(&p.state.facts, framework.RawPermissions(ctx, req.Private, &resp.Diagnostics), on)
		p.before = p.state.before(p.prior, p.view)
	} else {
		p.prior = attributes.PriorObject(&zulip.UserGroup{}, on, &resp.Diagnostics)
	}
	p.checkName()
	p.announce()
	attributes.KeepPrior(&p.config.facts, &p.plan.facts, p.prior, on)
	if p.state != nil {
		p.changes, _ = attributes.Steps(p.prior, &p.plan.facts, on) // what cannot be resolved is reported by the checks
	}
	p.check()
	p.warnOfAccess(ctx)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &p.plan)...)
}

// announce lets whoever is planned later name the group as it will be.
func (p *planning) announce() {
	if !framework.IsSet(p.plan.Name) {
		return
	}
	name := p.plan.Name.ValueString()
	switch {
	case p.before != nil && name != p.before.Name:
		p.Meta.Run.PlanGroupName(p.before.ID, name)
	case p.before != nil:
	case p.takes != nil:
		p.Meta.Run.PlanGroupName(p.takes.ID, name)
	default:
		p.Meta.Run.PlanGroupName(0, name)
	}
}

// key is what the group is known by to the rest of the run.
func (p *planning) key() runstate.GroupKey {
	switch {
	case p.before != nil:
		return runstate.GroupKey{ID: p.before.ID}
	case p.takes != nil:
		return runstate.GroupKey{ID: p.takes.ID}
	}
	return runstate.GroupKey{Name: p.plan.Name.ValueString()}
}

// permissions is the plan of the permissions, for what is checked of it in the same way everywhere.
func (p *planning) permissions() framework.PermissionPlan {
	return attributes.PermissionPlan(&p.config.facts, &p.plan.facts, p.prior, p.view)
}

// check refuses what the server would refuse, with the reason and the way out.
func (p *planning) check() {
	for _, list := range membershipLists {
		if !list.attribute(&p.config.facts).IsNull() {
			p.checkList(list)
		}
	}
	p.permissions().Check(p.diags)
	p.checkNesting()
	p.checkCaller()
	if p.Meta.LockoutProtection {
		p.checkLockout()
	}
}

// checkName refuses a name that another group has, deactivated ones included, and finds the group that is taken back.
func (p *planning) checkName() {
	if !framework.IsSet(p.plan.Name) || p.before != nil && p.plan.Name.Equal(p.state.Name) {
		return
	}
	if p.before == nil && !p.Meta.Run.Reserve(kind, p.plan.Name.ValueString()) {
		p.diags.AddAttributeError(path.Root("name"), fmt.Sprintf("Two resources make a user group called %q", p.plan.Name.ValueString()),
			"Another zulip_user_group of this configuration has this name. Take one of the two out, or give it another name.")
		return
	}
	if p.before == nil {
		p.Meta.Run.WillCreate(kind, p.plan.Name.ValueString())
	}
	namesake, found := p.view.UserGroups().ByName(p.plan.Name.ValueString())
	if !found || p.before != nil && namesake.ID == p.before.ID {
		return
	}
	if later, _ := p.view.UserGroup(namesake.ID); later.Name != namesake.Name {
		return // this run gives that one another name
	}
	switch {
	case p.before == nil && namesake.Deactivated && p.config.AdoptDeactivated.ValueBool():
		p.takes = namesake
		// Named in the detail alone, so that the CLI can make one warning of many.
		p.diags.AddAttributeWarning(path.Root("adopt_deactivated"), "A deactivated user group will be reactivated",
			fmt.Sprintf("User group %q has the ID %d, and members: %d. What this configuration does not set stays as it was.", namesake.Name, namesake.ID, len(namesake.Members)))
	case namesake.Deactivated && p.before == nil && p.Meta.Run.IsManaged(kind, namesake.ID):
		// It is this very group, to be replaced: this run deactivates it, to take it back.
	case namesake.Deactivated:
		p.RefuseTakenName(kind, namesake.ID, path.Root("name"), taken(namesake), adoptionAdvice(namesake), p.diags)
	case p.before != nil:
		p.existing(namesake).Refuse(p.Meta, p.diags)
	default:
		existing := p.existing(namesake)
		existing.AsPlanned = p.isAsPlanned(namesake)
		existing.MayBeReplaced = existing.MayBeReplaced && existing.AsPlanned
		if p.CheckExisting(existing, p.diags) {
			p.takes = namesake
		}
	}
}

// existing is the active group that has the planned name.
func (r *Resource) existing(group *zulip.UserGroup) framework.Existing {
	isOwn := group.CreatorID != nil && *group.CreatorID == r.Meta.Store.Self().ID
	return framework.Existing{
		Kind: kind, Noun: "user group", Name: group.Name, ID: group.ID, Import: fmt.Sprint(group.ID), At: path.Root("name"),
		Summary:       taken(group),
		MayBeReplaced: isOwn, Ours: isOwn && group.DateCreated != nil && framework.IsRecent(time.Unix(*group.DateCreated, 0)),
	}
}

// isAsPlanned reports whether a group is what this plan would make.
func (p *planning) isAsPlanned(group *zulip.UserGroup) bool {
	on := attribute.On(&p.Base, p.view)
	changes, problems := attributes.Steps(attributes.PriorObject(group, on, p.diags), &p.plan.facts, on)
	return len(problems)+len(changes) == 0
}

// checkList resolves a list of what is in the group, which nobody else may manage.
func (p *planning) checkList(list membershipList) {
	at := path.Root(list.name)
	if (framework.IsSet(p.plan.Name) || p.before != nil) && !p.Meta.Run.ManageMembership(p.key(), list.name, true) {
		p.diags.AddAttributeError(at, "Two resources manage the "+list.name+" of this user group",
			fmt.Sprintf("A zulip_user_group_membership adds to what %s says is everything. Take %s out of this resource, or the other resource out of the configuration.", list.name, list.name))
	}
	meant, known := list.words.Resolve(*list.attribute(&p.plan.facts), p.view)
	if !known {
		return
	}
	for _, err := range meant.Problems {
		p.diags.AddAttributeError(at, "Not in the organization", framework.Sentence(err))
	}
	if p.state != nil && list.attribute(&p.plan.facts).Equal(*list.attribute(&p.state.facts)) {
		return // nothing is written
	}
	warnDeactivated(p.diags, at, meant)
}

// warnDeactivated says of whom an apply does nothing.
func warnDeactivated(diags *diag.Diagnostics, at path.Path, meant framework.Resolved) {
	if len(meant.Deactivated) > 0 {
		diags.AddAttributeWarning(at, "Deactivated, and left alone",
			fmt.Sprintf("The server neither adds nor removes who is deactivated: %s. They do not count until they are reactivated.", strings.Join(meant.Deactivated, ", ")))
	}
}

// checkNesting refuses a group that would contain itself, as far as that can be known.
func (p *planning) checkNesting() {
	if p.config.Subgroups.IsNull() || !framework.IsSet(p.plan.Name) && p.before == nil {
		return
	}
	below, known := groupKeys(p.plan.Subgroups, p.view)
	if !known {
		return
	}
	p.Meta.Run.Nest(p.key(), below, true)
	refuseCycle(p.diags, &p.Meta.Run, p.view, p.key())
}

// groupKeys are the groups that a set means, as the directory knows them.
func groupKeys(set types.Set, view *snapshot.Snapshot) (keys []runstate.GroupKey, known bool) {
	if set.IsUnknown() {
		return nil, false
	}
	for _, element := range set.Elements() {
		text, ok := element.(types.String)
		if !ok || text.IsUnknown() {
			return nil, false
		}
		if found, err := framework.FindGroup(view, text.ValueString()); err == nil {
			keys = append(keys, found.Key)
		}
	}
	return keys, true
}

// refuseCycle reports a way from a group back to itself.
func refuseCycle(diags *diag.Diagnostics, run *runstate.State, view *snapshot.Snapshot, group runstate.GroupKey) {
	way := run.Cycle(group, view.SubgroupIDs)
	if way == nil {
		return
	}
	names := make([]string, len(way))
	for i, key := range way {
		names[i] = key.Name
		if key.ID != 0 {
			names[i] = framework.GroupWords(view, key.ID)
		}
	}
	diags.AddAttributeError(path.Root("subgroups"), "A user group cannot contain itself",
		"With this plan there would be a circle: "+strings.Join(names, " contains ")+".")
}
