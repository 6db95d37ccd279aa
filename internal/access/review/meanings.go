package review

import (
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
)

// sayMeanings reports the meaning of every change according to the table. Changes without a meaning are listed, so that the review
// mentions the whole plan.
func (b *builder) sayMeanings() {
	named := b.namedAddresses()
	for _, change := range b.changes {
		of, known := meaning.Of(change.Type)
		if !known {
			b.unknown(access.Anywhere, "This version doesn't know %s: it has no resource %s.", change.Address, change.Type)
			continue
		}
		also := &report.Also{Resource: change.Address, Action: actionOf(change, report.EndOf(change.Type)), Attributes: []report.AlsoAttribute{}}
		switch {
		case of.NamedBy == "" && change.Does("create"):
			also.Action = report.Update // a risk reports it already
		case isInactive(change.After()) && change.Does("create"):
			also.Action = report.Update // the plan adopts an existing account
		case isInactive(change.After()) && !isInactive(change.Before()):
			also.Action = report.EndOf(change.Type)
		case isKept(change.Before()) && change.Does("delete"):
			also.Action = report.Release
		}
		isSaid := false
		if change.Does("forget") {
			b.report.SayStays(b.meaningOf(change, of).Stays())
		} else if also.Action != report.Release {
			isSaid = b.report.Say(b.meaningOf(change, of).Says(), also)
		}
		if change.ReplacedBy != nil { // the line of the new object says so
			named[change.Address] = named[change.Address] || isSaid
			continue
		}
		if len(also.Attributes) > 0 || !named[change.Address] && !isSaid {
			b.report.Also = append(b.report.Also, also)
		}
	}
	b.sayLastDomain()
	b.sayRekeyed()
	slices.SortStableFunc(b.report.Also, func(x, y *report.Also) int { return strings.Compare(x.Resource, y.Resource) })
}

// sayLastDomain says that an organization without domains no longer restricts email addresses, because the server removes
// the restriction (server-behavior §L11).
func (b *builder) sayLastDomain() {
	if b.org == nil || b.org.Realm() == nil || b.org.settings().Value("emails_restricted_to_domains").Data != true {
		return
	}
	left := map[string]bool{}
	for _, domain := range b.org.Domains().List() {
		left[domain.Domain] = true
	}
	removed := false
	for _, change := range b.of("zulip_domain") {
		if name, ok := change.Before().Plain("domain"); ok && change.Does("delete") {
			removed = removed || left[name]
			delete(left, name)
		}
		if name, ok := change.After().Plain("domain"); ok {
			left[name] = true
		}
	}
	if removed && len(left) == 0 {
		of, _ := meaning.Of("zulip_organization")
		row, _ := of.Attribute("emails_restricted_to_domains")
		b.risk(report.Joining, "the organization", "%s", row.Sentence)
	}
}

// sayRekeyed reports the loss of messages if another key of for_each or count destroys and recreates a channel.
func (b *builder) sayRekeyed() {
	ended, made := map[string][]*plan.Change{}, map[string][]*plan.Change{}
	for _, change := range b.of("zulip_channel") {
		resource := plan.WithoutKeys(change.Address)
		switch {
		case resource == change.Address || change.Does("forget"):
		case change.Does("delete") && change.ReplacedBy == nil && !isKept(change.Before()):
			ended[resource] = append(ended[resource], change)
		case change.Does("create") && change.Replaces == nil:
			made[resource] = append(made[resource], change)
		}
	}
	for _, resource := range slices.Sorted(maps.Keys(ended)) {
		if len(made[resource]) == 0 {
			continue
		}
		from, to := "OLD_ADDRESS", "NEW_ADDRESS"
		if len(ended[resource]) == 1 && len(made[resource]) == 1 {
			from, to = ended[resource][0].Address, made[resource][0].Address
		}
		b.risk(report.DataLoss, resource, "Keys change: channels with an old key are archived with their messages, and channels with a new key start empty. To rename a channel, add a moved block from %s to %s.", from, to)
	}
}

