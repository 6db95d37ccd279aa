package runstate

import (
	"context"
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestNames_SamePlan_Unique(t *testing.T) {
	var run State
	for _, step := range []struct {
		kind, name string
		ids        []int64
		want       bool
	}{
		{"k", "a", []int64{1}, true}, {"k", "a", []int64{1}, true}, {"k", "a", []int64{2}, false}, {"k", "a", nil, false},
		{"other", "a", nil, true}, {"k", "b", nil, true}, {"k", "b", nil, false}, {"k", "b", []int64{1}, false},
	} {
		if _, got := run.Reserve(step.kind, step.name, step.ids...); got != step.want {
			t.Errorf("%+v: %v", step, got)
		}
	}
}

// Only the first object created with a released name gets it.
func TestReleased_SameName_TakenOnce(t *testing.T) {
	var run State
	run.WillCreate("k", "a")
	if !run.WillBeCreated("k", "a") || run.WillBeCreated("k", "b") || run.WillBeCreated("other", "a") {
		t.Error("only a of k is to be created")
	}
	run.Release("k", "a", 7)
	if _, ok := run.TakeReleased("other", "a"); ok {
		t.Error("another kind took it")
	}
	if id, ok := run.TakeReleased("k", "a"); !ok || id != 7 || !run.IsAdopted("k", 7) || !run.IsManaged("k", 7) {
		t.Errorf("took %d, %v", id, ok)
	}
	if _, ok := run.TakeReleased("k", "a"); ok {
		t.Error("it was taken twice")
	}
	if run.WillBeCreated("k", "a") {
		t.Error("it is still to be created")
	}
}

// Each fact is about one object of one kind.
func TestFacts_OtherObject_NotShared(t *testing.T) {
	for name, fact := range map[string]struct {
		note  func(*State, string, int64)
		knows func(*State, string, int64) bool
	}{
		"managed": {(*State).Manage, (*State).IsManaged}, "will be destroyed": {(*State).WillDestroy, (*State).WillBeDestroyed},
		"destroyed": {(*State).NoteGone, (*State).IsGoneByRun}, "adopted": {(*State).Adopt, (*State).IsAdopted},
	} {
		var run State
		fact.note(&run, "k", 1)
		if !fact.knows(&run, "k", 1) || fact.knows(&run, "k", 2) || fact.knows(&run, "other", 1) {
			t.Errorf("%s: of another one too, or of none", name)
		}
	}
	var run State
	for _, want := range []bool{true, false} {
		if first := run.WillKeep("k", 1); first != want {
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

// An object that was deactivated outside Terraform is not managed until it is adopted.
func TestUnmanaged_NotManaged(t *testing.T) {
	var run State
	run.Manage("k", 1)
	run.Manage("k", 2)
	run.Unmanage("k", 1)
	if run.IsManaged("k", 1) || !run.IsManaged("k", 2) {
		t.Error("a lost object is still managed, or another one is not")
	}
	if run.Manage("k", 1); !run.IsManaged("k", 1) {
		t.Error("an adopted object is not managed")
	}
}

// Each bot has its planned owner, and bots are not mixed up.
func TestPlannedOwners(t *testing.T) {
	var run State
	for _, bot := range []string{"b", "a", "b"} {
		run.PlanOwner(bot, 1)
	}
	if bots := run.PlannedBotsOf(1); !slices.Equal(bots, []string{"a", "b"}) || len(run.PlannedBotsOf(2)) > 0 {
		t.Errorf("1 owns %v, 2 %v", bots, run.PlannedBotsOf(2))
	}
}

// A caller that waits for a lock stops when the context ends. The lock is free once it is released.
func TestLock_ContextEnded_Error(t *testing.T) {
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

// CONTRIBUTING lists every fact of a run, with the process that has it and what it may be used for.
func TestState_Facts_Documented(t *testing.T) {
	page, err := os.ReadFile("../../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	for method := range reflect.TypeFor[*State]().Methods() {
		if method.Name != "Lock" && !strings.Contains(string(page), "`"+method.Name+"`") {
			t.Errorf("CONTRIBUTING.md does not list %s", method.Name)
		}
	}
}
