package users

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accounts"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/people"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// roleMembers has the functions of zulip_role_members.
type roleMembers struct{}

type roleMembersCall = adapter.Call[roleMembersModel]

// NewRoleMembersResource returns zulip_role_members.
func NewRoleMembersResource() resource.Resource {
	var r roleMembers
	return adapter.Resource[roleMembersModel]{
		Name: "role_members", Schema: r.schema, Validate: r.validate,
		Identity: adapter.Identity{{"role", "Role: owner, administrator or moderator."}},
		Plan:     r.plan, PlanDestroy: r.warnOfKept,
		Create: r.create, Read: r.read, Update: r.update, Import: r.importRole,
		Stays: "The role stays with those who have it, and is not managed any more",
	}.New()
}

// roleMembersModel is the resource.
type roleMembersModel struct {
	ID       types.String `tfsdk:"id"`
	Role     types.String `tfsdk:"role"`
	Users    types.List   `tfsdk:"users"`
	UserIDs  types.List   `tfsdk:"user_ids"`
	DemoteTo types.String `tfsdk:"demote_to"`
}

// value is the list; empty without a model.
func (m *roleMembersModel) value() people.Value {
	if m == nil {
		return people.Value{}
	}
	return people.Value{Texts: &m.Users, IDs: &m.UserIDs}
}

// role returns the role of the list. demotion returns the role of users who are removed from it.
func (m *roleMembersModel) role() zulip.Role { return role(m.Role) }

func (m *roleMembersModel) demotion() zulip.Role {
	if !base.IsSet(m.DemoteTo) {
		return zulip.RoleMember
	}
	return role(m.DemoteTo)
}

// roleUsers are the users with a role.
var roleUsers = people.Users("Deactivated users have no permissions, and their roles are left unchanged")

// listedRoles are the roles that can have a list. demotions are the roles that users can get when they are removed from one.
var (
	listedRoles  = []string{"owner", "administrator", "moderator"}
	demotedRoles = []string{"administrator", "moderator", "member"}
)

// schema describes the resource. The users are a list without a meaningful order, because the plugin framework
// compares every element of a set with every other.
func (roleMembers) schema() schema.Schema {
	return schema.Schema{
		Version:             base.ListSchemaVersion,
		MarkdownDescription: "Manages all owners, administrators or moderators: the listed users and bots have the [role](https://zulip.com/help/user-roles), and no one else.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true, MarkdownDescription: "The role."},
			"role": schema.StringAttribute{
				Required: true, MarkdownDescription: "Role: `owner`, `administrator` or `moderator`. Changing it forces replacement.",
				Validators: []validator.String{validators.OneOf(listedRoles...)},
			},
			"users": schema.ListAttribute{
				ElementType: types.StringType, Required: true,
				MarkdownDescription: "Emails or user IDs of all users and bots with the role, also as `user:EMAIL` or `user_id:N`. Order and repetitions don't matter. An email that no one has yet is ignored with a warning until someone joins with it. If the list isn't known during plan, an existing resource is left unchanged; apply again to update it.",
				Validators:          []validator.List{listvalidator.ValueStringsAre(validators.Length(1, 0), validators.Person("Only users and bots have a role."))},
			},
			"user_ids": roleUsers.IDsAttribute(),
			"demote_to": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Role of users who are removed from `users`: `administrator`, `moderator` or `member`, lower than `role`. Defaults to `member`. If another `zulip_role_members`, or a `zulip_user_role`, `zulip_user` or `zulip_bot`, gives the user a role in the same apply, the user gets that role instead. If another `zulip_role_members` manages the role of `demote_to`, list the user there: otherwise the next plan takes that role away.",
				Validators: []validator.String{validators.OneOf(demotedRoles...)},
			},
		},
	}
}

// validate refuses a demotion to a role that is not lower.
func (roleMembers) validate(config *roleMembersModel, diags *diag.Diagnostics) {
	if base.IsSet(config.Role) && base.IsSet(config.DemoteTo) && config.demotion() <= config.role() {
		diags.AddAttributeError(path.Root("demote_to"), "demote_to is not a lower role",
			fmt.Sprintf("Users removed from the list of the role %s get the role demote_to, which must be lower than %s.", config.Role.ValueString(), config.Role.ValueString()))
	}
}

// plan determines which users get and lose the role, refuses impossible changes, and warns about effects.
func (r roleMembers) plan(ctx context.Context, c *roleMembersCall) error {
	plan, state := c.Plan, c.State
	plan.ID, plan.UserIDs = plan.Role, types.ListUnknown(types.Int64Type) // unknown if the role is unknown
	switch {
	case state != nil && !plan.Role.Equal(state.Role): // a second plan, without a state, is about the other role
		c.Replace("role")
		if err := r.warnOfKept(ctx, c); err != nil {
			return err
		}
	case !plan.Role.IsUnknown():
		if err := r.planUsers(ctx, c); err != nil {
			return err
		}
	}
	c.Save(plan)
	return nil
}

