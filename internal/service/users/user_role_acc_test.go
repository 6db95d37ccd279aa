package users_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

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

// Who loses the resource that gave a role keeps the role: the plan says so, and what takes it away.
func TestAccSandboxUserRoleThatStays(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	const lena = "resource \"zulip_user_role\" \"lena\" {\n  user = \"lena.fischer@example.com\"\n  "
	w.Configure(t, lena+"role = \"administrator\"\n}\n")
	w.Must(t, "apply", "-auto-approve")
	const warning = "Warning: lena.fischer@example.com stays administrator"
	w.Configure(t, "")
	if printed := w.Must(t, "plan"); !strings.Contains(printed, warning) || !strings.Contains(printed, `on_destroy = "member"`) {
		t.Errorf("the plan says\n%s", printed)
	}
	w.Configure(t, lena+"role = \"administrator\"\n  on_destroy = \"member\"\n}\n")
	w.Must(t, "apply", "-auto-approve")
	w.Configure(t, "")
	if printed := w.Must(t, "plan"); strings.Contains(printed, warning) {
		t.Errorf("the role is taken away, and the plan says\n%s", printed)
	}
}

// TestAccUserRole is the life of one through a real CLI: given, planned empty, changed, drifted, imported, taken back.
// The role is a bot's that the test makes, so that no person of a real organization is promoted.
func TestAccUserRole(t *testing.T) {
	org := acctest.Start(t)
	bot, _ := org.Call(t, http.MethodPost, "/bots", map[string]string{"full_name": org.Prefix + "role", "short_name": org.Prefix + "role"})["user_id"].(float64)
	id := int64(bot)
	t.Cleanup(func() { org.Call(t, http.MethodDelete, fmt.Sprint("/bots/", id), nil) })
	found, err := org.Client.User(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	const address = "zulip_user_role.x"
	config := func(role string) string {
		return fmt.Sprintf("resource \"zulip_user_role\" \"x\" {\n  user = %q\n  role = %q\n  on_destroy = \"guest\"\n}\n", found.Address(), role)
	}
	holds := func(want string) error {
		user, err := org.Client.User(context.Background(), id)
		if err == nil && user.Role.String() != want {
			err = fmt.Errorf("the role is %s, want %s", user.Role, want)
		}
		return err
	}
	check := func(want string) []statecheck.StateCheck {
		return []statecheck.StateCheck{
			statecheck.ExpectKnownValue(address, tfjsonpath.New("role"), knownvalue.StringExact(want)),
			statecheck.ExpectKnownValue(address, tfjsonpath.New("user_id"), knownvalue.Int64Exact(id)),
			acctest.After(func() {
				if err := holds(want); err != nil {
					t.Error(err)
				}
			}),
		}
	}
	updates := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)}}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy:             func(*terraform.State) error { return holds("guest") },
		Steps: []resource.TestStep{
			{Config: config("moderator"), ConfigStateChecks: check("moderator")},
			{Config: config("moderator"), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
			{Config: config("administrator"), ConfigPlanChecks: updates, ConfigStateChecks: check("administrator")},
			{
				PreConfig: func() {
					role := zulip.RoleGuest
					if err := org.Client.UpdateUser(context.Background(), id, zulip.UserUpdate{Role: &role}); err != nil {
						t.Fatal(err)
					}
				},
				Config: config("administrator"), ConfigPlanChecks: updates, ConfigStateChecks: check("administrator"),
			},
			{
				ResourceName: address, ImportState: true, ImportStateId: found.Address(), ImportStateVerify: true,
				ImportStateVerifyIdentifierAttribute: "user_id", ImportStateVerifyIgnore: []string{"on_destroy"}, // the server knows nothing of it
			},
			{
				ResourceName: address, ImportState: true, ImportStateId: fmt.Sprint(id), ImportStateVerify: true,
				ImportStateVerifyIdentifierAttribute: "user_id", ImportStateVerifyIgnore: []string{"on_destroy"},
			},
			{
				Config:      fmt.Sprintf("resource \"zulip_user_role\" \"x\" {\n  user = %q\n  role = \"guest\"\n}\n", "x"+found.Address()),
				ExpectError: acctest.Message("did you mean " + found.Address()),
			},
		},
	})
}

