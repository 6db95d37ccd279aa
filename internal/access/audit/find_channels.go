package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func channelText(name string) string { return fmt.Sprintf("channel %q", name) }

func (m *maker) findInChannel(channel *zulip.Channel) {
	state := m.states[channel.ID]
	where := []string{channelText(channel.Name)}
	if reads, _ := state.IsReadByInternet(); reads {
		m.addFinding(Finding{
			Kind: Internet, Severity: Medium, Where: where, Text: "Anyone on the internet can read it, without an account.",
			Change: m.channelChange(channel, "privacy", cty.StringVal(string(zulip.PrivacyPublic))),
		}, permission.People{})
	}
	if state.Channel.Privacy.IsPrivate() {
		m.findOpenPrivate(channel, state.Channel, where)
	}
	m.findChannelAdministrators(channel, state.Channel, where)
	m.findShortRetention(channel, where)
	for _, right := range []permission.Right{permission.CanAddSubscribers, permission.CanSubscribe} {
		if right == permission.CanSubscribe && !state.Channel.Privacy.IsPrivate() {
			continue
		}
		m.findNamedGuests(where, right.InWords(), state.Channel.Permissions[string(right)], func(value cty.Value) string {
			return m.channelChange(channel, string(right), value)
		})
	}
	adders, _ := m.access.Can(permission.CanAddSubscribers, state.Channel)
	m.findBotsOfGuests(where, permission.CanAddSubscribers.InWords(), adders)
}

// findShortRetention finds a channel whose messages are deleted before the organization deletes messages.
func (m *maker) findShortRetention(channel *zulip.Channel, where []string) {
	realm := m.view.Realm()
	if realm == nil || channel.MessageRetentionDays == nil || *channel.MessageRetentionDays < 0 {
		return
	}
	days, known := realmSetting[*int64](realm, "message_retention_days")
	isForever := known && (days == nil || *days < 0)
	if !known || !isForever && *channel.MessageRetentionDays >= *days {
		return
	}
	rest := "the organization keeps messages forever"
	if !isForever {
		rest = "the organization keeps messages for " + report.Counted(int(*days), "day")
	}
	m.addFinding(Finding{
		Kind: ShortRetention, Severity: Low, Where: where,
		Text:   fmt.Sprintf("Its messages are deleted after %s; %s.", report.Counted(int(*channel.MessageRetentionDays), "day"), rest),
		Change: m.channelChange(channel, "message_retention_days", cty.StringVal("realm_default")),
	}, permission.People{})
}

// findOpenPrivate finds a private channel that all members can join by a permission, and one that guests are in.
func (m *maker) findOpenPrivate(channel *zulip.Channel, facts permission.Channel, where []string) {
	joiners, _ := m.access.Can(permission.CanSubscribe, facts)
	if !m.members.IsEmpty() && m.members.Minus(joiners).IsEmpty() {
		m.addFinding(Finding{
			Kind: OpenPrivate, Severity: High, Where: where, Text: "Every member can join it, although it is private.",
			Change: m.change(channelTarget(channel), m.withoutMembers(facts)...),
		}, joiners)
	}
	readers, _ := m.access.Can(permission.CanRead, facts)
	if guests := readers.And(m.access.Guests()); !guests.IsEmpty() {
		m.addFinding(Finding{
			Kind: OpenPrivate, Severity: Low, Where: where, Text: fmt.Sprintf("%s in it, although it is private.", areThere(guests.Len(), "guest")),
			Change: m.withoutGuests(channel, m.access.People(facts.Subscribers), guests),
		}, guests)
	}
}

// withoutMembers are the permissions by which people join a channel, without the groups that have every member. Where no group has
// them all, nobody is in the permissions.
func (m *maker) withoutMembers(facts permission.Channel) (attributes []attribute) {
	values := map[permission.Right]zulip.GroupSettingValue{}
	for _, right := range []permission.Right{permission.CanSubscribe, permission.CanAddSubscribers} {
		if value, ok := facts.Permissions[string(right)]; ok && !m.access.In(value).IsEmpty() {
			values[right] = value
		}
	}
	closes := func(in permission.People) bool { return m.members.Minus(in).IsEmpty() }
	for _, right := range []permission.Right{permission.CanSubscribe, permission.CanAddSubscribers} {
		if value, ok := values[right]; ok && closes(m.access.In(value)) {
			narrowed := m.narrow(value, closes)
			if closes(m.access.In(narrowed)) {
				narrowed = zulip.GroupSettingValue{}
			}
			attributes = append(attributes, attribute{string(right), m.principals(narrowed)})
		}
	}
	if len(attributes) > 0 {
		return attributes
	}
	for _, right := range []permission.Right{permission.CanSubscribe, permission.CanAddSubscribers} {
		if _, ok := values[right]; ok {
			attributes = append(attributes, attribute{string(right), m.principals(zulip.GroupSettingValue{})})
		}
	}
	return attributes
}

