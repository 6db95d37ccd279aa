package channels_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func texts(all ...string) []any {
	list := []any{}
	for _, text := range all {
		list = append(list, text)
	}
	return list
}

// taken is a resource that takes over a channel with all of its subscribers.
func taken(t *testing.T, o *acctest.Organization, channel string) *acctest.Run {
	t.Helper()
	run := o.NewRun(t, exclusiveType)
	run.Import(channel, nil).ExpectNoError(t)
	return run
}

// A channel follows a group by reference. In any order, an apply that adds the group's members later does not empty a
// private channel.
func TestProtocolSubscription_GroupFilledLater_NotEmptied(t *testing.T) {
	const groupType, membershipType = "zulip_user_group", "zulip_user_group_membership"
	o := acctest.StartSandbox(t, sandbox.Config{})
	private(t, o, "vault", nil, owner, admin, member)
	people := taken(t, o, "vault")

	// This apply creates the group, and a data source reads it while it is empty. The list was not known during plan,
	// so no one is unsubscribed.
	plan, diags := people.Plan(values{"channel": "vault", "users": acctest.Unknown})
	diags.ExpectWarning(t, "users", "A list waits for the next apply\nThe subscribers of channel \"vault\" wait for the next apply.")
	if !plan.Empty() && fmt.Sprint(plan.Changes()) != "[channel]" {
		t.Errorf("with users that are not known the plan changes %v", plan.Changes())
	}
	group, membership := o.NewRun(t, groupType), o.NewRun(t, membershipType)
	group.MustApply(values{"name": "press"})
	read, diags := people.Process().ReadData(groupType, values{"name": "press"})
	diags.ExpectNoError(t)
	if all := read["all_members"].([]any); len(all) != 0 {
		t.Fatalf("in the new group are %v", all)
	}
	expectIn(t, o, "vault", owner, admin, member)

	// The next plan lists who would leave, and refuses to lock the account out.
	_, diags = people.Plan(values{"channel": "vault", "users": read["all_members"]})
	diags.ExpectError(t, "users", "remove the provider's own access")

	// A reference to the membership gives the exact list, in the same apply.
	p := people.Process()
	_, diags = p.Plan(membershipType, nil, values{"group": "press", "members": texts(owner, admin)})
	diags.ExpectNoError(t)
	membership.MustApply(values{"group": "press", "members": texts(owner, admin)})
	people.MustApply(values{"channel": "vault", "users": membership.State.Values["members"]})
	expectIn(t, o, "vault", owner, admin)
}

// A new resource unsubscribes no one from an existing channel, because its plan would not have listed them.
func TestProtocolSubscription_NewList_NoRemovals(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	private(t, o, "vault", nil, owner, admin, member)
	run := o.NewRun(t, exclusiveType)
	_, diags := run.Plan(values{"channel": "vault", "users": texts(owner)})
	diags.ExpectError(t, "users", `Unplanned unsubscriptions from channel "vault": 2`, admin, member, "import {")

	// Someone whom the same plan creates or invites changes nothing about the others.
	p := run.Process()
	p.MustPlan("zulip_user", nil, values{"email": "nia@example.com", "full_name": "Nia"})
	_, diags = p.Plan(exclusiveType, nil, values{"channel": "vault", "users": texts(owner, "nia@example.com")})
	diags.ExpectError(t, "users", `Unplanned unsubscriptions from channel "vault": 2`, admin, member)

	// If the list is not known during plan, the apply stops.
	sent := o.Sent()
	if _, diags := run.Plan(values{"channel": "vault", "users": acctest.Unknown}); len(diags) > 0 {
		t.Errorf("reported: %v", diags)
	}
	_, diags = run.Plan(values{"channel": "vault", "users": []any{}})
	diags.ExpectError(t, "users", "Unplanned unsubscriptions")
	sent.Expect(t)

	// A user who has subscribed since the plan stays too, and is reported.
	plan := run.MustPlan(values{"channel": "vault", "users": texts(owner, admin, member)})
	p = run.Process()
	again, diags := p.Plan(exclusiveType, nil, plan.Config)
	diags.ExpectNoError(t)
	subscribe(t, o, "vault", guest)
	sent = o.Sent()
	_, diags = p.Apply(again)
	diags.ExpectError(t, "users", `Unplanned unsubscriptions from channel "vault": 1`, guest)
	sent.Expect(t)
	expectIn(t, o, "vault", owner, admin, member, guest)
}

