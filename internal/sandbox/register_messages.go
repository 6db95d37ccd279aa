package sandbox

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// unreadMessages are the caller's unread messages by where they are (https://zulip.com/api/register-queue). "huddles" are the
// direct messages of three people and more.
func (r *request) unreadMessages(emptyAllowed bool) fields {
	var direct, channels, groups unreadPlaces
	mentions := []int{}
	count := 0
	for _, m := range r.org.UnreadMessages(r.me.ID) {
		muted := r.org.IsMuted(r.me.ID, m)
		if !muted {
			count++
		}
		if flags := m.FlagsFor(r.me.ID); flags&rules.FlagMentioned != 0 ||
			!muted && flags&(rules.FlagChannelWildcard|rules.FlagTopicWildcard) != 0 {
			mentions = append(mentions, m.ID)
		}
		others := slices.DeleteFunc(slices.Clone(m.People), func(id int) bool { return id == r.me.ID })
		switch {
		case !m.Direct():
			topic := shownTopic(m.Topic, emptyAllowed)
			channels.add(m.ID, unreadPlace{number: m.ChannelID, text: strings.ToLower(topic)}, fields{"stream_id": m.ChannelID, "topic": topic})
		case len(others) > 1:
			people := joinIDs(m.People)
			groups.add(m.ID, unreadPlace{text: people}, fields{"user_ids_string": people})
		default:
			other := slices.Concat(others, []int{r.me.ID})[0] // those to oneself have no other
			direct.add(m.ID, unreadPlace{number: other}, fields{"other_user_id": other, "sender_id": other})
		}
	}
	return fields{
		"pms": direct.objects(), "streams": channels.objects(), "huddles": groups.objects(),
		"mentions": mentions, "count": count, "old_unreads_missing": false,
	}
}

// unreadPlace is by what the places of unread messages are told apart and sorted.
type unreadPlace struct {
	number int
	text   string
}

// unreadPlaces gathers unread messages by place.
type unreadPlaces struct {
	places  map[unreadPlace]fields
	unreads map[unreadPlace][]int
}

func (u *unreadPlaces) add(message int, at unreadPlace, object fields) {
	if u.places == nil {
		u.places, u.unreads = map[unreadPlace]fields{}, map[unreadPlace][]int{}
	}
	if _, known := u.places[at]; !known {
		u.places[at] = object
	}
	u.unreads[at] = append(u.unreads[at], message)
}

func (u *unreadPlaces) objects() []fields {
	list := []fields{}
	keys := make([]unreadPlace, 0, len(u.places))
	for at := range u.places {
		keys = append(keys, at)
	}
	slices.SortFunc(keys, func(a, b unreadPlace) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.text, b.text))
	})
	for _, at := range keys {
		object := u.places[at]
		object["unread_message_ids"] = u.unreads[at]
		list = append(list, object)
	}
	return list
}

func joinIDs(ids []int) string {
	texts := make([]string, 0, len(ids))
	for _, id := range ids {
		texts = append(texts, strconv.Itoa(id))
	}
	return strings.Join(texts, ",")
}

// mutedTopics are the topics that the caller muted, as clients know them that do not know other visibilities.
func (r *request) mutedTopics() [][]any {
	list := [][]any{}
	for _, v := range r.org.TopicVisibilities.All() {
		if ch, ok := r.org.Channels.Get(v.ChannelID); ok && v.UserID == r.me.ID && v.Policy == rules.TopicMuted {
			list = append(list, []any{ch.Name, v.Topic, v.Updated})
		}
	}
	return list
}

// registerConversations is the part of a snapshot with the caller's direct messages: with whom, and the newest, newest first.
func registerConversations(r *request, _ registerOptions) fields {
	list := []fields{}
	for _, m := range r.org.NewestDirectMessages(r.me.ID) {
		others := slices.DeleteFunc(slices.Clone(m.People), func(id int) bool { return id == r.me.ID })
		list = append(list, fields{"max_message_id": m.ID, "user_ids": append([]int{}, others...)})
	}
	return fields{"recent_private_conversations": list}
}
