package zulip

import (
	"context"
	"errors"
	"sync"
	"time"
)

// After an interruption a [Change] that has sent something goes on, so that what the server was asked for gets into the state.
const (
	// timeToWrite is how long its writes may still take. A request that has no answer by then counts as lost.
	timeToWrite = 10 * time.Second
	// timeToRead is how long it may take in all: what is left is for looking after what became of a lost request.
	timeToRead = 20 * time.Second
)

// ErrInterrupted is the cause when the run was interrupted.
var ErrInterrupted = errors.New("the run was interrupted")

// Change is a change of one resource, of which an interruption must not lose what was sent. Until its first write is sent
// it ends at once; after that it has some seconds to finish.
type Change struct {
	ctx     context.Context //nolint:containedctx // ends when nothing may be sent any more
	cancel  context.CancelCauseFunc
	writing context.Context //nolint:containedctx // ends when no write may be sent any more
	close   context.CancelCauseFunc

	mu            sync.Mutex
	isInterrupted bool
	writes        int // sent, and not refused without being looked at
}

type changeKey struct{}

// NewChange begins a change, and returns the context in which it is carried out. [Change.End] ends it.
func NewChange(ctx context.Context) (context.Context, *Change) {
	change := &Change{}
	change.ctx, change.cancel = context.WithCancelCause(ctx)
	change.writing, change.close = context.WithCancelCause(change.ctx)
	return context.WithValue(change.ctx, changeKey{}, change), change
}

// End releases what the change holds.
func (c *Change) End() { c.cancel(nil) }

// Interrupt lets the change finish what was sent, if anything was.
func (c *Change) Interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.isInterrupted = true
	if c.writes == 0 {
		c.cancel(ErrInterrupted)
		return
	}
	writes := time.AfterFunc(timeToWrite, func() { c.close(ErrInterrupted) })
	reads := time.AfterFunc(timeToRead, func() { c.cancel(ErrInterrupted) })
	context.AfterFunc(c.ctx, func() { writes.Stop(); reads.Stop() })
}

// begin notes that a write is about to be sent, and refuses it if it may not be any more.
func (c *Change) begin() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.writing.Err(); err != nil {
		return context.Cause(c.writing)
	}
	c.writes++
	return nil
}

// undo notes that a write was not sent after all, or refused without being looked at.
func (c *Change) undo() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes--
	if c.isInterrupted && c.writes == 0 {
		c.cancel(ErrInterrupted)
	}
}

// changeOf returns the change that a context belongs to; nil if it belongs to none.
func changeOf(ctx context.Context) *Change {
	change, _ := ctx.Value(changeKey{}).(*Change)
	return change
}

// IsInterrupted reports whether the run was interrupted: what a change would repeat is then better left to the next run.
func IsInterrupted(ctx context.Context) bool {
	change := changeOf(ctx)
	if change == nil {
		return false
	}
	change.mu.Lock()
	defer change.mu.Unlock()
	return change.isInterrupted
}

// Write makes a call that writes for several changes at once, of which the context of one is used to send it: an
// interruption waits for it in each of them.
func Write(ctx context.Context, call func(context.Context) error) error {
	if change := changeOf(ctx); change != nil {
		if err := change.begin(); err != nil {
			return err
		}
	}
	err := call(context.WithoutCancel(ctx))
	if change := changeOf(ctx); change != nil && err != nil && !MayHaveHappened(err) {
		change.undo()
	}
	return err
}

// writeContext returns a context that ends when ctx does, or no write may be under way any more.
func writeContext(ctx context.Context) (_ context.Context, end func()) {
	change := changeOf(ctx)
	if change == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	unlink := context.AfterFunc(change.writing, func() { cancel(context.Cause(change.writing)) })
	return ctx, func() { unlink(); cancel(nil) }
}
