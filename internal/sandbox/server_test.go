package sandbox

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// start starts a server that ends with the test.
func start(t *testing.T, cfg Config) *Server {
	t.Helper()
	s, err := New(cfg)
	requireNoError(t, err)
	requireNoError(t, s.Start("127.0.0.1:0"))
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// newExchange is a request in the form of recordings. String parameters are sent as they are, others as JSON.
func newExchange(as, method, path string, params map[string]any) exchange {
	x := exchange{As: as, Method: method, Path: apiPrefix + path, Form: map[string]string{}, JSON: map[string]any{}}
	for name, value := range params {
		if s, ok := value.(string); ok {
			x.Form[name] = s
		} else {
			x.JSON[name] = value
		}
	}
	return x
}

// ask sends a request as an account.
func ask(t *testing.T, s *Server, as, method, path string, params map[string]any) response {
	t.Helper()
	got, err := newReplay(s).ask(newExchange(as, method, path, params))
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return got
}

// must is ask, and fails the test if the server refuses.
func must(t *testing.T, s *Server, as, method, path string, params map[string]any) response {
	t.Helper()
	got := ask(t, s, as, method, path, params)
	if got.status != http.StatusOK {
		t.Fatalf("%s %s as %s: %d %s", method, path, as, got.status, got.text)
	}
	return got
}

// createdChannel creates a channel and returns its id.
func createdChannel(t *testing.T, s *Server, as, name string) int {
	t.Helper()
	got := must(t, s, as, "POST", "/channels/create", map[string]any{"name": name, "subscribers": []int{}})
	return int(got.body["id"].(float64))
}

func TestExampleOrganization(t *testing.T) {
	s := start(t, Config{})
	roles := map[int]bool{}
	for name, c := range s.AllCredentials() {
		if len(c.APIKey) != 32 || c.ID == 0 {
			t.Errorf("credentials of %s: %+v", name, c)
		}
		roles[c.Role] = true
		if got := must(t, s, name, "GET", "/users/me", nil); int(got.body["user_id"].(float64)) != c.ID {
			t.Errorf("%s is user %v, want %d", name, got.body["user_id"], c.ID)
		}
	}
	if len(roles) != 5 {
		t.Errorf("the example has the roles %v, want every role", roles)
	}
	general, ok := s.Organization().Channel("General")
	if !ok || !general.Default || len(general.Subscribers) != 6 {
		t.Errorf("general: %+v", general)
	}
	leads, ok := s.Organization().Channel("leads")
	if !ok || !leads.Private {
		t.Errorf("leads: %+v", leads)
	}
	incidents, _ := s.Organization().Channel("incidents")
	if want := []string{"group:sre"}; !slices.Equal(incidents.Permissions["can_administer_channel_group"], want) {
		t.Errorf("who administers incidents: %v, want %v", incidents.Permissions["can_administer_channel_group"], want)
	}
	if incidents.Folder != "Operations" {
		t.Errorf("folder of incidents: %q", incidents.Folder)
	}
}

func TestOrganization_Objects_DistinctIDs(t *testing.T) {
	s := start(t, Config{})
	owner := map[int]string{}
	note := func(noun string, id int) {
		if other, taken := owner[id]; taken {
			t.Errorf("%d is the id of a %s and of a %s", id, other, noun)
		}
		owner[id] = noun
	}
	s.Organization().Read(func(o *rules.Organization) {
		for id := range o.Users.All() {
			note("user", id)
		}
		for id := range o.Groups.All() {
			note("group", id)
		}
		for id := range o.Channels.All() {
			note("channel", id)
		}
		for id := range o.Folders.All() {
			note("folder", id)
		}
	})
}

func TestParseAccounts(t *testing.T) {
	const object = `{"chief": {"email": "a@example.com", "full_name": "A", "role": 100}, "robot": {"email": "r@example.com", "full_name": "R", "role": 400, "is_bot": true}}`
	for name, document := range map[string]string{"object": object, "recording": `{"scenario": "x", "accounts": ` + object + `}`} {
		accounts, err := ParseAccounts([]byte(document))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s, err := New(Config{Accounts: accounts})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		robot, _ := s.Organization().Person("r@example.com")
		if robot.Owner != "a@example.com" {
			t.Errorf("%s: without an admin the first owner owns a bot, not %q", name, robot.Owner)
		}
	}
	for name, accounts := range map[string]map[string]Account{
		"unknown role":    {"x": {Email: "x@example.com", FullName: "X", Role: 500}},
		"no address":      {"x": {FullName: "X", Role: 400}},
		"address twice":   {"x": {Email: "x@example.com", FullName: "X", Role: 400}, "y": {Email: "X@example.com", FullName: "Y", Role: 400}},
		"bot of nobody":   {"x": {Email: "x@example.com", FullName: "X", Role: 400, IsBot: true}},
		"bot of a ghost":  {"o": {Email: "o@example.com", FullName: "O", Role: 100}, "x": {Email: "x@example.com", FullName: "X", Role: 400, IsBot: true, Owner: "ghost"}},
		"owner is absent": {"m": {Email: "m@example.com", FullName: "M", Role: 400}, "x": {Email: "x@example.com", FullName: "X", Role: 400, IsBot: true}},
	} {
		if _, err := New(Config{Accounts: accounts}); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
}

func TestRouting(t *testing.T) {
	s := start(t, Config{})
	tests := []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/nothing", 404, ""},
		{"GET", "/streams/", 404, ""},
		{"GET", "/streams/abc", 404, ""},
		{"GET", "/streams/1/members/", 404, ""},
		{"PUT", "/streams/1", 405, "GET, PATCH, DELETE, HEAD"},
		{"DELETE", "/register", 405, "POST"},
		{"POST", "/server_settings", 405, "GET, HEAD"},
		{"OPTIONS", "/user_groups/1/subgroups", 204, "POST, GET, HEAD"},
		{"HEAD", "/server_settings", 200, ""},
		{"HEAD", "/users", 401, ""},
	}
	for _, test := range tests {
		got := ask(t, s, "nobody", test.method, test.path, nil)
		if got.status != test.status || got.header.Get("Allow") != test.allow {
			t.Errorf("%s %s: %d, Allow %q; want %d, %q", test.method, test.path, got.status, got.header.Get("Allow"), test.status, test.allow)
		}
		if test.method == "HEAD" && got.text != "" {
			t.Errorf("%s %s has a body: %s", test.method, test.path, got.text)
		}
		if got.status == 401 && got.header.Get("WWW-Authenticate") != `Basic realm="zulip"` {
			t.Errorf("%s %s: WWW-Authenticate is %q", test.method, test.path, got.header.Get("WWW-Authenticate"))
		}
	}
}

func TestAuthentication(t *testing.T) {
	s := start(t, Config{})
	admin, _ := s.Credentials("admin")
	member, _ := s.Credentials("member")
	tests := []struct {
		name, user, key string
		header          string // instead of user and key
		status          int
		msg             string
	}{
		{"right", admin.Email, admin.APIKey, "", 200, ""},
		{"address in another case", strings.ToUpper(admin.Email), admin.APIKey, "", 200, ""},
		{"blanks around", " " + admin.Email + " ", " " + admin.APIKey + " ", "", 200, ""},
		{"key of another", admin.Email, member.APIKey, "", 401, "Invalid API key"},
		{"the address others see", admin.APIEmail, admin.APIKey, "", 401, "Invalid API key"},
		{"nobody", "who@example.com", admin.APIKey, "", 401, "Invalid API key"},
		{"short key", admin.Email, "abc", "", 401, "Malformed API key"},
		{"key with a dash", admin.Email, strings.Repeat("-", 32), "", 401, "Malformed API key"},
		{"two colons", admin.Email, "a:b", "", 401, "Invalid authorization header for basic auth"},
		{"no base64", "", "", "Basic ***", 401, "Invalid authorization header for basic auth"},
		{"other scheme", "", "", "Bearer abc", 400, "This endpoint requires HTTP basic authentication."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			req := httptest.NewRequest("GET", apiPrefix+"/users/me", nil)
			req.SetBasicAuth(test.user, test.key)
			if test.header != "" {
				req.Header.Set("Authorization", test.header)
			}
			recorder := httptest.NewRecorder()
			s.Handler().ServeHTTP(recorder, req)
			var body struct{ Msg string }
			requireNoError(t, json.Unmarshal(recorder.Body.Bytes(), &body))
			if recorder.Code != test.status || body.Msg != test.msg {
				t.Errorf("%d %q, want %d %q", recorder.Code, body.Msg, test.status, test.msg)
			}
		})
	}
	must(t, s, "admin", "DELETE", "/users/"+userKey(member.ID), nil)
	if got := ask(t, s, "member", "GET", "/users/me", nil); got.status != 401 || got.body["msg"] != "Account is deactivated" {
		t.Errorf("a deactivated account: %d %s", got.status, got.text)
	}
}

