package permission_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

const nobody = 10

func TestLawCanonical_Twice_Unchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := drawValue(t, drawOrganization(t))
		once := permission.Canonical(value, nobody)
		twice := permission.Canonical(once, nobody)
		if !same(once, twice) {
			t.Fatalf("canonical twice: %v, once: %v", twice, once)
		}
		if !permission.Equal(value, once, nobody) || !permission.IsCanonical(once, nobody) {
			t.Fatalf("%v is not equal to its canonical form %v", value, once)
		}
	})
}

func TestLawResolve_Formatted_SameValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOrganization(t)
		value := drawValue(t, o)
		resolved, problems := permission.Resolve(permission.Format(value, o, nil), o)
		if len(problems) > 0 || !permission.Equal(resolved.Value, value, nobody) {
			t.Fatalf("%v became %v, %v", value, resolved, problems)
		}
	})
}

func TestLawFormat_ConfigurationTexts_Kept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOrganization(t)
		value := permission.Canonical(drawValue(t, o), nobody)
		var written []permission.Principal
		for _, principal := range permission.Format(value, o, nil) {
			written = append(written, inOtherWords(t, principal, o))
		}
		formatted := permission.Format(value, o, written)
		if texts(formatted) != texts(written) {
			t.Fatalf("written as %s, shown as %s", texts(written), texts(formatted))
		}
	})
}

// diff returns the changes that turn one value into another.
func diff(before, after zulip.GroupSettingValue, nobody int64) (added, removed zulip.GroupSettingValue) {
	b, a := asLists(before, nobody), asLists(after, nobody)
	return zulip.GroupSettingValue{
			DirectMembers:   missing(a.DirectMembers, b.DirectMembers),
			DirectSubgroups: missing(a.DirectSubgroups, b.DirectSubgroups),
		}, zulip.GroupSettingValue{
			DirectMembers:   missing(b.DirectMembers, a.DirectMembers),
			DirectSubgroups: missing(b.DirectSubgroups, a.DirectSubgroups),
		}
}

// asLists returns a value that is a single group as a list of one group; role:nobody is empty.
func asLists(value zulip.GroupSettingValue, nobody int64) zulip.GroupSettingValue {
	value = permission.Canonical(value, nobody)
	if !value.IsNamed() {
		return value
	}
	if value.Group == nobody {
		return zulip.GroupSettingValue{}
	}
	return zulip.GroupSettingValue{DirectSubgroups: []int64{value.Group}}
}

func TestLawDiff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOrganization(t)
		a, b := drawValue(t, o), drawValue(t, o)
		added, removed := diff(a, a, nobody)
		if len(added.DirectMembers)+len(added.DirectSubgroups)+len(removed.DirectMembers)+len(removed.DirectSubgroups) > 0 {
			t.Fatalf("%v differs from itself by %v and %v", a, added, removed)
		}
		added, removed = diff(a, b, nobody)
		back, forth := diff(b, a, nobody)
		if !same(added, forth) || !same(removed, back) {
			t.Fatalf("from %v to %v and back differ", a, b)
		}
		nothing := len(added.DirectMembers)+len(added.DirectSubgroups)+len(removed.DirectMembers)+len(removed.DirectSubgroups) == 0
		if nothing != permission.Equal(a, b, nobody) {
			t.Fatalf("equality and difference disagree on %v and %v", a, b)
		}
	})
}

func TestLawPrincipal_Parsed_Unchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOrganization(t)
		for _, principal := range permission.Format(drawValue(t, o), o, nil) {
			parsed, err := permission.Parse(principal.String())
			if err != nil || parsed != principal {
				t.Fatalf("%v is read back as %v, %v", principal, parsed, err)
			}
		}
	})
}

func TestLawWireForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := drawValue(t, drawOrganization(t))
		data, err := json.Marshal(value)
		requireNoError(t, err)
		var read zulip.GroupSettingValue
		if err := json.Unmarshal(data, &read); err != nil || !permission.Equal(read, value, nobody) {
			t.Fatalf("%s is read back as %v, %v", data, read, err)
		}
		if !value.IsNamed() && (!strings.Contains(string(data), `"direct_members":[`) || !strings.Contains(string(data), `"direct_subgroups":[`)) {
			t.Fatalf("%s: the server wants both lists", data)
		}
	})
}

