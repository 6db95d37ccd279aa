package trial_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// try is one account that tries one permission on a copy of a sandbox.
type try struct {
	*sandbox.Trial
	as int
	// on is the ID of the channel or group.
	on int
	// others are people to add, remove and write to. They are active and not guests.
	others []int
	// everybody are all active accounts.
	everybody []int
}

// attempt describes how a permission is tried.
type attempt struct {
	// do prepares the objects and tries. skip is the reason why the account can't try, if it can't.
	do func(t *try) (answer sandbox.TriedAnswer, skip string)
	// refusals are the beginnings of the server's refusals of this permission, in addition to the common ones.
	refusals []string
	// also are other permissions of the organization that permit the same.
	also []string
	// needs is a permission of the organization that is also required.
	needs string
	// byAdministrators is true if the role of administrators and owners permits the same.
	byAdministrators bool
}

// Refusals that all permissions share.
var refusals = []string{
	"Insufficient permission", "Must be an organization administrator", "Must be an organization owner", "Not allowed for guest users",
	"This endpoint does not accept bot requests.", "This API is not available to incoming webhook bots.", "Account is deactivated",
}

// isRefusal reports whether an answer refuses a request because of a permission.
func (a *attempt) isRefusal(answer sandbox.TriedAnswer) bool {
	begins := func(words string) bool { return strings.HasPrefix(answer.Message, words) }
	return slices.Contains([]int{400, 401, 403}, answer.Status) && (slices.ContainsFunc(refusals, begins) || slices.ContainsFunc(a.refusals, begins))
}

// nameOfTrial is the name of objects that are created for a try.
const nameOfTrial = "made to try what the rules allow"

const topic = "tried"

// Refusals that several permissions share.
const (
	noMessage       = "Invalid message(s)"
	noPost          = "You do not have permission to post in this channel."
	noAccessToPost  = "Not authorized to send to channel '"
	noTopic         = "You do not have permission to create new topics in this channel."
	noNamedTopics   = "Only the general chat topic is allowed in this channel."
	noEdit          = "You don't have permission to edit this message"
	noMove          = "You don't have permission to move this message"
	noResolve       = "You don't have permission to resolve topics in this channel."
	noDelete        = "You don't have permission to delete this message"
	noAccessToJoin  = "Unable to access channel ("
	noAdministering = "You do not have permission to administer this channel."
	noChannel       = "Invalid channel ID"
)

// channelAttempts are the attempts at the permissions of a channel, by [permission.ChannelPermission].
var channelAttempts = map[string]*attempt{
	"can_read":               {refusals: []string{noMessage}, do: (*try).readNew},
	"can_read_history":       {refusals: []string{noMessage}, do: (*try).readOld},
	"can_send_message_group": {refusals: []string{noPost, noAccessToPost}, do: func(t *try) (sandbox.TriedAnswer, string) { return t.send(t.on, t.placed()) }},
	"can_create_topic_group": {refusals: []string{noPost, noAccessToPost, noTopic, noNamedTopics}, do: func(t *try) (sandbox.TriedAnswer, string) {
		t.placed()
		return t.send(t.on, nameOfTrial)
	}},
	"can_delete_own_message_group": {refusals: []string{noDelete, noMessage}, do: func(t *try) (sandbox.TriedAnswer, string) {
		return t.ask("DELETE", messagePath(t.PlaceMessage(t.as, t.on, t.topic(), t.as)), nil)
	}},
	"can_delete_any_message_group": {refusals: []string{noDelete, noMessage}, do: func(t *try) (sandbox.TriedAnswer, string) {
		return t.ask("DELETE", messagePath(t.ofAnother(t.on, t.topic())), nil)
	}},
	"can_move_messages_out_of_channel_group": {refusals: []string{noMove, noMessage}, do: func(t *try) (sandbox.TriedAnswer, string) {
		to := t.PlaceChannel(nameOfTrial, nil, t.as)
		return t.ask("PATCH", messagePath(t.ofAnother(t.on, t.topic())), params{"stream_id": fmt.Sprint(to)})
	}},
	"can_move_messages_within_channel_group": {refusals: []string{noEdit, noMessage, noNamedTopics}, do: func(t *try) (sandbox.TriedAnswer, string) { return t.moveWithin(t.on) }},
	"can_resolve_topics_group":               {refusals: []string{noResolve, noMessage, noNamedTopics}, do: func(t *try) (sandbox.TriedAnswer, string) { return t.resolve(t.on) }},
	"can_administer_channel_group": {refusals: []string{noAdministering, noChannel}, do: func(t *try) (sandbox.TriedAnswer, string) {
		return t.ask("PATCH", channelPath(t.on), params{"description": nameOfTrial})
	}},
	"can_subscribe_group": {refusals: []string{noAccessToJoin}, do: func(t *try) (sandbox.TriedAnswer, string) {
		t.PlaceSubscription(t.as, t.on, false)
		return t.ask("POST", "/users/me/subscriptions", params{"subscriptions": jsonOf([]params{{"name": t.channelName()}})})
	}},
	"can_add_subscribers_group": {refusals: []string{noAccessToJoin}, do: func(t *try) (sandbox.TriedAnswer, string) { return t.addSubscriber(t.on) }},
	"can_remove_subscribers_group": {do: func(t *try) (sandbox.TriedAnswer, string) {
		third := t.other()
		if third == 0 {
			return t.nobodyElse()
		}
		t.PlaceSubscription(third, t.on, true)
		return t.ask("DELETE", "/users/me/subscriptions", params{"subscriptions": jsonOf([]string{t.channelName()}), "principals": jsonOf([]int{third})})
	}},
}

