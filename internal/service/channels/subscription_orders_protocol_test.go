package channels_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// These tests apply several resources with subscribers in every order, with changes outside Terraform and with
// faults. No one may be subscribed or unsubscribed whom no plan listed, the state must equal the server, and the next
// applies must reach the configuration. The part "list" is a zulip_channel_subscribers, the part "some" a
// zulip_channel_subscription.

const (
	sharedHistory, public = "private_shared_history", "public"

	groupType, membershipType, channelType, userType = "zulip_user_group", "zulip_user_group_membership", "zulip_channel", "zulip_user"
)

// in returns the subscribers of a channel as configured, by the ID of a part, which is independent of the channel's
// name, or by a name.
func in(channel string, users ...string) func(acctest.Get) values {
	return func(get acctest.Get) values {
		return values{"channel": channelOf(get, channel), "users": texts(users...)}
	}
}

func channelOf(get acctest.Get, channel string) string {
	if id := get(channel, "id"); id != acctest.Unknown {
		return fmt.Sprint(id)
	}
	return channel
}

// list is the exclusive list of a channel's subscribers, and some the additive one.
func list(channel string, users ...string) acctest.Entry {
	return acctest.Entry{Name: "list", Kind: exclusiveType, Config: in(channel, users...)}
}

func some(channel string, users ...string) acctest.Entry {
	return acctest.Entry{Name: "some", Kind: additiveType, Config: in(channel, users...)}
}

func press(members ...string) acctest.Entry {
	return acctest.Entry{Name: "press", Kind: groupType, Config: acctest.Fixed(values{"name": "press", "members": texts(members...)})}
}

func web(members ...string) acctest.Entry {
	return acctest.Entry{Name: "web", Kind: membershipType, Config: acctest.Fixed(values{"group": "web", "members": texts(members...)})}
}

// room is the channel of a part, with its name.
func room(part, name, privacy string, needs ...string) acctest.Entry {
	return acctest.Entry{Name: part, Kind: channelType, Config: acctest.Fixed(values{"name": name, "privacy": privacy}), Needs: needs}
}

// follower is the list of a channel that has the members of both groups, by reference.
var follower = acctest.Entry{Name: "list", Kind: exclusiveType, Needs: []string{"press", "web"}, Config: func(get acctest.Get) values {
	users := []any{}
	for _, group := range []string{"press", "web"} {
		members, isKnown := get(group, "members").([]any)
		if !isKnown {
			return values{"channel": channelOf(get, "vault"), "users": acctest.Unknown}
		}
		users = append(users, members...)
	}
	return values{"channel": channelOf(get, "vault"), "users": users}
}}

type byHand = map[string]func(*testing.T, *acctest.Organization)

func comes(channel, address string) func(*testing.T, *acctest.Organization) {
	return func(t *testing.T, o *acctest.Organization) { subscribe(t, o, channel, address) }
}

func goes(channel, address string) func(*testing.T, *acctest.Organization) {
	return func(t *testing.T, o *acctest.Organization) { unsubscribe(t, o, channel, address) }
}

