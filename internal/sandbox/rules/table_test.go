package rules

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// founded makes an organization with one person of each role, by role.
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

// contents lists a table, in the order it iterates.
func contents[T any](t *Table[T]) (ids []int, rows map[int]T) {
	rows = map[int]T{}
	for id, row := range t.All() {
		ids = append(ids, id)
		rows[id] = row
	}
	return ids, rows
}

func TestTableRollsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := &Organization{log: newChangeLog()}
		table := newTable[string](o, "words", 1)
		seen := map[int]string{} // what an index has been told
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
				}
			}
		}
		same := func(when string, want map[int]string) {
			ids, rows := contents(table)
			if !maps.Equal(rows, want) || !maps.Equal(seen, want) || !slices.IsSorted(ids) || len(ids) != len(want) {
				t.Fatalf("%s: table %v, index %v, ids %v; want %v", when, rows, seen, ids, want)
			}
		}

		change("settled")
		o.log = newChangeLog()
		_, settled := contents(table)
		change("kept")
		o.Commit()
		_, kept := contents(table)
		change("undone")
		o.Rollback()
		same("after the rollback", kept)
		o.log.rewind(0)
		same("after the revert", settled)
	})
}

func TestChangesSayWhatToWrite(t *testing.T) {
	o, people := founded(t)
	ch, err := o.CreateChannel(people[RoleMember], NewChannel{Name: "a"}, nil)
	if err != nil {
		t.Fatal(err)
	}
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

func TestIDIsNotHandedOutTwice(t *testing.T) {
	o, people := founded(t)
	first, err := o.CreateChannel(people[RoleMember], NewChannel{Name: "a"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	o.Rollback()
	second, err := o.CreateChannel(people[RoleMember], NewChannel{Name: "a"}, nil)
	if err != nil {
		t.Fatalf("the name is free again: %v", err)
	}
	if first.ID == second.ID {
		t.Errorf("both got the id %d", first.ID)
	}
}
