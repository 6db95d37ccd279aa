package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// DefaultChannel marks a channel that new people are subscribed to; its id is
// the channel's.
type DefaultChannel struct{}

// DefaultChannelGroup is a named set of channels offered to new people
// (server-behavior §S9).
type DefaultChannelGroup struct {
	ID          int    `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Channels    []int  `json:"channels"`
}

var errDefaultCannotBePrivate = Refuse("A default channel cannot be private.")

// IsDefault reports whether new people are subscribed to the channel.
func (o *Organization) IsDefault(channel int) bool { return o.DefaultChannels.Has(channel) }

func (o *Organization) makeDefault(channel int) {
	if !o.IsDefault(channel) {
		o.DefaultChannels.Put(channel, DefaultChannel{})
	}
}

func (o *Organization) unmakeDefault(channel int) { o.DefaultChannels.Delete(channel) }

// AddDefaultChannel is POST /default_streams; repeating it is not an error.
func (o *Organization) AddDefaultChannel(actor User, channel int) error {
	ch, err := o.ChannelContent(actor, channel)
	if err != nil {
		return err
	}
	if ch.Private {
		return Refuse("Private channels cannot be made default.")
	}
	o.makeDefault(channel)
	return nil
}

// RemoveDefaultChannel is DELETE /default_streams; repeating it is not an error.
func (o *Organization) RemoveDefaultChannel(actor User, channel int) error {
	if _, err := o.ReadableChannel(actor, channel); err != nil {
		return err
	}
	o.unmakeDefault(channel)
	return nil
}

// ListDefaultChannelGroups returns the groups by name.
func (o *Organization) ListDefaultChannelGroups() []DefaultChannelGroup {
	list := []DefaultChannelGroup{}
	for _, g := range o.DefaultChannelGroups.All() {
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b DefaultChannelGroup) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// CreateDefaultChannelGroup creates a group of the channels named.
func (o *Organization) CreateDefaultChannelGroup(actor User, name, description string, channels []string) error {
	found, err := o.channelsNamed(actor, channels)
	if err != nil {
		return err
	}
	if err := checkDefaultGroupName(name); err != nil {
		return err
	}
	if utf8.RuneCountInString(description) > maxGroupDescription {
		return errConflict // the server doesn't check it
	}
	g := DefaultChannelGroup{Name: name, Description: description, Channels: []int{}}
	for _, ch := range found {
		if o.IsDefault(ch.ID) {
			return Refuse("'%s' is a default channel and cannot be added to '%s'", ch.Name, name)
		}
		g.Channels = sortedSet(append(g.Channels, ch.ID))
	}
	if other, taken := o.defaultGroupNamed(name); taken {
		if other.Description == description {
			return defaultGroupExists(name)
		}
		return errConflict // the server looks name and description up together
	}
	g.ID = o.DefaultChannelGroups.NextID()
	o.DefaultChannelGroups.Put(g.ID, g)
	return nil
}

// UpdateDefaultChannelGroup changes name and description, one after the other. Empty texts count as absent.
func (o *Organization) UpdateDefaultChannelGroup(id int, name, description string) error {
	if name == "" && description == "" {
		return Refuse("You must pass \"new_description\" or \"new_group_name\".")
	}
	g, err := o.defaultGroup(id)
	if err != nil {
		return err
	}
	if name != "" {
		if g.Name == name {
			return Refuse("This default channel group is already named '%s'", name)
		}
		if err := checkDefaultGroupName(name); err != nil {
			return err
		}
		if _, taken := o.defaultGroupNamed(name); taken {
			return defaultGroupExists(name)
		}
		g.Name = name
		o.DefaultChannelGroups.Put(id, g)
		o.Commit()
	}
	if utf8.RuneCountInString(description) > maxGroupDescription {
		return errConflict
	}
	if description != "" {
		g.Description = description
		o.DefaultChannelGroups.Put(id, g)
	}
	return nil
}

// ChangeDefaultChannelGroup adds channels to a group or removes them; op is
// "add" or "remove".
func (o *Organization) ChangeDefaultChannelGroup(actor User, id int, op string, channels []string) error {
	g, err := o.defaultGroup(id)
	if err != nil {
		return err
	}
	found, err := o.channelsNamed(actor, channels)
	if err != nil {
		return err
	}
	if op != "add" && op != "remove" {
		return Refuse("Invalid value for \"op\". Specify one of \"add\" or \"remove\".")
	}
	if op == "remove" {
		return o.removeFromDefaultGroup(g, found)
	}
	return o.addToDefaultGroup(g, found)
}

// addToDefaultGroup adds channels until one is refused.
func (o *Organization) addToDefaultGroup(g DefaultChannelGroup, channels []Channel) error {
	for _, ch := range channels {
		switch {
		case o.IsDefault(ch.ID):
			return Refuse("'%s' is a default channel and cannot be added to '%s'", ch.Name, g.Name)
		case slices.Contains(g.Channels, ch.ID):
			return Refuse("Channel '%s' is already present in default channel group '%s'", ch.Name, g.Name)
		}
		g.Channels = sortedSet(append(slices.Clone(g.Channels), ch.ID))
		o.DefaultChannelGroups.Put(g.ID, g)
		o.Commit()
	}
	return nil
}

// removeFromDefaultGroup removes all channels or none.
func (o *Organization) removeFromDefaultGroup(g DefaultChannelGroup, channels []Channel) error {
	var ids []int
	for _, ch := range channels {
		if !slices.Contains(g.Channels, ch.ID) {
			return Refuse("Channel '%s' is not present in default channel group '%s'", ch.Name, g.Name)
		}
		ids = append(ids, ch.ID)
	}
	g.Channels = without(g.Channels, ids)
	o.DefaultChannelGroups.Put(g.ID, g)
	return nil
}

// DeleteDefaultChannelGroup removes a group.
func (o *Organization) DeleteDefaultChannelGroup(id int) error {
	if _, err := o.defaultGroup(id); err != nil {
		return err
	}
	o.DefaultChannelGroups.Delete(id)
	return nil
}

func (o *Organization) removeFromDefaultGroups(channel int) {
	for _, g := range o.ListDefaultChannelGroups() {
		if slices.Contains(g.Channels, channel) {
			g.Channels = without(g.Channels, []int{channel})
			o.DefaultChannelGroups.Put(g.ID, g)
		}
	}
}

func (o *Organization) defaultGroup(id int) (DefaultChannelGroup, error) {
	g, ok := o.DefaultChannelGroups.Get(id)
	if !ok {
		return g, Refuse("Default channel group with id '%d' does not exist.", id)
	}
	return g, nil
}

func (o *Organization) defaultGroupNamed(name string) (DefaultChannelGroup, bool) {
	for _, g := range o.DefaultChannelGroups.All() {
		if g.Name == name {
			return g, true
		}
	}
	return DefaultChannelGroup{}, false
}

func (o *Organization) channelsNamed(actor User, names []string) ([]Channel, error) {
	var found []Channel
	for _, name := range names {
		ch, err := o.ChannelContentByName(actor, name)
		if err != nil {
			return nil, err
		}
		found = append(found, ch)
	}
	return found, nil
}

// maxGroupDescription is the length of a default channel group's description that the database stores (server-behavior
// §S12).
const maxGroupDescription = 1024

func checkDefaultGroupName(name string) error {
	if Strip(name) == "" {
		return Refuse("Invalid default channel group name '%s'", name)
	}
	if utf8.RuneCountInString(name) > maxChannelName {
		return Refuse("Default channel group name too long (limit: %d characters)", maxChannelName)
	}
	if strings.ContainsRune(name, 0) {
		return Refuse("Default channel group name '%s' contains NULL (0x00) characters.", name)
	}
	return nil
}

func defaultGroupExists(name string) *Error {
	return Refuse("Default channel group '%s' already exists", name)
}

// MaySee reports whether viewer can see a person. can_access_all_users_group restricts only guests. They still see bots,
// and people who share a channel with them (server-behavior §U3).
func (o *Organization) MaySee(viewer, target User) bool {
	if !viewer.IsGuest() || target.ID == viewer.ID || target.IsBot {
		return true
	}
	if o.MayRealm(viewer, "can_access_all_users_group") {
		return true
	}
	for _, channel := range o.ChannelsOf(viewer.ID) {
		if o.IsSubscribed(target.ID, channel) {
			return true
		}
	}
	return false
}

// VisibleUser returns a person or bot, active or not, that viewer can see.
func (o *Organization) VisibleUser(viewer User, id int) (User, error) {
	u, err := o.AnyUser(id)
	if err == nil && !o.MaySee(viewer, u) {
		err = errInsufficientPermission
	}
	return u, err
}

// visibleHuman returns an active person that viewer can see.
func (o *Organization) visibleHuman(viewer User, id int) (User, error) {
	u, err := o.ActiveHuman(id)
	if err == nil && !o.MaySee(viewer, u) {
		err = errInsufficientPermission
	}
	return u, err
}

// AdministeredUser returns a person or bot, active or not, that actor may change: anyone for administrators, their own bots
// for others.
func (o *Organization) AdministeredUser(actor User, id int) (User, error) {
	u, err := o.AnyUser(id)
	if err == nil && !actor.administers(u) {
		err = errInsufficientPermission
	}
	return u, err
}

func (u User) administers(target User) bool {
	return u.IsAdmin() || target.IsBot && target.BotOwnerID == u.ID
}

// Topics of the notification bot's messages.
const (
	eventsTopic      = "channel events"
	newChannelsTopic = "new channels"
)

// notice posts a message of the notification bot. It is already read by readBy.
func (o *Organization) notice(channel int, topic, text string, readBy ...int) {
	o.post(Message{
		SenderID: o.NotificationBotID(), ChannelID: channel, Topic: topic, Content: text, Sent: o.now().UTC(),
	}, mentions{}, readBy...)
}

// sendNotice sends a direct message from the notification bot.
func (o *Organization) sendNotice(person int, text string) {
	o.post(Message{
		SenderID: o.NotificationBotID(), People: sortedSet([]int{o.NotificationBotID(), person}), Content: text, Sent: o.now().UTC(),
	}, mentions{})
}

// channelNotice posts a change of a channel, if the organization enables such notices (server-behavior §C20).
func (o *Organization) channelNotice(ch Channel, text string, readBy ...int) {
	if o.level() >= featurelevel.Since("zulip_organization", "send_channel_events_messages") && !o.Settings().SendChannelEventsMessages {
		return
	}
	topic := eventsTopic
	if ch.TopicsPolicy == TopicsOnlyEmpty {
		topic = ""
	}
	o.notice(ch.ID, topic, text, readBy...)
}

// postCreatedNotice posts that channels with subscribers were created. It posts in each of them, and in the channel where
// the organization announces new channels.
func (o *Organization) postCreatedNotice(actor User, channels []Channel, announce bool) {
	if len(channels) == 0 {
		return
	}
	announcements := o.Settings().NewChannelAnnouncementsID
	if announce && announcements != 0 {
		links := make([]string, len(channels))
		for i, ch := range channels {
			links[i] = channelLink(ch)
		}
		what := "a new channel"
		if len(channels) > 1 {
			what = "the following channels:"
		}
		o.notice(announcements, newChannelsTopic, fmt.Sprintf("%s created %s %s.", silentMention(actor), what, strings.Join(links, ", ")), actor.ID)
	}
	for _, ch := range channels {
		o.channelNotice(ch, fmt.Sprintf("**%s** channel created by %s. **Description:**\n%s", kindName(ch), silentMention(actor), quoted(ch.Description)), actor.ID)
	}
}

// kindName is a channel's kind in the words of notices.
func kindName(ch Channel) string {
	switch {
	case ch.WebPublic:
		return "Web-public"
	case !ch.Private:
		return "Public"
	case ch.SharedHistory:
		return "Private, shared history"
	default:
		return "Private, protected history"
	}
}

func quoted(description string) string {
	if description == "" {
		description = "*No description.*"
	}
	return "```` quote\n" + description + "\n````"
}

// retentionPeriod is a channel's retention of messages in the words of notices.
func (o *Organization) retentionPeriod(ch Channel) string {
	days := o.Settings().MessageRetentionDays
	if ch.RetentionDays != nil {
		days = *ch.RetentionDays
	}
	if days == unlimitedRetention {
		return "Forever"
	}
	return fmt.Sprintf("%d days", days)
}

// principalNames lists the groups and people of a permission, groups first.
func (o *Organization) principalNames(v GroupValue) string {
	groups := v.Subgroups
	if v.Group != 0 {
		groups = []int{v.Group}
	}
	var names []string
	for _, id := range groups {
		g, _ := o.Groups.Get(id)
		names = append(names, groupMention(g))
	}
	for _, id := range v.Members {
		names = append(names, silentMention(o.Sender(id)))
	}
	return strings.Join(names, ", ")
}

// notifySubscribed sends a direct message to people whom another user subscribed to existing channels.
func (o *Organization) notifySubscribed(actor User, subscribed map[int][]Channel) {
	for _, person := range slices.Sorted(maps.Keys(subscribed)) {
		u, _ := o.Users.Get(person)
		if u.IsBot || person == actor.ID {
			continue
		}
		channels := subscribed[person]
		if len(channels) == 1 {
			o.sendNotice(person, fmt.Sprintf("%s subscribed you to the channel %s.", silentMention(actor), channelLink(channels[0])))
			continue
		}
		text := silentMention(actor) + " subscribed you to the following channels:\n\n"
		for _, ch := range channels {
			text += "* " + channelLink(ch) + "\n"
		}
		o.sendNotice(person, text)
	}
}

// notifyMembers sends a direct message to people whom another user added to a group or removed from one (server-behavior
// §G7).
func (o *Organization) notifyMembers(actor User, users []int, what string) {
	for _, id := range users {
		if u, ok := o.Users.Get(id); ok && !u.IsBot && u.Active && id != actor.ID {
			o.sendNotice(id, fmt.Sprintf("%s %s.", silentMention(actor), what))
		}
	}
}
