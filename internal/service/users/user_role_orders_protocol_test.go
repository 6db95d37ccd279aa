package users_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// These tests apply several resources that change roles and deactivate accounts in every order, with changes outside
// Terraform and with faults. The organization must keep an owner. Users may only be promoted, demoted or deactivated by
// a plan that lists them. No change after the plan may be overwritten.

// userRolePart is one resource of a configuration.
type userRolePart struct {
	resource string
	imported string // the ID to import; "" for a new resource
	config   values // nil to destroy it
	// account is the managed user, and outcome the planned result, such as "moderator" or "deactivated".
	account, outcome string
	// others are further accounts, with the part's plan for them. Another part may plan a different change.
	others map[string]string
	// follows is the name of the part whose user gets the role.
	follows string
}

// A roleChange is a set of changes in a configuration.
type roleChange struct {
	before  map[string]string // roles that accounts have at first
	account string            // the role of the provider's account
	block   values
	parts   []userRolePart
	byHand  map[string]string // roles given outside Terraform between plan and apply, one after the other
	refused bool              // the plan is refused for good
}

const (
	userRoleKenji = "kenji.sato@example.com" // a member
	userRoleAmara = "amara.okafor@example.com"
	userRoleTomas = "tomas.berg@example.com"
)

func listOf(role string, users ...any) values { return values{"role": role, "users": users} }

func roleOf(user, role string) values { return values{"user": user, "role": role} }

var roleChanges = map[string]roleChange{
	"owners change": {
		before: map[string]string{"member": "owner"}, account: "owner",
		parts: []userRolePart{
			{resource: "zulip_user_role", imported: userRoleLena, config: roleOf(userRoleLena, "member"), account: "member", outcome: "member"},
			{resource: "zulip_user_role", imported: userRoleKenji, config: roleOf(userRoleKenji, "owner"), account: "member2", outcome: "owner"},
			{resource: "zulip_user_group", config: values{"name": "owners", "description": "", "members": []any{userRoleLena, userRoleKenji, userRoleInes}}},
		},
		byHand: map[string]string{"member": "guest", "member2": "guest"},
	},
	"the last owner hands over": {
		account: "owner", block: values{"lockout_protection": false},
		parts: []userRolePart{
			{resource: "zulip_user_role", imported: userRoleInes, config: roleOf(userRoleInes, "administrator"), account: "owner", outcome: "administrator"},
			{resource: "zulip_user_role", imported: userRoleLena, config: roleOf(userRoleLena, "owner"), account: "member", outcome: "owner"},
			{resource: "zulip_user", imported: userRoleAmara, account: "moderator", outcome: "deactivated"},
		},
		byHand: map[string]string{"member": "administrator"},
	},
	"two owners leave": {
		before: map[string]string{"member": "owner", "moderator": "owner"}, account: "owner",
		parts: []userRolePart{
			{resource: "zulip_user", imported: userRoleLena, account: "member", outcome: "deactivated"},
			{resource: "zulip_user", imported: userRoleAmara, config: values{"email": userRoleAmara, "full_name": "Amara Okafor", "role": "guest"}, account: "moderator", outcome: "guest"},
			{resource: "zulip_bot", config: values{"short_name": "alerts", "full_name": "Alerts", "role": "moderator"}},
		},
		byHand: map[string]string{"moderator": "moderator"},
	},
	"the owner of the provider's bot leaves": {
		account: "bot", refused: true,
		parts: []userRolePart{
			{resource: "zulip_user", imported: userRoleTomas, account: "admin", outcome: "deactivated"},
			{resource: "zulip_user_role", imported: userRoleKenji, config: roleOf(userRoleKenji, "moderator"), account: "member2", outcome: "moderator"},
			{resource: "zulip_user_role", imported: userRoleTomas, config: roleOf(userRoleTomas, "member"), account: "admin", outcome: "member"},
		},
	},
	"somebody moves between lists": {
		before: map[string]string{"member2": "moderator"}, account: "owner",
		parts: []userRolePart{
			{resource: "zulip_role_members", imported: "moderator", config: listOf("moderator", userRoleLena), account: "member", outcome: "moderator", others: map[string]string{"moderator": "member", "member2": "member"}},
			{resource: "zulip_role_members", imported: "owner", config: listOf("owner", userRoleInes, userRoleAmara), account: "moderator", outcome: "owner"},
			{resource: "zulip_user_role", imported: userRoleKenji, config: roleOf(userRoleKenji, "guest"), account: "member2", outcome: "guest"},
		},
		byHand: map[string]string{"moderator": "administrator", "member": "administrator", "member2": "administrator"},
	},
	"owners hand over by a list": {
		before: map[string]string{"member": "owner"}, account: "owner", block: values{"lockout_protection": false},
		parts: []userRolePart{
			{resource: "zulip_role_members", imported: "owner", config: listOf("owner", userRoleKenji), account: "member2", outcome: "owner", others: map[string]string{"member": "member", "owner": "member"}},
			{resource: "zulip_user", imported: userRoleAmara, account: "moderator", outcome: "deactivated"},
		},
		byHand: map[string]string{"member": "guest", "member2": "guest"},
	},
	"an account that is created": {
		account: "owner",
		parts: []userRolePart{
			{resource: "zulip_user", config: values{"email": "nadia@example.com", "full_name": "Nadia Haddad"}},
			{resource: "zulip_user_role", config: values{"role": "moderator"}, follows: "0"},
			{resource: "zulip_user_role", imported: userRoleKenji, config: roleOf(userRoleKenji, "guest"), account: "member2", outcome: "guest"},
		},
		byHand: map[string]string{"member2": "administrator"},
	},
}

