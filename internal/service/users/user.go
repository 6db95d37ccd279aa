// Package users has the resources of people: accounts, roles, statuses and settings.
package users

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accounts"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// userKind is the kind of accounts in the run state.
const userKind = "zulip_user"

// userResource is zulip_user.
type userResource struct {
	*core.Resource[account, zulip.User, account]
}

// NewUserResource returns zulip_user.
func NewUserResource() resource.Resource {
	return &userResource{core.New(&core.Definition[account, zulip.User]{
		Name: "user", Title: "user", Plural: "users",
		Schema: userSchema,
		Unsent: []string{"deactivation_notification_comment", "deactivation_actions", "adopt_deactivated"},
		Source: core.Source{Part: store.Users},
		Index:  (*snapshot.Snapshot).Accounts,
		Key:    func(user *zulip.User) int64 { return user.ID },
		Unique: core.Unique[account, zulip.User]{
			Attribute: "email", Word: "address",
			Of: func(a *account) string { return a.Email.ValueString() },
		},
		ReadInto: readUserInto, CheckPlan: checkUserPlan,
		AfterRun: func(prior *account, known *effects.Log) { accounts.AfterRun(known, prior.ID, &prior.Role) },
		Names:    map[string]string{"profile_data": runstate.Field},
		Create:   createUser, Update: updateUser, Delete: destroyUser, DeleteVerb: "deactivate",
		Hint: userHint,
		Account: core.Account[account, zulip.User]{
			One: (*store.Store).ReadUser, OneFor: []string{"active"}, IsReadByItself: accounts.IsAboveMember, IsCheckedByPlan: true,
			KeepsGone: keepsDeactivated, IsHidden: isEmailHidden, NamedPeople: (*account).namesInProfile,
		},
		Archive: core.Archive[account, zulip.User]{
			IsGone: func(user *zulip.User) bool { return !user.IsActive }, Adopt: adoptUser,
		},
		Creating: core.Creating[account, zulip.User]{
			MayBeCreated: userMayBeCreated, SentLater: []string{"role", "profile_data"},
			Effect: func(*core.Call, *account) *effects.Write { return &effects.Write{Kind: effects.Created} },
			RegisterCreated: func(c *core.Call, _ int64, planned *account, _ bool) {
				if !planned.isInactive() {
					c.Meta.Store.BecameActive()
				}
			},
		},
		Unlisted: core.Unlisted[account, zulip.User]{SeenBy: base.SeenByMembers, IsShown: func(m *base.Meta, _ *account) bool { return m.SeesEverybody() }},
	})}
}

// passwordKey is the key by which a context holds the configured password.
type passwordKey struct{}

// Create creates the account. Only the configuration has the password, not the plan, the state or a model.
func (r *userResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var password types.String
	if resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("password"), &password)...); resp.Diagnostics.HasError() {
		return
	}
	r.Resource.Create(context.WithValue(ctx, passwordKey{}, password.ValueString()), req, resp)
}

// adoptUser reactivates the deactivated account with the email, if that is configured or this run has deactivated it. If
// active is false, the account stays deactivated. Any other account with the email is refused.
func adoptUser(ctx context.Context, c *core.Call, plan *account) (id int64, ok bool, err error) {
	holder, err := c.Meta.Client.UserByEmail(ctx, plan.Email.ValueString())
	var diags diag.Diagnostics
	switch {
	case zulip.IsNoUser(err) && plan.isInactive():
		refuseInactiveUser(plan.Email.ValueString(), &diags)
		return 0, false, core.AsError(diags)
	case zulip.IsNoUser(err):
		return 0, false, nil
	case err != nil:
		return 0, false, fmt.Errorf("the provider could not check whether a user has the email, and sent nothing: %w", err)
	case plan.isInactive() && isReactivatable(holder):
		if c.Meta.Run.Knows(runstate.Managed, runstate.ID(userKind, holder.ID)) && !c.Meta.Run.Knows(runstate.Gone, runstate.ID(userKind, holder.ID)) {
			refuseDuplicateUser(plan.Email.ValueString(), holder.Address(), &diags)
		}
		return holder.ID, true, core.AsError(diags)
	}
	switch isAdopted := plan.AdoptDeactivated.ValueBool() || c.Meta.Run.Knows(runstate.Gone, runstate.ID(userKind, holder.ID)); {
	case isAdopted && isReactivatable(holder):
		if !accounts.GiveBeforeReactivation(ctx, c.Meta, holder, holder.Role, plan.Role, path.Root("email"), &diags) {
			break
		}
		err := reactivateUser(ctx, c, holder.ID)
		if err == nil {
			return holder.ID, true, nil
		}
		diags.AddError("Cannot reactivate "+holder.Address(), base.ExplainWith(err, userHint))
	case holder.IsActive && !holder.IsBot:
		existingUser(plan, holder).Refuse(c.Meta, &diags)
	default:
		summary, detail := userEmailTaken(holder)
		diags.AddAttributeError(path.Root("email"), summary, detail)
	}
	return 0, false, &base.Error{Diagnostics: diags}
}

