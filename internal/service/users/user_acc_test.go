package users_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
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

// TestAccSandboxUser is the life of an account through a real CLI: made, planned empty, changed, imported, deactivated by
// hand, taken back, deactivated. On a sandbox: a real server keeps every account for good.
func TestAccSandboxUser(t *testing.T) {
	org := acctest.StartSandbox(t, sandbox.Config{})
	field(t, org, "Team", "1")
	const address = "zulip_user.x"
	config := func(lines string) string {
		// Encoded, because the test framework logs configurations: the password itself may stand nowhere.
		return fmt.Sprintf("resource \"zulip_user\" \"x\" {\n  email = %q\n  password = base64decode(\"Y29ycmVjdCBob3JzZSBiYXR0ZXJ5IHN0YXBsZQ==\")\n  %s\n}\n", newcomer, lines)
	}
	whole := "full_name = \"Nadia Haddad\"\n  role = \"moderator\"\n  profile_data = { Team = \"Platform\" }"
	same := statecheck.CompareValue(compare.ValuesSame())
	sameID := func() statecheck.StateCheck { return same.AddStateValue(address, tfjsonpath.New("id")) }
	action := func(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)}}
	}
	deactivate := func() {
		user, err := org.Client.UserByEmail(context.Background(), newcomer)
		if err == nil {
			_, err = org.Client.DeactivateUser(context.Background(), user.ID, zulip.Deactivation{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ignore := []string{"password", "adopt_deactivated", "deactivation_notification_comment", "email"} // the address in another case
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy: func(*terraform.State) error {
			user, err := org.Client.UserByEmail(context.Background(), newcomer)
			if err == nil && user.IsActive {
				err = fmt.Errorf("the account is still active")
			}
			return err
		},
		Steps: []resource.TestStep{
			{
				Config: config(whole), ConfigPlanChecks: action(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{
					sameID(), statecheck.ExpectKnownValue(address, tfjsonpath.New("password"), knownvalue.Null()),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("role"), knownvalue.StringExact("moderator")),
				},
			},
			{Config: config(whole), ConfigPlanChecks: action(plancheck.ResourceActionNoop)},
			{Config: config("full_name = \"Nadia H\"\n  profile_data = { Team = \"\" }"), ConfigPlanChecks: action(plancheck.ResourceActionUpdate), ConfigStateChecks: []statecheck.StateCheck{sameID()}},
			{Config: config(whole)},
			{ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: ignore},
			{ResourceName: address, ImportState: true, ImportStateId: newcomer, ImportStateVerify: true, ImportStateVerifyIgnore: ignore},
			{PreConfig: deactivate, Config: config(whole), ExpectError: acctest.Message("Set adopt_deactivated = true to reactivate it")},
			{
				Config: config(whole + "\n  adopt_deactivated = true"), ConfigPlanChecks: action(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{sameID()},
			},
			{Taint: []string{address}, Config: config(whole), ConfigStateChecks: []statecheck.StateCheck{sameID()}},
			{Config: config(whole + "\n  deactivation_notification_comment = \"So long\"")},
		},
	})
	sent := false
	for _, request := range org.Sandbox.Journal().Requests(sandbox.Filter{Method: "DELETE", Path: "/users/*"}) {
		sent = sent || request.Params["deactivation_notification_comment"] == "So long"
	}
	if !sent {
		t.Error("the comment was not sent")
	}
}

// TestAccSandboxUserAndRole makes an account and names it in other resources of the same run.
func TestAccSandboxUserAndRole(t *testing.T) {
	org := acctest.StartSandbox(t, sandbox.Config{})
	config := fmt.Sprintf(`resource "zulip_user" "x" {
  email     = %q
  full_name = "Nadia Haddad"
}
resource "zulip_user_role" "x" {
  user = zulip_user.x.id
  role = "moderator"
}
resource "zulip_user_status" "x" {
  user        = zulip_user.x.id
  status_text = "New here"
}
resource "zulip_channel" "x" {
  name                = "nadia"
  initial_subscribers = [zulip_user.x.id]
}
data "zulip_user_status" "x" {
  user       = zulip_user.x.email
  depends_on = [zulip_user_status.x]
}
`, newcomer)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.zulip_user_status.x", tfjsonpath.New("status_text"), knownvalue.StringExact("New here")),
				},
			},
			{RefreshState: true},
			{Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		},
	})
	// The role is a moderator's on the server too.
	user, err := org.Client.UserByEmail(context.Background(), newcomer)
	if err != nil || user.Role.String() != "moderator" {
		t.Errorf("the account is %+v, %v", user, err)
	}
}
