package rules

import (
	"slices"
	"testing"
)

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
	if got := colors()[2]; got != "#a6c7e5" {
		t.Errorf("the color of a subscription that is over is still used: %s", got)
	}
	for i := range subscriptionColors {
		subscribe(ChannelSpec{Name: "more " + string(rune('a'+i))})
	}
	got := colors()
	if used := slices.Compact(slices.Sorted(slices.Values(got))); len(used) != len(subscriptionColors) || len(got) != len(subscriptionColors)+3 {
		t.Errorf("%d colors of %d are used by %d subscriptions", len(used), len(subscriptionColors), len(got))
	}
}

func TestAlreadySubscribedInOrderOfJoining(t *testing.T) {
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
