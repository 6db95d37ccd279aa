// Package groups has user groups and their members.
package groups

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// userGroupKind is the type of the resource.
const userGroupKind = "zulip_user_group"

type (
	userGroupResource = core.Resource[userGroupModel, zulip.UserGroup, userGroupUpdate]
	userGroupPlan     = core.TablePlan[userGroupModel, zulip.UserGroup, userGroupUpdate]
)

// NewUserGroupResource returns zulip_user_group.
func NewUserGroupResource(elsewhere Elsewhere) resource.Resource {
	definition := userGroupDefinition()
	definition.Delete = func(ctx context.Context, c *core.Call, state *userGroupModel) error {
		return deactivateGroup(ctx, c, elsewhere, state)
	}
	return core.NewTable(definition)
}

// groupOn returns the resource of groups on a server.
func groupOn(b base.Base) *userGroupResource {
	r := core.NewTable(userGroupDefinition())
	r.Base = b
	return r
}

func userGroupDefinition() *core.TableDefinition[userGroupModel, zulip.UserGroup, userGroupUpdate] {
	return &core.TableDefinition[userGroupModel, zulip.UserGroup, userGroupUpdate]{
		Definition: core.Definition[userGroupModel, zulip.UserGroup]{
			Name: "user_group", Title: "user group", Plural: "user groups",
			Schema:       userGroupSchema,
			Source:       core.Source{Part: store.UserGroups, Needs: []store.Part{store.Organization}, NeedsFresh: true},
			Index:        (*snapshot.Snapshot).UserGroups,
			Key:          func(group *zulip.UserGroup) int64 { return group.ID },
			FindImported: findImportedGroup,
			Unsent:       []string{"adopt_deactivated"},
			Unique: core.Unique[userGroupModel, zulip.UserGroup]{
				Of:      func(m *userGroupModel) string { return m.Name.ValueString() },
				IsTaken: isGroupNameTaken,
				Existing: func(e *existing.Object, group *zulip.UserGroup, c *core.Call) {
					if !c.Meta.Run.Knows(runstate.Managed, runstate.ID(userGroupKind, group.ID)) {
						return
					}
					if uses := lastingUses(&c.Meta.Run, groupUsesOf(group.ID, c.Snapshot)); len(uses) > 0 {
						e.Detail = "The server does not deactivate a group that is in use. If this resource is tainted, run terraform untaint ADDRESS, because the apply cannot replace the group:" + describeGroupUses(uses, c.Snapshot)
					}
				},
			},
			CheckPlan: checkGroupDestroy,
			Create:    createUserGroup, DeleteVerb: "deactivate",
			Archive: core.Archive[userGroupModel, zulip.UserGroup]{
				IsGone: func(group *zulip.UserGroup) bool { return group.Deactivated }, HowToAdopt: howToAdoptGroup, Adopt: adoptUserGroup,
			},
			Account: core.Account[userGroupModel, zulip.UserGroup]{NamedPeople: func(m *userGroupModel) []string {
				return append(userGroupTable.Sets(&m.userGroupFields).NamedUsers(permission.UserGroups), lookup.Names(m.Members.Elements())...)
			}},
			Creating: core.Creating[userGroupModel, zulip.UserGroup]{
				MayBeCreated: isOwnGroup, RegisterCreated: registerMembership,
				Lacks: func(_ context.Context, c *core.Call, _ *userGroupModel, diags *diag.Diagnostics) {
					newCaller(c.Meta, c.Snapshot).checkChange(nil, userGroupUpdate{}, diags)
				},
			},
		},
		Table: core.Rows(&userGroupTable, func(m *userGroupModel) *userGroupFields { return &m.userGroupFields }),
		CheckTable: func(ctx context.Context, p *userGroupPlan) {
			waitForUserGroupLists(p)
			p.Compare()
			planUserGroupIDs(p)
			checkUserGroupPlan(ctx, p)
		},
		SendUpdate:   sendUserGroupUpdate,
		Protect:      protectUserGroup,
		Archives:     true,
		Reactivation: func(u *userGroupUpdate) { u.Deactivated = new(bool) }, // (server-behavior §G4)
		IsFreed:      isGroupNameFreed,
		CreatedBy:    groupCreator,
		Adoption: &core.Adoption[zulip.UserGroup]{
			Attribute: "adopt_deactivated",
			Warning:   warnOfGroupAdoption, Refusal: refuseDeactivatedGroup,
		},
	}
}

