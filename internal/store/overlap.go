package store

import (
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
)

// Reads and writes of a run overlap. What a read brings is taken into the facts unless something that was read later is
// there already; what this run has written since the read began is put on top of it; and whoever asks next reads again,
// for the read may have missed more of what has changed meanwhile.

// mark is how a part stood when a read of it began.
type mark struct {
	began  time.Time
	forgot int // how often the part had been forgotten
	writes int // how many writes had been put into the facts
}

// mark returns how a part stands now. The caller holds the lock.
func (s *Store) mark(part Part) mark {
	return mark{time.Now(), s.forgot[part], len(s.written[part])}
}

// settle takes into the facts what a read of a part has brought that began at a mark. The caller holds the lock.
func (s *Store) settle(facts *snapshot.Facts, part Part, since mark, take put) {
	if s.lists.read[part].After(since.began) {
		return
	}
	take(facts)
	for _, write := range s.written[part][since.writes:] {
		write(facts)
	}
	s.have[part] = s.forgot[part] == since.forgot
	s.lists.read[part] = since.began
	s.reread[part]++
}

// putWritten puts what this run has written into the facts of a part, those to come of reads under way included. The
// caller holds the lock.
func (s *Store) putWritten(part Part, write put) {
	s.forgot[part]++
	s.written[part] = append(s.written[part], write)
	s.current = s.current.With(write)
}
