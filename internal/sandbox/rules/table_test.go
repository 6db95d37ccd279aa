package rules

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// founded returns an organization with one person of each role, by role.
func founded(t testing.TB) (*Organization, map[int]User) {
	t.Helper()
	o := New(time.Now, func() int { return 442 })
	o.Initialize()
	people := map[int]User{}
	for _, role := range []int{RoleOwner, RoleAdministrator, RoleModerator, RoleMember, RoleGuest} {
		people[role] = o.AddUser(User{Email: fmt.Sprintf("r%d@example.com", role), FullName: fmt.Sprint("Role ", role), Role: role})
	}
	o.EndRequest()
	return o, people
}

// contents lists a table, in the order of iteration. written are the ids in the order of the last writes.
func contents[T any](t *Table[T]) (ids []int, rows map[int]T, written []int) {
	rows = map[int]T{}
	for id, row := range t.All() {
		ids = append(ids, id)
		rows[id] = row
	}
	for id := range t.AsWritten() {
		written = append(written, id)
	}
	return ids, rows, written
}

func TestTable_Rollback_Restored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := &Organization{log: newChangeLog()}
		table := newTable[string](o, "words", 1)
		seen := map[int]string{} // changes that the index has received
		table.index(func(id int, before, after *string) {
			if before != nil {
				if seen[id] != *before {
					t.Fatalf("the index was told %q is gone, but knows %q", *before, seen[id])
				}
				delete(seen, id)
			}
			if after != nil {
				seen[id] = *after
			}
		})
		change := func(label string) {
			for range rapid.IntRange(0, 8).Draw(t, label) {
				id := rapid.IntRange(1, 5).Draw(t, "id")
				if rapid.Bool().Draw(t, "delete") {
					table.Delete(id)
				} else {
					table.Put(id, rapid.StringN(0, 3, 3).Draw(t, "row"))
					if _, _, written := contents(table); written[len(written)-1] != id {
						t.Fatalf("row %d was written last, but the order is %v", id, written)
					}
				}
			}
		}
		same := func(when string, want map[int]string, order []int) {
			ids, rows, written := contents(table)
			if !maps.Equal(rows, want) || !maps.Equal(seen, want) || !slices.IsSorted(ids) || len(ids) != len(want) || !slices.Equal(written, order) {
				t.Fatalf("%s: table %v, index %v, ids %v, written %v; want %v, written %v", when, rows, seen, ids, written, want, order)
			}
		}

		change("settled")
		o.log = newChangeLog()
		_, settled, settledOrder := contents(table)
		change("kept")
		o.Commit()
		_, kept, keptOrder := contents(table)
		change("undone")
		o.Rollback()
		same("after the rollback", kept, keptOrder)
		o.log.rewind(0)
		same("after the revert", settled, settledOrder)
	})
}

func TestChanges_Rows_Listed(t *testing.T) {
	o, people := founded(t)
	ch, _, err := o.CreateChannel(people[RoleMember], NewChannel{Name: "a"}, nil, nil)
	requireNoError(t, err)
	changes, sequences, err := o.Changes()
	if err != nil || len(changes) != 1 || changes[0].Table != "channels" || changes[0].ID != ch.ID || len(changes[0].Row) == 0 {
		t.Errorf("changes %v, %v", changes, err)
	}
	if len(sequences) != 1 || sequences[0].Next != ch.ID+1 {
		t.Errorf("sequences %v", sequences)
	}
	o.EndRequest()
	if changes, _, _ := o.Changes(); len(changes) != 0 {
		t.Errorf("changes after settling: %v", changes)
	}
	o.Channels.Delete(ch.ID)
	if changes, _, _ := o.Changes(); len(changes) != 1 || changes[0].Row != nil {
		t.Errorf("a removal: %v", changes)
	}
}

func TestTable_RolledBackID_NotReused(t *testing.T) {
	o, people := founded(t)
	first, _, err := o.CreateChannel(people[RoleMember], NewChannel{Name: "a"}, nil, nil)
	requireNoError(t, err)
	o.Rollback()
	second, _, err := o.CreateChannel(people[RoleMember], NewChannel{Name: "a"}, nil, nil)
	if err != nil {
		t.Fatalf("the name is free again: %v", err)
	}
	if first.ID == second.ID {
		t.Errorf("both got the id %d", first.ID)
	}
}

// Every kind of object is the same after it was written and loaded.
func TestRows_Reloaded_Unchanged(t *testing.T) {
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
		requireNoError(t, err)
	}

	changes, sequences, err := o.Changes()
	requireNoError(t, err)
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
		requireNoError(t, err)
		after, err := got.encode(id)
		requireNoError(t, err)
		if !bytes.Equal(before, after) {
			t.Errorf("%s: %+v came back as %s", kind, row, after)
		}
	}
}

func requireNoError(t interface {
	Helper()
	Fatal(arguments ...any)
}, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// expectEqual fails the test if got differs from want.
func expectEqual[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %#v, want %#v", what, got, want)
	}
}
