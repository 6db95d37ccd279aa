package rules

import (
	"errors"
	"slices"
	"testing"
)

func (f *office) unread(role int) []int {
	found, err := f.FindMessages(f.people[role], MessageQuery{After: 100, Narrow: []NarrowTerm{{Operator: "is", Operand: "unread"}}})
	if err != nil {
		f.t.Fatal(err)
	}
	return found.IDs
}

// The trap of server-behavior §M7: no topic, and the topic without a name, mean the
// whole channel.
func TestMarkTopicAsRead(t *testing.T) {
	f := newOffice(t)
	a, b := f.post(RoleOwner, "a", "1"), f.post(RoleOwner, "b", "2")
	member := f.people[RoleMember]
	mark := func(topic string) string { return said(f.MarkTopicRead(member, f.channel.ID, topic)) }
	if got := mark("general chat"); got != "No such topic ''" {
		t.Errorf("no message without a topic yet: %q", got)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	here := f.post(RoleOwner, "t", "x")
	member := f.people[RoleMember]
	update := func(op, flag string, ids ...int) (int, []int) {
		t.Helper()
		updated, ignored, err := f.UpdateFlags(member, op, flag, ids)
		if err != nil {
			t.Fatal(err)
		}
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
	// Another name of the same emoji: whoever reacted first has named it.
	code := f.message(id).Reactions[0].Code
	if got := add(RoleGuest, "whatever", &code, ptr(StandardEmoji)); got != "" {
		t.Errorf("joining a reaction by its code: %q", got)
	}
	if got := f.message(id).Reactions; len(got) != 2 || got[1].Name != "thumbs_up" {
		t.Errorf("reactions %+v", got)
	}
	if got := add(RoleMember, "zulip", nil, nil); got != "" {
		t.Errorf("the extra emoji: %q", got)
	}
	remove := func(kind string) string {
		return said(f.RemoveReaction(f.people[RoleMember], id, ptr("zulip"), nil, kind))
	}
	if got := remove(StandardEmoji); got != "Reaction doesn't exist." {
		t.Errorf("the kind does not follow from the name: %q", got)
	}
	if got := remove(ExtraEmoji); got != "" {
		t.Errorf("with the kind: %q", got)
	}
	if got := add(RoleMember, "no_such_emoji", nil, nil); got != "Emoji 'no_such_emoji' does not exist" {
		t.Errorf("an unknown emoji: %q", got)
	}
}
