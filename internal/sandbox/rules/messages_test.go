package rules

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// office is an organization with a clock of its own and a public channel with all people.
type office struct {
	*Organization
	t       *testing.T
	time    time.Time
	feature int          // the feature level
	people  map[int]User // by role
	channel Channel
}

func newOffice(t *testing.T) *office {
	t.Helper()
	f := &office{t: t, feature: 442, time: time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC), people: map[int]User{}}
	f.Organization = New(func() time.Time { return f.time }, func() int { return f.feature })
	f.Initialize()
	for _, role := range []int{RoleOwner, RoleAdministrator, RoleModerator, RoleMember, RoleGuest} {
		f.people[role] = f.AddUser(User{Email: roleName(role) + "@example.com", FullName: roleName(role), Role: role})
	}
	f.channel = f.newChannel(NewChannel{Name: "office"})
	return f
}

// roleName names roles in tests.
func roleName(role int) string {
	return map[int]string{RoleOwner: "owner", RoleAdministrator: "admin", RoleModerator: "moderator", RoleMember: "member", RoleGuest: "guest"}[role]
}

func (f *office) newChannel(spec NewChannel) Channel {
	f.t.Helper()
	return channel(f.t, f.Organization, f.people[RoleOwner], spec, slices.Collect(maps.Values(f.people))...)
}

// to addresses a topic of the office's channel.
func (f *office) to(topic string) Addressee {
	return Addressee{ToChannel: true, ChannelID: &f.channel.ID, Topic: &topic}
}

// post posts a message in a topic as a person of a role, and returns its id.
func (f *office) post(role int, topic, content string) int {
	f.t.Helper()
	id, _, err := f.SendMessage(f.people[role], f.to(topic), content, false, "test")
	if err != nil {
		f.t.Fatal(err)
	}
	return id
}

func (f *office) direct(role int, content string, to ...int) int {
	f.t.Helper()
	var people []int
	for _, r := range to {
		people = append(people, f.people[r].ID)
	}
	id, _, err := f.SendMessage(f.people[role], Addressee{People: principalsOf(people)}, content, false, "test")
	if err != nil {
		f.t.Fatal(err)
	}
	return id
}

func (f *office) message(id int) Message {
	m, _ := f.Messages.Get(id)
	return m
}

// texts returns the contents of a topic, the oldest first.
func (f *office) texts(topic string) []string {
	var texts []string
	for _, id := range f.inTopic(f.channel.ID, topic) {
		texts = append(texts, f.message(id).Content)
	}
	return texts
}

func (f *office) setPermission(name string, v GroupValue) {
	f.changeRealm(func(r *Realm) { r.Permissions[name] = v })
}

func (f *office) nobody() GroupValue { return Named(f.SystemGroup(Nobody)) }

func TestMessage_Stored_Normalized(t *testing.T) {
	f := newOffice(t)
	long := strings.Repeat("é", 61)
	tests := []struct{ topic, content, wantTopic, wantContent string }{
		{"plain", "text", "plain", "text"},
		{long, "x", long[:57*2] + "...", "x"},
		{strings.Repeat("x", 60), "x", strings.Repeat("x", 60), "x"},
		{"(no topic)", "x", "", "x"},
		{"general chat", "x", "", "x"},
		{"blanks", "\n\n  indented \n \t", "blanks", "  indented"},
		{"cut", strings.Repeat("y", 10001), "cut", strings.Repeat("y", 10000-len("\n[message truncated]")) + "\n[message truncated]"},
		{"full", strings.Repeat("y", 10000), "full", strings.Repeat("y", 10000)},
	}
	for _, test := range tests {
		m := f.message(f.post(RoleMember, test.topic, test.content))
		if m.Topic != test.wantTopic || m.Content != test.wantContent {
			t.Errorf("%.20q, %.20q: stored %q and %d characters", test.topic, test.content, m.Topic, len(m.Content))
		}
	}
	for topic, want := range map[string]string{"a\tb": "Invalid character in topic, at position 2!", "a": "Message must not be empty"} {
		if _, _, err := f.SendMessage(f.people[RoleMember], f.to(topic), " \n", false, "test"); said(err) != want {
			t.Errorf("%q: %v, want %q", topic, err, want)
		}
	}
}

