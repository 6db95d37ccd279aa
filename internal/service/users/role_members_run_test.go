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

// roleMembersPart is one resource of a run with several.
type roleMembersPart struct {
	resource string
	imported string // the ID to import; "" for a new resource
	config   values
	fails    string // the error of its plan if it is planned last
}

// eachOrder calls test with the parts in both orders.
func eachOrder(t *testing.T, first, second roleMembersPart, test func(t *testing.T, parts []roleMembersPart)) {
	t.Helper()
	for name, parts := range map[string][]roleMembersPart{"as written": {first, second}, "reversed": {second, first}} {
		t.Run(name, func(t *testing.T) { test(t, parts) })
	}
}

// planIn plans a part in a process.
func planIn(t *testing.T, p *acctest.Process, one roleMembersPart) (*acctest.PlannedChange, acctest.Diagnostics) {
	t.Helper()
	var state *acctest.Instance
	if one.imported != "" {
		imported, diags := p.Import(one.resource, one.imported, nil)
		diags.ExpectNoError(t)
		if state, diags = p.Read(one.resource, imported); state == nil {
			t.Fatal(diags)
		}
	}
	return p.Plan(one.resource, state, one.config)
}

// Two resources that contradict each other about a role are refused, whichever is planned first.
func TestProtocolRoleMembersTwoResources(t *testing.T) {
	moderators := roleMembersPart{"zulip_role_members", "", list("moderator", roleMembersAmara, roleMembersLena), "users"}
	for name, test := range map[string]struct {
		first, second roleMembersPart
		says          string
		way           string // the fix, in any order
	}{
		"a role that is not the list's":         {moderators, roleMembersPart{"zulip_user_role", "", values{"user": roleMembersLena, "role": "guest"}, "role"}, "Two roles for " + roleMembersLena, ""},
		"the role of someone who is not listed": {moderators, roleMembersPart{"zulip_user_role", "", values{"user": roleMembersKenji, "role": "moderator"}, "role"}, "Two roles for " + roleMembersKenji, ""},
		"a user":                                {moderators, roleMembersPart{"zulip_user", roleMembersLena, values{"email": roleMembersLena, "full_name": "Lena Fischer", "role": "member"}, "role"}, "Two roles for " + roleMembersLena, ""},
		"an account that keeps the role what the list takes away": {
			roleMembersPart{"zulip_role_members", "moderator", list("moderator"), "users"},
			roleMembersPart{"zulip_user", roleMembersAmara, values{"email": roleMembersAmara, "full_name": "Amara Okafor", "role": "moderator"}, "role"}, "Two roles for " + roleMembersAmara, "",
		},
		"the end of a role": {
			moderators, roleMembersPart{"zulip_user_role", roleMembersAmara + "=member", nil, "on_destroy"}, "Two roles for " + roleMembersAmara, "removed {",
		},
		"the end of a role that the account has": {
			roleMembersPart{"zulip_user", roleMembersAmara, values{"email": roleMembersAmara, "full_name": "Amara Okafor", "role": "moderator"}, "role"},
			roleMembersPart{"zulip_user_role", roleMembersAmara + "=member", nil, "on_destroy"}, "Two roles for " + roleMembersAmara, "removed {",
		},
		"another list": {
			roleMembersPart{"zulip_role_members", "owner", list("owner", roleMembersInes, roleMembersLena), "users"}, moderators, "Two roles for " + roleMembersLena, "",
		},
		"the list of the same role": {
			roleMembersPart{"zulip_role_members", "", list("moderator", roleMembersAmara), "role"}, roleMembersPart{"zulip_role_members", "", list("moderator", roleMembersAmara, roleMembersLena), "role"}, "Duplicate list of users with the role moderator", "",
		},
		"the same list twice": {
			roleMembersPart{"zulip_role_members", "", list("moderator", roleMembersAmara), "role"}, roleMembersPart{"zulip_role_members", "", list("moderator", roleMembersAmara), "role"}, "Duplicate list of users with the role moderator", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachOrder(t, test.first, test.second, func(t *testing.T, parts []roleMembersPart) {
				_, run := acctest.StartRun(t, "zulip_role_members")
				p := run.Process()
				_, diags := planIn(t, p, parts[0])
				diags.ExpectNoError(t)
				_, diags = planIn(t, p, parts[1])
				diags.ExpectError(t, parts[1].fails, test.says, test.way)
			})
		})
	}
}

// Resources that agree are accepted.
func TestProtocolRoleMembers_SameRole_Accepted(t *testing.T) {
	moderators := roleMembersPart{"zulip_role_members", "", list("moderator", roleMembersAmara, roleMembersLena), ""}
	for name, other := range map[string]roleMembersPart{
		"the role of one":              {"zulip_user_role", "", values{"user": roleMembersLena, "role": "moderator"}, ""},
		"the account":                  {"zulip_user", roleMembersLena, values{"email": roleMembersLena, "full_name": "Lena Fischer", "role": "moderator"}, ""},
		"an account alone":             {"zulip_user", roleMembersLena, values{"email": roleMembersLena, "full_name": "Lena Fischer"}, ""},
		"someone else":                 {"zulip_user_role", "", values{"user": roleMembersKenji, "role": "guest"}, ""},
		"another role":                 {"zulip_role_members", "owner", list("owner", roleMembersInes, roleMembersKenji), ""},
		"replaced, or not":             {"zulip_role_members", "moderator", list("moderator", roleMembersAmara, roleMembersLena), ""}, // -replace plans the list with and without its state
		"the end of a role that stays": {"zulip_user_role", roleMembersAmara, nil, ""},
		"an unknown person":            {"zulip_user_role", "", values{"user": acctest.Unknown, "role": "guest"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			eachOrder(t, moderators, other, func(t *testing.T, parts []roleMembersPart) {
				_, run := acctest.StartRun(t, "zulip_role_members")
				p := run.Process()
				for _, one := range parts {
					_, diags := planIn(t, p, one)
					diags.ExpectNoError(t)
				}
			})
		})
	}
}

