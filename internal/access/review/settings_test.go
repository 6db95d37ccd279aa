package review_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// webPublic is an organization with a web-public channel and a guest who is not subscribed to it.
func webPublic(t *testing.T) (o *acctest.Organization, channel int64) {
	t.Helper()
	o = acctest.StartSandbox(t, sandbox.Config{})
	letSpectatorsIn(t, o)
	yes := true
	channel, _, err := o.Client.CreateChannel(t.Context(), zulip.ChannelCreate{Name: "handbook", IsWebPublic: &yes})
	acctest.NoError(t, err)
	return o, channel
}

func organizationSets(attribute string, before, after any) attributes {
	return resourceChange("zulip_organization", attributes{attribute: before}, attributes{attribute: after})
}

func TestReviewOfSpectatorAccess(t *testing.T) {
	for name, test := range map[string]struct {
		now    string // of enable_spectator_access
		change func(channel int64) attributes
		words  string
		says   []string
		not    string
	}{
		"switched on": {
			"false", func(int64) attributes { return organizationSets("enable_spectator_access", false, true) }, "external widening",
			[]string{"`#handbook` becomes readable by anyone on the internet.", "channel \"handbook\". Anyone on the internet can read it without an account.", ": `false` → `true` |"}, "Nobody gains",
		},
		"switched off": {
			"true", func(int64) attributes { return organizationSets("enable_spectator_access", true, false) }, "narrowing",
			[]string{"`#handbook` is no longer readable without an account.", "`#handbook`", ": `true` → `false` |"}, "Nobody gains",
		},
		"as it is": {
			"true", func(int64) attributes { return organizationSets("enable_spectator_access", false, true) }, "", []string{"No one gains or loses access, and 1 other change."}, "handbook",
		},
		"not known yet": {
			"true", func(int64) attributes {
				return resourceChange("zulip_organization", attributes{"enable_spectator_access": true}, attributes{}, "enable_spectator_access")
			}, "unknown",
			[]string{"the plan doesn't know `enable_spectator_access` yet"}, "Anyone on the internet",
		},
		"a channel leaves the web that nobody without an account reads": {
			"false", func(id int64) attributes {
				return resourceChange("zulip_channel", attributes{"id": id, "name": "handbook", "privacy": "web_public"}, attributes{"id": id, "name": "handbook", "privacy": "public"})
			}, "narrowing", // the guest loses access
			[]string{"1 account loses access."}, "without an account",
		},
		"a channel leaves the web": {
			"true", func(id int64) attributes {
				return resourceChange("zulip_channel", attributes{"id": id, "name": "handbook", "privacy": "web_public"}, attributes{"id": id, "name": "handbook", "privacy": "public"})
			}, "narrowing",
			[]string{"`#handbook` is no longer readable without an account."}, "External",
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, channel := webPublic(t)
			o.Call(t, "PATCH", "/realm", map[string]string{"enable_spectator_access": test.now})
			found := reviewOf(t, o, planOf(t, test.change(channel)))
			expectWords(t, found, test.words)
			text := markdownOf(t, found)
			expectText(t, text, test.says...)
			if strings.Contains(text, test.not) {
				t.Errorf("the text holds %q:\n%s", test.not, text)
			}
		})
	}
}

func expectWords(t *testing.T, found *report.Report, want string) {
	t.Helper()
	var got []string
	for _, word := range found.Summary.Conditions {
		got = append(got, string(word))
	}
	if strings.Join(got, " ") != want {
		t.Errorf("the words are %q, not %q", strings.Join(got, " "), want)
	}
}

