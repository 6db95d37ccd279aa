package rules

import (
	"strconv"
	"strings"
	"testing"
)

func field(t *testing.T, o *Organization, kind int, name string, data FieldData) ProfileField {
	t.Helper()
	f, err := o.CreateProfileField(ProfileField{Name: name, Type: kind, Editable: true}, data)
	if err != nil {
		t.Fatal(err)
	}
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
	if err := o.DeactivateUser(admin, guest.ID); err != nil {
		t.Fatal(err)
	}
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
		if err := o.DeleteProfileField(f.ID); err != nil {
			t.Fatal(err)
		}
	}
	if u, _ := o.Users.Get(member.ID); len(u.ProfileData) != 0 {
		t.Errorf("values outlived their fields: %v", u.ProfileData)
	}
}

func TestChoicesTakeTheirValuesAlong(t *testing.T) {
	o, people := founded(t)
	admin, member, moderator := people[RoleAdministrator], people[RoleMember], people[RoleModerator]
	both := choices("0", "Day", "1", "Night")
	both.Text = `{"0":{"text":"Day","order":"0"},"1":{"text":"Night","order":"1"}}`
	f := field(t, o, FieldSelect, "Shift", both)
	for _, given := range []struct {
		to    User
		value string
	}{{member, "0"}, {moderator, "1"}} {
		if err := o.SetProfileData(admin, given.to.ID, []ProfileValue{{f.ID, given.value}}); err != nil {
			t.Fatal(err)
		}
	}
	left := choices("1", "Night")
	if err := o.UpdateProfileField(f.ID, ProfileFieldChange{Data: &left}); err != nil {
		t.Fatal(err)
	}
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

func TestKnownServicesPrescribeTheirField(t *testing.T) {
	o, _ := founded(t)
	github := FieldData{Text: `{"subtype":"github"}`, Value: map[string]any{"subtype": "github"}}
	f := field(t, o, FieldExternal, "my own name", github)
	if f.Name != "GitHub username" || f.Data != github.Text {
		t.Errorf("created %+v", f)
	}
	if got := said(o.UpdateProfileField(f.ID, ProfileFieldChange{Name: ptr("x")})); got != "Default custom field cannot be updated." {
		t.Errorf("renaming: %q", got)
	}
	if err := o.UpdateProfileField(f.ID, ProfileFieldChange{Name: ptr(f.Name), Data: &github, Summary: ptr(true)}); err != nil {
		t.Errorf("what it is already, and the summary: %v", err)
	}
}

func TestSummaryHoldsTwoFields(t *testing.T) {
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
		if err := o.DeleteProfileField(f.ID); err != nil {
			t.Fatal(err)
		}
	}
	if got := said(o.UpdateProfileField(long.ID, ProfileFieldChange{Summary: ptr(true)})); got != "Field type not supported for display in profile summary." {
		t.Errorf("a long text in the summary: %q", got)
	}
}

func TestOwnProfile(t *testing.T) {
	o, people := founded(t)
	admin, member := people[RoleAdministrator], people[RoleMember]
	f, err := o.CreateProfileField(ProfileField{Name: "Badge", Type: FieldShortText}, FieldData{})
	if err != nil {
		t.Fatal(err)
	}
	value := []ProfileValue{{f.ID, "7"}}
	if got := said(o.SetProfileData(member, member.ID, value)); got != "You are not allowed to change this field. Contact an administrator to update it." {
		t.Errorf("a field people may not edit: %q", got)
	}
	if err := o.SetProfileData(admin, member.ID, value); err != nil {
		t.Fatal(err)
	}
	if err := o.SetProfileData(admin, member.ID, []ProfileValue{{f.ID, ""}}); err != nil {
		t.Fatal(err)
	}
	if u, _ := o.Users.Get(member.ID); len(u.ProfileData) != 0 {
		t.Errorf("an empty value takes it away: %v", u.ProfileData)
	}
}
