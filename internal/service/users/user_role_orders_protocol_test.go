package users_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// Runs of several resources that change roles and deactivate accounts, planned and applied in every order that the references
// between them allow, with a fault at every request of the apply, and with a change by hand between plan and apply. Whatever
// happens, the organization keeps an owner, nobody is promoted, demoted or deactivated whom no plan listed, and nobody's
// decision since the plan is overwritten.

// userRolePart is one resource of a run.
type userRolePart struct {
	resource string
	imported string // what its state is imported by; "": it is created
	config   values // nil: it is destroyed
	after    int    // the place of the part that it refers to, from 1; 0: none
	// account is whose role or existence it manages, and outcome what it plans, as in "moderator" or "deactivated".
	account, outcome string
	// others are further accounts, and what the part plans for them: another part may plan something else.
	others map[string]string
}

// A run is what a configuration changes at once.
type ordersRun struct {
	before  map[string]string // roles that accounts have at first
	account string            // the provider's
	block   values
	parts   []userRolePart
	byHand  map[string]string // roles that somebody gives between plan and apply, one after the other
	refused bool              // the plan is refused for good
}

const (
	userRoleKenji = "kenji.sato@example.com" // a member
	userRoleAmara = "amara.okafor@example.com"
	userRoleTomas = "tomas.berg@example.com"
)

func listOf(role string, users ...any) values { return values{"role": role, "users": users} }

func roleOf(user, role string) values { return values{"user": user, "role": role} }

var ordersRuns = map[string]ordersRun{
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
			{resource: "zulip_user_role", config: roleOf("nadia@example.com", "moderator"), after: 1},
			{resource: "zulip_user_role", imported: userRoleKenji, config: roleOf(userRoleKenji, "guest"), account: "member2", outcome: "guest"},
		},
		byHand: map[string]string{"member2": "administrator"},
	},
}

// ordersFaults are what happens to one request of an apply.
var ordersFaults = []sandbox.Fault{
	{Action: sandbox.FaultStatus, Status: 429, RetryAfter: 10 * time.Millisecond},
	{Action: sandbox.FaultStatus, Status: 503},
	{Action: sandbox.FaultStatus, Status: 503, After: true},
	{Action: sandbox.FaultDrop, After: true},
}

// atOnce is how many schedules run at the same time: they wait for pauses between requests more than they compute.
const atOnce = 24

// orderedRun is one try of a run.
type orderedRun struct {
	ordersRun
	t      *testing.T
	o      *acctest.Organization
	states []*acctest.Instance
	prior  map[string]string // what accounts were before the apply
}

func TestProtocolUserRoleRoleOrders(t *testing.T) {
	var tried, kept atomic.Int32
	t.Run("orders", func(t *testing.T) {
		places := make(chan struct{}, atOnce)
		for name, run := range ordersRuns {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var waiting sync.WaitGroup
				try := func(planned, applied []int, fault *sandbox.Fault, byHand string) (requests int) {
					tried.Add(1)
					place := fmt.Sprintf("planned %v, applied %v, %s, by hand %s", planned, applied, faultText(fault), byHand)
					if t.Run(place, func(t *testing.T) { requests = tryOrder(t, run, planned, applied, fault, byHand) }) {
						kept.Add(1)
					}
					return requests
				}
				begin := func(planned, applied []int, fault *sandbox.Fault, byHand string) {
					waiting.Go(func() {
						places <- struct{}{}
						defer func() { <-places }()
						try(planned, applied, fault, byHand)
					})
				}
				orders := run.orders()
				for _, planned := range orders {
					for _, applied := range orders {
						if slices.Equal(planned, applied) || !testing.Short() {
							begin(planned, applied, nil, "")
						}
					}
				}
				for i, applied := range orders {
					for _, account := range slices.Sorted(maps.Keys(run.byHand)) {
						begin(applied, applied, nil, account)
					}
					if testing.Short() || i%2 == 1 {
						continue // every request is hit in half of the orders
					}
					requests := try(applied, applied, nil, "")
					for skip := range requests {
						fault := ordersFaults[skip%len(ordersFaults)]
						if i == 0 {
							for _, fault = range ordersFaults {
								fault.Skip, fault.Count = skip, 1
								begin(applied, applied, &fault, "")
							}
							continue
						}
						fault.Skip, fault.Count = skip, 1
						begin(applied, applied, &fault, "")
					}
				}
				waiting.Wait()
			})
		}
	})
	if tried.Load() < 150 && !testing.Short() {
		t.Errorf("%d schedules are too few", tried.Load())
	}
	acctest.Report(func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "orders of roles: %d schedules, %d kept the promise\n", tried.Load(), kept.Load())
	})
}

