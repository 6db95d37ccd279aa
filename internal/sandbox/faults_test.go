package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"testing"
	"time"
)

func TestParseFault(t *testing.T) {
	tests := map[string]Fault{
		"POST /channels/create after drop 1": {Method: "POST", Path: "/channels/create", After: true, Action: FaultDrop, Count: 1},
		"* ** status=503 3 skip=10 retry-after=0.5": {
			Method: "*", Path: "**", Action: FaultStatus, Status: 503, Count: 3, Skip: 10, RetryAfter: 500 * time.Millisecond,
		},
		"GET /users before stall=30s chance=0.1": {Method: "GET", Path: "/users", Action: FaultStall, Delay: 30 * time.Second, Probability: 0.1},
		"* ** lag=1s":                            {Method: "*", Path: "**", Action: FaultLag, Delay: time.Second},
		"PATCH /streams/* truncate":              {Method: "PATCH", Path: "/streams/*", Action: FaultTruncate},
	}
	for rule, want := range tests {
		got, err := ParseFault(rule)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", rule, got, err, want)
		}
	}
	for _, rule := range []string{"", "GET /x", "GET /x after", "GET /x explode", "GET /x status=abc", "GET /x status=99", "GET /x stall", "GET /x drop often", "GET /x drop speed=1", "* ** lag", "* ** lag=-1s", "* ** lag=1h", "* ** lag=1s 2"} {
		if _, err := ParseFault(rule); err == nil {
			t.Errorf("%q: want an error", rule)
		}
	}
}

// create asks for a channel and returns the error of the connection, if any.
func create(s *Server, name string) (response, error) {
	return newReplay(s).ask(exchange{
		As: "admin", Method: "POST", Path: apiPrefix + "/channels/create",
		Form: map[string]string{"name": name}, JSON: map[string]any{"subscribers": []any{}},
	})
}

func TestFaults(t *testing.T) {
	tests := []struct {
		rule   string
		status int // 0: no answer
		text   string
		exists bool // the channel was created despite the fault
	}{
		{"POST /channels/create drop", 0, "", false},
		{"POST /channels/create after drop", 0, "", true},
		{"POST /channels/create status=503", 503, "", false},
		{"POST /channels/create after status=500", 500, "", true},
		{"* /channels/* html", 502, "", false},
		{"POST ** after empty", 200, "", true},
		{"POST /channels/create truncate", 0, "", true},
		{"POST /channels/create after stall=1ms", 200, "", true},
		{"GET /channels/create drop", 200, "", true},
		{"POST /channels/create/more drop", 200, "", true},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			s := start(t, Config{})
			f, err := ParseFault(test.rule)
			requireNoError(t, err)
			remove := s.Fail(f)
			got, err := create(s, "unlucky")
			if lost := err != nil; lost != (test.status == 0) || got.status != test.status {
				t.Errorf("status %d, error %v; want status %d", got.status, err, test.status)
			}
			if _, exists := s.Organization().Channel("unlucky"); exists != test.exists {
				t.Errorf("the channel exists: %v, want %v", exists, test.exists)
			}
			remove()
			if got, err := create(s, "lucky"); err != nil || got.status != http.StatusOK {
				t.Errorf("after removing the fault: %d, %v", got.status, err)
			}
		})
	}
}

func TestFaultCounters_SkipAndCount_Applied(t *testing.T) {
	s := start(t, Config{Faults: []Fault{{Path: "/users/me", Action: FaultStatus, Status: 503, Skip: 1, Count: 2}}})
	var got []int
	for range 5 {
		got = append(got, ask(t, s, "admin", "GET", "/users/me", nil).status)
	}
	if want := []int{200, 503, 503, 200, 200}; !reflect.DeepEqual(got, want) {
		t.Errorf("statuses %v, want %v", got, want)
	}
}

func TestStall_CallerCanceled_Ends(t *testing.T) {
	s := start(t, Config{Faults: []Fault{{Action: FaultStall, Delay: time.Hour}}})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", s.URL()+apiPrefix+"/server_settings", nil)
	requireNoError(t, err)
	if res, err := http.DefaultClient.Do(req); err == nil {
		res.Body.Close()
		t.Error("a stalled request was answered")
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing with a stalled request: %v", err)
	}
}

