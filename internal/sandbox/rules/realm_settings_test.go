package rules

import (
	"maps"
	"slices"
	"testing"
)

// What comes before a failing step stays, and the checks that come first keep
// everything from being done (server-behavior §O2).
func TestUpdateRealmStopsWhereItFails(t *testing.T) {
	o, people := founded(t)
	owner, admin := people[RoleOwner], people[RoleAdministrator]
	o.EndRequest()
	fail := func(actor User, u RealmUpdate, want string) {
		t.Helper()
		if _, err := o.UpdateRealm(actor, u); said(err) != want {
			t.Errorf("%q, want %q", said(err), want)
		}
		o.Rollback()
	}
	fail(admin, RealmUpdate{
		Texts:       map[string]string{"name": "Kept"},
		Permissions: map[string]PermissionChange{"can_add_custom_emoji_group": {New: Named(999999)}},
	}, "Invalid user group")
	if got := o.Settings().Name; got != "Kept" {
		t.Errorf("the name is %q", got)
	}
	fail(owner, RealmUpdate{
		Texts:                 map[string]string{"name": "Not kept"},
		AuthenticationMethods: map[string]bool{"Email": false},
	}, "At least one authentication method must be enabled.")
	fail(owner, RealmUpdate{
		Texts:                 map[string]string{"name": "Not kept"},
		AuthenticationMethods: map[string]bool{"Email": true, UnavailableAuthenticationMethod: true},
	}, "Authentication method SAML is not available on your current plan.")
	fail(owner, RealmUpdate{TimeLimits: map[string]any{
		"message_content_delete_limit_seconds": 60, "message_content_edit_limit_seconds": "unlimited",
		"move_messages_within_stream_limit_seconds": 0,
	}}, "Bad value for 'move_messages_within_stream_limit_seconds': 0")
	if realm := o.Settings(); realm.MessageContentEditLimit != nil || *realm.MessageContentDeleteLimit != 600 {
		t.Errorf("only what became unlimited before the failure is kept, not %+v", realm)
	}
	fail(admin, RealmUpdate{
		Texts:   map[string]string{"name": "Not kept"},
		Numbers: map[string]int{"waiting_period_threshold": o.Settings().WaitingPeriodThreshold},
	}, "Must be an organization owner")
	fail(owner, RealmUpdate{RetentionDays: "forever"}, "Bad value for 'message_retention_days': forever")
	fail(owner, RealmUpdate{Numbers: map[string]int{"giphy_rating": 5}}, "Invalid giphy_rating 5")
	fail(owner, RealmUpdate{StringID: ptr("new")}, "Must be a demo organization.")
	if got := o.Settings().Name; got != "Kept" {
		t.Errorf("the name is %q", got)
	}
}

func TestUpdateRealmAnswersWhatChanged(t *testing.T) {
	o, people := founded(t)
	owner := people[RoleOwner]
	secret := channel(t, o, owner, NewChannel{Name: "secret", Private: true}, owner)
	public := channel(t, o, owner, NewChannel{Name: "public"})
	update := func(u RealmUpdate) map[string]any {
		t.Helper()
		changed, err := o.UpdateRealm(owner, u)
		if err != nil {
			t.Fatal(err)
		}
		return changed
	}
	changed := update(RealmUpdate{
		Policies:              map[string]string{"topics_policy": "disable_empty_topic"},
		TimeLimits:            map[string]any{"message_content_edit_limit_seconds": 600, "message_content_delete_limit_seconds": "unlimited"},
		JitsiURL:              ptr("https://meet.example.com"),
		AuthenticationMethods: map[string]bool{"Email": true, "Google": false},
		Channels:              map[string]int{"moderation_request_channel_id": secret.ID, "signup_announcements_stream_id": -1},
		OrgType:               ptr(0),
	})
	want := []string{
		"authentication_methods", "jitsi_server_url", "message_content_delete_limit_seconds",
		"moderation_request_channel_id", "org_type", "signup_announcements_stream_id", "topics_policy",
	}
	if got := slices.Sorted(maps.Keys(changed)); !slices.Equal(got, want) {
		t.Errorf("changed %v, want %v", got, want)
	}
	if changed["topics_policy"] != 3 || changed["jitsi_server_url"] != "updated" {
		t.Errorf("changed %v", changed)
	}
	realm := o.Settings()
	if realm.AuthenticationMethods["Google"] || !realm.AuthenticationMethods["GitHub"] || realm.MessageContentDeleteLimit != nil {
		t.Errorf("settings %+v", realm)
	}
	if changed := update(RealmUpdate{JitsiURL: ptr("default")}); changed["jitsi_server_url"] != nil || len(changed) != 1 {
		t.Errorf("back to the server's: %v", changed)
	}
	_, err := o.UpdateRealm(owner, RealmUpdate{Channels: map[string]int{"moderation_request_channel_id": public.ID}})
	if said(err) != "Moderation request channel must be private." {
		t.Errorf("a public channel for moderators: %v", err)
	}
}

func TestSnapshotsOfSettingsStay(t *testing.T) {
	o, people := founded(t)
	before := o.Settings()
	if _, err := o.UpdateRealm(people[RoleOwner], RealmUpdate{AuthenticationMethods: map[string]bool{"Email": true, "Dev": false}}); err != nil {
		t.Fatal(err)
	}
	if !before.AuthenticationMethods["Dev"] {
		t.Error("a change reached into the settings as they were")
	}
}
