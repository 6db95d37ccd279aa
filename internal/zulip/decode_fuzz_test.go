package zulip

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// Decoding must never crash, and a decoded value must be the same after it is written and read again.

func FuzzDecodeChannel(f *testing.F) {
	for _, seed := range []string{
		`{"stream_id":12,"name":"general","invite_only":true,"history_public_to_subscribers":false,"can_send_message_group":11,"folder_id":null,"message_retention_days":-1}`,
		`{"stream_id":12,"can_administer_channel_group":{"direct_members":[3,1],"direct_subgroups":[]}}`,
		`{"can_send_message_group":"role:members"}`, `{"can_send_message_group":null}`, `[]`, `null`, `{"stream_id":1e99}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var channel Channel
		if err := json.Unmarshal(data, &channel); err != nil {
			return
		}
		if !bytes.Contains([]byte(channel.Privacy()), []byte("p")) {
			t.Errorf("%s has the privacy %q", data, channel.Privacy())
		}
		for setting, value := range channel.Permissions {
			checkRoundTrip(t, setting, value)
		}
	})
}

func FuzzDecodeUserGroup(f *testing.F) {
	for _, seed := range []string{
		`{"id":7,"name":"sre","members":[1,2],"direct_subgroup_ids":[],"is_system_group":false,"can_manage_group":{"direct_members":[1],"direct_subgroups":[]},"can_mention_group":12}`,
		`{"id":"7"}`, `{"can_manage_group":0}`, `{"can_join_group":{}}`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var group UserGroup
		if err := json.Unmarshal(data, &group); err != nil {
			return
		}
		for setting, value := range group.Permissions {
			checkRoundTrip(t, setting, value)
		}
	})
}

func FuzzDecodeSnapshot(f *testing.F) {
	for _, seed := range []string{
		`{"queue_id":"q","zulip_feature_level":442,"streams":[{"stream_id":1}],"realm_default_streams":[1],"realm_users":[{"user_id":2,"role":100}],"realm_non_active_users":[],"realm_user_groups":[]}`,
		`{"realm_default_streams":[{"stream_id":1},2]}`, `{"server_supported_permission_settings":{"stream":{"can_send_message_group":{"allow_everyone_group":true}}}}`,
		`{"realm_can_create_groups":12,"realm_create_multiuse_invite_group":{"direct_members":[],"direct_subgroups":[]},"realm_odd_group":"text"}`,
		`{"realm_linkifiers":[{"id":1,"pattern":"x","url_template":"u","example_input":null,"alternative_url_templates":["u"]},null]}`,
		`{"realm_name":"A","realm_jitsi_server_url":null,"realm_authentication_methods":{"Email":{"enabled":true,"available":true},"LDAP":false},"realm_available_video_chat_providers":{"disabled":{"id":0}}}`,
		`{"realm_domains":[{"domain":"example.com","allow_subdomains":false},null],"realm_playgrounds":[{"id":1,"pygments_language":"Python"},null]}`,
		`{"realm_emoji":{"3":{"id":"3","name":"party","author_id":null},"4":null},"realm_default_stream_groups":[{"id":1,"streams":[2,{"stream_id":3}]},null]}`,
		`{"realm_user_settings_defaults":{"color_scheme":1,"enter_sends":null}}`,
		`{"streams":[null],"realm_users":[null],"channel_folders":[null],"realm_user_groups":[null]}`, `{"streams":`, `[]`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var snapshot RegisterAnswer
		if err := snapshot.decode(json.NewDecoder(bytes.NewReader(data)), true); err != nil {
			return
		}
		for _, channel := range snapshot.Channels {
			if channel == nil {
				t.Error("a channel that is null was kept")
			}
		}
		for _, domain := range snapshot.Domains {
			_ = StoredDomain(domain.Domain)
		}
		for _, playground := range snapshot.Playgrounds {
			_ = playground.Key()
		}
		for _, user := range snapshot.Users {
			if user == nil {
				t.Error("a user that is null was kept")
				continue
			}
			_, _ = user.Address(), user.Role.String()
		}
	})
}

func FuzzDecodeInvitation(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"is_multiuse":true,"invited":1795219006,"expiry_date":1795222606,"invited_as":400,"invited_by_user_id":8,"link_url":"https://chat.example.com/join/x/"}`,
		`{"id":1,"is_multiuse":false,"expiry_date":null,"email":"new@example.com","notify_referrer_on_join":true}`, `{"id":"1"}`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var invitation Invitation
		if err := json.Unmarshal(data, &invitation); err != nil {
			return
		}
		if minutes := invitation.ExpiresInMinutes(); (minutes == nil) != (invitation.ExpiryDate == nil) {
			t.Errorf("%s expires in %v minutes", data, minutes)
		}
	})
}

func FuzzDecodeServerSettings(f *testing.F) {
	for _, seed := range []string{
		`{"zulip_version":"12.0","zulip_feature_level":442,"realm_url":"https://a.example.com","authentication_methods":{"password":true}}`,
		`{"external_authentication_methods":[{"name":"saml","display_icon":null}]}`, `{"zulip_feature_level":"442"}`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var settings ServerSettings
		if err := json.Unmarshal(data, &settings); err != nil {
			return
		}
		written, err := json.Marshal(settings)
		requireNoError(t, err)
		var again ServerSettings
		if err := json.Unmarshal(written, &again); err != nil {
			t.Errorf("%s is not read back: %v", written, err)
		}
	})
}

