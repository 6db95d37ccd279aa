package runstate

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestNamesOfOnePlanAreUnique(t *testing.T) {
	var run State
	for _, step := range []struct {
		kind, name string
		ids        []int64
		want       bool
	}{
		{"k", "a", []int64{1}, true}, {"k", "a", []int64{1}, true}, {"k", "a", []int64{2}, false}, {"k", "a", nil, false},
		{"other", "a", nil, true}, {"k", "b", nil, true}, {"k", "b", nil, false}, {"k", "b", []int64{1}, false},
	} {
		if got := run.Reserve(step.kind, step.name, step.ids...); got != step.want {
			t.Errorf("%+v: %v", step, got)
		}
	}
}

// What is released is for one who creates the same name, and for nobody after.
func TestReleasedIsTakenOnce(t *testing.T) {
	var run State
	run.WillCreate("k", "a")
	if !run.WillBeCreated("k", "a") || run.WillBeCreated("k", "b") || run.WillBeCreated("other", "a") {
		t.Error("only a of k is to be created")
	}
	run.Release("k", "a", 7)
	if _, ok := run.Take("other", "a"); ok {
		t.Error("another kind took it")
	}
	if id, ok := run.Take("k", "a"); !ok || id != 7 || !run.IsAdopted("k", 7) || !run.IsManaged("k", 7) {
		t.Errorf("took %d, %v", id, ok)
	}
	if _, ok := run.Take("k", "a"); ok {
		t.Error("it was taken twice")
	}
	if run.WillBeCreated("k", "a") {
		t.Error("it is still to be created")
	}
}

// Each fact is about one object of one kind, and about nothing else.
func TestFactsAreOfOneObject(t *testing.T) {
	for name, fact := range map[string]struct {
		note  func(*State, string, int64)
		knows func(*State, string, int64) bool
	}{
		"managed": {(*State).Manage, (*State).IsManaged}, "will be destroyed": {(*State).WillDestroy, (*State).WillBeDestroyed},
		"destroyed": {(*State).Destroy, (*State).IsDestroyed}, "lost": {(*State).Lose, (*State).IsLost}, "adopted": {(*State).Adopt, (*State).IsAdopted},
	} {
		var run State
		fact.note(&run, "k", 1)
		if !fact.knows(&run, "k", 1) || fact.knows(&run, "k", 2) || fact.knows(&run, "other", 1) {
			t.Errorf("%s: of another one too, or of none", name)
		}
	}
	var run State
	for _, want := range []bool{true, false} {
		if first := run.Keep("k", 1); first != want {
			t.Errorf("the first to keep it: %v, want %v", first, want)
		}
	}
	for _, said := range []struct {
		words string
		want  bool
	}{{"x", true}, {"x", true}, {"y", false}} {
		if agrees := run.Declare("k", 1, said.words); agrees != said.want {
			t.Errorf("%q agrees: %v, want %v", said.words, agrees, said.want)
		}
	}
}

// What somebody else has deactivated is managed by nobody, until it is adopted.
func TestLostIsNotManaged(t *testing.T) {
	var run State
	run.Manage("k", 1)
	run.Manage("k", 2)
	run.Lose("k", 1)
	if run.IsManaged("k", 1) || !run.IsManaged("k", 2) {
		t.Error("a lost object is still managed, or another one is not")
	}
	if run.Manage("k", 1); !run.IsManaged("k", 1) {
		t.Error("an adopted object is not managed")
	}
}

// Bots are left with the owner that was planned, each once, and none is taken for another one.
func TestPlannedOwners(t *testing.T) {
	var run State
	for _, bot := range []string{"b", "a", "b"} {
		run.PlanOwner(bot, 1)
	}
	if bots := run.PlannedBotsOf(1); !slices.Equal(bots, []string{"a", "b"}) || len(run.PlannedBotsOf(2)) > 0 {
		t.Errorf("1 owns %v, 2 %v", bots, run.PlannedBotsOf(2))
	}
	run.DestroyWithOwner(7)
	if !run.IsDestroyedWithOwner(7) || run.IsDestroyedWithOwner(8) || run.IsDestroyed(Account, 7) {
		t.Error("only 7 goes with its owner")
	}
}

