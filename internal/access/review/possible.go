package review

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// objects are objects of the organization after the plan, by ID.
type objects struct{ accounts, groups, channels, folders []int64 }

// objects returns the objects that the configuration of an attribute references. isComplete is false if the value can come
// from anything else.
func (b *builder) objects(c *plan.Change, attribute string) (found objects, isComplete bool) {
	references, isComplete := c.References(attribute)
	for _, one := range references {
		id, isKnown := b.ids[one.Address]
		switch {
		case !isKnown:
			isComplete = false
		case one.Type == "zulip_user" || one.Type == "zulip_bot":
			found.accounts = append(found.accounts, id)
		case one.Type == "zulip_user_group":
			found.groups = append(found.groups, id)
		case one.Type == "zulip_channel":
			found.channels = append(found.channels, id)
		case one.Type == "zulip_channel_folder":
			found.folders = append(found.folders, id)
		default:
			isComplete = false
		}
	}
	return found, isComplete && len(references) > 0
}

// list is a list of users and groups in a plan.
type list struct {
	accounts, groups []int64
	// may are the accounts that may be in it besides. missing are the texts that name no one whom the review sees.
	may     []int64
	missing []string
}

// isKnown reports whether the list has certainly no one else.
func (l list) isKnown() bool { return len(l.may)+len(l.missing) == 0 }

// users returns the users of an attribute.
func (b *builder) users(c *plan.Change, attribute string) list {
	texts, isUnknown, _ := c.After().List(attribute)
	ids, missing := b.listedUsers(texts)
	l := list{accounts: ids, missing: missing}
	if len(missing) > 0 {
		l.may = b.unseen()
	}
	if len(missing) > 0 && c.After().IsSecret(attribute) {
		l.missing = []string{plan.Masked}
	}
	if isUnknown && c.IsSet(attribute) {
		b.addUnknown(&l, c, attribute)
	}
	return l
}

// addUnknown adds the objects that the unknown elements of a list stand for. They are the referenced objects, if there are
// enough elements for all of them. Otherwise some of these may be in the list.
func (b *builder) addUnknown(l *list, c *plan.Change, attribute string) {
	found, isComplete := b.objects(c, attribute)
	accounts, groups := sets.Without(found.accounts, l.accounts), sets.Without(found.groups, l.groups)
	count, isCounted := c.After().UnknownElements(attribute)
	switch {
	case !isComplete || !isCounted || len(found.channels)+len(found.folders) > 0:
		l.may = b.everybody()
	case count >= len(accounts)+len(groups):
		l.accounts, l.groups = slices.Concat(l.accounts, accounts), slices.Concat(l.groups, groups)
	case len(groups) > 0:
		l.may = b.everybody()
	default:
		l.may = append(l.may, accounts...)
	}
}

// everybody lists the accounts that may be active after the plan.
func (b *builder) everybody() []int64 {
	active := lists.Where(b.org.Users(), func(user *zulip.User) bool { return user.IsActive })
	ids := lists.Map(active, func(user *zulip.User) int64 { return user.ID })
	return append(ids, lists.Map(b.joining(), func(account *access.Account) int64 { return account.ID })...)
}

// unseen lists the accounts that an email that the review doesn't find can be of.
func (b *builder) unseen() []int64 {
	return slices.DeleteFunc(b.everybody(), func(id int64) bool {
		account := b.org.accounts[id]
		if account != nil && account.EmailUnknown {
			return false
		}
		user, _ := b.org.User(id)
		return id < 0 || user.IsBot || !user.HidesEmail()
	})
}

// outcome is one of the ways in which something unknown comes out: it changes the organization after the plan.
type outcome func(*access.Organization, *permission.Change)

// choice is an unknown fact with several outcomes.
type choice struct {
	text    string
	options []outcome
}

// choose notes a choice. The rules are checked with each option.
func (b *builder) choose(options []outcome, format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	b.unknown(access.OneThing, "%s", text)
	if len(options) > 0 {
		b.choices = append(b.choices, choice{text, options})
	}
}

// anyRole are the options for the role of some accounts, the role with the most access first.
func anyRole(ids ...int64) []outcome {
	roles := []zulip.Role{zulip.RoleOwner, zulip.RoleAdministrator, zulip.RoleModerator, zulip.RoleMember, zulip.RoleGuest}
	return lists.Map(roles, func(role zulip.Role) outcome { return giving(role, ids...) })
}

// asIs is the outcome that nothing changes.
func asIs(*access.Organization, *permission.Change) {}

// giving is the option that accounts get a role.
func giving(role zulip.Role, ids ...int64) outcome {
	return func(_ *access.Organization, change *permission.Change) {
		for _, id := range ids {
			change.Roles[id] = role
		}
	}
}

// maxWorlds is the maximum number of combinations of options. With more, the first options come together, then the second
// ones, and so on.
const maxWorlds = 64

// world is one outcome of what the plan doesn't know.
type world struct {
	org *access.Organization
	// why are the choices in which it differs from the first world.
	why []string
}

