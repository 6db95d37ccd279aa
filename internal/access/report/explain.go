package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// explain sets the cause of each effect whose permission has the same value. It sets none if the report doesn't have the cause.
func (r *Report) explain() {
	c := r.causes()
	for _, channel := range r.Channels {
		c.explainPermissions(channel.Permissions, c.objectOf(channel))
	}
	for _, group := range r.Groups {
		own := object{}
		if group.Action == Reactivate {
			own.whole = "the reactivation of the group"
		}
		c.explainPermissions(group.Permissions, own)
	}
	c.explainPermissions(r.Permissions, object{})
}

// ids are the IDs of accounts.
type ids map[int64]bool

// cause is a change that alone gives or takes access, or that is one of the changes that do so together.
type cause struct {
	text string
	// gains and loses are the accounts that gain and lose by it.
	gains, loses ids
	// opens is true if everyone gains by it, closes if everyone loses, and isUnknown if it isn't known yet who does.
	opens, closes, isUnknown bool
	// isOfContent is true if it gives or takes access to the messages of a channel, which other permissions require.
	isOfContent bool
}

// effect is the effect of a permission on an account.
type effect struct {
	account *Account
	// owner is the ID of a bot's owner, from whom the bot has the access too; 0 without one, or if the owner changes.
	owner int64
	// isOfMoved is true for a bot whose owner changes, if the bot has the access from its owner.
	isOfMoved, isGain bool
}

// effectsOf returns the effects of a permission. Bots can post and start topics where their owners can.
func (c *causes) effectsOf(one *PermissionChange) (all []effect) {
	isFromOwner := one.Name == string(permission.CanSendMessage) || one.Name == string(permission.CanCreateTopic)
	add := func(account *Account, isGain bool) {
		found := effect{account: account, isGain: isGain, isOfMoved: isFromOwner && c.moved[account.ID]}
		if isFromOwner && !found.isOfMoved {
			found.owner = account.OwnerID
		}
		all = append(all, found)
	}
	for account := range one.Gain.All() {
		add(account, true)
	}
	for account := range one.Lose.All() {
		add(account, false)
	}
	return all
}

// explains reports whether the cause has the effect on the account or on its owner.
func (c *cause) explains(one effect) bool {
	if one.isGain {
		return c.opens || c.gains[one.account.ID] || c.gains[one.owner]
	}
	return c.closes || c.loses[one.account.ID] || c.loses[one.owner]
}

// object has the causes within one object. All but whole are for channels only.
type object struct {
	// whole is the cause of all effects for an object that is archived or reactivated; "" for others.
	whole string
	// permissions are the changed permissions, which can grant others.
	permissions            map[permission.ChannelPermission]*PermissionChange
	privacy, subscriptions *cause
	// content are the accounts that gain and lose access to messages.
	content *cause
}

// openness is the order of privacies: each lets more people in.
var openness = []string{
	PrivacyText(zulip.PrivacyPrivateProtectedHistory), PrivacyText(zulip.PrivacyPrivateSharedHistory), PrivacyText(zulip.PrivacyPublic), PrivacyText(zulip.PrivacyWebPublic),
}

// roles is the order of roles: each gives less access.
var roles = []string{"owner", "administrator", "moderator", "member", "guest"}

// compared compares the values of a change by their places in an order: -1 if the later one is first, 0 if the values aren't
// known.
func (c Change) compared(order []string) int {
	before, after := slices.Index(order, c.Before.String()), slices.Index(order, c.After.String())
	if before < 0 || after < 0 {
		return 0
	}
	return cmp.Compare(after, before)
}

