package access_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// accounts are the accounts that make the attempts. They subscribe and unsubscribe the outsider.
var accounts = map[string]sandbox.Account{
	"owner":    {Email: "owner@example.com", FullName: "Olga", Role: 100},
	"admin":    {Email: "admin@example.com", FullName: "Ada", Role: 200},
	"moder":    {Email: "moder@example.com", FullName: "Mo", Role: 300},
	"member":   {Email: "member@example.com", FullName: "Mel", Role: 400},
	"member2":  {Email: "member2@example.com", FullName: "Max", Role: 400},
	"guest":    {Email: "guest@example.com", FullName: "Gus", Role: 600},
	"adminbot": {Email: "adminbot-bot@example.com", FullName: "Admin Bot", Role: 200, IsBot: true, Owner: "member"},
	"bot":      {Email: "plain-bot@example.com", FullName: "Plain Bot", Role: 400, IsBot: true, Owner: "moder"},
	"guestbot": {Email: "guest-bot@example.com", FullName: "Guest Bot", Role: 600, IsBot: true, Owner: "owner"},
	"outsider": {Email: "outsider@example.com", FullName: "Out", Role: 400},
}

// trial lets accounts act in channels of one sandbox, without the provider.
type trial struct {
	t      *testing.T
	o      *acctest.Organization
	keys   map[string]sandbox.Credentials
	names  []string // of the accounts, in order
	groups map[string]any
	target int64 // a channel with all accounts
}

type fields = map[string]any

func newTrial(t *testing.T) *trial {
	t.Helper()
	tr := &trial{t: t, o: acctest.StartSandbox(t, sandbox.Config{Accounts: accounts}), keys: map[string]sandbox.Credentials{}, groups: map[string]any{}}
	for name := range accounts {
		tr.keys[name], _ = tr.o.Sandbox.Credentials(name)
		if name != "outsider" {
			tr.names = append(tr.names, name)
		}
	}
	bot := tr.mustAs("member", "POST", "/bots", fields{"full_name": "Hook", "short_name": "hook", "bot_type": 2})
	tr.keys["hook"] = sandbox.Credentials{Email: "hook-bot@zulip.example.com", APIKey: bot["api_key"].(string), ID: int(bot["user_id"].(float64))}
	tr.names = append(tr.names, "hook")
	slices.Sort(tr.names)
	for _, role := range []string{"nobody", "owners", "moderators", "members", "everyone"} {
		tr.groups["role:"+role] = tr.o.SystemGroup(t, "role:"+role)
	}
	tr.group("sre", []string{"member2", "guest", "guestbot"}, nil)
	tr.group("leads", []string{"moder"}, []string{"sre"})
	tr.must("PATCH", "/realm", fields{"enable_spectator_access": true, "move_messages_within_stream_limit_seconds": "unlimited"})
	tr.target = tr.channel("target", zulip.PrivacyPublic, append([]string{"outsider"}, tr.names...))
	return tr
}

func (tr *trial) group(name string, members, subgroups []string) {
	tr.t.Helper()
	var below []any
	for _, subgroup := range subgroups {
		below = append(below, tr.groups[subgroup])
	}
	answer := tr.must("POST", "/user_groups/create", fields{"name": name, "description": "", "members": tr.ids(members), "subgroups": append([]any{}, below...)})
	tr.groups[name] = answer["group_id"]
}

// narrow restricts the organization's permissions that apply in every channel.
func (tr *trial) narrow() {
	tr.t.Helper()
	for _, setting := range []string{
		"can_move_messages_between_channels_group", "can_move_messages_between_topics_group", "can_delete_any_message_group",
		"can_delete_own_message_group", "can_resolve_topics_group", "can_add_subscribers_group",
	} {
		tr.must("PATCH", "/realm", fields{setting: fields{"new": tr.groups["role:nobody"]}})
	}
}

func (tr *trial) ids(names []string) []int {
	ids := []int{}
	for _, name := range names {
		ids = append(ids, tr.keys[name].ID)
	}
	return ids
}

func (tr *trial) channel(name string, privacy zulip.Privacy, subscribers []string) int64 {
	tr.t.Helper()
	answer := tr.must("POST", "/channels/create", fields{
		"name": name, "subscribers": tr.ids(subscribers), "invite_only": privacy.IsPrivate(),
		"is_web_public": privacy == zulip.PrivacyWebPublic, "history_public_to_subscribers": privacy != zulip.PrivacyPrivateProtectedHistory,
	})
	return int64(answer["id"].(float64))
}

// ask sends a request as an account, and reports whether it succeeded.
func (tr *trial) ask(as, method, path string, params fields) (fields, bool) {
	tr.t.Helper()
	form := url.Values{}
	for name, value := range params {
		encoded, err := json.Marshal(value)
		if err != nil {
			tr.t.Fatal(err)
		}
		form.Set(name, string(encoded))
		if text, ok := value.(string); ok && text != "unlimited" {
			form.Set(name, text)
		}
	}
	req, err := http.NewRequestWithContext(context.Background(), method, tr.o.Sandbox.URL()+"/api/v1"+path, strings.NewReader(form.Encode()))
	if err != nil {
		tr.t.Fatal(err)
	}
	req.SetBasicAuth(tr.keys[as].Email, tr.keys[as].APIKey)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		tr.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }() // the message was read
	answer := fields{}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		tr.t.Fatal(err)
	}
	return answer, resp.StatusCode == http.StatusOK
}

