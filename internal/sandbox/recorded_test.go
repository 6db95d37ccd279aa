package sandbox

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// readOrganization returns an organization in format 1, which must remain readable.
func readOrganization(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile("testdata/organization.json")
	requireNoError(t, err)
	return string(data)
}

// Loaded rows keep their IDs, and new rows get others.
func TestRecordedOrganization_Loaded_IDsKept(t *testing.T) {
	state := filepath.Join(t.TempDir(), "organization.db")
	config := Config{Organization: []byte(readOrganization(t)), StatePath: state}
	s, err := New(config)
	requireNoError(t, err)
	s.Organization().Read(func(o *rules.Organization) {
		lena, _ := o.Users.Get(46)
		if lena.Email != "lena.fischer@example.com" || lena.ProfileData[1801] != "Blue" || lena.APIKey == "" || !lena.Active {
			t.Errorf("account 46 is %+v", lena)
		}
		if nobody, _ := o.Groups.Get(301); nobody.Name != rules.Nobody || o.SystemGroup(rules.Everyone) != 307 {
			t.Errorf("the system groups have other IDs: %+v", nobody)
		}
		if leads, _ := o.Groups.Get(310); !leads.Deactivated {
			t.Errorf("group 310 is %+v", leads)
		}
		if announcements, _ := o.Channels.Get(1202); !announcements.Archived || announcements.Permissions["can_send_message_group"].Group != 304 {
			t.Errorf("channel 1202 is %+v", announcements)
		}
		if subscribers := o.Subscribers(1203); len(subscribers) != 4 {
			t.Errorf("in channel 1203 are %v", subscribers)
		}
		if realm := o.Settings(); realm.NewChannelAnnouncementsID != 1201 || len(realm.Permissions["can_create_groups"].Members) != 1 {
			t.Errorf("the settings are %+v", realm)
		}
		if o.UserDefault(rules.UserSetting{Name: "twenty_four_hour_time"}) != true {
			t.Error("the settings of new accounts are not loaded")
		}
		if o.Linkifiers.Len() != 1 || o.Playgrounds.Len() != 1 || o.Domains.Len() != 1 || o.RealmEmoji.Len() != 1 || o.Invitations.Len() != 1 || o.InviteLinks.Len() != 1 {
			t.Error("a list is not loaded")
		}
		if alerts := o.BotDetails(51); alerts.SendingChannelID != 1203 || alerts.Service == nil || alerts.Service.URL != "https://hooks.example.com/x" {
			t.Errorf("bot 51 is %+v", alerts)
		}
	})
	for _, address := range []string{"ines.moreau@example.com", "paul.dubois@example.com", "alerts-bot@zulip.example.com"} {
		if credentials, ok := s.Credentials(address); !ok || len(credentials.APIKey) != 32 {
			t.Errorf("there are no credentials of %s", address)
		}
	}
	if got := answerTo(t, s, "POST", "/channels/create", "name=new&subscribers=[]"); got["id"] != 1205.0 {
		t.Errorf("creating a channel: %v", got)
	}
	requireNoError(t, s.Close())
	// With a state file the recording is ignored.
	if s, err = New(config); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := answerTo(t, s, "POST", "/channels/create", "name=newer&subscribers=[]"); got["id"] != 1206.0 {
		t.Errorf("creating a channel after a restart: %v", got)
	}
}

// answerTo returns the server's answer to an owner.
func answerTo(t testing.TB, s *Server, method, path, form string) map[string]any {
	t.Helper()
	owner := Credentials{}
	for _, account := range s.AllCredentials() {
		if account.Role == rules.RoleOwner && account.IsActive {
			owner = account
		}
	}
	request := httptest.NewRequest(method, "/api/v1"+path, strings.NewReader(form))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(owner.Email, owner.APIKey)
	answer := httptest.NewRecorder()
	s.Handler().ServeHTTP(answer, request)
	var body map[string]any
	if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil || answer.Code == http.StatusInternalServerError {
		t.Fatalf("%s %s: %d %s", method, path, answer.Code, answer.Body)
	}
	return body
}