// subscriptionOrders returns the configurations, each with the final subscribers of the channels.
func subscriptionOrders() map[string]*acctest.Orders {
	lena := acctest.Entry{Name: "lena", Kind: userType, Config: acctest.Fixed(values{"email": member, "full_name": "Lena Fischer"})}
	type people = map[string][]string
	return map[string]*acctest.Orders{
		"a channel follows groups and is renamed": promised(people{"crypt": {owner, admin, moderator, member2}}, acctest.Orders{
			Imported:       map[string]string{"vault": "vault"},
			Before:         []acctest.Entry{press(owner, member), web(admin), room("vault", "vault", sharedHistory), follower},
			After:          []acctest.Entry{press(owner, member2), web(admin, moderator), room("vault", "crypt", sharedHistory), follower},
			OutsideChanges: byHand{"guest comes": comes("vault", guest), "admin goes": goes("vault", admin)},
		}),
		"somebody leaves the organization": promised(people{"vault": {owner, member2}, "hall": {owner, member2}}, acctest.Orders{
			Imported: map[string]string{"lena": member},
			Before:   []acctest.Entry{lena, press(owner, member), list("vault", owner, member, member2), some("hall", owner, member, member2)},
			After:    []acctest.Entry{lena.Removed(), press(owner), list("vault", owner, member2), some("hall", owner, member2)},
			OutsideChanges: byHand{
				"guest comes":         comes("vault", guest),
				"lena is deactivated": func(t *testing.T, o *acctest.Organization) { subscriptionDeactivate(t, o, member) },
			},
		}),
		"a name goes from one channel to another": promised(people{"crypt": {owner, member2}, "vault": {owner, guest}}, acctest.Orders{
			Imported:       map[string]string{"vault": "vault", "hall": "hall"},
			Before:         []acctest.Entry{room("vault", "vault", sharedHistory), room("hall", "hall", public, "vault"), list("vault", owner, member), some("hall", owner, admin)},
			After:          []acctest.Entry{room("vault", "crypt", sharedHistory), room("hall", "vault", public, "vault"), list("vault", owner, member2), some("hall", owner, guest)},
			OutsideChanges: byHand{"guest comes": comes("vault", guest), "moderator comes": comes("hall", moderator)},
		}),
		"one kind gives way to the other": promised(people{"vault": {owner, admin, member, member2}}, acctest.Orders{
			Imported:       map[string]string{"vault": "vault"},
			Before:         []acctest.Entry{list("vault", owner, member, member2), room("vault", "vault", sharedHistory), web(admin)},
			After:          []acctest.Entry{list("vault").Removed(), some("vault", owner, admin), room("vault", "vault", public), web(admin, member)},
			OutsideChanges: byHand{"guest comes": comes("vault", guest), "admin comes": comes("vault", admin)},
		}),
		"a list for a channel that is there": promised(people{"vault": {owner, member, member2}, "hall": {}}, acctest.Orders{
			Before:         []acctest.Entry{some("hall", member2, guest), press(owner, member)},
			After:          []acctest.Entry{list("vault", owner, member, member2), some("hall").Removed(), press(owner, member, guest)},
			OutsideChanges: byHand{"guest comes": comes("vault", guest), "member goes": goes("vault", member)},
			Blocked:        "guest comes",
		}),
	}
}

// promised returns a configuration with the organization and the expected result.
func promised(want map[string][]string, orders acctest.Orders) *acctest.Orders {
	orders.Start = func(t *testing.T) *acctest.Resources {
		o := acctest.NewSandbox(t, sandbox.Config{})
		private(t, o, "vault", nil, owner, member)
		hall(t, o, "hall")
		o.Call(t, http.MethodPost, "/user_groups/create", map[string]string{"name": "web", "description": "", "members": "[]"})
		r := o.NewResources(t)
		r.Block = o.Block(values{"max_retries": 0})
		return r
	}
	orders.Promise = func(t *testing.T, a *acctest.OrderedApply) func(acctest.Diagnostics) {
		before := inChannels(a.Organization)
		return func(diags acctest.Diagnostics) {
			switch {
			case !a.IsRepeated && a.OutsideChange != "" && a.OutsideChange == orders.Blocked:
				diags.ExpectError(t, "users", "Unplanned unsubscriptions")
			case a.IsRepeated || a.OutsideChange == "" && a.Fault == "":
				diags.ExpectNoError(t)
			}
			expectListed(t, a, before, inChannels(a.Organization))
		}
	}
	orders.Done = func(t *testing.T, a *acctest.OrderedApply) {
		for name, want := range want {
			channel, ok := a.Sandbox.Organization().Channel(name)
			missing := lacking(want, channel.Subscribers)
			more := lacking(channel.Subscribers, append(slices.Clone(want), guest, moderator)) // users subscribed outside Terraform, if no resource decides that
			if !ok || len(missing)+len(more) > 0 {
				t.Errorf("in %s are %v, want %v", name, channel.Subscribers, want)
			}
		}
	}
	return &orders
}