// isOwnGroup reports whether the provider's account created a group.
func isOwnGroup(_ *userGroupModel, group *zulip.UserGroup, c *core.Call) bool {
	return group.CreatorID == nil || *group.CreatorID == c.Meta.Store.Self().ID
}

// adoptUserGroup returns the deactivated group of the name, if the plan asks for it.
func adoptUserGroup(ctx context.Context, c *core.Call, plan *userGroupModel) (id int64, ok bool, err error) {
	if !plan.AdoptDeactivated.ValueBool() {
		return 0, false, nil
	}
	s, err := c.Meta.Store.Fresh(ctx, store.UserGroups)
	if err != nil {
		return 0, false, err
	}
	group, ok := s.UserGroups().ByName(plan.Name.ValueString())
	if !ok || !group.Deactivated {
		return 0, false, nil
	}
	return group.ID, true, nil
}

// findImportedGroup finds the group of an import. Its error is a message for users.
func findImportedGroup(s *snapshot.Snapshot, text string) (*zulip.UserGroup, error) {
	found, err := lookup.Group(s, text)
	switch {
	case err != nil:
		return nil, err
	case found.Group == nil:
		return nil, fmt.Errorf("user group %q does not exist yet", text)
	case found.Group.IsSystemGroup:
		return nil, fmt.Errorf("%q is a role. Its members are the users with that role, so change their roles instead", found.Group.Name)
	}
	return found.Group, nil
}

func howToAdoptGroup(group *zulip.UserGroup) string {
	return fmt.Sprintf("User group %q is deactivated. Add a zulip_user_group with its name and adopt_deactivated = true to reactivate it.", group.Name)
}

// isGroupNameTaken reports whether the server refused a creation because another group has the name.
func isGroupNameTaken(err error) bool {
	var refusal *zulip.Error
	return errors.As(err, &refusal) && strings.HasPrefix(refusal.Msg, "User group '") && strings.HasSuffix(refusal.Msg, "' already exists.")
}

func groupCreator(group *zulip.UserGroup) (creator *int64, at time.Time) {
	if group.DateCreated != nil {
		at = time.Unix(*group.DateCreated, 0)
	}
	return group.CreatorID, at
}

// isGroupNameFreed reports whether this run has planned to rename a group.
func isGroupNameFreed(s *snapshot.Snapshot, group *zulip.UserGroup, _ string) bool {
	later, _ := s.UserGroup(group.ID)
	return later.Name != group.Name
}

func warnOfGroupAdoption(group *zulip.UserGroup) (summary, detail string) {
	// Only the detail has the name, so that the CLI can make one warning of many.
	return "A deactivated user group will be reactivated",
		fmt.Sprintf("User group %q has the ID %d, and members: %d. Unset attributes are left unchanged.", group.Name, group.ID, len(group.Members))
}

func refuseDeactivatedGroup(group *zulip.UserGroup) (summary, detail string) {
	return fmt.Sprintf("A deactivated user group has the name %q", group.Name),
		fmt.Sprintf("Deactivated groups keep their names, and group %d has this name. "+
			"Set adopt_deactivated = true to reactivate it with its members and permissions, choose another name, or rename the deactivated group.", group.ID)
}

// itself is how the permissions of a group reference the group.
func itself(f *userGroupFields) permission.Principal {
	return permission.Principal{Kind: permission.KindGroup, Name: f.Name.ValueString()}
}

