package users

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accounts"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// userRoleKind is the kind of adopted roles in the run state, by the IDs of their users.
const userRoleKind = "zulip_user_role"

type userRoleCall = adapter.Call[userRoleModel]

// NewUserRoleResource returns zulip_user_role.
func NewUserRoleResource() resource.Resource {
	return adapter.Resource[userRoleModel]{
		Name: "user_role", Schema: userRoleSchema,
		Identity: adapter.Identity{{"user_id", "ID of the user or bot."}},
		Plan:     planUserRole, PlanDestroy: planUserRoleDestroy,
		Create: createUserRole, Read: readUserRole, Update: updateUserRole, Delete: deleteUserRole, Import: importUserRole,
	}.New()
}

// userRoleOnDestroyKeep leaves the role unchanged.
const userRoleOnDestroyKeep = "keep"

func userRoleSchema() schema.Schema {
	return schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: "Manages the [role](https://zulip.com/help/user-roles) of a user or bot.",
		Attributes: map[string]schema.Attribute{
			"user": schema.StringAttribute{
				Required: true, MarkdownDescription: "Email or user ID of the user or bot, such as `zulip_user.x.id`.",
			},
			"user_id": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "ID of the user or bot.",
				PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"role": schema.StringAttribute{
				Required: true, MarkdownDescription: "Role of the user or bot: `owner`, `administrator`, `moderator`, `member` or `guest`.",
				Validators: []validator.String{validators.OneOf(accounts.Roles()...)},
			},
			"on_destroy": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Role to set on destroy: `owner`, `administrator`, `moderator`, `member` or `guest`, or `keep` to leave the role unchanged. Defaults to `keep`. To import it too, write `USER=ROLE`, such as `ada@example.com=member`.",
				Validators: []validator.String{validators.OneOf(append(accounts.Roles(), userRoleOnDestroyKeep)...)},
			},
		},
	}
}

// planUserRole finds the user, refuses changes that the server would refuse, and warns about effects.
func planUserRole(ctx context.Context, c *userRoleCall) error {
	plan, state := c.Plan, c.State
	view, err := c.ReadNaming("the people", []string{plan.User.ValueString()}, store.Users)
	if err != nil {
		return err
	}
	if state != nil {
		view = view.Knowing(map[string]int64{state.User.ValueString(): state.UserID.ValueInt64()})
	}
	said := runstate.SaidRole{Role: plan.Role.ValueString(), TakesOver: state == nil}
	user, later, err := lookup.UserInConfig(view, plan.User.ValueString(), path.Root("user"), c.Diags)
	if plan.User.IsUnknown() || later {
		if user == nil && !plan.User.IsUnknown() {
			said.Account = runstate.AccountKey{Email: plan.User.ValueString()}
			accounts.DeclareRole(c.Meta, said, c.Diags)
		}
		plan.UserID = types.Int64Unknown()
		if state != nil { // another user, as far as is known
			c.Replace("user")
		}
		c.Save(plan)
		return nil
	}
	if err != nil {
		return lookup.Error(path.Root("user"), err, base.ReferenceAdvice("user", "zulip_user.NAME.id")+" To invite someone with a role, set invite_as in a zulip_invitation.")
	}
	grant := accounts.Change{User: user, Prior: user.Role, Planned: role(plan.Role), At: path.Root("role")}
	isNew := state == nil
	switch {
	case isNew:
	case state.UserID.ValueInt64() == user.ID:
		plan.User, grant.Prior = state.User, role(state.Role) // the same user, written differently
	case plan.User.Equal(state.User): // a refresh would have written the new email into the state
		accounts.RefuseMovedEmail(plan.User.ValueString(), state.UserID.ValueInt64(), user, path.Root("user"), c.Diags)
		return nil
	default:
		isNew = true
		c.Replace("user")
	}
	plan.UserID = types.Int64Value(user.ID)
	c.Save(plan)
	said.Account = runstate.AccountKey{ID: user.ID, Email: user.Address()}
	accounts.DeclareRole(c.Meta, said, c.Diags)
	if !plan.Role.IsUnknown() {
		checkUserRole(ctx, c, grant, view)
		if _, isCreated := c.Meta.Run.Effects.Last(effects.Created, user.ID); isNew && !isCreated && grant.Prior != grant.Planned {
			change.WarnOfManaged(user.Address(), []change.Step[*zulip.User, zulip.UserUpdate]{
				{Attribute: "role", Prior: grant.Prior.String(), Planned: grant.Planned.String()},
			}, c.Diags)
		}
	}
	return nil
}