// The waiting period changes access in channels, on user groups and in the organization.
func TestReviewOfWaitingPeriod(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Call(t, "PATCH", "/realm", map[string]string{"can_create_groups": `{"new":` + idText(o.SystemGroup(t, "role:fullmembers")) + `}`})
	sre := groupID(t, o, "sre")
	o.Call(t, "PATCH", "/user_groups/"+idText(sre), map[string]string{"can_join_group": `{"new":` + idText(o.SystemGroup(t, "role:fullmembers")) + `}`})
	channel, _, err := o.Client.CreateChannel(t.Context(), zulip.ChannelCreate{
		Name: "releases", Permissions: map[string]zulip.GroupSettingValue{"can_send_message_group": zulip.NamedGroup(o.SystemGroup(t, "role:fullmembers"))},
	})
	acctest.NoError(t, err)
	lena, _ := o.Sandbox.Credentials("member")
	found := reviewOf(t, o, planOf(t, organizationSets("waiting_period_threshold", 0, 100000)))
	expectWords(t, found, "narrowing")
	if effect := effectOn(found, "releases", permission.CanSendMessage, int64(lena.ID)); effect != -1 {
		t.Errorf("in channel %d: %d", channel, effect)
	}
	for what, permissions := range map[string][]*report.PermissionChange{"can_join_group": found.Groups[0].Permissions, "can_create_groups": found.Permissions, "waiting_period_threshold": found.Permissions} {
		i := slices.IndexFunc(permissions, func(permission *report.PermissionChange) bool { return permission.Name == what })
		if i < 0 || !permissions[i].Lose.Has(int64(lena.ID)) {
			t.Errorf("%s: %+v", what, permissions)
		}
	}
	unknown := reviewOf(t, o, planOf(t, resourceChange("zulip_organization", attributes{"waiting_period_threshold": 0}, attributes{}, "waiting_period_threshold")))
	expectWords(t, unknown, "unknown")
	expectText(t, markdownOf(t, unknown), "the plan doesn't know `waiting_period_threshold` yet", "`#releases`")
}

func idText(id int64) string { return strconv.FormatInt(id, 10) }

// Incoming webhook bots can only post, also new ones.
func TestReviewOfIncomingWebhookBots(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	found := reviewOf(t, o, planOf(t,
		resourceChange("zulip_bot", nil, attributes{"short_name": "hook", "full_name": "Hook", "bot_type": "incoming_webhook"}),
		resourceChange("zulip_channel", nil, attributes{"name": "releases", "can_administer_channel_group": []string{"user:hook-bot@zulip.example.com"}, "can_send_message_group": []string{"user:hook-bot@zulip.example.com"}}),
	))
	for _, one := range found.Channels[0].Permissions {
		hook := one.Gain.Some(func(a *report.Account) bool { return a.Name == "Hook" })
		if want := one.Name == string(permission.CanSendMessage); hook != want {
			t.Errorf("%s: %t", one.Name, hook)
		}
	}
}

// A guest whom the same plan makes a member gains access as a member.
func TestReviewGuest_Promoted_NotGuest(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	paul, _ := o.Sandbox.Credentials("guest")
	channel, _, err := o.Client.CreateChannel(t.Context(), zulip.ChannelCreate{
		Name: "releases", Permissions: map[string]zulip.GroupSettingValue{"can_send_message_group": zulip.NamedGroup(o.SystemGroup(t, "role:moderators"))},
	})
	acctest.NoError(t, err)
	opened := resourceChange("zulip_channel",
		attributes{"id": channel, "name": "releases", "can_send_message_group": []string{"role:moderators"}},
		attributes{"id": channel, "name": "releases", "can_send_message_group": []string{"user:" + paul.Email}})
	promoted := resourceChange("zulip_user_role", nil, attributes{"user": paul.Email, "user_id": paul.ID, "role": "member"})
	found := reviewOf(t, o, planOf(t, opened, promoted))
	if slices.Contains(found.Summary.Conditions, report.External) || effectOn(found, "releases", permission.CanSendMessage, int64(paul.ID)) != 1 {
		t.Errorf("%v: %s", found.Summary.Conditions, markdownOf(t, found))
	}
	demoted := resourceChange("zulip_user_role", nil, attributes{"user": "lena.fischer@example.com", "user_id": id(t, o, "member"), "role": "guest"})
	opened = resourceChange("zulip_channel_subscription", nil, attributes{"channel": "releases", "channel_id": channel, "users": []string{"lena.fischer@example.com"}})
	if found = reviewOf(t, o, planOf(t, demoted, opened)); effectOn(found, "releases", permission.CanRead, id(t, o, "member")) != 0 {
		t.Errorf("a guest in the channel reads it: %s", markdownOf(t, found))
	}
}

// A role stays when its resource is destroyed, unless on_destroy gives another one.
func TestReviewRole_KeptOnDestroy(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	amara, _ := o.Sandbox.Credentials("moderator")
	for _, onDestroy := range []string{"", "keep", "member"} {
		role := attributes{"user": amara.Email, "user_id": amara.ID, "role": "moderator"}
		if onDestroy != "" {
			role["on_destroy"] = onDestroy
		}
		text := markdownOf(t, reviewOf(t, o, planOf(t, resourceChange("zulip_user_role", role, nil))))
		if stays := strings.Contains(text, "Stays moderator, although no resource manages the role any more"); stays == (onDestroy == "member") {
			t.Errorf("on_destroy = %q: %s", onDestroy, text)
		}
	}
}

