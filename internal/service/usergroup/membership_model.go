package usergroup

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permissionattribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// membershipModel is zulip_user_group_membership.
type membershipModel struct {
	Group     types.String `tfsdk:"group"`
	GroupID   types.Int64  `tfsdk:"group_id"`
	Members   types.Set    `tfsdk:"members"`
	Subgroups types.Set    `tfsdk:"subgroups"`
}

// membershipIdentity is what a membership is recognised by: the group.
type membershipIdentity struct {
	GroupID types.Int64 `tfsdk:"group_id"`
}

// set returns the attribute of a list.
func (m *membershipModel) set(list membershipList) *types.Set {
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
		if set := m.set(list); !set.IsNull() {
			meant, _ := list.principals.Resolve(*set, view)
			*set = list.principals.Keep(*set, among(meant.IDs, *list.current(group)), view)
		}
	}
}

// foundThere are those of each list who were in the group before the resource put them there: they stay when it goes.
type foundThere map[string][]int64

// privateFoundThere is where they stand in the private state.
const privateFoundThere = "found_there"

func readFoundThere(ctx context.Context, private permissionattribute.PrivateGetter, diags *diag.Diagnostics) foundThere {
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

func (f foundThere) write(ctx context.Context, private permissionattribute.PrivateSetter, diags *diag.Diagnostics) {
	data, err := json.Marshal(f)
	if err != nil {
		diags.AddError("Who was in the group before cannot be kept", err.Error())
		return
	}
	diags.Append(private.SetKey(ctx, privateFoundThere, data)...)
}

// still leaves those who are in the group, or do not count at present: who was taken out and is put back by the resource
// is there because of it.
func (f foundThere) still(group *zulip.UserGroup, view *snapshot.Snapshot) foundThere {
	left := foundThere{}
	for _, list := range membershipLists {
		left[list.name] = slices.DeleteFunc(slices.Clone(f[list.name]), func(id int64) bool {
			return len(list.principals.Active([]int64{id}, view)) > 0 && !slices.Contains(*list.current(group), id)
		})
	}
	return left
}

// among returns those that are in the others too.
func among(ids, others []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return !slices.Contains(others, id) })
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
