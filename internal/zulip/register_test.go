package zulip

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The server also drops an idle event queue (server-behavior §R24), so a failure to close it is no error.
func TestQueue_CloseFails_NotRepeated(t *testing.T) {
	for name, answer := range map[string]answers{
		"unavailable": refusal(503, "BAD_REQUEST", "Service Unavailable"),
		"bad gateway": always(502, "text/html", "<html><title>Bad Gateway</title></html>"),
		"rate limit":  limited("58.24", "58.24"),
		"dropped":     dropped,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWire(t, answer)
				began := time.Now()
				if err := w.client.DeleteQueue(w.ctx, "1:1"); err == nil {
					t.Error("no error")
				}
				w.expectSent(t, 1)
				if waited := time.Since(began); waited > 0 {
					t.Errorf("waited %s", waited)
				}
			})
		})
	}
}

func TestQueue_CloseTooSlow_Abandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, silent)
		began := time.Now()
		if err := w.client.DeleteQueue(w.ctx, "1:1"); err == nil {
			t.Error("no error")
		}
		w.expectSent(t, 1)
		if waited := time.Since(began); waited > w.client.timeout/2 {
			t.Errorf("waited %s", waited)
		}
	})
}

// manyPeople answers with a snapshot of this many people, each of some 650 bytes as on a server.
func manyPeople(count int) answers {
	return func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"result":"success","msg":"","queue_id":"1:1","realm_users":[`)
		row := strings.Repeat(" ", 600) + `{"user_id":%d,"email":"user%d@example.com","role":400}`
		for i := range count {
			if i > 0 {
				fmt.Fprint(w, ",")
			}
			fmt.Fprintf(w, row, i, i)
		}
		fmt.Fprint(w, `]}`)
	}
}

// An organization of 90,000 people is read.
func TestSnapshot_LargeOrganization_Read(t *testing.T) {
	const people = 90_000
	w := newWire(t, manyPeople(people), func(cfg *Config) { cfg.RequestTimeout = 2 * time.Minute })
	snapshot, err := w.client.Register(w.ctx, []string{FetchUsers})
	requireNoError(t, err)
	if len(snapshot.Users) != people {
		t.Errorf("%d people", len(snapshot.Users))
	}
}

// The client stops reading an endless answer, and the error says what to do.
func TestSnapshot_TooLarge_Error(t *testing.T) {
	w := newWire(t, manyPeople(3000))
	w.client.maxStreamed = 1 << 20
	_, err := w.client.Register(w.ctx, []string{FetchUsers})
	if err == nil || !strings.Contains(err.Error(), "larger than 1 MB") || !strings.Contains(err.Error(), "report it") {
		t.Errorf("the error is %v", err)
	}
	w.expectSent(t, 1)
}

// largeSnapshot is the answer to /register of an organization with this many channels and people, with all the fields of a
// server. 200 groups have 25 people each.
func largeSnapshot(tb testing.TB, channels, people int) []byte {
	tb.Helper()
	type object = map[string]any
	var streams, users, groups []object
	for i := range channels {
		stream := object{
			"stream_id": i + 1, "name": fmt.Sprintf("channel %d", i), "description": fmt.Sprintf("What **channel %d** is for", i),
			"rendered_description": fmt.Sprintf("<p>What <strong>channel %d</strong> is for</p>", i), "invite_only": i%4 == 0,
			"is_web_public": false, "history_public_to_subscribers": true, "message_retention_days": nil, "topics_policy": "inherit",
			"folder_id": i%20 + 1, "is_archived": false, "creator_id": i%people + 1, "date_created": 1700000000 + i, "first_message_id": i * 7,
			"is_recently_active": true, "stream_post_policy": 1, "is_announcement_only": false, "stream_weekly_traffic": nil, "subscriber_count": 25,
			"can_administer_channel_group": object{"direct_members": []int{i%people + 1}, "direct_subgroups": []int{}},
			"can_send_message_group":       object{"direct_members": []int{}, "direct_subgroups": []int{13, 100 + i%200}},
		}
		for _, name := range []string{"add_subscribers", "create_topic", "delete_any_message", "delete_own_message", "move_messages_out_of_channel", "move_messages_within_channel", "remove_subscribers", "subscribe", "resolve_topics"} {
			stream["can_"+name+"_group"] = 11
		}
		streams = append(streams, stream)
	}
	for i := range people {
		users = append(users, object{
			"user_id": i + 1, "email": fmt.Sprintf("user%d@zulip.example.com", i+1), "delivery_email": fmt.Sprintf("person%d@example.com", i),
			"full_name": fmt.Sprintf("Person Number %d", i), "role": 400, "timezone": "Europe/Berlin", "date_joined": "2024-05-17T08:15:30.123456+00:00",
			"is_admin": false, "is_owner": false, "is_guest": false, "is_bot": false, "bot_type": nil, "is_billing_admin": false, "is_moderator": false,
			"avatar_url": nil, "avatar_version": 1, "is_imported_stub": false, "profile_data": object{"1": object{"value": "+49 30 1234", "rendered_value": "<p>+49 30 1234</p>"}, "2": object{"value": "Berlin"}},
		})
	}
	for i := range 200 {
		var members []int
		for j := range 25 {
			members = append(members, (i*25+j)%people+1)
		}
		group := object{"id": 100 + i, "name": fmt.Sprintf("team-%d", i), "description": "A team", "creator_id": 1, "date_created": 1700000000, "members": members, "direct_subgroup_ids": []int{}, "is_system_group": false, "deactivated": false}
		for _, name := range []string{"add_members", "join", "leave", "manage", "mention", "remove_members"} {
			group["can_"+name+"_group"] = 11
		}
		groups = append(groups, group)
	}
	body, err := json.Marshal(object{
		"result": "success", "msg": "", "queue_id": "q", "zulip_feature_level": 442, "streams": streams, "realm_users": users,
		"realm_user_groups": groups, "realm_non_active_users": []object{}, "cross_realm_bots": []object{}, "realm_default_streams": []int{1, 2},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return body
}

// sameAnswer is a server that always gives the same answer.
type sameAnswer []byte

func (a sameAnswer) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(a)), Request: req}, nil
}

// BenchmarkDecodeSnapshot reads 5,000 channels and 5,000 people. kept-B/op is the memory that the result uses.
func BenchmarkDecodeSnapshot(b *testing.B) {
	body := largeSnapshot(b, 5000, 5000)
	client, err := New(Config{Site: "https://zulip.example.com", Email: "o@example.com", APIKey: "key", Transport: sameAnswer(body)})
	requireNoError(b, err)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	var snapshot *RegisterAnswer
	for b.Loop() {
		if snapshot, err = client.Register(b.Context(), []string{FetchChannels, FetchUsers, FetchUserGroups}); err != nil {
			b.Fatal(err)
		}
	}
	if len(snapshot.Channels) != 5000 || len(snapshot.Users) != 5000 {
		b.Fatal(len(snapshot.Channels), len(snapshot.Users))
	}
	held := heldAfterCollection()
	runtime.KeepAlive(snapshot)
	b.ReportMetric(float64(held-heldAfterCollection()), "kept-B/op")
}

func heldAfterCollection() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