// The list of a new channel may lack a first subscriber: the plan shows both, and the same apply has subscribed them. Anyone
// whom another account has subscribed by then stays.
func TestProtocolSubscription_NewChannel_FirstSubscribersRemoved(t *testing.T) {
	for name, latecomer := range map[string]string{"as planned": "", "someone joins": guest} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			r := o.NewResources(t)
			channel := acctest.Entry{Name: "new", Kind: "zulip_channel", Config: acctest.Fixed(values{"name": "new", "initial_subscribers": texts(owner, admin, member)})}
			list := acctest.Entry{Name: "list", Kind: exclusiveType, Needs: []string{"new"}, Config: func(get acctest.Get) values {
				id := get("new", "id")
				if number, ok := id.(int64); ok {
					if id = fmt.Sprint(number); latecomer != "" && len(o.Subscribers(t, "new")) == 3 {
						subscribe(t, o, "new", latecomer)
					}
				}
				return values{"channel": id, "users": texts(owner, admin)}
			}}
			plans, diags := r.Plan(channel, list)
			diags.ExpectNoError(t)
			diags = r.Apply(plans, channel, list)
			if latecomer != "" {
				diags.ExpectError(t, "users", `Unplanned unsubscriptions from channel "new": 1`, guest)
				expectIn(t, o, "new", owner, admin, member, guest)
				return
			}
			diags.ExpectNoError(t)
			expectIn(t, o, "new", owner, admin)
		})
	}
}

// An adopted channel has its earlier subscribers, whom this run has not subscribed. A list does not remove them unseen, even
// if initial_subscribers names them.
func TestProtocolSubscription_AdoptedChannel_EarlierSubscribersStay(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	private(t, o, "vault", nil, owner, admin, member)
	o.Archive(t, "vault")
	r := o.NewResources(t)
	channel := acctest.Entry{Name: "vault", Kind: "zulip_channel", Config: acctest.Fixed(values{"name": "vault", "adopt_archived": true, "initial_subscribers": texts(owner, admin, member)})}
	list := acctest.Entry{Name: "list", Kind: exclusiveType, Needs: []string{"vault"}, Config: func(get acctest.Get) values {
		id := get("vault", "id")
		if number, ok := id.(int64); ok {
			id = fmt.Sprint(number)
		}
		return values{"channel": id, "users": texts(owner, admin)}
	}}
	plans, diags := r.Plan(channel, list)
	diags.ExpectNoError(t)
	r.Apply(plans, channel, list).ExpectError(t, "users", `Unplanned unsubscriptions from channel "vault": 1`, member)
	expectIn(t, o, "vault", owner, admin, member)
}

// The ways in which the account can join again are checked just before the request: another resource of the same run
// may have removed them since the plan.
func TestProtocolSubscriptionLockout_AtRequest_Refused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	group := o.NewRun(t, "zulip_user_group")
	group.MustApply(values{"name": "keepers", "members": texts(owner, admin)})
	channel := o.NewRun(t, "zulip_channel")
	channel.MustApply(values{"name": "vault", "privacy": "private_shared_history", "can_subscribe_group": []any{"group:keepers"}, "initial_subscribers": texts(owner, admin)})
	people := taken(t, o, "vault")
	config := values{"channel": "vault", "users": texts(admin)}
	plan := people.MustPlan(config) // the group keepers lets the account in again

	p := people.Process()
	again, diags := p.Plan(exclusiveType, plan.Prior, config)
	diags.ExpectNoError(t)
	planned := group.MustPlan(values{"name": "keepers", "members": texts(admin)})
	group.ApplyIn(p, planned).ExpectNoError(t) // the same run removes the account from the group
	sent := o.Sent()
	_, diags = p.Apply(again)
	diags.ExpectError(t, "users", "remove the provider's own access")
	sent.Expect(t)
	expectIn(t, o, "vault", owner, admin)
}