// groupAttempts are the attempts at the permissions of a user group.
var groupAttempts = map[string]*attempt{
	"can_manage_group": {do: func(t *try) (sandbox.TriedAnswer, string) {
		return t.ask("PATCH", groupPath(t.on), params{"description": nameOfTrial})
	}},
	"can_add_members_group": {do: func(t *try) (sandbox.TriedAnswer, string) {
		return t.changeOther("add", false)
	}},
	"can_remove_members_group": {do: func(t *try) (sandbox.TriedAnswer, string) {
		return t.changeOther("delete", true)
	}},
	"can_join_group": {do: func(t *try) (sandbox.TriedAnswer, string) {
		if t.isMember() {
			return sandbox.TriedAnswer{}, "the account is in the group already"
		}
		return t.ask("POST", groupPath(t.on)+"/members", params{"add": jsonOf([]int{t.as})})
	}},
	"can_leave_group": {do: func(t *try) (sandbox.TriedAnswer, string) {
		if !t.isMember() {
			return sandbox.TriedAnswer{}, "the account is not in the group"
		}
		return t.ask("POST", groupPath(t.on)+"/members", params{"delete": jsonOf([]int{t.as})})
	}},
	"can_mention_group": {refusals: []string{"You are not allowed to mention user group '"}, do: func(t *try) (sandbox.TriedAnswer, string) {
		group, _ := t.Groups.Get(t.on)
		channel := t.PlaceChannel(nameOfTrial, nil, t.as)
		return t.ask("POST", "/messages", params{"type": "stream", "to": fmt.Sprint(channel), "topic": topic, "content": "@*" + group.Name + "*"})
	}},
}

