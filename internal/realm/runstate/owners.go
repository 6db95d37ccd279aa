package runstate

import (
	"maps"
	"slices"
)

// PlanOwner registers that this run leaves a bot, by its address, with a person who is not deactivated yet.
func (s *State) PlanOwner(bot string, owner int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.botsOf == nil {
		s.botsOf = map[int64]map[string]bool{}
	}
	if s.botsOf[owner] == nil {
		s.botsOf[owner] = map[string]bool{}
	}
	s.botsOf[owner][bot] = true
}

// PlannedBotsOf returns the bots that this run leaves with a person, sorted.
func (s *State) PlannedBotsOf(owner int64) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.botsOf[owner]))
}

// GetsOwner reports whether this run leaves a bot, by its address, with another person than owner.
func (s *State) GetsOwner(bot string, owner int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for other, bots := range s.botsOf {
		if other != owner && bots[bot] {
			return true
		}
	}
	return false
}

// DestroyWithOwner registers that a bot is active right before this run deactivates its owner: the server deactivates both.
func (s *State) DestroyWithOwner(bot int64) { s.note(destroyedWithOwner, Account, bot) }

// IsDestroyedWithOwner reports whether a bot was active right before this run deactivated its owner, or tried to.
func (s *State) IsDestroyedWithOwner(bot int64) bool {
	return s.knows(destroyedWithOwner, Account, bot)
}
