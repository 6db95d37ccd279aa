package groups

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/people"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// userGroupUpdate is the content of a change: the group and its members. The server accepts each in a separate request, and
// executes all of a request or nothing (server-behavior §G4).
type userGroupUpdate struct {
	zulip.UserGroupUpdate
	zulip.MembershipChange
}

type (
	step    = change.Step[*zulip.UserGroup, userGroupUpdate]
	pending = change.Pending[*zulip.UserGroup, userGroupUpdate]
	reading = change.Reading[*zulip.UserGroup]
	prior   = attribute.Prior[userGroupFields, *zulip.UserGroup]

	rows              = []attribute.Row[userGroupFields, *zulip.UserGroup, userGroupUpdate]
	row[V attr.Value] = attribute.Field[userGroupFields, *zulip.UserGroup, userGroupUpdate, V]
)

// userGroupMaxName is the server's limit, counted in characters (server-behavior §G5).
const userGroupMaxName = 100

// unknownText says on the page of the resource what becomes of a list that is not known during plan.
const unknownText = "If a change of the list isn't known during plan, an existing group is left unchanged; apply again to update it."

// userGroupTable are the attributes that the server has of a user group, one row each. How a group is created is not among them:
// see userGroupCreationAttributes.
var userGroupTable = attribute.Table[userGroupFields, *zulip.UserGroup, userGroupUpdate]{
	Resource: userGroupKind, OmitUnmanaged: true, New: &zulip.UserGroup{},
	Rows: rows{
		row[types.Int64]{
			Name: "id", ReadOnly: true, Description: "ID of the group.",
			At:   func(f *userGroupFields) *types.Int64 { return &f.ID },
			Read: func(g *zulip.UserGroup) types.Int64 { return types.Int64Value(g.ID) },
		},
		row[types.String]{
			Name: "name", Description: "Name of the group.",
			Setting:  "At most 100 characters. Must be unique in the organization; case matters, and deactivated groups keep their names. Permissions that include the group follow a rename.",
			Required: true,
			Validators: []validator.Describer{
				validators.Length(1, userGroupMaxName),
				validators.Checked("group name", checkPrefix),
				validators.VisibleName{},
			},
			At:   func(f *userGroupFields) *types.String { return &f.Name },
			Read: func(g *zulip.UserGroup) types.String { return types.StringValue(g.Name) },
			Send: func(u *userGroupUpdate, _ *zulip.UserGroup, v types.String) { u.Name = v.ValueStringPointer() },
		},
		row[types.String]{
			Name: "description", Description: "Description of the group.",
			Setting: "Initially empty.",
			At:      func(f *userGroupFields) *types.String { return &f.Description },
			Read:    func(g *zulip.UserGroup) types.String { return types.StringValue(g.Description) },
			Send:    func(u *userGroupUpdate, _ *zulip.UserGroup, v types.String) { u.Description = v.ValueStringPointer() },
		},
		membershipRow{
			membershipList: membersList, description: "Emails of the direct members of the group, without deactivated users.",
			setting: "User IDs, `user:EMAIL` and `user_id:N` also work; the order doesn't matter. The list is complete: an apply removes other members. Deactivated users are ignored, listed or not. Leave it unset if you use `zulip_user_group_membership`. " + unknownText + " " + toldText,
		},
		membershipIDsRow{membersList},
		membershipRow{
			membershipList: subgroupsList, description: "Names of the direct subgroups of the group, without deactivated groups. Roles such as `role:members` are groups too.",
			setting: "IDs, `group:NAME` and `group_id:N` also work; write `name:2024` for a group whose name is a number. The order doesn't matter. The list is complete: an apply removes other subgroups. " + unknownText,
		},
		membershipIDsRow{subgroupsList},
	},
	Permissions: map[string]attribute.Permission[userGroupFields]{
		"can_add_members_group":    {At: func(f *userGroupFields) *types.Set { return &f.CanAddMembersGroup }},
		"can_join_group":           {At: func(f *userGroupFields) *types.Set { return &f.CanJoinGroup }},
		"can_leave_group":          {At: func(f *userGroupFields) *types.Set { return &f.CanLeaveGroup }},
		"can_manage_group":         {At: func(f *userGroupFields) *types.Set { return &f.CanManageGroup }},
		"can_mention_group":        {At: func(f *userGroupFields) *types.Set { return &f.CanMentionGroup }},
		"can_remove_members_group": {At: func(f *userGroupFields) *types.Set { return &f.CanRemoveMembersGroup }},
	},
	Wire: attribute.Permissions[*zulip.UserGroup, userGroupUpdate]{
		Table:   permission.UserGroups,
		Values:  func(g *zulip.UserGroup) map[string]zulip.GroupSettingValue { return g.Permissions },
		Changes: func(u *userGroupUpdate) *map[string]zulip.GroupSettingChange { return &u.Permissions },
	},
}