func TestMethodField(t *testing.T) {
	s := start(t, Config{})
	id := createdChannel(t, s, "admin", "overridden")
	must(t, s, "admin", "POST", "/streams/"+userKey(id), map[string]any{"method": "PATCH", "description": "by a form field"})
	if ch, _ := s.Organization().Channel("overridden"); ch.Description != "by a form field" {
		t.Errorf("description: %q", ch.Description)
	}
}

func TestTLS(t *testing.T) {
	borrowed := httptest.NewTLSServer(http.NotFoundHandler())
	defer borrowed.Close()
	s, err := New(Config{})
	requireNoError(t, err)
	requireNoError(t, s.StartTLS("127.0.0.1:0", &tls.Config{Certificates: borrowed.TLS.Certificates}))
	defer s.Close()
	res, err := borrowed.Client().Get(s.URL() + apiPrefix + "/server_settings")
	requireNoError(t, err)
	defer res.Body.Close()
	var body struct {
		RealmURL string `json:"realm_url"`
	}
	if err := json.NewDecoder(res.Body).Decode(&body); err != nil || body.RealmURL != s.URL() || !strings.HasPrefix(s.URL(), "https://") {
		t.Errorf("realm_url %q, URL %q, %v", body.RealmURL, s.URL(), err)
	}
}