func TestGate_HeldRequests_ReleasedInOrder(t *testing.T) {
	s := start(t, Config{})
	gate := s.Gate("POST", "/channels/create")
	results := make(chan response, 2)
	for _, name := range []string{"Race", "race"} {
		go func() {
			got, err := create(s, name)
			if err != nil {
				t.Error(err)
			}
			results <- got
		}()
	}
	held := map[string]*HeldRequest{}
	for range 2 {
		h := <-gate.Arrived
		held[h.Request.Params["name"]] = h
	}
	held["race"].Release()
	first := <-results
	if first.status != http.StatusOK {
		t.Errorf("the first released: %d %s", first.status, first.text)
	}
	held["Race"].Release()
	// They have arrived at the same moment (server-behavior §C25).
	if got := <-results; got.status != http.StatusOK || got.body["id"] != first.body["id"] {
		t.Errorf("the second released: %d %s", got.status, got.text)
	}
	channel := must(t, s, "admin", "GET", fmt.Sprintf("/streams/%v", first.body["id"]), nil).body["stream"].(map[string]any)
	if channel["name"] != "race" {
		t.Errorf("the channel is %v", channel["name"])
	}
	gate.Open()
	if got, err := create(s, "free"); err != nil || got.status != http.StatusOK {
		t.Errorf("through the open gate: %d, %v", got.status, err)
	}
}

func TestJournal(t *testing.T) {
	var lines bytes.Buffer
	s := start(t, Config{Journal: &lines, Faults: []Fault{{Method: "DELETE", Action: FaultDrop}}})
	createdChannel(t, s, "admin", "noted")
	ask(t, s, "member", "GET", "/users/me", nil)
	ask(t, s, "nobody", "GET", "/users/me", nil)
	if _, err := newReplay(s).ask(exchange{As: "admin", Method: "DELETE", Path: apiPrefix + "/streams/7"}); err == nil {
		t.Error("the request was to be dropped")
	}
	j := s.Journal()
	for _, test := range []struct {
		filter Filter
		want   int
	}{
		{Filter{}, 4},
		{Filter{Method: "GET"}, 2},
		{Filter{Path: "/users/*"}, 2},
		{Filter{Path: "/api/v1/channels/create", Account: "admin"}, 1},
		{Filter{Status: 401}, 1},
		{Filter{Account: "moderator"}, 0},
	} {
		if got := j.Count(test.filter); got != test.want {
			t.Errorf("%+v: %d requests, want %d", test.filter, got, test.want)
		}
	}
	dropped := j.Requests(Filter{Method: "DELETE"})[0]
	if dropped.Status != 0 || dropped.Fault != "before drop" {
		t.Errorf("the dropped request: %+v", dropped)
	}
	if name := j.Requests(Filter{Method: "POST"})[0].Params["name"]; name != "noted" {
		t.Errorf("parameter name: %q", name)
	}
	decoder := json.NewDecoder(&lines)
	for range 4 {
		var r Request
		if err := decoder.Decode(&r); err != nil || r.Path == "" {
			t.Fatalf("a line of the journal: %+v, %v", r, err)
		}
	}
	j.Reset()
	if j.Count(Filter{}) != 0 {
		t.Error("the journal is not empty after Reset")
	}
}

func TestLag(t *testing.T) {
	now := time.Now()
	s := start(t, Config{Clock: func() time.Time { return now }})
	fault, err := ParseFault("* ** lag=1s")
	requireNoError(t, err)
	heal := s.Fail(fault)
	replay := newReplay(s)
	ask := func(method, path string, form map[string]string) response {
		t.Helper()
		answer, err := replay.ask(exchange{As: "admin", Method: method, Path: apiPrefix + path, Form: form})
		if err != nil || answer.status != 200 {
			t.Fatalf("%s %s: %d %s, %v", method, path, answer.status, answer.text, err)
		}
		return answer
	}
	shown := func(want int) {
		t.Helper()
		list, _ := ask("GET", "/realm/linkifiers", nil).body["linkifiers"].([]any)
		snapshot, _ := ask("POST", "/register", map[string]string{
			"fetch_event_types": `["realm_linkifiers"]`, "client_capabilities": `{"notification_settings_null":true,"linkifier_url_template":true}`,
		}).body["realm_linkifiers"].([]any)
		if len(list) != want || len(snapshot) != want {
			t.Errorf("the list shows %d linkifiers, the snapshot %d; want %d", len(list), len(snapshot), want)
		}
	}
	add := func(pattern string) {
		t.Helper()
		ask("POST", "/realm/filters", map[string]string{"pattern": pattern, "url_template": "https://example.com/"})
	}
	add("one")
	shown(0)
	now = now.Add(600 * time.Millisecond)
	add("two")
	shown(0)
	now = now.Add(600 * time.Millisecond)
	shown(1)
	now = now.Add(600 * time.Millisecond)
	shown(2)
	add("three")
	shown(2)
	heal()
	shown(3)
}