func (c *causes) objectOf(channel *Channel) object {
	own := object{permissions: map[permission.ChannelPermission]*PermissionChange{}, content: &cause{}}
	for _, one := range channel.Permissions {
		own.permissions[permission.ChannelPermission(one.Name)] = one
	}
	if reads := own.permissions[permission.CanRead]; reads != nil {
		own.content.gains, own.content.loses = c.idsOf(reads.Gain), c.idsOf(reads.Lose)
	}
	if channel.Privacy.Differs() {
		change := channel.Privacy.compared(openness)
		own.privacy = &cause{text: "the channel's privacy", opens: change > 0, closes: change < 0, isUnknown: channel.Privacy.After.Unknown, isOfContent: true}
	}
	if channel.Joins.Len()+channel.Leaves.Len() > 0 {
		own.subscriptions = &cause{text: "changed subscriptions", gains: c.idsOf(channel.Joins), loses: c.idsOf(channel.Leaves), isOfContent: true}
	}
	if channel.Action == Reactivate {
		own.whole = "the reactivation of the channel"
	}
	if channel.Action == Archive {
		own.whole = "the archiving of the channel"
	}
	return own
}

// causes are the causes that can affect every object.
type causes struct {
	report *Report
	// changed are the groups of the report by the names that permissions have: those before, and those after the plan unless
	// another group had the name. groups caches the causes by these names.
	changed map[string]*Group
	groups  map[string][]*cause
	// organization are the organization's permissions and settings that change, by name.
	organization map[string]*cause
	// people are the places in the report of the accounts that change, by ID.
	people map[int64]int
	// promoted are the accounts that get a higher role, demoted those that get a lower one, and moved the bots that get
	// another owner.
	promoted, demoted, moved ids
	sets                     map[*People]ids // a cache
}

func (r *Report) causes() *causes {
	c := &causes{
		report: r, changed: map[string]*Group{}, groups: map[string][]*cause{}, organization: map[string]*cause{},
		people: map[int64]int{}, promoted: ids{}, demoted: ids{}, moved: ids{}, sets: map[*People]ids{},
	}
	for i, person := range r.People {
		id, change := person.Account.ID, person.Role.compared(roles)
		c.people[id], c.promoted[id], c.demoted[id], c.moved[id] = i, change < 0, change > 0, person.Owner != nil
	}
	for _, one := range r.Permissions {
		c.organization[one.Name] = c.causeOf("the organization's "+one.Name, one)
	}
	addGroup := func(name string, group *Group) {
		if name != "" && c.changed[name] == nil && group.Action != Deactivate {
			c.changed[name] = group
		}
	}
	for _, group := range r.Groups {
		if group.ID != 0 {
			addGroup(cmp.Or(group.OldName, group.Name), group)
		}
	}
	for _, group := range r.Groups {
		addGroup(group.Name, group)
	}
	return c
}

// causeOf is the change of another permission as a cause.
func (c *causes) causeOf(text string, one *PermissionChange) *cause {
	return &cause{text: text, gains: c.idsOf(one.Gain), loses: c.idsOf(one.Lose), isUnknown: one.Unknown}
}

func (c *causes) idsOf(people *People) ids {
	if c.sets[people] == nil {
		c.sets[people] = ids{}
		for account := range people.All() {
			c.sets[people][account.ID] = true
		}
	}
	return c.sets[people]
}

func (c *causes) explainPermissions(permissions []*PermissionChange, own object) {
	for _, one := range permissions {
		switch {
		case one.Change.Differs():
		case own.whole != "":
			one.FollowsFrom = own.whole
		default:
			one.FollowsFrom = c.of(one, own)
		}
	}
}

// maxCauses is the maximum number of causes of one effect that are named.
const maxCauses = 2

// of returns the closest cause that explains everyone who gains or loses access. If none does, it returns causes that do so
// together; "" without these.
func (c *causes) of(one *PermissionChange, own object) string {
	left := c.effectsOf(one)
	possible := c.possible(one, own, left)
	var texts []string
	switch {
	case one.Internet != "":
		opening := c.ofInternet(one, own)
		if opening == "" {
			return ""
		}
		texts = append(texts, opening)
	case len(left) == 0:
		return c.ofUnlisted(one, possible)
	}
	closest := slices.IndexFunc(possible, func(by *cause) bool {
		return !slices.ContainsFunc(left, func(one effect) bool { return !by.explains(one) })
	})
	if closest >= 0 {
		possible = possible[closest : closest+1]
	}
	for _, by := range possible {
		rest := slices.DeleteFunc(slices.Clone(left), by.explains)
		if isNew := len(rest) < len(left) && !slices.Contains(texts, by.text); isNew {
			texts = append(texts, by.text)
		}
		left = rest
	}
	switch {
	case len(left) > 0:
		return ""
	case len(texts) > maxCauses:
		return strings.Join(texts[:maxCauses], ", ") + " and " + Counted(len(texts)-maxCauses, "other change")
	}
	return strings.Join(texts, " and ")
}

