package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
)

// explain sets the cause of each effect whose permission has the same value.
func (r *Report) explain() {
	c := r.causes()
	for _, channel := range r.Channels {
		own := ownCause{what: differing(channel.Permissions), membership: "changed subscriptions", movers: accountsOf(channel.Joins, channel.Leaves)}
		if channel.Privacy.Differs() {
			own.what = "the channel's privacy"
		}
		if channel.Action == Reactivate {
			own.back = "the reactivation of the channel"
		}
		c.explainPermissions(channel.Permissions, own)
	}
	for _, group := range r.Groups {
		own := ownCause{what: differing(group.Permissions), membership: "the group's changed members", movers: accountsOf(group.Joins, group.Leaves)}
		if own.what == "" && (group.Members.Differs() || group.Subgroups.Differs()) {
			own.what = own.membership
		}
		if group.Action == Reactivate {
			own.back = "the reactivation of the group"
		}
		c.explainPermissions(group.Permissions, own)
	}
	c.explainPermissions(r.Permissions, ownCause{})
}

// ownCause is a cause within the object itself.
type ownCause struct {
	// back is the cause for a reactivated object; "" for others.
	back string
	// what names a difference of the object itself; "" without one.
	what string
	// membership is the cause if only people who are added or removed, the movers, gain or lose something.
	membership string
	movers     map[*Account]bool
}

// accountsOf returns the accounts of sets.
func accountsOf(sets ...*People) map[*Account]bool {
	all := map[*Account]bool{}
	for _, set := range sets {
		for account := range set.All() {
			all[account] = true
		}
	}
	return all
}

// causes are the causes that can affect every object.
type causes struct {
	report *Report
	// groups are the groups whose members change, as places in the report by their principals.
	groups map[string]int
	// membership caches the people added to and removed from these groups.
	membership map[int]map[*Account]bool
	// account names the accounts that change in words. accounts are all of them.
	account  string
	accounts map[*Account]bool
	// organization are the permissions of the organization that differ.
	organization map[string]bool
	// elsewhere is the fallback cause; "" without one.
	elsewhere string
}

func (r *Report) causes() *causes {
	c, first := &causes{report: r, groups: map[string]int{}, membership: map[int]map[*Account]bool{}, account: r.account(), accounts: map[*Account]bool{}, organization: map[string]bool{}}, ""
	for _, person := range r.People {
		c.accounts[person.Account] = true
	}
	for _, permission := range r.Permissions {
		c.organization[permission.Name] = permission.Change.Differs()
	}
	for i, group := range r.Groups {
		if !group.changesMembers() {
			continue
		}
		name := "group:" + group.Name
		first = cmp.Or(first, name)
		if _, known := c.groups[name]; !known {
			c.groups[name] = i
		}
	}
	c.elsewhere = cmp.Or(c.account, differing(r.Permissions), first)
	return c
}

func (c *causes) explainPermissions(permissions []*PermissionChange, own ownCause) {
	for _, permission := range permissions {
		if !permission.Change.Differs() {
			permission.FollowsFrom = c.of(permission, own)
		}
	}
}

// of returns the closest cause that explains everyone who gains or loses access.
func (c *causes) of(one *PermissionChange, own ownCause) string {
	setting := permission.ChannelPermission(one.Name).OrganizationPermission()
	group, membership := c.groupIn(one.Change.After.Values)
	switch {
	case own.back != "":
		return own.back
	case group != "" && (one.isOnlyOf(membership) || !one.isOnlyOf(c.accounts)):
		return group
	case one.isOnlyOf(own.movers):
		return own.membership
	case c.account != "" && one.isOnlyOf(c.accounts):
		return c.account
	case c.organization[setting] && own.what != "":
		return own.what + " and the organization's " + setting
	case c.organization[setting]:
		return "the organization's " + setting
	}
	return cmp.Or(own.what, c.elsewhere)
}

// isOnlyOf reports whether anyone gains or loses access, and all of them are among some accounts.
func (r *PermissionChange) isOnlyOf(some map[*Account]bool) bool {
	if len(some) == 0 || r.Gain.Len()+r.Lose.Len() == 0 || r.Internet != "" {
		return false
	}
	for _, set := range []*People{r.Gain, r.Lose} {
		for account := range set.All() {
			if !some[account] {
				return false
			}
		}
	}
	return true
}

// groupIn returns the first group of the report that is in a value and whose members change, with the people added and
// removed.
func (c *causes) groupIn(texts []string) (name string, membership map[*Account]bool) {
	for _, text := range texts {
		if at, changes := c.groups[text]; changes && (name == "" || at < c.groups[name]) {
			name = text
		}
	}
	if name == "" {
		return "", nil
	}
	at := c.groups[name]
	if c.membership[at] == nil {
		c.membership[at] = accountsOf(c.report.Groups[at].Joins, c.report.Groups[at].Leaves)
	}
	return name, c.membership[at]
}

// differing names the first two permissions whose values differ.
func differing(permissions []*PermissionChange) string {
	var names []string
	for _, permission := range permissions {
		if permission.Change.Differs() {
			names = append(names, permission.Name)
		}
	}
	return strings.Join(names[:min(len(names), 2)], " and ")
}

func (g *Group) changesMembers() bool {
	return g.Action != Deactivate && (g.Members.Differs() || g.Subgroups.Differs() || g.Joins.Len()+g.Leaves.Len() > 0)
}

// account names an account that is created or deactivated or whose role changes, and how many other roles change.
func (r *Report) account() string {
	first, others := "", 0
	for _, person := range r.People {
		switch {
		case person.Owner != nil && first == "":
			return "the owner of " + person.Account.Email
		case !person.Role.Differs():
		case first == "":
			first = person.Account.Email
		case person.Account.Email != first:
			others++
		}
	}
	switch {
	case first == "":
		return ""
	case others == 0:
		return "the role of " + first
	}
	return fmt.Sprintf("the roles of %s and %s", first, Counted(others, "other account"))
}
