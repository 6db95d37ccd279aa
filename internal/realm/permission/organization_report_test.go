package permission_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func TestReportOfTheOrganization(t *testing.T) {
	access, facts := team(t)
	group := func(name string) zulip.GroupSettingValue {
		i := slices.IndexFunc(facts.Groups, func(g *zulip.UserGroup) bool { return g.Name == name })
		return zulip.NamedGroup(facts.Groups[i].ID)
	}
	change := func(setting string, before, after zulip.GroupSettingValue) permission.OrganizationChange {
		i := slices.IndexFunc(permission.RealmSettings, func(s permission.Setting) bool { return s.Name == setting })
		return permission.OrganizationChange{Setting: permission.RealmSettings[i], Before: before, After: after}
	}
	listed := func(members ...int64) zulip.GroupSettingValue { return zulip.GroupSettingValue{DirectMembers: members} }
	unknown := change("can_create_groups", group("role:members"), zulip.GroupSettingValue{})
	unknown.Unknown = true
	for name, test := range map[string]struct {
		changes []permission.OrganizationChange
		want    []string
	}{
		"nothing": {nil, nil},
		"the same people in other words": {
			[]permission.OrganizationChange{change("can_create_groups", group("role:owners"), listed(1))}, nil,
		},
		// Cem is in the group that holds sre, and so is Gus: but guests never create groups.
		"less": {
			[]permission.OrganizationChange{change("can_create_groups", group("role:members"), group("leads"))},
			[]string{"Can no longer create user groups: Dan (u4@example.com, the account the provider uses), Bot (u6@example.com, a bot), Ada (u1@example.com) and Bea (u2@example.com)."},
		},
		"where guests can have it": {
			[]permission.OrganizationChange{change("can_resolve_topics_group", group("role:members"), group("role:everyone"))},
			[]string{"Can now mark topics as resolved: Gus (u5@example.com, a guest)."},
		},
		"several at once": {
			[]permission.OrganizationChange{
				change("can_create_bots_group", listed(3), group("role:nobody")), change("can_invite_users_group", listed(3), group("role:nobody")),
				change("can_add_custom_emoji_group", group("role:nobody"), listed(2)),
			},
			[]string{
				"Nobody is left who can create bots of any kind and invite people by e-mail.",
				"Can no longer create bots of any kind and invite people by e-mail: Cem (u3@example.com).",
				"Can now add custom emoji: Bea (u2@example.com).",
			},
		},
		"not known": {
			[]permission.OrganizationChange{unknown},
			[]string{"Not known yet: who gains and who loses that they can create user groups."},
		},
	} {
		if got := (permission.Report{Self: 4}).Organization(access, access, test.changes); got != strings.Join(test.want, "\n") {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, strings.Join(test.want, "\n"))
		}
	}
}

// A server says itself whether guests can have a right; a newer one may say otherwise than is known here.
func TestReportOfTheOrganizationAsksTheServerAboutGuests(t *testing.T) {
	_, facts := team(t)
	facts.Realm.SupportedPermissions = map[string]map[string]zulip.SupportedPermission{"realm": {"can_resolve_topics_group": {}}}
	i := slices.IndexFunc(permission.RealmSettings, func(s permission.Setting) bool { return s.Name == "can_resolve_topics_group" })
	change := permission.OrganizationChange{Setting: permission.RealmSettings[i], After: zulip.GroupSettingValue{DirectMembers: []int64{5}}}
	access := permission.NewAccess(facts)
	if got := (permission.Report{}).Organization(access, access, []permission.OrganizationChange{change}); got != "" {
		t.Errorf("said %q", got)
	}
}