// organizationAttempts are the attempts at the permissions of the organization. No request tries the others.
var organizationAttempts = map[string]*attempt{
	"can_access_all_users_group": {do: func(t *try) (sandbox.TriedAnswer, string) {
		return t.ask("GET", fmt.Sprintf("/users/%d", t.PlaceAccount("tried@localhost.invalid", nameOfTrial)), nil)
	}},
	"can_add_custom_emoji_group": {do: func(t *try) (sandbox.TriedAnswer, string) {
		return t.Do(t.as, "POST", "/realm/emoji/made_to_try", nil, sandbox.Upload{Field: "filename", Name: "x.png", ContentType: "image/png", Content: pixel}), ""
	}},
	"can_add_subscribers_group": {byAdministrators: true, do: func(t *try) (sandbox.TriedAnswer, string) {
		t.on = t.PlaceChannel(nameOfTrial, nil, t.as)
		return t.addSubscriber(t.on)
	}},
	"can_create_bots_group": {do: func(t *try) (sandbox.TriedAnswer, string) { return t.createBot("1") }},
	"can_create_groups": {do: func(t *try) (sandbox.TriedAnswer, string) {
		return t.ask("POST", "/user_groups/create", params{"name": nameOfTrial, "description": "", "members": "[]"})
	}},
	"can_create_private_channel_group": {do: func(t *try) (sandbox.TriedAnswer, string) { return t.createChannel(params{"invite_only": "true"}) }},
	"can_create_public_channel_group":  {do: func(t *try) (sandbox.TriedAnswer, string) { return t.createChannel(params{}) }},
	"can_create_web_public_channel_group": {needs: "can_create_public_channel_group", do: func(t *try) (sandbox.TriedAnswer, string) {
		return t.createChannel(params{"is_web_public": "true"})
	}},
	"can_create_write_only_bots_group": {also: []string{"can_create_bots_group"}, do: func(t *try) (sandbox.TriedAnswer, string) { return t.createBot("2") }},
	"can_delete_any_message_group": {refusals: []string{noDelete}, do: func(t *try) (sandbox.TriedAnswer, string) {
		return t.ask("DELETE", messagePath(t.ofAnother(t.PlaceChannel(nameOfTrial, nil, t.as), topic)), nil)
	}},
	"can_delete_own_message_group": {refusals: []string{noDelete}, also: []string{"can_delete_any_message_group"}, do: func(t *try) (sandbox.TriedAnswer, string) {
		return t.ask("DELETE", messagePath(t.PlaceMessage(t.as, t.PlaceChannel(nameOfTrial, nil, t.as), topic, t.as)), nil)
	}},
	"can_invite_users_group": {do: func(t *try) (sandbox.TriedAnswer, string) {
		me, _ := t.Users.Get(t.as)
		return t.ask("POST", "/invites", params{"invitee_emails": "made-to-try" + me.Email[strings.LastIndex(me.Email, "@"):], "stream_ids": "[]"})
	}},
	"can_manage_all_groups": {do: func(t *try) (sandbox.TriedAnswer, string) {
		return t.ask("PATCH", groupPath(t.PlaceGroup(nameOfTrial)), params{"description": "tried"})
	}},
	"can_mention_many_users_group": {refusals: []string{"You do not have permission to use channel wildcard mentions in this channel."}, do: (*try).mentionMany},
	"can_move_messages_between_channels_group": {refusals: []string{noMove}, byAdministrators: true, do: func(t *try) (sandbox.TriedAnswer, string) {
		from, to := t.PlaceChannel(nameOfTrial, nil, t.as), t.PlaceChannel(nameOfTrial+" 2", nil, t.as)
		return t.ask("PATCH", messagePath(t.ofAnother(from, topic)), params{"stream_id": fmt.Sprint(to)})
	}},
	"can_move_messages_between_topics_group": {refusals: []string{noEdit}, byAdministrators: true, do: func(t *try) (sandbox.TriedAnswer, string) {
		return t.moveWithin(t.PlaceChannel(nameOfTrial, nil, t.as))
	}},
	"can_resolve_topics_group": {refusals: []string{noResolve}, do: func(t *try) (sandbox.TriedAnswer, string) {
		return t.resolve(t.PlaceChannel(nameOfTrial, nil, t.as))
	}},
	"can_set_delete_message_policy_group": {byAdministrators: true, do: func(t *try) (sandbox.TriedAnswer, string) {
		return t.setInOwnChannel(params{"can_delete_any_message_group": fmt.Sprintf(`{"new":%d}`, t.SystemGroup("role:moderators"))})
	}},
	"can_set_topics_policy_group": {byAdministrators: true, do: func(t *try) (sandbox.TriedAnswer, string) {
		return t.setInOwnChannel(params{"topics_policy": "disable_empty_topic"})
	}},
	"create_multiuse_invite_group": {do: func(t *try) (sandbox.TriedAnswer, string) { return t.ask("POST", "/invites/multiuse", nil) }},
	"direct_message_initiator_group": {refusals: []string{"You do not have permission to initiate direct message conversations."}, do: func(t *try) (sandbox.TriedAnswer, string) {
		return t.write(false)
	}},
	"direct_message_permission_group": {
		refusals: []string{"Direct messages are disabled in this organization.", "This conversation does not include any users who can authorize it."},
		do:       func(t *try) (sandbox.TriedAnswer, string) { return t.write(true) },
	},
}

