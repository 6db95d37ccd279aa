package rules

import (
	"maps"
	"slices"
	"strconv"
	"strings"
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

func TestProfileValuesByType(t *testing.T) {
	o, people := founded(t)
	admin, member, guest := people[RoleAdministrator], people[RoleMember], people[RoleGuest]
	bot := o.AddUser(User{Email: "b@example.com", FullName: "B", Role: RoleMember, IsBot: true, BotOwnerID: admin.ID})
	requireNoError(t, o.DeactivateUser(admin, guest.ID))
	data := choices("0", "Day", "1", "Night")
	data.Text = `{"0":{"text":"Day","order":"0"},"1":{"text":"Night","order":"1"}}`
	for _, test := range []struct {
		kind  int
		value any
		want  string
	}{
		{FieldShortText, strings.Repeat("ä", 50), ""},
		{FieldShortText, strings.Repeat("ä", 51), "F is too long (limit: 50 characters)"},
		{FieldShortText, []int{1}, "F is not a string"},
		{FieldLongText, strings.Repeat("a", 501), "F is too long (limit: 500 characters)"},
		{FieldSelect, "1", ""}, {FieldSelect, "2", "'2' is not a valid choice for 'F'."},
		{FieldDate, "2024-02-29", ""}, {FieldDate, "2023-02-29", "F is not a date"}, {FieldDate, "29.02.2024", "F is not a date"},
		{FieldURL, "https://example.com/x?y", ""}, {FieldURL, "example.com", "F is not a URL"}, {FieldURL, "https://nodots", "F is not a URL"},
		{FieldUsers, []int{member.ID}, ""}, {FieldUsers, "x", "User IDs is not a list"},
		{FieldUsers, []int{999999, 888888}, "Invalid user IDs: 999999, 888888"},
		{FieldUsers, []int{bot.ID}, "User with ID " + strconv.Itoa(bot.ID) + " is a bot"},
		{FieldUsers, []int{guest.ID}, "User with ID " + strconv.Itoa(guest.ID) + " is deactivated"},
		{FieldPronouns, strings.Repeat("x", 51), "F is too long (limit: 50 characters)"},
	} {
		f := field(t, o, test.kind, "F", data)
		if got := said(o.SetProfileData(admin, member.ID, []ProfileValue{{f.ID, test.value}})); got != test.want {
			t.Errorf("type %d, %v: %q, want %q", test.kind, test.value, got, test.want)
		}
		requireNoError(t, o.DeleteProfileField(f.ID))
	}
	if u, _ := o.Users.Get(member.ID); len(u.ProfileData) != 0 {
		t.Errorf("values outlived their fields: %v", u.ProfileData)
	}
}

func TestFieldChoices_Removed_ValuesRemoved(t *testing.T) {
	o, people := founded(t)
	admin, member, moderator := people[RoleAdministrator], people[RoleMember], people[RoleModerator]
	both := choices("0", "Day", "1", "Night")
	both.Text = `{"0":{"text":"Day","order":"0"},"1":{"text":"Night","order":"1"}}`
	f := field(t, o, FieldSelect, "Shift", both)
	for _, given := range []struct {
		to    User
		value string
	}{{member, "0"}, {moderator, "1"}} {
		requireNoError(t, o.SetProfileData(admin, given.to.ID, []ProfileValue{{f.ID, given.value}}))
	}
	left := choices("1", "Night")
	requireNoError(t, o.UpdateProfileField(f.ID, ProfileFieldChange{Data: &left}))
	for who, want := range map[int]string{member.ID: "", moderator.ID: "1"} {
		if u, _ := o.Users.Get(who); u.ProfileData[f.ID] != want {
			t.Errorf("value %q, want %q", u.ProfileData[f.ID], want)
		}
	}
	if got := said(o.UpdateProfileField(f.ID, ProfileFieldChange{Data: &FieldData{Value: map[string]any{}}})); got != "Field must have at least one choice." {
		t.Errorf("no choices: %q", got)
	}
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

func TestOwnProfile(t *testing.T) {
	o, people := founded(t)
	admin, member := people[RoleAdministrator], people[RoleMember]
	f, err := o.CreateProfileField(ProfileField{Name: "Badge", Type: FieldShortText}, FieldData{})
	requireNoError(t, err)
	value := []ProfileValue{{f.ID, "7"}}
	if got := said(o.SetProfileData(member, member.ID, value)); got != "You are not allowed to change this field. Contact an administrator to update it." {
		t.Errorf("a field people may not edit: %q", got)
	}
	requireNoError(t, o.SetProfileData(admin, member.ID, value))
	requireNoError(t, o.SetProfileData(admin, member.ID, []ProfileValue{{f.ID, ""}}))
	if u, _ := o.Users.Get(member.ID); len(u.ProfileData) != 0 {
		t.Errorf("an empty value takes it away: %v", u.ProfileData)
	}
}

func TestLinkifier_GroupsAndVariables_MustMatch(t *testing.T) {
	for _, test := range []struct{ pattern, template, want string }{
		{`(?P<a>x)(?P<b>y)`, `https://example.com/{b}/{a}`, ""},
		{`(?<a>x)(y)`, `https://example.com{/a}`, ""},
		{`x`, `https://example.com/`, ""},
		{`(?P<a>x)`, `https://example.com/{a}/{a,b}`, "Group 'b' in URL template is not present in linkifier pattern."},
		{`(?P<a>x)(?P<c>z)(?P<b>y)`, `https://example.com/{a}`, "Group 'b' in linkifier pattern is not present in URL template."},
		{`(?P<a>x)`, `https://example.com/{b}`, "Group 'b' in URL template is not present in linkifier pattern."},
		{`(?P<a>x`, `https://example.com/{a}`, "Bad regular expression: missing ): (?P<a>x"},
		{`a)`, `https://example.com/`, "Bad regular expression: unexpected ): a)"},
		{`[a`, `https://example.com/`, "Bad regular expression: missing ]: [a"},
		{`*a`, `https://example.com/`, "Bad regular expression: no argument for repetition operator: *"},
		{`(?<=x)a`, `https://example.com/`, "Bad regular expression: invalid perl operator: (?<="},
		{`(?!x)a`, `https://example.com/`, "Bad regular expression: invalid perl operator: (?!"},
		{`x`, `https://example.com/{`, "Invalid URL template."},
	} {
		o, _ := founded(t)
		if _, err := o.CreateLinkifier(LinkifierChange{Pattern: test.pattern, URLTemplate: test.template}); said(err) != test.want {
			t.Errorf("%s → %s: %q, want %q", test.pattern, test.template, said(err), test.want)
		}
	}
}

func TestLinkifiers_Updated_OrderKept(t *testing.T) {
	o, _ := founded(t)
	var ids []int
	for _, pattern := range []string{"a", "b", "c"} {
		l, err := o.CreateLinkifier(LinkifierChange{Pattern: pattern, URLTemplate: "https://example.com/" + pattern})
		requireNoError(t, err)
		ids = append(ids, l.ID)
	}
	requireNoError(t, o.OrderLinkifiers([]int{ids[2], ids[0], ids[1]}))
	requireNoError(t, o.UpdateLinkifier(ids[2], LinkifierChange{Pattern: "cc", URLTemplate: "https://example.com/"}))
	requireNoError(t, o.DeleteLinkifier(ids[0]))
	if _, err := o.CreateLinkifier(LinkifierChange{Pattern: "d", URLTemplate: "https://example.com/"}); err != nil {
		t.Fatal(err)
	}
	var order string
	for _, l := range o.ListLinkifiers() {
		order += l.Pattern + " "
	}
	if order != "cc b d " {
		t.Errorf("order %q", order)
	}
}

func TestLinkifier_ReverseTemplate_ExampleRequired(t *testing.T) {
	o, _ := founded(t)
	c := LinkifierChange{Pattern: "#(?P<n>x)", URLTemplate: "https://example.com/{n}", ReverseTemplate: ptr("#{n}")}
	if _, err := o.CreateLinkifier(c); said(err) != "Reverse template requires an example input." {
		t.Errorf("without an example: %v", err)
	}
	c.ExampleInput = ptr("#x")
	l, err := o.CreateLinkifier(c)
	requireNoError(t, err)
	if err := o.UpdateLinkifier(l.ID, LinkifierChange{Pattern: c.Pattern, URLTemplate: c.URLTemplate, ExampleInput: ptr("")}); err == nil {
		t.Error("the example went, and its reverse template stayed")
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