// planUserRoleDestroy checks the role that on_destroy names, or warns about the role that stays.
func planUserRoleDestroy(ctx context.Context, c *userRoleCall) error {
	view, err := c.ReadNaming("the people", []string{fmt.Sprint(c.State.UserID.ValueInt64())}, store.Users)
	if err != nil {
		return err
	}
	change, ok, err := changeOnDestroy(c)
	if err != nil {
		return err
	}
	if ok {
		accounts.DeclareEnd(c.Meta, change, c.Diags)
		checkUserRole(ctx, c, change, view)
	} else {
		warnOfKept(c.State, view, c.Diags)
	}
	return nil
}

// warnOfKept warns about a user who keeps a higher role than member when the resource is destroyed.
func warnOfKept(state *userRoleModel, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	user, ok := view.User(state.UserID.ValueInt64())
	if ok && user.IsActive && user.Role < zulip.RoleMember {
		diags.AddWarning("A role is left unchanged", fmt.Sprintf("%s keeps the role %s. ", user.Address(), user.Role)+
			"Destroying the resource leaves the role unchanged and no longer managed by it. To demote the user, first set on_destroy = \"member\" and apply, then remove the resource. Or set the role to member.")
	}
}

// checkUserRole refuses changes that the server would refuse, and warns about people who gain or lose access.
func checkUserRole(ctx context.Context, c *userRoleCall, change accounts.Change, view *snapshot.Snapshot) {
	change.Check(c.Meta, view, c.Diags)
	if c.Diags.HasError() || change.User.Role == change.Planned {
		return
	}
	accesswarning.OfChange(ctx, c.Meta, c.Diags, permission.Change{Roles: map[int64]zulip.Role{change.User.ID: change.Planned}})
}

// createUserRole gives the role, unless the person or bot has it.
func createUserRole(ctx context.Context, c *userRoleCall) error {
	view, err := c.ReadNaming("the people", []string{c.Plan.User.ValueString()}, store.Users)
	if err != nil {
		return err
	}
	user, err := lookup.User(view, c.Plan.User.ValueString())
	if err != nil {
		return lookup.Error(path.Root("user"), err, "")
	}
	c.Plan.UserID = types.Int64Value(user.ID)
	grant := accounts.Grant{Prior: user.Role, Planned: role(c.Plan.Role), At: path.Root("role"), ByEmail: true}
	grant.Then = func() { c.Meta.Run.Note(runstate.Adopted, runstate.ID(userRoleKind, user.ID)) }
	if err := giveRole(ctx, c, c.Plan, grant); err != nil || c.Diags.HasError() {
		return err
	}
	c.Save(c.Plan)
	return nil
}

// readUserRole sets the role to the snapshot's.
func readUserRole(ctx context.Context, c *userRoleCall) error {
	state, id := c.State, c.State.UserID.ValueInt64()
	view, err := c.Read("the people", store.Users)
	if err != nil {
		return err
	}
	user, ok := view.User(id)
	isOld := ok && user.Role != role(state.Role) // the list or the state decides; an import has no role yet, and imports are few
	if !ok || isOld || accounts.IsAboveMember(user) {
		if view, err = c.Meta.Store.ReadUser(ctx, id); err != nil {
			return base.Failed("Cannot read the people", err)
		}
		user, ok = view.User(id)
	}
	if !ok && !c.Meta.MayRemove(c.Meta.SeesEverybody(), fmt.Sprintf("account %d", id), base.SeenByMembers, c.Diags) {
		return nil
	}
	if !ok {
		tflog.Info(ctx, "The person or bot is not visible any more: removing the role from the state", map[string]any{"user_id": id})
		c.Forget()
		return nil
	}
	state.User, state.Role = types.StringValue(lookup.KeepUser(state.User.ValueString(), user, view)), types.StringValue(user.Role.String())
	c.Save(state)
	return nil
}

// updateUserRole gives another role, unless the role has changed since the plan.
func updateUserRole(ctx context.Context, c *userRoleCall) error {
	grant := accounts.Grant{Prior: role(c.State.Role), Planned: role(c.Plan.Role), At: path.Root("role")}
	if grant.Prior != grant.Planned {
		if err := giveRole(ctx, c, c.Plan, grant); err != nil || c.Diags.HasError() {
			return err
		}
	}
	c.Save(c.Plan)
	return nil
}