// narrow returns a value without the groups and the people for whom something is so.
func (m *maker) narrow(value zulip.GroupSettingValue, isOut func(permission.People) bool) (kept zulip.GroupSettingValue) {
	value = m.withoutNobody(value)
	for _, id := range value.DirectSubgroups {
		if !isOut(m.access.In(zulip.NamedGroup(id))) {
			kept.DirectSubgroups = append(kept.DirectSubgroups, id)
		}
	}
	for _, id := range value.DirectMembers {
		if !isOut(m.access.People([]int64{id})) {
			kept.DirectMembers = append(kept.DirectMembers, id)
		}
	}
	return kept
}

// principals is a value as a configuration has it.
func (m *maker) principals(value zulip.GroupSettingValue) cty.Value {
	return texts(permission.Texts(value, m.view)...)
}

// with adds principals to a value, in which role:nobody stands alone.
func (m *maker) with(value zulip.GroupSettingValue, more ...string) cty.Value {
	all := slices.DeleteFunc(permission.Texts(m.withoutNobody(value), m.view), func(text string) bool {
		return text == permission.Nobody.String() || slices.Contains(more, text)
	})
	return texts(append(all, more...)...)
}

// mostUsers is the number of users that a change lists. Of a channel with more, it lists the guests to leave out.
const mostUsers = 50

// withoutGuests writes who is in a channel without its guests. A channel of which a zulip_channel_subscription lists some has no
// zulip_channel_subscribers.
func (m *maker) withoutGuests(channel *zulip.Channel, subscribers, guests permission.People) string {
	of := target{resource: "zulip_channel_subscription", id: fmt.Sprint(channel.ID)}
	if len(m.options.Managed.all(of)) > 0 {
		changes, unlisted := m.takeOut(of, "users", guests)
		if !unlisted.IsEmpty() {
			changes = append(changes, "# Nothing in the state or plan lists these guests. Unsubscribe them in the channel's settings:\n"+commented(addresses(unlisted)))
		}
		return strings.Join(changes, "\n")
	}
	of = target{resource: "zulip_channel_subscribers", id: fmt.Sprint(channel.ID), called: channel.Name}
	name := attribute{"channel", cty.StringVal("name:" + channel.Name)}
	if left := subscribers.Minus(guests); left.Len() <= mostUsers {
		return m.change(of, name, attribute{"users", texts(addresses(left)...)})
	}
	return "# Leave these guests out of users:\n" + commented(addresses(guests)) + m.change(of, name)
}

// commented writes lines of a comment.
func commented(lines []string) string { return "# " + strings.Join(lines, "\n# ") + "\n" }

func addresses(people permission.People) (all []string) {
	for user := range people.All() {
		all = append(all, user.Address())
	}
	return all
}

func areThere(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " is"
	}
	return report.Counted(n, thing) + " are"
}

// findChannelAdministrators finds a channel that nobody administers, and one that a single person administers or posts in.
func (m *maker) findChannelAdministrators(channel *zulip.Channel, facts permission.Channel, where []string) {
	value, has := facts.Permissions[string(permission.CanAdministerChannel)]
	who, certain := m.access.Can(permission.CanAdministerChannel, facts)
	named := m.access.In(value).Minus(m.access.Guests())
	mend := func() string {
		return m.channelChange(channel, string(permission.CanAdministerChannel), m.withModerators(value))
	}
	switch {
	case !has || !certain:
	case who.IsEmpty():
		m.addFinding(Finding{Kind: NoAdministrator, Severity: High, Where: where, Text: "Nobody can administer the channel.", Change: mend()}, who)
	case named.IsEmpty():
		m.addFinding(Finding{
			Kind: NoAdministrator, Severity: Low, Where: where, Text: "Nobody active is in its can_administer_channel_group: only administrators of the organization can administer it.", Change: mend(),
		}, who)
	}
	readers, _ := m.access.Can(permission.CanRead, facts)
	for _, right := range []permission.Right{permission.CanAdministerChannel, permission.CanSendMessage} {
		who, certain := m.access.Can(right, facts)
		if right == permission.CanSendMessage && m.humans(readers).Len() < 2 {
			continue // nobody else is there
		}
		if value, has := facts.Permissions[string(right)]; has && certain {
			m.findSinglePerson(where, right.InWords(), who, value, func(value cty.Value) string { return m.channelChange(channel, string(right), value) })
		}
	}
}