// A server on every address reports one that a client can use. Its answers contain the address of the request.
func TestServerOnEveryAddress(t *testing.T) {
	for _, listen := range []string{"0.0.0.0:0", "[::]:0", ":0"} {
		server, err := New(Config{})
		requireNoError(t, err)
		t.Cleanup(func() { _ = server.Close() })
		requireNoError(t, server.Start(listen))
		if url := server.URL(); !strings.HasPrefix(url, "http://127.0.0.1:") || server.URLs()[0] != url {
			t.Errorf("on %s it is at %s, of %v", listen, url, server.URLs())
		}
		port := server.URL()[strings.LastIndex(server.URL(), ":")+1:]
		for _, site := range []string{server.URL(), "http://localhost:" + port} {
			resp, err := http.Get(site + "/api/v1/server_settings") //nolint:noctx // a test
			requireNoError(t, err)
			var settings struct {
				RealmURL string `json:"realm_url"`
			}
			if err := json.NewDecoder(resp.Body).Decode(&settings); err != nil || settings.RealmURL != site {
				t.Errorf("on %s, asked at %s, it says that it is at %s, %v", listen, site, settings.RealmURL, err)
			}
			_ = resp.Body.Close()
		}
	}
}

// A connection that is accepted while the server shuts down is closed too.
func TestServerClose_LateConnection_Closed(t *testing.T) {
	u := &newConnections{open: map[net.Conn]struct{}{}}
	u.end()
	client, server := net.Pipe()
	u.note(server, http.StateNew)
	if _, err := client.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the connection is open: %v", err)
	}
}

