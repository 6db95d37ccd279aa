package zulip

import (
	"bytes"
	"encoding/json"
	"testing"
)

// What a server sends is not trusted to make sense: nothing it can say may crash the provider, and what is understood
// is understood the same way when it is written and read again.

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
		if err != nil {
			t.Fatal(err)
		}
		var again ServerSettings
		if err := json.Unmarshal(written, &again); err != nil {
			t.Errorf("%s is not read back: %v", written, err)
		}
	})
}

func checkRoundTrip(t *testing.T, setting string, value GroupSettingValue) {
	t.Helper()
	written, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var again GroupSettingValue
	if err := json.Unmarshal(written, &again); err != nil || again.IsNamed() != value.IsNamed() {
		t.Errorf("%s: %s is read back as %v, %v", setting, written, again, err)
	}
}
