package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

// accessMatrix has the accounts that a real server allowed an operation, by permission and value.
type accessMatrix struct {
	Accounts             map[string]Account  `json:"accounts"`
	Groups               map[string][]string `json:"groups"`                // name → principals
	OrganizationSettings map[string]string   `json:"organization_settings"` // narrowed first
	Rows                 []accessRow         `json:"rows"`
}

type accessRow struct {
	Setting    string            `json:"setting"`
	Privacy    string            `json:"privacy"`
	Subscribed bool              `json:"subscribed"` // everyone subscribes to the channel, or only the owner
	Value      []string          `json:"value"`      // principals
	Allowed    []string          `json:"allowed"`
	Refusals   map[string]string `json:"refusals"` // account → words
}

// accessTrial tries the recorded rows of the matrix on one server.
type accessTrial struct {
	t        *testing.T
	server   *Server
	replay   *replay
	accounts []string // in the order in which they try
	groups   map[string]int
	targetID int // a public channel that all are in
}

// accessTry is one row on its channel.
type accessTry struct {
	*accessTrial
	row     accessRow
	id      int
	channel string
	own     map[string]int // a message of each account, if the permission is about messages
}

// attempt lets one account try the operation of a permission.
type attempt func(a *accessTry, account string) response

var attempts = map[string]attempt{
	"can_send_message_group": func(a *accessTry, account string) response {
		return a.ask(account, "POST", "/messages", a.messageTo("t"))
	},
	"can_create_topic_group": func(a *accessTry, account string) response {
		return a.ask(account, "POST", "/messages", a.messageTo("new "+account))
	},
	"can_delete_own_message_group": func(a *accessTry, account string) response {
		return a.ask(account, "DELETE", messagePath(a.own[account]), nil)
	},
	"can_delete_any_message_group": func(a *accessTry, account string) response {
		if account == "owner" {
			return a.ask(account, "DELETE", messagePath(a.own["member"]), nil)
		}
		return a.ask(account, "DELETE", messagePath(a.post("owner", "t")), nil)
	},
	"can_move_messages_within_channel_group": func(a *accessTry, account string) response {
		id := a.post("owner", "topic "+account)
		return a.ask(account, "PATCH", messagePath(id), map[string]any{"topic": "moved " + account})
	},
	"can_move_messages_out_of_channel_group": func(a *accessTry, account string) response {
		id := a.post("owner", "topic "+account)
		return a.ask(account, "PATCH", messagePath(id), map[string]any{"stream_id": a.targetID})
	},
	"can_resolve_topics_group": func(a *accessTry, account string) response {
		id := a.post("owner", "topic "+account)
		return a.ask(account, "PATCH", messagePath(id), map[string]any{"topic": "✔ topic " + account, "propagate_mode": "change_all"})
	},
	"can_administer_channel_group": func(a *accessTry, account string) response {
		return a.ask(account, "PATCH", a.path(), map[string]any{"description": "by " + account})
	},
	"can_subscribe_group": func(a *accessTry, account string) response {
		got := a.subscribe(account)
		a.unsubscribe("owner", account)
		return got
	},
	"can_add_subscribers_group": func(a *accessTry, account string) response {
		third := thirdPerson(account)
		a.subscribeEveryone()
		a.unsubscribe("owner", third)
		return a.subscribe(account, third)
	},
	"can_remove_subscribers_group": func(a *accessTry, account string) response {
		third := thirdPerson(account)
		a.subscribeEveryone()
		a.subscribe("owner", third)
		return a.unsubscribe(account, third)
	},
}

// thirdPerson is the user whom an account tries to add or to remove. It is the member, or the guest when the member tries,
// because users need no permission over their own subscription. Before each try, only this user's subscription is reset, so
// an earlier try can have added or removed the member. The recorded refusals depend on this.
func thirdPerson(account string) string {
	if account == "member" {
		return "guest"
	}
	return "member"
}

func TestConformanceAccess(t *testing.T) {
	data, err := os.ReadFile("testdata/access/matrix.json")
	requireNoError(t, err)
	var matrix accessMatrix
	requireNoError(t, json.Unmarshal(data, &matrix))
	trial := newAccessTrial(t, matrix)
	same := 0
	for i, row := range matrix.Rows {
		if different := trial.try(i, row); len(different) > 0 {
			t.Errorf("[%d] %s, %s, subscribed %t, %v:\n    %s", i, row.Setting, row.Privacy, row.Subscribed, row.Value, strings.Join(different, "\n    "))
			continue
		}
		same++
	}
	fmt.Printf("access matrix: alike %d/%d\n", same, len(matrix.Rows))
}

func newAccessTrial(t *testing.T, matrix accessMatrix) *accessTrial {
	t.Helper()
	s := start(t, Config{Accounts: matrix.Accounts})
	a := &accessTrial{t: t, server: s, replay: newReplay(s), groups: map[string]int{}}
	a.accounts = slices.SortedFunc(maps.Keys(matrix.Accounts), func(x, y string) int {
		return cmp.Compare(a.userID(x), a.userID(y))
	})
	for _, name := range groupOrder(matrix.Groups) {
		members, subgroups := a.principals(matrix.Groups[name])
		got := a.must("owner", "POST", "/user_groups/create", map[string]any{"name": name, "description": "", "members": members, "subgroups": subgroups})
		a.groups[name] = int(got.body["group_id"].(float64))
	}
	settings := map[string]any{}
	for name, principal := range matrix.OrganizationSettings {
		settings[name] = map[string]any{"new": a.value([]string{principal})}
	}
	for _, limit := range []string{"message_content_delete_limit_seconds", "move_messages_within_stream_limit_seconds", "move_messages_between_streams_limit_seconds"} {
		settings[limit] = json.RawMessage(`"unlimited"`)
	}
	a.must("owner", "PATCH", "/realm", settings)
	a.targetID = a.createChannel("target", false, a.accounts)
	return a
}