// ofInternet returns why people without an account gain or lose access.
func (c *causes) ofInternet(one *PermissionChange, own object) string {
	isGain, spectators := one.Internet == InternetGains, c.organization[SpectatorAccess]
	switch {
	case own.privacy != nil && (isGain && own.privacy.opens || !isGain && own.privacy.closes):
		return own.privacy.text
	case spectators != nil:
		return spectators.text
	}
	return ""
}

// ofUnlisted returns the cause of an effect on people whom the permission doesn't list, because they aren't known yet or
// because the plan deactivates them.
func (c *causes) ofUnlisted(one *PermissionChange, possible []*cause) string {
	if at := slices.IndexFunc(possible, func(by *cause) bool { return by.isUnknown }); one.Unknown && at >= 0 {
		return possible[at].text
	}
	first := one.Deactivated.First(1)
	switch others := one.Deactivated.Len() - 1; {
	case one.Unknown || len(first) == 0:
		return ""
	case others > 0:
		return fmt.Sprintf("the deactivation of %s and %s", first[0].Email, Counted(others, "other account"))
	}
	return "the deactivation of " + first[0].Email
}

// possible returns the possible causes of some effects, the closest first.
func (c *causes) possible(one *PermissionChange, own object, effects []effect) []*cause {
	name := permission.ChannelPermission(one.Name)
	granting, groups := c.granting(name, own)
	all := append(c.groupsIn(one), own.subscriptions)
	all = append(append(all, groups...), c.owners(effects), c.roles(effects), own.privacy)
	all = append(append(all, granting...), c.inEveryChannel(name, own)...)
	all = append(all, c.organization[WaitingPeriod])
	needsContent := name != permission.CanRead && name != permission.CanReadHistory && name != permission.CanSubscribe
	var possible []*cause
	for _, by := range all {
		switch {
		case by == nil, by.isOfContent && name == permission.CanAdministerChannel:
		case by.isOfContent && needsContent:
			possible = append(possible, by.among(own.content))
		default:
			possible = append(possible, by)
		}
	}
	return possible
}

// among is the cause for the accounts that also gain or lose by another one.
func (c *cause) among(other *cause) *cause {
	both := *c
	both.gains, both.loses, both.opens, both.closes = shared(c.gains, other.gains), shared(c.loses, other.loses), false, false
	if c.opens {
		both.gains = other.gains
	}
	if c.closes {
		both.loses = other.loses
	}
	return &both
}

// shared returns the accounts in both sets.
func shared(a, b ids) ids {
	both := ids{}
	for id := range a {
		if b[id] {
			both[id] = true
		}
	}
	return both
}

// granting returns the changes of the permissions in a channel that grant another one, and of the groups in them.
func (c *causes) granting(name permission.ChannelPermission, own object) (changes, groups []*cause) {
	for _, granting := range name.GrantedBy() {
		isOfContent := granting == permission.CanSubscribe || granting == permission.CanAddSubscribers
		switch other := own.permissions[granting]; {
		case other == nil:
		case other.Change.Differs():
			by := c.causeOf(other.Name, other)
			by.isOfContent = isOfContent
			changes = append(changes, by)
		default:
			for _, by := range c.groupsIn(other) {
				granted := *by
				granted.isOfContent = isOfContent
				groups = append(groups, &granted)
			}
		}
	}
	return changes, groups
}

// inEveryChannel returns the changes of the organization's permissions that grant a permission in a channel.
func (c *causes) inEveryChannel(name permission.ChannelPermission, own object) (changes []*cause) {
	if own.permissions == nil {
		return nil
	}
	changes = append(changes, c.organization[name.OrganizationPermission()])
	if name == permission.CanDeleteOwnMessage {
		changes = append(changes, c.organization[permission.CanDeleteAnyMessage.OrganizationPermission()])
	}
	return changes
}

