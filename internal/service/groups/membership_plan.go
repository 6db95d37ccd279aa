package groups

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// step puts one into the group, or takes it out.
func (l membershipList) step(id int64, in bool, view *snapshot.Snapshot) step {
	words := map[bool]string{true: "in the group", false: "not in the group"}
	return step{
		Attribute: l.name + l.describe([]int64{id}, view),
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
func (r *membershipResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
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
		resp.Diagnostics.AddError("Cannot read the user groups", base.Explain(err))
		return
	}
	found := readFoundThere(ctx, req.Private, &resp.Diagnostics)
	if plan == nil {
		r.checkLeaving(ctx, state, found, view, &resp.Diagnostics)
		return
	}
	if plan.Group.IsUnknown() {
		plan.GroupID = types.Int64Unknown()
		if state != nil { // another one, as far as is known
			resp.RequiresReplace.Append(path.Root("group"))
			r.checkLeaving(ctx, state, found, view, &resp.Diagnostics)
		}
		resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
		return
	}
	group, err := groupToChange(view, plan.Group.ValueString())
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("group"), lookup.SummaryOr(err, "Not a group to put anybody into"), base.Sentence(err)+
			"\n\nIf this configuration creates the group, write zulip_user_group.NAME.name, so that it is planned before.")
		return
	}
	plan.isIn(group.Key, state)
	switch isReplaced := state != nil && !plan.GroupID.Equal(state.GroupID); {
	case isReplaced:
		resp.RequiresReplace.Append(path.Root("group"))
		r.checkLeaving(ctx, state, found, view, &resp.Diagnostics) // a second plan, without a state, is about the other group
	case state != nil && plan.wait(state, group.Group, view, &resp.Diagnostics):
	default:
		r.check(ctx, plan, state, group, found, view, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// wait keeps a membership that is there as it is while one of its lists has to wait, and reports whether it does: see
// [membershipList.warnOfWaiting].
func (m *membershipModel) wait(state *membershipModel, group *zulip.UserGroup, view *snapshot.Snapshot, diags *diag.Diagnostics) (waits bool) {
	for _, list := range membershipLists {
		if list.principals.MustWait(*m.list(list), *state.list(list), view) {
			list.warnOfWaiting(group.Name, diags)
			waits = true
		}
	}
	if waits {
		*m = *state
	}
	return waits
}

// check resolves both lists, refuses what the server, the account or another resource of the run would make fail, and warns of
// the access that the plan changes. It keeps the lists of the state where the configuration names the same.
func (r *membershipResource) check(ctx context.Context, plan, state *membershipModel, group lookup.GroupReference, found foundThere, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	isKnown := true
	var change zulip.MembershipChange
	if group.Group != nil {
		change = membershipChange(group.Group, plan, state, found.still(group.Group, view), view)
	}
	for _, list := range membershipLists {
		at := plan.list(list)
		if at.IsNull() {
			continue
		}
		if !r.Meta.Run.ManageMembership(group.Key, list.name, false) {
			diags.AddAttributeError(path.Root(list.name), "Two resources manage the "+list.name+" of this user group",
				fmt.Sprintf("A zulip_user_group of this configuration sets %s, which says who is in the group and nobody else: what is added here it would take out again. Take %s out of that one, or add to that one what this one adds.", list.name, list.name))
		}
		resolved := list.check(*at, group.Key, view, diags)
		isKnown = isKnown && !at.IsUnknown() && len(resolved.Planned) == 0 && !slices.ContainsFunc(at.Elements(), attr.Value.IsUnknown)
		if state != nil {
			*at = list.principals.KeepPrior(*at, *state.list(list), view)
			stay, _ := list.principals.Resolve(*state.list(list), view)
			list.keep(&r.Meta.Run, group.Key.ID, sets.Common(resolved.IDs, stay.IDs), view, diags)
		}
		list.reportAbsent(ctx, r.Meta, resolved, change.Delete, view, diags) // groups are never absent
		list.warnOfDeactivated(resolved, view, diags)
	}
	if group.Group != nil {
		r.checkChange(ctx, group.Group, membershipChange(group.Group, plan, state, found.still(group.Group, view), view), isKnown, view, diags)
	}
}

// checkLeaving checks the end of a membership: those leave the group who are in it because of the resource.
func (r *membershipResource) checkLeaving(ctx context.Context, state *membershipModel, found foundThere, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	if group, ok := view.UserGroups().ByID(state.GroupID.ValueInt64()); ok && !group.Deactivated {
		r.checkChange(ctx, group, membershipChange(group, nil, state, found.still(group, view), view), true, view, diags)
	}
}

// checkChange checks what the resource would change in a group, and warns of what it means.
func (r *membershipResource) checkChange(ctx context.Context, group *zulip.UserGroup, change zulip.MembershipChange, isKnown bool, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	membersList.leave(&r.Meta.Run, group.ID, change.Delete, view, diags)
	subgroupsList.leave(&r.Meta.Run, group.ID, change.DeleteSubgroups, view, diags)
	c := newCaller(r.Meta, view)
	if !change.Empty() && !c.refused(diags) {
		c.checkMembership(group, change, diags)
	}
	later := after(group, update{MembershipChange: change})
	c.checkLockout(later, true, diags)
	warnOfCycle(view, later, diags)
	members := membership(later)
	members.Unknown = !isKnown
	warnOfAccess(ctx, &r.Base, group, members, view, diags)
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

// groupToChange finds a group that is no role and is active, or will be.
func groupToChange(view *snapshot.Snapshot, text string) (lookup.GroupReference, error) {
	found, err := lookup.Group(view, text)
	if err == nil && found.Group != nil {
		_, err = managedGroup(view, strconv.FormatInt(found.Group.ID, 10))
	}
	return found, err
}

// missing are the words for those who are not in the group.
func (m *membershipModel) missing(group *zulip.UserGroup, view *snapshot.Snapshot) []string {
	var words []string
	for _, list := range membershipLists {
		meant, _ := list.principals.Resolve(*m.list(list), view)
		for _, err := range slices.Concat(meant.Problems, meant.Absent) {
			words = append(words, err.Error())
		}
		for _, id := range sets.Without(meant.IDs, *list.current(group)) {
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

// membershipModel is zulip_user_group_membership.
type membershipModel struct {
	Group     types.String `tfsdk:"group"`
	GroupID   types.Int64  `tfsdk:"group_id"`
	Members   types.List   `tfsdk:"members"`
	Subgroups types.List   `tfsdk:"subgroups"`
}

// membershipIdentity is what a membership is recognised by: the group.
type membershipIdentity struct {
	GroupID types.Int64 `tfsdk:"group_id"`
}

// list returns the attribute of a list.
func (m *membershipModel) list(list membershipList) *types.List {
	if list.name == subgroupsList.name {
		return &m.Subgroups
	}
	return &m.Members
}

// read keeps of each list what is in the group. Words for who does not count are kept.
func (m *membershipModel) read(group *zulip.UserGroup, view *snapshot.Snapshot) {
	m.GroupID = types.Int64Value(group.ID)
	if found, err := lookup.Group(view, m.Group.ValueString()); err != nil || found.Key.ID != group.ID {
		m.Group = types.StringValue(lookup.GroupText(view, group.ID))
	}
	for _, list := range membershipLists {
		if at := m.list(list); !at.IsNull() {
			resolved, _ := list.principals.Resolve(*at, view)
			*at = list.principals.Keep(*at, sets.Common(resolved.IDs, *list.current(group)), view)
		}
	}
}

// with returns a membership of those in it and those in another.
func (m membershipModel) with(other *membershipModel) *membershipModel {
	for _, list := range membershipLists {
		switch at, more := m.list(list), other.list(list); {
		case at.IsNull():
			*at = *more
		case !more.IsNull():
			*at = types.ListValueMust(types.StringType, append(at.Elements(), more.Elements()...))
		}
	}
	return &m
}

// membershipChange is what a resource changes in a group that was planned from prior, nil for none, to plan, nil for the end of it: it
// adds who is in the plan alone, and removes who is in the prior state alone, unless they are to stay. Whom both have and
// somebody else has removed since is left to the next plan. What is not known is left as it is.
func membershipChange(group *zulip.UserGroup, plan, prior *membershipModel, stay foundThere, view *snapshot.Snapshot) zulip.MembershipChange {
	var change zulip.MembershipChange
	for _, list := range membershipLists {
		var wanted, managed lookup.ResolvedList
		known := true
		if plan != nil {
			wanted, known = list.principals.Resolve(*plan.list(list), view)
		}
		if prior != nil {
			managed, _ = list.principals.Resolve(*prior.list(list), view) // who cannot be found any more is in no group
		}
		current := *list.current(group)
		add := sets.Without(sets.Without(wanted.IDs, managed.IDs), current)
		remove := sets.Common(sets.Without(sets.Without(managed.IDs, wanted.IDs), stay[list.name]), current)
		if !known || len(wanted.Planned) > 0 {
			remove = nil
		}
		list.change(&change, add, remove)
	}
	return change
}

// foundThere are those of each list who were in the group before the resource put them there: they stay when it goes.
type foundThere map[string][]int64

// privateFoundThere is where they stand in the private state.
const privateFoundThere = "found_there"

func readFoundThere(ctx context.Context, private attribute.PrivateGetter, diags *diag.Diagnostics) foundThere {
	data, problems := private.GetKey(ctx, privateFoundThere)
	diags.Append(problems...)
	found := foundThere{}
	if data != nil {
		if err := json.Unmarshal(data, &found); err != nil {
			diags.AddError("The state's private data cannot be read", err.Error())
		}
	}
	return found
}

func (f foundThere) write(ctx context.Context, private attribute.PrivateSetter, diags *diag.Diagnostics) {
	data, err := json.Marshal(f)
	if err != nil {
		diags.AddError("Who was in the group before cannot be kept", err.Error())
		return
	}
	diags.Append(private.SetKey(ctx, privateFoundThere, data)...)
}

// withKept adds those whom other resources of this run list.
func (f foundThere) withKept(run *runstate.State, group *zulip.UserGroup) foundThere {
	stay := foundThere{}
	for _, list := range membershipLists {
		stay[list.name] = slices.Clone(f[list.name])
		for _, id := range *list.current(group) {
			if list.isKept(run, group.ID, id) {
				stay[list.name] = append(stay[list.name], id)
			}
		}
	}
	return stay
}

// still leaves those who are in the group, or do not count at present: who was taken out and is put back by the resource
// is there because of it.
func (f foundThere) still(group *zulip.UserGroup, view *snapshot.Snapshot) foundThere {
	left := foundThere{}
	for _, list := range membershipLists {
		gone := list.principals.Active(sets.Without(f[list.name], *list.current(group)), view)
		left[list.name] = sets.Without(f[list.name], gone)
	}
	return left
}

// group returns the resource of the group, which changes its members too.
func (r *membershipResource) group() *tableResource { return groupOn(r.Base) }

// managedGroup returns the ID of a group whose members can be managed. Its error is for people.
func managedGroup(s *snapshot.Snapshot, text string) (int64, error) {
	group, err := findManageable(s, text)
	if err != nil {
		return 0, err
	}
	if group.Deactivated {
		return 0, errors.New(howToAdopt(group))
	}
	return group.ID, nil
}
