package review_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Trials of rules: a random organization, a rule for each account, right and channel, a plan of one change, and the same change
// made by requests. Then every account tries. So many organizations are tried:
const trialOrganizations = 60

// trials counts what came of them.
type trials struct{ proven, broken, doubtful, missed, accused int }

// TestConformanceRulesAgainstTries finds no rule proven that somebody then breaks, and none broken that nobody then does.
func TestConformanceRulesAgainstTries(t *testing.T) {
	var sum trials
	for seed := range uint64(trialOrganizations) {
		newTrialOrganization(t, rand.New(rand.NewPCG(seed, 27))).try(&sum)
	}
	all := sum.proven + sum.broken + sum.doubtful
	fmt.Printf("rules tried: %d, proven %d, broken %d, not proven %d; proven and broken by somebody: %d; broken by nobody: %d\n",
		all, sum.proven, sum.broken, sum.doubtful, sum.missed, sum.accused)
	if sum.missed+sum.accused > 0 || sum.doubtful*50 > all || sum.broken < all/20 {
		t.Errorf("%+v", sum)
	}
}

// trialOrganization is a random organization, of which the account is an owner's.
type trialOrganization struct {
	*acctest.Organization

	t    *testing.T
	rand *rand.Rand

	people   map[string]int64 // by the name of the account, which is that before @ in the address
	groups   map[string]int64
	channels map[string]int64
	// lists are the direct members of groups, and the subscribers of channels, by name.
	lists    map[string][]string
	privates map[string]bool
}

func newTrialOrganization(t *testing.T, r *rand.Rand) *trialOrganization {
	t.Helper()
	accounts := map[string]sandbox.Account{"owner": {Email: "owner@example.com", FullName: "owner", Role: 100, CanCreateUsers: true}}
	for name, role := range map[string]int{"otto": 100, "ada": 200, "mo": 300, "mel": 400, "max": 400, "gus": 600, "gil": 600} {
		accounts[name] = sandbox.Account{Email: name + "@example.com", FullName: name, Role: role}
	}
	accounts["bot"] = sandbox.Account{Email: "bot-bot@example.com", FullName: "bot", Role: 400, IsBot: true, Owner: []string{"mel", "gus", "ada"}[r.IntN(3)]}
	o := &trialOrganization{
		Organization: acctest.NewSandbox(t, sandbox.Config{Accounts: accounts}), t: t, rand: r,
		people: map[string]int64{}, groups: map[string]int64{}, channels: map[string]int64{}, lists: map[string][]string{}, privates: map[string]bool{},
	}
	o.Organization = o.WithAccount(t, "owner")
	for name := range accounts {
		credentials, _ := o.Sandbox.Credentials(name)
		o.people[name] = int64(credentials.ID)
	}
	for _, name := range []string{"red", "green", "blue"} {
		o.lists[name] = o.some(3)
		params := map[string]string{"name": name, "description": "", "members": o.ids(o.lists[name])}
		if below := o.draw(slices.Sorted(keysOf(o.groups))...); below != "" && r.IntN(2) == 0 {
			params["subgroups"] = fmt.Sprintf("[%d]", o.groups[below])
		}
		o.groups[name] = o.made("POST", "/user_groups/create", "group_id", params)
	}
	o.Call(t, "PATCH", "/realm", map[string]string{"enable_spectator_access": "true"})
	for _, setting := range []string{"can_add_subscribers_group", "can_create_groups"} {
		o.Call(t, "PATCH", "/realm", map[string]string{setting: fmt.Sprintf(`{"new":%s}`, o.role("administrators", "moderators", "members"))})
	}
	for _, name := range []string{"alpha", "beta", "gamma"} {
		o.newChannel(name)
	}
	return o
}

func keysOf(of map[string]int64) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for name := range of {
			if !yield(name) {
				return
			}
		}
	}
}

func (o *trialOrganization) newChannel(name string) {
	o.t.Helper()
	o.lists[name], o.privates[name] = append(o.some(3), "owner"), o.rand.IntN(2) == 0
	params := map[string]string{
		"name": name, "subscribers": o.ids(o.lists[name]), "invite_only": fmt.Sprint(o.privates[name]),
		"history_public_to_subscribers": fmt.Sprint(!o.privates[name] || o.rand.IntN(2) == 0),
	}
	for _, setting := range []string{"can_send_message_group", "can_administer_channel_group", "can_subscribe_group", "can_add_subscribers_group"} {
		if o.rand.IntN(2) == 0 {
			params[setting] = o.value(setting)
		}
	}
	o.channels[name] = o.made("POST", "/channels/create", "id", params)
	if !o.privates[name] && o.rand.IntN(2) == 0 {
		o.Call(o.t, "POST", "/default_streams", map[string]string{"stream_id": fmt.Sprint(o.channels[name])})
	}
}