// membershipList is the list of members or of subgroups. The attribute has emails or names; IDs are compared and sent.
type membershipList struct {
	people.Attribute

	// in returns the list of a resource, current that of a group.
	in      func(*userGroupFields) people.Value
	current func(*zulip.UserGroup) *[]int64
	change  func(change *zulip.MembershipChange, add, remove []int64)
	place   effects.Place
}

const deactivatedIgnored = "The server neither adds nor removes deactivated users and groups"

var (
	membersList = membershipList{
		people.Attribute{PrincipalList: lookup.UserList, Name: "members", Noun: "user", Ignored: deactivatedIgnored},
		func(f *userGroupFields) people.Value { return people.Value{Texts: &f.Members, IDs: &f.MemberIDs} },
		func(g *zulip.UserGroup) *[]int64 { return &g.Members },
		func(m *zulip.MembershipChange, add, remove []int64) {
			m.Add, m.Delete = append(m.Add, add...), append(m.Delete, remove...)
		},
		effects.Members,
	}
	subgroupsList = membershipList{
		people.Attribute{PrincipalList: lookup.GroupList, Name: "subgroups", Noun: "user group", Ignored: deactivatedIgnored},
		func(f *userGroupFields) people.Value { return people.Value{Texts: &f.Subgroups, IDs: &f.SubgroupIDs} },
		func(g *zulip.UserGroup) *[]int64 { return &g.DirectSubgroupIDs },
		func(m *zulip.MembershipChange, add, remove []int64) {
			m.AddSubgroups, m.DeleteSubgroups = append(m.AddSubgroups, add...), append(m.DeleteSubgroups, remove...)
		},
		effects.Subgroups,
	}
)

// membershipLists are both lists.
var membershipLists = []membershipList{membersList, subgroupsList}

// elements are the validators of the elements of a list.
func (l membershipList) elements() validator.List {
	if l.Name == subgroupsList.Name {
		return listvalidator.ValueStringsAre(validators.Length(1, 0), validators.Group("List it in members."))
	}
	return listvalidator.ValueStringsAre(validators.Length(1, 0), validators.Person("List it in subgroups."))
}

// problems returns the elements of a list that an apply cannot use.
func (l membershipList) problems(resolved lookup.ResolvedList) []permission.Problem {
	var problems []permission.Problem
	for _, err := range slices.Concat(resolved.Moved, resolved.Problems) {
		problems = append(problems, permission.Problem{Summary: lookup.Summary(err), Detail: base.Sentence(err)})
	}
	for _, text := range resolved.Planned {
		summary, detail := base.StillMissing(text)
		problems = append(problems, permission.Problem{Summary: summary, Detail: detail})
	}
	return problems
}

// checkSelf refuses a group that names itself.
func (l membershipList) checkSelf(list types.List, group runstate.Object, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	if l.Name != subgroupsList.Name {
		return
	}
	for _, element := range list.Elements() {
		text, ok := element.(types.String)
		plain, err := permission.PlainGroup(text.ValueString())
		if err != nil {
			continue // it is not a group, which is reported
		}
		if found, err := lookup.Group(view, plain); ok && base.IsSet(text) && err == nil && found.Key == group {
			refuseCycle(text.ValueString()+" contains "+text.ValueString(), diags)
		}
	}
}

// kind returns the kind of the list's members in the run state.
func (l membershipList) kind(group int64) string {
	return fmt.Sprintf("%s of user group %d", l.Name, group)
}

// contest registers the members that a resource still lists, and those that it removes, as planned. It reports an error
// for members that are both, because Terraform skips a resource without changes during apply, so no one would add them
// again.
func (l membershipList) contest(run *runstate.State, group int64, kept, leaving []int64, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	if contested := people.Contested(run, l.kind(group), kept, leaving); len(contested) > 0 {
		diags.AddAttributeError(path.Root(l.Name), fmt.Sprintf("Members of user group %q may be lost", lookup.GroupText(view, group)),
			fmt.Sprintf("A zulip_user_group_membership in the state added %s and would remove them, but another resource still lists them. "+
				"If the other resource should manage them from now on, remove the membership from the state without removing anyone:\n\n"+
				"  removed {\n    from = zulip_user_group_membership.NAME\n    lifecycle {\n      destroy = false\n    }\n  }\n\n"+
				"If you only renamed the membership resource, add a moved block.", l.Describe(contested, view)))
	}
}

