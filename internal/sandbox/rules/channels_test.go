package rules

import (
	"errors"
	"slices"
	"testing"
	"time"
)

func ptr[T any](v T) *T { return &v }

// channel creates a channel or fails the test.
func channel(t *testing.T, o *Organization, by User, spec NewChannel, subscribers ...User) Channel {
	t.Helper()
	var ids []int
	for _, u := range subscribers {
		ids = append(ids, u.ID)
	}
	ch, err := o.CreateChannel(by, spec, ids)
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

func TestProtectedHistory_RestrictedTopics_Refused(t *testing.T) {
	o, people := founded(t)
	admin := people[RoleAdministrator]
	members := Named(o.SystemGroup(Members))
	const refused = "Unsupported parameter combination: history_public_to_subscribers, can_create_topic_group"

	ch := channel(t, o, admin, NewChannel{Name: "protected", Private: true}, admin)
	change := ChannelChange{Permissions: map[string]PermissionChange{"can_create_topic_group": {New: members}}}
	expectEqual(t, "restricting topics", said(o.UpdateChannel(admin, ch.ID, change)), refused)
	ch = channel(t, o, admin, NewChannel{Name: "open"}, admin)
	requireNoError(t, o.UpdateChannel(admin, ch.ID, change))
	expectEqual(t, "protecting the history", said(o.UpdateChannel(admin, ch.ID, ChannelChange{Private: ptr(true)})), refused)
	if msg := said(o.UpdateChannel(admin, ch.ID, ChannelChange{Private: ptr(true), SharedHistory: ptr(true)})); msg != "" {
		t.Errorf("private with shared history: %q", msg)
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

// The properties of new channels are checked even if none is created, and do not change existing channels (server-behavior
// §S2).
func TestSubscribing_ExistingChannel_SettingsIgnored(t *testing.T) {
	o, people := founded(t)
	member := people[RoleMember]
	channel(t, o, member, NewChannel{Name: "there"})
	o.EndRequest()
	for name, test := range map[string]struct {
		spec NewChannel
		msg  string
	}{
		"folder":    {NewChannel{FolderID: ptr(999999)}, "Invalid channel folder ID"},
		"retention": {NewChannel{Retention: 0}, "Bad value for 'message_retention_days': 0"},
		"privacy":   {NewChannel{Private: true}, ""},
	} {
		_, err := o.Subscribe(member, SubscribeRequest{Channels: []ChannelSpec{{Name: "THERE"}}, Create: test.spec})
		if said(err) != test.msg {
			t.Errorf("%s: %q, want %q", name, said(err), test.msg)
		}
	}
	if ch, _ := o.ChannelByName("there"); ch.Private || ch.Name != "there" || o.Channels.Len() != 1 {
		t.Errorf("the channel changed: %+v", ch)
	}
	if !o.IsSubscribed(member.ID, o.channels.byName[upper("there")]) {
		t.Error("the member is not subscribed")
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

func TestArchiving_ChannelInUse_ReferencesCleared(t *testing.T) {
	o, people := founded(t)
	admin := people[RoleAdministrator]
	ch := channel(t, o, admin, NewChannel{Name: "c", Default: true})
	o.changeRealm(func(r *Realm) { r.SignupAnnouncementsChannelID = ch.ID })
	requireNoError(t, o.ArchiveChannel(admin, ch.ID))
	if o.IsDefault(ch.ID) || o.Settings().SignupAnnouncementsChannelID != 0 {
		t.Error("the archived channel is still used")
	}
	grouped := channel(t, o, admin, NewChannel{Name: "grouped"})
	requireNoError(t, o.CreateDefaultChannelGroup(admin, "new people", "d", []string{"grouped"}))
	requireNoError(t, o.ArchiveChannel(admin, grouped.ID))
	if groups := o.ListDefaultChannelGroups(); len(groups) != 1 || len(groups[0].Channels) > 0 {
		t.Errorf("the default channel groups are %v", groups)
	}
}

func TestColorsOfSubscriptions(t *testing.T) {
	o, people := founded(t)
	admin, member := people[RoleAdministrator], people[RoleMember]
	colors := func() []string {
		var colors []string
		for _, sub := range o.Subscriptions.All() {
			if sub.UserID == member.ID {
				colors = append(colors, sub.Color)
			}
		}
		return colors
	}
	subscribe := func(channels ...ChannelSpec) {
		t.Helper()
		if _, err := o.Subscribe(admin, SubscribeRequest{Channels: channels, Principals: []Principal{{ID: member.ID}}}); err != nil {
			t.Fatal(err)
		}
	}
	subscribe(ChannelSpec{Name: "a"}, ChannelSpec{Name: "b", Color: "#76ce90"})
	if got := colors(); !slices.Equal(got, []string{"#fae589", "#76ce90"}) {
		t.Errorf("the next that nobody chose, and what was chosen: %v", got)
	}
	if _, err := o.Unsubscribe(member, []string{"a"}, nil); err != nil {
		t.Fatal(err)
	}
	subscribe(ChannelSpec{Name: "c"})
	expectEqual(t, "the color of a subscription that is over is still used", colors()[2], "#a6c7e5")
	for i := range subscriptionColors {
		subscribe(ChannelSpec{Name: "more " + string(rune('a'+i))})
	}
	got := colors()
	if used := slices.Compact(slices.Sorted(slices.Values(got))); len(used) != len(subscriptionColors) || len(got) != len(subscriptionColors)+3 {
		t.Errorf("%d colors of %d are used by %d subscriptions", len(used), len(subscriptionColors), len(got))
	}
}

func TestAlreadySubscribed_SeveralUsers_JoiningOrder(t *testing.T) {
	o, people := founded(t)
	admin := people[RoleAdministrator]
	for _, name := range []string{"z", "a", "m"} {
		if _, err := o.Subscribe(admin, SubscribeRequest{Channels: []ChannelSpec{{Name: name}}}); err != nil {
			t.Fatal(err)
		}
	}
	result, err := o.Subscribe(admin, SubscribeRequest{Channels: []ChannelSpec{{Name: "a"}, {Name: "m"}, {Name: "z"}}})
	if err != nil || !slices.Equal(result.Already[admin.ID], []string{"z", "a", "m"}) {
		t.Errorf("%v, %v", result.Already, err)
	}
}

// A request may name a channel several times, even one that it creates. The channel counts once, and no one gets a message
// about the new one.
func TestChannelsNamedTwice(t *testing.T) {
	o := New(time.Now, func() int { return 442 })
	o.Initialize()
	owner := o.AddUser(User{Email: "owner@example.com", FullName: "Owner", Role: RoleOwner})
	member := o.AddUser(User{Email: "member@example.com", FullName: "Member", Role: RoleMember})
	request := SubscribeRequest{Channels: []ChannelSpec{{Name: "new"}, {Name: "New"}}, Principals: []Principal{{ID: member.ID}}}
	messages := o.Messages.Len()
	result, err := o.Subscribe(owner, request)
	if err != nil || !slices.Equal(result.Subscribed[member.ID], []string{"new"}) || len(result.Already) != 0 {
		t.Fatalf("created and subscribed: %+v, %v", result, err)
	}
	if o.Messages.Len() != messages {
		t.Error("the member was told of a channel that is new")
	}
	result, err = o.Subscribe(owner, request)
	if err != nil || len(result.Subscribed) != 0 || !slices.Equal(result.Already[member.ID], []string{"new"}) {
		t.Errorf("subscribed again: %+v, %v", result, err)
	}
	gone, err := o.Unsubscribe(owner, []string{"new", "NEW"}, request.Principals)
	if err != nil || !slices.Equal(gone.Removed, []string{"new"}) || len(gone.NotRemoved) != 0 {
		t.Errorf("unsubscribed: %+v, %v", gone, err)
	}
	for name, want := range map[string]string{"nowhere": "Channel(s) (nowhere) do not exist", " ": "Channel name can't be empty."} {
		if _, err := o.Unsubscribe(owner, []string{name}, request.Principals); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
	guest := o.AddUser(User{Email: "guest@example.com", FullName: "Guest", Role: RoleGuest})
	if _, err := o.Unsubscribe(guest, []string{"nowhere"}, request.Principals); !errors.Is(err, errInsufficientPermission) {
		t.Errorf("a guest: %v", err)
	}
}
