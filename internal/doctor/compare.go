package doctor

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// comparison collects what differs.
type comparison struct {
	report     *Report
	attributes map[string][]string
}

// supportedField is where a server publishes what its permissions allow.
const supportedField = "server_supported_permission_settings"

// resources are the resources whose attributes have the names of the fields of an object. The organization's settings are in
// the answer itself, with a prefix.
var resources = map[string]string{
	"streams": "zulip_channel", "realm_user_groups": "zulip_user_group", "user_groups": "zulip_user_group",
	"channel_folders": "zulip_channel_folder", "realm_default_stream_groups": "zulip_default_channel_group",
	"realm_users": "zulip_user", "realm_non_active_users": "zulip_user", "members": "zulip_user", "realm_bots": "zulip_bot", "bots": "zulip_bot",
	"custom_profile_fields": "zulip_custom_profile_field", "custom_fields": "zulip_custom_profile_field",
	"realm_linkifiers": "zulip_linkifier", "linkifiers": "zulip_linkifier", "realm_playgrounds": "zulip_code_playground",
	"realm_domains": "zulip_domain", "realm_emoji": "zulip_custom_emoji", "user_status": "zulip_user_status",
	"realm_user_settings_defaults": "zulip_default_user_settings", "subscriptions": "zulip_channel_subscription_settings",
	"invites": "zulip_invite_link",
}

// place is where a difference is.
type place struct {
	path   string
	fields []string
}

func (p place) field(name string) place {
	return place{p.path, append(slices.Clone(p.fields), name)}
}

// String returns it as the report has it: "/register: streams[].can_subscribe_group".
func (p place) String() string {
	var text strings.Builder
	for i, name := range p.fields {
		if i > 0 && name != "[]" {
			text.WriteByte('.')
		}
		text.WriteString(name)
	}
	if text.Len() == 0 {
		return p.path
	}
	return p.path + ": " + text.String()
}

// concerns returns the attribute that a field is the value of, such as zulip_channel.topics_policy; "" if there is none.
func (c *comparison) concerns(at place) string {
	if len(at.fields) == 0 {
		return ""
	}
	resource, name := resources[at.fields[0]], at.fields[len(at.fields)-1]
	if len(at.fields) == 1 {
		var ok bool
		if name, ok = strings.CutPrefix(name, "realm_"); !ok || at.path != registerPath {
			return ""
		}
		resource = "zulip_organization"
	}
	if slices.Contains(c.attributes[resource], name) {
		return resource + "." + name
	}
	return ""
}

// add adds a difference; known says whether the client decodes the field.
func (c *comparison) add(kind Kind, at place, known bool, format string, args ...any) {
	difference := Difference{Kind: kind, Where: at.String(), What: fmt.Sprintf(format, args...), Concerns: c.concerns(at)}
	difference.IsRead = known || difference.Concerns != ""
	c.report.Differences = append(c.report.Differences, difference)
}

// compareAnswers compares what was answered to each request.
func (c *comparison) compareAnswers(want, got answers) {
	for _, path := range got.order {
		w, g := want.byPath[path], got.byPath[path]
		switch at := (place{path: path}); {
		case g.refused != "" && w.refused != "":
			c.report.NotCompared = append(c.report.NotCompared, path+": the server refuses it to this account, as expected")
		case g.refused != "":
			c.add(Refused, at, true, "The request is %s. An answer was expected.", g.refused)
		case w.refused != "":
			c.add(Answered, at, true, "The request is answered. It was expected to be %s.", w.refused)
		default:
			c.report.Compared = append(c.report.Compared, Compared{path, g.shape.allFields()})
			c.compare(at, w.shape, g.shape)
		}
	}
}

// compare compares the values at one place.
func (c *comparison) compare(at place, want, got *shape) {
	c.compareTypes(at, want, got)
	if want.elements != nil && got.elements != nil {
		c.compare(at.field("[]"), want.elements, got.elements)
	}
	// Without an object on both sides there is nothing to compare; one without any field has keys that are data.
	if got.objects() == 0 || len(want.fields) == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(want.fields)) {
		expected := want.fields[name]
		switch actual := got.fields[name]; {
		case actual != nil:
			c.compare(at.field(name), expected, actual)
		case expected.values() == want.objects(): // it is not optional
			c.add(Missing, at.field(name), expected.known != nil, "The field is missing in %s. A value of type %s was expected.",
				count(got.objects(), "object"), names(expected.types))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got.fields)) {
		if want.fields[name] == nil {
			actual := got.fields[name]
			c.add(Unknown, at.field(printable(name)), actual.known != nil, "The provider does not expect this field at the level. It is in %d of %s, of type %s.",
				actual.values(), count(got.objects(), "object"), names(actual.types))
		}
	}
}

// compareTypes compares the JSON types of the values at one place.
func (c *comparison) compareTypes(at place, want, got *shape) {
	for _, kind := range slices.Sorted(maps.Keys(got.types)) {
		switch {
		case want.types[kind] > 0 || kind == typeInteger && want.types[typeNumber] > 0:
			continue
		case isPermission(at) && isPermissionType(want.types) && isPermissionType(map[string]int{kind: 1}):
			continue
		case got.known != nil && got.refused[kind] == 0:
			continue // the client takes it, and the sandbox's organization just has none
		case got.known == nil && (kind == typeNull || want.types[typeNull] == want.values()):
			continue // nothing is known of a value that is only null
		}
		c.add(Type, at, got.known != nil, "The type is %s in %s. Expected: %s.", kind, count(got.types[kind], "value"), names(want.types))
	}
}

// isPermission reports whether a field is a permission, by its name.
func isPermission(at place) bool {
	return len(at.fields) > 0 && strings.HasSuffix(at.fields[len(at.fields)-1], "_group")
}

