package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// manyPeople is how many people a channel or topic may have before mentioning
// all of them requires a permission.
const manyPeople = 15

// mentions is whom a content mentions.
type mentions struct {
	people         []int // directly or through groups
	groups         []int
	channel, topic bool // everyone in the channel, everyone in the topic
}

var (
	codeInContent    = regexp.MustCompile("(?s)```.*?```|~~~.*?~~~|`[^`\n]*`")
	mentionInContent = regexp.MustCompile(`@\*\*([^*\n]+)\*\*|@\*([^*\n]+)\*`)
)

// wildcards mention everyone in the channel, topicWildcard everyone in the topic.
var wildcards = []string{"all", "everyone", "channel", "stream"}

const topicWildcard = "topic"

// mentionsIn finds the mentions of a content. Silent ones, with a low line
// after the at sign, mention nobody; nor do those in code.
func (o *Organization) mentionsIn(content string) mentions {
	var said mentions
	if !strings.Contains(content, "@*") {
		return said
	}
	for _, found := range mentionInContent.FindAllStringSubmatch(codeInContent.ReplaceAllString(content, ""), -1) {
		switch name := found[1]; {
		case name == "":
			if g, ok := o.GroupByName(found[2]); ok && !g.Deactivated {
				said.groups = append(said.groups, g.ID)
				said.people = append(said.people, o.AllMembers(g)...)
			}
		case slices.Contains(wildcards, name):
			said.channel = true
		case name == topicWildcard:
			said.topic = true
		default:
			if id, ok := o.mentioned(name); ok {
				said.people = append(said.people, id)
			}
		}
	}
	said.people = sortedSet(said.people)
	return said
}

// mentioned finds the person behind "Full Name", "Full Name|id" or "|id".
func (o *Organization) mentioned(text string) (int, bool) {
	name, number, numbered := strings.Cut(text, "|")
	if numbered {
		id, err := strconv.Atoi(number)
		u, ok := o.Users.Get(id)
		return id, err == nil && ok && u.Active && (name == "" || strings.EqualFold(name, u.FullName))
	}
	for id, u := range o.Users.All() {
		if u.Active && strings.EqualFold(name, u.FullName) {
			return id, true
		}
	}
	return 0, false
}

// checkMentions checks the permission to mention many people, and groups.
func (o *Organization) checkMentions(sender User, m Message, said mentions) error {
	mayMany := func() bool { return o.MayRealm(sender, "can_mention_many_users_group") }
	if !m.Direct() && said.channel && o.SubscriberCount(m.ChannelID) > manyPeople && !mayMany() {
		return &Error{
			Code: "STREAM_WILDCARD_MENTION_NOT_ALLOWED",
			Msg:  "You do not have permission to use channel wildcard mentions in this channel.",
		}
	}
	if !m.Direct() && said.topic && len(o.participants(m.ChannelID, m.Topic)) > manyPeople && !mayMany() {
		return &Error{
			Code: "TOPIC_WILDCARD_MENTION_NOT_ALLOWED",
			Msg:  "You do not have permission to use topic wildcard mentions in this topic.",
		}
	}
	for _, id := range said.groups {
		g, _ := o.Groups.Get(id)
		p, _ := FindPermission(GroupPermissions, "can_mention_group")
		if value, set := g.Permissions[p.Name]; set && !g.System && !o.Has(sender, p, value) {
			return Refuse("You are not allowed to mention user group '%s'.", g.Name)
		}
	}
	return nil
}

// participants are those who wrote in a topic or reacted there, ascending.
func (o *Organization) participants(channel int, topic string) []int {
	var people []int
	for _, id := range o.inTopic(channel, topic) {
		m, _ := o.Messages.Get(id)
		people = append(people, m.SenderID)
		for _, reaction := range m.Reactions {
			people = append(people, reaction.UserID)
		}
	}
	return sortedSet(people)
}

// mentionFlags are the flags a person gets from what a message mentions.
func (o *Organization) mentionFlags(m Message, said mentions, person int) Flags {
	var flags Flags
	if slices.Contains(said.people, person) {
		flags |= FlagMentioned
	}
	if said.channel {
		flags |= FlagChannelWildcard
	}
	if said.topic && !m.Direct() && slices.Contains(o.participants(m.ChannelID, m.Topic), person) {
		flags |= FlagTopicWildcard
	}
	return flags
}

// bots returns the mentioned bots: they receive what they are not subscribed to.
func (said mentions) bots(o *Organization) []int {
	var bots []int
	for _, id := range said.people {
		if u, ok := o.Users.Get(id); ok && u.IsBot {
			bots = append(bots, id)
		}
	}
	return bots
}

// silentMention names a person in a notice without notifying.
func silentMention(u User) string { return fmt.Sprintf("@_**%s|%d**", u.FullName, u.ID) }

// groupMention names a group in a notice without notifying.
func groupMention(g UserGroup) string { return fmt.Sprintf("@_*%s*", g.Name) }

// channelLink is Markdown for a channel, topicLink for a topic.
func channelLink(ch Channel) string { return fmt.Sprintf("#**%s**", ch.Name) }

func topicLink(ch Channel, topic string) string { return fmt.Sprintf("#**%s>%s**", ch.Name, topic) }
