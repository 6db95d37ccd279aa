package review

import (
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// givesRoles applies the users of a zulip_role_members. A role given by another resource of the plan wins in any order. Unknown
// users are also a risk.
func (b *builder) givesRoles(c *plan.Change) {
	if !c.HasAfter() {
		return
	}
	word, known := c.After().Plain("role")
	role, ok := zulip.ParseRole(word)
	users := b.users(c, "users")
	if !known || !ok {
		b.choose(append(anyRole(slices.Concat(users.accounts, users.may)...), asIs), "The role that %s gives isn't known yet.", c.Address)
		b.risk(report.RoleChange, c.Address, "It gives a role that isn't known yet.")
		return
	}
	b.notFound(c, users.missing)
	before, _, _ := c.Before().List("users")
	if newcomers := sets.Without(users.missing, before); len(newcomers) > 0 {
		b.risk(report.RoleChange, c.Address, "These users can become %s, and this review doesn't find them: %s.", role, strings.Join(newcomers, ", "))
	}
	for _, id := range users.accounts { // deactivated users are left unchanged
		if user, ok := b.org.User(id); ok && user.IsActive {
			b.giveRole(c, user, role)
		}
	}
	if may := sets.Without(users.may, users.accounts); len(may) > 0 {
		b.choose([]outcome{giving(role, may...), asIs}, "The users whom %s makes %s aren't all known yet.", c.Address, role)
	}
	if _, unknown, _ := c.After().List("users"); unknown && !users.isKnown() {
		b.risk(report.RoleChange, c.Address, "Someone who isn't known yet can become %s.", role)
	}
}

// removeRoles removes the role from users who are no longer listed, after all lists have given roles. Destroying a list, or changing
// its role, leaves the roles, which are then unmanaged.
func (b *builder) removeRoles(c *plan.Change) {
	word, _ := c.Before().Plain("role")
	role, ok := zulip.ParseRole(word)
	if !ok { // it is created
		return
	}
	before, _, _ := c.Before().List("users")
	was, _ := b.org.findUsers(before)
	users := b.users(c, "users")
	stay := users.accounts
	isEnd := c.Does("delete")
	if isEnd && c.ReplacedBy != nil {
		later := c.ReplacedBy.After()
		if word, ok := later.Plain("role"); ok && word == role.String() {
			listed, _, _ := later.List("users")
			stay, _ = b.org.findUsers(listed)
		}
	}
	to := zulip.RoleMember
	if planned, ok := c.After().Plain("demote_to"); ok {
		to, _ = zulip.ParseRole(planned)
	}
	for _, id := range was {
		user, ok := b.org.User(id)
		switch {
		case !ok || !user.IsActive || user.Role != role:
		case slices.Contains(stay, id):
		case isEnd:
			b.leaveRole(c, user, "remove the account from users and apply")
		case slices.Contains(users.may, id):
			b.choose([]outcome{giving(role, id), giving(to, id)}, "It isn't known yet whether %s stays %s: %s lists someone who isn't known yet.", user.Address(), role, c.Address)
		default:
			b.giveRole(c, user, to)
		}
	}
}

// leaveRole reports a role that destroying a resource leaves, unless another resource manages it. first is what to do before.
func (b *builder) leaveRole(c *plan.Change, user *zulip.User, first string) {
	isManaged := slices.ContainsFunc(b.kept, func(other *plan.Change) bool {
		switch m := other.After(); other.Type {
		case "zulip_user_role":
			found, ok := b.userOfRole(m)
			return ok && found.ID == user.ID
		case "zulip_role_members":
			return slices.Contains(b.users(other, "users").accounts, user.ID)
		case "zulip_user", "zulip_bot":
			id, _ := m.Number("id")
			return id == user.ID && other.IsSet("role")
		}
		return false
	})
	if !isManaged {
		b.risk(report.RoleChange, user.Address(), "Stays %s, although no resource manages the role any more: destroying %s leaves the role. To remove it, first %s.", user.Role, c.Address, first)
	}
}