// A write of an account leaves the lists unchanged until the next write. Reading the single account shows the change.
func TestStaleAccounts(t *testing.T) {
	s := start(t, Config{})
	replay := newReplay(s)
	ask := func(method, path string, form map[string]string) response {
		t.Helper()
		answer, err := replay.ask(exchange{As: "owner", Method: method, Path: apiPrefix + path, Form: form})
		if err != nil || answer.status != 200 {
			t.Fatalf("%s %s: %d %s, %v", method, path, answer.status, answer.text, err)
		}
		return answer
	}
	shown := func(want int) {
		t.Helper()
		count := func(answer response, list string) int {
			rows, _ := answer.body[list].([]any)
			bots := 0
			for _, row := range rows {
				if row, _ := row.(map[string]any); list == "realm_bots" || row["is_bot"] == true {
					bots++
				}
			}
			return bots
		}
		snapshot := ask("POST", "/register", map[string]string{
			"fetch_event_types": `["realm_user","realm_bot"]`, "client_capabilities": `{"notification_settings_null":true}`,
		})
		if list, users, bots := count(ask("GET", "/users", nil), "members"), count(snapshot, "realm_users"), count(snapshot, "realm_bots"); list != want || users != want || bots != want {
			t.Errorf("the list shows %d bots, the snapshot %d among the people and %d; want %d", list, users, bots, want)
		}
	}
	fault, err := ParseFault("POST /bots stale 2 skip=1")
	requireNoError(t, err)
	s.Fail(fault)
	shown(1)
	for _, name := range []string{"a", "b", "c"} {
		id := ask("POST", "/bots", map[string]string{"full_name": name, "short_name": name}).body["user_id"]
		ask("GET", fmt.Sprint("/users/", id), nil)
		shown(2)
	}
	ask("POST", "/bots", map[string]string{"full_name": "d", "short_name": "d"})
	shown(5)
}

func TestRateLimiter(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	l := newRateLimiter([]RateLimit{{time.Hour, 4}, {time.Minute, 2}})
	steps := []struct {
		after     time.Duration
		account   int
		wait      time.Duration // 0: allowed
		remaining string
	}{
		{0, 1, 0, "3"},
		{10 * time.Second, 1, 0, "2"},
		{10 * time.Second, 1, 40 * time.Second, "0"},
		{10 * time.Second, 1, 30 * time.Second, "0"}, // a refused call did not count
		{0, 2, 0, "3"},                               // another account has its own
		{30 * time.Second, 1, 0, "1"},                // the first call has left the minute
		{10 * time.Second, 1, 0, "0"},
		{time.Minute, 1, time.Hour - 130*time.Second, "0"}, // the hour is used up
		{time.Hour - 130*time.Second, 1, 0, "0"},
	}
	for i, step := range steps {
		now = now.Add(step.after)
		headers, err := l.allow(step.account, now)
		var wait time.Duration
		if err != nil {
			wait = time.Duration(rateLimitWait(err) * float64(time.Second))
		}
		if wait.Round(time.Millisecond) != step.wait || headers.Get("X-RateLimit-Remaining") != step.remaining || headers.Get("X-RateLimit-Limit") != "4" {
			t.Errorf("step %d: wait %v, headers %v; want %v, %s", i, wait, headers, step.wait, step.remaining)
		}
	}
}

func TestRateLimiter_EventQueues_CountedSeparately(t *testing.T) {
	s := start(t, Config{RateLimits: []RateLimit{{time.Hour, 3}}})
	queue := must(t, s, "admin", "POST", "/register", map[string]any{"fetch_event_types": []string{"realm_user_groups"}})
	got := ask(t, s, "admin", "DELETE", "/events", map[string]any{"queue_id": queue.body["queue_id"]})
	if got.status != 200 || got.header.Get("X-RateLimit-Remaining") != "2" {
		t.Errorf("%d %v", got.status, got.header)
	}
	if got := ask(t, s, "admin", "GET", "/users/me", nil); got.header.Get("X-RateLimit-Remaining") != "1" {
		t.Errorf("the end of a queue was counted: %v", got.header)
	}
}

func TestRateLimiter_LimitedRequest_NothingChanged(t *testing.T) {
	s := start(t, Config{RateLimits: []RateLimit{{time.Hour, 1}}})
	must(t, s, "admin", "GET", "/users/me", nil)
	got := ask(t, s, "admin", "POST", "/channels/create", map[string]any{"name": "x", "subscribers": []int{}})
	if got.status != 429 || got.header.Get("Retry-After") == "" || got.header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("%d %v", got.status, got.header)
	}
	if _, exists := s.Organization().Channel("x"); exists {
		t.Error("a limited request made a channel")
	}
	if got := ask(t, s, "nobody", "GET", "/server_settings", nil); got.status != 200 || got.header.Get("X-RateLimit-Limit") != "" {
		t.Errorf("an open endpoint is limited: %d %v", got.status, got.header)
	}
}
