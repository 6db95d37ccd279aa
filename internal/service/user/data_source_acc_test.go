package user_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// TestAccUserDataSource finds the account the provider uses, by address in any case and by ID.
func TestAccUserDataSource(t *testing.T) {
	org := acctest.Start(t)
	facts := map[string]knownvalue.Check{
		"id": knownvalue.Int64Exact(org.Self.ID), "email": knownvalue.StringExact(org.Self.Email), "delivery_email": knownvalue.StringExact(org.Self.Address()),
		"full_name": knownvalue.StringExact(org.Self.FullName), "role": knownvalue.StringExact(org.Self.Role.String()),
		"is_active": knownvalue.Bool(true), "is_bot": knownvalue.Bool(org.Self.IsBot), "bot_type": knownvalue.Null(),
		"timezone": knownvalue.StringExact(org.Self.Timezone), "date_joined": knownvalue.StringExact(org.Self.DateJoined),
	}
	var checks []statecheck.StateCheck
	for attribute, want := range facts {
		checks = append(checks, statecheck.ExpectKnownValue("data.zulip_user.by_email", tfjsonpath.New(attribute), want),
			statecheck.ExpectKnownValue("data.zulip_user.by_id", tfjsonpath.New(attribute), want))
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{
				Config: fmt.Sprintf("data \"zulip_user\" \"by_email\" {\n  email = %q\n}\ndata \"zulip_user\" \"by_id\" {\n  id = %d\n}\n",
					strings.ToUpper(org.Self.Address()), org.Self.ID),
				ConfigStateChecks: checks,
			},
			{Config: "data \"zulip_user\" \"no\" {\n  id = 999999999\n}\n", ExpectError: acctest.Message("with the ID 999999999")},
			{
				Config:      fmt.Sprintf("data \"zulip_user\" \"no\" {\n  email = %q\n}\n", "x"+org.Self.Address()),
				ExpectError: acctest.Message("did you mean " + org.Self.Address()),
			},
		},
	})
}

// TestAccSandboxUsersDataSource lists the people of a known organization through each filter.
func TestAccSandboxUsersDataSource(t *testing.T) {
	org := acctest.StartSandbox(t, sandbox.Config{})
	id := func(account string) int64 {
		credentials, ok := org.Sandbox.Credentials(account)
		if !ok {
			t.Fatalf("there is no account %q", account)
		}
		return int64(credentials.ID)
	}
	lena, _ := org.Sandbox.Credentials("member")
	field, _ := org.Call(t, http.MethodPost, "/realm/profile_fields", map[string]string{"name": "Team", "field_type": "1"})["id"].(float64)
	profile, err := json.Marshal([]map[string]any{{"id": int64(field), "value": "Platform"}})
	if err != nil {
		t.Fatal(err)
	}
	org.Call(t, http.MethodPatch, fmt.Sprint("/users/", lena.ID), map[string]string{"profile_data": string(profile)})
	org.Call(t, http.MethodDelete, fmt.Sprint("/users/", id("member2")), nil)

	lists := map[string]struct {
		filter string
		want   []string // accounts
	}{
		"everybody":  {"", []string{"owner", "admin", "moderator", "member", "member2", "guest", "bot"}},
		"members":    {`role = "member"`, []string{"member", "member2"}},
		"working":    {"role = \"member\"\n  is_active = true", []string{"member"}},
		"gone":       {"is_active = false", []string{"member2"}},
		"bots":       {"is_bot = true", []string{"bot"}},
		"named":      {fmt.Sprintf("emails = [%q, %q]", strings.ToUpper(lena.Email), org.Self.Email), []string{"owner", "member"}},
		"in_a_team":  {"profile_field = { name = \"Team\", value = \"Platform\" }", []string{"member"}},
		"in_no_team": {"profile_field = { name = \"Team\", value = \"platform\" }", nil},
	}
	config := ""
	var checks []statecheck.StateCheck
	for label, list := range lists {
		config += fmt.Sprintf("data \"zulip_users\" %q {\n  %s\n}\n", label, list.filter)
		found := []knownvalue.Check{}
		for _, account := range list.want {
			found = append(found, knownvalue.ObjectPartial(map[string]knownvalue.Check{"id": knownvalue.Int64Exact(id(account))}))
		}
		checks = append(checks, statecheck.ExpectKnownValue("data.zulip_users."+label, tfjsonpath.New("users"), knownvalue.ListExact(found)))
	}
	team := tfjsonpath.New("users").AtSliceIndex(0).AtMapKey("profile_data")
	checks = append(checks, statecheck.ExpectKnownValue("data.zulip_users.in_a_team", team, knownvalue.MapExact(map[string]knownvalue.Check{"Team": knownvalue.StringExact("Platform")})))
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{Config: "data \"zulip_users\" \"no\" {\n  role = \"boss\"\n}\n", ExpectError: acctest.Message("role must be one of")},
			{Config: config, ConfigStateChecks: checks},
			{Config: "data \"zulip_users\" \"no\" {\n  emails = [\"no@example.com\"]\n}\n", ExpectError: acctest.Message(`with the address "no@example.com"`)},
			{Config: "data \"zulip_users\" \"no\" {\n  profile_field = { name = \"Shoe size\", value = \"43\" }\n}\n", ExpectError: acctest.Message(`no custom profile field called "Shoe size"`)},
		},
	})
}
