package permission_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// permissionRules are what the provider's tables and the sandbox's say of a permission, in the words of the sandbox.
type permissionRules struct {
	Since                                                  int
	AllowInternet, AllowNobody, AllowEveryone, RequireRole bool
	OwnerOnly, Unwritable                                  bool
	Roles, Default                                         string
}

// The provider and the sandbox share no type, so that both cannot hold the same mistake. Up to the recorded level a real
// server tells whose is wrong; above it nothing but the two tables is compared.
func TestTablesSayWhatTheSandboxSays(t *testing.T) {
	for _, tables := range []struct {
		provider permission.Table
		sandbox  []rules.Permission
		creator  string
	}{
		{permission.Channels, rules.ChannelPermissions, "the account that creates the channel"},
		{permission.UserGroups, rules.GroupPermissions, "the account that creates the group"},
		{permission.Organizations, rules.RealmPermissions, ""},
	} {
		sandbox := map[string]permissionRules{}
		for _, p := range tables.sandbox {
			sandbox[p.Name] = ofSandbox(p, tables.creator)
		}
		for i, setting := range tables.provider.All() {
			other, there := sandbox[setting.Name]
			if !there {
				t.Errorf("%s of a %s: the sandbox does not have it", setting.Name, tables.provider.Noun)
				continue
			}
			delete(sandbox, setting.Name)
			if mine := ofProvider(setting, i >= len(tables.provider.Settings)); mine != other {
				t.Errorf("%s of a %s:\nthe provider says %+v\nthe sandbox says  %+v", setting.Name, tables.provider.Noun, mine, other)
			}
		}
		for name := range sandbox {
			t.Errorf("%s of a %s: only the sandbox has it", name, tables.provider.Noun)
		}
	}
}

func ofProvider(s permission.Setting, isShown bool) permissionRules {
	by := s.SupportedBy()
	return permissionRules{
		// Below the oldest level that is supported, some permissions had another form, which the sandbox has too.
		Since:         max(s.FeatureLevel, featurelevel.Oldest),
		AllowInternet: by.AllowInternetGroup, AllowNobody: by.AllowNobodyGroup, AllowEveryone: by.AllowEveryoneGroup, RequireRole: by.RequireSystemGroup,
		OwnerOnly: s.OwnersOnly, Unwritable: isShown,
		Roles: sorted(by.AllowedSystemGroups), Default: s.Default,
	}
}

func ofSandbox(p rules.Permission, creator string) permissionRules {
	byDefault := p.Default
	if byDefault == rules.Creator {
		byDefault = cmp.Or(creator, rules.Creator)
	}
	return permissionRules{
		Since:         max(p.Since, featurelevel.Oldest),
		AllowInternet: p.AllowInternet, AllowNobody: p.AllowNobody, AllowEveryone: p.AllowEveryone, RequireRole: p.RequireSystem,
		OwnerOnly: p.OwnerOnly, Unwritable: p.Unwritable,
		Roles: sorted(p.AllowedSystem), Default: byDefault,
	}
}

// sorted writes names as one text, in whatever order they are.
func sorted(names []string) (text string) {
	for _, name := range slices.Sorted(slices.Values(names)) {
		text += name + " "
	}
	return text
}

// The server applies the permissions of a channel one by one, in an order that both have to know (server-behavior §C10).
func TestChannelPermissionsAreInTheSandboxsOrder(t *testing.T) {
	var mine, others []string
	for _, setting := range permission.ChannelSettings {
		mine = append(mine, setting.Name)
	}
	for _, p := range rules.ChannelPermissions {
		others = append(others, p.Name)
	}
	if !slices.Equal(mine, others) {
		t.Errorf("the provider's order is\n%q\nthe sandbox's\n%q", mine, others)
	}
}
