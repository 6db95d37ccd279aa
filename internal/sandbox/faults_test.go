package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
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
		exists bool // the channel was created all the same
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
			if err != nil {
				t.Fatal(err)
			}
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

func TestFaultSkipsAndCounts(t *testing.T) {
	s := start(t, Config{Faults: []Fault{{Path: "/users/me", Action: FaultStatus, Status: 503, Skip: 1, Count: 2}}})
	var got []int
	for range 5 {
		got = append(got, ask(t, s, "admin", "GET", "/users/me", nil).status)
	}
	if want := []int{200, 503, 503, 200, 200}; !reflect.DeepEqual(got, want) {
		t.Errorf("statuses %v, want %v", got, want)
	}
}

func TestStallEndsWithTheCaller(t *testing.T) {
	s := start(t, Config{Faults: []Fault{{Action: FaultStall, Delay: time.Hour}}})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", s.URL()+apiPrefix+"/server_settings", nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := http.DefaultClient.Do(req); err == nil {
		res.Body.Close()
		t.Error("a stalled request was answered")
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing with a stalled request: %v", err)
	}
}

func TestGateDecidesTheOrder(t *testing.T) {
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
	if got := <-results; got.status != http.StatusOK {
		t.Errorf("the first released: %d %s", got.status, got.text)
	}
	held["Race"].Release()
	if got := <-results; got.status != http.StatusConflict {
		t.Errorf("the second released: %d %s", got.status, got.text)
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
