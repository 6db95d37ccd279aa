package permission_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// organization is an organization that is looked through from end to end for every question.
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

// drawOrganization draws people and groups; the roles are there in every one. Groups contain only groups before them,
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

// drawIDs draws some of the numbers, in any order and with repetition, as somebody might write them.
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