func faultText(fault *sandbox.Fault) string {
	if fault == nil {
		return "no fault"
	}
	return fmt.Sprintf("request %d: %s %d", fault.Skip+1, fault, fault.Status)
}

// orders are the permutations of the parts in which none comes before what it refers to.
func (run ordersRun) orders() (all [][]int) {
	var extend func(order []int)
	extend = func(order []int) {
		if len(order) == len(run.parts) {
			all = append(all, slices.Clone(order))
			return
		}
		for i, part := range run.parts {
			if !slices.Contains(order, i) && (part.after == 0 || slices.Contains(order, part.after-1)) {
				extend(append(slices.Clone(order), i))
			}
		}
	}
	extend(nil)
	return all
}

// tryOrder plans and applies a run once, looks at what the sandbox holds, and then applies until nothing is left to do. It
// returns how many requests the apply took.
func tryOrder(t *testing.T, run ordersRun, planned, applied []int, fault *sandbox.Fault, byHand string) (requests int) {
	owner := acctest.NewSandbox(t, sandbox.Config{})
	r := &orderedRun{ordersRun: run, t: t, o: owner, states: make([]*acctest.Instance, len(run.parts))}
	credentials, _ := owner.Sandbox.Credentials(run.account)
	more := values{"email": credentials.Email, "api_key": credentials.APIKey}
	maps.Copy(more, run.block)
	block := owner.Block(more)
	start := func() *acctest.Process {
		p := acctest.StartProcess(context.Background(), t)
		p.Configure(block).ExpectNoError(t)
		return p
	}
	for account, role := range run.before {
		r.give(account, role)
	}
	p := start()
	for i, part := range run.parts {
		if part.imported != "" {
			imported, diags := p.Import(part.resource, part.imported, nil)
			diags.ExpectNoError(t)
			r.states[i], diags = p.Read(part.resource, imported)
			diags.ExpectNoError(t)
		}
	}
	plans, errors := r.plan(start(), planned)
	if (errors > 0) != run.refused {
		t.Fatalf("%d resources are refused in the plan", errors)
	}
	if byHand != "" {
		r.give(byHand, run.byHand[byHand])
	}
	r.prior = r.held()
	heal := func() {}
	if fault != nil {
		heal = owner.Sandbox.Fail(*fault)
	}
	before := len(owner.Sandbox.Journal().Requests(sandbox.Filter{}))
	r.apply(start(), plans, applied)
	requests = len(owner.Sandbox.Journal().Requests(sandbox.Filter{})) - before
	heal()
	r.check(plans, byHand)
	for range len(run.parts) + 1 {
		plans, _ = r.plan(start(), planned)
		if !slices.ContainsFunc(plans, func(plan *acctest.PlannedChange) bool { return plan != nil && !plan.Empty() }) {
			return requests
		}
		r.prior = r.held()
		r.apply(start(), plans, applied)
		r.check(plans, "")
	}
	t.Errorf("after as many applies as there are resources the plan is not empty: %v", plans)
	return requests
}

