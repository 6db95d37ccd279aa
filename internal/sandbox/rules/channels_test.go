package rules

import (
	"errors"
	"slices"
	"testing"
)

func ptr[T any](v T) *T { return &v }

// channel creates a channel or fails the test.
func channel(t *testing.T, o *Organization, by User, spec NewChannel, subscribers ...User) Channel {
	t.Helper()
	var ids []int
	for _, u := range subscribers {
		ids = append(ids, u.ID)
	}
	ch, _, err := o.CreateChannel(by, spec, ids, nil)
	requireNoError(t, err)
	return ch
}

func said(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// The transitions of server-behavior §C12, each tried from a channel of its own.
func TestPrivacyTransitions(t *testing.T) {
	type kind struct{ private, webPublic, shared bool }
	var (
		public    = kind{false, false, true}
		web       = kind{false, true, true}
		shared    = kind{true, false, true}
		protected = kind{true, false, false}
	)
	tests := []struct {
		name   string
		from   kind
		change ChannelChange
		to     kind
		msg    string
	}{
		{"public to protected", public, ChannelChange{Private: ptr(true)}, protected, ""},
		{"public to shared", public, ChannelChange{Private: ptr(true), SharedHistory: ptr(true)}, shared, ""},
		{"shared to public", shared, ChannelChange{Private: ptr(false)}, public, ""},
		{"protected to public", protected, ChannelChange{Private: ptr(false)}, public, ""},
		{"shared to protected", shared, ChannelChange{SharedHistory: ptr(false)}, protected, ""},
		{"protected to shared", protected, ChannelChange{SharedHistory: ptr(true)}, shared, ""},
		{"shared, private sent again", shared, ChannelChange{Private: ptr(true)}, protected, ""},
		{"public to web-public", public, ChannelChange{WebPublic: ptr(true)}, web, ""},
		{"web-public to public", web, ChannelChange{WebPublic: ptr(false)}, public, ""},
		{"web-public to private", web, ChannelChange{Private: ptr(true), WebPublic: ptr(false)}, protected, ""},
		{"web-public to private, half said", web, ChannelChange{Private: ptr(true)}, web, "Invalid parameters"},
		{"private to web-public", shared, ChannelChange{Private: ptr(false), WebPublic: ptr(true)}, web, ""},
		{"public without history", public, ChannelChange{SharedHistory: ptr(false)}, public, "Invalid parameters"},
		{"private default", public, ChannelChange{Private: ptr(true), Default: ptr(true)}, public, "A default channel cannot be private."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o, people := founded(t)
			owner := people[RoleOwner]
			o.changeRealm(func(r *Realm) { r.EnableSpectatorAccess = true })
			ch := channel(t, o, owner, NewChannel{Name: "c", Private: test.from.private, WebPublic: test.from.webPublic, SharedHistory: &test.from.shared}, owner)
			if msg := said(o.UpdateChannel(owner, ch.ID, test.change)); msg != test.msg {
				t.Errorf("said %q, want %q", msg, test.msg)
			}
			ch, _ = o.Channels.Get(ch.ID)
			if got := (kind{ch.Private, ch.WebPublic, ch.SharedHistory}); got != test.to {
				t.Errorf("became %+v, want %+v", got, test.to)
			}
		})
	}
}

// A PATCH keeps the steps before the one that fails (server-behavior §C10).
func TestChannelPatch_StepFails_EarlierKept(t *testing.T) {
	o, people := founded(t)
	admin := people[RoleAdministrator]
	ch := channel(t, o, admin, NewChannel{Name: "c"})
	channel(t, o, admin, NewChannel{Name: "taken"})
	o.EndRequest()
	err := o.UpdateChannel(admin, ch.ID, ChannelChange{
		Description: ptr("applied"), Name: ptr("taken"), Folder: &FolderChange{}, TopicsPolicy: ptr(TopicsDisableEmpty),
		Permissions: map[string]PermissionChange{"can_send_message_group": {New: Named(o.SystemGroup(Nobody))}},
	})
	o.Rollback()
	var refusal *Error
	if !errors.As(err, &refusal) || refusal.Code != "CHANNEL_ALREADY_EXISTS" {
		t.Fatalf("said %v", err)
	}
	ch, _ = o.Channels.Get(ch.ID)
	if ch.Description != "applied" || ch.TopicsPolicy != TopicsDisableEmpty {
		t.Errorf("earlier steps are lost: %+v", ch)
	}
	if ch.Name != "c" || ch.Permissions["can_send_message_group"].Group != o.SystemGroup(Everyone) {
		t.Errorf("later steps were done: %+v", ch)
	}
}

