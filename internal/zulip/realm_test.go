package zulip

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"regexp"
	"slices"
	"testing"
)

// recordedRealm decodes the realm part of a recorded snapshot, with 17 for each group.
func recordedRealm(t *testing.T) *Realm {
	t.Helper()
	text, err := os.ReadFile("testdata/recordings/realm-register-settings.json")
	if err != nil {
		t.Fatal(err)
	}
	var recording struct {
		Exchanges []struct {
			Body json.RawMessage `json:"body"`
		} `json:"exchanges"`
	}
	text = regexp.MustCompile(`"\$\{group:[^}]*\}"`).ReplaceAll(text, []byte("17"))
	if err := json.Unmarshal(text, &recording); err != nil {
		t.Fatal(err)
	}
	var snapshot RegisterAnswer
	if err := snapshot.decode(json.NewDecoder(bytes.NewReader(recording.Exchanges[0].Body)), true); err != nil {
		t.Fatal(err)
	}
	return snapshot.Realm
}

func TestRealmOfARecordedSnapshot(t *testing.T) {
	realm := recordedRealm(t)
	for setting := range realm.SupportedPermissions["realm"] {
		if value, ok := realm.Permissions[setting]; !ok || value.Group != 17 {
			t.Errorf("%s is %v, %t", setting, value, ok)
		}
	}
	if got, want := len(realm.Permissions), len(realm.SupportedPermissions["realm"]); got != want {
		t.Errorf("%d permissions were kept, want %d", got, want)
	}
	for setting, want := range map[string]string{
		"name": `"Recording"`, "invite_required": "true", "message_retention_days": "-1", "jitsi_server_url": "null",
		"message_content_edit_limit_seconds": "600", "topics_policy": `"allow_empty_topic"`, "signup_announcements_stream_id": "-1",
	} {
		if got := string(realm.Settings[setting]); got != want {
			t.Errorf("%s is %s, want %s", setting, got, want)
		}
	}
	if saml := realm.AuthenticationMethods["SAML"]; saml.Enabled || saml.Available || saml.UnavailableReason == "" {
		t.Errorf("SAML is %+v", saml)
	}
	if email := realm.AuthenticationMethods["Email"]; !email.Enabled || !email.Available {
		t.Errorf("Email is %+v", email)
	}
	if jitsi := realm.VideoChatProviders["jitsi_meet"]; jitsi.ID != 1 || jitsi.Name != "Jitsi Meet" {
		t.Errorf("jitsi_meet is %+v", jitsi)
	}
	if realm.SendsDigestEmails == nil || !*realm.SendsDigestEmails {
		t.Error("it was not understood that the server sends digests")
	}
}

// Servers below feature level 243 show a boolean.
func TestAuthenticationMethodOfAnOlderServer(t *testing.T) {
	var methods map[string]AuthenticationMethod
	if err := json.Unmarshal([]byte(`{"Email":true,"LDAP":false}`), &methods); err != nil {
		t.Fatal(err)
	}
	if methods["Email"] != (AuthenticationMethod{Enabled: true, Available: true}) || methods["LDAP"] != (AuthenticationMethod{Available: true}) {
		t.Errorf("%+v", methods)
	}
}

func TestUpdateRealmSendsWhatIsInIt(t *testing.T) {
	w := newWire(t, json200(ok))
	var update RealmUpdate
	if !update.Empty() {
		t.Error("an update with nothing in it is not empty")
	}
	update.Settings.Text("name", "Example & Co")
	update.Settings.JSON("message_retention_days", "unlimited")
	old := GroupSettingValue{DirectMembers: []int64{9}}
	update.Permissions = map[string]GroupSettingChange{"can_create_groups": {New: NamedGroup(17), Old: &old}}
	for range 2 { // it can be sent again as it is
		if _, err := w.client.UpdateRealm(w.ctx, update); err != nil {
			t.Fatal(err)
		}
	}
	want := url.Values{
		"name": {"Example & Co"}, "message_retention_days": {`"unlimited"`},
		"can_create_groups": {`{"new":17,"old":{"direct_members":[9],"direct_subgroups":[]}}`},
	}
	for _, sent := range w.requests() {
		if sent.method != "PATCH" || sent.path != "/api/v1/realm" || sent.body != want.Encode() {
			t.Errorf("sent %s %s %s", sent.method, sent.path, sent.body)
		}
	}
	if names := update.Settings.Names(); len(names) != 2 {
		t.Errorf("sending changed the update: %v", names)
	}
}

func TestEnabledMethods(t *testing.T) {
	var realm Realm
	if methods := realm.EnabledMethods(); len(methods) > 0 {
		t.Errorf("%q", methods)
	}
	realm.AuthenticationMethods = map[string]AuthenticationMethod{"SAML": {Enabled: true}, "LDAP": {Available: true}, "Email": {Enabled: true}}
	if methods := realm.EnabledMethods(); !slices.Equal(methods, []string{"Email", "SAML"}) {
		t.Errorf("%q", methods)
	}
}
