package rules

import (
	"bytes"
	"testing"
)

// Every kind of object is the same after it was written and loaded.
func TestRowsComeBackAsTheyWere(t *testing.T) {
	o, people := founded(t)
	owner, member := people[RoleOwner], people[RoleMember]
	general := channel(t, o, owner, NewChannel{Name: "general"})
	steps := []error{
		o.SetStatus(member.ID, StatusChange{Text: ptr("x"), EmojiName: ptr("car")}),
		o.Invite(owner, "a@example.com", false, NewInvite{Role: RoleGuest, Minutes: ptr(60), Channels: []int{general.ID}}),
		o.UpdateUserDefaults(UserDefaults{Flags: map[string]bool{"enter_sends": true}}),
	}
	_, err := o.UpdateRealm(owner, RealmUpdate{
		Flags:      map[string]bool{"require_unique_names": true},
		TimeLimits: map[string]any{"message_content_edit_limit_seconds": "unlimited"},
	})
	steps = append(steps, err)
	_, err = o.CreateInviteLink(owner, NewInvite{Role: RoleMember, WelcomeMessage: ptr("")})
	steps = append(steps, err)
	_, err = o.CreateLinkifier(LinkifierChange{Pattern: "x", URLTemplate: "https://example.com/"})
	steps = append(steps, err)
	_, err = o.AddPlayground("P", "C", "https://example.com/{code}")
	steps = append(steps, err)
	_, err = o.AddDomain("example.com", true)
	steps = append(steps, err)
	_, err = o.CreateBot(member, NewBot{
		FullName: "Hook", ShortName: "hook", Type: BotOutgoingWebhook, PayloadURL: "https://example.com",
		Interface: InterfaceSlack, SendingChannel: ptr("general"), Config: map[string]string{"a": "b"},
	})
	steps = append(steps, err)
	f := field(t, o, FieldShortText, "Team", FieldData{})
	steps = append(steps, o.SetProfileData(owner, member.ID, []ProfileValue{{f.ID, "Ops"}}))
	for _, err := range steps {
		if err != nil {
			t.Fatal(err)
		}
	}

	changes, sequences, err := o.Changes()
	if err != nil {
		t.Fatal(err)
	}
	again, _ := founded(t)
	for _, change := range changes {
		if err = again.Load(change); err != nil {
			t.Fatal(err)
		}
	}
	for _, sequence := range sequences {
		if err = again.LoadSequence(sequence); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "settings", o.Realm, again.Realm)
	same(t, "statuses", o.Statuses, again.Statuses)
	same(t, "invitations", o.Invitations, again.Invitations)
	same(t, "invite links", o.InviteLinks, again.InviteLinks)
	same(t, "defaults", o.UserDefaults, again.UserDefaults)
	same(t, "linkifiers", o.Linkifiers, again.Linkifiers)
	same(t, "playgrounds", o.Playgrounds, again.Playgrounds)
	same(t, "domains", o.Domains, again.Domains)
	same(t, "bots", o.Bots, again.Bots)
	same(t, "profile fields", o.ProfileFields, again.ProfileFields)
	if u, _ := again.Users.Get(member.ID); u.ProfileData[f.ID] != "Ops" {
		t.Errorf("profile %v", u.ProfileData)
	}
}

func same[T any](t *testing.T, kind string, want, got *Table[T]) {
	t.Helper()
	if len(want.rows) == 0 {
		t.Errorf("%s: nothing to compare", kind)
	}
	for id, row := range want.rows {
		before, err := want.encode(id)
		if err != nil {
			t.Fatal(err)
		}
		after, err := got.encode(id)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(before, after) {
			t.Errorf("%s: %+v came back as %s", kind, row, after)
		}
	}
}