func (o *trialOrganization) made(method, path, key string, params map[string]string) int64 {
	o.t.Helper()
	return int64(o.Call(o.t, method, path, params)[key].(float64))
}

func (o *trialOrganization) draw(from ...string) string {
	if len(from) == 0 {
		return ""
	}
	return from[o.rand.IntN(len(from))]
}

// some are up to so many people.
func (o *trialOrganization) some(most int) []string {
	names := slices.Sorted(keysOf(o.people))
	o.rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	names = slices.DeleteFunc(names[:o.rand.IntN(most+1)], func(name string) bool { return name == "owner" })
	slices.Sort(names)
	return names
}

func (o *trialOrganization) ids(names []string) string {
	ids := make([]string, len(names))
	for i, name := range names {
		ids[i] = fmt.Sprint(o.people[name])
	}
	return "[" + strings.Join(ids, ",") + "]"
}

func (o *trialOrganization) role(names ...string) string {
	return fmt.Sprint(o.SystemGroup(o.t, "role:"+o.draw(names...)))
}

// value is a random value of a permission, as the API has it; principals are the same as a plan has it.
func (o *trialOrganization) value(setting string) string {
	value, _ := o.valueAndPrincipals(setting)
	return value
}

func (o *trialOrganization) valueAndPrincipals(setting string) (value string, principals []string) {
	switch o.rand.IntN(3) {
	case 0:
		group := o.draw(slices.Sorted(keysOf(o.groups))...)
		return fmt.Sprint(o.groups[group]), []string{"group:" + group}
	case 1:
		people := append(o.some(2), "ada")
		slices.Sort(people)
		people = slices.Compact(people)
		for _, name := range people {
			principals = append(principals, "user:"+o.address(name))
		}
		return fmt.Sprintf(`{"direct_members":%s,"direct_subgroups":[]}`, o.ids(people)), principals
	}
	roles := []string{"administrators", "moderators", "members"}
	if setting == "can_send_message_group" {
		roles = append(roles, "everyone")
	}
	role := o.draw(roles...)
	return fmt.Sprint(o.SystemGroup(o.t, "role:"+role)), []string{"role:" + role}
}

func (o *trialOrganization) address(name string) string {
	if name == "bot" {
		return "bot-bot@example.com"
	}
	return name + "@example.com"
}

func (o *trialOrganization) addresses(names []string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = o.address(name)
	}
	return all
}