// isKept reports whether another resource of this run lists a member, so that the member stays in the group.
func (l membershipList) isKept(run *runstate.State, group, id int64) bool {
	return run.Knows(runstate.Adopted, runstate.ID(l.kind(group), id)) || run.Knows(runstate.Managed, runstate.ID(l.kind(group), id))
}

// membershipRow is the row of a list in the table of attributes.
type membershipRow struct {
	membershipList
	// description is on the pages of the resource and of data sources, setting on that of the resource.
	description, setting string
}

// AttributeName is the name of the attribute.
func (l membershipRow) AttributeName() string { return l.Name }

// Takes returns no requirement besides the permission to change the group.
func (l membershipRow) Takes() attribute.Requirement { return attribute.Requirement{} }

// ResourceAttribute describes the attribute in the schema of the resource.
func (l membershipRow) ResourceAttribute(resource string) schema.Attribute {
	return schema.ListAttribute{
		ElementType: types.StringType, Optional: true, Computed: true, MarkdownDescription: l.text(resource, l.description+" "+l.setting),
		Validators: []validator.List{l.elements()}, PlanModifiers: []planmodifier.List{listplanmodifier.UseStateForUnknown()},
	}
}

// DataSourceAttribute describes the attribute in the schema of a data source.
func (l membershipRow) DataSourceAttribute(resource string) datasourceschema.Attribute {
	return datasourceschema.ListAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: l.text(resource, l.description)}
}

func (l membershipRow) text(resource, text string) string {
	if level := featurelevel.Lookup(resource, l.Name); level > 0 {
		text += " " + featurelevel.Sentence(level)
	}
	return text
}

// ReadInto keeps the form and the order of the elements that are still in the list, and sets their IDs.
func (l membershipRow) ReadInto(f *userGroupFields, group *zulip.UserGroup, env attribute.Env, _ *diag.Diagnostics) {
	l.Hold(l.in(f), *l.current(group), env.View)
}

// Step is the change of the list. An element that cannot be found is a problem. If the planned list equals the state's,
// as for an unconfigured list, it is neither compared nor resolved.
func (l membershipRow) Step(prior *prior, planned *userGroupFields, env attribute.Env) (change step, problems []permission.Problem, found bool) {
	list := *l.in(planned).Texts
	if list.IsNull() || prior.IsState && list.Equal(*l.in(prior.Values).Texts) {
		return change, nil, false
	}
	wanted := l.Named(l.in(planned), env.View)
	if !wanted.IsKnown {
		return change, nil, false
	}
	var before []int64
	if prior.IsState {
		before = l.Named(l.in(prior.Values), env.View).IDs
	} else {
		before = *l.current(prior.Object)
	}
	change = l.listStep(before, wanted.IDs, !wanted.MayHaveMoved, env.View, nil)
	return change, l.problems(wanted), change.Prior != change.Planned
}

// listStep is the change from a prior to a planned list, after known effects. removes is true if it removes members.
func (l membershipList) listStep(before, wanted []int64, removes bool, view *snapshot.Snapshot, known *effects.Log) step {
	shown := func(group *zulip.UserGroup) []int64 {
		return known.After(l.place, l.Active(*l.current(group), view), nil)
	}
	stay := sets.Common(before, wanted)
	change := step{
		Attribute: l.Name, Prior: l.describe(before, view), Planned: l.describe(wanted, view),
		Put: func(u *userGroupUpdate, current *zulip.UserGroup, _ bool) {
			ids, remove := shown(current), []int64(nil)
			if removes { // otherwise it may be a person with another email now
				remove = sets.Without(ids, wanted)
			}
			l.change(&u.MembershipChange, sets.Without(wanted, ids), remove)
		},
		After: func(known *effects.Log, group *zulip.UserGroup) step {
			return l.listStep(known.After(l.place, before, *l.current(group)), known.After(l.place, wanted, nil), removes, view, known)
		},
	}
	change.Current = func(group *zulip.UserGroup) string { // a member who has already left is no conflict
		ids := shown(group)
		if !removes && len(sets.Without(wanted, ids)) == 0 {
			return change.Planned // everyone else in the group stays
		}
		if len(sets.Without(ids, before))+len(sets.Without(stay, ids)) == 0 && !slices.Equal(ids, wanted) {
			return change.Prior
		}
		return l.describe(ids, view)
	}
	if l.place == effects.Members {
		change.People = func(group *zulip.UserGroup) []int64 { return sets.Differing(before, *l.current(group), wanted) }
	}
	return change
}