// reactivateUser reactivates an account.
func reactivateUser(ctx context.Context, c *core.Call, id int64) error {
	return c.Meta.Run.Effects.Send(func() error {
		return c.Meta.Store.Write(ctx, func(ctx context.Context) error { return c.Meta.Client.ReactivateUser(ctx, id) })
	}, effects.Write{Kind: effects.Reactivated, ID: id})
}

// isReactivatable reports whether a zulip_user can reactivate an account.
func isReactivatable(user *zulip.User) bool {
	return !user.IsActive && !user.IsDeleted && !user.IsBot
}

// createUser creates the account. Without a configured password it gets a random one.
func createUser(ctx context.Context, c *core.Call, plan *account) (int64, error) {
	password, _ := ctx.Value(passwordKey{}).(string)
	if password == "" {
		password = rand.Text() + rand.Text()
	}
	user := zulip.NewUser{Email: plan.Email.ValueString(), FullName: strings.TrimSpace(plan.FullName.ValueString()), Password: password}
	return c.Meta.Client.CreateUser(ctx, user)
}

// userMayBeCreated reports whether an account has the planned email, or a hidden email and the planned name.
func userMayBeCreated(a *account, user *zulip.User, _ *core.Call) bool {
	isAlike := sameEmail(user.Address(), a.Email.ValueString()) || user.HidesEmail() && user.FullName == strings.TrimSpace(a.FullName.ValueString())
	return isAlike && !user.IsBot
}

// isEmailHidden reports whether the email cannot be compared because the account hides it. The email of an imported account
// is trusted instead.
func isEmailHidden(attribute string, prior *account, c *core.Call) bool {
	if attribute != "email" || prior == nil {
		return false
	}
	user, ok := c.Snapshot.User(prior.ID.ValueInt64())
	return ok && user.HidesEmail() && !isTrusted(prior, user)
}

// updateUser sends the differences, and then deactivates or reactivates the account. The server also changes deactivated
// accounts (server-behavior §U6), and no one must be active with a role that is about to be taken away.
func updateUser(ctx context.Context, c *core.Call, planned, current *account) error {
	user, ok := c.Snapshot.User(current.ID.ValueInt64())
	if !ok {
		return errors.New("the server does not show the user to the provider's account. Plan again to see what happened")
	}
	change, err := planned.changes(user, c.Snapshot)
	if !planned.Email.Equal(current.Email) {
		change.NewEmail = planned.Email.ValueStringPointer()
	}
	if err != nil {
		return err
	}
	if err := sendUserUpdate(ctx, c, planned, current, user, change); err != nil {
		return err
	}
	return setUserActive(ctx, c, planned, current)
}

// sendUserUpdate sends the differences of the account itself. The server executes all of a change or nothing. Roles are also
// groups.
func sendUserUpdate(ctx context.Context, c *core.Call, planned, current *account, user *zulip.User, change zulip.UserUpdate) error {
	if change.Empty() {
		return nil
	}
	if err := accounts.RoleChange(planned.Role, current.Role, user).CheckNow(ctx, c.Meta); err != nil {
		return err
	}
	defer c.Meta.Store.Invalidate(store.Users, store.UserGroups)
	if change.NewEmail != nil && user.ID == c.Meta.Store.Self().ID {
		c.Meta.Client.ExpectEmail(*change.NewEmail)
	}
	err := c.Meta.Client.UpdateUser(ctx, user.ID, change)
	if err == nil && change.Role != nil {
		accounts.GaveRole(c.Meta, user.ID, *change.Role)
	}
	return err
}

