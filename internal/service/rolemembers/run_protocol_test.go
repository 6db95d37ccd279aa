package rolemembers_test

import (
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// part is one resource of a run with several.
type part struct {
	resource string
	imported string // what its state is imported by; "": it is created
	config   values
	fails    string // where its plan is refused if it is the last one
}

// eachOrder calls test with the parts in both orders.
func eachOrder(t *testing.T, first, second part, test func(t *testing.T, parts []part)) {
	t.Helper()
	for name, parts := range map[string][]part{"as written": {first, second}, "reversed": {second, first}} {
		t.Run(name, func(t *testing.T) { test(t, parts) })
	}
}

// planIn plans a part in a process.
func planIn(t *testing.T, p *acctest.Process, one part) (*acctest.PlannedChange, acctest.Diagnostics) {
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

// Two resources that say different things of a role are refused, whichever is planned first.
func TestProtocolRoleMembersTwoResources(t *testing.T) {
	moderators := part{"zulip_role_members", "", list("moderator", amara, lena), "users"}
	for name, test := range map[string]struct {
		first, second part
		says          string
		way           string // what to do, in whatever order they are planned
	}{
		"a role that is not the list's":          {moderators, part{"zulip_user_role", "", values{"user": lena, "role": "guest"}, "role"}, "Two roles for " + lena, ""},
		"the role of somebody who is not listed": {moderators, part{"zulip_user_role", "", values{"user": kenji, "role": "moderator"}, "role"}, "Two roles for " + kenji, ""},
		"an account":                             {moderators, part{"zulip_user", lena, values{"email": lena, "full_name": "Lena Fischer", "role": "member"}, "role"}, "Two roles for " + lena, ""},
		"an account that is taken out": {
			part{"zulip_role_members", "moderator", list("moderator"), "users"},
			part{"zulip_user", amara, values{"email": amara, "full_name": "Amara Okafor", "role": "guest"}, "role"}, "Two roles for " + amara, "",
		},
		"an account that stays what the list takes away": {
			part{"zulip_role_members", "moderator", list("moderator"), "users"},
			part{"zulip_user", amara, values{"email": amara, "full_name": "Amara Okafor", "role": "moderator"}, "role"}, "Two roles for " + amara, "",
		},
		"the end of a role": {
			moderators, part{"zulip_user_role", amara + "=member", nil, "on_destroy"}, "Two roles for " + amara, "removed {",
		},
		"another list": {
			part{"zulip_role_members", "owner", list("owner", ines, lena), "users"}, moderators, "Two roles for " + lena, "",
		},
		"the list of the same role": {
			part{"zulip_role_members", "", list("moderator", amara), "role"}, part{"zulip_role_members", "", list("moderator", amara, lena), "role"}, "Two lists of who is moderator", "",
		},
		"the same list twice": {
			part{"zulip_role_members", "", list("moderator", amara), "role"}, part{"zulip_role_members", "", list("moderator", amara), "role"}, "Two lists of who is moderator", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachOrder(t, test.first, test.second, func(t *testing.T, parts []part) {
				_, run := managed(t)
				p := run.Process()
				_, diags := planIn(t, p, parts[0])
				diags.ExpectNoError(t)
				_, diags = planIn(t, p, parts[1])
				diags.ExpectError(t, parts[1].fails, test.says, test.way)
			})
		})
	}
}

// What says the same is let be.
func TestProtocolRoleMembersThatAgree(t *testing.T) {
	moderators := part{"zulip_role_members", "", list("moderator", amara, lena), ""}
	for name, other := range map[string]part{
		"the role of one":              {"zulip_user_role", "", values{"user": lena, "role": "moderator"}, ""},
		"the account":                  {"zulip_user", lena, values{"email": lena, "full_name": "Lena Fischer", "role": "moderator"}, ""},
		"an account alone":             {"zulip_user", lena, values{"email": lena, "full_name": "Lena Fischer"}, ""},
		"somebody else":                {"zulip_user_role", "", values{"user": kenji, "role": "guest"}, ""},
		"another role":                 {"zulip_role_members", "owner", list("owner", ines, kenji), ""},
		"replaced, or not":             {"zulip_role_members", "moderator", list("moderator", amara, lena), ""}, // -replace plans it with and without its state
		"the end of a role that stays": {"zulip_user_role", amara, nil, ""},
		"an unknown person":            {"zulip_user_role", "", values{"user": acctest.Unknown, "role": "guest"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			eachOrder(t, moderators, other, func(t *testing.T, parts []part) {
				_, run := managed(t)
				p := run.Process()
				for _, one := range parts {
					_, diags := planIn(t, p, one)
					diags.ExpectNoError(t)
				}
			})
		})
	}
}

// Somebody moves from one list to another, or from a list to a resource of their own, in one apply, in any order.
func TestProtocolRoleMembersMove(t *testing.T) {
	for name, test := range map[string]struct {
		from, to part
		role     string
		most     int // requests
	}{
		"up": {part{"zulip_role_members", "moderator", list("moderator"), ""}, part{"zulip_role_members", "owner", list("owner", ines, amara), ""}, "owner", 2},
		"down": {
			part{"zulip_role_members", "administrator", list("administrator", tomas, lena), ""},
			part{"zulip_role_members", "moderator", nil, ""}, "moderator", 2,
		},
		"to a role of its own": {part{"zulip_role_members", "moderator", list("moderator"), ""}, part{"zulip_user_role", "", values{"user": amara, "role": "administrator"}, ""}, "administrator", 2},
	} {
		t.Run(name, func(t *testing.T) {
			for order, places := range map[string][]int{"from first": {0, 1}, "to first": {1, 0}} {
				t.Run(order, func(t *testing.T) {
					o, run := managed(t)
					account, who := "moderator", []part{test.from, test.to}
					if name == "down" { // it is the bot, whose address depends on the sandbox
						account = "bot"
						give(t, o, "member", zulip.RoleAdministrator)
						who[1].config = list("moderator", amara, bot(t, o))
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
						again, diags := apply.Plan(who[place].resource, plans[place].Prior, plans[place].Config)
						diags.ExpectNoError(t)
						_, diags = apply.Apply(again)
						diags.ExpectNoError(t)
					}
					expect(t, o, map[string]string{account: test.role})
					if count := len(sent.Writes()); count > test.most {
						t.Errorf("%d requests wrote: %v", count, fmt.Sprint(sent.Writes()))
					}
				})
			}
		})
	}
}