// The sandbox distinguishes endpoints that it does not support from endpoints that do not exist.
func TestOtherEndpoints(t *testing.T) {
	s := start(t, Config{})
	for _, e := range unsupported() {
		path := "/api/v1" + e.path
		for _, name := range []string{"{user_id:int}", "{stream_id:int}", "{message_id:int}", "{attachment_id:int}", "{reminder_id:int}", "{export_id:int}"} {
			path = strings.ReplaceAll(path, name, "5")
		}
		send := func(as string) response {
			got, err := newReplay(s).ask(exchange{As: as, Method: e.method, Path: strings.NewReplacer("{", "", "}", "").Replace(path)})
			requireNoError(t, err)
			return got
		}
		if got := send("nobody"); got.status != http.StatusUnauthorized || got.body["code"] != "UNAUTHORIZED" {
			t.Errorf("%s %s without credentials: %d %s", e.method, e.path, got.status, got.text)
		}
		got := send("guest")
		msg := "The sandbox does not support " + e.method + " " + strings.ReplaceAll(e.path, ":int", "") + "."
		if got.status != http.StatusNotFound || got.body["result"] != "error" || got.body["code"] != "NOT_SUPPORTED_BY_SANDBOX" || got.body["msg"] != msg {
			t.Errorf("%s %s: %d %s", e.method, e.path, got.status, got.text)
		}
	}
	for _, c := range []struct {
		method, path string
		allowed      string
	}{
		{"POST", "/events", "GET, DELETE, HEAD"},
		{"PATCH", "/bot_storage", "PUT, GET, DELETE, HEAD"},
		{"GET", "/user_topics", "POST"},
		{"GET", "/messages/render", "POST"},
		{"DELETE", "/fetch_api_key", "POST"},
		{"GET", "/users/me/api_key/regenerate", "POST"},
	} {
		if got := ask(t, s, "nobody", c.method, c.path, nil); got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != c.allowed || got.body["msg"] != "Method Not Allowed" {
			t.Errorf("%s %s: %d, allowed: %s, %s", c.method, c.path, got.status, got.header.Get("Allow"), got.text)
		}
	}
	for _, path := range []string{"/nosuch", "/attachments/x", "/users/me/nosuch"} {
		if got := ask(t, s, "owner", "DELETE", path, nil); got.status != http.StatusNotFound || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %d %s", path, got.status, got.text)
		}
	}
}

func requireNoError(t interface {
	Helper()
	Fatal(arguments ...any)
}, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestRefusals_NotRecorded(t *testing.T) {
	s := start(t, Config{})
	type values = map[string]any
	field := must(t, s, "owner", "POST", "/realm/profile_fields", values{"name": "Shift", "field_type": 3, "field_data": values{"0": values{"text": "Day", "order": "1"}}})
	for _, test := range []struct {
		method, path string
		params       values
		want         string
	}{
		{"POST", "/register", values{"event_types": []string{}, "narrow": `[["is","followed"]]`}, "Operand followed not supported."},
		{"POST", "/users/me/subscriptions", values{"subscriptions": []any{values{"name": "x", "description": strings.Repeat("x", 1025)}}}, `subscriptions[0]["description"] is too long (limit: 1024 characters)`},
		{"DELETE", "/users/me/subscriptions", values{"subscriptions": []string{" "}}, "Channel name can't be empty."},
		{"POST", "/realm/filters", values{"pattern": "(?<=x)a", "url_template": "https://example.com/"}, "Bad regular expression: invalid perl operator: (?<="},
		{"POST", "/realm/filters", values{"pattern": "#(?P<n>x)", "url_template": "https://example.com/{n}", "reverse_template": "#{n}"}, "Reverse template requires an example input."},
		{"PATCH", fmt.Sprint("/realm/profile_fields/", field.body["id"]), values{"field_data": values{}}, "Field must have at least one choice."},
	} {
		if got := ask(t, s, "owner", test.method, test.path, test.params); got.body["msg"] != test.want {
			t.Errorf("%s %s: %s, want %q", test.method, test.path, got.text, test.want)
		}
	}
}