// warnOfKept warns about the users who keep the role when the resource is destroyed.
func (roleMembers) warnOfKept(ctx context.Context, c *roleMembersCall) error {
	view, held, err := c.State.holders(ctx, c)
	if err != nil || len(held) == 0 {
		return err
	}
	role := c.State.Role.ValueString()
	c.Diags.AddWarning(fmt.Sprintf("The role %s is left unchanged", role),
		fmt.Sprintf("After the destroy, these users still have the role %s, unmanaged unless another resource sets it: %s. To take the role from a user, first remove the user from users and apply.",
			role, lookup.UserList.Describe(held, view)))
	return nil
}

// planUsers keeps the users of the state if the configuration names the same, and checks additions and removals.
func (r roleMembers) planUsers(ctx context.Context, c *roleMembersCall) error {
	plan, state, role := c.Plan, c.State, c.Plan.role()
	view, held, err := plan.holders(ctx, c)
	if err != nil {
		return err
	}
	if view == nil {
		plan.UserIDs = state.UserIDs
		return nil
	}
	planned, prior := plan.value(), state.value()
	waits := roleUsers.Waits(planned, prior, fmt.Sprintf("The list of users with the role %s waits", role), view, c.Diags)
	if waits {
		*plan = *state
	}
	p := roleUsers.Plan(planned, prior, view, c.Diags)
	roleUsers.PlanIDs(planned, prior, !p.IsSame || !plan.DemoteTo.Equal(state.DemoteTo), view)
	roleUsers.Warn(p.Wanted, p.Leaving(), view, c.Diags)
	isWhole := !plan.UserIDs.IsUnknown() && !waits && len(p.Wanted.Problems) == 0
	accounts.DeclareRoleList(c.Meta, view, runstate.RoleList{
		Role: role.String(), Users: p.Wanted.AccountKeys(view), IsWhole: isWhole, IsNew: state == nil,
	}, path.Root("users"), c.Diags)
	if unlisted := sets.Without(held, p.Wanted.IDs); state == nil && p.IsKnown && !c.Diags.HasError() && len(unlisted) > 0 {
		refuseUnlisted(role, lookup.UserList.Describe(unlisted, view), c.Diags)
	}
	if role == zulip.RoleOwner && isWhole && len(p.Wanted.Planned)+len(p.Wanted.Absent) == 0 && !slices.ContainsFunc(p.Wanted.IDs, isPersonIn(view)) {
		c.Diags.AddAttributeError(path.Root("users"), "The organization would have no owner", "An organization must have at least one owner who is a person, not a bot. List a person.")
	}
	if !c.Diags.HasError() {
		come := r.arrivals(ctx, c, sets.Without(p.Wanted.IDs, p.Before.IDs), nil, view, nil)
		r.check(ctx, c, append(come, r.departures(ctx, c, having(p.Leaving(), role, view), nil, view)...), view)
	}
	return nil
}

// isPersonIn returns a function that reports whether an ID belongs to a person.
func isPersonIn(view *snapshot.Snapshot) func(int64) bool {
	return func(id int64) bool {
		user, ok := view.User(id)
		return ok && !user.IsBot
	}
}

// refuseUnlisted refuses a new list that does not name everyone with the role, because a creation takes the role from
// no one.
func refuseUnlisted(role zulip.Role, who string, diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root("users"), fmt.Sprintf("Users not listed also have the role %s", role),
		fmt.Sprintf("The role %s also belongs to %s. A new zulip_role_members takes the role from no one. List them in users, or first import the resource, so that the plan shows everyone it demotes:\n\n"+
			"  import {\n    to = zulip_role_members.NAME\n    id = %q\n  }", role, who, role.String()))
}

// check refuses changes that the server would refuse, and warns about people who lose a higher role, or who gain or
// lose access. Each grant is checked in the organization that the previous grants result in.
func (roleMembers) check(ctx context.Context, c *roleMembersCall, grants []grant, view *snapshot.Snapshot) {
	role, after, roles := c.Plan.role(), view, map[int64]zulip.Role{}
	for _, one := range grants {
		user, _ := view.User(one.ID)
		change := accounts.Change{User: user, Prior: user.Role, Planned: one.Planned, At: path.Root("users")}
		if !change.Check(c.Meta, after, c.Diags) {
			return
		}
		if one.Planned == role && user.Role < role {
			c.Diags.AddAttributeWarning(path.Root("users"), "A listed user loses a higher role",
				fmt.Sprintf("A user has one role. %s is %s, and is listed with the lower role %s.", user.Address(), base.WithArticle(user.Role), role))
		}
		after = after.With(func(facts *snapshot.Facts) {
			facts.ChangeUser(one.ID, func(user *zulip.User) { user.Role = one.Planned })
		})
		roles[one.ID] = one.Planned
	}
	if len(roles) > 0 {
		accesswarning.OfChange(ctx, c.Meta, c.Diags, permission.Change{Roles: roles})
	}
}

