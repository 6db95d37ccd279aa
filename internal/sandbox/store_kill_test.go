package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	// How often the process is killed while it writes.
	kills = 200
	// A process that wrote so much before it was killed is given less time: more writes test nothing more, and each is
	// looked for after each of the kills that follow.
	manyWrites = 8
)

// TestStateSurvivesManyKills kills the sandbox again and again at random moments while it is written to. Each time the
// file has to be readable, and to hold every write that was acknowledged before.
func TestStateSurvivesManyKills(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	acknowledged := map[string]string{} // descriptions of channels by name
	lost, rounds, within := 0, kills, 12*time.Millisecond
	if testing.Short() {
		rounds /= 8
	}
	for round := range rounds {
		cmd, hello := startChild(t, path)
		admin := hello.Credentials["admin"]
		if round > 0 {
			lost += missing(t, hello.URL, admin, acknowledged)
		}
		done := make(chan map[string]string)
		go func() { done <- writeUntilKilled(hello.URL, admin, round) }()
		// A random moment is what is tested; there is no signal to wait for.
		<-time.After(rand.N(within))
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed, and says so
		written := <-done
		maps.Copy(acknowledged, written)
		switch {
		case len(written) == 0 && within < time.Second: // on a busy machine nothing was written yet
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

// writeUntilKilled makes channels until nobody answers, and returns those that were acknowledged.
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

// missing counts the acknowledged channels that are not there, or not as they were written.
func missing(t *testing.T, site string, as Credentials, acknowledged map[string]string) (count int) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, site+"/api/v1/streams?include_all=true", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(as.Email, as.APIKey)
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var list struct {
		Streams []struct{ Name, Description string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
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
