package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// findStops finds changes that the provider or the server will certainly refuse in the current organization.
func (b *builder) findStops() {
	for _, change := range b.changes {
		if change.Does("forget") || change.ReplacedBy != nil {
			continue
		}
		if change.Does("create") {
			b.stopsByName(change)
		}
		b.stopsByRole(change)
	}
	b.stopsByOwner()
	b.stopsByCircle()
}

// taking is how the resources of a type take a name or address.
type taking struct {
	// called is the kind of object in words, and attribute decides its name or address.
	called, attribute string
	// ended is the state of an object that no longer exists, as in archived, and adopt the attribute that adopts one.
	ended, adopt string
}

var takings = map[string]taking{
	"zulip_channel":    {"channel", "name", "archived", "adopt_archived"},
	"zulip_user_group": {"user group", "name", "deactivated", "adopt_deactivated"},
	"zulip_user":       {"account", "email", "deactivated", "adopt_deactivated"},
	"zulip_bot":        {"account", "short_name", "deactivated", "adopt_deactivated"},
}

// stopsByName finds objects that the plan creates with a name or email that already exists.
func (b *builder) stopsByName(c *plan.Change) {
	name, known := c.After().Plain("name")
	shown, _ := c.After().Text("name")
	called := fmt.Sprintf("name %q", shown)
	switch c.Type {
	case "zulip_channel":
		if current, taken := b.org.Channels().ByName(name); known && taken {
			b.stopByHolder(c, current.ID, called, current.IsArchived, b.frees(c.Type, current.ID))
		}
	case "zulip_user_group":
		if current, taken := b.org.UserGroups().ByName(name); known && taken {
			b.stopByHolder(c, current.ID, called, current.Deactivated, b.frees(c.Type, current.ID))
		}
	case "zulip_user", "zulip_bot":
		address, known := b.address(c)
		current, taken := b.org.Snapshot.UserByAddress(address)
		if c.After().IsSecret(takings[c.Type].attribute) {
			address = plan.Masked
		}
		switch {
		case !known || taken && !current.IsActive && isInactive(c.After()):
		case !taken && isInactive(c.After()):
			b.risk(report.Stops, c.Address, "No account has the email %s, and active = false creates none. Remove active, or the resource.", address)
		case taken:
			b.stopByHolder(c, current.ID, "email "+address, !current.IsActive, false)
		}
	}
}

// stopByHolder finds that another object has the name or address with which a change creates an object. holds is the name or
// address in words. isFreed is true if the plan frees it.
func (b *builder) stopByHolder(c *plan.Change, id int64, holds string, hasEnded, isFreed bool) {
	take := takings[c.Type]
	switch {
	case b.isReplaced(c, id) && c.IsMadeFirst:
		b.risk(report.Stops, c.Address, "The %s %d has the %s until it is destroyed. Remove create_before_destroy.", take.called, id, holds)
	case b.isReplaced(c, id):
	case hasEnded && !c.After().IsTrue(take.adopt):
		b.risk(report.Stops, c.Address, "The %s %s %d has the %s. Set %s = true to adopt it, or choose another %s.", take.ended, take.called, id, holds, take.adopt, take.attribute)
	case !hasEnded && !isFreed:
		b.risk(report.Stops, c.Address, "The %s %d already has the %s. Import it, or choose another %s.", take.called, id, holds, take.attribute)
	}
}

// isBack reports whether a change creates a resource again under the name of its destroyed object: see isReplaced.
func isBack(c *plan.Change) bool {
	take, takes := takings[c.Type]
	if !takes || c.Replaces == nil || !c.Replaces.Does("delete") {
		return false
	}
	was, _ := c.Replaces.Before().Plain(take.attribute)
	is, ok := c.After().Plain(take.attribute)
	return ok && strings.EqualFold(was, is)
}

// isReplaced reports whether a change creates a resource whose prior object has an ID and is destroyed. An object keeps its name when
// it is archived or deactivated: if the resource still has that name, the provider reactivates the object.
func (b *builder) isReplaced(c *plan.Change, id int64) bool {
	if c.Replaces == nil || !c.Replaces.Does("delete") {
		return false
	}
	was, ok := c.Replaces.Before().Number("id")
	return ok && was == id
}