// worlds returns the organizations that the plan may result in. Together they have all outcomes that matter to a rule: it
// is about the access of each account alone, or about the number of accounts, which the strongest or the weakest options
// make the largest.
func (b *builder) worlds() (all []world) {
	var why []string
	count, longest := 1, 1
	for _, one := range b.choices {
		why = append(why, one.text)
		count, longest = min(count*len(one.options), maxWorlds+1), max(longest, len(one.options))
	}
	all = []world{{b.world(func(int) int { return 0 }), nil}}
	for i, one := range b.choices {
		for option := 1; option < len(one.options); option++ {
			all = append(all, world{b.world(func(of int) int {
				if of == i {
					return option
				}
				return 0
			}), []string{one.text}})
		}
	}
	if len(b.choices) <= 1 { // the loop took all its options
		return all
	}
	if count > maxWorlds {
		for option := range longest {
			all = append(all, world{b.world(func(of int) int { return min(option, len(b.choices[of].options)-1) }), why})
		}
		return all
	}
	for n := range count {
		all = append(all, world{b.world(func(of int) int {
			rest := n
			for _, before := range b.choices[:of] {
				rest /= len(before.options)
			}
			return rest % len(b.choices[of].options)
		}), why})
	}
	return all
}

// world is the organization after the plan with an option of each choice.
func (b *builder) world(option func(choice int) int) *access.Organization {
	after, change := *b.is, b.change
	change.Roles, change.Owners, change.Groups = maps.Clone(change.Roles), maps.Clone(change.Owners), maps.Clone(change.Groups)
	after.Channels = slices.Clone(after.Channels)
	change.Deactivated, change.Reactivated = slices.Clone(change.Deactivated), slices.Clone(change.Reactivated)
	for i, one := range b.choices {
		one.options[option(i)](&after, &change)
	}
	for _, may := range b.may {
		may(&after, &change)
	}
	after.People = b.was.People.With(change)
	return &after
}

// maySubscribe notes people who may be subscribed to some channels. Without isAdded, they are the only subscribers.
func (b *builder) maySubscribe(ids, channels []int64, isAdded bool) {
	b.may = append(b.may, func(after *access.Organization, _ *permission.Change) {
		for i, channel := range after.Channels {
			if channels != nil && !slices.Contains(channels, channel.ID) {
				continue
			}
			later := *channel
			if later.Facts.MaySubscribe = slices.Concat(later.Facts.MaySubscribe, ids); !isAdded && later.ID > 0 {
				later.Facts.MaySubscribe = slices.Concat(later.Facts.MaySubscribe, sets.Without(later.Facts.Subscribers, ids))
				later.Facts.Subscribers = sets.Common(later.Facts.Subscribers, ids)
			}
			after.Channels[i] = &later
		}
	})
}

// mayJoin is the outcome that people may be members of some groups; nil are all groups.
func mayJoin(ids, groups []int64) outcome {
	return func(after *access.Organization, change *permission.Change) {
		for _, group := range after.Groups {
			if groups != nil && !slices.Contains(groups, group.ID) || group.IsSystemGroup {
				continue
			}
			membership, isChanged := change.Groups[group.ID]
			if !isChanged {
				membership = permission.Membership{Members: group.Members, Subgroups: group.DirectSubgroupIDs}
			}
			membership.Unknown, membership.Among = true, slices.Concat([]int64{}, membership.Among, ids)
			change.Groups[group.ID] = membership
		}
	}
}

// notFound reports the users of a list that the organization doesn't have.
func (b *builder) notFound(c *plan.Change, texts []string) {
	if len(texts) > 0 {
		b.unknown(access.OneThing, "The organization doesn't have these users of %s, or doesn't show their emails to the reviewing account: %s.", c.Address, strings.Join(texts, ", "))
	}
}

// partlyKnown is a value of a permission with further people who are not known. They are in a group that no organization
// has.
func (b *builder) partlyKnown(value zulip.GroupSettingValue, may []int64) zulip.GroupSettingValue {
	id := b.org.nextID()
	b.strangers = append(b.strangers, &zulip.UserGroup{ID: id})
	b.change.Groups[id] = permission.Membership{Unknown: true, Among: append([]int64{}, may...)}
	if value.IsNamed() {
		value = zulip.GroupSettingValue{DirectSubgroups: []int64{value.Group}}
	}
	value.DirectSubgroups = append(slices.Clone(value.DirectSubgroups), id)
	return value
}

// named returns the planned name of a change as it can be shown, and the name itself if the plan marks it as sensitive. An
// unknown name is the resource address.
func (b *builder) named(c *plan.Change) (name, secret string) {
	plain, isKnown := c.After().Plain("name")
	if !isKnown {
		return c.Address, ""
	}
	if name, _ = c.After().Text("name"); name != plain {
		secret = plain
	}
	return name, secret
}

// channelsText names channels of which one is meant.
func (b *builder) channelsText(ids []int64) string {
	return report.List(lists.Map(ids, func(id int64) string { return fmt.Sprintf("%q", b.org.channels[id].Name) }))
}
