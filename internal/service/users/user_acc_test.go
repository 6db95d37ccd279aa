package users_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func TestMain(m *testing.M) {
	status := m.Run()
	acctest.RemovePlugin()
	os.Exit(status)
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

func block(name, role string, users ...string) string {
	quoted := make([]string, len(users))
	for i, user := range users {
		if quoted[i] = user; strings.Contains(user, "@") {
			quoted[i] = fmt.Sprintf("%q", user)
		}
	}
	return fmt.Sprintf("resource \"zulip_role_members\" %q {\n  role  = %q\n  users = [%s]\n}\n", name, role, strings.Join(quoted, ", "))
}

// Somebody moves between lists, an account that is created comes in, and a list that is replaced is no second one.
func TestAccSandboxRoleMembersMove(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Setenv("TF_LOG", "")
	w.Configure(t, block("owners", "owner", roleMembersInes)+block("administrators", "administrator", roleMembersTomas, bot(t, o))+block("moderators", "moderator", roleMembersAmara))
	w.Must(t, "apply", "-auto-approve")
	noor := "resource \"zulip_user\" \"noor\" {\n  email     = \"noor@example.com\"\n  full_name = \"Noor\"\n}\n"
	moved := noor + block("owners", "owner", roleMembersInes, roleMembersAmara) + block("administrators", "administrator", roleMembersTomas, bot(t, o)) + block("moderators", "moderator", "zulip_user.noor.id", roleMembersLena)
	w.Configure(t, moved)
	w.Must(t, "apply", "-auto-approve")
	expectRoleMembers(t, o, map[string]string{"moderator": "owner", "member": "moderator"})
	if user, err := o.Client.UserByEmail(t.Context(), "noor@example.com"); err != nil || user.Role != zulip.RoleModerator {
		t.Errorf("who was created is %+v, %v", user, err)
	}
	if printed := w.Must(t, "plan"); !strings.Contains(printed, "No changes.") {
		t.Errorf("after the move:\n%s", printed)
	}
	if printed := w.Must(t, "plan", "-replace=zulip_role_members.moderators"); !strings.Contains(printed, "1 to add, 0 to change, 1 to destroy") {
		t.Errorf("the plan of a replacement:\n%s", printed)
	}
	w.Configure(t, moved+block("others", "moderator", roleMembersLena))
	if printed, ok := w.Run(t, "plan"); ok || !strings.Contains(printed, "Two lists of who is moderator") {
		t.Errorf("two lists of one role:\n%s", printed)
	}
}