func TestProtocolUserRole_AnyOrder(t *testing.T) {
	all := map[string]*acctest.Orders{}
	for name, one := range roleChanges {
		all[name] = one.orders()
	}
	acctest.TryOrders(t, "orders of roles", all)
}

// resources returns the parts, each named by its index.
func (c roleChange) resources() (parts []acctest.Entry) {
	for i, one := range c.parts {
		part := acctest.Entry{Name: fmt.Sprint(i), Kind: one.resource}
		if one.config != nil {
			part.Config = acctest.Fixed(one.config)
		}
		if one.follows != "" {
			part.Needs = []string{one.follows}
			part.Config = func(get acctest.Get) values {
				config := maps.Clone(one.config)
				if config["user"] = get(one.follows, "id"); config["user"] != acctest.Unknown {
					config["user"] = fmt.Sprint(config["user"])
				}
				return config
			}
		}
		parts = append(parts, part)
	}
	return parts
}

func (c roleChange) orders() *acctest.Orders {
	orders := &acctest.Orders{
		After: c.resources(), Imported: map[string]string{}, OutsideChanges: map[string]func(*testing.T, *acctest.Organization){}, PlanFails: c.refused,
		LosesPermissions: c.block["lockout_protection"] == false,
		Start: func(t *testing.T) *acctest.Resources {
			o := acctest.NewSandbox(t, sandbox.Config{})
			for account, role := range c.before {
				giveRole(t, o, account, role)
			}
			r := o.NewResources(t)
			credentials, _ := o.Sandbox.Credentials(c.account)
			r.Block = o.Block(values{"email": credentials.Email, "api_key": credentials.APIKey})
			maps.Copy(r.Block, c.block)
			r.Applied = func(part acctest.Entry) { c.checkPart(t, o, part) }
			return r
		},
		Promise: func(t *testing.T, a *acctest.OrderedApply) func(acctest.Diagnostics) {
			before := roles(a.Organization)
			return func(acctest.Diagnostics) { c.check(t, a, before) }
		},
	}
	for i, one := range c.parts {
		orders.Imported[fmt.Sprint(i)] = one.imported
	}
	for account, role := range c.byHand {
		orders.OutsideChanges[account] = func(t *testing.T, o *acctest.Organization) { giveRole(t, o, account, role) }
	}
	return orders
}

// giveRole gives a role outside Terraform.
func giveRole(t *testing.T, o *acctest.Organization, account, role string) {
	t.Helper()
	number := slices.Index([]string{"owner", "administrator", "moderator", "member", "", "guest"}, role)
	o.Call(t, "PATCH", fmt.Sprint("/users/", id(t, o, account)), map[string]string{"role": fmt.Sprint(100 * (number + 1))})
}

// roles returns the roles of accounts by name, or "deactivated".
func roles(o *acctest.Organization) map[string]string {
	names := map[int]string{100: "owner", 200: "administrator", 300: "moderator", 400: "member", 600: "guest"}
	all := map[string]string{}
	o.Sandbox.Organization().Read(func(org *rules.Organization) {
		for _, u := range org.Users.All() {
			name := u.Account
			if name == "" {
				name = u.Email
			}
			if all[name] = names[u.Role]; !u.Active {
				all[name] = "deactivated"
			}
		}
	})
	return all
}

// checkPart checks the sandbox right after a part was applied.
func (c roleChange) checkPart(t *testing.T, o *acctest.Organization, resource acctest.Entry) {
	t.Helper()
	i, err := strconv.Atoi(resource.Name)
	acctest.NoError(t, err)
	part := c.parts[i]
	if is := roles(o)[part.account]; part.account != "" && is != part.outcome {
		t.Errorf("%s %s is applied, and %s is %s", resource.Kind, resource.Name, part.account, is)
	}
}

// check checks the sandbox after an apply: it has an owner, and no one has a role that no plan listed. Changes
// outside Terraform since the plan are kept.
func (c roleChange) check(t *testing.T, a *acctest.OrderedApply, before map[string]string) {
	t.Helper()
	held, hasOwner := roles(a.Organization), false
	for account, is := range held {
		hasOwner = hasOwner || is == "owner" && account != "bot"
		isChangedByHand := account == a.OutsideChange && !a.IsRepeated
		isListed := is == before[account]
		for i, part := range c.parts {
			isListed = isListed || a.Plans[fmt.Sprint(i)] != nil && !isChangedByHand && (part.account == account && part.outcome == is || part.others[account] == is)
		}
		if _, wasThere := before[account]; wasThere && !isListed {
			t.Errorf("%s was %s and is %s, which no plan listed", account, before[account], is)
		}
		if account == c.account && is != before[account] && c.block["lockout_protection"] == nil {
			t.Errorf("the provider's account was %s and is %s", before[account], is)
		}
	}
	if !hasOwner {
		t.Error("the organization has no owner")
	}
	for i, part := range c.parts {
		state, plan := a.States[fmt.Sprint(i)], a.Plans[fmt.Sprint(i)]
		if state == nil || plan == nil || part.account == "" || !strings.HasPrefix(part.resource, "zulip_user") {
			continue
		}
		if is := held[part.account]; state.Values["role"] != is && plan.Prior.Values["role"] != state.Values["role"] {
			t.Errorf("the state of %s %d has %v, and %s is %s", part.resource, i, state.Values["role"], part.account, is)
		}
	}
}
