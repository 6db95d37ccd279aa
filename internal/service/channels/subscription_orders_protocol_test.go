package channels_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Runs of several resources, planned and applied in every order that their references allow, as no CLI promises one; with a
// change by hand between the plan and the apply; and with a fault at every request of the apply. Whatever happens, nobody is in
// a channel or out of it whom no plan listed, the state is what is, and the next applies bring what is configured.

// configured is the configuration of a resource, from the values of those it refers to; nil where it is in none.
type configured func(w *world) values

// member of a run is one resource, as its configuration is before the run and after.
type part struct {
	name, kind    string
	before, after configured
	needs         []string // the resources that it refers to
	imported      string   // by what it is imported at first, instead of being created
}

// orderTest is a run, and who is to be in the channels when it has converged, by their names then.
type orderTest struct {
	parts []part
	// byHand are what somebody does between the plan and the apply.
	byHand map[string]func(w *world)
	// requests is how many requests the apply makes, at most.
	requests int
	// refuses are the changes by hand after which the configuration cannot be applied any more, rightly.
	refuses string
	want    map[string][]string
}

func fixed(config values) configured { return func(*world) values { return config } }

// in configures who is in a channel that the test names, by its ID.
func in(channel string, users ...string) configured {
	return func(w *world) values {
		return values{"channel": fmt.Sprint(w.channels[channel]), "users": texts(users...)}
	}
}

func subscriptionGroup(members ...string) configured {
	return fixed(values{"name": "press", "members": texts(members...)})
}

func membership(members ...string) configured {
	return fixed(values{"group": "web", "members": texts(members...)})
}

func named(name, privacy string) configured {
	return fixed(values{"name": name, "privacy": privacy})
}

// following are the members of both groups, by reference.
func following(w *world) values {
	users := []any{}
	for _, name := range []string{"press", "web"} {
		members, ok := w.values[name]["members"].([]any)
		if !ok {
			return values{"channel": fmt.Sprint(w.channels["vault"]), "users": acctest.Unknown}
		}
		users = append(users, members...)
	}
	return values{"channel": fmt.Sprint(w.channels["vault"]), "users": users}
}

const (
	sharedHistory, public = "private_shared_history", "public"

	groupType, membershipType, channelType, userType = "zulip_user_group", "zulip_user_group_membership", "zulip_channel", "zulip_user"
)

func comes(channel, address string) func(*world) {
	return func(w *world) { w.byHand(http.MethodPost, channel, address) }
}

func goes(channel, address string) func(*world) {
	return func(w *world) { w.byHand(http.MethodDelete, channel, address) }
}

