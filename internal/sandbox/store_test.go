package sandbox

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// childState is set for the process that TestState_Killed_Kept starts and
// kills: the path of the state file it serves from.
const childState = "SANDBOX_TEST_STATE"

// childHello is the greeting of that process when it serves.
type childHello struct {
	URL         string                 `json:"url"`
	Credentials map[string]Credentials `json:"credentials"`
}

func TestMain(m *testing.M) {
	path := os.Getenv(childState)
	if path == "" {
		os.Exit(m.Run())
	}
	s, err := New(Config{StatePath: path})
	if err == nil {
		err = s.Start("127.0.0.1:0")
	}
	if err != nil {
		panic(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(childHello{s.URL(), s.AllCredentials()}); err != nil {
		panic(err)
	}
	select {} // until it is killed
}

// startChild serves a state file from a process of its own.
func startChild(t *testing.T, path string) (*exec.Cmd, childHello) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childState+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	requireNoError(t, err)
	requireNoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	var hello childHello
	requireNoError(t, json.NewDecoder(bufio.NewReader(out)).Decode(&hello))
	return cmd, hello
}

func TestState_Killed_Kept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	cmd, hello := startChild(t, path)

	// Requests to the child use a server value that only has its address and keys.
	child := &replay{server: start(t, Config{}), bound: map[string]int{}}
	child.server.address = address{urls: []string{hello.URL}}
	admin := hello.Credentials["admin"]
	request := func(method, path string, form map[string]string, fields map[string]any) response {
		t.Helper()
		got, err := child.askAs(admin, exchange{Method: method, Path: apiPrefix + path, Form: form, JSON: fields})
		if err != nil || got.status != 200 {
			t.Fatalf("%s %s: %d %s %v", method, path, got.status, got.text, err)
		}
		return got
	}
	id := int(request("POST", "/channels/create", map[string]string{"name": "kept"}, map[string]any{"subscribers": []any{admin.ID}}).body["id"].(float64))
	request("PATCH", "/streams/"+userKey(id), map[string]string{"description": "last words"}, map[string]any{"is_private": true})
	request("DELETE", "/users/"+userKey(hello.Credentials["guest"].ID), nil, nil)
	requireNoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // the error says that it was killed

	s := start(t, Config{StatePath: path, Accounts: map[string]Account{}})
	got := s.AllCredentials()
	for name, credentials := range got {
		credentials.IsBot, credentials.IsActive = false, false // the greeting lacks these
		got[name] = credentials
	}
	if !reflect.DeepEqual(got, hello.Credentials) {
		t.Errorf("credentials changed:\n%v\n%v", hello.Credentials, got)
	}
	ch, ok := s.Organization().Channel("kept")
	if !ok || ch.ID != id || !ch.Private || ch.Description != "last words" || len(ch.Subscribers) != 1 {
		t.Errorf("the channel came back as %+v", ch)
	}
	if again := createdChannel(t, s, "admin", "next"); again <= id {
		t.Errorf("id %d after %d", again, id)
	}
	if got := ask(t, s, "guest", "GET", "/users/me", nil); got.body["msg"] != "Account is deactivated" {
		t.Errorf("the deactivated guest: %s", got.text)
	}
}

func TestIDs_Restarted_NotReused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := start(t, Config{StatePath: path})
	params := map[string]any{"group_name": "new people", "description": "x", "stream_names": []string{}}
	groupID := func() int {
		t.Helper()
		must(t, s, "admin", "POST", "/default_stream_groups/create", params)
		got := must(t, s, "admin", "POST", "/register", map[string]any{"fetch_event_types": []string{"default_stream_groups"}})
		return int(got.body["realm_default_stream_groups"].([]any)[0].(map[string]any)["id"].(float64))
	}
	first := groupID()
	must(t, s, "admin", "DELETE", "/default_stream_groups/"+userKey(first), nil)
	requireNoError(t, s.Close())
	s = start(t, Config{StatePath: path})
	if again := groupID(); again == first {
		t.Errorf("id %d was given to another group", again)
	}
}

