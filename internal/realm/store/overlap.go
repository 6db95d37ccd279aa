package store

import (
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
)

// Reads and writes of a run overlap. What a read brings is taken into the facts unless something that was read later is
// there already; what this run has written since the read began is put on top of it; and whoever asks next reads again,
// for the read may have missed more of what has changed meanwhile.

// partState is what is known of a part.
type partState struct {
	have        bool                    // the snapshot holds it, and it is not out of date
	invalidated int                     // how often
	written     []func(*snapshot.Facts) // what this run has put into the facts
	read        int                     // the number of the read that has brought it; zero: none has
	readAt      time.Time               // when that began
	wroteAt     time.Time               // when a write of the list ended
	reading     chan struct{}           // closed when the read ends that brings it; nil: none is under way
}

// state returns what is known of a part. The caller holds the lock.
func (s *Store) state(part Part) *partState {
	if s.parts[part] == nil {
		s.parts[part] = &partState{}
	}
	return s.parts[part]
}

// mark is how a part stood when a read of it began.
type mark struct {
	read        int // its number
	at          time.Time
	invalidated int
	written     int
}

// mark returns how a part stands now. The caller holds the lock.
func (s *Store) mark(part Part) mark {
	of := s.state(part)
	return mark{s.begun, time.Now(), of.invalidated, len(of.written)}
}

// settle takes into the facts what reads have found that began at marks, and returns which failed. The caller holds the
// lock.
func (s *Store) settle(found map[Part]found, since map[Part]mark) failures {
	failed := failures{}
	s.current = s.current.With(func(facts *snapshot.Facts) {
		for part, one := range found {
			of, began := s.state(part), since[part]
			switch {
			case one.err != nil:
				failed[part] = one.err
			case of.read < began.read:
				facts.Take(one.read, string(part))
				if part == Users {
					s.asked.addUsers(facts)
				}
				for _, write := range of.written[began.written:] {
					write(facts)
				}
				of.have = of.invalidated == began.invalidated
				of.read, of.readAt = began.read, began.at
			}
		}
		if bots := found[Bots]; bots.read != nil { // their accounts are in the facts by now
			s.asked.own = bots.read.OwnBots
			s.asked.putBots(facts)
		}
	})
	return failed
}

// put puts what this run has written into the facts of a part, those to come of reads under way included. The caller holds
// the lock.
func (s *Store) put(part Part, write func(*snapshot.Facts)) {
	of := s.state(part)
	of.invalidated++
	of.written = append(of.written, write)
	s.current = s.current.With(write)
}