var orderTests = map[string]orderTest{
	"a channel follows groups and is renamed": {
		parts: []part{
			{name: "press", kind: groupType, before: subscriptionGroup(owner, member), after: subscriptionGroup(owner, member2)},
			{name: "web", kind: membershipType, before: membership(admin), after: membership(admin, moderator)},
			{name: "vault", kind: channelType, imported: "vault", before: named("vault", sharedHistory), after: named("crypt", sharedHistory)},
			{name: "list", kind: exclusiveType, before: following, after: following, needs: []string{"press", "web"}},
		},
		requests: 19,
		byHand:   map[string]func(*world){"guest comes": comes("vault", guest), "admin goes": goes("vault", admin)},
		want:     map[string][]string{"crypt": {owner, admin, moderator, member2}},
	},
	"somebody leaves the organization": {
		parts: []part{
			{name: "lena", kind: userType, imported: member, before: fixed(values{"email": member, "full_name": "Lena Fischer"})},
			{name: "press", kind: groupType, before: subscriptionGroup(owner, member), after: subscriptionGroup(owner)},
			{name: "list", kind: exclusiveType, before: in("vault", owner, member, member2), after: in("vault", owner, member2)},
			{name: "some", kind: additiveType, before: in("hall", owner, member, member2), after: in("hall", owner, member2)},
		},
		requests: 16,
		byHand: map[string]func(*world){
			"guest comes": comes("vault", guest),
			"lena is deactivated": func(w *world) {
				w.request(http.MethodDelete, fmt.Sprintf("/users/%d", subscriptionIdOf(w.t, w.Organization, member)), nil)
			},
		},
		want: map[string][]string{"vault": {owner, member2}, "hall": {owner, member2}},
	},
	"a name goes from one channel to another": {
		parts: []part{
			{name: "vault", kind: channelType, imported: "vault", before: named("vault", sharedHistory), after: named("crypt", sharedHistory)},
			{name: "hall", kind: channelType, imported: "hall", before: named("hall", public), after: named("vault", public), needs: []string{"vault"}},
			{name: "list", kind: exclusiveType, before: in("vault", owner, member), after: in("vault", owner, member2)},
			{name: "some", kind: additiveType, before: in("hall", owner, admin), after: in("hall", owner, guest)},
		},
		requests: 26,
		byHand:   map[string]func(*world){"guest comes": comes("vault", guest), "moderator comes": comes("hall", moderator)},
		want:     map[string][]string{"crypt": {owner, member2}, "vault": {owner, guest}},
	},
	"one kind gives way to the other": {
		parts: []part{
			{name: "list", kind: exclusiveType, before: in("vault", owner, member, member2)},
			{name: "some", kind: additiveType, after: in("vault", owner, admin)},
			{name: "vault", kind: channelType, imported: "vault", before: named("vault", sharedHistory), after: named("vault", public)},
			{name: "web", kind: membershipType, before: membership(admin), after: membership(admin, member)},
		},
		requests: 13,
		byHand:   map[string]func(*world){"guest comes": comes("vault", guest), "admin comes": comes("vault", admin)},
		want:     map[string][]string{"vault": {owner, admin, member, member2}},
	},
	"a list for a channel that is there": {
		parts: []part{
			{name: "list", kind: exclusiveType, after: in("vault", owner, member, member2)},
			{name: "some", kind: additiveType, before: in("hall", member2, guest)},
			{name: "press", kind: groupType, before: subscriptionGroup(owner, member), after: subscriptionGroup(owner, member, guest)},
		},
		requests: 15,
		byHand:   map[string]func(*world){"guest comes": comes("vault", guest), "member goes": goes("vault", member)},
		refuses:  "guest comes",
		want:     map[string][]string{"vault": {owner, member, member2}, "hall": {}},
	},
}

// world is an organization, and the state of the run's resources.
type world struct {
	*acctest.Organization
	t        *testing.T
	test     orderTest
	channels map[string]int64
	block    values
	fault    func() (heal func()) // begins when the process of the apply has started
	runs     map[string]*acctest.Run
	// values are what a resource that refers to another sees of it: planned values in a plan, those of the state in an apply.
	values map[string]values
}

// begin sets the organization up, and applies the configuration before the run.
func (test orderTest) begin(t *testing.T) *world {
	o := acctest.NewSandbox(t, sandbox.Config{})
	w := &world{Organization: o, t: t, test: test, channels: map[string]int64{}, block: o.Block(values{"max_retries": 0}), runs: map[string]*acctest.Run{}}
	private(t, o, "vault", nil, owner, member)
	hall(t, o, "hall")
	o.Call(t, http.MethodPost, "/user_groups/create", map[string]string{"name": "web", "description": "", "members": "[]"})
	for _, name := range []string{"vault", "hall"} {
		w.channels[name] = o.MustChannel(t, name).ID
	}
	for _, part := range test.parts {
		run := o.NewRun(t, part.kind)
		run.Block = w.block
		if part.imported != "" {
			run.Import(part.imported, nil).ExpectNoError(t)
		}
		w.runs[part.name] = run
	}
	order := test.orders()[0]
	plans, diags := w.plan(order, true)
	diags.ExpectNoError(t)
	w.apply(order, plans, true).ExpectNoError(t)
	return w
}

// request does something by hand.
func (w *world) request(method, path string, params map[string]string) {
	w.Call(w.t, method, path, params)
}

