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
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/settings"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// userSettingsType is the action's type, as in a configuration.
const userSettingsType = "zulip_set_user_settings"

// The attributes that select the users.
const (
	usersAttribute  = "users"
	groupsAttribute = "groups"
	skipAttribute   = "skip_if_already_edited"
)

// privateUserSettings are the settings that the server lets people decide themselves (https://zulip.com/api/update-settings).
var privateUserSettings = []string{
	"email_address_visibility", "enable_digest_emails", "presence_enabled", "send_private_typing_notifications",
	"send_read_receipts", "send_stream_typing_notifications",
}

// changeableUserSettings are the settings that administrators can change for others.
var changeableUserSettings = slices.DeleteFunc(settings.Personal(userSettingsType), func(s settings.Setting) bool { return slices.Contains(privateUserSettings, s.Name) })

// NewUserSettingsAction returns the action zulip_set_user_settings.
func NewUserSettingsAction() action.Action {
	return adapter.Action[types.Object]{Name: "set_user_settings", Schema: userSettingsSchema, Validate: validateUserSettings, Plan: planUserSettings, Invoke: invokeUserSettings}.New()
}

func userSettingsSchema() schema.Schema {
	attributes := changeableUserSettings.ActionAttributes()
	attributes[usersAttribute] = schema.SetAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: "Users by email address or ID, including deactivated users. Bots have no personal settings. Set this, `groups`, or both.",
	}
	attributes[groupsAttribute] = schema.SetAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: "User groups by ID or name, such as `role:members`, with the members of their subgroups. Write `name:2024` for a name that is a number.",
	}
	attributes[skipAttribute] = schema.BoolAttribute{
		Required: true, MarkdownDescription: "If true, a setting stays unchanged for users who have ever changed it themselves.",
	}
	return schema.Schema{
		MarkdownDescription: "Changes personal settings of existing users.",
		Attributes:          attributes,
	}
}

// validateUserSettings refuses an invocation that would change nothing.
func validateUserSettings(object *types.Object, diags *diag.Diagnostics) {
	config := object.Attributes()
	isEmpty := func(attribute string) bool {
		set, ok := config[attribute].(types.Set)
		return ok && !set.IsUnknown() && len(set.Elements()) == 0
	}
	if isEmpty(usersAttribute) && isEmpty(groupsAttribute) {
		diags.AddError("No users to change", "List at least one user in users, or one user group in groups.")
	}
	if !slices.ContainsFunc(changeableUserSettings, func(s settings.Setting) bool { return config[s.Name] != nil && !config[s.Name].IsNull() }) {
		diags.AddError("No setting is set", "Set at least one of the settings, as in color_scheme = \"dark\".")
	}
}

// planUserSettings refuses changes that the server would refuse, and servers that would do something different.
func planUserSettings(ctx context.Context, c *adapter.Call[types.Object]) error {
	_, err := prepareUserSettings(ctx, c)
	return err
}

func invokeUserSettings(ctx context.Context, c *adapter.Call[types.Object]) error {
	change, err := prepareUserSettings(ctx, c)
	if err != nil || c.Diags.HasError() {
		return err
	}
	for attribute, planned := range change.planned {
		c.Diags.AddAttributeError(path.Root(attribute), "A user or group does not exist in the organization yet",
			fmt.Sprintf("The plan expected another resource to create %s first. Trigger the action by that resource.", strings.Join(planned, ", ")))
	}
	if c.Diags.HasError() {
		return nil
	}
	c.Say("Setting %s of %s", change.settings.Names(), change.target())
	// Each of these settings has one name in the API, so the names do not depend on the server.
	answer, err := c.Meta.Client.UpdateSettingsOf(ctx, change.SettingsTarget, change.settings.Form(change.config, nil, c.FeatureLevel()))
	if err == nil && len(answer.IgnoredParameters) > 0 {
		return base.Refused(path.Empty(), "The server ignored some settings",
			c.WithUntried(userSettingsType, fmt.Sprintf("It ignored %s (feature level %d). All other settings were changed.", strings.Join(answer.IgnoredParameters, ", "), c.FeatureLevel())))
	}
	return base.Failed("Cannot set the settings of others", err)
}

