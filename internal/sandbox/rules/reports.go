package rules

import "fmt"

// ReportReasons are what a message can be reported for, and how the report
// calls it (https://zulip.com/api/report-message).
var ReportReasons = []struct{ Type, Name string }{
	{"spam", "Spam"},
	{"harassment", "Harassment"},
	{"inappropriate", "Inappropriate content"},
	{"norms", "Violates community norms"},
	{"other", "Other reason"},
}

// ReportMessage is POST /messages/{id}/report: the moderators' channel gets a
// message about it, in the topic of the person it is about.
func (o *Organization) ReportMessage(u User, message int, reason, description string) error {
	if reason == "other" && description == "" {
		return Refuse("An explanation is required.")
	}
	channel := o.Settings().ModerationRequestChannelID
	if channel == 0 {
		return Refuse("Message reporting is not enabled in this organization.")
	}
	m, err := o.ReadMessage(u, message)
	if err != nil {
		return err
	}
	name := reason
	for _, known := range ReportReasons {
		if known.Type == reason {
			name = known.Name
		}
	}
	about := o.Sender(m.SenderID)
	place := "a direct message"
	if ch, ok := o.Channels.Get(m.ChannelID); ok {
		place = topicLink(ch, m.Topic)
	}
	text := fmt.Sprintf("%s reported a message sent by %s at <time:%s>.\n```quote\n**%s**. %s\n```\n\n````spoiler Original message in %s\n%s\n````",
		silentMention(u), silentMention(about), m.Sent.Format("2006-01-02T15:04:05Z07:00"), name, description, place, m.Content)
	o.post(Message{
		SenderID: o.NotificationBotID(), ChannelID: channel, Topic: truncatedTopic(about.FullName + " moderation"), Content: text, Sent: o.now().UTC(),
	}, mentions{})
	return nil
}
