package channels_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// These tests run two applies of earlier plans and one change outside Terraform on one channel, in every order of
// requests at the server. A write must never replace a value that its plan had not seen.

// A scenario has the permissions of the channel that each actor wants, in the words of configurations.
type scenario struct {
	before values // the permissions during both plans
	first  values // the change of the first plan
	second values // the change of the second plan
	byHand values // one setting that someone changes in the web app
}

var scenarios = map[string]scenario{
	"the same setting by all": {
		before: values{"can_administer_channel_group": who("role:moderators", "user:one@example.com")},
		first:  values{"can_administer_channel_group": who("user:one@example.com", "user:two@example.com")},
		second: values{"can_administer_channel_group": who("role:moderators", "role:members")},
		byHand: values{"can_administer_channel_group": who("role:moderators")},
	},
	"the same wish, and back by hand": {
		before: values{"can_send_message_group": who("role:members")},
		first:  values{"can_send_message_group": who("role:moderators")},
		second: values{"can_send_message_group": who("role:moderators")},
		byHand: values{"can_send_message_group": who("role:members")},
	},
	"two settings in one request each": {
		before: values{"can_remove_subscribers_group": who("role:members"), "can_send_message_group": who("role:members")},
		first:  values{"can_remove_subscribers_group": who("role:moderators"), "can_send_message_group": who("role:moderators")},
		second: values{"can_remove_subscribers_group": who("role:owners"), "can_send_message_group": who("role:owners")},
		byHand: values{"can_send_message_group": who("role:administrators")},
	},
	"two settings that overlap": {
		before: values{"can_remove_subscribers_group": who("role:members"), "can_send_message_group": who("role:members"), "can_resolve_topics_group": who()},
		first:  values{"can_remove_subscribers_group": who("role:moderators"), "can_send_message_group": who("role:moderators")},
		second: values{"can_send_message_group": who("role:owners"), "can_resolve_topics_group": who("role:members")},
		byHand: values{"can_remove_subscribers_group": who("role:administrators")},
	},
}

// fewestInterleavings is the minimum number of interleavings of a scenario. Fewer mean that the requests are no longer
// held.
const fewestInterleavings = 30

func TestProtocolChannel_AnyInterleaving(t *testing.T) {
	acctest.Schedules(t, "interleavings", fewestInterleavings, scenarios, try)
}

// The actors, by the names of their accounts.
const (
	first  = "first"
	second = "second"
	hand   = "hand"
)

var people = map[string]sandbox.Account{
	first:  {Email: "first@example.com", FullName: "First Apply", Role: int(zulip.RoleOwner)},
	second: {Email: "second@example.com", FullName: "Second Apply", Role: int(zulip.RoleOwner)},
	hand:   {Email: "hand@example.com", FullName: "By Hand", Role: int(zulip.RoleAdministrator)},
	"one":  {Email: "one@example.com", FullName: "One", Role: int(zulip.RoleMember)},
	"two":  {Email: "two@example.com", FullName: "Two", Role: int(zulip.RoleMember)},
}

// A race is one schedule while it runs.
type race struct {
	t       *testing.T
	server  *sandbox.Server
	gate    *sandbox.Gate
	runs    map[string]*acctest.Run
	plans   map[string]*acctest.PlannedChange
	wants   map[string]values // the permissions that each plan changes
	saw     values            // the values that both plans saw
	results map[string]acctest.Diagnostics

	ended   chan ending
	waiting map[string]*sandbox.HeldRequest
	running map[string]bool
	// held are the permissions of the channel at each moment, oldest first.
	held []values
}

type ending struct {
	actor string
	diags acctest.Diagnostics
}

// try runs one schedule on an organization of its own, and checks the result.
func try(t *testing.T, scenario scenario, schedule *acctest.Schedule) {
	server, err := sandbox.New(sandbox.Config{Accounts: people})
	acctest.NoError(t, err)
	acctest.NoError(t, server.Start("127.0.0.1:0"))
	defer func() { _ = server.Close() }()
	before := but(values{"name": "raced"}, scenario.before)
	r := &race{
		t: t, server: server, wants: map[string]values{first: scenario.first, second: scenario.second}, saw: scenario.before,
		runs: map[string]*acctest.Run{}, plans: map[string]*acctest.PlannedChange{}, results: map[string]acctest.Diagnostics{},
		ended: make(chan ending), waiting: map[string]*sandbox.HeldRequest{}, running: map[string]bool{},
	}
	r.runs[first] = acctest.NewRun(context.Background(), t, "zulip_channel", r.block(first))
	r.found(scenario.before)
	r.runs[first].Import("name:raced", nil).ExpectNoError(t)
	r.runs[second] = r.runs[first].Fork()
	r.runs[second].Block = r.block(second)
	for actor, wants := range r.wants {
		r.plans[actor] = r.runs[actor].MustPlan(but(before, wants))
	}

	r.gate = server.Gate("", "")
	r.start(scenario.byHand)
	r.drive(schedule)
	r.gate.Open()
	for actor := range r.wants {
		r.checkAnswer(actor)
	}
	r.checkConvergence(but(before, scenario.first))
}