func TestState_WriteFails_ChangeUndone(t *testing.T) {
	s := start(t, Config{StatePath: filepath.Join(t.TempDir(), "state.db")})
	id := createdChannel(t, s, "admin", "written")
	if err := s.store.db.Close(); err != nil { // like a missing disk
		t.Fatal(err)
	}
	for _, got := range []response{
		ask(t, s, "admin", "POST", "/channels/create", map[string]any{"name": "unwritten", "subscribers": []int{}}),
		// Steps that are committed one by one are undone as well.
		ask(t, s, "admin", "PATCH", "/streams/"+userKey(id), map[string]any{"description": "unwritten", "new_name": "unwritten"}),
	} {
		if got.status != 500 || got.body["msg"] != "Internal server error" || got.body["code"] != nil {
			t.Errorf("%d %s", got.status, got.text)
		}
	}
	if _, exists := s.Organization().Channel("unwritten"); exists {
		t.Error("a change that was not written is there")
	}
	if ch, _ := s.Organization().Channel("written"); ch.Description != "" {
		t.Errorf("description %q was not written", ch.Description)
	}
}

func TestStateFileInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	start(t, Config{StatePath: path})
	if _, err := New(Config{StatePath: path}); err == nil {
		t.Error("two servers share a state file")
	}
	requireNoError(t, os.WriteFile(path+"x", []byte("not a database, but long enough to be looked at as one"), 0o600))
	if _, err := New(Config{StatePath: path + "x"}); err == nil {
		t.Error("a file that is no state file is taken")
	}
}

const (
	// How often the process is killed while it writes.
	kills = 200
	// A process that wrote this much gets less time. More writes would test nothing more, and each later kill checks them
	// all.
	manyWrites = 8
)

// TestState_KilledManyTimes_Kept kills the sandbox repeatedly at random moments while it is written to. Each time the file must
// be readable, and must hold every acknowledged write.
func TestState_KilledManyTimes_Kept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	acknowledged := map[string]string{} // descriptions of channels by name
	lost, rounds, within := 0, kills, 12*time.Millisecond
	switch {
	case testing.Short():
		rounds /= 8
	case os.Getenv("ZULIP_TEST_ALL") != "1":
		rounds /= 4
	}
	for round := range rounds {
		cmd, hello := startChild(t, path)
		admin := hello.Credentials["admin"]
		if round > 0 {
			lost += missing(t, hello.URL, admin, acknowledged)
		}
		done := make(chan map[string]string)
		go func() { done <- writeUntilKilled(hello.URL, admin, round) }()
		// The test is about a random moment, so no signal exists to wait for.
		<-time.After(rand.N(within))
		requireNoError(t, cmd.Process.Kill())
		_ = cmd.Wait() // the error says that it was killed
		written := <-done
		maps.Copy(acknowledged, written)
		switch {
		case len(written) == 0 && within < time.Second: // a busy machine has written nothing yet
			within *= 2
		case len(written) > manyWrites:
			within /= 2
		}
	}
	if len(acknowledged) < rounds/4 {
		t.Errorf("only %d writes in %d rounds: this tested little", len(acknowledged), rounds)
	}
	if lost > 0 {
		t.Errorf("%d acknowledged writes were lost", lost)
	}
	t.Logf("%d kills, %d acknowledged writes, %d lost", rounds, len(acknowledged), lost)
}

// writeUntilKilled creates channels until the server no longer answers, and returns the acknowledged ones.
func writeUntilKilled(site string, as Credentials, round int) map[string]string {
	acknowledged := map[string]string{}
	for i := 0; ; i++ {
		name, description := fmt.Sprintf("kill-%d-%d", round, i), fmt.Sprintf("written as number %d", i)
		form := url.Values{"name": {name}, "description": {description}, "subscribers": {fmt.Sprintf("[%d]", as.ID)}}
		req, err := http.NewRequest(http.MethodPost, site+"/api/v1/channels/create", strings.NewReader(form.Encode()))
		if err != nil {
			return acknowledged
		}
		req.SetBasicAuth(as.Email, as.APIKey)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			return acknowledged
		}
		_ = answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			acknowledged[name] = description
		}
	}
}

// missing counts the acknowledged channels that are missing or different.
func missing(t *testing.T, site string, as Credentials, acknowledged map[string]string) (count int) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, site+"/api/v1/streams?include_all=true", http.NoBody)
	requireNoError(t, err)
	req.SetBasicAuth(as.Email, as.APIKey)
	answer, err := http.DefaultClient.Do(req)
	requireNoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	var list struct {
		Streams []struct{ Name, Description string }
	}
	requireNoError(t, json.NewDecoder(answer.Body).Decode(&list))
	held := map[string]string{}
	for _, channel := range list.Streams {
		held[channel.Name] = channel.Description
	}
	for name, description := range acknowledged {
		if held[name] != description {
			count++
		}
	}
	return count
}
