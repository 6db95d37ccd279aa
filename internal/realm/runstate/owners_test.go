package runstate

import (
	"slices"
	"testing"
)

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
