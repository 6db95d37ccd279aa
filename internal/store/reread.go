package store

import (
	"context"
	"sync"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
)

// After a write a resource reads what the server then holds. Resources that are written at the same time share that read:
// the first to ask waits for company before it reads. The CLI works on some number of resources at once, and takes its
// time between one and the next; so company is expected after somebody asked while a read that was closed to them was
// under way, and tried for now and then when one question follows the other. Where it comes it is waited for until as many
// are there as came together last; where it does not, nobody waits. To wait for company costs a run no time: what it waits
// for is the CLI, which is busy with sending it.
const (
	// atOnce is how many resources the CLI works on at once, unless it is told otherwise.
	atOnce = 10
	// shortest and longest are how long nobody has come before a read begins: without company in sight, and with it.
	shortest = 3 * time.Millisecond
	longest  = 64 * time.Millisecond
	// A CLI that needs longer between one question and the next, as a large one on a busy machine does, is waited for
	// some such gaps, and not for ever.
	gaps        = 4
	longestEver = 400 * time.Millisecond
	// patience is the most that a read waits, for company and for writes under way to end; for a slow CLI at least so many
	// gaps.
	patience     = 400 * time.Millisecond
	patienceGaps = 16
	// Where requests are scarce, one that is saved is worth a third of a second by the server's default limit: company is
	// waited for longer, whether it is in sight or not.
	longestIfScarce  = 250 * time.Millisecond
	patienceIfScarce = 2 * time.Second
	// firstTrial is how many questions follow one another before company is tried for. When none has come, twice as many
	// pass before the next trial.
	firstTrial = 4
)

// reread is one read of a part of the organization, and everybody who waits for it.
type reread struct {
	askers int
	joined chan struct{} // tells that somebody has come; one word is enough for several
	done   chan struct{}
	view   *snapshot.Snapshot
	err    error
}

// rereads are those of one part.
type rereads struct {
	open     *reread // who comes now joins it; nil: the next to come opens one
	underWay int     // closed, and not answered yet
	begun    int     // so many have begun; the newest that has ended has this number
	ended    int

	expected  bool      // company is
	company   int       // how many came together last; zero if that is not known
	untried   int       // questions that followed one another since the last trial
	nextTrial int       // after so many
	lastEnd   time.Time // of a read
	lastAsked time.Time
	gap       time.Duration // between one question and the next, about
}

// measure takes in how long the CLI needed for the next question: since the last, or since it was answered.
func (r *rereads) measure() {
	since := r.lastAsked
	if r.lastEnd.After(since) {
		since = r.lastEnd
	}
	r.lastAsked = time.Now()
	if !since.IsZero() {
		r.gap += (min(r.lastAsked.Sub(since), longestEver) - r.gap) / 4
	}
}

// quiet is how long nobody has come before a read begins.
func (r *rereads) quiet() time.Duration {
	if !r.expected {
		return shortest
	}
	return min(max(longest, gaps*r.gap), longestEver)
}

// patience is the most that a read waits.
func (r *rereads) patience() time.Duration {
	if !r.expected {
		return patience
	}
	return max(patience, patienceGaps*r.gap)
}

// expect decides, when a read is opened, whether company is waited for.
func (r *rereads) expect() {
	switch {
	case r.underWay > 0:
		r.expected, r.company = true, 0
	case !r.expected && time.Since(r.lastEnd) < max(longest, gaps*r.gap):
		if r.untried++; r.untried >= r.nextTrial {
			r.expected, r.company = true, 0
		}
	}
}

// learn takes from how many have come whether company is to be expected again.
func (r *rereads) learn(askers int) {
	switch {
	case askers > 1:
		r.company, r.nextTrial = max(askers, r.company-1), firstTrial
	case r.expected:
		r.expected, r.untried, r.nextTrial = false, 0, 2*r.nextTrial
	}
}

// put takes what was read into the facts of a view.
type put func(*snapshot.Facts)

