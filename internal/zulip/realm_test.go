package zulip

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// recordedRealm decodes the realm part of a recorded snapshot, with 17 for each group.
func recordedRealm(t *testing.T) *Realm {
	t.Helper()
	text, err := os.ReadFile("testdata/recordings/realm-register-settings.json")
	requireNoError(t, err)
	var recording struct {
		Exchanges []struct {
			Body json.RawMessage `json:"body"`
		} `json:"exchanges"`
	}
	text = regexp.MustCompile(`"\$\{group:[^}]*\}"`).ReplaceAll(text, []byte("17"))
	requireNoError(t, json.Unmarshal(text, &recording))
	var snapshot RegisterAnswer
	requireNoError(t, snapshot.decode(json.NewDecoder(bytes.NewReader(recording.Exchanges[0].Body)), true))
	return snapshot.Realm
}

func TestRealm_RecordedSnapshot_Decoded(t *testing.T) {
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
func TestAuthenticationMethod_OlderServer_Decoded(t *testing.T) {
	var methods map[string]AuthenticationMethod
	requireNoError(t, json.Unmarshal([]byte(`{"Email":true,"LDAP":false}`), &methods))
	if methods["Email"] != (AuthenticationMethod{Enabled: true, Available: true}) || methods["LDAP"] != (AuthenticationMethod{Available: true}) {
		t.Errorf("%+v", methods)
	}
}

func TestUpdateRealm_SetFields_Sent(t *testing.T) {
	w := newWire(t, json200(ok))
	var update RealmUpdate
	if !update.Empty() {
		t.Error("an update with nothing in it is not empty")
	}
	update.Settings.Text("name", "Example & Co")
	update.Settings.JSON("message_retention_days", "unlimited")
	old := GroupSettingValue{DirectMembers: []int64{9}}
	update.Permissions = map[string]GroupSettingChange{"can_create_groups": {New: NamedGroup(17), Old: &old}}
	for range 2 { // it can be sent again unchanged
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

func TestRealmImage(t *testing.T) {
	realm := &Realm{Settings: map[string]json.RawMessage{
		"icon_url": []byte(`"/user_avatars/2/realm/icon.png?version=4"`), "icon_source": []byte(`"U"`),
		"night_logo_url": []byte(`"/static/logo.svg?version=0"`), "night_logo_source": []byte(`"D"`),
	}}
	for kind, want := range map[string]RealmImage{
		IconImage: {"/user_avatars/2/realm/icon.png?version=4", true}, NightLogoImage: {"/static/logo.svg?version=0", false}, LogoImage: {},
	} {
		if got := realm.Image(kind); got != want {
			t.Errorf("%s: %+v, want %+v", kind, got, want)
		}
	}
}

// The request always names the logo; the icon has no such parameter.
func TestUploadRealmImage(t *testing.T) {
	for kind, c := range map[string]struct{ path, night string }{IconImage: {"/api/v1/realm/icon", ""}, LogoImage: {"/api/v1/realm/logo", "false"}, NightLogoImage: {"/api/v1/realm/logo", "true"}} {
		w := newWire(t, json200(ok))
		requireNoError(t, w.client.UploadRealmImage(w.ctx, kind, "a.png", "image/png", []byte("picture")))
		requireNoError(t, w.client.RemoveRealmImage(w.ctx, kind))
		for _, sent := range w.requests() {
			if sent.path != c.path || strings.Contains(sent.body, "night") != (c.night != "") || !strings.Contains(sent.body, c.night) {
				t.Errorf("%s: sent %+v", kind, sent)
			}
		}
		w.expectSent(t, 2)
	}
}

func TestCheckDomain(t *testing.T) {
	for domain, good := range map[string]bool{
		"example.com": true, " Example.COM ": true, "a.b-c.example.com": true, "1.example": true, "x--y.example.com": true,
		strings.Repeat("a", 76) + ".com": true,
		"":                               false, "nodot": false, ".example.com": false, "example.com.": false, "a..b": false, "-a.com": false, "a-.com": false,
		"ä.com": false, "a b.com": false, "a@b.com": false, strings.Repeat("a", 77) + ".com": false,
	} {
		if err := CheckDomain(domain); (err == nil) != good {
			t.Errorf("%q: %v", domain, err)
		}
	}
}

func TestCheckPlayground(t *testing.T) {
	for language, good := range map[string]bool{
		"Python": true, "C++": true, "objective-c / 2.0_#": true, "a,b": true, "": true, strings.Repeat("x", 40): true,
		"a;b": false, "ä": false, strings.Repeat("x", 41): false,
	} {
		if err := CheckPlaygroundLanguage(language); (err == nil) != good {
			t.Errorf("%q: %v", language, err)
		}
	}
	for template, good := range map[string]bool{
		"https://py.example.com/{code}": true, "https://py.example.com/{?code}": true, "{code}{code}": true,
		"https://py.example.com/": false, "https://py.example.com/{code}{x}": false, "{": false, "{x}": false,
	} {
		if err := CheckPlaygroundTemplate(template); (err == nil) != good {
			t.Errorf("%q: %v", template, err)
		}
	}
}

func TestSnapshotOfEmojiAndDefaults(t *testing.T) {
	// The answer of a server of feature level 442, shortened. The second group is of a server below 330.
	w := newWire(t, json200(`{"result":"success","msg":"","queue_id":"q","zulip_feature_level":442,
		"realm_emoji":{"8":{"id":"8","name":"party","source_url":"/user_avatars/2/emoji/images/8.png","deactivated":false,"author_id":9,"still_url":null},
			"3":{"id":"3","name":"party","source_url":"/user_avatars/2/emoji/images/3.png","deactivated":true,"author_id":null,"still_url":null}, "4":null},
		"realm_default_stream_groups":[{"name":"dev","id":1,"description":"Developers","streams":[7,5]},
			{"name":"ops","id":2,"description":"","streams":[{"stream_id":6,"name":"x"}]},null],
		"realm_user_settings_defaults":{"color_scheme":1,"emojiset":"google"}}`))
	snapshot, err := w.client.Register(w.ctx, []string{FetchCustomEmoji, FetchDefaultGroups, FetchUserDefaults})
	requireNoError(t, err)
	author := int64(9)
	if want := []*CustomEmoji{
		{ID: 3, Name: "party", SourceURL: "/user_avatars/2/emoji/images/3.png", Deactivated: true},
		{ID: 8, Name: "party", SourceURL: "/user_avatars/2/emoji/images/8.png", AuthorID: &author},
	}; !reflect.DeepEqual(snapshot.CustomEmoji, want) {
		t.Errorf("emoji: %+v", snapshot.CustomEmoji)
	}
	if want := []*DefaultChannelGroup{
		{ID: 1, Name: "dev", Description: "Developers", ChannelIDs: []int64{7, 5}}, {ID: 2, Name: "ops", ChannelIDs: []int64{6}},
	}; !reflect.DeepEqual(snapshot.DefaultGroups, want) {
		t.Errorf("groups: %+v", snapshot.DefaultGroups)
	}
	if len(snapshot.UserDefaults) != 2 || string(snapshot.UserDefaults["color_scheme"]) != "1" {
		t.Errorf("defaults: %v", snapshot.UserDefaults)
	}
}

func TestDelete_ObjectGone_NoError(t *testing.T) {
	w := newWire(t, func(n int, rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader([]int{404, 400}[n-1])
		_, _ = rw.Write([]byte([]string{
			`{"result":"error","msg":"Emoji 'party' does not exist","code":"BAD_REQUEST"}`,
			`{"result":"error","msg":"Default channel group with id '12' does not exist.","code":"BAD_REQUEST"}`,
		}[n-1]))
	})
	if err := w.client.DeactivateCustomEmoji(w.ctx, "party"); err != nil {
		t.Error(err)
	}
	if err := w.client.DeleteDefaultChannelGroup(w.ctx, 12); err != nil {
		t.Error(err)
	}
}

// The texts were recorded from a server.
func TestProfileFieldData(t *testing.T) {
	shift := ProfileField{Type: ProfileFieldSelect, FieldData: `{"0":{"text":"Day","order":"10"},"1":{"text":"Night","order":"9"},"x":{"text":"Odd","order":"?"}}`}
	if got, want := fmt.Sprint(shift.Options()), "[{1 Night} {0 Day} {x Odd}]"; got != want {
		t.Errorf("options %s, want %s", got, want)
	}
	github := ProfileField{Type: ProfileFieldExternal, FieldData: `{"subtype":"github"}`}
	if got := github.ExternalAccount(); got != (ExternalAccount{Subtype: "github"}) || github.Options() != nil {
		t.Errorf("%+v", got)
	}
	for _, broken := range []string{"", "{", "[]", `{"0":1}`} {
		f := ProfileField{Type: ProfileFieldSelect, FieldData: broken}
		if got := f.Options(); len(got) != 0 {
			t.Errorf("%q has the options %v", broken, got)
		}
		f.Type = ProfileFieldExternal
		if got := f.ExternalAccount(); got != (ExternalAccount{}) {
			t.Errorf("%q is of %v", broken, got)
		}
	}
	form := ProfileFieldChange{Options: []ProfileFieldOption{{"b", "B"}, {"a", "A"}}}.form()
	if got, want := form.fields["field_data"], `{"a":{"text":"A","order":"2"},"b":{"text":"B","order":"1"}}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
}

func TestProfileFieldTypes(t *testing.T) {
	for i, word := range ProfileFieldTypes() {
		if kind := ParseProfileFieldType(word); int(kind) != i+1 || kind.String() != word {
			t.Errorf("%s is %d, which is %s", word, kind, kind)
		}
	}
	if ParseProfileFieldType("colour") != 0 || ProfileFieldType(99).String() != "99" {
		t.Error("a type that is not known")
	}
}

func TestStoredContent(t *testing.T) {
	for content, want := range map[string]string{
		"a\n": "a", "\n\n a \t\n": " a", " \n": "", "a\u00a0": "a", "a\x1f": "a", "a\nb": "a\nb",
	} {
		if got := StoredContent(content); got != want {
			t.Errorf("%q is stored as %q, want %q", content, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		once := StoredContent(rapid.String().Draw(t, "content"))
		if twice := StoredContent(once); twice != once {
			t.Fatalf("%q is stored as %q", once, twice)
		}
	})
}

func TestStoredTopic(t *testing.T) {
	for topic, want := range map[string]string{" a b ": "a b", "(no topic)": "", "general chat": "", "General chat": "General chat"} {
		if got := StoredTopic(topic); got != want {
			t.Errorf("%q is stored as %q, want %q", topic, got, want)
		}
	}
}

func TestAddresseeSame(t *testing.T) {
	const self = 1
	for _, c := range []struct {
		a, b Addressee
		want bool
	}{
		{Addressee{ChannelID: 5, Topic: "x"}, Addressee{ChannelID: 5, Topic: " x"}, true},
		{Addressee{ChannelID: 5, Topic: "x"}, Addressee{ChannelID: 5, Topic: "X"}, false},
		{Addressee{ChannelID: 5}, Addressee{ChannelID: 6}, false},
		{Addressee{UserIDs: []int64{3, 2}}, Addressee{UserIDs: []int64{1, 2, 3}}, true},
		{Addressee{UserIDs: []int64{1}}, Addressee{UserIDs: []int64{1}}, true},
		{Addressee{UserIDs: []int64{2}}, Addressee{UserIDs: []int64{3}}, false},
		{Addressee{UserIDs: []int64{2}}, Addressee{ChannelID: 5}, false},
	} {
		if got, back := c.a.Same(c.b, self), c.b.Same(c.a, self); got != c.want || back != c.want {
			t.Errorf("%v and %v: %v and %v, want %v", c.a, c.b, got, back, c.want)
		}
	}
}

// The server returns the times of creation and expiry in whole seconds, and may round them differently (server-behavior
// §U17).
func TestInvitation_ExpiryRounded_WholeMinutes(t *testing.T) {
	for _, c := range []struct{ invited, expires, want int64 }{
		{1795219006, 1795222606, 60}, {1795219006, 1795222605, 60}, {1795219006, 1795222607, 60},
		{1795219006, 1795219066, 1}, {1795219006, 1796083006, 14400},
	} {
		got := (&Invitation{Invited: c.invited, ExpiryDate: &c.expires}).ExpiresInMinutes()
		if got == nil || *got != c.want {
			t.Errorf("from %d to %d: %v, want %d", c.invited, c.expires, got, c.want)
		}
	}
	if got := (&Invitation{Invited: 1795219006}).ExpiresInMinutes(); got != nil {
		t.Errorf("without an end: %d", *got)
	}
}

// The client sends the request once, because every call creates a link. It sends null, because the default is ten days.
func TestCreateInviteLink(t *testing.T) {
	w := newWire(t, first(refusal(500, "", "Internal server error")))
	_, err := w.client.CreateInviteLink(w.ctx, InviteTerms{})
	if !MayHaveHappened(err) {
		t.Errorf("%v: it may have happened", err)
	}
	w.expectSent(t, 1)
	if got, want := w.requests()[0].body, "invite_expires_in_minutes=null"; got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
	w = newWire(t, json200(ok))
	if _, err := w.client.CreateInviteLink(w.ctx, InviteTerms{}); !MayHaveHappened(err) {
		t.Errorf("an answer without a link: %v", err)
	}
}

// The client sends the request once, because every call sends an email. It sends channels even if there are none.
func TestInvite(t *testing.T) {
	w := newWire(t, first(refusal(500, "", "Internal server error")))
	if err := w.client.Invite(w.ctx, NewInvitation{Email: "new+1@example.com"}); !MayHaveHappened(err) {
		t.Errorf("%v: it may have happened", err)
	}
	w.expectSent(t, 1)
	if got, want := w.requests()[0].body, "invite_expires_in_minutes=null&invitee_emails=new%2B1%40example.com&stream_ids=%5B%5D"; got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
	no, guest, minutes := false, RoleGuest, int64(60)
	w = newWire(t, json200(ok))
	err := w.client.Invite(w.ctx, NewInvitation{
		Email: "a@example.com", NotifyReferrerOnJoin: &no, InviteTerms: InviteTerms{ExpiresInMinutes: &minutes, InviteAs: &guest, ChannelIDs: []int64{7}},
	})
	requireNoError(t, err)
	if got, want := w.requests()[0].body, "invite_as=600&invite_expires_in_minutes=60&invitee_emails=a%40example.com&notify_referrer_on_join=false&stream_ids=%5B7%5D"; got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
}

// The reason for each address is in a list next to the message.
func TestInviteProblem(t *testing.T) {
	for body, want := range map[string]string{
		`{"result":"error","code":"INVITATION_FAILED","msg":"We weren't able to invite anyone.","errors":[["a@example.com","Already has an account.",false]],"sent_invitations":false}`: HasAccount,
		`{"result":"error","code":"INVITATION_FAILED","msg":"x","errors":[["a@example.com","Account has been deactivated.",true]]}`:                                                     HasDeactivatedAccount,
		`{"result":"error","code":"INVITATION_FAILED","msg":"x","errors":[]}`:                                                                                                           "",
		`{"result":"error","code":"INVITATION_FAILED","msg":"x","errors":[["a@example.com"]]}`:                                                                                          "",
		`{"result":"error","code":"INVITATION_FAILED","msg":"x","errors":[["a@example.com",7]]}`:                                                                                        "",
		`{"result":"error","code":"INVITATION_FAILED","msg":"x"}`:                                                                                                                       "",
		`{"result":"error","code":"BAD_REQUEST","msg":"x","errors":[["a@example.com","Already has an account.",false]]}`:                                                                "",
	} {
		w := newWire(t, always(400, "application/json", body))
		if got := InviteProblem(w.client.Invite(w.ctx, NewInvitation{Email: "a@example.com"})); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	if got := InviteProblem(errors.New("no answer")); got != "" {
		t.Errorf("no answer: %q", got)
	}
}

// Revoking an invitation that no longer exists succeeds.
func TestRevokeInvitation(t *testing.T) {
	w := newWire(t, always(400, "application/json", `{"result":"error","code":"BAD_REQUEST","msg":"No such invitation"}`))
	if err := w.client.RevokeInvitation(w.ctx, 7); err != nil {
		t.Error(err)
	}
	if got := w.requests()[0]; got.method != "DELETE" || got.path != "/api/v1/invites/7" {
		t.Errorf("sent %+v", got)
	}
	w = newWire(t, always(400, "application/json", `{"result":"error","code":"BAD_REQUEST","msg":"Must be an organization administrator"}`))
	if err := w.client.RevokeInvitation(w.ctx, 7); err == nil {
		t.Error("a refusal is no error")
	}
}