// atCreation omits the permissions that name the group itself, which the server accepts once the group exists.
func atCreation(planned *userGroupFields) *userGroupFields {
	created := *planned
	for _, one := range userGroupTable.Permissions {
		if principals, known := attribute.PrincipalsOf(*one.At(&created)); known && slices.Contains(principals, itself(planned)) {
			*one.At(&created) = types.SetNull(types.StringType)
		}
	}
	return &created
}

// createUserGroup creates a group and returns its ID.
func createUserGroup(ctx context.Context, c *core.Call, plan *userGroupModel) (int64, error) {
	var diags diag.Diagnostics
	env := attribute.NewEnv(c.Base, c.Snapshot)
	steps, problems := userGroupTable.Steps(userGroupTable.PriorObject(&zulip.UserGroup{}, env, &diags), atCreation(&plan.userGroupFields), env)
	attribute.ReportProblems(&diags, problems)
	var all userGroupUpdate
	for _, step := range steps {
		step.Put(&all, &zulip.UserGroup{}, false)
	}
	name := plan.Name.ValueString()
	request := zulip.UserGroupCreate{
		Name: name, Description: plan.Description.ValueString(),
		Members: all.Add, Subgroups: all.AddSubgroups, Permissions: map[string]zulip.GroupSettingValue{},
	}
	for setting, change := range all.Permissions {
		request.Permissions[setting] = change.New
	}
	later := userGroupAfter(nil, all)
	later.Name = name
	newCaller(c.Meta, c.Snapshot).checkLockout(later, false, &diags)
	if diags.HasError() {
		return 0, core.AsError(diags)
	}
	id, answer, err := c.Meta.Client.CreateUserGroup(ctx, request)
	if err != nil {
		return 0, err
	}
	c.WarnIgnored(fmt.Sprintf("user group %q", name), answer, userGroupTable.Wire.Table)
	if id != 0 {
		return id, nil
	}
	// The answer does not have the ID.
	s, err := c.Meta.Store.Fresh(ctx, store.UserGroups)
	if err != nil {
		return 0, err
	}
	if group, ok := s.UserGroups().ByName(name); ok {
		return group.ID, nil
	}
	return 0, errors.New("the server accepted the request but does not list the user group")
}

// registerMembership registers the lists that a resource manages of a group that was just created.
func registerMembership(c *core.Call, id int64, planned *userGroupModel, _ bool) {
	for _, list := range membershipLists {
		if base.IsSet(*list.in(&planned.userGroupFields).Texts) { // on creation, only what is configured is known
			declareList(&c.Meta.Run, runstate.ID(runstate.Group, id), list.Name, true)
		}
	}
}

// declareList registers that a resource manages a list of a group exclusively, or together with others. It reports false if
// another resource of the run manages the list the other way.
func declareList(run *runstate.State, group runstate.Object, list string, isExclusive bool) bool {
	return run.Declare(runstate.Object{Kind: "membership " + list, ID: group.ID, Name: group.Name}, runstate.Words(fmt.Sprint(isExclusive)))
}

// toldText is on the pages of resources that change the members of groups. It says that the server notifies people.
const toldText = "The server always notifies users by direct message when they are added or removed."

func userGroupSchema() schema.Schema {
	all := userGroupTable.ResourceAttributes()
	maps.Copy(all, userGroupCreationAttributes())
	return schema.Schema{
		Version:             base.ListSchemaVersion,
		MarkdownDescription: "Manages a [Zulip user group](https://zulip.com/help/user-groups), its members and its permissions.",
		Attributes:          all,
	}
}

// userGroupCreationAttributes describe how the group is created. The server does not store them, so they have no row in the table.
func userGroupCreationAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"adopt_deactivated": schema.BoolAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "If true, a deactivated group with the same name is reactivated. Attributes you leave out keep their values, members included. Only used on create. Defaults to `adopt_deactivated` of the provider. " + featurelevel.Sentence(featurelevel.SinceValue("zulip_user_group", "adopt_deactivated", "true")),
		},
	}
}