// TestLockHeedsItsContext: who waits for a lock gives up when the context ends, and the lock is free when it is given back.
func TestLockHeedsItsContext(t *testing.T) {
	var locks Locks
	done, err := locks.Lock(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := locks.Lock(ctx, "x"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
	other, err := locks.Lock(t.Context(), "y")
	if err != nil {
		t.Fatal(err)
	}
	other()
	done()
	if done, err = locks.Lock(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	done()
	if _, err := locks.Lock(ctx, "x"); err == nil {
		t.Error("the lock is taken after the context has ended")
	}
}

// pass lets the time of a test pass.
func pass(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // nobody waits for it
}

// Who waits does so while others are at work, and not for those who wait themselves, be it for a lock.
func TestAwaitOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var run State
		defer run.Begin()()
		if run.AwaitOthers(t.Context(), run.Ended()) {
			t.Error("nobody was there, and somebody ended")
		}
		unlock, err := run.Lock(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		go func() { // waits for what this one has
			defer run.Begin()()
			if unlock, err := run.Lock(t.Context(), "x"); err == nil {
				unlock()
			}
		}()
		go func() {
			end := run.Begin()
			pass(time.Minute)
			end()
		}()
		synctest.Wait()
		began, ended := time.Now(), run.Ended()
		if !run.AwaitOthers(t.Context(), ended) {
			t.Error("nobody ended")
		}
		if took := time.Since(began); took < time.Minute || took > time.Minute+time.Second {
			t.Errorf("waited %v", took)
		}
		if run.AwaitOthers(t.Context(), run.Ended()) {
			t.Error("who waits for a lock ended")
		}
		unlock()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if run.AwaitOthers(ctx, ended) {
			t.Error("the context has ended")
		}
	})
}

// Of a chain, each waits for the next: none gives up while another one can still go on.
func TestAwaitOthersInAChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var run State
		var left atomic.Int64 // links that are not done
		const links = 5
		left.Store(links)
		for link := range int64(links) {
			go func() {
				defer run.Begin()()
				for {
					ended := run.Ended()
					pass(time.Duration(link+1) * 7 * time.Millisecond) // a request
					if left.CompareAndSwap(link+1, link) {
						return
					}
					if !run.AwaitOthers(t.Context(), ended) {
						t.Errorf("link %d gave up while %d were left", link, left.Load())
						return
					}
				}
			}()
		}
		pass(time.Minute)
		if left.Load() != 0 {
			t.Errorf("%d are left", left.Load())
		}
	})
}

