package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// Nothing of a try is left: neither in the organization and its IDs, nor in the journal, nor in a queue, whether the server did what
// was tried, refused it or broke.
func TestTryLeavesNothing(t *testing.T) {
	s := start(t, Config{})
	a := newReplay(s)
	registered, err := a.ask(newExchange("admin", "POST", "/register", map[string]any{"event_types": []string{"message"}}))
	if err != nil || registered.status != http.StatusOK {
		t.Fatal(err, registered.text)
	}
	queue := registered.body["queue_id"].(string)
	admin, _ := s.Credentials("admin")
	before := summary(s, queue)
	first := 0
	for range 2 {
		s.Try(func(try *Trial) {
			made := try.Do(admin.ID, "POST", "/channels/create", map[string]string{"name": "tried", "subscribers": fmt.Sprintf("[%d]", admin.ID)})
			if !made.Done() {
				t.Fatalf("%s", made.Body)
			}
			var channel struct{ ID int }
			_ = json.Unmarshal(made.Body, &channel)
			if first != 0 && channel.ID != first {
				t.Errorf("the second try gets another ID: %d, %d", first, channel.ID)
			}
			first = channel.ID
			if sent := try.Do(admin.ID, "POST", "/messages", map[string]string{"type": "stream", "to": fmt.Sprint(channel.ID), "topic": "t", "content": "x"}); !sent.Done() {
				t.Errorf("what a try did before is not there: %s", sent.Body)
			}
			if events := try.Do(admin.ID, "GET", "/events", map[string]string{"queue_id": queue, "last_event_id": "-1", "dont_block": "true"}); !events.Done() || !bytes.Contains(events.Body, []byte(`"message"`)) {
				t.Errorf("events within a try: %s", events.Body)
			}
			if refused := try.Do(admin.ID, "POST", "/channels/create", map[string]string{"name": "tried", "subscribers": "[]"}); refused.Done() || refused.Code != "CHANNEL_ALREADY_EXISTS" {
				t.Errorf("it can be made twice: %s", refused.Body)
			}
			if gone := try.Do(admin.ID, "GET", fmt.Sprintf("/streams/%d", channel.ID), nil); !gone.Done() {
				t.Errorf("a refusal undoes what was before it: %s", gone.Body)
			}
			try.PlaceMember(admin.ID, try.PlaceGroup("placed"), true)
			try.PlaceMessage(admin.ID, try.PlaceChannel("placed", nil), "t")
		})
	}
	if after := summary(s, queue); !reflect.DeepEqual(before, after) {
		t.Errorf("a try leaves something:\n%s\n%s", before, after)
	}
	s.Try(func(try *Trial) {
		if nobody := try.Do(1, "GET", "/users/me", nil); nobody.Status != http.StatusUnauthorized {
			t.Errorf("somebody who is not there: %d %s", nobody.Status, nobody.Body)
		}
	})
}

// summary is all that a try could leave.
func summary(s *Server, queue string) string {
	var text bytes.Buffer
	s.Organization().Read(func(o *rules.Organization) {
		for id, row := range o.Channels.All() {
			fmt.Fprintf(&text, "%d %+v\n", id, row)
		}
		for id, row := range o.Groups.All() {
			fmt.Fprintf(&text, "%d %+v %v\n", id, row, o.DirectMembers(row))
		}
		for id, row := range o.Subscriptions.All() {
			fmt.Fprintf(&text, "%d %+v\n", id, row)
		}
		for id, row := range o.Messages.All() {
			fmt.Fprintf(&text, "%d %+v\n", id, row)
		}
		_, sequences, _ := o.Changes()
		fmt.Fprintln(&text, o.Users.Len(), sequences)
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintln(&text, len(s.queues), *s.queues[queue], s.journal.Count(Filter{}))
	return text.String()
}

// What is sent through the transport is handled as what comes from the network.
func TestTransport(t *testing.T) {
	s := start(t, Config{})
	admin, _ := s.Credentials("admin")
	client := &http.Client{Transport: s.Transport()}
	ask := func(path string) (*http.Response, error) {
		request, err := http.NewRequestWithContext(t.Context(), "GET", "http://sandbox.localhost"+apiPrefix+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.SetBasicAuth(admin.Email, admin.APIKey)
		return client.Do(request)
	}
	answer, err := ask("/users/me")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var me struct {
		ID int `json:"user_id"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&me); err != nil || me.ID != admin.ID || s.Journal().Count(Filter{Path: "/users/me"}) != 1 {
		t.Errorf("%v, %+v", err, me)
	}
	s.Fail(Fault{Method: "GET", Path: "/users/me", Action: FaultDrop})
	if answer, err := ask("/users/me"); err == nil {
		answer.Body.Close()
		t.Error("a dropped connection answers")
	}
}