// If a permission excludes everyone, guests never have it. The role of an administrator does not open a private channel
// (server-behavior §P6, §C16).
func TestPrivateChannel_Visibility_ByPermission(t *testing.T) {
	o, people := founded(t)
	ch := channel(t, o, people[RoleMember], NewChannel{Name: "secret", Private: true, Permissions: map[string]GroupValue{
		"can_administer_channel_group": Listed([]int{people[RoleModerator].ID}, []int{o.SystemGroup(Nobody)}),
		"can_subscribe_group":          Listed([]int{people[RoleGuest].ID, people[RoleOwner].ID}, nil),
	}}, people[RoleMember])
	tests := []struct {
		role                           int
		content, metadata, administers bool
	}{
		{RoleOwner, true, true, true},
		{RoleAdministrator, false, true, true},
		{RoleModerator, false, true, true},
		{RoleMember, true, true, false},
		{RoleGuest, false, false, false},
	}
	for _, test := range tests {
		u := people[test.role]
		if o.HasContentAccess(u, ch) != test.content || o.HasMetadataAccess(u, ch) != test.metadata || o.Administers(u, ch) != test.administers {
			t.Errorf("role %d: content %v, metadata %v, administers %v", test.role, o.HasContentAccess(u, ch), o.HasMetadataAccess(u, ch), o.Administers(u, ch))
		}
	}
}

func TestSubscribing_OtherUsers_ByPermission(t *testing.T) {
	o, people := founded(t)
	o.changeRealm(func(r *Realm) { r.Permissions["can_add_subscribers_group"] = Named(o.SystemGroup(Nobody)) })
	nobody := Named(o.SystemGroup(Nobody))
	channel(t, o, people[RoleOwner], NewChannel{Name: "named", Permissions: map[string]GroupValue{"can_add_subscribers_group": Listed([]int{people[RoleMember].ID}, nil)}})
	channel(t, o, people[RoleOwner], NewChannel{Name: "closed", Permissions: map[string]GroupValue{"can_administer_channel_group": nobody}})
	o.EndRequest()
	guest := []Principal{{ID: people[RoleGuest].ID}}
	tests := []struct {
		role    int
		channel string
		msg     string
	}{
		{RoleMember, "named", ""},
		{RoleModerator, "named", "Insufficient permission"},
		{RoleMember, "closed", "Insufficient permission"},
		{RoleAdministrator, "closed", ""},
	}
	for _, test := range tests {
		_, err := o.Subscribe(people[test.role], SubscribeRequest{Channels: []ChannelSpec{{Name: test.channel}}, Principals: guest})
		if said(err) != test.msg {
			t.Errorf("role %d, %s: %q, want %q", test.role, test.channel, said(err), test.msg)
		}
		o.Rollback()
	}
}

func TestSubscribers_Changes_Counted(t *testing.T) {
	o, people := founded(t)
	owner, member := people[RoleOwner], people[RoleMember]
	ch := channel(t, o, owner, NewChannel{Name: "c"}, owner, member)
	count := func(want int) {
		t.Helper()
		if got := o.SubscriberCount(ch.ID); got != want || len(o.Subscribers(ch.ID)) != want {
			t.Errorf("%d subscribers counted, %d listed; want %d", got, len(o.Subscribers(ch.ID)), want)
		}
	}
	count(2)
	o.EndRequest()
	requireNoError(t, o.DeactivateUser(owner, member.ID))
	count(1)
	o.Rollback()
	count(2)
	requireNoError(t, o.DeactivateUser(owner, member.ID))
	requireNoError(t, o.ReactivateUser(owner, member.ID))
	count(2)
	requireNoError(t, o.SetSubscriptionProperty(member, ch.ID, "color", "#123456"))
	o.unsubscribe(member.ID, ch.ID)
	count(1)
	o.subscribe(member.ID, ch.ID, "#ffffff")
	count(2)
	if sub, _ := o.SubscriptionOf(member.ID, ch.ID); sub.Color != "#123456" {
		t.Errorf("coming back changed the color to %s", sub.Color)
	}
	if got := o.ChannelsOf(member.ID); !slices.Equal(got, []int{ch.ID}) {
		t.Errorf("channels of the member: %v", got)
	}
}