// change draws a change: as a plan has it, and as requests make it.
func (o *trialOrganization) change() (planned []attributes, apply func()) {
	channel, group, person := o.draw("alpha", "beta", "gamma"), o.draw("red", "green", "blue"), o.draw("otto", "ada", "mo", "mel", "max", "gus", "gil")
	id := o.channels[channel]
	path := fmt.Sprintf("/streams/%d", id)
	switch o.rand.IntN(10) {
	case 0: // a permission
		setting := o.draw("can_send_message_group", "can_administer_channel_group", "can_subscribe_group", "can_add_subscribers_group")
		value, principals := o.valueAndPrincipals(setting)
		return []attributes{resourceChange("zulip_channel", attributes{"id": id, "name": channel, setting: []string{}}, attributes{"id": id, "name": channel, setting: principals})},
			func() { o.Call(o.t, "PATCH", path, map[string]string{setting: fmt.Sprintf(`{"new":%s}`, value)}) }
	case 1: // privacy
		privacy := o.draw("public", "private_shared_history", "private_protected_history")
		return []attributes{resourceChange("zulip_channel", attributes{"id": id, "name": channel, "privacy": "x"}, attributes{"id": id, "name": channel, "privacy": privacy})},
			func() {
				o.Call(o.t, "DELETE", "/default_streams", map[string]string{"stream_id": fmt.Sprint(id)})
				o.Call(o.t, "PATCH", path, map[string]string{
					"is_private": fmt.Sprint(privacy != "public"), "history_public_to_subscribers": fmt.Sprint(privacy != "private_protected_history"),
				})
			}
	case 2: // the members of a group
		members := o.some(4)
		return []attributes{resourceChange("zulip_user_group", attributes{"id": o.groups[group], "name": group, "members": o.addresses(o.lists[group])},
				attributes{"id": o.groups[group], "name": group, "members": o.addresses(members)})},
			func() { o.listed(fmt.Sprintf("/user_groups/%d/members", o.groups[group]), o.lists[group], members) }
	case 3: // a membership
		return []attributes{resourceChange("zulip_user_group_membership", nil, attributes{"group_id": o.groups[group], "group": group, "members": []string{o.address(person)}})},
			func() {
				o.listed(fmt.Sprintf("/user_groups/%d/members", o.groups[group]), o.lists[group], append(slices.Clone(o.lists[group]), person))
			}
	case 4: // a role
		role := o.draw("owner", "administrator", "moderator", "member", "guest")
		return []attributes{resourceChange("zulip_user_role", nil, attributes{"user_id": o.people[person], "user": o.address(person), "role": role})},
			func() {
				o.Call(o.t, "PATCH", fmt.Sprintf("/users/%d", o.people[person]), map[string]string{"role": map[string]string{"owner": "100", "administrator": "200", "moderator": "300", "member": "400", "guest": "600"}[role]})
			}
	case 5: // a leaver
		return []attributes{resourceChange("zulip_user", attributes{"id": o.people[person], "email": o.address(person), "full_name": person}, nil)},
			func() { o.Call(o.t, "DELETE", fmt.Sprintf("/users/%d", o.people[person]), nil) }
	case 6: // who is in a channel
		users := append(o.some(4), "owner")
		return []attributes{resourceChange("zulip_channel_subscribers", attributes{"channel_id": id, "channel": channel, "users": o.addresses(o.lists[channel])},
				attributes{"channel_id": id, "channel": channel, "users": o.addresses(users)})},
			func() { o.subscribe(channel, users) }
	case 7: // somebody new, who is in the default channels
		role := o.draw("member", "guest")
		return []attributes{resourceChange("zulip_user", nil, attributes{"email": "nia@example.com", "full_name": "nia", "role": role})},
			func() {
				o.people["nia"] = o.made("POST", "/users", "user_id", map[string]string{"email": "nia@example.com", "full_name": "nia", "password": "xuzpSwordfish42!"})
				o.Call(o.t, "PATCH", fmt.Sprintf("/users/%d", o.people["nia"]), map[string]string{"role": map[string]string{"member": "400", "guest": "600"}[role]})
			}
	case 8: // a permission of the organization
		role := o.draw("administrators", "moderators", "members")
		value := fmt.Sprint(o.SystemGroup(o.t, "role:"+role))
		return []attributes{resourceChange("zulip_organization", attributes{"can_add_subscribers_group": []string{}}, attributes{"can_add_subscribers_group": []string{"role:" + role}})},
			func() {
				o.Call(o.t, "PATCH", "/realm", map[string]string{"can_add_subscribers_group": fmt.Sprintf(`{"new":%s}`, value)})
			}
	default: // one group in another, which is in none
		return []attributes{resourceChange("zulip_user_group", nil, attributes{"name": "violet", "members": o.addresses([]string{person})}),
				resourceChange("zulip_channel", attributes{"id": id, "name": channel, "can_subscribe_group": []string{}}, attributes{"id": id, "name": channel, "can_subscribe_group": []string{"group:violet"}})},
			func() {
				o.groups["violet"] = o.made("POST", "/user_groups/create", "group_id", map[string]string{"name": "violet", "description": "", "members": o.ids([]string{person})})
				o.Call(o.t, "PATCH", path, map[string]string{"can_subscribe_group": fmt.Sprintf(`{"new":%d}`, o.groups["violet"])})
			}
	}
}

// listed makes a list of people another one.
func (o *trialOrganization) listed(path string, was, is []string) {
	o.t.Helper()
	params := map[string]string{}
	for key, names := range map[string][]string{"add": without(is, was), "delete": without(was, is)} {
		if len(names) > 0 {
			params[key] = o.ids(names)
		}
	}
	if len(params) > 0 {
		o.Call(o.t, "POST", path, params)
	}
}

func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}

func (o *trialOrganization) subscribe(channel string, users []string) {
	o.t.Helper()
	subscriptions, _ := json.Marshal([]map[string]string{{"name": channel}})
	if in := without(users, o.lists[channel]); len(in) > 0 {
		o.Call(o.t, "POST", "/users/me/subscriptions", map[string]string{"subscriptions": string(subscriptions), "principals": o.ids(in)})
	}
	if out := without(o.lists[channel], users); len(out) > 0 {
		names, _ := json.Marshal([]string{channel})
		o.Call(o.t, "DELETE", "/users/me/subscriptions", map[string]string{"subscriptions": string(names), "principals": o.ids(out)})
	}
}