// deactivateUser deactivates the account, because the server deletes no accounts. It is no error if the account no longer
// exists or is deactivated.
func deactivateUser(ctx context.Context, c *core.Call, state *account) error {
	var diags diag.Diagnostics
	if checkActions(c.Base, state, &diags); diags.HasError() {
		return core.AsError(diags)
	}
	id := state.ID.ValueInt64()
	bots, unlock, err := accounts.LockBotsOf(ctx, c.Meta, id, state.Email.ValueString())
	if err != nil {
		return err
	}
	defer unlock()
	if err := accounts.CheckDeactivation(ctx, c.Meta, id, state.Email.ValueString()); err != nil {
		return err
	}
	defer c.Meta.Store.Invalidate(store.Users, store.UserGroups)
	how := zulip.Deactivation{Comment: state.Comment.ValueStringPointer(), Actions: state.deactivationActions()}
	var already bool
	err = c.Meta.Run.Effects.Send(func() (err error) {
		already, err = c.Meta.Client.DeactivateUser(ctx, id, how)
		return err
	}, effects.Each(effects.Deactivated, append(bots, id)...)...)
	if err != nil && !zulip.IsNoUser(err) {
		return err
	}
	c.Meta.Run.Note(runstate.Gone, runstate.ID(userKind, id))
	if already && how.Actions != (zulip.DeactivationActions{}) {
		diags.AddWarning("A user was already deactivated", state.Email.ValueString()+" was already deactivated. "+alreadyDeactivated)
		return &base.Error{Diagnostics: diags} // a warning: the deactivation did not fail
	}
	return nil
}

// ImportState imports by the account's ID or email. It asks the server, which knows emails that no list shows.
func (r *userResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	user, err := r.find(ctx, base.ImportedText(ctx, req, "id", &resp.Diagnostics))
	if err == nil {
		err = checkImportedUser(user)
	}
	if err != nil {
		resp.Diagnostics.AddError("Cannot import this user", base.Explain(err))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), user.ID)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), user.ID)...)
}

// find returns the account with an ID or email. If there is none, its error suggests the most similar email of the
// snapshot.
func (r *userResource) find(ctx context.Context, text string) (*zulip.User, error) {
	var user *zulip.User
	id, err := strconv.ParseInt(text, 10, 64)
	if err == nil {
		user, err = r.Meta.Client.User(ctx, id)
	} else {
		user, err = r.Meta.Client.UserByEmail(ctx, text)
	}
	if !zulip.IsNoUser(err) {
		return user, err
	}
	s, err := r.Meta.Store.Read(ctx, store.Users)
	if err != nil {
		return nil, err
	}
	return lookup.User(s, text)
}

// checkImportedUser refuses an account that a zulip_user cannot manage.
func checkImportedUser(user *zulip.User) error {
	switch {
	case user.IsBot:
		return fmt.Errorf("%s is a bot: import it as a zulip_bot", user.Address())
	case user.IsDeleted:
		summary, detail := accounts.Deleted(user, "email")
		return errors.New(summary + ". " + detail)
	case !user.IsActive:
		return fmt.Errorf("%s (ID %d) is deactivated. Add a zulip_user with its email, and set active = false to leave it deactivated, or adopt_deactivated = true to reactivate it", user.Address(), user.ID)
	}
	return nil
}

// emailOfHidden explains why no account can be created with an email that the provider does not see.
const emailOfHidden = "A user who hides their email from the provider's account has this email. Import the user by ID, which the organization's settings show in the list of users. First reactivate a deactivated user there."

// userHint explains a refusal for an account.
func userHint(err error) string {
	switch {
	case zulip.IsMessage(err, "User not authorized to create users"):
		return shellPermission("can_create_users") + " Without it, invite people instead."
	case zulip.IsMessage(err, "User not authorized to change user emails"):
		return shellPermission("can_change_user_emails") + " Without it, only the user can change the email."
	case zulip.IsMessage(err, "Email is already in use."):
		return emailOfHidden
	case zulip.IsMessage(err, "New email value error: Account has been deactivated.", "New email value error: Already has an account."):
		return "A user who hides their email from the provider's account has this email. A deactivated user keeps it too. Set another email, or first change that user's email."
	case zulip.IsMessage(err, "The password is too weak."):
		return "Set a longer password, or remove it. Without it, the user gets a random password that no one knows."
	}
	return ""
}

// shellPermission explains a permission that no role has.
func shellPermission(permission string) string {
	return fmt.Sprintf("The role administrator or owner is not enough: the account also requires the permission %s, which the API can neither grant nor show. The server's administrator grants it there: manage.py change_user_role -r ORGANIZATION EMAIL %s.", permission, permission)
}

const userDescription = "Manages the account of a [person](https://zulip.com/help/manage-a-user) in the organization."