// fresh returns a snapshot of which a part was read after the call began. read asks the server. It is one request for all
// who ask at the same time, and whoever reads the snapshot later sees the answer too.
func (s *Store) fresh(ctx context.Context, part Part, read func(context.Context) (put, error)) (*snapshot.Snapshot, error) {
	s.mu.Lock()
	all := s.rereads[part]
	if all == nil {
		all = &rereads{nextTrial: firstTrial}
		s.rereads[part] = all
	}
	if all.open == nil {
		all.expect()
		all.open = &reread{joined: make(chan struct{}, 1), done: make(chan struct{})}
		// The first to ask may give up; the others still want the answer.
		go s.runReread(context.WithoutCancel(ctx), part, all, all.open, read)
	}
	all.measure()
	current := all.open
	current.askers++
	s.asking++
	s.unanswered++
	s.most = max(s.most, s.unanswered)
	tell(current.joined)
	if s.isFull() {
		for _, other := range s.rereads {
			if other.open != nil {
				tell(other.open.joined)
			}
		}
	}
	s.mu.Unlock()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-current.done:
		return current.view, current.err
	}
}

// runReread waits for company, and reads. The door is closed when the request leaves, which may be long after: when the
// server's rate limit is reached, every request that is shared instead of sent saves time.
func (s *Store) runReread(ctx context.Context, part Part, all *rereads, current *reread, read func(context.Context) (put, error)) {
	s.awaitCompany(all, current)
	var number int
	var since mark
	closeDoor := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if all.open != current {
			return // the request is repeated
		}
		all.open = nil // who comes now needs a later read
		s.asking -= current.askers
		all.underWay++
		all.begun++
		number, since = all.begun, s.mark(part)
	}
	answer, err := s.joint.do(ctx, partRead{part, read, closeDoor})
	closeDoor() // if it never left
	if err == nil {
		err = answer.err
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	all.underWay--
	s.unanswered -= current.askers
	all.lastEnd = time.Now()
	if current.err = err; err == nil {
		if number > all.ended { // else a later one was faster
			all.ended = number
			s.current = s.current.With(func(facts *snapshot.Facts) { s.settle(facts, part, since, answer.take) })
		}
		current.view = s.current
	}
	close(current.done)
}

// isFull reports whether as many wait as the CLI works on at once: nobody can come then. The caller holds the lock.
func (s *Store) isFull() bool { return s.asking >= max(atOnce, s.most) }

// awaitCompany returns when everybody has come who can be expected to.
func (s *Store) awaitCompany(all *rereads, current *reread) {
	scarce := s.scarce()
	s.mu.Lock()
	most := all.patience()
	s.mu.Unlock()
	if scarce {
		most = max(most, patienceIfScarce)
	}
	end := time.NewTimer(most)
	defer end.Stop()
	for {
		s.mu.Lock()
		settled, quiet := s.settled, all.quiet()
		complete := all.company > 1 && current.askers >= all.company
		switch {
		case scarce:
			complete, quiet = false, max(quiet, longestIfScarce)
		case s.isFull():
			quiet = shortest
		}
		s.mu.Unlock()
		if settled != nil {
			// Who is writing now asks next.
			select {
			case <-settled:
				continue
			case <-end.C:
				return
			}
		}
		if complete {
			return
		}
		moment := time.NewTimer(quiet)
		select {
		case <-current.joined:
			moment.Stop()
			continue
		case <-moment.C:
		case <-end.C:
			moment.Stop()
		}
		s.mu.Lock()
		all.learn(current.askers)
		s.mu.Unlock()
		return
	}
}

// Write makes a call that writes. Reads that follow writes wait a moment for the others under way, so that all share one
// read.
func (s *Store) Write(ctx context.Context, call func(context.Context) error) error {
	defer s.beginWrite()()
	return call(ctx)
}

// beginWrite announces a write; the function it returns is to be called when the write is over.
func (s *Store) beginWrite() (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	if s.settled == nil {
		s.settled = make(chan struct{})
	}
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.writes--; s.writes == 0 {
			close(s.settled)
			s.settled = nil
		}
	})
}