// Features of a real organization that the example lacks: other IDs of system bots and system groups, another domain, and
// hidden addresses.
func TestRecordedOrganization_OtherServer_Loaded(t *testing.T) {
	file := strings.NewReplacer(
		`"user_id": 6,`, `"user_id": 4,`, `"user_id": 8,`, `"user_id": 5,`, `"user_id": 50,`, `"user_id": 8,`, ", 50]", ", 8]",
		"zulip.example.com", "chat.example.org", `"delivery_email": "kenji.sato@example.com"`, `"delivery_email": null`,
	).Replace(readOrganization(t))
	// Two system groups change places: the group with ID 301 gets 308.
	file = strings.NewReplacer(`"id": 301,`, `"id": 308,`, `"id": 308,`, `"id": 301,`, "_group\": 301", "_group\": 308").Replace(file)
	s, err := New(Config{Organization: []byte(file)})
	requireNoError(t, err)
	defer s.Close()
	if _, ok := s.Credentials("user47@chat.example.org"); !ok {
		t.Error("who hides the address cannot be used")
	}
	bot := answerTo(t, s, "POST", "/bots", "full_name=New&short_name=new&bot_type=1")
	user := answerTo(t, s, "GET", "/users/"+jsonText(bot["user_id"]), "")["user"].(map[string]any)
	if user["email"] != "new-bot@chat.example.org" {
		t.Errorf("the new bot is %v", user)
	}
	eight := answerTo(t, s, "GET", "/users/8", "")["user"].(map[string]any)
	if eight["full_name"] != "Nora" || eight["email"] != "user50@chat.example.org" {
		t.Errorf("account 8 is %v", eight)
	}
	answerTo(t, s, "POST", "/channels/create", "name=g&subscribers=[]")
	s.Organization().Read(func(o *rules.Organization) {
		if o.NotificationBotID() != 7 || o.Sender(8).FullName != "Nora" || o.Sender(5).FullName != "Welcome Bot" {
			t.Error("the system bots are others")
		}
		if g, _ := o.ChannelByName("g"); g.Permissions["can_subscribe_group"].Group != 308 {
			t.Errorf("nobody is %v", g.Permissions)
		}
	})
}

