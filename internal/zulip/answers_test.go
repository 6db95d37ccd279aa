package zulip

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// The client decodes every field of /register into the type that AnswerType names: what the type takes, the snapshot takes, and
// what it refuses, the snapshot refuses.
func TestSnapshotDecodesWhatAnswerTypeSays(t *testing.T) {
	values := []string{`null`, `true`, `7`, `"seven"`, `[]`, `[7]`, `[{"id":"seven","stream_id":"seven","user_id":"seven","domain":7,"name":7}]`, `{}`, `{"7":7}`}
	fields := []string{"realm_name", "realm_can_create_groups"}
	for field := range answerTypes[registerPath] {
		fields = append(fields, field)
	}
	for field := range realmTypes {
		fields = append(fields, field)
	}
	for _, field := range fields {
		known := AnswerType(registerPath, field)
		for _, value := range values {
			var answer RegisterAnswer
			got := answer.decode(json.NewDecoder(strings.NewReader(fmt.Sprintf(`{%q:%s}`, field, value))), true)
			var want error
			if known != nil && field != "realm_can_create_groups" { // one that cannot be read is passed over
				want = json.Unmarshal([]byte(value), reflect.New(known).Interface())
			}
			if (got == nil) != (want == nil) {
				t.Errorf("%s: %s: the snapshot says %v, the type %v", field, value, got, want)
			}
		}
	}
}

// The other calls decode the fields that AnswerType names into these types.
func TestCallsDecodeWhatAnswerTypeSays(t *testing.T) {
	var body string
	w := newWire(t, func(_ int, rw http.ResponseWriter, _ *http.Request) {
		reply(rw, http.StatusOK, "application/json", body)
	},
		func(cfg *Config) { cfg.MaxRetries = -1 })
	calls := map[string]func() error{
		"/server_settings":        func() error { _, err := w.client.ServerSettings(w.ctx); return err },
		"/users/me":               func() error { _, err := w.client.Me(w.ctx); return err },
		"/users":                  func() error { _, err := w.client.Users(w.ctx, true); return err },
		"/streams":                func() error { _, err := w.client.Channels(w.ctx, 0); return err },
		"/user_groups":            func() error { _, err := w.client.UserGroups(w.ctx, 0); return err },
		"/channel_folders":        func() error { _, err := w.client.ChannelFolders(w.ctx); return err },
		"/invites":                func() error { _, err := w.client.Invitations(w.ctx); return err },
		"/bots":                   func() error { _, err := w.client.OwnBots(w.ctx); return err },
		"/realm/linkifiers":       func() error { _, err := w.client.Linkifiers(w.ctx); return err },
		"/realm/profile_fields":   func() error { _, err := w.client.ProfileFields(w.ctx); return err },
		"/users/me/subscriptions": func() error { _, err := w.client.Subscriptions(w.ctx); return err },
	}
	for path, fields := range answerTypes {
		if path == registerPath {
			continue
		}
		if calls[path] == nil {
			t.Fatalf("nothing calls %s", path)
		}
		for field, known := range fields {
			for _, value := range []string{`true`, `7`, `"seven"`, `[]`, `[{"user_id":true,"stream_id":true,"id":true}]`, `[{"can_join_group":true,"can_subscribe_group":true}]`, `{}`} {
				body = fmt.Sprintf(`{"result":"success","msg":"",%q:%s}`, field, value)
				got, want := calls[path](), json.Unmarshal([]byte(value), reflect.New(known).Interface())
				if (got == nil) != (want == nil) {
					t.Errorf("%s: %s: %s: the call says %v, the type %v", path, field, value, got, want)
				}
			}
		}
	}
}
