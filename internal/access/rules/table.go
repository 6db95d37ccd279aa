package rules

import (
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/hclfile"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// What a file of rules can have: the parser compares with it, and the schema for editors is made of it.
var (
	fileSpec = &hclfile.Spec{
		About:  "Rules about who may do what in a Zulip organization, proven by terraform-provider-zulip audit and review.",
		Blocks: []*hclfile.Spec{ruleSpec, limitSpec},
	}
	ruleSpec = &hclfile.Spec{
		Name: "rule", Label: "two owners", About: "One rule, by the sentence that it proves.",
		Attributes: []hclfile.AttributeSpec{
			{Name: "channels", Form: hclfile.TextOrTexts, About: "Channels by name, by a pattern with *, as folder:NAME, privacy:KIND or name:NAME. With right. Archived channels are left out."},
			{Name: "groups", Form: hclfile.TextOrTexts, About: "User groups by name or by a pattern with *. With right."},
			{Name: "right", Form: hclfile.TextOrTexts, About: "What somebody can do in the channels, over the user groups, or in the organization."},
			{Name: "role", Form: hclfile.TextOrTexts, About: "Who has one of these roles."},
			{Name: "joining", Form: hclfile.Text, About: "How people join: an invitation is needed, and none that is pending is for a moderator or above. The rule says nothing else."},
			{Name: "only", Form: hclfile.TextOrTexts, About: "All who may; nobody else. Bots count."},
			{Name: "never", Form: hclfile.TextOrTexts, About: "Those who must not. Bots count."},
			{Name: "at_least", Form: hclfile.Number, Least: 1, About: "How many people there must be. Bots do not count."},
			{Name: "at_most", Form: hclfile.Number, About: "How many accounts there may be. Bots count."},
		},
		Blocks: []*hclfile.Spec{exceptSpec},
	}
	exceptSpec = &hclfile.Spec{
		Name: "except", About: "Leaves people out of only, never and at_most.",
		Attributes: []hclfile.AttributeSpec{
			{Name: "people", Form: hclfile.TextOrTexts, About: "Whom the rule leaves out.", Missing: "write whom the rule leaves out"},
			{Name: "reason", Form: hclfile.Text, About: "Why, in a few words.", Missing: "say in a few words why"},
			{Name: "until", Form: hclfile.Day, About: "The day from which it does not count any more, such as 2027-06-30."},
		},
	}
	limitSpec = &hclfile.Spec{
		Name: "limit", Label: "removals", About: "How many people one plan may take out of channels, of user groups, or of the organization, together.",
		Attributes: []hclfile.AttributeSpec{
			{Name: "people", Form: hclfile.Number, About: "So many people. Bots do not count."},
			{Name: "percent", Form: hclfile.Number, Most: 100, About: "So many of a hundred active people."},
		},
	}
)

// invited is what joining can be.
const invited = "invited"

// roleNames are the roles that a rule can be about.
var roleNames = []string{"owner", "administrator", "moderator", "member", "guest"}

// privacy is a kind of channels that a rule can select.
type privacy struct {
	name, about string
	are         []zulip.Privacy
}

var privacies = []privacy{
	{"public", "channels that every member can read", []zulip.Privacy{zulip.PrivacyPublic}},
	{"web_public", "channels that anyone on the internet can read", []zulip.Privacy{zulip.PrivacyWebPublic}},
	{"private", "private channels", []zulip.Privacy{zulip.PrivacyPrivateSharedHistory, zulip.PrivacyPrivateProtectedHistory}},
	{"private_shared_history", "private channels in which newcomers read earlier messages", []zulip.Privacy{zulip.PrivacyPrivateSharedHistory}},
	{"private_protected_history", "private channels in which newcomers read no earlier messages", []zulip.Privacy{zulip.PrivacyPrivateProtectedHistory}},
}

func privacyNames() (names []string) {
	for _, one := range privacies {
		names = append(names, one.name)
	}
	return names
}

// privaciesOf are the privacies of a kind; nil if there is no such kind.
func privaciesOf(name string) []zulip.Privacy {
	for _, one := range privacies {
		if one.name == name {
			return one.are
		}
	}
	return nil
}

// thingRights are the rights that a rule about one kind of thing can be about.
type thingRights struct {
	// things names them in the plural.
	things string
	names  []string
}

var (
	rightsInChannels     = thingRights{"rights in a channel", append(rightNames(permission.RightsAndHistory), Subscribed)}
	rightsOverGroups     = thingRights{"rights over a user group", append([]string{Member}, settingNames(permission.UserGroups)...)}
	rightsOfOrganization = thingRights{"rights in the organization", settingNames(permission.Organizations)}
)

func rightNames(rights []permission.Right) (names []string) {
	for _, one := range rights {
		names = append(names, string(one))
	}
	return names
}

func settingNames(table permission.Table) (names []string) {
	for _, one := range table.Settings {
		names = append(names, one.Name)
	}
	return names
}

// rightAbout says of a right what it permits.
func rightAbout(name string) string {
	switch name {
	case Subscribed:
		return "who is in the channel"
	case Member:
		return "who is in the user group, also through other groups"
	case string(permission.CanRead):
		return "who can read messages"
	case string(permission.CanReadHistory):
		return "who can read messages from before they could read the channel"
	case string(permission.CanSubscribe):
		return "who can join by themselves"
	}
	for _, table := range []permission.Table{permission.Channels, permission.UserGroups, permission.Organizations} {
		for _, one := range table.Settings {
			if one.Name == name {
				return "who can " + one.Right
			}
		}
	}
	return ""
}