// must sends a request as the owner, which must succeed.
func (tr *trial) must(method, path string, params fields) fields {
	tr.t.Helper()
	return tr.mustAs("owner", method, path, params)
}

func (tr *trial) mustAs(as, method, path string, params fields) fields {
	tr.t.Helper()
	answer, ok := tr.ask(as, method, path, params)
	if !ok {
		tr.t.Fatalf("%s %s %v: %v", method, path, params, answer)
	}
	return answer
}

// room is one channel in which a permission is tried.
type room struct {
	*trial
	id     int64
	name   string
	inside []string
	own    map[string]string // a message of each who could post, before anything was restricted
}

func (tr *trial) room(name string, privacy zulip.Privacy, inside []string) *room {
	tr.t.Helper()
	r := &room{trial: tr, id: tr.channel(name, privacy, inside), name: name, inside: inside, own: map[string]string{}}
	for _, account := range append([]string{"owner"}, tr.names...) {
		if message, ok := r.post(account, "t"); ok {
			r.own[account] = message
		}
	}
	return r
}

func (r *room) path() string { return fmt.Sprintf("/streams/%d", r.id) }

func (r *room) post(as, topic string) (path string, ok bool) {
	r.t.Helper()
	answer, ok := r.ask(as, "POST", "/messages", fields{"type": "channel", "to": r.id, "topic": topic, "content": "x"})
	return fmt.Sprintf("/messages/%.0f", answer["id"]), ok
}

// posted returns the path of a new message of the owner.
func (r *room) posted(topic string) string {
	r.t.Helper()
	path, ok := r.post("owner", topic)
	if !ok {
		r.t.Fatalf("the owner cannot post in %s", r.name)
	}
	return path
}

func (r *room) subscribe(as string, people ...string) bool {
	r.t.Helper()
	params := fields{"subscriptions": []any{fields{"name": r.name}}}
	if len(people) > 0 {
		params["principals"], params["send_new_subscription_messages"] = r.ids(people), false
	}
	_, ok := r.ask(as, "POST", "/users/me/subscriptions", params)
	return ok
}

func (r *room) unsubscribe(as string, people ...string) bool {
	r.t.Helper()
	_, ok := r.ask(as, "DELETE", "/users/me/subscriptions", fields{"subscriptions": []string{r.name}, "principals": r.ids(people)})
	return ok
}

// attempts are functions by which an account tries a permission; tried is false if it cannot try.
var attempts = map[permission.ChannelPermission]func(r *room, account string) (could, tried bool){
	permission.CanRead: func(r *room, account string) (bool, bool) {
		written := r.posted("t")
		narrow := url.QueryEscape(fmt.Sprintf(`[{"operator":"channel","operand":%d}]`, r.id))
		answer, ok := r.ask(account, "GET", "/messages?anchor=newest&num_before=1&num_after=0&narrow="+narrow, nil)
		messages, _ := answer["messages"].([]any)
		for _, message := range messages {
			if fmt.Sprintf("/messages/%.0f", message.(fields)["id"]) == written {
				return ok, true
			}
		}
		return false, true
	},
	permission.CanAdministerChannel: func(r *room, account string) (bool, bool) {
		_, ok := r.ask(account, "PATCH", r.path(), fields{"description": "by " + account})
		return ok, true
	},
	permission.CanAddSubscribers: func(r *room, account string) (bool, bool) {
		ok := r.subscribe(account, "outsider")
		r.unsubscribe("owner", "outsider")
		return ok, true
	},
	permission.CanSubscribe: func(r *room, account string) (bool, bool) {
		if slices.Contains(r.inside, account) {
			return false, false
		}
		ok := r.subscribe(account)
		r.unsubscribe("owner", account)
		return ok, true
	},
	permission.CanRemoveSubscribers: func(r *room, account string) (bool, bool) {
		r.subscribe("owner", "outsider")
		ok := r.unsubscribe(account, "outsider")
		r.unsubscribe("owner", "outsider")
		return ok, true
	},
	permission.CanSendMessage: func(r *room, account string) (bool, bool) {
		_, ok := r.post(account, "t")
		return ok, true
	},
	permission.CanCreateTopic: func(r *room, account string) (bool, bool) {
		_, ok := r.post(account, "new "+account)
		return ok, true
	},
	permission.CanDeleteAnyMessage: func(r *room, account string) (bool, bool) {
		if account == "owner" {
			_, ok := r.ask(account, "DELETE", r.own["member"], nil)
			return ok, r.own["member"] != ""
		}
		_, ok := r.ask(account, "DELETE", r.posted("t"), nil)
		return ok, true
	},
	permission.CanDeleteOwnMessage: func(r *room, account string) (bool, bool) {
		message, posted := r.own[account]
		if !posted {
			return false, false
		}
		_, ok := r.ask(account, "DELETE", message, nil)
		return ok, true
	},
	permission.CanMoveMessagesOutOfChannel: func(r *room, account string) (bool, bool) {
		_, ok := r.ask(account, "PATCH", r.posted("t"), fields{"stream_id": r.target})
		return ok, true
	},
	permission.CanMoveMessagesWithinChannel: func(r *room, account string) (bool, bool) {
		_, ok := r.ask(account, "PATCH", r.posted("t"), fields{"topic": "moved by " + account})
		return ok, true
	},
	permission.CanResolveTopics: func(r *room, account string) (bool, bool) {
		_, ok := r.ask(account, "PATCH", r.posted("topic "+account), fields{"topic": "✔ topic " + account, "propagate_mode": "change_all"})
		return ok, true
	},
}
