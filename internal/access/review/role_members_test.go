package review_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func roleList(role string, users ...string) attributes {
	return attributes{"id": role, "role": role, "users": append([]string{}, users...)}
}

// becomes returns what a review says of the roles of people, by address: "member → owner".
func becomes(found *report.Report) map[string]string {
	roles := map[string]string{}
	for _, person := range found.People {
		if person.Role.Differs() {
			roles[person.Account.Address] += fmt.Sprintf("%s → %s", person.Role.Before, person.Role.After)
		}
	}
	return roles
}

// Who comes into a list of a role, and who is taken out, is said as if each had a zulip_user_role: as a risk, and with all rights.
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
			roles: map[string]string{lena: "member → owner"}, says: []string{"The role was member, and becomes owner."}},
		"an owner is made by a new list": {changes: []attributes{resourceChange("zulip_role_members", nil, roleList("owner", ines, lena))}, roles: map[string]string{lena: "member → owner"}, says: []string{"The role was member, and becomes owner."}},
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
			roles: map[string]string{}, says: []string{"Stays administrator, and no resource says so any more"}, not: "Stays member"},
		"an address that nobody has": {changes: []attributes{resourceChange("zulip_role_members", roleList("administrator", tomas), roleList("administrator", "zoe.quill@example.net"))},
			roles: map[string]string{}, says: []string{"Can become administrator, and this review does not find who that is: `zoe.quill@example.net`."}, unknown: true},
		"somebody who is not known yet": {changes: []attributes{resourceChange("zulip_role_members", nil, attributes{"role": "owner"}, "users")},
			roles: map[string]string{}, says: []string{"Somebody who is not known yet can become owner."}, unknown: true},
		"a role that is not known yet": {changes: []attributes{resourceChange("zulip_role_members", nil, attributes{"users": []string{lena}}, "role")},
			roles: map[string]string{}, says: []string{"It gives a role that is not known yet."}, unknown: true},
		"somebody new": {changes: []attributes{
			resourceChange("zulip_user", nil, attributes{"email": "nadia@example.com", "full_name": "Nadia Haddad"}),
			resourceChange("zulip_role_members", nil, roleList("owner", ines, "nadia@example.com")),
		}, roles: map[string]string{"nadia@example.com": " → membermember → owner"}},
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
			isRisk := slices.Contains(found.Verdict.Categories, report.RoleChange)
			if want := len(test.roles)+len(test.says) > 0; isRisk != want {
				t.Errorf("it is a risk: %v, want %v: %v", isRisk, want, found.Verdict.Categories)
			}
			if slices.Contains(found.Verdict.Categories, report.Unknown) != test.unknown {
				t.Errorf("the words are %v", found.Verdict.Categories)
			}
		})
	}
}

// What the role gives stands in the review with all its rights, and the end of the last owner stops it.
func TestReviewOfWhatRoleMembersMay(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	lena := memberID(o)
	id, _, err := o.Client.CreateChannel(t.Context(), zulip.ChannelCreate{
		Name: "releases", Permissions: map[string]zulip.GroupSettingValue{"can_send_message_group": zulip.NamedGroup(o.SystemGroup(t, "role:owners"))},
	})
	if err != nil {
		t.Fatal(err)
	}
	change := resourceChange("zulip_role_members", roleList("owner", "ines.moreau@example.com"), roleList("owner", "lena.fischer@example.com"))
	found := reviewOf(t, o, planOf(t, change))
	owner, _ := o.Sandbox.Credentials("owner")
	if effectOn(found, "releases", permission.CanSendMessage, lena) != 1 || effectOn(found, "releases", permission.CanSendMessage, int64(owner.ID)) != -1 {
		t.Errorf("in channel %d: %s", id, markdownOf(t, found))
	}
	if len(found.Fails([]report.Category{report.Stops})) > 0 {
		t.Errorf("it is said to stop: %s", found.Verdict.Text)
	}
	found = reviewOf(t, o, planOf(t, resourceChange("zulip_role_members", roleList("owner", "ines.moreau@example.com"), roleList("owner"))))
	if len(found.Fails([]report.Category{report.Stops})) == 0 {
		t.Errorf("without an owner the verdict is %s", found.Verdict.Text)
	}
	if text := markdownOf(t, reviewOf(t, o.As(t, "moderator"), planOf(t, change))); !strings.Contains(text, "`zulip_role_members` is for administrators") {
		t.Errorf("of a moderator the review says\n%s", text)
	}
}
