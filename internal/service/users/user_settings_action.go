package users

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/settings"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

var (
	_ action.ActionWithConfigure      = (*userSettingsAction)(nil)
	_ action.ActionWithModifyPlan     = (*userSettingsAction)(nil)
	_ action.ActionWithValidateConfig = (*userSettingsAction)(nil)
)

// typeName is the action's, as in a configuration.
const typeName = "zulip_set_user_settings"

// The attributes that say whose settings are changed.
const (
	usersAttribute  = "users"
	groupsAttribute = "groups"
	skipAttribute   = "skip_if_already_edited"
)

// private are the settings that the server lets people decide themselves (https://zulip.com/api/update-settings).
var private = []string{
	"email_address_visibility", "enable_digest_emails", "presence_enabled", "send_private_typing_notifications",
	"send_read_receipts", "send_stream_typing_notifications",
}

// changeable are those that administrators can change for others.
var changeable = slices.DeleteFunc(settings.Personal(typeName), func(s settings.Setting) bool { return slices.Contains(private, s.Name) })

// userSettingsAction is the action zulip_set_user_settings.
type userSettingsAction struct{ base.Action }

// NewUserSettingsAction returns the action zulip_set_user_settings.
func NewUserSettingsAction() action.Action { return &userSettingsAction{} }

func (a *userSettingsAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = typeName
}

func (a *userSettingsAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	noNull := []validator.Set{validators.NoNulls()}
	attributes := changeable.ActionAttributes()
	attributes[usersAttribute] = schema.SetAttribute{
		Optional: true, ElementType: types.StringType, Validators: noNull,
		MarkdownDescription: "The people, by e-mail address or ID, deactivated ones too. Bots have no personal settings. Set this, `groups`, or both.",
	}
	attributes[groupsAttribute] = schema.SetAttribute{
		Optional: true, ElementType: types.StringType, Validators: noNull,
		MarkdownDescription: "User groups, by name, as in `role:members`, or by ID: everybody in them and in their subgroups is meant. A group whose name is a number is written `name:2024`.",
	}
	attributes[skipAttribute] = schema.BoolAttribute{
		Required: true, MarkdownDescription: "Whether a setting is left as it is for people who have ever changed it themselves.",
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Changes personal settings of people who have an account already; `zulip_default_user_settings` is for new ones. What others have set cannot be read: nothing is compared, and invoking the action again sets the same again. Settings that are not set here stay as they are.\n\n" +
			"Only administrators and owners may, and no bots. What people decide themselves cannot be changed for them: who sees their e-mail address, what others see of their presence, reading and writing, and whether they get digests. " + featurelevel.Needs(typeName, ""),
		Attributes: attributes,
	}
}

// ValidateConfig refuses an invocation that would change nothing.
func (a *userSettingsAction) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	validate(settings.Get(ctx, req.Config, &resp.Diagnostics), &resp.Diagnostics)
}

func validate(config settings.Values, diags *diag.Diagnostics) {
	isEmpty := func(attribute string) bool {
		set, ok := config[attribute].(types.Set)
		return ok && !set.IsUnknown() && len(set.Elements()) == 0
	}
	if isEmpty(usersAttribute) && isEmpty(groupsAttribute) {
		diags.AddError("Nobody to set settings for", "Name at least one person in users, or one user group in groups.")
	}
	if !slices.ContainsFunc(changeable, func(s settings.Setting) bool { return config[s.Name] != nil && !config[s.Name].IsNull() }) {
		diags.AddError("Nothing to set", "Set at least one of the settings, as in color_scheme = \"dark\".")
	}
}

// ModifyPlan refuses what the server would refuse, and servers that would do something else.
func (a *userSettingsAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	if a.CanPlan(&resp.Diagnostics) {
		a.prepare(ctx, req.Config, &resp.Diagnostics)
	}
}