// create gives the role to listed users who do not have it, and takes it from no one.
func (r roleMembers) create(ctx context.Context, c *roleMembersCall) error {
	view, err := c.ReadNaming("the people", lookup.Names(c.Plan.Users.Elements()), store.Users)
	if err != nil {
		return err
	}
	wanted := roleUsers.Find(c.Plan.value(), view, c.Diags)
	if c.Diags.HasError() {
		return nil
	}
	wrote := r.carryOut(ctx, c, r.arrivals(ctx, c, wanted.IDs, wanted.Emails, view, nil), nil)
	if wrote || !c.Diags.HasError() { // otherwise there is nothing to manage
		r.save(ctx, c, wanted.IDs, view)
	}
	return nil
}

// read sets the list to the users with the role in the snapshot.
func (roleMembers) read(ctx context.Context, c *roleMembersCall) error {
	view, held, err := c.State.holders(ctx, c)
	if err != nil || view == nil {
		return err
	}
	c.State.ID = c.State.Role
	roleUsers.Hold(c.State.value(), held, view)
	writeRoles(ctx, view, c.Private, c.Diags)
	c.Save(c.State)
	return nil
}

// update gives the role to new users of the list, and takes it from removed ones.
func (r roleMembers) update(ctx context.Context, c *roleMembersCall) error {
	view, err := c.ReadNaming("the people", lookup.Names(c.Plan.Users.Elements()), store.Users)
	if err != nil {
		return err
	}
	wanted := roleUsers.Find(c.Plan.value(), view, c.Diags)
	var known knownRoles
	base.ReadPrivate(ctx, c.PriorPrivate, privateRoles, &known, c.Diags)
	if c.Diags.HasError() {
		return nil
	}
	before := roleUsers.Named(c.State.value(), view)
	come := r.arrivals(ctx, c, sets.Without(wanted.IDs, before.IDs), wanted.Emails, view, known)
	var leave []grant
	if !wanted.MayHaveMoved { // otherwise it may be a person with another email now
		leave = r.departures(ctx, c, sets.Without(before.IDs, wanted.IDs), before.Emails, view)
	}
	r.carryOut(ctx, c, come, leave)
	r.save(ctx, c, slices.Concat(before.IDs, wanted.IDs), view)
	return nil
}

// save writes the state after an apply. After a failure it lists only the users who have the role. If they cannot be
// read, the next refresh corrects the state.
func (roleMembers) save(ctx context.Context, c *roleMembersCall, users []int64, view *snapshot.Snapshot) {
	after, err := c.Meta.Store.Read(ctx, store.Users)
	if err == nil {
		writeRoles(ctx, after, c.Private, c.Diags)
	}
	if err == nil && c.Diags.HasError() {
		roleUsers.Hold(c.Plan.value(), having(users, c.Plan.role(), after), after)
	} else {
		roleUsers.Settle(c.Plan.value(), view)
	}
	c.Save(c.Plan)
}

// importRole imports by the name of the role.
func (roleMembers) importRole(_ context.Context, c *roleMembersCall, role string) error {
	if !slices.Contains(listedRoles, role) {
		return base.Refused(path.Empty(), "Cannot import this role", "The ID of an import is the role: owner, administrator or moderator.")
	}
	c.SaveAttribute("id", role)
	c.SaveAttribute("role", role)
	return nil
}

// NewRoleMembersList returns the list resource zulip_role_members: the roles that have a list.
func NewRoleMembersList() list.ListResource {
	return core.NewList(core.ListDefinition[string]{
		Name: "role_members", Plural: "roles", Identity: "role",
		ListText: core.ListText{Called: "role", Description: "Lists the members of the roles owner, administrator, and moderator as `zulip_role_members`."},
		Objects: func(ctx context.Context, b *base.Base) ([]*string, *snapshot.Snapshot, error) {
			view, err := b.Meta.Store.Read(ctx, store.Users)
			roles := make([]*string, len(listedRoles))
			for i := range listedRoles {
				roles[i] = &listedRoles[i]
			}
			return roles, view, err
		},
		Key:   func(role *string) any { return *role },
		Label: func(role *string, _ *snapshot.Snapshot) string { return *role },
	})
}