// describe writes all IDs, so that two texts are equal if the IDs are.
func (l membershipList) describe(ids []int64, view *snapshot.Snapshot) string {
	var texts []string
	for _, id := range l.Active(ids, view) {
		texts = append(texts, strconv.Quote(l.Describe([]int64{id}, view)))
	}
	slices.Sort(texts)
	return "[" + strings.Join(texts, ", ") + "]"
}

// KeepPrior keeps the prior list and its IDs if the planned one names the same.
func (l membershipRow) KeepPrior(_, planned, state *userGroupFields, env attribute.Env) {
	at, prior := l.in(planned), l.in(state)
	own := l.Own(*prior.Texts, *prior.IDs)
	*at.Texts, *at.IDs = l.PrincipalList.KeepPrior(*at.Texts, *prior.Texts, own, env.View), *prior.IDs
	if !at.Texts.Equal(*prior.Texts) {
		l.PlanIDs(at, prior, true, env.View)
	}
}

// KeepPlanned gives the model the planned list and its IDs, unless the list is unknown.
func (l membershipRow) KeepPlanned(f, planned *userGroupFields) {
	l.membershipList.KeepPlanned(l.in(f), l.in(planned))
}

// ForgetUnknown makes an unknown list null, and unknown IDs too.
func (l membershipRow) ForgetUnknown(f *userGroupFields) {
	at, none := l.in(f), types.ListNull(types.Int64Type)
	if at.Texts.IsUnknown() {
		*at.Texts = types.ListNull(types.StringType)
	}
	planned := *at.IDs
	*at.IDs = none
	if !planned.IsUnknown() {
		l.membershipList.KeepPlanned(at, people.Value{Texts: at.Texts, IDs: &planned})
	}
}

// membershipIDsRow is the row of the IDs of a list.
type membershipIDsRow struct{ membershipList }

// AttributeName is the name of the attribute.
func (l membershipIDsRow) AttributeName() string {
	return strings.TrimSuffix(l.Name, "s") + "_ids"
}

// Takes returns no requirement: the attribute cannot be set.
func (l membershipIDsRow) Takes() attribute.Requirement { return attribute.Requirement{} }

// ResourceAttribute describes the attribute in the schema of the resource.
func (l membershipIDsRow) ResourceAttribute(string) schema.Attribute {
	ids := l.IDsAttribute()
	ids.PlanModifiers = []planmodifier.List{listplanmodifier.UseStateForUnknown()}
	return ids
}

// DataSourceAttribute describes the attribute in the schema of a data source.
func (l membershipIDsRow) DataSourceAttribute(string) datasourceschema.Attribute {
	return datasourceschema.ListAttribute{
		ElementType: types.Int64Type, Computed: true,
		MarkdownDescription: fmt.Sprintf("ID of the %s for each element of %#q, in the same order.", l.Noun, l.Name),
	}
}

// ReadInto sets the IDs of the list as its row has read it.
func (l membershipIDsRow) ReadInto(f *userGroupFields, group *zulip.UserGroup, env attribute.Env, _ *diag.Diagnostics) {
	if texts := *l.in(f).Texts; texts.IsNull() {
		l.Hold(people.Value{Texts: &texts, IDs: l.in(f).IDs}, *l.current(group), env.View)
		return
	}
	l.Settle(l.in(f), env.View)
}

// Step returns no change: the IDs follow from the list.
func (l membershipIDsRow) Step(*prior, *userGroupFields, attribute.Env) (change step, problems []permission.Problem, found bool) {
	return change, nil, false
}

// KeepPrior does nothing: see [planUserGroupIDs].
func (l membershipIDsRow) KeepPrior(_, _, _ *userGroupFields, _ attribute.Env) {}

// KeepPlanned gives the model the planned IDs, if all are known. Otherwise the row of the list has done it.
func (l membershipIDsRow) KeepPlanned(f, planned *userGroupFields) {
	if ids := *l.in(planned).IDs; !slices.ContainsFunc(ids.Elements(), attr.Value.IsUnknown) {
		base.KeepKnown(l.in(f).IDs, ids)
	}
}

// ForgetUnknown does nothing.
func (l membershipIDsRow) ForgetUnknown(*userGroupFields) {}