func (w *world) byHand(method, channel, address string) {
	channels := fmt.Sprintf("[%q]", channel)
	if method == http.MethodPost {
		channels = fmt.Sprintf(`[{"name":%q}]`, channel)
	}
	w.request(method, subscriptionsPath, map[string]string{"subscriptions": channels, "principals": fmt.Sprintf("[%d]", subscriptionIdOf(w.t, w.Organization, address))})
}

// orders are all orders of the resources in which each comes after those it refers to.
func (test orderTest) orders() [][]part {
	var all [][]part
	var extend func(done []part)
	extend = func(done []part) {
		if len(done) == len(test.parts) {
			all = append(all, slices.Clone(done))
			return
		}
		for _, next := range test.parts {
			isDone := func(name string) bool { return slices.ContainsFunc(done, func(p part) bool { return p.name == name }) }
			isMissing := func(name string) bool { return !isDone(name) }
			if !isDone(next.name) && !slices.ContainsFunc(next.needs, isMissing) {
				extend(append(done, next))
			}
		}
	}
	extend(nil)
	return all
}

func (p part) config(w *world, before bool) values {
	config := p.after
	if before {
		config = p.before
	}
	if config == nil {
		return nil
	}
	return config(w)
}

// plan refreshes and plans all resources in one process, as the CLI does.
func (w *world) plan(order []part, before bool) (map[string]*acctest.PlannedChange, acctest.Diagnostics) {
	p := w.runs[order[0].name].Process()
	w.values = map[string]values{}
	plans, all := map[string]*acctest.PlannedChange{}, acctest.Diagnostics{}
	for _, part := range order {
		run := w.runs[part.name]
		if run.State != nil {
			state, diags := p.Read(part.kind, run.State)
			if all = append(all, diags...); len(diags.Errors()) > 0 {
				continue
			}
			run.State = state
		}
		config := part.config(w, before)
		if run.State == nil && config == nil {
			continue
		}
		plan, diags := p.Plan(part.kind, run.State, config)
		all = append(all, diags...)
		plans[part.name], w.values[part.name] = plan, plan.Values
	}
	return plans, all
}

// apply applies plans in one process. What refers to a resource that failed is left out.
func (w *world) apply(order []part, plans map[string]*acctest.PlannedChange, before bool) acctest.Diagnostics {
	p := w.runs[order[0].name].Process()
	if w.fault != nil {
		defer w.fault()()
		w.fault = nil
	}
	w.values = map[string]values{}
	all, failed := acctest.Diagnostics{}, map[string]bool{}
	for _, part := range order {
		run, plan := w.runs[part.name], plans[part.name]
		if run.State != nil {
			w.values[part.name] = run.State.Values
		}
		if plan == nil || plan.Empty() {
			continue
		}
		if failed[part.name] = slices.ContainsFunc(part.needs, func(name string) bool { return failed[name] }); failed[part.name] {
			continue
		}
		var diags acctest.Diagnostics
		if plan.Config == nil {
			run.State, diags = p.Apply(plan)
		} else {
			plan.Config = part.config(w, before)
			diags = run.ApplyIn(p, plan)
		}
		if run.State != nil {
			w.values[part.name] = run.State.Values
		}
		failed[part.name] = len(diags.Errors()) > 0
		all = append(all, diags...)
	}
	return all
}

// people are the addresses of who is in each channel, by its ID; those who are deactivated are left out.
func (w *world) people() map[int64][]string {
	found := map[int64][]string{}
	for _, channel := range w.Sandbox.Organization().Channels() {
		found[int64(channel.ID)] = channel.Subscribers
	}
	return found
}

func (w *world) address(id any) string {
	for _, account := range w.Sandbox.AllCredentials() {
		if int64(account.ID) == id {
			return account.Email
		}
	}
	return fmt.Sprint(id)
}

func (w *world) isActive(address string) bool {
	person, _ := w.Sandbox.Organization().Person(address)
	return person.Active
}