// withModerators adds the moderators to a permission that nobody active is in, and leaves out who is deactivated.
func (m *maker) withModerators(value zulip.GroupSettingValue) cty.Value {
	var kept zulip.GroupSettingValue
	value = m.withoutNobody(value)
	for _, id := range value.DirectSubgroups {
		if group, ok := m.view.UserGroup(id); ok && !group.Deactivated {
			kept.DirectSubgroups = append(kept.DirectSubgroups, id)
		}
	}
	for _, id := range value.DirectMembers {
		if user, ok := m.view.User(id); ok && user.IsActive {
			kept.DirectMembers = append(kept.DirectMembers, id)
		}
	}
	return m.with(kept, "role:moderators")
}

// findWiderRights finds the permissions of the organization that give a right in channels to people whom the permission of
// the channel does not name, administrators aside: one finding for each, however many channels there are.
func (m *maker) findWiderRights() {
	for _, right := range permission.Rights {
		setting, admitted := m.access.ByOrganization(right)
		if setting == "" || admitted.IsEmpty() {
			continue
		}
		var where []string
		var peopleOf []permission.People
		all := map[int64]bool{}
		for _, channel := range m.chosen {
			facts := m.states[channel.ID].Channel
			value, has := facts.Permissions[string(right)]
			who, _ := m.access.Can(right, facts)
			wider := who.And(admitted).Minus(m.access.In(value)).Minus(m.administrators)
			if byAdministering(right) {
				administer, _ := m.access.Can(permission.CanAdministerChannel, facts)
				wider = wider.Minus(administer)
			}
			if !has || wider.IsEmpty() {
				continue
			}
			where, peopleOf = append(where, channelText(channel.Name)), append(peopleOf, wider)
			for user := range wider.All() {
				all[user.ID] = true
			}
		}
		if len(where) == 0 {
			continue
		}
		ids := make([]int64, 0, len(all))
		for id := range all {
			ids = append(ids, id)
		}
		m.addFinding(Finding{
			Kind: WiderThanChannel, Severity: Low, Where: where, peopleOf: peopleOf,
			Text:   fmt.Sprintf("By %s of the organization people can %s whom %s of the channel does not name.", setting, right.InWords(), right),
			Change: m.organizationChange(attribute{setting, m.withoutAny(m.view.Realm().Permissions[setting], m.access.People(ids))}),
		}, m.access.People(ids))
	}
}

// withoutAny is a permission without what has any of some people, and with administrators where nobody is left.
func (m *maker) withoutAny(value zulip.GroupSettingValue, people permission.People) cty.Value {
	kept := m.narrow(value, func(in permission.People) bool { return !in.And(people).IsEmpty() })
	if !m.access.In(kept).IsEmpty() {
		return m.principals(kept)
	}
	return m.with(kept, "role:administrators")
}

// byAdministering reports whether those who administer a channel have a right too.
func byAdministering(right permission.Right) bool {
	switch right {
	case permission.CanAddSubscribers, permission.CanMoveMessagesOutOfChannel, permission.CanMoveMessagesWithinChannel:
		return true
	}
	return false
}

// findSinglePerson finds a right that one person has alone, beside bots.
func (m *maker) findSinglePerson(where []string, can string, who permission.People, value zulip.GroupSettingValue, mend func(cty.Value) string) {
	humans := m.humans(who)
	if humans.Len() != 1 {
		return
	}
	m.addFinding(Finding{
		Kind: SinglePerson, Severity: Low, Where: where, Text: fmt.Sprintf("Only one person can %s.", can),
		Change: mend(m.with(value, "user:somebody.else@example.com")),
	}, humans)
}

// withoutNobody returns a value to which somebody can be added.
func (m *maker) withoutNobody(value zulip.GroupSettingValue) zulip.GroupSettingValue {
	if value.IsNamed() {
		value = zulip.GroupSettingValue{DirectSubgroups: []int64{value.Group}}
	}
	nobody := permission.NobodyID(m.view)
	var groups []int64
	for _, id := range value.DirectSubgroups {
		if id != nobody {
			groups = append(groups, id)
		}
	}
	return zulip.GroupSettingValue{DirectMembers: append([]int64{0}, value.DirectMembers...)[1:], DirectSubgroups: groups}
}