// planWith plans a channel, and then in the same process the subscribers of that name.
func planWith(t *testing.T, kind string, channel, people *acctest.Run, config values, name string) *acctest.PlannedChange {
	t.Helper()
	p := people.Process()
	held := func(resource string, run *acctest.Run) *acctest.Instance {
		if run.State == nil {
			return nil
		}
		read, diags := p.Read(resource, run.State)
		diags.ExpectNoError(t)
		return read
	}
	_, diags := p.Plan("zulip_channel", held("zulip_channel", channel), config)
	diags.ExpectNoError(t)
	plan, diags := p.Plan(kind, held(kind, people), values{"channel": name, "users": []any{owner, member}})
	diags.ExpectNoError(t)
	return plan
}

// A configuration can have the name of a channel that the same plan creates, renames or unarchives, as with
// zulip_channel.x.name.
func TestProtocolSubscribers_ChannelOfRun_Resolved(t *testing.T) {
	for _, kind := range []string{exclusiveType, additiveType} {
		t.Run(kind, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			channel, people := o.NewRun(t, "zulip_channel"), o.NewRun(t, kind)

			// The channel does not exist yet.
			config := values{"name": "Ops", "privacy": "private_shared_history"}
			plan := planWith(t, kind, channel, people, config, "ops")
			if plan.Values["channel_id"] != acctest.Unknown {
				t.Errorf("planned for a channel to be created: %v", plan.Values)
			}
			channel.MustApply(config)
			people.Apply(plan).ExpectNoError(t)
			expectIn(t, o, "Ops", owner, member)

			// The channel is renamed, and its subscribers stay.
			config = values{"name": "Platform", "privacy": "private_shared_history"}
			if plan := planWith(t, kind, channel, people, config, "platform"); !plan.Empty() || len(plan.Replace) > 0 {
				t.Errorf("for a channel to be renamed the plan changes %v", plan.Changes())
			}
			channel.MustApply(config)
			people.MustApply(values{"channel": "Platform", "users": []any{owner, member}})

			// The channel is unarchived, so its subscribers are not known during plan.
			id := channel.State.Values["id"]
			o.Archive(t, "Platform")
			channel.Refresh().ExpectNoError(t)
			people.Refresh().ExpectNoError(t)
			config = values{"name": "Platform", "adopt_archived": true}
			plan = planWith(t, kind, channel, people, config, "Platform")
			if plan.Values["channel_id"] != acctest.Unknown {
				t.Errorf("planned for a channel to be taken back: %v", plan.Values)
			}
			channel.MustApply(config)
			people.Apply(plan).ExpectNoError(t)
			expectIn(t, o, "Platform", owner, member)
			if people.State.Values["channel_id"] != id {
				t.Errorf("they are in channel %v, not in %v", people.State.Values["channel_id"], id)
			}
			if _, diags := people.Plan(values{"channel": "Platform", "users": []any{owner, member}}); len(diags.Errors()) > 0 {
				t.Error(fmt.Sprint(diags))
			}
		})
	}
}

// crowd starts an organization with an owner and n other users, and a channel without subscribers.
func crowd(t *testing.T, count int) (o *acctest.Organization, users []any) {
	t.Helper()
	accounts := map[string]sandbox.Account{"owner": {Email: "owner@example.com", FullName: "Owner", Role: int(zulip.RoleOwner)}}
	for i := range count {
		email := fmt.Sprintf("m%d@example.com", i)
		accounts[fmt.Sprint("m", i)] = sandbox.Account{Email: email, FullName: fmt.Sprint("Member ", i), Role: int(zulip.RoleMember)}
		users = append(users, email)
	}
	o = acctest.StartSandbox(t, sandbox.Config{Accounts: accounts})
	hall(t, o, "hall")
	return o, users
}

func hall(t *testing.T, o *acctest.Organization, name string) {
	t.Helper()
	if _, _, err := o.Client.CreateChannel(context.Background(), zulip.ChannelCreate{Name: name}); err != nil {
		t.Fatal(err)
	}
}

