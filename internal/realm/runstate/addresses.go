package runstate

import "strings"

// formerAddress is whose address one was that nobody has now.
type formerAddress struct {
	id      int64
	certain bool
}

// NoteFormerAddress registers that a state had an address which nobody has now, for the account with an ID. certain says that
// the state has the ID too; else the account has merely come in the address's place. What is certain counts more; two guesses that
// differ count nothing.
func (s *State) NoteFormerAddress(address string, id int64, certain bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.former == nil {
		s.former = map[string]formerAddress{}
	}
	address = strings.ToLower(address)
	known, ok := s.former[address]
	switch {
	case !ok || certain:
		s.former[address] = formerAddress{id, certain}
	case !known.certain && known.id != id:
		s.former[address] = formerAddress{}
	}
}

// FormerAddress returns the account that had an address which nobody has now; 0 if that is not known.
func (s *State) FormerAddress(address string) (id int64, certain bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.former[strings.ToLower(address)]
	return found.id, found.certain
}

// NoteInvited registers that an address which nobody has is invited.
func (s *State) NoteInvited(address string) { s.note(invited, strings.ToLower(address), 0) }

// IsInvited reports whether an address is known to be invited.
func (s *State) IsInvited(address string) bool {
	return s.knows(invited, strings.ToLower(address), 0)
}

// IsFirst reports, once in a run, that something has not been said before.
func (s *State) IsFirst(words string) bool { return s.note(said, words, 0) }