// groupsIn returns the changes of the groups in the value of a permission.
func (c *causes) groupsIn(one *PermissionChange) (all []*cause) {
	for _, text := range one.Change.After.Values {
		if name, isGroup := strings.CutPrefix(text, groupPrefix); isGroup {
			all = append(all, c.group(name)...)
		}
	}
	return all
}

// groupPrefix begins the principal of a user group.
const groupPrefix = "group:"

// group returns the changes of a group and of its subgroups.
func (c *causes) group(name string) []*cause {
	if known, isKnown := c.groups[name]; isKnown {
		return known
	}
	var found []*cause
	paths := map[string]string{name: c.principal(name)}
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		if group := c.changed[queue[0]]; group != nil && (group.Members.Differs() || group.Subgroups.Differs()) {
			found = append(found, &cause{
				text: paths[queue[0]], isUnknown: group.Unknown,
				gains: c.byGroup(queue[0], group.Joins, group.Members.Before, group.Members.After, group.Subgroups.Differs()),
				loses: c.byGroup(queue[0], group.Leaves, group.Members.After, group.Members.Before, group.Subgroups.Differs()),
			})
		}
		for _, below := range c.report.Subgroups[queue[0]] {
			if _, seen := paths[below]; !seen {
				paths[below] = paths[queue[0]] + " > " + c.principal(below)
				queue = append(queue, below)
			}
		}
	}
	c.groups[name] = found
	return found
}

// byGroup returns who joins a group, or leaves it, because of the group's own members and subgroups: neither because of the
// members of a subgroup, nor because of a role. without are the direct members on the other side of the plan.
func (c *causes) byGroup(name string, people *People, without, with Value, hasOtherSubgroups bool) ids {
	was, direct, found := ids{}, map[string]bool{}, ids{}
	for _, email := range with.Values {
		direct[email] = true
	}
	for _, email := range without.Values {
		delete(direct, email)
	}
	for _, below := range c.report.Subgroups[name] {
		if group := c.changed[below]; group != nil && hasOtherSubgroups {
			for _, set := range []*People{group.Joins, group.Leaves} {
				for id := range c.idsOf(set) {
					was[id] = true
				}
			}
		}
	}
	for account := range people.All() {
		id := account.ID
		if direct[account.Email] || hasOtherSubgroups && !was[id] && !c.promoted[id] && !c.demoted[id] {
			found[id] = true
		}
	}
	return found
}

// principal returns the principal of a group with its name after the plan.
func (c *causes) principal(name string) string {
	if group := c.changed[name]; group != nil {
		name = group.Name
	}
	return groupPrefix + name
}

// roles returns the changes of the roles of some accounts and of the owners of bots among them; nil without any.
func (c *causes) roles(effects []effect) *cause {
	return c.accounts(effects, "the role", "the roles", "other account", func(one effect) (all []int64) {
		for _, id := range []int64{one.account.ID, one.owner} {
			if c.promoted[id] && one.isGain || c.demoted[id] && !one.isGain {
				all = append(all, id)
			}
		}
		return all
	})
}

// owners returns the changes of the owners of bots among some accounts; nil without any.
func (c *causes) owners(effects []effect) *cause {
	return c.accounts(effects, "the owner", "the owners", "other bot", func(one effect) (all []int64) {
		if one.isOfMoved {
			all = append(all, one.account.ID)
		}
		return all
	})
}

// accounts returns the changes of the accounts that a function selects. It names the first account, and counts the others.
func (c *causes) accounts(effects []effect, one, several, others string, changed func(effect) []int64) *cause {
	by := &cause{gains: ids{}, loses: ids{}}
	var places []int
	for _, effect := range effects {
		for _, id := range changed(effect) {
			places = append(places, c.people[id])
			if effect.isGain {
				by.gains[id] = true
			} else {
				by.loses[id] = true
			}
		}
	}
	slices.Sort(places)
	places = slices.Compact(places)
	switch len(places) {
	case 0:
		return nil
	case 1:
		by.text = one + " of " + c.report.People[places[0]].Account.Email
	default:
		by.text = fmt.Sprintf("%s of %s and %s", several, c.report.People[places[0]].Account.Email, Counted(len(places)-1, others))
	}
	return by
}
