package groups

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/people"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// memberships has the functions of zulip_user_group_membership.
type memberships struct{}

type membershipCall = adapter.Call[membershipModel]

// NewUserGroupMembershipResource returns zulip_user_group_membership. Version 0 of the identity also had the members,
// which change.
func NewUserGroupMembershipResource() resource.Resource {
	var r memberships
	return adapter.Resource[membershipModel]{
		Name: "user_group_membership", Schema: r.schema,
		Identity: adapter.Identity{{"group_id", "ID of the group."}}, WasLonger: true,
		Plan: r.plan, PlanDestroy: r.planDestroy,
		Create: r.create, Read: r.read, Update: r.update, Delete: r.delete, Import: r.importMembers,
	}.New()
}

// membershipModel is zulip_user_group_membership.
type membershipModel struct {
	Group       types.String `tfsdk:"group"`
	GroupID     types.Int64  `tfsdk:"group_id"`
	Members     types.List   `tfsdk:"members"`
	MemberIDs   types.List   `tfsdk:"member_ids"`
	Subgroups   types.List   `tfsdk:"subgroups"`
	SubgroupIDs types.List   `tfsdk:"subgroup_ids"`
}

// list returns a list; none without a membership.
func (m *membershipModel) list(list membershipList) people.Value {
	switch {
	case m == nil:
		return people.Value{}
	case list.Name == subgroupsList.Name:
		return people.Value{Texts: &m.Subgroups, IDs: &m.SubgroupIDs}
	}
	return people.Value{Texts: &m.Members, IDs: &m.MemberIDs}
}

func (memberships) schema() schema.Schema {
	return schema.Schema{
		Version:             base.ListSchemaVersion,
		MarkdownDescription: "Adds users, bots and groups to a [user group](https://zulip.com/help/manage-user-groups), in addition to its other members.",
		Attributes: map[string]schema.Attribute{
			"group": schema.StringAttribute{
				Required: true, MarkdownDescription: "ID or name of the user group. Write `name:2024` for a group whose name is a number. Changing it forces replacement.",
				Validators: []validator.String{validators.Length(1, 0)},
			},
			"group_id": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "ID of the group.", PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"members": schema.ListAttribute{
				ElementType: types.StringType, Optional: true, Validators: []validator.List{validators.Size(1, 0), membersList.elements(), validators.AtLeastOneOf("members", "subgroups")},
				MarkdownDescription: "Emails or user IDs of users and bots to add as direct members, also as `user:EMAIL` or `user_id:N`. The order doesn't matter. Deactivated users are ignored. If a change of the list isn't known during plan, an existing membership is left unchanged; apply again to update it. " + toldText,
			},
			"member_ids": membersList.IDsAttribute(),
			"subgroups": schema.ListAttribute{
				ElementType: types.StringType, Optional: true, Validators: []validator.List{validators.Size(1, 0), subgroupsList.elements()},
				MarkdownDescription: "Names or IDs of groups to add as direct subgroups, also as `group:NAME` or `group_id:N`. The order doesn't matter.",
			},
			"subgroup_ids": subgroupsList.IDsAttribute(),
		},
	}
}

// create adds the missing members to the group.
func (r memberships) create(ctx context.Context, c *membershipCall) error {
	plan := c.Plan
	view, err := c.ReadNaming("the user groups", lookup.Names(plan.Members.Elements()), store.Organization)
	if err != nil {
		return err
	}
	id, err := managedGroup(view, plan.Group.ValueString())
	if err != nil {
		return base.Refused(path.Root("group"), "This user group cannot have members", base.Sentence(err))
	}
	plan.GroupID = types.Int64Value(id)
	group := groupOn(*c.Base)
	before, err := group.RereadObject(ctx, id)
	if err != nil {
		return base.Failed(fmt.Sprintf("Cannot read user group %d", id), err)
	}
	found := foundThere{}
	for _, list := range membershipLists {
		found[list.Name] = sets.Common(r.find(c, list, before), *list.current(before.Thing))
	}
	if c.Diags.HasError() {
		return nil
	}
	all := changeSteps(membershipChange(before.Thing, plan, nil, nil, before.View), before.View)
	now := group.Change(ctx, id, all, before, nil, c.Diags)
	if !c.Diags.HasError() || now == nil || anyDone(all, now) { // otherwise there is nothing to manage
		r.save(ctx, c, plan, now, before.View, found)
	}
	return nil
}