// params are the parameters of a request.
type params = map[string]string

func jsonOf(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // it only has texts and numbers
	}
	return string(text)
}

func messagePath(id int) string { return fmt.Sprintf("/messages/%d", id) }
func channelPath(id int) string { return fmt.Sprintf("/streams/%d", id) }
func groupPath(id int) string   { return fmt.Sprintf("/user_groups/%d", id) }

func (t *try) ask(method, path string, with params) (sandbox.TriedAnswer, string) {
	return t.Do(t.as, method, path, with), ""
}

// other returns another account; 0 without one.
func (t *try) other() int {
	for _, id := range t.others {
		if id != t.as {
			return id
		}
	}
	return 0
}

func (t *try) nobodyElse() (sandbox.TriedAnswer, string) {
	return sandbox.TriedAnswer{}, "there is nobody else in the organization"
}

func (t *try) channelName() string {
	channel, _ := t.Channels.Get(t.on)
	return channel.Name
}

// topic is a topic that the channel accepts.
func (t *try) topic() string {
	if !t.AllowsTopics(t.on) {
		return ""
	}
	return topic
}

// placed sends a message to a topic, which exists then.
func (t *try) placed() string {
	t.ofAnother(t.on, t.topic())
	return t.topic()
}

// ofAnother sends a message of someone else, which the account receives if it is in the channel.
func (t *try) ofAnother(channel int, in string) int {
	var receivers []int
	if t.IsSubscribed(t.as, channel) {
		receivers = []int{t.as}
	}
	return t.PlaceMessage(t.sender(), channel, in, receivers...)
}

// sender is the author of the messages that the account reads; the account itself could delete its own.
func (t *try) sender() int {
	if id := t.other(); id != 0 {
		return id
	}
	return t.PlaceAccount("tried@localhost.invalid", nameOfTrial)
}

// readsAsSpectator reports whether a guest can read a web-public channel only like everyone on the internet: the API refuses
// such a guest (https://zulip.com/api/roles-and-permissions).
func (t *try) readsAsSpectator() bool {
	me, _ := t.Users.Get(t.as)
	channel, _ := t.Channels.Get(t.on)
	return me.IsGuest() && channel.WebPublic && !t.IsSubscribed(t.as, t.on)
}

const asSpectator = "a guest who is not in a web-public channel reads it without the account, as everybody does"

func (t *try) readNew() (sandbox.TriedAnswer, string) {
	if t.readsAsSpectator() {
		return sandbox.TriedAnswer{}, asSpectator
	}
	return t.ask("GET", messagePath(t.ofAnother(t.on, t.topic())), nil)
}

// readOld reads a message that was sent when the account was not in the channel.
func (t *try) readOld() (sandbox.TriedAnswer, string) {
	if t.readsAsSpectator() {
		return sandbox.TriedAnswer{}, asSpectator
	}
	return t.ask("GET", messagePath(t.PlaceMessage(t.sender(), t.on, t.topic())), nil)
}

func (t *try) send(channel int, in string) (sandbox.TriedAnswer, string) {
	return t.ask("POST", "/messages", params{"type": "stream", "to": fmt.Sprint(channel), "topic": in, "content": "x"})
}

// moveWithin moves a message to an existing topic, because a new topic also requires the permission to start topics.
func (t *try) moveWithin(channel int) (sandbox.TriedAnswer, string) {
	in := topic
	if !t.AllowsTopics(channel) {
		in = ""
	}
	t.ofAnother(channel, nameOfTrial)
	return t.ask("PATCH", messagePath(t.ofAnother(channel, in)), params{"topic": nameOfTrial})
}