func TestCanonicalForms(t *testing.T) {
	for name, test := range map[string]struct{ value, want zulip.GroupSettingValue }{
		"nothing is nobody":                {zulip.GroupSettingValue{}, zulip.NamedGroup(nobody)},
		"one group is its number":          {zulip.GroupSettingValue{DirectSubgroups: []int64{7, 7}}, zulip.NamedGroup(7)},
		"one member keeps the role listed": {zulip.GroupSettingValue{DirectMembers: []int64{3}}, zulip.GroupSettingValue{DirectMembers: []int64{3}}},
		"two groups stay listed":           {zulip.GroupSettingValue{DirectSubgroups: []int64{8, 7}}, zulip.GroupSettingValue{DirectSubgroups: []int64{7, 8}}},
		"a member beside one group":        {zulip.GroupSettingValue{DirectMembers: []int64{3}, DirectSubgroups: []int64{7}}, zulip.GroupSettingValue{DirectMembers: []int64{3}, DirectSubgroups: []int64{7}}},
	} {
		if got := permission.Canonical(test.value, nobody); !same(got, test.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestCanonical_DeactivatedHidden_False(t *testing.T) {
	for value, canonical := range map[*zulip.GroupSettingValue]bool{
		{DirectSubgroups: []int64{7}}: false,
		{}:                            false,
		{Group: 7}:                    true,
		{DirectMembers: []int64{3}}:   true,
		{DirectMembers: []int64{3}, DirectSubgroups: []int64{7}}: true,
	} {
		if permission.IsCanonical(*value, nobody) != canonical {
			t.Errorf("%v: canonical is not %v", value, canonical)
		}
	}
}

func TestParse_Invalid_Error(t *testing.T) {
	for text, want := range map[string]string{
		"members":                       `write "role:members"`,
		"sre":                           `write "group:sre"`,
		"ada@example.com":               `write "user:ada@example.com"`,
		"12":                            `"group_id:12" or "user_id:12"`,
		"role:":                         "names no one",
		"team:sre":                      `unknown prefix "team:"`,
		"group_id:x":                    "positive number",
		"user_id:0":                     "positive number",
		"user_id:007":                   "positive number",
		"group_id:99999999999999999999": "positive number",
	} {
		if _, err := permission.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, wanted %s", text, err, want)
		}
	}
}

func TestResolve(t *testing.T) {
	ada, bob, carl := "ada@example.com", "bob@example.com", "carl@example.com"
	o := &organization{
		groups: []*zulip.UserGroup{
			{ID: nobody, Name: "role:nobody", IsSystemGroup: true}, {ID: 11, Name: "role:members", IsSystemGroup: true},
			{ID: 50, Name: "sre"}, {ID: 51, Name: "old", Deactivated: true}, {ID: 52, Name: "a:b"},
		},
		users: []*zulip.User{
			{ID: 1, Email: ada, DeliveryEmail: &ada, IsActive: true}, {ID: 2, Email: bob, DeliveryEmail: &bob}, {ID: 3, Email: carl, DeliveryEmail: &carl},
		},
		planned: []permission.Principal{{Kind: permission.KindGroup, Name: "planned"}, {Kind: permission.KindUserID, ID: 3}},
	}
	for text, test := range map[string]struct {
		value       string
		problem     string
		deactivated int
		planned     int
	}{
		"":                       {value: "10"},
		"role:nobody":            {value: "10"},
		"role:nobody group:sre":  {value: "50"},
		"group:sre":              {value: "50"},
		"group:a:b":              {value: "52"},
		"group_id:50 group:sre":  {value: "50"},
		"user:ADA@example.com":   {value: `{"direct_members":[1],"direct_subgroups":[]}`},
		"user_id:1 role:members": {value: `{"direct_members":[1],"direct_subgroups":[11]}`},
		"user:bob@example.com":   {value: "10", deactivated: 1},
		"group:old":              {value: "10", deactivated: 1},
		"group_id:51 group:sre":  {value: "50", deactivated: 1},
		"user:carl@example.com":  {value: "10", planned: 1},
		"group:planned":          {value: "10", planned: 1},
		"group:srr":              {value: "10", problem: "not in the organization"},
		"group:role:members":     {value: "10", problem: "not in the organization"},
		"role:sre":               {value: "10", problem: "not in the organization"},
		"user_id:99":             {value: "10", problem: "not in the organization"},
		"group_id:99":            {value: "10", problem: "not in the organization"},
	} {
		var principals []permission.Principal
		for _, word := range strings.Fields(text) {
			principal, err := permission.Parse(word)
			requireNoError(t, err)
			principals = append(principals, principal)
		}
		resolved, problems := permission.Resolve(principals, o)
		value, err := json.Marshal(resolved.Value)
		requireNoError(t, err)
		if string(value) != test.value || len(resolved.Deactivated) != test.deactivated || len(resolved.Planned) != test.planned {
			t.Errorf("%q: %s, %+v", text, value, resolved)
		}
		if (len(problems) > 0) != (test.problem != "") || len(problems) > 0 && !strings.Contains(problems[0].Summary, test.problem) {
			t.Errorf("%q: %v", text, problems)
		}
	}
	_, problems := permission.Resolve([]permission.Principal{{Kind: permission.KindGroup, Name: "srr"}}, o)
	if !strings.Contains(problems[0].Detail, `Did you mean "group:near"?`) {
		t.Error("no suggestion:", problems[0].Detail)
	}
}

// The message lists and suggests only the roles that the setting accepts.
func TestResolve_UnknownRole_AllowedRolesListed(t *testing.T) {
	o := &organization{}
	_, problems := permission.Resolve([]permission.Principal{{Kind: permission.KindRole, Name: "foo"}}, o)
	if strings.Contains(problems[0].Detail, "internet") {
		t.Error(problems[0].Detail)
	}
	const most = "role:owners, role:administrators, role:moderators, role:fullmembers, role:members"
	for _, test := range []struct {
		supported zulip.SupportedPermission
		want      string
	}{
		{zulip.SupportedPermission{AllowNobodyGroup: true}, most + " and role:nobody."},
		{zulip.SupportedPermission{AllowEveryoneGroup: true}, most + " and role:everyone."},
		{zulip.SupportedPermission{AllowEveryoneGroup: true, AllowInternetGroup: true, AllowNobodyGroup: true}, most + ", role:everyone, role:internet and role:nobody."},
		{zulip.SupportedPermission{AllowEveryoneGroup: true, AllowedSystemGroups: []string{"role:everyone", "role:members"}}, "role:members and role:everyone."},
	} {
		if got, want := problems[0].For("x", test.supported, o).Detail, "The roles that x takes are "+test.want; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	group := permission.Problem{Principal: permission.Principal{Kind: permission.KindGroup, Name: "srr"}, Detail: "as it is"}
	if group.For("x", zulip.SupportedPermission{}, o) != group {
		t.Error("only roles depend on the setting")
	}
}

func TestFormat_UnknownIDs_Kept(t *testing.T) {
	o := &organization{groups: []*zulip.UserGroup{{ID: nobody, Name: "role:nobody", IsSystemGroup: true}}}
	value := zulip.GroupSettingValue{DirectMembers: []int64{404}, DirectSubgroups: []int64{405}}
	if got := texts(permission.Format(value, o, nil)); got != "group_id:405 user_id:404" {
		t.Error("what has no name is shown as", got)
	}
}

func TestAllowed(t *testing.T) {
	o := &organization{groups: []*zulip.UserGroup{
		{ID: nobody, Name: "role:nobody", IsSystemGroup: true}, {ID: 16, Name: "role:everyone", IsSystemGroup: true},
		{ID: 17, Name: "role:internet", IsSystemGroup: true}, {ID: 50, Name: "sre"},
	}}
	everyoneToo := zulip.SupportedPermission{AllowNobodyGroup: true, AllowEveryoneGroup: true}
	for name, test := range map[string]struct {
		supported zulip.SupportedPermission
		value     zulip.GroupSettingValue
		refused   bool
	}{
		"everyone where guests may not":  {zulip.SupportedPermission{AllowNobodyGroup: true}, zulip.NamedGroup(16), true},
		"everyone where guests may":      {everyoneToo, zulip.NamedGroup(16), false},
		"everyone in a list":             {zulip.SupportedPermission{}, zulip.GroupSettingValue{DirectMembers: []int64{1}, DirectSubgroups: []int64{16}}, false},
		"the internet":                   {everyoneToo, zulip.NamedGroup(17), true},
		"nobody where somebody has to":   {zulip.SupportedPermission{AllowEveryoneGroup: true}, zulip.GroupSettingValue{}, true},
		"a group":                        {everyoneToo, zulip.NamedGroup(50), false},
		"a group where only roles do":    {zulip.SupportedPermission{RequireSystemGroup: true}, zulip.NamedGroup(50), true},
		"a list where only roles do":     {zulip.SupportedPermission{RequireSystemGroup: true}, zulip.GroupSettingValue{DirectMembers: []int64{1}}, true},
		"a role that is not on the list": {zulip.SupportedPermission{AllowEveryoneGroup: true, AllowedSystemGroups: []string{"role:owners"}}, zulip.NamedGroup(16), true},
	} {
		if err := permission.Allowed("can_x_group", test.supported, test.value, o); (err != nil) != test.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLawAdmits_ActiveMembers_Only(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOrganization(t)
		value := drawValue(t, o)
		user := rapid.SampledFrom(o.users).Draw(t, "user")
		if got, want := permission.Admits(value, user, o), user.IsActive && contains(o, value, user.ID); got != want {
			t.Fatalf("%v admits %d: %v", value, user.ID, got)
		}
	})
}

// contains computes membership in the slow and obvious way.
func contains(o *organization, value zulip.GroupSettingValue, user int64) bool {
	if slices.Contains(value.DirectMembers, user) {
		return true
	}
	groups := append(slices.Clone(value.DirectSubgroups), value.Group)
	return slices.ContainsFunc(groups, func(id int64) bool {
		group, ok := o.UserGroup(id)
		return ok && contains(o, zulip.GroupSettingValue{DirectMembers: group.Members, DirectSubgroups: group.DirectSubgroupIDs}, user)
	})
}

// inOtherWords draws another principal with the same meaning.
func inOtherWords(t *rapid.T, principal permission.Principal, o *organization) permission.Principal {
	if rapid.Bool().Draw(t, "as it is") {
		return principal
	}
	if principal.Kind == permission.KindUser {
		user, _ := o.UserByAddress(principal.Name)
		if rapid.Bool().Draw(t, "by number") {
			return permission.Principal{Kind: permission.KindUserID, ID: user.ID}
		}
		return permission.Principal{Kind: permission.KindUser, Name: strings.ToUpper(principal.Name)}
	}
	group, _ := o.UserGroupByName(principal.WireName())
	return permission.Principal{Kind: permission.KindGroupID, ID: group.ID}
}

func same(a, b zulip.GroupSettingValue) bool {
	return a.Group == b.Group && slices.Equal(a.DirectMembers, b.DirectMembers) && slices.Equal(a.DirectSubgroups, b.DirectSubgroups)
}

func texts(principals []permission.Principal) string {
	all := make([]string, len(principals))
	for i, principal := range principals {
		all[i] = principal.String()
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"role:members", "group:sre", "user:a@b.c", "group_id:12", "user_id:1", "x", ":", "group_id:-1", "role:"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		principal, err := permission.Parse(text)
		if err == nil && principal.String() != text {
			t.Errorf("%q is written back as %q", text, principal)
		}
	})
}

var tables = []permission.Table{permission.Channels, permission.UserGroups, permission.Organizations}

// recordedRules returns the rules of permissions that a real server published.
func recordedRules(t *testing.T) *zulip.Realm {
	t.Helper()
	data, err := os.ReadFile("testdata/supported_permission_settings.json")
	requireNoError(t, err)
	var realm zulip.Realm
	requireNoError(t, json.Unmarshal(data, &realm))
	return &realm
}

func TestTables_RealServer_SameRules(t *testing.T) {
	realm := recordedRules(t)
	creators := map[string]string{
		"channel_creator": "the channel's creator", "group_creator": "the group's creator",
	}
	for _, table := range tables {
		said := realm.SupportedPermissions[table.Key]
		var names []string
		for _, setting := range table.All() {
			if setting.FeatureLevel > featurelevel.Recorded {
				continue
			}
			names = append(names, setting.Name)
			want, got := said[setting.Name], setting.SupportedBy()
			if got.AllowNobodyGroup != want.AllowNobodyGroup || got.AllowEveryoneGroup != want.AllowEveryoneGroup ||
				got.AllowInternetGroup != want.AllowInternetGroup || got.RequireSystemGroup != want.RequireSystemGroup ||
				!slices.Equal(slices.Sorted(slices.Values(got.AllowedSystemGroups)), slices.Sorted(slices.Values(want.AllowedSystemGroups))) {
				t.Errorf("%s: the server says %+v, the table %+v", setting.Name, want, got)
			}
			if creator, ok := creators[want.DefaultGroupName]; setting.Default != want.DefaultGroupName && (!ok || setting.Default != creator) {
				t.Errorf("%s starts with %s, not with %s", setting.Name, want.DefaultGroupName, setting.Default)
			}
		}
		slices.Sort(names)
		if all := slices.Sorted(maps.Keys(said)); !slices.Equal(names, all) {
			t.Errorf("the settings of a %s are %v, not %v", table.Noun, all, names)
		}
	}
}

func TestAllowed_ServerRules_Preferred(t *testing.T) {
	for _, table := range tables {
		for _, setting := range table.Settings {
			other := setting.SupportedBy()
			other.AllowEveryoneGroup = !other.AllowEveryoneGroup
			realm := &zulip.Realm{SupportedPermissions: map[string]map[string]zulip.SupportedPermission{table.Key: {setting.Name: other}}}
			if got := table.Supported(setting, realm); got.AllowEveryoneGroup != other.AllowEveryoneGroup {
				t.Errorf("%s: the table's rule is applied, not the server's", setting.Name)
			}
			for _, silent := range []*zulip.Realm{nil, {}} {
				if got := table.Supported(setting, silent); got.AllowEveryoneGroup != setting.AllowEveryone {
					t.Errorf("%s: no rule where the server says none", setting.Name)
				}
			}
		}
	}
}

// requireNoError ends a test with an error that the test is not about.
func requireNoError(t interface {
	Helper()
	Fatal(arguments ...any)
}, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