// frees reports whether another change of the plan renames or destroys the object that has the name.
func (b *builder) frees(kind string, id int64) bool {
	return slices.ContainsFunc(b.of(kind), func(c *plan.Change) bool {
		is, ok := c.Before().Number("id")
		before, _ := c.Before().Plain("name")
		after, _ := c.After().Plain("name")
		return ok && is == id && (c.Does("delete") || before != after)
	})
}

// stopsByRole finds changes that the account that reviews may not make. The same account is assumed to apply.
func (b *builder) stopsByRole(c *plan.Change) {
	of, known := meaning.Of(c.Type)
	if !known {
		return
	}
	self := b.options.Store.Self()
	lacks := func(needs string) bool {
		role, ok := zulip.ParseRole(needs)
		return ok && self.Role > role
	}
	if lacks(of.Needs) {
		b.risk(report.Stops, c.Address, "%s requires the role %s, and %s has the role %s.", c.Type, of.Needs, self.Address(), self.Role)
		return
	}
	var refused []string
	for _, name := range c.After().Names() {
		if row, known := of.Attribute(name); !known || !lacks(row.Needs) {
			continue
		}
		before, after := c.Before().Value(name), c.After().Value(name)
		isSent := !after.IsUnknown && !after.IsNone() && (c.Does("create") || !meaning.Same(before, after))
		if isSent && !b.holds(of, name, after) {
			refused = append(refused, name)
		}
	}
	if len(refused) > 0 {
		b.risk(report.Stops, c.Address, "%s can't be set by %s, who has the role %s.", strings.Join(refused, " and "), self.Address(), self.Role)
	}
}

// holds reports whether the organization already has a value, so that it is not sent.
func (b *builder) holds(of *meaning.Type, name string, value meaning.Value) bool {
	if of.Name != "zulip_organization" || b.org.Realm() == nil {
		return false
	}
	if held, isPermission := b.org.Realm().Permissions[name]; isPermission {
		planned, changes := b.is.Planned[name]
		return !changes || permission.Equal(planned.Value, held, permission.NobodyID(b.org))
	}
	return meaning.Same(b.org.settings().Value(name), value)
}

// stopsByOwner reports if no owner would be left, and finds bots whose owner is deactivated.
func (b *builder) stopsByOwner() {
	hasOwner := func(access *permission.Access) bool {
		return !access.Everybody().WithRoles(zulip.RoleOwner).Humans().IsEmpty()
	}
	if hasOwner(b.was.People) && !hasOwner(b.is.People) {
		b.risk(report.Stops, "the organization", "It would have no owner.")
	}
	for _, c := range b.of("zulip_bot") {
		owner, named := b.namedOwner(c)
		if !named || !c.HasAfter() || !c.IsSet("owner") {
			continue
		}
		id, _ := c.Before().Number("id")
		if bot, ok := b.org.Snapshot.User(id); ok && bot.BotOwnerID != nil && *bot.BotOwnerID == owner.ID {
			continue // nothing is sent
		}
		if !owner.IsActive {
			b.risk(report.Stops, c.Address, "The bot's new owner, %s, is deactivated.", owner.Address())
		}
	}
}

// stopsByCircle finds user groups that would contain themselves.
func (b *builder) stopsByCircle() {
	for i, group := range b.is.Groups {
		if i < len(b.was.Groups) && slices.Equal(group.DirectSubgroupIDs, b.was.Groups[i].DirectSubgroupIDs) {
			continue
		}
		seen := map[int64]bool{}
		for queue := slices.Clone(group.DirectSubgroupIDs); len(queue) > 0; queue = queue[1:] {
			if queue[0] == group.ID {
				b.risk(report.Stops, fmt.Sprintf("user group %q", group.Name), "It would contain itself.")
				break
			}
			if below := b.org.groups[queue[0]]; below != nil && !seen[queue[0]] {
				seen[queue[0]] = true
				queue = append(queue, below.DirectSubgroupIDs...)
			}
		}
	}
}
