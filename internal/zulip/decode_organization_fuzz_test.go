package zulip

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func FuzzDecodeBots(f *testing.F) {
	for _, seed := range []string{
		`[{"user_id":9,"email":"a-bot@example.com","full_name":"A","bot_type":3,"is_active":true,"owner_id":8,"default_sending_stream":null,"services":[{"base_url":"https://example.com","interface":1,"token":"t"}]},null]`,
		`[{"user_id":9,"bot_type":4,"owner_id":null,"services":[{"service_name":"echo","config_data":{"a":"b"}}]}]`,
		`[{"user_id":9,"default_sending_stream":"ops","default_events_register_stream":null,"default_all_public_streams":true,"services":[]}]`,
		`[{"services":null}]`, `[{"services":[null]}]`, `{}`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		snapshot, ok := decodePart("realm_bots", data)
		if !ok {
			return
		}
		for _, bot := range snapshot.Bots {
			if bot == nil {
				t.Fatal("a bot that is null was kept")
			}
		}
		checkReadBack(t, snapshot.Bots)
	})
}

func FuzzDecodeStatuses(f *testing.F) {
	for _, seed := range []string{
		`{"8":{"status_text":"out","emoji_name":"car","emoji_code":"1f697","reaction_type":"unicode_emoji"},"9":{"away":true}}`,
		`{"8":null}`, `{"x":{}}`, `{"8":{"status_text":1}}`, `[]`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if snapshot, ok := decodePart("user_status", data); ok {
			checkReadBack(t, snapshot.Statuses)
		}
	})
}

func FuzzDecodeEmojiNames(f *testing.F) {
	for _, seed := range []string{
		`{"code_to_names":{"1f389":["tada","party"],"1f697":["car"]},"names":["car"]}`,
		`{"code_to_names":{"1":["same"],"2":["same"],"3":["same"],"4":["same"]}}`,
		`{"code_to_names":{"1":null}}`, `{"code_to_names":null}`, `null`, `<html>`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		names, err := decodeEmojiNames(bytes.NewReader(data))
		if err != nil {
			return
		}
		again, err := decodeEmojiNames(bytes.NewReader(data))
		if err != nil || !reflect.DeepEqual(names, again) {
			t.Errorf("%s is read as %v, then as %v, %v", data, names, again, err)
		}
	})
}

func FuzzDecodeRealmSetting(f *testing.F) {
	for _, seed := range [][2]string{
		{"realm_name", `"Example"`}, {"realm_jitsi_server_url", `null`}, {"realm_message_retention_days", `-1`},
		{"realm_authentication_methods", `{"Email":{"enabled":true,"available":true},"LDAP":false}`},
		{"realm_authentication_methods", `{"Email":null}`}, {"realm_waiting_period_threshold", `3`},
		{"realm_can_create_groups", `{"direct_members":[1],"direct_subgroups":[]}`}, {"realm_can_invite_users_group", `11`},
		{"realm_odd_group", `{"direct_members":1}`}, {"max_message_length", `10000`}, {"server_emoji_data_url", `"/emoji.json"`},
		{"realm_default_code_block_language", `[]`}, {"realm_enable_spectator_access", ` {}`},
	} {
		f.Add(seed[0], []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, field string, data []byte) {
		if !strings.HasPrefix(field, realmFieldPrefix) && !strings.HasPrefix(field, "max_") && !strings.HasPrefix(field, "s") {
			return // of another part
		}
		snapshot, ok := decodePart(field, data)
		if !ok || snapshot.Realm == nil {
			return
		}
		for name, raw := range snapshot.Realm.Settings {
			if !json.Valid(raw) {
				t.Errorf("%s is kept as %s, which is no JSON", name, raw)
			}
			if isRealmPermission(name) {
				t.Errorf("the permission %s is kept among the settings", name)
			}
			if plain := strings.TrimSpace(string(raw)); name != "authentication_methods" && strings.ContainsAny(plain[:1], "[{") {
				t.Errorf("%s is kept as %s", name, raw)
			}
		}
		for name, value := range snapshot.Realm.Permissions {
			checkRoundTrip(t, name, value)
		}
	})
}

// decodePart decodes a snapshot that holds one field; false if it is not understood.
func decodePart(field string, value []byte) (*RegisterAnswer, bool) {
	if !json.Valid(value) {
		return nil, false
	}
	name, err := json.Marshal(field)
	if err != nil {
		return nil, false
	}
	text := "{" + string(name) + ":" + string(value) + "}"
	var snapshot RegisterAnswer
	err = snapshot.decode(json.NewDecoder(strings.NewReader(text)), true)
	return &snapshot, err == nil
}

// checkReadBack wants a value to be the same when it is written and read again.
func checkReadBack[T any](t *testing.T, value T) {
	t.Helper()
	written, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var again T
	if err := json.Unmarshal(written, &again); err != nil || !reflect.DeepEqual(again, value) {
		t.Errorf("%s is read back as %+v, %v", written, again, err)
	}
}
