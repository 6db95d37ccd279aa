package review

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// maxCauses is the maximum number of changes whose consequences are told apart. Each is computed alone.
const maxCauses = 50

// causes lists the changes that can have consequences for other objects: members of groups, roles, owners, deactivated
// accounts, and the organization's permissions and settings. There are none if there are too many.
func (b *builder) causes() (all []access.Cause) {
	add := func(text string, change permission.Change) {
		change.Now = b.options.Now
		all = append(all, access.Cause{Text: text, People: sync.OnceValue(func() *permission.Access { return b.was.People.With(change) })})
	}
	address := func(id int64) string {
		user, _ := b.org.User(id)
		return user.Address()
	}
	for _, group := range b.is.Groups {
		if membership, isChanged := b.change.Groups[group.ID]; isChanged && group.ID > 0 {
			add(fmt.Sprintf("the changed members of user group %q", group.Name), permission.Change{Groups: map[int64]permission.Membership{group.ID: membership}})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(b.change.Roles)) {
		add("the new role of "+address(id), permission.Change{Roles: map[int64]zulip.Role{id: b.change.Roles[id]}})
	}
	for _, id := range slices.Sorted(maps.Keys(b.change.Owners)) {
		add("the new owner of "+address(id), permission.Change{Owners: map[int64]int64{id: b.change.Owners[id]}})
	}
	for _, id := range b.change.Deactivated {
		add("the deactivation of "+address(id), permission.Change{Deactivated: []int64{id}})
	}
	for _, name := range slices.Sorted(maps.Keys(b.change.Organization)) {
		add("the organization's "+name, permission.Change{Organization: map[string]zulip.GroupSettingValue{name: b.change.Organization[name]}})
	}
	if b.change.WaitingPeriod != nil || b.change.WaitingPeriodUnknown {
		add("the organization's waiting period", permission.Change{WaitingPeriod: b.change.WaitingPeriod, WaitingPeriodUnknown: b.change.WaitingPeriodUnknown})
	}
	if len(all) > maxCauses {
		return nil
	}
	return all
}