// checkPrefix refuses the names that the server reserves for mentions and roles (server-behavior §G5).
func checkPrefix(name string) error {
	for _, prefix := range []string{"@", "role:", "user:", "stream:", "channel:"} {
		if strings.HasPrefix(name, prefix) {
			return fmt.Errorf("the name %q must not begin with @, role:, user:, stream: or channel: because the server reserves them", name)
		}
	}
	return nil
}

// userGroupFields are the attributes that the server has of a user group, for the resource and the data sources. The table [userGroupTable]
// describes them.
type userGroupFields struct {
	ID          types.Int64  `tfsdk:"id"`
	Name        types.String `tfsdk:"name"`
	Description types.String `tfsdk:"description"`
	Members     types.List   `tfsdk:"members"`
	MemberIDs   types.List   `tfsdk:"member_ids"`
	Subgroups   types.List   `tfsdk:"subgroups"`
	SubgroupIDs types.List   `tfsdk:"subgroup_ids"`

	CanAddMembersGroup    types.Set `tfsdk:"can_add_members_group"`
	CanJoinGroup          types.Set `tfsdk:"can_join_group"`
	CanLeaveGroup         types.Set `tfsdk:"can_leave_group"`
	CanManageGroup        types.Set `tfsdk:"can_manage_group"`
	CanMentionGroup       types.Set `tfsdk:"can_mention_group"`
	CanRemoveMembersGroup types.Set `tfsdk:"can_remove_members_group"`
}

// userGroupModel is the resource: the fields, and how the group is created.
type userGroupModel struct {
	userGroupFields
	AdoptDeactivated types.Bool `tfsdk:"adopt_deactivated"`
}

// sendUserGroupUpdate sends the group and its members in separate requests. The group goes first, so that nothing has changed
// when a permission is refused. The members go first if the account may lose the permission to change them, or if the
// group is reactivated, so that it never has unplanned members.
func sendUserGroupUpdate(ctx context.Context, b *base.Base, id int64, p pending) (ignored []string, err error) {
	all := p.Update()
	group := func() error {
		if all.UserGroupUpdate.Empty() {
			return nil
		}
		answer, err := b.Meta.Client.UpdateUserGroup(ctx, id, all.UserGroupUpdate)
		if err == nil {
			ignored = answer.IgnoredParameters
		}
		return err
	}
	membership := func() error {
		if all.MembershipChange.Empty() {
			return nil
		}
		return b.Meta.Client.ChangeUserGroupMembership(ctx, id, all.MembershipChange)
	}
	ordered := []func() error{group, membership}
	_, givesAway := all.Permissions["can_manage_group"]
	if all.Deactivated == nil && givesAway || all.Deactivated != nil && b.HasLevel(featurelevel.DeactivatedGroupMembers) {
		slices.Reverse(ordered)
	}
	for _, request := range ordered {
		if err := request(); err != nil {
			return nil, err
		}
	}
	return ignored, nil
}

// NewUserGroupList returns the list resource zulip_user_group. It does not list roles, which are groups on the server.
func NewUserGroupList() list.ListResource {
	return core.NewList(core.ListDefinition[zulip.UserGroup]{
		Name: "user_group", Plural: "user groups",
		ListText: core.ListText{Description: "Lists the user groups of the organization, without roles such as `role:members`."},
		Objects: core.FromSnapshot(func(s *snapshot.Snapshot) []*zulip.UserGroup { return s.UserGroups().List() }, func(_ *snapshot.Snapshot, group *zulip.UserGroup) bool {
			return !group.IsSystemGroup
		}, store.Organization),
		Key:    func(group *zulip.UserGroup) any { return group.ID },
		Label:  func(group *zulip.UserGroup, _ *snapshot.Snapshot) string { return group.Name },
		IsGone: func(group *zulip.UserGroup) bool { return group.Deactivated }, GoneWord: "deactivated",
	})
}