// One request subscribes a thousand users, and one unsubscribes them. With ZULIP_TEST_ALL=1 there are five thousand.
func TestProtocolSubscribers_LargeChannel_OneRequest(t *testing.T) {
	count := acctest.Number(5000, 1000)
	o, users := crowd(t, count)
	run := o.NewRun(t, exclusiveType)
	sent := o.Sent()
	run.MustApply(values{"channel": "hall", "users": users})
	sent.Expect(t, putIn)
	// There are three processes: the plan, the apply and the next plan. Each reads the server's settings, the account,
	// the snapshot and its queue. The subscribers are read before and after the write and in each plan. Then there are
	// the channels, and the write.
	if requests := sent.Requests(); len(requests) > 3*4+4+2+1 {
		t.Errorf("%d requests: %v", len(requests), paths(requests))
	}
	if in := o.Subscribers(t, "hall"); len(in) != count {
		t.Errorf("%d are in the channel", len(in))
	}
	sent = o.Sent()
	run.MustApply(values{"channel": "hall", "users": users[:count/2]})
	sent.Expect(t, takeOut)
	if in := o.Subscribers(t, "hall"); len(in) != count/2 {
		t.Errorf("%d are in the channel", len(in))
	}
}

// The subscribers of many channels are read in one snapshot with the channels. Those of a few channels are read one by
// one.
func TestProtocolSubscribersOfManyChannels(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	const count = 12
	states := []*acctest.Instance{}
	for i := range count {
		name := fmt.Sprint("hall", i)
		hall(t, o, name)
		run := o.NewRun(t, exclusiveType)
		run.MustApply(values{"channel": name, "users": []any{owner, admin}})
		states = append(states, run.State)
	}
	for _, channels := range []int{count, 2} {
		p := o.NewRun(t, exclusiveType).Process()
		sent := o.Sent()
		done := make(chan *acctest.Instance)
		for _, state := range states[:channels] {
			go func() {
				read, diags := p.Read(exclusiveType, state)
				if len(diags.Errors()) > 0 {
					t.Error(diags)
				}
				done <- read
			}()
		}
		for range channels {
			if read := <-done; read == nil || len(read.Values["users"].([]any)) != 2 {
				t.Errorf("read: %v", read)
			}
		}
		// The first caller does not know how many follow, so up to two are read separately.
		got := paths(sent.Requests())
		alone := slices.DeleteFunc(slices.Clone(got), func(path string) bool { return path != "GET /streams/*/members" })
		if len(alone) > 2 || len(got)-len(alone) > 4 {
			t.Errorf("%d channels: %v", channels, got)
		}
	}
}

// paths returns the methods and paths of requests, sorted, without the IDs of channels.
func paths(requests []sandbox.Request) []string {
	var all []string
	for _, request := range requests {
		path := request.Path
		var id int64
		if _, err := fmt.Sscanf(path, "/streams/%d/members", &id); err == nil {
			path = "/streams/*/members"
		}
		all = append(all, request.Method+" "+path)
	}
	slices.Sort(all)
	return all
}

// A plan that creates someone says what happens to them in a default channel with a list, in whatever order it plans them.
func TestProtocolSubscription_NewPersonInDefaultChannel_Warning(t *testing.T) {
	const summary = "New people are subscribed to a default channel"
	for name, test := range map[string]struct {
		users        []any
		was, becomes bool
		warns        bool
	}{
		"listed":              {texts(owner, "nia@example.com"), true, true, false},
		"not listed":          {texts(owner), true, true, true},
		"becomes a default":   {texts(owner), false, true, true},
		"listed, and becomes": {texts(owner, "nia@example.com"), false, true, false},
		"no default":          {texts(owner), false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			list, hall := o.NewRun(t, exclusiveType), o.NewRun(t, "zulip_channel")
			hall.MustApply(values{"name": "hall", "is_default": test.was})
			list.MustApply(values{"channel": "hall", "users": texts(owner)})
			type step struct {
				kind   string
				prior  *acctest.Instance
				config values
			}
			person := step{"zulip_user", nil, values{"email": "nia@example.com", "full_name": "Nia"}}
			closes := step{exclusiveType, list.State, values{"channel": "hall", "users": test.users}}
			opens := step{"zulip_channel", hall.State, values{"name": "hall", "is_default": test.becomes}}
			for _, order := range [][]step{{person, closes, opens}, {person, opens, closes}, {closes, person, opens}, {closes, opens, person}, {opens, person, closes}, {opens, closes, person}} {
				p, said := list.Process(), acctest.Diagnostics(nil)
				for _, one := range order {
					_, diags := p.Plan(one.kind, one.prior, one.config)
					said = append(said, diags...)
				}
				if warns := strings.Contains(fmt.Sprint(said), summary); warns != test.warns {
					t.Errorf("with %s first and %s last, the plan says %v", order[0].kind, order[2].kind, said)
				}
			}
		})
	}
}