// meaningOf returns a change in the plan, for its meaning.
func (b *builder) meaningOf(c *plan.Change, of *meaning.Type) *meaning.Change {
	change := &meaning.Change{
		Of: of, Address: c.Address, Before: c.Before(), After: c.After(),
		IsMade: c.Does("create") || c.Does(plan.Invoke), IsEnded: c.Does("delete") && !isKept(c.Before()), IsSet: c.IsSet, IsInactive: b.isInactiveAfter(c),
		IsComputed: func(name string, row *meaning.Row) bool {
			return b.org != nil && isComputed(of, name, row) && (of.Name != "zulip_organization" || c.Does("create") || b.hasPermission(name))
		},
	}
	if c.Does("update") || isBack(c) {
		change.Before, change.IsMade = b.withUnmanaged(c), false
	}
	if b.org != nil {
		change.Names, change.Retention = b.org.name, b.retention
	}
	change.ListsAll = b.org == nil
	if of.NamedBy == "" && c.Does("create") { // the organization already has it
		change.IsMade = false
		change.Before = valued{c.After(), func(string) meaning.Value { return meaning.Value{IsUnknown: true} }}
		if b.org != nil && of.Name == "zulip_organization" && b.org.Realm() != nil {
			change.Before = valued{c.After(), func(name string) meaning.Value {
				if planned := c.After().Value(name); planned.IsNone() {
					return planned // an attribute that the plan leaves out does not change
				}
				return b.org.settings().Value(name)
			}}
		}
	}
	return change
}

// isInactiveAfter reports whether the plan deactivates the account of a change, or leaves it deactivated.
func (b *builder) isInactiveAfter(c *plan.Change) bool {
	if isInactive(c.After()) || b.org == nil || c.Type != "zulip_user" {
		return isInactive(c.After())
	}
	user, found := b.currentUser(c.Before(), "id")
	return found && !user.IsActive
}

// retention is how long the organization keeps messages, before and after the plan.
func (b *builder) retention() (before, after meaning.Value) {
	const attribute = "message_retention_days"
	before = b.org.settings().Value(attribute)
	after = before
	for _, change := range b.of("zulip_organization") {
		if value := change.After().Value(attribute); !value.IsNone() && (!value.IsUnknown || change.IsSet(attribute)) {
			after = value
		}
	}
	return before, after
}

// valued are attributes with other values than in the plan.
type valued struct {
	plan.Attributes
	value func(name string) meaning.Value
}

// Value returns the other value.
func (v valued) Value(name string) meaning.Value { return v.value(name) }

// hasPermission reports whether the report has a line about a permission of the organization. It has none if the permission
// already has the planned value.
func (b *builder) hasPermission(name string) bool {
	return slices.ContainsFunc(b.report.Permissions, func(permission *report.PermissionChange) bool { return permission.Name == name })
}

// namedAddresses are the resources listed with a channel, a group or an account of the report.
func (b *builder) namedAddresses() map[string]bool {
	channels := lists.Map(b.report.Channels, func(channel *report.Channel) []string { return channel.Resources })
	groups := lists.Map(b.report.Groups, func(group *report.Group) []string { return group.Resources })
	people := lists.Map(b.report.People, func(person *report.Person) []string { return person.Resources })
	named := map[string]bool{}
	for _, address := range slices.Concat(slices.Concat(channels, groups, people)...) {
		named[address] = true
	}
	return named
}

// isComputed reports whether the lists of the report have the effects of an attribute.
func isComputed(of *meaning.Type, name string, row *meaning.Row) bool {
	switch row.Class {
	case meaning.Permission:
		isSetting := func(setting permission.Spec) bool { return setting.Name == name }
		return slices.Contains([]string{"privacy", report.WaitingPeriod, report.SpectatorAccess, "adopt_archived"}, name) || slices.ContainsFunc(permission.ChannelSettings, isSetting) ||
			slices.ContainsFunc(permission.UserGroupSettings, isSetting) || slices.ContainsFunc(permission.RealmSettings, isSetting)
	case meaning.Membership:
		return slices.Contains([]string{"members", "subgroups", "users", "initial_subscribers", "added_user_ids", "user_ids", "member_ids", "subgroup_ids", "adopt_deactivated"}, name)
	case meaning.Role:
		return name == "role" || name == "active" || name == "adopt_deactivated" || of.Name == "zulip_user_role" && name != "on_destroy" || of.Name == "zulip_role_members" && (name == "users" || name == "user_ids")
	case meaning.Credential:
		return name == "owner" || name == "owner_id"
	case meaning.Identity:
		return name == "name" && (of.Name == "zulip_channel" || of.Name == "zulip_user_group")
	}
	return false
}

// actionOf returns the action of a change. ended is the action for a destroyed object.
func actionOf(c *plan.Change, ended report.Action) report.Action {
	switch {
	case c.Replaces != nil:
		return report.Replace
	case c.Does("create"):
		return report.Create
	case c.Does("delete"):
		return ended
	case c.Does("forget"):
		return report.Release
	case c.Does(plan.Invoke):
		return report.Invoke
	}
	return report.Update
}