// tried are the rights that are tried, and by which requests. To be read a message has to be sent first, after the change.
var tried = map[string]func(o *trialOrganization, as string, channel int64) bool{
	"read": func(o *trialOrganization, as string, channel int64) bool {
		_, answer := o.send(o.credentials(as), "GET", fmt.Sprintf(`/messages?anchor=newest&num_before=5&num_after=0&narrow=[{"operator":"channel","operand":%d}]`, channel), nil)
		var found struct {
			Messages []struct{} `json:"messages"`
		}
		return json.Unmarshal(answer, &found) == nil && len(found.Messages) > 0
	},
	"send_message": func(o *trialOrganization, as string, channel int64) bool {
		return o.answers(as, "POST", "/messages", map[string]string{"type": "stream", "to": fmt.Sprint(channel), "topic": "t", "content": "x"})
	},
	"administer_channel": func(o *trialOrganization, as string, channel int64) bool {
		return o.answers(as, "PATCH", fmt.Sprintf("/streams/%d", channel), map[string]string{"description": as})
	},
}

// answers reports whether the server does what an account asks for.
func (o *trialOrganization) answers(as, method, path string, params map[string]string) bool {
	o.t.Helper()
	status, _ := o.send(o.credentials(as), method, path, params)
	return status == http.StatusOK
}

func (o *trialOrganization) credentials(as string) sandbox.Credentials {
	o.t.Helper()
	credentials, isConfigured := o.Sandbox.Credentials(as)
	if !isConfigured {
		credentials = o.login(as)
	}
	return credentials
}

// login gets the key of somebody who came to be in the organization.
func (o *trialOrganization) login(name string) sandbox.Credentials {
	o.t.Helper()
	address := o.address(name)
	_, answer := o.send(sandbox.Credentials{}, "POST", "/fetch_api_key", map[string]string{"username": address, "password": "xuzpSwordfish42!"})
	var key struct {
		Key string `json:"api_key"`
	}
	if err := json.Unmarshal(answer, &key); err != nil || key.Key == "" {
		o.t.Fatalf("no key of %s: %s", name, answer)
	}
	return sandbox.Credentials{Email: address, APIKey: key.Key}
}

func (o *trialOrganization) send(as sandbox.Credentials, method, path string, params map[string]string) (status int, answer []byte) {
	o.t.Helper()
	form := url.Values{}
	for name, value := range params {
		form.Set(name, value)
	}
	request, err := http.NewRequestWithContext(o.t.Context(), method, o.Sandbox.URL()+"/api/v1"+path, strings.NewReader(form.Encode()))
	if err != nil {
		o.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if as.APIKey != "" {
		request.SetBasicAuth(as.Email, as.APIKey)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		o.t.Fatal(err)
	}
	defer response.Body.Close()
	if answer, err = io.ReadAll(response.Body); err != nil {
		o.t.Fatal(err)
	}
	return response.StatusCode, answer
}

// try reviews a change with a rule for everything that is tried, makes the change, and tries.
func (o *trialOrganization) try(sum *trials) {
	o.t.Helper()
	planned, apply := o.change()
	var text strings.Builder
	type attempt struct{ person, right, channel string }
	var attempts []attempt
	people := slices.Sorted(keysOf(o.people))
	if planned[0]["type"] == "zulip_user" && slices.Equal(planned[0]["change"].(attributes)["actions"].([]string), []string{"create"}) {
		people = append(people, "nia")
	}
	for _, right := range []string{"send_message", "read", "administer_channel"} {
		for _, person := range people {
			for channel := range o.channels {
				attempts = append(attempts, attempt{person, right, channel})
				fmt.Fprintf(&text, "rule \"%d\" {\n  channels = %q\n  right = %q\n  never = \"user:%s\"\n}\n", len(attempts), channel, right, o.address(person))
			}
		}
	}
	found := (&firm{t: o.t, Organization: o.Organization}).reviewed(text.String(), planned...)
	apply()
	hasMessage := map[string]bool{}
	for i, one := range attempts {
		if one.right == "read" && !hasMessage[one.channel] {
			continue // nobody can send one
		}
		can := tried[one.right](o, one.person, o.channels[one.channel])
		hasMessage[one.channel] = hasMessage[one.channel] || one.right == "send_message" && can
		switch rule := found.Rules[i]; rule.Standing {
		case report.RuleHolds:
			sum.proven++
			if can {
				sum.missed++
				o.t.Errorf("proven, and %s can %s #%s after %v", one.person, one.right, one.channel, planned)
			}
		case report.RuleBroken:
			sum.broken++
			if !can {
				sum.accused++
				o.t.Errorf("broken, and %s cannot %s #%s after %v: %v", one.person, one.right, one.channel, planned, rule.Lines())
			}
		default:
			sum.doubtful++
		}
	}
}