// A user moves from one list to another, or from a list to a separate resource, in one apply, in any order.
func TestProtocolRoleMembersMove(t *testing.T) {
	for name, test := range map[string]struct {
		from, to roleMembersPart
		role     string
		most     int // requests
	}{
		"up": {roleMembersPart{"zulip_role_members", "moderator", list("moderator"), ""}, roleMembersPart{"zulip_role_members", "owner", list("owner", roleMembersInes, roleMembersAmara), ""}, "owner", 2},
		"down": {
			roleMembersPart{"zulip_role_members", "administrator", list("administrator", roleMembersTomas, roleMembersLena), ""},
			roleMembersPart{"zulip_role_members", "moderator", nil, ""}, "moderator", 2,
		},
		"to a role of its own": {roleMembersPart{"zulip_role_members", "moderator", list("moderator"), ""}, roleMembersPart{"zulip_user_role", "", values{"user": roleMembersAmara, "role": "administrator"}, ""}, "administrator", 2},
	} {
		t.Run(name, func(t *testing.T) {
			for order, places := range map[string][]int{"from first": {0, 1}, "to first": {1, 0}} {
				t.Run(order, func(t *testing.T) {
					o, run := acctest.StartRun(t, "zulip_role_members")
					account, who := "moderator", []roleMembersPart{test.from, test.to}
					if name == "down" { // the account is the bot, whose email depends on the sandbox
						account = "bot"
						roleMembersGive(t, o, "member", zulip.RoleAdministrator)
						who[1].config = list("moderator", roleMembersAmara, bot(t, o))
					}
					p := run.Process()
					plans := make([]*acctest.PlannedChange, 2)
					for _, place := range places {
						var diags acctest.Diagnostics
						plans[place], diags = planIn(t, p, who[place])
						diags.ExpectNoError(t)
					}
					apply, sent := run.Process(), o.Sent()
					for _, place := range places {
						again := apply.MustPlan(who[place].resource, plans[place].Prior, plans[place].Config)
						apply.MustApply(again)
					}
					expectRoleMembers(t, o, map[string]string{account: test.role})
					if count := len(sent.Writes()); count > test.most {
						t.Errorf("%d requests wrote: %v", count, fmt.Sprint(sent.Writes()))
					}
				})
			}
		})
	}
}

func TestMain(m *testing.M) {
	status := m.Run()
	acctest.RemovePlugin()
	os.Exit(status)
}

// TestAccSandboxUserAndRole creates an account and names it in other resources of the same run.
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
	acctest.CLI(t)
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
	// The user is also a moderator on the server.
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

// A plan that deactivates a person makes nothing that needs them active, whichever is planned first.
func TestProtocolUser_LeavesWithNewThings_Refused(t *testing.T) {
	inactive := values{"email": roleMembersLena, "full_name": "Lena Fischer", "active": false}
	for name, part := range map[string]roleMembersPart{
		"bot":          {"zulip_bot", "", values{"short_name": "pager", "full_name": "Pager", "owner": roleMembersLena}, "owner"},
		"subscription": {"zulip_channel", "", values{"name": "new", "initial_subscribers": []any{roleMembersLena, roleMembersInes}}, "initial_subscribers"},
		"status":       {"zulip_user_status", "", values{"user": roleMembersLena, "status_text": "away"}, "user"},
		"owner":        {"zulip_bot", "terraform-bot@zulip.example.com", values{"short_name": "terraform", "full_name": "Terraform", "owner": roleMembersLena}, "owner"},
		"message":      {"zulip_message", "", values{"recipients": []any{roleMembersLena}, "content": "Hello"}, "recipients"},
		"draft":        {"zulip_draft", "", values{"recipients": []any{roleMembersLena}, "content": "Hello"}, "recipients"},
		"later":        {"zulip_scheduled_message", "", values{"recipients": []any{roleMembersLena}, "content": "Hello", "scheduled_delivery_timestamp": "2099-01-15T09:00:00Z"}, "recipients"},
	} {
		for way, config := range map[string]values{"active = false": inactive, "destroy": nil} {
			t.Run(name+"/"+way, func(t *testing.T) {
				eachOrder(t, part, roleMembersPart{"zulip_user", roleMembersLena, config, ""}, func(t *testing.T, parts []roleMembersPart) {
					_, run := acctest.StartRun(t, "zulip_role_members")
					p := run.Process()
					_, diags := planIn(t, p, parts[0])
					diags.ExpectNoError(t)
					_, diags = planIn(t, p, parts[1])
					diags.ExpectError(t, parts[1].fails, "This plan deactivates "+roleMembersLena, "must be active")
				})
			})
		}
	}
}

// A replaced list names someone who hides their email: only the plan with the state knows the ID.
func TestProtocolRoleMembers_ReplacedWithHiddenEmail_OneList(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_role_members")
	config := list("moderator", roleMembersAmara, roleMembersLena)
	run.MustApply(config)
	o.WithAccount(t, "member").Call(t, "PATCH", "/settings", map[string]string{"email_address_visibility": "4"})
	p := run.Process()
	state, diags := p.Read("zulip_role_members", run.State)
	diags.ExpectNoError(t)
	_, diags = p.Plan("zulip_role_members", state, config)
	diags.ExpectNoError(t)
	_, diags = p.Plan("zulip_role_members", nil, config)
	for _, one := range diags {
		if strings.Contains(one.Summary, "Duplicate") {
			t.Error(one)
		}
	}
}
