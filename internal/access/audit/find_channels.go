package audit

import (
	"fmt"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func channelText(name string) string { return fmt.Sprintf("channel %q", name) }

func (m *maker) findInChannel(channel *zulip.Channel) {
	state := m.org.In(m.channelByID[channel.ID])
	where, managed := []string{channelText(channel.Name)}, m.options.Managed.addresses(channelTarget(channel))
	if reads, _ := state.IsReadByInternet(); reads {
		m.addFinding(Finding{
			Kind: Internet, Severity: Medium, Where: where, Text: "Anyone on the internet can read it without an account.",
			Resources: managed, Fix: "If only people with an account should read it, set privacy to \"public\".",
		}, permission.People{})
	}
	if state.Channel.Privacy.IsPrivate() {
		m.findOpenPrivate(channel, state.Channel, where, managed)
	}
	m.findChannelAdministrators(state.Channel, where, managed)
	m.findShortRetention(channel, where, managed)
	for _, name := range []permission.ChannelPermission{permission.CanAddSubscribers, permission.CanSubscribe} {
		if name == permission.CanSubscribe && !state.Channel.Privacy.IsPrivate() {
			continue
		}
		m.findNamedGuests(where, name.InWords(), string(name), state.Channel.Permissions[string(name)], managed)
	}
	adders, _ := m.access.Can(permission.CanAddSubscribers, state.Channel)
	m.findBotsOfGuests(where, permission.CanAddSubscribers.InWords(), adders)
}

// findShortRetention finds a channel whose messages are deleted before the organization deletes messages.
func (m *maker) findShortRetention(channel *zulip.Channel, where, managed []string) {
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
		Kind: ShortRetention, Severity: Low, Where: where, Resources: managed,
		Text: fmt.Sprintf("Its messages are deleted after %s; %s.", report.Counted(int(*channel.MessageRetentionDays), "day"), rest),
		Fix:  "If the channel should follow the organization, set message_retention_days to \"realm_default\".",
	}, permission.People{})
}

// findOpenPrivate finds private channels that all members can join by a permission, and private channels with guests.
func (m *maker) findOpenPrivate(channel *zulip.Channel, facts permission.Channel, where, managed []string) {
	joiners, _ := m.access.Can(permission.CanSubscribe, facts)
	if !m.members.IsEmpty() && m.members.Minus(joiners).IsEmpty() {
		m.addFinding(Finding{
			Kind: OpenPrivate, Severity: High, Where: where, Text: "Every member can join it, although it is private.",
			Resources: managed, Fix: "Limit can_subscribe_group and can_add_subscribers_group of the channel to those who should be able to join it.",
		}, joiners)
	}
	readers, _ := m.access.Can(permission.CanRead, facts)
	if guests := readers.And(m.access.Guests()); !guests.IsEmpty() {
		m.addFinding(Finding{
			Kind: OpenPrivate, Severity: Low, Where: where, Text: fmt.Sprintf("%s subscribed, although it is private.", report.InWords(guests.Len(), "guest is", "guests are")),
			Resources: append(m.options.Managed.addresses(
				target{"zulip_channel_subscribers", fmt.Sprint(channel.ID), ""}, target{"zulip_channel_subscription", fmt.Sprint(channel.ID), ""}), managed...),
			Fix: "Unsubscribe the guests who should not read it.",
		}, guests)
	}
}

// findChannelAdministrators finds channels that no one or only one person can administer, or that one person posts in.
func (m *maker) findChannelAdministrators(facts permission.Channel, where, managed []string) {
	value, has := facts.Permissions[string(permission.CanAdministerChannel)]
	who, certain := m.access.Can(permission.CanAdministerChannel, facts)
	named := m.access.In(value).Minus(m.access.Guests())
	finding := Finding{
		Kind: NoAdministrator, Severity: High, Where: where, Text: "No one can administer the channel.",
		Resources: managed, Fix: addActive(string(permission.CanAdministerChannel)),
	}
	switch {
	case !has || !certain:
	case who.IsEmpty():
		m.addFinding(finding, who)
	case named.IsEmpty():
		finding.Severity, finding.Text = Low, "Its can_administer_channel_group includes no active user: only administrators of the organization can administer it."
		m.addFinding(finding, who)
	}
	readers, _ := m.access.Can(permission.CanRead, facts)
	for _, name := range []permission.ChannelPermission{permission.CanAdministerChannel, permission.CanSendMessage} {
		who, certain := m.access.Can(name, facts)
		if name == permission.CanSendMessage && readers.Humans().Len() < 2 {
			continue // there are no other people
		}
		if _, has := facts.Permissions[string(name)]; has && certain {
			m.findSinglePerson(where, name.InWords(), string(name), who, managed)
		}
	}
}

// addActive returns the fix that gives a permission to an active user.
func addActive(setting string) string {
	return fmt.Sprintf("Add an active person, or a user group with active members, to %s.", setting)
}

