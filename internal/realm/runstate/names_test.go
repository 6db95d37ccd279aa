package runstate_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
)

func TestPlannedNames_Replanned_LastPlan(t *testing.T) {
	var run runstate.State
	run.PlanName(runstate.Channel, 7, "Lobby")
	run.PlanName(runstate.Channel, 7, "Hall")
	run.PlanName(runstate.Channel, 0, "New")
	if _, planned := run.PlannedID(runstate.Channel, "lobby"); planned {
		t.Error("a name that is planned no more is found")
	}
	if id, planned := run.PlannedID(runstate.Channel, "HALL"); !planned || id != 7 {
		t.Errorf("hall is channel %d, planned %v", id, planned)
	}
	if id, planned := run.PlannedID(runstate.Channel, "new"); !planned || id != 0 {
		t.Errorf("new is channel %d, planned %v", id, planned)
	}
	run.PlanName(runstate.Group, 1, "leads")
	run.PlanName(runstate.Group, 2, "Leads")
	if id, _ := run.PlannedID(runstate.Group, "leads"); id != 1 {
		t.Errorf("leads is group %d", id)
	}
}

// Two groups that exchange their names are each found by the new name, in any order of planning.
func TestExchangedNames(t *testing.T) {
	var run runstate.State
	run.PlanName(runstate.Group, 1, "b")
	run.PlanName(runstate.Group, 2, "a")
	for name, want := range map[string]int64{"a": 2, "b": 1} {
		if id, planned := run.PlannedID(runstate.Group, name); !planned || id != want {
			t.Errorf("%s is group %d", name, id)
		}
	}
}
