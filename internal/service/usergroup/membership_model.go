package usergroup

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

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
			*at = list.principals.Keep(*at, among(resolved.IDs, *list.current(group)), view)
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
		add := without(without(wanted.IDs, managed.IDs), current)
		remove := among(without(without(managed.IDs, wanted.IDs), stay[list.name]), current)
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
		gone := list.principals.Active(without(f[list.name], *list.current(group)), view)
		left[list.name] = without(f[list.name], gone)
	}
	return left
}

// group returns the resource of the group, which changes its members too.
func (r *MembershipResource) group() *tableResource { return groupOn(r.Base) }

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