func jsonText(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

// An error names its place.
func TestRecordedOrganization_Invalid_Error(t *testing.T) {
	good := readOrganization(t)
	for _, test := range []struct{ before, after, want string }{
		{`"format": 1`, `"format": 2`, `format 2 is not known, only 1`},
		{`"format": 1`, `"format": "1"`, `format: a JSON string does not belong here`},
		{`"format": 1,`, `"format": 1, "chanels": [],`, `chanels: unknown key "chanels"`},
		{`"folder_id": 701`, `"folder_id": 702`, `channel 1203 is in folder 702, which does not exist`},
		{`"folder_id": 701`, `"folder_id": "x"`, `channels[2]: folder_id: a JSON string does not belong here`},
		{`"folder_id": 701`, `"folder": 701`, `channels[2]: unknown key "folder"`},
		{`"can_administer_channel_group": 309`, `"can_administer_channel_group": 77`, `channel 1203 can_administer_channel_group names group 77, which does not exist`},
		{`"can_administer_channel_group": 309`, `"can_administer_channel_group": null`, `channels[2]: null is neither the ID of a group nor lists of members and subgroups`},
		{`"can_administer_channel_group": 309`, `"can_administer_channel_group": {"direct_members": [999], "direct_subgroups": []}`, `channel 1203 can_administer_channel_group names user 999, who does not exist`},
		{`"can_administer_channel_group": 309`, `"can_administer_channel_group": {"members": []}`, `channels[2]: unknown key "members"`},
		{`"stream_id": 1203`, `"stream_id": 1201`, `channels[2]: the ID 1201 is there twice`},
		{`"stream_id": 1203`, `"stream_id": -3`, `channels[2]: -3 is no ID`},
		{`"stream_id": 1203`, `"stream_id": 99999999999999999999`, `channels[2]: stream_id: a JSON number 99999999999999999999 does not belong here`},
		{`"name": "announcements"`, `"name": "General"`, `two channels are called "GENERAL"`},
		{`"name": "incidents"`, `"name": ""`, `channels[2]: name is needed`},
		{`"role": 200`, `"role": 250`, `accounts[1]: there is no role 250`},
		{`"role": 100`, `"role": 200`, `accounts: there is no active owner, one with "role": 100`},
		{`tomas.berg@example.com`, `Ines.moreau@example.com`, `two accounts are called "ines.moreau@example.com"`},
		{`"bot_owner_id": 44`, `"bot_owner_id": 440`, `user 440, who does not exist`},
		{`"date_joined": "2026`, `"date_joined": "x2026`, `is not a time such as 2026-01-31T09:30+00:00`},
		{`"name": "role:nobody"`, `"name": "role:no"`, `user_groups: the system group role:nobody is missing`},
		{`"direct_subgroup_ids": [302]`, `"direct_subgroup_ids": [308]`, `group 303 contains itself`},
		{`"direct_subgroup_ids": [302]`, `"direct_subgroup_ids": [303]`, `group 303 contains itself`},
		{`"direct_subgroup_ids": [302]`, `"direct_subgroup_ids": [999]`, `group 999 does not exist`},
		{`"members": [],`, `"members": [43],`, `user_groups[0]: the members of a system group follow from the roles: leave them out`},
		{`"default_channels": [1201]`, `"default_channels": [1]`, `default channel 1 does not exist`},
		{`"new_stream_announcements_stream_id": 1201`, `"new_stream_announcements_stream_id": 1`, `realm.settings.new_stream_announcements_stream_id: channel 1 is not among the channels`},
		{`"invite_required": true`, `"invite_required": "yes"`, `realm.settings.invite_required: a JSON string does not belong here`},
		{`"enter_sends": false`, `"enter_sends": 7`, `realm_user_settings_defaults.enter_sends: a JSON number does not belong here`},
		{`"default_sending_stream": "incidents"`, `"default_sending_stream": "none"`, `bots[1]: channel "none" is not among the channels`},
		{`"subscribers": [43, 44, 45]`, `"subscribers": [43, 44, 4500]`, `user 4500 is subscribed to channel 1204`},
		{`"system_bots": [`, `"system_bots": [{"user_id": 43, "email": "x@example.com", "full_name": "X"},`, `system_bots[0]: account 43 has the same ID`},
		{`"channels": [`, `"channels": [7,`, `channels[0]: a JSON number does not belong here`},
		{`"channels": [`, `"channels": {"a": [`, `recorded organization: `},
	} {
		bad := strings.Replace(good, test.before, test.after, 1)
		if bad == good {
			t.Errorf("%s is not in the file", test.before)
		}
		state := filepath.Join(t.TempDir(), "organization.db")
		s, err := New(Config{Organization: []byte(bad), StatePath: state})
		if err == nil {
			_ = s.Close()
			t.Errorf("%s is taken", test.after)
			continue
		}
		if !strings.HasPrefix(err.Error(), "recorded organization: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s\nis refused with %s\nnot         %s", test.after, err, test.want)
		}
		// The state file must not contain any of it.
		if s, err = New(Config{Organization: []byte(good), StatePath: state}); err != nil {
			t.Errorf("after %s the good file is refused: %v", test.after, err)
			continue
		}
		if len(s.AllCredentials()) != 9 {
			t.Errorf("after %s there are %d accounts", test.after, len(s.AllCredentials()))
		}
		_ = s.Close()
	}
	// Unknown settings and permissions belong to a newer server. To the server, these two names differ (server-behavior §C23).
	newer := strings.NewReplacer(`"name": "general"`, `"name": "İ"`, `"name": "announcements"`, `"name": "i"`, `"invite_required": true`, `"invite_required": true, "brand_new": [1]`, `"can_administer_channel_group": 309`, `"can_administer_channel_group": 309, "can_sing_group": 301`).Replace(good)
	if s, err := New(Config{Organization: []byte(newer)}); err != nil {
		t.Error(err)
	} else {
		_ = s.Close()
	}
}