// read keeps the listed members who are still in the group.
func (memberships) read(ctx context.Context, c *membershipCall) error {
	state := c.State
	view, err := c.ReadNaming("the user groups", lookup.Names(state.Members.Elements()), store.Organization)
	if err != nil {
		return err
	}
	group, ok := view.UserGroups().ByID(state.GroupID.ValueInt64())
	if !ok || group.Deactivated {
		tflog.Info(ctx, "The user group is not there any more, or was deactivated: removing the membership from the state",
			map[string]any{"group_id": state.GroupID.ValueInt64(), "deactivated": ok})
		c.Forget()
		return nil
	}
	state.read(group, view)
	c.Save(state)
	readFoundThere(ctx, c.PriorPrivate, c.Diags).still(group, view).write(ctx, c.Private, c.Diags)
	return nil
}

// update adds the missing members to the group, and removes those that the resource has added and that are no longer
// listed.
func (r memberships) update(ctx context.Context, c *membershipCall) error {
	plan, prior := c.Plan, c.State
	id := prior.GroupID.ValueInt64()
	group := groupOn(*c.Base)
	before, err := group.RereadObject(ctx, id)
	if err != nil {
		return base.Failed(fmt.Sprintf("Cannot read user group %d", id), err)
	}
	found := readFoundThere(ctx, c.PriorPrivate, c.Diags).still(before.Thing, before.View)
	for _, list := range membershipLists {
		of := list.Name
		come := sets.Without(r.find(c, list, before), list.Named(prior.list(list), before.View).IDs)
		found[of] = append(found[of], sets.Without(sets.Common(come, *list.current(before.Thing)), found[of])...)
	}
	if c.Diags.HasError() {
		return nil
	}
	stay := found.withKept(&c.Meta.Run, before.Thing)
	all := changeSteps(membershipChange(before.Thing, plan, prior, stay, before.View), before.View)
	now := group.Change(ctx, id, all, before, nil, c.Diags)
	if c.Diags.HasError() {
		plan = prior.with(plan) // those who are in the group
	}
	plan.GroupID = prior.GroupID
	r.save(ctx, c, plan, now, before.View, found)
	return nil
}

// find returns the IDs in a list of the plan, and registers that they stay in the group whatever other resources of
// the run remove.
func (memberships) find(c *membershipCall, list membershipList, before *reading) []int64 {
	wanted := list.Find(c.Plan.list(list), before.View, c.Diags)
	for _, id := range wanted.IDs {
		c.Meta.Run.Note(runstate.Adopted, runstate.ID(list.kind(before.Thing.ID), id))
	}
	return wanted.IDs
}

// save writes the state after an apply. After an error it writes the server's values, if they could be read.
func (memberships) save(ctx context.Context, c *membershipCall, state *membershipModel, now *reading, view *snapshot.Snapshot, found foundThere) {
	if now != nil && c.Diags.HasError() {
		state.read(now.Thing, now.View)
	} else {
		for _, list := range membershipLists {
			list.Settle(state.list(list), view)
		}
	}
	c.Save(state)
	found.write(ctx, c.Private, c.Diags)
}

// delete removes the members that the resource has added.
func (memberships) delete(ctx context.Context, c *membershipCall) error {
	state, id := c.State, c.State.GroupID.ValueInt64()
	view, err := c.Meta.Store.ReadNaming(ctx, lookup.Names(state.Members.Elements()), store.Users)
	if err == nil {
		view, err = c.Meta.Store.Fresh(ctx, store.UserGroups)
	}
	if err != nil {
		return base.Failed(fmt.Sprintf("Cannot read user group %d", id), err)
	}
	group, ok := view.UserGroups().ByID(id)
	if !ok || group.Deactivated {
		tflog.Info(ctx, "The user group is not there any more, or was deactivated: nobody is taken out of it", map[string]any{"group_id": id})
		return nil
	}
	stay := readFoundThere(ctx, c.PriorPrivate, c.Diags).still(group, view).withKept(&c.Meta.Run, group)
	all := changeSteps(membershipChange(group, nil, state, stay, view), view)
	groupOn(*c.Base).Change(ctx, id, all, &reading{Thing: group, View: view}, nil, c.Diags)
	return nil
}

