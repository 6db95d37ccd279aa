package rules

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// edited is UpdateMessage with the defaults of the API.
func (f *office) edited(role, id int, c MessageChange) string {
	if c.Propagate == "" {
		c.Propagate = MoveOne
	}
	return said(f.UpdateMessage(f.people[role], id, c))
}

func TestTimeLimitsOfEdits(t *testing.T) {
	limits := func(o *Organization, seconds *int) {
		o.changeRealm(func(r *Realm) {
			r.MessageContentEditLimit, r.MoveMessagesWithinChannelLimit, r.MoveMessagesBetweenChannelsLimit = seconds, seconds, seconds
		})
	}
	content := MessageChange{Content: ptr("new")}
	topic := MessageChange{Topic: ptr("elsewhere")}
	tests := []struct {
		name   string
		role   int
		change MessageChange
		limit  *int
		after  time.Duration
		want   string
	}{
		{"content in time", RoleMember, content, ptr(600), 10 * time.Minute, ""},
		{"content within the buffer", RoleMember, content, ptr(600), 10*time.Minute + 20*time.Second, ""},
		{"content too late", RoleMember, content, ptr(600), 10*time.Minute + 21*time.Second, "The time limit for editing this message has passed"},
		{"content without limit", RoleMember, content, nil, 1000 * time.Hour, ""},
		{"topic too late", RoleMember, topic, ptr(60), time.Hour, "The time limit for editing this message's topic has passed."},
		{"topic by a moderator", RoleModerator, topic, ptr(60), time.Hour, ""},
		{"content of somebody else", RoleOwner, content, nil, 0, "You don't have permission to edit this message"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newOffice(t)
			limits(f.Organization, test.limit)
			id := f.post(RoleMember, "t", "old")
			f.time = f.time.Add(test.after)
			if got := f.edited(test.role, id, test.change); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestEditRequests(t *testing.T) {
	f := newOffice(t)
	id := f.post(RoleMember, "t", "text")
	direct := f.direct(RoleMember, "text", RoleGuest)
	other := f.newChannel(NewChannel{Name: "other"})
	hash := "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1" // of "text"
	tests := []struct {
		id     int
		change MessageChange
		want   string
	}{
		{id, MessageChange{}, "Nothing to change"},
		{id, MessageChange{Topic: ptr(" t ")}, "Nothing to change"},
		{id, MessageChange{Content: ptr("x"), Propagate: MoveAll}, "Invalid propagate_mode without topic edit"},
		{id, MessageChange{Topic: ptr("✔")}, "General chat cannot be marked as resolved"},
		{id, MessageChange{Content: ptr("x"), ChannelID: &other.ID}, "Cannot change message content while changing channel"},
		{id, MessageChange{ChannelID: ptr(999999)}, "Invalid channel ID"},
		{id, MessageChange{Content: ptr("x"), ContentHash: ptr("0")}, "'prev_content_sha256' value does not match the expected value."},
		{direct, MessageChange{Topic: ptr("x")}, "Direct messages cannot have topics."},
		{direct, MessageChange{ChannelID: &other.ID}, "Direct messages cannot be moved to channels."},
		{direct, MessageChange{Content: ptr("x")}, ""},
		{id, MessageChange{Content: ptr(" "), ContentHash: &hash}, ""},
	}
	for i, test := range tests {
		if got := f.edited(RoleMember, test.id, test.change); got != test.want {
			t.Errorf("%d: %q, want %q", i, got, test.want)
		}
	}
	if got := f.message(id).Content; got != "(deleted)" {
		t.Errorf("an emptied message says %q", got)
	}
	f.changeRealm(func(r *Realm) { r.AllowMessageEditing = false })
	if got := f.edited(RoleMember, id, MessageChange{Content: ptr("y")}); got != "Your organization has turned off message editing" {
		t.Errorf("editing turned off: %q", got)
	}
}

func TestPropagateModes(t *testing.T) {
	tests := []struct {
		mode      string
		at        int   // which of four messages is moved
		moved     []int // the messages that move
		newNotice string
		oldNotice string
	}{
		{MoveOne, 1, []int{1}, "[A message](", "A message was moved from this topic"},
		{MoveLater, 1, []int{1, 2, 3}, "3 messages were moved here", "3 messages were moved from this topic"},
		{MoveLater, 0, []int{0, 1, 2, 3}, "This topic was moved here", "This topic was moved to"},
		{MoveAll, 2, []int{0, 1, 2, 3}, "This topic was moved here", "This topic was moved to"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.mode, " at ", test.at), func(t *testing.T) {
			f := newOffice(t)
			var ids, moved []int
			for i := range 4 {
				ids = append(ids, f.post(RoleMember, "old", fmt.Sprint(i)))
			}
			c := MessageChange{Topic: ptr("new"), Propagate: test.mode, NotifyNew: true, NotifyOld: true}
			if got := f.edited(RoleMember, ids[test.at], c); got != "" {
				t.Fatal(got)
			}
			for i, id := range ids {
				if m := f.message(id); m.Topic == "new" {
					moved = append(moved, i)
					if len(m.Edits) != 1 || *m.Edits[0].PrevTopic != "old" || m.MovedAt == 0 || m.EditedAt != 0 {
						t.Errorf("message %d: edits %+v", i, m.Edits)
					}
				}
			}
			if !slices.Equal(moved, test.moved) {
				t.Errorf("moved %v, want %v", moved, test.moved)
			}
			there, here := f.texts("new"), f.texts("old")
			if last := there[len(there)-1]; !strings.HasPrefix(last, test.newNotice) {
				t.Errorf("notice in the new topic: %q", last)
			}
			if last := here[len(here)-1]; !strings.HasPrefix(last, test.oldNotice) {
				t.Errorf("notice in the old topic: %q", last)
			}
		})
	}
}

func TestMovingTopic_PartlyTooOld_Refused(t *testing.T) {
	f := newOffice(t)
	f.changeRealm(func(r *Realm) { r.MoveMessagesWithinChannelLimit = ptr(3600) })
	f.post(RoleMember, "old", "1")
	f.time = f.time.Add(2 * time.Hour)
	second := f.post(RoleMember, "old", "2")
	err := f.UpdateMessage(f.people[RoleMember], second, MessageChange{Topic: ptr("new"), Propagate: MoveAll})
	var e *Error
	if !errors.As(err, &e) || e.Code != "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED" || e.Extra["first_message_id_allowed_to_move"] != second ||
		e.Extra["total_messages_in_topic"] != 2 || e.Extra["total_messages_allowed_to_move"] != 1 {
		t.Errorf("%v %+v", err, e)
	}
	expectEqual(t, "the part that may move", f.edited(RoleMember, second, MessageChange{Topic: ptr("new"), Propagate: MoveLater}), "")
}

func TestMovingToAnotherChannel(t *testing.T) {
	f := newOffice(t)
	private := channel(t, f.Organization, f.people[RoleOwner], NewChannel{Name: "private", Private: true}, f.people[RoleOwner], f.people[RoleMember])
	id := f.post(RoleMember, "t", "x")
	expectEqual(t, "into a channel one cannot see", f.edited(RoleGuest, id, MessageChange{ChannelID: &private.ID}), "Invalid channel ID")
	if got := f.edited(RoleMember, id, MessageChange{ChannelID: &private.ID}); got != "" {
		t.Fatal(got)
	}
	m := f.message(id)
	if m.ChannelID != private.ID || *m.Edits[0].PrevChannel != f.channel.ID || m.received(f.people[RoleGuest].ID) || !m.received(f.people[RoleMember].ID) {
		t.Errorf("the moved message: %+v", m)
	}
	if _, err := f.ReadMessage(f.people[RoleGuest], id); err == nil {
		t.Error("who cannot see the channel still reads the message")
	}
}

func TestResolvingTopic_DoneAndUndone_Notices(t *testing.T) {
	f := newOffice(t)
	id := f.post(RoleMember, "t", "x")
	set := func(topic string) {
		t.Helper()
		if got := f.edited(RoleMember, id, MessageChange{Topic: &topic, Propagate: MoveAll, NotifyNew: true}); got != "" {
			t.Fatal(got)
		}
	}
	set("✔ t")
	if got := f.texts("✔ t"); len(got) != 2 || !strings.HasSuffix(got[1], "has marked this topic as resolved.") {
		t.Errorf("after resolving: %q", got)
	}
	set("t")
	if got := f.texts("t"); len(got) != 1 {
		t.Errorf("undone at once, the notice goes: %q", got)
	}
	set("✔ t")
	f.time = f.time.Add(time.Hour)
	set("t")
	if got := f.texts("t"); len(got) != 3 || !strings.HasSuffix(got[2], "has marked this topic as unresolved.") {
		t.Errorf("undone later: %q", got)
	}
}

func TestResolvingTopic_NoTopicCreation_Allowed(t *testing.T) {
	f := newOffice(t)
	id := f.post(RoleMember, "t", "x")
	ch, _ := f.Channels.Get(f.channel.ID)
	ch.Permissions = maps.Clone(ch.Permissions)
	ch.Permissions["can_create_topic_group"] = Named(f.SystemGroup(Nobody))
	f.Channels.Put(ch.ID, ch)
	rename := func(topic string) string {
		return f.edited(RoleMember, id, MessageChange{Topic: &topic, Propagate: MoveAll})
	}
	expectEqual(t, "another name", rename("other"), "You do not have permission to create new topics in this channel.")
	expectEqual(t, "resolving", rename("✔ t"), "")
	expectEqual(t, "taking it up again", rename("t"), "")
}

func TestMessageHistoryPolicies(t *testing.T) {
	f := newOffice(t)
	id := f.post(RoleMember, "t", "1")
	for _, c := range []MessageChange{{Content: ptr("2")}, {Topic: ptr("u")}, {Content: ptr("3"), Topic: ptr("v")}} {
		if got := f.edited(RoleMember, id, c); got != "" {
			t.Fatal(got)
		}
	}
	for policy, want := range map[string]int{"all": 3, "moves": 2, "none": 0} {
		f.changeRealm(func(r *Realm) { r.MessageEditHistory = policy })
		_, edits, err := f.MessageHistory(f.people[RoleMember], id)
		if len(edits) != want || (err != nil) != (policy == "none") {
			t.Errorf("%s: %d edits, %v; want %d", policy, len(edits), err, want)
		}
		for _, edit := range edits {
			if policy == "moves" && edit.PrevContent != nil {
				t.Error("the policy of moves shows a content")
			}
		}
	}
	f.changeRealm(func(r *Realm) { r.MessageEditHistory = "all" })
	_, edits, _ := f.MessageHistory(f.people[RoleMember], id)
	if newest := edits[0]; *newest.PrevContent != "2" || *newest.PrevTopic != "u" || *newest.Topic != "v" {
		t.Errorf("an edit of both is one edit: %+v", newest)
	}
}

func TestMessage_Delete_ByPermission(t *testing.T) {
	f := newOffice(t)
	bot := f.AddUser(User{Email: "bot@example.com", FullName: "Bot", Role: RoleMember, IsBot: true, BotOwnerID: f.people[RoleMember].ID})
	f.subscribe(bot.ID, f.channel.ID, "")
	const denied, late = "You don't have permission to delete this message", "The time limit for deleting this message has passed"
	post := func(sender User) int {
		id, _, err := f.SendMessage(sender, f.to("t"), "x", false, "test")
		requireNoError(t, err)
		return id
	}
	tests := []struct {
		name   string
		sender User
		actor  User
		after  time.Duration
		own    bool // whether people can delete their own
		want   string
	}{
		{"own", f.people[RoleMember], f.people[RoleMember], 0, true, ""},
		{"own, too late", f.people[RoleMember], f.people[RoleMember], 11 * time.Minute, true, late},
		{"own, not allowed", f.people[RoleMember], f.people[RoleMember], 0, false, denied},
		{"that of the own bot", bot, f.people[RoleMember], 0, true, ""},
		{"that of somebody's bot", bot, f.people[RoleModerator], 0, true, denied},
		{"of somebody else", f.people[RoleGuest], f.people[RoleMember], 0, true, denied},
		{"any, however old", f.people[RoleGuest], f.people[RoleAdministrator], time.Hour, false, ""},
	}
	for _, test := range tests {
		own := f.nobody()
		if test.own {
			own = Named(f.SystemGroup(Everyone))
		}
		f.setPermission("can_delete_own_message_group", own)
		id := post(test.sender)
		f.time = f.time.Add(test.after)
		if got := said(f.DeleteMessage(test.actor, id)); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	id := post(f.people[RoleMember])
	requireNoError(t, f.ArchiveChannel(f.people[RoleOwner], f.channel.ID))
	expectEqual(t, "in an archived channel", said(f.DeleteMessage(f.people[RoleOwner], id)), "Invalid message(s)")
	if _, err := f.ReadMessage(f.people[RoleOwner], id); err != nil {
		t.Errorf("an archived channel can be read: %v", err)
	}
}

func (f *office) unread(role int) []int {
	found, err := f.FindMessages(f.people[role], MessageQuery{After: 100, Narrow: []NarrowTerm{{Operator: "is", Operand: "unread"}}})
	if err != nil {
		f.t.Fatal(err)
	}
	return found.IDs
}

// The trap of server-behavior §M7: an absent topic and an empty topic mean the whole channel.
func TestMarkTopicAsRead(t *testing.T) {
	f := newOffice(t)
	a, b := f.post(RoleOwner, "a", "1"), f.post(RoleOwner, "b", "2")
	member := f.people[RoleMember]
	mark := func(topic string) string { return said(f.MarkTopicRead(member, f.channel.ID, topic)) }
	expectEqual(t, "no message without a topic yet", mark("general chat"), "No such topic ''")
	if got := mark("A"); got != "" || !slices.Equal(f.unread(RoleMember), []int{b}) {
		t.Errorf("after marking the topic of %d: %q, unread %v", a, got, f.unread(RoleMember))
	}
	empty := f.post(RoleOwner, "", "3")
	if got := f.unread(RoleMember); !slices.Equal(got, []int{b, empty}) {
		t.Fatalf("unread %v", got)
	}
	if got := mark("general chat"); got != "" || len(f.unread(RoleMember)) != 0 {
		t.Errorf("the topic without a name is the whole channel: %q, unread %v", got, f.unread(RoleMember))
	}
	f.post(RoleOwner, "a", "4")
	f.post(RoleOwner, "b", "5")
	if got := mark(""); got != "" || len(f.unread(RoleMember)) != 0 {
		t.Errorf("no topic is the whole channel: %q, unread %v", got, f.unread(RoleMember))
	}
}

func TestUpdateFlags(t *testing.T) {
	f := newOffice(t)
	outside := channel(t, f.Organization, f.people[RoleOwner], NewChannel{Name: "outside"}, f.people[RoleOwner])
	topic := "t"
	elsewhere, _, err := f.SendMessage(f.people[RoleOwner], Addressee{ToChannel: true, ChannelID: &outside.ID, Topic: &topic}, "x", false, "test")
	requireNoError(t, err)
	here := f.post(RoleOwner, "t", "x")
	member := f.people[RoleMember]
	update := func(op, flag string, ids ...int) (int, []int) {
		t.Helper()
		updated, ignored, err := f.UpdateFlags(member, op, flag, ids)
		requireNoError(t, err)
		return updated, ignored
	}
	if n, _ := update("add", "starred", here, elsewhere); n != 2 {
		t.Errorf("starred %d, want 2: what one can see can be starred", n)
	}
	if n, _ := update("add", "starred", here, elsewhere); n != 0 {
		t.Errorf("starred again: %d", n)
	}
	if got := f.message(elsewhere).Copies[member.ID].Names(); !slices.Equal(got, []string{"read", "starred", "historical"}) {
		t.Errorf("flags of what was not received: %v", got)
	}
	if got := f.StarredMessages(member.ID); !slices.Equal(got, []int{elsewhere, here}) {
		t.Errorf("starred messages: %v", got)
	}
	update("add", "read", here)
	n, ignored := update("remove", "read", here, elsewhere)
	if n != 1 || !slices.Equal(ignored, []int{outside.ID}) {
		t.Errorf("made unread %d, ignored %v; want 1, %v", n, ignored, []int{outside.ID})
	}
	hidden := f.direct(RoleOwner, "x", RoleGuest)
	if _, _, err := f.UpdateFlags(member, "add", "starred", []int{here, hidden}); said(err) != "Invalid message(s)" {
		t.Errorf("a message of others: %v", err)
	}
}

func TestFindMessages(t *testing.T) {
	f := newOffice(t)
	var ids []int
	for range 5 {
		ids = append(ids, f.post(RoleOwner, "t", "word"))
	}
	other := f.post(RoleMember, "u", "see https://example.com")
	direct := f.direct(RoleOwner, "x", RoleMember)
	inTopic := []NarrowTerm{{Operator: "channel", Operand: "Office"}, {Operator: "topic", Operand: "T"}}
	tests := []struct {
		name           string
		query          MessageQuery
		want           []int
		oldest, newest bool
	}{
		{"all", MessageQuery{After: 10, Narrow: inTopic}, ids, true, true},
		{"from the oldest", MessageQuery{After: 2, Narrow: inTopic}, ids[:2], true, false},
		{"to the newest", MessageQuery{Anchor: AnchorNewest, Before: 2, Narrow: inTopic}, ids[3:], false, true},
		{"around", MessageQuery{Anchor: ids[2], Before: 1, After: 1, Narrow: inTopic}, ids[1:4], false, false},
		{"around, without it", MessageQuery{Anchor: ids[2], After: 5, ExcludeAnchor: true, Narrow: inTopic}, ids[3:], false, true},
		{"negated", MessageQuery{After: 10, Narrow: []NarrowTerm{{Operator: "topic", Operand: "t", Negated: true}}}, []int{other, direct}, true, true},
		{"sender", MessageQuery{After: 10, Narrow: []NarrowTerm{{Operator: "sender", Operand: f.people[RoleMember].ID}}}, []int{other}, true, true},
		{"link", MessageQuery{After: 10, Narrow: []NarrowTerm{{Operator: "has", Operand: "link"}}}, []int{other}, true, true},
		{"search", MessageQuery{After: 10, Narrow: []NarrowTerm{{Operator: "search", Operand: "SEE example"}}}, []int{other}, true, true},
		{"direct", MessageQuery{After: 10, Narrow: []NarrowTerm{{Operator: "dm", Operand: []int{f.people[RoleOwner].ID}}}}, []int{direct}, true, true},
	}
	for _, test := range tests {
		found, err := f.FindMessages(f.people[RoleMember], test.query)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if !slices.Equal(found.IDs, test.want) || found.FoundOldest != test.oldest || found.FoundNewest != test.newest {
			t.Errorf("%s: %+v, want %v, oldest %t, newest %t", test.name, found, test.want, test.oldest, test.newest)
		}
	}
	if found, _ := f.FindMessages(f.people[RoleGuest], MessageQuery{IDs: []int{direct, ids[0]}}); !slices.Equal(found.IDs, ids[:1]) {
		t.Errorf("by ids: %v, want what the guest may read", found.IDs)
	}
	_, err := f.FindMessages(f.people[RoleMember], MessageQuery{Narrow: []NarrowTerm{{Operator: "color", Operand: "red"}}})
	var e *Error
	if !errors.As(err, &e) || e.Code != "BAD_NARROW" || e.Extra["desc"] != "unknown operator color" {
		t.Errorf("an unknown operator: %v", err)
	}
}

func TestReactions(t *testing.T) {
	f := newOffice(t)
	id := f.post(RoleOwner, "t", "x")
	add := func(role int, name string, code, kind *string) string {
		return said(f.AddReaction(f.people[role], id, name, code, kind))
	}
	if got := add(RoleMember, "thumbs_up", nil, nil); got != "" {
		t.Fatal(got)
	}
	// Under another name of the same emoji, the name of the first reaction remains.
	code := f.message(id).Reactions[0].Code
	expectEqual(t, "joining a reaction by its code", add(RoleGuest, "whatever", &code, ptr(StandardEmoji)), "")
	if got := f.message(id).Reactions; len(got) != 2 || got[1].Name != "thumbs_up" {
		t.Errorf("reactions %+v", got)
	}
	expectEqual(t, "the extra emoji", add(RoleMember, "zulip", nil, nil), "")
	remove := func(kind string) string {
		return said(f.RemoveReaction(f.people[RoleMember], id, ptr("zulip"), nil, kind))
	}
	expectEqual(t, "the kind does not follow from the name", remove(StandardEmoji), "Reaction doesn't exist.")
	expectEqual(t, "with the kind", remove(ExtraEmoji), "")
	expectEqual(t, "an unknown emoji", add(RoleMember, "no_such_emoji", nil, nil), "Emoji 'no_such_emoji' does not exist")
}