// If all messages have no topic, no one can start one.
func TestReviewChannel_WithoutTopics_NoneStarted(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	channel, _, err := o.Client.CreateChannel(t.Context(), zulip.ChannelCreate{Name: "releases"})
	acctest.NoError(t, err)
	topics := func(before, after string) attributes {
		return resourceChange("zulip_channel", attributes{"id": channel, "name": "releases", "topics_policy": before}, attributes{"id": channel, "name": "releases", "topics_policy": after})
	}
	found := reviewOf(t, o, planOf(t, topics("inherit", "empty_topic_only")))
	expectWords(t, found, "lockout narrowing")
	for name, want := range map[permission.ChannelPermission]int{permission.CanCreateTopic: -1, permission.CanSendMessage: 0} {
		if got := effectOn(found, "releases", name, id(t, o, "member")); got != want {
			t.Errorf("%s: %d", name, got)
		}
	}
	if found := reviewOf(t, o, planOf(t, topics("inherit", "disable_empty_topic"))); len(found.Summary.Conditions) > 0 {
		t.Errorf("%v", found.Summary.Conditions)
	}
}

func roleList(role string, users ...string) attributes {
	return attributes{"id": role, "role": role, "users": append([]string{}, users...)}
}

// becomes returns the role changes in a review, by address: "member → owner".
func becomes(found *report.Report) map[string]string {
	roles := map[string]string{}
	for _, person := range found.People {
		if person.Role.Differs() {
			roles[person.Account.Email] += fmt.Sprintf("%s → %s", person.Role.Before, person.Role.After)
		}
	}
	return roles
}

// Users added to and removed from a role list are reported as with zulip_user_role: as a risk, and with all permissions.
func TestReviewOfRoleMembers(t *testing.T) {
	const ines, lena, amara, tomas, paul = "ines.moreau@example.com", "lena.fischer@example.com", "amara.okafor@example.com", "tomas.berg@example.com", "paul.dubois@example.com"
	demoting := roleList("administrator")
	demoting["demote_to"] = "moderator"
	for name, test := range map[string]struct {
		changes []attributes
		roles   map[string]string
		says    []string // among the risks
		not     string
		unknown bool
	}{
		"an owner is made": {changes: []attributes{resourceChange("zulip_role_members", roleList("owner", ines), roleList("owner", ines, "user:"+lena))},
			roles: map[string]string{lena: "member → owner"}, says: []string{"The role changes from member to owner."}},
		"an owner is made by a new list": {changes: []attributes{resourceChange("zulip_role_members", nil, roleList("owner", ines, lena))}, roles: map[string]string{lena: "member → owner"}, says: []string{"The role changes from member to owner."}},
		"the list that is there":         {changes: []attributes{resourceChange("zulip_role_members", nil, roleList("owner", ines))}, roles: map[string]string{}},
		"an administrator is taken out":  {changes: []attributes{resourceChange("zulip_role_members", roleList("administrator", tomas), roleList("administrator"))}, roles: map[string]string{tomas: "administrator → member"}},
		"to another role":                {changes: []attributes{resourceChange("zulip_role_members", roleList("administrator", tomas), demoting)}, roles: map[string]string{tomas: "administrator → moderator"}},
		"who has left the role already":  {changes: []attributes{resourceChange("zulip_role_members", roleList("administrator", lena), roleList("administrator"))}, roles: map[string]string{}},
		"from one list to another": {changes: []attributes{
			resourceChange("zulip_role_members", roleList("moderator", amara), roleList("moderator")),
			resourceChange("zulip_role_members", roleList("owner", ines), roleList("owner", ines, amara)),
		}, roles: map[string]string{amara: "moderator → owner"}},
		"to a role of their own": {changes: []attributes{
			resourceChange("zulip_role_members", roleList("moderator", amara), roleList("moderator")),
			resourceChange("zulip_user_role", nil, attributes{"user": amara, "role": "administrator"}),
		}, roles: map[string]string{amara: "moderator → administrator"}},
		"the end of a list": {changes: []attributes{resourceChange("zulip_role_members", roleList("administrator", tomas, lena), nil)},
			roles: map[string]string{}, says: []string{"Stays administrator, although no resource manages the role any more"}, not: "Stays member"},
		"the end of a list whose people others list": {changes: []attributes{
			resourceChange("zulip_role_members", roleList("moderator", amara), nil),
			resourceChange("zulip_user_role", attributes{"user": amara, "role": "member"}, attributes{"user": amara, "role": "moderator"}),
		}, roles: map[string]string{}, not: "no resource manages"},
		"an address that nobody has": {changes: []attributes{resourceChange("zulip_role_members", roleList("administrator", tomas), roleList("administrator", "zoe.quill@example.net"))},
			roles: map[string]string{tomas: "administrator → member"}, not: "zoe.quill@example.net"},
		"an account that is not found": {changes: []attributes{resourceChange("zulip_role_members", roleList("administrator", tomas), roleList("administrator", "9999"))},
			roles: map[string]string{tomas: "administrator → member"}, says: []string{"These users can become administrator, and this review doesn't find them: 9999."}, unknown: true},
		"somebody who is not known yet": {changes: []attributes{resourceChange("zulip_role_members", nil, attributes{"role": "owner"}, "users")},
			roles: map[string]string{}, says: []string{"Someone who isn't known yet can become owner."}, unknown: true},
		"a role that is not known yet": {changes: []attributes{resourceChange("zulip_role_members", nil, attributes{"users": []string{lena}}, "role")},
			roles: map[string]string{}, says: []string{"It gives a role that isn't known yet."}, unknown: true},
		"somebody new": {changes: []attributes{
			resourceChange("zulip_user", nil, attributes{"email": "nadia@example.com", "full_name": "Nadia Haddad"}),
			resourceChange("zulip_role_members", nil, roleList("owner", ines, "nadia@example.com")),
		}, roles: map[string]string{"nadia@example.com": " → owner"}},
		"somebody lower": {changes: []attributes{resourceChange("zulip_role_members", nil, roleList("moderator", amara, tomas))}, roles: map[string]string{tomas: "administrator → moderator"}},
		"a guest":        {changes: []attributes{resourceChange("zulip_role_members", nil, roleList("moderator", amara, paul))}, roles: map[string]string{paul: "guest → moderator"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			found := reviewOf(t, o, planOf(t, test.changes...))
			if roles := becomes(found); fmt.Sprint(roles) != fmt.Sprint(test.roles) {
				t.Errorf("the roles are %v, want %v", roles, test.roles)
			}
			text := markdownOf(t, found)
			expectText(t, text, test.says...)
			if test.not != "" && strings.Contains(text, test.not) {
				t.Errorf("the review says %q:\n%s", test.not, text)
			}
			isRisk := slices.Contains(found.Summary.Conditions, report.RoleChange)
			if want := len(test.roles)+len(test.says) > 0; isRisk != want {
				t.Errorf("it is a risk: %v, want %v: %v", isRisk, want, found.Summary.Conditions)
			}
			if slices.Contains(found.Summary.Conditions, report.Unknown) != test.unknown {
				t.Errorf("the words are %v", found.Summary.Conditions)
			}
		})
	}
}

