package rules

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// A request may name a channel several times, one that it creates too: it counts once, and nobody is told of the new one.
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