func TestTopicsPolicyOfMessages(t *testing.T) {
	f := newOffice(t)
	send := func(topic string) string {
		_, _, err := f.SendMessage(f.people[RoleMember], f.to(topic), "x", false, "test")
		return said(err)
	}
	set := func(policy string) error {
		return f.UpdateChannel(f.people[RoleOwner], f.channel.ID, ChannelChange{TopicsPolicy: &policy})
	}
	f.changeRealm(func(r *Realm) { r.TopicsPolicy = TopicsDisableEmpty })
	if got := send(""); !strings.Contains(got, "is not allowed in this channel") {
		t.Errorf("the organization's policy counts where the channel inherits: %q", got)
	}
	requireNoError(t, set(TopicsOnlyEmpty))
	if got := send("named"); !strings.HasPrefix(got, "Only the general chat topic") {
		t.Errorf("a named topic: %q", got)
	}
	expectEqual(t, "the empty topic", send(""), "")
	requireNoError(t, set(TopicsInherit))
	id := f.post(RoleMember, "named", "x")
	err := set(TopicsOnlyEmpty)
	var e *Error
	if !strings.HasPrefix(said(err), "To enable this configuration") || !errors.As(err, &e) || e.Extra["empty_topic_display_name"] != "general chat" {
		t.Errorf("with a message in a named topic: %v", err)
	}
	requireNoError(t, f.DeleteMessage(f.people[RoleOwner], id))
	expectEqual(t, "after its last message is gone", set(TopicsOnlyEmpty), nil)
}

func TestProtectedHistory_Reading_ReceivedOnly(t *testing.T) {
	f := newOffice(t)
	hidden := false
	secret := channel(t, f.Organization, f.people[RoleOwner], NewChannel{Name: "secret", Private: true, SharedHistory: &hidden}, f.people[RoleOwner], f.people[RoleGuest])
	topic := "t"
	to := Addressee{ToChannel: true, ChannelID: &secret.ID, Topic: &topic}
	id, _, err := f.SendMessage(f.people[RoleOwner], to, "before", false, "test")
	requireNoError(t, err)
	f.subscribe(f.people[RoleMember].ID, secret.ID, "")
	if _, err := f.ReadMessage(f.people[RoleMember], id); said(err) != "Invalid message(s)" {
		t.Errorf("who came later reads it: %v", err)
	}
	if topics, _ := f.Topics(f.people[RoleMember], secret.ID); len(topics) != 0 {
		t.Errorf("who came later sees topics: %v", topics)
	}
	if _, err := f.ReadMessage(f.people[RoleGuest], id); err != nil {
		t.Errorf("who received it: %v", err)
	}
	f.unsubscribe(f.people[RoleGuest].ID, secret.ID)
	if _, err := f.ReadMessage(f.people[RoleGuest], id); err == nil {
		t.Error("who left the channel still reads it")
	}
}

func TestDirectMessagePermissions(t *testing.T) {
	f := newOffice(t)
	send := func(role int, to ...int) string {
		var people []int
		for _, r := range to {
			people = append(people, f.people[r].ID)
		}
		_, _, err := f.SendMessage(f.people[role], Addressee{People: principalsOf(people)}, "x", false, "test")
		return said(err)
	}
	expectEqual(t, "to nobody", send(RoleMember), "Message must have recipients")
	f.setPermission("direct_message_initiator_group", Named(f.SystemGroup(Moderators)))
	expectEqual(t, "a new conversation", send(RoleMember, RoleGuest), "You do not have permission to initiate direct message conversations.")
	expectEqual(t, "by whom may start one", send(RoleModerator, RoleMember), "")
	expectEqual(t, "the answer", send(RoleMember, RoleModerator), "")
	f.setPermission("direct_message_permission_group", Named(f.SystemGroup(Administrators)))
	expectEqual(t, "without an administrator", send(RoleMember, RoleModerator), "This conversation does not include any users who can authorize it.")
	f.setPermission("direct_message_permission_group", f.nobody())
	expectEqual(t, "where they are disabled", send(RoleAdministrator, RoleMember), "Direct messages are disabled in this organization.")
	expectEqual(t, "to oneself", send(RoleMember, RoleMember), "")
}

