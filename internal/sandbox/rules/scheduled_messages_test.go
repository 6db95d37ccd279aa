package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// schedule schedules a message of the member to a topic of the channel.
func (f *office) schedule(topic string, after time.Duration) int {
	f.t.Helper()
	id, err := f.ScheduleMessage(f.people[RoleMember], NewSchedule{
		Type: ToChannel, Channel: &f.channel.ID, Topic: &topic, Content: "later", DeliverAt: f.time.Add(after).Unix(),
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return id
}

func TestScheduledMessages_Due_Sent(t *testing.T) {
	f := newOffice(t)
	planned := f.time.Add(time.Hour)
	id := f.schedule("t", time.Hour)
	f.schedule("t", 2*time.Hour)
	f.DeliverScheduled()
	if got := f.texts("t"); len(got) != 0 {
		t.Fatalf("sent too early: %q", got)
	}
	f.time = f.time.Add(90 * time.Minute)
	f.DeliverScheduled()
	f.DeliverScheduled()
	sent := f.inTopic(f.channel.ID, "t")
	if len(sent) != 1 || !f.message(sent[0]).Sent.Equal(planned) || f.message(sent[0]).SenderID != f.people[RoleMember].ID {
		t.Fatalf("sent %v, want one message as of %v", sent, planned)
	}
	if left := f.ScheduledMessagesOf(f.people[RoleMember]); len(left) != 1 {
		t.Errorf("left: %+v", left)
	}
	err := f.EditScheduledMessage(f.people[RoleMember], id, ScheduleChange{Content: ptr("x")})
	if said(err) != "Scheduled message was already sent" {
		t.Errorf("editing what was sent: %v", err)
	}
	expectEqual(t, "deleting what was sent", f.DeleteScheduledMessage(f.people[RoleMember], id), nil)
}

func TestScheduledMessages_ChannelArchived_Fail(t *testing.T) {
	f := newOffice(t)
	member := f.people[RoleMember]
	id := f.schedule("t", time.Hour)
	requireNoError(t, f.ArchiveChannel(f.people[RoleOwner], f.channel.ID))
	f.time = f.time.Add(2 * time.Hour)
	f.DeliverScheduled()
	left := f.ScheduledMessagesOf(member)
	if len(left) != 1 || !left[0].Failed {
		t.Fatalf("scheduled for a channel that was archived: %+v", left)
	}
	told := f.messages.conversations[conversation([]int{f.NotificationBotID(), member.ID})]
	if len(told) != 1 || !strings.Contains(f.message(told[0]).Content, "Not authorized to send to channel 'office'") {
		t.Errorf("the sender was told %v", told)
	}
	requireNoError(t, f.UpdateChannel(f.people[RoleOwner], f.channel.ID, ChannelChange{Archived: ptr(false)}))
	if err := f.EditScheduledMessage(member, id, ScheduleChange{Content: ptr("x")}); said(err) != errNotInFuture.Msg {
		t.Errorf("a failed message without a new time: %v", err)
	}
	at := f.time.Add(time.Minute).Unix()
	requireNoError(t, f.EditScheduledMessage(member, id, ScheduleChange{DeliverAt: &at}))
	f.time = f.time.Add(time.Hour)
	f.DeliverScheduled()
	if got := f.texts("t"); !slices.Equal(got, []string{"later"}) {
		t.Errorf("sent after all: %q", got)
	}
}

func TestScheduledMessages_AfterPause_LateFail(t *testing.T) {
	f := newOffice(t)
	f.schedule("late", time.Minute)
	f.schedule("in time", 50*time.Minute)
	f.time = f.time.Add(55 * time.Minute)
	f.FailLate()
	f.DeliverScheduled()
	if len(f.texts("late")) != 0 || len(f.texts("in time")) != 1 {
		t.Errorf("late: %q, in time: %q", f.texts("late"), f.texts("in time"))
	}
}

func TestDrafts_Stored_Normalized(t *testing.T) {
	f := newOffice(t)
	member, admin := f.people[RoleMember], f.people[RoleAdministrator]
	long := strings.Repeat("x", 70)
	tests := []struct {
		in   DraftInput
		kind string
		to   []int
		want string // topic and content
		msg  string
	}{
		{DraftInput{Type: ToChannel, To: []int{f.channel.ID}, Topic: " t ", Content: "a\n"}, ToChannel, []int{f.channel.ID}, " t |a", ""},
		{DraftInput{Type: ToChannel, To: []int{f.channel.ID}, Topic: long, Content: "a"}, ToChannel, []int{f.channel.ID}, long[:57] + "...|a", ""},
		{DraftInput{Type: ToPeople, To: []int{admin.ID}, Topic: "t", Content: "a"}, ToPeople, []int{admin.ID}, "|a", ""},
		{DraftInput{Type: ToPeople, To: []int{member.ID}, Content: "a"}, ToPeople, []int{member.ID}, "|a", ""},
		{DraftInput{Type: ToPeople, Content: "a"}, DraftUnaddressed, []int{}, "|a", ""},
		{DraftInput{Type: DraftUnaddressed, To: []int{admin.ID}, Topic: "t", Content: "a"}, DraftUnaddressed, []int{}, "|a", ""},
		{DraftInput{Type: ToChannel, To: []int{999999}, Content: "a"}, "", nil, "", "Invalid channel ID"},
		{DraftInput{Type: ToPeople, To: []int{999999}, Content: "a"}, "", nil, "", "Invalid user ID 999999"},
		{DraftInput{Content: "a", Timestamp: ptr(-1.0)}, "", nil, "", "Timestamp must not be negative."},
		{DraftInput{Type: ToChannel, To: []int{f.channel.ID}, Topic: "a\x00", Content: "a"}, "", nil, "", "Topic must not contain null bytes"},
	}
	for i, test := range tests {
		f.EndRequest()
		ids, err := f.CreateDrafts(member, []DraftInput{{Content: "first"}, test.in})
		if said(err) != test.msg {
			t.Errorf("%d: %v, want %q", i, err, test.msg)
		}
		if err != nil {
			f.Rollback()
			if n := len(f.DraftsOf(member)); n != 0 {
				t.Errorf("%d: %d drafts are left of a request that was refused", i, n)
			}
			continue
		}
		d, _ := f.Drafts.Get(ids[1])
		kind, to := d.Address()
		if got := fmt.Sprintf("%s|%s", d.Topic, d.Content); kind != test.kind || !slices.Equal(to, test.to) || got != test.want {
			t.Errorf("%d: %q to %v, %q; want %q to %v, %q", i, kind, to, got, test.kind, test.to, test.want)
		}
		for _, id := range ids {
			requireNoError(t, f.DeleteDraft(member, id))
		}
	}
}
