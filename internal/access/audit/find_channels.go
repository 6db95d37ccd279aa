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
		var attributes []attribute
		for _, right := range []permission.Right{permission.CanSubscribe, permission.CanAddSubscribers} {
			if value, ok := facts.Permissions[string(right)]; ok && !m.access.In(value).IsEmpty() {
				attributes = append(attributes, attribute{string(right), texts("role:nobody")})
			}
		}
		m.addFinding(Finding{
			Kind: OpenPrivate, Severity: High, Where: where, Text: "Every member can join it, although it is private.",
			Change: m.change(channelTarget(channel), append([]attribute{{"name", cty.StringVal(channel.Name)}}, attributes...)...),
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

// mostUsers is the number of users that a change lists. Of a channel with more, it lists the guests to leave out.
const mostUsers = 50

// withoutGuests writes the subscribers of a channel without its guests.
func (m *maker) withoutGuests(channel *zulip.Channel, subscribers, guests permission.People) string {
	of := target{"zulip_channel_subscribers", fmt.Sprint(channel.ID), ""}
	name := attribute{"channel", cty.StringVal("name:" + channel.Name)}
	if left := subscribers.Minus(guests); left.Len() <= mostUsers {
		return m.change(of, name, attribute{"users", texts(addresses(left)...)})
	}
	return "# Leave these guests out of users:\n# " + strings.Join(addresses(guests), "\n# ") + "\n" + m.change(of, name)
}

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
		return m.channelChange(channel, string(permission.CanAdministerChannel), texts("role:moderators"))
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
			Change: m.organizationChange(attribute{setting, texts("role:administrators")}),
		}, m.access.People(ids))
	}
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
		Change: mend(texts(append(permission.Texts(m.withoutNobody(value), m.view), "user:somebody.else@example.com")...)),
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
	var kept []string
	for _, principal := range permission.Format(value, m.view, nil) {
		if user, ok := m.view.UserByAddress(principal.Name); principal.Kind == permission.KindUser && ok && guests.Has(user.ID) {
			continue
		}
		kept = append(kept, principal.String())
	}
	mended := mend(texts(kept...))
	if groups := m.groupsWithoutGuests(value, guests); groups != "" && len(kept) == len(permission.Format(value, m.view, nil)) {
		mended = groups // all guests are in it by groups
	}
	m.addFinding(Finding{
		Kind: GuestsAdd, Severity: Low, Where: where, Change: mended,
		Text: fmt.Sprintf("%s named to %s, and can as soon as they are members.", areThere(guests.Len(), "guest"), can),
	}, guests)
}

// groupsWithoutGuests writes the user groups of a value without the guests who are directly in them; "" if none is.
func (m *maker) groupsWithoutGuests(value zulip.GroupSettingValue, guests permission.People) string {
	named := value.DirectSubgroups
	if value.IsNamed() {
		named = []int64{value.Group}
	}
	var ids []int64
	for _, id := range named {
		if group, ok := m.view.UserGroup(id); ok {
			ids = append(append(ids, id), m.view.AllSubgroups(group)...)
		}
	}
	slices.Sort(ids)
	var changes []string
	for _, id := range slices.Compact(ids) {
		group, ok := m.view.UserGroup(id)
		if !ok || group.IsSystemGroup || !slices.ContainsFunc(group.Members, guests.Has) {
			continue
		}
		var members []string
		for _, member := range group.Members {
			if user, ok := m.view.User(member); ok && user.IsActive && !guests.Has(member) {
				members = append(members, user.Address())
			}
		}
		slices.Sort(members)
		changes = append(changes, m.groupChange(group, attribute{"members", texts(members...)}))
	}
	return strings.Join(changes, "\n")
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
