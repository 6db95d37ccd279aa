package rules

import (
	"maps"
	"slices"
	"testing"
)

func field(t *testing.T, o *Organization, kind int, name string, data FieldData) ProfileField {
	t.Helper()
	f, err := o.CreateProfileField(ProfileField{Name: name, Type: kind, Editable: true}, data)
	requireNoError(t, err)
	return f
}

func choices(pairs ...string) FieldData {
	data := FieldData{Text: "{…}", Value: map[string]any{}}
	for i := 0; i < len(pairs); i += 2 {
		data.Value[pairs[i]] = map[string]any{"text": pairs[i+1], "order": pairs[i]}
	}
	return data
}

func TestFieldData(t *testing.T) {
	external := func(pairs ...any) FieldData {
		data := FieldData{Text: "{…}", Value: map[string]any{}}
		for i := 0; i < len(pairs); i += 2 {
			data.Value[pairs[i].(string)] = pairs[i+1]
		}
		return data
	}
	for _, test := range []struct {
		kind int
		data FieldData
		want string
	}{
		{FieldSelect, choices("0", "A", "1", "A"), "Field must not have duplicate choices."},
		{FieldSelect, choices(" ", "A"), "'value' cannot be blank."},
		{FieldSelect, external("0", map[string]any{"text": "A"}), "order key is missing from field_data"},
		{FieldSelect, external("0", map[string]any{"text": " ", "order": "1"}), `field_data["text"] cannot be blank.`},
		{FieldSelect, external("0", map[string]any{"text": "A", "order": "1", "b": "", "a": ""}), "Unexpected arguments: a, b"},
		{FieldSelect, external("0", "A"), "field_data is not a dict"},
		{FieldExternal, external("subtype", "custom"), "Custom external account must define URL pattern"},
		{FieldExternal, external("subtype", "custom", "url_pattern", "https://example.com/"), "URL pattern must contain '%(username)s'."},
		{FieldExternal, external("subtype", "custom", "url_pattern", "%(username)s"), `field_data["url_pattern"] is not a URL`},
		{FieldExternal, external("subtype", "custom", "url_pattern", "https://example.com/%(username)s"), ""},
		{FieldExternal, external(), "subtype key is missing from field_data"},
		{FieldDate, external("whatever", "x"), ""},
	} {
		if got := said(checkFieldData(test.kind, test.data)); got != test.want {
			t.Errorf("type %d, %v: %q, want %q", test.kind, test.data.Value, got, test.want)
		}
	}
}

func TestProfileField_KnownService_Prescribed(t *testing.T) {
	o, _ := founded(t)
	github := FieldData{Text: `{"subtype":"github"}`, Value: map[string]any{"subtype": "github"}}
	f := field(t, o, FieldExternal, "my own name", github)
	if f.Name != "GitHub username" || f.Data != github.Text {
		t.Errorf("created %+v", f)
	}
	expectEqual(t, "renaming", said(o.UpdateProfileField(f.ID, ProfileFieldChange{Name: ptr("x")})), "Default custom field cannot be updated.")
	if err := o.UpdateProfileField(f.ID, ProfileFieldChange{Name: ptr(f.Name), Data: &github, Summary: ptr(true)}); err != nil {
		t.Errorf("what it is already, and the summary: %v", err)
	}
}

func TestProfileSummary_ThirdField_Refused(t *testing.T) {
	o, _ := founded(t)
	for i, name := range []string{"A", "B", "C"} {
		f := field(t, o, FieldShortText, name, FieldData{})
		err := o.UpdateProfileField(f.ID, ProfileFieldChange{Summary: ptr(true)})
		if want := i < 2; (err == nil) != want {
			t.Errorf("field %d in the summary: %v", i, err)
		}
	}
	long := field(t, o, FieldLongText, "D", FieldData{})
	for _, f := range o.ListProfileFields()[:1] {
		requireNoError(t, o.DeleteProfileField(f.ID))
	}
	if got := said(o.UpdateProfileField(long.ID, ProfileFieldChange{Summary: ptr(true)})); got != "Field type not supported for display in profile summary." {
		t.Errorf("a long text in the summary: %q", got)
	}
}

