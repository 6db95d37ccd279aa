package rules

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

func TestChannelEventsNotices(t *testing.T) {
	f := newOffice(t)
	owner := f.people[RoleOwner]
	change := ChannelChange{Description: ptr("new")}
	if err := f.UpdateChannel(owner, f.channel.ID, change); err != nil {
		t.Fatal(err)
	}
	if got := f.texts(eventsTopic); len(got) != 0 {
		t.Fatalf("notices although they are off: %q", got)
	}
	f.changeRealm(func(r *Realm) { r.SendChannelEventsMessages = true })
	everyone := Named(f.SystemGroup(Moderators))
	steps := []struct {
		change ChannelChange
		says   string
	}{
		{change, "changed the description"},
		{ChannelChange{Name: ptr("renamed")}, "renamed channel **office** to **renamed**"},
		{ChannelChange{Private: ptr(true), SharedHistory: ptr(true)}, "from **Public** to **Private, shared history**"},
		{ChannelChange{Retention: 30}, "**New retention period**: 30 days"},
		{ChannelChange{Permissions: map[string]PermissionChange{"can_send_message_group": {New: everyone}}}, "* **New**: @_*role:moderators*"},
	}
	for i, step := range steps {
		if err := f.UpdateChannel(owner, f.channel.ID, step.change); err != nil {
			t.Fatal(err)
		}
		notices := f.texts(eventsTopic)
		if len(notices) != i+1 || !strings.Contains(notices[i], step.says) {
			t.Errorf("step %d: notices %q, want one more with %q", i, notices, step.says)
		}
	}
	silent := []ChannelChange{
		{Permissions: map[string]PermissionChange{"can_send_message_group": {New: everyone}}},
		{Permissions: map[string]PermissionChange{"can_subscribe_group": {New: everyone}}},
	}
	for _, c := range silent {
		if err := f.UpdateChannel(owner, f.channel.ID, c); err != nil {
			t.Fatal(err)
		}
	}
	if got := f.texts(eventsTopic); len(got) != len(steps) {
		t.Errorf("what changes nothing, or only who may subscribe, posts no notice: %q", got)
	}
	created := f.newChannel(NewChannel{Name: "created", Description: "Fresh"})
	notice := f.message(*f.FirstMessageID(created.ID))
	if notice.SenderID != f.NotificationBotID() || !strings.Contains(notice.Content, "**Public** channel created by") {
		t.Errorf("notice in a new channel: %+v", notice)
	}
	if notice.Copies[owner.ID]&FlagRead == 0 || notice.Copies[f.people[RoleMember].ID]&FlagRead != 0 {
		t.Errorf("the notice is to be read by who made the channel alone: %v", notice.Copies)
	}
}

func TestNoticesBeforeTheSwitchExisted(t *testing.T) {
	f := newOffice(t)
	f.feature = featurelevel.Since("zulip_organization", "send_channel_events_messages") - 1
	if err := f.UpdateChannel(f.people[RoleOwner], f.channel.ID, ChannelChange{Description: ptr("new")}); err != nil {
		t.Fatal(err)
	}
	if got := f.texts(eventsTopic); len(got) != 1 {
		t.Errorf("notices on an older server: %q", got)
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

func TestWhoIsToldOfSubscriptions(t *testing.T) {
	f := newOffice(t)
	later := channel(t, f.Organization, f.people[RoleOwner], NewChannel{Name: "later"})
	member, guest := f.people[RoleMember], f.people[RoleGuest]
	told := func(u User) int {
		return len(f.messages.conversations[conversation([]int{f.NotificationBotID(), u.ID})])
	}
	add := func(u User, quiet bool) {
		request := SubscribeRequest{Channels: []ChannelSpec{{Name: later.Name}}, Principals: principalsOf([]int{u.ID}), Quiet: quiet}
		if _, err := f.Subscribe(f.people[RoleOwner], request); err != nil {
			t.Fatal(err)
		}
	}
	add(guest, true)
	add(member, false)
	add(member, false)
	if told(guest) != 0 || told(member) != 1 {
		t.Errorf("told: guest %d times, member %d times; want 0 and 1", told(guest), told(member))
	}
}