// changeSteps returns the steps of a change, one for each added or removed member.
func changeSteps(change zulip.MembershipChange, view *snapshot.Snapshot) []step {
	var all []step
	add := func(list membershipList, ids []int64, in bool) {
		for _, id := range ids {
			all = append(all, list.step(id, in, view))
		}
	}
	add(membersList, change.Add, true)
	add(membersList, change.Delete, false)
	add(subgroupsList, change.AddSubgroups, true)
	add(subgroupsList, change.DeleteSubgroups, false)
	return all
}

// anyDone reports whether one of the steps is done.
func anyDone(all []step, now *reading) bool {
	return slices.ContainsFunc(all, func(one step) bool { return one.Current(now.Thing) == one.Planned })
}

// importMembers imports the group and its members: GROUP/MEMBER,MEMBER. A member is an email or an ID; groups are
// written group:NAME or group_id:N. By identity it imports a group with all members. None of them counts as added by
// the resource.
func (memberships) importMembers(ctx context.Context, c *membershipCall, text string) error {
	view, err := c.Read("the user groups", store.Organization)
	if err != nil {
		return err
	}
	id, _, members, err := lookup.Imported(text, func(part string) (int64, error) { return managedGroup(view, part) })
	if err != nil {
		return base.Refused(path.Empty(), "Cannot import this membership", base.NotFoundByImport(err))
	}
	group, _ := view.UserGroups().ByID(id)
	wanted := parseMembership(members, view)
	wanted.GroupID, wanted.Group = types.Int64Value(id), types.StringValue(lookup.GroupText(view, id))
	if c.IsByIdentity {
		found := foundThere{}
		for _, list := range membershipLists {
			found[list.Name] = *list.current(group)
			*wanted.list(list).Texts = listOrNull(list.Of(found[list.Name], view))
		}
		found.write(ctx, c.Private, c.Diags)
	}
	missing := wanted.missing(group, view)
	if !c.IsByIdentity && wanted.Members.IsNull() && wanted.Subgroups.IsNull() || len(missing) > 0 {
		return base.Refused(path.Empty(), "Cannot import this membership",
			"The import ID is GROUP/MEMBER,MEMBER: the group by name or ID, and the members to manage. A member is an email or an ID; a subgroup is group:NAME or group_id:N. All must be in the group."+notIn(missing, group.Name))
	}
	for _, list := range membershipLists {
		list.Settle(wanted.list(list), view)
	}
	c.Save(&wanted)
	return nil
}

// parseMembership reads MEMBER,MEMBER.
func parseMembership(list string, view *snapshot.Snapshot) membershipModel {
	var members, subgroups []attr.Value
	for _, word := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		principal, err := permission.Parse(word)
		switch {
		case err == nil && principal.Kind == permission.KindGroupID:
			subgroups = append(subgroups, types.StringValue(lookup.GroupText(view, principal.ID)))
		case err == nil && (principal.Kind == permission.KindGroup || principal.Kind == permission.KindRole):
			subgroups = append(subgroups, types.StringValue(principal.WireName()))
		default:
			members = append(members, types.StringValue(word))
		}
	}
	return membershipModel{
		Members:   listOrNull(types.ListValueMust(types.StringType, members)),
		Subgroups: listOrNull(types.ListValueMust(types.StringType, subgroups)),
	}
}

// listOrNull returns null for an empty list, which is then not managed.
func listOrNull(list types.List) types.List {
	if len(list.Elements()) == 0 {
		return types.ListNull(types.StringType)
	}
	return list
}
