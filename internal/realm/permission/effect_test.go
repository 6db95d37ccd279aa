package permission_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// An unknown value makes only those effects unknown that depend on it.
func TestCompare_Unknown_NoMoreThanThat(t *testing.T) {
	access, _ := team(t)
	public := open(zulip.PrivacyPublic, 1, 3, 5)
	unknown := func(setting string) permission.Channel {
		channel := public
		channel.Unknown = map[string]bool{setting: true}
		return channel
	}
	somewhere := public
	somewhere.PrivacyUnknown = true
	for name, test := range map[string]struct {
		after permission.Channel
		want  []permission.ChannelPermission
	}{
		"nothing":                   {public, nil},
		"who posts":                 {unknown("can_send_message_group"), []permission.ChannelPermission{permission.CanSendMessage, permission.CanCreateTopic}},
		"not known, without effect": {unknown("can_subscribe_group"), nil},
		"the privacy":               {somewhere, []permission.ChannelPermission{permission.CanRead, permission.CanSubscribe, permission.CanSendMessage, permission.CanCreateTopic}},
	} {
		var got []permission.ChannelPermission
		for _, effect := range permission.Compare(permission.ChannelState{Access: access, Channel: public}, permission.ChannelState{Access: access, Channel: test.after}) {
			if !effect.Unknown || !effect.Gain.IsEmpty() || !effect.Lose.IsEmpty() {
				t.Errorf("%s: %+v", name, effect)
			}
			got = append(got, effect.Permission)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// The description of many permissions for the same people is short, and names the most powerful permission first.
func TestPermissions_SamePeople_Summarized(t *testing.T) {
	var all []string
	for _, name := range permission.ChannelPermissions {
		all = append(all, name.InWords())
	}
	for want, actions := range map[string][]string{
		"administer the channel, read, add subscribers, join and 6 more permissions": all,
		"start topics, move messages and resolve topics":                             {"start topics", "move messages to other channels", "move messages to other topics", "resolve topics"},
		"read, add subscribers, join, post and start topics":                         {"read", "add subscribers", "join", "post", "start topics"},
		"delete messages":              {"delete anyone's messages", "delete own messages"},
		"delete own messages and post": {"delete own messages", "post"},
		"post":                         {"post"},
	} {
		if got := permission.JoinActions(actions, 4); got != want {
			t.Errorf("%q is said as %q, want %q", actions, got, want)
		}
	}
}

func TestHeldBy_OrganizationPermission_EffectOfChange(t *testing.T) {
	access, facts := team(t)
	group := func(name string) zulip.GroupSettingValue {
		i := slices.IndexFunc(facts.Groups, func(g *zulip.UserGroup) bool { return g.Name == name })
		return zulip.NamedGroup(facts.Groups[i].ID)
	}
	listed := func(members ...int64) zulip.GroupSettingValue { return zulip.GroupSettingValue{DirectMembers: members} }
	strict := facts
	strict.Realm = &zulip.Realm{SupportedPermissions: map[string]map[string]zulip.SupportedPermission{"realm": {"can_resolve_topics_group": {}}}}
	const groups, resolve = "can_create_groups", "can_resolve_topics_group"
	for name, test := range map[string]struct {
		access        *permission.Access
		setting       string
		before, after zulip.GroupSettingValue
		gain, lose    []int64
		nobodyLeft    bool
	}{
		"the same people in other words": {access, groups, group("role:owners"), listed(1), nil, nil, false},
		// Cem and Gus are in the group that contains sre, but guests never create groups.
		"less":                            {access, groups, group("role:members"), group("leads"), nil, []int64{1, 2, 4, 6}, false},
		"where guests can have it":        {access, resolve, group("role:members"), group("role:everyone"), []int64{5}, nil, false},
		"where the server allows none":    {permission.NewAccess(strict), resolve, group("role:members"), group("role:everyone"), nil, nil, false},
		"where only a guest could use it": {access, groups, listed(3), listed(5), nil, []int64{3}, true},
		"nobody":                          {access, groups, listed(3), group("role:nobody"), nil, []int64{3}, true},
	} {
		setting := permission.Organizations.Setting(test.setting)
		effect := test.access.HeldBy(permission.Organizations, setting, test.before).To(test.access.HeldBy(permission.Organizations, setting, test.after))
		if !slices.Equal(effect.Gain.IDs(), test.gain) || !slices.Equal(effect.Lose.IDs(), test.lose) || effect.NobodyLeft != test.nobodyLeft || effect.Unknown {
			t.Errorf("%s: %+v gains %v, loses %v", name, effect, effect.Gain.IDs(), effect.Lose.IDs())
		}
	}
}

// organization is an organization with linear search.
type organization struct {
	groups  []*zulip.UserGroup
	users   []*zulip.User
	planned []permission.Principal
}

func (o *organization) UserGroup(id int64) (*zulip.UserGroup, bool) {
	return first(o.groups, func(g *zulip.UserGroup) bool { return g.ID == id })
}

func (o *organization) UserGroupByName(name string) (*zulip.UserGroup, bool) {
	return first(o.groups, func(g *zulip.UserGroup) bool { return g.Name == name })
}

func (o *organization) User(id int64) (*zulip.User, bool) {
	return first(o.users, func(u *zulip.User) bool { return u.ID == id })
}

func (o *organization) UserByAddress(address string) (*zulip.User, bool) {
	return first(o.users, func(u *zulip.User) bool { return strings.EqualFold(u.Address(), address) })
}

func (o *organization) IsPlanned(p permission.Principal) bool { return slices.Contains(o.planned, p) }

func (o *organization) Reassigned(permission.Principal) (int64, bool) { return 0, false }

func (o *organization) HiddenUser(string) (*zulip.User, bool) { return nil, false }

func (o *organization) Nearest(permission.Principal) []permission.Principal {
	return []permission.Principal{{Kind: permission.KindGroup, Name: "near"}}
}

func first[T any](all []*T, match func(*T) bool) (*T, bool) {
	for _, one := range all {
		if match(one) {
			return one, true
		}
	}
	return nil, false
}

var roles = []string{"nobody", "owners", "administrators", "moderators", "fullmembers", "members", "everyone", "internet"}

// drawOrganization draws people and groups; every organization has the roles. Groups contain only groups before them,
// so there are no cycles, as on a server.
func drawOrganization(t *rapid.T) *organization {
	o := &organization{}
	for i := range rapid.IntRange(1, 8).Draw(t, "people") {
		address := fmt.Sprintf("person%d@example.com", i)
		o.users = append(o.users, &zulip.User{
			ID: int64(100 + i), Email: address, DeliveryEmail: &address, Role: zulip.RoleMember,
			IsActive: rapid.Float64().Draw(t, "activity") > 0.2,
		})
	}
	for i, role := range roles {
		o.groups = append(o.groups, &zulip.UserGroup{ID: int64(10 + i), Name: "role:" + role, IsSystemGroup: true, Members: drawIDs(t, o.activeIDs())})
	}
	o.groups[0].Members = nil
	for i := range rapid.IntRange(0, 6).Draw(t, "groups") {
		group := &zulip.UserGroup{ID: int64(50 + i), Name: fmt.Sprintf("group %d", i), Members: drawIDs(t, o.activeIDs())}
		for _, earlier := range o.groups {
			if rapid.Float64().Draw(t, "nesting") < 0.15 {
				group.DirectSubgroupIDs = append(group.DirectSubgroupIDs, earlier.ID)
			}
		}
		o.groups = append(o.groups, group)
	}
	return o
}

func (o *organization) activeIDs() (ids []int64) {
	for _, user := range o.users {
		if user.IsActive {
			ids = append(ids, user.ID)
		}
	}
	return ids
}

func (o *organization) groupIDs() (ids []int64) {
	for _, group := range o.groups {
		if group.Name != "role:nobody" {
			ids = append(ids, group.ID)
		}
	}
	return ids
}

// drawIDs draws some of the IDs, in any order and with repetition, like a user's list.
func drawIDs(t *rapid.T, from []int64) []int64 {
	if len(from) == 0 {
		return nil
	}
	return rapid.SliceOfN(rapid.SampledFrom(from), 0, 5).Draw(t, "ids")
}

// drawValue draws a group-setting value in any form that the API can have.
func drawValue(t *rapid.T, o *organization) zulip.GroupSettingValue {
	if rapid.Bool().Draw(t, "named") {
		return zulip.NamedGroup(rapid.SampledFrom(o.groups).Draw(t, "group").ID)
	}
	return zulip.GroupSettingValue{DirectMembers: drawIDs(t, o.activeIDs()), DirectSubgroups: drawIDs(t, o.groupIDs())}
}