func checkRoundTrip(t *testing.T, setting string, value GroupSettingValue) {
	t.Helper()
	written, err := json.Marshal(value)
	requireNoError(t, err)
	var again GroupSettingValue
	if err := json.Unmarshal(written, &again); err != nil || again.IsNamed() != value.IsNamed() {
		t.Errorf("%s: %s is read back as %v, %v", setting, written, again, err)
	}
}

// Decoding a message, a draft or a scheduled message must return the same place each time.

func FuzzDecodeMessage(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"sender_id":8,"content":"Hi","timestamp":1795219006,"type":"stream","stream_id":12,"subject":"news","display_recipient":"general","reactions":[{"emoji_name":"tada","emoji_code":"1f389","reaction_type":"unicode_emoji","user_id":8}]}`,
		`{"id":2,"type":"private","display_recipient":[{"id":8},{"id":9}],"reactions":[null]}`,
		`{"type":"private","stream_id":3,"display_recipient":[]}`, `{"type":"private","display_recipient":"general"}`, `{"type":"private"}`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var message Message
		if err := json.Unmarshal(data, &message); err != nil {
			return
		}
		if message.Type == "private" && !message.To().IsDirect() {
			t.Errorf("%s is taken for a message to a channel", data)
		}
		if to := message.To(); !to.Same(message.To(), message.SenderID) {
			t.Errorf("%s is not for whom it is for", data)
		}
		checkContent(t, message.Content)
	})
}

func FuzzDecodeScheduledMessage(f *testing.F) {
	for _, seed := range []string{
		`{"scheduled_message_id":3,"type":"stream","to":12,"topic":"news","content":"Hi","scheduled_delivery_timestamp":1795219006,"failed":false}`,
		`{"scheduled_message_id":4,"type":"private","to":[8,9],"content":"Hi","failed":true}`,
		`{"type":"stream","to":null}`, `{"type":"private","to":null}`, `{"type":"stream","to":[1]}`, `{"type":"private","to":1}`, `{}`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var message ScheduledMessage
		if err := json.Unmarshal(data, &message); err != nil {
			return
		}
		if message.To.IsDirect() != (message.Type != "stream") {
			t.Errorf("%s is for %+v", data, message.To)
		}
		checkContent(t, message.Content)
	})
}

func FuzzDecodeDraft(f *testing.F) {
	for _, seed := range []string{
		`{"id":3,"type":"stream","to":[12],"topic":"news","content":"Hi","timestamp":1795219006}`,
		`{"id":4,"type":"private","to":[8,9],"topic":"","content":"Hi"}`, `{"id":5,"type":"","to":[],"content":"Hi"}`,
		`{"type":"stream","to":[0]}`, `{"type":"stream","to":[1,2]}`, `{"type":"stream","to":null}`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var draft Draft
		if err := json.Unmarshal(data, &draft); err != nil {
			return
		}
		checkContent(t, draft.Content)
		to := draft.Addressee()
		written, err := json.Marshal(NewDraft(to, draft.Content))
		requireNoError(t, err)
		var again Draft
		if err := json.Unmarshal(written, &again); err != nil {
			t.Fatalf("%s is not read back: %v", written, err)
		}
		if !reflect.DeepEqual(again.Addressee(), to) {
			t.Errorf("%s is for %+v, and written again for %+v", data, to, again.Addressee())
		}
	})
}

func FuzzDecodeInvitations(f *testing.F) {
	for _, seed := range []string{
		`[{"id":1,"is_multiuse":true,"invited":1795219006,"expiry_date":1795222606,"invited_as":400,"link_url":"https://chat.example.com/join/x/"},null]`,
		`[{"id":1,"expiry_date":-9223372036854775808,"invited":9223372036854775807}]`, `[{"invited_as":0}]`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var list []*Invitation
		if err := json.Unmarshal(data, &list); err != nil {
			return
		}
		for _, invitation := range withoutNull(list) {
			minutes := invitation.ExpiresInMinutes()
			if minutes != nil && *invitation.ExpiryDate >= invitation.Invited && invitation.Invited >= 0 && *minutes < 0 {
				t.Errorf("%s ends %d minutes before it begins", data, -*minutes)
			}
			_ = invitation.InvitedAs.String()
		}
	})
}

// checkContent checks that the stored form of a text is its own stored form.
func checkContent(t *testing.T, content string) {
	t.Helper()
	if stored := StoredContent(content); StoredContent(stored) != stored {
		t.Errorf("%q is stored as %q, and that as %q", content, stored, StoredContent(stored))
	}
	if stored := StoredTopic(content); StoredTopic(stored) != stored {
		t.Errorf("the topic %q is stored as %q, and that as %q", content, stored, StoredTopic(stored))
	}
}

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

// checkReadBack checks that a value is the same after it is written and read again.
func checkReadBack[T any](t *testing.T, value T) {
	t.Helper()
	written, err := json.Marshal(value)
	requireNoError(t, err)
	var again T
	if err := json.Unmarshal(written, &again); err != nil || !reflect.DeepEqual(again, value) {
		t.Errorf("%s is read back as %+v, %v", written, again, err)
	}
}
