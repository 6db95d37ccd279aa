package provider_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// What the guide says an account can manage is what it can: each resource is created with the key of each.
func TestProtocolWhichAccountManagesWhat(t *testing.T) {
	const level = featurelevel.NewestRelease
	cells := map[string][]string{}
	for _, who := range []struct {
		account string
		role    zulip.Role
	}{{"admin", zulip.RoleOwner}, {"admin", zulip.RoleAdministrator}, {"bot", zulip.RoleOwner}, {"bot", zulip.RoleAdministrator}} {
		o := acctest.NewSandbox(t, sandbox.Config{FeatureLevel: level})
		all := lives(t, o)
		self := o.WithAccount(t, who.account).Self
		if self.Role != who.role {
			o.Call(t, "PATCH", fmt.Sprintf("/users/%d", self.ID), map[string]string{"role": fmt.Sprint(int(who.role))})
		}
		// What depends on one channel or group, and not on the account's role, is granted.
		for _, channel := range []string{"general", "leads"} {
			o.Call(t, "POST", "/users/me/subscriptions", map[string]string{"subscriptions": fmt.Sprintf(`[{"name": %q}]`, channel), "principals": fmt.Sprintf("[%d]", self.ID)})
		}
		groups, err := o.Client.UserGroups(t.Context(), level)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range groups {
			if group.Name == "leads" {
				o.Call(t, "PATCH", fmt.Sprintf("/user_groups/%d", group.ID), map[string]string{
					"can_manage_group": fmt.Sprintf(`{"new": %d}`, o.SystemGroup(t, "role:administrators"))})
			}
		}
		account := o.WithAccount(t, who.account)
		for _, l := range all {
			cells[l.of] = append(cells[l.of], l.managed(t, account, level))
		}
	}
	var table strings.Builder
	for _, resource := range sortedKeys(cells) {
		fmt.Fprintf(&table, "| `%s` | %s |\n", resource, strings.Join(cells[resource], " | "))
	}
	guide, err := os.ReadFile("../../templates/guides/accounts.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(guide), table.String()) {
		t.Errorf("templates/guides/accounts.md.tmpl does not have these rows:\n%s", table.String())
	}
}

// managed says whether an account can create the resource, and without which attributes.
func (l life) managed(t *testing.T, o *acctest.Organization, level int) string {
	t.Helper()
	config, without := maps.Clone(l.at(level, l.create)), []string{}
	if l.of == "zulip_channel_subscribers" { // or it would leave the private channel
		users, _ := config["users"].([]any)
		config["users"] = slices.Compact(append(slices.Clone(users), o.Self.Address()))
	}
	if l.of == "zulip_role_members" && o.Self.Role == zulip.RoleOwner { // or it would lose the higher role
		users, _ := config["users"].([]any)
		config["users"] = slices.DeleteFunc(slices.Clone(users), func(user any) bool { return user == o.Self.Address() })
	}
	for {
		run := o.NewRun(t, l.of)
		plan, diags := run.Plan(config)
		if len(diags.Errors()) == 0 {
			diags = run.Apply(plan)
		}
		problems := diags.Errors()
		if len(problems) == 0 {
			break
		}
		if strings.Contains(problems[0].Detail, "can_create_users") {
			return "who is there"
		}
		at := problems[0].Attribute
		if _, isSet := config[at]; !isSet {
			return "no"
		}
		delete(config, at)
		without = append(without, "`"+at+"`")
	}
	if slices.Sort(without); len(without) > 0 {
		return "not " + strings.Join(without, ", ")
	}
	return "yes"
}