// findNamedGuests finds guests in a permission that the server refuses guests.
func (m *maker) findNamedGuests(where []string, can string, value zulip.GroupSettingValue, mend func(cty.Value) string) {
	guests := m.access.In(value).And(m.access.Guests())
	if guests.IsEmpty() {
		return
	}
	// A group of nothing but guests is there for them: it is taken out, and not emptied.
	isOfGuests := func(in permission.People) bool { return !in.IsEmpty() && in.Minus(guests).IsEmpty() }
	before := m.withoutNobody(value)
	kept := m.narrow(before, isOfGuests)
	var changes []string
	if len(kept.DirectMembers)+len(kept.DirectSubgroups) < len(before.DirectMembers)+len(before.DirectSubgroups) {
		changes = append(changes, mend(m.principals(kept)))
	}
	seen := map[int64]bool{}
	for _, id := range kept.DirectSubgroups {
		changes = append(changes, m.groupWithoutGuests(id, isOfGuests, seen)...)
	}
	m.addFinding(Finding{
		Kind: GuestsAdd, Severity: Low, Where: where, Change: strings.Join(changes, "\n"),
		Text: fmt.Sprintf("%s named to %s, and can as soon as they are members.", areThere(guests.Len(), "guest"), can),
	}, guests)
}

// groupWithoutGuests writes the changes that take guests out of a user group of others: a subgroup that has nothing but guests, and
// guests who are directly in the group or in another subgroup.
func (m *maker) groupWithoutGuests(id int64, isOfGuests func(permission.People) bool, seen map[int64]bool) (changes []string) {
	group, ok := m.view.UserGroup(id)
	if !ok || seen[id] || group.IsSystemGroup {
		return nil
	}
	seen[id] = true
	var below []int64
	var subgroups []string
	for _, inner := range group.DirectSubgroupIDs {
		if named, ok := m.view.UserGroup(inner); ok && !isOfGuests(m.access.In(zulip.NamedGroup(inner))) {
			below, subgroups = append(below, inner), append(subgroups, named.Name)
		}
	}
	var members []string
	var out []int64
	for _, member := range group.Members {
		switch user, ok := m.view.User(member); {
		case !ok || !user.IsActive:
		case isOfGuests(m.access.People([]int64{member})):
			out = append(out, member)
		default:
			members = append(members, user.Address())
		}
	}
	slices.Sort(subgroups)
	slices.Sort(members)
	var attributes []attribute
	if len(out) > 0 {
		listing := target{resource: "zulip_user_group_membership", id: fmt.Sprint(id)}
		listed, unlisted := m.takeOut(listing, "members", m.access.People(out))
		if changes = append(changes, listed...); !unlisted.IsEmpty() && len(listed) == 0 {
			attributes = append(attributes, attribute{"members", texts(members...)})
		} else if !unlisted.IsEmpty() {
			changes = append(changes, "# Nothing in the state or plan lists these guests. Take them out in the group's settings:\n"+commented(addresses(unlisted)))
		}
	}
	if len(below) < len(group.DirectSubgroupIDs) {
		attributes = append(attributes, attribute{"subgroups", texts(subgroups...)})
	}
	if len(attributes) > 0 {
		changes = append(changes, m.groupChange(group, attributes...))
	}
	if len(changes) > 0 {
		changes[0] = fmt.Sprintf("# Guests lose with it what else the group %q gives them.\n", onOneLine(group.Name)) + changes[0]
	}
	for _, inner := range below {
		changes = append(changes, m.groupWithoutGuests(inner, isOfGuests, seen)...)
	}
	return changes
}

// findBotsOfGuests finds bots with which guests do what they may not do themselves.
func (m *maker) findBotsOfGuests(where []string, can string, who permission.People) {
	for user := range who.All() {
		if !user.IsBot || user.BotOwnerID == nil || !m.access.Guests().Has(*user.BotOwnerID) {
			continue
		}
		owner, _ := m.view.User(*user.BotOwnerID)
		m.addFinding(Finding{
			Kind: GuestsAdd, Severity: High, Where: where,
			Text:   fmt.Sprintf("With the bot %s, which the guest %s owns, a guest can %s.", user.FullName, owner.Address(), can),
			Change: m.botChange(user, attribute{"owner", cty.StringVal(m.newOwner())}),
		}, m.access.People([]int64{user.ID, owner.ID}))
	}
}

func (m *maker) humans(people permission.People) permission.People {
	return people.Minus(m.bots)
}

// peopleWhere returns the active accounts for which something is so.
func (m *maker) peopleWhere(is func(*zulip.User) bool) permission.People {
	var ids []int64
	for user := range m.access.Everybody().All() {
		if is(user) {
			ids = append(ids, user.ID)
		}
	}
	return m.access.People(ids)
}

// shortName returns the short name of a bot, which its address begins with.
func shortName(bot *zulip.User) string {
	local, _, _ := strings.Cut(bot.Address(), "@")
	return strings.TrimSuffix(local, "-bot")
}
