package review

import (
	"math"
	"strconv"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// somebody is the ID of a group that no organization has: it stands for people who are not known yet.
const somebody = math.MinInt64

// names is the organization with what the plan creates and renames: principals after the plan mean something in it. What
// is yet to be created has negative IDs.
type names struct {
	*snapshot.Snapshot
	groups map[int64]*zulip.UserGroup // created, renamed, or taken back
	users  map[int64]*zulip.User      // created, or taken back
	last   int64
}

func newNames(view *snapshot.Snapshot) *names {
	return &names{Snapshot: view, groups: map[int64]*zulip.UserGroup{}, users: map[int64]*zulip.User{}}
}

// next returns the ID for something that is yet to be created.
func (n *names) next() int64 {
	n.last--
	return n.last
}

// UserGroup returns the group with an ID.
func (n *names) UserGroup(id int64) (*zulip.UserGroup, bool) {
	if group, ok := n.groups[id]; ok {
		return group, true
	}
	return n.Snapshot.UserGroup(id)
}

// UserGroupByName returns the group that has a name when the plan is applied.
func (n *names) UserGroupByName(name string) (*zulip.UserGroup, bool) {
	for _, group := range n.groups {
		if group.Name == name {
			return group, true
		}
	}
	group, ok := n.Snapshot.UserGroupByName(name)
	if ok && n.groups[group.ID] != nil { // it has another name then
		return nil, false
	}
	return group, ok
}

// User returns the person or bot with an ID.
func (n *names) User(id int64) (*zulip.User, bool) {
	if user, ok := n.users[id]; ok {
		return user, true
	}
	return n.Snapshot.User(id)
}

// UserByAddress returns the person or bot with an address, whatever its case.
func (n *names) UserByAddress(address string) (*zulip.User, bool) {
	for _, user := range n.users {
		if strings.EqualFold(user.Email, address) || strings.EqualFold(user.Address(), address) {
			return user, true
		}
	}
	return n.Snapshot.UserByAddress(address)
}

// person finds whom an attribute means: an ID in digits, or an address.
func (n *names) person(text string) (*zulip.User, bool) {
	if id, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n.User(id)
	}
	return n.UserByAddress(text)
}

// group finds the group that an attribute means: an ID in digits, or a name, also as name:2024.
func (n *names) group(text string) (*zulip.UserGroup, bool) {
	name, byName := strings.CutPrefix(text, "name:")
	if id, err := strconv.ParseInt(text, 10, 64); err == nil && !byName {
		return n.UserGroup(id)
	}
	return n.UserGroupByName(name)
}

// people finds whom a list means, and returns those it cannot find.
func (n *names) people(texts []string) (ids []int64, missing []string) {
	for _, text := range texts {
		if user, ok := n.person(text); ok {
			ids = append(ids, user.ID)
		} else {
			missing = append(missing, text)
		}
	}
	return ids, missing
}

// resolve leads principals to a value; ok is false if one of them cannot be told.
func (n *names) resolve(texts []string) (value zulip.GroupSettingValue, ok bool) {
	principals := make([]permission.Principal, len(texts))
	for i, text := range texts {
		principal, err := permission.Parse(text)
		if err != nil {
			return value, false
		}
		principals[i] = principal
	}
	resolved, problems := permission.Resolve(principals, n)
	return resolved.Value, len(problems)+len(resolved.Planned) == 0
}

// words writes a value as principals.
func words(value zulip.GroupSettingValue, org permission.Organization) []string {
	principals := permission.Format(value, org, nil)
	texts := make([]string, len(principals))
	for i, principal := range principals {
		texts[i] = principal.String()
	}
	return texts
}
