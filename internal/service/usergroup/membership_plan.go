package usergroup

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/diagnostics"
	"github.com/zulip-iac/terraform-provider-zulip/internal/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// step puts one into the group, or takes it out.
func (l membershipList) step(id int64, in bool, view *snapshot.Snapshot) step {
	words := map[bool]string{true: "in the group", false: "not in the group"}
	return step{
		Attribute: l.name + l.principals.Describe([]int64{id}, view),
		Current:   func(g *zulip.UserGroup) string { return words[slices.Contains(*l.current(g), id)] },
		Prior:     words[!in], Planned: words[in],
		Put: func(u *update, _ *zulip.UserGroup, _ bool) {
			if in {
				l.change(&u.MembershipChange, []int64{id}, nil)
			} else {
				l.change(&u.MembershipChange, nil, []int64{id})
			}
		},
	}
}

// ModifyPlan finds the group, refuses what the server would refuse, and says who gains and who loses which right.
func (r *MembershipResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !r.CanPlan(&resp.Diagnostics) {
		return
	}
	if !req.Plan.Raw.IsNull() {
		r.CheckLevels(ctx, "zulip_user_group_membership", req.Config, &resp.Diagnostics)
	}
	var plan, state *membershipModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	var named []string
	if plan != nil {
		named = lookup.Names(plan.Members.Elements())
	}
	view, err := r.Meta.Store.ReadNaming(ctx, named, store.Organization)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the user groups", diagnostics.Explain(err))
		return
	}
	found := readFoundThere(ctx, req.Private, &resp.Diagnostics)
	if plan == nil {
		r.warnOfLeaving(ctx, state, found, view, &resp.Diagnostics)
		return
	}
	if state != nil {
		for _, list := range membershipLists {
			if plan.set(list).IsUnknown() {
				*plan.set(list) = *state.set(list)
				warnOfWaiting(list, state.Group.ValueString(), &resp.Diagnostics)
			}
		}
	}
	meant := r.checkWords(plan, state, view, &resp.Diagnostics)
	if plan.Group.IsUnknown() {
		plan.GroupID = types.Int64Unknown()
		if state != nil { // another one, as far as is known
			resp.RequiresReplace.Append(path.Root("group"))
		}
		resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
		return
	}
	group, err := groupToChange(view, plan.Group.ValueString())
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("group"), "Not a group to put anybody into", diagnostics.Sentence(err)+
			"\n\nIf this configuration creates the group, write zulip_user_group.NAME.name, so that it is planned before.")
		return
	}
	plan.isIn(group.Key, state)
	r.checkShared(plan, group.Key, &resp.Diagnostics)
	switch {
	case state != nil && !plan.GroupID.Equal(state.GroupID):
		resp.RequiresReplace.Append(path.Root("group"))
		r.warnOfLeaving(ctx, state, found, view, &resp.Diagnostics) // a second plan, without a state, is about the other group
	case group.Group != nil:
		change := plan.change(group.Group, meant, state, found, view)
		r.checkCaller(group.Group, change, view, &resp.Diagnostics)
		later := after(group.Group, update{MembershipChange: change})
		newCaller(r.Meta, view).checkLockout(group.Group, later, &resp.Diagnostics)
		warnOfCycle(view, later, &resp.Diagnostics)
		members := membership(later)
		members.Unknown = !plan.isKnown(meant)
		warnOfAccess(ctx, &r.Base, group.Group, members, view, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// isIn says which group it is, in the words of the state if it is the same.
func (m *membershipModel) isIn(group runstate.GroupKey, state *membershipModel) {
	switch {
	case group.ID == 0:
		m.GroupID = types.Int64Unknown()
	case state != nil && state.GroupID.ValueInt64() == group.ID:
		m.Group, m.GroupID = state.Group, state.GroupID
	default:
		m.GroupID = types.Int64Value(group.ID)
	}
}

// warnOfLeaving warns of what it means that the resource takes out of its group who is in it because of the resource.
func (r *MembershipResource) warnOfLeaving(ctx context.Context, state *membershipModel, found foundThere, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	group, ok := view.UserGroups().ByID(state.GroupID.ValueInt64())
	if !ok || group.Deactivated {
		return
	}
	nobody := &membershipModel{}
	later := after(group, update{MembershipChange: nobody.change(group, nil, state, found.still(group, view), view)})
	newCaller(r.Meta, view).checkLockout(group, later, diags)
	warnOfAccess(ctx, &r.Base, group, membership(later), view, diags)
}

// groupToChange finds a group that is no role and is active, or will be.
func groupToChange(view *snapshot.Snapshot, text string) (lookup.GroupReference, error) {
	found, err := lookup.Group(view, text)
	if err == nil && found.Group != nil {
		_, err = managedGroup(view, strconv.FormatInt(found.Group.ID, 10))
	}
	return found, err
}

// checkWords resolves both lists, and keeps the state's words where the configuration says the same in others.
func (r *MembershipResource) checkWords(plan, state *membershipModel, view *snapshot.Snapshot, diags *diag.Diagnostics) map[string]lookup.Resolved {
	all := map[string]lookup.Resolved{}
	for _, list := range membershipLists {
		set, at := plan.set(list), path.Root(list.name)
		meant, known := list.principals.Resolve(*set, view)
		if set.IsNull() || !known {
			continue
		}
		for _, err := range meant.Problems {
			diags.AddAttributeError(at, "Not in the organization", diagnostics.Sentence(err))
		}
		all[list.name] = meant
		if state != nil && len(meant.Problems)+len(meant.Planned) == 0 {
			held, _ := list.principals.Resolve(*state.set(list), view)
			if !state.set(list).IsNull() && slices.Equal(held.IDs, meant.IDs) {
				*set = *state.set(list)
				continue
			}
		}
		warnDeactivated(diags, at, meant)
	}
	return all
}

// checkShared refuses what another resource of the run says otherwise.
func (r *MembershipResource) checkShared(plan *membershipModel, group runstate.GroupKey, diags *diag.Diagnostics) {
	for _, list := range membershipLists {
		if plan.set(list).IsNull() || r.Meta.Run.ManageMembership(group, list.name, false) {
			continue
		}
		diags.AddAttributeError(path.Root(list.name), "Two resources manage the "+list.name+" of this user group",
			fmt.Sprintf("A zulip_user_group of this configuration sets %s, which says who is in the group and nobody else: what is added here it would take out again. Take %s out of that one, or add to that one what this one adds.", list.name, list.name))
	}
}

// change is what an apply sends, as far as it is known: of a list that is not known yet, nothing. A list of meant is one
// that is managed and known.
func (m *membershipModel) change(group *zulip.UserGroup, meant map[string]lookup.Resolved, state *membershipModel, found foundThere, view *snapshot.Snapshot) zulip.MembershipChange {
	var change zulip.MembershipChange
	for _, list := range membershipLists {
		if _, known := meant[list.name]; !known && !m.set(list).IsNull() {
			continue
		}
		var managed lookup.Resolved
		if state != nil {
			managed, _ = list.principals.Resolve(*state.set(list), view)
		}
		wanted, held := meant[list.name].IDs, *list.current(group)
		list.change(&change, without(wanted, held), without(among(without(managed.IDs, wanted), held), found[list.name]))
	}
	return change
}

// isKnown reports whether everybody is known who will be in the group because of the resource.
func (m *membershipModel) isKnown(meant map[string]lookup.Resolved) bool {
	for _, list := range membershipLists {
		known, ok := meant[list.name]
		if !m.set(list).IsNull() && (!ok || len(known.Planned) > 0) {
			return false
		}
	}
	return true
}

// checkCaller refuses what the account may not do, and says who may.
func (r *MembershipResource) checkCaller(group *zulip.UserGroup, change zulip.MembershipChange, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	c := newCaller(r.Meta, view)
	if !change.Empty() && !c.refused(diags) {
		c.checkMembership(group, change, diags)
	}
}

// missing are the words for those who are not in the group.
func (m *membershipModel) missing(group *zulip.UserGroup, view *snapshot.Snapshot) []string {
	var words []string
	for _, list := range membershipLists {
		meant, _ := list.principals.Resolve(*m.set(list), view)
		for _, err := range meant.Problems {
			words = append(words, err.Error())
		}
		for _, id := range without(meant.IDs, *list.current(group)) {
			words = append(words, list.principals.Describe([]int64{id}, view))
		}
	}
	return words
}

// notIn says who is not in a group.
func notIn(missing []string, group string) string {
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("\n\nNot in %q: %s.", group, strings.Join(missing, "; "))
}
