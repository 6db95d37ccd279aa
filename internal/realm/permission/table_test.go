package permission_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

var tables = []permission.Table{permission.Channels, permission.UserGroups, permission.Organizations}

// recordedRules are what a real server says its permissions allow.
func recordedRules(t *testing.T) *zulip.Realm {
	t.Helper()
	data, err := os.ReadFile("testdata/supported_permission_settings.json")
	if err != nil {
		t.Fatal(err)
	}
	var realm zulip.Realm
	if err := json.Unmarshal(data, &realm); err != nil {
		t.Fatal(err)
	}
	return &realm
}

func TestTablesSayWhatARealServerSays(t *testing.T) {
	realm := recordedRules(t)
	creators := map[string]string{
		"channel_creator": "the account that creates the channel", "group_creator": "the account that creates the group",
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

func TestTheServersRulesComeBeforeTheTables(t *testing.T) {
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