// The review has all permissions of the role. Removing the last owner fails.
func TestReviewRoleMembers_Changed_AllPermissions(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	lena := id(t, o, "member")
	id, _, err := o.Client.CreateChannel(t.Context(), zulip.ChannelCreate{
		Name: "releases", Permissions: map[string]zulip.GroupSettingValue{"can_send_message_group": zulip.NamedGroup(o.SystemGroup(t, "role:owners"))},
	})
	acctest.NoError(t, err)
	change := resourceChange("zulip_role_members", roleList("owner", "ines.moreau@example.com"), roleList("owner", "lena.fischer@example.com"))
	found := reviewOf(t, o, planOf(t, change))
	owner, _ := o.Sandbox.Credentials("owner")
	if effectOn(found, "releases", permission.CanSendMessage, lena) != 1 || effectOn(found, "releases", permission.CanSendMessage, int64(owner.ID)) != -1 {
		t.Errorf("in channel %d: %s", id, markdownOf(t, found))
	}
	if len(found.Fails([]report.Condition{report.Stops})) > 0 {
		t.Errorf("it is said to stop: %s", found.Summary.Text)
	}
	found = reviewOf(t, o, planOf(t, resourceChange("zulip_role_members", roleList("owner", "ines.moreau@example.com"), roleList("owner"))))
	if len(found.Fails([]report.Condition{report.Stops})) == 0 {
		t.Errorf("without an owner the summary is %s", found.Summary.Text)
	}
	if text := markdownOf(t, reviewOf(t, o.As(t, "moderator"), planOf(t, change))); !strings.Contains(text, "`zulip_role_members` requires the role administrator") {
		t.Errorf("of a moderator the review says\n%s", text)
	}
}