func (t *try) resolve(channel int) (sandbox.TriedAnswer, string) {
	return t.ask("PATCH", messagePath(t.ofAnother(channel, topic)), params{"topic": "✔ " + topic, "propagate_mode": "change_all"})
}

func (t *try) addSubscriber(channel int) (sandbox.TriedAnswer, string) {
	third := t.other()
	if third == 0 {
		return t.nobodyElse()
	}
	t.PlaceSubscription(third, channel, false)
	return t.ask("POST", "/users/me/subscriptions", params{"subscriptions": jsonOf([]params{{"name": t.channelName()}}), "principals": jsonOf([]int{third})})
}

// isMember reports whether the account is directly in the group.
func (t *try) isMember() bool {
	group, _ := t.Groups.Get(t.on)
	return slices.Contains(group.Members, t.as)
}

// changeOther adds someone else to the group or removes someone.
func (t *try) changeOther(how string, isIn bool) (sandbox.TriedAnswer, string) {
	third := t.other()
	if third == 0 {
		return t.nobodyElse()
	}
	t.PlaceMember(third, t.on, isIn)
	return t.ask("POST", groupPath(t.on)+"/members", params{how: jsonOf([]int{third})})
}

func (t *try) createBot(kind string) (sandbox.TriedAnswer, string) {
	return t.ask("POST", "/bots", params{"full_name": nameOfTrial, "short_name": "made-to-try", "bot_type": kind})
}

func (t *try) createChannel(more params) (sandbox.TriedAnswer, string) {
	more["subscriptions"] = jsonOf([]params{{"name": nameOfTrial}})
	return t.ask("POST", "/users/me/subscriptions", more)
}

// manyPeople is the size of a channel from which on mentioning everyone requires a permission.
const manyPeople = 16

func (t *try) mentionMany() (sandbox.TriedAnswer, string) {
	people := []int{t.as}
	for _, id := range t.everybody {
		if id != t.as && len(people) < manyPeople {
			people = append(people, id)
		}
	}
	for i := len(people); i < manyPeople; i++ {
		people = append(people, t.PlaceAccount(fmt.Sprintf("tried%d@localhost.invalid", i), fmt.Sprint(nameOfTrial, i)))
	}
	channel := t.PlaceChannel(nameOfTrial, nil, people...)
	return t.ask("POST", "/messages", params{"type": "stream", "to": fmt.Sprint(channel), "topic": topic, "content": "@**all**"})
}

// setInOwnChannel changes a setting of a channel that the account administers.
func (t *try) setInOwnChannel(change params) (sandbox.TriedAnswer, string) {
	if me, _ := t.Users.Get(t.as); me.IsGuest() {
		return sandbox.TriedAnswer{}, "a guest administers no channel"
	}
	return t.ask("PATCH", channelPath(t.PlaceOwnChannel(nameOfTrial, t.as)), change)
}

// write writes a direct message. With continues, the conversation exists, and its recipient does not make it permissible.
// Otherwise the conversation is new and permissible.
func (t *try) write(continues bool) (sandbox.TriedAnswer, string) {
	me, _ := t.Users.Get(t.as)
	if me.IsBot {
		return sandbox.TriedAnswer{}, "bots write to everybody"
	}
	const permits = "direct_message_permission_group"
	for _, id := range t.others {
		if third, _ := t.Users.Get(id); id == t.as || third.IsBot || t.MayRealm(third, permits) == continues {
			continue
		}
		if continues {
			t.PlaceDirectMessage(id, t.as)
		}
		return t.ask("POST", "/messages", params{"type": "direct", "to": jsonOf([]int{id}), "content": "x"})
	}
	if continues {
		return sandbox.TriedAnswer{}, "everybody makes a direct message permissible"
	}
	return sandbox.TriedAnswer{}, "nobody else makes a direct message permissible"
}

// pixel is a picture of one pixel.
var pixel = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xff\xff?\x00\x05\xfe\x02\xfe\xa3\x35\x81\x84\x00\x00\x00\x00IEND\xaeB`\x82")
