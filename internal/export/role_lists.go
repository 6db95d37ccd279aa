package export

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
)

// roleList is a zulip_role_members of a state: exactly its users have the role.
type roleList struct {
	address, state, role string
	users                []string
}

// roleLists are those of a module and of what it calls, in a state of some name.
func (m module) roleLists(state string) (lists []*roleList) {
	for _, resource := range m.Resources {
		if resource.Type != "zulip_role_members" || resource.Mode != "managed" {
			continue
		}
		list := &roleList{address: resource.Address, state: state, role: unquote(resource.Values["role"])}
		_ = json.Unmarshal(resource.Values["users"], &list.users) // without them it is a list of nobody
		lists = append(lists, list)
	}
	for _, child := range m.Children {
		lists = append(lists, child.roleLists(state)...)
	}
	return lists
}

// leavesRoleToList leaves a role to the list of a state that decides it: one of the role that somebody has, or one that names them.
// Beside such a list the role would be refused, as a second one. It reports whether nothing is left to export.
func (e *export) leavesRoleToList(o *object) bool {
	if len(e.roleLists) == 0 || !slices.Contains([]string{"zulip_user_role", "zulip_user", "zulip_bot"}, o.kind.resource) {
		return false
	}
	address := o.text("email")
	if o.kind.resource == "zulip_user_role" {
		address = o.text("user")
	}
	i := slices.IndexFunc(e.roleLists, func(list *roleList) bool {
		return list.role == o.text("role") || slices.ContainsFunc(list.users, func(user string) bool {
			plain, err := permission.PlainUser(user)
			return err == nil && (plain == o.id || strings.EqualFold(plain, address))
		})
	})
	if i < 0 {
		return false
	}
	if e.listed == nil {
		e.listed = map[*roleList][]string{}
	}
	list := e.roleLists[i]
	e.listed[list] = append(e.listed[list], address)
	delete(o.config, "role")
	return o.kind.resource == "zulip_user_role"
}

// noteRoleLists says whose roles are left to lists.
func (e *export) noteRoleLists() {
	for _, list := range e.roleLists {
		addresses := e.listed[list]
		if len(addresses) == 0 {
			continue
		}
		whose := counted(len(addresses), "account")
		if e.PeopleAs != PeopleAsVariable {
			whose = someNames(addresses)
		}
		e.note("The roles of %s: %s of %s decides who is %s. A plan of it shows who has the role and is not in it.", whose, inCode(list.address), inCode(list.state), list.role)
	}
}
