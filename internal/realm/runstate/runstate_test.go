package runstate

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
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
	run.Note(Created, Name("k", "a"))
	run.Release("k", "a", 7)
	if _, ok := run.TakeReleased("other", "a"); ok {
		t.Error("another kind took it")
	}
	if id, ok := run.TakeReleased("k", "a"); !ok || id != 7 || !run.Knows(Adopted, ID("k", 7)) || !run.Knows(Managed, ID("k", 7)) {
		t.Errorf("took %d, %v", id, ok)
	}
	if _, ok := run.TakeReleased("k", "a"); ok {
		t.Error("it was taken twice")
	}
	if run.Knows(Created, Name("k", "a")) {
		t.Error("it is still to be created")
	}
}

// Each fact is about one object of one kind.
func TestFacts_OtherObject_NotShared(t *testing.T) {
	var run State
	if !run.Note(Managed, ID(Channel, 1)) || run.Note(Managed, ID(Channel, 1)) || !run.Note(Created, Name(Channel, "A")) {
		t.Error("only the second is known already")
	}
	for _, other := range []struct {
		fact   Fact
		object Object
	}{{Kept, ID(Channel, 1)}, {Managed, ID(Channel, 2)}, {Managed, ID(Group, 1)}, {Created, Name(Group, "a")}} {
		if run.Knows(other.fact, other.object) {
			t.Errorf("%+v is known", other)
		}
	}
	if all := run.All(Created, Channel); !run.Knows(Created, Name(Channel, "a")) || len(all) != 1 || len(run.All(Created, Group)) > 0 {
		t.Errorf("%v will be created", all)
	}
	if run.Forget(Managed, ID(Channel, 1)); run.Knows(Managed, ID(Channel, 1)) {
		t.Error("a forgotten fact is known")
	}
	for _, said := range []struct {
		words string
		want  bool
	}{{"x", true}, {"x", true}, {"y", false}} {
		if agrees := run.Declare(ID("k", 1), Words(said.words)); agrees != said.want {
			t.Errorf("%q agrees: %v, want %v", said.words, agrees, said.want)
		}
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
	file, err := parser.ParseFile(token.NewFileSet(), "runstate.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	ast.Inspect(file, func(node ast.Node) bool {
		if facts, ok := node.(*ast.GenDecl); ok && facts.Tok == token.CONST {
			for _, fact := range facts.Specs {
				names = append(names, fact.(*ast.ValueSpec).Names[0].Name)
			}
		}
		return true
	})
	if len(names) < 10 {
		t.Errorf("the facts are %v", names)
	}
	for method := range reflect.TypeFor[*State]().Methods() {
		if !slices.Contains([]string{"Lock", "Note", "Knows", "Forget", "All"}, method.Name) { // these work on the facts
			names = append(names, method.Name)
		}
	}
	for _, name := range names {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("CONTRIBUTING.md does not list %s", name)
		}
	}
}