func (r *race) block(account string) values {
	credentials, _ := r.server.Credentials(account)
	return values{"site": r.server.URL(), "email": credentials.Email, "api_key": credentials.APIKey}
}

// found creates the channel, as the first actor.
func (r *race) found(permissions values) {
	created := zulip.ChannelCreate{Name: "raced", Permissions: map[string]zulip.GroupSettingValue{}}
	for setting, principals := range permissions {
		created.Permissions[setting] = r.value(principals)
	}
	if _, _, err := r.client(first).CreateChannel(context.Background(), created); err != nil {
		r.t.Fatal(err)
	}
}

// client acts as an actor, without the provider.
func (r *race) client(actor string) *zulip.Client {
	credentials, _ := r.server.Credentials(actor)
	client, err := zulip.New(zulip.Config{Site: r.server.URL(), Email: credentials.Email, APIKey: credentials.APIKey, MaxRetries: -1})
	if err != nil {
		r.t.Fatal(err)
	}
	return client
}

// start lets every actor begin.
func (r *race) start(byHand values) {
	for actor, plan := range r.plans {
		r.running[actor] = true
		go func() {
			diags := acctest.Diagnostics{{IsError: true, Summary: "it did not end"}}
			defer func() { r.ended <- ending{actor, diags} }()
			diags = r.runs[actor].Apply(plan)
		}()
	}
	client := r.client(hand)
	update := zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{}}
	for setting, principals := range byHand {
		update.Permissions[setting] = zulip.GroupSettingChange{New: r.value(principals)}
	}
	id, _ := r.runs[first].State.Values["id"].(int64)
	r.running[hand] = true
	go func() {
		diags := acctest.Diagnostics{}
		if _, err := client.UpdateChannel(context.Background(), id, update); err != nil {
			diags = acctest.Diagnostics{{IsError: true, Summary: err.Error()}}
		}
		r.ended <- ending{hand, diags}
	}()
}

// value returns the value of roles and people.
func (r *race) value(principals any) zulip.GroupSettingValue {
	var value zulip.GroupSettingValue
	list, _ := principals.([]any)
	for _, principal := range list {
		name := fmt.Sprint(principal)
		if email, ok := strings.CutPrefix(name, "user:"); ok {
			person, _ := r.server.Organization().Person(email)
			value.DirectMembers = append(value.DirectMembers, int64(person.ID))
			continue
		}
		group, _ := r.server.Organization().Group(name)
		value.DirectSubgroups = append(value.DirectSubgroups, int64(group.ID))
	}
	return value
}

// drive lets one request at a time through, in the order of the schedule, until every actor is done. Only requests that
// read or write channels are ordered, because the order of the others makes no difference.
func (r *race) drive(schedule *acctest.Schedule) {
	r.held = []values{r.permissions()}
	r.gather()
	actors := slices.Sorted(maps.Keys(r.waiting))
	for len(actors) > 0 {
		actor := actors[schedule.Choose(len(actors))]
		request := r.waiting[actor]
		delete(r.waiting, actor)
		before, others := r.permissions(), maps.Clone(r.waiting)
		r.running[actor] = true
		request.Release()
		r.gather()
		r.checkStep(actor, request.Request, before, r.permissions())

		// Two successive reads cannot be told apart, so one order of them is enough.
		actors = slices.Sorted(maps.Keys(r.waiting))
		fresh := slices.DeleteFunc(slices.Clone(actors), func(next string) bool {
			return next < actor && isRead(request) && others[next] != nil && isRead(others[next])
		})
		if len(fresh) > 0 {
			actors = fresh
		}
	}
}

func isRead(request *sandbox.HeldRequest) bool { return request.Request.Method == http.MethodGet }

