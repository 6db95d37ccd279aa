package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Topics the notification bot writes in.
const (
	eventsTopic      = "channel events"
	newChannelsTopic = "new channels"
)

// notice posts a message of the notification bot; readBy have read it already.
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

// channelNotice posts what was done to a channel, if the organization wants
// that (server-behavior §C20).
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

// postCreatedNotice posts that channels with subscribers were created: in each of
// them, and where the organization announces new channels.
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

// kindName is how the notices call a channel's kind.
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

// retentionPeriod is how the notices call the time for which a channel keeps
// its messages.
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

// principalNames lists who a permission names, groups first.
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

// notifySubscribed sends a direct message to people whom somebody else subscribed to
// existing channels.
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

// notifyMembers sends a direct message to people whom somebody else added to a group
// or removed from one (server-behavior §G7).
func (o *Organization) notifyMembers(actor User, users []int, what string) {
	for _, id := range users {
		if u, ok := o.Users.Get(id); ok && !u.IsBot && u.Active && id != actor.ID {
			o.sendNotice(id, fmt.Sprintf("%s %s.", silentMention(actor), what))
		}
	}
}