func subscriptionWords(list any) []string {
	all := []string{}
	elements, _ := list.([]any)
	for _, element := range elements {
		all = append(all, fmt.Sprint(element))
	}
	return all
}

func lacking(all, without []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(one string) bool { return slices.Contains(without, one) })
}

// listed are who may come into a channel, and who may leave it, by the plans.
func (w *world) listed(plans map[string]*acctest.PlannedChange) (coming, leaving map[int64][]string) {
	coming, leaving = map[int64][]string{}, map[int64][]string{}
	for _, part := range w.test.parts {
		plan := plans[part.name]
		if plan == nil || part.kind != exclusiveType && part.kind != additiveType {
			continue
		}
		var channel int64
		was := []string{}
		if plan.Prior != nil {
			channel = plan.Prior.Values["channel_id"].(int64)
			was = subscriptionWords(plan.Prior.Values["users"])
			if part.kind == additiveType {
				was = nil
				for _, id := range plan.Prior.Values["added_user_ids"].([]any) {
					was = append(was, w.address(id))
				}
			}
		}
		switch {
		case plan.Values == nil && part.kind == exclusiveType:
			continue // its end leaves everybody
		case plan.Values != nil:
			channel = plan.Values["channel_id"].(int64)
			coming[channel] = append(coming[channel], subscriptionWords(plan.Values["users"])...)
		}
		leaving[channel] = append(leaving[channel], lacking(was, subscriptionWords(plan.Values["users"]))...)
	}
	return coming, leaving
}

// expectPromise compares what the apply did with what the plans said, and the state with what the server holds.
func (w *world) expectPromise(plans map[string]*acctest.PlannedChange, before map[int64][]string) {
	w.t.Helper()
	after := w.people()
	coming, leaving := w.listed(plans)
	for channel := range after {
		for _, address := range lacking(lacking(before[channel], after[channel]), leaving[channel]) {
			if w.isActive(address) {
				w.t.Errorf("%s is out of channel %d, and no plan said so", address, channel)
			}
		}
		for _, address := range lacking(lacking(after[channel], before[channel]), coming[channel]) {
			w.t.Errorf("%s is in channel %d, and no plan said so", address, channel)
		}
	}
	if len(after) != len(before) {
		w.t.Errorf("there are %d channels, and were %d", len(after), len(before))
	}
	for _, part := range w.test.parts {
		if state := w.runs[part.name].State; state != nil && plans[part.name] != nil && !plans[part.name].Empty() {
			w.expectState(part, state.Values, after)
		}
	}
}

func (w *world) expectState(part part, state values, after map[int64][]string) {
	w.t.Helper()
	if part.kind != exclusiveType && part.kind != additiveType {
		return
	}
	inChannel := after[state["channel_id"].(int64)]
	users := slices.DeleteFunc(subscriptionWords(state["users"]), func(address string) bool { return !w.isActive(address) })
	if missing := lacking(users, inChannel); len(missing) > 0 {
		w.t.Errorf("%s: the state has %v, who are not in the channel", part.name, missing)
	}
	if more := lacking(inChannel, users); part.kind == exclusiveType && len(more) > 0 {
		w.t.Errorf("%s: the state lacks %v, who are in the channel", part.name, more)
	}
	added, _ := state["added_user_ids"].([]any)
	for _, id := range added {
		if address := w.address(id); w.isActive(address) && !slices.Contains(inChannel, address) {
			w.t.Errorf("%s: the state counts %s as added, who is not in the channel", part.name, address)
		}
	}
}

// converge applies what is configured without faults, until nothing is left to do.
func (w *world) converge() {
	w.t.Helper()
	order := w.test.orders()[0]
	for range 3 {
		plans, diags := w.plan(order, false)
		diags.ExpectNoError(w.t)
		if !slices.ContainsFunc(slices.Collect(maps.Values(plans)), func(plan *acctest.PlannedChange) bool { return !plan.Empty() }) {
			w.expectWanted()
			return
		}
		before := w.people()
		if w.apply(order, plans, false).ExpectNoError(w.t); w.t.Failed() {
			return
		}
		w.expectPromise(plans, before)
	}
	w.t.Error("the applies do not converge")
}