// Invoke changes the settings.
func (a *userSettingsAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	if !a.Ready(&resp.Diagnostics) {
		return
	}
	// Once more: what was not known when it was planned is now.
	change := a.prepare(ctx, req.Config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	for attribute, planned := range change.planned {
		resp.Diagnostics.AddAttributeError(path.Root(attribute), "Somebody or a group is still not in the organization",
			fmt.Sprintf("The plan was to create %s before. Trigger the action by the resource that creates it.", strings.Join(planned, ", ")))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	resp.SendProgress(action.InvokeProgressEvent{Message: "Setting " + change.settings.Names() + " of " + change.target()})
	// None of these settings has two names on the wire, so that what the server holds is of no account.
	answer, err := a.Meta.Client.UpdateSettingsOf(ctx, change.SettingsTarget, change.settings.Form(change.config, nil, a.FeatureLevel()))
	switch {
	case err != nil:
		resp.Diagnostics.AddError("Cannot set the settings of others", base.Explain(err))
	case len(answer.IgnoredParameters) > 0:
		resp.Diagnostics.AddError("The server does not take everything",
			a.WithUntried("zulip_set_user_settings", fmt.Sprintf("It ignores %s (feature level %d). The rest is set.", strings.Join(answer.IgnoredParameters, ", "), a.FeatureLevel())))
	}
}

// change is what an invocation changes, and whose.
type change struct {
	config   settings.Values
	settings settings.Table
	zulip.SettingsTarget
	// planned are the people and groups that this run has yet to create, by attribute.
	planned map[string][]string
}

// prepare finds out what is to be changed, as far as that is known, and whether it can be.
func (a *userSettingsAction) prepare(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) *change {
	c := &change{config: settings.Get(ctx, config, diags), planned: map[string][]string{}}
	if diags.HasError() || !a.check(ctx, config, diags) {
		return c
	}
	if validate(c.config, diags); diags.HasError() {
		return c
	}
	c.settings = changeable.Changes(c.config, nil)
	c.settings.CheckSound(ctx, c.config, &a.Base, diags)
	if skip, ok := c.config[skipAttribute].(types.Bool); ok {
		c.SkipEdited = skip.ValueBool()
	}
	view, err := a.Meta.Store.Read(ctx, store.Organization)
	if err != nil {
		diags.AddError("Cannot read the organization", base.Explain(err))
		return c
	}
	c.findUsers(view, diags)
	c.findGroups(view, diags)
	return c
}

// check refuses servers that are too old, and accounts that may not.
func (a *userSettingsAction) check(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) bool {
	if a.CheckLevels(ctx, typeName, config, diags); diags.HasError() {
		return false
	}
	if a.FeatureLevel() == 0 {
		diags.AddError("It is not known whether the server can set settings of others",
			fmt.Sprintf("It needs %s, and the server does not say which it has. An older one would change the settings of the account the provider uses instead: nothing is sent.",
				featurelevel.Describe(featurelevel.TargetUsers)))
		return false
	}
	const doing = "set settings of others"
	return a.Meta.RequirePerson(path.Empty(), doing, diags) && a.RequireAdministrator(doing, diags)
}

func (c *change) findUsers(view *snapshot.Snapshot, diags *diag.Diagnostics) {
	at := path.Root(usersAttribute)
	for _, text := range texts(c.config[usersAttribute]) {
		user, _, err := lookup.UserInPlan(view, text)
		switch {
		case err == nil && user == nil:
			c.planned[usersAttribute] = append(c.planned[usersAttribute], text)
		case err != nil:
			lookup.AddError(diags, at, err, "")
		case user.IsBot:
			diags.AddAttributeError(at, "A bot has no personal settings", fmt.Sprintf("%s is a bot. Take it out of users.", text))
		default:
			c.Users = append(c.Users, user.ID)
		}
	}
	slices.Sort(c.Users)
	c.Users = slices.Compact(c.Users)
}

func (c *change) findGroups(view *snapshot.Snapshot, diags *diag.Diagnostics) {
	at := path.Root(groupsAttribute)
	for _, text := range texts(c.config[groupsAttribute]) {
		group, err := lookup.Group(view, text)
		switch {
		case err != nil:
			lookup.AddError(diags, at, err, "")
		case group.Group == nil:
			c.planned[groupsAttribute] = append(c.planned[groupsAttribute], text)
		case group.Group.Deactivated:
			diags.AddAttributeError(at, "The user group is deactivated", fmt.Sprintf("Take %q out of groups, and name its people in users.", text))
		default:
			c.Groups = append(c.Groups, group.Key.ID)
		}
	}
	slices.Sort(c.Groups)
	c.Groups = slices.Compact(c.Groups)
}

// target says whose settings are changed, for people.
func (c *change) target() string {
	var whose []string
	if users := texts(c.config[usersAttribute]); len(users) > 0 {
		whose = append(whose, strings.Join(users, ", "))
	}
	if groups := texts(c.config[groupsAttribute]); len(groups) > 0 {
		whose = append(whose, "everybody in "+strings.Join(groups, ", "))
	}
	return strings.Join(whose, " and ")
}

// texts are those of a set that are known.
func texts(value any) (known []string) {
	set, _ := value.(types.Set)
	for _, element := range set.Elements() {
		if text, ok := element.(types.String); ok && base.IsSet(text) {
			known = append(known, text.ValueString())
		}
	}
	return known
}