// life is the life of a status through a real CLI: set, planned empty, changed, drifted, imported, cleared. The lines say
// whose it is.
func life(t *testing.T, org *acctest.Organization, lines string, id int64) {
	t.Helper()
	const address = "zulip_user_status.x"
	config := func(more string) string {
		return fmt.Sprintf("resource \"zulip_user_status\" \"x\" {\n  %s\n  %s\n}\ndata \"zulip_user_status\" \"x\" {\n  user = zulip_user_status.x.user_id\n}\n", lines, more)
	}
	status := func() zulip.Status {
		found, err := org.Client.Status(context.Background(), id)
		if err != nil {
			t.Error(err)
		}
		return found
	}
	both := "status_text = \"On leave\"\n  emoji_name = \"palm_tree\""
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy: func(*terraform.State) error {
			if left := status(); left != (zulip.Status{}) {
				return fmt.Errorf("the status is still %+v", left)
			}
			return nil
		},
		Steps: []resource.TestStep{
			{
				Config: config(both),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("user_id"), knownvalue.Int64Exact(id)),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("emoji_code"), knownvalue.StringExact("1f334")),
					statecheck.ExpectKnownValue("data."+address, tfjsonpath.New("status_text"), knownvalue.StringExact("On leave")),
				},
			},
			{Config: config(both), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
			{
				PreConfig: func() {
					text := "Here"
					update := zulip.StatusUpdate{Text: &text}
					set := func() error { return org.Client.SetStatus(context.Background(), id, update) }
					if id == org.Self.ID {
						set = func() error { return org.Client.SetOwnStatus(context.Background(), update) }
					}
					if err := set(); err != nil {
						t.Fatal(err)
					}
				},
				Config:           config(both),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)}},
				ConfigStateChecks: []statecheck.StateCheck{acctest.After(func() {
					if got := status(); got.Text != "On leave" {
						t.Errorf("the server holds %+v", got)
					}
				})},
			},
			{ResourceName: address, ImportState: true, ImportStateId: fmt.Sprint(id), ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "user_id"},
			{Config: config("status_text = \"\"\n  emoji_name = \"car\"")},
		},
	})
}

// TestAccUserStatusOwn is the status of the account the provider uses, named by nothing.
func TestAccUserStatusOwn(t *testing.T) {
	org := acctest.Start(t)
	life(t, org, "", org.Self.ID)
}

// TestAccSandboxUserStatus is the status of somebody else: on a sandbox, for it is not the tests' to speak for people.
func TestAccSandboxUserStatus(t *testing.T) {
	org := acctest.StartSandbox(t, sandbox.Config{})
	life(t, org, fmt.Sprintf("user = %q", userStatusLena), id(t, org, "member"))
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

// An administrator who was made by hand is drift, by name, from the import on: the plan takes the role away again.
func TestAccSandboxRoleMembersDrift(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Setenv("TF_LOG", "") // what the CLI prints is looked at
	administrators := block("administrators", "administrator", roleMembersTomas, bot(t, o))
	roleMembersGive(t, o, "member", zulip.RoleAdministrator)
	w.Configure(t, administrators)
	if printed, ok := w.Run(t, "plan"); ok || !strings.Contains(printed, "Others are administrator too") || !strings.Contains(printed, roleMembersLena) {
		t.Errorf("a new list that does not name everybody is planned:\n%s", printed)
	}
	w.Configure(t, "import {\n  to = zulip_role_members.administrators\n  id = \"administrator\"\n}\n"+administrators)
	if printed := w.Must(t, "plan"); !strings.Contains(printed, "1 to import, 0 to add, 1 to change") || !strings.Contains(printed, `- "`+roleMembersLena+`"`) {
		t.Errorf("the plan of the import does not name who is taken out:\n%s", printed)
	}
	w.Must(t, "apply", "-auto-approve")
	expectRoleMembers(t, o, map[string]string{"member": "member", "admin": "administrator", "bot": "administrator"})

	roleMembersGive(t, o, "member2", zulip.RoleAdministrator)
	if printed := w.Must(t, "plan"); !strings.Contains(printed, `- "`+roleMembersKenji+`"`) || !strings.Contains(printed, "1 to change") {
		t.Errorf("the plan does not name who was made an administrator by hand:\n%s", printed)
	}
	roleMembersGive(t, o, "admin", zulip.RoleMember)
	w.Must(t, "apply", "-auto-approve")
	expectRoleMembers(t, o, map[string]string{"member2": "member", "admin": "administrator"})
	if printed := w.Must(t, "plan"); !strings.Contains(printed, "No changes.") {
		t.Errorf("after the apply:\n%s", printed)
	}
	// A saved plan does not write over what was done since.
	w.Configure(t, block("administrators", "administrator", roleMembersTomas, bot(t, o), roleMembersKenji))
	w.Must(t, "plan", "-out=saved")
	roleMembersGive(t, o, "member2", zulip.RoleModerator)
	if printed, ok := w.Run(t, "apply", "saved"); ok || !strings.Contains(printed, "The role of "+roleMembersKenji+" was changed since the plan was made") {
		t.Errorf("the saved plan is applied:\n%s", printed)
	}
	expectRoleMembers(t, o, map[string]string{"member2": "moderator"})
	w.Configure(t, "")
	if printed := w.Must(t, "plan"); !strings.Contains(printed, "The role administrator stays with who has it") {
		t.Errorf("the plan of the end says\n%s", printed)
	}
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