func (w *world) expectWanted() {
	w.t.Helper()
	for name, want := range w.test.want {
		channel, ok := w.Sandbox.Organization().Channel(name)
		missing := lacking(want, channel.Subscribers)
		more := lacking(channel.Subscribers, append(slices.Clone(want), guest, moderator)) // who came by hand, where that is nobody's business
		if !ok || len(missing)+len(more) > 0 {
			w.t.Errorf("in %s are %v, want %v", name, channel.Subscribers, want)
		}
	}
}

// try plans in one order and applies in another, and lets somebody or something come in between.
func (test orderTest) try(t *testing.T, planned, applied []part, between func(*world), refuses bool) *world {
	w := test.begin(t)
	plans, diags := w.plan(planned, false)
	diags.ExpectNoError(t)
	if between != nil {
		between(w)
	}
	before := w.people()
	diags = w.apply(applied, plans, false)
	if between == nil {
		diags.ExpectNoError(t)
	}
	w.expectPromise(plans, before)
	if refuses {
		diags.ExpectError(t, "users", "whom no plan lists")
	} else {
		w.converge()
	}
	return w
}

var faultsOfAnApply = map[string]sandbox.Fault{
	"429":            {Action: sandbox.FaultStatus, Status: http.StatusTooManyRequests, RetryAfter: time.Millisecond},
	"503 before":     {Action: sandbox.FaultStatus, Status: http.StatusServiceUnavailable},
	"503 after":      {Action: sandbox.FaultStatus, Status: http.StatusServiceUnavailable, After: true},
	"answer dropped": {Action: sandbox.FaultDrop, After: true},
}

// atOnce is how many schedules are tried at the same time: most of the time they wait.
const atOnce = 8

func TestProtocolSubscriptionOrders(t *testing.T) {
	var tried, kept atomic.Int32
	var waiting sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	try := func(t *testing.T, name string, run func(t *testing.T)) {
		tried.Add(1)
		slots <- struct{}{}
		waiting.Go(func() {
			if t.Run(name, run) {
				kept.Add(1)
			}
			<-slots
		})
	}
	for i, name := range slices.Sorted(maps.Keys(orderTests)) {
		test := orderTests[name]
		orders, hands := test.orders(), slices.Sorted(maps.Keys(test.byHand))
		if testing.Short() {
			orders = orders[:1] // the race detector looks at how requests cross, not at every order
		}
		for k, order := range orders {
			try(t, name+"/"+titleOf(order), func(t *testing.T) { test.try(t, order, order, nil, false) })
			hand, other := hands[k%len(hands)], orders[len(orders)-1-k]
			title := fmt.Sprintf("%s/%s, planned as %s, %s", name, titleOf(order), titleOf(other), hand)
			try(t, title, func(t *testing.T) { test.try(t, other, order, test.byHand[hand], hand == test.refuses) })
		}
		// At every other request two kinds of fault, so that over the runs each kind is at each.
		for j, what := range slices.Sorted(maps.Keys(faultsOfAnApply)) {
			for skip := (i + j) % 2; skip < test.requests; skip += 2 {
				fault, order := faultsOfAnApply[what], orders[skip%len(orders)]
				fault.Count, fault.Skip = 1, skip
				title := fmt.Sprintf("%s/%s, %s at request %d", name, titleOf(order), what, skip)
				try(t, title, func(t *testing.T) {
					test.try(t, order, order, func(w *world) { w.fault = func() func() { return w.Sandbox.Fail(fault) } }, false)
				})
			}
		}
	}
	waiting.Wait()
	acctest.Report(func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "orders of subscriptions: %d schedules, %d kept the promise\n", tried.Load(), kept.Load())
	})
}

func titleOf(order []part) string {
	var names []string
	for _, part := range order {
		names = append(names, part.name)
	}
	return strings.Join(names, " ")
}