// userSettingsChange has the user and the changes of an invocation.
type userSettingsChange struct {
	config   settings.Values
	settings settings.Table
	zulip.SettingsTarget
	// planned are the people and groups that this run will create, by attribute.
	planned map[string][]string
}

// prepareUserSettings resolves the changes, as far as they are known, and checks them. It returns nil after an error
// that is in the diagnostics.
func prepareUserSettings(ctx context.Context, c *adapter.Call[types.Object]) (*userSettingsChange, error) {
	if c.CheckLevels(); c.Diags.HasError() {
		return nil, nil
	}
	if c.FeatureLevel() == 0 {
		return nil, base.Refused(path.Empty(), "Unknown whether the server can change settings of others",
			fmt.Sprintf("This requires %s, and the server does not report its level. An older server would change the settings of the provider's account instead. Nothing was changed.",
				featurelevel.Describe(featurelevel.TargetUsers)))
	}
	const doing = "set settings of others"
	if !c.Meta.RequirePerson(path.Empty(), doing, c.Diags) || !c.RequireAdministrator(doing, c.Diags) {
		return nil, nil
	}
	if validateUserSettings(c.Config, c.Diags); c.Diags.HasError() {
		return nil, nil
	}
	found := &userSettingsChange{config: c.Config.Attributes(), planned: map[string][]string{}}
	found.settings = changeableUserSettings.Changes(found.config, nil)
	found.settings.CheckSound(ctx, found.config, c.Base, c.Diags)
	if skip, ok := found.config[skipAttribute].(types.Bool); ok {
		found.SkipEdited = skip.ValueBool()
	}
	view, err := c.Read("the organization", store.Organization)
	if err != nil {
		return nil, err
	}
	found.findUsers(view, c.Diags)
	found.findGroups(view, c.Diags)
	return found, nil
}

func (c *userSettingsChange) findUsers(view *snapshot.Snapshot, diags *diag.Diagnostics) {
	at := path.Root(usersAttribute)
	for _, text := range texts(c.config[usersAttribute]) {
		user, _, err := lookup.UserInPlan(view, text)
		switch {
		case err == nil && user == nil:
			c.planned[usersAttribute] = append(c.planned[usersAttribute], text)
		case err != nil:
			lookup.AddError(diags, at, err, "")
		case user.IsBot:
			diags.AddAttributeError(at, "A bot has no personal settings", fmt.Sprintf("%s is a bot. Remove it from users.", text))
		default:
			c.Users = append(c.Users, user.ID)
		}
	}
	slices.Sort(c.Users)
	c.Users = slices.Compact(c.Users)
}

func (c *userSettingsChange) findGroups(view *snapshot.Snapshot, diags *diag.Diagnostics) {
	at := path.Root(groupsAttribute)
	for _, text := range texts(c.config[groupsAttribute]) {
		group, err := lookup.Group(view, text)
		switch {
		case err != nil:
			lookup.AddError(diags, at, err, "")
		case group.Group == nil:
			c.planned[groupsAttribute] = append(c.planned[groupsAttribute], text)
		case group.Group.Deactivated:
			diags.AddAttributeError(at, "The user group is deactivated", fmt.Sprintf("Remove %q from groups, and list its members in users.", text))
		default:
			c.Groups = append(c.Groups, group.Key.ID)
		}
	}
	slices.Sort(c.Groups)
	c.Groups = slices.Compact(c.Groups)
}

// target describes the selected users in messages.
func (c *userSettingsChange) target() string {
	var whose []string
	if users := texts(c.config[usersAttribute]); len(users) > 0 {
		whose = append(whose, strings.Join(users, ", "))
	}
	if groups := texts(c.config[groupsAttribute]); len(groups) > 0 {
		whose = append(whose, "everyone in "+strings.Join(groups, ", "))
	}
	return strings.Join(whose, " and ")
}

// texts returns the known texts of a set.
func texts(value any) (known []string) {
	set, _ := value.(types.Set)
	for _, element := range set.Elements() {
		if text, ok := element.(types.String); ok && base.IsSet(text) {
			known = append(known, text.ValueString())
		}
	}
	return known
}
