package directory

import (
	"context"
	"sync"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// After a write a resource reads what the server then holds. Resources that are written at the same time share that read:
// the first to ask waits for company before it reads. How long, it learns. The CLI works on some number of resources at
// once, and takes its time between one and the next; when somebody asks while a read that was closed to them is under way,
// the wait was too short. Once it is known how many come together, nobody waits after the last of them.
const (
	// shortest and longest are how long nobody has come before a read begins.
	shortest = 3 * time.Millisecond
	longest  = 64 * time.Millisecond
	// patience is the most that a read waits, for company and for writes under way to end.
	patience = 400 * time.Millisecond
)

// reread is one read of a part of the organization, and everybody who waits for it.
type reread struct {
	askers int
	joined chan struct{} // tells that somebody has come; one word is enough for several
	done   chan struct{}
	view   *View
	err    error
}

// rereads are those of one part.
type rereads struct {
	open     *reread // who comes now joins it; nil: the next to come opens one
	underWay int     // closed, and not answered yet
	quiet    time.Duration
	company  int // how many came together last; zero if that is not known
}

// put takes what was read into a view.
type put func(*View) *View

// fresh returns a snapshot of which a part was read after the call began. read asks the server. It is one request for all
// who ask at the same time, and whoever reads the snapshot later sees the answer too.
func (d *Directory) fresh(ctx context.Context, part string, read func(context.Context) (put, error)) (*View, error) {
	d.mu.Lock()
	all := d.rereads[part]
	if all == nil {
		all = &rereads{quiet: shortest}
		d.rereads[part] = all
	}
	if all.open == nil {
		if all.underWay > 0 {
			all.quiet, all.company = min(2*all.quiet, longest), 0
		}
		all.open = &reread{joined: make(chan struct{}, 1), done: make(chan struct{})}
		// The first to ask may give up; the others still want the answer.
		go d.runReread(context.WithoutCancel(ctx), part, all, all.open, read)
	}
	current := all.open
	current.askers++
	d.mu.Unlock()
	select {
	case current.joined <- struct{}{}:
	default:
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-current.done:
		return current.view, current.err
	}
}

// runReread waits for company, closes the door, and reads.
func (d *Directory) runReread(ctx context.Context, part string, all *rereads, current *reread, read func(context.Context) (put, error)) {
	d.awaitCompany(all, current)
	d.mu.Lock()
	all.open = nil // who comes now needs a later read
	all.underWay++
	forgot := d.forgot[part]
	d.mu.Unlock()

	take, err := read(ctx)

	d.mu.Lock()
	defer d.mu.Unlock()
	all.underWay--
	if current.err = err; err == nil {
		d.view = take(d.view)
		// What was forgotten meanwhile may be older than what is to be known now: the next to ask reads again.
		d.have[part] = forgot == d.forgot[part]
		current.view = d.view.with(d)
	}
	close(current.done)
}

// awaitCompany returns when everybody has come who can be expected to.
func (d *Directory) awaitCompany(all *rereads, current *reread) {
	end := time.NewTimer(patience)
	defer end.Stop()
	for {
		d.mu.Lock()
		settled, complete, quiet := d.settled, all.company > 1 && current.askers >= all.company, all.quiet
		d.mu.Unlock()
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
		d.mu.Lock()
		if all.company = current.askers; current.askers == 1 {
			all.quiet = max(all.quiet/2, shortest)
		}
		d.mu.Unlock()
		return
	}
}

// Write announces a write; the function it returns is to be called when the write is over. Reads that follow writes wait a
// moment for the others under way, so that all share one read.
func (d *Directory) Write() func() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.writes++
	if d.settled == nil {
		d.settled = make(chan struct{})
	}
	return sync.OnceFunc(func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.writes--; d.writes == 0 {
			close(d.settled)
			d.settled = nil
		}
	})
}

// FreshChannels returns a snapshot whose channels, and which of them are default ones, were read after the call began.
func (d *Directory) FreshChannels(ctx context.Context) (*View, error) {
	return d.fresh(ctx, zulip.FetchChannels, func(ctx context.Context) (put, error) {
		channels, err := d.client.Channels(ctx, d.level)
		if err != nil {
			return nil, whileReading("channels", err)
		}
		return func(view *View) *View {
			d.have[zulip.FetchDefaultStreams] = true
			return view.withChannels(channels)
		}, nil
	})
}