// No file causes another failure than an error, neither when it is loaded nor afterwards.
func FuzzRecordedOrganization(f *testing.F) {
	good := readOrganization(f)
	f.Add(good, 0)
	for _, size := range []int{0, 1, 10, 200, 2000, len(good) / 2, len(good) - 3} {
		f.Add(good[:size], 0)
	}
	for _, text := range []string{`null`, `[]`, `{}`, `{"format": 1}`, `{"format": 1, "channels": null, "accounts": [null]}`, `{"format": 1, "realm": []}`} {
		f.Add(text, 0)
	}
	for _, pair := range [][2]string{
		{`301`, `308`}, {`"direct_subgroup_ids": [302]`, `"direct_subgroup_ids": []`}, {`null`, `0`}, {`false`, `true`}, {`43`, `44`}, {`"id": 1801`, `"id": 2147483646`},
		{`"pattern": "#(`, `"pattern": "((`}, {`"giphy_rating": 1`, `"giphy_rating": 99`}, {`"gif_rating_policy": 1`, `"gif_rating_policy": -9`}, {`"field_data": ""`, `"field_data": "{"`},
	} {
		f.Add(strings.ReplaceAll(good, pair[0], pair[1]), 442)
	}
	f.Fuzz(func(t *testing.T, file string, level int) {
		s, err := New(Config{Organization: []byte(file), FeatureLevel: max(min(level, 512), 0)})
		if err != nil {
			return
		}
		defer s.Close()
		answerTo(t, s, "POST", "/register", "include_subscribers=true")
		answerTo(t, s, "GET", "/users", "")
		answerTo(t, s, "POST", "/users/me/subscriptions", `subscriptions=[{"name": "fuzz"}]`)
		answerTo(t, s, "POST", "/messages", "type=channel&to=fuzz&topic=t&content=%231+@**all**")
	})
}

// recordedConfig is the configuration of the server in a recording.
func recordedConfig(name string, rec recording) Config {
	cfg := Config{Accounts: maps.Clone(rec.Accounts), FeatureLevel: rec.FeatureLevel}
	for account, a := range cfg.Accounts {
		if !a.IsBot {
			a.Password = "recording-" + account + "-password"
		}
		a.CanCreateUsers = a.CanCreateUsers || name == "users-created" && account == "owner"
		cfg.Accounts[account] = a
	}
	if name == "rate-limit" {
		// Recorded on a server that allowed three requests a minute.
		cfg.RateLimits = []RateLimit{{time.Minute, 3}, {time.Hour, 2000}}
	}
	return cfg
}

// mayHoldMore returns which objects of an answer, by their paths, were recorded incompletely.
func mayHoldMore(name string, x exchange) func(path string) bool {
	return func(path string) bool {
		switch name {
		case "rate-limit", "fetch-api-key", "realm-icon-and-logo":
			return path == "body" && x.Status == 200
		case "subscription-properties":
			return strings.HasPrefix(path, "body.subscriptions.")
		case "bot-avatar":
			isOwn := strings.HasSuffix(x.Path, "/users/me") || strings.HasSuffix(x.Path, "/register")
			return path == "body" && x.Status == 200 && isOwn
		}
		return false
	}
}

// approximated fields hold what the server renders from Markdown.
func approximated(field string) bool {
	return strings.HasPrefix(field, "rendered_") || strings.HasPrefix(field, "prev_rendered_") || field == "content_html_diff"
}

// unordered names the lists without a meaningful order.
var unordered = []string{
	"bots", "export_consents", "ignored_parameters_unsupported", "invites", "members", "not_removed", "realm_bots", "removed",
	"subgroups", "subscribers",
}

// serverFields names fields with values of the recorded server.
var serverFields = []string{
	"development_environment", "realm_bot_domain", "realm_date_created", "realm_name", "server_can_summarize_topics",
}