// groupOrder lists groups so that each comes after those it holds.
func groupOrder(groups map[string][]string) []string {
	var order []string
	var add func(name string)
	add = func(name string) {
		if slices.Contains(order, name) {
			return
		}
		for _, principal := range groups[name] {
			if sub, ok := strings.CutPrefix(principal, "group:"); ok {
				add(sub)
			}
		}
		order = append(order, name)
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		add(name)
	}
	return order
}

// try creates the channel of a row, sets the value and lets every account try. It returns the differences from the recorded
// server.
func (a *accessTrial) try(number int, row accessRow) []string {
	try := &accessTry{accessTrial: a, row: row, channel: fmt.Sprintf("row %d", number), own: map[string]int{}}
	inside := []string{"owner"}
	if row.Subscribed {
		inside = a.accounts
	}
	try.id = a.createChannel(try.channel, row.Privacy != "public", inside)
	try.prepare()
	a.must("owner", "PATCH", try.path(), map[string]any{row.Setting: map[string]any{"new": a.value(row.Value)}})

	var different []string
	for _, account := range a.accounts {
		want, refused := row.Refusals[account]
		if !refused && !slices.Contains(row.Allowed, account) {
			continue // the recording has no try of this account
		}
		want = strings.ReplaceAll(want, "${channel}", try.channel)
		got := attempts[row.Setting](try, account)
		said, _ := got.body["msg"].(string)
		if refused != (got.status != http.StatusOK) || said != want {
			different = append(different, fmt.Sprintf("%s: want %q, got %d %q", account, want, got.status, said))
		}
	}
	return different
}

// prepare creates the objects that the try needs, before the value is set.
func (a *accessTry) prepare() {
	switch a.row.Setting {
	case "can_create_topic_group":
		a.post("owner", "old")
	case "can_delete_own_message_group", "can_delete_any_message_group":
		for _, account := range a.accounts {
			a.own[account] = a.post(account, "t")
		}
	case "can_add_subscribers_group", "can_remove_subscribers_group", "can_subscribe_group":
		nobody := map[string]any{"new": a.value([]string{"role:nobody"})}
		a.must("owner", "PATCH", a.path(), map[string]any{"can_administer_channel_group": nobody})
	}
}

func (a *accessTry) path() string { return fmt.Sprintf("/streams/%d", a.id) }

func messagePath(id int) string { return fmt.Sprintf("/messages/%d", id) }

func (a *accessTry) messageTo(topic string) map[string]any {
	return map[string]any{"type": "channel", "to": a.id, "topic": topic, "content": "Hello"}
}

// post posts a message as an account that can write in a topic.
func (a *accessTry) post(account, topic string) int {
	return int(a.must(account, "POST", "/messages", a.messageTo(topic)).body["id"].(float64))
}

// subscribeEveryone subscribes everyone to a channel, if the row asks for it.
func (a *accessTry) subscribeEveryone() {
	if a.row.Subscribed {
		a.subscribe("owner", a.accounts...)
	}
}

func (a *accessTry) subscribe(by string, people ...string) response {
	params := map[string]any{"subscriptions": []any{map[string]any{"name": a.channel}}}
	if len(people) > 0 {
		params["principals"], params["send_new_subscription_messages"] = a.userIDs(people), false
	}
	return a.ask(by, "POST", "/users/me/subscriptions", params)
}

func (a *accessTry) unsubscribe(by string, people ...string) response {
	return a.ask(by, "DELETE", "/users/me/subscriptions", map[string]any{"subscriptions": []string{a.channel}, "principals": a.userIDs(people)})
}

func (a *accessTrial) createChannel(name string, private bool, subscribers []string) int {
	got := a.must("owner", "POST", "/channels/create", map[string]any{
		"name": name, "subscribers": a.userIDs(subscribers), "invite_only": private, "history_public_to_subscribers": true,
	})
	return int(got.body["id"].(float64))
}

func (a *accessTrial) ask(as, method, path string, params map[string]any) response {
	a.t.Helper()
	got, err := a.replay.ask(newExchange(as, method, path, params))
	if err != nil {
		a.t.Fatalf("%s %s: %v", method, path, err)
	}
	return got
}

func (a *accessTrial) must(as, method, path string, params map[string]any) response {
	a.t.Helper()
	got := a.ask(as, method, path, params)
	if got.status != http.StatusOK {
		a.t.Fatalf("%s %s as %s: %d %s", method, path, as, got.status, got.text)
	}
	return got
}

func (a *accessTrial) userID(account string) int { return a.replay.bound["user:"+account] }

func (a *accessTrial) userIDs(accounts []string) []int {
	ids := []int{}
	for _, account := range accounts {
		ids = append(ids, a.userID(account))
	}
	return ids
}

// principals sorts principals into people and groups.
func (a *accessTrial) principals(names []string) (people, groups []int) {
	people, groups = []int{}, []int{}
	for _, name := range names {
		kind, rest, _ := strings.Cut(name, ":")
		switch kind {
		case "user":
			people = append(people, a.userID(rest))
		case "group":
			groups = append(groups, a.groups[rest])
		default: // role:NAME is the group's own name
			groups = append(groups, a.replay.bound["group:"+name])
		}
	}
	return people, groups
}

// value is the group-setting value of some principals.
func (a *accessTrial) value(names []string) any {
	people, groups := a.principals(names)
	if len(people) == 0 && len(groups) == 1 {
		return groups[0]
	}
	return map[string]any{"direct_members": people, "direct_subgroups": groups}
}
