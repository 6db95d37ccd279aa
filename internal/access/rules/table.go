package rules

import (
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/hclfile"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// The blocks and attributes of a file of rules.
var (
	fileSpec = &hclfile.Spec{
		Blocks: []*hclfile.Spec{ruleSpec, limitSpec},
	}
	ruleSpec = &hclfile.Spec{
		Name: "rule", Label: "two owners", // One rule, named by its sentence.
		Attributes: []hclfile.AttributeSpec{
			{Name: "channels"},           // Channels by name, by a pattern with *, as folder:NAME, privacy:KIND or name:NAME. With permission. Archived channels are left out.
			{Name: "groups"},             // User groups by name or by a pattern with *. With permission.
			{Name: "permission"},         // Access to the channels, user groups or organization.
			{Name: "role"},               // People with one of these roles.
			{Name: "joining"},            // How people join: only by invitation, and no pending invitation is for a moderator or higher. Excludes other attributes.
			{Name: "only"},               // The only people allowed. Bots count.
			{Name: "never"},              // People not allowed. Bots count.
			{Name: "at_least", Least: 1}, // How many people there must be. Bots do not count.
			{Name: "at_most"},            // How many accounts there may be. Bots count.
		},
		Blocks: []*hclfile.Spec{exceptSpec},
	}
	exceptSpec = &hclfile.Spec{
		Name: "except", // Exempts people from only, never and at_most.
		Attributes: []hclfile.AttributeSpec{
			{Name: "people", Missing: "name the people whom the rule exempts"}, // The exempted people.
			{Name: "reason", Missing: "say in a few words why"},                // Why, in a few words.
			{Name: "until"}, // The day from which it does not count any more, such as 2027-06-30.
		},
	}
	limitSpec = &hclfile.Spec{
		Name: "limit", Label: "removals", // Limits the people that one plan removes from channels, user groups and the organization together.
		Attributes: []hclfile.AttributeSpec{
			{Name: "people"},             // So many people. Bots do not count.
			{Name: "percent", Most: 100}, // So many of a hundred active people.
		},
	}
)

// invited is the value of joining.
const invited = "invited"

// roleNames are the roles that a rule can name.
var roleNames = []string{"owner", "administrator", "moderator", "member", "guest"}

// privacyNames are the kinds of channels that a rule can select, and privacies are the privacies of each.
var (
	privacyNames = []string{"public", "web_public", "private", "private_shared_history", "private_protected_history"}
	privacies    = map[string][]zulip.Privacy{
		"public":                    {zulip.PrivacyPublic},
		"web_public":                {zulip.PrivacyWebPublic},
		"private":                   {zulip.PrivacyPrivateSharedHistory, zulip.PrivacyPrivateProtectedHistory},
		"private_shared_history":    {zulip.PrivacyPrivateSharedHistory},
		"private_protected_history": {zulip.PrivacyPrivateProtectedHistory},
	}
)

// permissionNames are the permissions of one kind of object that a rule can name.
type permissionNames struct {
	// things names them in the plural.
	things string
	names  []string
}

var (
	channelPermissions      = permissionNames{"permissions in a channel", append(lists.Strings(permission.ChannelPermissionsAndHistory), Subscribed)}
	groupPermissions        = permissionNames{"permissions over a user group", append([]string{Member}, settingNames(permission.UserGroups)...)}
	organizationPermissions = permissionNames{"permissions in the organization", settingNames(permission.Organizations)}
)

func settingNames(table permission.Table) []string {
	return lists.Map(table.Settings, func(setting permission.Spec) string { return setting.Name })
}