func userSchema() schema.Schema {
	return schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: userDescription,
		Attributes: map[string]schema.Attribute{
			"id": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "User ID.",
				PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"email": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Real email of the person. Case is ignored. Can be changed in place. If the person hides it from the provider's account, the state keeps the configured value, and changes made outside Terraform aren't detected.",
				Validators:          []validator.String{validators.EmailAddress()},
			},
			"full_name": schema.StringAttribute{
				Required: true, MarkdownDescription: "Display name, at most 100 characters, without ``* ` \\ > \" @``.",
				Validators: []validator.String{validators.Checked("name", checkName), validators.VisibleName{RefuseControls: true}},
			},
			"role": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Role of the person: `owner`, `administrator`, `moderator`, `member` or `guest`. Initially `member`. A reactivated account gets the configured role before it is reactivated; if unset, it keeps its earlier role. Only administrators can set it, and only owners can add or remove owners.",
				Validators:          []validator.String{validators.OneOf(accounts.Roles()...)},
			},
			"active": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "If true, the account is active. `false` deactivates it like destroying the resource does, but keeps it in the state; `true` reactivates it. " +
					"A new resource with `false` adopts the deactivated account that has the email, and never creates one. If unset, an account that someone else deactivates is removed from the state.",
			},
			"profile_data": schema.MapAttribute{
				ElementType: types.StringType, Optional: true,
				MarkdownDescription: "Values of custom profile fields, by field name. Write a date as `2006-01-02`, a list option as its key, and users as `jsonencode([...])` of their emails or user IDs. `\"\"` removes the value. Fields you leave out aren't managed.",
			},
			"password": schema.StringAttribute{
				Optional: true, WriteOnly: true, Sensitive: true,
				MarkdownDescription: "Initial password of the account. Never in the state or a plan. Only used on create, because the server doesn't let anyone change another user's password. Defaults to a random password that no one knows; the person resets it, or logs in another way.",
				Validators:          []validator.String{validators.Length(1, 100), validators.Matches(regexp.MustCompile(`\S`), "must not be blank")}, // server-behavior §U19
			},
			"deactivation_notification_comment": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Text of the email that tells the person about the deactivation, at most 2000 characters. `\"\"` sends an email without text. If unset, no email is sent. Apply it before you destroy the resource or set `active = false`.",
				Validators:          []validator.String{validators.Length(0, 2000)},
			},
			"deactivation_actions": deactivationActionsAttribute(),
			"adopt_deactivated": schema.BoolAttribute{
				Optional: true, Computed: true, MarkdownDescription: "If true, a deactivated account with the same `email` is reactivated. It keeps its ID, messages and subscriptions; its bots stay deactivated. Only used on create. Defaults to `adopt_deactivated` of the provider.",
			},
			"date_joined": schema.StringAttribute{
				Computed: true, MarkdownDescription: "Time at which the account was created (RFC 3339).",
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
		},
	}
}

// Limits of names (server-behavior §U5).
const (
	userLongestName  = 100
	forbiddenInNames = "*`\\>\"@"
)

// checkName returns an error about a name that no server accepts.
func checkName(text string) error {
	name := strings.TrimSpace(text)
	switch length := utf8.RuneCountInString(name); {
	case text == "":
		return errors.New("a name must not be empty")
	case length > userLongestName:
		return fmt.Errorf("it has %d characters. The server accepts %d", length, userLongestName)
	case strings.ContainsAny(name, forbiddenInNames):
		return errors.New("a name must not contain any of * ` \\ > \" @, which have a meaning in messages")
	}
	return nil
}

// NewUserList returns the list resource zulip_user, which has no bots.
func NewUserList() list.ListResource {
	return core.NewList(core.ListDefinition[zulip.User]{
		Name: "user", Plural: "users",
		ListText: core.ListText{Called: "email address", Description: "Lists the users of the organization, without bots."},
		Objects: core.FromSnapshot((*snapshot.Snapshot).Users, func(_ *snapshot.Snapshot, user *zulip.User) bool {
			return !user.IsBot && !user.IsDeleted
		}, store.Users),
		Key:    func(user *zulip.User) any { return user.ID },
		Label:  func(user *zulip.User, _ *snapshot.Snapshot) string { return user.Address() },
		IsGone: func(user *zulip.User) bool { return !user.IsActive }, GoneWord: "deactivated",
		Filters: []core.ListFilter[zulip.User]{accounts.RoleFilter()},
	})
}
