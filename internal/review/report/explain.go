package report

import (
	"slices"
	"strings"
)

// explain says of each right whose value stays what it is that changes who can.
func (r *Report) explain() {
	for _, channel := range r.Channels {
		own := differing(channel.Rights)
		if channel.Privacy.Differs() {
			own = "the privacy of the channel"
		}
		if own == "" && channel.Joins.Len()+channel.Leaves.Len() > 0 {
			own = "who is subscribed"
		}
		r.explainRights(channel.Rights, own)
	}
	for _, group := range r.Groups {
		own := differing(group.Rights)
		if own == "" && (group.Members.Differs() || group.Subgroups.Differs()) {
			own = "who is in the group"
		}
		r.explainRights(group.Rights, own)
	}
	r.explainRights(r.Rights, "")
}

func (r *Report) explainRights(rights []*Right, own string) {
	for _, right := range rights {
		if right.Change.Differs() {
			continue
		}
		for _, cause := range []string{r.groupIn(right.Change.After.Texts), own, r.account(), differing(r.Rights), r.group()} {
			if cause != "" {
				right.FollowsFrom = cause
				break
			}
		}
	}
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

// groupIn names a group of a value whose members change.
func (r *Report) groupIn(texts []string) string {
	for _, group := range r.Groups {
		if name := "group:" + group.Name; group.changesMembers() && slices.Contains(texts, name) {
			return name
		}
	}
	return ""
}

// group names a group whose members change.
func (r *Report) group() string {
	for _, group := range r.Groups {
		if group.changesMembers() {
			return "group:" + group.Name
		}
	}
	return ""
}

// account names an account whose role or existence changes.
func (r *Report) account() string {
	for _, person := range r.People {
		switch {
		case person.Owner != nil:
			return "the owner of " + person.Account.Address
		case person.Role.Differs():
			return "the role of " + person.Account.Address
		}
	}
	return ""
}