func TestPlaygroundRules(t *testing.T) {
	o, _ := founded(t)
	for _, test := range []struct{ name, language, template, want string }{
		{"Play", "C++", "https://example.com/{code}", ""},
		{"Play", "C", "https://example.com/{?code}", ""},
		{"", "C", "https://example.com/{code}", "This field cannot be blank."},
		{"Play", "D", "https://example.com/{code}/{x}", `"code" should be the only variable present in the URL template`},
		{"Play", "D", "https://example.com/{x}", `Missing the required variable "code" in the URL template`},
		{"Play", "D", "https://example.com/{code", "Invalid URL template."},
		{" Play ", " C++ ", "https://example.com/{code}", "Realm playground with this Realm, Pygments language and Name already exists."},
	} {
		if _, err := o.AddPlayground(test.name, test.language, test.template); said(err) != test.want {
			t.Errorf("%+v: %q", test, said(err))
		}
	}
	o.changeRealm(func(r *Realm) { r.DefaultCodeBlockLanguage = "C++" })
	for id, p := range o.Playgrounds.rows {
		if p.Language == "C" {
			if err := o.DeletePlayground(id); err != nil || o.Settings().DefaultCodeBlockLanguage != "C++" {
				t.Errorf("deleting the playground of another language: %v", err)
			}
		}
	}
	for id := range o.Playgrounds.rows {
		if err := o.DeletePlayground(id); err != nil || o.Settings().DefaultCodeBlockLanguage != "" {
			t.Errorf("the default language of code blocks stays: %v", err)
		}
	}
}

func TestDomain_LastRemoved_RestrictionEnded(t *testing.T) {
	o, people := founded(t)
	for _, name := range []string{"a.example", "B.Example "} {
		if _, err := o.AddDomain(name, name == "a.example"); err != nil {
			t.Fatal(err)
		}
	}
	o.changeRealm(func(r *Realm) { r.EmailsRestrictedToDomains = true })
	for email, want := range map[string]restriction{
		"x@a.example": allowed, "x@sub.a.example": allowed, "x@b.example": allowed,
		"x@sub.b.example": outsideDomains, "x@example.com": outsideDomains, "x+y@a.example": containsPlus,
	} {
		if got := o.emailRestriction(email); got != want {
			t.Errorf("%s: %v, want %v", email, got, want)
		}
	}
	if got := said(o.Invite(people[RoleMember], "x@example.com", true, NewInvite{Role: RoleMember})); got == "" {
		t.Error("somebody from outside was invited")
	}
	if err := o.DeleteDomain("a.example"); err != nil || !o.Settings().EmailsRestrictedToDomains {
		t.Errorf("the restriction ended with a domain left: %v", err)
	}
	if err := o.DeleteDomain("b.example"); err != nil || o.Settings().EmailsRestrictedToDomains {
		t.Errorf("the restriction outlived the last domain: %v", err)
	}
	for name, want := range map[string]string{
		" ":                "Domain can't be empty.",
		".a.com":           "Domain cannot start or end with a dot (.)",
		"a..com":           "Consecutive '.' are not allowed.",
		"-a.com":           "Subdomains cannot start or end with a '-'.",
		"a_b.com":          "Domain can only have letters, numbers, '.' and '-'s.",
		"localhost":        "Domain must have at least one dot (.)",
		"fine-2.a.example": "",
	} {
		_, err := o.AddDomain(name, false)
		if want != "" {
			want = "Invalid domain: " + want
		}
		if said(err) != want {
			t.Errorf("%q: %q, want %q", name, said(err), want)
		}
	}
}

// Steps before a failing step remain, and a failure of the first checks prevents all steps (server-behavior §O2).
func TestUpdateRealm_StepFails_EarlierKept(t *testing.T) {
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

func TestUpdateRealm_Changes_Returned(t *testing.T) {
	o, people := founded(t)
	owner := people[RoleOwner]
	secret := channel(t, o, owner, NewChannel{Name: "secret", Private: true}, owner)
	public := channel(t, o, owner, NewChannel{Name: "public"})
	update := func(u RealmUpdate) map[string]any {
		t.Helper()
		changed, err := o.UpdateRealm(owner, u)
		requireNoError(t, err)
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

func TestSettingsSnapshot_LaterChange_Unaffected(t *testing.T) {
	o, people := founded(t)
	before := o.Settings()
	if _, err := o.UpdateRealm(people[RoleOwner], RealmUpdate{AuthenticationMethods: map[string]bool{"Email": true, "Dev": false}}); err != nil {
		t.Fatal(err)
	}
	if !before.AuthenticationMethods["Dev"] {
		t.Error("a change reached into the settings as they were")
	}
}