func TestMentions(t *testing.T) {
	f := newOffice(t)
	member := f.people[RoleMember]
	group, err := f.CreateGroup(f.people[RoleOwner], NewGroup{Name: "ops", Members: []int{member.ID}})
	requireNoError(t, err)
	tests := []struct {
		content string
		want    Flags
	}{
		{"nothing", 0},
		{"@**member**", FlagMentioned},
		{"@_**member**", 0},
		{"`@**member**`", 0},
		{"@**guest**", 0},
		{"@*ops*", FlagMentioned},
		{"@**all** look", FlagChannelWildcard},
	}
	for _, test := range tests {
		m := f.message(f.post(RoleOwner, "m", test.content))
		if got := m.Copies[member.ID]; got != test.want {
			t.Errorf("%q: flags %v, want %v", test.content, got.Names(), test.want.Names())
		}
	}
	f.Groups.Put(group.ID, func() UserGroup {
		g, _ := f.Groups.Get(group.ID)
		g.Permissions = maps.Clone(g.Permissions)
		g.Permissions["can_mention_group"] = f.nobody()
		return g
	}())
	if _, _, err := f.SendMessage(member, f.to("m"), "@*ops*", false, "test"); said(err) != "You are not allowed to mention user group 'ops'." {
		t.Errorf("a group nobody may mention: %v", err)
	}
	for i := range 20 {
		u := f.AddUser(User{Email: strings.Repeat("x", i+1) + "@example.com", FullName: "Filler", Role: RoleMember})
		f.subscribe(u.ID, f.channel.ID, "")
	}
	_, _, err = f.SendMessage(member, f.to("m"), "@**everyone**", false, "test")
	var e *Error
	if !errors.As(err, &e) || e.Code != "STREAM_WILDCARD_MENTION_NOT_ALLOWED" {
		t.Errorf("everyone in a large channel: %v", err)
	}
}

func TestTopic_Followed_MessagesFlagged(t *testing.T) {
	f := newOffice(t)
	send := func(role int, topic string) int {
		_, visibility, err := f.SendMessage(f.people[role], f.to(topic), "x", false, "test")
		requireNoError(t, err)
		return visibility
	}
	for i, want := range []int{TopicFollowed, TopicInherits} {
		if got := send(RoleMember, "new"); got != want {
			t.Errorf("message %d of who starts a topic: %d, want %d", i, got, want)
		}
	}
	expectEqual(t, "who answers", send(RoleGuest, "new"), TopicInherits)
	requireNoError(t, f.SetSubscriptionProperty(f.people[RoleGuest], f.channel.ID, "is_muted", true))
	for i, want := range []int{TopicUnmuted, TopicInherits} {
		if got := send(RoleGuest, "new"); got != want {
			t.Errorf("message %d in a muted channel: %d, want %d", i, got, want)
		}
	}
}

func TestAnnouncements(t *testing.T) {
	f := newOffice(t)
	f.changeRealm(func(r *Realm) { r.NewChannelAnnouncementsID = f.channel.ID })
	f.newChannel(NewChannel{Name: "quiet"})
	f.newChannel(NewChannel{Name: "loud", Announce: true})
	channel(t, f.Organization, f.people[RoleOwner], NewChannel{Name: "empty", Announce: true})
	if got := f.texts(newChannelsTopic); len(got) != 1 || !strings.Contains(got[0], "created a new channel #**loud**") {
		t.Errorf("announced: %q", got)
	}
}