// What two resources say of a role is compared whichever comes first.
func TestRolesAreSaidInAnyOrder(t *testing.T) {
	moderators := RoleList{Role: "moderator", DemoteTo: "member", Users: []int64{1, 2}, Leaving: []int64{3}, IsWhole: true}
	open := moderators
	open.IsWhole = false
	for name, test := range map[string]struct {
		id     int64
		role   SaidRole
		list   RoleList
		agrees bool
	}{
		"the same":                         {1, SaidRole{Role: "moderator"}, moderators, true},
		"another role of who is listed":    {1, SaidRole{Role: "guest"}, moderators, false},
		"the role, of who is not":          {4, SaidRole{Role: "moderator"}, moderators, false},
		"of who may still be":              {4, SaidRole{Role: "moderator"}, open, true},
		"somebody else":                    {4, SaidRole{Role: "guest"}, moderators, true},
		"what who leaves gets":             {3, SaidRole{Role: "member"}, moderators, true},
		"something else of who leaves":     {3, SaidRole{Role: "guest"}, moderators, false},
		"the same, given in any order":     {3, SaidRole{Role: "guest", IsAnyOrder: true}, moderators, true},
		"what who leaves is to have still": {3, SaidRole{Role: "moderator", IsAnyOrder: true}, moderators, false},
	} {
		t.Run(name, func(t *testing.T) {
			var first, last State
			others, _, isFirst := first.ListRole(test.list)
			if len(others) > 0 || !isFirst {
				t.Fatalf("others: %v, first: %t", others, isFirst)
			}
			if list, ok := first.SayRole(test.id, test.role); ok != test.agrees || !ok && list != "moderator" {
				t.Errorf("after the list: %q, %t", list, ok)
			}
			if _, ok := last.SayRole(test.id, test.role); !ok {
				t.Error("nobody has said anything")
			}
			if others, _, _ := last.ListRole(test.list); slices.Contains(others, test.id) == test.agrees {
				t.Errorf("before the list: %v", others)
			}
		})
	}
	var run State
	if _, ok := run.SayRole(1, SaidRole{Role: "guest"}); !ok {
		t.Error("the first is refused")
	}
	for role, want := range map[string]bool{"guest": true, "member": false} {
		if list, ok := run.SayRole(1, SaidRole{Role: role}); ok != want || list != "" {
			t.Errorf("%s again: %q, %t", role, list, ok)
		}
	}
}

// The end of a resource takes no role from whom a list names.
func TestRolesThatEnd(t *testing.T) {
	list := RoleList{Role: "moderator", DemoteTo: "member", Users: []int64{1}, IsWhole: true}
	for _, test := range []struct {
		id     int64
		role   string
		agrees bool
	}{{1, "member", false}, {1, "moderator", true}, {2, "member", true}} {
		var first, last State
		first.ListRole(list)
		if of, ok := first.EndRole(test.id, test.role); ok != test.agrees || !ok && of != "moderator" {
			t.Errorf("%+v after the list: %q, %t", test, of, ok)
		}
		last.EndRole(test.id, test.role)
		if _, ending, _ := last.ListRole(list); (len(ending) == 0) != test.agrees {
			t.Errorf("%+v before the list: %v", test, ending)
		}
	}
}

// A role has one list. The CLI plans a list that it replaces with its state and without.
func TestARoleHasOneList(t *testing.T) {
	list := func(role string, isNew bool, users ...int64) RoleList {
		return RoleList{Role: role, DemoteTo: "member", Users: users, IsWhole: true, IsNew: isNew}
	}
	for name, test := range map[string]struct {
		first, second   RoleList
		isFirst, agrees bool
	}{
		"two new ones":                 {list("owner", true, 1), list("owner", true, 1), false, true},
		"two that are there":           {list("owner", false, 1), list("owner", false, 1), false, true},
		"one that is replaced":         {list("owner", false, 1), list("owner", true, 1), true, true},
		"a new one beside another":     {list("owner", false, 1), list("owner", true, 2), false, true},
		"of two roles":                 {list("owner", true, 1), list("moderator", true, 2), true, true},
		"of two roles, with one in it": {list("owner", true, 1), list("moderator", true, 1), true, false},
	} {
		for order, both := range map[string][]RoleList{"as written": {test.first, test.second}, "reversed": {test.second, test.first}} {
			var run State
			run.ListRole(both[0])
			if others, _, isFirst := run.ListRole(both[1]); isFirst != test.isFirst || (len(others) == 0) != test.agrees {
				t.Errorf("%s, %s: others %v, first %t", name, order, others, isFirst)
			}
		}
	}
}

// Who got a role by this run has it by nobody else's decision, until it is another one.
func TestRolesThatWereGiven(t *testing.T) {
	var run State
	run.GaveRole(1, 300)
	run.GaveRole(1, 400)
	for role, want := range map[int]bool{300: false, 400: true} {
		if got := run.HasGivenRole(1, role); got != want {
			t.Errorf("%d: %t", role, got)
		}
	}
	if run.HasGivenRole(2, 400) {
		t.Error("somebody else was given it")
	}
}