// isPermissionType reports whether one of the types is a form of a permission's value (server-behavior §P1).
func isPermissionType(types map[string]int) bool { return types[typeInteger]+types[typeObject] > 0 }

// systemGroup is the name of a role's group.
var systemGroup = regexp.MustCompile(`^role:[a-z_]{1,40}$`)

// comparePermissions compares the permissions that the server publishes with those that the provider knows.
func (c *comparison) comparePermissions(register *answer) {
	published, ok := field[map[string]map[string]zulip.SupportedPermission](register, supportedField)
	if !ok {
		return // which is found as a field that is missing, or of another type
	}
	tables := map[string]permission.Table{}
	for _, table := range []permission.Table{permission.Channels, permission.UserGroups, permission.Organizations} {
		tables[table.Key] = table
	}
	for _, kind := range slices.Sorted(maps.Keys(published)) {
		at := place{registerPath, []string{supportedField, printable(kind)}}
		table, known := tables[kind]
		if !known {
			c.add(Permission, at, false, "The provider does not know this kind of permissions. There are %d.", len(published[kind]))
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(published[kind])) {
			if !slices.ContainsFunc(table.All(), func(s permission.Setting) bool { return s.Name == name }) {
				c.add(Permission, at.field(printable(name)), false, "The provider does not know this permission of the %s.", table.Noun)
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(tables)) {
		for _, setting := range tables[kind].All() {
			at := place{registerPath, []string{supportedField, kind, setting.Name}}
			said, has := published[kind][setting.Name]
			switch {
			case has && setting.FeatureLevel > c.report.ComparedLevel:
				c.add(Permission, at, true, "The server has this permission. It was expected from feature level %d on.", setting.FeatureLevel)
			case !has && setting.FeatureLevel <= c.report.ComparedLevel:
				c.add(Permission, at, true, "The server does not publish this permission. It was expected from feature level %d on.", setting.FeatureLevel)
			case has:
				c.compareRules(at, setting, said)
			}
		}
	}
}

// creators are the server's names for the account that creates an object, which is who starts with a permission.
var creators = map[string]bool{"channel_creator": true, "group_creator": true}

// compareRules compares what the server says that a permission allows with what the provider assumes.
func (c *comparison) compareRules(at place, setting permission.Setting, said zulip.SupportedPermission) {
	assumed := setting.SupportedBy()
	for _, rule := range []struct {
		name      string
		want, got bool
	}{
		{"require_system_group", assumed.RequireSystemGroup, said.RequireSystemGroup},
		{"allow_internet_group", assumed.AllowInternetGroup, said.AllowInternetGroup},
		{"allow_nobody_group", assumed.AllowNobodyGroup, said.AllowNobodyGroup},
		{"allow_everyone_group", assumed.AllowEveryoneGroup, said.AllowEveryoneGroup},
	} {
		if rule.want != rule.got {
			c.add(Rule, at.field(rule.name), true, "The rule is %t. Expected: %t.", rule.got, rule.want)
		}
	}
	if want, got := sorted(assumed.AllowedSystemGroups), sorted(said.AllowedSystemGroups); !slices.Equal(want, got) {
		c.add(Rule, at.field("allowed_system_groups"), true, "The rule is %s. Expected: %s.", roles(got), roles(want))
	}
	if want, got := setting.Default, said.DefaultGroupName; want != got && (!creators[got] || strings.HasPrefix(want, "role:")) {
		c.add(Rule, at.field("default_group_name"), true, "The default is %s. Expected: %s.", roles([]string{got}), want)
	}
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// roles lists roles by the names of their groups; what is none is not named.
func roles(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	texts := make([]string, len(list))
	for i, name := range list {
		if texts[i] = name; !systemGroup.MatchString(name) && !creators[name] {
			texts[i] = "(not a role)"
		}
	}
	return strings.Join(texts, ", ")
}

// compareGroups compares the groups of the roles, which the server makes.
func (c *comparison) compareGroups(want, got *answer) {
	at := place{registerPath, []string{"realm_user_groups", "[]"}}
	expected, actual := systemGroups(want), systemGroups(got)
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		if !actual[name] {
			c.add(Role, at, true, "The group %s is missing.", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(actual)) {
		if !expected[name] {
			c.add(Role, at, true, "The provider does not know the system group %s.", roles([]string{name}))
		}
	}
}

func systemGroups(register *answer) map[string]bool {
	found := map[string]bool{}
	for _, group := range objects[struct {
		Name     string `json:"name"`
		IsSystem bool   `json:"is_system_group"`
	}](register, "realm_user_groups") {
		if group.IsSystem {
			found[group.Name] = true
		}
	}
	return found
}

// compareRoles looks for roles of people that the provider does not know.
func (c *comparison) compareRoles(register *answer) {
	unknown := map[string]int{}
	for _, list := range []string{"realm_users", "realm_non_active_users"} {
		for _, user := range objects[struct {
			Role zulip.Role `json:"role"`
		}](register, list) {
			if _, known := zulip.ParseRole(user.Role.String()); !known {
				unknown[user.Role.String()]++
			}
		}
	}
	for _, role := range slices.Sorted(maps.Keys(unknown)) {
		c.add(Role, place{registerPath, []string{"realm_users", "[]", "role"}}, true, "The provider does not know the role %s, the role of %s.", role, count(unknown[role], "account"))
	}
}

// names lists the types of values.
func names(types map[string]int) string {
	return strings.Join(slices.Sorted(maps.Keys(types)), " or ")
}

// count returns a number of things: "1 object", "3 objects".
func count(number int, thing string) string {
	if number == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", number, thing)
}