// plan plans all parts, after reading them. A part that is refused has no plan.
func (r *orderedRun) plan(p *acctest.Process, order []int) (plans []*acctest.PlannedChange, errors int) {
	plans = make([]*acctest.PlannedChange, len(r.parts))
	for _, i := range order {
		part := r.parts[i]
		if r.states[i] != nil {
			state, diags := p.Read(part.resource, r.states[i])
			diags.ExpectNoError(r.t)
			r.states[i] = state
		}
		if r.states[i] == nil && part.config == nil {
			continue
		}
		config := part.config
		if part.after != 0 && r.states[part.after-1] == nil {
			config = maps.Clone(config)
			config["user"] = acctest.Unknown
		}
		plan, diags := p.Plan(part.resource, r.states[i], config)
		if len(diags.Errors()) > 0 {
			errors++
			continue
		}
		plans[i] = plan
	}
	return plans, errors
}

// apply plans each part again and applies it, as the CLI does. The state is what the provider returns, also after an error.
func (r *orderedRun) apply(p *acctest.Process, plans []*acctest.PlannedChange, order []int) {
	for _, i := range order {
		part := r.parts[i]
		if plans[i] == nil || plans[i].Empty() || part.after != 0 && r.states[part.after-1] == nil {
			continue
		}
		again, diags := p.Plan(part.resource, plans[i].Prior, part.config)
		if len(diags.Errors()) > 0 {
			continue
		}
		state, diags := p.Apply(again)
		r.states[i] = state
		if len(diags.Errors()) == 0 && part.account != "" {
			if got := r.held()[part.account]; got != part.outcome {
				r.t.Errorf("%s %d is applied, and %s is %s", part.resource, i, part.account, got)
			}
		}
	}
}

// give gives a role by hand.
func (r *orderedRun) give(account, role string) {
	r.t.Helper()
	number := slices.Index([]string{"owner", "administrator", "moderator", "member", "", "guest"}, role)
	r.o.Call(r.t, "PATCH", fmt.Sprint("/users/", id(r.t, r.o, account)), map[string]string{"role": fmt.Sprint(100 * (number + 1))})
}

// held is what accounts are, by their names: a role, or deactivated.
func (r *orderedRun) held() map[string]string {
	roles := map[int]string{100: "owner", 200: "administrator", 300: "moderator", 400: "member", 600: "guest"}
	all := map[string]string{}
	r.o.Sandbox.Organization().Read(func(org *rules.Organization) {
		for _, u := range org.Users.All() {
			name := u.Account
			if name == "" {
				name = u.Email
			}
			if all[name] = roles[u.Role]; !u.Active {
				all[name] = "deactivated"
			}
		}
	})
	return all
}

// check looks at what the sandbox holds after an apply: an owner, and nobody who is something that no plan listed. What was
// changed by hand since the plan is as it was left.
func (r *orderedRun) check(plans []*acctest.PlannedChange, byHand string) {
	r.t.Helper()
	hasOwner := false
	for account, is := range r.held() {
		hasOwner = hasOwner || is == "owner" && account != "bot"
		isListed := is == r.prior[account]
		for i, part := range r.parts {
			isListed = isListed || plans[i] != nil && account != byHand && (part.account == account && part.outcome == is || part.others[account] == is)
		}
		_, isThere := r.prior[account]
		if isThere && !isListed {
			r.t.Errorf("%s was %s and is %s, which no plan listed", account, r.prior[account], is)
		}
		if account == r.account && is != r.prior[account] && r.block["lockout_protection"] == nil {
			r.t.Errorf("the provider's account was %s and is %s", r.prior[account], is)
		}
	}
	if !hasOwner {
		r.t.Error("the organization has no owner")
	}
	for i, state := range r.states {
		part := r.parts[i]
		if state == nil || part.account == "" || !strings.HasPrefix(part.resource, "zulip_user") {
			continue
		}
		if is := r.held()[part.account]; state.Values["role"] != is && plans[i] != nil && plans[i].Prior.Values["role"] != state.Values["role"] {
			r.t.Errorf("the state of %s %d has %v, and %s is %s", part.resource, i, state.Values["role"], part.account, is)
		}
	}
}