func TestProtocolSubscription_AnyOrder(t *testing.T) {
	acctest.TryOrders(t, "orders of subscriptions", subscriptionOrders())
}

// inChannels returns the emails of the active subscribers of each channel, by its ID.
func inChannels(o *acctest.Organization) map[int64][]string {
	found := map[int64][]string{}
	for _, channel := range o.Sandbox.Organization().Channels() {
		found[int64(channel.ID)] = channel.Subscribers
	}
	return found
}

func addressOf(o *acctest.Organization, id any) string {
	for _, account := range o.Sandbox.AllCredentials() {
		if int64(account.ID) == id {
			return account.Email
		}
	}
	return fmt.Sprint(id)
}

func isActive(o *acctest.Organization, address string) bool {
	person, _ := o.Sandbox.Organization().Person(address)
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

// listed returns the users that the plans subscribe to a channel, and those that they unsubscribe.
func listed(a *acctest.OrderedApply) (coming, leaving map[int64][]string) {
	coming, leaving = map[int64][]string{}, map[int64][]string{}
	for _, part := range []string{"list", "some"} {
		plan := a.Plans[part]
		if plan == nil || part == "list" && plan.Values == nil { // the destroy of a list unsubscribes no one
			continue
		}
		var channel int64
		was := []string{}
		if plan.Prior != nil {
			channel = plan.Prior.Values["channel_id"].(int64)
			was = subscriptionWords(plan.Prior.Values["users"])
			if part == "some" {
				was = nil
				for _, id := range plan.Prior.Values["added_user_ids"].([]any) {
					was = append(was, addressOf(a.Organization, id))
				}
			}
		}
		if plan.Values != nil {
			channel = plan.Values["channel_id"].(int64)
			coming[channel] = append(coming[channel], subscriptionWords(plan.Values["users"])...)
		}
		leaving[channel] = append(leaving[channel], lacking(was, subscriptionWords(plan.Values["users"]))...)
	}
	return coming, leaving
}

// expectListed compares the changes of the apply with the plans, and the state with the server.
func expectListed(t *testing.T, a *acctest.OrderedApply, before, after map[int64][]string) {
	t.Helper()
	coming, leaving := listed(a)
	for channel := range after {
		for _, address := range lacking(lacking(before[channel], after[channel]), leaving[channel]) {
			if isActive(a.Organization, address) {
				t.Errorf("%s is out of channel %d, and no plan said so", address, channel)
			}
		}
		for _, address := range lacking(lacking(after[channel], before[channel]), coming[channel]) {
			t.Errorf("%s is in channel %d, and no plan said so", address, channel)
		}
	}
	if len(after) != len(before) {
		t.Errorf("there are %d channels, and were %d", len(after), len(before))
	}
	for _, part := range []string{"list", "some"} {
		if state, plan := a.States[part], a.Plans[part]; state != nil && plan != nil && !plan.Empty() {
			expectSubscriptionState(t, a.Organization, part, state.Values, after)
		}
	}
}

func expectSubscriptionState(t *testing.T, o *acctest.Organization, part string, state values, after map[int64][]string) {
	t.Helper()
	inChannel := after[state["channel_id"].(int64)]
	users := slices.DeleteFunc(subscriptionWords(state["users"]), func(address string) bool { return !isActive(o, address) })
	if missing := lacking(users, inChannel); len(missing) > 0 {
		t.Errorf("%s: the state has %v, who are not subscribed to the channel", part, missing)
	}
	if more := lacking(inChannel, users); part == "list" && len(more) > 0 {
		t.Errorf("%s: the state lacks %v, who are in the channel", part, more)
	}
	added, _ := state["added_user_ids"].([]any)
	for _, id := range added {
		if address := addressOf(o, id); isActive(o, address) && !slices.Contains(inChannel, address) {
			t.Errorf("%s: the state counts %s as added, who is not subscribed to the channel", part, address)
		}
	}
}