// deleteUserRole leaves the role, or gives the role that on_destroy names.
func deleteUserRole(ctx context.Context, c *userRoleCall) error {
	change, ok, err := changeOnDestroy(c)
	if err != nil {
		return err
	}
	if !ok {
		tflog.Info(ctx, "The role is kept, and not managed any more", map[string]any{"user": c.State.User.ValueString(), "role": c.State.Role.ValueString()})
		return nil
	}
	grant := accounts.Grant{Prior: change.Prior, Planned: change.Planned, At: change.At}
	grant.Skips = func(now *zulip.User) bool {
		isAdopted := c.Meta.Run.Knows(runstate.Adopted, runstate.ID(userRoleKind, now.ID))
		if isAdopted {
			tflog.Info(ctx, "The role stays: another resource has taken it over", map[string]any{"user": c.State.User.ValueString()})
		}
		return isAdopted
	}
	return giveRole(ctx, c, c.State, grant)
}

// changeOnDestroy returns the change of a destroy; ok is false if there is none.
func changeOnDestroy(c *userRoleCall) (change accounts.Change, ok bool, err error) {
	to, named := zulip.ParseRole(c.State.OnDestroy.ValueString())
	if !named || to == role(c.State.Role) {
		return change, false, nil
	}
	view, err := c.Read("the people", store.Users)
	if err != nil {
		return change, false, err
	}
	user, visible := view.User(c.State.UserID.ValueInt64())
	return accounts.Change{User: user, Prior: role(c.State.Role), Planned: to, At: path.Root("on_destroy")}, visible, nil
}

// giveRole gives a role to the person or bot that the plan found.
func giveRole(ctx context.Context, c *userRoleCall, m *userRoleModel, grant accounts.Grant) error {
	grant.ID, grant.Names = m.UserID.ValueInt64(), path.Root("user")
	if text := m.User.ValueString(); strings.Contains(text, "@") {
		grant.Email = text
	}
	if _, err := grant.Give(ctx, c.Meta, c.Diags); err != nil {
		return base.Refused(grant.At, fmt.Sprintf("Cannot make %s %s", m.User.ValueString(), grant.Planned), base.Explain(err))
	}
	return nil
}

// importUserRole imports by the email or ID of a person or bot.
func importUserRole(_ context.Context, c *userRoleCall, text string) error {
	word, onDestroy := cutUserRoleOnDestroy(text)
	view, err := c.ReadNaming("the people", []string{word}, store.Users)
	if err != nil {
		return err
	}
	user, err := lookup.User(view, word)
	if err != nil {
		return base.Refused(path.Empty(), "Cannot import this role", base.NotFoundByImport(err))
	}
	c.SaveAttribute("user_id", user.ID)
	if onDestroy != "" {
		c.SaveAttribute("on_destroy", onDestroy)
	}
	return nil
}

// cutUserRoleOnDestroy splits an import ID such as ada@example.com=member into the person and the value of on_destroy.
func cutUserRoleOnDestroy(text string) (word, onDestroy string) {
	at := strings.LastIndexByte(text, '=')
	if at < 0 || !slices.Contains(append(accounts.Roles(), userRoleOnDestroyKeep), text[at+1:]) {
		return text, ""
	}
	return text[:at], text[at+1:]
}

// userRoleModel is the resource.
type userRoleModel struct {
	User      types.String `tfsdk:"user"`
	UserID    types.Int64  `tfsdk:"user_id"`
	Role      types.String `tfsdk:"role"`
	OnDestroy types.String `tfsdk:"on_destroy"`
}

// role returns the role for its name in the schema.
func role(word types.String) zulip.Role {
	found, _ := zulip.ParseRole(word.ValueString())
	return found
}

// NewUserRoleList returns the list resource zulip_user_role: the people with a role, without bots.
func NewUserRoleList() list.ListResource {
	return core.NewList(core.ListDefinition[zulip.User]{
		Name: "user_role", Plural: "people", Identity: "user_id",
		ListText: core.ListText{Called: "email address", Description: "Lists the roles of active users, without bots, as `zulip_user_role`. For a user managed with `zulip_user`, set `role` there instead."},
		Objects: core.FromSnapshot((*snapshot.Snapshot).Users, func(_ *snapshot.Snapshot, user *zulip.User) bool {
			return !user.IsBot && user.IsActive
		}, store.Users),
		Key:     func(user *zulip.User) any { return user.ID },
		Label:   func(user *zulip.User, _ *snapshot.Snapshot) string { return user.Address() },
		Filters: []core.ListFilter[zulip.User]{accounts.RoleFilter()},
	})
}
