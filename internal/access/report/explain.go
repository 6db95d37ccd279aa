package report

import (
	"cmp"
	"fmt"
	"strings"
)

// explain says of each right whose value stays what it is that changes who can.
func (r *Report) explain() {
	e := r.causes()
	for _, channel := range r.Channels {
		own := differing(channel.Rights)
		if channel.Privacy.Differs() {
			own = "the privacy of the channel"
		}
		if own == "" && channel.Joins.Len()+channel.Leaves.Len() > 0 {
			own = "who is subscribed"
		}
		e.explainRights(channel.Rights, own)
	}
	for _, group := range r.Groups {
		own := differing(group.Rights)
		if own == "" && (group.Members.Differs() || group.Subgroups.Differs()) {
			own = "who is in the group"
		}
		e.explainRights(group.Rights, own)
	}
	e.explainRights(r.Rights, "")
}

// causes are what rights can follow from, wherever they are.
type causes struct {
	// groups are the places in the report of groups whose members change, by their principals.
	groups map[string]int
	// elsewhere is what everybody's rights can follow from; "" if there is nothing.
	elsewhere string
}

func (r *Report) causes() *causes {
	c, first := &causes{groups: map[string]int{}}, ""
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
	c.elsewhere = cmp.Or(r.account(), differing(r.Rights), first)
	return c
}

func (c *causes) explainRights(rights []*Right, own string) {
	for _, right := range rights {
		if !right.Change.Differs() {
			right.FollowsFrom = cmp.Or(c.groupIn(right.Change.After.Texts), own, c.elsewhere)
		}
	}
}

// groupIn names a group of a value whose members change: the first of the report.
func (c *causes) groupIn(texts []string) (name string) {
	for _, text := range texts {
		if at, changes := c.groups[text]; changes && (name == "" || at < c.groups[name]) {
			name = text
		}
	}
	return name
}

// differing names the permissions whose values differ, the first two.
func differing(rights []*Right) string {
	var names []string
	for _, right := range rights {
		if right.Change.Differs() {
			names = append(names, right.Name)
		}
	}
	return strings.Join(names[:min(len(names), 2)], " and ")
}

func (g *Group) changesMembers() bool {
	return g.Action != Deactivate && (g.Members.Differs() || g.Subgroups.Differs() || g.Joins.Len()+g.Leaves.Len() > 0)
}

// account names an account whose role or existence changes, and how many others there are whose role changes.
func (r *Report) account() string {
	first, others := "", 0
	for _, person := range r.People {
		switch {
		case person.Owner != nil && first == "":
			return "the owner of " + person.Account.Address
		case !person.Role.Differs():
		case first == "":
			first = person.Account.Address
		case person.Account.Address != first:
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
