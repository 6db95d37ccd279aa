package store

import (
	"context"
	"sync"
	"time"
)

// gather makes one request of what several ask for at the same time.
type gather[Q, A any] struct {
	// ask answers questions in their order.
	ask func(context.Context, []Q) ([]A, error)
	// quiet is how long nobody has come, after those who are there, before the request is made; nil is shortest.
	quiet func([]Q) time.Duration
	// turn, of capacity one, lets a request wait for the end of the one before, and who comes meanwhile still join it. With
	// nil nobody waits.
	turn chan struct{}

	mu   sync.Mutex
	open *batch[Q, A] // who comes now joins it; nil: the next to come opens one
}

// batch is one request, and everybody who waits for it.
type batch[Q, A any] struct {
	questions []Q
	answers   []A
	err       error
	joined    chan struct{} // tells that somebody has come; one word is enough for several
	done      chan struct{}
}

// do waits for the company of others, and answers a question.
func (g *gather[Q, A]) do(ctx context.Context, question Q) (A, error) {
	g.mu.Lock()
	b := g.open
	if b == nil {
		b = &batch[Q, A]{joined: make(chan struct{}, 1), done: make(chan struct{})}
		g.open = b
		// The first to ask may give up; the others still want the answer.
		go g.run(context.WithoutCancel(ctx), b)
	}
	place := len(b.questions)
	b.questions = append(b.questions, question)
	g.mu.Unlock()
	tell(b.joined)
	var none A
	select {
	case <-ctx.Done():
		return none, ctx.Err()
	case <-b.done:
	}
	if b.err != nil {
		return none, b.err
	}
	return b.answers[place], nil
}

// run waits for company, closes the door, and asks.
func (g *gather[Q, A]) run(ctx context.Context, b *batch[Q, A]) {
	g.awaitQuiet(b)
	if g.turn != nil {
		g.turn <- struct{}{}
		defer func() { <-g.turn }()
	}
	g.mu.Lock()
	g.open = nil
	g.mu.Unlock()
	b.answers, b.err = g.ask(ctx, b.questions)
	close(b.done)
}

// tell tells that somebody has come.
func tell(joined chan<- struct{}) {
	select {
	case joined <- struct{}{}:
	default:
	}
}

// awaitQuiet returns when nobody has come for a while, or too many come for too long.
func (g *gather[Q, A]) awaitQuiet(b *batch[Q, A]) {
	end := time.After(patience)
	for {
		quiet := shortest
		if g.quiet != nil {
			g.mu.Lock()
			quiet = g.quiet(b.questions)
			g.mu.Unlock()
		}
		moment := time.NewTimer(quiet)
		select {
		case <-b.joined:
			moment.Stop()
			continue
		case <-moment.C:
		case <-end:
			moment.Stop()
		}
		return
	}
}

// kept is something that is read once for all, until it is forgotten.
type kept[T any] struct {
	read func(context.Context) (T, error)

	mu      sync.Mutex
	current *reading[T]
}

// reading is one request, and everybody who waits for it.
type reading[T any] struct {
	value T
	err   error
	done  chan struct{}
}

// get returns what was read, or reads it. Who asks meanwhile waits for the same request.
func (k *kept[T]) get(ctx context.Context) (T, error) {
	k.mu.Lock()
	current := k.current
	if current == nil {
		current = &reading[T]{done: make(chan struct{})}
		k.current = current
		go k.run(context.WithoutCancel(ctx), current)
	}
	k.mu.Unlock()
	var none T
	select {
	case <-ctx.Done():
		return none, ctx.Err()
	case <-current.done:
		return current.value, current.err
	}
}

func (k *kept[T]) run(ctx context.Context, current *reading[T]) {
	current.value, current.err = k.read(ctx)
	if current.err != nil {
		k.mu.Lock()
		if k.current == current {
			k.current = nil // the next to ask tries again
		}
		k.mu.Unlock()
	}
	close(current.done)
}

// forget makes the next to ask read again.
func (k *kept[T]) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.current = nil
}