// findWiderPermissions finds permissions of the organization that give access to channels to more people than the
// channel's permission names. It ignores administrators and channels whose permission has its default, which adds no one to
// the organization's, and reports each permission once, however many channels it affects.
func (m *maker) findWiderPermissions() {
	for _, name := range permission.ChannelPermissions {
		setting, admitted := m.access.ByOrganization(name)
		if setting == "" || admitted.IsEmpty() {
			continue
		}
		var where []string
		var peopleOf []permission.People
		var all permission.People
		for _, channel := range m.chosen {
			facts := m.channelByID[channel.ID].Facts
			value, has := facts.Permissions[string(name)]
			who, _ := m.access.Can(name, facts)
			wider := who.And(admitted).Minus(m.access.In(value)).Minus(m.administrators)
			if byAdministering(name) {
				administer, _ := m.access.Can(permission.CanAdministerChannel, facts)
				wider = wider.Minus(administer)
			}
			if !has || wider.IsEmpty() || m.isDefault(name, value, channel) {
				continue
			}
			where, peopleOf = append(where, channelText(channel.Name)), append(peopleOf, wider)
			all = all.Or(wider)
		}
		if len(where) == 0 {
			continue
		}
		m.addFinding(Finding{
			Kind: WiderThanChannel, Severity: Low, Where: where, peopleOf: peopleOf,
			Text:      fmt.Sprintf("Some people can %[2]s because of the organization's %[1]s, although the channel's %[3]s doesn't include them.", setting, name.InWords(), name),
			Resources: m.options.Managed.addresses(organizationTarget),
			Fix:       fmt.Sprintf("Limit the organization's %s to people who should have this access in every channel.", setting),
		}, all)
	}
}

// isDefault reports whether a permission of a channel has the value of a new channel.
func (m *maker) isDefault(name permission.ChannelPermission, value zulip.GroupSettingValue, channel *zulip.Channel) bool {
	standard := permission.Channels.DefaultOf(permission.Channels.Setting(string(name)), m.view.Realm())
	if standard == "channel_creator" { // the server's word
		return channel.CreatorID != nil && permission.Equal(value, zulip.GroupSettingValue{DirectMembers: []int64{*channel.CreatorID}}, permission.NobodyID(m.view))
	}
	group, ok := m.view.UserGroupByName(standard)
	return ok && permission.Equal(value, zulip.NamedGroup(group.ID), permission.NobodyID(m.view))
}

// byAdministering reports whether people who administer a channel have effective access by a permission.
func byAdministering(name permission.ChannelPermission) bool {
	return slices.Contains([]permission.ChannelPermission{permission.CanAddSubscribers, permission.CanMoveMessagesOutOfChannel, permission.CanMoveMessagesWithinChannel}, name)
}

// findSinglePerson finds a permission by which only one person has effective access. Bots don't count.
func (m *maker) findSinglePerson(where []string, can, setting string, who permission.People, managed []string) {
	humans := who.Humans()
	if humans.Len() != 1 {
		return
	}
	m.addFinding(Finding{
		Kind: SinglePerson, Severity: Low, Where: where, Text: fmt.Sprintf("Only one person can %s.", can),
		Resources: managed, Fix: fmt.Sprintf("Add another person or a user group to %s.", setting),
	}, humans)
}

// findNamedGuests finds guests in a permission that the server doesn't grant to guests.
func (m *maker) findNamedGuests(where []string, can, setting string, value zulip.GroupSettingValue, managed []string) {
	guests := m.access.In(value).And(m.access.Guests())
	if guests.IsEmpty() {
		return
	}

	m.addFinding(Finding{
		Kind: GuestsAdd, Severity: Low, Where: where,
		Text:      fmt.Sprintf("%s included in the permission to %s, and will have it as soon as they become members.", report.InWords(guests.Len(), "guest is", "guests are"), can),
		Resources: managed, Fix: fmt.Sprintf("Include only people and user groups without guests in %s.", setting),
	}, guests)
}

// findBotsOfGuests finds bots of guests that can do more than their owners.
func (m *maker) findBotsOfGuests(where []string, can string, who permission.People) {
	for user := range who.All() {
		if !user.IsBot || user.BotOwnerID == nil || !m.access.Guests().Has(*user.BotOwnerID) {
			continue
		}
		owner, _ := m.view.User(*user.BotOwnerID)
		m.addFinding(Finding{
			Kind: GuestsAdd, Severity: High, Where: where,
			Text:      fmt.Sprintf("The bot %s belongs to the guest %s, who can use it to %s.", user.FullName, owner.Address(), can),
			Resources: m.options.Managed.addresses(botTarget(user)), Fix: "Choose an owner who is not a guest, then generate a new API key for the bot.",
		}, m.access.People([]int64{user.ID, owner.ID}))
	}
}
