package channel_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// two manages two channels, a and b, and plans both in one run, in either order.
func two(t *testing.T, first, second string, test func(t *testing.T, o *acctest.Organization, a, b *acctest.Run, plan func(*acctest.Run, values) (*acctest.PlannedChange, acctest.Diagnostics), inOrder func(...func()))) {
	t.Helper()
	for _, isReversed := range []bool{false, true} {
		o, a := managed(t)
		b := o.NewRun(t, "zulip_channel")
		if a.MustApply(values{"name": first}); second != "" {
			b.MustApply(values{"name": second})
		}
		p := a.Process()
		plan := func(run *acctest.Run, config values) (*acctest.PlannedChange, acctest.Diagnostics) {
			if run.State != nil { // the CLI reads each resource just before it plans it
				state, diags := p.Read("zulip_channel", run.State)
				diags.ExpectNoError(t)
				run.State = state
			}
			return p.Plan("zulip_channel", run.State, config)
		}
		test(t, o, a, b, plan, func(steps ...func()) {
			if isReversed {
				steps[0], steps[1] = steps[1], steps[0]
			}
			for _, step := range steps {
				step()
			}
		})
	}
}

// A chain of renames is planned in any order: whether a name is free by then is known when it is applied.
func TestProtocolRenamesInAChain(t *testing.T) {
	two(t, "a", "b", func(t *testing.T, o *acctest.Organization, a, b *acctest.Run, plan func(*acctest.Run, values) (*acctest.PlannedChange, acctest.Diagnostics), inOrder func(...func())) {
		var first, second *acctest.PlannedChange
		inOrder(func() {
			var diags acctest.Diagnostics
			first, diags = plan(a, values{"name": "b"})
			diags.ExpectNoError(t)
		}, func() {
			var diags acctest.Diagnostics
			second, diags = plan(b, values{"name": "c"})
			diags.ExpectNoError(t)
		})
		b.Apply(second).ExpectNoError(t)
		a.Apply(first).ExpectNoError(t)
		if called(o, "b") != 1 || called(o, "c") != 1 || called(o, "a") != 0 {
			t.Errorf("the channels are %v", o.Active(t))
		}
	})
}

// Names that are swapped need a name in between: the plan refuses it, whichever of the two is planned first.
func TestProtocolSwappedNames(t *testing.T) {
	two(t, "a", "b", func(t *testing.T, _ *acctest.Organization, a, b *acctest.Run, plan func(*acctest.Run, values) (*acctest.PlannedChange, acctest.Diagnostics), inOrder func(...func())) {
		var all acctest.Diagnostics
		inOrder(func() {
			_, diags := plan(a, values{"name": "b"})
			all = append(all, diags...)
		}, func() {
			_, diags := plan(b, values{"name": "a"})
			all = append(all, diags...)
		})
		if len(all.Errors()) != 1 {
			t.Errorf("the errors are %v", all.Errors())
		}
		all.ExpectError(t, "name", "Channels exchange their names", " → ", "In two applies")
	})
}

// A new channel with the name of one that the state has is refused at plan, in any order.
func TestProtocolNewChannelWithAManagedName(t *testing.T) {
	two(t, "a", "", func(t *testing.T, _ *acctest.Organization, a, b *acctest.Run, plan func(*acctest.Run, values) (*acctest.PlannedChange, acctest.Diagnostics), inOrder func(...func())) {
		errors := 0
		inOrder(func() {
			_, diags := plan(a, values{"name": "a"})
			errors += len(diags.Errors())
		}, func() {
			_, diags := plan(b, values{"name": "A"})
			errors += len(diags.Errors())
		})
		if errors == 0 {
			t.Error("nothing is refused")
		}
	})
}

// A removed block and an import of the same channel in one plan would archive what the other resource has.
func TestProtocolNothingIsDestroyedThatAnotherResourceHas(t *testing.T) {
	two(t, "a", "", func(t *testing.T, _ *acctest.Organization, a, b *acctest.Run, plan func(*acctest.Run, values) (*acctest.PlannedChange, acctest.Diagnostics), inOrder func(...func())) {
		b.Import("a", nil).ExpectNoError(t)
		var all acctest.Diagnostics
		inOrder(func() {
			_, diags := plan(a, nil)
			all = append(all, diags...)
		}, func() {
			_, diags := plan(b, values{"name": "a"})
			all = append(all, diags...)
		})
		all.ExpectError(t, "", `Channel "a" would be destroyed, and another resource has it`, "destroy = false", "moved block")
	})
}

// A channel that is kept when its resource is destroyed is that channel again when the resource is replaced.
func TestProtocolKeptChannelIsReplacedByItself(t *testing.T) {
	o, run := managed(t)
	config := values{"name": "kept", "on_destroy": "keep", "description": "first"}
	run.MustApply(config)
	id := run.State.Values["id"]
	destroy := run.MustPlan(nil)
	p := run.Process()
	_, diags := p.Apply(destroy)
	diags.ExpectNoError(t)
	config["description"] = "second"
	create, diags := p.Plan("zulip_channel", &acctest.Instance{}, config)
	diags.ExpectNoError(t)
	state, diags := p.Apply(create)
	diags.ExpectNoError(t)
	if state == nil || state.Values["id"] != id || o.MustChannel(t, "kept").Description != "second" || called(o, "kept") != 1 {
		t.Errorf("the state holds %v", state)
	}
}