// gather waits until every actor waits for its turn or is done.
func (r *race) gather() {
	for len(r.running) > 0 {
		select {
		case request := <-r.gate.Arrived:
			if !isOfChannels(request.Request) {
				request.Release()
				continue
			}
			r.waiting[request.Request.Account] = request
			delete(r.running, request.Request.Account)
		case end := <-r.ended:
			r.results[end.actor] = end.diags
			delete(r.running, end.actor)
		}
	}
}

func isOfChannels(request sandbox.Request) bool { return strings.HasPrefix(request.Path, "/streams") }

// permissions returns the channel's current permissions on the server, as texts.
func (r *race) permissions() values {
	channel, ok := r.server.Organization().Channel("raced")
	if !ok {
		r.t.Fatal("the channel is gone")
	}
	words := values{}
	for setting, principals := range channel.Permissions {
		words[setting] = who(principals...)
	}
	return words
}

// checkStep checks the promise: a request replaced a value that its plan saw, by the planned one.
func (r *race) checkStep(actor string, request sandbox.Request, before, after values) {
	r.held = append(r.held, after)
	wants, plans := r.wants[actor]
	for setting, value := range after {
		if !plans || reflect.DeepEqual(value, before[setting]) {
			continue
		}
		if !reflect.DeepEqual(before[setting], sorted(r.saw[setting])) {
			r.t.Errorf("the %s apply (%s %s) replaced %s = %v; its plan saw %v", actor, request.Method, request.Path, setting, before[setting], r.saw[setting])
		}
		if !reflect.DeepEqual(value, sorted(wants[setting])) {
			r.t.Errorf("the %s apply made %s %v; its plan asks for %v", actor, setting, value, wants[setting])
		}
	}
}

// checkAnswer compares an apply's messages with what happened. Success requires that the planned values existed at
// some time. A refusal names the setting, and nothing is sent after it was detected.
func (r *race) checkAnswer(actor string) {
	errors := r.results[actor].Errors()
	if len(errors) == 0 {
		for setting, wanted := range r.wants[actor] {
			if !slices.ContainsFunc(r.held, func(held values) bool { return reflect.DeepEqual(held[setting], sorted(wanted)) }) {
				r.t.Errorf("the %s apply says that it is done, but %s was never %v", actor, setting, wanted)
			}
		}
		return
	}
	if len(errors) != 1 || !strings.Contains(errors[0].Summary, "was changed after the plan was made") {
		r.t.Errorf("the %s apply says: %v", actor, errors)
		return
	}
	// The state has the values of the apply's last reading: each setting is unchanged, or reported.
	told := 0
	for setting, wanted := range r.wants[actor] {
		switch is := sorted(r.runs[actor].State.Values[setting]); {
		case reflect.DeepEqual(is, sorted(wanted)) && !strings.Contains(errors[0].Detail, "Already as planned: "):
			r.t.Errorf("the %s apply does not say that %s is as planned: %v", actor, setting, errors)
		case reflect.DeepEqual(is, sorted(wanted)), reflect.DeepEqual(is, sorted(r.saw[setting])):
		default:
			told++
			if !strings.Contains(errors[0].Detail, setting+"\n  when the plan was made:     ") {
				r.t.Errorf("the %s apply does not say that %s was changed: %v", actor, setting, errors)
			}
		}
	}
	if told == 0 {
		r.t.Errorf("the %s apply was refused, and nothing is in its way: %v", actor, errors)
	}
	requests := slices.DeleteFunc(r.server.Journal().Requests(sandbox.Filter{Account: actor}), func(request sandbox.Request) bool {
		return !isOfChannels(request)
	})
	if last := requests[len(requests)-1]; last.Method != http.MethodGet {
		r.t.Errorf("the %s apply was refused, and ended with %s %s", actor, last.Method, last.Path)
	}
}

// checkConvergence plans and applies twice from the current values: the second plan is empty.
func (r *race) checkConvergence(config values) {
	run := r.runs[first]
	run.Apply(run.MustPlan(config)).ExpectNoError(r.t)
	if plan := run.MustPlan(config); !plan.Empty() {
		r.t.Errorf("the plan after the next apply still changes %v", plan.Changes())
	}
}

// sorted is a set in the order in which the sandbox shows it.
func sorted(set any) any {
	list, _ := set.([]any)
	texts := []string{}
	for _, element := range list {
		texts = append(texts, fmt.Sprint(element))
	}
	slices.Sort(texts)
	if len(texts) == 0 {
		texts = []string{"role:nobody"}
	}
	return who(texts...)
}
