package store

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Those who ask at about the same time share one request, which is group commit: who asks while a request is under way
// shares the next one, so that no answer is older than its question. To wait for others costs a run little: what is waited
// for is the CLI, which takes some 5 to 50 ms between one resource and the next.
const (
	// workers is how many resources the CLI works on at once, unless it is told otherwise: when so many ask, a request
	// begins at once.
	workers = 10
	// quiet is how long nobody has asked before a request begins that others are likely to share, and brief where they are
	// not, or ask within some milliseconds.
	quiet = 100 * time.Millisecond
	brief = quiet / 10
	// patience is the most that a request waits: for those who ask, for writes, and for the end of the request before.
	patience = time.Second
	// ifScarce is how much longer both are where the server's rate limit is near: a request that is saved is worth a third
	// of a second by its default.
	ifScarce = 3
)

// batcher makes one request of what several ask for at the same time.
type batcher[Q, A any] struct {
	// ask answers questions. It calls sent when the request is about to leave.
	ask func(ctx context.Context, questions []Q, sent func()) (A, error)
	// quiet returns how long nobody has asked before the request begins; nil: it is brief.
	quiet func(questions []Q) time.Duration
	// isBusy reports whether others are at work who are going to ask; nil: it is not known.
	isBusy func() bool
	// isScarce reports whether requests are scarce; nil: they are not.
	isScarce func() bool
	// covers reports whether the request for some questions answers another one too: then that one joins until the request
	// has left, which may be long after where the rate limit is reached; nil: it does not.
	covers func(questions []Q, question Q) bool
	// isUrgent reports whether a question is asked without waiting for others, if it is the first such for a while and
	// nobody is at work; nil: it is not.
	isUrgent func(Q) bool
	// oneAtATime makes a request begin at once: nobody else is going to ask.
	oneAtATime bool

	mu       sync.Mutex
	open     *batch[Q, A]   // who asks now joins it; nil: the next to ask opens one
	leaving  []*batch[Q, A] // whose requests are made, and have not left
	underWay int            // that are made, and not answered
	asked    time.Time      // when somebody last asked an urgent question
}

// batch is one request, and those who wait for it.
type batch[Q, A any] struct {
	questions []Q
	urgent    bool
	joined    chan struct{} // tells that somebody has asked
	full      chan struct{} // closed when as many ask as there are workers
	answer    A
	err       error
	done      chan struct{}
}

// do asks a question, together with others. place is where it was among the questions.
func (b *batcher[Q, A]) do(ctx context.Context, question Q) (answer A, place int, err error) {
	mine, place := b.join(ctx, question)
	select {
	case <-ctx.Done():
		return answer, place, context.Cause(ctx)
	case <-mine.done:
		return mine.answer, place, mine.err
	}
}

// join adds a question to the batch that answers it, and begins one if there is none.
func (b *batcher[Q, A]) join(ctx context.Context, question Q) (mine *batch[Q, A], place int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	urgent := b.isUrgent != nil && b.isUrgent(question)
	alone := b.open == nil && b.underWay == 0 && time.Since(b.asked) >= patience && (b.isBusy == nil || !b.isBusy())
	if urgent {
		b.asked = time.Now()
	}
	for _, leaving := range b.leaving {
		if b.covers(leaving.questions, question) {
			return leaving, 0
		}
	}
	if b.open == nil {
		b.open = &batch[Q, A]{
			urgent: urgent && alone,
			joined: make(chan struct{}, 1), full: make(chan struct{}), done: make(chan struct{}),
		}
		// The first to ask may give up; the others still want the answer.
		go b.run(context.WithoutCancel(ctx), b.open)
	}
	mine, place = b.open, len(b.open.questions)
	mine.questions = append(mine.questions, question)
	if len(mine.questions) == workers {
		close(mine.full)
	}
	select {
	case mine.joined <- struct{}{}:
	default: // one word is enough for several
	}
	return mine, place
}

// run waits for others, and makes the request.
func (b *batcher[Q, A]) run(ctx context.Context, current *batch[Q, A]) {
	if !current.urgent && !b.oneAtATime {
		b.await(current)
	}
	b.mu.Lock()
	b.open = nil
	b.underWay++
	questions := current.questions
	if b.covers != nil {
		b.leaving = append(b.leaving, current)
	}
	b.mu.Unlock()

	sent := func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.leaving = slices.DeleteFunc(b.leaving, func(one *batch[Q, A]) bool { return one == current })
	}
	current.answer, current.err = b.ask(ctx, questions, sent)
	sent() // if it never left

	b.mu.Lock()
	b.underWay--
	b.mu.Unlock()
	close(current.done)
}

// await returns when nobody has asked for a while and nobody is at work who is going to, when everybody asks who can, or
// at the end of its patience.
func (b *batcher[Q, A]) await(current *batch[Q, A]) {
	longer := time.Duration(1)
	if b.isScarce != nil && b.isScarce() {
		longer = ifScarce
	}
	end := time.After(longer * patience)
	for {
		moment := time.NewTimer(longer * b.quietFor(current))
		select {
		case <-current.joined:
			moment.Stop()
			continue
		case <-moment.C:
			if b.isAwaited() {
				continue
			}
		case <-current.full:
			moment.Stop()
		case <-end:
			moment.Stop()
		}
		return
	}
}

func (b *batcher[Q, A]) quietFor(current *batch[Q, A]) time.Duration {
	if b.quiet == nil {
		return brief
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.quiet(current.questions)
}

// isAwaited reports whether others are at work, or a request is under way whose end makes others go on.
func (b *batcher[Q, A]) isAwaited() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.underWay > 0 || b.isBusy != nil && b.isBusy()
}
